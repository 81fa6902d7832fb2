//! Folders that the reader gives: dropped, chosen, in a ZIP, or as RisuAI's backup. Their files are listed first, and each is
//! read when it is asked for: of a ZIP, too, no more is held than its list, and of a backup its database.

use std::rc::Rc;

use js_sys::{Array, Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{DataTransfer, File};

use super::{call, files, text_of};
use crate::{
    exchange::{
        container::{
            blobs::{self, Index},
            directory::{Directory, Packed, Reading},
        },
        folder::{Role, role},
        limits::DATABASE_BYTES,
        refusal::Refusal,
        risu::{self, Backup},
        sniff::{FileKind, sniff},
    },
    transfer::Failure,
};

/// What was given.
pub enum Given {
    Zip(Rc<Zip>),
    /// Of RisuAI.
    Backup(File),
    Files(Vec<File>),
    /// `FileSystemEntry`s.
    Dropped(Vec<JsValue>),
}

pub struct Zip {
    file: File,
    directory: Directory,
}

/// A file of a folder.
pub struct Place {
    pub path: String,
    pub role: Role,
    /// As its folder says.
    pub bytes: u64,
    at: At,
}

enum At {
    Loose(File),
    Packed(Rc<Zip>, Packed),
    /// A file that is made of a backup, and which.
    Made(Rc<(File, Backup)>, usize),
}

/// Files that a folder may have.
const MOST: usize = 200_000;
/// Bytes of a ZIP's end that are read at first; and at most.
const END: f64 = 1_048_576.0;
const LONGEST_END: f64 = 134_217_728.0;
/// Bytes of a backup that are read at a time: many small files, or the head of a large one.
const STEP: u64 = 65_536;
/// The text that makes a ZIP a card.
const CARD: &str = "card.json";

/// A ZIP that is no card but a folder, or a backup; `None`: it is none.
pub async fn packed(file: &File) -> Option<Given> {
    let head = files::slice(file, 0.0, file.size().min(blobs::HEADER as f64)).await.ok()?;
    if sniff(&head) != FileKind::Zip {
        return blobs::may_be(&head).then(|| Given::Backup(file.clone()));
    }
    let zip = open(file).await.ok()?;
    let has = |is_one: &dyn Fn(&str) -> bool| zip.directory.files().iter().any(|file| is_one(&file.path));
    // Backyard's cards have theirs deeper.
    let is_byaf = has(&|path| path == "manifest.json")
        && has(&|path| path.starts_with("characters/") && path.ends_with("/character.json"));
    (!is_byaf && !has(&|path| path == CARD)).then(|| Given::Zip(zip.into()))
}

async fn open(file: &File) -> Result<Zip, Failure> {
    let mut end = END;
    loop {
        let from = (file.size() - end).max(0.0);
        let tail = files::slice(file, from, file.size()).await.map_err(unreadable)?;
        match Directory::read(tail, file.size() as u64)? {
            Reading::Whole(directory) => return Ok(Zip { file: file.clone(), directory }),
            Reading::More if end < LONGEST_END => end *= 8.0,
            Reading::More => return Err(Refusal::Truncated.into()),
        }
    }
}

/// What is in a backup. Its pictures are not read before they are asked for.
async fn backup(file: File) -> Result<Vec<Place>, Failure> {
    let mut index = Index::new(file.size() as u64);
    while let Some(from) = index.wants() {
        let piece = files::slice(&file, from as f64, (from + STEP) as f64).await.map_err(unreadable)?;
        index.read(&piece)?;
    }
    let blobs = index.blobs();
    // It looked like one, and is none.
    let Some(database) = risu::database(&blobs) else { return Err(Refusal::NotFabula(FileKind::Unknown).into()) };
    let bytes = database.to - database.from;
    if bytes > DATABASE_BYTES {
        return Err(Refusal::TooLarge { bytes, limit: DATABASE_BYTES }.into());
    }
    let held = files::slice(&file, database.from as f64, database.to as f64).await.map_err(unreadable)?;
    let backup = Rc::new((file, Backup::open(blobs, &held)?));
    let place = |(at, made): (usize, &risu::Virtual)| Place {
        path: made.path.clone(),
        role: made.role,
        bytes: made.bytes,
        at: At::Made(backup.clone(), at),
    };
    Ok(backup.1.files().iter().enumerate().map(place).collect())
}

/// The folders among what is dropped, or all of several files; `None`: it is one file alone. To be asked while it drops: the
/// browser forgets it afterwards.
pub fn dropped(transfer: &DataTransfer) -> Option<Given> {
    let items = transfer.items();
    let entry = |at| {
        let item: JsValue = items.get(at)?.into();
        call(&item, "webkitGetAsEntry", []).ok().filter(JsValue::is_object)
    };
    let entries: Vec<JsValue> = (0..items.length()).filter_map(entry).collect();
    (entries.len() > 1 || entries.iter().any(is_directory)).then_some(Given::Dropped(entries))
}

impl Given {
    /// All files, with their paths.
    ///
    /// # Errors
    /// The browser cannot read it, there are too many, or a backup is damaged or asks for more than is allowed.
    pub async fn list(self) -> Result<Vec<Place>, Failure> {
        let places = match self {
            Self::Zip(zip) => {
                let files = zip.directory.files();
                let place = |packed: Packed| Place {
                    path: packed.path.clone(),
                    role: role(&packed.path),
                    bytes: packed.size,
                    at: At::Packed(zip.clone(), packed),
                };
                files.into_iter().map(place).collect()
            }
            Self::Backup(file) => backup(file).await?,
            Self::Files(files) => {
                let path = |file: &File| {
                    let within =
                        Reflect::get(file, &"webkitRelativePath".into()).ok().and_then(|path| path.as_string());
                    within.filter(|path| !path.is_empty()).unwrap_or_else(|| file.name())
                };
                files.into_iter().map(|file| Place::loose(path(&file), file)).collect()
            }
            Self::Dropped(entries) => walk(entries).await?,
        };
        Ok(places)
    }
}

impl Place {
    fn loose(path: String, file: File) -> Self {
        Self { role: role(&path), path, bytes: file.size() as u64, at: At::Loose(file) }
    }

    /// Its bytes, `limit` at most.
    ///
    /// # Errors
    /// It is larger or damaged; the browser cannot read it.
    pub async fn read(&self, limit: u64) -> Result<Vec<u8>, Failure> {
        if self.bytes > limit {
            return Err(Refusal::TooLarge { bytes: self.bytes, limit }.into());
        }
        match &self.at {
            At::Loose(file) => files::slice(file, 0.0, file.size()).await.map_err(unreadable),
            At::Packed(zip, packed) => {
                let (from, to) = zip.directory.span(packed);
                let held = files::slice(&zip.file, from as f64, to as f64).await.map_err(unreadable)?;
                Ok(zip.directory.unpack(packed, held, limit)?)
            }
            At::Made(backup, at) => {
                let (file, backup) = &**backup;
                let mut spans = Vec::new();
                for (from, to) in backup.spans(*at) {
                    spans.push(files::slice(file, from as f64, to as f64).await.map_err(unreadable)?);
                }
                Ok(backup.made(*at, spans))
            }
        }
    }
}

/// All files below some entries, folder by folder.
async fn walk(mut entries: Vec<JsValue>) -> Result<Vec<Place>, Failure> {
    let mut places = Vec::new();
    while let Some(entry) = entries.pop() {
        if places.len() + entries.len() > MOST {
            return Err(Refusal::TooMany { limit: MOST as u64 }.into());
        }
        if is_directory(&entry) {
            let reader = call(&entry, "createReader", []).map_err(unreadable)?;
            // A hundred at a time, by the browsers' custom; none at the end.
            loop {
                let more: Array = promised(&reader, "readEntries").await.map_err(unreadable)?.unchecked_into();
                if more.length() == 0 {
                    break;
                }
                entries.extend(more.iter());
            }
        } else {
            let read: File = promised(&entry, "file").await.map_err(unreadable)?.unchecked_into();
            places.push(Place::loose(text_of(&entry, "fullPath").trim_start_matches('/').to_owned(), read));
        }
    }
    Ok(places)
}

fn is_directory(entry: &JsValue) -> bool {
    Reflect::get(entry, &"isDirectory".into()).is_ok_and(|is| is.is_truthy())
}

/// What a function of this name gives to the first of two callbacks; the second is told why not.
async fn promised(of: &JsValue, name: &str) -> Result<JsValue, JsValue> {
    let promise = Promise::new(&mut |done, fail| {
        if let Err(error) = call(of, name, [done.as_ref(), fail.as_ref()]) {
            let _ = fail.call1(&JsValue::UNDEFINED, &error);
        }
    });
    JsFuture::from(promise).await
}

fn unreadable(error: JsValue) -> Failure {
    Failure::Unreadable(text_of(&error, "message"))
}
