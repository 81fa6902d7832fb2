//! The persona: a character in layers that change at their own speed (seed `001`).

pub mod evolve;
mod growth;
mod items;
mod maintenance;
mod settings;
mod sources;
mod told;

pub use settings::{GrowthPolicy, PersonaSettings};

use serde_json::Value;

use self::{
    evolve::{evolve, restore},
    growth::Verdict,
};
use super::{Absorbed, Module, ModuleFault, NotThere, Outcome, Played, TurnContext, Unfit, again, readable};
use crate::{
    prompt::{draft::Draft, sources::Source},
    story::{
        damage::Part,
        persona::{Item, ItemKind, Layer, Origin, PendingGrowth, PersonaEdit},
        reader,
        state::{self, Change, HandEdit, State},
        storyline::Language,
        warning::{Cause, Notice},
    },
};

pub const NAME: &str = "persona";

pub struct Feature;

impl super::Feature for Feature {
    fn name(&self) -> &'static str {
        NAME
    }

    fn sources(&self) -> &'static [Source] {
        sources::ALL
    }

    fn asks(&self, draft: &Draft) -> &'static str {
        if !draft.scene.storyline.is_on(draft.scene.preset, NAME) {
            return "";
        }
        match draft.language() {
            Language::Zh => include_str!("changes.zh.txt"),
            Language::En => include_str!("changes.en.txt"),
        }
        .trim_end()
    }

    fn module(&self, Played { storyline, preset, .. }: &Played) -> Option<Box<dyn Module>> {
        let PersonaSettings { enabled, growth, .. } = storyline.settings(preset);
        enabled.then(|| Box::new(Persona { growth, reader: storyline.user_name.clone() }) as _)
    }

    fn change_by_hand(&self, state: &mut State, change: &HandEdit, origin: &Origin) -> Option<Result<(), Unfit>> {
        let HandEdit::Persona { edit: asked, of } = change else { return None };
        let edited = edit(state.persona_mut(of.as_ref()), asked, origin);
        if edited.is_ok() {
            state.mend(Part::Persona);
        }
        Some(edited.map_err(Unfit::from))
    }
}

pub struct Persona {
    pub growth: GrowthPolicy,
    /// The reader's name, or empty.
    pub reader: String,
}

impl Module for Persona {
    fn name(&self) -> &'static str {
        NAME
    }

    /// Takes the update in, growth by the rule of [`growth`], and every ten turns tidies up.
    fn absorb(&self, input: &Absorbed, context: &TurnContext, state: &mut State) -> Result<Outcome, ModuleFault> {
        readable(state, Part::Persona)?;
        let persona = state.persona_mut(context.speaker);
        let mut outcome = Outcome::default();
        let update = input.update.as_ref().filter(|_| !input.failed);
        if let Some(update) = update {
            let origin = context.origin();
            let known: Vec<Item> = update.items.iter().map(|item| self.as_known(persona, item)).collect();
            let is_whole = |item: &Item| update.whole.contains(&item.kind());
            let news = known.iter().filter(|item| is_news(persona, item, is_whole(item))).cloned();
            let (growth, current): (Vec<_>, Vec<_>) = news.partition(|item| item.kind().layer() == Layer::Growth);
            if !growth.is_empty() {
                let said: Vec<&Item> = growth.iter().filter(|item| known[..update.said].contains(item)).collect();
                match growth::judge(self.growth, update, &said, &persona.growth_state) {
                    Verdict::LetIn(event) => {
                        outcome.changes.extend(event.map(|event| Change::MajorEvent { event }));
                        outcome.changes.extend(growth.iter().map(|item| put(persona, item, &origin)));
                    }
                    Verdict::Wait => {
                        hold(persona, &growth, &origin);
                        outcome.changes.push(Change::GrowthHeld { items: growth });
                    }
                    Verdict::Drop => {}
                }
            }
            outcome.changes.extend(current.iter().map(|item| put(persona, item, &origin)));
            update.whole.iter().for_each(|kind| leave(persona, *kind, &update.items));
            if !outcome.changes.is_empty() {
                persona.last_updated_turn = Some(context.position);
            }
        } else if let Some(detail) = input.unreadable.clone().filter(|_| !input.failed) {
            outcome.notices.push(Notice { module: NAME.to_owned(), cause: Cause::UnreadableUpdate { detail } });
        }
        if maintenance::is_due(persona, context.position) {
            let removed = maintenance::tidy(persona, context.position);
            if removed > 0 {
                outcome.changes.push(Change::Maintained { removed });
            }
        }
        Ok(outcome)
    }
}

