//! Going about in the tree, names, deletions and save points.

use std::collections::{BTreeMap, HashMap, HashSet};

use proptest::{prelude::*, sample::Index};

use super::{
    modules::directed,
    replay::{answers, texts},
    *,
};
use crate::{
    modules,
    ports::due,
    story::{
        ids::GenerationId,
        persona::PersonaEdit,
        plot::PointStatus,
        state::State,
        storyline::SavePoint,
        tree::{self, Branch, Head},
    },
    turn::{bin, prune::Discarded},
};

impl Play {
    fn branches(&self) -> HashMap<crate::story::ids::BranchId, Branch> {
        block_on(scene::branches(&*self.sim.ports.store, &self.story.id)).unwrap()
    }

    fn move_to(&self, branch: &str, end: u32) -> Result<Storyline, Fault> {
        block_on(self.conductor.move_to(&self.story.id, &Head { branch: branch.into(), end }))
    }

    fn head(&self) -> (String, u32) {
        let head = self.storyline().head;
        (head.branch.0, head.end)
    }

    /// All that is stored, the storyline's clock aside.
    fn all(&self) -> BTreeMap<(Table, String), serde_json::Value> {
        let mut all = BTreeMap::new();
        for table in Table::ALL {
            for doc in block_on(self.sim.store.query(Query::all(table))).unwrap() {
                all.insert((table, doc.value["id"].as_str().unwrap().to_owned()), doc.value);
            }
        }
        all
    }
}

fn said(texts: &[&str]) -> Play {
    let play = play((0..texts.len() * 3).map(|at| Answer::text([format!("r{at}").as_str()])));
    for text in texts {
        play.say(text);
    }
    play
}

#[test]
fn what_is_said_after_going_back_begins_a_branch() {
    let play = said(&["a", "b", "c"]);
    let root = play.head().0;
    play.move_to(&root, 2).unwrap();
    assert_eq!((play.path().len(), play.storyline().total_turns), (2, 1));
    play.say("d");
    assert_eq!(play.path()[1..], ["a → r0", "d → r3"]);
    let (branch, end) = play.head();
    assert_eq!((branch != root, end), (true, 3));
    play.move_to(&root, 4).unwrap();
    assert_eq!(play.path()[1..], ["a → r0", "b → r1", "c → r2"], "what was there stays");
    // A place right at the fork may be named by either branch.
    play.move_to(&branch, 1).unwrap();
    assert_eq!(play.head(), (root.clone(), 1));
    for (branch, end) in [(root.as_str(), 0), (root.as_str(), 5), ("nowhere", 1)] {
        assert!(play.move_to(branch, end).is_err());
    }
    assert_eq!(play.head(), (root, 1), "the head is as before");
}

#[test]
fn any_reply_of_any_turn_may_be_gone_on_from() {
    let play = said(&["a", "b"]);
    let turn = play.nodes()[1].turn.clone();
    play.ask(Ask::Again(turn.id.clone())).unwrap();
    play.say("c");
    assert_eq!(play.path()[1..], ["a → r2", "c → r3"]);
    let go = |reply: Option<&GenerationId>| {
        block_on(play.conductor.move_to_reply(&play.story.id, &turn.id, reply)).unwrap();
        play.path()[1..].to_vec()
    };
    let replies: Vec<_> = play.nodes()[1].generations.iter().map(|reply| reply.id.clone()).collect();
    let branches = play.branches().len();
    assert_eq!(go(Some(&replies[0])), ["a → r0"]);
    assert_eq!(go(Some(&replies[1])), ["a → r2"]);
    assert_eq!(go(None), ["a → r0"]);
    assert_eq!(play.branches().len(), branches, "nothing was made for it");
}

