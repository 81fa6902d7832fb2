//! Ports in memory, with faults to order: for native tests, and the demo that plays without a key.

pub mod demo;
pub mod demo_llm;
pub mod llm;
pub mod ports;
#[cfg(test)]
pub mod slow;
pub mod store;
