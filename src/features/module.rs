//! What a feature does with a reply.

use super::lore::timers::Started;
use crate::{
    reply::{notice::ReplyNotice, parser::WorldOp},
    story::{
        Millis,
        background::OutlinePoint,
        damage::Part,
        ids::{CharacterId, GenerationId},
        persona::{Item, ItemKind, Origin},
        plot::PointStatus,
        recap::Recap,
        state::{Change, State},
        warning::{Cause, Notice},
        written::{Text, Written},
    },
};

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
    /// What of the lore told with it lasts beyond it.
    pub started: Vec<Started>,
    /// The texts that were written after it.
    pub texts: Vec<(Text, Option<CharacterId>, Written)>,
    /// The summary of the conversation's middle that was.
    pub recap: Option<Recap>,
    /// What was odd about the text; for the reader's eyes, not for modules.
    pub notices: Vec<ReplyNotice>,
}

impl Absorbed {
    /// Takes in what was noted of the same turns afterwards; what says the same thing twice is settled by the later word.
    /// What was odd about either text is said of that one.
    pub fn take_in(&mut self, later: Self) {
        self.progress = later.progress.or(self.progress);
        self.update = match (self.update.take(), later.update) {
            (Some(mut update), Some(more)) => {
                update.items.extend(more.items);
                update.whole.extend(more.whole);
                update.major_event = more.major_event.or(update.major_event);
                Some(update)
            }
            (update, more) => more.or(update),
        };
        self.world.extend(later.world);
    }
}

/// A state update of seed `001`, item by item.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PersonaUpdate {
    pub items: Vec<Item>,
    /// How many of them, from the first on, the reply says itself; the others were noted of it.
    pub said: usize,
    /// Kinds of which these are all that hold now: the others of them are over.
    pub whole: Vec<ItemKind>,
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
    pub fn origin(&self) -> Origin {
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
pub fn readable(state: &State, part: Part) -> Result<(), ModuleFault> {
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
