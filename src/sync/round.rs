//! One round: hear what the others told, then tell what changed here.
//!
//! Each device writes files of names that no other uses, so no two ever write the same one, and a server needs no
//! conditional writes: packs ([`super::log`]), and `blob/…` ([`super::bytes`]).

use std::collections::BTreeMap;

use futures_util::{
    future::{OptionFuture, join_all},
    join,
};

use super::{
    ahead::{self, Ahead},
    books::{self, Me},
    bytes::{self, Sent},
    fact::{Fact, Pack},
    hear::{self, MayWrite, News},
    log::{File, LARGE, LOG, Log, to_join},
    remote::{Listed, Remote, Seal, Trouble},
    sealing::{LIBRARY, Library},
    tell,
};
use crate::{ports::Ports, store::from_text};

/// Records that one pack tells of, at most: to read and to write one must not be felt on the page.
const PACK: u32 = if cfg!(test) { 12 } else { 600 };

/// What a round has done.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The storage was asked what there is.
    pub hears: bool,
    /// What had come was looked at: from then on the news are whole.
    pub took_in: bool,
    pub news: News,
    /// Bytes that came and went.
    pub heard: usize,
    pub told: usize,
    /// Pictures that are known and not here.
    pub pictures: usize,
    /// Something was not told yet: it waits for a reply.
    pub holds: bool,
    /// More of such files are to come at once, with the next round.
    pub goes_on: bool,
    /// Packs that others wrote and that are not to be found: what came after them waits.
    pub missing: usize,
    /// What went wrong after the others were heard. A file there that is not what was written: what is in it waits, all
    /// else was done.
    pub trouble: Option<Trouble>,
}

/// How a round goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct How {
    /// The storage is asked what there is. Else nothing is listed unless the next pack of a device that is known is there:
    /// after a round that ended well, while the same storage is open, that is enough. Who plays on has heard of what was
    /// deleted elsewhere before they tell of it.
    pub lists: bool,
    /// All pictures come; else those that are seen ([`super::see`]).
    pub pictures: bool,
    /// The vectors of the memory travel, too.
    pub vectors: bool,
}

/// What a round is at: bytes heard and told.
pub type Watch<'a> = dyn Fn(&Report) + 'a;

/// Begins to keep books on this device: all that is here will be told.
///
/// # Errors
/// The store failed.
pub async fn begin(ports: &Ports) -> Result<Me, Trouble> {
    let store = &*ports.store;
    if let Some(me) = books::me(store).await? {
        return Ok(me);
    }
    books::mark_all(store).await?;
    let me = books::new_me(device(ports));
    store.save(&me).await?;
    Ok(me)
}

/// Ten letters by chance.
fn device(ports: &Ports) -> String {
    ports.random.bytes().iter().rev().take(5).map(|byte| format!("{byte:02x}")).collect()
}

/// Hears, takes in, and tells.
///
/// # Errors
/// Whatever was heard or told until then stays so, and the next round goes on.
pub async fn round(
    ports: &Ports,
    remote: &dyn Remote,
    seal: &dyn Seal,
    may_write: &mut dyn MayWrite,
    how: How,
    watch: &Watch<'_>,
) -> Result<Report, Trouble> {
    let me = begin(ports).await?;
    let mut round = Round { ports, remote, seal, me, report: Report::default(), how, watch, ahead: None };
    // What was not heard to have arrived may have.
    if !how.lists && round.me.telling.is_empty() && !round.has_more().await? {
        // What came before and could not be taken in may be by now.
        if books::waits(&*ports.store).await? {
            round.hear(&Log::default(), may_write).await?;
        }
        round.tell_all().await?;
        return Ok(round.report);
    }
    round.report.hears = true;
    let log = Log::of(&remote.list(LOG).await?);
    round.awake(&log).await?;
    let heard = round.hear(&log, may_write).await;
    let done = match heard {
        Ok(()) => round.answer(log).await,
        Err(trouble) if !round.report.took_in => return Err(trouble),
        broken => broken,
    };
    // What has come is here, whatever happens now: who asked shall hear of it.
    if let Err(trouble) = done {
        round.report.trouble = Some(trouble);
    }
    Ok(round.report)
}

/// What has come and is not taken in, and up to which pack each device was heard with it.
struct Come {
    facts: BTreeMap<String, Fact>,
    heard: BTreeMap<String, u64>,
}

struct Round<'a> {
    ports: &'a Ports,
    remote: &'a dyn Remote,
    seal: &'a dyn Seal,
    me: Me,
    report: Report,
    how: How,
    watch: &'a Watch<'a>,
    /// Once the newest pages of what is on its way were looked for.
    ahead: Option<Ahead>,
}

