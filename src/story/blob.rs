//! A picture or other asset, stored once under the hash of its bytes.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::ids::BlobId;
use crate::store::record;

/// The bytes ride beside this record (`store::Doc::bytes`), as a typed array and not as numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Blob {
    pub id: BlobId,
    /// Media type, e.g. `image/png`.
    pub kind: String,
    pub size: u64,
}
record!(Blob, Blobs);

impl Blob {
    /// The media type of what is no picture: it is kept, and never shown.
    pub const OTHER: &str = "application/octet-stream";
}

/// The content address of some bytes.
pub fn address(bytes: &[u8]) -> BlobId {
    BlobId(Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_is_sha256() {
        assert_eq!(address(b"").as_str(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }
}
