//! Reads what the states of a reply say: changes of the persona as JSON, changes of the world as tags or JSON.

use serde_json::{Map, Value};

use crate::{
    reply::{
        notice::{ReplyNotice, excerpt},
        repair,
        sxml::{Tag, Token, TokenKind},
        update,
    },
    story::plot::PointStatus,
};

use super::{WorldOp, lines, pieces::State};

const NOTHING: [&str; 14] = [
    "none",
    "null",
    "n/a",
    "no change",
    "no changes",
    "无",
    "無",
    "无变化",
    "無變化",
    "没有变化",
    "沒有變化",
    "暂无",
    "暫無",
    "空",
];

/// Whether a text says that nothing changes.
pub fn is_nothing(text: &str) -> bool {
    text.is_empty() || NOTHING.contains(&text.trim_end_matches(['.', '。']).to_lowercase().as_str())
}

#[derive(Default)]
pub struct StateReader {
    pub update: Option<Value>,
    pub world: Vec<WorldOp>,
    pub plot: Option<(u32, PointStatus)>,
    pub notices: Vec<ReplyNotice>,
}

impl StateReader {
    pub fn read(&mut self, text: &str, tokens: &[Token], state: &State) {
        for (at, content) in &state.ops {
            self.op(&tokens[*at], text[content.clone()].trim(), &text[tokens[*at].raw.clone()]);
        }
        let rest: Vec<&str> = state.texts.iter().map(|range| &text[range.clone()]).collect();
        let rest = rest.concat();
        let rest = without_comments(&rest);
        let said: Vec<&str> = rest.lines().filter(|line| !line.trim_start().starts_with("```")).collect();
        let said = said.join("\n");
        let said = said.trim_matches(|c: char| c.is_whitespace() || matches!(c, '`' | '.' | '。' | '"' | '(' | ')'));
        if said == "json" || is_nothing(said) {
            return;
        }
        if state.tag.is_none() {
            self.notices.push(ReplyNotice::UntaggedState);
        }
        if state.tag.is_none_or(|tag| tag == Tag::Changes) && !said.starts_with(['{', '｛']) && !said.starts_with("[{")
        {
            return self.lines(&rest);
        }
        let is_json = state.tag != Some(Tag::StateUpdate) || rest.contains(['{', '｛']);
        if !is_json {
            return self.notices.push(ReplyNotice::BadWorldOp { excerpt: excerpt(said) });
        }
        match repair::repair_whole(&rest) {
            Ok((value, what)) => {
                if !what.is_empty() {
                    self.notices.push(ReplyNotice::RepairedJson { what });
                }
                self.json(value, state.tag, said);
            }
            Err(_) => self.notices.push(ReplyNotice::BadJson { excerpt: excerpt(said) }),
        }
    }

    fn lines(&mut self, text: &str) {
        let lines = lines::read(text);
        if !lines.update.is_empty() {
            self.merge(lines.update);
        }
        self.world.extend(lines.world);
        self.plot = self.plot.or(lines.plot);
        self.notices.extend(lines.notices);
    }

    fn merge(&mut self, map: Map<String, Value>) {
        match &mut self.update {
            Some(Value::Object(old)) => merge(old, map),
            update => *update = Some(Value::Object(map)),
        }
    }

    fn op(&mut self, token: &Token, content: &str, raw: &str) {
        let TokenKind::Open { tag, attributes, .. } = &token.kind else { return };
        let of =
            |names: &[&str]| attributes.iter().find(|(name, _)| names.contains(&name.as_str())).map(|(_, value)| value);
        let key = of(&["key", "name", "键"]).map(|key| key.trim().to_owned()).filter(|key| !key.is_empty());
        let value = of(&["value", "val", "amount", "by", "to", "值"]).cloned();
        let value = value.or_else(|| (!content.is_empty()).then(|| content.to_owned()));
        let (Some(key), Some(value)) = (key, value) else {
            return self.notices.push(ReplyNotice::BadWorldOp { excerpt: excerpt(raw) });
        };
        self.world.push(if *tag == Tag::Add { WorldOp::Add { key, value } } else { WorldOp::Set { key, value } });
    }

    fn json(&mut self, value: Value, tag: Option<Tag>, said: &str) {
        let map = match value {
            Value::Object(map) => map,
            Value::Array(list) if list.iter().all(Value::is_object) => {
                return list.into_iter().for_each(|value| self.json(value, tag, said));
            }
            _ => return self.notices.push(ReplyNotice::BadJson { excerpt: excerpt(said) }),
        };
        if tag == Some(Tag::StateUpdate) && !update::is_update(&map) {
            return self.world.extend(world_ops(map));
        }
        self.merge(map);
    }
}

/// Changes of the world as an object: `{"set": {"hp": 90}, "add": {"gold": 10}}`, or `{"hp": 90}`; each map may be a list
/// of entries instead, and a single entry stand for all.
pub fn world_ops(map: Map<String, Value>) -> Vec<WorldOp> {
    if entry(&map).is_some() {
        return pairs(map.into()).map(|(key, value)| WorldOp::Set { key, value }).collect();
    }
    let is_map = |value: &Value| match value {
        Value::Array(list) => list.iter().all(Value::is_object),
        value => value.is_object(),
    };
    let mut ops = Vec::new();
    for (key, value) in map {
        match key.as_str() {
            "set" if is_map(&value) => ops.extend(pairs(value).map(|(key, value)| WorldOp::Set { key, value })),
            "add" if is_map(&value) => ops.extend(pairs(value).map(|(key, value)| WorldOp::Add { key, value })),
            _ => ops.push(WorldOp::Set { key, value: plain(value) }),
        }
    }
    ops
}

/// Names and values, from a map of them, from an entry, or from a list of either. What else a list has is left out.
pub fn pairs(said: Value) -> impl Iterator<Item = (String, String)> {
    let maps = match said {
        Value::Array(list) => list,
        one => vec![one],
    };
    let maps = maps.into_iter().filter_map(|one| if let Value::Object(map) = one { Some(map) } else { None });
    maps.flat_map(|map| match entry(&map) {
        Some((key, value)) => vec![(plain(key.clone()), plain(value.clone()))],
        None => map.into_iter().map(|(key, value)| (key, plain(value))).collect(),
    })
}

/// `{"key": "gold", "value": 5}`. A world may well have a thing that is called `name`.
fn entry(map: &Map<String, Value>) -> Option<(&Value, &Value)> {
    let named = || map.get("name").filter(|_| map.len() == 2);
    Some((map.get("key").or_else(named)?, map.get("value")?))
}

/// A value of JSON as it would be written in a tag.
pub fn plain(value: Value) -> String {
    match value {
        Value::String(text) => text,
        value => value.to_string(),
    }
}

/// Objects are merged, lists joined, the rest replaced.
fn merge(old: &mut Map<String, Value>, new: Map<String, Value>) {
    for (key, value) in new {
        match (old.get_mut(&key), value) {
            (Some(Value::Object(old)), Value::Object(new)) => merge(old, new),
            (Some(Value::Array(old)), Value::Array(new)) => old.extend(new),
            (_, value) => _ = old.insert(key, value),
        }
    }
}

fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once("<!--") {
        let Some((_, after)) = comment.split_once("-->") else { break };
        out.push_str(before);
        rest = after;
    }
    out.push_str(rest);
    out
}
