//! The modules on their own, with the examples of the seeds.

mod cast;
mod failures;
mod stance;

use serde_json::{Value, json};

use super::{
    director::Stance,
    persona::{Persona, evolve},
    *,
};
use crate::story::{
    background::outline_from_lines,
    persona::{ItemKind, PersonaEdit},
    state::MajorEvent,
    storyline::{GrowthPolicy, Modules, PersonaSettings},
};

const OUTLINE: &str = "发现背叛者的线索\n潜入敌人据点\n与仇人对峙\n做出关键选择\n应对选择的后果";

/// A reply of the story at this turn.
fn reply(position: u32, text: &str) -> Generation {
    Generation {
        id: format!("g{position}").into(),
        position,
        text: text.to_owned(),
        status: if text.trim().is_empty() { Status::Empty } else { Status::Done },
        finished: Some(1_760_610_600_000 + u64::from(position) * 60_000),
        ..Default::default()
    }
}

fn update(json: Value) -> String {
    format!("<narrative>他看着你。</narrative>\n<state_update_json>\n{json}\n</state_update_json>")
}

/// Settles a reply; gives it with the state after it.
fn settled(modules: &[Box<dyn Module>], before: &State, mut generation: Generation) -> (Generation, State) {
    let fresh = StateId::from(format!("after {}", generation.id));
    let after = settle(modules, Ok(&outline_from_lines(OUTLINE)), before, &mut generation, fresh);
    let after = after.unwrap_or_else(|| before.clone());
    assert_eq!(generation.state.as_ref(), Some(&after.id), "the reply names the state after it");
    (generation, after)
}

fn director() -> Vec<Box<dyn Module>> {
    vec![Box::new(director::Director)]
}

fn persona(growth: GrowthPolicy) -> Vec<Box<dyn Module>> {
    vec![Box::new(Persona { growth, reader: "小雨".into() })]
}

fn at_point(index: u32, status: &str, no_update_count: u32) -> State {
    let mut state = State { id: "s".into(), ..Default::default() };
    state.plot.current_plot_index = index;
    state.plot.current_status = status.into();
    state.plot.no_update_count = no_update_count;
    state
}

/// Turns 42 to 45 of seed `000`, and what follows the reminder of turn 46.
#[test]
fn the_walk_of_seed_000() {
    let said = "我当然记得。（沉默片刻）我答应过你，不会冲动送死。但Victor必须付出代价，这是我活下去的唯一理由。我会等，等到最安全的时机。[PROGRESS:3:in_progress]";
    let mut state = at_point(3, "in_progress", 2);
    let turns = [(42, said, 0), (43, "嗯。", 1), (44, "再等等。", 2), (45, "[PROGRESS:3]", 3), (46, "走。", 4)];
    for (turn, text, count) in turns {
        let (generation, after) = settled(&director(), &state, reply(turn, text));
        assert_eq!((after.plot.current_plot_index, after.plot.current_status.as_str()), (3, "in_progress"));
        assert_eq!(after.plot.no_update_count, count, "turn {turn}");
        assert!(generation.changes().is_empty() && generation.notices().is_empty());
        let next = stance::of(&after.plot, OUTLINE);
        let turns = after.plot.no_update_count;
        let expected =
            if turn >= 45 { Stance::Reminds { point: 3, turns } } else { Stance::Waits { turns, threshold: 3 } };
        assert_eq!(next, expected, "turn {turn}");
        state = after;
    }
    let (_, after) = settled(&director(), &state, reply(47, "是时候了。[PROGRESS:4:in_progress]"));
    assert_eq!((after.plot.no_update_count, after.plot.since), (0, Some(47)));
}

