//! Features, limits and changes by hand in whole turns.

use serde_json::json;

use super::*;
use crate::{
    features,
    story::{
        background::outline_from_lines,
        event::{StoryEvent, effects_from_lines},
        ids::StateId,
        persona::{Item, ItemKind, PersonaEdit},
        plot::PointStatus,
        settings::Config,
        state::{Change, State},
        tree::Head,
        warning::{Category, Cause},
    },
    turn::{ByHandError, open},
};

/// The story of Alserqi on an outline of five points, with the features on.
pub(super) fn directed(answers: impl IntoIterator<Item = Answer>) -> Play {
    let play = play(answers);
    let mut story = play.storyline();
    block_on(async {
        let store = &*play.sim.ports.store;
        let mut background = store.load::<Background>("waste").await.unwrap().unwrap();
        background.story_outline = outline_from_lines("线索\n潜入\n对峙\n选择\n后果");
        background.events = happenings();
        for feature in ["director", "persona", "world"] {
            story.features.switch(feature, true);
        }
        store.commit(Batch::new().put(&background).put(&story)).await.unwrap();
    });
    play
}

/// A hunter who comes when there is gold, and comes again; a door that opens at the third point and moves the plot.
fn happenings() -> Vec<StoryEvent> {
    let effects = |text| effects_from_lines(text).unwrap();
    let hunter = StoryEvent {
        id: "hunter".into(),
        name: "猎人".into(),
        description: "{{char}}听见猎人的脚步。".into(),
        when: "world.gold >= 10".into(),
        turns: 2,
        effects: effects("gold += -10\nhunted = true"),
        repeats: true,
        ..Default::default()
    };
    let door = StoryEvent {
        id: "door".into(),
        name: "门".into(),
        when: "plot.index == 3 and world.bag and not world.hunted".into(),
        until: "world.bag contains \"盾\"".into(),
        effects: effects("place += x\nplot = 5 in_progress\nplot = 9 completed"),
        ..Default::default()
    };
    vec![hunter, door]
}

pub(super) fn feeling(content: &str) -> String {
    let update = json!({"current_state": {"emotions": {"add": [{"content": content}]}}});
    format!("<narrative>……</narrative><state_update_json>{update}</state_update_json>")
}

impl Play {
    pub(super) fn load_state(&self, id: &StateId) -> State {
        block_on(self.sim.ports.store.load::<State>(id.as_str())).unwrap().unwrap()
    }

    /// The state at the head.
    pub(super) fn state(&self) -> State {
        let nodes = self.nodes();
        let id = nodes.iter().rev().find_map(|node| node.reply()?.state.clone());
        self.load_state(&id.unwrap_or(self.storyline().initial_state))
    }

    /// Point, status and counter at the head.
    fn plot(&self) -> (u32, String, u32) {
        let plot = self.state().plot;
        (plot.current_plot_index, plot.current_status, plot.no_update_count)
    }

    fn feelings(&self) -> Vec<String> {
        let read = |value| Some(Item::read(ItemKind::Emotion, value)?.texts()[0].to_owned());
        self.state().persona(None).current_state.emotions.iter().filter_map(read).collect()
    }

    fn set_limits(&self, change: impl FnOnce(&mut Config)) {
        let mut config = Config::default();
        change(&mut config);
        block_on(self.sim.ports.store.save(&config)).unwrap();
    }
}

