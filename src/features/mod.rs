//! Modules: features with a switch of their own, and what each does with a reply. A folder each.
//!
//! A module reads what the reply said and changes its own part of the state. One that fails leaves its part as it was,
//! says so in a notice stored with the reply, and stops nobody else. A new module is one folder here and one line in
//! [`enabled`].

pub mod director;
pub mod events;
pub mod persona;
pub mod planner;
pub mod reading;
pub mod recall;
pub mod summary;
mod transcript;
pub mod world;

use crate::{
    reply::{notice::ReplyNotice, parser::WorldOp},
    story::{
        Millis,
        background::OutlinePoint,
        damage::Part,
        event::StoryEvent,
        generation::{Generation, Status},
        ids::{CharacterId, GenerationId, StateId},
        persona::{Item, Origin},
        plot::PointStatus,
        preset::Preset,
        state::{ByHand, Change, HandEdit, State},
        storyline::Storyline,
        warning::{Cause, Notice},
        world::{Refusal, edit as edit_world},
    },
};

/// Stands in a notice for no module: the background itself.
pub const BACKGROUND: &str = "background";

/// What a reply said, as far as modules care.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Absorbed {
    /// The first progress marker: point and status.
    pub progress: Option<(u32, PointStatus)>,
    pub update: Option<PersonaUpdate>,
    /// Why there is no `update`, where there was one that cannot be read.
    pub unreadable: Option<String>,
    /// What is to be set and added in the world, in order.
    pub world: Vec<WorldOp>,
    /// The provider refused or broke: what text there is does not count (seed `000`, case 4).
    pub failed: bool,
    /// What was odd about the text; for the reader's eyes, not for modules.
    pub notices: Vec<ReplyNotice>,
}

/// A state update of seed `001`, item by item.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PersonaUpdate {
    pub items: Vec<Item>,
    /// The reply calls this a major event, with its reason or an empty text.
    pub major_event: Option<String>,
}

/// The turn that a reply belongs to.
pub struct TurnContext<'a> {
    /// When the reply ended.
    pub now: Millis,
    /// Position of the turn.
    pub position: u32,
    pub generation: &'a GenerationId,
    /// Who spoke; `None`: the storyline's own character.
    pub speaker: Option<&'a CharacterId>,
    pub outline: Outline<'a>,
}

/// The points that the story plays by, none where the background has none; or why it cannot be read.
pub type Outline<'a> = Result<&'a [OutlinePoint], &'a str>;

impl TurnContext<'_> {
    fn origin(&self) -> Origin {
        Origin { at: self.now, turn: self.position, generation: Some(self.generation.clone()), by_hand: false }
    }
}

/// What a module has done.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    pub changes: Vec<Change>,
    pub notices: Vec<Notice>,
}

/// A module could not do its part, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleFault(pub Cause);

/// A module changes nothing in a part that it cannot read.
fn readable(state: &State, part: Part) -> Result<(), ModuleFault> {
    match state.damage(part) {
        Some(detail) => Err(ModuleFault(Cause::DamagedState { detail: detail.to_owned() })),
        None => Ok(()),
    }
}

pub trait Module {
    fn name(&self) -> &'static str;

    /// Takes a reply into the state.
    ///
    /// # Errors
    /// The module could not do its part; whatever it did to `state` meanwhile is dropped.
    fn absorb(&self, input: &Absorbed, context: &TurnContext, state: &mut State) -> Result<Outcome, ModuleFault>;
}

/// The modules that are on in a storyline told by this preset, with their settings, in the order in which they see a reply: its events, of
/// which `events` are those of its background, see what all others have done.
pub fn enabled(storyline: &Storyline, preset: &Preset, events: &[StoryEvent]) -> Vec<Box<dyn Module>> {
    let (director, persona) = (storyline.director(preset), storyline.persona(preset));
    let mut modules: Vec<Box<dyn Module>> = Vec::new();
    if director.enabled {
        modules.push(Box::new(director::Director));
    }
    if persona.enabled {
        modules.push(Box::new(persona::Persona { growth: persona.growth, reader: storyline.user_name.clone() }));
    }
    if storyline.world(preset).enabled {
        modules.push(Box::new(world::World));
    }
    let events = storyline.events(events);
    if !events.is_empty() {
        modules.push(Box::new(events::Happening { events }));
    }
    modules
}

