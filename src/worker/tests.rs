//! The keeper on a store in memory.

use std::{collections::BTreeSet, rc::Rc};

use futures_executor::block_on;
use proptest::prelude::*;

use super::{Alone, Keeper};
use crate::{
    ports::{
        Recall, Store,
        recall::{Answer, Hit, Request, Search, Source, Words},
    },
    sim::{ports::MemoryClock, store::MemoryStore},
    store::{Batch, Op, Query, Table},
    story::{
        character::Character,
        generation::{Generation, Status},
        ids::BranchId,
        memory::{Kind, Memory},
        storyline::Storyline,
        tree::{Branch, Cut, Fork, Head, Path},
        turn::Turn,
    },
};

mod building;
mod days;
mod excerpts;
mod facts;
mod late;
mod segments;
mod vectors;
mod warm;

struct Shelf {
    store: Rc<MemoryStore>,
    keeper: Keeper,
}

fn clock() -> Rc<MemoryClock> {
    Rc::new(MemoryClock::at(0))
}

fn shelf() -> Shelf {
    let store = Rc::new(MemoryStore::new());
    let shelf = Shelf { keeper: Keeper::new(store.clone(), Rc::new(Alone), clock()), store };
    let mut batch = Batch::new();
    batch.push(&Character { id: "ada".into(), name: "Ada".into(), ..Default::default() });
    batch.push(&Storyline { id: "s".into(), cast: vec!["ada".into()], user_name: "Ben".into(), ..Default::default() });
    batch.push(&Branch { id: "root".into(), storyline: "s".into(), ..Default::default() });
    shelf.commit(batch);
    shelf
}

fn turn(branch: &str, position: u32, user: &str) -> Turn {
    Turn {
        id: format!("{branch}-{position}").into(),
        storyline: "s".into(),
        branch: branch.into(),
        position,
        session: "sess".into(),
        user: Some(user.into()),
        chosen: Some(format!("{branch}-{position}-g").into()),
        ..Default::default()
    }
}

fn reply(branch: &str, position: u32, name: &str, text: &str) -> Generation {
    Generation {
        id: format!("{branch}-{position}-{name}").into(),
        turn: format!("{branch}-{position}").into(),
        storyline: "s".into(),
        branch: branch.into(),
        position,
        text: text.into(),
        status: Status::Done,
        ..Default::default()
    }
}

fn root(last: u32) -> Path {
    let branches = [(BranchId::from("root"), Branch { id: "root".into(), length: last + 1, ..Default::default() })];
    Path::of(&branches.into(), &Head { branch: "root".into(), end: last + 1 }).unwrap()
}

fn words(text: &str) -> Words {
    Words { text: text.into(), ..Words::default() }
}

impl Shelf {
    /// The keeper of another start.
    fn again(&self) -> Self {
        Self { keeper: Keeper::new(self.store.clone(), Rc::new(Alone), clock()), store: self.store.clone() }
    }

    fn commit(&self, batch: Batch) {
        block_on(self.store.commit(batch)).unwrap();
    }

    fn search(&self, path: &Path, text: &str) -> Vec<Hit> {
        let until = path.end;
        let search = Search {
            storyline: "s".into(),
            path: path.clone(),
            until,
            words: words(text),
            limit: 9,
            ..Default::default()
        };
        block_on((&self.keeper as &dyn Recall).hits(Request::Search(search))).unwrap()
    }

    fn texts(&self, path: &Path, text: &str) -> Vec<String> {
        self.search(path, text).into_iter().map(|hit| hit.text).collect()
    }

    fn due(&self) -> u32 {
        block_on(self.store.count(Query::all(Table::Due))).unwrap()
    }
}