/// The plot moves with the reply, in the one commit that ends the turn; every way of ending counts.
#[test]
fn the_plot_moves_with_the_reply() {
    let refused = Answer::error(500, "oops");
    let answers = [
        Answer::text(["到了。[PROG", "RESS:3:in_progress]"]),
        Answer::text(["嗯。"]),
        Answer::unfinished(["我答应过你，不会"]),
        Answer::text([""]),
        refused,
        Answer::text(["走。[PROGRESS:4:pending]"]),
    ];
    let play = directed(answers);
    let reply = play.say("a");
    assert_eq!(play.plot(), (3, "in_progress".into(), 0));
    assert_eq!(reply.text, "到了。[PROGRESS:3:in_progress]", "the marker stays");
    assert!(matches!(reply.changes()[..], [Change::Plot { index: 3, status: PointStatus::InProgress, .. }]));
    let commits = play.sim.store.commits();
    // What it cost is booked after it.
    let mut ends = commits.iter().rev().filter(|commit| !commit.ops.iter().any(|op| table_of(op) == Table::Spending));
    let tables: Vec<_> = ends.next().unwrap().ops.iter().map(table_of).collect();
    let told = [Table::Due, Table::Memories, Table::Branches];
    assert_eq!(tables, [&[Table::States][..], &told, &[Table::Due, Table::Generations, Table::Storylines]].concat());
    for (count, status) in [(1, Status::Done), (2, Status::Interrupted), (3, Status::Empty), (4, Status::Error)] {
        assert_eq!(play.say("b").status, status);
        assert_eq!(play.plot(), (3, "in_progress".into(), count), "{status:?}");
    }
    play.say("c");
    assert_eq!(play.plot(), (4, "pending".into(), 0));
    assert_eq!(play.state().plot.since, Some(6));
}

fn table_of(op: &crate::store::Op) -> Table {
    match op {
        crate::store::Op::Put(table, _) | crate::store::Op::Delete(table, _) => *table,
    }
}

/// A turn that never reached the model is no reply: nothing counts. With the modules off nothing counts either, and no
/// state is stored.
#[test]
fn what_is_no_reply_does_not_count() {
    let play = directed([]);
    block_on(play.sim.ports.store.commit(Batch::new().delete(Table::Settings, Connections::ID))).unwrap();
    assert_eq!(play.say("a").fault.unwrap().kind, FaultKind::NoConnection);
    assert_eq!(play.plot().2, 0);

    let play = super::play([Answer::text(["[PROGRESS:3:in_progress]"])]);
    let reply = play.say("a");
    assert_eq!((reply.state, play.plot().0), (Some(play.story.initial_state.clone()), 1));
}

/// A reply that is continued counts once, as a whole; another reply to a turn starts from before that turn.
#[test]
fn the_state_follows_the_replies_that_are_seen() {
    let [weary, calm] = [feeling("Weary"), feeling("Calm")];
    let answers = [
        Answer::text([weary.as_str()]),
        Answer::unfinished(["他推开"]),
        Answer::text(["门。[PROGRESS:2:in_progress]"]),
        Answer::text([calm.as_str()]),
        Answer::text(["第三轮"]),
    ];
    let play = directed(answers);
    play.say("a");
    let broken = play.say("b");
    assert_eq!(play.plot(), (1, "pending".into(), 2));
    play.ask(Ask::Continue(broken.id)).unwrap();
    assert_eq!(play.plot(), (2, "in_progress".into(), 0));
    let first = play.nodes()[1].clone();
    play.ask(Ask::Again(first.turn.id.clone())).unwrap();
    assert_eq!((play.plot(), play.feelings()), ((1, "pending".into(), 1), vec!["Calm".to_owned()]));
    play.say("c");
    assert_eq!((play.plot().2, play.feelings()), (2, vec!["Calm".to_owned()]));
    block_on(play.conductor.choose(&play.story.id, &first.turn.id, &first.reply().unwrap().id)).unwrap();
    assert_eq!((play.plot(), play.feelings()), ((2, "in_progress".into(), 0), vec!["Weary".to_owned()]));
}

/// A stream that the tab's end broke off is seen by the modules when it is closed.
#[test]
fn a_stream_that_is_closed_at_start_counts() {
    let play = directed([Answer::text(["好。[PROGRESS:2:in_progress]"]), Answer::text(["半"])]);
    play.say("a");
    let before = play.state();
    let mut reply = play.say("b");
    (reply.status, reply.open, reply.state) = (Status::Streaming, Some(1), Some(before.id));
    block_on(play.sim.ports.store.save(&reply)).unwrap();
    block_on(recover::close_unfinished(&play.sim.ports, &play.story.id)).unwrap();
    assert_eq!(play.plot(), (2, "in_progress".into(), 1));
}

