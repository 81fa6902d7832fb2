//! Conversations of other programs than SillyTavern. What is known of each stands with its reader.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::{Chat, Message, Object, times::millis};
use crate::exchange::json::size;

/// The JSONL of seed `001`, which we write for a session: metadata, then roles and contents.
pub(super) fn seed(text: &str) -> Option<Chat> {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let head: Object = serde_json::from_str(lines.next()?).ok()?;
    (head.get("type")? == "metadata").then_some(())?;
    let mut chat = Chat { created: head.get("started_at").and_then(millis), ..Chat::default() };
    for line in lines {
        let said = serde_json::from_str::<Value>(line).ok();
        match said.and_then(|said| of_role(&said).flatten()) {
            Some(message) => chat.messages.push(message),
            None => chat.skipped += 1,
        }
    }
    Some(chat)
}

/// Of one JSON value; `None`: of none that is known.
pub(super) fn of_value(value: &Value) -> Option<Chat> {
    let named = |chat: Chat| -> Chat {
        let text = |field: &str| value[field].as_str().unwrap_or_default().to_owned();
        Chat { title: if chat.title.is_empty() { text("name") } else { chat.title.clone() }, ..chat }
    };
    if value["type"] == "risuChat" {
        let text = |field: &str| value[field].as_str().unwrap_or_default().to_owned();
        let chat = risu(&value["data"]);
        // Out of a whole backup, where more is known of it than it says itself.
        let title = Some(text("title")).filter(|title| !title.is_empty()).unwrap_or_else(|| chat.title.clone());
        return Some(named(Chat { title, character: text("character"), reader: text("reader"), ..chat }));
    }
    if value.get("savedsettings").is_some() || value.get("actions").is_some_and(Value::is_array) {
        return Some(kobold(value));
    }
    if value.get("scenarioVersion").is_some() {
        return Some(novel_ai(value));
    }
    if let Some(all) = value["histories"]["histories"].as_array() {
        return Some(character_ai(all));
    }
    if let Some(shown) = value.get("data_visible").or_else(|| value.get("visible")).and_then(Value::as_array) {
        let sent = value.get("internal").or_else(|| value.get("data")).and_then(Value::as_array);
        let chat = webui(sent.filter(|sent| sent.len() == shown.len()).unwrap_or(shown));
        return Some(with(chat, "webui", rest(value, &["data", "data_visible", "internal", "visible"])));
    }
    let list = value.as_array().or_else(|| value["messages"].as_array())?;
    let has = |field: &str| list.iter().any(|said| said.get(field).is_some());
    match () {
        () if has("role") => Some(named(roles(list))),
        () if has("msg") => Some(named(with(agnai(list), AGNAI, rest(value, &["messages"])))),
        () => None,
    }
}

const AGNAI: &str = "agnai";

