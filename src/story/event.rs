//! Events of a background (seed `003`, event manager): what begins on a condition, is told while it lasts, and changes
//! the world when it is settled.
//!
//! Pending → active → settled. Where an event stands hangs on the state, and so on the tree.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Extra, plot::PointStatus, storyline::Language, world};
use crate::store::tagged;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StoryEvent {
    pub id: String,
    pub name: String,
    /// Told in the prompt while the event is active.
    pub description: String,
    /// When it begins; see [`super::condition`].
    pub when: String,
    /// When it is settled; empty: after `turns` alone.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub until: String,
    /// Turns after which it is settled at the latest; 0: when `until` holds, or at the next reply where that is empty.
    pub turns: u32,
    /// What happens when it is settled, in order.
    pub effects: Vec<Effect>,
    /// It may begin again.
    pub repeats: bool,
    #[serde(flatten)]
    pub extra: Extra,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "snake_case")]
pub enum Effect {
    Set { key: String, value: Value },
    Add { key: String, value: Value },
    Plot { index: u32, status: PointStatus },
}
tagged!(Effect, "do");

/// Where an event stands in a state; one that is pending has no entry.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EventState {
    pub id: String,
    pub stage: Stage,
    /// Position of the turn at which it came to this.
    pub since: u32,
    #[serde(flatten)]
    pub extra: Extra,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    #[default]
    Pending,
    Active,
    Settled,
}

impl Stage {
    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Active => "active",
            Self::Settled => "settled",
        }
    }
}

/// Where an event stands, and since which turn.
pub fn stage(states: &[EventState], id: &str) -> (Stage, Option<u32>) {
    states.iter().find(|state| state.id == id).map_or((Stage::Pending, None), |state| (state.stage, Some(state.since)))
}

/// Reads effects as they are edited, one a line: `gold = 5`, `gold += 5`, `plot = 3 completed`.
///
/// # Errors
/// The number of the line that is none, from 1.
pub fn effects_from_lines(text: &str) -> Result<Vec<Effect>, usize> {
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    lines.map(|(number, line)| effect(line).ok_or(number)).collect()
}

pub fn effects_to_lines(effects: &[Effect]) -> String {
    let line = |effect: &Effect| match effect {
        Effect::Set { key, value } => format!("{key} = {}", world::written(value)),
        Effect::Add { key, value } => format!("{key} += {}", world::written(value)),
        Effect::Plot { index, status } => format!("plot = {index} {}", status.name()),
    };
    effects.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn effect(line: &str) -> Option<Effect> {
    let (left, value) = line.split_once('=').filter(|(left, value)| {
        let is_other = left.ends_with(['-', '*', '/', '!', '<', '>', '%', ':']);
        !is_other && !value.starts_with('=')
    })?;
    let (left, adds) = match left.strip_suffix('+') {
        Some(left) => (left, true),
        None => (left, false),
    };
    let key = left.trim();
    if key == "plot" && !adds {
        let (index, status) = value.trim().split_once(char::is_whitespace).unwrap_or((value.trim(), "in_progress"));
        let statuses = [PointStatus::Pending, PointStatus::InProgress, PointStatus::Completed];
        let status = statuses.into_iter().find(|known| known.name() == status.trim())?;
        return Some(Effect::Plot { index: index.parse().ok()?, status });
    }
    let key = world::key(key.strip_prefix("world.").unwrap_or(key)).ok()?.to_owned();
    let value = world::typed(value);
    Some(if adds { Effect::Add { key, value } } else { Effect::Set { key, value } })
}

/// What the prompt tells of the events that are active, in the order of the list.
pub fn told(events: &[StoryEvent], states: &[EventState], language: Language) -> Vec<String> {
    let active = events.iter().filter(|event| stage(states, &event.id).0 == Stage::Active);
    let colon = language.pick("：", ": ");
    active
        .map(|event| match event.description.trim() {
            "" => event.name.clone(),
            description => format!("{}{colon}{description}", event.name),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effects_read_as_they_are_written() {
        let text = "gold += 5\nplace = 酒馆\nopen = true\nplot = 3 completed";
        let effects = effects_from_lines(text).unwrap();
        assert_eq!(effects_to_lines(&effects), text);
        assert_eq!(effects_from_lines("world.gold = 1\n\nplot = 2").unwrap().len(), 2);
        for (text, line) in [
            ("gold", 1),
            ("a = 1\n= 2", 2),
            ("plot = x", 1),
            ("plot = 1 soon", 1),
            ("gold -= 5", 1),
            ("gold == 5", 1),
            ("gold != 5", 1),
        ] {
            assert_eq!(effects_from_lines(text), Err(line), "{text}");
        }
    }
}
