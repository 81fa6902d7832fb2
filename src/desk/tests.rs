//! What the page shows and causes, without a page.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
    sync::Arc,
};

use futures_executor::block_on;
use futures_util::{FutureExt, join};
use serde_json::json;

use super::{Changed, Desk, Lists, Writer};
use crate::{
    ports::{Ports, cache::RecordCache},
    sim::{
        ports::{OneTab, Sim, yield_once},
        slow::Slow,
    },
    store::{Batch, Op, Table},
    story::{
        background::Background,
        character::Character,
        connection::Connection,
        event::StoryEvent,
        generation::Generation,
        memory::{Kind, Memory},
        preset::{Block, Preset},
        quick::{QuickReply, QuickSet},
        settings::Preferences,
        state::State,
        storyline::{Language, Storyline},
        tree::{Branch, Fork, Head, Path},
        turn::Turn,
        typography::Theme,
    },
    turn::unsent,
};

mod costs;
mod memories;

fn desk() -> (Sim, Desk) {
    let sim = Sim::new([]);
    let store = Rc::new(Slow(sim.ports.store.clone()));
    let ports = Ports { store, ..sim.ports.clone() };
    (sim, Desk { ports })
}

/// A story of so many turns on its first branch, and one more on a branch that leaves the turn at position 2.
fn forked(desk: &Desk, length: u32) -> Storyline {
    let story = Storyline {
        id: "s".into(),
        head: Head { branch: "a".into(), end: length },
        initial_state: "s0".into(),
        ..Default::default()
    };
    let turn = |branch: &str, position: u32| Turn {
        id: format!("{branch}{position}").into(),
        storyline: "s".into(),
        branch: branch.into(),
        position,
        user: Some(format!("words {branch}{position}")),
        chosen: Some(format!("{branch}{position}r").into()),
        ..Default::default()
    };
    let reply = |branch: &str, position: u32, nth: &str| Generation {
        id: format!("{branch}{position}{nth}").into(),
        turn: format!("{branch}{position}").into(),
        storyline: "s".into(),
        branch: branch.into(),
        position,
        text: format!("reply {branch}{position}{nth}"),
        state: Some(format!("s{branch}{position}").into()),
        ..Default::default()
    };
    let state = |id: String, turn: u32| {
        let mut state = State { id: id.into(), storyline: "s".into(), ..Default::default() };
        let feeling = json!({ "entity": "Wen", "content": format!("calm since {turn}"), "turn": turn });
        state.persona_mut(None).growth_state.relationships = vec![feeling];
        state
    };
    let fork = Fork { branch: "a".into(), position: 2, generation: Some("a2r".into()) };
    let mut batch = Batch::new()
        .put(&story)
        .put(&Branch { id: "a".into(), storyline: "s".into(), length, named: vec!["a1".into()], ..Default::default() })
        .put(&Branch {
            id: "b".into(),
            storyline: "s".into(),
            parent: Some(fork),
            first: 3,
            length: 1,
            ..Default::default()
        })
        .put(&State { id: "s0".into(), storyline: "s".into(), ..Default::default() })
        .put(&Turn { name: Some("the well".into()), ..turn("a", 1) })
        .put(&turn("b", 3))
        .put(&reply("b", 3, "r"))
        .put(&state("sb3".into(), 3))
        .put(&reply("a", 2, "other"));
    for position in 0..length {
        if position != 1 {
            batch.push(&turn("a", position));
        }
        batch.push(&reply("a", position, "r"));
        batch.push(&state(format!("sa{position}"), position));
    }
    block_on(desk.ports.store.commit(batch)).unwrap();
    story
}

