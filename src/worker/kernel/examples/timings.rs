//! Exact search against the graph, at 384 dimensions: `cargo run --release --package fabula-kernel --example timings`,
//! with sizes as arguments (10000 50000 100000).

use std::{env, time::Instant};

use fabula_kernel::{Graph, Hit, Vectors, dot, hit::Best, samples};

const DIM: usize = 384;
const QUERIES: usize = 200;
const K: usize = 10;

fn main() {
    let sizes: Vec<usize> = env::args().skip(1).map(|size| size.parse().expect("a number of vectors")).collect();
    for size in if sizes.is_empty() { vec![10_000, 50_000, 100_000] } else { sizes } {
        measure(size);
    }
}

fn measure(size: usize) {
    let (kept, queries) = samples::clustered(size + QUERIES, DIM, size / 50, 1).split_at_last(QUERIES);
    let floats: Vec<_> = queries.iter().map(|query| by_floats(&kept, query)).collect();
    let mut vectors = Vectors::new();
    let (inserted, ()) = timed(|| {
        for (doc, vector) in (0..).zip(&kept) {
            vectors.insert(doc, vector).expect("a vector");
        }
    });
    println!("{size} vectors: quantised in {inserted:.0} ms");
    report("exact", &vectors, &queries, &floats);
    let (built, graph) = timed(|| Graph::build(vectors.codes()));
    let (encoded, bytes) = timed(|| graph.encode());
    let (decoded, graph) = timed(|| Graph::decode(&bytes).expect("a graph"));
    let (adopted, ()) = timed(|| vectors.adopt(graph));
    println!("  graph: built in {:.1} s, {:.1} MB", built / 1e3, bytes.len() as f64 / 1e6);
    println!("  graph: encoded in {encoded:.0} ms, decoded in {decoded:.0} ms, adopted in {adopted:.0} ms");
    report("graph", &vectors, &queries, &floats);
}

fn by_floats(kept: &[Vec<f32>], query: &[f32]) -> Vec<Hit> {
    let mut best = Best::new(K);
    (0..).zip(kept).for_each(|(doc, vector)| best.push(Hit { doc, score: dot::floats(query, vector) }));
    best.into_hits()
}

/// Milliseconds, and what came of it.
fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let made = work();
    (start.elapsed().as_secs_f64() * 1e3, made)
}

fn report(name: &str, vectors: &Vectors, queries: &[Vec<f32>], floats: &[Vec<Hit>]) {
    for (view, every) in [("all", 1), ("half", 2), ("a tenth", 10)] {
        let visible = |doc: u32| doc.is_multiple_of(every);
        let mut times = Vec::new();
        let mut found = 0;
        for (query, want) in queries.iter().zip(floats) {
            let (time, got) = timed(|| vectors.top(query, K, &visible).expect("a query"));
            times.push(time);
            found += want.iter().filter(|want| got.iter().any(|hit| hit.doc == want.doc)).count();
        }
        times.sort_by(f64::total_cmp);
        let (p50, p95) = (times[QUERIES / 2], times[QUERIES * 95 / 100]);
        let recall =
            if every == 1 { format!(", recall@10 {:.3}", found as f64 / (QUERIES * K) as f64) } else { String::new() };
        println!("  {name}, {view} visible: p50 {p50:.2} ms, p95 {p95:.2} ms{recall}");
    }
}