/// C7: another background, the same plot state; the new outline counts from the next reply on.
#[test]
fn switching_the_background_keeps_the_plot() {
    let play = directed([
        Answer::text(["[PROGRESS:3:in_progress]"]),
        Answer::text(["[PROGRESS:3:completed]"]),
        Answer::text(["[PROGRESS:2:pending]"]),
    ]);
    play.say("a");
    let other =
        Background { id: "sea".into(), story_outline: outline_from_lines("启航\n风暴"), ..Default::default() };
    let mut story = play.storyline();
    story.background = Some(other.id.clone());
    block_on(play.sim.ports.store.commit(Batch::new().put(&other).put(&story))).unwrap();
    assert_eq!(play.plot(), (3, "in_progress".into(), 0));
    let beyond = play.say("b");
    assert_eq!(play.plot(), (3, "in_progress".into(), 1));
    assert_eq!(beyond.notices()[0].cause, Cause::OutOfOutline { index: 3, points: 2 });
    play.say("c");
    assert_eq!(play.plot(), (2, "pending".into(), 0));
}

/// A6: above the limit nothing is sent, and nothing counts.
#[test]
fn a_prompt_over_the_limit_is_not_sent() {
    let long = "很久以前的事情，大家都记得。".repeat(1_000);
    let play = directed([Answer::text([long.as_str()]), Answer::text(["好。"])]);
    play.say("a");
    play.set_limits(|config| config.limits.max_total_tokens = 10_000);
    let reply = play.say("b");
    let fault = reply.fault.clone().unwrap();
    let total = reply.prompt.unwrap().tokens;
    assert_eq!((reply.status, fault.kind), (Status::Error, FaultKind::OverLimit));
    assert_eq!(fault.detail, format!("{total} > 10000"));
    assert!(total > 10_000);
    assert_eq!(play.sim.llm.requests().len(), 1);
    assert_eq!(play.plot().2, 1, "only the first turn counts");
    play.set_limits(|_| {});
    let turn = play.nodes()[2].turn.id.clone();
    assert_eq!(play.ask(Ask::Again(turn)).unwrap().status, Status::Done, "at once, with the limit changed");
}

/// A7: a long middle is warned of and sent whole.
#[test]
fn a_long_middle_is_warned_of() {
    let long = "很久以前的事情，大家都记得。".repeat(1_000);
    let play = directed([Answer::text([long.as_str()]), Answer::text(["好。"])]);
    assert!(play.say("a").warnings().is_empty());
    play.set_limits(|config| config.limits.middle_section_warning_tokens = 1_000);
    let reply = play.say("b");
    let warnings = reply.warnings();
    assert_eq!((warnings.len(), warnings[0].category), (1, Category::MiddleSectionOverflow));
    assert!(warnings[0].current_value > 10_000 && warnings[0].threshold == 1_000);
    assert!(play.messages(1).iter().any(|(_, text)| *text == long), "nothing is cut");
    assert_eq!(play.nodes()[2].reply().unwrap().warnings(), warnings, "they hang on the tree");
}

#[test]
fn a_broken_config_is_the_defaults() {
    let play = directed([Answer::text(["好。"])]);
    play.set_limits(|config| config.limits.max_total_tokens = 0);
    assert_eq!(play.say("a").status, Status::Done);
}