impl Persona {
    /// The same item, with the reader called as they are called already: what the story says of “you” and a prompt of
    /// the user is one relationship.
    fn as_known(&self, persona: &state::Persona, item: &Item) -> Item {
        let Item::Relationship { entity, status, history } = item else { return item.clone() };
        let is_reader = |entity: &str| reader::is_meant(entity, &self.reader);
        let known = persona.growth_state.relationships.iter().rev().find_map(|stored| {
            match Item::read(ItemKind::Relationship, stored)? {
                Item::Relationship { entity: known, .. } if is_reader(&known) => Some(known),
                _ => None,
            }
        });
        let entity = known.filter(|_| is_reader(entity)).unwrap_or_else(|| entity.clone());
        Item::Relationship { entity, status: status.clone(), history: history.clone() }
    }
}

/// The stored items of a kind.
fn list(persona: &mut state::Persona, kind: ItemKind) -> Option<&mut Vec<Value>> {
    match kind {
        ItemKind::Belief => Some(&mut persona.growth_state.beliefs),
        ItemKind::Pattern => Some(&mut persona.growth_state.behavioral_patterns),
        ItemKind::Relationship => Some(&mut persona.growth_state.relationships),
        ItemKind::Emotion => Some(&mut persona.current_state.emotions),
        ItemKind::Goal => Some(&mut persona.current_state.immediate_goals),
        ItemKind::Physical => None,
    }
}

/// Whether an item says something that the persona does not hold already: models repeat themselves. `is_whole`: it is one
/// of all that there are now of its kind.
fn is_news(persona: &state::Persona, item: &Item, is_whole: bool) -> bool {
    let kind = item.kind();
    let same = |stored: &Item| match item {
        // Why it is believed is told once.
        Item::Belief { .. } | Item::Pattern { .. } => again::plain(stored.texts()[0]) == again::plain(item.texts()[0]),
        // Why it is felt or wanted may be another reason.
        _ => again::letters(&stored.texts()) == again::letters(&item.texts()),
    };
    let holds = |stored: &Value| Item::read(kind, stored).as_ref().is_some_and(same);
    let (growth, current) = (&persona.growth_state, &persona.current_state);
    match item {
        Item::Belief { .. } => !growth.beliefs.iter().any(holds),
        Item::Pattern { .. } => !growth.behavioral_patterns.iter().any(holds),
        Item::Goal { .. } => !current.immediate_goals.iter().any(holds),
        Item::Physical { .. } => !holds(&current.physical),
        Item::Emotion { .. } if is_whole => !current.emotions.iter().any(holds),
        // A feeling may come back.
        Item::Emotion { .. } => !current.emotions.last().is_some_and(holds),
        Item::Relationship { entity, status, history } => {
            let known = growth.relationships.iter().rev().find_map(|stored| match Item::read(kind, stored)? {
                Item::Relationship { entity: known, status, history } if known == *entity => Some((status, history)),
                _ => None,
            });
            known.is_none_or(|(old_status, old_history)| {
                (!status.is_empty() && *status != old_status) || (!history.is_empty() && *history != old_history)
            })
        }
    }
}

/// Puts an item in: a relationship in the place of what was known of that entity, a condition in the place of the one
/// before, a belief or goal in the place of the same, all else beside what is there.
fn put(persona: &mut state::Persona, item: &Item, origin: &Origin) -> Change {
    let mut was = None;
    match item {
        Item::Physical { .. } => {
            let physical = &mut persona.current_state.physical;
            was = match Item::read(ItemKind::Physical, physical) {
                Some(Item::Physical { condition }) => Some(condition),
                _ => None,
            };
            *physical = item.write(Some(physical), origin);
        }
        Item::Relationship { entity, status, history } => {
            let relationships = &mut persona.growth_state.relationships;
            let known =
                relationships.iter_mut().rev().find_map(|stored| match Item::read(ItemKind::Relationship, stored)? {
                    Item::Relationship { entity: known, status, history } if known == *entity => {
                        Some((stored, status, history))
                    }
                    _ => None,
                });
            match known {
                Some((stored, old_status, old_history)) => {
                    // What the update leaves out stays.
                    let merged = Item::Relationship {
                        entity: entity.clone(),
                        status: if status.is_empty() { old_status.clone() } else { status.clone() },
                        history: if history.is_empty() { old_history } else { history.clone() },
                    };
                    *stored = merged.write(Some(stored), origin);
                    was = Some(old_status);
                    return Change::Item { item: merged, was };
                }
                None => relationships.push(item.write(None, origin)),
            }
        }
        _ => {
            if let Some(list) = list(persona, item.kind()) {
                let same = |stored: &Value| {
                    Item::read(item.kind(), stored).is_some_and(|known| known.texts()[0] == item.texts()[0])
                };
                // A feeling may come back; a belief or a goal that is said anew is the newest of its kind.
                let at = list.iter().rposition(same).filter(|_| item.kind() != ItemKind::Emotion);
                let old = at.map(|at| list.remove(at));
                list.push(item.write(old.as_ref(), origin));
            }
        }
    }
    Change::Item { item: item.clone(), was }
}

