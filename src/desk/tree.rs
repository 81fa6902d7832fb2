//! The tree as its panel shows it: the picture, what is at a place, and two branches side by side.

use std::{collections::HashMap, rc::Rc};

use futures_util::future::{try_join, try_join_all};

use super::Desk;
use crate::{
    store::{Query, Stored, Table, decode},
    story::{
        character::Character,
        generation::Generation,
        ids::{BranchId, StorylineId},
        layout::{self, Chosen, Marks},
        order,
        state::State,
        storyline::Storyline,
        tree::{Branch, Head, Node, Path, Tree},
        turn::Turn,
    },
    turn::scene,
};

/// Turns of which is read at a time what is seen there.
const AT_A_TIME: usize = 64;

/// What there is at a place.
#[derive(Clone, PartialEq)]
pub struct Place {
    pub at: Head,
    pub turn: Turn,
    pub reply: Option<Generation>,
    /// Other replies to the turn, without a future.
    pub others: Vec<Generation>,
    /// Points of the outline that the reply has finished: number and text.
    pub points: Vec<(u32, String)>,
}

/// Where one is, and where one compares with; from the fork on.
pub struct Pair {
    pub ends: [u32; 2],
    /// The first position at which they may differ.
    pub fork: u32,
    pub rows: Vec<[Option<Node>; 2]>,
    pub states: [Option<State>; 2],
    pub is_whole: bool,
}

impl Desk {
    /// The branches of a storyline and what is marked on them. Branches and named turns are read, and no other turn.
    ///
    /// # Errors
    /// The store failed.
    pub async fn tree(&self, storyline: &Storyline) -> Stored<(Rc<Tree>, Marks)> {
        let store = &*self.ports.store;
        let tree = scene::tree(store, &storyline.id).await?;
        let named: Vec<String> =
            tree.alive.values().flat_map(|branch| &branch.named).map(|turn| turn.0.clone()).collect();
        let turns = store.get_many(Table::Turns, &named).await?;
        let turns = turns.into_iter().filter_map(|doc| decode::<Turn>(doc.value).ok());
        let names = turns.filter_map(|turn| Some((Head { branch: turn.branch, end: turn.position + 1 }, turn.name?)));
        let saved = storyline.savepoints.iter();
        let marks = Marks {
            names: names.collect(),
            sessions: storyline
                .sessions
                .iter()
                .filter_map(|session| Some(session.opened.as_ref()?.at.clone()))
                .collect(),
            saved: saved.map(|place| Head { branch: place.branch.clone(), end: place.position + 1 }).collect(),
            chosen: HashMap::new(),
        };
        Ok((tree, marks))
    }

    /// What is seen where the branches alone do not tell it: more reading, for a picture that stands already.
    ///
    /// # Errors
    /// The store failed.
    pub async fn chosen(&self, tree: &Tree) -> Stored<HashMap<(BranchId, u32), Chosen>> {
        let store = &*self.ports.store;
        let mut found = HashMap::new();
        for some in layout::unclear(&tree.alive).chunks(AT_A_TIME) {
            let read = some.iter().map(async |(branch, position)| {
                let of = |table| Query::equal(table, "place", (branch.as_str(), *position));
                let (turns, replies) =
                    try_join(store.list::<Turn>(of(Table::Turns)), store.keys(of(Table::Generations))).await?;
                let reply = turns.into_iter().next().and_then(|turn| turn.chosen);
                Stored::Ok(((branch.clone(), *position), Chosen { reply, replies: replies.len() }))
            });
            found.extend(try_join_all(read).await?);
        }
        Ok(found)
    }