#[test]
fn what_counts_as_progress() {
    let check = |text: &str, status: Status, expected: (u32, &str, u32)| {
        let mut generation = reply(42, text);
        generation.status = status;
        let (generation, after) = settled(&director(), &at_point(3, "in_progress", 2), generation);
        let plot = &after.plot;
        assert_eq!(
            (plot.current_plot_index, plot.current_status.as_str(), plot.no_update_count),
            expected,
            "{text:?} {status:?}"
        );
        generation
    };
    use Status::*;
    // Broken off, empty and failed replies count; of a failed one nothing is read (case 4 of the seed).
    check("我当然记得。（沉默片刻）我答应过你，不会", Interrupted, (3, "in_progress", 3));
    check("好。[PROGRESS:3:completed] 我答应过", Interrupted, (3, "completed", 0));
    check("", Empty, (3, "in_progress", 3));
    check("半句[PROGRESS:4:in_progress]", Error, (3, "in_progress", 3));
    // The first marker counts; one with another status is none.
    check("[PROGRESS:4:in_progress][PROGRESS:5:completed]", Done, (4, "in_progress", 0));
    check("[PROGRESS:4:perhaps][PROGRESS:5:pending]", Done, (5, "pending", 0));
    check("[PROGRESS::pending] [PROGRESS:三:pending] PROGRESS:4:pending", Done, (3, "in_progress", 3));
    // Beyond the outline.
    for (text, index) in [("[PROGRESS:0:completed]", 0), ("[PROGRESS:6:pending]", 6)] {
        let generation = check(text, Done, (3, "in_progress", 3));
        let cause = Cause::OutOfOutline { index, points: 5 };
        assert_eq!(generation.notices(), [Notice { module: "director".into(), cause }]);
    }
    // Back to what was finished.
    let generation = check("[PROGRESS:2:in_progress]", Done, (2, "in_progress", 0));
    let [Change::Plot { jumped_back: true, from_index: 3, content, .. }] = &generation.changes()[..] else {
        panic!("{:?}", generation.changes())
    };
    assert_eq!(content, "潜入敌人据点");
    let on = check("[PROGRESS:4:in_progress]", Done, (4, "in_progress", 0));
    assert!(matches!(on.changes()[..], [Change::Plot { jumped_back: false, index: 4, .. }]));
}

/// The points that a reply has finished: those it says, those it leaves behind, those the reader says.
#[test]
fn what_finishes_a_point() {
    let check = |status: &str, text: &str, by_hand: &[(u32, PointStatus)], expected: &[u32]| {
        let (generation, _) = settled(&director(), &at_point(3, status, 0), reply(42, text));
        let edit = |&(index, status)| HandEdit::Plot { index, status, content: String::new() };
        let by_hand: Vec<_> = by_hand.iter().map(|one| ByHand { at: 1, edit: edit(one) }).collect();
        assert_eq!(director::finished(&generation.changes(), &by_hand), expected, "{status} {text} {by_hand:?}");
    };
    use PointStatus::*;
    check("in_progress", "[PROGRESS:3:completed]", &[], &[3]);
    check("in_progress", "[PROGRESS:4:in_progress]", &[], &[3]);
    check("completed", "[PROGRESS:4:in_progress]", &[], &[]);
    check("pending", "[PROGRESS:5:completed]", &[], &[3, 4, 5]);
    check("in_progress", "[PROGRESS:2:in_progress]", &[], &[]);
    check("in_progress", "嗯。", &[], &[]);
    check("in_progress", "嗯。", &[(4, InProgress)], &[]);
    check("in_progress", "嗯。", &[(4, Completed)], &[4]);
    check("in_progress", "[PROGRESS:3:completed]", &[(3, Completed), (3, InProgress)], &[]);
}

#[test]
fn without_an_outline_the_director_rests() {
    let before = at_point(3, "in_progress", 2);
    let mut generation = reply(42, "[PROGRESS:4:in_progress]");
    assert_eq!(settle(&director(), Ok(&[]), &before, &mut generation, "n".into()), None);
    assert_eq!((generation.state, generation.extra.len()), (Some("s".into()), 0));
}