/// Of a kind of the moment these are all that hold; where there are none, nothing was said of it. What is said once more in
/// nearly the same words is there as it was.
fn leave(persona: &mut state::Persona, kind: ItemKind, now: &[Item]) {
    let mut left: Vec<&Item> = now.iter().filter(|item| item.kind() == kind).collect();
    let is_same = |known: &Item, item: &Item| {
        known.texts()[0] == item.texts()[0] || again::letters(&known.texts()) == again::letters(&item.texts())
    };
    let Some(list) = list(persona, kind).filter(|_| !left.is_empty()) else { return };
    // The newest of several.
    for at in (0..list.len()).rev() {
        let known = Item::read(kind, &list[at]);
        match known.and_then(|known| left.iter().position(|item| is_same(&known, item))) {
            Some(found) => _ = left.swap_remove(found),
            None => _ = list.remove(at),
        }
    }
}

/// Growth that waits, at most: who has not decided for so long has left it, and a state is written whole with every change.
const PENDING: usize = 50;

/// Keeps growth until the reader decides; the same growth waits once.
fn hold(persona: &mut state::Persona, items: &[Item], origin: &Origin) {
    persona.pending_growth.retain(|pending| pending.items != items);
    persona.pending_growth.push(PendingGrowth {
        items: items.to_vec(),
        created: origin.at,
        turn: origin.turn,
        generation: origin.generation.clone(),
    });
    let pending = &mut persona.pending_growth;
    pending.drain(..pending.len().saturating_sub(PENDING));
}

/// Changes a persona as the reader asks. The core and the base persona have no edit: they never change.
///
/// # Errors
/// What the edit names is not there; the persona is as before.
pub fn edit(persona: &mut state::Persona, edit: &PersonaEdit, origin: &Origin) -> Result<(), NotThere> {
    match edit {
        PersonaEdit::Add { item } => {
            put(persona, item, origin);
        }
        PersonaEdit::Replace { old, item } => *find(persona, item.kind(), old)? = item.write(Some(old), origin),
        PersonaEdit::Remove { kind, old } => {
            let place = find(persona, *kind, old)?;
            match kind {
                ItemKind::Physical => *place = Value::Null,
                _ => {
                    let list = list(persona, *kind).ok_or(NotThere)?;
                    let at = list.iter().position(|stored| stored == old).ok_or(NotThere)?;
                    list.remove(at);
                }
            }
        }
        PersonaEdit::Accept { pending } => {
            take(persona, pending)?;
            let generation = pending.generation.clone();
            let origin = Origin { at: origin.at, turn: pending.turn, generation, by_hand: false };
            for item in &pending.items {
                if is_news(persona, item, false) {
                    put(persona, item, &origin);
                }
            }
        }
        PersonaEdit::Refuse { pending } => take(persona, pending)?,
        PersonaEdit::Evolve { text } => evolve(persona, text, origin),
        PersonaEdit::Restore { text } => restore(persona, text, origin)?,
    }
    Ok(())
}

fn find<'a>(persona: &'a mut state::Persona, kind: ItemKind, old: &Value) -> Result<&'a mut Value, NotThere> {
    if kind == ItemKind::Physical {
        return Some(&mut persona.current_state.physical).filter(|stored| *stored == old).ok_or(NotThere);
    }
    list(persona, kind).and_then(|list| list.iter_mut().find(|stored| *stored == old)).ok_or(NotThere)
}

fn take(persona: &mut state::Persona, pending: &PendingGrowth) -> Result<(), NotThere> {
    let at = persona.pending_growth.iter().position(|waiting| waiting == pending).ok_or(NotThere)?;
    persona.pending_growth.remove(at);
    Ok(())
}

#[cfg(test)]
mod tests;
