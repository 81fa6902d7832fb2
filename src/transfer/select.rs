//! What of the store belongs into an archive, and a walk through it.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Failure, Watch, excerpt::Excerpt};
use crate::{
    exchange::archive::{Counts, Entry, Kind},
    ports::{Pages, Ports, Store},
    store::{Belongs, Doc, Of, Part, Query, Stored, Table, decode},
    story::{
        Millis,
        fault::{Fault, FaultKind},
        generation::Generation,
        ids::StorylineId,
        storyline::Storyline,
    },
    turn::stream::{self, Ending},
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    Storyline(StorylineId),
    /// A storyline up to one of its save points, by the id of that: a story of its own, with fresh ids.
    SavePoint(StorylineId, String),
    /// All but what is in the bin.
    Library,
}

/// Records of the library, by their ids.
type Needed = BTreeSet<(Part, String)>;

/// A scope, looked up.
pub(super) struct Selection {
    pub kind: Kind,
    pub title: String,
    /// About; for the header.
    pub counts: Counts,
    storylines: BTreeSet<String>,
    /// What the storylines need goes with them, from the bin too.
    needed: Needed,
    excerpt: Option<Excerpt>,
}

impl Selection {
    pub async fn of(store: &dyn Store, scope: &Scope) -> Result<Self, Failure> {
        let mut selection = Self {
            kind: Kind::Library,
            title: String::new(),
            counts: Counts::default(),
            storylines: BTreeSet::new(),
            needed: BTreeSet::new(),
            excerpt: None,
        };
        match scope {
            Scope::Storyline(id) => {
                let storyline = store.load::<Storyline>(id.as_str()).await?.ok_or(Failure::Gone)?;
                selection.kind = Kind::Storyline;
                selection.title = storyline.title.clone();
                selection.add(&storyline);
            }
            Scope::SavePoint(id, point) => {
                let storyline = store.load::<Storyline>(id.as_str()).await?.ok_or(Failure::Gone)?;
                let excerpt = Excerpt::of(store, storyline, point).await?;
                selection.kind = Kind::Storyline;
                selection.title = excerpt.storyline.title.clone();
                selection.add(&excerpt.storyline);
                selection.excerpt = Some(excerpt);
            }
            Scope::Library => {
                let mut pages = Pages::new(Table::Storylines);
                while let Some(docs) = pages.next(store).await? {
                    for doc in docs.into_iter().filter(|doc| !is_binned(&doc.value)) {
                        match decode::<Storyline>(doc.value.clone()) {
                            Ok(storyline) => selection.add(&storyline),
                            // The writer of the archive names it.
                            Err(_) => drop(selection.storylines.insert(doc.id().to_owned())),
                        }
                    }
                }
            }
        }
        selection.count(store).await?;
        Ok(selection)
    }

    fn add(&mut self, storyline: &Storyline) {
        self.storylines.insert(storyline.id.0.clone());
        // Whoever has left speaks in it still, and a save point is played with its own preset.
        let record = serde_json::to_value(storyline).expect("it has text keys");
        for part in Part::ALL.into_iter().filter(|part| part.belongs() == Belongs::Library) {
            let named = Table::Storylines.ids_in(Of::Part(part), &record);
            self.needed.extend(named.into_iter().filter(|id| !id.is_empty()).map(|id| (part, id.to_owned())));
        }
    }

    async fn count(&mut self, store: &dyn Store) -> Stored<()> {
        for part in Part::ALL {
            let count = match (self.kind, part.belongs()) {
                (_, Belongs::Root) => self.storylines.len() as u64,
                _ if let Some(keys) = self.cut_to(part) => keys.len() as u64,
                (Kind::Library, _) => store.count(Query::all(part.table())).await?.into(),
                (Kind::Storyline, Belongs::Library | Belongs::Content) => 0,
                (Kind::Storyline, _) => {
                    let mut count = 0;
                    for id in &self.storylines {
                        count += u64::from(store.count(Query::equal(part.table(), "storyline", id.as_str())).await?);
                    }
                    count
                }
            };
            self.counts.add(part, count);
        }
        Ok(())
    }

    /// The storyline that is cut to what leads to a save point.
    pub fn cut_storyline(&self) -> Option<&StorylineId> {
        self.excerpt.as_ref().map(|excerpt| &excerpt.storyline.id)
    }

    fn cut_to(&self, part: Part) -> Option<Vec<String>> {
        self.excerpt.as_ref()?.keys(part)
    }

