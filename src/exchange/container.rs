//! What a card comes in: the chunks of a picture, a ZIP, or a picture with a ZIP behind it; and what a folder comes in.

pub mod blobs;
pub mod directory;
pub mod exif;
pub mod png;
pub mod zip;

/// Files by their paths inside a container.
pub type Files = Vec<(String, Vec<u8>)>;
