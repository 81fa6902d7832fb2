//! A quick reply while it is edited. It is found again as it was held, wherever it stands by now.

use crate::story::quick::{QuickReply, QuickSet};

/// What is typed of one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QuickDraft {
    pub label: String,
    pub message: String,
}

impl QuickDraft {
    pub fn of(reply: &QuickReply) -> Self {
        Self { label: reply.label.clone(), message: reply.message.clone() }
    }

    /// What a form that began as `begun` shows where the reply has come to be `now`: what was typed meanwhile, else what
    /// stands there.
    pub fn after(&self, begun: &Self, now: &Self) -> Self {
        let one = |typed: &String, begun: &String, now: &String| if typed == begun { now } else { typed }.clone();
        Self {
            label: one(&self.label, &begun.label, &now.label),
            message: one(&self.message, &begun.message, &now.message),
        }
    }

    /// Puts what was typed since the form `begun` into the reply.
    pub fn apply(&self, begun: &Self, reply: &mut QuickReply) {
        let Self { label, message } = self.after(begun, &Self::of(reply));
        (reply.label, reply.message) = (label, message);
    }
}

/// Whether two are one reply, as it was and as it is: it has its number, or has not changed.
pub fn is_same(held: &QuickReply, now: &QuickReply) -> bool {
    match (held.number(), now.number()) {
        (Some(held), Some(now)) => held == now,
        _ => held == now,
    }
}

/// Where a reply stands that was held at `at`; `None`: it is gone, or is another by now.
pub fn place_of(set: &QuickSet, at: usize, held: &QuickReply) -> Option<usize> {
    let stays = set.replies.get(at).is_some_and(|now| is_same(held, now));
    if stays { Some(at) } else { set.replies.iter().position(|now| is_same(held, now)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(message: &str) -> QuickReply {
        QuickReply { message: message.into(), ..QuickReply::default() }
    }

    #[test]
    fn one_is_found_where_it_has_come_to_stand() {
        let mut set = QuickSet { replies: vec![reply("a"), reply("b")], ..QuickSet::default() };
        set.add(reply("c"));
        set.add(reply("d"));
        let held = set.replies.clone();
        // Meanwhile, elsewhere: the first is gone, the others have changed.
        set.replies.remove(0);
        set.replies[0].message = "B".into();
        set.replies[1].message = "C".into();
        let places: Vec<_> = held.iter().enumerate().map(|(at, held)| place_of(&set, at, held)).collect();
        assert_eq!(places, [None, None, Some(1), Some(2)]);
        // Of two with one number, the one that stands there.
        let twice = QuickSet { replies: vec![held[2].clone(), held[2].clone()], ..QuickSet::default() };
        assert_eq!([0, 1, 9].map(|at| place_of(&twice, at, &held[2])), [Some(0), Some(1), Some(0)]);
    }

    #[test]
    fn what_was_changed_elsewhere_stays() {
        let begun = QuickDraft::of(&reply("a"));
        let typed = QuickDraft { label: "Mine".into(), ..begun.clone() };
        let mut now = QuickReply { is_hidden: true, ..reply("theirs") };
        typed.apply(&begun, &mut now);
        assert_eq!((now.label.as_str(), now.message.as_str(), now.is_hidden), ("Mine", "theirs", true));
    }
}
