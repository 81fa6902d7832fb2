//! A storyline of a conversation, as an archive: it comes in as any other does, whole or not at all.
//!
//! The ids are made of the file's bytes: the same file given again is known. What its program kept as further files of one
//! chat (branches, checkpoints), each with all that was said before, becomes branches where they come together
//! ([`Lines`]).

use std::collections::HashSet;

use serde::Serialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{Chat, Message, Object, lines::Lines, sillytavern::KEPT};
use crate::{
    exchange::{
        archive::{Counts, Header, Kind, Writer},
        names::tidy_name,
    },
    features::group::{GroupSettings, Mode},
    prompt::builtin,
    store::{Doc, Part, Table},
    story::{
        Millis,
        character::Character,
        features::Features,
        ids::{CharacterId, StorylineId},
        order,
        state::{Persona, State},
        storyline::{Language, Session, Storyline},
        tree::Head,
    },
};

/// What the library has, and what is said of the file.
pub struct Given<'a> {
    pub characters: &'a [Character],
    /// Of several of one name, the one whom the file lies beside.
    pub own: Option<&'a CharacterId>,
    /// The name of the file, without what it ends with.
    pub file: &'a str,
    /// What the reader is called where the file does not say.
    pub reader: &'a str,
    /// What else says who is in it, and what it is called.
    pub group: Option<Among<'a>>,
    pub now: Millis,
}

/// The group that it is of.
#[derive(Clone, Copy)]
pub struct Among<'a> {
    pub name: &'a str,
    /// Who is in it, by name. Who is not in the library, and says nothing, is left out.
    pub members: &'a [String],
    /// Who speaks where nobody is named.
    pub mode: Mode,
}

/// Who may speak in a story, at most; further ones are told as its own character.
const MOST: usize = 64;

/// Who speaks in it: of the library where there is one of that name, else one of that name alone.
pub(super) struct Cast {
    ids: Vec<(String, CharacterId)>,
    /// What else the storyline's own is called in it.
    also: Vec<String>,
    new: Vec<Character>,
    persona: Persona,
    /// Of the others.
    personas: Vec<(CharacterId, Persona)>,
}

impl Cast {
    fn of(chat: &Chat, given: &Given) -> Self {
        let main = if chat.character.trim().is_empty() { given.file } else { &chat.character };
        let mut names = vec![tidy_name(main).0];
        // Who was renamed is called otherwise in the head or in the lines of an older chat: the folder says whose it is.
        let own = given.own.filter(|_| given.group.is_none());
        let own = own.and_then(|own| given.characters.iter().find(|known| known.id == *own));
        let mut also = Vec::new();
        if let Some(own) = own {
            also = std::mem::replace(&mut names, vec![own.name.clone()]);
            let says = |message: &&Message| !message.is_reader && !message.is_nobodys();
            let mut said = chat.messages.iter().filter(says).map(|message| tidy_name(&message.name).0);
            let first = said.clone().next();
            if !said.any(|name| name == own.name) {
                also.extend(first);
            }
            also.retain(|name| *name != own.name);
        }
        // What the program says itself (`is_system`) is nobody of the story.
        let is_said = |message: &&Message| {
            let is_system = message.rest.get("is_system") == Some(&Value::Bool(true));
            !message.is_reader && !is_system && !message.is_nobodys()
        };
        for message in chat.messages.iter().filter(is_said) {
            let (name, _) = tidy_name(&message.name);
            let is_new = !names.contains(&name) && !also.contains(&name);
            if !name.is_empty() && names.len() < MOST && is_new && chat.messages.len() > 1 {
                names.push(name);
            }
        }
        let is_here = |name: &str| given.characters.iter().any(|known| known.name == *name);
        for name in given.group.iter().flat_map(|group| group.members).filter(|name| is_here(name)) {
            if names.len() < MOST && !names.contains(name) {
                names.push(name.clone());
            }
        }
        if let Some(Among { members, .. }) = given.group {
            order::by_key(&mut names, |name| members.iter().position(|member| member == name).unwrap_or(usize::MAX));
        }
        let (ids, new, persona, personas) = Default::default();
        let mut cast = Self { ids, also, new, persona, personas };
        for (index, name) in names.into_iter().enumerate() {
            let called = || given.characters.iter().filter(|known| known.name == name);
            let known = called().find(|known| given.own == Some(&known.id)).or_else(|| called().next());
            let id = known.map_or_else(|| Hashed::of("character").and(&name).id().into(), |known| known.id.clone());
            let persona = known.map(Character::persona).unwrap_or_default();
            if index == 0 {
                cast.persona = persona;
            } else {
                cast.personas.push((id.clone(), persona));
            }
            if known.is_none() {
                cast.new.push(Character { id: id.clone(), name: name.clone(), ..Character::default() });
            }
            cast.ids.push((name, id));
        }
        cast
    }

    /// `None`: the storyline's own.
    pub(super) fn speaker(&self, name: &str) -> Option<CharacterId> {
        let (name, _) = tidy_name(name);
        if self.also.contains(&name) {
            return None;
        }
        let at = self.ids.iter().position(|(known, _)| *known == name).filter(|at| *at > 0)?;
        Some(self.ids[at].1.clone())
    }
}

/// Bytes that are hashed between two breaths.
const HASHED_AT_ONCE: usize = 1 << 20;

/// An id that is made of what it is of.
struct Hashed(Sha256);

impl Hashed {
    fn of(kind: &str) -> Self {
        Self(Sha256::new()).and(kind)
    }

    fn and(mut self, text: &str) -> Self {
        self.begin(text);
        self.0.update(text);
        self
    }

    fn begin(&mut self, text: &str) {
        self.0.update((text.len() as u64).to_be_bytes());
    }

