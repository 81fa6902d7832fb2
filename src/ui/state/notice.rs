//! A notice: what is said in the strip at the foot of the page.

use std::sync::atomic::{AtomicU64, Ordering};

use leptos::prelude::*;

use crate::{
    locales::{Say, Saying},
    story::storyline::Language,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoticeKind {
    Info,
    Warning,
    Error,
}

impl NoticeKind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// What can be done about a notice, beside putting it away.
#[derive(Clone)]
pub enum Offer {
    Nothing,
    Undo(Callback<()>),
    /// To make a backup, or to be reminded again.
    Backup,
    /// Whatever it is about; it stays until it is put away.
    Own(fn() -> AnyView),
}

/// It keeps what it means, and follows the language.
#[derive(Clone)]
pub struct Notice {
    pub id: u64,
    pub kind: NoticeKind,
    pub words: Saying,
    pub offer: Offer,
}

impl Notice {
    pub fn new(kind: NoticeKind, words: impl Say, offer: Offer) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self { id: NEXT.fetch_add(1, Ordering::Relaxed), kind, words: words.kept(), offer }
    }

    pub fn is_of_backup(&self) -> bool {
        matches!(self.offer, Offer::Backup)
    }

    /// Joins the others, in the place of one that says the same.
    pub fn join(self, notices: &mut Vec<Notice>, language: Language) {
        let said = self.words.say(language);
        notices.retain(|other| other.words.say(language) != said);
        notices.push(self);
        // More than a few say nothing.
        let surplus = notices.len().saturating_sub(4);
        notices.drain(..surplus);
    }
}
