//! What is asked of a piece, and at the end; and what the answer says.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    Feed, Field, Kind,
    fields::{self, titles},
};
use crate::{
    features::transcript::filled,
    prompt::tokens::{PER_MESSAGE, estimate},
    provider::{
        Message, Shape,
        shape::{list, object, string},
    },
    reply::repair::{Repair, repair_whole},
    story::{character::Character, clip, lines::to_blocks, preset::Role, storyline::Language},
};

/// Tokens of what the character knows that are told in full beside a piece that speaks of it.
const KNOWN: u32 = 1_200;
/// Titles that are told beside it.
const TITLES: usize = 150;

/// Tokens that an answer may have, where the connection allows fewer; and what it mostly has.
pub const ANSWER: u32 = 3_000;
pub const ANSWERED: u32 = 600;

/// The longest of one field: nothing that grows here is a book.
const LONGEST: usize = 8_000;
/// Entries of knowledge that one piece may give.
const ENTRIES: usize = 12;

/// What an answer says: fields whole, as they are now, and entries by their titles.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Said {
    pub fields: Vec<(Field, String)>,
    pub knowledge: Vec<(String, String)>,
}

/// Asks what a piece teaches. `of`: which it is of how many, from 1.
pub fn read(character: &Character, feed: &Feed, piece: &str, of: (u32, u32), language: Language) -> Vec<Message> {
    let template = match language {
        Language::Zh => include_str!("read.zh.md"),
        Language::En => include_str!("read.en.md"),
    };
    let kind = match (feed.kind, language) {
        (Kind::AboutMe, Language::Zh) => "关于这个人物的话。都是真的，直接写进人物。",
        (Kind::AboutMe, Language::En) => "Words about the character. They are true: write them into the character.",
        (Kind::Material, Language::Zh) => {
            "素材。从中汲取人物的举止、口吻、经历与信念；素材里的人不必就是这个人物，专有的情节不必照搬。"
        }
        (Kind::Material, Language::En) => {
            "Material. Draw the character’s manner, voice, past and beliefs from it; nobody in it need be the character, and its plot need not be copied."
        }
        (Kind::Knowledge, Language::Zh) => "这个人物所知道的事。写成“所知”的条目；人物本身一般不因此改变。",
        (Kind::Knowledge, Language::En) => {
            "What the character knows. Write it as entries of “knowledge”; who the character is rarely changes by it."
        }
    };
    let part = match of {
        (_, 1) => String::new(),
        (at, all) => match language {
            Language::Zh => format!("（第 {at} 段，共 {all} 段）"),
            Language::En => format!(" (piece {at} of {all})"),
        },
    };
    let title = if feed.title.trim().is_empty() { language.pick("无题", "untitled") } else { feed.title.trim() };
    let content = filled(
        template,
        &[&told(character, &Field::GROWING, language), &known(character, piece, language), kind, title, &part, piece],
    );
    vec![Message::new(Role::User, content)]
}

/// Asks for what a full character has beside that: openings, and how it is at the beginning.
pub fn ripen(character: &Character, language: Language) -> Vec<Message> {
    let template = match language {
        Language::Zh => include_str!("ripen.zh.md"),
        Language::En => include_str!("ripen.en.md"),
    };
    let content = filled(template, &[&told(character, &Field::GROWING, language), &known(character, "", language)]);
    vec![Message::new(Role::User, content)]
}

/// Tokens of a request beside its piece.
pub fn frame(character: &Character, language: Language) -> u32 {
    let messages = read(character, &Feed::default(), "", (1, 1), language);
    messages.iter().map(|message| estimate(&message.content) + PER_MESSAGE).sum()
}