#[test]
fn shelves_hold_what_is_not_in_the_bin_and_can_be_read() {
    let (_sim, desk) = desk();
    let character = |id: &str, updated: u64, deleted: Option<u64>| Character {
        id: id.into(),
        updated,
        deleted,
        ..Default::default()
    };
    let mut batch = Batch::new()
        .put(&character("old", 1, None))
        .put(&character("new", 2, None))
        .put(&character("gone", 3, Some(4)))
        .put(&Storyline { id: "s".into(), last_active: 1, ..Default::default() });
    batch.ops.push(Op::Put(Table::Characters, json!({ "id": "broken", "updated": "yesterday" }).into()));
    block_on(desk.ports.store.commit(batch)).unwrap();
    let ids = |list: &[Character]| list.iter().map(|one| one.id.0.clone()).collect::<Vec<_>>();
    let Lists { characters, storylines, .. } = block_on(desk.lists()).unwrap();
    assert_eq!((ids(&characters), storylines.len()), (vec!["new".to_owned(), "old".to_owned()], 1));
    assert_eq!(ids(&block_on(desk.in_bin()).unwrap().characters), ["gone"]);
    block_on(desk.delete_forever::<Character>("gone")).unwrap();
    assert!(block_on(desk.in_bin()).unwrap().characters.is_empty());
}

#[test]
fn what_stands_unsent_of_a_story_that_is_gone_is_told_apart() {
    let (_, desk) = desk();
    let batch = Batch::new().put(&Storyline { id: "here".into(), ..Default::default() });
    let batch = batch.put(&Storyline { id: "in bin".into(), deleted: Some(1), ..Default::default() });
    block_on(desk.ports.store.commit(batch)).unwrap();
    let ids = ["here", "gone", "in bin"].map(|id| unsent::id(&id.into()));
    let of_gone = block_on(desk.of_gone_stories(ids.into_iter().chain(["look".to_owned()]).collect()));
    assert_eq!(of_gone, ["unsent:gone"]);
}

#[test]
fn an_entry_and_its_pictures_are_one_write() {
    let (sim, desk) = desk();
    let bytes = vec![1, 2, 3];
    let id = crate::story::blob::address(&bytes);
    let character = Character { id: "c".into(), avatar: Some(id.clone()), ..Default::default() };
    sim.store.fail(0, "QuotaExceededError");
    let picture = || [("image/png".to_owned(), bytes.clone())];
    assert!(block_on(desk.put_entry(&character, picture())).unwrap_err().is_full());
    assert_eq!(block_on(desk.load::<Character>("c")), Ok(None));
    block_on(desk.put_entry(&character, picture())).unwrap();
    let (kind, read) = block_on(desk.picture(&id)).unwrap().unwrap();
    assert_eq!((kind.as_str(), &*read), ("image/png", &[1, 2, 3][..]));
}

/// Two tabs change different things: neither is lost, and each hears of the other.
#[test]
fn settings_are_changed_as_they_are_by_now() {
    let (sim, desk) = desk();
    let other = desk.clone();
    let (theme, size) = (desk.prefer(|all| all.theme = Theme::Dark), other.prefer(|all| all.type_size = 21));
    let (theme, size) = block_on(async { join!(theme, size) });
    assert!(theme.is_ok() && size.is_ok());
    let stored: Preferences = block_on(desk.load(Preferences::ID)).unwrap().unwrap();
    assert_eq!((stored.theme, stored.type_size, sim.tabs.announced.get()), (Theme::Dark, 21, 2));
    let connection = |id: &str| Connection { id: id.into(), ..Default::default() };
    block_on(desk.change_connections(|list| list.push(connection("a")))).unwrap();
    let list = block_on(other.change_connections(|list| list.push(connection("b")))).unwrap();
    assert_eq!(list.len(), 2);
    let followed = block_on(desk.follow()).unwrap();
    assert_eq!(followed.connections, Some(list));
    assert_eq!(followed.preferences, Some(stored));
}

/// A tab: whether a turn is under way, where it may become the writer, and how often it let go.
struct Tab<P> {
    is_playing: P,
    stays: bool,
    may_write: Option<Rc<OneTab>>,
    released: Cell<u32>,
}

