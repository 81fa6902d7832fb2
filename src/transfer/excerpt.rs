//! A story up to a save point: the way there from the root, and nothing of what lies beside it.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde_json::Value;

use super::Failure;
use crate::{
    ports::Store,
    prompt::builtin,
    store::{Belongs, Hangs, Part, Record, Stored, Table, decode},
    story::{
        ids::{GenerationId, SessionId, StorylineId, TurnId},
        storyline::{SavePoint, Session, Storyline},
        tree::{Branch, Head, Path},
        turn::Turn,
    },
    turn::{scene, session},
};

/// What of a story belongs to the way.
pub(super) struct Excerpt {
    /// As it is at its new end.
    pub storyline: Storyline,
    path: Path,
    /// By position.
    turns: BTreeMap<u32, TurnId>,
    /// What is seen at each turn.
    replies: HashMap<TurnId, GenerationId>,
    states: BTreeSet<String>,
}

impl Excerpt {
    pub async fn of(store: &dyn Store, storyline: Storyline, point: &str) -> Result<Self, Failure> {
        let point = storyline.savepoints.iter().find(|known| known.id == point).cloned().ok_or(Failure::Gone)?;
        let tree = scene::tree(store, &storyline.id).await?;
        let branches = &tree.alive;
        let head = Head { branch: point.branch.clone(), end: point.position + 1 };
        let is_there = branches.get(&head.branch).is_some_and(|branch| head.end <= branch.tip());
        let path = Path::of(branches, &head).ok().filter(|_| is_there);
        let mut path = path.ok_or(Failure::Gone)?;
        if let Some(last) = path.spans.last_mut() {
            last.leaves_by = point.generation.clone();
        }
        let mut excerpt = Self {
            path,
            turns: BTreeMap::new(),
            replies: HashMap::new(),
            states: BTreeSet::from([storyline.initial_state.0.clone()]),
            storyline: Storyline::default(),
        };
        let sessions = excerpt.walk(store).await?;
        excerpt.storyline = excerpt.ended(store, storyline, &point, &sessions).await?;
        Ok(excerpt)
    }

    /// Reads the way, and counts the turns of each session.
    async fn walk(&mut self, store: &dyn Store) -> Stored<HashMap<SessionId, u32>> {
        let mut sessions = HashMap::new();
        let (mut from, mut step) = (0, 0);
        while from < self.path.end {
            let to = from.saturating_add(scene::stride(step));
            let nodes = scene::window(store, &self.path, from, to).await?;
            step = if nodes.is_empty() { to - from } else { 0 };
            for node in nodes {
                if let Some(reply) = node.reply() {
                    self.states.extend(reply.state.as_ref().map(|state| state.0.clone()));
                    self.replies.insert(node.turn.id.clone(), reply.id.clone());
                }
                *sessions.entry(node.turn.session).or_default() += u32::from(node.turn.position > 0);
                self.turns.insert(node.turn.position, node.turn.id);
            }
            from = to;
        }
        Ok(sessions)
    }

    /// The storyline with the save point for its end, played with what that keeps.
    async fn ended(
        &self,
        store: &dyn Store,
        storyline: Storyline,
        point: &SavePoint,
        turns: &HashMap<SessionId, u32>,
    ) -> Stored<Storyline> {
        let is_preset = builtin::builtin(point.preset.as_str(), storyline.language).is_some()
            || store.get(Table::Presets, point.preset.as_str()).await?.is_some();
        let begins_here = |session: &Session| match &session.opened {
            None => true,
            Some(opened) => self.holds(&opened.at, opened.generation.as_ref()),
        };
        let counted = |session: Session| Session { turns: turns.get(&session.id).copied().unwrap_or(0), ..session };
        let is_here = |place: &SavePoint| {
            let at = Head { branch: place.branch.clone(), end: place.position.saturating_add(1) };
            self.holds(&at, place.generation.as_ref())
        };
        let mut ended = Storyline {
            title: format!("{} · {}", storyline.title, point.name),
            preset: if is_preset { point.preset.clone() } else { storyline.preset.clone() },
            features: point.features.clone(),
            head: Head { branch: point.branch.clone(), end: self.path.end },
            total_turns: self.path.end - 1,
            sessions: storyline.sessions.into_iter().filter(begins_here).map(counted).collect(),
            savepoints: storyline.savepoints.into_iter().filter(is_here).collect(),
            ..storyline
        };
        let current = session::session_at(store, &ended, &self.path, self.path.end).await?;
        let current = current.or(ended.sessions.first()).map(|session| session.id.clone());
        ended.current_session = current.unwrap_or_default();
        Ok(ended)
    }

