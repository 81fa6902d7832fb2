//! A collection: a vector a document, searched exactly or through a graph.

use std::collections::{BTreeSet, HashMap};

use crate::{
    code::{Code, Refused},
    graph::Graph,
    hit::{Best, Hit},
};

/// From so many vectors on a graph is worth its build: about here the exact search passes the 5 ms that an answer may take.
///
/// Whole searches in Chromium, 384 dimensions, on two busy cores, medians (`cargo xtask bench vectors`):
///
/// | vectors | exact | graph | of the exact ten, it gives | its build | stored |
/// |---|---|---|---|---|---|
/// | 10,000 | 2.8 ms | 1.8 ms | 100 % | 6 s | 6 MB |
/// | 50,000 | 11 ms | 2.8 ms | 99.7 % | 40 to 100 s | 30 MB |
/// | 100,000 | 20 ms | 8.2 ms | 99.4 % | 120 to 190 s | 60 MB |
pub const GRAPH_FROM: usize = 20_000;

/// Vectors of one embedder. Documents are numbered from 0 without large gaps, as the index of words numbers them.
#[derive(Default)]
pub struct Vectors {
    /// Of all codes; 0 = there was none yet.
    dim: usize,
    /// By document.
    codes: Vec<Option<Code>>,
    count: usize,
    graph: Option<Adopted>,
    /// Documents that no node of the graph stands for: searched one by one.
    late: BTreeSet<u32>,
}

struct Adopted {
    graph: Graph,
    /// By node: the document that it stood for when the graph was adopted.
    docs: Vec<Option<u32>>,
}

impl Vectors {
    pub fn new() -> Self {
        Self::default()
    }

