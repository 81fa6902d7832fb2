//! Inputs out of other inputs. The same seed makes the same ones.

/// Bytes. Larger inputs say nothing that smaller ones do not.
const LONGEST: usize = 16 << 10;
/// Changes made to an input at a time.
const CHANGES: usize = 4;

pub struct Bender {
    state: u64,
    words: &'static [&'static str],
}

impl Bender {
    pub fn new(seed: u64, words: &'static [&'static str]) -> Self {
        Self { state: seed, words }
    }

    /// SplitMix64.
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    fn range(&mut self, length: usize) -> std::ops::Range<usize> {
        let start = self.below(length + 1);
        // Mostly short.
        let longest = [4, 32, length][self.below(3)].min(length - start);
        start..start + self.below(longest + 1)
    }

    fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }

    pub fn bend(&mut self, pool: &[Vec<u8>]) -> Vec<u8> {
        let mut input = self.pick(pool).clone();
        for _ in 0..=self.below(CHANGES) {
            self.change(&mut input, pool);
            input.truncate(LONGEST);
        }
        input
    }

    fn change(&mut self, input: &mut Vec<u8>, pool: &[Vec<u8>]) {
        let range = self.range(input.len());
        match self.below(8) {
            0 => drop(input.drain(range)),
            1 => input.truncate(range.start),
            2 => {
                let other = self.pick(pool);
                let piece = other[self.range(other.len())].to_vec();
                drop(input.splice(range, piece));
            }
            3 => {
                let other = self.pick(pool);
                let tail = other[self.below(other.len() + 1)..].to_vec();
                input.truncate(range.start);
                input.extend(tail);
            }
            4 => {
                let piece = input[range.clone()].to_vec();
                let times = [2, 8, 512][self.below(3)];
                let longest = LONGEST / piece.len().max(1);
                drop(input.splice(range, piece.repeat(times.min(longest))));
            }
            5 => {
                if let Some(byte) = input.get_mut(range.start) {
                    *byte ^= 1 << self.below(8);
                }
            }
            6 => {
                let word = self.pick(self.words).as_bytes().to_vec();
                drop(input.splice(range.start..range.start, word));
            }
            _ => {
                let word = self.pick(self.words).as_bytes().to_vec();
                drop(input.splice(range, word));
            }
        }
    }
}
