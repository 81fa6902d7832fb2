//! How much a file may ask of us.

/// A character or background file.
pub const JSON_BYTES: u64 = 16 << 20;
/// A record made from such a file (it carries the original beside the fields read from it). Below [`LINE_BYTES`] with
/// room for edits: what may enter must be able to leave in an archive.
pub const RECORD_BYTES: u64 = 12 << 20;
/// A conversation of another program.
pub const CHAT_BYTES: u64 = 64 << 20;
/// A file that holds a card beside pictures.
pub const CARD_BYTES: u64 = 128 << 20;
/// What such a file may ask for.
pub const CARD: Unpacking = Unpacking { files: 5_000, bytes: 256 << 20, ratio: 200, ratio_after: 32 << 20 };
/// The database of RisuAI's backup, packed; and what it may ask for. Its settings are passed over, what is left is held as
/// text while it is taken in.
pub const DATABASE_BYTES: u64 = 256 << 20;
pub const DATABASE: Unpacking = Unpacking { files: 200_000, bytes: 512 << 20, ratio: 200, ratio_after: 32 << 20 };
/// Values (texts, numbers, lists, …) in one character, conversation or list of it.
pub const DATABASE_VALUES: usize = 1_000_000;
/// Nesting of such a file. Below the 128 levels that the JSON parser takes, since a record adds a level around it, and
/// an archive line two more.
pub const JSON_DEPTH: usize = 100;
/// Nesting of a record: an archive line adds one level (the parser takes 127).
pub const RECORD_DEPTH: usize = 126;
/// A line of an archive, without its newline. The largest picture (8 MiB) is 10.7 MiB as Base64.
pub const LINE_BYTES: u64 = 16 << 20;
/// An id, in characters.
pub const ID_CHARS: usize = 200;
/// A name, in characters.
pub const NAME_CHARS: usize = 100;

/// The limits of a ZIP, or of what is packed like one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unpacking {
    pub files: usize,
    /// Unpacked, all together.
    pub bytes: u64,
    /// Of a file: unpacked bytes per packed byte, and from which size on it counts.
    pub ratio: u64,
    pub ratio_after: u64,
}

/// The limits of an archive; given from outside so that a test need not write gigabytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub line_bytes: u64,
    /// Decompressed.
    pub total_bytes: u64,
    /// Decompressed bytes per compressed byte. Deflate reaches 1032; stories reach 10.
    pub ratio: u64,
    /// Decompressed bytes before the ratio counts: a small file may be monotonous.
    pub ratio_after: u64,
    pub records: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { line_bytes: LINE_BYTES, total_bytes: 4 << 30, ratio: 200, ratio_after: 32 << 20, records: 5_000_000 }
    }
}
