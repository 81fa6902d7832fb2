//! The keeper's vectors: kept apart by embedder, never stored wrong, and found through a graph where there are many.

use fabula_kernel::samples;

use super::*;
use crate::{
    ports::recall::{Embedding, Extent},
    story::fault::{Fault, FaultKind},
};

/// A vector for every word that a text begins with.
fn vector(text: &str) -> Vec<f32> {
    let mut vector = vec![0.1; 4];
    vector[text.len() % 4] += 1.0;
    vector
}

#[test]
fn vectors_are_kept_and_do_not_mix() {
    let shelf = shelf();
    let recall = &shelf.keeper as &dyn Recall;
    let id = "s".into();
    for (position, text) in ["One boat.", "Two boats!", "Three boats?!"].into_iter().enumerate() {
        shelf.commit(Batch::new().put(&turn("root", position as u32, text)));
    }
    let lacking = block_on(recall.lacking(&id, "e", 10)).unwrap();
    assert_eq!(
        lacking.iter().map(|lacking| lacking.text.as_str()).collect::<Vec<_>>(),
        ["Three boats?!", "Two boats!", "One boat."]
    );
    let give = |embedder: &str, dim: usize| {
        let vectors = lacking.iter().map(|lacking| (lacking.unit.clone(), vector(&lacking.text)[..dim].to_vec()));
        block_on(recall.embed(&id, embedder, vectors.collect()))
    };
    let extent = give("e", 4).unwrap();
    assert_eq!((extent.units, extent.embedded), (3, 3));
    assert!(give("e", 3).is_err(), "another dimension");
    assert!(block_on(recall.embed(&id, "e", vec![(lacking[0].unit.clone(), vec![f32::NAN; 4])])).is_err());
    assert_eq!(block_on(recall.catch_up(&id, "e")).unwrap().embedded, 3, "nothing was stored wrong");
    assert_eq!(block_on(recall.catch_up(&id, "other")).unwrap().embedded, 0, "another embedder has its own");

    // Another start has them still; a text that changed lacks its own.
    shelf.commit(Batch::new().put(&turn("root", 0, "One ship.")));
    let second = Keeper::new(shelf.store.clone(), Rc::new(Alone), clock());
    let lacking = block_on((&second as &dyn Recall).lacking(&id, "e", 10)).unwrap();
    assert_eq!(lacking.iter().map(|lacking| lacking.text.as_str()).collect::<Vec<_>>(), ["One ship."]);

    // Likeness finds what has no word in common.
    let mut words = words("vessels");
    words.vector = Some(Embedding { embedder: "e".into(), vector: vector("Two boats!") });
    let search = Search { storyline: id.clone(), path: root(2), until: 3, words, limit: 1, ..Default::default() };
    assert_eq!(block_on(recall.hits(Request::Search(search))).unwrap()[0].text, "Two boats!");
    assert!(matches!(
        block_on(second.answer(Request::CatchUp { storyline: id, embedder: String::new() })),
        Ok(Answer::Extent(_))
    ));
}

/// Vectors that could not be written are not there, and are asked for again.
#[test]
fn what_the_store_refuses_is_not_kept_in_memory() {
    let shelf = shelf();
    let recall = &shelf.keeper as &dyn Recall;
    let id = "s".into();
    shelf.commit(Batch::new().put(&turn("root", 0, "One boat.")));
    let lacking = block_on(recall.lacking(&id, "e", 10)).unwrap();
    let vectors = || vec![(lacking[0].unit.clone(), vector("One boat."))];
    // The reads before the commit are those of catching up.
    let before = shelf.store.operations();
    block_on(recall.catch_up(&id, "e")).unwrap();
    let reads = shelf.store.operations() - before;
    shelf.store.fail(reads, "QuotaExceededError");
    let refused = block_on(recall.embed(&id, "e", vectors())).unwrap_err();
    assert_eq!(refused.kind, FaultKind::StorageFull);
    assert_eq!(block_on(recall.catch_up(&id, "e")).unwrap().embedded, 0);
    assert_eq!(block_on(recall.lacking(&id, "e", 10)).unwrap(), lacking);
    assert_eq!(block_on(recall.embed(&id, "e", vectors())).unwrap().embedded, 1);
}

const MANY: u32 = 300;

/// A vector for each turn, in clusters.
fn clustered() -> Vec<Vec<f32>> {
    samples::clustered(MANY as usize + 20, 32, 10, 4).all()
}

impl Shelf {
    fn give(&self, texts: &[(u32, &Vec<f32>)]) -> Extent {
        let recall = &self.keeper as &dyn Recall;
        let lacking = block_on(recall.lacking(&"s".into(), "e", 1_000)).unwrap();
        let unit = |position: u32| {
            let name = format!("Night {position}.");
            lacking.iter().find(|lacking| lacking.text == name).expect("it lacks a vector").unit.clone()
        };
        let vectors = texts.iter().map(|(position, vector)| (unit(*position), (*vector).clone())).collect();
        block_on(recall.embed(&"s".into(), "e", vectors)).unwrap()
    }

