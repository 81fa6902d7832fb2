use serde_json::json;

use super::*;
use crate::reply::notice::ReplyNotice as N;

fn read(value: Value) -> StateUpdate {
    let (update, notices) = read_update(&value);
    assert_eq!(notices, [], "{value}");
    update
}

fn emotions(value: Value) -> Vec<(String, String)> {
    let (update, _) = read_update(&json!({"current_state": {"emotions": value}}));
    update.emotions.iter().map(|it| (it.item().content.clone(), it.item().context.clone())).collect()
}

#[test]
fn the_form_of_the_seed() {
    let update = read(json!({
        "growth_state": {
            "beliefs": {"add": [{"content": "信任要靠行动", "formed_from": "背叛"}]},
            "behavioral_patterns": {"add": [{"pattern": "先查证再行动"}]},
            "relationships": {"update": [{"entity": "user", "status": "Ally", "history": "he came back"}]}
        },
        "current_state": {
            "emotions": {"add": [{"content": "Weary", "context": "a long march"}]},
            "physical": {"condition": "left arm injured"},
            "immediate_goals": {"add": [{"goal": "Find shelter", "reason": "rest"}]}
        }
    }));
    let belief = Belief { content: "信任要靠行动".into(), formed_from: "背叛".into(), ..Default::default() };
    assert_eq!(update.beliefs, [Change::Add(belief)]);
    assert_eq!(update.patterns[0].item().pattern, "先查证再行动");
    let Change::Update(relationship) = &update.relationships[0] else { panic!() };
    assert_eq!(
        (&*relationship.entity, &*relationship.status, &*relationship.history),
        ("user", "Ally", "he came back")
    );
    assert_eq!(update.emotions[0].item().context, "a long march");
    assert_eq!(update.goals[0].item().reason, "rest");
    assert_eq!(update.physical.as_ref().unwrap().condition, "left arm injured");
    assert!(update.has_growth() && !update.is_empty());
    assert_eq!(
        serde_json::to_value(update.beliefs[0].item()).unwrap(),
        json!({"content": "信任要靠行动", "formed_from": "背叛"})
    );
}

#[test]
fn an_empty_object_changes_nothing() {
    for value in [
        json!({}),
        json!(null),
        json!({"growth_state": {}, "current_state": {"emotions": {"add": []}, "physical": null}}),
        json!({"growth_state": {"beliefs": {"add": [], "update": [], "remove": []}}}),
    ] {
        assert_eq!(read(value), StateUpdate::default());
    }
}

#[test]
fn other_forms_are_forgiven() {
    let weary = [("Weary".to_owned(), String::new())];
    for value in [
        json!(["Weary"]),
        json!("Weary"),
        json!({"add": "Weary"}),
        json!({"add": ["Weary", ""]}),
        json!({"content": "Weary"}),
        json!({"add": {"emotion": "Weary"}}),
        json!([{"name": "Weary", "timestamp": "2025"}]),
    ] {
        assert_eq!(emotions(value.clone()), weary, "{value}");
    }
    assert_eq!(emotions(json!({"Weary": "a march"})), [("Weary".to_owned(), "a march".to_owned())]);
    let update = read(json!({
        "state_update": {"growth_state": {
            "behavioural_patterns": ["查证"],
            "relationships": {"Victor": "仇人", "user": {"status": "盟友"}},
            "BELIEFS": {"belief": "x", "reason": ["a", "b"]}
        }},
        "goals": ["活下去"],
        "physical": {"left arm": "hurt", "legs": "tired"}
    }));
    assert_eq!(update.patterns[0].item().pattern, "查证");
    assert_eq!((&*update.relationships[0].item().entity, &*update.relationships[0].item().status), ("Victor", "仇人"));
    assert_eq!(update.relationships[1].item().status, "盟友");
    assert_eq!(update.beliefs[0].item().formed_from, "a; b");
    assert_eq!(update.goals[0].item().goal, "活下去");
    assert_eq!(update.physical.unwrap().condition, "left arm: hurt; legs: tired");
    assert_eq!(read(json!({"physical": "exhausted"})).physical.unwrap().condition, "exhausted");
    assert_eq!(
        read(json!({"physical": {"update": {"condition": "ok", "pain": "dull"}}})).physical.unwrap().extra.len(),
        1
    );
}

#[test]
fn no_numbers_for_feelings() {
    let (update, notices) = read_update(&json!({"current_state": {
        "emotions": {"add": [{"content": "Rage", "intensity": 8, "level": "8/10", "tone": "cold"}, 5, "80%"]},
        "immediate_goals": [{"goal": "Run", "priority": 1}]
    }, "growth_state": {"relationships": {"Victor": -20, "B": {"trust": 3, "status": "wary"}}}}));
    assert_eq!(update.emotions.len(), 1);
    assert_eq!(Value::Object(update.emotions[0].item().extra.clone()), json!({"tone": "cold"}));
    assert!(update.goals[0].item().extra.is_empty());
    assert_eq!(update.relationships.len(), 1);
    let dropped: Vec<_> = notices
        .iter()
        .map(|notice| match notice {
            N::NumberDropped { path, .. } => path.as_str(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(
        dropped,
        [
            "current_state.emotions.add.intensity",
            "current_state.emotions.add.level",
            "current_state.emotions.add",
            "current_state.emotions.add",
            "current_state.immediate_goals.priority",
            "growth_state.relationships.Victor",
            "growth_state.relationships.B.trust",
        ]
    );
    let felt = emotions(json!({"anger": 8, "joy": 0, "shy": false, "intensity": 7}));
    assert_eq!(felt.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["anger"]);
}

#[test]
fn the_core_is_refused_and_the_rest_kept_aside() {
    let (update, notices) = read_update(&json!({
        "core_identity": {"core_goal": "peace"},
        "growth_state": {"secrets": ["x"], "beliefs": {"remove": ["y"], "add": [{"formed_from": "z"}]}},
        "mood": "dark"
    }));
    assert!(update.is_empty());
    assert_eq!(
        Value::Object(update.aside),
        json!({"growth_state.secrets": ["x"], "growth_state.beliefs.remove": ["y"],
            "growth_state.beliefs.add": {"formed_from": "z"}, "mood": "dark"})
    );
    assert_eq!(notices[0], N::CoreRefused { value: json!({"core_goal": "peace"}) });
    assert_eq!(notices.len(), 5);
    let (update, notices) = read_update(&json!(["x"]));
    assert!(update.is_empty() && notices.len() == 1);
}
