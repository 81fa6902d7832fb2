//! Whether a record is what its table holds.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::damage::{Damage, Flaw, Place};
use crate::store::{Part, field};
use crate::{
    exchange::limits::ID_CHARS,
    store::{Doc, from_value, unsound_field},
    story::{
        LAST_MILLIS,
        account::Account,
        background::Background,
        blob::{Blob, address},
        character::Character,
        generation::Generation,
        lorebook::Lorebook,
        memory::Memory,
        picture,
        post::Post,
        preset::Preset,
        quick::QuickSet,
        reader_persona::ReaderPersona,
        script::ScriptSet,
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
    Account(Box<Account>),
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
    if doc.bytes.is_some() != part.table().has_bytes() {
        return Err(Flaw::Bytes.of(part, id));
    }
    let typed = match part {
        Part::Characters => read::<Character>(part, id, doc).map(|_| Typed::Other)?,
        Part::Backgrounds => read::<Background>(part, id, doc).map(|_| Typed::Other)?,
        Part::Lorebooks => read::<Lorebook>(part, id, doc).map(|_| Typed::Other)?,
        Part::Presets => read::<Preset>(part, id, doc).map(|_| Typed::Other)?,
        Part::Personas => read::<ReaderPersona>(part, id, doc).map(|_| Typed::Other)?,
        Part::QuickReplies => read::<QuickSet>(part, id, doc).map(|_| Typed::Other)?,
        Part::Posts => read::<Post>(part, id, doc).map(|_| Typed::Other)?,
        Part::Scripts => read::<ScriptSet>(part, id, doc).map(|_| Typed::Other)?,
        Part::Storylines => Typed::Storyline(read(part, id, doc)?),
        Part::Branches => {
            let branch: Box<Branch> = read(part, id, doc)?;
            branch.first.checked_add(branch.length).ok_or_else(|| Flaw::Measure.at(part, id, "length"))?;
            Typed::Branch(Box::new(Branch { extra: Default::default(), ..*branch }))
        }
        Part::States => Typed::State(read(part, id, doc)?),
        Part::Turns => Typed::Turn(read(part, id, doc)?),
        Part::Generations => Typed::Generation(read(part, id, doc)?),
        Part::Accounts => Typed::Account(read(part, id, doc)?),
        Part::Memories => Typed::Memory(read(part, id, doc)?),
        Part::Blobs => {
            check_blob(id, &doc.value, doc.bytes.as_deref().unwrap_or_default())?;
            Typed::Other
        }
    };
    // It is found by its place, and by no default of it.
    let about = part.table().describe();
    if let Some(field) = about.required.iter().find(|field| !doc.value[**field].is_u64()) {
        return Err(Flaw::Lacking.at(part, id, field));
    }
    match about.times.iter().find(|path| !is_a_time(&doc.value, path)) {
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

/// Whether what stands there is a time that the database keeps as it is, and a calendar knows. Later ones come back
/// from it as other numbers, or as none.
fn is_a_time(record: &Value, path: &str) -> bool {
    let mut is_one = true;
    field::each(record, path, &mut |time| is_one &= time.as_f64().is_none_or(|time| time <= LAST_MILLIS as f64));
    is_one
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
    if blob.kind != Blob::OTHER && picture::kind(bytes) != Some(blob.kind.as_str()) {
        return flaw(Flaw::OtherKind, "kind");
    }
    Ok(())
}