    /// How many documents have a vector.
    pub fn len(&self) -> usize {
        self.count
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Dimensions; 0 while nothing was inserted.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Gives `doc` a vector, in place of the one that it had. Only the direction counts.
    ///
    /// # Errors
    /// The vector has another dimension than the first one had, no direction, or numbers that are not finite.
    pub fn insert(&mut self, doc: u32, vector: &[f32]) -> Result<(), Refused> {
        let code = self.code(vector)?;
        self.dim = code.dim();
        let at = doc as usize;
        if self.codes.len() <= at {
            self.codes.resize(at + 1, None);
        }
        self.count += usize::from(self.codes[at].replace(code).is_none());
        self.late.insert(doc);
        Ok(())
    }

    /// Takes the vector of `doc` away. Its node in the graph, if any, stays as a way to others.
    pub fn remove(&mut self, doc: u32) {
        let held = self.codes.get_mut(doc as usize).and_then(Option::take);
        self.count -= usize::from(held.is_some());
        self.late.remove(&doc);
    }

    /// Whether `doc` has a vector.
    pub fn has(&self, doc: u32) -> bool {
        self.get(doc).is_some()
    }

    /// The cosine of two documents; `None` where one has no vector.
    pub fn dot_between(&self, a: u32, b: u32) -> Option<f32> {
        Some(self.get(a)?.cosine(self.get(b)?))
    }

    /// The cosine of every document with `query`, by document; NaN where it has no vector.
    ///
    /// # Errors
    /// The query is no vector of this collection.
    pub fn scores(&self, query: &[f32]) -> Result<Vec<f32>, Refused> {
        let query = self.code(query)?;
        let mut scores = vec![f32::NAN; self.codes.len()];
        self.each().for_each(|(doc, code)| scores[doc as usize] = query.cosine(code));
        Ok(scores)
    }

    /// The cosines of some documents with `query`; those without a vector are left out.
    ///
    /// # Errors
    /// The query is no vector of this collection.
    pub fn scores_of(&self, query: &[f32], docs: impl IntoIterator<Item = u32>) -> Result<Vec<Hit>, Refused> {
        let query = self.code(query)?;
        let score = |doc| Some(Hit { doc, score: query.cosine(self.get(doc)?) });
        Ok(docs.into_iter().filter_map(score).collect())
    }

    /// The `k` visible documents nearest to `query`, best first; fewer only where no more are visible.
    ///
    /// `visible` is asked during the search, and only about documents that would be among the best.
    ///
    /// # Errors
    /// The query is no vector of this collection.
    pub fn top(&self, query: &[f32], k: usize, visible: &dyn Fn(u32) -> bool) -> Result<Vec<Hit>, Refused> {
        let query = self.code(query)?;
        Ok(self.through_graph(&query, k, visible).unwrap_or_else(|| self.exact(&query, k, visible)))
    }

    /// How many documents are searched one by one, with or without a graph.
    pub fn late_len(&self) -> usize {
        self.late.len()
    }

    /// Whether a graph should be built over `codes()`: enough documents are searched one by one.
    pub fn wants_graph(&self) -> bool {
        self.late.len() >= GRAPH_FROM
    }

    /// What a graph is built of. The bytes are shared, not copied.
    pub fn codes(&self) -> Vec<Code> {
        self.codes.iter().flatten().cloned().collect()
    }

    /// The graph in use.
    pub fn graph(&self) -> Option<&Graph> {
        self.graph.as_ref().map(|adopted| &adopted.graph)
    }

    /// Searches through `graph` from now on. Its nodes find their documents by their codes; what has no node is
    /// searched one by one, and a node without document is passed through.
    pub fn adopt(&mut self, graph: Graph) {
        let mut places: HashMap<Code, Vec<u32>> = HashMap::new();
        for (doc, code) in (0..).zip(&self.codes) {
            if let Some(code) = code {
                places.entry(code.clone()).or_default().push(doc);
            }
        }
        let mut docs = Vec::new();
        for node in graph.codes() {
            let doc = places.get_mut(node).and_then(Vec::pop);
            if let Some(doc) = doc {
                self.codes[doc as usize] = Some(node.clone());
            }
            docs.push(doc);
        }
        self.late = places.into_values().flatten().collect();
        self.graph = Some(Adopted { graph, docs });
    }

    fn get(&self, doc: u32) -> Option<&Code> {
        self.codes.get(doc as usize)?.as_ref()
    }

    fn code(&self, vector: &[f32]) -> Result<Code, Refused> {
        if self.dim != 0 && self.dim != vector.len() {
            return Err(Refused::Dimension { want: self.dim, got: vector.len() });
        }
        Code::of(vector)
    }

    /// Every document with its code, in the order in which the codes lie in memory: any other takes five times as long.
    fn each(&self) -> impl Iterator<Item = (u32, &Code)> {
        let nodes = self.graph.iter().flat_map(|adopted| (0..).zip(adopted.graph.codes()));
        nodes.filter_map(|(number, code)| Some((self.doc_of(number, code)?, code))).chain(self.late())
    }

    fn late(&self) -> impl Iterator<Item = (u32, &Code)> {
        self.late.iter().filter_map(|&doc| Some((doc, self.get(doc)?)))
    }

    /// The document that a node of the graph stands for, unless it was deleted or has another vector now.
    fn doc_of(&self, number: u32, code: &Code) -> Option<u32> {
        let doc = self.graph.as_ref()?.docs[number as usize]?;
        self.get(doc)?.is_clone_of(code).then_some(doc)
    }

    fn exact(&self, query: &Code, k: usize, visible: &dyn Fn(u32) -> bool) -> Vec<Hit> {
        let mut best = Best::new(k);
        for (doc, code) in self.each() {
            offer(&mut best, Hit { doc, score: query.cosine(code) }, visible);
        }
        best.into_hits()
    }

    /// `None` where there is no graph, or its nearest nodes are not enough to tell.
    fn through_graph(&self, query: &Code, k: usize, visible: &dyn Fn(u32) -> bool) -> Option<Vec<Hit>> {
        let Adopted { graph, docs } = self.graph.as_ref()?;
        let nearest = graph.nearest(query);
        let mut best = Best::new(k);
        for (doc, code) in self.late() {
            offer(&mut best, Hit { doc, score: query.cosine(code) }, visible);
        }
        for node in &nearest {
            if let Some(doc) = self.doc_of(node.number, node.code) {
                offer(&mut best, Hit { doc, score: node.score }, visible);
            }
        }
        // Beyond the furthest node that was seen others may lie, better than what is among the best so far.
        let horizon = nearest.last().map_or(f32::NEG_INFINITY, |node| node.score);
        let whole = nearest.len() == docs.len();
        (whole || best.bar().is_some_and(|bar| bar >= horizon)).then(|| best.into_hits())
    }
}

fn offer(best: &mut Best, hit: Hit, visible: &dyn Fn(u32) -> bool) {
    if best.wants(hit) && visible(hit.doc) {
        best.push(hit);
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[path = "vectors_tests.rs"]
mod tests;
