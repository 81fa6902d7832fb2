//! Archives as files: `transfer` with gzip on one side and this browser's tabs on the other.

use std::rc::Rc;

use web_sys::{Blob, File};

use super::{
    Browser, files,
    gzip::{Compress, Decompress},
    pictures::BrowserPictures,
    tabs::BrowserTabs,
    text_of,
};
use crate::{
    exchange::{
        chat::{
            self,
            story::{self, Given},
        },
        json,
        limits::{CHAT_BYTES, Limits},
        merge::{Fate, Mode},
        refusal::{Refusal, Warning},
        sniff::{Content, FileKind, content, sniff},
    },
    ports::{Future, Ports, Tabs},
    store::{Query, Table},
    story::{character::Character, ids::StorylineId, settings::Preferences},
    transfer::{
        Failure, Scope, Watch,
        export::{self, Exported},
        import::{self, Checked, Imported, Prospect, Source},
        journal::{self, Recovered},
    },
};

/// The lock that an import holds.
const IMPORT: &str = "import";
/// Bytes of a file that tell what it is.
const HEAD: f64 = 65_536.0;

/// Makes an archive.
///
/// # Errors
/// As `transfer::export`; `Unreadable` where the browser cannot compress.
pub async fn export(ports: &Ports, scope: &Scope, watch: &Watch<'_>) -> Result<(Blob, Exported), Failure> {
    let mut gzip = Compress::new()?;
    let write = async |text: String| {
        // A page of records may be megabytes; compressing takes the page's own time.
        for piece in text.as_bytes().chunks(256 << 10) {
            gzip.write(piece).await?;
            watch.breathe().await?;
        }
        Ok(())
    };
    let report = export::export(ports, scope, watch, write).await?;
    Ok((gzip.finish().await?, report))
}

/// A file that was looked through and is good.
pub struct Good {
    pub checked: Checked,
    pub prospect: Prospect,
    file: File,
    /// What a conversation of another program became.
    made: Option<Rc<str>>,
}

/// Whether a file is a good archive, or a conversation of another program, and what taking it in would do. Nothing is
/// stored.
///
/// # Errors
/// `Refused` with the reason, `Unreadable`, `Cancelled`, or the store failed.
pub async fn check(ports: &Ports, file: &File, watch: &Watch<'_>) -> Result<Good, Failure> {
    let (mut lines, warnings) = Lines::of(ports, file, watch).await?;
    let mut checked = import::check(&mut lines, Limits::default(), &BrowserPictures, watch).await?;
    checked.summary.warnings.extend(warnings);
    let prospect = import::plan(ports, &checked, watch).await?;
    let made = if let Lines::Made { text, .. } = lines { Some(text) } else { None };
    Ok(Good { checked, prospect, file: file.clone(), made })
}

/// Imports a file that was checked: all of it or nothing.
///
/// # Errors
/// As `transfer::import`; `Busy`, `InUse`.
pub async fn import(
    browser: &Browser,
    Good { checked, file, made, .. }: &Good,
    mode: Mode,
    retitle: &dyn Fn(&Prospect, &str) -> String,
    playing: &[StorylineId],
    watch: &Watch<'_>,
) -> Result<Imported, Failure> {
    let mut locks = begin(browser).await?;
    // Planned anew: the library may have changed while the reader thought about it.
    let prospect = import::plan(&browser.ports, checked, watch).await?;
    let plan = prospect.plan(mode);
    for (id, _) in plan.storylines.iter().filter(|(_, fate)| matches!(fate, Fate::Merge | Fate::Add)) {
        let here = playing.iter().any(|playing| playing.as_str() == id);
        if here || !locks.take(id).await {
            return Err(Failure::InUse(checked.title(id).to_owned()));
        }
    }
    let mut lines = match made {
        Some(text) => Lines::Made { text: text.clone(), read: 0 },
        None => Lines::of(&browser.ports, file, watch).await?.0,
    };
    let retitle = |title: &str| retitle(&prospect, title);
    import::import(&browser.ports, &mut lines, Limits::default(), (checked, plan), &retitle, watch).await
}

/// Puts a copy of a storyline beside it.
///
/// # Errors
/// As `transfer::duplicate`; `Busy`.
pub async fn duplicate(
    browser: &Browser,
    id: &StorylineId,
    retitle: &dyn Fn(&str) -> String,
    watch: &Watch<'_>,
) -> Result<Imported, Failure> {
    let _locks = begin(browser).await?;
    import::duplicate(&browser.ports, id, retitle, watch).await
}

/// Whether this tab is importing.
pub fn is_mine(browser: &Browser) -> bool {
    browser.tabs.owns(IMPORT)
}

/// Whether records are being imported, in this tab or in another. Where that cannot be read they may be.
pub async fn is_under_way(browser: &Browser) -> bool {
    is_mine(browser) || journal::is_open(&*browser.ports.store).await.unwrap_or(true)
}

/// Takes back or completes an import that was cut off, unless a tab is at it. One read where there was none.
///
/// # Errors
/// The store failed.
pub async fn sweep_orphans(browser: &Browser) -> Result<Option<Recovered>, Failure> {
    if !journal::is_open(&*browser.ports.store).await? || is_mine(browser) {
        return Ok(None);
    }
    let mut locks = Locks { tabs: browser.tabs.clone(), names: Vec::new() };
    if locks.take(IMPORT).await { journal::recover(&*browser.ports.store).await } else { Ok(None) }
}

