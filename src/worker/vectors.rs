//! The vectors of one storyline by one embedder: in memory by unit, in the store by keys that outlive a session.

use std::cell::RefCell;

use fabula_kernel::{Graph, Hit, Refused, Segment, Vectors};
use serde_json::json;

use super::{entry::Entry, story::Story};
use crate::{
    memory::{View, dense::Windows},
    ports::{
        Store,
        recall::{Embedding, Source},
    },
    store::{Doc, Key, Op, Query, Stored, Table},
    story::{ids::StorylineId, order, print::print},
};

/// Nearest units that a graph is asked for. It gives no more than 128, of which some may not be seen from here.
const NEAREST: usize = 100;

/// Units whose likeness is taken besides, all over the story: they tell what a likeness is worth that is none.
const SAMPLE: usize = 256;

/// The name of a unit's text: another text has another name, and lacks its vector.
pub fn key(entry: &Entry, unit: usize) -> String {
    let (kind, id) = match &entry.source {
        Source::User(id) => ('u', &id.0),
        Source::Reply(id) => ('r', &id.0),
        Source::Memory(id) => ('m', &id.0),
    };
    format!("{kind}{id}.{unit}.{:x}", entry.print)
}

/// The unit of that name, if its text is still the same.
fn doc_of(story: &Story, key: &str) -> Option<u32> {
    let mut parts = key.rsplitn(3, '.');
    let (print, unit, source) = (parts.next()?, parts.next()?, parts.next()?);
    let (kind, id) = source.split_at_checked(1)?;
    let source = match kind {
        "u" => Source::User(id.into()),
        "r" => Source::Reply(id.into()),
        "m" => Source::Memory(id.into()),
        _ => return None,
    };
    let number = story.entry_of(&source)?;
    let same = story.entries[number].print == u64::from_str_radix(print, 16).ok()?;
    story.units_of(number).nth(unit.parse().ok()?).filter(|_| same)
}

pub struct Embedded {
    embedder: String,
    vectors: Vectors,
    windows: RefCell<Windows>,
    /// The one that grows, and its number.
    last: Segment,
    number: u32,
}

const GRAPH: &str = "graph";

/// Begins the id of every record of an embedder.
fn prefix(id: &StorylineId, embedder: &str) -> String {
    format!("{id}/{:016x}/", print(embedder))
}

fn graph_id(id: &StorylineId, embedder: &str) -> String {
    format!("{}{GRAPH}", prefix(id, embedder))
}

impl Embedded {
    /// Reads what is stored. A segment that is damaged is left out: its texts will be embedded again.
    pub async fn load(store: &dyn Store, id: &StorylineId, embedder: &str, story: &Story) -> Stored<Self> {
        let from = prefix(id, embedder);
        // Past the numbers and past `graph`.
        let to = format!("{from}~");
        let range = Query { from: Some(Key::from(&*from)), to: Some(Key::Text(to)), ..Query::all(Table::Vectors) };
        let mut held = Self {
            embedder: embedder.to_owned(),
            vectors: Vectors::new(),
            windows: RefCell::default(),
            last: Segment::new(embedder),
            number: 0,
        };
        let mut graph = None;
        // One after the other: a stored vector takes four times the memory of its code.
        for record in store.keys(range).await? {
            let Some(doc) = store.get(Table::Vectors, &record).await? else { continue };
            let bytes = doc.bytes.as_deref().unwrap_or_default();
            let name = record.strip_prefix(&from).unwrap_or_default();
            if name == GRAPH {
                graph = Graph::decode(bytes).ok();
                continue;
            }
            let Ok(segment) = Segment::decode(bytes) else { continue };
            if segment.embedder() != embedder || segment.pour(&mut held.vectors, &|key| doc_of(story, key)).is_err() {
                continue;
            }
            // What another device made (`sync::bytes`) has no number here, and does not grow.
            if let Ok(number) = name.parse() {
                (held.last, held.number) = (segment, number);
            }
        }
        if let Some(graph) = graph {
            held.vectors.adopt(graph);
        }
        Ok(held)
    }

    pub fn len(&self) -> u32 {
        self.vectors.len() as u32
    }

    /// Some vector that fits the ones that are there: no text's.
    pub fn any(&self) -> Embedding {
        Embedding { embedder: self.embedder.clone(), vector: vec![1.0; self.vectors.dim()] }
    }

    pub fn wants_graph(&self) -> bool {
        self.vectors.wants_graph()
    }

    pub fn has_graph(&self) -> bool {
        self.vectors.graph().is_some()
    }

