//! What the model is told: sources → framework → messages, with an account of what, why and how many tokens.

pub mod account;
pub mod builtin;
