//! What is no conversation: of each kind, how it is read and under what it is put.

use serde_json::{Map, Value};

use super::{Failed, Fate, Intake};
use crate::{
    desk::tools::identify,
    exchange::{
        background,
        character::{self, ImportedCharacter},
        folder::{Role, group, settings, stem},
        json, lorebook,
        names::tidy_name,
        personas, preset, quick,
        refusal::{Refusal, Warning},
        script,
        sniff::{self, Content, FileKind},
    },
    ports::Pictures,
    store::{Batch, Record},
    story::{
        Extra, background::Background, blob::address, character::Character, ids::CharacterId, lorebook::Lorebook,
        preset::Preset, quick::QuickSet, reader_persona::ReaderPersona, script::ScriptSet, settings::Preferences,
    },
};

/// What a card's fields are for here.
const USED: [&str; 9] =
    ["name", "extensions", "character_book", "assets", "nickname", "spec", "spec_version", "data", "avatar"];
/// The same of its extensions.
const EXTENSIONS: [&str; 4] = ["depth_prompt", "regex_scripts", "world", "fabula"];

/// A file that was looked at, and is still to be taken.
pub enum Opened {
    Card(Result<Box<Card>, Refusal>),
    Bytes(Vec<u8>),
}

/// A character as its file has it, with its pictures.
pub struct Card {
    character: Character,
    pictures: Vec<(String, Vec<u8>)>,
    warnings: Vec<Warning>,
}

/// Does what takes long, and needs nothing of what came before: several files may be opened at a time.
pub async fn open(role: Role, bytes: Vec<u8>, pictures: &dyn Pictures) -> Opened {
    match role {
        Role::Character => Opened::Card(Card::open(bytes, pictures).await),
        Role::Any if sniff::sniff(&bytes) != FileKind::Json => Opened::Card(Card::open(bytes, pictures).await),
        _ => Opened::Bytes(bytes),
    }
}

impl Card {
    pub(super) async fn open(bytes: Vec<u8>, drawing: &dyn Pictures) -> Result<Box<Self>, Refusal> {
        let (ImportedCharacter { mut character, avatar, files: mut pictures }, mut warnings) = character::open(bytes)?;
        if let Some((_, face)) = avatar {
            match drawing.draw(&face).await {
                Ok(drawn) => {
                    character.avatar = Some(address(&face));
                    character.thumbnail = drawn.small.as_ref().map(|(_, small)| address(small));
                    pictures.push((drawn.kind.to_owned(), face));
                    pictures.extend(drawn.small);
                }
                Err(fault) => warnings.push(Warning::PictureLeftOut(fault.into())),
            }
        }
        Ok(Box::new(Self { character, pictures, warnings }))
    }
}

