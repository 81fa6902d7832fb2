//! About a thousand vectors with their keys, as bytes for the store: 1.6 MB at 384 dimensions, written in one go.
//!
//! Segments are read in the order of their making. Only the last one, not yet full, is written again; what changes
//! about a vector in an older one is said in the last one: a new vector under its key, or that it is gone.
//!
//! The floats are stored and the codes are made of them while reading: floats cost money to get and serve every later
//! way of quantising, and codes cost next to nothing to make.

use serde::{Deserialize, Serialize};

use crate::{
    code::{Code, Refused},
    frame::{self, Damaged},
    vectors::Vectors,
};

const KIND: [u8; 4] = *b"fabv";
const VERSION: u8 = 1;

/// Vectors in a segment; then the next one is begun.
const FULL: usize = 1_000;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Segment {
    /// Who made the vectors: provider, model, and whatever else tells them from others.
    embedder: String,
    /// Dimensions of each vector; 0 while there is none.
    dim: usize,
    /// Names that outlive a session, each once, in the order of their vectors.
    keys: Vec<String>,
    /// Keys whose vectors in earlier segments no longer count; none of `keys` among them.
    gone: Vec<String>,
    /// As the embedder gave them, one after the other.
    numbers: Vec<f32>,
}

impl Segment {
    pub fn new(embedder: impl Into<String>) -> Self {
        Self { embedder: embedder.into(), dim: 0, keys: Vec::new(), gone: Vec::new(), numbers: Vec::new() }
    }

    pub fn embedder(&self) -> &str {
        &self.embedder
    }

    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Vectors in this segment.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    pub fn is_empty(&self) -> bool {
        self.keys.is_empty() && self.gone.is_empty()
    }

    /// Whether the next vector belongs into a new segment. Names of the gone count as well.
    pub fn is_full(&self) -> bool {
        self.keys.len() + self.gone.len() >= FULL
    }

    /// Adds a vector, in place of any that `key` had here or in an earlier segment.
    ///
    /// # Errors
    /// The vector has another dimension than the first one, no direction, or numbers that are not finite.
    pub fn push(&mut self, key: &str, vector: &[f32]) -> Result<(), Refused> {
        if self.dim != 0 && self.dim != vector.len() {
            return Err(Refused::Dimension { want: self.dim, got: vector.len() });
        }
        Code::of(vector)?;
        self.drop_key(key);
        self.dim = vector.len();
        self.keys.push(key.to_owned());
        self.numbers.extend_from_slice(vector);
        Ok(())
    }

    /// Says that `key` has no vector any more, here or in an earlier segment.
    pub fn remove(&mut self, key: &str) {
        self.drop_key(key);
        self.gone.push(key.to_owned());
    }

    fn drop_key(&mut self, key: &str) {
        self.gone.retain(|gone| gone != key);
        if let Some(at) = self.keys.iter().position(|held| held == key) {
            self.keys.remove(at);
            self.numbers.drain(at * self.dim..(at + 1) * self.dim);
        }
    }

    /// The vectors of this segment with their keys.
    pub fn vectors(&self) -> impl Iterator<Item = (&str, &[f32])> {
        // An empty segment has no dimension yet.
        self.keys.iter().map(String::as_str).zip(self.numbers.chunks_exact(self.dim.max(1)))
    }

    /// The keys that this segment takes away from earlier ones.
    pub fn gone(&self) -> impl Iterator<Item = &str> {
        self.gone.iter().map(String::as_str)
    }

    /// Adds this segment to what earlier ones gave; `doc` numbers a key, or passes it over.
    ///
    /// # Errors
    /// The collection holds vectors of another dimension.
    pub fn pour(&self, into: &mut Vectors, doc: &dyn Fn(&str) -> Option<u32>) -> Result<(), Refused> {
        self.gone().filter_map(doc).for_each(|doc| into.remove(doc));
        self.vectors()
            .filter_map(|(key, vector)| Some((doc(key)?, vector)))
            .try_for_each(|(doc, vector)| into.insert(doc, vector))
    }

    pub fn encode(&self) -> Vec<u8> {
        frame::seal(KIND, VERSION, self)
    }

