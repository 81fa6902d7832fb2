//! A storyline of a conversation, as an archive: it comes in as any other does, whole or not at all.
//!
//! The ids are made of the file's bytes: the same file given again is known.

use serde::Serialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{
    Chat, Message, Object, Swipe,
    sillytavern::{JOINED, KEPT},
};
use crate::{
    exchange::{
        archive::{Counts, Header, Kind, Writer},
        names::tidy_name,
    },
    prompt::builtin,
    store::{Doc, Part},
    story::{
        Millis,
        character::Character,
        generation::{Generation, Status, finish},
        ids::CharacterId,
        state::{Persona, State},
        storyline::{Language, Session, Storyline},
        tree::{Branch, Head},
        turn::Turn,
        written::Text,
    },
};

/// What the library has, and what is said of the file.
pub struct Given<'a> {
    pub characters: &'a [Character],
    /// The name of the file, without what it ends with.
    pub file: &'a str,
    /// What the reader is called where the file does not say.
    pub reader: &'a str,
    pub now: Millis,
}

/// Who may speak in a story, at most; further ones are told as its own character.
const MOST: usize = 64;

/// Who speaks in it: of the library where there is one of that name, else one of that name alone.
struct Cast {
    ids: Vec<(String, CharacterId)>,
    new: Vec<Character>,
    persona: Persona,
}

impl Cast {
    fn of(chat: &Chat, given: &Given) -> Self {
        let main = if chat.character.trim().is_empty() { given.file } else { &chat.character };
        let mut names = vec![tidy_name(main).0];
        // What the program says itself (`is_system`) is nobody of the story.
        let is_said =
            |message: &&Message| !message.is_reader && message.rest.get("is_system") != Some(&Value::Bool(true));
        for message in chat.messages.iter().filter(is_said) {
            let (name, _) = tidy_name(&message.name);
            if !name.is_empty() && names.len() < MOST && !names.contains(&name) && chat.messages.len() > 1 {
                names.push(name);
            }
        }
        let mut cast = Self { ids: Vec::new(), new: Vec::new(), persona: Persona::default() };
        for (index, name) in names.into_iter().enumerate() {
            let known = given.characters.iter().find(|known| known.name == name);
            let id = known.map_or_else(|| hashed(&["character", &name]).into(), |known| known.id.clone());
            if index == 0 {
                cast.persona = known.map(Character::persona).unwrap_or_default();
            }
            if known.is_none() {
                cast.new.push(Character { id: id.clone(), name: name.clone(), ..Character::default() });
            }
            cast.ids.push((name, id));
        }
        cast
    }

    /// `None`: the storyline's own.
    fn speaker(&self, name: &str) -> Option<CharacterId> {
        let (name, _) = tidy_name(name);
        let at = self.ids.iter().position(|(known, _)| *known == name).filter(|at| *at > 0)?;
        Some(self.ids[at].1.clone())
    }
}

