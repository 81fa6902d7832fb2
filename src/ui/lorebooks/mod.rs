//! Lorebooks: their library, the editor of one, and where they hang. They are read when one of these is opened.

mod book;
mod chosen;
mod controls;
mod editor;
mod entries;
mod entry;
mod files;
mod hung;
mod more;
mod page;
mod row;
mod shelf;
mod tried;
mod words;

pub use self::{
    chosen::ChosenForm,
    editor::LorebookEditor,
    files::import,
    hung::{HungOn, Hungs},
    page::Lorebooks,
    words::say,
};
