//! Time travel (E4): wherever the reader goes in the tree, the state is what the replies on the way there make of it.

use proptest::prelude::*;
use serde_json::json;

use super::{
    features::{directed, feeling, replayed},
    *,
};
use crate::{
    story::{tree::Branch, world::WorldEdit},
    turn::ByHandError,
};

#[derive(Clone, Debug)]
enum Step {
    Say(usize),
    /// Says something, and lets the reply go on that broke off.
    SayAndContinue(usize),
    /// Another reply to a turn of the path.
    Again(prop::sample::Index, usize),
    /// Back to any reply of a turn of the path.
    Choose(prop::sample::Index, prop::sample::Index),
    /// A change of the world by hand, where no turn follows yet.
    Hand(WorldEdit),
    /// Takes the last one back.
    Undo,
    /// Reads the newest reply anew.
    ReadAnew,
}

pub(super) fn texts() -> Vec<String> {
    let growth = json!({
        "growth_state": {
            "beliefs": {"add": [{"content": "b", "formed_from": "f"}]},
            "relationships": {"update": [{"entity": "user", "status": "Ally"}]}
        },
        "current_state": {"physical": {"condition": "tired"}}
    });
    let enemy = json!({"growth_state": {"relationships": {"update": [{"entity": "user", "status": "Enemy"}]}}});
    let habit = json!({"growth_state": {"behavioral_patterns": {"add": [{"pattern": "p"}]}}});
    let update = |json| format!("<state_update_json>{json}</state_update_json>[PROGRESS:4:pending]");
    vec![
        "嗯。".to_owned(),
        "[PROGRESS:2:in_progress]".into(),
        "[PROGRESS:3:completed]".into(),
        "[PROGRESS:9:completed]".into(),
        feeling("Weary"),
        feeling("Calm"),
        update(growth),
        update(enemy),
        update(habit),
        "<state_update_json>{oops</state_update_json>".into(),
        r#"<state_update><set key="gold" value="10"></set><set key="bag" value='["剑"]'></set></state_update><reply>好。</reply>"#.into(),
        r#"<state_update><add key="gold" value="5"></add><add key="bag" value="盾"></add></state_update>走。"#.into(),
        r#"<state_update><set key="gold" value="空"></set><set key="" value="1"></set><add key="place" value="x"></add></state_update>"#.into(),
        r#"<state_update>{"gold": null, "place": "酒馆"}</state_update>[PROGRESS:3:pending]"#.into(),
    ]
}

pub(super) fn answers() -> Vec<Answer> {
    let texts = texts();
    let mut answers: Vec<_> = texts.iter().map(|text| Answer::text([text.as_str()])).collect();
    answers.extend([
        Answer::text([""]),
        Answer::error(500, "oops"),
        Answer::unfinished(["半句[PROGRESS:1:", "pending]"]),
        Answer::unfinished([texts[4].as_str()]).then(crate::sim::llm::Step::Wait(70_000)),
    ]);
    answers
}

fn step() -> impl Strategy<Value = Step> {
    let answer = 0..answers().len();
    prop_oneof![
        6 => answer.clone().prop_map(Step::Say),
        1 => answer.clone().prop_map(Step::SayAndContinue),
        3 => (any::<prop::sample::Index>(), answer).prop_map(|(turn, answer)| Step::Again(turn, answer)),
        2 => edit().prop_map(Step::Hand),
        1 => Just(Step::Undo),
        1 => Just(Step::ReadAnew),
        4 => any::<(prop::sample::Index, prop::sample::Index)>().prop_map(|(turn, reply)| Step::Choose(turn, reply)),
    ]
}

fn edit() -> impl Strategy<Value = WorldEdit> {
    let key = prop::sample::select(vec!["gold", "bag", "place"]).prop_map(str::to_owned);
    let value = prop::sample::select(vec![json!(1), json!("门"), json!(["弓"]), json!(true)]);
    prop_oneof![
        3 => (key.clone(), value).prop_map(|(key, value)| WorldEdit::Put { key, value }),
        1 => key.prop_map(|key| WorldEdit::Remove { key }),
    ]
}

/// The newest reply of the path, where no turn follows it in any branch: those keep the states that they have.
fn newest(play: &Play) -> Option<Generation> {
    let nodes = play.nodes();
    let reply = nodes.iter().rev().find_map(|node| node.reply().filter(|reply| reply.state.is_some()))?;
    let story = &play.story.id;
    let tree = block_on(scene::tree(&*play.sim.ports.store, story)).unwrap();
    let branches = &tree.alive;
    let follows = |branch: &Branch| match &branch.parent {
        _ if branch.id == reply.branch => branch.end() > reply.position + 1,
        Some(fork) => fork.branch == reply.branch && fork.position == reply.position && branch.length > 0,
        None => false,
    };
    (!branches.values().any(follows)).then(|| reply.clone())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn the_state_is_a_replay_of_the_path(steps in prop::collection::vec(step(), 1..24)) {
        let known = answers();
        // The model answers in the order of the requests.
        let script: Vec<_> = steps.iter().flat_map(|step| match step {
            Step::Say(answer) | Step::Again(_, answer) => vec![known[*answer].clone()],
            Step::SayAndContinue(answer) => vec![Answer::unfinished(["他"]), known[*answer].clone()],
            Step::Choose(..) | Step::Hand(_) | Step::Undo | Step::ReadAnew => vec![],
        }).collect();
        let play = directed(script);
        for step in &steps {
            let nodes = play.nodes();
            let turns = || nodes.iter().filter(|node| node.turn.position > 0).collect::<Vec<_>>();
            match step {
                Step::Say(_) => drop(play.say("…")),
                Step::SayAndContinue(_) => {
                    let broken = play.say("…");
                    play.ask(Ask::Continue(broken.id)).unwrap();
                }
                Step::Again(at, _) => {
                    let turns = turns();
                    let ask = match turns.is_empty() {
                        true => Ask::New("…".into()),
                        false => Ask::Again(at.get(&turns).turn.id.clone()),
                    };
                    play.ask(ask).unwrap();
                }
                Step::Hand(edit) if newest(&play).is_some() => {
                    block_on(play.conductor.edit_world(&play.story.id, edit.clone())).unwrap();
                }
                Step::Undo if newest(&play).is_some() => {
                    let undone = block_on(play.conductor.undo_world(&play.story.id));
                    prop_assert!(matches!(undone, Ok(_) | Err(ByHandError::NotThere(_))));
                }
                Step::ReadAnew => {
                    // The opening is no reply of a model: modules do not read it.
                    if let Some(reply) = newest(&play).filter(|reply| reply.position > 0) {
                        block_on(play.conductor.read_anew(&reply.id)).unwrap();
                    }
                }
                Step::Hand(_) | Step::Undo => {}
                Step::Choose(at, which) => {
                    let node = at.get(&nodes);
                    let reply = which.get(&node.generations).id.clone();
                    block_on(play.conductor.choose(&play.story.id, &node.turn.id, &reply)).unwrap();
                }
            }
            let (head, replay) = (play.state(), replayed(&play));
            prop_assert!(head.says_the_same(&replay), "after {step:?}: {head:#?} is not {replay:#?}");
        }
    }
}
