//! One round: hear what the others told, then tell what changed here.
//!
//! Each device writes files of names that no other uses, so no two ever write the same one, and a server needs no
//! conditional writes: `log/<device>.<from>-<to>`, packs numbered without gaps; `blob/…`, pictures. A device puts its own
//! packs together when they become many.

use std::collections::BTreeMap;

use super::{
    books::{self, Me},
    fact::{Fact, Pack},
    hear::{self, MayWrite, News},
    remote::{Remote, Seal, Trouble},
    sealing::{LIBRARY, Library},
    tell,
};
use crate::{
    ports::Ports,
    store::{Batch, Doc, Op, Table, from_text},
    story::blob::address,
};

/// Records that one pack tells of, at most: to read and to write one must not be felt on the page.
const PACK: u32 = if cfg!(test) { 12 } else { 200 };
/// A device puts its newest packs together when there are more than this.
const PACKS: usize = if cfg!(test) { 4 } else { 32 };
/// Packs larger than this stay as they are (bytes, sealed).
const LARGE: usize = if cfg!(test) { 4 << 10 } else { 64 << 10 };

const LOG: &str = "log/";
const BLOB: &str = "blob/";

/// What a round has done.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    pub news: News,
    /// Bytes that came and went.
    pub heard: usize,
    pub told: usize,
    /// Packs that others wrote and that are not to be found: what came after them waits.
    pub missing: usize,
    /// What went wrong after the others were heard. A file there that is not what was written: what is in it waits, all
    /// else was done.
    pub trouble: Option<Trouble>,
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

/// # Errors
/// Whatever was heard or told until then stays so, and the next round goes on.
pub async fn round(
    ports: &Ports,
    remote: &dyn Remote,
    seal: &dyn Seal,
    may_write: &mut dyn MayWrite,
    watch: &Watch<'_>,
) -> Result<Report, Trouble> {
    let mut round = Round { ports, remote, seal, me: begin(ports).await?, report: Report::default(), watch };
    let mut log = Log::of(remote.list(LOG).await?);
    round.awake(&log).await?;
    round.hear(&log).await?;
    round.report.news = hear::take_in(ports, &round.me, may_write).await?;
    // What has come is here, whatever happens now: who asked shall hear of it.
    if let Err(trouble) = round.answer(&mut log).await {
        round.report.trouble = Some(trouble);
    }
    Ok(round.report)
}

/// The packs that are there, by device.
#[derive(Debug, Default)]
struct Log(BTreeMap<String, Vec<(u64, u64)>>);

impl Log {
    fn of(names: Vec<String>) -> Self {
        let mut log = Self::default();
        for (device, from, to) in names.iter().filter_map(|name| parse(name)) {
            log.0.entry(device).or_default().push((from, to));
        }
        // Of those that begin alike the one that goes furthest comes first: it holds the others.
        log.0.values_mut().for_each(|packs| packs.sort_by_key(|(from, to)| (*from, std::cmp::Reverse(*to))));
        log
    }

    fn of_device(&self, device: &str) -> &[(u64, u64)] {
        self.0.get(device).map_or(&[], Vec::as_slice)
    }
}

fn file(device: &str, from: u64, to: u64) -> String {
    format!("{LOG}{device}.{from:010}-{to:010}")
}

fn parse(name: &str) -> Option<(String, u64, u64)> {
    let (device, numbers) = name.split_once('.')?;
    let (from, to) = numbers.split_once('-')?;
    Some((device.to_owned(), from.parse().ok()?, to.parse().ok()?))
}

struct Round<'a> {
    ports: &'a Ports,
    remote: &'a dyn Remote,
    seal: &'a dyn Seal,
    me: Me,
    report: Report,
    watch: &'a Watch<'a>,
}