    /// Gives the records in the order of an archive, a page at a time; and how many pictures they name that are not here.
    pub async fn walk(
        &self,
        ports: &Ports,
        watch: &Watch<'_>,
        mut each: impl AsyncFnMut(Vec<Entry>) -> Result<(), Failure>,
    ) -> Result<usize, Failure> {
        let store = &*ports.store;
        let (mut pictures, mut needed) = (BTreeSet::new(), self.needed.clone());
        for part in Part::ALL {
            if part.belongs() == Belongs::Content {
                continue;
            }
            let mut pages = match self.kind {
                Kind::Library => Pages::new(part.table()),
                Kind::Storyline => Pages::Keys { table: part.table(), keys: self.keys(store, part, &needed).await? },
            };
            while let Some(docs) = pages.next(store).await? {
                let entries: Vec<_> = docs
                    .into_iter()
                    .filter(|doc| self.takes(part, &doc.value, &needed))
                    .filter_map(|doc| {
                        let value = settled(part, doc.value, ports.clock.now());
                        let value = match &self.excerpt {
                            Some(excerpt) => excerpt.cut(part, value)?,
                            None => value,
                        };
                        Some(Entry { part, doc: Doc { value, bytes: doc.bytes } })
                    })
                    .collect();
                let named = entries.iter().flat_map(|entry| pictures_of(part, &entry.doc.value));
                pictures.extend(named.map(str::to_owned));
                for of in [Part::Personas, Part::Lorebooks] {
                    let named = entries.iter().flat_map(|entry| part.table().ids_in(Of::Part(of), &entry.doc.value));
                    needed.extend(named.map(|id| (of, id.to_owned())));
                }
                let count = entries.len();
                // Reading a page and writing one are each as much as fits into a task.
                watch.breathe().await?;
                each(entries).await?;
                watch.count(count);
                watch.breathe().await?;
            }
        }
        let mut absent = 0;
        for picture in pictures {
            match store.get(Table::Blobs, &picture).await? {
                Some(doc) => {
                    each(vec![Entry { part: Part::Blobs, doc }]).await?;
                    watch.count(1);
                    watch.breathe().await?;
                }
                None => absent += 1,
            }
        }
        Ok(absent)
    }

    /// The keys of a storyline's records.
    async fn keys(&self, store: &dyn Store, part: Part, needed: &Needed) -> Stored<Vec<String>> {
        Ok(match part.belongs() {
            Belongs::Root => self.storylines.iter().cloned().collect(),
            Belongs::Library => needed.iter().filter(|(of, _)| *of == part).map(|(_, id)| id.clone()).collect(),
            _ if let Some(keys) = self.cut_to(part) => keys,
            _ => {
                let mut keys = Vec::new();
                for id in &self.storylines {
                    keys.extend(store.keys(Query::equal(part.table(), "storyline", id.as_str())).await?);
                }
                keys
            }
        })
    }

    fn takes(&self, part: Part, value: &Value, needed: &Needed) -> bool {
        match part.belongs() {
            Belongs::Library => {
                let id = value["id"].as_str().unwrap_or_default();
                !is_binned(value) || needed.contains(&(part, id.to_owned()))
            }
            Belongs::Root => value["id"].as_str().is_some_and(|id| self.storylines.contains(id)),
            _ => value["storyline"].as_str().is_some_and(|id| self.storylines.contains(id)),
        }
    }
}

/// The pictures that a record names.
pub(super) fn pictures_of(part: Part, record: &Value) -> Vec<&str> {
    part.table().ids_in(Of::Part(Part::Blobs), record)
}

pub(super) fn is_binned(value: &Value) -> bool {
    value.get("deleted").is_some_and(|deleted| !deleted.is_null())
}

/// Out of the bin.
pub(super) fn unbinned(mut value: Value) -> Value {
    if let Value::Object(fields) = &mut value {
        fields.shift_remove("deleted");
    }
    value
}

/// As it stands in a file: not in the bin, and no stream that nobody writes.
fn settled(part: Part, value: Value, now: Millis) -> Value {
    match part {
        Part::Generations if value["status"] == "streaming" => match decode::<Generation>(value.clone()) {
            Ok(mut generation) => {
                stream::close(&mut generation, Ending::Fault(Fault::new(FaultKind::TabClosed, "")), now);
                serde_json::to_value(&generation).unwrap_or(value)
            }
            Err(_) => value,
        },
        _ if part.belongs().is_on_shelf() => unbinned(value),
        _ => value,
    }
}