    /// # Errors
    /// The bytes are damaged, of another version, or hold what `push` would have refused.
    pub fn decode(bytes: &[u8]) -> Result<Self, Damaged> {
        let segment: Self = frame::read(frame::open(KIND, VERSION, bytes)?)?;
        if segment.keys.len().checked_mul(segment.dim) != Some(segment.numbers.len()) {
            return Err(Damaged::Content("a segment with more or fewer vectors than keys"));
        }
        if segment.vectors().any(|(_, vector)| Code::of(vector).is_err()) {
            return Err(Damaged::Content("a segment with a vector that is none"));
        }
        Ok(segment)
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn numbered(key: &str) -> Option<u32> {
        key.parse().ok()
    }

    #[test]
    fn later_segments_win() {
        let mut vectors = Vectors::new();
        let mut first = Segment::new("openai m-1");
        for (key, vector) in [("0", [1.0, 0.0]), ("1", [1.0, 0.0]), ("2", [1.0, 0.0]), ("hidden", [1.0, 0.0])] {
            first.push(key, &vector).unwrap();
        }
        let mut last = Segment::new("openai m-1");
        last.remove("0");
        last.remove("1");
        last.push("1", &[0.0, 1.0]).unwrap();
        last.push("3", &[0.0, 1.0]).unwrap();
        last.remove("3");
        for segment in [first, last] {
            let segment = Segment::decode(&segment.encode()).unwrap();
            assert_eq!(segment.embedder(), "openai m-1");
            segment.pour(&mut vectors, &numbered).unwrap();
        }
        let scores = vectors.scores(&[1.0, 0.0]).unwrap();
        assert_eq!((vectors.len(), scores[1], scores[2]), (2, 0.0, 1.0));
        assert!(scores[0].is_nan());
    }

    #[test]
    fn what_is_no_vector_is_refused() {
        let mut segment = Segment::new("");
        assert_eq!(segment.push("a", &[f32::NAN]), Err(Refused::NotFinite));
        assert_eq!(segment.push("a", &[]), Err(Refused::Zero));
        assert!(segment.is_empty());
        segment.push("a", &[1.0]).unwrap();
        assert_eq!(segment.push("a", &[1.0, 1.0]), Err(Refused::Dimension { want: 1, got: 2 }));
        assert_eq!(segment.vectors().collect::<Vec<_>>(), [("a", &[1.0][..])]);
        let wide = Segment { dim: 2, keys: vec![String::new()], numbers: vec![1.0, 1.0], ..Segment::new("") };
        assert!(wide.pour(&mut Vectors::new(), &|_| Some(0)).is_ok());
        for (dim, numbers) in [(1, vec![]), (2, vec![0.0, 0.0]), (1, vec![f32::NAN]), (usize::MAX, vec![1.0])] {
            let bad = Segment { dim, numbers, ..wide.clone() };
            assert!(matches!(Segment::decode(&bad.encode()), Err(Damaged::Content(_))));
        }
    }

    #[test]
    fn a_full_segment_is_of_moderate_size() {
        let mut segment = Segment::new("e");
        for (i, vector) in crate::samples::clustered(FULL, 384, 5, 1).all().iter().enumerate() {
            assert!(!segment.is_full());
            segment.push(&i.to_string(), vector).unwrap();
        }
        assert!(segment.is_full());
        assert!((1_536_000..1_545_000).contains(&segment.encode().len()));
    }

    proptest! {
        #[test]
        fn segments_come_back(
            vectors in prop::collection::vec(("[a-c雪]{0,2}", prop::array::uniform3(0.1..1.0f32)), 0..20),
            gone in prop::collection::vec("[a-c]{0,2}", 0..5),
        ) {
            let mut segment = Segment::new("e");
            for (key, vector) in &vectors {
                segment.push(key, vector).unwrap();
            }
            gone.iter().for_each(|key| segment.remove(key));
            prop_assert_eq!(Segment::decode(&segment.encode()), Ok(segment));
        }

        #[test]
        fn random_bytes_are_an_error(bytes: Vec<u8>) {
            prop_assert!(Segment::decode(&bytes).is_err());
            // With a head that agrees: an error or a sound segment, and no panic.
            if let Ok(segment) = Segment::decode(&frame::seal(KIND, VERSION, &bytes)) {
                prop_assert!(segment.pour(&mut Vectors::new(), &|_| Some(0)).is_ok());
            }
        }
    }
}