fn hashed(texts: &[&str]) -> String {
    let mut sha = Sha256::new();
    for text in texts {
        sha.update((text.len() as u64).to_be_bytes());
        sha.update(text);
    }
    sha.finalize()[..16].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Writes the archive of a conversation; `text` is the file that it was read from.
pub fn archive(chat: &Chat, text: &str, given: &Given) -> String {
    let seed = hashed(&["chat", text]);
    let id = |of: &str| format!("{seed}-{of}");
    let cast = Cast::of(chat, given);
    let created = chat.created.or_else(|| chat.messages.iter().find_map(|message| message.at)).unwrap_or(given.now);
    let (title, _) = tidy_name(if chat.title.trim().is_empty() { given.file } else { &chat.title });
    let reader = if chat.reader.trim().is_empty() { given.reader } else { chat.reader.trim() };
    let (storyline_id, branch_id) = (id("story"), id("branch"));
    let state = State {
        id: id("state").into(),
        storyline: storyline_id.as_str().into(),
        created,
        ..State::of(cast.persona.clone())
    };
    let mut path = Path {
        storyline: storyline_id.clone(),
        branch: branch_id.clone(),
        seed: seed.clone(),
        at: created,
        ..Path::default()
    };
    path.open();
    for message in &chat.messages {
        path.take(message, &cast, &state);
    }
    let Path { turns, generations, swipes, at: last, .. } = path;
    let length = turns.len() as u32;
    let branch = Branch {
        id: branch_id.as_str().into(),
        storyline: storyline_id.as_str().into(),
        length,
        created,
        swipes,
        ..Branch::default()
    };
    let session = Session { id: id("session").into(), created, turns: length - 1, ..Session::default() };
    let mut storyline = Storyline {
        id: storyline_id.as_str().into(),
        title,
        cast: cast.ids.iter().map(|(_, id)| id.clone()).collect(),
        preset: builtin::DEFAULT.into(),
        user_name: tidy_name(reader).0,
        language: language(chat),
        created,
        last_active: last.max(created),
        total_turns: length - 1,
        head: Head { branch: branch.id.clone(), end: length },
        current_session: session.id.clone(),
        sessions: vec![session],
        initial_state: state.id.clone(),
        ..Storyline::default()
    };
    note(&mut storyline, &chat.head);
    if !chat.head.is_empty() {
        storyline.extra.insert(KEPT.into(), json!({ "head": chat.head }));
    }
    written(&storyline.title.clone(), given.now, |part| match part {
        Part::Characters => cast.new.iter().map(value).collect(),
        Part::Storylines => vec![value(&storyline)],
        Part::Branches => vec![value(&branch)],
        Part::States => vec![value(&state)],
        Part::Turns => turns.iter().map(value).collect(),
        Part::Generations => generations.iter().map(value).collect(),
        _ => Vec::new(),
    })
}

fn value(record: &impl Serialize) -> Value {
    serde_json::to_value(record).expect("records have text keys")
}

fn written(title: &str, now: Millis, of: impl Fn(Part) -> Vec<Value>) -> String {
    let parts: Vec<_> = Part::ALL.into_iter().map(|part| (part, of(part))).collect();
    let mut counts = Counts::default();
    parts.iter().for_each(|(part, records)| counts.add(*part, records.len() as u64));
    let (mut writer, mut text) = Writer::new(&Header::new(Kind::Storyline, now, title, &counts));
    for (part, records) in parts {
        for record in records {
            text.extend(writer.line(part, &Doc::from(record)));
        }
    }
    text + &writer.finish()
}

/// The turns as they come to be.
#[derive(Default)]
struct Path {
    storyline: String,
    branch: String,
    seed: String,
    turns: Vec<Turn>,
    generations: Vec<Generation>,
    swipes: Vec<u32>,
    /// No time is before this one: replies stand in the order in which they began.
    at: Millis,
}

impl Path {
    fn open(&mut self) {
        let position = self.turns.len() as u32;
        self.turns.push(Turn {
            id: format!("{}-t{position}", self.seed).into(),
            storyline: self.storyline.as_str().into(),
            branch: self.branch.as_str().into(),
            position,
            session: format!("{}-session", self.seed).into(),
            created: self.at,
            ..Turn::default()
        });
    }

    fn take(&mut self, message: &Message, cast: &Cast, state: &State) {
        self.at = message.at.unwrap_or(self.at).max(self.at);
        let last = self.turns.last().expect("one is open");
        let is_answered = last.chosen.is_some();
        if message.is_reader {
            // What is said before anyone answers is one turn.
            if is_answered || last.position == 0 {
                self.open();
            }
            let turn = self.turns.last_mut().expect("one is open");
            let text = message.text();
            turn.user = Some(turn.user.take().map_or_else(|| text.to_owned(), |said| said + JOINED + text));
            let mut rest = message.rest.clone();
            rest.insert("mes".into(), text.into());
            keep(&mut turn.extra, "user", |said| match said {
                Value::Array(all) => all.push(rest.into()),
                said => *said = json!([rest]),
            });
        } else {
            if is_answered {
                self.open();
            }
            self.answer(message, cast, state);
        }
    }

    fn answer(&mut self, message: &Message, cast: &Cast, state: &State) {
        let turn = self.turns.last_mut().expect("one is open");
        for (index, swipe) in message.swipes.iter().enumerate() {
            let id = format!("{}-g{}-{index}", self.seed, turn.position);
            let started = swipe.started.unwrap_or(self.at).max(self.at);
            self.at = started + 1;
            if index == message.seen {
                turn.chosen = Some(id.as_str().into());
            }
            self.generations.push(Generation {
                id: id.into(),
                turn: turn.id.clone(),
                storyline: turn.storyline.clone(),
                branch: turn.branch.clone(),
                position: turn.position,
                speaker: cast.speaker(&message.name),
                text: swipe.text.clone(),
                reasoning: swipe.reasoning.clone(),
                status: if swipe.text.trim().is_empty() { Status::Empty } else { Status::Done },
                finish: Some(finish::STOP.to_owned()),
                model: swipe.model.clone(),
                started,
                finished: Some(swipe.finished.unwrap_or(started).max(started)),
                state: Some(state.id.clone()),
                extra: extra(swipe, of(message, index).and_then(Value::as_object)),
                ..Generation::default()
            });
        }
        if message.swipes.len() > 1 {
            self.swipes.push(turn.position);
        }
        if !message.rest.is_empty() {
            keep(&mut turn.extra, "reply", |reply| *reply = message.rest.clone().into());
        }
    }
}

fn keep(extra: &mut Object, field: &str, change: impl FnOnce(&mut Value)) {
    let kept = extra.entry(KEPT).or_insert_with(|| json!({}));
    change(&mut kept[field]);
}

/// What a message says of one of its wordings.
fn of(message: &Message, index: usize) -> Option<&Value> {
    let seen = (index == message.seen).then(|| message.rest.get("extra")).flatten();
    seen.or_else(|| message.swipes[index].rest.get("extra"))
}

/// What is kept with a reply; a sheet or a summary that stands beside it (`002`, D7) is one of ours.
fn extra(swipe: &Swipe, said: Option<&Object>) -> Object {
    let mut extra = Object::new();
    extra.insert(KEPT.into(), swipe.rest.clone().into());
    if let Some(said) = said {
        let texts = Text::ALL.map(Text::field).into_iter();
        let texts = texts
            .filter_map(|field| Some((field.to_owned(), said.get(field).filter(|text| text.is_string())?.clone())));
        extra.extend(texts);
    }
    extra
}

/// The author's note of SillyTavern.
fn note(storyline: &mut Storyline, head: &Object) {
    let Some(about) = head.get("chat_metadata").and_then(Value::as_object) else { return };
    let Some(text) = about.get("note_prompt").and_then(Value::as_str).filter(|text| !text.trim().is_empty()) else {
        return;
    };
    let depth = about.get("note_depth").and_then(Value::as_u64).unwrap_or(4).min(1_000);
    let role = match about.get("note_role").and_then(Value::as_u64) {
        Some(1) => "user",
        Some(2) => "assistant",
        _ => "system",
    };
    let note = json!({ "text": text, "depth": depth, "role": role, "enabled": about.get("note_interval").and_then(Value::as_u64) != Some(0) });
    storyline.extra.insert("author_note".into(), note);
}

/// Chinese where a fifth of the letters are.
fn language(chat: &Chat) -> Language {
    let (mut han, mut all) = (0_u32, 0_u32);
    let letters = chat.messages.iter().take(50).flat_map(|message| message.text().chars()).take(20_000);
    for letter in letters.filter(|char| char.is_alphabetic()) {
        all += 1;
        han += u32::from(matches!(letter, '\u{3400}'..='\u{9fff}'));
    }
    if han * 5 > all { Language::Zh } else { Language::En }
}
