//! What a turn is asked for.

use super::opening::Said;
use crate::story::{
    generation::Generation,
    ids::{CharacterId, GenerationId, TurnId},
    warning::Notice,
};

/// What the reader asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    /// A new turn with this input.
    New(String),
    /// The same, heard by these alone.
    Whisper(String, Vec<CharacterId>),
    /// A new turn without words of the reader: this one of several speaks.
    Speak(CharacterId),
    /// The same, for it is their turn: the model was to choose, and did not, as the notice says.
    InTurn(CharacterId, Notice),
    /// Another reply to a turn: retry and regenerate.
    Again(TurnId),
    /// The same by this one of several.
    AgainBy(TurnId, CharacterId),
    /// More of a reply that broke off or that should go on.
    Continue(GenerationId),
    /// The same with the newest turns only, as many as the model takes, whatever the preset says; and so from then on in
    /// this story.
    Newest(Box<Ask>),
}

impl Ask {
    /// For what came of a reply to be whole: what it has said goes on; where that is nothing, another.
    pub fn whole(reply: &Generation) -> Self {
        match reply.text.trim().is_empty() {
            true => Self::Again(reply.turn.clone()),
            false => Self::Continue(reply.id.clone()),
        }
    }

    /// Whether the reader says something: others may answer it.
    pub(super) fn is_said(&self) -> bool {
        match self {
            Self::New(_) | Self::Whisper(..) => true,
            Self::Newest(ask) => ask.is_said(),
            Self::Speak(_) | Self::InTurn(..) | Self::Again(_) | Self::AgainBy(..) | Self::Continue(_) => false,
        }
    }

    /// What a new turn says, where one is asked for.
    pub(super) fn said(&self) -> Option<Said<'_>> {
        match self {
            Self::New(words) => Some(Said::words(words)),
            Self::Whisper(words, to) => Some(Said { to: Some(to), ..Said::words(words) }),
            Self::Speak(who) | Self::InTurn(who, _) => Some(Said { by: Some(who), ..Said::default() }),
            Self::Newest(ask) => ask.said(),
            Self::Again(_) | Self::AgainBy(..) | Self::Continue(_) => None,
        }
    }

    /// What its reply is to say of how it came about.
    pub(super) fn notice(&self) -> Option<&Notice> {
        match self {
            Self::InTurn(_, notice) => Some(notice),
            Self::Newest(ask) => ask.notice(),
            _ => None,
        }
    }

    /// What is asked for, and whether with the newest turns only.
    pub(super) fn split(self) -> (Self, bool) {
        match self {
            Self::Newest(ask) => (ask.split().0, true),
            ask => (ask, false),
        }
    }
}
