//! From a reply's text to what modules take in, and what was odd about it.

use serde::Serialize;
use serde_json::{Map, Value};

use super::{Absorbed, PersonaUpdate, echo};
use crate::{
    reply::{
        notice::ReplyNotice,
        parser::{self, ParsedReply, PartKind, WorldOp, is_nothing, pairs, parse, plain, world_ops},
        progress,
        update::{Change, is_wrapper, read_update},
    },
    story::{
        clip,
        generation::Generation,
        persona::{Item, ItemKind},
        plot::PointStatus,
    },
};

/// Reads a reply. Of one that `failed` nothing counts.
pub fn read_reply(text: &str, failed: bool) -> Absorbed {
    match failed {
        true => Absorbed { failed, ..Default::default() },
        false => take(parse(text)),
    }
}

/// Reads one that was broken off, as [`read_reply`] does. A line of changes that nothing ended may want its second half:
/// it says nothing.
pub fn read_cut(text: &str) -> Absorbed {
    let parsed = parse(text);
    let open = parsed.parts.last().filter(|part| part.kind == PartKind::State && !part.closed);
    let cut =
        open.map(|part| (part.raw.start, &text[part.raw.clone()])).filter(|(_, said)| !said.contains(['{', '｛']));
    let whole = cut.map_or(text.len(), |(start, said)| start + said.rfind('\n').map_or(0, |at| at + 1));
    take(if whole < text.len() { parse(&text[..whole]) } else { parsed })
}

fn take(parsed: ParsedReply) -> Absorbed {
    // The first marker counts, as in the seed's `re.search`.
    let progress = parsed.progress.first().map(|progress| (progress.index, progress.status)).or(parsed.plot);
    let unreadable = parsed.notices.iter().find_map(|notice| match notice {
        ReplyNotice::BadJson { excerpt } => Some(excerpt.clone()),
        _ => None,
    });
    let mut said = parsed.update;
    let beside = said.as_mut().and_then(Value::as_object_mut).map(unwrapped).map(take_beside).unwrap_or_default();
    let (update, more) = said.as_ref().map(read_items).unwrap_or_default();
    let notices = parsed.notices.into_iter().chain(more).collect();
    let progress = progress.or(beside.progress);
    let mut world = [parsed.world, beside.world].concat();
    world.retain(|op| !echo::is_op(op));
    Absorbed { progress, update, unreadable, world, notices, ..Default::default() }
}

/// An update without the one field that it may be in as a whole: `{"note": {…}}`.
fn unwrapped(update: &mut Map<String, Value>) -> &mut Map<String, Value> {
    while let (1, Some((name, Value::Object(inner)))) = (update.len(), update.iter_mut().next())
        && (name == "note" || is_wrapper(name))
    {
        *update = std::mem::take(inner);
    }
    update
}

/// Reads what a scribe noted: an object, lines, or what a reply may say in any of its dialects. There is nothing to show in
/// it. Where it neither says something nor that there is nothing to say, it is unreadable.
pub fn read_note(text: &str) -> Absorbed {
    let text = text.trim();
    let is_object = text.contains(['{', '｛']);
    let tagged = match () {
        () if text.contains("<changes") || text.contains("<state_update") => text.to_owned(),
        () if is_object => format!("<state_update_json>\n{text}\n</state_update_json>"),
        () => format!("<changes>\n{text}\n</changes>"),
    };
    let mut read = read_reply(&tagged, false);
    read.notices.retain(|notice| !matches!(notice, ReplyNotice::NothingShown | ReplyNotice::UntaggedState));
    // It was asked for all feelings and goals of the moment.
    if let Some(update) = &mut read.update {
        update.said = 0;
        update.whole = vec![ItemKind::Emotion, ItemKind::Goal];
    }
    let says_something = read.update.is_some() || read.progress.is_some() || !read.world.is_empty();
    if !(says_something || is_object || is_nothing(text)) {
        read.unreadable = Some(clip(text, EXCERPT));
    }
    read
}

/// Characters of a note that cannot be read.
const EXCERPT: usize = 120;

/// What an update says of the plot and the world.
#[derive(Default)]
struct Beside {
    progress: Option<(u32, PointStatus)>,
    world: Vec<WorldOp>,
}