/// C1: an outline that is put in another order takes the current point with it, and the next marker counts in it.
#[test]
fn a_point_that_was_moved_stays_the_current_one() {
    let (_, before) = settled(&director(), &at_point(1, "pending", 0), reply(41, "[PROGRESS:3:in_progress]"));
    let moved = outline_from_lines("与仇人对峙\n发现背叛者的线索\n潜入敌人据点\n做出关键选择\n应对选择的后果");
    let mut generation = reply(42, "没有标记。");
    let after = settle(&director(), Ok(&moved), &before, &mut generation, "n".into()).unwrap();
    let plot = &after.plot;
    assert_eq!((plot.current_plot_index, plot.current_status.as_str(), plot.since), (1, "in_progress", Some(41)));
    assert!(generation.changes().is_empty(), "the reader moved it, not the reply");
    let mut generation = reply(43, "[PROGRESS:2:in_progress]");
    settle(&director(), Ok(&moved), &after, &mut generation, "m".into()).unwrap();
    assert!(matches!(generation.changes()[..], [Change::Plot { from_index: 1, index: 2, jumped_back: false, .. }]));
}

/// The reader is one person, whatever a model calls them: a prompt has their name, the story “you”, a transcript `User`.
#[test]
fn a_relationship_with_the_reader_is_one() {
    let mut state = State { id: "s".into(), ..Default::default() };
    state.persona_mut(None).growth_state.relationships = vec![json!({"entity": "user", "status": "陌生人"})];
    let said = [("你", "客人"), ("小雨", "朋友"), ("阿青", "对手"), ("User", "盟友")];
    for (turn, (entity, status)) in (1..).zip(said) {
        let update =
            update(json!({"growth_state": {"relationships": {"update": [{"entity": entity, "status": status}]}}}));
        state = settled(&persona(GrowthPolicy::Auto), &state, reply(turn, &update)).1;
    }
    let relationships = &state.persona(None).growth_state.relationships;
    let held: Vec<_> = relationships.iter().map(|one| (one["entity"].as_str(), one["status"].as_str())).collect();
    assert_eq!(held, [(Some("user"), Some("盟友")), (Some("阿青"), Some("对手"))]);
}