/// By hand: a new state at the head, in one commit, kept when the reply goes on or is read anew.
#[test]
fn changes_by_hand_hold_and_stay() {
    let calm = feeling("Calm");
    let play = directed([Answer::unfinished(["他推开"]), Answer::text([calm.as_str()]), Answer::text(["好。"])]);
    let id = &play.story.id;
    let broken = play.say("a");
    let plot = |index| block_on(play.conductor.set_plot(id, index, PointStatus::InProgress));
    for index in [0, 6] {
        assert_eq!(plot(index), Err(ByHandError::NoSuchPoint { points: 5 }));
    }
    plot(4).unwrap();
    let add = |content| PersonaEdit::Add { item: Item::new(ItemKind::Emotion, [content, "", ""]) };
    let edited = block_on(play.conductor.edit_persona(id, None, add("Torn"))).unwrap();
    let commits = play.sim.store.commits();
    assert_eq!(
        commits.last().unwrap().ops.iter().map(table_of).collect::<Vec<_>>(),
        [Table::States, Table::Due, Table::Generations]
    );
    assert_eq!(edited, play.state());
    assert_eq!((play.plot(), play.feelings()), ((4, "in_progress".into(), 0), vec!["Torn".to_owned()]));
    let emotion = &edited.persona(None).current_state.emotions[0];
    assert_eq!((&emotion["by_hand"], &emotion["turn"]), (&json!(true), &json!(1)));

    play.ask(Ask::Continue(broken.id.clone())).unwrap();
    assert_eq!((play.plot(), play.feelings()), ((4, "in_progress".into(), 0), vec!["Calm".into(), "Torn".to_owned()]));
    block_on(play.conductor.edit_reply(&broken.id, &feeling("Cold"))).unwrap();
    assert_eq!(play.feelings(), ["Calm", "Torn"], "rewording alone changes no state");
    block_on(play.conductor.read_anew(&broken.id)).unwrap();
    assert_eq!((play.plot().0, play.feelings()), (4, vec!["Cold".into(), "Torn".to_owned()]));
    play.say("b");
    assert_eq!((play.plot(), play.feelings().len()), ((4, "in_progress".into(), 1), 2));
    let stale = PersonaEdit::Remove { kind: ItemKind::Emotion, old: json!("Torn") };
    assert!(matches!(block_on(play.conductor.edit_persona(id, None, stale)), Err(ByHandError::NotThere(_))));

    play.sim.tabs.lose();
    assert!(matches!(plot(1), Err(ByHandError::Fault(fault)) if fault.kind == FaultKind::TakenOver));
}

/// What a reply had said counts, whatever becomes of the wish that it say more: refused, or never sent.
#[test]
fn a_reply_that_does_not_go_on_keeps_what_it_did() {
    let calm = feeling("Calm");
    let refusals = [429, 401, 500].map(|status| Some(Answer::error(status, "oops")));
    for refused in refusals.into_iter().chain([None]) {
        let is_sent = refused.is_some();
        let play = directed([Answer::text([calm.as_str()])].into_iter().chain(refused));
        let done = play.say("a");
        let before = play.state();
        if !is_sent {
            block_on(play.sim.ports.store.save(&Connections::default())).unwrap();
        }
        let held = play.ask(Ask::Continue(done.id)).unwrap();
        assert_eq!((held.status, held.fault.is_some(), held.text), (Status::Done, true, done.text));
        assert!(play.state().says_the_same(&before));
        assert_eq!(play.feelings(), ["Calm"]);
    }
}

/// Before anything is said, the reader changes how the story begins.
#[test]
fn changes_before_the_first_word() {
    let play = directed([Answer::text(["好。"])]);
    let character = Character { id: "mute".into(), name: "Mute".into(), ..Default::default() };
    let new = NewStoryline {
        title: String::new(),
        character: &character,
        background: None,
        preset: "persona".into(),
        connection: None,
        user_name: String::new(),
        plays_as: None,
        language: Language::En,
        demo: false,
    };
    let store = &*play.sim.ports.store;
    let story = block_on(open::open_storyline(&play.sim.ports, new)).unwrap();
    block_on(store.save(&character)).unwrap();
    let item = Item::new(ItemKind::Goal, ["speak", "", ""]);
    let state = block_on(play.conductor.edit_persona(&story.id, None, PersonaEdit::Add { item })).unwrap();
    let said = Ask::New("hi".into());
    let reply = block_on(play.conductor.play(&story.id, said, Stop::never(), &|_| {})).unwrap();
    assert_eq!(reply.state, Some(state.id));
}