impl<P: Fn() -> bool> Writer for Tab<P> {
    type Alone = ();

    async fn alone(&self) {}

    fn is_playing(&self) -> bool {
        (self.is_playing)()
    }

    fn stays(&self) -> bool {
        self.stays
    }

    async fn acquire(&self) -> bool {
        self.may_write.as_ref().inspect(|tabs| tabs.gain()).is_some()
    }

    fn release(&self) {
        self.released.set(self.released.get() + 1);
    }
}

fn tab<P: Fn() -> bool>(is_playing: P) -> Tab<P> {
    Tab { is_playing, stays: true, may_write: None, released: Cell::new(0) }
}

#[test]
fn a_story_is_changed_by_its_only_writer_and_not_amid_a_turn() {
    let (sim, desk) = desk();
    let story = forked(&desk, 4);
    let titled = |title: &'static str| move |story: &mut Storyline| story.title = title.to_owned();
    // A turn is under way at the first two looks, and writes the record as it ends.
    let looks = Cell::new(0);
    let is_played = || {
        looks.set(looks.get() + 1);
        if looks.get() == 2 {
            let ended = Storyline { total_turns: 9, ..story.clone() };
            sim.ports.store.save(&ended).now_or_never().unwrap().unwrap();
        }
        looks.get() <= 2
    };
    let changed = block_on(desk.change_storyline(&story.id, &tab(is_played), titled("new")));
    assert_eq!(changed, Ok(Changed::Stored));
    let stored = block_on(desk.load::<Storyline>("s")).unwrap().unwrap();
    assert_eq!((stored.title.as_str(), stored.total_turns), ("new", 9), "what the turn wrote stays");
    // Two at once come one after the other.
    let here = tab(|| false);
    let (a, b) = block_on(async {
        join!(
            desk.change_storyline(&story.id, &here, |story| story.user_name = "A".into()),
            desk.change_storyline(&story.id, &here, |story| story.demo = true),
        )
    });
    assert_eq!((a, b), (Ok(Changed::Stored), Ok(Changed::Stored)));
    let stored = block_on(desk.load::<Storyline>("s")).unwrap().unwrap();
    assert_eq!((stored.user_name.as_str(), stored.demo, stored.title.as_str()), ("A", true, "new"));
    // One that is gone, one that cannot be stored, and one that another tab writes.
    let gone = block_on(desk.change_storyline(&"none".into(), &tab(|| false), titled("x")));
    assert_eq!(gone, Ok(Changed::Gone));
    sim.store.fail(1, "QuotaExceededError");
    assert!(block_on(desk.change_storyline(&story.id, &tab(|| false), titled("x"))).is_err());
    let again = block_on(desk.change_storyline(&story.id, &tab(|| false), titled("after")));
    assert_eq!(again, Ok(Changed::Stored), "a write that failed keeps nobody waiting");
    let announced = sim.tabs.announced.get();
    sim.tabs.lose();
    let elsewhere = block_on(desk.change_storyline(&story.id, &tab(|| false), titled("x")));
    assert_eq!((elsewhere, sim.tabs.announced.get()), (Ok(Changed::Elsewhere), announced));
    assert_eq!(block_on(desk.load::<Storyline>("s")).unwrap().unwrap().title, "after");
    // One that nobody writes is borrowed for the change.
    let other = Tab { stays: false, may_write: Some(sim.tabs.clone()), ..tab(|| false) };
    let borrowed = block_on(desk.change_storyline(&story.id, &other, titled("borrowed")));
    assert_eq!((borrowed, other.released.get()), (Ok(Changed::Stored), 1));
}