impl Intake<'_> {
    pub(super) async fn take_as(&mut self, path: &str, role: Role, opened: Opened) -> Result<(), Failed> {
        match (role, opened) {
            (_, Opened::Card(card)) => self.take_character(path, card?).await,
            (Role::Settings, Opened::Bytes(bytes)) => self.take_settings(path, &json::text_of(bytes)?).await,
            (Role::Face, Opened::Bytes(bytes)) => self.take_face(path, bytes).await,
            (Role::Sprite, Opened::Bytes(bytes)) => self.take_sprite(path, bytes).await,
            (Role::Group, Opened::Bytes(bytes)) => self.take_group(path, &json::text_of(bytes)?),
            (_, Opened::Bytes(bytes)) => self.take_text(path, bytes).await,
        }
    }

    /// A JSON file: what it holds shows in its content, whatever its folder is called.
    async fn take_text(&mut self, path: &str, bytes: Vec<u8>) -> Result<(), Failed> {
        let text = json::text_of(bytes)?;
        let what = sniff::content(&json::parse(&text)?);
        match what {
            Content::Character => {
                let card = Card::open(text.into_bytes(), self.pictures).await?;
                self.take_character(path, card).await
            }
            Content::Background => {
                let (mut background, warnings) = background::read(&text)?;
                name(&mut background.name, path);
                let kept = names(&background.extra);
                self.put(path, what, background, (warnings, kept), |background: &mut Background, id, now| {
                    (background.id, background.created, background.updated) = (id.into(), now, now);
                })
                .await
                .map(drop)
            }
            Content::Lorebook => self.take_book(path, &text).await,
            Content::Preset => {
                let (mut preset, warnings) = preset::read(&text)?;
                name(&mut preset.name, path);
                // The order of its prompts is used.
                let kept = names(&preset.extra).into_iter().filter(|name| name != "prompt_order").collect();
                self.put(path, what, preset, (warnings, kept), |preset: &mut Preset, id, now| {
                    (preset.id, preset.created, preset.updated) = (id.into(), now, now);
                })
                .await
                .map(drop)
            }
            Content::Scripts => {
                let (set, warnings) = script::read(&text)?;
                self.take_scripts(path, set, warnings).await
            }
            Content::QuickReplies => {
                let (mut set, warnings) = quick::read(&text)?;
                name(&mut set.name, path);
                let kept = union(set.replies.iter().map(|reply| &reply.extra).chain([&set.extra]));
                self.put(path, what, set, (warnings, kept), |set: &mut QuickSet, id, now| {
                    (set.id, set.created, set.updated) = (id.into(), now, now);
                })
                .await
                .map(drop)
            }
            Content::Personas => self.take_backup(path, personas::read(&text)?).await,
            Content::Unknown if settings::read(&text).is_ok() => self.take_settings(path, &text).await,
            found => Err(Refusal::Unrecognised { wanted: Content::Archive, found }.into()),
        }
    }

    pub(super) async fn take_character(&mut self, path: &str, card: Box<Card>) -> Result<(), Failed> {
        let Card { mut character, pictures, warnings } = *card;
        name(&mut character.name, path);
        let kept = unused(&character);
        let world = character.card.world().map(str::to_owned);
        let print = match self.known.id_of(&character) {
            Err(print) => print,
            Ok(id) => {
                let id: CharacterId = id.into();
                self.came(path, &character.name, id, world);
                self.row(path, Fate::Known { what: Content::Character, name: character.name });
                return Ok(());
            }
        };
        let ports = &self.desk.ports;
        let now = ports.clock.now();
        (character.id, character.created, character.updated) = (ports.id(), now, now);
        self.desk.put_entry(&character, pictures).await?;
        self.known.add(print, character.id.0.clone());
        self.came(path, &character.name, character.id.clone(), world);
        self.row(path, Fate::Taken { what: Content::Character, name: character.name, warnings, kept });
        Ok(())
    }

    /// A character's file is taken, or was: other files name it by that, and it names its lorebook.
    fn came(&mut self, path: &str, name: &str, id: CharacterId, world: Option<String>) {
        self.called.insert(stem(path).to_owned(), (name.to_owned(), id.clone()));
        self.stands_beside(path, id.clone());
        self.hangs.extend(world.map(|world| (id, world)));
    }

    async fn take_book(&mut self, path: &str, text: &str) -> Result<(), Failed> {
        let (mut book, mut warnings) = lorebook::read(text)?;
        if book.name.is_empty() {
            name(&mut book.name, path);
            // World Info is named by its file.
            warnings.retain(|warning| *warning != Warning::NoName);
        }
        let kept = union(book.entries.iter().map(|entry| &entry.extra).chain([&book.extra]));
        let put = self.put(path, Content::Lorebook, book, (warnings, kept), |book: &mut Lorebook, id, now| {
            (book.id, book.created, book.updated) = (id.into(), now, now);
        });
        let id = put.await?;
        self.books.insert(stem(path).to_owned(), id.into());
        Ok(())
    }

    async fn take_scripts(&mut self, path: &str, mut set: ScriptSet, warnings: Vec<Warning>) -> Result<(), Failed> {
        name(&mut set.name, path);
        let kept = union(set.scripts.iter().map(|script| &script.extra).chain([&set.extra]));
        identify(&self.desk.ports, &mut set);
        self.put(path, Content::Scripts, set, (warnings, kept), |set: &mut ScriptSet, id, now| {
            (set.id, set.created, set.updated) = (id.into(), now, now);
        })
        .await
        .map(drop)
    }

    /// Those that are new; and which of them is the usual one, where the reader has none.
    pub(super) async fn take_backup(&mut self, path: &str, backup: personas::Backup) -> Result<(), Failed> {
        let personas::Backup { personas, has_usual, mut warnings } = backup;
        for (at, mut persona) in personas.into_iter().enumerate() {
            name(&mut persona.name, path);
            let kept = names(&persona.extra);
            let face = persona.extra.get(personas::FILE).and_then(Value::as_str).map(str::to_owned);
            let mut taken = None;
            self.put(
                path,
                Content::Personas,
                persona,
                (std::mem::take(&mut warnings), kept),
                |persona: &mut ReaderPersona, id, now| {
                    (persona.id, persona.created, persona.updated) = (id.into(), now, now);
                    taken = Some(persona.id.clone());
                },
            )
            .await?;
            let Some(taken) = taken else { continue };
            if let Some(face) = face {
                self.faceless.insert(face, taken.clone());
            }
            if at == 0 && has_usual {
                // What the reader has chosen here stays.
                let usual = |preferences: &mut Preferences| {
                    preferences.plays_as.get_or_insert(taken);
                };
                self.desk.prefer(usual).await?;
            }
        }
        Ok(())
    }

    /// The picture of a persona that has come.
    async fn take_face(&mut self, path: &str, bytes: Vec<u8>) -> Result<(), Failed> {
        let file = path.rsplit('/').next().unwrap_or(path);
        let Some(persona) = self.faceless.remove(file) else {
            self.leave(path, super::Why::Media);
            return Ok(());
        };
        let drawn = self.pictures.draw(&bytes).await.map_err(Refusal::Picture)?;
        let (face, small) = (address(&bytes), drawn.small.as_ref().map(|(_, small)| address(small)));
        let pictures = [Some((drawn.kind.to_owned(), bytes)), drawn.small].into_iter().flatten();
        let mut called = String::new();
        self.desk
            .change_entry(persona.as_str(), pictures, |persona: Option<ReaderPersona>| {
                let mut persona = persona.unwrap_or_default();
                (persona.avatar, persona.thumbnail) = (Some(face), small);
                called.clone_from(&persona.name);
                persona
            })
            .await?;
        self.row(path, Fate::Taken { what: Content::Personas, name: called, warnings: vec![], kept: vec![] });
        Ok(())
    }

    /// It is told of with its chats.
    fn take_group(&mut self, path: &str, text: &str) -> Result<(), Failed> {
        let group = group::read(text)?;
        self.groups.extend(group.chats.iter().map(|chat| (chat.clone(), group.clone())));
        self.leave(path, super::Why::Members);
        Ok(())
    }

    async fn take_settings(&mut self, path: &str, text: &str) -> Result<(), Failed> {
        let settings::Settings { personas, scripts, books, extra } = settings::read(text)?;
        self.take_backup(path, personas).await?;
        if let Some(set) = scripts {
            self.take_scripts(path, set, Vec::new()).await?;
        }
        self.everywhere = books;
        self.extra = extra;
        if self.rows.last().is_none_or(|row| row.path != path) {
            self.leave(path, super::Why::Program);
        }
        Ok(())
    }

    /// Puts one in that is new; `stamp` gives it its id and times.
    async fn put<R: Record + Clone>(
        &mut self,
        path: &str,
        what: Content,
        mut record: R,
        (warnings, kept): (Vec<Warning>, Vec<String>),
        stamp: impl FnOnce(&mut R, String, u64),
    ) -> Result<String, Failed> {
        let value = serde_json::to_value(&record).unwrap_or_default();
        let name = value["name"].as_str().unwrap_or_default().to_owned();
        let print = match self.known.id_of(&record) {
            Err(print) => print,
            Ok(id) => {
                let id = id.to_owned();
                self.row(path, Fate::Known { what, name });
                return Ok(id);
            }
        };
        let ports = &self.desk.ports;
        let id: String = ports.id();
        stamp(&mut record, id.clone(), ports.clock.now());
        ports.store.commit(Batch::new().put(&record)).await?;
        self.known.add(print, id.clone());
        self.row(path, Fate::Taken { what, name, warnings, kept });
        Ok(id)
    }
}

