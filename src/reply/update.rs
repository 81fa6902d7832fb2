//! The update of a persona (seed `001`): its shape is checked, what models vary is forgiven, the rest kept aside.
//!
//! Persona is text and time: numbers are dropped. Times are the engine's, so `timestamp` is dropped too. The core
//! never changes.

mod item;
#[cfg(test)]
mod tests;

use serde_json::{Map, Value};

pub use item::{Belief, Emotion, Goal, Pattern, Physical, Relationship};

use self::item::Item;
use super::notice::ReplyNotice;
use crate::story::Extra;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change<T> {
    Add(T),
    /// Of the item of the same content or entity; added where there is none.
    Update(T),
    /// One of those that there are now: the others of its kind are over.
    Now(T),
}

impl<T> Change<T> {
    pub fn item(&self) -> &T {
        match self {
            Self::Add(item) | Self::Update(item) | Self::Now(item) => item,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct StateUpdate {
    pub beliefs: Vec<Change<Belief>>,
    pub patterns: Vec<Change<Pattern>>,
    pub relationships: Vec<Change<Relationship>>,
    pub emotions: Vec<Change<Emotion>>,
    pub goals: Vec<Change<Goal>>,
    pub physical: Option<Physical>,
    /// What is no part of an update, by its path (`growth_state.secrets`).
    pub aside: Extra,
}

impl StateUpdate {
    /// Nothing changes.
    pub fn is_empty(&self) -> bool {
        !self.has_growth() && self.emotions.is_empty() && self.goals.is_empty() && self.physical.is_none()
    }

    /// The slow layer, which changes on a major event only.
    pub fn has_growth(&self) -> bool {
        !(self.beliefs.is_empty() && self.patterns.is_empty() && self.relationships.is_empty())
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Field {
    Wrapper,
    Growth,
    Current,
    Core,
    Beliefs,
    Patterns,
    Relationships,
    Emotions,
    Physical,
    Goals,
}

/// In lower case, without `_`, `-` and space.
const FIELDS: &[(&str, Field)] = &[
    ("stateupdate", Field::Wrapper),
    ("stateupdatejson", Field::Wrapper),
    ("characterstate", Field::Wrapper),
    ("growthstate", Field::Growth),
    ("growth", Field::Growth),
    ("成长状态", Field::Growth),
    ("currentstate", Field::Current),
    ("current", Field::Current),
    ("当前状态", Field::Current),
    ("coreidentity", Field::Core),
    ("核心身份", Field::Core),
    ("beliefs", Field::Beliefs),
    ("belief", Field::Beliefs),
    ("信念", Field::Beliefs),
    ("behavioralpatterns", Field::Patterns),
    ("behaviouralpatterns", Field::Patterns),
    ("behavioralpattern", Field::Patterns),
    ("behaviorpatterns", Field::Patterns),
    ("patterns", Field::Patterns),
    ("行为模式", Field::Patterns),
    ("relationships", Field::Relationships),
    ("relationship", Field::Relationships),
    ("关系", Field::Relationships),
    ("emotions", Field::Emotions),
    ("emotion", Field::Emotions),
    ("情绪", Field::Emotions),
    ("physical", Field::Physical),
    ("physicalcondition", Field::Physical),
    ("physicalstate", Field::Physical),
    ("身体状况", Field::Physical),
    ("身体", Field::Physical),
    ("immediategoals", Field::Goals),
    ("immediategoal", Field::Goals),
    ("goals", Field::Goals),
    ("短期目标", Field::Goals),
    ("目标", Field::Goals),
];

fn plain_key(key: &str) -> String {
    key.chars().filter(|c| !matches!(c, '_' | '-') && !c.is_whitespace()).flat_map(char::to_lowercase).collect()
}

fn field(key: &str) -> Option<Field> {
    let key = plain_key(key);
    FIELDS.iter().find(|(name, _)| *name == key).map(|(_, field)| *field)
}

/// Whether a field is only put around an update.
pub fn is_wrapper(key: &str) -> bool {
    field(key) == Some(Field::Wrapper)
}

/// Whether an object says something of a persona, not of the world.
pub(super) fn is_update(map: &Map<String, Value>) -> bool {
    map.keys().any(|key| matches!(field(key), Some(Field::Wrapper | Field::Growth | Field::Current | Field::Core)))
}

/// Reads an update. Nothing in it is an error: what cannot be applied is noted and kept aside.
pub fn read_update(value: &Value) -> (StateUpdate, Vec<ReplyNotice>) {
    let mut reader = Reader::default();
    match value {
        Value::Object(map) => reader.layer(map, "", 0),
        Value::Null => {}
        value => reader.keep("update".into(), value),
    }
    (reader.update, reader.notices)
}

/// Layers are three deep at most: wrapper, layer, field.
const DEEPEST: usize = 3;

#[derive(Default)]
struct Reader {
    update: StateUpdate,
    notices: Vec<ReplyNotice>,
}

impl Reader {
    fn layer(&mut self, map: &Map<String, Value>, path: &str, depth: usize) {
        for (key, value) in map {
            let here = join(path, key);
            match (field(key), value) {
                (_, Value::Null) => {}
                (Some(Field::Core), value) => self.notices.push(ReplyNotice::CoreRefused { value: value.clone() }),
                (Some(Field::Wrapper | Field::Growth | Field::Current), Value::Object(map)) if depth < DEEPEST => {
                    self.layer(map, &here, depth + 1);
                }
                (Some(Field::Beliefs), value) => {
                    let found = self.changes(value, &here);
                    self.update.beliefs.extend(found);
                }
                (Some(Field::Patterns), value) => {
                    let found = self.changes(value, &here);
                    self.update.patterns.extend(found);
                }
                (Some(Field::Relationships), value) => {
                    let found = self.changes(value, &here);
                    self.update.relationships.extend(found);
                }
                (Some(Field::Emotions), value) => {
                    let found = self.changes(value, &here);
                    self.update.emotions.extend(found);
                }
                (Some(Field::Goals), value) => {
                    let found = self.changes(value, &here);
                    self.update.goals.extend(found);
                }
                (Some(Field::Physical), value) => self.physical(value, &here),
                (_, value) => self.keep(here, value),
            }
        }
    }

    /// One condition holds at a time, so several that are named are one.
    fn physical(&mut self, value: &Value, path: &str) {
        for change in self.changes::<Physical>(value, path) {
            let (Change::Add(new) | Change::Update(new) | Change::Now(new)) = change;
            match &mut self.update.physical {
                None => self.update.physical = Some(new),
                Some(old) => {
                    old.condition = format!("{}; {}", old.condition, new.condition);
                    old.extra.extend(new.extra);
                }
            }
        }
    }

    /// `{"add": […], "update": […], "now": […]}`, or a list or a single item for `add`.
    fn changes<T: Item>(&mut self, value: &Value, path: &str) -> Vec<Change<T>> {
        let mut changes = Vec::new();
        match value {
            Value::Object(map) if map.keys().any(|key| operation(key).is_some()) => {
                for (key, value) in map {
                    let here = join(path, key);
                    match operation(key) {
                        Some(Operation::Add) => changes.extend(self.items(value, &here).into_iter().map(Change::Add)),
                        Some(Operation::Update) => {
                            changes.extend(self.items(value, &here).into_iter().map(Change::Update));
                        }
                        Some(Operation::Now) => changes.extend(self.items(value, &here).into_iter().map(Change::Now)),
                        _ if is_blank(value) => {}
                        _ => self.keep(here, value),
                    }
                }
            }
            value => changes.extend(self.items(value, path).into_iter().map(Change::Add)),
        }
        changes
    }

    fn items<T: Item>(&mut self, value: &Value, path: &str) -> Vec<T> {
        match value {
            Value::Array(list) => list.iter().filter_map(|value| self.one(value, path)).collect(),
            // By name: `{"Victor": "an enemy"}`.
            Value::Object(map) if !item::fits::<T>(map) => {
                map.iter().filter_map(|(name, value)| self.named(name, value, path)).collect()
            }
            value => self.one(value, path).into_iter().collect(),
        }
    }

    fn one<T: Item>(&mut self, value: &Value, path: &str) -> Option<T> {
        if is_blank(value) {
            return None;
        }
        let item = match value {
            Value::String(text) if !item::is_number(text) => item::named(text, Map::new(), path, &mut self.notices),
            Value::Object(map) => item::read(map.clone(), path, &mut self.notices),
            Value::Number(_) | Value::String(_) => {
                self.notices.push(ReplyNotice::NumberDropped { path: path.to_owned(), value: value.clone() });
                return None;
            }
            _ => None,
        };
        if item.is_none() {
            self.keep(path.to_owned(), value);
        }
        item
    }

    fn named<T: Item>(&mut self, name: &str, value: &Value, path: &str) -> Option<T> {
        let here = join(path, name);
        let item = match value {
            Value::Object(map) => item::named(name, map.clone(), &here, &mut self.notices),
            value => item::described(name, value, &here, &mut self.notices),
        };
        if item.is_none() && !is_blank(value) && !value.is_number() {
            self.keep(here, value);
        }
        item
    }

    fn keep(&mut self, path: String, value: &Value) {
        // What stands at the same path makes a list.
        match self.update.aside.get_mut(&path) {
            None => _ = self.update.aside.insert(path.clone(), value.clone()),
            Some(Value::Array(list)) => list.push(value.clone()),
            Some(old) => *old = Value::Array(vec![old.take(), value.clone()]),
        }
        self.notices.push(ReplyNotice::KeptAside { path });
    }
}

enum Operation {
    Add,
    Update,
    /// Ours: of what is of the moment, all that holds.
    Now,
    /// Kept aside.
    Other,
}

fn operation(key: &str) -> Option<Operation> {
    Some(match plain_key(key).as_str() {
        "add" | "added" | "append" | "新增" | "添加" => Operation::Add,
        "update" | "updated" | "change" | "modify" | "更新" => Operation::Update,
        "now" => Operation::Now,
        "remove" | "removed" | "delete" | "删除" | "移除" => Operation::Other,
        _ => return None,
    })
}

fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(list) => list.iter().all(is_blank),
        Value::Object(map) => map.values().all(is_blank),
        _ => false,
    }
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}
