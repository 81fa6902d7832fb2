//! Which entries come up in a turn. The rules are the field's (SillyTavern's world info, the card formats V2 and V3); what
//! differs says the README.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

use serde::{Deserialize, Serialize};

use super::{
    book::{Book, Ready},
    keys::{Gram, How, Key, Said},
    settings::LoreSettings,
    timers::{Timer, Timers},
};
use crate::{
    prompt::macros::chance,
    story::{
        lorebook::{Filter, Logic},
        order,
        trigger::Trigger,
        written::Text,
    },
};

/// Times that all entries are looked through at the most: deeper than that no book means to go.
const STEPS: u32 = 64;

/// What a turn is looked through for.
pub struct Looked<'a> {
    pub settings: &'a LoreSettings,
    /// What the reply is asked for as.
    pub trigger: Trigger,
    /// The newest first.
    pub chat: &'a [Said],
    /// Texts of the story that are looked through as well, however near an entry looks.
    pub beside: &'a [(Text, Said)],
    /// Messages of the whole chat, and replies among them.
    pub count: u32,
    pub replies: u32,
    /// Of who speaks.
    pub name: &'a str,
    pub tags: &'a [String],
    pub timers: &'a Timers,
    /// Tokens that all entries may take.
    pub budget: u32,
    /// Chance draws from it: another reply to the turn is told the same.
    pub seed: &'a str,
    /// The entries that are found by meaning too and like what is said, the most like first.
    pub near: &'a [Near],
    /// Puts names into keys.
    pub names: &'a dyn Fn(&str) -> String,
}

/// An entry that is like what is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Near {
    /// Its book among the books, and itself among the entries.
    pub place: (usize, u32),
    /// In hundredths.
    pub likeness: u32,
}

/// An entry that is told.
#[derive(Clone, Debug)]
pub struct Woken<'a> {
    pub book: &'a Book,
    pub ready: &'a Ready,
    /// As it is told.
    pub text: String,
    pub why: Why,
}

/// Why an entry is told, or what kept it out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// It always is.
    Constant,
    /// It was told a while ago, and stays.
    Stays,
    /// A key stands in a message: how many from the end, the newest being 1.
    Message { key: String, message: u32 },
    /// A key stands in the text of another entry.
    Entry { key: String, entry: String },
    /// A text of the story holds a key.
    Text { key: String, of: Text },
    /// What is said is like it, in hundredths.
    Meaning { likeness: u32 },
    /// There was no room left for it.
    NoRoom,
}

/// What the entries of a turn are.
#[derive(Clone, Debug, Default)]
pub struct Awake<'a> {
    /// In the order in which they came up.
    pub woken: Vec<Woken<'a>>,
    /// What there was no room for.
    pub left_out: Vec<(&'a Book, &'a Ready)>,
    /// What lasts beyond the turn, by the keys of its entries.
    pub started: Vec<(String, Timer)>,
}