#[test]
fn rewording_beside_keeps_both() {
    let play = said(&["a", "b"]);
    let first = play.nodes()[1].clone();
    let turn = block_on(play.conductor.edit_user_as_branch(&play.story.id, &first.turn.id, "A")).unwrap();
    assert_eq!(play.path()[1..], ["A → "]);
    play.ask(Ask::Again(turn)).unwrap();
    assert_eq!(play.path()[1..], ["A → r2"]);
    block_on(play.conductor.go_to(&play.story.id, &first.turn.id)).unwrap();
    assert_eq!(play.path()[1..], ["a → r0", "b → r1"]);

    // A reply amid the story becomes a swipe with a future of its own, at the tip a swipe.
    block_on(play.conductor.edit_reply_as_branch(&first.reply().unwrap().id, "R")).unwrap();
    assert_eq!(play.path()[1..], ["a → R"]);
    play.say("c");
    let tip = play.nodes()[2].clone();
    let branches = play.branches().len();
    block_on(play.conductor.edit_reply_as_branch(&tip.reply().unwrap().id, "T")).unwrap();
    assert_eq!((play.path()[1..].to_vec(), play.branches().len()), (vec!["a → R".into(), "c → T".into()], branches));
    assert_eq!(play.nodes()[2].generations.len(), 2);
}

#[test]
fn a_named_turn_is_found_by_its_branch() {
    let play = said(&["a"]);
    let turn = play.nodes()[1].turn.clone();
    let name = |name: &str| block_on(play.conductor.name_turn(&turn.id, name)).unwrap().name;
    assert_eq!(name(" 雨夜 ").as_deref(), Some("雨夜"));
    assert_eq!(name("雨后").as_deref(), Some("雨后"));
    assert_eq!(play.branches()[&turn.branch].named, std::slice::from_ref(&turn.id));
    assert_eq!(name("  "), None);
    assert_eq!(play.branches()[&turn.branch].named, []);
}

#[test]
fn a_deleted_branch_comes_back_as_it_was_or_goes_for_good() {
    let play = said(&["a", "b", "c"]);
    let root = play.head().0;
    play.move_to(&root, 2).unwrap();
    play.say("d");
    play.say("e");
    play.ask(Ask::Again(play.nodes()[2].turn.id.clone())).unwrap();
    let sub = play.head().0;
    let branch = play.branches()[&sub.as_str().into()].parent.clone().unwrap().branch;
    block_on(play.conductor.write_memory(&play.story.id, "note", "")).unwrap();
    let before = play.all();
    assert!(block_on(play.conductor.discard_branch(&play.story.id, &root.as_str().into())).is_err(), "the root");
    let gone = block_on(play.conductor.discard_branch(&play.story.id, &branch)).unwrap();
    assert_eq!((play.head(), play.branches().len()), ((root.clone(), 2), 1), "with what hangs on it");
    assert!(play.move_to(&sub, 3).is_err());
    assert_eq!(
        block_on(play.conductor.discarded_branches(&play.story.id)).unwrap(),
        std::slice::from_ref(&gone.branch)
    );
    block_on(play.conductor.restore_branch(&gone)).unwrap();
    assert_eq!(play.all(), before, "nothing is lost");

    // Who went elsewhere stays there.
    let gone = block_on(play.conductor.discard_branch(&play.story.id, &branch)).unwrap();
    play.move_to(&root, 4).unwrap();
    block_on(play.conductor.restore_branch(&gone)).unwrap();
    assert_eq!(play.head(), (root.clone(), 4));

    block_on(play.conductor.discard_branch(&play.story.id, &branch)).unwrap();
    let clock = crate::sim::ports::MemoryClock::at(play.sim.ports.clock.now() + bin::KEPT_FOR + 1);
    let later = crate::ports::Ports { clock: Rc::new(clock), ..play.sim.ports.clone() };
    // Cut short anywhere, the next attempt does the rest.
    for nth in 1..8 {
        play.sim.store.fail(nth, "QuotaExceededError");
        assert!(block_on(bin::purge(&later)).is_err());
        assert_eq!(block_on(play.conductor.discarded_branches(&play.story.id)).unwrap().len(), 1);
    }
    block_on(bin::purge(&later)).unwrap();
    let left = play.all();
    let count = |table| left.keys().filter(|(of, _)| *of == table).count();
    assert_eq!(
        [Table::Branches, Table::Turns, Table::Generations, Table::Memories].map(count),
        [1, 4, 5, 0],
        "the root with its four turns and the two openings"
    );
    let noted = |(table, note): &(Table, String)| {
        due::record(note).filter(|_| *table == Table::Due).map(|(table, id)| (table, id.to_owned()))
    };
    let notes: HashSet<_> = left.keys().filter_map(noted).collect();
    let is_due = |key: &(Table, String)| notes.contains(key);
    let told = [Table::Turns, Table::Generations, Table::Memories];
    assert!(
        before.keys().filter(|key| told.contains(&key.0) && !left.contains_key(key)).all(is_due),
        "the index knows"
    );
    assert_eq!(play.path()[1..], ["a → r0", "b → r1", "c → r2"]);
}

