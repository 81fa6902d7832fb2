//! An entry as World Info has it, and the two forms that there are.

use serde_json::{Value, json};

use super::{Object, card};
use crate::{
    exchange::names::tidy_name,
    story::{
        Extra,
        lorebook::{Entry, Filter, Logic, Position},
        preset::Role,
    },
};

/// Depth of an entry in the chat that names none (the field's own default).
const DEFAULT_DEPTH: u32 = 4;
/// Its text is told where a prompt asks for it by name.
const OUTLET: i64 = 7;

pub const POSITIONS: [Position; 7] = [
    Position::BeforeCharacter,
    Position::AfterCharacter,
    Position::BeforeNote,
    Position::AfterNote,
    Position::AtDepth,
    Position::BeforeExamples,
    Position::AfterExamples,
];
const LOGICS: [Logic; 4] = [Logic::Any, Logic::NotAll, Logic::NotAny, Logic::All];
const ROLES: [Role; 3] = [Role::System, Role::User, Role::Assistant];

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    WorldInfo,
    Card,
}

impl Form {
    pub const ALL: [Self; 2] = [Self::WorldInfo, Self::Card];

    /// By what the form alone has; `None`: neither.
    pub fn of(fields: &Object) -> Option<Self> {
        let has = |keys: &[&str]| keys.iter().any(|key| fields.contains_key(*key));
        if has(&["key", "keysecondary", "uid"]) {
            Some(Self::WorldInfo)
        } else if has(&["content", "insertion_order"]) {
            Some(if has(&["keys", "insertion_order", "enabled"]) { Self::Card } else { Self::WorldInfo })
        } else {
            None
        }
    }

    /// Where an entry keeps what is left of it.
    pub fn place(self) -> &'static str {
        match self {
            Self::WorldInfo => "world_info",
            Self::Card => "card",
        }
    }

    /// What it calls an entry by.
    pub fn id(self) -> &'static str {
        match self {
            Self::WorldInfo => "uid",
            Self::Card => "id",
        }
    }

    pub fn read(self, fields: &Object) -> Entry {
        let entry = match self {
            Self::WorldInfo => read(fields),
            Self::Card => read(&card::flat(fields)),
        };
        Entry { enabled: entry.enabled && !is_outlet(fields), ..entry }
    }

    pub fn write(self, entry: &Entry, uid: i64) -> Object {
        let mut flat = write(entry);
        match self {
            Self::WorldInfo => {
                flat.shift_insert(0, "uid".into(), uid.into());
                flat
            }
            Self::Card => {
                let mut fields = card::of(flat);
                let id = if uid.to_string() == entry.id { uid.into() } else { entry.id.as_str().into() };
                fields.shift_insert(0, "id".into(), id);
                fields
            }
        }
    }
}

/// Whether both say the same, whatever they are called by and whatever else they carry.
pub fn same(one: &Entry, other: &Entry) -> bool {
    let bare = |entry: &Entry| Entry { id: String::new(), extra: Extra::new(), ..entry.clone() };
    bare(one) == bare(other)
}

/// An entry for an outlet, in either form, has no place here: it is switched off.
pub fn is_outlet(fields: &Object) -> bool {
    let inner = fields.get("extensions").and_then(|extensions| extensions.get("position"));
    [fields.get("position"), inner].into_iter().any(|position| integer(position) == Some(OUTLET))
}

fn read(fields: &Object) -> Entry {
    let flag = |key: &str| fields.get(key).and_then(Value::as_bool);
    let one_of = |key: &str| integer(fields.get(key)).and_then(|number| usize::try_from(number).ok());
    let count = |key: &str| number(fields.get(key)).unwrap_or(0);
    let position = one_of("position").and_then(|at| POSITIONS.get(at).copied()).unwrap_or_default();
    let asks_more = flag("selective").unwrap_or(true);
    let probability = number(fields.get("probability")).filter(|_| flag("useProbability") != Some(false));
    let order =
        |key: &str| integer(fields.get(key)).map(|number| number.clamp(i32::MIN.into(), i32::MAX.into()) as i32);
    let default = Entry::default();
    Entry {
        id: match fields.get("uid") {
            Some(Value::String(id)) => id.clone(),
            Some(Value::Number(number)) => number.to_string(),
            _ => String::new(),
        },
        name: tidy_name(&text(fields.get("comment"))).0,
        keys: keys(fields.get("key")),
        secondary_keys: if asks_more { keys(fields.get("keysecondary")) } else { Vec::new() },
        logic: one_of("selectiveLogic").and_then(|at| LOGICS.get(at).copied()).unwrap_or_default(),
        content: text(fields.get("content")),
        constant: flag("constant").unwrap_or(false),
        by_meaning: flag("vectorized").unwrap_or(false),
        enabled: !flag("disable").unwrap_or(false),
        order: order("order").unwrap_or(default.order),
        position,
        depth: (position == Position::AtDepth).then(|| number(fields.get("depth")).unwrap_or(DEFAULT_DEPTH)),
        role: role(fields.get("role")),
        probability: probability.map_or(default.probability, |probability| probability.min(100)),
        case_sensitive: flag("caseSensitive"),
        whole_words: flag("matchWholeWords"),
        scan_depth: number(fields.get("scanDepth")),
        groups: keys(fields.get("group")),
        group_first: flag("groupOverride").unwrap_or(false),
        group_weight: number(fields.get("groupWeight")).unwrap_or(default.group_weight),
        sticky: count("sticky"),
        cooldown: count("cooldown"),
        delay: count("delay"),
        exclude_recursion: flag("excludeRecursion").unwrap_or(false),
        prevent_recursion: flag("preventRecursion").unwrap_or(false),
        recursion_level: flag("delayUntilRecursion").map_or_else(|| count("delayUntilRecursion"), u32::from),
        ignore_budget: flag("ignoreBudget").unwrap_or(false),
        priority: order("priority"),
        only: fields.get("characterFilter").and_then(Value::as_object).and_then(filter),
        extra: Extra::new(),
    }
}

