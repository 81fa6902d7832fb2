//! What OpenDAL's S3 service uses of crc-fast: a CRC-32C, for a checksum header that is off unless it is asked for. The real
//! crate, on a processor without a fast way of its own such as wasm32, carries tables for every checksum it knows: more
//! than half a megabyte, which hardly compresses.

/// The polynomial 0x1EDC6F41, bits reversed.
const CASTAGNOLI: u32 = 0x82F6_3B78;

#[derive(Clone, Copy)]
pub enum CrcAlgorithm {
    Crc32Iscsi,
}

pub struct Digest(u32);

impl Digest {
    pub fn new(_: CrcAlgorithm) -> Self {
        Self(!0)
    }

    pub fn update(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 ^= u32::from(*byte);
            for _ in 0..8 {
                self.0 = (self.0 >> 1) ^ if self.0 & 1 == 1 { CASTAGNOLI } else { 0 };
            }
        }
    }

    pub fn finalize(&self) -> u64 {
        u64::from(!self.0)
    }
}

#[test]
fn the_known_value() {
    let mut digest = Digest::new(CrcAlgorithm::Crc32Iscsi);
    digest.update(b"12345");
    digest.update(b"6789");
    assert_eq!(digest.finalize(), 0xE306_9283);
}