/// Looks through a turn for what `books` have to say to it: the first one's entries come first where the room is small.
/// `expand` puts in the macros of a text, and says what it costs in tokens.
pub fn wake<'a>(books: &[&'a Book], looked: &Looked, expand: &mut dyn FnMut(&Ready) -> (String, u32)) -> Awake<'a> {
    let mut candidates = Vec::new();
    let mut known: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); books.len()];
    let levels: BTreeSet<u32> = books.iter().flat_map(|book| &book.levels).copied().collect();
    let mut levels = levels.into_iter();
    let mut texts = Texts::default();
    let mut room = Room { left: looked.budget, of_book: BTreeMap::new(), is_full: false };
    let mut taken = BTreeSet::new();
    let mut awake = Awake::default();
    let (mut level, mut steps) = (0, 0);
    loop {
        let in_chat = steps == 0;
        let said = if in_chat { looked.chat } else { texts.newest.as_slice() };
        let beside = looked.beside.iter().filter(|_| in_chat).map(|(_, said)| said);
        let said: BTreeSet<Gram> = said.iter().chain(beside).flat_map(Said::grams).collect();
        for (nth, (book, known)) in books.iter().zip(&mut known).enumerate() {
            let always = if in_chat { book.always() } else { &[] };
            for at in always.iter().copied().chain(book.may_come_up(&said)) {
                if known.insert(at) {
                    candidates.extend(Candidate::of(looked, book, (nth, at)));
                }
            }
        }
        for Near { place: (nth, at), .. } in looked.near.iter().filter(|_| in_chat) {
            if known[*nth].insert(*at) {
                candidates.extend(Candidate::of(looked, books[*nth], (*nth, *at)));
            }
        }
        // The better claim comes first.
        order::by_key(&mut candidates, |one| one.place);
        let mut found = Vec::new();
        for (at, one) in candidates.iter_mut().enumerate().filter(|(_, one)| one.is_open) {
            one.look(looked, &texts, in_chat);
            found.extend(one.comes_up(looked, &texts, in_chat, level).map(|why| (at, why)));
        }
        if in_chat {
            found.extend(by_meaning(&candidates, &found, looked, &texts));
        }
        order::by_key(&mut found, |(at, why)| (*why != Why::Stays, *at));
        let kept = in_groups(&candidates, &found, &taken, looked.seed);
        let mut fresh = Vec::new();
        for ((at, why), kept) in found.into_iter().zip(kept) {
            let one = &mut candidates[at];
            one.is_open = false;
            let Candidate { book, ready, .. } = *one;
            let entry = &ready.entry;
            if !kept || why != Why::Stays && !is_lucky(&ready.key, entry.probability, looked.seed) {
                continue;
            }
            let (text, tokens) = expand(ready);
            if text.trim().is_empty() {
                continue;
            }
            if !room.take(book, tokens, entry.ignore_budget) {
                awake.left_out.push((book, ready));
                continue;
            }
            taken.extend(entry.groups.iter().map(String::as_str));
            if !entry.prevent_recursion && book.recursive.unwrap_or(looked.settings.recursive) {
                fresh.push((ready.title().to_owned(), text.clone()));
            }
            let runs = looked.timers.get(&ready.key).is_some_and(|timer| timer.stays_at(looked.count));
            let timer = Timer::of(ready, looked.count).filter(|_| !runs);
            awake.started.extend(timer.map(|timer| (ready.key.clone(), timer)));
            awake.woken.push(Woken { book, ready, text, why });
        }
        steps += 1;
        let most = if looked.settings.max_steps == 0 { STEPS } else { looked.settings.max_steps.min(STEPS) };
        if room.is_full || steps >= most {
            break;
        }
        if fresh.is_empty() {
            let Some(next) = levels.next() else { break };
            level = next;
        }
        texts.add(fresh);
    }
    awake
}

/// An entry that may come up.
struct Candidate<'a> {
    /// Of its book among the books, and of itself among the entries.
    place: (usize, u32),
    book: &'a Book,
    ready: &'a Ready,
    keys: [Cow<'a, [Key]>; 2],
    how: How,
    depth: usize,
    stays: bool,
    /// Neither told yet nor done with.
    is_open: bool,
    /// The first of its keys that came up, and where.
    hit: Option<Why>,
}