/// The example of seed `001`, and what it makes of the three layers.
#[test]
fn an_update_of_seed_001() {
    let mut before = State { id: "s".into(), ..Default::default() };
    before.persona_mut(None).core_identity.archetype = "Vengeful Anti-hero".into();
    before.persona_mut(None).growth_state.relationships =
        vec![json!({"entity": "user", "status": "Stranger", "mine": 1})];
    before.persona_mut(None).current_state.emotions = vec![json!("Neutral")];
    before.persona_mut(None).current_state.physical = json!("健康");
    let text = update(json!({
        "growth_state": {
            "beliefs": {"add": [{"content": "Trust must be earned", "formed_from": "多次被背叛的经历"}]},
            "relationships": {"update": [{"entity": "user", "status": "Potential_Ally", "history": "展示了证据"}]}
        },
        "current_state": {
            "emotions": {"add": [{"content": "Betrayed", "context": "用户承认一直在欺骗", "intensity": 9}]},
            "physical": {"condition": "Exhausted, left arm injured"},
            "immediate_goals": {"add": [{"goal": "Find safe shelter", "reason": "Need to rest"}]}
        },
        "core_identity": {"archetype": "Jester"}
    }));
    let (generation, after) = settled(&persona(GrowthPolicy::Auto), &before, reply(30, &text));
    let stamp = json!({"timestamp": "2025-10-16T11:00:00Z", "turn": 30, "generation": "g30"});
    let with = |mut value: Value| {
        value.as_object_mut().unwrap().extend(stamp.as_object().unwrap().clone());
        value
    };
    let (growth, current) = (&after.persona(None).growth_state, &after.persona(None).current_state);
    assert_eq!(growth.beliefs, [with(json!({"content": "Trust must be earned", "formed_from": "多次被背叛的经历"}))]);
    assert_eq!(
        growth.relationships,
        [with(json!({"entity": "user", "status": "Potential_Ally", "mine": 1, "history": "展示了证据"}))]
    );
    assert_eq!(
        current.emotions,
        [json!("Neutral"), with(json!({"content": "Betrayed", "context": "用户承认一直在欺骗"}))]
    );
    assert_eq!(current.physical, with(json!({"condition": "Exhausted, left arm injured"})));
    assert_eq!(current.immediate_goals, [with(json!({"goal": "Find safe shelter", "reason": "Need to rest"}))]);
    assert_eq!(after.persona(None).core_identity, before.persona(None).core_identity, "the core never changes");
    assert_eq!(after.persona(None).last_updated_turn, Some(30));
    let changes = generation.changes();
    assert!(matches!(&changes[0], Change::MajorEvent { event: MajorEvent::Belief { .. } }));
    let was: Vec<_> = changes
        .iter()
        .filter_map(|change| match change {
            Change::Item { item, was } => was.as_deref().map(|was| (item.kind(), was)),
            _ => None,
        })
        .collect();
    assert_eq!(was, [(ItemKind::Relationship, "Stranger"), (ItemKind::Physical, "健康")]);

    // The same belief or goal with another reason is said anew, and is the newest.
    let anew = update(json!({"current_state": {"immediate_goals": {
        "add": [{"goal": "Contact B"}], "update": [{"goal": "Find safe shelter", "reason": "Storm"}]
    }}}));
    let goals = settled(&persona(GrowthPolicy::Auto), &after, reply(31, &anew))
        .1
        .persona(None)
        .current_state
        .immediate_goals
        .clone();
    let goals: Vec<_> = goals.iter().map(|goal| (goal["goal"].as_str().unwrap(), goal["turn"].as_u64())).collect();
    assert_eq!(goals, [("Contact B", Some(31)), ("Find safe shelter", Some(31))]);

    // The same again is no news; an empty update neither.
    let mut again = reply(31, &text);
    again.text = text.clone();
    assert_eq!(settled(&persona(GrowthPolicy::Auto), &after, again).1, after);
    assert_eq!(settled(&persona(GrowthPolicy::Auto), &after, reply(31, &update(json!({})))).1, after);
}

/// The rule of `growth` as a table.
#[test]
fn what_lets_growth_in() {
    let belief = |from: &str| json!({"growth_state": {"beliefs": {"add": [{"content": "b", "formed_from": from}]}}});
    let pattern = json!({"growth_state": {"behavioral_patterns": {"add": [{"pattern": "p"}]}}});
    let relation = |entity: &str, status: &str| {
        let update = [json!({"entity": entity, "status": status, "history": "new"})];
        json!({"growth_state": {"relationships": {"update": update}, "behavioral_patterns": {"add": [{"pattern": "p"}]}}})
    };
    let said = |event: Value| {
        let mut update = pattern.clone();
        update["major_event"] = event;
        update
    };
    #[derive(Debug, PartialEq)]
    enum Then {
        In,
        Waits,
        Nothing,
    }
    let check = |policy, json: &Value, expected: Then| {
        let mut before = State { id: "s".into(), ..Default::default() };
        before.persona_mut(None).growth_state.relationships = vec![json!({"entity": "user", "status": "Stranger"})];
        let (generation, after) = settled(&persona(policy), &before, reply(3, &update(json.clone())));
        let held = generation.changes().iter().any(|change| matches!(change, Change::GrowthHeld { .. }));
        let then = match (after.persona(None).growth_state == before.persona(None).growth_state, held) {
            (false, false) => Then::In,
            (true, true) => Then::Waits,
            (true, false) => Then::Nothing,
            (false, true) => panic!("both let in and held"),
        };
        assert_eq!(then, expected, "{policy:?} {json}");
        assert_eq!(after.persona(None).pending_growth.len(), usize::from(held));
    };
    use GrowthPolicy::*;
    check(Auto, &belief("被背叛"), Then::In);
    check(Auto, &belief(""), Then::Waits);
    check(Auto, &belief("  "), Then::Waits);
    check(Auto, &pattern, Then::Waits);
    check(Auto, &relation("user", "Ally"), Then::In);
    check(Auto, &relation("user", "Stranger"), Then::Waits);
    check(Auto, &relation("user", ""), Then::Waits);
    check(Auto, &relation("Victor", "Enemy"), Then::In);
    check(Auto, &said(json!(true)), Then::In);
    check(Auto, &said(json!("他第一次流泪")), Then::In);
    check(Auto, &said(json!(false)), Then::Waits);
    check(Auto, &said(json!("")), Then::Waits);
    check(Auto, &json!({}), Then::Nothing);
    for update in [belief("被背叛"), pattern.clone(), relation("user", "Ally"), said(json!(true))] {
        check(Ask, &update, Then::Waits);
        check(Always, &update, Then::In);
        check(Never, &update, Then::Nothing);
    }
}

