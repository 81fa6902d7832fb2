//! A chat, as its program exports one alone; with whom it is with, who the reader is in it, and the greeting that it begins
//! with, which stands in the character alone.

use std::{collections::HashMap, rc::Rc};

use serde_json::{Map, Value, json};

use super::persona::Personas;
use crate::{
    prompt::macros::{Values, expand},
    story::{reader::Reader, storyline::Language},
};

/// Whom chats are with.
pub(super) struct With {
    name: String,
    /// Who speaks in them where they do not say; of a group the first of it.
    main: String,
    is_group: bool,
    /// The first message, and the others that there may be in its place.
    greetings: Vec<String>,
    /// Characters by their ids: who says what in a group.
    names: Rc<HashMap<String, String>>,
}

impl With {
    pub fn of(record: &Map<String, Value>, names: &Rc<HashMap<String, String>>) -> Self {
        let text = |field: &str| record.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
        let list = |field: &str| {
            record
                .get(field)
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .map(|item| item.as_str().unwrap_or_default())
        };
        let is_group = record.get("type").is_some_and(|kind| kind == "group");
        let name = text("name");
        let first = list("characters").find_map(|id| names.get(id)).filter(|_| is_group);
        let greetings =
            std::iter::once(text("firstMessage")).chain(list("alternateGreetings").map(str::to_owned)).collect();
        Self { main: first.unwrap_or(&name).clone(), name, is_group, greetings, names: names.clone() }
    }
}

/// One chat.
pub(super) struct Talk {
    /// The record.
    pub text: String,
    pub name: String,
    /// Nobody has said a thing.
    pub is_empty: bool,
    greeting: String,
    reader: String,
    with: Rc<With>,
}

impl Talk {
    pub fn of(text: String, with: Rc<With>, personas: &Personas) -> Self {
        let chat = serde_json::from_str::<Value>(&text).unwrap_or_default();
        let said = |field: &str| chat[field].as_str().unwrap_or_default();
        let greeting = match chat["fmIndex"].as_i64() {
            Some(at @ 0..) => with.greetings.get(at as usize + 1),
            _ => with.greetings.first(),
        };
        Self {
            name: said("name").to_owned(),
            is_empty: chat["message"].as_array().is_none_or(Vec::is_empty),
            greeting: greeting.cloned().unwrap_or_default(),
            reader: personas.name(said("bindedPersona")).unwrap_or(&personas.reader).to_owned(),
            text,
            with,
        }
    }

    /// The file of it.
    pub fn file(&self) -> String {
        let mut chat = serde_json::from_str::<Value>(&self.text).unwrap_or_default();
        let With { name, main, is_group, names, .. } = &*self.with;
        if let Some(messages) = chat["message"].as_array_mut() {
            for message in messages.iter_mut().filter(|message| *is_group && message["role"] == "char") {
                let by = message["saying"].as_str().and_then(|id| names.get(id)).cloned();
                if let (Some(by), Some(fields)) = (by, message.as_object_mut()) {
                    fields.entry("name").or_insert_with(|| by.into());
                }
            }
            if !self.greeting.trim().is_empty() {
                let user = Reader::new(&self.reader, Language::En).in_story();
                let greeting = expand(&self.greeting, &Values { char: main, user, original: "" });
                messages.insert(0, json!({ "role": "char", "data": greeting }));
            }
        }
        let title = if self.name.is_empty() { name.clone() } else { format!("{name} – {}", self.name) };
        json!({ "type": "risuChat", "ver": 1, "title": title, "character": main, "reader": self.reader, "data": chat })
            .to_string()
    }
}