#[test]
fn a_save_point_brings_back_the_place_and_what_it_was_played_with() {
    let play = said(&["a", "b"]);
    let saved = block_on(play.conductor.save_point(&play.story.id, " 此处 ", "")).unwrap();
    assert_eq!((saved.name.as_str(), saved.position), ("此处", 2));
    play.ask(Ask::Again(play.nodes()[2].turn.id.clone())).unwrap();
    play.say("c");
    let mut story = play.storyline();
    story.preset = "persona".into();
    block_on(play.sim.ports.store.save(&story)).unwrap();
    let restore = || block_on(play.conductor.restore_point(&play.story.id, &saved.id)).unwrap();
    for _ in 0..3 {
        assert_eq!(restore().preset.as_str(), "plain");
        assert_eq!(play.path()[1..], ["a → r0", "b → r1"]);
    }
    let counts = |play: &Play| (play.all().len(), play.branches().len());
    let before = counts(&play);
    restore();
    assert_eq!(counts(&play), before, "no duplicates");
    play.say("d");
    assert_eq!(play.path()[1..], ["a → r0", "b → r1", "d → r4"]);
    let gone = block_on(play.conductor.delete_point(&play.story.id, &saved.id)).unwrap();
    assert_eq!(play.storyline().savepoints, []);
    block_on(play.conductor.put_back_point(&play.story.id, gone)).unwrap();
    assert_eq!(play.storyline().savepoints, [saved]);
}

// ---------------------------------------------------------------------------------------------- histories

#[derive(Clone, Debug)]
enum Op {
    Say,
    Again(Index),
    Continue,
    Choose(Index, Index),
    MoveTo(Index, Index),
    MoveToReply(Index, Index),
    Reword(Index, Index),
    RewordBeside(Index, Index),
    EditUser(Index),
    EditUserBeside(Index),
    Name(Index),
    Discard(Index),
    Restore(Index),
    Save,
    RestorePoint(Index),
    Plot(u32),
    Persona(Index),
}

fn op() -> impl Strategy<Value = Op> {
    let (one, two) = (any::<Index>, any::<(Index, Index)>);
    prop_oneof![
        6 => Just(Op::Say),
        2 => one().prop_map(Op::Again),
        1 => Just(Op::Continue),
        2 => two().prop_map(|(turn, reply)| Op::Choose(turn, reply)),
        3 => two().prop_map(|(branch, end)| Op::MoveTo(branch, end)),
        1 => two().prop_map(|(turn, reply)| Op::MoveToReply(turn, reply)),
        1 => two().prop_map(|(turn, text)| Op::Reword(turn, text)),
        2 => two().prop_map(|(turn, text)| Op::RewordBeside(turn, text)),
        1 => one().prop_map(Op::EditUser),
        1 => one().prop_map(Op::EditUserBeside),
        1 => one().prop_map(Op::Name),
        2 => one().prop_map(Op::Discard),
        1 => one().prop_map(Op::Restore),
        1 => Just(Op::Save),
        1 => one().prop_map(Op::RestorePoint),
        1 => (1u32..6).prop_map(Op::Plot),
        1 => one().prop_map(Op::Persona),
    ]
}

/// The states as a replay from the root makes them, reply by reply, beside those that are stored.
struct History {
    play: Play,
    states: HashMap<GenerationId, State>,
    discarded: Vec<Discarded>,
    saved: Vec<SavePoint>,
}

impl History {
    fn new(ops: usize, script: &[Index]) -> Self {
        let known = answers();
        let play = directed((0..ops * 2).map(|at| script[at % script.len()].get(&known).clone()));
        let first = play.load_state(&play.storyline().initial_state);
        let states = play.nodes()[0].generations.iter().map(|reply| (reply.id.clone(), first.clone())).collect();
        Self { play, states, discarded: Vec::new(), saved: Vec::new() }
    }

