//! The features beside each other; and what their own tests share.

mod failures;
pub mod lantern;
mod settings;

use serde_json::{Value, json};

use super::{
    persona::{GrowthPolicy, Persona},
    *,
};
use crate::story::{
    background::outline_from_lines,
    generation::{Generation, Status},
    ids::StateId,
    state::State,
};

pub(super) const OUTLINE: &str = "发现背叛者的线索\n潜入敌人据点\n与仇人对峙\n做出关键选择\n应对选择的后果";

/// A reply of the story at this turn.
pub(super) fn reply(position: u32, text: &str) -> Generation {
    Generation {
        id: format!("g{position}").into(),
        position,
        text: text.to_owned(),
        status: if text.trim().is_empty() { Status::Empty } else { Status::Done },
        finished: Some(1_760_610_600_000 + u64::from(position) * 60_000),
        ..Default::default()
    }
}

pub(super) fn update(json: Value) -> String {
    format!("<narrative>他看着你。</narrative>\n<state_update_json>\n{json}\n</state_update_json>")
}

/// Settles a reply; gives it with the state after it.
pub(super) fn settled(modules: &[Box<dyn Module>], before: &State, mut generation: Generation) -> (Generation, State) {
    let fresh = StateId::from(format!("after {}", generation.id));
    let after = settle(modules, Ok(&outline_from_lines(OUTLINE)), before, &mut generation, fresh);
    let after = after.unwrap_or_else(|| before.clone());
    assert_eq!(generation.state.as_ref(), Some(&after.id), "the reply names the state after it");
    (generation, after)
}

pub(super) fn director() -> Vec<Box<dyn Module>> {
    vec![Box::new(director::Director)]
}

pub(super) fn persona(growth: GrowthPolicy) -> Vec<Box<dyn Module>> {
    vec![Box::new(Persona { growth, reader: "小雨".into() })]
}

pub(super) fn at_point(index: u32, status: &str, no_update_count: u32) -> State {
    let mut state = State { id: "s".into(), ..Default::default() };
    state.plot.current_plot_index = index;
    state.plot.current_status = status.into();
    state.plot.no_update_count = no_update_count;
    state
}