/// C6: asked with base persona, old evolved persona and the last twenty turns; kept as a version.
#[test]
fn memory_is_updated() {
    let answers = (0..22).map(|_| Answer::text(["好。"])).chain([
        Answer::text(["他学会了", "等待。\n"]),
        Answer::text(["", " "]),
        Answer::unfinished(["半"]),
        Answer::text(["他不再等待。"]),
    ]);
    let play = directed(answers);
    let id = &play.story.id;
    for n in 0..22 {
        play.say(&format!("第{n}句。"));
    }
    let update = || block_on(play.conductor.update_memory(id, None, Stop::never()));
    let state = update().unwrap().unwrap();
    assert_eq!(state.persona(None).evolved_persona, "他学会了等待。");
    assert_eq!(state, play.state());
    let [(role, asked)] = &play.messages(22)[..] else { panic!() };
    assert_eq!(role, "user");
    for expected in ["废土黑帮老大", "（无）", "玩家: 第2句。", "Alserqi: 好。", "玩家: 第21句。"]
    {
        assert!(asked.contains(expected), "{expected} in {asked}");
    }
    assert!(!asked.contains("第1句。") && !asked.contains("{}"), "{asked}");

    let before = play.state();
    assert_eq!(update(), Ok(None), "an empty answer changes nothing");
    assert!(matches!(update(), Err(ByHandError::Fault(fault)) if fault.kind == FaultKind::ConnectionLost));
    assert_eq!(play.state(), before, "nor does a broken one");
    assert!(play.nodes().iter().all(|node| node.reply().is_some_and(|reply| reply.open.is_none())));

    let state = update().unwrap().unwrap();
    assert!(play.messages(25)[0].1.contains("他学会了等待。"));
    let versions: Vec<_> = state.persona(None).evolved_versions.iter().map(|version| version.text.as_str()).collect();
    assert_eq!(versions, ["他学会了等待。", "他不再等待。"]);
    let restore = PersonaEdit::Restore { text: "他学会了等待。".into() };
    let state = block_on(play.conductor.edit_persona(id, None, restore)).unwrap();
    assert_eq!(
        (state.persona(None).evolved_persona.as_str(), state.persona(None).evolved_versions.len()),
        ("他学会了等待。", 2)
    );
}

/// What was drawn from one way through the story is no memory of another; where the story only goes on, it holds.
#[test]
fn a_memory_that_is_drawn_belongs_to_where_it_was_drawn() {
    for goes_back in [true, false] {
        let mut slow = Answer::text(["他学会了等待。"]);
        slow.steps.insert(0, Step::Wait(500));
        let play = directed([Answer::text(["好。"]), Answer::text(["嗯。"]), slow, Answer::text(["走吧。"])]);
        let id = &play.story.id;
        play.say("一。");
        play.say("二。");
        let before = Head { end: 2, ..play.storyline().head };
        let outcome = block_on(async {
            let update = play.conductor.update_memory(id, None, Stop::never());
            let act = async {
                play.sim.ports.clock.sleep(50).await;
                if goes_back {
                    play.conductor.move_to(id, &before).await.unwrap();
                } else {
                    play.conductor.play(id, Ask::New("三。".into()), Stop::never(), &|_| {}).await.unwrap();
                }
            };
            futures_util::join!(update, act).0
        });
        match goes_back {
            true => assert!(matches!(outcome, Err(ByHandError::Moved)), "{outcome:?}"),
            false => assert!(outcome.is_ok(), "{outcome:?}"),
        }
        let drawn = play.state().persona(None).evolved_persona.clone();
        assert_eq!(drawn, if goes_back { "" } else { "他学会了等待。" });
    }
}

