//! The vectors of a story's memory: kept at a byte a number, searched exactly or by a graph, stored in segments.
//!
//! A crate of its own because the page is built for size and this must be fast: the root `Cargo.toml` compiles it at
//! `opt-level` 3, and generic code (the graph's) is compiled at the level of the crate that names its types. Loops are
//! vectorised by the linker, though, at the page's level, and that is not at all: see [`dot`].
//!
//! | file | what |
//! |---|---|
//! | [`dot`] | dot products: by the compiler's SIMD natively, by `simd128` in wasm |
//! | [`code`] | a vector's direction in one signed byte a dimension |
//! | [`hit`] | what a search finds; the best k of a stream of hits |
//! | [`graph`] | an HNSW over codes, built once, stored and read back |
//! | [`vectors`] | a collection: a vector a document, searched |
//! | [`segment`] | about a thousand vectors with their keys, as bytes for the store |
//! | [`frame`] | bytes that know whether they are whole |
//! | [`samples`] | clustered vectors for tests and timings |
//!
//! Invariants:
//!
//! 1. **A vector is what its text is.** Nothing here knows branches or turns; who may be seen is asked of the caller
//!    *during* a search, so that hidden documents never crowd out visible ones.
//! 2. **Graph or not, the same hits**: the same type, the same scores to the last bit, none that is not visible.
//!    Where the graph cannot give `k` of them, the exact search does.
//! 3. **Damaged bytes are an error, never a panic**: a panic ends the worker.
//! 4. **One embedder a collection**: vectors of another dimension are refused. The caller keeps the embedders apart.

pub mod code;
pub mod dot;
pub mod frame;
pub mod graph;
pub mod hit;
pub mod samples;
pub mod segment;
pub mod vectors;

pub use code::{Code, Refused};
pub use frame::Damaged;
pub use graph::Graph;
pub use hit::Hit;
pub use segment::Segment;
pub use vectors::{GRAPH_FROM, Vectors};
