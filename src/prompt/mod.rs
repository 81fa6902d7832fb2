//! What the model is told: sources → context → framework → messages, with an account of what, why and how many tokens.
//!
//! Deterministic: the same scene gives the same messages, byte for byte.
//!
//! 1. [`gather`]: each enabled block of the preset asks the registry ([`sources`]) or the [`context::ContextStore`],
//!    and becomes a [`context::Contribution`] with a priority and a reason. All of them are the
//!    [`context::ContextSnapshot`].
//! 2. [`budget`]: what does not fit gives way, the lowest priority first.
//! 3. [`framework`]: what is left is put where the preset says, in its order or at a depth of the chat.
//!
//! A new source is one function and one line in the list of its feature; a text that a feature makes for one turn is put
//! into the store under the name of its marker; a new framework is a preset.

pub mod budget;
pub mod builtin;
pub mod context;
pub mod depth;
pub mod difference;
pub mod draft;
pub mod framework;
pub mod gather;
pub mod macros;
#[cfg(test)]
pub(crate) mod samples;
pub mod sources;
pub mod steady;
#[cfg(test)]
mod tests;
pub mod tokens;

use std::{borrow::Cow, collections::BTreeMap};

use crate::story::{
    Millis,
    background::Background,
    character::Character,
    company::{Group, Stretch},
    ids::CharacterId,
    preset::{Block, Preset},
    reader_persona::ReaderPersona,
    recap::Recap,
    script::{At, For, Place, Rewrites},
    settings::SummaryOrder,
    state::{Persona, State},
    storyline::{Opened, Storyline},
    tree::Node,
    trigger::Trigger,
};
use context::ContextStore;
use sources::Source;
use tokens::Calibration;

/// Everything that a prompt may draw on, loaded before it is built.
pub struct Scene<'a> {
    pub storyline: &'a Storyline,
    /// Who speaks; `None`: the storyline's own character.
    pub speaker: Option<&'a CharacterId>,
    /// Of who speaks.
    pub character: &'a Character,
    /// The others who speak in it, and what of it the speaker has heard; `None`: it has one character.
    pub group: Option<&'a Group>,
    /// Whom the reader plays.
    pub plays_as: Option<&'a ReaderPersona>,
    /// Optional: an empty world where there is none (A2).
    pub background: Option<&'a Background>,
    pub state: &'a State,
    pub preset: &'a Preset,
    /// What the reply is asked for as.
    pub trigger: Trigger,
    /// The newest stretch of the path, in order; the last one is the turn to answer.
    pub history: &'a [Node],
    /// The first turns of the conversation, where a summary of its middle is told and they are not in `history`.
    pub head: &'a [Node],
    /// Turns that are not told: who speaks did not hear them, or the reader has taken them out.
    pub missed: Vec<Stretch>,
    /// Turns of the path before `history`, which were not loaded since they would not fit.
    pub not_loaded: u32,
    /// How the session of the turn to answer began; `None`: with the story.
    pub opened: Option<&'a Opened>,
    pub summary_order: SummaryOrder,
    /// Tokens that the history may cost, uncalibrated; `None` = as many as fit (seed `000`, `conversation_load_all`).
    pub conversation_tokens: Option<u32>,
    /// Tokens that the whole prompt may cost, uncalibrated; `None` = nobody knows.
    pub room: Option<u32>,
    /// The time that `{{time}}` and `{{date}}` tell.
    pub now: Millis,
    /// Minutes by which the reader's clock is ahead of UTC.
    pub utc_offset: i32,
    /// What `{{getvar::}}` reads.
    pub variables: BTreeMap<String, String>,
    /// What features tell of it, beside [`sources::REGISTRY`].
    pub sources: Vec<&'a [Source]>,
    /// What features put in for this turn.
    pub context: &'a ContextStore,
    /// Scripts that it is read through, as the model reads it.
    pub scripts: Option<&'a dyn Rewrites>,
    pub calibration: Calibration,
}

impl<'a> Scene<'a> {
    /// All sources that it draws on.
    pub fn sources(&self) -> impl Iterator<Item = &'a Source> {
        self.sources.iter().copied().chain([sources::REGISTRY]).flatten()
    }

    pub fn source(&self, name: &str) -> Option<&'a Source> {
        self.sources().find(|source| source.name == name)
    }

    /// Whether a block of the preset is told in this story.
    pub fn tells(&self, block: &Block) -> bool {
        let is_on = |feature: &String| self.storyline.is_on(self.preset, feature);
        let is_for_it = self.trigger.is_among(block.extra.get("injection_trigger"));
        block.enabled && is_for_it && block.feature.as_ref().is_none_or(is_on)
    }

    /// The summary that stands for the middle of the conversation (F4), where one is told.
    pub fn recap(&self) -> Option<&'a Recap> {
        let recap = self.state.recap.as_ref().filter(|_| self.character.recap.enabled)?;
        let begins = self.opened.map_or(0, |opened| opened.at.end);
        let answered = self.history.last().map_or(0, |last| last.turn.position);
        let is_here = begins <= recap.from && recap.from < recap.to && recap.to <= answered;
        (is_here && !recap.text.trim().is_empty()).then_some(recap)
    }

    /// A text as the model reads it.
    pub fn rewritten<'t>(&self, text: impl Into<Cow<'t, str>>, place: Place, depth: Option<u32>) -> Cow<'t, str> {
        let text = text.into();
        let Some(scripts) = self.scripts else { return text };
        match scripts.rewrite(&text, At { place, reader: For::Model, depth }) {
            Cow::Borrowed(same) if same.len() == text.len() => text,
            other => other.into_owned().into(),
        }
    }

    /// Of who speaks.
    pub fn persona(&self) -> &'a Persona {
        self.state.persona(self.speaker)
    }

    /// What `{{random::}}` and `{{roll:}}` draw from: the turn to answer, so that another reply to it is told the same.
    pub fn seed(&self) -> &str {
        self.history.last().map_or(self.storyline.id.as_str(), |node| node.turn.id.as_str())
    }
}