    fn build(&self, from: u32) -> Result<Answer, Fault> {
        let request = Request::BuildGraph { storyline: "s".into(), embedder: "e".into(), from };
        block_on(self.keeper.answer(request))
    }

    /// Positions of the texts that are nearest.
    fn like(&self, last: u32, vector: &[f32]) -> Vec<u32> {
        let words = Words { vector: Some(Embedding { embedder: "e".into(), vector: vector.to_vec() }), ..words("") };
        let search =
            Search { storyline: "s".into(), path: root(last), until: last + 1, words, limit: 5, ..Default::default() };
        let hits = block_on((&self.keeper as &dyn Recall).hits(Request::Search(search))).unwrap();
        hits.into_iter().map(|hit| hit.position).collect()
    }

    fn graphs(&self) -> usize {
        let written = self.store.commits();
        let is_graph = |op: &Op| matches!(op, Op::Put(Table::Vectors, doc) if doc.value["id"].as_str().unwrap().ends_with("graph"));
        written.iter().flat_map(|batch| &batch.ops).filter(|op| is_graph(op)).count()
    }
}

fn night(position: u32) -> Turn {
    // Each in a session of its own: nothing but the vector of the text itself counts.
    Turn { session: format!("night-{position}").into(), ..turn("root", position, &format!("Night {position}.")) }
}

#[test]
fn a_graph_is_built_once_kept_and_used() {
    let shelf = shelf();
    let vectors = clustered();
    let mut batch = Batch::new();
    (0..MANY).for_each(|position| batch.push(&night(position)));
    shelf.commit(batch);
    let all: Vec<_> = (0..MANY).zip(&vectors).collect();
    assert_eq!(shelf.give(&all).embedded, MANY);
    let questions = &vectors[MANY as usize..];
    let exact: Vec<_> = questions.iter().map(|question| shelf.like(MANY - 1, question)).collect();

    let builder = shelf.again();
    builder.build(MANY + 1).unwrap();
    assert_eq!(builder.graphs(), 0, "they are too few for that");
    builder.build(MANY).unwrap();
    builder.build(MANY).unwrap();
    assert_eq!(builder.graphs(), 1, "once");

    // Another start finds the graph, and by the graph what was found before.
    let mut held = shelf.again();
    assert!(block_on((&held.keeper as &dyn Recall).catch_up(&"s".into(), "e")).unwrap().has_graph);
    let mut found = 0;
    for (question, exact) in questions.iter().zip(&exact) {
        found += held.like(MANY - 1, question).iter().filter(|position| exact.contains(position)).count();
    }
    assert!(found >= 95 * exact.iter().flatten().count() / 100, "{found} of {exact:?}");

    // What was deleted is a tombstone in the graph; what came later stands beside it.
    let gone = exact[0][0];
    held.commit(Batch::new().remove(&night(gone)).put(&night(MANY)));
    assert_eq!(held.give(&[(MANY, &questions[0])]).embedded, MANY);
    for start in [false, true] {
        if start {
            held = shelf.again();
        }
        let now = held.like(MANY, &questions[0]);
        assert_eq!(now[0], MANY, "its vector is the question's own");
        assert!(!now.contains(&gone) && now.len() == 5, "{now:?}");
    }
    assert_eq!(held.graphs(), 1);
}

/// A graph that cannot be read costs its speed alone.
#[test]
fn without_the_graph_the_same_is_found() {
    let shelf = shelf();
    let vectors = clustered();
    let mut batch = Batch::new();
    (0..MANY).for_each(|position| batch.push(&night(position)));
    shelf.commit(batch);
    shelf.give(&(0..MANY).zip(&vectors).collect::<Vec<_>>());
    let question = &vectors[MANY as usize];
    let exact = shelf.like(MANY - 1, question);
    shelf.again().build(1).unwrap();
    let written = shelf.store.commits();
    let Some(Op::Put(Table::Vectors, mut graph)) = written.last().and_then(|batch| batch.ops.last().cloned()) else {
        panic!("the graph was written last");
    };
    let mut bytes = graph.bytes.take().unwrap().to_vec();
    let at = bytes.len() / 2;
    bytes[at] ^= 1;
    graph.bytes = Some(bytes.into());
    shelf.commit(Batch { ops: vec![Op::Put(Table::Vectors, graph)], ..Batch::new() });
    let again = shelf.again();
    assert!(!block_on((&again.keeper as &dyn Recall).catch_up(&"s".into(), "e")).unwrap().has_graph);
    assert_eq!(again.like(MANY - 1, question), exact);
}
