//! The memory summary of the open story: what it says, and when it is written.

mod form;
mod panel;
mod write;

pub use self::{form::RecapGroup, panel::RecapPanel, write::write_due};

use leptos::prelude::*;

use crate::{locales::recap::T as R, ui::app::App};

fn say(app: App, text: R) -> impl Fn() -> &'static str + Copy + Send + Sync + 'static {
    move || text.text(app.language.get())
}