    /// Lets go of units that are not there any more.
    pub fn follow(&mut self, story: &Story) {
        for doc in 0..story.index.len() {
            if story.index.is_removed(doc) {
                self.vectors.remove(doc);
            }
        }
    }

    /// Units without a vector, the newest first: they are asked for soonest.
    pub fn lacking(&self, story: &Story, limit: u32) -> Vec<(usize, usize)> {
        let has = |doc: u32| self.vectors.has(doc);
        let units =
            story.live().flat_map(|entry| story.units_of(entry).enumerate().map(move |(unit, doc)| (entry, unit, doc)));
        let mut lacking: Vec<_> = units.filter(|(_, _, doc)| !has(*doc)).collect();
        order::by_key(&mut lacking, |(_, _, doc)| std::cmp::Reverse(*doc));
        lacking.into_iter().take(limit as usize).map(|(entry, unit, _)| (entry, unit)).collect()
    }

    /// Takes vectors in, all or none, and gives what has to be written. A text that went meanwhile is passed over.
    ///
    /// # Errors
    /// They are not of one dimension with those that are there, or no vectors at all.
    pub fn take(
        &mut self,
        id: &StorylineId,
        story: &Story,
        vectors: Vec<(String, Vec<f32>)>,
    ) -> Result<Vec<Op>, Refused> {
        let mut trial = Vectors::new();
        let dim = self.vectors.dim();
        for (number, (_, vector)) in (0..).zip(&vectors) {
            if dim != 0 && dim != vector.len() {
                return Err(Refused::Dimension { want: dim, got: vector.len() });
            }
            trial.insert(number, vector)?;
        }
        let mut ops = Vec::new();
        for (key, vector) in vectors {
            let Some(doc) = doc_of(story, &key) else { continue };
            if self.last.is_full() {
                ops.push(self.put(id));
                self.last = Segment::new(self.embedder.as_str());
                self.number += 1;
            }
            if self.vectors.has(doc) {
                self.windows.borrow_mut().clear();
            }
            self.last.push(&key, &vector)?;
            self.vectors.insert(doc, &vector)?;
        }
        ops.push(self.put(id));
        Ok(ops)
    }

    fn put(&self, id: &StorylineId) -> Op {
        let record = format!("{}{:06}", prefix(id, &self.embedder), self.number);
        let value = json!({ "id": record, "storyline": id, "embedder": self.embedder });
        Op::Put(Table::Vectors, Doc { value, bytes: Some(self.last.encode().into()) })
    }

    /// Builds a graph over all vectors, in seconds to minutes, and gives the record to write; if at least `from` of them
    /// are searched one by one, and there are any.
    pub fn build_graph(&mut self, id: &StorylineId, from: u32) -> Option<Op> {
        if self.vectors.late_len() < from.max(1) as usize {
            return None;
        }
        let graph = Graph::build(self.vectors.codes());
        let value = json!({ "id": graph_id(id, &self.embedder), "storyline": id, "embedder": self.embedder });
        let op = Op::Put(Table::Vectors, Doc { value, bytes: Some(graph.encode().into()) });
        self.vectors.adopt(graph);
        Some(op)
    }

    /// Likeness of what is seen from `view`, by rank. `None` where the question's vector is of another kind.
    pub fn dense(&self, view: &View, vector: &[f32]) -> Option<Vec<f32>> {
        let cosines = match self.vectors.graph() {
            Some(_) => self.nearest(view, vector)?,
            None => self.vectors.scores(vector).ok()?,
        };
        let alike = |a, b| self.vectors.dot_between(a, b).unwrap_or(0.0);
        Some(self.windows.borrow_mut().likeness(view, &cosines, alike))
    }

    /// Cosines by number of unit of what the graph finds, with the units around it, and of a sample.
    fn nearest(&self, view: &View, vector: &[f32]) -> Option<Vec<f32>> {
        let ranks = view.len() as u32;
        let hits = self.vectors.top(vector, NEAREST, &|doc| view.rank(doc).is_some()).ok()?;
        let near = hits.iter().filter_map(|hit| view.rank(hit.doc));
        let near = near.flat_map(|rank| rank.saturating_sub(2)..(rank + 3).min(ranks));
        let sample = (0..ranks).step_by((view.len() / SAMPLE).max(1));
        let docs = near.chain(sample).map(|rank| view.doc(rank));
        let mut cosines = Vec::new();
        for Hit { doc, score } in self.vectors.scores_of(vector, docs).ok()? {
            let at = doc as usize;
            if cosines.len() <= at {
                cosines.resize(at + 1, f32::NAN);
            }
            cosines[at] = score;
        }
        Some(cosines)
    }
}
