//! What a reply changed, in words.

use super::{Language, fill, mind::T as M};
use crate::story::{
    clip,
    event::Stage,
    persona::Item,
    plot::PointStatus,
    reader::to_the_reader,
    state::{Change, MajorEvent},
    world,
    written::Text,
};

/// An item as a short sentence.
pub fn sentence(item: &Item, language: Language) -> String {
    match item {
        Item::Relationship { entity, status, .. } if !status.is_empty() => {
            fill(M::RelationSentence.text(language), &[to_the_reader(entity, language), status])
        }
        _ => item.texts()[0].to_owned(),
    }
}

/// Characters of a value in a note.
const VALUE: usize = 60;

/// A change as a note in the margin.
pub fn change_words(change: &Change, language: Language) -> String {
    let say = |text: M, values: &[&str]| fill(text.text(language), values);
    match change {
        Change::Item { item: Item::Relationship { entity, status, .. }, was: Some(was) }
            if !was.is_empty() && was != status =>
        {
            say(M::NoteRelationMoved, &[to_the_reader(entity, language), was, status])
        }
        Change::Item { item: Item::Physical { condition }, was: Some(was) } if was != condition => {
            say(M::NotePhysicalMoved, &[was, condition])
        }
        Change::Item { item, .. } => {
            let label = match item {
                Item::Belief { .. } => M::NoteBelief,
                Item::Pattern { .. } => M::NotePattern,
                Item::Relationship { .. } => M::NoteRelation,
                Item::Emotion { .. } => M::NoteEmotion,
                Item::Goal { .. } => M::NoteGoal,
                Item::Physical { .. } => M::NotePhysical,
            };
            say(label, &[&sentence(item, language)])
        }
        Change::MajorEvent { event } => match event {
            MajorEvent::Said { reason } if reason.is_empty() => say(M::NoteMajorSaid, &[]),
            MajorEvent::Said { reason } => say(M::NoteMajor, &[reason]),
            MajorEvent::Relationship { entity } => say(M::NoteMajorRelation, &[to_the_reader(entity, language)]),
            MajorEvent::Belief { formed_from } => say(M::NoteMajorBelief, &[formed_from]),
        },
        Change::GrowthHeld { items } => {
            let items: Vec<String> = items.iter().map(|item| sentence(item, language)).collect();
            say(M::NoteHeld, &[&items.join(language.pick("；", "; "))])
        }
        Change::Text { of: Text::Sheet, whose } if !whose.is_empty() => say(M::NoteSheetOf, &[whose]),
        Change::Text { of: Text::Sheet, .. } => say(M::NoteSheet, &[]),
        Change::Text { of: Text::Plot, .. } => say(M::NotePlotSummary, &[]),
        Change::Event { name, stage: Stage::Settled, .. } => say(M::NoteEventSettled, &[name]),
        Change::Event { name, .. } => say(M::NoteEventBegins, &[name]),
        Change::World { key, from, to } => {
            let value = |value: &Option<_>| value.as_ref().map(|value| clip(&world::words(value, language), VALUE));
            match (value(from), value(to)) {
                (_, None) => say(M::NoteWorldGone, &[key]),
                (None, Some(to)) => say(M::NoteWorld, &[key, &to]),
                (Some(from), Some(to)) => say(M::NoteWorldMoved, &[key, &from, &to]),
            }
        }
        Change::Maintained { removed } => say(M::NoteMaintained, &[&removed.to_string()]),
        Change::Plot { index, status, content, from_index, jumped_back, .. } => {
            let index = index.to_string();
            if *jumped_back {
                return say(M::NotePlotBack, &[&from_index.to_string(), &index, content]);
            }
            let text = match status {
                PointStatus::Completed => M::NotePlotCompleted,
                PointStatus::InProgress => M::NotePlotBegun,
                PointStatus::Pending => M::NotePlotPending,
            };
            say(text, &[&index, content])
        }
    }
}

/// Why, in the words of the reply; empty where it says nothing of that.
pub fn cause(change: &Change) -> &str {
    match change {
        Change::Item { item, .. } => item.aside(),
        _ => "",
    }
}
