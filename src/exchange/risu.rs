//! A full backup of RisuAI (`.bin`): pictures and a database behind one another ([`blobs`](super::container::blobs)), as a
//! folder of files that the rest of the program knows. Characters become cards with their pictures, their chats what a
//! chat of RisuAI is alone, modules lorebooks and scripts, and the reader's personas those of SillyTavern's settings, with
//! what hangs everywhere. Presets stay as they are, less what they say to nobody but their program.
//!
//! The database holds keys and tokens among its settings. They are passed over as it is read, and with them every field
//! that is called like one ([`value`]); of a preset no more is looked at than what is told to a model.

mod card;
mod database;
mod fields;
mod persona;
mod scripts;
mod talk;
#[cfg(test)]
pub(crate) mod tests;
mod value;

use std::{
    collections::{HashMap, HashSet},
    rc::Rc,
};

use serde_json::{Map, Value, json};

use self::{
    card::{assets, is_blank},
    fields::{Database, Person},
    persona::Personas,
    talk::Talk,
};
use super::{
    container::{blobs::Blob, zip},
    folder::{Role, Why},
    limits::{CARD, CARD_BYTES},
    names::tidy_name,
    refusal::Refusal,
};

/// What the database is called.
const DATABASE: &str = "database.risudat";

/// A backup as files, each made when it is asked for.
pub struct Backup {
    blobs: Vec<Blob>,
    files: Vec<Virtual>,
}

/// A file of it.
pub struct Virtual {
    pub path: String,
    pub role: Role,
    /// About as many as it will have.
    pub bytes: u64,
    what: What,
}

enum What {
    /// Not taken.
    Left,
    Text(String),
    Picture(usize),
    /// A card, with the paths in its package that pictures come to.
    Card {
        text: String,
        pictures: Vec<(String, usize)>,
    },
    Chat(Talk),
}

/// Regex scripts of RisuAI as those of SillyTavern, with what they were.
pub(super) fn scripts(own: &Value) -> Vec<Value> {
    scripts::list(own)
}

/// Where the database lies, if there is one: of several the last, as its program has it.
pub fn database(blobs: &[Blob]) -> Option<&Blob> {
    blobs.iter().rev().find(|blob| blob.name == DATABASE)
}

impl Backup {
    /// Reads the database of a backup of these files.
    ///
    /// # Errors
    /// It is cut short, damaged, of a form that is not known, nested too deeply, or asks for more than is allowed.
    pub fn open(blobs: Vec<Blob>, database: &[u8]) -> Result<Self, Refusal> {
        let database = database::read(database)?;
        let mut listing = Listing::of(blobs);
        listing.database(database);
        Ok(listing.done())
    }

    pub fn files(&self) -> &[Virtual] {
        &self.files
    }

    /// Which bytes of the backup a file is made of: what [`Self::made`] wants.
    pub fn spans(&self, at: usize) -> Vec<(u64, u64)> {
        let span = |blob: usize| (self.blobs[blob].from, self.blobs[blob].to);
        match &self.files[at].what {
            What::Picture(blob) => vec![span(*blob)],
            What::Card { pictures, .. } => pictures.iter().map(|(_, blob)| span(*blob)).collect(),
            _ => Vec::new(),
        }
    }

    /// The bytes of a file, out of those of its spans.
    pub fn made(&self, at: usize, mut spans: Vec<Vec<u8>>) -> Vec<u8> {
        match &self.files[at].what {
            What::Left => Vec::new(),
            What::Text(text) => text.clone().into_bytes(),
            What::Picture(_) => spans.pop().unwrap_or_default(),
            What::Card { text, pictures } => {
                let pictures = pictures.iter().zip(&spans).map(|((path, _), bytes)| (path.as_str(), bytes.as_slice()));
                zip::write(std::iter::once(("card.json", text.as_bytes())).chain(pictures))
            }
            What::Chat(talk) => talk.file().into_bytes(),
        }
    }
}

/// The files as they come to be.
struct Listing {
    blobs: Vec<Blob>,
    by_name: HashMap<String, usize>,
    is_used: Vec<bool>,
    files: Vec<Virtual>,
    /// Those that there are, and how many more have wanted to be called so.
    paths: HashMap<String, usize>,
}

