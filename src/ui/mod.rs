//! The page. Compiled for wasm32 only; each component has its stylesheet of the same name under `style/`.

mod about;
mod app;
mod archive;
mod avatar;
mod background_editor;
mod backgrounds;
mod character_editor;
mod characters;
mod chat;
mod event_trial;
mod events_editor;
mod fields;
mod icons;
mod inspector;
mod library;
mod markdown;
mod memory;
mod mind;
mod new_story;
mod notebook;
mod notices;
mod presets;
mod route;
mod savepoints;
mod search;
mod settings;
mod shelf;
mod shell;
mod startup;
mod status_bar;
mod story;
mod storyline_item;
mod summarise;
mod tree;
mod welcome;

pub use startup::{say_that_it_broke, start};
