//! A text's print, by which it is known again.

/// The same on every machine and in every version: it is stored.
pub fn print(text: &str) -> u64 {
    // FNV-1a; the standard hasher may change between compilers.
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
