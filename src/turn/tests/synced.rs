//! One library on three devices: whatever is played, changed and deleted on them, and wherever a round breaks off, they come
//! to the same.

mod ahead;
mod bytes;
mod cases;
mod files;
mod parts;
mod settings;
mod whole;

use std::{
    cell::Cell,
    collections::{BTreeMap, BTreeSet, HashMap},
};

use proptest::{prelude::*, sample::Index};
use serde_json::{Value, json};

use self::files::{Always, Files, Open};
use super::{
    features::directed,
    replay::{answers, texts},
    *,
};
use crate::{
    ports::Random,
    store::Part,
    story::{
        Millis,
        ids::{BranchId, TurnId},
        script::ScriptSet,
        settings::Preferences,
        tree::{Branch, Head, Path},
    },
    sync::{How, MayWrite, Trouble, round},
    turn::{bin, prune::Discarded},
};

const HOUR: Millis = 3_600_000;
/// A whole round.
const HOW: How = How { lists: true, pictures: true, vectors: false };

/// Chance of one device: no other's is the same.
struct Own(u8, Cell<u64>);

impl Random for Own {
    fn bytes(&self) -> [u8; 10] {
        self.1.set(self.1.get() + 1);
        let mut bytes = [self.0; 10];
        bytes[2..].copy_from_slice(&(self.1.get() ^ (u64::from(self.0) << 32)).to_be_bytes());
        bytes
    }
}

/// A clock that goes an hour wrong, or a day, and moves with each look.
struct Wrong(Cell<Millis>);

impl crate::ports::Clock for Wrong {
    fn now(&self) -> Millis {
        self.0.set(self.0.get() + 7);
        self.0.get()
    }

    fn utc_offset(&self, _: Millis) -> i32 {
        0
    }

    fn sleep(&self, _: u32) -> Future<'_, ()> {
        Box::pin(async {})
    }
}

struct Device {
    play: Play,
    clock: Rc<Wrong>,
}

impl Device {
    /// The first of them has the story.
    fn new(number: u8, skew: i64, script: Vec<Answer>) -> Self {
        let clock = Rc::new(Wrong(Cell::new(1_760_610_600_000_u64.saturating_add_signed(skew))));
        let mut play = match number {
            0 => directed(script),
            _ => {
                let first = play([]);
                let connections: Connections =
                    block_on(first.sim.ports.store.load("connections")).unwrap().unwrap_or_default();
                let sim = Sim::new(script);
                block_on(sim.ports.store.save(&connections)).unwrap();
                Play { conductor: Conductor { ports: sim.ports.clone(), recent: sim.recent.clone() }, sim, ..first }
            }
        };
        play.conductor.ports.random = Rc::new(Own(number, Cell::new(0)));
        play.conductor.ports.clock = clock.clone();
        play.sim.store.note_changes(clock.clone());
        Self { play, clock }
    }

    fn has_story(&self) -> bool {
        self.play.sim.store.peek(Table::Storylines, self.play.story.id.as_str()).is_some()
    }

    fn round(&self, files: &Files) -> Result<crate::sync::Report, Trouble> {
        self.round_of(files, true)
    }

    /// Nothing is listed.
    fn tell(&self, files: &Files) -> Result<crate::sync::Report, Trouble> {
        self.round_of(files, false)
    }

    fn round_of(&self, files: &Files, lists: bool) -> Result<crate::sync::Report, Trouble> {
        self.round_so(files, How { lists, ..HOW })
    }

    fn round_so(&self, files: &Files, how: How) -> Result<crate::sync::Report, Trouble> {
        block_on(round(&self.play.conductor.ports, files, &Open, &mut Always, how, &|_| ()))
    }

    fn week(&self) {
        self.clock.0.set(self.clock.0.get() + 8 * 24 * HOUR);
        block_on(bin::purge(&self.play.conductor.ports)).unwrap();
    }

