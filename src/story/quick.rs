//! Quick replies (G10): buttons above the composer that say something or do something, in sets, as SillyTavern writes them.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{Extra, Millis, ids::QuickSetId};
use crate::store::record;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct QuickSet {
    pub id: QuickSetId,
    pub name: String,
    /// It stands above the composer of all stories.
    pub enabled: bool,
    /// What is pressed is put into the composer, and not sent; a command is not done, either.
    pub disable_send: bool,
    /// What stands in the composer is said with it: after it with `place_before_input`, else before it.
    pub inject_input: bool,
    pub place_before_input: bool,
    #[serde(rename = "qrList")]
    pub replies: Vec<QuickReply>,
    pub created: Millis,
    pub updated: Millis,
    #[serde(flatten)]
    pub extra: Extra,
}
record!(QuickSet, QuickReplies);

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct QuickReply {
    /// On the button.
    pub label: String,
    /// Said where the button is pointed at; empty: the message.
    pub title: String,
    /// What is said, or, behind a slash, done. With macros.
    pub message: String,
    /// It is not shown.
    pub is_hidden: bool,
    #[serde(flatten)]
    pub extra: Extra,
}

/// Under which a reply has its number.
const NUMBER: &str = "id";

/// What a button asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// A command; what stands in the composer stays.
    Do(String),
    /// To be put into the composer in the place of what is there.
    Put(String),
    /// To be said; whether what stands in the composer is said with it.
    Send(String, bool),
}

impl QuickSet {
    /// What a button asks for while `composed` stands in the composer; `message` with its macros expanded. No words of the
    /// reader's are lost by it.
    pub fn press(&self, message: &str, composed: &str) -> Option<Said> {
        let (message, composed) = (message.trim(), composed.trim());
        if message.is_empty() {
            return None;
        }
        if message.starts_with('/') && !self.disable_send {
            return Some(Said::Do(message.to_owned()));
        }
        let joined = match (composed, self.place_before_input) {
            ("", _) => message.to_owned(),
            (composed, true) => format!("{message} {composed}"),
            (composed, false) => format!("{composed} {message}"),
        };
        Some(match (self.disable_send, self.inject_input) {
            (true, _) => Said::Put(joined),
            (false, true) => Said::Send(joined, true),
            (false, false) => Said::Send(message.to_owned(), false),
        })
    }

    /// The numbers that its replies have.
    pub fn numbers(&self) -> BTreeSet<u64> {
        self.replies.iter().filter_map(QuickReply::number).collect()
    }

    /// Numbers that none has: behind the greatest, then those that were left out.
    pub fn free_numbers(&self) -> impl Iterator<Item = u64> + use<> {
        let taken = self.numbers();
        let greatest = taken.iter().next_back().copied().unwrap_or_default();
        (greatest..=u64::MAX).skip(1).chain(1..).filter(move |number| !taken.contains(number))
    }

    /// Adds a reply, with a number of its own.
    pub fn add(&mut self, mut reply: QuickReply) {
        reply.extra.extend(self.free_numbers().next().map(|number| (NUMBER.to_owned(), number.into())));
        self.replies.push(reply);
    }

    /// Those that are shown.
    pub fn shown(&self) -> impl Iterator<Item = &QuickReply> {
        self.replies.iter().filter(|reply| !reply.is_hidden && !reply.message.trim().is_empty())
    }
}

impl QuickReply {
    /// By which a set knows it, where it has one.
    pub fn number(&self) -> Option<u64> {
        self.extra.get(NUMBER)?.as_u64()
    }

    /// On the button: its label, else the beginning of what it says.
    pub fn caption(&self) -> String {
        const LETTERS: usize = 24;
        match self.label.trim() {
            "" => super::clip(self.message.trim(), LETTERS),
            label => label.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_button_asks_for() {
        let set = |disable_send, inject_input, place_before_input| QuickSet {
            disable_send,
            inject_input,
            place_before_input,
            ..QuickSet::default()
        };
        let send = |text: &str, all| Some(Said::Send(text.into(), all));
        let put = |text: &str| Some(Said::Put(text.into()));
        assert_eq!(set(false, false, false).press(" Look around. ", "mine"), send("Look around.", false));
        assert_eq!(set(false, true, false).press("Look.", "mine"), send("mine Look.", true));
        assert_eq!(set(false, true, true).press("Look.", "mine"), send("Look. mine", true));
        assert_eq!(set(true, false, false).press("Look.", "mine"), put("mine Look."));
        assert_eq!(set(true, false, false).press("Look.", " "), put("Look."));
        assert_eq!(set(false, true, true).press("/swipe", "mine"), Some(Said::Do("/swipe".into())));
        // What is only put there is not done, either.
        assert_eq!(set(true, true, true).press("/swipe", "mine"), put("/swipe mine"));
        assert_eq!(set(true, false, false).press("/swipe", " "), put("/swipe"));
        assert_eq!(set(false, false, false).press(" ", "mine"), None);
    }
}
