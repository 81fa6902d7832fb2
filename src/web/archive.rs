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
        json,
        limits::{JSON_BYTES, Limits},
        merge::{Fate, Mode},
        refusal::Refusal,
        sniff::{Content, FileKind, content, sniff},
    },
    ports::{Future, Ports, Tabs},
    story::ids::StorylineId,
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

/// Whether a file is a good archive, and what taking it in would do. Nothing is stored.
///
/// # Errors
/// `Refused` with the reason, `Unreadable`, `Cancelled`, or the store failed.
pub async fn check(ports: &Ports, file: &File, watch: &Watch<'_>) -> Result<(Checked, Prospect), Failure> {
    let mut lines = Lines::of(file).await?;
    let checked = import::check(&mut lines, Limits::default(), &BrowserPictures, watch).await?;
    let prospect = import::plan(ports, &checked, watch).await?;
    Ok((checked, prospect))
}

/// Imports a file that was checked: all of it or nothing.
///
/// # Errors
/// As `transfer::import`; `Busy`, `InUse`.
pub async fn import(
    browser: &Browser,
    file: &File,
    checked: &Checked,
    mode: Mode,
    retitle: &dyn Fn(&Prospect, &str) -> String,
    playing: &[StorylineId],
    watch: &Watch<'_>,
) -> Result<Imported, Failure> {
    let mut locks = begin(browser).await?;
    // Planned anew: the library may have changed while the reader thought about it.
    let prospect = import::plan(&browser.ports, checked, watch).await?;
    let plan = prospect.plan(mode);
    for (id, _) in plan.storylines.iter().filter(|(_, fate)| **fate == Fate::Merge) {
        let here = playing.iter().any(|playing| playing.as_str() == id);
        if here || !locks.take(id).await {
            return Err(Failure::InUse(checked.title(id).to_owned()));
        }
    }
    let mut lines = Lines::of(file).await?;
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

/// At start-up: takes back or completes an import that was cut off, unless another tab is at it. One read where there
/// was none.
///
/// # Errors
/// The store failed.
pub async fn sweep_orphans(browser: &Browser) -> Result<Option<Recovered>, Failure> {
    if !journal::is_open(&*browser.ports.store).await? {
        return Ok(None);
    }
    let mut locks = Locks { tabs: browser.tabs.clone(), names: Vec::new() };
    if locks.take(IMPORT).await { journal::recover(&*browser.ports.store).await } else { Ok(None) }
}

/// Sees to it that this is the only import, and that nothing is left of an earlier one.
async fn begin(browser: &Browser) -> Result<Locks, Failure> {
    let mut locks = Locks { tabs: browser.tabs.clone(), names: Vec::new() };
    if browser.tabs.owns(IMPORT) || !locks.take(IMPORT).await {
        return Err(Failure::Busy);
    }
    journal::recover(&*browser.ports.store).await?;
    Ok(locks)
}

/// Locks that this tab did not hold before, held until dropped.
struct Locks {
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

/// The lines of an archive, packed or not.
enum Lines {
    Gzip(Decompress),
    /// Somebody unpacked it.
    Plain {
        file: File,
        read: f64,
    },
}

impl Lines {
    /// Looks at the first bytes; what is no archive is refused by them.
    async fn of(file: &File) -> Result<Self, Failure> {
        let head = slice(file, 0.0, HEAD).await?;
        match sniff(&head) {
            FileKind::Gzip => Ok(Self::Gzip(Decompress::new(file.clone())?)),
            FileKind::Json if begins_archive(&head) => Ok(Self::Plain { file: file.clone(), read: 0.0 }),
            FileKind::Json if file.size() <= JSON_BYTES as f64 => {
                let text = json::text_of(slice(file, 0.0, file.size()).await?)?;
                let found = content(&json::parse(&text)?);
                Err(Refusal::Unrecognised { wanted: Content::Archive, found }.into())
            }
            kind => Err(Refusal::NotFabula(kind).into()),
        }
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
            }
        })
    }

    fn compressed(&self) -> u64 {
        match self {
            Self::Gzip(gzip) => gzip.fed(),
            Self::Plain { read, .. } => *read as u64,
        }
    }
}

async fn slice(file: &File, from: f64, to: f64) -> Result<Vec<u8>, Failure> {
    files::slice(file, from, to).await.map_err(|error| Failure::Unreadable(text_of(&error, "message")))
}
