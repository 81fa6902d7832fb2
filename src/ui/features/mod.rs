//! What features show, a folder each, as in [`crate::features`]: panels, forms, and the settings of one story.

pub mod director;
pub mod events;
pub mod group;
pub mod lore;
pub mod note;
pub mod persona;
pub mod planner;
pub mod recall;
pub mod recap;
pub mod scribe;
pub mod scripts;
pub mod sheet;
pub mod status_bar;
pub mod summary;
pub mod world;
