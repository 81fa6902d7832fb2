//! The persona on its own, with the examples of the seed.

mod cast;

use serde_json::{Value, json};

use super::*;
use crate::{
    features::{
        change_by_hand,
        tests::{persona, reply, settled, update},
    },
    prompt::{
        builtin::builtin,
        samples::{Sample, ally},
        sources,
        tokens::estimate,
    },
    reply::parser,
    story::{
        generation::{Generation, Status},
        persona::{PersonaEdit, iso},
        state::{ByHand, GrowthState, MajorEvent},
    },
};

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

/// What is wanted is all that is told of now; what is told once more in nearly the same words is among it.
#[test]
fn what_is_wanted_still_stays() {
    let mut state = State { id: "s".into(), ..Default::default() };
    for (turn, (said, held)) in (1..).zip([
        ("wants: find her father’s body (Lin asked for it); rest", &["find her father’s body", "rest"][..]),
        ("wants: Find her father's body (Lin asked for it).", &["find her father’s body"]),
        ("wants: sleep", &["sleep"]),
    ]) {
        let said = format!("She nods.\n<changes>\n{said}\n</changes>");
        state = settled(&persona(GrowthPolicy::Auto), &state, reply(turn, &said)).1;
        let goals: Vec<_> = state
            .persona(None)
            .current_state
            .immediate_goals
            .iter()
            .map(|goal| goal["goal"].as_str().unwrap())
            .collect();
        assert_eq!(goals, held, "{said}");
    }
}

/// A reply that was stopped amid its changes has said those that are whole, and shows none of them.
#[test]
fn half_a_line_says_nothing() {
    let told = "She nods.\n<changes>\nfeels: weary\n";
    for (rest, status, relationships) in [
        ("with Victor: a war", Status::Interrupted, 0),
        ("with Victor: a war", Status::Done, 1),
        ("with Victor: a wary ally\n", Status::Interrupted, 1),
        ("with Vic", Status::Interrupted, 0),
        ("</chan", Status::Interrupted, 0),
    ] {
        let text = format!("{told}{rest}");
        let cut = Generation { status, ..reply(1, &text) };
        let state = State { id: "s".into(), ..Default::default() };
        let state = settled(&persona(GrowthPolicy::Auto), &state, cut).1;
        let persona = state.persona(None);
        let held = (persona.current_state.emotions.len(), persona.growth_state.relationships.len());
        assert_eq!(held, (1, relationships), "{text}");
        assert_eq!(parser::shown(&text), "She nods.", "{text}");
    }
    let cut = Generation { status: Status::Interrupted, ..reply(1, "She nods.\n<changes>\nfeels: ho") };
    let (_, state) = settled(&persona(GrowthPolicy::Auto), &State { id: "s".into(), ..Default::default() }, cut);
    assert!(state.persona(None).current_state.emotions.is_empty());
}

/// A small model adds to the growth with every turn. What is told of it stays within its share of the prompt: the newest of
/// each kind and what people wrote, in few words; what is stored is all there.
#[test]
fn growth_is_told_within_its_share() {
    let preset = builtin("living", Language::En).unwrap();
    let mut sample = ally(Language::En);
    sample.room = Some(7_000);
    let long = "He pays what he owes. It was so in the winter at the ford. It was so in the spring, too, when nobody asked for it, and again at the mill, the chapel and the long bridge.";
    let persona = sample.state.persona_mut(None);
    persona.core_identity.core_goal = long.repeat(20);
    persona.growth_state = GrowthState::default();
    persona.growth_state.beliefs = vec![json!("Bread is shared.")];
    for turn in 1..=60 {
        let stamp = |mut item: Value| {
            item["turn"] = json!(turn);
            item["timestamp"] = json!(iso(1_000_000 * turn));
            item
        };
        let growth = &mut persona.growth_state;
        growth.beliefs.push(stamp(json!({"content": format!("Belief {turn}. {long}"), "formed_from": long})));
        growth.behavioral_patterns.push(stamp(json!({"pattern": format!("Habit {turn}")})));
        growth.relationships.push(stamp(json!({"entity": format!("N{turn}"), "status": "ally", "history": long})));
    }
    persona.growth_state.relationships[0]["timestamp"] = json!(iso(99_000_000));
    persona.current_state.immediate_goals = vec![json!({"goal": "Find the ferry", "reason": long.repeat(20)})];
    let told = |sample: &Sample, name: &str| {
        let scene = sample.scene(&preset);
        sources::of(&mut Draft::new(&scene), name)
    };
    let growth = told(&sample, "growth_state");
    assert!(estimate(&growth) <= 720, "{}\n{growth}", estimate(&growth));
    for kept in ["- Bread is shared.", "- Belief 60. He pays what he owes.", "- Habit 60", "- N60: ally", "- N1: ally"]
    {
        assert!(growth.contains(kept), "{kept}\n{growth}");
    }
    assert!(!growth.contains("N2:") && growth.find("N1:") < growth.find("N60:"), "{growth}");
    assert!(growth.contains(&told(&sample, "beliefs")) && growth.contains(&told(&sample, "relationships")));
    assert!(told(&sample, "core_identity").contains(&long.repeat(20)));
    assert!(told(&sample, "current_state").contains(&long.repeat(20)));
    // Little is told as it is.
    sample.state.persona_mut(None).growth_state.beliefs.truncate(3);
    sample.state.persona_mut(None).growth_state.behavioral_patterns.clear();
    sample.state.persona_mut(None).growth_state.relationships.clear();
    assert_eq!(told(&sample, "beliefs").matches("the long bridge").count(), 4);
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
/// Of feelings and goals, a block of lines says all that hold: what is not in it is over.
#[test]
fn what_is_felt_now_takes_the_place_of_what_was() {
    let told = |before: &State, turn: u32, lines: &str| {
        let text = format!("He waits.\n<changes>\n{lines}\n</changes>");
        settled(&persona(GrowthPolicy::Auto), before, reply(turn, &text)).1
    };
    let holds = |state: &State| {
        let current = &state.persona(None).current_state;
        let texts =
            |list: &[Value], field: &str| list.iter().map(|one| one[field].as_str().unwrap().to_owned()).collect();
        let both: [Vec<String>; 2] = [texts(&current.emotions, "content"), texts(&current.immediate_goals, "goal")];
        both
    };
    let first = told(&State::default(), 1, "feels: wary (a stranger); hungry\nwants: find shelter");
    assert_eq!(holds(&first), [vec!["wary", "hungry"], vec!["find shelter"]]);
    let said = "He waits.\n<changes>\nfeels: wary (a stranger); hungry\n</changes>";
    let (again, same) = settled(&persona(GrowthPolicy::Auto), &first, reply(2, said));
    assert_eq!((again.changes(), holds(&same)), (vec![], holds(&first)), "what is still felt is no news");
    let second = told(&first, 2, "feels: afraid; wary\nbody: cold");
    assert_eq!(holds(&second), [vec!["afraid", "wary"], vec!["find shelter"]], "of goals nothing was said");
    let third = told(&second, 3, "feels: afraid\nwants: find shelter; find water");
    assert_eq!(holds(&third), [vec!["afraid"], vec!["find shelter", "find water"]]);
    // The seed's form adds.
    let text = update(json!({"current_state": {"emotions": {"add": [{"content": "calm"}]}}}));
    let fourth = settled(&persona(GrowthPolicy::Auto), &third, reply(4, &text)).1;
    assert_eq!(holds(&fourth)[0], ["afraid", "calm"]);
}

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