/// Between the look whether a turn is under way and the record that is read there is time for one to begin.
#[test]
fn a_turn_that_begins_while_the_record_is_read_comes_first() {
    let (_sim, desk) = desk();
    let story = forked(&desk, 4);
    let is_playing = Cell::new(false);
    let here = tab(|| is_playing.get());
    let turn = async {
        is_playing.set(true);
        let read: Storyline = desk.load("s").await.unwrap().unwrap();
        for _ in 0..3 {
            yield_once().await;
        }
        desk.save(&Storyline { total_turns: read.total_turns + 1, ..read }).await.unwrap();
        is_playing.set(false);
    };
    let change = desk.change_storyline(&story.id, &here, |story| story.title = "new".into());
    let (changed, ()) = block_on(async { join!(change, turn) });
    assert_eq!(changed, Ok(Changed::Stored));
    let stored = block_on(desk.load::<Storyline>("s")).unwrap().unwrap();
    assert_eq!((stored.title.as_str(), stored.total_turns), ("new", story.total_turns + 1));
}

#[test]
fn events_of_a_background_that_is_gone_bring_it_not_back() {
    let (_sim, desk) = desk();
    let add = |events: &mut Vec<StoryEvent>| events.push(StoryEvent::default());
    assert_eq!(block_on(desk.change_events(&"b".into(), add)), Ok(false));
    assert_eq!(block_on(desk.load::<Background>("b")), Ok(None));
    block_on(desk.save(&Background { id: "b".into(), name: "Well".into(), ..Default::default() })).unwrap();
    assert_eq!(block_on(desk.change_events(&"b".into(), add)), Ok(true));
    let stored = block_on(desk.load::<Background>("b")).unwrap().unwrap();
    assert_eq!((stored.events.len(), stored.name.as_str()), (1, "Well"));
}

/// Of two tabs that change one entry neither takes back what the other did.
#[test]
fn entries_are_changed_as_they_are_by_now() {
    let (sim, desk) = desk();
    let stored = || block_on(desk.load::<Background>("b")).unwrap().unwrap();
    let written = Background { id: "b".into(), name: "Well".into(), ..Default::default() };
    block_on(desk.put_entry(&written, [])).unwrap();
    let id = written.id.clone();
    let add = || desk.change_events(&id, |events| events.push(StoryEvent::default()));
    let rename = |stored: Option<Background>| Background { name: "Moor".into(), ..stored.unwrap() };
    let (renamed, added) = block_on(async { join!(desk.change_entry("b", [], rename), add()) });
    assert_eq!((renamed, added, stored().name.as_str(), stored().events.len()), (Ok(()), Ok(true), "Moor", 1));
    let (discarded, added) = block_on(async { join!(desk.discard::<Background>("b"), add()) });
    assert_eq!((discarded, added, stored().deleted.is_some(), stored().events.len()), (Ok(()), Ok(true), true, 2));
    let (restored, added) = block_on(async { join!(desk.restore::<Background>("b"), add()) });
    assert_eq!((restored, added, stored().deleted, stored().events.len()), (Ok(()), Ok(true), None, 3));
    assert_eq!(sim.tabs.announced.get(), 7, "each is told");
    // Another tab's bin shows it still: what was taken out stays.
    block_on(desk.delete_forever::<Background>("b")).unwrap();
    assert_eq!(stored().name, "Moor");
    // One that is gone is made anew by who edits it, and by nobody else.
    block_on(desk.discard::<Background>("b")).unwrap();
    block_on(desk.delete_forever::<Background>("b")).unwrap();
    block_on(desk.restore::<Background>("b")).unwrap();
    assert_eq!(block_on(desk.load::<Background>("b")), Ok(None));
    block_on(desk.change_entry("b", [], |stored: Option<Background>| stored.unwrap_or(written))).unwrap();
    assert_eq!(stored().name, "Well");
}

