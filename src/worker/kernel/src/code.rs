//! A vector's direction in one signed byte a dimension: a quarter of the memory, and faster to multiply.
//!
//! Against 32-bit floats cosines are off by a few thousandths, and of the true ten nearest at least 98 in a hundred
//! are found (`tests`). The scale makes every code a unit vector again, so that a code's cosine with itself is 1 and
//! sums of codes have true lengths.

use std::{
    fmt,
    hash::{Hash, Hasher},
    sync::Arc,
};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::dot;

/// The longest vector that is taken; embedders give 256 to 4,096 dimensions.
pub const MAX_DIM: usize = 16_384;

/// Why a vector is no vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The collection holds vectors of another length.
    Dimension { want: usize, got: usize },
    /// NaN or infinity among the numbers.
    NotFinite,
    /// All zero, or empty: no direction.
    Zero,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dimension { want, got } => write!(f, "a vector of {got} dimensions, where {want} are wanted"),
            Self::NotFinite => f.write_str("a vector with a number that is not finite"),
            Self::Zero => f.write_str("a vector without direction"),
        }
    }
}

impl std::error::Error for Refused {}

/// A quantised unit vector. Cloning shares the bytes, so that graph and collection hold them once.
#[derive(Clone, Debug)]
pub struct Code {
    /// Within ±127, the largest by amount being ±127.
    values: Arc<[i8]>,
    /// 1 / ‖values‖.
    scale: f32,
}

impl Code {
    /// Quantises a vector of any length but 0; only its direction is kept.
    ///
    /// # Errors
    /// Not finite, zero, or longer than `MAX_DIM`.
    pub fn of(vector: &[f32]) -> Result<Self, Refused> {
        if vector.len() > MAX_DIM {
            return Err(Refused::Dimension { want: MAX_DIM, got: vector.len() });
        }
        if vector.iter().any(|number| !number.is_finite()) {
            return Err(Refused::NotFinite);
        }
        let largest = vector.iter().fold(0.0_f32, |largest, number| largest.max(number.abs()));
        if largest == 0.0 {
            return Err(Refused::Zero);
        }
        // Divided first: the reciprocal of a tiny number is infinite.
        let values: Arc<[i8]> = vector.iter().map(|number| (number / largest * 127.0).round() as i8).collect();
        Ok(Self::scaled(values))
    }

    fn scaled(values: Arc<[i8]>) -> Self {
        let scale = 1.0 / (dot::bytes(&values, &values) as f32).sqrt();
        Self { values, scale }
    }

    pub fn dim(&self) -> usize {
        self.values.len()
    }

    /// The cosine with a code of the same length, −1 to 1; to the last bit the same from either side.
    pub fn cosine(&self, other: &Self) -> f32 {
        dot::bytes(&self.values, &other.values) as f32 * (self.scale * other.scale)
    }

    /// Whether both are the same bytes in memory: one is a clone of the other.
    pub fn is_clone_of(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.values, &other.values)
    }
}

impl PartialEq for Code {
    fn eq(&self, other: &Self) -> bool {
        self.values == other.values
    }
}

impl Eq for Code {}

impl Hash for Code {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.values.hash(state);
    }
}

/// Stored as its bytes alone; the scale follows from them.
impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let bytes: Vec<u8> = self.values.iter().map(|value| value.cast_unsigned()).collect();
        serializer.serialize_bytes(&bytes)
    }
}

impl<'de> Deserialize<'de> for Code {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bytes: &[u8] = Deserialize::deserialize(deserializer)?;
        let values: Arc<[i8]> = bytes.iter().map(|byte| byte.cast_signed()).collect();
        let known = values.len() <= MAX_DIM && values.iter().any(|&value| value != 0) && !values.contains(&i8::MIN);
        if known { Ok(Self::scaled(values)) } else { Err(de::Error::custom("not a code")) }
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use crate::{
        hit::{Best, Hit},
        samples,
    };

    #[test]
    fn what_is_no_vector_is_refused() {
        #[track_caller]
        fn check(vector: &[f32], want: Refused) {
            assert_eq!(Code::of(vector).unwrap_err(), want);
        }
        check(&[], Refused::Zero);
        check(&[0.0, -0.0], Refused::Zero);
        check(&[1.0, f32::NAN], Refused::NotFinite);
        check(&[f32::NEG_INFINITY, 1.0], Refused::NotFinite);
        check(&[1.0; MAX_DIM + 1], Refused::Dimension { want: MAX_DIM, got: MAX_DIM + 1 });
    }

    #[test]
    fn only_the_direction_counts() {
        #[track_caller]
        fn check(a: &[f32], b: &[f32], want: f32) {
            let cosine = Code::of(a).unwrap().cosine(&Code::of(b).unwrap());
            assert!((cosine - want).abs() < 1e-6, "{cosine}");
        }
        check(&[1.0, 2.0, -3.0], &[10.0, 20.0, -30.0], 1.0);
        check(&[1.0, 0.0], &[-5.0, 0.0], -1.0);
        check(&[1.0, 0.0], &[0.0, 1e-45], 0.0);
        check(&[f32::MAX, f32::MAX], &[1e-40, 1e-40], 1.0);
    }

    /// The true ten nearest by floats, against the ten by codes.
    #[test]
    fn codes_find_what_floats_find() {
        let (vectors, queries) = samples::clustered(4_000, 384, 100, 7).split_at_last(100);
        let codes: Vec<_> = vectors.iter().map(|vector| Code::of(vector).unwrap()).collect();
        let mut found = 0;
        for query in &queries {
            let code = Code::of(query).unwrap();
            let (mut exact, mut coded) = (Best::new(10), Best::new(10));
            for (doc, vector) in (0..).zip(&vectors) {
                let score = dot::floats(query, vector);
                let by_code = code.cosine(&codes[doc as usize]);
                assert!((score - by_code).abs() < 0.01, "{score} {by_code}");
                exact.push(Hit { doc, score });
                coded.push(Hit { doc, score: by_code });
            }
            let exact = exact.into_hits();
            found +=
                coded.into_hits().iter().filter(|hit| exact.iter().any(|true_hit| true_hit.doc == hit.doc)).count();
        }
        assert!(found >= 980, "{found} of 1000");
    }
}
