//! A lorebook while it is edited: its rows, and what of it was changed.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::key_faults;
use crate::{
    prompt::tokens::estimate,
    story::{
        Millis,
        ids::LorebookId,
        lorebook::{Entry, Lorebook, Position},
        order,
    },
};

/// Where an entry at a depth of the chat stands that says no depth (the field's own default).
pub const DEPTH: u32 = 4;

/// What is said of the book itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Head {
    pub name: String,
    pub description: String,
    pub scan_depth: Option<u32>,
    pub token_budget: Option<u32>,
    pub recursive: Option<bool>,
}

impl Head {
    fn of(book: &Lorebook) -> Self {
        Self {
            name: book.name.clone(),
            description: book.description.clone(),
            scan_depth: book.scan_depth,
            token_budget: book.token_budget,
            recursive: book.recursive,
        }
    }
}

/// How the rows stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// As in the book.
    #[default]
    Book,
    Order,
    Name,
    /// The largest first.
    Tokens,
}

/// An entry as the list shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub id: String,
    /// Its name, else its first keys, else the beginning of its text.
    pub title: String,
    /// Its keys, where the title is its name.
    pub keys: String,
    pub enabled: bool,
    pub constant: bool,
    pub by_meaning: bool,
    pub position: Position,
    pub depth: Option<u32>,
    pub tokens: u32,
    pub is_faulty: bool,
}

/// Entries that were taken out, with their places.
#[derive(Clone)]
pub struct Removed {
    lines: Vec<(usize, Line)>,
    changed: BTreeSet<String>,
}

impl Removed {
    pub fn count(&self) -> usize {
        self.lines.len()
    }
}

#[derive(Clone)]
struct Line {
    entry: Entry,
    tokens: u32,
}

impl Line {
    fn of(entry: Entry) -> Self {
        Self { tokens: estimate(&entry.content), entry }
    }
}

#[derive(Clone)]
pub struct Draft {
    /// As it is stored.
    base: Lorebook,
    /// Its entries' ids.
    before: HashSet<String>,
    pub head: Head,
    lines: Vec<Line>,
    /// Entries that are otherwise than stored, and new ones.
    changed: BTreeSet<String>,
}

impl Draft {
    pub fn of(book: Lorebook) -> Self {
        let lines = book.entries.iter().cloned().map(Line::of).collect();
        let before = book.entries.iter().map(|entry| entry.id.clone()).collect();
        Self { head: Head::of(&book), before, lines, changed: BTreeSet::new(), base: book }
    }

    pub fn id(&self) -> &LorebookId {
        &self.base.id
    }

    pub fn is_changed(&self) -> bool {
        !self.changed.is_empty() || self.head != Head::of(&self.base) || self.is_any_gone()
    }

    fn is_any_gone(&self) -> bool {
        self.lines.iter().filter(|line| self.before.contains(&line.entry.id)).count() < self.before.len()
    }

    fn was(&self, id: &str) -> Option<&Entry> {
        self.base.entries.iter().find(|entry| entry.id == id)
    }

    // ------------------------------------------------------------------------------------------ looked at

    pub fn len(&self) -> usize {
        self.lines.len()
    }

    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    pub fn entry(&self, id: &str) -> Option<&Entry> {
        self.line(id).map(|line| &line.entry)
    }

    fn line(&self, id: &str) -> Option<&Line> {
        self.lines.iter().find(|line| line.entry.id == id)
    }

    pub fn row(&self, id: &str) -> Option<Row> {
        let Line { entry, tokens } = self.line(id)?;
        let keys = shortened(&entry.keys.join(" · "));
        let text = || shortened(entry.content.lines().find(|line| !line.trim().is_empty()).unwrap_or_default());
        let (title, keys) = match (entry.name.trim(), keys.as_str()) {
            ("", "") => (text(), String::new()),
            ("", _) => (keys, String::new()),
            (name, _) => (name.to_owned(), keys),
        };
        Some(Row {
            id: entry.id.clone(),
            title,
            keys,
            enabled: entry.enabled,
            constant: entry.constant,
            by_meaning: entry.by_meaning,
            position: entry.position,
            depth: (entry.position == Position::AtDepth).then(|| entry.depth.unwrap_or(DEPTH)),
            tokens: *tokens,
            is_faulty: !key_faults(&entry.keys).is_empty() || !key_faults(&entry.secondary_keys).is_empty(),
        })
    }

    /// The ids of those in which the words stand, in an order.
    pub fn shown(&self, words: &str, sort: Sort) -> Vec<String> {
        let words = words.trim().to_lowercase();
        let holds = |text: &str| text.to_lowercase().contains(&words);
        let is_shown = |line: &&Line| {
            let Entry { name, keys, secondary_keys, content, .. } = &line.entry;
            words.is_empty() || holds(name) || keys.iter().chain(secondary_keys).any(|key| holds(key)) || holds(content)
        };
        let mut lines: Vec<&Line> = self.lines.iter().filter(is_shown).collect();
        match sort {
            Sort::Book => {}
            Sort::Order => order::by_key(&mut lines, |line| line.entry.order),
            Sort::Tokens => order::by_key(&mut lines, |line| std::cmp::Reverse(line.tokens)),
            Sort::Name => {
                let names: HashMap<&str, String> =
                    lines.iter().map(|line| (line.entry.id.as_str(), sort_name(&line.entry))).collect();
                order::by(&mut lines, |a, b| names[a.entry.id.as_str()].cmp(&names[b.entry.id.as_str()]));
            }
        }
        lines.into_iter().map(|line| line.entry.id.clone()).collect()
    }

    /// Entries that are on, and their tokens together.
    pub fn sums(&self) -> (usize, u32) {
        let on = self.lines.iter().filter(|line| line.entry.enabled);
        on.fold((0, 0), |(count, tokens), line| (count + 1, tokens + line.tokens))
    }