    fn id(self) -> String {
        self.0.finalize()[..16].iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// A story with its records.
pub struct Made {
    pub id: StorylineId,
    /// Which of the other conversations are in it.
    pub joined: Vec<bool>,
    title: String,
    parts: Vec<(Part, Value)>,
}

/// Where what is said stands: of the reader, and of the others.
pub const SAID: [(Table, &str); 2] = [(Table::Turns, "user"), (Table::Generations, "text")];

impl Made {
    /// All that is said in it.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|(part, record)| {
            let (_, field) = SAID.iter().find(|(table, _)| *table == part.table())?;
            record[*field].as_str()
        })
    }
}

/// Makes the story of a conversation, with `others` that begin as it does, by what their files are called; `text` is the
/// file that it was read from.
///
/// # Errors
/// Those of `breathe`, which is called amid it.
pub async fn made<E>(
    chat: &Chat,
    text: &str,
    others: &[(&str, &Chat)],
    given: &Given<'_>,
    breathe: impl AsyncFn() -> Result<(), E>,
) -> Result<Made, E> {
    let mut seed = Hashed::of("chat");
    seed.begin(text);
    for piece in text.as_bytes().chunks(HASHED_AT_ONCE) {
        seed.0.update(piece);
        breathe().await?;
    }
    let seed = seed.id();
    let id = |of: &str| format!("{seed}-{of}");
    let cast = Cast::of(chat, given);
    let created = chat.created.or_else(|| chat.messages.iter().find_map(|message| message.at)).unwrap_or(given.now);
    let named = [chat.title.as_str(), given.group.map_or("", |group| group.name)];
    let named = named.into_iter().find(|name| !name.trim().is_empty());
    let (title, _) = tidy_name(named.unwrap_or(given.file));
    let reader = if chat.reader.trim().is_empty() { given.reader } else { chat.reader.trim() };
    let storyline_id: StorylineId = id("story").into();
    let state =
        State { id: id("state").into(), storyline: storyline_id.clone(), created, ..State::of(cast.persona.clone()) };
    let mut lines = Lines::new(&seed, &cast, &state, created);
    lines.first(chat, &breathe).await?;
    let mut joined = Vec::new();
    for (name, other) in others {
        joined.push(lines.join(name, other, &breathe).await?);
    }
    let Lines { branches, turns, generations, at: last, .. } = lines;
    let length = branches[0].length;
    let session = Session { id: id("session").into(), created, turns: length - 1, ..Session::default() };
    let mut storyline = Storyline {
        id: storyline_id.clone(),
        title: title.clone(),
        cast: cast.ids.iter().map(|(_, id)| id.clone()).collect(),
        preset: builtin::DEFAULT.into(),
        user_name: tidy_name(reader).0,
        language: language(chat),
        created,
        last_active: last.max(created),
        total_turns: length - 1,
        head: Head { branch: branches[0].id.clone(), end: length },
        current_session: session.id.clone(),
        sessions: vec![session],
        initial_state: state.id.clone(),
        ..Storyline::default()
    };
    for (id, persona) in &cast.personas {
        storyline.comes_with(id, persona);
    }
    if let Some(Among { mode, .. }) = given.group {
        let most = if mode == Mode::All { *GroupSettings::MOST.end() } else { GroupSettings::default().most };
        storyline.features = Features::default().with(GroupSettings { mode, most, ..GroupSettings::default() });
    }
    note(&mut storyline, &chat.head);
    let variables = chat.head.get("chat_metadata").and_then(|about| about.get("variables"));
    if let Some(variables) = variables.filter(|variables| variables.as_object().is_some_and(|all| !all.is_empty())) {
        storyline.extra.insert("variables".into(), variables.clone());
    }
    if !chat.head.is_empty() {
        storyline.extra.insert(KEPT.into(), json!({ "head": chat.head }));
    }
    let mut parts: Vec<_> = cast.new.iter().map(|character| (Part::Characters, value(character))).collect();
    parts.push((Part::Storylines, value(&storyline)));
    parts.extend(branches.iter().map(|branch| (Part::Branches, value(branch))));
    parts.push((Part::States, value(&state)));
    for turn in &turns {
        breathe().await?;
        parts.push((Part::Turns, value(turn)));
    }
    for generation in &generations {
        breathe().await?;
        parts.push((Part::Generations, value(generation)));
    }
    Ok(Made { id: storyline_id, joined, title, parts })
}

fn value(record: &impl Serialize) -> Value {
    serde_json::to_value(record).expect("records have text keys")
}

/// Writes the archive of stories.
///
/// # Errors
/// Those of `breathe`, which is called amid it.
pub async fn write<E>(made: &[Made], now: Millis, breathe: impl AsyncFn() -> Result<(), E>) -> Result<String, E> {
    let mut known = HashSet::new();
    // Of two that speak with somebody new, each brings them.
    let is_new = |(part, record): &&(Part, Value)| {
        *part != Part::Characters || record["id"].as_str().is_none_or(|id| known.insert(id.to_owned()))
    };
    let records: Vec<_> = made.iter().flat_map(|made| &made.parts).filter(is_new).collect();
    let mut counts = Counts::default();
    records.iter().for_each(|(part, _)| counts.add(*part, 1));
    let (kind, title) = match made {
        [only] => (Kind::Storyline, only.title.as_str()),
        _ => (Kind::Library, ""),
    };
    let (mut writer, mut text) = Writer::new(&Header::new(kind, now, title, &counts));
    for part in Part::ALL {
        for (_, record) in records.iter().filter(|(of, _)| *of == part) {
            breathe().await?;
            text.extend(writer.line(part, &Doc::from(record.clone())));
        }
    }
    Ok(text + &writer.finish())
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