impl Round<'_> {
    /// A browser profile that was put back to an earlier day would write over what others have heard, and of a storage that was
    /// put back they have not heard all: either way it goes on as another device, and tells all.
    async fn awake(&mut self, log: &Log) -> Result<(), Trouble> {
        let expected = self.me.last + u64::from(!self.me.telling.is_empty());
        // A pack that arrived, though it was not heard that it did: others may have read it, so it stays as it is, and what it
        // told is told again. One that arrived in part nobody can have read: it is written over. A list may come late.
        if expected > self.me.last {
            match self.read(&own(expected).name(&self.me.device)).await {
                Err(Trouble::Damaged(_)) | Ok(None) => {}
                read => {
                    read?;
                    self.me.last = expected;
                }
            }
        }
        let (there, is_broken) = log.whole_until(&self.me.device);
        if there < self.me.last {
            self.is_there().await?;
            let last = own(self.me.last).name(&self.me.device);
            if !is_broken && self.remote.read(&last).await?.is_some() {
                return Ok(());
            }
        }
        if (self.me.last..=expected).contains(&there) {
            return Ok(());
        }
        let store = &*self.ports.store;
        let telling = std::mem::take(&mut self.me.telling);
        books::mark_anew(store, &telling).await?;
        self.me = Me { heard: std::mem::take(&mut self.me.heard), ..books::new_me(device(self.ports)) };
        store.save(&self.me).await?;
        Ok(())
    }

    /// Whether the next pack of a device that is known is there, by the name that it is first written under.
    async fn has_more(&self) -> Result<bool, Trouble> {
        for (device, heard) in &self.me.heard {
            if self.remote.read(&own(heard + 1).name(device)).await?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Another device may have wiped the library, and begun another.
    async fn is_there(&self) -> Result<(), Trouble> {
        let found = self.remote.read(LIBRARY).await?.ok_or_else(|| Trouble::NoSuchPlace(LIBRARY.to_owned()))?;
        match Library::read(&found)?.id == self.seal.library() {
            true => Ok(()),
            false => Err(Trouble::Passphrase),
        }
    }

    async fn answer(&mut self, log: Log) -> Result<(), Trouble> {
        let told = self.tell_and_join(log).await;
        // What others told comes, whether or not this device can tell.
        let fetched = self.fetch_files().await;
        told.and(fetched)
    }

    async fn tell_and_join(&mut self, mut log: Log) -> Result<(), Trouble> {
        for file in self.tell_all().await? {
            log.push(&self.me.device, file);
        }
        self.join(&log).await
    }

    /// Gives the packs that were written.
    async fn tell_all(&mut self) -> Result<Vec<File>, Trouble> {
        let store = &*self.ports.store;
        let mut order = tell::Order::of(store, PACK).await?;
        let mut written = Vec::new();
        while let Some(told) = tell::gather(self.ports, &mut self.me, &mut order).await? {
            written.extend(self.tell(told).await?);
        }
        self.report.holds = order.holds;
        if self.how.vectors && self.report.hears {
            let told = bytes::vectors(store, &self.me).await?;
            if !told.facts.is_empty() {
                // Where it is not heard that the pack arrived, it may have.
                self.me.telling = told.facts.iter().map(bytes::again).collect();
                store.save(&self.me).await?;
                written.extend(self.tell(told).await?);
            }
        }
        Ok(written)
    }

    async fn hear(&mut self, log: &Log, may_write: &mut dyn MayWrite) -> Result<(), Trouble> {
        let mut come = Come { facts: BTreeMap::new(), heard: self.me.heard.clone() };
        let done = self.fetch(log, &mut come, may_write).await;
        // Also what came before it broke off.
        let is_whole = self.report.hears && matches!(done, Ok(true));
        self.take_in(&mut come, is_whole, may_write).await?;
        done.map(drop)
    }

    /// Reads what others wrote; of much the first is taken in while the rest is on its way. Whether that is all: what is lost or
    /// spoilt is not waited for, it may be so for ever.
    async fn fetch(&mut self, log: &Log, come: &mut Come, may_write: &mut dyn MayWrite) -> Result<bool, Trouble> {
        let remote = self.remote;
        let own = self.me.device.clone();
        let mut is_all = true;
        for (device, files) in log.others(&own) {
            let (mut next, mut is_spoilt) = (None, false);
            for (at, file) in files.iter().enumerate() {
                let heard = come.heard.get(device).copied().unwrap_or_default();
                if file.to <= heard {
                    continue;
                }
                if file.from > heard + 1 {
                    self.report.missing += usize::from(!is_spoilt);
                    break;
                }
                let name = file.name(device);
                let found = match next.take() {
                    Some(found) => found,
                    None => remote.read(&name).await,
                };
                let facts = match self.got(&name, found?).await {
                    Ok(Some(facts)) => facts,
                    // It was put together with others since the list was made: the next list has it.
                    Ok(None) => {
                        is_all = false;
                        break;
                    }
                    // What it should hold may still lie beside it.
                    Err(trouble) => {
                        self.spoilt(trouble)?;
                        is_spoilt = true;
                        continue;
                    }
                };
                facts.into_iter().for_each(|fact| fact.join_to(&mut come.facts));
                come.heard.insert(device.to_owned(), file.to);
                if come.facts.len() > PACK as usize / 4 {
                    let following =
                        files.get(at + 1).filter(|next| next.from == file.to + 1).map(|next| next.name(device));
                    let fetch = OptionFuture::from(following.as_deref().map(|next| remote.read(next)));
                    let (taken, fetched) = join!(self.take_in(come, false, may_write), fetch);
                    taken?;
                    next = fetched;
                    self.look_ahead(log).await;
                }
            }
        }
        Ok(is_all)
    }

    async fn take_in(&mut self, come: &mut Come, is_whole: bool, may_write: &mut dyn MayWrite) -> Result<(), Trouble> {
        let taken = hear::take_in(self.ports, &self.me, std::mem::take(&mut come.facts), is_whole, may_write).await;
        if taken.is_err() {
            // What was not taken in was not heard.
            come.heard = self.me.heard.clone();
        }
        let news = taken?;
        if self.me.heard != come.heard {
            self.me.heard = come.heard.clone();
            self.ports.store.save(&self.me).await?;
        }
        self.report.took_in = true;
        self.report.news.join(news);
        self.show();
        Ok(())
    }

    fn show(&mut self) {
        if let Some(ahead) = &mut self.ahead {
            self.report.news.coming.values_mut().for_each(|coming| *coming = ahead.of(coming));
        }
        (self.watch)(&self.report);
    }

    /// Looks once for the newest pages of what is on its way. What it reads does not count as heard.
    async fn look_ahead(&mut self, log: &Log) {
        if self.report.news.coming.is_empty() || self.ahead.is_some() {
            return;
        }
        let remote = self.remote;
        let mut names = Vec::new();
        for (device, files) in log.others(&self.me.device) {
            let heard = self.me.heard.get(device).copied().unwrap_or_default();
            names.extend(ahead::newest(files, heard).iter().map(|file| file.name(device)));
        }
        let read = join_all(names.iter().map(|name| remote.read(name))).await;
        let mut ahead = Ahead::default();
        for (name, read) in names.iter().zip(read) {
            // What cannot be read is told of where it is heard.
            let Ok(found) = read else { continue };
            ahead.hear(self.got(name, found).await.ok().flatten().unwrap_or_default());
        }
        self.ahead = Some(ahead);
        self.show();
    }

    /// A spoilt file is no reason to stop.
    fn spoilt(&mut self, trouble: Trouble) -> Result<(), Trouble> {
        match trouble {
            Trouble::Damaged(_) => {
                self.report.trouble = Some(trouble);
                Ok(())
            }
            trouble => Err(trouble),
        }
    }

    async fn read(&mut self, name: &str) -> Result<Option<Vec<Fact>>, Trouble> {
        let found = self.remote.read(name).await?;
        self.got(name, found).await
    }

    /// What a file says that was read.
    async fn got(&mut self, name: &str, found: Option<Vec<u8>>) -> Result<Option<Vec<Fact>>, Trouble> {
        let Some(bytes) = found else { return Ok(None) };
        self.report.heard += bytes.len();
        (self.watch)(&self.report);
        self.unpack(name, &bytes).await.map(Some)
    }

    async fn unpack(&self, name: &str, sealed: &[u8]) -> Result<Vec<Fact>, Trouble> {
        let damaged = || Trouble::Damaged(name.to_owned());
        let bytes = self.seal.open(name, sealed).await?;
        let text = std::str::from_utf8(&bytes).map_err(|_| damaged())?;
        let pack: Pack<'_> = from_text(text).map_err(|_| damaged())?;
        Ok(pack.facts.into_owned())
    }

    async fn write(&mut self, name: &str, bytes: &[u8]) -> Result<usize, Trouble> {
        let sealed = self.seal.seal(name, bytes).await?;
        self.send(name, sealed).await
    }

    async fn send(&mut self, name: &str, sealed: Vec<u8>) -> Result<usize, Trouble> {
        let size = sealed.len();
        self.remote.write(name, sealed).await?;
        self.report.told += size;
        (self.watch)(&self.report);
        Ok(size)
    }

    async fn tell(&mut self, told: tell::Told) -> Result<Option<File>, Trouble> {
        let store = &*self.ports.store;
        // Of many some may be there, from a try before or from another device.
        let there = match told.files.len() {
            0 | 1 => Vec::new(),
            _ => self.remote.list(bytes::FOLDER).await?,
        };
        for Sent { table, id, named_after } in &told.files {
            let Some(doc) = store.get(*table, id).await? else { continue };
            let name = bytes::name(self.seal, named_after).await?;
            let sealed = self.seal.seal(&name, &doc.bytes.unwrap_or_default()).await?;
            // One that arrived in part is shorter.
            let is_it = |file: &Listed| name.ends_with(&file.name) && file.size == sealed.len() as u64;
            if !there.iter().any(is_it) {
                self.send(&name, sealed).await?;
            }
        }
        let mut written = None;
        if !told.facts.is_empty() {
            let file = own(self.me.last + 1);
            let size = self.write(&file.name(&self.me.device), &packed(&told.facts)).await? as u64;
            self.me.last = file.to;
            written = Some(File { size, ..file });
        }
        tell::told(store, &mut self.me, &told).await?;
        Ok(written)
    }

    /// What lies there and is to come without being seen.
    async fn fetch_files(&mut self) -> Result<(), Trouble> {
        let fetched = bytes::fetch_all(self.ports, self.remote, self.seal, self.how).await?;
        self.report.heard += fetched.heard;
        self.report.pictures = fetched.left;
        self.report.goes_on = fetched.goes_on;
        self.report.news.library |= fetched.pictures;
        (self.watch)(&self.report);
        fetched.damaged.map_or(Ok(()), |trouble| self.spoilt(trouble))
    }

    /// Deletes packs that a larger one holds. That one may have arrived in part: where it cannot be read it is the one that
    /// goes, if all that it should hold is there.
    async fn clear(&mut self, files: &[File], left: &[File]) -> Result<(), Trouble> {
        let device = self.me.device.clone();
        let mut sound = None;
        for file in left {
            let holds = |other: &&File| *other != file && other.from <= file.from && file.to <= other.to;
            let Some(cover) = files.iter().find(holds) else { continue };
            if sound != Some(cover) {
                match self.read(&cover.name(&device)).await {
                    Ok(Some(_)) => sound = Some(cover),
                    // Another tab was quicker.
                    Ok(None) => return Ok(()),
                    Err(Trouble::Damaged(_)) => {
                        let is_there = |pack| left.iter().any(|file| (file.from..=file.to).contains(&pack));
                        return match (cover.from..=cover.to).all(is_there) {
                            true => self.remote.delete(&cover.name(&device)).await,
                            false => Ok(()),
                        };
                    }
                    Err(trouble) => return Err(trouble),
                }
            }
            self.remote.delete(&file.name(&device)).await?;
        }
        Ok(())
    }

    /// Puts packs of this device together where there are many. Until the small ones are gone both are there, and who has
    /// heard the one passes the others over.
    async fn join(&mut self, log: &Log) -> Result<(), Trouble> {
        let files = log.of_device(&self.me.device);
        let (left, run) = to_join(files);
        if !left.is_empty() {
            return self.clear(files, &left).await;
        }
        let (Some(first), Some(last)) = (run.first(), run.last()) else { return Ok(()) };
        let all = File { from: first.from, to: last.to, size: 0 };
        let mut joined = BTreeMap::new();
        let before = self.report.heard;
        for file in &run {
            // What another tab or device does not find it does not put together.
            let Some(facts) = self.read(&file.name(&self.me.device)).await? else { return Ok(()) };
            // Of a storage that does not say how large they are.
            if (self.report.heard - before) as u64 > LARGE {
                return Ok(());
            }
            facts.into_iter().for_each(|fact: Fact| fact.join_to(&mut joined));
        }
        let joined: Vec<Fact> = joined.into_values().collect();
        self.write(&all.name(&self.me.device), &packed(&joined)).await?;
        for file in &run {
            self.remote.delete(&file.name(&self.me.device)).await?;
        }
        Ok(())
    }
}

/// A pack as it goes out, unsealed.
fn packed(facts: &[Fact]) -> Vec<u8> {
    serde_json::to_vec(&Pack { facts: facts.into() }).unwrap_or_default()
}

/// A pack as it is first written.
fn own(number: u64) -> File {
    File { from: number, to: number, size: 0 }
}
