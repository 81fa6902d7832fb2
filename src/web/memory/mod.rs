//! The memory in a worker of its own: the page asks, the worker answers, in JSON.

mod client;
mod serve;

use serde::{Deserialize, Serialize};

pub use client::WorkerRecall;
pub use serve::serve;

use crate::{
    ports::recall::{Answer, Request},
    story::fault::Fault,
};

#[derive(Serialize, Deserialize)]
struct Asked {
    id: u32,
    request: Request,
}

#[derive(Serialize, Deserialize)]
struct Told {
    id: u32,
    answer: Result<Answer, Fault>,
    /// Milliseconds in the worker.
    #[serde(default)]
    took: f64,
}