impl Listing {
    fn of(blobs: Vec<Blob>) -> Self {
        let by_name = blobs.iter().enumerate().map(|(at, blob)| (blob.name.clone(), at)).collect();
        let is_used = blobs.iter().map(|blob| blob.name == DATABASE).collect();
        Self { blobs, by_name, is_used, files: Vec::new(), paths: HashMap::new() }
    }

    /// A file, under a path that no other has.
    fn put(&mut self, folder: &str, name: &str, ending: &str, role: Role, what: What) -> String {
        let wanted = format!("{folder}/{name}{ending}");
        let mut path = wanted.clone();
        while self.paths.contains_key(&path) {
            let more = self.paths.entry(wanted.clone()).or_default();
            *more += 1;
            path = format!("{folder}/{name} ({}){ending}", *more + 1);
        }
        self.paths.insert(path.clone(), 0);
        let held = |blob: usize| self.blobs[blob].to - self.blobs[blob].from;
        let bytes = match &what {
            What::Left => 0,
            What::Text(text) => text.len() as u64,
            What::Picture(blob) => held(*blob),
            What::Card { text, pictures } => {
                text.len() as u64 + pictures.iter().map(|(_, blob)| held(*blob)).sum::<u64>()
            }
            What::Chat(talk) => talk.text.len() as u64,
        };
        self.files.push(Virtual { path: path.clone(), role, bytes, what });
        path
    }

    fn leave(&mut self, folder: &str, name: &str, why: Why) {
        self.put(folder, &part(name), "", Role::Left(why), What::Left);
    }

    /// Where a file lies that a record names: by its own name, whatever folder it lay in.
    fn blob(&self, uri: &str) -> Option<usize> {
        self.by_name.get(uri.rsplit(['/', '\\']).next()?).copied()
    }

    fn database(&mut self, database: Database) {
        let Database { characters, presets, modules, root, others } = database;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let names = characters.iter().map(|person| (person.id.clone(), person.name.clone()));
        let names: Rc<HashMap<String, String>> = Rc::new(names.collect());
        let personas = Personas::of(&root, |uri| self.blob(uri));
        for Person { text, chats, .. } in characters {
            // One at a time: as values they are several times as large.
            if let Ok(Value::Object(record)) = serde_json::from_str(&text) {
                self.person(record, chats, &names, &personas);
            }
        }
        let enabled: HashSet<String> =
            root.get("enabledModules").and_then(Value::as_array).into_iter().flatten().map(text).collect();
        let mut everywhere = Vec::new();
        for module in modules.as_array().into_iter().flatten().filter_map(Value::as_object) {
            self.module(module, &enabled, &mut everywhere);
        }
        self.scripts("RisuAI", root.get("globalscript").unwrap_or(&Value::Null), true);
        self.personas(&personas, &everywhere);
        for (name, text) in presets {
            self.put("presets", &part(&name), ".json", Role::Preset, What::Text(text));
        }
        for other in others {
            self.leave(DATABASE, &other, Why::Form);
        }
        self.leave(DATABASE, "settings", Why::Secret);
    }

    fn person(
        &mut self,
        record: Map<String, Value>,
        chats: Vec<String>,
        names: &Rc<HashMap<String, String>>,
        personas: &Personas,
    ) {
        let name = part(record.get("name").and_then(Value::as_str).unwrap_or_default());
        let is_group = record.get("type").is_some_and(|kind| kind == "group");
        if record.get("trashTime").and_then(Value::as_f64).is_some_and(|time| time > 0.0) {
            return self.leave("characters", &name, Why::Thrown);
        }
        let with = Rc::new(talk::With::of(&record, names));
        let folder = if is_group {
            self.leave("groups", &name, Why::Group);
            format!("chats/{name}")
        } else {
            let path = self.character(&name, record);
            // Of two of one name each has its own.
            format!("chats/{}", super::folder::stem(&path))
        };
        for text in chats {
            let talk = Talk::of(text, with.clone(), personas);
            let name = part(&talk.name);
            match talk.is_empty {
                true => self.leave(&folder, &name, Why::Empty),
                false => drop(self.put(&folder, &name, ".json", Role::Chat, What::Chat(talk))),
            }
        }
    }

