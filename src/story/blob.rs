//! A picture or other asset, stored once under the hash of its bytes.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{ids::BlobId, record::record};

/// The bytes ride beside this record (`ports::Doc::bytes`), as a typed array and not as numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Blob {
    pub id: BlobId,
    /// Media type, e.g. `image/png`.
    pub kind: String,
    pub size: u64,
}
record!(Blob, Blobs);

/// The content address of some bytes.
pub fn address(bytes: &[u8]) -> BlobId {
    BlobId(Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Pictures larger than this are refused.
pub const MAX_PICTURE_BYTES: usize = 8 << 20;

/// The media type of a picture by its first bytes; `None` for anything that is not a PNG, JPEG, WebP or GIF.
pub fn picture_kind(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        [b'G', b'I', b'F', b'8', ..] => Some("image/gif"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_is_sha256() {
        assert_eq!(address(b"").as_str(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }

    #[test]
    fn pictures_are_known_by_their_bytes() {
        assert_eq!(picture_kind(b"\x89PNG\r\n\x1a\nrest"), Some("image/png"));
        assert_eq!(picture_kind(b"<svg onload=1>"), None);
    }
}