    fn records(&self, table: Table) -> BTreeMap<String, Value> {
        let docs = block_on(self.play.sim.store.query(Query::all(table))).unwrap();
        docs.into_iter().map(|doc| (doc.id().to_owned(), doc.value)).collect()
    }

    fn typed<R: crate::store::Record>(&self) -> Vec<R> {
        let mut all: Vec<R> = block_on(self.play.sim.ports.store.list(Query::all(R::TABLE))).unwrap();
        all.sort_by(|a, b| a.key().cmp(b.key()));
        all
    }

    /// What there is, without what each device has for itself: the names of branches, and where its reader stands.
    /// Which reply is seen where nothing comes after it may be another on each once what came after it is gone (`weeks`).
    fn library(&self, weeks: bool) -> BTreeMap<String, Value> {
        let mut all = BTreeMap::new();
        for part in Part::ALL {
            let table = part.table();
            if matches!(table, Table::Branches | Table::Accounts) {
                continue;
            }
            for (id, mut value) in self.records(table) {
                let fields = value.as_object_mut().unwrap();
                fields.retain(|_, value| !value.is_null() && *value != json!([]));
                all.insert(format!("{}/{id}", table.name()), value);
            }
        }
        if let Some(mut preferences) = self.records(Table::Settings).remove(Preferences::ID) {
            let fields = preferences.as_object_mut().unwrap();
            let shared = Table::Settings.shared(Preferences::ID);
            fields.retain(|name, value| shared.contains(&name.as_str()) && *value != json!(""));
            if !fields.is_empty() {
                all.insert("settings".to_owned(), preferences);
            }
        }
        let branches: HashMap<BranchId, Branch> =
            self.typed::<Branch>().into_iter().map(|branch| (branch.id.clone(), branch)).collect();
        let turns = self.typed::<Turn>();
        let at: HashMap<(BranchId, u32), &Turn> =
            turns.iter().map(|turn| ((turn.branch.clone(), turn.position), turn)).collect();
        let before = |turn: &Turn| {
            let own = &branches[&turn.branch];
            let (branch, position, by) = match &own.parent {
                _ if turn.position > own.first => (&own.id, turn.position - 1, None),
                Some(fork) => (&fork.branch, fork.position, fork.generation.clone()),
                None => return Value::Null,
            };
            let parent = at[&(branch.clone(), position)];
            json!([parent.id, by.or(parent.chosen.clone())])
        };
        let parents: BTreeSet<String> =
            turns.iter().filter_map(|turn| before(turn)[0].as_str().map(str::to_owned)).collect();
        for turn in &turns {
            let value = all.get_mut(&format!("turns/{}", turn.id)).unwrap();
            value["after"] = before(turn);
            if weeks || parents.contains(turn.id.as_str()) {
                value.as_object_mut().unwrap().shift_remove("chosen");
            }
        }
        for branch in branches.values() {
            let turn = |position: u32| at.get(&(branch.id.clone(), position)).map(|turn| turn.id.clone());
            let mut put = |position: u32, name: &str, what: Value| {
                if let Some(turn) = turn(position) {
                    all.get_mut(&format!("turns/{turn}")).unwrap()[name] = what;
                }
            };
            branch.untold.iter().for_each(|untold| put(untold.at, "untold", json!(untold.folded)));
            branch.cuts.iter().for_each(|cut| put(cut.at, "cut", json!(cut.deleted)));
            branch.swipes.iter().for_each(|at| put(*at, "swipes", json!(true)));
            for bead in &branch.beads {
                let mut beads = json!({ "beads": [] });
                beads["beads"] = json!([bead.generation, bead.point, bead.content]);
                put(bead.position, &format!("bead {} {}", bead.generation, bead.point), beads);
            }
            if let Some(deleted) = branch.deleted.filter(|_| branch.length > 0) {
                put(branch.first, "cut", json!(deleted));
            }
            let named: BTreeSet<_> = turns
                .iter()
                .filter(|turn| turn.branch == branch.id && turn.name.is_some())
                .map(|turn| turn.id.clone())
                .collect();
            assert_eq!(branch.named.iter().cloned().collect::<BTreeSet<_>>(), named);
        }
        for (key, value) in &mut all {
            if key.starts_with("storylines/") {
                let fields = value.as_object_mut().unwrap();
                ["head", "total_turns", "connection"].iter().for_each(|name| drop(fields.shift_remove(*name)));
                for name in ["sessions", "savepoints"] {
                    // A device has its own last.
                    if let Some(Value::Array(items)) = fields.get_mut(name) {
                        items.sort_by_key(|item| item["id"].to_string());
                    }
                }
                for place in fields.get_mut("savepoints").and_then(Value::as_array_mut).into_iter().flatten() {
                    place.as_object_mut().unwrap().shift_remove("branch");
                }
            }
            if !key.starts_with("storylines/") {
                value.as_object_mut().unwrap().shift_remove("branch");
            }
        }
        all
    }