/// Fields as they are, a paragraph each; those that are empty are named, for they are to be filled.
fn told(character: &Character, fields: &[Field], language: Language) -> String {
    let line = |field: &Field| {
        let text = field.get(character);
        match (text.trim().is_empty(), field.is_list()) {
            (true, _) => format!("{}: {}", field.name(), language.pick("（还没有）", "(nothing yet)")),
            (false, true) => format!("{}: {}", field.name(), text.trim().lines().collect::<Vec<_>>().join(" | ")),
            (false, false) => format!("{}: {}", field.name(), text.trim()),
        }
    };
    fields.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// The titles of what it knows, and in full what the piece speaks of.
fn known(character: &Character, piece: &str, language: Language) -> String {
    let titles = titles(character);
    if titles.is_empty() {
        return language.pick("（还没有）", "(nothing yet)").to_owned();
    }
    let mut told = Vec::new();
    let mut room = KNOWN;
    for (title, keys, content) in fields::known(character).filter(|(title, ..)| !title.is_empty()) {
        let is_spoken_of = keys.into_iter().chain([title]).any(|key| !key.is_empty() && piece.contains(key));
        if is_spoken_of {
            let cost = estimate(content);
            if cost <= room {
                room -= cost;
                told.push(format!("[{title}] {content}"));
            }
        }
    }
    let names = titles.iter().rev().take(TITLES).rev().copied().collect::<Vec<_>>();
    told.insert(0, names.join(language.pick("、", ", ")));
    told.join("\n")
}

fn shape_of(name: &'static str, fields: &[Field], knows: bool) -> Shape {
    let of = |field: &Field| (field.name(), if field.is_list() { list(string()) } else { string() });
    let mut all: Vec<_> = fields.iter().map(of).collect();
    if knows {
        let entry = object(vec![("title", string()), ("keys", list(string())), ("text", string())]);
        all.push((fields::KNOWLEDGE, list(entry)));
    }
    Shape { name, schema: object(all) }
}

pub fn shape_of_read() -> Shape {
    shape_of("growth", &Field::GROWING, true)
}

pub fn shape_of_ripen() -> Shape {
    shape_of("character", &Field::RIPE, false)
}

/// What an answer says; what is empty, or is none of these, says nothing. `None`: it is no answer.
pub fn answer(text: &str, fields: &[Field]) -> Option<Said> {
    // What is half said is not said.
    let (mut value, repairs) = repair_whole(text).ok()?;
    let object = value.as_object_mut()?;
    let was_cut = repairs.iter().any(|repair| matches!(repair, Repair::CutOff | Repair::HalfItem));
    // A list that ended amid it would stand for the whole one.
    if was_cut
        && let Some(last) = object.keys().next_back().cloned()
        && Field::named(&last).is_some_and(Field::is_list)
    {
        object.shift_remove(&last);
    }
    let line = |value: &Value| match value {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        Value::Object(fields) => ["content", "text", "goal", "belief"]
            .into_iter()
            .find_map(|name| Some(fields.get(name)?.as_str()?.trim().to_owned())),
        _ => None,
    };
    let mut said = Said::default();
    for field in fields {
        let Some(value) = object.get(field.name()) else { continue };
        let text = match value {
            Value::Array(all) => {
                let texts: Vec<String> = all.iter().filter_map(line).filter(|text| !text.is_empty()).collect();
                match field {
                    Field::Greetings => to_blocks(&texts),
                    _ => texts.iter().map(|text| text.replace('\n', " ")).collect::<Vec<_>>().join("\n"),
                }
            }
            value => line(value).unwrap_or_default(),
        };
        let text = match field {
            // Whoever enters it has it tidied.
            Field::Name => text.replace('\n', " "),
            _ => clip(&text, LONGEST),
        };
        if !text.is_empty() {
            said.fields.push((*field, text));
        }
    }
    let entries = object.get(fields::KNOWLEDGE).and_then(Value::as_array);
    for entry in entries.into_iter().flatten().take(ENTRIES) {
        let text = |name: &str| entry.get(name).and_then(line).unwrap_or_default();
        let (title, content) = (text("title").replace('\n', " "), clip(&text("text"), LONGEST));
        if title.is_empty() || content.is_empty() {
            continue;
        }
        let keys = match entry.get("keys") {
            Some(Value::Array(all)) => all.iter().filter_map(line).collect(),
            Some(Value::String(all)) => all.split([',', '，', '、']).map(|key| key.trim().to_owned()).collect(),
            _ => Vec::new(),
        };
        let mut keys: Vec<String> = keys
            .into_iter()
            .map(|key: String| key.replace([',', '\n'], " ").trim().to_owned())
            .filter(|key| !key.is_empty())
            .collect();
        if keys.is_empty() {
            keys.push(title.clone());
        }
        said.knowledge.push((title, format!("{}\n{content}", keys.join(", "))));
    }
    let is_asked = object.keys().any(|key| Field::named(key).is_some() || key == fields::KNOWLEDGE);
    // Without an entrance nobody enters.
    let is_whole =
        !fields.contains(&Field::FirstMessage) || said.fields.iter().any(|(field, _)| *field == Field::FirstMessage);
    (is_asked && is_whole).then_some(said)
}