/// Sees to it that this is the only import, while what is given lives, and that nothing is left of an earlier one.
///
/// # Errors
/// `Busy`; the store failed.
pub async fn begin(browser: &Browser) -> Result<Locks, Failure> {
    let mut locks = Locks { tabs: browser.tabs.clone(), names: Vec::new() };
    if browser.tabs.owns(IMPORT) || !locks.take(IMPORT).await {
        return Err(Failure::Busy);
    }
    journal::recover(&*browser.ports.store).await?;
    Ok(locks)
}

/// Locks that this tab did not hold before, held until dropped.
pub struct Locks {
    tabs: Rc<BrowserTabs>,
    names: Vec<String>,
}

impl Locks {
    async fn take(&mut self, name: &str) -> bool {
        if self.tabs.owns(name) {
            return true;
        }
        let taken = self.tabs.acquire(name).await;
        if taken {
            self.names.push(name.to_owned());
        }
        taken
    }
}

impl Drop for Locks {
    fn drop(&mut self) {
        for name in &self.names {
            self.tabs.release(name);
        }
    }
}

/// The lines of an archive, packed or not; of another program's conversation those that it becomes.
enum Lines {
    Gzip(Decompress),
    /// Somebody unpacked it.
    Plain {
        file: File,
        read: f64,
    },
    Made {
        text: Rc<str>,
        read: usize,
    },
}

impl Lines {
    /// Looks at the first bytes; what is no archive is refused by them. Beside the lines: what there is to say of the file
    /// that they do not say.
    async fn of(ports: &Ports, file: &File, watch: &Watch<'_>) -> Result<(Self, Vec<Warning>), Failure> {
        let head = slice(file, 0.0, HEAD).await?;
        match sniff(&head) {
            FileKind::Gzip => Ok((Self::Gzip(Decompress::new(file.clone())?), Vec::new())),
            FileKind::Json if begins_archive(&head) => Ok((Self::Plain { file: file.clone(), read: 0.0 }, Vec::new())),
            kind @ (FileKind::Json | FileKind::Unknown) if chat::may_be(&head) && file.size() <= CHAT_BYTES as f64 => {
                match Self::of_chat(ports, file, watch).await {
                    // Rather than what it is not: what it would have to be here.
                    Err(Failure::Refused(Refusal::Unrecognised { found, .. })) if kind == FileKind::Json => {
                        Err(Refusal::Unrecognised { wanted: Content::Archive, found }.into())
                    }
                    Err(Failure::Refused(Refusal::Unrecognised { .. } | Refusal::NotText)) => {
                        Err(Refusal::NotFabula(kind).into())
                    }
                    lines => lines,
                }
            }
            kind => Err(Refusal::NotFabula(kind).into()),
        }
    }
}

impl Lines {
    async fn of_chat(ports: &Ports, file: &File, watch: &Watch<'_>) -> Result<(Self, Vec<Warning>), Failure> {
        let bytes = slice(file, 0.0, file.size()).await?;
        let text = json::decoded(bytes)?;
        let breathe = async || watch.breathe().await;
        let chat = chat::read(&text, breathe).await?;
        let mut characters: Vec<Character> = ports.store.list(Query::all(Table::Characters)).await?;
        characters.retain(|character| character.deleted.is_none());
        let name = file.name();
        let name = name.rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem);
        let preferences = ports.store.load::<Preferences>(Preferences::ID).await?.unwrap_or_default();
        let reader = &preferences.user_name;
        let given =
            Given { characters: &characters, own: None, file: name, reader, group: None, now: ports.clock.now() };
        let made = story::made(&chat, &text, &[], &given, breathe).await?;
        let text = story::write(&[made], given.now, breathe).await?;
        Ok((Self::Made { text: text.into(), read: 0 }, chat.warnings()))
    }
}

fn begins_archive(head: &[u8]) -> bool {
    let line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    serde_json::from_slice(line).is_ok_and(|value| content(&value) == Content::Archive)
}

impl Source for Lines {
    fn next(&mut self) -> Future<'_, Result<Option<Vec<u8>>, Failure>> {
        Box::pin(async move {
            match self {
                Self::Gzip(gzip) => gzip.next().await,
                Self::Plain { file, read } => {
                    let piece = slice(file, *read, *read + HEAD).await?;
                    *read += piece.len() as f64;
                    Ok(Some(piece).filter(|piece| !piece.is_empty()))
                }
                Self::Made { text, read } => {
                    let to = text.len().min(*read + HEAD as usize);
                    let piece = text.as_bytes()[*read..to].to_vec();
                    *read = to;
                    Ok(Some(piece).filter(|piece| !piece.is_empty()))
                }
            }
        })
    }

    fn compressed(&self) -> u64 {
        match self {
            Self::Gzip(gzip) => gzip.fed(),
            Self::Plain { read, .. } => *read as u64,
            Self::Made { read, .. } => *read as u64,
        }
    }
}

async fn slice(file: &File, from: f64, to: f64) -> Result<Vec<u8>, Failure> {
    files::slice(file, from, to).await.map_err(|error| Failure::Unreadable(text_of(&error, "message")))
}