impl Round<'_> {
    /// A browser profile that was put back to an earlier day would write over what others have heard, and of a storage that was
    /// put back they have not heard all: either way it goes on as another device, and tells all.
    async fn awake(&mut self, log: &Log) -> Result<(), Trouble> {
        let there = log.of_device(&self.me.device).iter().map(|(_, to)| *to).max().unwrap_or_default();
        let expected = self.me.last + u64::from(!self.me.telling.is_empty());
        if there < self.me.last {
            // Another device may have wiped it, and begun another.
            let found = self.remote.read(LIBRARY).await?.ok_or_else(|| Trouble::NoSuchPlace(LIBRARY.to_owned()))?;
            if Library::read(&found)?.id != self.seal.library() {
                return Err(Trouble::Passphrase);
            }
        }
        if (self.me.last..=expected).contains(&there) {
            // A pack that arrived, though it was not heard that it did: others may have read it, so it stays as it is, and what
            // it told is told again. One that arrived in part nobody can have read: it is written over.
            if there > self.me.last {
                match self.read(&file(&self.me.device, there, there)).await {
                    Err(Trouble::Damaged(_)) => {}
                    read => {
                        read?;
                        self.me.last = there;
                    }
                }
            }
            return Ok(());
        }
        let store = &*self.ports.store;
        books::mark_all(store).await?;
        self.me = Me { heard: std::mem::take(&mut self.me.heard), ..books::new_me(device(self.ports)) };
        store.save(&self.me).await?;
        Ok(())
    }

    async fn answer(&mut self, log: &mut Log) -> Result<(), Trouble> {
        self.pictures().await?;
        while let Some(told) = tell::gather(&*self.ports.store, &mut self.me, PACK).await? {
            self.tell(told, log).await?;
        }
        self.pack(log).await
    }

    async fn hear(&mut self, log: &Log) -> Result<(), Trouble> {
        let own = self.me.device.clone();
        for (device, packs) in log.0.iter().filter(|(device, _)| **device != own) {
            for (from, to) in packs {
                let heard = self.me.heard.get(device).copied().unwrap_or_default();
                if *to <= heard {
                    continue;
                }
                if *from > heard + 1 {
                    self.report.missing += 1;
                    break;
                }
                let facts = match self.read(&file(device, *from, *to)).await {
                    Ok(Some(facts)) => facts,
                    // It was put together with others since the list was made: the next list has it.
                    Ok(None) => break,
                    Err(trouble) => {
                        self.spoilt(trouble)?;
                        break;
                    }
                };
                hear::note(self.ports, &mut self.me, device, *to, facts).await?;
            }
        }
        Ok(())
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
        let Some(bytes) = self.remote.read(name).await? else { return Ok(None) };
        self.report.heard += bytes.len();
        (self.watch)(&self.report);
        self.unpack(name, &bytes).await.map(Some)
    }

    async fn unpack(&self, name: &str, sealed: &[u8]) -> Result<Vec<Fact>, Trouble> {
        let damaged = || Trouble::Damaged(name.to_owned());
        let bytes = self.seal.open(name, sealed).await?;
        let text = std::str::from_utf8(&bytes).map_err(|_| damaged())?;
        let pack: Pack = from_text(text).map_err(|_| damaged())?;
        Ok(pack.facts)
    }

    async fn write(&mut self, name: &str, bytes: &[u8]) -> Result<usize, Trouble> {
        let sealed = self.seal.seal(name, bytes).await?;
        let size = sealed.len();
        self.remote.write(name, sealed).await?;
        self.report.told += size;
        (self.watch)(&self.report);
        Ok(size)
    }

    async fn tell(&mut self, told: tell::Told, log: &mut Log) -> Result<(), Trouble> {
        let store = &*self.ports.store;
        for id in &told.blobs {
            let Some(doc) = store.get(Table::Blobs, id).await? else { continue };
            let name = self.blob(id).await?;
            self.write(&name, &doc.bytes.unwrap_or_default()).await?;
        }
        if !told.facts.is_empty() {
            let next = self.me.last + 1;
            let pack = serde_json::to_vec(&Pack { facts: told.facts.clone() }).unwrap_or_default();
            self.write(&file(&self.me.device, next, next), &pack).await?;
            log.0.entry(self.me.device.clone()).or_default().push((next, next));
            self.me.last = next;
        }
        tell::told(store, &mut self.me, &told).await?;
        Ok(())
    }

    async fn blob(&self, id: &str) -> Result<String, Trouble> {
        Ok(format!("{BLOB}{}", self.seal.name(id).await?))
    }

    /// Pictures that others have told of. One that is not there yet goes on waiting.
    async fn pictures(&mut self) -> Result<(), Trouble> {
        let store = &*self.ports.store;
        for fact in std::mem::take(&mut self.report.news.pictures) {
            let id = fact.place().1.to_owned();
            let mut batch = Batch::new();
            batch.ops.push(Op::Delete(Table::Sync, books::Waiting::id(&fact.of)));
            if store.get(Table::Blobs, &id).await?.is_none() {
                let name = self.blob(&id).await?;
                let Some(sealed) = self.remote.read(&name).await? else {
                    self.report.news.pictures.push(fact);
                    continue;
                };
                self.report.heard += sealed.len();
                (self.watch)(&self.report);
                let opened = self.seal.open(&name, &sealed).await.and_then(|bytes| match address(&bytes).0 == id {
                    true => Ok(bytes),
                    false => Err(Trouble::Damaged(name)),
                });
                let bytes = match opened {
                    Ok(bytes) => bytes,
                    Err(trouble) => {
                        self.spoilt(trouble)?;
                        self.report.news.pictures.push(fact);
                        continue;
                    }
                };
                if let super::fact::Says::Whole(_, value) = fact.says {
                    batch.ops.push(Op::Put(Table::Blobs, Doc { value, bytes: Some(bytes.into()) }));
                    self.report.news.library = true;
                }
            }
            store.commit(batch).await?;
        }
        Ok(())
    }

    /// Puts the newest packs of this device together where they are many, each once. Until the small ones are gone both are
    /// there, and who has heard the one passes the others over.
    async fn pack(&mut self, log: &Log) -> Result<(), Trouble> {
        let packed = self.me.packed;
        let own = log.of_device(&self.me.device).iter().filter(|(from, _)| *from > packed);
        let own: Vec<(u64, u64)> = own.copied().collect();
        if own.len() <= PACKS {
            return Ok(());
        }
        let (mut run, mut joined, mut until) = (Vec::new(), BTreeMap::<String, Fact>::new(), 0);
        for (from, to) in own {
            let name = file(&self.me.device, from, to);
            if from <= until {
                // What a crash left behind: its contents are in the one before.
                self.remote.delete(&name).await?;
                continue;
            }
            until = to;
            let Some(bytes) = self.remote.read(&name).await? else { continue };
            self.report.heard += bytes.len();
            if bytes.len() > LARGE {
                self.join(&mut run, &mut joined).await?;
                continue;
            }
            let facts = match self.unpack(&name, &bytes).await {
                Ok(facts) => facts,
                Err(trouble) => {
                    self.spoilt(trouble)?;
                    self.join(&mut run, &mut joined).await?;
                    continue;
                }
            };
            facts.into_iter().for_each(|fact| fact.join_to(&mut joined));
            run.push((from, to, name));
        }
        self.join(&mut run, &mut joined).await?;
        self.me.packed = until;
        self.ports.store.save(&self.me).await?;
        Ok(())
    }

    async fn join(
        &mut self,
        run: &mut Vec<(u64, u64, String)>,
        joined: &mut BTreeMap<String, Fact>,
    ) -> Result<(), Trouble> {
        let (run, joined) = (std::mem::take(run), std::mem::take(joined));
        let (Some((from, ..)), Some((_, to, _))) = (run.first(), run.last()) else { return Ok(()) };
        if run.len() < 2 {
            return Ok(());
        }
        let pack = Pack { facts: joined.into_values().collect() };
        let name = file(&self.me.device, *from, *to);
        self.write(&name, &serde_json::to_vec(&pack).unwrap_or_default()).await?;
        for (.., small) in &run {
            self.remote.delete(small).await?;
        }
        Ok(())
    }
}
