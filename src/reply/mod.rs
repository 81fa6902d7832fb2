//! reply

pub mod markup;
