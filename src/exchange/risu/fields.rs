//! What of the database is looked at: characters and their chats one by one, personas, modules, scripts, and of presets what
//! they tell a model. All else, the settings with their keys, is passed over.

use std::{
    cell::{Cell, RefCell},
    fmt,
};

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::value::{Foreign, Key, Reading, is_secret};
use crate::exchange::{limits::DATABASE_VALUES, preset};

/// What is taken of it.
#[derive(Default)]
pub(super) struct Database {
    pub characters: Vec<Person>,
    /// Presets by their names: JSON each.
    pub presets: Vec<(String, String)>,
    pub modules: Value,
    /// `personas`, `username`, `globalscript`, …
    pub root: Map<String, Value>,
    /// Parts of it that are of no form that is known, by their names.
    pub others: Vec<String>,
}

/// A character, or a group of them.
pub(super) struct Person {
    pub id: String,
    pub name: String,
    /// The record without its chats: JSON.
    pub text: String,
    /// JSON each.
    pub chats: Vec<String>,
}

/// Of the root, beside characters, presets and modules.
const OF_ROOT: [&str; 7] =
    ["personas", "selectedPersona", "username", "userIcon", "personaPrompt", "globalscript", "enabledModules"];
/// Of a character: how its voice is made (addresses among it), and where its program was with it, which no copy of it is
/// told apart by.
const PASSED_OVER: [&str; 14] = [
    "voicevoxConfig",
    "naittsConfig",
    "gptSoVitsConfig",
    "fishSpeechConfig",
    "hfTTS",
    "vits",
    "oaiVoice",
    "ttsMode",
    "ttsSpeech",
    "chatPage",
    "chatFolders",
    "lastInteraction",
    "reloadKeys",
    "firstMsgIndex",
];

/// Where what is read is put.
#[derive(Clone, Copy)]
pub(super) struct Into<'a> {
    pub reading: &'a Reading,
    pub database: &'a RefCell<Database>,
}

/// The whole; and each part of it alone, as blocks have them.
#[derive(Clone, Copy)]
pub(super) enum Part<'a> {
    Root,
    Characters,
    Character,
    /// Into the chats of a character.
    Chats(&'a RefCell<Vec<String>>),
    Chat(&'a RefCell<Vec<String>>),
    Presets,
    Preset,
    Modules,
}

pub(super) struct Read<'a>(pub Part<'a>, pub Into<'a>);

impl Read<'_> {
    fn value<'de, D: Deserializer<'de>>(&self, deserializer: D) -> Result<Value, D::Error> {
        Foreign::new(self.1.reading, &Cell::new(DATABASE_VALUES)).deserialize(deserializer)
    }
}

impl<'de> DeserializeSeed<'de> for Read<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        match self.0 {
            Part::Chat(chats) => {
                let chat = self.value(deserializer)?;
                if chat.is_object() {
                    chats.borrow_mut().push(self.1.reading.keep(chat.to_string())?);
                }
                Ok(())
            }
            Part::Modules => {
                let modules = self.value(deserializer)?;
                self.1.database.borrow_mut().modules = modules;
                Ok(())
            }
            _ => deserializer.deserialize_any(self),
        }
    }
}

impl<'de> Visitor<'de> for Read<'_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str(match self.0 {
            Part::Characters | Part::Chats(_) | Part::Presets => "a list",
            _ => "a record",
        })
    }

    /// There is none.
    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_ignored_any(IgnoredAny).map(drop)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let each = match self.0 {
            Part::Characters => Part::Character,
            Part::Chats(chats) => Part::Chat(chats),
            Part::Presets => Part::Preset,
            _ => {
                while list.next_element::<IgnoredAny>()?.is_some() {}
                return Ok(());
            }
        };
        while list.next_element_seed(Read(each, self.1))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Into { reading, database } = self.1;
        let left = Cell::new(DATABASE_VALUES);
        let chats = RefCell::default();
        let mut fields = Map::new();
        while let Some(Key(key)) = map.next_key()? {
            let part = match (self.0, key.as_str()) {
                (Part::Root, "characters") => Part::Characters,
                (Part::Root, "botPresets") => Part::Presets,
                (Part::Root, "modules") => Part::Modules,
                (Part::Character, "chats") => Part::Chats(&chats),
                (of, key) => {
                    let is_kept = match of {
                        Part::Root => OF_ROOT.contains(&key),
                        Part::Character => !PASSED_OVER.contains(&key) && !is_secret(key),
                        Part::Preset => preset::OF_RISU.contains(&key),
                        _ => false,
                    };
                    if !is_kept {
                        map.next_value::<IgnoredAny>()?;
                        continue;
                    }
                    let value = map.next_value_seed(Foreign::new(reading, &left))?;
                    if !value.is_null() {
                        fields.insert(key.to_owned(), value);
                    }
                    continue;
                }
            };
            map.next_value_seed(Read(part, self.1))?;
        }
        match self.0 {
            Part::Root => database.borrow_mut().root = fields,
            Part::Character => {
                let [id, name] = ["chaId", "name"]
                    .map(|field| fields.get(field).and_then(Value::as_str).unwrap_or_default().to_owned());
                let text = reading.keep(Value::from(fields).to_string())?;
                database.borrow_mut().characters.push(Person { id, name, text, chats: chats.into_inner() });
            }
            Part::Preset => {
                let name = fields.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
                let text = reading.keep(Value::from(fields).to_string())?;
                database.borrow_mut().presets.push((name, text));
            }
            _ => {}
        }
        Ok(())
    }
}