    fn run(&self, op: &Op) {
        let id = self.play.story.id.clone();
        // In the bin it is not played.
        if self.play.storyline().deleted.is_some() && !matches!(op, Op::Bin(_) | Op::Rename | Op::Character) {
            return;
        }
        let conductor = &self.play.conductor;
        let nodes = self.play.nodes();
        let turn = |at: &Index| nodes[1..].get(at.index(nodes.len().max(2) - 1));
        let mut branches: Vec<Branch> = self.play.branches().into_values().collect();
        branches.sort_by(|a, b| a.id.cmp(&b.id));
        let place = |at: &Index, to: &Index| {
            let branch = at.get(&branches);
            Head { branch: branch.id.clone(), end: 1 + to.index(branch.tip() as usize) as u32 }
        };
        let store = &*conductor.ports.store;
        match op {
            Op::Say => drop(self.play.ask(Ask::New("…".into()))),
            Op::Again(at) => {
                let Some(node) = turn(at) else { return };
                let _ = self.play.ask(Ask::Again(node.turn.id.clone()));
            }
            Op::Choose(at, which) => {
                let node = at.get(&nodes);
                if !node.generations.is_empty() {
                    let reply = which.get(&node.generations);
                    block_on(conductor.choose(&id, &node.turn.id, &reply.id)).unwrap();
                }
            }
            Op::MoveTo(at, to) => drop(block_on(conductor.move_to(&id, &place(at, to))).unwrap()),
            Op::RewordBeside(at, which) => {
                let Some(reply) = turn(at).and_then(Node::reply) else { return };
                block_on(conductor.edit_reply_as_branch(&reply.id, &which.get(&texts()).clone())).unwrap();
            }
            Op::EditUser(at) => {
                let Some(node) = turn(at) else { return };
                block_on(conductor.edit_user(&node.turn.id, &format!("再说 {}", self.clock.0.get()))).unwrap();
            }
            Op::Name(at) => {
                let name = format!("名 {}", self.clock.0.get());
                block_on(conductor.name_turn(&at.get(&nodes).turn.id, &name)).unwrap();
            }
            Op::Note => drop(block_on(conductor.write_memory(&id, "记住", "")).unwrap()),
            Op::Discard(at, to) => drop(block_on(conductor.discard_branch(&id, &place(at, to)))),
            Op::Restore(at) => {
                let gone = block_on(conductor.discarded_branches(&id)).unwrap();
                if !gone.is_empty() {
                    let gone = at.get(&gone).clone();
                    block_on(conductor.restore_branch(&Discarded { gone, head: None })).unwrap();
                }
            }
            Op::Save => drop(block_on(conductor.save_point(&id, "点", "")).unwrap()),
            Op::Title => {
                let mut story = self.play.storyline();
                story.title = format!("废土 {}", self.clock.0.get());
                block_on(store.save(&story)).unwrap();
            }
            Op::Character => {
                let mut character: Character = block_on(store.load("alserqi")).unwrap().unwrap();
                character.card.description += "。";
                character.updated = self.clock.0.get();
                block_on(store.save(&character)).unwrap();
            }
            Op::Rename => {
                let mut character: Character = block_on(store.load("alserqi")).unwrap().unwrap();
                character.name += "!";
                block_on(store.save(&character)).unwrap();
            }
            Op::ForgetNote(at) => {
                let notes = self.typed::<crate::story::memory::Memory>();
                if !notes.is_empty() {
                    block_on(conductor.delete_memory(&at.get(&notes).id)).unwrap();
                }
            }
            Op::Script => {
                let name = format!("脚本 {}", self.clock.0.get());
                let script = ScriptSet { id: "set".into(), name, ..ScriptSet::default() };
                block_on(store.save(&script)).unwrap();
            }
            // What is shared, and what is each device's own.
            Op::Set(name) => drop(
                block_on(store.change(Preferences::ID, |preferences: &mut Preferences| {
                    preferences.user_name = if *name { format!("林 {}", self.clock.0.get()) } else { String::new() };
                    preferences.turns_since_backup += 1;
                }))
                .unwrap(),
            ),
            Op::DeleteScript => block_on(store.commit(Batch::new().delete(Table::Scripts, "set"))).unwrap(),
            Op::Bin(deleted) => {
                let store = &conductor.ports;
                match deleted {
                    true => block_on(bin::discard::<Storyline>(store, id.as_str())).unwrap(),
                    false => block_on(bin::restore::<Storyline>(store, id.as_str())).unwrap(),
                }
            }
        }
    }
}

