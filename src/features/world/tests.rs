//! The world on its own, with the example of the seed.

use serde_json::json;

use super::*;
use crate::{
    features::tests::{reply, settled},
    story::generation::Status,
};

fn worldly() -> Vec<Box<dyn Module>> {
    vec![Box::new(World)]
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
