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

/// Notices at a time; those that can undo something stay beyond it for as long as they offer that.
const MOST: usize = 4;

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

    /// Joins the others, in the place of one that says the same; what one of them can undo can still be undone.
    pub fn join(self, notices: &mut Vec<Notice>, language: Language) {
        let said = self.words.say(language);
        notices.retain(|other| other.undoes() || other.words.say(language) != said);
        notices.push(self);
        // More than a few say nothing.
        while notices.len() > MOST {
            let Some(at) = notices.iter().position(|notice| !notice.undoes()) else { return };
            notices.remove(at);
        }
    }

    fn undoes(&self) -> bool {
        matches!(self.offer, Offer::Undo(_))
    }
}
