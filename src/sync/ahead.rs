//! The newest pages of a story that is still on its way: a story is whole once its first turn is here, but who comes to it on
//! another device reads on at its end.
//!
//! Where much of stories is told at once, it ends with them ([`ends`]), and what is played later is told last anyway: the newest
//! files of a device's log have those of what was played last.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::{Map, Value};

use super::{
    books::{AGAIN, Mark},
    fact::{Fact, Says, Stamp},
    fields,
    log::{File, LARGE},
    places::{Places, read_place},
    tell::AT_TURN,
};
use crate::{
    ports::Store,
    store::{Stored, Table, changed, from_value},
    story::{generation::Generation, storyline::Storyline, turn::Turn},
};

/// Pages of a story that can be read ahead, at most.
pub const PAGES: usize = if cfg!(test) { 3 } else { 24 };
/// Bytes of a device's newest files that are looked through for them; a small one counts as [`LEAST`], and one of which the storage
/// does not say how large it is, as all.
const LOOKS: u64 = LARGE;
const LEAST: u64 = LOOKS / 12;

/// A turn, and the reply that the story goes on from.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    pub turn: Turn,
    pub reply: Option<Generation>,
}

/// A story that is on its way.
#[derive(Clone, Debug, PartialEq)]
pub struct Coming {
    told: Arc<Fact>,
    /// As far as it was told; where its reader stands is not known yet.
    pub story: Arc<Storyline>,
    /// Its newest, as far as they are known, the last at the end.
    pub pages: Arc<[Page]>,
}

impl Coming {
    /// `None`: it lies in the bin, or it is none.
    pub fn of(told: &Fact) -> Option<Self> {
        let mut record = Map::new();
        record.insert("id".to_owned(), told.place().1.into());
        let said = said(told)?.iter().filter(|(name, _)| *name != HEAD);
        fields::put(Table::Storylines, &mut record, said.map(|(name, (_, value))| (name.clone(), value.clone())));
        let story: Storyline = from_value(record.into()).ok()?;
        let is_seen = story.deleted.is_none() && !story.title.is_empty();
        is_seen.then(|| Self { told: Arc::new(told.clone()), story: Arc::new(story), pages: Arc::default() })
    }

    /// With its newest pages among what was told.
    fn ahead(&self, facts: &BTreeMap<String, Fact>) -> Self {
        let told = match facts.get(&self.told.of) {
            Some(newer) => (*self.told).clone().join(newer.clone()),
            None => (*self.told).clone(),
        };
        let mut at = said(&told).and_then(|said| read_place(&said.get(HEAD)?.1));
        let mut pages = Vec::new();
        while let Some((turn, by)) = at.filter(|_| pages.len() < PAGES) {
            let Some(value) = whole(facts, Table::Turns.name(), turn.as_str()) else { break };
            // What the reader folded away stays away.
            if whole(facts, AT_TURN, turn.as_str()).is_some_and(|at| at["untold"]["folded"] == true) {
                break;
            }
            let reply = by.as_ref().map(|by| whole(facts, Table::Generations.name(), by.as_str()));
            let reply = match reply {
                Some(None) => break,
                reply => reply.flatten().and_then(|reply| from_value::<Generation>(reply.clone()).ok()),
            };
            at = read_place(&value["after"]);
            let Ok(turn) = from_value(value.clone()) else { break };
            pages.push(Page { turn, reply });
        }
        pages.reverse();
        Self { pages: pages.into(), ..Self::of(&told).unwrap_or_else(|| self.clone()) }
    }
}

/// What the newest files say.
#[derive(Debug, Default)]
pub struct Ahead {
    facts: BTreeMap<String, Fact>,
    /// What was found in it, by the ids of stories.
    found: BTreeMap<String, Coming>,
}

impl Ahead {
    pub fn hear(&mut self, facts: Vec<Fact>) {
        let is_read = |name: &str| name == AT_TURN || READ.iter().any(|table| table.name() == name);
        facts.into_iter().filter(|fact| is_read(fact.place().0)).for_each(|fact| fact.join_to(&mut self.facts));
    }

    /// The story with its newest pages.
    pub fn of(&mut self, coming: &Coming) -> Coming {
        let id = coming.story.id.to_string();
        self.found.entry(id).or_insert_with(|| coming.ahead(&self.facts)).clone()
    }
}

/// What pages are made of.
const READ: [Table; 3] = [Table::Storylines, Table::Turns, Table::Generations];
const HEAD: &str = "head";

fn said(told: &Fact) -> Option<&BTreeMap<String, (Stamp, Value)>> {
    match &told.says {
        Says::Fields(said) => Some(said),
        _ => None,
    }
}

fn whole<'a>(facts: &'a BTreeMap<String, Fact>, of: &str, id: &str) -> Option<&'a Value> {
    match &facts.get(&format!("{of}/{id}"))?.says {
        Says::Whole(_, value) => Some(value),
        _ => None,
    }
}

/// Of the files of a device that are not heard yet the newest, those that are looked through.
pub fn newest(files: &[File], heard: u64) -> &[File] {
    let mut left = LOOKS;
    let unheard = |file: &&File| file.to > heard;
    let fits = |file: &&File| {
        let costs = if file.size == 0 { LOOKS } else { file.size.max(LEAST) };
        // One that is larger than all is looked through alone.
        let fits = costs <= left || left == LOOKS;
        left = if fits { left.saturating_sub(costs) } else { 0 };
        fits
    };
    let count = files.iter().rev().take_while(unheard).take_while(fits).count();
    &files[files.len() - count..]
}

/// The newest pages of stories, to be told once more as they were told: marks that say of no change.
///
/// # Errors
/// The store failed.
pub async fn ends(store: &dyn Store, stories: &[Storyline], limit: u32) -> Stored<Vec<Mark>> {
    let mut marks = Vec::new();
    for story in stories {
        match end(store, story).await {
            Ok(end) => marks.extend(end),
            // One that is damaged here is in the way of no other.
            Err(error) if error.is_unreadable() => {}
            Err(error) => return Err(error),
        }
        if marks.len() >= limit as usize {
            marks.truncate(limit as usize);
            break;
        }
    }
    Ok(marks)
}

async fn end(store: &dyn Store, story: &Storyline) -> Stored<Vec<Mark>> {
    let mut marks = Vec::new();
    let places = Places::of(store, story.id.as_str()).await?;
    let mut at = read_place(&places.told(&story.head).await?);
    for _ in 0..PAGES {
        let Some((turn, by)) = at else { break };
        let Some(turn) = store.load::<Turn>(turn.as_str()).await? else { break };
        let untold = places.branches.get(&turn.branch).and_then(|branch| branch.untold_at(turn.position));
        if untold.is_some_and(|untold| untold.folded) {
            break;
        }
        let reply = by.map(|by| changed::id(Table::Generations, by.as_str()));
        let of_page = [changed::id(Table::Turns, turn.id.as_str())].into_iter().chain(reply);
        marks.extend(of_page.map(|id| Mark { id, at: AGAIN }));
        at = places.before(&turn.branch, turn.position).await?;
    }
    Ok(marks)
}
