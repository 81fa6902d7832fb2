//! Whether a record is what its table holds.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::part::Part;
use crate::{
    exchange::limits::ID_CHARS,
    ports::Doc,
    story::{
        background::Background,
        blob::{Blob, address, picture_kind},
        character::Character,
        generation::Generation,
        memory::Memory,
        preset::Preset,
        record::from_value,
        state::State,
        storyline::Storyline,
        tree::Branch,
        turn::Turn,
    },
};

/// A record, read: what it points to is in it.
pub(super) enum Typed {
    /// Points to nothing that is checked.
    Other,
    Storyline(Box<Storyline>),
    Branch(Box<Branch>),
    State(Box<State>),
    Turn(Box<Turn>),
    Generation(Box<Generation>),
    Memory(Box<Memory>),
}

/// The id of a record and the record as its type. The value itself is what is stored: numbers, order and unknown
/// fields stay as they came.
///
/// # Errors
/// What is wrong with it.
pub(super) fn check(part: Part, doc: &Doc) -> Result<(&str, Typed), String> {
    let id = doc.value.get("id").and_then(Value::as_str).ok_or("a record without an id")?;
    if id.is_empty() || id.chars().nth(ID_CHARS).is_some() {
        return Err("an id that is empty or absurdly long".into());
    }
    if doc.bytes.is_some() != (part == Part::Blobs) {
        return Err("bytes belong to pictures, and a picture needs them".into());
    }
    let typed = match part {
        Part::Characters => read::<Character>(doc).map(|_| Typed::Other)?,
        Part::Backgrounds => read::<Background>(doc).map(|_| Typed::Other)?,
        Part::Presets => read::<Preset>(doc).map(|_| Typed::Other)?,
        Part::Storylines => Typed::Storyline(read(doc)?),
        Part::Branches => {
            let branch: Box<Branch> = read(doc)?;
            branch.first.checked_add(branch.length).ok_or("a branch without measure")?;
            Typed::Branch(Box::new(Branch { extra: Default::default(), ..*branch }))
        }
        Part::States => Typed::State(read(doc)?),
        Part::Turns => Typed::Turn(read(doc)?),
        Part::Generations => Typed::Generation(read(doc)?),
        Part::Memories => Typed::Memory(read(doc)?),
        Part::Blobs => {
            check_blob(&*read::<Blob>(doc)?, doc.bytes.as_deref().unwrap_or_default())?;
            Typed::Other
        }
    };
    Ok((id, typed))
}

fn read<R: DeserializeOwned>(doc: &Doc) -> Result<Box<R>, String> {
    from_value(doc.value.clone()).map(Box::new).map_err(|error| error.to_string())
}

fn check_blob(blob: &Blob, bytes: &[u8]) -> Result<(), String> {
    if address(bytes) != blob.id {
        return Err("a picture whose bytes are not those of its id".into());
    }
    if blob.size != bytes.len() as u64 {
        return Err("a picture of another size than it says".into());
    }
    // SVG among them: it can hold script.
    if picture_kind(bytes) != Some(blob.kind.as_str()) {
        return Err("not a picture of the kind that it says".into());
    }
    Ok(())
}