    /// The reply that is seen at `position` is one of the story from now on.
    fn replay(&mut self, position: u32) {
        let nodes = self.play.nodes();
        let story = self.play.storyline();
        let background = block_on(scene::background(&*self.play.sim.ports.store, &story)).unwrap();
        let before = nodes[..position as usize].iter().rev().find_map(Node::reply).unwrap();
        let before = self.states[&before.id].clone();
        let Some(mut reply) = nodes[position as usize].reply().cloned() else { return };
        let on = modules::enabled(&story, &background.events);
        let after = modules::settle(&on, Ok(&background.story_outline), &before, &mut reply, "replay".into());
        self.states.insert(reply.id, after.unwrap_or(before));
    }

    fn replay_end(&mut self) {
        self.replay(self.play.storyline().head.end - 1);
    }

    fn run(&mut self, op: &Op) {
        let id = self.play.story.id.clone();
        let nodes = self.play.nodes();
        let end = nodes.len() as u32;
        let conductor = self.play.conductor.clone();
        let turn = |at: &Index| nodes[1..].get(at.index(nodes.len().max(2) - 1));
        let text = |at: &Index| at.get(&texts()).clone();
        let mut branches: Vec<Branch> = self.play.branches().into_values().collect();
        branches.sort_by(|a, b| a.id.cmp(&b.id));
        match op {
            Op::Say => {
                self.play.say("…");
                self.replay_end();
            }
            Op::Again(at) => {
                let Some(node) = turn(at) else { return };
                self.play.ask(Ask::Again(node.turn.id.clone())).unwrap();
                self.replay_end();
            }
            Op::Continue => {
                let Some(reply) = nodes.last().filter(|_| end > 1).and_then(Node::reply) else { return };
                self.play.ask(Ask::Continue(reply.id.clone())).unwrap();
                self.replay_end();
            }
            Op::Choose(at, which) | Op::MoveToReply(at, which) => {
                let node = at.get(&nodes);
                let Some(reply) = (!node.generations.is_empty()).then(|| which.get(&node.generations)) else { return };
                let (turn, reply) = (&node.turn.id, &reply.id);
                match op {
                    Op::Choose(..) => block_on(conductor.choose(&id, turn, reply)).unwrap(),
                    _ => block_on(conductor.move_to_reply(&id, turn, Some(reply))).unwrap(),
                };
                let seen = &self.play.nodes()[node.turn.position as usize];
                assert_eq!(seen.reply().map(|reply| &reply.id), Some(reply));
            }
            Op::MoveTo(at, to) => {
                let branch = at.get(&branches);
                let end = 1 + to.index(branch.end() as usize) as u32;
                block_on(conductor.move_to(&id, &Head { branch: branch.id.clone(), end })).unwrap();
                assert_eq!(self.play.nodes().len() as u32, end);
            }
            Op::Reword(at, which) | Op::RewordBeside(at, which) => {
                let Some((node, reply)) = turn(at).and_then(|node| Some((node, node.reply()?))) else { return };
                match op {
                    Op::Reword(..) => {
                        block_on(conductor.edit_reply(&reply.id, &text(which))).unwrap();
                        block_on(conductor.read_anew(&reply.id)).unwrap();
                    }
                    _ => drop(block_on(conductor.edit_reply_as_branch(&reply.id, &text(which))).unwrap()),
                }
                self.replay(node.turn.position);
            }
            Op::EditUser(at) => {
                let Some(node) = turn(at) else { return };
                block_on(conductor.edit_user(&node.turn.id, "再说")).unwrap();
            }
            Op::EditUserBeside(at) => {
                let Some(node) = turn(at) else { return };
                let new = block_on(conductor.edit_user_as_branch(&id, &node.turn.id, "另说")).unwrap();
                self.play.ask(Ask::Again(new)).unwrap();
                self.replay_end();
            }
            Op::Name(at) => drop(block_on(conductor.name_turn(&at.get(&nodes).turn.id, "名")).unwrap()),
            Op::Discard(at) => {
                branches.retain(|branch| branch.parent.is_some());
                let Some(branch) = (!branches.is_empty()).then(|| at.get(&branches)) else { return };
                let before = self.play.all();
                let gone = block_on(conductor.discard_branch(&id, &branch.id)).unwrap();
                let now = self.play.all();
                assert!(before.keys().all(|key| now.contains_key(key)), "only the bin's mark and the head change");
                self.discarded.push(gone);
            }
            Op::Restore(at) => {
                if self.discarded.is_empty() {
                    return;
                }
                let gone = self.discarded.remove(at.index(self.discarded.len()));
                // One that hangs on another in the bin comes back with that one.
                let hangs =
                    gone.branch.parent.as_ref().is_some_and(|fork| self.play.branches().contains_key(&fork.branch));
                block_on(conductor.restore_branch(&gone)).unwrap();
                assert_eq!(self.play.branches().contains_key(&gone.branch.id), hangs);
            }
            Op::Save => self.saved.push(block_on(conductor.save_point(&id, "s", "")).unwrap()),
            Op::RestorePoint(at) => {
                self.saved.retain(|place| branches.iter().any(|branch| branch.id == place.branch));
                let Some(place) = (!self.saved.is_empty()).then(|| at.get(&self.saved)) else { return };
                block_on(conductor.restore_point(&id, &place.id)).unwrap();
                let last = self.play.nodes().pop().unwrap();
                assert_eq!((&last.turn.id, last.reply().map(|r| &r.id)), (&place.turn, place.generation.as_ref()));
            }
            Op::Plot(index) => {
                block_on(conductor.set_plot(&id, *index, PointStatus::InProgress)).unwrap();
                self.by_hand(&nodes);
            }
            Op::Persona(at) => {
                let text = at.get(&["冷", "暖"]).to_string();
                block_on(conductor.edit_persona(&id, PersonaEdit::Evolve { text })).unwrap();
                self.by_hand(&nodes);
            }
        }
    }