#[test]
fn sets_are_changed_as_they_are_by_now_and_other_tabs_hear_of_them() {
    let (sim, desk) = desk();
    block_on(desk.put_set(&QuickSet { id: "s".into(), ..Default::default() })).unwrap();
    let add = || desk.amend_set("s", |set: &mut QuickSet| set.add(QuickReply::default()));
    let added = block_on(async { join!(add(), add()) });
    let numbers: Vec<_> = block_on(desk.quick_sets()).unwrap()[0].numbers().into_iter().collect();
    assert_eq!((added, numbers), ((Ok(()), Ok(())), vec![1, 2]));
    block_on(desk.delete_set::<QuickSet>("s")).unwrap();
    assert_eq!((block_on(desk.quick_sets()).unwrap(), sim.tabs.announced.get()), (Vec::new(), 4));
}

#[test]
fn presets_come_newest_first_and_other_tabs_hear_of_them() {
    let (sim, desk) = desk();
    for (id, updated) in [("old", 1), ("new", 2)] {
        block_on(desk.put_preset(&Preset { id: id.into(), updated, ..Default::default() })).unwrap();
    }
    let ids = || block_on(desk.presets()).unwrap().into_iter().map(|preset| preset.id.0).collect::<Vec<_>>();
    assert_eq!(ids(), ["new", "old"]);
    block_on(desk.delete_preset(&"new".into())).unwrap();
    assert_eq!((ids(), sim.tabs.announced.get()), (vec!["old".to_owned()], 3));
}

#[test]
fn what_another_device_changed_of_a_preset_stays_where_it_is_edited() {
    let (_sim, desk) = desk();
    let block = |name: &str| Block { name: name.into(), ..Default::default() };
    let was = Preset { id: "p".into(), name: "before".into(), blocks: vec![block("a")], ..Default::default() };
    let elsewhere = Preset { description: "mine".into(), blocks: vec![block("b")], updated: 1, ..was.clone() };
    block_on(desk.put_preset(&elsewhere)).unwrap();
    let renamed = Preset { name: "now".into(), updated: 2, ..was.clone() };
    block_on(desk.change_preset(&was, renamed.clone())).unwrap();
    let stored = || block_on(desk.load::<Preset>("p")).unwrap().unwrap();
    assert_eq!(stored(), Preset { name: "now".into(), updated: 2, ..elsewhere });
    block_on(desk.delete_preset(&"p".into())).unwrap();
    block_on(desk.change_preset(&was, renamed.clone())).unwrap();
    assert_eq!(stored(), renamed, "what is edited is wanted");
}

/// What another tab wrote, before this one has let go of what it has at hand.
#[test]
fn a_preset_is_followed_past_what_is_at_hand() {
    let (sim, desk) = desk();
    let desk = Desk { ports: Ports { store: Rc::new(RecordCache::new(sim.store.clone(), || {})), ..desk.ports } };
    let story = Storyline { preset: "p".into(), ..Default::default() };
    let preset = |name: &str| Preset { id: "p".into(), name: name.into(), ..Default::default() };
    block_on(desk.put_preset(&preset("before"))).unwrap();
    assert_eq!(block_on(desk.load::<Preset>("p")).unwrap().unwrap().name, "before");
    block_on(sim.ports.store.save(&preset("now"))).unwrap();
    assert_eq!(block_on(desk.preset_of(&story)).name, "now");
    let without = Storyline { preset: "gone".into(), ..story };
    assert_eq!(block_on(desk.preset_of(&without)).id.as_str(), "plain");
}

