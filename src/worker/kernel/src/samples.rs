//! Clustered unit vectors, the same for the same seed: for tests, and for timings natively and in a browser.
//!
//! Real embeddings crowd around topics; uniform ones would have no near neighbours, which no index could find.

use crate::dot;

/// Vectors of length 1.
pub struct Samples(Vec<Vec<f32>>);

/// `n` vectors of `dim` dimensions around `clusters` centres. Two of one cluster have a cosine of about 0.6.
pub fn clustered(n: usize, dim: usize, clusters: usize, seed: u64) -> Samples {
    let mut noise = Noise(seed);
    let centres: Vec<_> = (0..clusters).map(|_| noise.direction(dim)).collect();
    let vectors = (0..n).map(|i| {
        let centre = &centres[i % clusters];
        let own = noise.direction(dim);
        unit(centre.iter().zip(&own).map(|(centre, own)| centre + 0.8 * own).collect())
    });
    Samples(vectors.collect())
}

impl Samples {
    pub fn all(self) -> Vec<Vec<f32>> {
        self.0
    }

    /// All but the last `n`, and those: what is searched, and what is asked.
    pub fn split_at_last(mut self, n: usize) -> (Vec<Vec<f32>>, Vec<Vec<f32>>) {
        let queries = self.0.split_off(self.0.len() - n);
        (self.0, queries)
    }
}

fn unit(mut vector: Vec<f32>) -> Vec<f32> {
    let length = dot::floats(&vector, &vector).sqrt();
    vector.iter_mut().for_each(|number| *number /= length);
    vector
}

/// SplitMix64.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Near enough to a normal distribution: the sum of four uniform numbers.
    fn direction(&mut self, dim: usize) -> Vec<f32> {
        let number = |bits: u64| (0..4).map(|i| ((bits >> (16 * i)) & 0xFFFF) as f32 / 65_536.0 - 0.5).sum();
        unit((0..dim).map(|_| number(self.next())).collect())
    }
}