    /// The storyline as it is stored, who speaks in it (in the bin or not), and all turns of the branch that the reader is on.
    ///
    /// # Errors
    /// The store failed, or the tree is broken.
    pub async fn told(&self, id: &StorylineId) -> Stored<Option<(Storyline, Vec<Character>, Vec<Node>)>> {
        let store = &*self.ports.store;
        let Some(storyline) = store.load::<Storyline>(id.as_str()).await? else { return Ok(None) };
        let path = scene::path(store, &storyline).await?;
        let nodes = scene::window(store, &path, 0, path.end).await?;
        let ids: Vec<String> = storyline.cast.iter().map(|id| id.0.clone()).collect();
        let cast = store.get_many(Table::Characters, &ids).await?.into_iter();
        let cast = cast.filter_map(|doc| decode::<Character>(doc.value).ok()).collect();
        Ok(Some((storyline, cast, nodes)))
    }

    /// `None` where nothing is any more.
    ///
    /// # Errors
    /// The store failed.
    pub async fn place(&self, branches: &HashMap<BranchId, Branch>, at: Head) -> Stored<Option<Place>> {
        let store = &*self.ports.store;
        let Some(branch) = branches.get(&at.branch) else { return Ok(None) };
        // A branch right after its fork has no turn of its own there.
        let (of, position, reply) = match &branch.parent {
            Some(fork) if at.end == branch.first => (fork.branch.clone(), fork.position, fork.generation.clone()),
            _ => (branch.id.clone(), at.end.saturating_sub(1), None),
        };
        let place = |table| Query::equal(table, "place", (of.as_str(), position));
        let Some(turn) = store.list::<Turn>(place(Table::Turns)).await?.pop() else { return Ok(None) };
        let mut replies = store.list::<Generation>(place(Table::Generations)).await?;
        let wanted = reply.or_else(|| turn.chosen.clone());
        let reply = replies.iter().position(|reply| Some(&reply.id) == wanted.as_ref()).map(|at| replies.remove(at));
        let has_future = |reply: &Generation| {
            turn.chosen.as_ref() == Some(&reply.id) || branches.values().any(|branch| branch.leaves(&turn, &reply.id))
        };
        replies.retain(|reply| !has_future(reply));
        order::by(&mut replies, |a, b| (a.started, &a.id).cmp(&(b.started, &b.id)));
        let beads = branches.get(&of).into_iter().flat_map(|branch| &branch.beads);
        let beads = beads.filter(|bead| reply.as_ref().is_some_and(|reply| reply.id == bead.generation));
        let points = beads.map(|bead| (bead.point, bead.content.clone())).collect();
        Ok(Some(Place { at, turn, reply, others: replies, points }))
    }

    /// The first `count` turns after the fork, at most, and the states at both ends.
    ///
    /// # Errors
    /// The store failed.
    pub async fn compare(&self, storyline: &Storyline, with: &Head, count: u32) -> Stored<Option<Pair>> {
        let store = &*self.ports.store;
        let tree = scene::tree(store, &storyline.id).await?;
        let (Ok(here), Ok(there)) = (Path::of(&tree.alive, &storyline.head), Path::of(&tree.alive, with)) else {
            return Ok(None);
        };
        let mut fork = here.parts_from(&there);
        let to = (fork + count).min(here.end.max(there.end));
        let sides = [scene::window(store, &here, fork, to).await?, scene::window(store, &there, fork, to).await?];
        let node = |side: usize, position: u32| sides[side].iter().find(|node| node.turn.position == position).cloned();
        let mut rows: Vec<_> = (fork..to).map(|position| [node(0, position), node(1, position)]).collect();
        // The last turn that both have may differ by its reply, or not at all.
        if rows.first().is_some_and(|[a, b]| seen(a) == seen(b)) {
            rows.remove(0);
            fork += 1;
        }
        let mut states = [None, None];
        for (state, path) in states.iter_mut().zip([&here, &there]) {
            let id = scene::state_before(store, storyline, path, path.end).await?;
            *state = store.load::<State>(id.as_str()).await?;
        }
        Ok(Some(Pair { ends: [here.end, there.end], fork, rows, states, is_whole: to == here.end.max(there.end) }))
    }
}

fn seen(node: &Option<Node>) -> Option<(String, Option<String>)> {
    let node = node.as_ref()?;
    Some((node.turn.id.0.clone(), node.reply().map(|reply| reply.id.0.clone())))
}
