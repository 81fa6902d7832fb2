//! sim

pub mod demo;