#[test]
fn what_changes_is_found_as_it_is() {
    let shelf = shelf();
    shelf.commit(Batch::new().put(&turn("root", 0, "The key hangs by the door.")).put(&reply(
        "root",
        0,
        "g",
        "<narrative>The lamp is lit.</narrative><state_update_json>{\"key\": 1}</state_update_json>",
    )));
    let path = root(0);
    let hits = shelf.search(&path, "where is the key?");
    assert_eq!(hits[0].source, Source::User("root-0".into()));
    assert_eq!((hits[0].text.as_str(), hits[0].position), ("The key hangs by the door.", 0));
    assert!(hits[0].words.contains(&"key".to_owned()) && hits[0].parts.iter().any(|(name, _)| name == "words"));
    assert_eq!(shelf.search(&path, "lamp")[0].text, "The lamp is lit.", "as it is shown");
    assert_eq!(shelf.due(), 0);

    // Reworded in place; another reply chosen; a memory added, pinned, and deleted again.
    shelf.commit(Batch::new().put(&turn("root", 0, "The key lies in the well.")));
    assert_eq!(shelf.texts(&path, "key")[0], "The key lies in the well.");
    shelf.commit(
        Batch::new()
            .put(&reply("root", 0, "h", "A raven calls."))
            .put(&Turn { chosen: Some("root-0-h".into()), ..turn("root", 0, "The key lies in the well.") }),
    );
    assert_eq!(shelf.texts(&path, "raven")[0], "A raven calls.");
    assert!(!shelf.texts(&path, "lamp").contains(&"The lamp is lit.".to_owned()), "the other reply is not on the path");
    let memory = Memory {
        id: "m".into(),
        storyline: "s".into(),
        kind: Kind::Note,
        branch: "root".into(),
        text: "Ben fears wells.".into(),
        pinned: true,
        ..Default::default()
    };
    shelf.commit(Batch::new().put(&memory));
    let first = &shelf.search(&path, "anything")[0];
    assert_eq!((first.text.as_str(), first.pinned, &first.turn.0[..]), ("Ben fears wells.", true, "root-0"));
    shelf.commit(Batch::new().put(&Memory { hidden: true, ..memory.clone() }));
    assert!(!shelf.texts(&path, "wells").contains(&memory.text));
    shelf.commit(Batch::new().remove(&memory));
    assert!(!shelf.texts(&path, "fears wells").contains(&memory.text));
}

#[test]
fn a_second_keeper_finds_the_same_without_building_anew() {
    let shelf = shelf();
    for position in 0..300 {
        let text = format!("Night {position}: the {} sleeps.", ["fox", "owl", "hare"][position as usize % 3]);
        shelf.commit(Batch::new().put(&turn("root", position, &text)).put(&reply("root", position, "g", "It rains.")));
        if position % 50 == 0 {
            shelf.search(&root(position), "owl");
        }
    }
    let path = root(299);
    let expected = shelf.search(&path, "Which night did the owl sleep, 100 or 200?");
    assert!(!expected.is_empty() && shelf.due() == 0);
    let second = shelf.again();
    let commits = shelf.store.commits().len();
    assert_eq!(second.search(&path, "Which night did the owl sleep, 100 or 200?"), expected);
    assert_eq!(shelf.store.commits().len(), commits, "nothing was written: nothing was built");

    // Each follows what the other has written.
    shelf.commit(Batch::new().put(&turn("root", 300, "A badger digs.")));
    assert_eq!(second.texts(&root(300), "badger")[0], "A badger digs.");
    assert_eq!(shelf.texts(&root(300), "badger")[0], "A badger digs.");
}

#[test]
fn a_lost_or_damaged_index_is_built_anew() {
    let shelf = shelf();
    shelf.commit(Batch::new().put(&turn("root", 0, "The key hangs by the door.")));
    let found = shelf.texts(&root(0), "key");
    for spoil in ["s/head", "s/000000", "damage"] {
        let ops = match spoil {
            "damage" => {
                let mut doc = shelf.store.peek(Table::Postings, "s/000000").unwrap();
                let mut bytes = doc.bytes.unwrap().to_vec();
                let at = bytes.len() - 3;
                bytes[at] ^= 1;
                doc.bytes = Some(bytes.into());
                vec![Op::Put(Table::Postings, doc)]
            }
            key => vec![Op::Delete(Table::Postings, key.into())],
        };
        shelf.commit(Batch { ops, ..Batch::new() });
        let again = shelf.again();
        assert_eq!(again.texts(&root(0), "key"), found, "{spoil}");
    }
}

/// Whatever the store refuses, the next answer is right.
#[test]
fn any_operation_of_the_store_may_fail() {
    for nth in 0.. {
        let shelf = shelf();
        shelf.commit(Batch::new().put(&turn("root", 0, "The key hangs by the door.")));
        shelf.search(&root(0), "key");
        shelf.commit(Batch::new().put(&turn("root", 1, "A second key is in the well.")));
        shelf.store.fail(nth, "AbortError");
        let search = Search {
            storyline: "s".into(),
            path: root(1),
            until: 2,
            words: words("well"),
            limit: 3,
            ..Default::default()
        };
        let before = shelf.store.operations();
        let _ = block_on((&shelf.keeper as &dyn Recall).hits(Request::Search(search)));
        if shelf.store.operations() <= before + nth {
            assert!(nth > 5, "every operation of the search has failed once");
            break;
        }
        assert_eq!(shelf.texts(&root(1), "well")[0], "A second key is in the well.", "{nth}");
        let again = shelf.again();
        assert_eq!(again.texts(&root(1), "well")[0], "A second key is in the well.", "{nth}, from the store");
    }
}

