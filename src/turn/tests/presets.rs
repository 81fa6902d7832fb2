//! A story that is told by another preset from now on: it plays on, and what it knows stays.

use serde_json::json;

use super::{features::feeling, *};
use crate::story::{background::outline_from_lines, state::State};

/// The presets of before, and what their replies say of a story that moves.
fn older() -> [(&'static str, [String; 2]); 5] {
    [
        ("plain", ["好。".into(), "走吧。".into()]),
        ("director", ["他点头。\n[PROGRESS:1:in_progress]".into(), "他走了。\n[PROGRESS:1:completed]".into()]),
        ("persona", [feeling("Torn"), feeling("Calm")]),
        ("sxml", [set(1), set(2)]),
        ("framework", ["好。".into(), "走吧。".into()]),
    ]
}

fn set(gold: u32) -> String {
    format!(r#"<state_update><set key="gold" value="{gold}"></set></state_update>好。"#)
}

/// What the story knows, without what names the moment.
fn known(state: &State) -> serde_json::Value {
    let persona = state.persona(None);
    json!([persona.core_identity, persona.growth_state, persona.current_state, state.plot, state.world])
}

#[test]
fn another_preset_in_mid_story_keeps_all_that_it_knows() {
    for (older, replies) in older() {
        let changes = "灯灭了。\n<changes>\n感受：害怕（灯灭了）\n世界 灯：灭了\n</changes>";
        let last = ["好。".to_owned(), changes.into(), "好。".into()];
        let answers: Vec<String> = replies.into_iter().chain(last).collect();
        let play = play(answers.iter().map(|text| Answer::text([text.as_str()])));
        let told_by = |preset: &str| {
            let story = Storyline { preset: preset.into(), ..play.storyline() };
            block_on(play.sim.ports.store.save(&story)).unwrap();
        };
        let mut background: Background = block_on(play.sim.ports.store.load("waste")).unwrap().unwrap();
        background.story_outline = outline_from_lines("线索\n潜入");
        block_on(play.sim.ports.store.save(&background)).unwrap();
        told_by(older);
        play.say("一");
        play.say("二");
        let (path, before) = (play.path(), known(&play.state()));

        told_by("living");
        assert_eq!((play.path(), known(&play.state())), (path.clone(), before.clone()), "{older}");
        let reply = play.say("三");
        assert_eq!((reply.status, reply.notices()), (Status::Done, Vec::new()), "{older}");
        let without_count = |mut known: serde_json::Value| {
            known[3]["no_update_count"].take();
            known
        };
        assert_eq!(without_count(known(&play.state())), without_count(before.clone()), "{older}");
        // What was known is told.
        let prompt: String = play.messages(2).into_iter().map(|(_, text)| text).collect();
        for (preset, told) in [("director", "潜入"), ("persona", "Calm"), ("sxml", "gold")] {
            assert!(preset != older || prompt.contains(told), "{older}: {prompt}");
        }
        play.say("四");
        let after = known(&play.state());
        assert!(after[2].to_string().contains("害怕") && after[4]["灯"] == "灭了", "{older}: {after}");

        // And back again.
        told_by(older);
        assert_eq!(play.say("五").status, Status::Done);
        assert_eq!(without_count(known(&play.state())), without_count(after), "{older}");
        assert_eq!(play.path()[..path.len()], path, "{older}");
    }
}
