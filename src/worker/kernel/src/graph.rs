//! An HNSW over codes (`instant-distance`): built once, never changed; what comes and goes later is the collection's.
//!
//! A build takes seconds to minutes, cannot be interrupted and reports no progress, for the library offers neither:
//! run it in a worker that nobody waits for, and hand the graph over as bytes.
//!
//! A node is known by its code alone. Stored graphs name no documents, whose numbers change from session to session;
//! `Vectors::adopt` finds the documents by their codes, whatever was added, replaced or deleted meanwhile.

use instant_distance::{Builder, Hnsw, Point, Search};
use serde::Deserialize;

use crate::{
    code::Code,
    frame::{self, Damaged},
};

/// Links considered for a new node. The default of 100 takes three times as long and finds the same.
const EF_CONSTRUCTION: usize = 40;
/// Nodes that a search gives at most.
const EF_SEARCH: usize = 128;
/// Any will do, as long as it is always the same.
const SEED: u64 = 1;

const KIND: [u8; 4] = *b"fabg";
const VERSION: u8 = 1;

pub struct Graph {
    hnsw: Hnsw<Code>,
}

/// A node that a search came to.
pub struct Node<'a> {
    /// Its place in `Graph::codes`.
    pub number: u32,
    pub code: &'a Code,
    /// Its cosine with the query.
    pub score: f32,
}

impl Point for Code {
    /// 0 to 2.
    fn distance(&self, other: &Self) -> f32 {
        1.0 - self.cosine(other)
    }
}

impl Graph {
    /// Gives each code a node.
    ///
    /// # Panics
    /// The codes are not all of one length.
    pub fn build(codes: Vec<Code>) -> Self {
        let builder = Builder::default().ef_construction(EF_CONSTRUCTION).ef_search(EF_SEARCH).seed(SEED);
        let built = Self { hnsw: builder.build_hnsw(codes).0 };
        // Read back, the codes lie in memory in the order of the nodes, and a walk over all is a straight one.
        Self::decode(&built.encode()).expect("a graph just written can be read")
    }

    /// The nodes in the order of their numbers, from 0.
    pub fn codes(&self) -> impl Iterator<Item = &Code> {
        self.hnsw.iter().map(|(_, code)| code)
    }

    /// About the nearest 128 nodes, nearest first.
    pub fn nearest(&self, query: &Code) -> Vec<Node<'_>> {
        let mut search = Search::default();
        let found = self.hnsw.search(query, &mut search);
        // The cosine again, for the distance has lost its last bits.
        found.map(|at| Node { number: at.pid.into_inner(), code: at.point, score: query.cosine(at.point) }).collect()
    }

    /// As bytes, about 600 a node at 384 dimensions.
    pub fn encode(&self) -> Vec<u8> {
        frame::seal(KIND, VERSION, &self.hnsw)
    }

    /// # Errors
    /// The bytes are damaged, of another version, or would lead a search astray.
    pub fn decode(bytes: &[u8]) -> Result<Self, Damaged> {
        let payload = frame::open(KIND, VERSION, bytes)?;
        postcard::from_bytes::<Shape>(payload).ok().filter(Shape::is_sound).ok_or(Damaged::Content("not a graph"))?;
        Ok(Self { hnsw: frame::read(payload)? })
    }
}

/// No link.
const NONE: u32 = u32::MAX;

/// What `Hnsw` stores, to be checked before it is trusted: a search follows its links without asking.
#[derive(Deserialize)]
struct Shape<'a> {
    #[expect(dead_code, reason = "any is sound")]
    ef_search: usize,
    #[serde(borrow)]
    points: Vec<&'a [u8]>,
    /// A node's 64 links among all nodes.
    zero: Vec<[[u32; 32]; 2]>,
    /// From the largest to the smallest; a node's 32 links among the nodes of its layer.
    layers: Vec<Vec<[u32; 32]>>,
}

impl Shape<'_> {
    fn is_sound(&self) -> bool {
        let count = self.points.len();
        let within = |links: &[u32; 32], count: usize| links.iter().all(|&to| to == NONE || (to as usize) < count);
        // Each layer is entered at node 0, and its nodes are looked up in the one below.
        let sizes = self.layers.iter().map(Vec::len);
        self.points.windows(2).all(|pair| pair[0].len() == pair[1].len())
            && self.zero.len() == count
            && self.zero.iter().flatten().all(|links| within(links, count))
            && [count].into_iter().chain(sizes).is_sorted_by(|below, above| below >= above)
            && self.layers.iter().all(|layer| layer.is_empty() == (count == 0))
            && self.layers.iter().all(|layer| layer.iter().all(|links| within(links, layer.len())))
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::samples;

    fn graph(n: usize) -> Graph {
        Graph::build(samples::clustered(n, 16, 8, 3).all().iter().map(|vector| Code::of(vector).unwrap()).collect())
    }

    fn nearest(graph: &Graph) -> Vec<(u32, f32)> {
        let query = Code::of(&[1.0; 16]).unwrap();
        graph.nearest(&query).iter().map(|node| (node.number, node.score)).collect()
    }

    #[test]
    fn stored_graphs_search_as_before() {
        for n in [0, 1, 2, 70, 1500] {
            let graph = graph(n);
            let again = Graph::decode(&graph.encode()).unwrap();
            let found = nearest(&graph);
            assert_eq!(found.len(), n.min(EF_SEARCH));
            assert!(found.is_sorted_by(|a, b| a.1 >= b.1));
            assert_eq!(nearest(&again), found);
            assert_eq!(again.codes().count(), n);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        /// Even where the checksum agrees.
        #[test]
        fn nonsense_is_an_error_or_searchable(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4)) {
            let graph = graph(300);
            let mut payload = postcard::to_allocvec(&graph.hnsw).unwrap();
            for (at, byte) in changes {
                let at = at.index(payload.len());
                payload[at] = byte;
            }
            if postcard::from_bytes::<Shape>(&payload).is_ok_and(|shape| shape.is_sound())
                && let Ok(hnsw) = frame::read::<Hnsw<Code>>(&payload)
            {
                nearest(&Graph { hnsw });
            }
        }

        #[test]
        fn random_bytes_are_an_error(bytes: Vec<u8>) {
            prop_assert!(Graph::decode(&bytes).is_err());
            let sealed = frame::seal(KIND, VERSION, &bytes);
            if let Ok(graph) = Graph::decode(&sealed) {
                prop_assert_eq!(graph.codes().count(), 0);
            }
        }
    }
}
