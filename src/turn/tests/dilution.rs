//! Context dilution: what a story stands on is in its prompt at turn 500 as it was at the first, and the prompt fits.

use super::*;
use crate::{
    ports::Clock,
    prompt::tokens::{PER_MESSAGE, estimate},
    sim::llm,
    story::{background::outline_from_lines, state::State},
};

const TURNS: u32 = 500;
const CONTEXT: u32 = 8_192;
const FOR_THE_REPLY: u32 = 1_024;

/// A model that tells at length, and now and then what changed.
struct Teller {
    clock: Rc<dyn Clock>,
    changes: fn(usize) -> String,
    asked: RefCell<Vec<String>>,
}

impl Llm for Teller {
    fn send(&self, request: WireRequest) -> Future<'_, Result<WireResponse, Fault>> {
        let body: serde_json::Value = serde_json::from_str(&request.body.unwrap()).unwrap();
        let said: Vec<&str> =
            body["messages"].as_array().unwrap().iter().map(|one| one["content"].as_str().unwrap()).collect();
        let tokens: u32 = said.iter().map(|text| estimate(text) + PER_MESSAGE).sum();
        assert!(tokens <= CONTEXT - FOR_THE_REPLY, "{tokens} tokens");
        self.asked.borrow_mut().push(said.join("\n\n"));
        let turn = self.asked.borrow().len();
        let prose = "They go on along the river, and the rain does not end; nobody speaks for a long while. ".repeat(8);
        let answer = Answer::text([format!("{turn}. {prose}{}", (self.changes)(turn)).as_str()]);
        let clock = self.clock.clone();
        Box::pin(async move { Ok(llm::play(answer, clock)) })
    }
}

/// Plays, and looks for what each turn's prompt `needs`.
fn holds(preset: &str, changes: fn(usize) -> String, needs: fn(usize) -> Vec<String>) {
    let mut play = play([]);
    let teller = Rc::new(Teller { clock: play.sim.ports.clock.clone(), changes, asked: RefCell::default() });
    play.conductor.ports.llm = teller.clone();
    let mut story = play.storyline();
    block_on(async {
        let store = &*play.sim.ports.store;
        let mut background = store.load::<Background>("waste").await.unwrap().unwrap();
        let mut connections = store.load::<Connections>(Connections::ID).await.unwrap().unwrap();
        let mut state = store.load::<State>(story.initial_state.as_str()).await.unwrap().unwrap();
        (story.preset, story.language, story.sends_newest) = (preset.into(), Language::En, true);
        let points: Vec<String> = (1..=6).map(|point| format!("Point {point} of the plot")).collect();
        background.story_outline = outline_from_lines(&points.join("\n"));
        connections.list[0].context_tokens = CONTEXT;
        let persona = state.persona_mut(None);
        persona.base_persona = "He keeps the ledger of the dead.".into();
        persona.core_identity.core_goal = "to see his brother buried".into();
        store.commit(Batch::new().put(&story).put(&background).put(&connections).put(&state)).await.unwrap();
    });
    for turn in 1..=TURNS as usize {
        let words = format!("We go on, for the {turn}th time.");
        assert_eq!(play.say(&words).status, Status::Done);
        let prompt = teller.asked.borrow().last().cloned().unwrap();
        for need in needs(turn).into_iter().chain([words]) {
            assert!(prompt.contains(&need), "turn {turn} was told without: {need}\n{prompt}");
        }
    }
    let first = teller.asked.borrow().first().map_or(0, String::len);
    let last = teller.asked.borrow().last().map_or(0, String::len);
    assert!(3 * first < last, "the history has its place, too: {first}, then {last} bytes");
}

/// The number of what was last said every `each` turns before `turn`.
fn latest(turn: usize, each: usize) -> Option<usize> {
    Some((turn - 1) / each).filter(|nth| 0 < *nth)
}

#[test]
fn the_persona_its_goals_and_its_instructions() {
    holds(
        "persona",
        |turn| {
            let goal = (turn % 20 == 0)
                .then(|| serde_json::json!({"immediate_goals": {"add": [{"content": format!("keep promise {}.", turn / 20)}]}}));
            let tie = (turn % 50 == 0).then(|| {
                let status = format!("owes a {}th debt", turn / 50);
                serde_json::json!({"relationships": {"update": [{"entity": "Mira", "status": status, "history": "."}]}})
            });
            let update =
                serde_json::json!({"current_state": goal.unwrap_or_default(), "growth_state": tie.unwrap_or_default()});
            format!("<state_update_json>{update}</state_update_json>")
        },
        |turn| {
            let goal = latest(turn, 20).map(|nth| format!("keep promise {nth}."));
            let tie = latest(turn, 50).map(|nth| format!("owes a {nth}th debt"));
            let always =
                ["to see his brother buried", "He keeps the ledger", "## Critical Rules ##", "You MUST generate"];
            always.map(str::to_owned).into_iter().chain(goal).chain(tie).collect()
        },
    );
}

#[test]
fn the_plot_and_its_instruction() {
    holds(
        "director",
        |turn| if turn % 100 == 0 { format!("[PROGRESS:{}:completed]", turn / 100) } else { String::new() },
        |turn| {
            let done =
                latest(turn, 100).map(|nth| format!(r#""content": "Point {nth} of the plot", "status": "completed""#));
            let now = format!("Point {} of the plot", latest(turn, 100).unwrap_or(0) + 1);
            let always = ["He keeps the ledger", "[PROGRESS:X:status]"];
            always.map(str::to_owned).into_iter().chain(done).chain([now]).collect()
        },
    );
}

#[test]
fn the_whole_engine_at_once() {
    holds(
        "living",
        |turn| {
            let lines = [
                (turn % 20 == 0).then(|| format!("wants: keep promise {}", turn / 20)),
                (turn % 50 == 0).then(|| format!("with Mira: owes a {}th debt", turn / 50)),
                (turn % 100 == 0).then(|| format!("plot {}: completed", turn / 100)),
            ];
            let lines: Vec<_> = lines.into_iter().flatten().collect();
            if lines.is_empty() { String::new() } else { format!("\n<changes>\n{}\n</changes>", lines.join("\n")) }
        },
        |turn| {
            let goal = latest(turn, 20).map(|nth| format!("keep promise {nth}"));
            let tie = latest(turn, 50).map(|nth| format!("Mira: owes a {nth}th debt"));
            let now = latest(turn, 100).unwrap_or(0) + 1;
            let point = format!("Now: {now}. Point {now} of the plot");
            let always = [
                "to see his brother buried",
                "He keeps the ledger",
                "Never speak, act, decide or feel for",
                "Write what happens next",
                "<changes>\nplot N:",
            ];
            always.map(str::to_owned).into_iter().chain(goal).chain(tie).chain([point]).collect()
        },
    );
}