/// One without a name is called as its file is.
fn name(name: &mut String, path: &str) {
    if name.is_empty() {
        *name = tidy_name(stem(path)).0;
    }
}

fn names(extra: &Extra) -> Vec<String> {
    extra.keys().cloned().collect()
}

/// The names of all, each once.
fn union<'a>(all: impl Iterator<Item = &'a Extra>) -> Vec<String> {
    let mut names = Vec::new();
    for name in all.flat_map(|extra| extra.keys()) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    names
}

/// Fields of a card that ride along for an export.
fn unused(character: &Character) -> Vec<String> {
    let Some(Value::Object(file)) = &character.imported else { return Vec::new() };
    let empty = Map::new();
    let data = file.get("data").and_then(Value::as_object).unwrap_or(file);
    let extensions = data.get("extensions").and_then(Value::as_object).unwrap_or(&empty);
    let is_blank = |value: &Value| match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    };
    let of_card = data
        .iter()
        .filter(|(key, value)| !USED.contains(&key.as_str()) && !character::is_of_card(key) && !is_blank(value))
        .map(|(key, _)| key.clone());
    let of_extensions = extensions
        .iter()
        .filter(|(key, value)| !EXTENSIONS.contains(&key.as_str()) && !is_blank(value))
        .map(|(key, _)| format!("extensions.{key}"));
    of_card.chain(of_extensions).collect()
}