#[test]
fn growth_that_waits_is_accepted_or_refused() {
    let before = State { id: "s".into(), ..Default::default() };
    let text = update(json!({"growth_state": {"behavioral_patterns": {"add": [{"pattern": "先核实再行动"}]}}}));
    let (_, first) = settled(&persona(GrowthPolicy::Auto), &before, reply(3, &text));
    let (_, second) = settled(&persona(GrowthPolicy::Auto), &first, reply(4, &text));
    let [pending] = &second.persona(None).pending_growth[..] else { panic!("the same growth waits once") };
    let by_hand = |edit| ByHand { at: 0, edit: HandEdit::Persona { edit, of: None } };
    let mut accepted = second.clone();
    let accept = by_hand(PersonaEdit::Accept { pending: pending.clone() });
    change_by_hand(&mut accepted, &accept, 9, Some(&"g9".into())).unwrap();
    let pattern = &accepted.persona(None).growth_state.behavioral_patterns[0];
    assert_eq!(
        (&pattern["pattern"], &pattern["turn"]),
        (&json!("先核实再行动"), &json!(4)),
        "of the turn that said it"
    );
    assert!(accepted.persona(None).pending_growth.is_empty());
    assert_eq!(change_by_hand(&mut accepted, &accept, 9, None), Err(NotThere.into()), "once only");
    let mut refused = second.clone();
    change_by_hand(&mut refused, &by_hand(PersonaEdit::Refuse { pending: pending.clone() }), 9, None).unwrap();
    assert!(refused.persona(None).pending_growth.is_empty());
    assert_eq!(refused.persona(None).growth_state, before.persona(None).growth_state);
}

