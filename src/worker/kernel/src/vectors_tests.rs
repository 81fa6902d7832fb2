use std::collections::{HashMap, HashSet};

use proptest::prelude::*;

use super::*;
use crate::samples;

fn all(_: u32) -> bool {
    true
}

fn filled(vectors: &[Vec<f32>]) -> Vectors {
    let mut collection = Vectors::new();
    for (doc, vector) in (0..).zip(vectors) {
        collection.insert(doc, vector).unwrap();
    }
    collection
}

fn docs(hits: &[Hit]) -> Vec<u32> {
    hits.iter().map(|hit| hit.doc).collect()
}

#[test]
fn the_first_vector_sets_the_dimension() {
    let mut vectors = Vectors::new();
    assert_eq!(vectors.scores(&[1.0, 2.0]), Ok(vec![]));
    assert_eq!(vectors.top(&[1.0, 2.0], 3, &all), Ok(vec![]));
    assert_eq!(vectors.insert(0, &[f32::NAN; 2]), Err(Refused::NotFinite));
    assert_eq!(vectors.insert(0, &[0.0; 2]), Err(Refused::Zero));
    assert_eq!((vectors.len(), vectors.dim()), (0, 0));
    vectors.insert(0, &[1.0, 0.0, 0.0]).unwrap();
    let refused = Refused::Dimension { want: 3, got: 2 };
    assert_eq!(vectors.insert(0, &[1.0, 0.0]), Err(refused));
    assert_eq!(vectors.insert(1, &[1.0, 0.0]), Err(refused));
    assert_eq!(vectors.top(&[1.0, 0.0], 1, &all), Err(refused));
    assert_eq!(vectors.scores(&[f32::INFINITY, 0.0, 0.0]).unwrap_err(), Refused::NotFinite);
    assert_eq!((vectors.len(), vectors.dim()), (1, 3));
}

#[test]
fn vectors_come_go_and_change() {
    let mut vectors = Vectors::new();
    vectors.insert(3, &[1.0, 0.0]).unwrap();
    vectors.insert(1, &[0.0, 2.0]).unwrap();
    assert_eq!(vectors.dot_between(1, 3), Some(0.0));
    assert_eq!(vectors.dot_between(1, 2), None);
    assert_eq!(vectors.dot_between(1, 99), None);
    let scores = vectors.scores(&[5.0, 0.0]).unwrap();
    assert!(scores[0].is_nan() && scores[2].is_nan());
    assert_eq!((scores[1], scores[3]), (0.0, 1.0));
    vectors.insert(1, &[-1.0, 0.0]).unwrap();
    assert_eq!((vectors.len(), vectors.dot_between(1, 3)), (2, Some(-1.0)));
    vectors.remove(3);
    vectors.remove(3);
    vectors.remove(99);
    assert_eq!((vectors.len(), docs(&vectors.top(&[1.0, 0.0], 9, &all).unwrap())), (1, vec![1]));
}

/// (2v + u + w) / |2v + u + w| against the query, from scores and cosines alone.
#[test]
fn neighbours_can_be_added_without_their_vectors() {
    let (kept, queries) = samples::clustered(4, 64, 2, 5).split_at_last(1);
    let vectors = filled(&kept);
    let scores = vectors.scores(&queries[0]).unwrap();
    let between = |a, b| vectors.dot_between(a, b).unwrap();
    let length = (6.0 + 4.0 * between(1, 0) + 4.0 * between(1, 2) + 2.0 * between(0, 2)).sqrt();
    let score = (2.0 * scores[1] + scores[0] + scores[2]) / length;
    let sum: Vec<f32> = (0..64).map(|i| 2.0 * kept[1][i] + kept[0][i] + kept[2][i]).collect();
    let whole = filled(&[sum]).scores(&queries[0]).unwrap()[0];
    assert!((score - whole).abs() < 0.01, "{score} {whole}");
}

#[test]
fn a_graph_is_wanted_for_many_and_again_for_many_more() {
    let mut vectors = filled(&vec![vec![1.0, 0.5]; GRAPH_FROM - 1]);
    assert!(!vectors.wants_graph());
    vectors.insert(GRAPH_FROM as u32, &[0.5, 1.0]).unwrap();
    assert!(vectors.wants_graph());
    vectors.adopt(Graph::build(vectors.codes()[GRAPH_FROM - 300..].to_vec()));
    assert!(!vectors.wants_graph());
    for doc in 30_000..30_300 {
        vectors.insert(doc, &[1.0, 1.0]).unwrap();
    }
    assert!(vectors.wants_graph());
}

