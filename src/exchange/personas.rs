//! Personas of the reader as SillyTavern's backup file has them: names and descriptions by the file of their picture, which is
//! not in it.

use serde_json::{Map, Value, json};

use super::{
    json,
    limits::RECORD_BYTES,
    names::tidy_name,
    refusal::{Refusal, Warning},
    sniff::{self, Content},
};
use crate::{store::from_value, story::reader_persona::ReaderPersona};

/// Personas that one file may bring.
pub const MOST: usize = 2_000;
/// Under which a persona keeps what its picture is called there.
pub const FILE: &str = "avatar_file";
/// Fields of the record that a file may not set.
const OF_RECORD: [&str; 9] = ["id", "name", "avatar", "thumbnail", "created", "updated", "deleted", "imported", FILE];

/// What a backup holds.
#[derive(Debug, Default)]
pub struct Backup {
    /// The usual one first.
    pub personas: Vec<ReaderPersona>,
    /// Whether it says which is the usual one.
    pub has_usual: bool,
    pub warnings: Vec<Warning>,
}

/// Reads a backup.
///
/// # Errors
/// It is not JSON, too large or deep, or holds something else.
pub fn read(text: &str) -> Result<Backup, Refusal> {
    let value = json::parse(text)?;
    let unrecognised = || Refusal::Unrecognised { wanted: Content::Personas, found: sniff::content(&value) };
    read_of(value.as_object().filter(|file| is_backup(file)).ok_or_else(unrecognised)?)
}

/// The same of what holds a backup among other things.
pub(super) fn read_of(file: &Map<String, Value>) -> Result<Backup, Refusal> {
    let empty = Map::new();
    let names = file.get("personas").and_then(Value::as_object).unwrap_or(&empty);
    if names.len() > MOST {
        return Err(Refusal::TooMany { limit: MOST as u64 });
    }
    let default = file.get("default_persona").and_then(Value::as_str);
    let mut personas = Vec::new();
    let (mut left_out, mut has_usual) = (0, false);
    for (picture, name) in names {
        let mut fields = file
            .get("persona_descriptions")
            .and_then(|all| all.get(picture))
            .and_then(Value::as_object)
            .cloned()
            .unwrap_or_default();
        fields.retain(|key, value| !OF_RECORD.contains(&key.as_str()) && !value.is_null());
        let read = name.as_str().zip(from_value::<ReaderPersona>(fields.into()).ok());
        let Some((name, mut persona)) = read.filter(|(_, persona)| json::size(persona) <= RECORD_BYTES) else {
            left_out += 1;
            continue;
        };
        persona.name = tidy_name(name).0;
        persona.extra.insert(FILE.into(), picture.clone().into());
        let is_usual = Some(picture.as_str()) == default;
        has_usual |= is_usual;
        personas.insert(if is_usual { 0 } else { personas.len() }, persona);
    }
    let warning = (left_out > 0).then_some(Warning::ItemsLeftOut { count: left_out });
    Ok(Backup { personas, has_usual, warnings: warning.into_iter().collect() })
}

pub fn is_backup(file: &Map<String, Value>) -> bool {
    ["personas", "persona_descriptions"].iter().all(|key| file.get(*key).is_some_and(Value::is_object))
}

/// Writes a backup.
pub fn write(personas: &[&ReaderPersona], default: Option<&ReaderPersona>) -> String {
    let mut names = Map::new();
    let mut descriptions = Map::new();
    let mut of_default = Value::Null;
    for persona in personas {
        let own = persona.extra.get(FILE).and_then(Value::as_str).map(str::to_owned);
        let mut file = own.unwrap_or_else(|| format!("{}.png", persona.id));
        // A copy has the same: its own id tells it apart.
        if names.contains_key(&file) {
            file = format!("{}.png", persona.id);
        }
        let mut fields =
            serde_json::to_value(persona).ok().and_then(|value| value.as_object().cloned()).unwrap_or_default();
        fields.retain(|key, _| !OF_RECORD.contains(&key.as_str()));
        if default.is_some_and(|default| default.id == persona.id) {
            of_default = file.clone().into();
        }
        names.insert(file.clone(), persona.name.clone().into());
        descriptions.insert(file, fields.into());
    }
    let file = json!({ "personas": names, "persona_descriptions": descriptions, "default_persona": of_default });
    serde_json::to_string_pretty(&file).expect("a value has text keys")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::story::{preset::Role, reader_persona::Stands};

    #[test]
    fn a_backup_goes_out_as_it_came() {
        let file = json!({
            "personas": { "lin.png": "Lin", "user-default.png": "Ada" },
            "persona_descriptions": {
                "lin.png": { "description": "A courier.", "position": 4, "depth": 3, "role": 1, "lorebook": "Roads", "title": "t" },
                "user-default.png": { "description": "", "position": 9 },
            },
            "default_persona": "user-default.png",
        });
        let Backup { mut personas, has_usual, warnings } = read(&file.to_string()).unwrap();
        assert!(has_usual);
        let names: Vec<_> = personas.iter().map(|persona| persona.name.as_str()).collect();
        assert_eq!((names, warnings), (vec!["Ada", "Lin"], vec![]));
        assert_eq!(personas[1].stands(), Stands::Chat(3, Role::User));
        assert_eq!((personas[0].stands(), &personas[1].extra["lorebook"]), (Stands::Nowhere, &json!("Roads")));
        for (persona, id) in personas.iter_mut().zip(["a", "b"]) {
            persona.id = id.into();
        }
        let out = write(&personas.iter().collect::<Vec<_>>(), personas.first());
        assert_eq!(serde_json::from_str::<Value>(&out).unwrap(), file);
        // A copy is another.
        let copy = ReaderPersona { id: "c".into(), ..personas[1].clone() };
        let out: Value = serde_json::from_str(&write(&[&personas[1], &copy], None)).unwrap();
        assert_eq!(out["personas"], json!({ "lin.png": "Lin", "c.png": "Lin" }));
    }

    #[test]
    fn what_is_none() {
        let broken = json!({
            "personas": { "a": "A", "b": 7, "c": "C", "d": "D" },
            "persona_descriptions": {
                "a": { "description": 7 },
                "c": { "id": "evil", "description": "x", "created": 9 },
                "d": { "description": null, "position": null, "depth": null },
            },
        });
        let Backup { personas, has_usual, warnings } = read(&broken.to_string()).unwrap();
        assert_eq!((personas.len(), warnings), (2, vec![Warning::ItemsLeftOut { count: 2 }]));
        assert!(!has_usual);
        assert_eq!((personas[0].id.as_str(), personas[0].created), ("", 0));
        for other in [json!({ "personas": {} }), json!([]), json!({ "entries": {} })] {
            assert!(matches!(read(&other.to_string()), Err(Refusal::Unrecognised { .. })), "{other}");
        }
    }
}