#[test]
fn looking_up_finds_on_every_branch_while_one_types() {
    let shelf = shelf();
    let fork = Fork { branch: "root".into(), position: 0, generation: Some("root-0-g".into()) };
    shelf.commit(
        Batch::new()
            .put(&turn("root", 0, "We set out."))
            .put(&turn("root", 1, "She bought a kayak in Bergen."))
            .put(&Branch {
                id: "b".into(),
                storyline: "s".into(),
                parent: Some(fork),
                first: 1,
                length: 1,
                ..Default::default()
            })
            .put(&turn("b", 1, "他在卑尔根买了一条皮划艇。")),
    );
    let look_up = |text: &str| {
        let request = Request::LookUp { text: text.into(), memories_of: None, limit: 5 };
        let hits = block_on((&shelf.keeper as &dyn Recall).hits(request)).unwrap();
        hits.into_iter().map(|hit| hit.turn.0).collect::<Vec<_>>()
    };
    assert_eq!(look_up("kay"), ["root-1"]);
    assert_eq!(look_up("皮划"), ["b-1"]);
    assert_eq!(look_up("xyzzy"), [""; 0]);
    // The older future of the fork goes into the bin.
    let cuts = vec![Cut { at: 1, deleted: 1 }];
    let root = Branch { id: "root".into(), storyline: "s".into(), length: 2, cuts, ..Default::default() };
    shelf.commit(Batch::new().put(&root));
    assert_eq!((look_up("kay"), look_up("皮划")), (vec![], vec!["b-1".to_owned()]));
    assert_eq!(look_up("set out"), ["root-0"]);
}

/// A random tree: branches that fork off earlier ones, each turn with one to three replies, memories on some of them.
#[derive(Clone, Debug)]
struct Grown {
    branches: Vec<Branch>,
    turns: Vec<Turn>,
    replies: Vec<Generation>,
    memories: Vec<Memory>,
}

prop_compose! {
    fn any_tree()(
        forks in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 1u32..5, 0usize..3), 0..6),
        first in 1u32..6,
        memories in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>(), 0usize..3), 0..8),
        replies in prop::collection::vec((1usize..4, 0usize..3), 1..8),
    ) -> Grown {
        let mut tree = Grown {
            branches: vec![Branch { id: "root".into(), storyline: "s".into(), length: first, ..Default::default() }],
            turns: vec![], replies: vec![], memories: vec![],
        };
        for (n, (parent, at, length, by)) in forks.iter().enumerate() {
            let parent = &tree.branches[parent.index(tree.branches.len())];
            let position = parent.first + at.index(parent.length as usize) as u32;
            let by = format!("{}-{position}-{}", parent.id, by % replies[position as usize % replies.len()].0);
            let fork = Fork { branch: parent.id.clone(), position, generation: Some(by.into()) };
            tree.branches.push(Branch { id: format!("b{n}").into(), storyline: "s".into(), parent: Some(fork), first: position + 1, length: *length, ..Default::default() });
        }
        for branch in &tree.branches {
            for position in branch.first..branch.end() {
                let (count, chosen) = replies[position as usize % replies.len()];
                let mut turn = turn(branch.id.as_str(), position, &format!("token {} says {position}", branch.id));
                turn.chosen = Some(format!("{}-{position}-{}", branch.id, chosen % count).into());
                tree.turns.push(turn);
                for n in 0..count {
                    tree.replies.push(reply(branch.id.as_str(), position, &n.to_string(), &format!("token {} answers {position} {n}", branch.id)));
                }
            }
        }
        for (n, (place, by_hand, by)) in memories.into_iter().enumerate() {
            let turn = &tree.turns[place.index(tree.turns.len())];
            let own: Vec<_> = tree.replies.iter().filter(|reply| reply.turn == turn.id).collect();
            tree.memories.push(Memory {
                id: format!("m{n}").into(), storyline: "s".into(), branch: turn.branch.clone(), position: turn.position,
                generation: (!by_hand).then(|| own[by % own.len()].id.clone()), text: format!("token memory {n}"), ..Default::default()
            });
        }
        tree
    }
}

impl Grown {
    fn path(&self, head: &Head) -> Path {
        let branches = self.branches.iter().map(|branch| (branch.id.clone(), branch.clone())).collect();
        Path::of(&branches, head).unwrap()
    }

