//! What travels as a file of its own beside the packs: pictures, and the vectors of the memory where the reader has them
//! travel. A pack only says that there is such a file ([`Elsewhere`]); it is fetched when it is seen, or by and by.

use std::collections::HashSet;

use futures_util::future::join_all;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    books::{self, AGAIN, Known, Mark, Me, Waiting},
    fact::{Fact, Says, Stamp},
    remote::{Remote, Seal, Trouble},
    round::How,
    tell::Told,
};
use crate::{
    ports::{Ports, Store},
    store::{
        Batch, Doc, Op, Query, Stored, Table,
        changed::{CHANGED, beginning},
        record,
    },
    story::blob::{Blob, address},
};

/// The folder.
pub const FOLDER: &str = "blob/";
/// Files that are fetched at a time.
const AT_ONCE: usize = 4;
/// The same in one round: what is played meanwhile is told in between.
const A_ROUND: usize = if cfg!(test) { 4 } else { 40 };
/// Bytes after which a round fetches no more.
const MOST: usize = 8 << 20;
/// How the ids begin of what is known and lies elsewhere.
const THERE: &str = "@";
/// In the id of a segment of vectors, before the device that made it: each numbers its own.
const BY: &str = "/by/";

/// A file that lies in the storage and is not here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Elsewhere {
    pub id: String,
    pub fact: Fact,
}
record!(Elsewhere, Sync);

impl Elsewhere {
    pub fn new(fact: Fact) -> Self {
        Self { id: Self::id(&fact.of), fact }
    }

    fn id(of: &str) -> String {
        format!("{THERE}{of}")
    }

    fn table(&self) -> Option<Table> {
        Table::from_name(self.fact.place().0).filter(|table| is_file(*table))
    }

    fn value(&self) -> &Value {
        match &self.fact.says {
            Says::Whole(_, value) => value,
            _ => &Value::Null,
        }
    }

    /// The storyline whose vectors it has.
    fn story(&self) -> &str {
        self.value()["storyline"].as_str().unwrap_or_default()
    }

    fn forgotten(&self) -> Op {
        Op::Delete(Table::Sync, self.id.clone())
    }
}

fn is_file(table: Table) -> bool {
    matches!(table, Table::Blobs | Table::Vectors)
}

/// Whether the fact says of a file that it is there.
pub fn is_of_file(fact: &Fact) -> bool {
    Table::from_name(fact.place().0).is_some_and(is_file)
}

/// A file that goes out: whose bytes it has, and what it is named after.
#[derive(Clone, Debug, PartialEq)]
pub struct Sent {
    pub table: Table,
    pub id: String,
    pub named_after: String,
}

impl Sent {
    /// A picture has the hash of its bytes for its id.
    pub fn picture(id: &str) -> Self {
        Self { table: Table::Blobs, id: id.to_owned(), named_after: id.to_owned() }
    }
}

/// The name of a file in the storage, which tells nothing of what it is.
pub async fn name(seal: &dyn Seal, named_after: &str) -> Result<String, Trouble> {
    Ok(format!("{FOLDER}{}", seal.name(named_after).await?))
}

/// Notes that there are these files.
pub fn note(facts: Vec<Fact>) -> Batch {
    let mut batch = Batch::new();
    for fact in facts {
        batch.ops.push(Op::Delete(Table::Sync, Waiting::id(&fact.of)));
        batch.push(&Elsewhere::new(fact));
    }
    batch
}

/// Segments of vectors that are full and that the others have not heard of: one that still grows is not worth its way.
///
/// # Errors
/// The store failed; so everywhere here.
pub async fn vectors(store: &dyn Store, me: &Me) -> Stored<Told> {
    let keys = store.keys(Query::all(Table::Vectors)).await?;
    let numbered =
        |key: &String| key.rsplit_once('/').is_some_and(|(before, number)| !before.contains(BY) && is_number(number));
    let own: Vec<_> = keys.into_iter().filter(numbered).collect();
    let of_same =
        |one: &str, other: &str| one.rsplit_once('/').map(|(of, _)| of) == other.rsplit_once('/').map(|(of, _)| of);
    // The last of each grows.
    let full = own.windows(2).filter(|pair| of_same(&pair[0], &pair[1])).map(|pair| pair[0].clone());
    let full: Vec<_> = full.filter_map(|key| Some((of_vectors(&key, me)?, key))).collect();
    let of: Vec<_> = full.iter().map(|(of, _)| of.clone()).collect();
    let known = books::known(store, &of).await?;
    let mut told = Told::default();
    for (of, key) in full.into_iter().filter(|(of, _)| !known.contains_key(of)) {
        let Some(doc) = store.get(Table::Vectors, &key).await? else { continue };
        let stamp = Stamp { at: books::FIRST, by: me.device.clone() };
        told.files.push(Sent { table: Table::Vectors, id: key, named_after: of.clone() });
        told.known.push(Known { stamp: stamp.clone(), ..Known::of(&of) });
        told.facts.push(Fact { of, story: String::new(), says: Says::Whole(stamp, doc.value) });
    }
    Ok(told)
}

/// That it is being told. The next round makes it anew of what is there.
pub fn again(fact: &Fact) -> Mark {
    Mark { id: format!("{CHANGED}{}", fact.of), at: AGAIN }
}