    /// The newest reply has been changed by hand.
    fn by_hand(&mut self, nodes: &[Node]) {
        let reply = nodes.iter().rev().find_map(Node::reply).unwrap();
        let stored = block_on(self.play.sim.ports.store.load::<Generation>(reply.id.as_str())).unwrap().unwrap();
        let change = stored.by_hand().pop().unwrap();
        let state = self.states.get_mut(&reply.id).unwrap();
        modules::change_by_hand(state, &change, reply.position, Some(&reply.id)).unwrap();
    }

    /// At every turn of the path the stored state is the replayed one, and the tree is sound.
    fn check(&self) -> Result<(), TestCaseError> {
        let nodes = self.play.nodes();
        let head = self.play.storyline().head;
        prop_assert_eq!(nodes.len() as u32, head.end, "no turn is missing");
        for reply in nodes.iter().filter_map(Node::reply) {
            let (stored, replayed) = (self.play.load_state(reply.state.as_ref().unwrap()), &self.states[&reply.id]);
            prop_assert!(stored.says_the_same(replayed), "turn {}: {stored:#?} is not {replayed:#?}", reply.position);
        }
        let branches = self.play.branches();
        let mut places = HashSet::new();
        for turn in block_on(self.play.sim.store.list_turns()) {
            prop_assert!(places.insert((turn.branch.clone(), turn.position)), "two turns at one place");
            if let Some(branch) = branches.get(&turn.branch) {
                prop_assert!((branch.first..branch.end()).contains(&turn.position));
                prop_assert_eq!(branch.named.contains(&turn.id), turn.name.is_some());
            }
        }
        for branch in branches.values() {
            let length = places.iter().filter(|(of, _)| *of == branch.id).count() as u32;
            prop_assert_eq!(length, branch.length);
            tree::Path::of(&branches, &Head { branch: branch.id.clone(), end: branch.end() }).unwrap();
        }
        Ok(())
    }
}

impl MemoryStore {
    async fn list_turns(&self) -> Vec<Turn> {
        let store: &dyn Store = self;
        store.list::<Turn>(Query::all(Table::Turns)).await.unwrap()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn wherever_one_goes_the_state_is_that_of_the_replies_on_the_way(
        ops in prop::collection::vec(op(), 1..20),
        script in prop::collection::vec(any::<Index>(), 1..40),
    ) {
        let mut history = History::new(ops.len(), &script);
        for op in &ops {
            history.run(op);
            history.check().map_err(|error| TestCaseError::fail(format!("after {op:?}: {error}")))?;
        }
    }
}
