//! Character sheet and plot summary of the open story: each in its panel, and their settings.

mod bulk;
mod drawing;
mod form;
mod panel;
mod versions;
mod write;

pub use self::{
    form::SheetForm,
    panel::TextPanel,
    write::{say_of_store, write_asked, write_due},
};

use leptos::prelude::*;

use crate::{locales::sheet::T as S, ui::app::App};

fn say(app: App, text: S) -> impl Fn() -> &'static str + Copy + Send + Sync + 'static {
    move || text.text(app.language.get())
}
