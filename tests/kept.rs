//! What is kept stays whole: through the versions of the program, and wherever a story goes.
#![cfg(not(target_arch = "wasm32"))]

mod fixtures;
#[path = "kept/older.rs"]
mod older;
#[path = "kept/tables.rs"]
mod tables;
#[path = "kept/transfers.rs"]
mod transfers;
#[path = "kept/types.rs"]
mod types;