impl<'a> Candidate<'a> {
    /// `None`: whatever is said, it does not come up in this turn.
    fn of(looked: &Looked, book: &'a Book, place: (usize, u32)) -> Option<Self> {
        let ready = &book.entries[place.1 as usize];
        let (entry, decorators) = (&ready.entry, &ready.decorators);
        let is_told_of = entry.only.as_ref().is_none_or(|only| fits(only, looked.name, looked.tags));
        let is_in_time = entry.delay <= looked.count
            && decorators.after_replies <= looked.replies
            && decorators.every_replies.is_none_or(|every| looked.replies.is_multiple_of(every));
        let is_for_it = looked.trigger.is_among(ready.triggers.as_ref());
        if !is_told_of || !is_in_time || !is_for_it || decorators.never && !decorators.always {
            return None;
        }
        let timer = looked.timers.get(&ready.key).copied().unwrap_or_default();
        // What no longer asks for it is not bound by what was.
        let lasts = Timer::of(ready, 0).unwrap_or_default();
        let stays = lasts.stays.is_some() && timer.stays_at(looked.count);
        if lasts.rests.is_some() && !stays && timer.rests_at(looked.count) {
            return None;
        }
        let settings = looked.settings;
        let named = |keys: &'a [Key]| match ready.has_macros {
            true => keys.iter().filter_map(|key| Key::of(&(looked.names)(key.text()))).collect(),
            false => Cow::Borrowed(keys),
        };
        let depth = decorators.scan_depth.or(entry.scan_depth).or(book.scan_depth).unwrap_or(settings.scan_depth);
        Some(Self {
            place,
            book,
            ready,
            keys: [named(&ready.keys), named(&ready.secondary)],
            how: How {
                case_sensitive: entry.case_sensitive.unwrap_or(settings.case_sensitive),
                whole_words: entry.whole_words.unwrap_or(settings.whole_words),
            },
            depth: (depth as usize).min(looked.chat.len()),
            stays,
            is_open: true,
            hit: None,
        })
    }

    /// Looks for its keys in what is new: the chat, or the texts that came up last.
    fn look(&mut self, looked: &Looked, texts: &Texts, in_chat: bool) {
        if self.hit.is_some() {
            return;
        }
        let keys = self.keys[0].iter();
        self.hit = if in_chat {
            let first = |key: &Key| looked.chat[..self.depth].iter().position(|said| said.holds(key, self.how));
            keys.filter_map(|key| Some((key, first(key)?)))
                .min_by_key(|(_, at)| *at)
                .map(|(key, at)| Why::Message { key: key.text().to_owned(), message: at as u32 + 1 })
                .or_else(|| self.hit_beside(looked.beside))
        } else {
            let mut keys = keys;
            let key = keys.find(|key| texts.newest.as_ref().is_some_and(|said| said.holds(key, self.how)));
            key.map(|key| Why::Entry { key: key.text().to_owned(), entry: texts.holder(key, self.how) })
        };
    }

    fn hit_beside(&self, beside: &[(Text, Said)]) -> Option<Why> {
        let mut keys = self.keys[0].iter();
        keys.find_map(|key| {
            let (of, _) = beside.iter().find(|(_, said)| said.holds(key, self.how))?;
            Some(Why::Text { key: key.text().to_owned(), of: *of })
        })
    }

    fn comes_up(&self, looked: &Looked, texts: &Texts, in_chat: bool, level: u32) -> Option<Why> {
        let (entry, decorators) = (&self.ready.entry, &self.ready.decorators);
        if self.stays {
            return Some(Why::Stays);
        }
        let waits = if in_chat { entry.recursion_level > 0 } else { entry.recursion_level > level };
        if waits || !in_chat && entry.exclude_recursion {
            return None;
        }
        if decorators.always || entry.constant {
            return Some(Why::Constant);
        }
        let holds = |key: &Key| self.holds(key, looked, texts);
        let hit = self.hit.as_ref()?;
        let secondary = &self.keys[1];
        let is_asked_for = match entry.logic {
            _ if secondary.is_empty() => true,
            Logic::Any => secondary.iter().any(holds),
            Logic::All => secondary.iter().all(holds),
            Logic::NotAny => !secondary.iter().any(holds),
            Logic::NotAll => !secondary.iter().all(holds),
        };
        let is_decorated = self.ready.also.iter().all(|list| list.iter().any(holds));
        (is_asked_for && is_decorated && !self.is_barred(looked, texts)).then(|| hit.clone())
    }

    /// A key comes up that keeps it out.
    fn is_barred(&self, looked: &Looked, texts: &Texts) -> bool {
        self.ready.except.iter().any(|key| self.holds(key, looked, texts))
    }

    /// Whether a key stands anywhere that it looks at.
    fn holds(&self, key: &Key, looked: &Looked, texts: &Texts) -> bool {
        let beside = looked.beside.iter().map(|(_, said)| said);
        let all = looked.chat[..self.depth].iter().chain(beside).chain(&texts.all).chain(&texts.newest);
        all.into_iter().any(|said| said.holds(key, self.how))
    }
}

/// Of the entries that are like what is said those that do not come up anyway, as many as may. Their keys count for
/// nothing then; what else keeps an entry out does.
fn by_meaning(candidates: &[Candidate], found: &[(usize, Why)], looked: &Looked, texts: &Texts) -> Vec<(usize, Why)> {
    let told = |near: &Near| {
        let at = candidates.binary_search_by_key(&near.place, |one| one.place).ok()?;
        let one = &candidates[at];
        let is_kept_out = one.ready.entry.recursion_level > 0 || one.is_barred(looked, texts);
        let is_told = is_kept_out || found.iter().any(|(other, _)| *other == at);
        (!is_told).then_some((at, Why::Meaning { likeness: near.likeness }))
    };
    looked.near.iter().filter_map(told).take(looked.settings.by_meaning as usize).collect()
}