/// What is said beside these fields.
fn rest(said: &Value, taken: &[&str]) -> Object {
    /// What is larger is a picture, or a library of documents.
    const LARGEST: u64 = 1 << 20;
    let fields = said.as_object().into_iter().flatten();
    let left = fields.filter(|(key, value)| !taken.contains(&key.as_str()) && size(value) <= LARGEST);
    left.map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// Of the whole, under the name of its program.
fn with(mut chat: Chat, program: &str, rest: Object) -> Chat {
    if !rest.is_empty() {
        chat.head.insert(program.into(), rest.into());
    }
    chat
}

/// Of a message, where another program would put it.
fn keep(message: &mut Message, program: &str, rest: Object) {
    if !rest.is_empty() {
        let extra = message.rest.entry("extra").or_insert_with(|| json!({}));
        extra[program] = rest.into();
    }
}

/// OpenAI's protocol and whatever follows it: `role` and `content`. Instructions of the system are no part of a story.
fn roles(list: &[Value]) -> Chat {
    let mut chat = Chat::default();
    for said in list {
        match of_role(said) {
            Some(Some(message)) => chat.messages.push(message),
            Some(None) => {}
            None => chat.skipped += 1,
        }
    }
    chat
}

/// `Some(None)`: the system's.
fn of_role(said: &Value) -> Option<Option<Message>> {
    let is_reader = match said["role"].as_str()? {
        "user" | "human" => true,
        "assistant" | "model" | "char" | "bot" => false,
        "system" | "developer" | "tool" => return Some(None),
        _ => return None,
    };
    let text = match (&said["raw"], &said["content"]) {
        (Value::String(whole), _) | (_, Value::String(whole)) => whole.clone(),
        (_, Value::Array(parts)) => {
            let texts = parts.iter().filter_map(|part| part["text"].as_str());
            texts.collect::<Vec<_>>().join("\n\n")
        }
        _ => return None,
    };
    let mut message = Message::said(is_reader, said["name"].as_str().unwrap_or_default(), &text);
    message.at = ["timestamp", "created_at", "date"].iter().find_map(|field| millis(said.get(*field)?));
    if let Some(extra) = said["extra"].as_object() {
        message.rest.insert("extra".into(), extra.clone().into());
    }
    keep(&mut message, "message", rest(said, &["role", "content", "raw", "name", "extra"]));
    Some(Some(message))
}

/// A scenario of NovelAI: how a story begins, a memory and a note; its lorebook is read where lorebooks are.
fn novel_ai(value: &Value) -> Chat {
    let text = |of: &Value| of.as_str().unwrap_or_default().to_owned();
    let mut chat = Chat { title: text(&value["title"]), ..Chat::default() };
    let notes = value["context"].as_array().into_iter().flatten().map(|note| text(&note["text"]));
    let notes: Vec<String> = notes.filter(|note| !note.trim().is_empty()).collect();
    if !notes.is_empty() {
        chat.head.insert("chat_metadata".into(), json!({ "note_prompt": notes.join("\n\n") }));
    }
    chat.messages.push(Message::said(false, "", &text(&value["prompt"])));
    with(chat, "novelai", rest(value, &["prompt"]))
}

/// RisuAI: `message` of `role` user or char, `data`, `time`, in company `name`.
fn risu(data: &Value) -> Chat {
    let mut chat = Chat { title: data["name"].as_str().unwrap_or_default().to_owned(), ..Chat::default() };
    if let Some(note) = data["note"].as_str().filter(|note| !note.trim().is_empty()) {
        chat.head.insert("chat_metadata".into(), json!({ "note_prompt": note }));
    }
    for said in data["message"].as_array().into_iter().flatten() {
        let (Some(role), Some(text)) = (said["role"].as_str(), said["data"].as_str()) else {
            chat.skipped += 1;
            continue;
        };
        let mut message = Message::said(role == "user", said["name"].as_str().unwrap_or_default(), text);
        message.at = said.get("time").and_then(millis);
        keep(&mut message, "risu", rest(said, &["role", "data"]));
        // One alone, or all until there: "allBefore".
        message.is_out = said["disabled"] == true;
        chat.messages.push(message);
        if said["disabled"] == "allBefore" {
            chat.messages.iter_mut().for_each(|until| until.is_out = true);
        }
    }
    chat.hidden = chat.messages.iter().filter(|message| message.is_out).count();
    with(chat, "risu", rest(data, &["message"]))
}

/// Agnai: `msg`, by a user where it has a `userId`, by `handle`.
fn agnai(list: &[Value]) -> Chat {
    let mut chat = Chat::default();
    for said in list {
        let Some(text) = said["msg"].as_str() else {
            chat.skipped += 1;
            continue;
        };
        let is_reader = said["userId"].as_str().is_some_and(|id| !id.is_empty());
        let mut message = Message::said(is_reader, said["handle"].as_str().unwrap_or_default(), text);
        message.at = said.get("createdAt").and_then(millis);
        keep(&mut message, AGNAI, rest(said, &["msg"]));
        chat.messages.push(message);
    }
    chat
}

/// Dumps of character.ai, as CAI Tools make them: histories of `msgs`, each with its `src`. The longest is taken.
fn character_ai(histories: &[Value]) -> Chat {
    let messages = |history: &Value| history["msgs"].as_array().cloned().unwrap_or_default();
    let all: Vec<_> = histories.iter().map(messages).collect();
    let longest = all.iter().enumerate().max_by_key(|(index, list)| (list.len(), usize::MAX - index));
    let (taken, list) = longest.map_or((0, &[][..]), |(index, list)| (index, list.as_slice()));
    let others = all.iter().enumerate().filter(|(index, list)| *index != taken && !list.is_empty()).count();
    let mut chat = Chat { others, ..Chat::default() };
    for said in list {
        let Some(text) = said["text"].as_str() else {
            chat.skipped += 1;
            continue;
        };
        let name = said["src"]["name"].as_str().unwrap_or_default();
        let mut message = Message::said(said["src"]["is_human"] == true, name, text);
        keep(&mut message, "cai", rest(said, &["text"]));
        chat.messages.push(message);
    }
    chat
}

/// text-generation-webui: pairs of what the reader said and what came; what is shown there is escaped for a page, what was
/// sent is not.
fn webui(pairs: &[Value]) -> Chat {
    let mut chat = Chat::default();
    for pair in pairs {
        for (at, is_reader) in [(0, true), (1, false)] {
            match pair[at].as_str() {
                // What begins a chat of its own.
                Some("" | "<|BEGIN-VISIBLE-CHAT|>") => {}
                Some(text) => chat.messages.push(Message::said(is_reader, "", &unescaped(text))),
                None => chat.skipped += 1,
            }
        }
    }
    chat
}

/// Of what a page had to be told otherwise.
fn unescaped(text: &str) -> String {
    let marks = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#x27;", "'"), ("&#39;", "'"), ("&amp;", "&")];
    marks.iter().fold(text.to_owned(), |text, (mark, char)| text.replace(mark, char))
}

/// KoboldAI Lite: one text in pieces, with marks for who speaks in its instruct mode, and names in its chat mode. Keys that
/// its settings may hold are not looked at.
fn kobold(value: &Value) -> Chat {
    const READER: &str = "{{[INPUT]}}";
    const MODEL: &str = "{{[OUTPUT]}}";
    let pieces = value["actions"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let whole: String = value["prompt"].as_str().into_iter().chain(pieces.clone()).collect();
    let settings = &value["savedsettings"];
    let name = |field: &str| settings[field].as_str().unwrap_or_default().trim().to_owned();
    let (reader, opponents) = (name("chatname"), name("chatopponent"));
    // Several, in a group.
    let opponents: Vec<&str> = opponents.split("||$||").map(str::trim).filter(|name| !name.is_empty()).collect();
    let character = opponents.first().copied().unwrap_or_default().to_owned();
    let mut chat = Chat { reader: reader.clone(), character, head: kobold_head(value), ..Chat::default() };
    let mut say = |is_reader: bool, by: &str, text: &str| {
        // What a mark is for an end of it.
        let text = text.replace("{{[INPUT_END]}}", "").replace("{{[OUTPUT_END]}}", "");
        if !text.trim().is_empty() {
            chat.messages.push(Message::said(is_reader, by, text.trim()));
        }
    };
    let mut push = |is_reader: bool, text: &str| say(is_reader, "", text);
    if whole.contains(READER) {
        for (index, part) in whole.split(READER).enumerate() {
            let (said, came) = part.split_once(MODEL).unwrap_or(("", part));
            let (said, came) = if index > 0 && !part.contains(MODEL) { (part, "") } else { (said, came) };
            push(index > 0, said);
            came.split(MODEL).for_each(|came| push(false, came));
        }
    } else if let Some(named) = names(&whole, &[&[reader.as_str()], &opponents[..]].concat()) {
        named.into_iter().for_each(|(name, text)| say(!name.is_empty() && name == reader, &name, &text));
    } else {
        let begun = value["prompt"].as_str().into_iter().map(|text| (false, text));
        // What the reader does in an adventure begins so.
        let done = |text: &str| text.trim_start().starts_with('>');
        begun.chain(pieces.map(|text| (done(text), text))).for_each(|(is_reader, text)| push(is_reader, text));
    }
    chat
}

/// What a save says beside its story; its note is told on.
fn kobold_head(value: &Value) -> Object {
    let mut head = Object::new();
    if let Some(note) = value["authorsnote"].as_str().filter(|note| !note.is_empty()) {
        head.insert("chat_metadata".into(), json!({ "note_prompt": note }));
    }
    // The settings may hold keys.
    head.insert(
        "koboldai".into(),
        rest(value, &["prompt", "actions", "savedsettings", "savedaestheticsettings"]).into(),
    );
    head
}

/// What each says, of a text whose lines begin with these names; what comes before the first is nobody's. `None`: no line
/// does.
fn names(text: &str, names: &[&str]) -> Option<Vec<(String, String)>> {
    let mut said: Vec<(String, String)> = Vec::new();
    let mut has_name = false;
    for line in text.lines() {
        match speaker(line).filter(|(name, _)| !name.is_empty() && names.contains(name)) {
            Some((name, words)) => {
                has_name = true;
                said.push((name.to_owned(), words.to_owned()));
            }
            None => match said.last_mut() {
                Some((_, text)) => {
                    text.push('\n');
                    text.push_str(line);
                }
                None => said.push((String::new(), line.to_owned())),
            },
        }
    }
    has_name.then_some(said)
}

/// The name that a line begins with, plain or bold, and what follows: `**Ada:** Hello.`
fn speaker(line: &str) -> Option<(&str, &str)> {
    /// Characters of a name.
    const LONGEST: usize = 40;
    let line = line.trim_start_matches(['#', '>', ' ', '\t']);
    let bare = line.trim_start_matches('*');
    let mut stars = line.len() - bare.len();
    let (name, mut words) = bare.split_once([':', '：'])?;
    if name.ends_with('*') {
        stars = 0;
    }
    // As many as opened it close it.
    while let (1.., Some(rest)) = (stars, words.strip_prefix('*')) {
        (stars, words) = (stars - 1, rest);
    }
    let name = name.trim_matches(['*', ' ']);
    let is_name = !name.is_empty()
        && name.chars().count() <= LONGEST
        && !name.contains(['.', '。', ',', '，', '?', '!', '？', '！', '"', '“', '”', '/', '{', '[']);
    is_name.then(|| (name, words.trim()))
}

/// What readers are called where they have no name.
const READERS: [&str; 10] = ["you", "user", "me", "human", "player", "我", "你", "用户", "玩家", "读者"];

/// A transcript: lines that begin with a name. Two speak, each more than once or one of them the reader.
pub(super) fn transcript(text: &str) -> Option<Chat> {
    /// More than these are no company, but a log.
    const COMPANY: usize = 30;
    let mut counts: HashMap<&str, (u32, usize)> = HashMap::new();
    for (at, (name, _)) in text.lines().filter_map(speaker).enumerate() {
        counts.entry(name).or_insert((0, at)).0 += 1;
    }
    let is_reader = |name: &str| READERS.contains(&name.to_lowercase().as_str());
    counts.retain(|name, (count, _)| *count > 1 || is_reader(name));
    // A heading may come first, and nothing else.
    let first = text.lines().find(|line| !line.trim().is_empty() && !line.starts_with('#'))?;
    let (opens, _) = speaker(first)?;
    if !(2..=COMPANY).contains(&counts.len()) || !counts.contains_key(opens) {
        return None;
    }
    let mut speakers: Vec<&str> = counts.keys().copied().collect();
    speakers.sort_by_key(|name| (std::cmp::Reverse(is_reader(name)), counts[name].1));
    // Where no name is a reader's, the first who speaks is.
    let reader = if is_reader(speakers[0]) { speakers[0] } else { opens };
    let said = names(text, &speakers)?;
    let messages = said.iter().filter(|(name, text)| !name.is_empty() && !text.trim().is_empty());
    let chat = Chat {
        title: text.lines().next().and_then(|line| line.strip_prefix("# ")).unwrap_or_default().trim().to_owned(),
        reader: reader.to_owned(),
        character: speakers.iter().find(|name| **name != reader).map(|name| (*name).to_owned()).unwrap_or_default(),
        messages: messages.map(|(name, text)| Message::said(name == reader, name, text.trim())).collect(),
        ..Chat::default()
    };
    Some(chat)
}
