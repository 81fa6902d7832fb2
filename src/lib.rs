//! Fabula: a role-play and interactive-narrative engine that runs whole in a browser tab.

pub mod exchange;
pub mod ports;
pub mod prompt;
pub mod provider;
pub mod reply;
pub mod sim;
pub mod story;
pub mod transfer;
pub mod turn;
#[cfg(target_arch = "wasm32")]
pub mod web;
pub mod locales;
#[cfg(target_arch = "wasm32")]
pub mod ui;