/// Lets each module take in the reply, each on its own.
pub fn absorb(modules: &[Box<dyn Module>], input: &Absorbed, context: &TurnContext, state: &mut State) -> Outcome {
    let mut all = Outcome::default();
    for module in modules {
        let mut own = state.clone();
        match module.absorb(input, context, &mut own) {
            Ok(outcome) => {
                *state = own;
                all.changes.extend(outcome.changes);
                all.notices.extend(outcome.notices);
            }
            Err(ModuleFault(cause)) => {
                all.notices.push(Notice { module: module.name().to_owned(), cause });
            }
        }
    }
    all
}

/// Settles what a reply that has ended does to the state: the modules take it in, then what the reader changed at this
/// reply by hand is done again. Notices and changes are noted on the reply, which then names the state after it.
/// Gives that state where it is a new one, under the id `fresh`.
///
/// The same reply upon the same state always settles to the same: this is what time travel rests on.
pub fn settle(
    modules: &[Box<dyn Module>],
    outline: Outline,
    before: &State,
    generation: &mut Generation,
    fresh: StateId,
) -> Option<State> {
    let mut after = before.clone();
    let now = generation.finished.unwrap_or(generation.started);
    let input = reading::read_reply(&generation.text, generation.status == Status::Error);
    let context = TurnContext {
        now,
        position: generation.position,
        generation: &generation.id,
        speaker: generation.speaker.as_ref(),
        outline,
    };
    let mut outcome = absorb(modules, &input, &context, &mut after);
    for by_hand in generation.by_hand() {
        if change_by_hand(&mut after, &by_hand, generation.position, Some(&generation.id)).is_err() {
            let module = match by_hand.edit {
                HandEdit::Plot { .. } => director::NAME,
                HandEdit::Persona { .. } => persona::NAME,
                HandEdit::World { .. } => world::NAME,
            };
            outcome.notices.push(Notice { module: module.to_owned(), cause: Cause::ByHandLost });
        }
    }
    // A turn that was told without its world says so, though no module needs it.
    if let Err(detail) = outline
        && !modules.iter().any(|module| module.name() == director::NAME)
    {
        let cause = Cause::DamagedBackground { detail: detail.to_owned() };
        outcome.notices.push(Notice { module: BACKGROUND.to_owned(), cause });
    }
    generation.set_changes(&outcome.changes);
    // What kept the past from being asked, or a plan from being made, was noted before the reply began; what of its
    // stream could not be read, while it came.
    let is_earlier = |notice: &Notice| [recall::NAME, planner::NAME, Notice::STREAM].contains(&notice.module.as_str());
    let mut notices: Vec<_> = generation.notices().into_iter().filter(is_earlier).collect();
    notices.append(&mut outcome.notices);
    generation.set_notices(&notices);
    reading::set_notices(generation, &input.notices);
    if after.says_the_same(before) {
        generation.state = Some(before.id.clone());
        return None;
    }
    (after.id, after.created) = (fresh, now);
    generation.state = Some(after.id.clone());
    Some(after)
}

/// What an edit is about is not there (any more).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("what is to be changed is not there any more")]
pub struct NotThere;

/// An edit does not fit the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    #[error(transparent)]
    NotThere(#[from] NotThere),
    /// The world does not take it.
    #[error(transparent)]
    World(#[from] Refusal),
}

/// Does in the state what the reader asked for, at the turn `position`.
///
/// # Errors
/// It does not fit; the state is as before.
pub fn change_by_hand(
    state: &mut State,
    by_hand: &ByHand,
    position: u32,
    generation: Option<&GenerationId>,
) -> Result<(), Unfit> {
    match &by_hand.edit {
        HandEdit::Plot { index, status, content } => {
            director::move_to(&mut state.plot, *index, *status, content, position);
            state.mend(Part::Plot);
            Ok(())
        }
        HandEdit::Persona { edit, of } => {
            let origin = Origin { at: by_hand.at, turn: position, generation: generation.cloned(), by_hand: true };
            persona::edit(state.persona_mut(of.as_ref()), edit, &origin)?;
            state.mend(Part::Persona);
            Ok(())
        }
        HandEdit::World { edit } => {
            edit_world(&mut state.world, edit)?;
            state.mend(Part::World);
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests;