    /// Those of these ids, in the book's order.
    pub fn entries(&self, ids: &HashSet<String>) -> Vec<Entry> {
        self.lines.iter().map(|line| &line.entry).filter(|entry| ids.contains(&entry.id)).cloned().collect()
    }

    // ------------------------------------------------------------------------------------------ changed

    /// Changes one entry.
    pub fn edit(&mut self, id: &str, change: impl FnOnce(&mut Entry)) {
        if let Some(at) = self.lines.iter().position(|line| line.entry.id == id) {
            change(&mut self.lines[at].entry);
            self.lines[at].tokens = estimate(&self.lines[at].entry.content);
            self.note(at);
        }
    }

    /// Changes several.
    pub fn edit_all(&mut self, ids: &HashSet<String>, change: impl Fn(&mut Entry)) {
        let was: HashMap<&str, &Entry> = self.base.entries.iter().map(|entry| (entry.id.as_str(), entry)).collect();
        for line in self.lines.iter_mut().filter(|line| ids.contains(&line.entry.id)) {
            change(&mut line.entry);
            if was.get(line.entry.id.as_str()) == Some(&&line.entry) {
                self.changed.remove(&line.entry.id);
            } else {
                self.changed.insert(line.entry.id.clone());
            }
        }
    }

    fn note(&mut self, at: usize) {
        let entry = &self.lines[at].entry;
        let id = entry.id.clone();
        if self.was(&id) == Some(entry) {
            self.changed.remove(&id);
        } else {
            self.changed.insert(id);
        }
    }

    /// A new entry at the end; its id.
    pub fn add(&mut self) -> String {
        let known = self.lines.iter().map(|line| &line.entry).chain(&self.base.entries);
        let id = free_id(known);
        self.lines.push(Line::of(Entry { id: id.clone(), ..Entry::default() }));
        self.changed.insert(id.clone());
        id
    }

    /// Takes entries out; gives them for [`Self::put_back`].
    pub fn remove(&mut self, ids: &HashSet<String>) -> Removed {
        let placed = self.lines.iter().enumerate().filter(|(_, line)| ids.contains(&line.entry.id));
        let removed = Removed {
            lines: placed.map(|(at, line)| (at, line.clone())).collect(),
            changed: self.changed.iter().filter(|id| ids.contains(*id)).cloned().collect(),
        };
        self.lines.retain(|line| !ids.contains(&line.entry.id));
        self.changed.retain(|id| !ids.contains(id));
        removed
    }

    /// Puts them back where they were; under another id where that was given to a new one meanwhile.
    pub fn put_back(&mut self, removed: Removed) {
        self.changed.extend(removed.changed);
        for (at, mut line) in removed.lines {
            if self.lines.iter().any(|other| other.entry.id == line.entry.id) {
                line.entry.id = free_id(self.lines.iter().map(|line| &line.entry).chain(&self.base.entries));
                self.changed.insert(line.entry.id.clone());
            }
            self.lines.insert(at.min(self.lines.len()), line);
        }
    }

    // ------------------------------------------------------------------------------------------ written

    /// The book as it stands here.
    pub fn whole(&self) -> Lorebook {
        self.over(None, self.base.updated)
    }

    /// The book with what was changed here, over what is stored by now: entries that another tab changed meanwhile are as
    /// that left them, but for those that were changed here too. Where it is gone, all of it is as it stands here.
    pub fn over(&self, stored: Option<Lorebook>, now: Millis) -> Lorebook {
        let mut book = stored.unwrap_or_else(|| self.base.clone());
        let (base, head) = (Head::of(&self.base), &self.head);
        if head.name != base.name {
            book.name.clone_from(&head.name);
        }
        if head.description != base.description {
            book.description.clone_from(&head.description);
        }
        if head.scan_depth != base.scan_depth {
            book.scan_depth = head.scan_depth;
        }
        if head.token_budget != base.token_budget {
            book.token_budget = head.token_budget;
        }
        if head.recursive != base.recursive {
            book.recursive = head.recursive;
        }
        let here: HashSet<&str> = self.lines.iter().map(|line| line.entry.id.as_str()).collect();
        book.entries.retain(|entry| !self.before.contains(&entry.id) || here.contains(entry.id.as_str()));
        let places: HashMap<String, usize> =
            book.entries.iter().enumerate().map(|(at, entry)| (entry.id.clone(), at)).collect();
        for Line { entry, .. } in self.lines.iter().filter(|line| self.changed.contains(&line.entry.id)) {
            match (places.get(&entry.id), self.before.contains(&entry.id)) {
                (Some(at), true) => book.entries[*at] = entry.clone(),
                (None, _) => book.entries.push(entry.clone()),
                // Another tab has given a new one of its own this id.
                (Some(_), false) => {
                    let id = free_id(&book.entries);
                    book.entries.push(Entry { id, ..entry.clone() });
                }
            }
        }
        book.updated = now;
        if book.created == 0 {
            book.created = now;
        }
        // What is edited is wanted, even if another tab threw it away meanwhile.
        book.deleted = None;
        book
    }
}

/// An id that none of these has.
pub fn free_id<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> String {
    let highest = entries.into_iter().filter_map(|entry| entry.id.parse::<i64>().ok()).max();
    highest.map_or(0, |highest| highest.max(-1).saturating_add(1)).to_string()
}

fn sort_name(entry: &Entry) -> String {
    let name = entry.name.trim();
    if name.is_empty() { entry.keys.join(" ").to_lowercase() } else { name.to_lowercase() }
}

/// As much as a row has room for.
fn shortened(text: &str) -> String {
    const CHARS: usize = 120;
    match text.char_indices().nth(CHARS) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
