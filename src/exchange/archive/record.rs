//! Whether a record is what its table holds.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{
    damage::{Damage, Flaw, Place},
    part::Part,
};
use crate::{
    exchange::limits::ID_CHARS,
    store::{Doc, from_value, unsound_field},
    story::{
        LAST_MILLIS,
        background::Background,
        blob::{Blob, address},
        character::Character,
        generation::Generation,
        memory::Memory,
        picture,
        preset::Preset,
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
pub(super) fn check(part: Part, doc: &Doc) -> Result<(&str, Typed), Damage> {
    let place = Place { part: Some(part), ..Place::default() };
    let id = doc.value.get("id").and_then(Value::as_str).ok_or(Damage { place, flaw: Flaw::NoId })?;
    if id.is_empty() || id.chars().nth(ID_CHARS).is_some() {
        return Err(Flaw::OddId.of(part, &crate::story::clip(id, ID_CHARS)));
    }
    if doc.bytes.is_some() != (part == Part::Blobs) {
        return Err(Flaw::Bytes.of(part, id));
    }
    let typed = match part {
        Part::Characters => read::<Character>(part, id, doc).map(|_| Typed::Other)?,
        Part::Backgrounds => read::<Background>(part, id, doc).map(|_| Typed::Other)?,
        Part::Presets => read::<Preset>(part, id, doc).map(|_| Typed::Other)?,
        Part::Storylines => Typed::Storyline(read(part, id, doc)?),
        Part::Branches => {
            let branch: Box<Branch> = read(part, id, doc)?;
            branch.first.checked_add(branch.length).ok_or_else(|| Flaw::Measure.at(part, id, "length"))?;
            Typed::Branch(Box::new(Branch { extra: Default::default(), ..*branch }))
        }
        Part::States => Typed::State(read(part, id, doc)?),
        Part::Turns => Typed::Turn(read(part, id, doc)?),
        Part::Generations => Typed::Generation(read(part, id, doc)?),
        Part::Memories => Typed::Memory(read(part, id, doc)?),
        Part::Blobs => {
            check_blob(id, &doc.value, doc.bytes.as_deref().unwrap_or_default())?;
            Typed::Other
        }
    };
    // It is found by its place, and by no default of it.
    if matches!(part, Part::Turns | Part::Generations) && !doc.value["position"].is_u64() {
        return Err(Flaw::Lacking.at(part, id, "position"));
    }
    match times(part).iter().find(|path| !is_a_time(&doc.value, path)) {
        Some(path) => Err(Flaw::Time.at(part, id, path)),
        None => Ok((id, typed)),
    }
}

fn read<R: DeserializeOwned + Default>(part: Part, id: &str, doc: &Doc) -> Result<Box<R>, Damage> {
    from_value(doc.value.clone()).map(Box::new).map_err(|error| {
        let field = unsound_field::<R>(&doc.value).unwrap_or_default();
        Flaw::Type(error.to_string()).at(part, id, field)
    })
}

/// The times of a record, `*` for each item of a list.
fn times(part: Part) -> &'static [&'static str] {
    match part {
        Part::Characters | Part::Backgrounds | Part::Presets => &["created", "updated", "deleted"],
        Part::Storylines => &["created", "last_active", "deleted", "sessions/*/created", "savepoints/*/created"],
        Part::Branches => &["created", "deleted", "cuts/*/deleted"],
        Part::States => &["created", "persona/pending_growth/*/created", "persona/evolved_versions/*/created"],
        Part::Turns => &["created", "edits/*/replaced"],
        Part::Generations => &["started", "first_text", "finished", "edits/*/replaced", "by_hand/*/at"],
        Part::Memories => &["created", "updated"],
        Part::Blobs => &[],
    }
}

/// Whether what stands there is a time that the database keeps as it is, and a calendar knows. Later ones come back
/// from it as other numbers, or as none.
fn is_a_time(value: &Value, path: &str) -> bool {
    let (field, rest) = path.split_once('/').unwrap_or((path, ""));
    match (field, value) {
        ("", Value::Number(number)) => number.as_f64().is_some_and(|time| time <= LAST_MILLIS as f64),
        ("*", Value::Array(items)) => items.iter().all(|item| is_a_time(item, rest)),
        ("" | "*", _) => true,
        (field, value) => value.get(field).is_none_or(|value| is_a_time(value, rest)),
    }
}

fn check_blob(id: &str, value: &Value, bytes: &[u8]) -> Result<(), Damage> {
    let flaw = |flaw: Flaw, field| Err(flaw.at(Part::Blobs, id, field));
    let blob: Blob = match from_value(value.clone()) {
        Ok(blob) => blob,
        Err(error) => return flaw(Flaw::Type(error.to_string()), ""),
    };
    if address(bytes) != blob.id {
        return flaw(Flaw::OtherPicture, "");
    }
    if blob.size != bytes.len() as u64 {
        return flaw(Flaw::OtherSize, "size");
    }
    // SVG among them: it can hold script.
    if picture::kind(bytes) != Some(blob.kind.as_str()) {
        return flaw(Flaw::OtherKind, "kind");
    }
    Ok(())
}
