//! Random histories: wherever one goes in the tree, all is as the replies on the way there make it.

use std::collections::{HashMap, HashSet};

use proptest::{prelude::*, sample::Index};
use serde_json::{Value, json};

use super::{
    features::directed,
    replay::{answers, texts},
    *,
};
use crate::{
    exchange::merge::Mode,
    features::{self, director, events::remembered::Reach},
    story::{
        ids::{BranchId, GenerationId, StorylineId},
        memory::{Kind, Memory},
        persona::PersonaEdit,
        plot::PointStatus,
        state::State,
        storyline::SavePoint,
        tree::{self, Branch, Head},
    },
    transfer::{
        Scope,
        tests::{checked, exported, imported},
    },
    turn::prune::Discarded,
};

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
    Discard(Index, Index),
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
        3 => two().prop_map(|(branch, end)| Op::Discard(branch, end)),
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
        let preset = block_on(scene::preset(&*self.play.sim.ports.store, &story));
        let before = nodes[..position as usize].iter().rev().find_map(Node::reply).unwrap();
        let before = self.states[&before.id].clone();
        let Some(mut reply) = nodes[position as usize].reply().cloned() else { return };
        let on = features::enabled(&story, &preset, &background.events);
        let after = features::settle(&on, Ok(&background.story_outline), &before, &mut reply, "replay".into());
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
                let end = 1 + to.index(branch.tip() as usize) as u32;
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
            Op::Discard(at, to) => {
                let branch = at.get(&branches);
                let end = 1 + to.index(branch.tip() as usize) as u32;
                let place = Head { branch: branch.id.clone(), end };
                let limb = tree::limb(&self.play.branches(), &place);
                let before = self.play.all();
                let Ok(gone) = block_on(conductor.discard_branch(&id, &place)) else {
                    assert_eq!(limb, None, "only what lies before all forks stays");
                    return;
                };
                let now = self.play.all();
                let is_there =
                    |position| self.play.branches().get(&branch.id).is_some_and(|branch| position < branch.tip());
                assert_eq!((Some(gone.gone.first), is_there(gone.gone.first)), (limb, false));
                assert!(before.keys().all(|key| now.contains_key(key)), "only the bin's mark and the head change");
                self.discarded.push(gone);
            }
            Op::Restore(at) => {
                if self.discarded.is_empty() {
                    return;
                }
                let gone = self.discarded.remove(at.index(self.discarded.len()));
                // One that hangs on another in the bin comes back with that one.
                let in_bin = block_on(conductor.discarded_branches(&id)).unwrap();
                let comes_back = in_bin.contains(&gone.gone);
                block_on(conductor.restore_branch(&gone)).unwrap();
                let branches = self.play.branches();
                let is_there = branches
                    .get(&gone.gone.branch)
                    .is_some_and(|branch| !gone.gone.is_cut || gone.gone.first < branch.tip());
                assert_eq!(is_there, comes_back);
            }
            Op::Save => self.saved.push(block_on(conductor.save_point(&id, "s", "")).unwrap()),
            Op::RestorePoint(at) => {
                let is_there =
                    |place: &SavePoint, branch: &Branch| branch.id == place.branch && place.position < branch.tip();
                self.saved.retain(|place| branches.iter().any(|branch| is_there(place, branch)));
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
                block_on(conductor.edit_persona(&id, None, PersonaEdit::Evolve { text })).unwrap();
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
        features::change_by_hand(state, &change, reply.position, Some(&reply.id)).unwrap();
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
        let path = block_on(self.play.conductor.path(&self.play.storyline())).unwrap();
        for span in &path.spans {
            prop_assert!(span.last < branches[&span.branch].tip(), "nothing of the path lies in the bin");
        }
        self.check_landmarks(&branches)?;
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

impl History {
    /// Each branch tells of its replies what the replies themselves tell.
    fn check_landmarks(&self, branches: &HashMap<BranchId, Branch>) -> Result<(), TestCaseError> {
        let store = &*self.play.sim.ports.store;
        let mut replies: HashMap<(String, u32), Vec<Generation>> = HashMap::new();
        for reply in block_on(store.list::<Generation>(Query::all(Table::Generations))).unwrap() {
            replies.entry((reply.branch.0.clone(), reply.position)).or_default().push(reply);
        }
        for branch in branches.values() {
            for position in branch.first..branch.end() {
                let replies = replies.get(&(branch.id.0.clone(), position)).map_or(&[][..], Vec::as_slice);
                prop_assert_eq!(branch.swipes.contains(&position), replies.len() > 1);
                for reply in replies {
                    let told: Vec<u32> =
                        branch.beads.iter().filter(|b| b.generation == reply.id).map(|b| b.point).collect();
                    prop_assert_eq!(told, director::finished(&reply.changes(), &reply.by_hand()));
                }
            }
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

// ---------------------------------------------------------------------------------------------- files

/// What a reader meets on the way to a place: at each turn what was said, the state, and the memories that hang there.
/// Without ids, for a copy has others.
fn told(store: &dyn Store, story: &Storyline, path: &tree::Path) -> Vec<Value> {
    let memories: Vec<Memory> =
        block_on(store.list(Query::equal(Table::Memories, "storyline", story.id.as_str()))).unwrap();
    let nodes = block_on(scene::window(store, path, 0, path.end)).unwrap();
    let told = nodes.iter().map(|node| {
        let reply = node.reply();
        let state = reply.and_then(|reply| reply.state.as_ref()).unwrap_or(&story.initial_state);
        let state = block_on(store.load::<State>(state.as_str())).unwrap().expect("every state is there");
        let hangs_here = |memory: &&Memory| {
            (&memory.branch, memory.position) == (&node.turn.branch, node.turn.position)
                && (memory.generation.is_none() || memory.generation.as_ref() == reply.map(|reply| &reply.id))
        };
        let mut memories: Vec<_> = memories.iter().filter(hangs_here).map(|memory| &memory.text).collect();
        memories.sort();
        let session = story.session(&node.turn.session).map(|session| story.session_number(session));
        json!({
            "user": node.turn.user, "name": node.turn.name, "text": reply.map(|reply| &reply.text), "session": session,
            "state": nameless(serde_json::to_value(&state).unwrap()), "memories": memories,
        })
    });
    told.collect()
}

fn nameless(mut value: Value) -> Value {
    match &mut value {
        Value::Object(fields) => {
            fields.retain(|field, _| !["id", "storyline", "generation"].contains(&field.as_str()));
            fields.values_mut().for_each(|field| *field = nameless(field.take()));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| *item = nameless(item.take())),
        _ => {}
    }
    value
}

/// The ways to the ends of all branches, the way to the head, and the save points.
fn whole(store: &dyn Store, id: &StorylineId) -> (Vec<Vec<Value>>, Vec<Value>, Vec<Value>) {
    let story = block_on(store.load::<Storyline>(id.as_str())).unwrap().unwrap();
    let tree = block_on(scene::tree(store, id)).unwrap();
    let branches = &tree.alive;
    let way = |head: &Head| told(store, &story, &tree::Path::of(branches, head).unwrap());
    let mut ways: Vec<_> =
        branches.values().map(|branch| way(&Head { branch: branch.id.clone(), end: branch.tip() })).collect();
    ways.sort_by_key(|way| serde_json::to_string(way).unwrap());
    let saved = story.savepoints.iter().map(|place| {
        let reply = place.generation.as_ref().map(|id| block_on(store.load::<Generation>(id.as_str())).unwrap());
        json!([place.name, place.note, place.position, reply.map(|reply| reply.unwrap().text), place.preset])
    });
    (ways, way(&story.head), saved.collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, max_shrink_iters: 100, ..ProptestConfig::default() })]

    /// An archive, a backup, a copy and a save point are the same story elsewhere, turn by turn.
    #[test]
    fn a_story_is_the_same_elsewhere_at_every_turn(
        ops in prop::collection::vec(op(), 1..16),
        script in prop::collection::vec(any::<Index>(), 1..40),
    ) {
        let mut history = History::new(ops.len(), &script);
        for op in &ops {
            history.run(op);
        }
        let (play, id) = (&history.play, &history.play.story.id);
        block_on(play.conductor.write_memory(id, "here", "")).unwrap();
        block_on(play.conductor.begin_session(id)).unwrap();
        let place = block_on(play.conductor.save_point(id, "saved", "note")).unwrap();
        let ports = &play.sim.ports;
        let here = whole(&*ports.store, id);

        for scope in [Scope::Storyline(id.clone()), Scope::Library] {
            let (text, report) = exported(ports, scope);
            prop_assert_eq!(report.unwrap().left_out.len(), 0);
            let there = Sim::new([]);
            // Another profile has another chance: what it makes fresh is not what is in the file.
            (0..10_000).for_each(|_| drop(there.ports.id::<String>()));
            prop_assert!(checked(&there.ports, &text).0.summary.mends.is_empty());
            imported(&there.ports, Mode::Merge, &text).unwrap();
            prop_assert_eq!(&whole(&*there.ports.store, id), &here);
            prop_assert_eq!(
                block_on(Conductor { ports: there.ports.clone(), recent: Rc::default() }.discarded_branches(id)).unwrap(),
                block_on(play.conductor.discarded_branches(id)).unwrap()
            );
            let copy = imported(&there.ports, Mode::Copy, &text).unwrap();
            if let Some(copy) = copy.storyline {
                prop_assert_eq!(&whole(&*there.ports.store, &copy), &here);
                let memories = Query::equal(Table::Memories, "storyline", copy.as_str());
                let memories: Vec<Memory> = block_on(there.ports.store.list(memories)).unwrap();
                let mut made = memories.iter().filter(|memory| memory.kind == Kind::Event);
                let reach = |event: &Memory| if event.owner.is_some() { Reach::Own } else { Reach::All };
                // Read anew, the reply finds its event.
                prop_assert!(made.all(|event| event.id == reach(event).id(event.generation.as_ref().unwrap())));
            }
        }

        let (text, report) = exported(ports, Scope::SavePoint(id.clone(), place.id));
        prop_assert_eq!(report.unwrap().left_out.len(), 0);
        prop_assert!(checked(ports, &text).0.summary.mends.is_empty());
        let done = imported(ports, Mode::Merge, &text).unwrap().storyline.unwrap();
        prop_assert_ne!(&done, id, "it stands beside the story that it is from");
        prop_assert_eq!(&whole(&*ports.store, id), &here);
        let (ways, way, saved) = whole(&*ports.store, &done);
        prop_assert_eq!(&way, &here.1);
        prop_assert_eq!(saved.last().unwrap(), here.2.last().unwrap());
        prop_assert!(ways.iter().all(|other| way.starts_with(other)), "nothing of other branches is in it");
        let count = |table| block_on(ports.store.count(Query::equal(table, "storyline", done.as_str()))).unwrap();
        prop_assert_eq!(count(Table::Turns) as usize, way.len());
        prop_assert!(count(Table::Generations) as usize <= way.len());
        let next = Conductor { ports: ports.clone(), recent: Rc::default() };
        prop_assert!(block_on(next.play(&done, Ask::New("on".into()), Stop::never(), &|_| ())).is_ok());
    }
}