fn write(entry: &Entry) -> Object {
    let at = |found: Option<usize>| Value::from(found.unwrap_or_default());
    let count = |number: u32| if number == 0 { Value::Null } else { number.into() };
    let mut fields = json!({
        "key": entry.keys,
        "keysecondary": entry.secondary_keys,
        "comment": entry.name,
        "content": entry.content,
        "constant": entry.constant,
        "vectorized": entry.by_meaning,
        "selective": true,
        "selectiveLogic": at(LOGICS.iter().position(|logic| *logic == entry.logic)),
        "order": entry.order,
        "position": at(POSITIONS.iter().position(|position| *position == entry.position)),
        "disable": !entry.enabled,
        "ignoreBudget": entry.ignore_budget,
        "excludeRecursion": entry.exclude_recursion,
        "preventRecursion": entry.prevent_recursion,
        "delayUntilRecursion": entry.recursion_level,
        "probability": entry.probability,
        "useProbability": true,
        "depth": entry.depth.unwrap_or(DEFAULT_DEPTH),
        "group": entry.groups.join(","),
        "groupOverride": entry.group_first,
        "groupWeight": entry.group_weight,
        "scanDepth": entry.scan_depth,
        "caseSensitive": entry.case_sensitive,
        "matchWholeWords": entry.whole_words,
        "role": at(ROLES.iter().position(|role| *role == entry.role)),
        "sticky": count(entry.sticky),
        "cooldown": count(entry.cooldown),
        "delay": count(entry.delay),
    });
    let fields = fields.as_object_mut().expect("it is one");
    if let Some(priority) = entry.priority {
        fields.insert("priority".into(), priority.into());
    }
    if let Some(only) = &entry.only {
        let mut filter = only.extra.clone();
        filter.insert("isExclude".into(), only.exclude.into());
        filter.insert("names".into(), json!(only.names));
        filter.insert("tags".into(), json!(only.tags));
        fields.insert("characterFilter".into(), filter.into());
    }
    std::mem::take(fields)
}

fn filter(fields: &Object) -> Option<Filter> {
    let [names, tags] = ["names", "tags"].map(|key| keys(fields.get(key)));
    let mut extra = fields.clone();
    extra.retain(|key, _| !["names", "tags", "isExclude", "exclude"].contains(&key.as_str()));
    let exclude = fields.get("isExclude").and_then(Value::as_bool).unwrap_or(false);
    (!names.is_empty() || !tags.is_empty()).then_some(Filter { names, tags, exclude, extra })
}

fn role(value: Option<&Value>) -> Role {
    match value.and_then(Value::as_str) {
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        Some("system") => Role::System,
        _ => integer(value).and_then(|at| ROLES.get(usize::try_from(at).ok()?).copied()).unwrap_or_default(),
    }
}

/// A text; numbers and truth values as they are written.
pub fn text(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(value @ (Value::Number(_) | Value::Bool(_))) => value.to_string(),
        _ => String::new(),
    }
}

/// A count: whole, not below 0.
pub fn number(value: Option<&Value>) -> Option<u32> {
    integer(value).map(|number| number.clamp(0, u32::MAX.into()) as u32)
}

fn integer(value: Option<&Value>) -> Option<i64> {
    match value? {
        Value::Number(number) => number.as_i64().or_else(|| number.as_f64().map(|number| number as i64)),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

/// A list of texts, or one text with commas between them; blanks are none.
pub fn keys(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::Array(items)) => {
            items.iter().map(|item| text(Some(item))).filter(|key| !key.trim().is_empty()).collect()
        }
        Some(Value::String(list)) => {
            list.split(',').map(str::trim).filter(|key| !key.is_empty()).map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}