/// What changed in the storyline while a reply came is not undone by its end.
#[test]
fn the_end_of_a_turn_keeps_what_changed_meanwhile() {
    let piece = |text| Step::Bytes(crate::sim::llm::openai_chunk(text));
    let play = directed([Answer::unfinished(["好。"]).then(Step::Wait(500)).then(piece("[PROGRESS:2:pending]"))]);
    let show = |shown: Shown| {
        if matches!(shown, Shown::Reply(reply) if reply.open.is_some()) {
            let store = &*play.sim.ports.store;
            let mut story = store.load::<Storyline>(play.story.id.as_str()).now_or_never().unwrap().unwrap().unwrap();
            (story.title, story.deleted) = ("改名".into(), Some(1));
            store.save(&story).now_or_never().unwrap().unwrap();
        }
    };
    block_on(play.conductor.play(&play.story.id, Ask::New("a".into()), Stop::never(), &show)).unwrap();
    let story = play.storyline();
    assert_eq!((story.title.as_str(), story.deleted, play.plot().0), ("改名", Some(1), 2));
}

/// With the modules on too, whatever operation of the store fails, the turn is done again without a trace of the first.
#[test]
fn with_modules_any_operation_may_fail() {
    let answers = || (0..3).map(|_| Answer::text(["好。[PROGRESS:2:", "in_progress]"]));
    let counting = directed(answers());
    let before = counting.sim.store.operations();
    counting.say("走");
    for nth in 0..counting.sim.store.operations() - before {
        let play = directed(answers());
        play.sim.store.fail(nth, "UnknownError");
        let _ = play.ask(Ask::New("走".into()));
        block_on(recover::close_unfinished(&play.sim.ports, &play.story.id)).unwrap();
        let again = match play.nodes().get(1) {
            Some(node) => Ask::Again(node.turn.id.clone()),
            None => Ask::New("走".into()),
        };
        assert_eq!(play.ask(again).unwrap().status, Status::Done, "operation {nth}");
        assert_eq!(play.plot(), (2, "in_progress".into(), 0), "operation {nth}");
        for node in play.nodes() {
            for reply in &node.generations {
                play.load_state(reply.state.as_ref().unwrap());
            }
        }
    }
}

/// A change by hand that cannot be stored changes nothing.
#[test]
fn a_change_that_is_not_stored_is_not_made() {
    let counting = directed([Answer::text(["好。"])]);
    counting.say("走");
    let set = |play: &Play| block_on(play.conductor.set_plot(&play.story.id, 3, PointStatus::Pending));
    let before = counting.sim.store.operations();
    set(&counting).unwrap();
    for nth in 0..counting.sim.store.operations() - before {
        let play = directed([Answer::text(["好。"])]);
        play.say("走");
        let before = (play.state(), play.nodes());
        play.sim.store.fail(nth, "UnknownError");
        assert!(set(&play).is_err(), "operation {nth}");
        assert_eq!((play.state(), play.nodes()), before);
    }
}

/// The modules in the tree are the same as upon the path: what a replay of the seen replies gives.
pub(super) fn replayed(play: &Play) -> State {
    let story = play.storyline();
    let background = block_on(scene::background(&*play.sim.ports.store, &story)).unwrap();
    let preset = block_on(scene::preset(&*play.sim.ports.store, &story));
    let on = features::enabled(&story, &preset, &background.events);
    let mut state = play.load_state(&story.initial_state);
    for node in play.nodes() {
        let Some(mut reply) = node.reply().cloned() else { continue };
        if node.turn.position == 0 {
            // No model wrote the opening: what is done by hand there is all.
            for by_hand in reply.by_hand() {
                features::change_by_hand(&mut state, &by_hand, 0, Some(&reply.id)).unwrap();
            }
            continue;
        }
        let stored = (reply.changes(), reply.notices());
        if let Some(after) = features::settle(&on, Ok(&background.story_outline), &state, &mut reply, "replay".into()) {
            state = after;
        }
        assert_eq!((reply.changes(), reply.notices()), stored, "turn {}", node.turn.position);
    }
    state
}