#[derive(Clone, Debug)]
enum Op {
    Say,
    Again(Index),
    Choose(Index, Index),
    MoveTo(Index, Index),
    RewordBeside(Index, Index),
    EditUser(Index),
    Name(Index),
    Note,
    Discard(Index, Index),
    Restore(Index),
    Save,
    Title,
    Character,
    Rename,
    ForgetNote(Index),
    Script,
    Set(bool),
    DeleteScript,
    Bin(bool),
}

#[derive(Clone, Debug)]
enum Step {
    Do(Op),
    /// More than a week passes, and what lay in the bin goes for ever.
    Week,
    Sync,
    /// Breaks off at the operation of the storage with this number; having written, or not.
    BreaksThere(u32, bool),
    /// Breaks off at the operation of the store here with this number.
    BreaksHere(u64),
}

fn op() -> impl Strategy<Value = Op> {
    let (one, two) = (any::<Index>, any::<(Index, Index)>);
    prop_oneof![
        6 => Just(Op::Say),
        2 => one().prop_map(Op::Again),
        2 => two().prop_map(|(turn, reply)| Op::Choose(turn, reply)),
        2 => two().prop_map(|(branch, end)| Op::MoveTo(branch, end)),
        1 => two().prop_map(|(turn, text)| Op::RewordBeside(turn, text)),
        1 => one().prop_map(Op::EditUser),
        1 => one().prop_map(Op::Name),
        1 => Just(Op::Note),
        2 => two().prop_map(|(branch, end)| Op::Discard(branch, end)),
        1 => one().prop_map(Op::Restore),
        1 => Just(Op::Save),
        1 => Just(Op::Title),
        1 => Just(Op::Character),
        1 => Just(Op::Rename),
        1 => one().prop_map(Op::ForgetNote),
        1 => Just(Op::Script),
        1 => any::<bool>().prop_map(Op::Set),
        1 => Just(Op::DeleteScript),
        1 => any::<bool>().prop_map(Op::Bin),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => op().prop_map(Step::Do),
        3 => Just(Step::Sync),
        1 => (0..12_u32, any::<bool>()).prop_map(|(at, wrote)| Step::BreaksThere(at, wrote)),
        1 => (0..60_u64).prop_map(Step::BreaksHere),
    ]
}

