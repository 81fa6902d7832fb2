//! Ids: UUIDv7 as text, so that they sort by the time they were made.

use serde::{Deserialize, Serialize};

use super::Millis;

/// Makes a UUIDv7 from the time and ten random bytes (both come through ports).
pub fn uuid(now: Millis, random: [u8; 10]) -> String {
    uuid::Builder::from_unix_timestamp_millis(now, &random).into_uuid().to_string()
}

macro_rules! id {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub String);

        impl $name {
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl From<&str> for $name {
            fn from(id: &str) -> Self {
                Self(id.to_owned())
            }
        }

        impl From<String> for $name {
            fn from(id: String) -> Self {
                Self(id)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }
    )*};
}

id! {
    CharacterId, BackgroundId, StorylineId, SessionId, BranchId, TurnId, GenerationId, StateId, ConnectionId, MemoryId,
    LorebookId, ScriptSetId, QuickSetId, ReaderPersonaId, PostId,
    /// A built-in preset's plain name (`plain`, …) or a UUID.
    PresetId,
    /// SHA-256 of the bytes, lower-case hex: the same picture is stored once.
    BlobId,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_sort_by_time() {
        let early = uuid(1_000, [0xff; 10]);
        let late = uuid(1_001, [0; 10]);
        assert!(early < late);
        assert_eq!(early.len(), 36);
        assert_eq!(early.as_bytes()[14], b'7', "version 7");
    }
}