/// `cleanup_character_state` of seed `001`.
#[test]
fn maintenance_every_ten_turns() {
    let mut state = State { id: "s".into(), ..Default::default() };
    let time = |minute: u32| format!("2025-10-12T18:{minute:02}:00Z");
    let crate::story::state::Persona { growth_state: growth, current_state: current, .. } = state.persona_mut(None);
    current.emotions = (0..7).map(|n| json!({"content": format!("e{n}"), "timestamp": time(n)})).collect();
    current.immediate_goals = (0..4).map(|n| json!({"goal": format!("g{n}"), "timestamp": time(n)})).collect();
    let belief =
        |content: &str, minute, from: &str| json!({"content": content, "formed_from": from, "timestamp": time(minute)});
    growth.beliefs = vec![
        belief("a", 3, "newest"),
        belief("b", 1, "old"),
        json!("plain"),
        belief("a", 2, "old"),
        belief("b", 5, "newest"),
        json!({"odd": 1}),
        json!({"odd": 1}),
    ];
    growth.behavioral_patterns = vec![json!({"pattern": "p"}), json!({"pattern": "p"})];
    let relation =
        |entity: &str, status: &str, minute| json!({"entity": entity, "status": status, "timestamp": time(minute)});
    growth.relationships =
        vec![relation("user", "Stranger", 1), relation("Victor", "Enemy", 1), relation("user", "Ally", 9)];

    for turn in [1, 8, 9] {
        assert_eq!(settled(&persona(GrowthPolicy::Auto), &state, reply(turn, "…")).1, state, "not at turn {turn}");
    }
    let (generation, after) = settled(&persona(GrowthPolicy::Auto), &state, reply(10, ""));
    let texts = |list: &[Value], field: &str| {
        list.iter().map(|item| item[field].as_str().unwrap_or("?").to_owned()).collect::<Vec<_>>()
    };
    let (growth, current) = (&after.persona(None).growth_state, &after.persona(None).current_state);
    assert_eq!(texts(&current.emotions, "content"), ["e2", "e3", "e4", "e5", "e6"]);
    assert_eq!(texts(&current.immediate_goals, "goal"), ["g1", "g2", "g3"]);
    assert_eq!(
        texts(&growth.beliefs, "formed_from"),
        ["newest", "newest", "?", "?", "?"],
        "the odd ones are left alone"
    );
    assert_eq!(growth.behavioral_patterns.len(), 2, "the seed leaves them");
    assert_eq!(texts(&growth.relationships, "status"), ["Ally", "Enemy"]);
    assert_eq!(after.persona(None).last_maintenance_turn, Some(10));
    assert_eq!(generation.changes(), [Change::Maintained { removed: 6 }]);
    // Missed while the module was off, it is done at the next turn.
    assert_eq!(
        settled(&persona(GrowthPolicy::Auto), &state, reply(13, "…")).1.persona(None).last_maintenance_turn,
        Some(13)
    );
    assert_eq!(settled(&persona(GrowthPolicy::Auto), &after, reply(19, "…")).1, after);
}

#[test]
fn items_are_edited_by_hand() {
    let mut state = State { id: "s".into(), ..Default::default() };
    let mut turn = 0;
    let mut edit = |state: &mut State, edit: PersonaEdit| {
        turn += 1;
        let by_hand = ByHand { at: 0, edit: HandEdit::Persona { edit, of: None } };
        change_by_hand(state, &by_hand, turn, Some(&"g".into()))
    };
    for kind in ItemKind::ALL {
        let first = Item::new(kind, ["旧", "x", "y"]);
        edit(&mut state, PersonaEdit::Add { item: first.clone() }).unwrap();
        let stored = |state: &State| {
            let (growth, current) = (&state.persona(None).growth_state, &state.persona(None).current_state);
            match kind {
                ItemKind::Belief => growth.beliefs.first().cloned(),
                ItemKind::Pattern => growth.behavioral_patterns.first().cloned(),
                ItemKind::Relationship => growth.relationships.first().cloned(),
                ItemKind::Emotion => current.emotions.first().cloned(),
                ItemKind::Goal => current.immediate_goals.first().cloned(),
                ItemKind::Physical => Some(current.physical.clone()).filter(|physical| !physical.is_null()),
            }
        };
        let old = stored(&state).unwrap();
        assert_eq!((Item::read(kind, &old), &old["by_hand"]), (Some(first), &json!(true)));
        let second = Item::new(kind, ["新", "", "z"]);
        edit(&mut state, PersonaEdit::Replace { old: old.clone(), item: second.clone() }).unwrap();
        let new = stored(&state).unwrap();
        assert_eq!(Item::read(kind, &new), Some(second.clone()));
        let stale = edit(&mut state, PersonaEdit::Replace { old: old.clone(), item: second });
        assert_eq!(stale, Err(NotThere.into()), "{}", kind.name());
        assert_eq!(edit(&mut state, PersonaEdit::Remove { kind, old }), Err(NotThere.into()));
        edit(&mut state, PersonaEdit::Remove { kind, old: new }).unwrap();
        assert_eq!(stored(&state), None);
    }
}

