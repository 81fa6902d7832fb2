//! Texts of lorebooks.

use leptos::prelude::*;

use crate::{locales::lorebooks::T as L, ui::app::App};

/// A text that follows the language.
pub fn say(app: App, text: L) -> impl Fn() -> &'static str + Copy + Send + Sync + 'static {
    move || text.text(app.language.get())
}