    /// What is visible from a head, by a walk over each turn.
    fn visible(&self, head: &Head) -> BTreeSet<Source> {
        let path = self.path(head);
        let mut seen = BTreeSet::new();
        for turn in &self.turns {
            if !path.contains(&turn.branch, turn.position) {
                continue;
            }
            let reply = path.generation_of(turn).unwrap();
            seen.insert(Source::User(turn.id.clone()));
            seen.insert(Source::Reply(reply.clone()));
            let here = |memory: &&Memory| (&memory.branch, memory.position) == (&turn.branch, turn.position);
            let made = |memory: &&Memory| memory.generation.as_ref().is_none_or(|maker| maker == reply);
            seen.extend(self.memories.iter().filter(here).filter(made).map(|memory| Source::Memory(memory.id.clone())));
        }
        seen
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// E5: what another branch holds is never found, and nothing of this one is missing.
    #[test]
    fn nothing_of_a_sibling_and_nothing_missing(tree in any_tree(), head in any::<prop::sample::Index>(), cut in 0u32..3) {
        let shelf = shelf();
        let mut batch = Batch::new();
        tree.branches.iter().for_each(|branch| batch.push(branch));
        shelf.commit(batch);
        // In the order of positions, as several branches grow: what stands together was not appended together.
        let mut turns: Vec<_> = tree.turns.iter().collect();
        turns.sort_by_key(|turn| turn.position);
        for turn in turns {
            let mut batch = Batch::new().put(turn);
            tree.replies.iter().filter(|reply| reply.turn == turn.id).for_each(|reply| batch.push(reply));
            shelf.commit(batch);
        }
        let mut batch = Batch::new();
        tree.memories.iter().for_each(|memory| batch.push(memory));
        shelf.commit(batch);

        let branch = &tree.branches[head.index(tree.branches.len())];
        let head = Head { branch: branch.id.clone(), end: branch.end().saturating_sub(cut).max(1) };
        let path = tree.path(&head);
        let search = Search { storyline: "s".into(), until: path.end, path, words: words("token"), limit: 500, ..Default::default() };
        for keeper in [&shelf.keeper, &Keeper::new(shelf.store.clone(), Rc::new(Alone), clock())] {
            let hits = block_on((keeper as &dyn Recall).hits(Request::Search(search.clone()))).unwrap();
            let found: BTreeSet<_> = hits.into_iter().map(|hit| hit.source).collect();
            prop_assert_eq!(found, tree.visible(&head));
        }
    }

    /// A view that grows with its path, or is cut back, shows what one made anew shows, whatever has changed meanwhile.
    #[test]
    fn one_look_after_the_other_sees_what_is_there(
        tree in any_tree(),
        steps in prop::collection::vec((any::<prop::sample::Index>(), 0u32..4, any::<prop::sample::Index>(), 0usize..3), 1..12),
    ) {
        let shelf = shelf();
        let mut tree = tree;
        let mut batch = Batch::new();
        tree.branches.iter().for_each(|branch| batch.push(branch));
        tree.turns.iter().for_each(|turn| batch.push(turn));
        tree.replies.iter().for_each(|reply| batch.push(reply));
        // Memories come one by one, the replies of turns are chosen anew, between looks from anywhere.
        shelf.commit(batch);
        let mut later = std::mem::take(&mut tree.memories).into_iter();
        for (branch, cut, turn, by) in steps {
            let mut batch = Batch::new();
            let turn = turn.index(tree.turns.len());
            let own: Vec<_> = tree.replies.iter().filter(|reply| reply.turn == tree.turns[turn].id).collect();
            tree.turns[turn].chosen = Some(own[by % own.len()].id.clone());
            batch.push(&tree.turns[turn]);
            if let Some(memory) = later.next() {
                batch.push(&memory);
                tree.memories.push(memory);
            }
            let branch = &tree.branches[branch.index(tree.branches.len())];
            let head = Head { branch: branch.id.clone(), end: branch.end().saturating_sub(cut).max(1) };
            if by > 0 {
                shelf.commit(batch);
            } else {
                // Looked at before and after.
                shelf.search(&tree.path(&head), "token");
                shelf.commit(batch);
            }
            let path = tree.path(&head);
            let search = Search { storyline: "s".into(), until: path.end, path, words: words("token memory"), limit: 500, ..Default::default() };
            let anew = Keeper::new(shelf.store.clone(), Rc::new(Alone), clock());
            let [grown, anew] = [&shelf.keeper, &anew].map(|keeper| block_on((keeper as &dyn Recall).hits(Request::Search(search.clone()))).unwrap());
            let found: BTreeSet<_> = grown.iter().map(|hit| hit.source.clone()).collect();
            prop_assert_eq!(found, tree.visible(&head));
            prop_assert_eq!(grown.len(), anew.len());
        }
    }
}
