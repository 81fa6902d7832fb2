//! The events of a background: begun and settled after each reply.

pub mod remembered;
mod settings;

pub use settings::EventsSettings;

use super::{
    Absorbed, Module, ModuleFault, Outcome, Played, TurnContext, director, readable,
    world::{self, NAME as WORLD},
};
use crate::{
    prompt::{
        draft::Draft,
        sources::{Give, Source},
    },
    story::{
        condition::Condition,
        damage::Part,
        event::{self, Effect, EventState, Stage, StoryEvent, stage},
        features::{Features, Settings},
        plot::PointStatus,
        state::{Change, State},
        storyline::Storyline,
        warning::{Cause, Notice},
    },
};

/// Of the module, in notices.
pub const NAME: &str = "happening";

pub struct Feature;

impl super::Feature for Feature {
    fn name(&self) -> &'static str {
        EventsSettings::NAME
    }

    fn sources(&self) -> &'static [Source] {
        &[Source { name: "events", title: ["事件", "Events"], give: Give::Pieces(told) }]
    }

    fn module(&self, played: &Played) -> Option<Box<dyn Module>> {
        let events = of(played.storyline, played.events);
        (!events.is_empty()).then(|| Box::new(Happening { events }) as _)
    }

    fn leave_home(&self, settings: &mut Features) {
        settings.forget(EventsSettings::NAME);
    }
}

/// What may happen in a storyline: the events of its background, then its own, without those that are switched off.
pub fn of(storyline: &Storyline, of_background: &[StoryEvent]) -> Vec<StoryEvent> {
    let Some(EventsSettings { off, own, .. }) = storyline.features.get() else { return of_background.to_vec() };
    of_background.iter().chain(&own).filter(|event| !off.contains(&event.id)).cloned().collect()
}

/// The events that are active, one a piece.
fn told(draft: &mut Draft) -> Vec<String> {
    let of_background = draft.scene.background.map_or(&[][..], |background| &background.events);
    let events = of(draft.scene.storyline, of_background);
    let told = event::told(&events, &draft.scene.state.events, draft.language());
    told.into_iter().map(|text| draft.source_text(&text)).collect()
}

pub struct Happening {
    pub events: Vec<StoryEvent>,
}

impl Module for Happening {
    fn name(&self) -> &'static str {
        NAME
    }

    /// First what is due is settled, in the order of the list, each upon what the one before has left; then what is due
    /// begins. An event that was settled now may begin again at the next reply. A condition that cannot be read never
    /// holds; the panel and the editor say so.
    fn absorb(&self, input: &Absorbed, context: &TurnContext, state: &mut State) -> Result<Outcome, ModuleFault> {
        readable(state, Part::Events)?;
        let mut outcome = Outcome::default();
        if input.failed {
            return Ok(outcome);
        }
        let turn = context.position;
        let mut settled = Vec::new();
        for event in &self.events {
            let (Stage::Active, Some(since)) = stage(&state.events, &event.id) else { continue };
            if is_over(event, since, turn, state) {
                come_to(state, event, Stage::Settled, turn, &mut outcome);
                for effect in &event.effects {
                    take(effect, context, state, &mut outcome)?;
                }
                settled.push(event.id.as_str());
            }
        }
        for event in &self.events {
            let may_begin = match stage(&state.events, &event.id).0 {
                Stage::Pending => true,
                Stage::Active => false,
                Stage::Settled => event.repeats && !settled.contains(&event.id.as_str()),
            };
            if may_begin && holds(&event.when, state, turn) {
                come_to(state, event, Stage::Active, turn, &mut outcome);
            }
        }
        Ok(outcome)
    }
}

fn holds(condition: &str, state: &State, turn: u32) -> bool {
    Condition::parse(condition).is_ok_and(|condition| condition.holds(state, turn))
}

fn is_over(event: &StoryEvent, since: u32, turn: u32, state: &State) -> bool {
    let has_end = !event.until.trim().is_empty();
    let turns = if has_end { event.turns } else { event.turns.max(1) };
    let timed_out = turns > 0 && turn.saturating_sub(since) >= turns;
    timed_out || (has_end && holds(&event.until, state, turn))
}

fn come_to(state: &mut State, event: &StoryEvent, stage: Stage, since: u32, outcome: &mut Outcome) {
    match state.events.iter_mut().find(|known| known.id == event.id) {
        Some(known) => (known.stage, known.since) = (stage, since),
        None => state.events.push(EventState { id: event.id.clone(), stage, since, ..Default::default() }),
    }
    outcome.changes.push(Change::Event { id: event.id.clone(), name: event.name.clone(), stage });
}

/// An effect that does not fit is said, and the others stand.
fn take(effect: &Effect, context: &TurnContext, state: &mut State, outcome: &mut Outcome) -> Result<(), ModuleFault> {
    let (key, made) = match effect {
        Effect::Set { key, value } => (key, Ok(value.clone())),
        Effect::Add { key, value } => (key, crate::story::world::sum(state.world.get(key), value.clone())),
        Effect::Plot { index, status } => return move_plot(*index, *status, context, state, outcome),
    };
    readable(state, Part::World)?;
    match made.and_then(|value| world::set(&mut state.world, key, value)) {
        Ok(change) => outcome.changes.extend(change),
        Err(why) => {
            let cause = Cause::WorldRefused { key: key.clone(), why };
            outcome.notices.push(Notice { module: WORLD.to_owned(), cause });
        }
    }
    Ok(())
}

fn move_plot(
    index: u32,
    status: PointStatus,
    context: &TurnContext,
    state: &mut State,
    outcome: &mut Outcome,
) -> Result<(), ModuleFault> {
    let outline =
        context.outline.map_err(|detail| ModuleFault(Cause::DamagedBackground { detail: detail.to_owned() }))?;
    readable(state, Part::Plot)?;
    let Some(point) = (index as usize).checked_sub(1).and_then(|at| outline.get(at)) else {
        let cause = Cause::OutOfOutline { index, points: outline.len() as u32 };
        outcome.notices.push(Notice { module: director::NAME.to_owned(), cause });
        return Ok(());
    };
    let plot = &mut state.plot;
    let (from_index, from_status) = (plot.current_plot_index, plot.current_status.clone());
    director::move_to(plot, index, status, &point.content, context.position);
    if (from_index, from_status.as_str()) != (index, status.name()) {
        outcome.changes.push(Change::Plot {
            index,
            status,
            content: point.content.clone(),
            from_index,
            from_status,
            jumped_back: index < from_index,
        });
    }
    Ok(())
}
