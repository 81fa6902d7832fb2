//! Time travel (E4): wherever the reader goes in the tree, the state is what the replies on the way there make of it.

use proptest::prelude::*;
use serde_json::json;

use super::{
    modules::{directed, feeling, replayed},
    *,
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
        4 => any::<(prop::sample::Index, prop::sample::Index)>().prop_map(|(turn, reply)| Step::Choose(turn, reply)),
    ]
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
            Step::Choose(..) => vec![],
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