    /// The path that its card comes to.
    fn character(&mut self, name: &str, record: Map<String, Value>) -> String {
        let named = assets(&record);
        let mut card = card::card(record);
        let mut room = CARD_BYTES.saturating_sub(card.to_string().len() as u64);
        // What the list of files and a package take of it.
        room = room.saturating_sub(1_000 * named.len() as u64);
        let (mut pictures, mut large, mut list) = (Vec::new(), Vec::new(), Vec::new());
        let mut paths = HashSet::new();
        for asset in named {
            let mut uri = asset.uri.clone();
            if !uri.contains(':') {
                let folder = if matches!(asset.kind.as_str(), "icon" | "emotion" | "background") {
                    &asset.kind
                } else {
                    "other"
                };
                let file = uri.rsplit(['/', '\\']).next().unwrap_or_default();
                let path = format!("assets/{folder}/{file}");
                match self.blob(&uri) {
                    Some(blob) => {
                        self.is_used[blob] = true;
                        let bytes = self.blobs[blob].to - self.blobs[blob].from;
                        if paths.contains(&path) {
                            uri = format!("embeded://{path}");
                        } else if bytes <= room && pictures.len() + 1 < CARD.files {
                            room -= bytes;
                            paths.insert(path.clone());
                            uri = format!("embeded://{path}");
                            pictures.push((path, blob));
                        } else {
                            // It keeps the name that it had: it is not missing.
                            large.push(self.blobs[blob].name.clone());
                        }
                    }
                    // It is said to be missing.
                    None => uri = format!("embeded://{path}"),
                }
            }
            list.push(json!({ "type": asset.kind, "uri": uri, "name": asset.name, "ext": asset.ending }));
        }
        if !list.is_empty() {
            card["data"]["assets"] = list.into();
        }
        let what = What::Card { text: card.to_string(), pictures };
        let path = self.put("characters", name, ".charx", Role::Character, what);
        for large in large {
            self.leave(&path, &large, Why::Large);
        }
        path
    }

    fn module(&mut self, module: &Map<String, Value>, enabled: &HashSet<String>, everywhere: &mut Vec<String>) {
        let text = |field: &str| module.get(field).and_then(Value::as_str).unwrap_or_default();
        let name = part(text("name"));
        let is_on = enabled.contains(text("id"));
        if let Some(entries) = module.get("lorebook").filter(|entries| !is_blank(entries)) {
            let book = json!({ "type": "risu", "ver": 1, "name": text("name"), "description": text("description"), "id": text("id"), "data": entries });
            let path = self.put("lorebooks", &name, ".json", Role::Lorebook, What::Text(book.to_string()));
            if is_on {
                everywhere.push(super::folder::stem(&path).to_owned());
            }
        }
        self.scripts(&name, module.get("regex").unwrap_or(&Value::Null), is_on);
        // Code, pages and servers, and what only its program can do with it.
        const READ: [&str; 6] = ["name", "description", "id", "namespace", "lorebook", "regex"];
        let rest = module
            .iter()
            .filter(|(field, value)| !READ.contains(&field.as_str()) && !is_blank(value) && **value != false);
        let rest: Vec<_> = rest.map(|(field, _)| field.as_str()).collect();
        if !rest.is_empty() {
            self.leave("modules", &format!("{name} ({})", rest.join(", ")), Why::Form);
        }
    }

    fn scripts(&mut self, name: &str, own: &Value, is_on: bool) {
        if own.as_array().is_none_or(Vec::is_empty) {
            return;
        }
        let set = json!({ "name": name, "enabled": is_on, "regex_scripts": scripts::list(own) });
        self.put("scripts", name, ".json", Role::Scripts, What::Text(set.to_string()));
    }

    fn personas(&mut self, personas: &Personas, everywhere: &[String]) {
        if let Some(settings) = personas.settings(everywhere) {
            self.put(DATABASE, "personas", ".json", Role::Settings, What::Text(settings.to_string()));
        }
        for (file, blob) in personas.faces() {
            self.is_used[blob] = true;
            self.put("User Avatars", file, "", Role::Face, What::Picture(blob));
        }
    }

    fn done(mut self) -> Backup {
        let rest: Vec<String> = self
            .blobs
            .iter()
            .zip(&self.is_used)
            .filter(|(_, used)| !**used)
            .map(|(blob, _)| blob.name.clone())
            .collect();
        for name in rest {
            self.leave("assets", &name, Why::Media);
        }
        Backup { blobs: self.blobs, files: self.files }
    }
}

/// A name as a part of a path.
fn part(name: &str) -> String {
    let tidy = tidy_name(name).0.replace(['/', '\\'], "_");
    if tidy.is_empty() { "–".to_owned() } else { tidy }
}
