//! The world: applies what a reply sets and adds to the world state (seed `003`).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Absorbed, Feature, Module, ModuleFault, Outcome, Played, TurnContext, Unfit, again, readable};
use crate::{
    prompt::{
        draft::Draft,
        sources::{Give, Source},
    },
    reply::parser::WorldOp,
    story::{
        Extra,
        damage::Part,
        features::Settings,
        persona::Origin,
        state::{Change, HandEdit, State},
        storyline::Language,
        warning::{Cause, Notice},
        world::{self, Refusal},
    },
};

pub const NAME: &str = "world";

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WorldSettings {
    pub enabled: bool,
    #[serde(flatten)]
    pub extra: Extra,
}

impl Settings for WorldSettings {
    const NAME: &'static str = NAME;
}

/// Characters of a refused key that a notice quotes.
const QUOTED: usize = 40;

/// Has no settings beyond its switch.
pub struct World;

impl Feature for World {
    fn name(&self) -> &'static str {
        NAME
    }

    fn sources(&self) -> &'static [Source] {
        &[Source { name: "world_state", title: ["世界状态", "World state"], give: Give::Text(told) }]
    }

    fn asks(&self, draft: &Draft) -> &'static str {
        if draft.scene.state.world.is_empty() || !draft.scene.storyline.is_on(draft.scene.preset, NAME) {
            return "";
        }
        match draft.language() {
            Language::Zh => "世界 名称：新的值（只用上面世界状态里已有的名称）",
            Language::En => "world KEY: its new value (only a KEY that the world state above has)",
        }
    }

    fn module(&self, played: &Played) -> Option<Box<dyn Module>> {
        let settings: WorldSettings = played.storyline.settings(played.preset);
        settings.enabled.then(|| Box::new(Self) as _)
    }

    fn change_by_hand(&self, state: &mut State, edit: &HandEdit, _: &Origin) -> Option<Result<(), Unfit>> {
        let HandEdit::World { edit } = edit else { return None };
        let edited = world::edit(&mut state.world, edit);
        if edited.is_ok() {
            state.mend(Part::World);
        }
        Some(edited.map_err(Unfit::from))
    }
}

/// Key-values (seed `003`), a line each, in the order in which they came.
fn told(draft: &mut Draft) -> String {
    let lines = draft.scene.state.world.iter().map(|(key, value)| match value {
        Value::String(text) => format!("{key}: {text}"),
        other => format!("{key}: {other}"),
    });
    draft.with_names(&lines.collect::<Vec<_>>().join("\n"))
}

impl Module for World {
    fn name(&self) -> &'static str {
        NAME
    }

    /// Each operation on its own: one that is refused is said, and the others stand.
    fn absorb(&self, input: &Absorbed, _: &TurnContext, state: &mut State) -> Result<Outcome, ModuleFault> {
        readable(state, Part::World)?;
        let mut outcome = Outcome::default();
        for op in input.world.iter().filter(|_| !input.failed) {
            match apply(&mut state.world, op) {
                Ok(change) => outcome.changes.extend(change),
                Err(why) => {
                    let key = op.said().0.chars().take(QUOTED).collect();
                    outcome.notices.push(Notice { module: NAME.to_owned(), cause: Cause::WorldRefused { key, why } });
                }
            }
        }
        Ok(outcome)
    }
}

/// Does one operation; `None` where all stays as it is. A key that is set to `null` is taken out.
fn apply(state: &mut Extra, op: &WorldOp) -> Result<Option<Change>, Refusal> {
    match op {
        WorldOp::Note { key, value } if again::is_known(state, key, value) => Ok(None),
        WorldOp::Set { key, value } | WorldOp::Note { key, value } if value.trim() == "null" => {
            Ok(take_out(state, world::key(key)?))
        }
        WorldOp::Set { key, value } | WorldOp::Note { key, value } => set(state, key, world::typed(value)),
        WorldOp::Add { key, value } => {
            let value = value.trim();
            let value = world::typed(value.strip_prefix('+').unwrap_or(value));
            let made = world::sum(state.get(world::key(key)?), value)?;
            set(state, key, made)
        }
    }
}

/// Puts a value in; `None` where it is there already.
pub(super) fn set(state: &mut Extra, key: &str, to: Value) -> Result<Option<Change>, Refusal> {
    let from = world::put(state, key, to.clone())?;
    let changed = from.as_ref() != Some(&to);
    Ok(changed.then(|| Change::World { key: key.trim().to_owned(), from, to: Some(to) }))
}

fn take_out(state: &mut Extra, key: &str) -> Option<Change> {
    let from = state.shift_remove(key)?;
    Some(Change::World { key: key.to_owned(), from: Some(from), to: None })
}

#[cfg(test)]
mod tests;