    /// Whether a place is on the way, and with this reply.
    fn holds(&self, at: &Head, reply: Option<&GenerationId>) -> bool {
        let Some(position) = at.end.checked_sub(1) else { return false };
        let seen = self.turns.get(&position).and_then(|turn| self.replies.get(turn));
        self.path.contains(&at.branch, position) && (reply.is_none() || reply == seen)
    }

    /// The keys of its records in a table; `None` where it takes them by what they say.
    pub fn keys(&self, part: Part) -> Option<Vec<String>> {
        let keys = match part {
            Part::Branches => self.path.spans.iter().map(|span| span.branch.0.clone()).collect(),
            Part::States => self.states.iter().cloned().collect(),
            Part::Turns => self.turns.values().map(|turn| turn.0.clone()).collect(),
            Part::Generations => {
                let replies = self.turns.values().filter_map(|turn| self.replies.get(turn));
                replies.map(|reply| reply.0.clone()).collect()
            }
            _ if part.belongs() == Belongs::Story(Hangs::Reply) => return self.keys(Part::Generations),
            _ => return None,
        };
        Some(keys)
    }

    /// A record as it is in the excerpt; `None` where it does not belong to it.
    pub fn cut(&self, part: Part, value: Value) -> Option<Value> {
        match part {
            Part::Storylines => written(&self.storyline),
            Part::Branches => written(&self.branch(decode(value).ok()?)?),
            Part::Turns => {
                let turn: Turn = decode(value).ok()?;
                written(&Turn { chosen: self.replies.get(&turn.id).cloned(), ..turn })
            }
            _ if part.belongs() == Belongs::Story(Hangs::Place) => self.is_seen(&value).then_some(value),
            _ => Some(value),
        }
    }

    /// Whether the place that a record hangs on is on the way.
    fn is_seen(&self, value: &Value) -> bool {
        let text = |field| value.get(field).and_then(Value::as_str);
        let position = value.get("position").and_then(Value::as_u64).and_then(|position| u32::try_from(position).ok());
        let at = text("branch")
            .zip(position)
            .map(|(branch, position)| Head { branch: branch.into(), end: position.saturating_add(1) });
        at.is_some_and(|at| self.holds(&at, text("generation").map(GenerationId::from).as_ref()))
    }

    /// A branch as far as the way follows it.
    fn branch(&self, branch: Branch) -> Option<Branch> {
        let span = self.path.spans.iter().find(|span| span.branch == branch.id)?;
        let turns: HashSet<&TurnId> = self.turns.values().collect();
        let replies: HashSet<&GenerationId> = self.replies.values().collect();
        let mut cut = Branch { length: span.last + 1 - span.first, swipes: Vec::new(), cuts: Vec::new(), ..branch };
        cut.named.retain(|turn| turns.contains(turn));
        cut.beads.retain(|bead| replies.contains(&bead.generation));
        cut.company.retain(|note| note.at <= span.last);
        cut.untold.retain(|turn| turn.at <= span.last);
        Some(cut)
    }
}

fn written<R: Record>(record: &R) -> Option<Value> {
    serde_json::to_value(record).ok()
}

/// A plan that gives a storyline, and all that hangs on it, ids of its own.
pub(super) fn copied(id: &StorylineId) -> crate::exchange::merge::Plan {
    use crate::exchange::merge::{Inventory, Mode, Plan};
    let mut one = Inventory::default();
    one.add(Part::Storylines, &serde_json::json!({ "id": id }));
    Plan::new(Mode::Copy, &one, &Inventory::default(), &[])
}