/// Each of the two lists that says anything has to let the entry in, as SillyTavern has it.
fn fits(only: &Filter, name: &str, tags: &[String]) -> bool {
    let is_same = |a: &String, b: &str| a.trim().to_lowercase() == b.trim().to_lowercase();
    let is_named = only.names.iter().any(|one| is_same(one, name));
    let is_tagged = only.tags.iter().any(|one| tags.iter().any(|tag| is_same(one, tag)));
    let fits = |list: &[String], is_in: bool| list.is_empty() || is_in != only.exclude;
    fits(&only.names, is_named) && fits(&only.tags, is_tagged)
}

/// Texts of entries that came up, in which others look for their keys: those of a pass together, for a pass may bring
/// hundreds.
#[derive(Default)]
struct Texts {
    all: Vec<Said>,
    newest: Option<Said>,
    /// The newest one by one, with the titles of their entries.
    apart: Vec<(String, String)>,
}

impl Texts {
    /// No key reaches over it.
    const BETWEEN: &'static str = "\n\u{1}\n";

    fn add(&mut self, fresh: Vec<(String, String)>) {
        self.all.extend(self.newest.take());
        if !fresh.is_empty() {
            let texts: Vec<&str> = fresh.iter().map(|(_, text)| text.as_str()).collect();
            self.newest = Some(Said::new(texts.join(Self::BETWEEN)));
        }
        self.apart = fresh;
    }

    /// The entry in whose text a key stands.
    fn holder(&self, key: &Key, how: How) -> String {
        let holds = |(_, text): &&(String, String)| Said::new(text.clone()).holds(key, how);
        self.apart.iter().find(holds).map_or_else(String::new, |(title, _)| title.clone())
    }
}

/// What is left for entries.
struct Room<'a> {
    left: u32,
    of_book: BTreeMap<&'a str, u32>,
    is_full: bool,
}

impl<'a> Room<'a> {
    /// Takes the tokens of an entry, where they are left. The first of which there is not enough for all ends it.
    fn take(&mut self, book: &'a Book, tokens: u32, whatever: bool) -> bool {
        let of_book = self.of_book.entry(&book.id).or_insert(book.token_budget.unwrap_or(u32::MAX));
        self.is_full |= !whatever && tokens > self.left;
        if !whatever && (self.is_full || tokens > *of_book) {
            return false;
        }
        self.left = self.left.saturating_sub(tokens);
        *of_book = of_book.saturating_sub(tokens);
        true
    }
}

fn is_lucky(key: &str, probability: u32, seed: &str) -> bool {
    probability >= 100 || chance::draw(&[seed, key], 0) % 100 < u64::from(probability)
}

/// Which of those that came up are told beside each other: of a group one, and none where one was told already.
fn in_groups(candidates: &[Candidate], found: &[(usize, Why)], taken: &BTreeSet<&str>, seed: &str) -> Vec<bool> {
    let mut kept = vec![true; found.len()];
    let entry = |nth: usize| &candidates[found[nth].0].ready.entry;
    let groups: BTreeSet<&str> =
        (0..found.len()).flat_map(|nth| entry(nth).groups.iter().map(String::as_str)).collect();
    for group in groups {
        let is_in = |nth: &usize| entry(*nth).groups.iter().any(|one| one == group);
        let members: Vec<usize> = (0..found.len()).filter(|nth| kept[*nth]).filter(is_in).collect();
        let mut winners: Vec<usize> = members.iter().copied().filter(|nth| found[*nth].1 == Why::Stays).collect();
        if winners.is_empty() && !taken.contains(group) {
            // They stand in the order of their claims, and the highest order claims first.
            let first = members
                .iter()
                .copied()
                .filter(|nth| entry(*nth).group_first)
                .max_by_key(|nth| (entry(*nth).order, std::cmp::Reverse(*nth)));
            winners.extend(first.or_else(|| drawn(&members, |nth| entry(nth).group_weight, &[seed, group])));
        }
        members.into_iter().filter(|nth| !winners.contains(nth)).for_each(|nth| kept[nth] = false);
    }
    kept
}

/// One by the weights of all.
fn drawn(members: &[usize], weight: impl Fn(usize) -> u32, seed: &[&str]) -> Option<usize> {
    let sum: u64 = members.iter().map(|nth| u64::from(weight(*nth))).sum();
    let mut at = chance::draw(seed, 0).checked_rem(sum)?;
    members.iter().copied().find(|nth| {
        let weight = u64::from(weight(*nth));
        let is_here = at < weight;
        at = at.saturating_sub(weight);
        is_here
    })
}
