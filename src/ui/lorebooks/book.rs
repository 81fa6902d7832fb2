//! A lorebook in its editor: the draft, what is shown of it, and what is open.

use std::collections::{BTreeSet, HashSet};

use leptos::prelude::*;

use crate::{
    desk::lorebooks::{Draft, Sort},
    locales::lorebooks::T as L,
    story::lorebook::Entry,
    ui::app::App,
};

/// Rows that the page holds at a time.
pub const ROWS: usize = 50;

#[derive(Clone, Copy)]
pub struct Book {
    draft: StoredValue<Draft>,
    /// Grows with each change.
    version: RwSignal<u32>,
    /// The rows that the words leave, in their order.
    pub shown: RwSignal<Vec<String>>,
    pub words: RwSignal<String>,
    pub sort: RwSignal<Sort>,
    pub page: RwSignal<usize>,
    pub open: RwSignal<Option<String>>,
    pub chosen: RwSignal<HashSet<String>>,
    /// Fields in which no number stands that could be kept.
    pub bad: RwSignal<BTreeSet<&'static str>>,
    /// Notices that offer to put entries back: they go with the editor.
    offers: StoredValue<Vec<u64>>,
}

impl Book {
    pub fn of(draft: Draft) -> Self {
        let shown = draft.shown("", Sort::Book);
        Self {
            draft: StoredValue::new(draft),
            version: RwSignal::new(0),
            shown: RwSignal::new(shown),
            words: RwSignal::default(),
            sort: RwSignal::default(),
            page: RwSignal::new(0),
            open: RwSignal::new(None),
            chosen: RwSignal::default(),
            bad: RwSignal::default(),
            offers: StoredValue::default(),
        }
    }

    /// Looks at the draft; follows each change.
    pub fn with<T>(self, look: impl FnOnce(&Draft) -> T) -> T {
        self.version.track();
        self.draft.with_value(look)
    }

    pub fn with_untracked<T>(self, look: impl FnOnce(&Draft) -> T) -> T {
        self.draft.with_value(look)
    }

    pub fn change<T>(self, change: impl FnOnce(&mut Draft) -> T) -> T {
        let done = self.draft.try_update_value(change).expect("the editor lives");
        self.version.update(|version| *version += 1);
        done
    }

    pub fn edit(self, id: &str, change: impl FnOnce(&mut Entry)) {
        self.change(|draft| draft.edit(id, change));
    }

    /// Finds the rows anew; from the first page. What is not seen any more is not chosen any more.
    pub fn look(self) {
        let (words, sort) = (self.words.get_untracked(), self.sort.get_untracked());
        let shown = self.with_untracked(|draft| draft.shown(&words, sort));
        if !self.chosen.with_untracked(HashSet::is_empty) {
            let seen: HashSet<&String> = shown.iter().collect();
            self.chosen.update(|chosen| chosen.retain(|id| seen.contains(id)));
        }
        self.shown.set(shown);
        self.page.set(0);
    }

    /// Opens an entry, or closes the one that is open; unless a number there is still to be mended.
    pub fn flip(self, id: &str) {
        if !self.bad.with_untracked(BTreeSet::is_empty) {
            return;
        }
        self.open.update(|open| *open = (open.as_deref() != Some(id)).then(|| id.to_owned()));
    }

    /// A new entry, opened.
    pub fn add(self) {
        if !self.bad.with_untracked(BTreeSet::is_empty) {
            return;
        }
        let id = self.change(Draft::add);
        self.words.set(String::new());
        self.sort.set(Sort::Book);
        self.look();
        self.page.set(self.shown.with_untracked(|shown| (shown.len() - 1) / ROWS));
        self.open.set(Some(id));
    }

    /// Takes entries out, until that is taken back.
    pub fn remove(self, app: App, ids: &HashSet<String>) {
        let removed = self.change(|draft| draft.remove(ids));
        let count = removed.count().to_string();
        let offer = app.notify_undo(L::EntriesRemoved.with(&[&count]), move || {
            let removed = removed.clone();
            if self.draft.try_update_value(|draft| draft.put_back(removed)).is_some() {
                self.version.update(|version| *version += 1);
                let page = self.page.get_untracked();
                self.look();
                self.page.set(page);
            }
        });
        self.offers.update_value(|offers| offers.push(offer));
        self.open.update(|open| {
            open.take_if(|open| ids.contains(open));
        });
        self.chosen.update(|chosen| chosen.retain(|id| !ids.contains(id)));
        let page = self.page.get_untracked();
        self.look();
        let last = self.shown.with_untracked(|shown| shown.len().saturating_sub(1) / ROWS);
        self.page.set(page.min(last));
    }

    /// Takes back what is offered of it.
    pub fn close(self, app: App) {
        if let Some(offers) = self.offers.try_get_value().filter(|offers| !offers.is_empty()) {
            app.notices.update(|notices| notices.retain(|notice| !offers.contains(&notice.id)));
        }
    }

    pub fn choose(self, ids: &[String], on: bool) {
        self.chosen.update(|chosen| {
            if on {
                chosen.extend(ids.iter().cloned());
            } else {
                chosen.retain(|id| !ids.contains(id));
            }
        });
    }

    /// Changes those that are chosen; their rows stay where they are. What is open would show what it was.
    pub fn edit_chosen(self, change: impl Fn(&mut Entry)) {
        self.open.set(None);
        self.chosen.with_untracked(|chosen| self.change(|draft| draft.edit_all(chosen, change)));
    }

    /// A field says whether it can be kept.
    pub fn note(self, field: &'static str, is_bad: bool) {
        if self.bad.with_untracked(|bad| bad.contains(field)) != is_bad {
            self.bad.update(|bad| {
                if is_bad {
                    bad.insert(field)
                } else {
                    bad.remove(field)
                };
            });
        }
    }
}