#[test]
fn evolved_personas_are_kept_and_restored() {
    let mut persona = crate::story::state::Persona { evolved_persona: "多疑".into(), ..Default::default() };
    let origin = |turn| Origin { at: u64::from(turn), turn, generation: None, by_hand: true };
    let versions = |persona: &crate::story::state::Persona| {
        persona.evolved_versions.iter().map(|version| version.text.clone()).collect::<Vec<_>>()
    };
    evolve::evolve(&mut persona, "学会等待", &origin(42));
    assert_eq!(
        (persona.evolved_persona.as_str(), versions(&persona)),
        ("学会等待", vec!["多疑".into(), "学会等待".into()])
    );
    evolve::evolve(&mut persona, "学会等待", &origin(43));
    assert_eq!(versions(&persona).len(), 2, "the same again is no version");
    evolve::restore(&mut persona, "多疑", &origin(44)).unwrap();
    assert_eq!((persona.evolved_persona.as_str(), versions(&persona).len()), ("多疑", 2));
    assert_eq!(evolve::restore(&mut persona, "?", &origin(45)), Err(NotThere));
}

fn worldly() -> Vec<Box<dyn Module>> {
    vec![Box::new(world::World)]
}

/// The example of seed `003`, and what a reply may do to the world otherwise.
#[test]
fn the_world_takes_what_a_reply_sets_and_adds() {
    let mut state = State { id: "s".into(), ..Default::default() };
    state.world.insert("gold".into(), json!(5));
    state.world.insert("place".into(), json!("酒馆"));
    let said =
        |ops: &str| format!("<root><thought>想</thought><state_update>{ops}</state_update><reply>好。</reply></root>");
    let set = |key: &str, value: &str| format!(r#"<set key="{key}" value="{value}"></set>"#);
    let add = |key: &str, value: &str| format!(r#"<add key="{key}" value="{value}"></add>"#);

    let ops = [set("hp", "90"), add("gold", "+10"), set("door", "true"), add("bag", "剑"), add("bag", "盾")].concat();
    let (generation, after) = settled(&worldly(), &state, reply(1, &said(&ops)));
    let world = json!({"gold": 15, "place": "酒馆", "hp": 90, "door": true, "bag": ["剑", "盾"]});
    assert_eq!((Value::from(after.world.clone()), generation.notices()), (world, vec![]));
    let [Change::World { key, from: None, to: Some(hp) }, Change::World { from: Some(from), to: Some(to), .. }, ..] =
        &generation.changes()[..]
    else {
        panic!("{:?}", generation.changes());
    };
    assert_eq!((key.as_str(), hp, from, to), ("hp", &json!(90), &json!(5), &json!(15)));

    let ops =
        [add("place", "外"), add("gold", "很多"), set("__proto__", "1"), set(&"键".repeat(200), "1"), set("hp", "80")]
            .concat();
    let (generation, after) = settled(&worldly(), &after, reply(2, &said(&ops)));
    assert_eq!((&after.world["hp"], &after.world["gold"], after.world.len()), (&json!(80), &json!(15), 5));
    let why: Vec<_> = generation
        .notices()
        .into_iter()
        .map(|notice| match notice.cause {
            Cause::WorldRefused { why, key } => (why, key.chars().count()),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(why, [(Refusal::NotAddable, 5), (Refusal::NotAddable, 4), (Refusal::BadKey, 9), (Refusal::LongKey, 40)]);

    // What stays as it is is no change; a key that is set to null is taken out.
    let (generation, after) =
        settled(&worldly(), &after, reply(3, r#"<state_update>{"hp": 80, "place": null}</state_update>门外。"#));
    assert_eq!(generation.changes(), [Change::World { key: "place".into(), from: Some(json!("酒馆")), to: None }]);
    assert!(!after.world.contains_key("place"));

    let mut refused = reply(4, &said(&set("hp", "1")));
    refused.status = Status::Error;
    assert_eq!(settled(&worldly(), &after, refused).1, after, "what failed says nothing");
    assert_eq!(settled(&[], &after, reply(4, &said(&set("hp", "1")))).1, after, "nothing where it is off");
}