#[test]
fn the_tree_and_what_is_at_its_places() {
    let (_sim, desk) = desk();
    let story = forked(&desk, 6);
    let (tree, marks) = block_on(desk.tree(&story)).unwrap();
    assert_eq!(tree.alive.len(), 2);
    assert_eq!(marks.names.values().collect::<Vec<_>>(), ["the well"]);
    let at = |branch: &str, end: u32| Head { branch: branch.into(), end };
    let place = |at: Head| block_on(desk.place(&tree.alive, at)).unwrap();
    let seen = place(at("a", 3)).unwrap();
    let others: Vec<_> = seen.others.iter().map(|reply| reply.id.as_str()).collect();
    assert_eq!((seen.turn.id.as_str(), seen.reply.unwrap().id.as_str(), others), ("a2", "a2r", vec!["a2other"]));
    // Right after the fork, what is there is the turn that the branch leaves.
    assert_eq!(place(at("b", 3)).unwrap().turn.id.as_str(), "a2");
    assert!(place(at("none", 1)).is_none());

    let pair = block_on(desk.compare(&story, &at("b", 4), 20)).unwrap().unwrap();
    let row = |row: &[Option<crate::story::tree::Node>; 2]| {
        row.each_ref().map(|node| node.as_ref().map(|node| node.turn.id.0.clone()))
    };
    let rows: Vec<_> = pair.rows.iter().map(row).collect();
    let id = |id: &str| Some(id.to_owned());
    assert_eq!(rows, [[id("a3"), id("b3")], [id("a4"), None], [id("a5"), None]]);
    assert_eq!((pair.ends, pair.fork, pair.is_whole), ([6, 4], 3, true));
    let states = pair.states.map(|state| state.unwrap().id.0);
    assert_eq!(states, ["sa5", "sb3"]);
    assert!(!block_on(desk.compare(&story, &at("b", 4), 1)).unwrap().unwrap().is_whole);
}

#[test]
fn what_the_turns_say_of_persona_and_world() {
    let (_sim, desk) = desk();
    let story = forked(&desk, 6);
    let (tree, _) = block_on(desk.tree(&story)).unwrap();
    let path = Path::of(&tree.alive, &story.head).unwrap();
    let timeline = block_on(desk.timeline(&path, 2, 5, None)).unwrap();
    assert_eq!(timeline.keys().copied().collect::<Vec<_>>(), [2, 3, 4]);
    let state = |seen: Option<&str>, end: u32| {
        let seen = seen.map(Into::into);
        let path = path.until(end);
        block_on(desk.state(&story.id, &story.initial_state, &path, seen.as_ref())).unwrap().unwrap().id.0
    };
    assert_eq!((state(Some("sb3"), 6), state(None, 4), state(None, 0)), ("sb3".into(), "sa3".into(), "s0".into()));
    let sight = block_on(desk.sight(&story.id, |end| end - 2..end)).unwrap().unwrap();
    assert_eq!(sight.nodes.iter().map(|node| node.turn.position).collect::<Vec<_>>(), [4, 5]);
    assert!(block_on(desk.sight(&"none".into(), |_| 0..0)).unwrap().is_none());
}

#[test]
fn a_start_reads_each_on_its_own() {
    let (_sim, desk) = desk();
    let start = block_on(desk.start());
    assert_eq!((start.has_stories, start.preferences.unwrap().record), (Ok(false), None));
    let broken = json!({ "id": Preferences::ID, "theme": 7, "type_size": 20 });
    let mut batch = Batch::new();
    batch.ops.push(Op::Put(Table::Settings, broken.into()));
    block_on(desk.ports.store.commit(batch)).unwrap();
    let story = block_on(desk.begin_demo(Language::En)).unwrap();
    let start = block_on(desk.start());
    let read = start.preferences.unwrap();
    assert_eq!((start.has_stories, read.record.unwrap().type_size, read.aside.is_some()), (Ok(true), 20, true));
    assert!(block_on(desk.sight(&story.id, |end| 0..end)).unwrap().unwrap().storyline.demo);
    assert!(!block_on(desk.has_open_reply()) && !block_on(desk.has_open_import()));
}

/// It is no empty shelf: nobody is told that the browser wiped it.
#[test]
fn a_story_that_cannot_be_read_is_there() {
    let (_sim, desk) = desk();
    let broken = json!({ "id": "broken", "head": "nowhere", "sessions": 7 });
    block_on(desk.ports.store.commit(Batch { ops: vec![Op::Put(Table::Storylines, broken.into())], ..Batch::new() }))
        .unwrap();
    assert_eq!(block_on(desk.lists()).unwrap().storylines, []);
    assert_eq!(block_on(desk.start()).has_stories, Ok(true));
}