fn is_number(text: &str) -> bool {
    text.len() == 6 && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// What the others know a segment by.
fn of_vectors(key: &str, me: &Me) -> Option<String> {
    let (of, number) = key.rsplit_once('/')?;
    Some(format!("{}/{of}{BY}{}/{number}", Table::Vectors.name(), me.device))
}

/// What became of the files that are not here.
#[derive(Default)]
pub struct Fetched {
    /// Bytes that came.
    pub heard: usize,
    /// A picture is here that was not.
    pub pictures: bool,
    /// Pictures that are still to come.
    pub left: usize,
    /// More is to be fetched than one round fetches.
    pub goes_on: bool,
    /// A file that is not what was written. It is tried again.
    pub damaged: Option<Trouble>,
}

/// Fetches what is to come without being seen.
///
/// # Errors
/// The storage or the store failed: what has come is here.
pub async fn fetch_all(ports: &Ports, remote: &dyn Remote, seal: &dyn Seal, how: How) -> Result<Fetched, Trouble> {
    let store = &*ports.store;
    let mut fetched = Fetched::default();
    let notes: Vec<Elsewhere> = store.list(beginning(THERE, None)).await?;
    if notes.is_empty() {
        return Ok(fetched);
    }
    let here: HashSet<String> = store.keys(Query::all(Table::Blobs)).await?.into_iter().collect();
    let stories: HashSet<String> = store.keys(Query::all(Table::Storylines)).await?.into_iter().collect();
    let (mut wanted, mut vectors, mut done) = (Vec::new(), Vec::new(), Batch::new());
    for note in notes {
        match note.table() {
            Some(Table::Blobs) if here.contains(note.fact.place().1) => done.ops.push(note.forgotten()),
            Some(Table::Blobs) => {
                fetched.left += 1;
                // What is no picture is seen by nobody, and needed all the same.
                let is_wanted = how.pictures || note.value()["kind"] == Blob::OTHER;
                wanted.extend(is_wanted.then_some(note));
            }
            _ if stories.contains(note.story()) => vectors.extend(how.vectors.then_some(note)),
            _ if is_gone(store, note.story()).await? => done.ops.push(note.forgotten()),
            _ => {}
        }
    }
    let due = wanted.len() + vectors.len();
    // Each time from elsewhere: some that are not to be had are not in the way of the rest.
    for notes in [&mut wanted, &mut vectors] {
        let from = (ports.clock.now() as usize).checked_rem(notes.len());
        notes.rotate_left(from.unwrap_or_default());
    }
    // Vectors first, or the next turn pays for them once more; but pictures, too.
    vectors.truncate(A_ROUND.saturating_sub(wanted.len()).max(A_ROUND / 2));
    vectors.append(&mut wanted);
    vectors.truncate(A_ROUND);
    let wanted = vectors;
    if !done.ops.is_empty() {
        store.commit(done).await?;
    }
    let mut asked = 0;
    for some in wanted.chunks(AT_ONCE) {
        if fetched.heard > MOST {
            break;
        }
        asked += some.len();
        let all = join_all(some.iter().map(|note| fetch(store, remote, seal, note))).await;
        for (note, come) in some.iter().zip(all) {
            match come {
                Ok(Some(bytes)) => {
                    fetched.heard += bytes;
                    if note.table() == Some(Table::Blobs) {
                        fetched.pictures = true;
                        fetched.left -= 1;
                    }
                }
                // It is not there yet.
                Ok(None) => {}
                Err(trouble @ Trouble::Damaged(_)) => fetched.damaged = Some(trouble),
                Err(trouble) => return Err(trouble),
            }
        }
    }
    // Where nothing came, it is no use to ask at once for more.
    fetched.goes_on = fetched.heard > 0 && asked < due;
    Ok(fetched)
}

async fn is_gone(store: &dyn Store, story: &str) -> Stored<bool> {
    let known = store.load::<Known>(&format!("{}/{story}", Table::Storylines.name())).await?;
    Ok(known.is_some_and(|known| known.gone))
}

/// Fetches a picture that is seen: whether it is here now. `None`: nobody has told of it.
///
/// # Errors
/// The storage or the store failed.
pub async fn see(ports: &Ports, remote: &dyn Remote, seal: &dyn Seal, picture: &str) -> Result<Option<bool>, Trouble> {
    let store = &*ports.store;
    let note = Elsewhere::id(&format!("{}/{picture}", Table::Blobs.name()));
    let Some(note) = store.load::<Elsewhere>(&note).await? else { return Ok(None) };
    Ok(Some(fetch(store, remote, seal, &note).await?.is_some()))
}

/// How many bytes came; `None`: the file is not there.
async fn fetch(
    store: &dyn Store,
    remote: &dyn Remote,
    seal: &dyn Seal,
    note: &Elsewhere,
) -> Result<Option<usize>, Trouble> {
    let Some(table) = note.table() else { return Ok(None) };
    let id = note.fact.place().1;
    let named_after = if table == Table::Blobs { id } else { note.fact.of.as_str() };
    let name = name(seal, named_after).await?;
    let Some(sealed) = remote.read(&name).await? else { return Ok(None) };
    let bytes = seal.open(&name, &sealed).await?;
    if table == Table::Blobs && address(&bytes).0 != id {
        return Err(Trouble::Damaged(name));
    }
    let mut value = note.value().clone();
    if let Some(value) = value.as_object_mut() {
        value.insert("id".to_owned(), json!(id));
    }
    let ops = vec![note.forgotten(), Op::Put(table, Doc { value, bytes: Some(bytes.into()) })];
    store.commit(Batch { ops, ..Batch::new() }).await?;
    Ok(Some(sealed.len()))
}