#[test]
fn a_graph_finds_what_the_exact_search_finds() {
    let (kept, queries) = samples::clustered(3_100, 64, 60, 11).split_at_last(100);
    let exact = filled(&kept);
    let mut vectors = filled(&kept);
    let graph = Graph::build(vectors.codes());
    vectors.adopt(Graph::decode(&graph.encode()).unwrap());
    let mut found = 0;
    for query in &queries {
        let want = exact.top(query, 10, &all).unwrap();
        let got = vectors.through_graph(&vectors.code(query).unwrap(), 10, &all).unwrap();
        found += got.iter().filter(|hit| want.contains(hit)).count();
    }
    assert!(found >= 980, "{found} of 1000");
}

#[test]
fn a_narrow_view_is_searched_exactly() {
    let (kept, queries) = samples::clustered(1_001, 16, 4, 2).split_at_last(1);
    let exact = filled(&kept);
    let mut vectors = filled(&kept);
    vectors.adopt(Graph::build(vectors.codes()));
    for every in [50, 200, 2_000] {
        let visible = |doc: u32| doc.is_multiple_of(every);
        let got = vectors.top(&queries[0], 10, &visible).unwrap();
        assert_eq!(got, exact.top(&queries[0], 10, &visible).unwrap());
        assert_eq!(got.len(), 10.min(1_000_u32.div_ceil(every) as usize));
    }
    assert_eq!(vectors.top(&queries[0], 0, &all), Ok(vec![]));
    assert_eq!(vectors.top(&queries[0], 5_000, &all).unwrap().len(), 1_000);
}

/// What happens to a collection after its graph was built.
#[derive(Clone, Debug)]
enum Change {
    Insert(u32, usize),
    Remove(u32),
    /// The graph is stored and read by the next session.
    Reload,
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        4 => (0..260u32, 0..400usize).prop_map(|(doc, vector)| Change::Insert(doc, vector)),
        2 => (0..260u32).prop_map(Change::Remove),
        1 => Just(Change::Reload),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Against a plain map: every hit is visible and of a vector that is there, its score is right, none that is
    /// not in the graph is missing, and there are `k` wherever `k` are visible.
    #[test]
    fn graph_and_changes_agree_with_a_map(
        changes in prop::collection::vec(change(), 0..60),
        hidden in prop::collection::hash_set(0..260u32, 0..250),
        k in 1..30usize,
    ) {
        let pool = samples::clustered(401, 16, 12, 9).all();
        let mut vectors = filled(&pool[..200]);
        vectors.adopt(Graph::build(vectors.codes()));
        let mut map: HashMap<u32, usize> = (0..200).map(|doc| (doc, doc as usize)).collect();
        let mut changed = HashSet::new();
        for change in changes {
            match change {
                Change::Insert(doc, vector) => {
                    vectors.insert(doc, &pool[vector]).unwrap();
                    map.insert(doc, vector);
                    changed.insert(doc);
                }
                Change::Remove(doc) => {
                    vectors.remove(doc);
                    map.remove(&doc);
                }
                Change::Reload => {
                    let graph = Graph::decode(&vectors.graph().unwrap().encode()).unwrap();
                    vectors.adopt(graph);
                    // Some found a node of the same direction again.
                    changed.retain(|doc| vectors.late.contains(doc));
                }
            }
        }
        prop_assert_eq!(vectors.len(), map.len());
        let query = &pool[400];
        let mut exact = Vectors::new();
        for (doc, vector) in &map {
            exact.insert(*doc, &pool[*vector]).unwrap();
        }
        let visible = |doc: u32| !hidden.contains(&doc);
        let want = exact.top(query, k, &visible).unwrap();
        let got = vectors.top(query, k, &visible).unwrap();
        prop_assert_eq!(got.len(), want.len());
        prop_assert!(got.is_sorted_by(|a, b| a.score >= b.score));
        let scores = exact.scores(query).unwrap();
        for hit in &got {
            prop_assert!(visible(hit.doc));
            prop_assert_eq!(hit.score, scores[hit.doc as usize]);
        }
        prop_assert_eq!(docs(&got).into_iter().collect::<HashSet<_>>().len(), got.len());
        for hit in want.iter().filter(|hit| changed.contains(&hit.doc)) {
            prop_assert!(got.contains(hit), "{hit:?} is missing");
        }
    }
}
