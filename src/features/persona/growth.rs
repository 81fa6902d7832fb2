//! When growth is let in (B5): the rule, in one place.
//!
//! The growth layer changes only on a **major event**. A reply's update is one if
//!
//! 1. it says so: `major_event` is `true` or a reason; or
//! 2. it gives a relationship another status than the present one (a first status counts: a stranger has become
//!    something); or
//! 3. it adds a belief and says what it was formed from.
//!
//! Of what a scribe noted only the first counts: its form asks for statuses and reasons, and has a place for an event.
//!
//! Then all of its growth is let in. Otherwise all of it waits, for the reader to accept or to refuse. The reader may
//! set this rule aside: `ask` lets everything wait, `always` lets everything in, `never` leaves growth to the reader's
//! own hand. What repeats the persona as it is, is no growth. The current layer (emotions, physical, goals) needs no
//! event.

use crate::{
    features::{PersonaUpdate, persona::GrowthPolicy},
    story::{
        persona::{Item, ItemKind},
        state::{GrowthState, MajorEvent},
    },
};

/// What becomes of a reply's growth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The event is `None` where the policy lets everything in.
    LetIn(Option<MajorEvent>),
    Wait,
    Drop,
}

/// Judges growth, none of which repeats the persona as it is, by the `items` that the reply says itself.
pub fn judge(policy: GrowthPolicy, update: &PersonaUpdate, items: &[&Item], present: &GrowthState) -> Verdict {
    match policy {
        GrowthPolicy::Never => Verdict::Drop,
        GrowthPolicy::Ask => Verdict::Wait,
        GrowthPolicy::Always => Verdict::LetIn(None),
        GrowthPolicy::Auto => match major_event(update, items, present) {
            Some(event) => Verdict::LetIn(Some(event)),
            None => Verdict::Wait,
        },
    }
}

fn major_event(update: &PersonaUpdate, items: &[&Item], present: &GrowthState) -> Option<MajorEvent> {
    if let Some(reason) = &update.major_event {
        return Some(MajorEvent::Said { reason: reason.clone() });
    }
    items.iter().find_map(|item| match item {
        Item::Relationship { entity, status, .. } if !status.is_empty() => {
            let changed = status_of(present, entity).as_deref() != Some(status);
            changed.then(|| MajorEvent::Relationship { entity: entity.clone() })
        }
        Item::Belief { formed_from, .. } if !formed_from.is_empty() => {
            Some(MajorEvent::Belief { formed_from: formed_from.clone() })
        }
        _ => None,
    })
}

/// The present status of the relationship with `entity`; the newest entry counts.
pub fn status_of(present: &GrowthState, entity: &str) -> Option<String> {
    present.relationships.iter().rev().find_map(|stored| match Item::read(ItemKind::Relationship, stored)? {
        Item::Relationship { entity: known, status, .. } if known == entity => Some(status),
        _ => None,
    })
}