/// Takes out of an update `"progress": {"point": 2, "status": "completed"}` and `"world": {"set": {…}, "add": {…}}`, or a
/// list of `{"key", "value"}` or `{"lamp": "lit"}`.
fn take_beside(update: &mut Map<String, Value>) -> Beside {
    let progress = update.shift_remove("progress").map(alone).and_then(|said| {
        let field = |names: [&str; 3]| names.iter().find_map(|name| said.get(name)).map(|value| plain(value.clone()));
        let [point, status] = [["point", "index", "plot"], ["status", "state", "is"]].map(field);
        // `"2: completed"` as well.
        let said = point.map_or_else(|| plain(said.clone()), |point| format!("{point}:{}", status.unwrap_or_default()));
        progress::read(&said.replacen(['第', '点'], "", 2)).filter(|(point, _)| *point > 0)
    });
    let world = match update.shift_remove("world") {
        Some(Value::Object(map)) => world_ops(map),
        Some(Value::Array(list)) => list.into_iter().flat_map(one_of).collect(),
        _ => Vec::new(),
    };
    Beside { progress, world }
}

/// What one of a list says of the world.
fn one_of(said: Value) -> Vec<WorldOp> {
    match said {
        Value::Object(map) if ["set", "add"].iter().any(|how| map.get(*how).is_some_and(|said| !said.is_string())) => {
            world_ops(map)
        }
        said => {
            let said = pairs(said).filter(|(key, value)| !key.trim().is_empty() && !value.trim().is_empty());
            said.map(|(key, value)| WorldOp::Note { key, value }).collect()
        }
    }
}

/// What stands alone in a list.
fn alone(said: Value) -> Value {
    match said {
        Value::Array(mut list) if list.len() == 1 => list.remove(0),
        said => said,
    }
}

/// Two texts are read of a turn: the reply, and what a scribe noted of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    Reply,
    Note,
}

impl Said {
    /// Under this name a reply carries what was odd about the text.
    fn name(self) -> &'static str {
        match self {
            Self::Reply => "reading",
            Self::Note => "note_reading",
        }
    }

    /// What was odd about the text, as it was read (B4).
    pub fn notices_of(self, reply: &Generation) -> Vec<ReplyNotice> {
        reply.list(self.name())
    }

    pub(super) fn set_notices(self, reply: &mut Generation, notices: &[ReplyNotice]) {
        reply.set_list(self.name(), notices);
    }
}

/// The reply as a model reads of it later: without its thoughts, its state update and its marks.
pub fn narrative(text: &str) -> String {
    parser::spoken(text).into_owned()
}

/// The key by which an update calls itself a major event (B5).
const MAJOR_EVENT: &str = "major_event";

/// The items of an update, `None` where it changes nothing; and what could not be taken from it.
fn read_items(update: &Value) -> (Option<PersonaUpdate>, Vec<ReplyNotice>) {
    let (changes, mut notices) = read_update(update);
    notices.retain(|notice| !matches!(notice, ReplyNotice::KeptAside { path } if path == MAJOR_EVENT));
    let mut items = Vec::new();
    collect(&mut items, ItemKind::Belief, &changes.beliefs);
    collect(&mut items, ItemKind::Pattern, &changes.patterns);
    collect(&mut items, ItemKind::Relationship, &changes.relationships);
    collect(&mut items, ItemKind::Emotion, &changes.emotions);
    collect(&mut items, ItemKind::Goal, &changes.goals);
    if let Some(physical) = &changes.physical {
        items.extend(item(ItemKind::Physical, physical));
    }
    let major_event = match &update[MAJOR_EVENT] {
        Value::Bool(true) => Some(String::new()),
        Value::String(reason) if !echo::is_blank(reason) && !is_no(reason.trim()) => Some(reason.trim().to_owned()),
        _ => None,
    };
    let mut whole = Vec::new();
    whole.extend(changes.emotions.iter().any(is_whole).then_some(ItemKind::Emotion));
    whole.extend(changes.goals.iter().any(is_whole).then_some(ItemKind::Goal));
    ((!items.is_empty()).then_some(PersonaUpdate { said: items.len(), items, whole, major_event }), notices)
}

/// Whether there was no such event.
fn is_no(text: &str) -> bool {
    is_nothing(text)
        || ["false", "no", "否", "没有", "沒有"].contains(&text.trim_end_matches(['.', '。']).to_lowercase().as_str())
}

fn is_whole<T>(change: &Change<T>) -> bool {
    matches!(change, Change::Now(_))
}

fn collect<T: Serialize>(items: &mut Vec<Item>, kind: ItemKind, changes: &[Change<T>]) {
    items.extend(changes.iter().filter_map(|change| item(kind, change.item())));
}

fn item<T: Serialize>(kind: ItemKind, stored: &T) -> Option<Item> {
    Item::read(kind, &serde_json::to_value(stored).ok()?).and_then(echo::said)
}