/// What is done on three devices, and what they have in the end: whether they are the same, and where not, what differs.
fn played(steps: &[(usize, Step)], script: &[Index]) -> Result<(), TestCaseError> {
    let known = answers();
    let script = |shift: usize| -> Vec<Answer> {
        (0..80).map(|at| script[(at + shift) % script.len()].get(&known).clone()).collect()
    };
    let skews = [0, -(HOUR as i64) * 24, HOUR as i64];
    let devices: Vec<_> = (0..3).map(|at| Device::new(at as u8, skews[at], script(at))).collect();
    let files = Files::default();
    cases::begin_library(&files, "open");
    devices[0].round(&files).unwrap();
    let (mut turns, mut weeks) = (BTreeSet::new(), false);
    // Of each device the rounds since something broke off; in some nothing is listed.
    let mut well = [0_u32; 3];
    for (at, step) in steps {
        let device = &devices[*at];
        match step {
            Step::Do(op) if device.has_story() => device.run(op),
            Step::Do(_) => {}
            Step::Week => {
                weeks = true;
                device.week();
            }
            Step::Sync if well[*at] % 3 == 2 => drop(device.tell(&files).unwrap()),
            Step::Sync => drop(device.round(&files).unwrap()),
            Step::BreaksThere(after, wrote) => {
                files.fails.set(Some(*after));
                files.wrote.set(*wrote);
                let _ = device.round(&files);
                files.fails.set(None);
            }
            Step::BreaksHere(after) => {
                device.play.sim.store.break_down(*after, "QuotaExceededError");
                let _ = device.round(&files);
                device.play.sim.store.heal();
            }
        }
        well[*at] = match step {
            Step::Sync => well[*at] + 1,
            Step::BreaksThere(..) | Step::BreaksHere(_) => 0,
            _ => well[*at],
        };
        if device.has_story() {
            device.is_whole();
        }
        turns.extend(device.records(Table::Turns).into_keys());
    }
    let all_round = || (0..4).for_each(|_| devices.iter().for_each(|device| drop(device.round(&files).unwrap())));
    all_round();
    if weeks {
        // What lies in the bin here and was emptied there goes everywhere.
        let latest = devices.iter().map(|device| device.clock.0.get()).max().unwrap();
        devices.iter().for_each(|device| device.clock.0.set(latest));
        devices.iter().for_each(Device::week);
        all_round();
    }
    let libraries: Vec<_> = devices.iter().map(|device| device.library(weeks)).collect();
    for (device, library) in devices.iter().zip(&libraries) {
        if device.has_story() {
            device.is_whole();
        }
        prop_assert!(weeks || turns.iter().all(|id| library.contains_key(&format!("turns/{id}"))), "nothing is lost");
        for (key, value) in library {
            prop_assert_eq!(libraries[0].get(key), Some(value), "{}", key);
        }
        prop_assert_eq!(library.len(), libraries[0].len());
    }
    devices.iter().filter(|device| device.has_story()).for_each(Device::is_replayed);
    Ok(())
}

fn cases() -> u32 {
    std::env::var("FABULA_SYNCED").map_or(24, |cases| cases.parse().expect("a number"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), ..ProptestConfig::default() })]

    #[test]
    fn three_devices_come_to_the_same(
        steps in prop::collection::vec((0..3_usize, step()), 1..40),
        script in prop::collection::vec(any::<Index>(), 8),
    ) {
        played(&steps, &script)?;
    }

    #[test]
    fn and_so_they_do_when_weeks_pass(
        steps in prop::collection::vec((0..3_usize, prop_oneof![9 => step(), 1 => Just(Step::Week)]), 1..40),
        script in prop::collection::vec(any::<Index>(), 8),
    ) {
        played(&steps, &script)?;
    }
}
