//! Quick replies as files: SillyTavern's sets (`version` 2), and the slots of older ones.

use serde_json::{Map, Value, json};

use super::{
    json::{self, too_large},
    limits::RECORD_BYTES,
    names::tidy_name,
    refusal::{Refusal, Warning},
    sniff::{self, Content},
};
use crate::{
    store::from_value,
    story::quick::{QuickReply, QuickSet},
};

/// Fields of the record that a file may not set.
const OF_RECORD: [&str; 4] = ["id", "enabled", "created", "updated"];
const VERSION: u32 = 2;
/// What a button does of itself; nothing does so here.
const BY_ITSELF: [&str; 7] = [
    "executeOnStartup",
    "executeOnUser",
    "executeOnAi",
    "executeOnChatChange",
    "executeOnNewChat",
    "executeOnGroupMemberDraft",
    "executeBeforeGeneration",
];

/// Reads a set.
///
/// # Errors
/// It is not JSON, too large or deep, or holds something else.
pub fn read(text: &str) -> Result<(QuickSet, Vec<Warning>), Refusal> {
    let value = json::parse(text)?;
    let found = sniff::content(&value);
    let unrecognised = || Refusal::Unrecognised { wanted: Content::QuickReplies, found };
    let mut file = match value {
        Value::Object(file) if is_set(&file) => file,
        _ => return Err(unrecognised()),
    };
    if let Some(Value::Array(slots)) = file.remove("quickReplySlots") {
        older(&mut file, slots);
    }
    file.retain(|key, _| !OF_RECORD.contains(&key.as_str()));
    let list = match file.remove("qrList") {
        Some(Value::Array(list)) => list,
        _ => Vec::new(),
    };
    let count = list.len();
    let replies: Vec<QuickReply> = list.into_iter().filter_map(|reply| from_value(reply).ok()).collect();
    let set: QuickSet = from_value(file.into()).map_err(|error| Refusal::Damaged(error.to_string()))?;
    let (name, warning) = tidy_name(&set.name);
    let set = QuickSet { name, enabled: true, replies, ..set };
    too_large(json::size(&set), RECORD_BYTES)?;
    let alone = |reply: &&QuickReply| BY_ITSELF.iter().any(|key| reply.extra.get(*key) == Some(&Value::Bool(true)));
    let (left_out, alone) = (count - set.replies.len(), set.replies.iter().filter(alone).count());
    let warnings = [
        warning.filter(|warning| *warning != Warning::NoName),
        (left_out > 0).then_some(Warning::ItemsLeftOut { count: left_out }),
        (alone > 0).then_some(Warning::ByHandOnly { count: alone }),
    ];
    Ok((set, warnings.into_iter().flatten().collect()))
}

pub fn is_set(file: &Map<String, Value>) -> bool {
    ["qrList", "quickReplySlots"].iter().any(|key| file.get(*key).is_some_and(Value::is_array))
}

/// Slots as a list; switches by their names of now.
fn older(file: &mut Map<String, Value>, slots: Vec<Value>) {
    let slot = |(at, slot): (usize, Value)| {
        let mut reply = slot.as_object().cloned()?;
        let message = reply.remove("mes").unwrap_or_default();
        // The slots were filled up with empty ones.
        message.as_str().filter(|message| !message.is_empty())?;
        reply.insert("message".into(), message);
        if let Some(hidden) = reply.remove("hidden") {
            reply.insert("isHidden".into(), hidden.as_bool().unwrap_or_default().into());
        }
        reply.insert("id".into(), json!(at + 1));
        Some(Value::from(reply))
    };
    let list: Vec<Value> = slots.into_iter().enumerate().filter_map(slot).collect();
    file.insert("qrList".into(), list.into());
    for (then, now) in [("quickActionEnabled", "disableSend"), ("AutoInputInject", "injectInput")] {
        if let Some(value) = file.remove(then) {
            file.insert(now.into(), value.as_bool().unwrap_or_default().into());
        }
    }
}

/// Writes a set that SillyTavern reads.
pub fn write(set: &QuickSet) -> String {
    let mut file = Map::new();
    file.insert("version".into(), VERSION.into());
    if let Ok(Value::Object(fields)) = serde_json::to_value(set) {
        file.extend(fields.into_iter().filter(|(key, _)| !OF_RECORD.contains(&key.as_str())));
    }
    // There each has a number.
    let taken = set.numbers();
    let mut free = set.free_numbers();
    let mut index = taken.iter().next_back().copied().unwrap_or_default();
    let mut is_added = false;
    for reply in file.get_mut("qrList").and_then(Value::as_array_mut).into_iter().flatten() {
        if reply.get("id").and_then(Value::as_u64).is_none()
            && let Some(id) = free.next()
        {
            reply["id"] = id.into();
            index = index.max(id.saturating_add(1));
            is_added = true;
        }
    }
    // One that says nothing of what was added stays as it came.
    let said = file.get("idIndex").and_then(Value::as_u64);
    if is_added || said.is_none() && index > 0 {
        file.insert("idIndex".into(), said.unwrap_or_default().max(index).into());
    }
    serde_json::to_string_pretty(&Value::from(file)).expect("a value has text keys")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_goes_out_as_it_came() {
        let file = json!({
            "version": 2, "name": "Battle", "disableSend": true, "placeBeforeInput": false, "injectInput": true,
            "color": "rgba(0, 0, 0, 0)", "onlyBorderColor": false, "idIndex": 7,
            "qrList": [
                { "id": 3, "showLabel": false, "label": "Strike", "title": "", "message": "I strike.", "contextList": [],
                  "preventAutoExecute": true, "isHidden": false, "executeOnStartup": true, "automationId": "" },
                { "id": 6, "label": "", "title": "t", "message": "/swipe", "isHidden": true }
            ]
        });
        let (set, warnings) = read(&file.to_string()).unwrap();
        assert_eq!((set.name.as_str(), set.enabled, set.shown().count()), ("Battle", true, 1));
        assert_eq!(warnings, [Warning::ByHandOnly { count: 1 }]);
        assert_eq!(serde_json::from_str::<Value>(&write(&set)).unwrap(), file);
        // An index that says nothing is as it was while nothing is added.
        let mut early = file.clone();
        early["idIndex"] = json!(0);
        let (again, _) = read(&early.to_string()).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&write(&again)).unwrap(), early);
        let mut more = set;
        more.replies.push(QuickReply { message: "New".into(), ..QuickReply::default() });
        let out: Value = serde_json::from_str(&write(&more)).unwrap();
        assert_eq!((&out["qrList"][2]["id"], &out["idIndex"]), (&json!(7), &json!(8)));
    }

    #[test]
    fn numbers_that_cannot_grow_are_given_anew() {
        let reply = |message: &str, id: Option<u64>| QuickReply {
            message: message.into(),
            extra: id.map(|id| ("id".to_owned(), id.into())).into_iter().collect(),
            ..QuickReply::default()
        };
        let replies = vec![reply("a", Some(u64::MAX)), reply("b", None), reply("c", Some(1)), reply("d", None)];
        let out: Value = serde_json::from_str(&write(&QuickSet { replies, ..QuickSet::default() })).unwrap();
        let ids: Vec<_> = out["qrList"].as_array().unwrap().iter().map(|reply| reply["id"].as_u64().unwrap()).collect();
        assert_eq!(ids, [u64::MAX, 2, 1, 3]);
    }

    #[test]
    fn older_slots_are_read() {
        let file = json!({
            "name": "Old", "quickReplyEnabled": true, "quickActionEnabled": true, "AutoInputInject": true,
            "placeBeforeInput": true, "numberOfSlots": 3, "id": "evil", "updated": 9,
            "quickReplySlots": [
                { "mes": "Look around.", "label": "Look", "enabled": true, "hidden": true },
                { "mes": "", "label": "", "enabled": true }, 7
            ]
        });
        let (set, _) = read(&file.to_string()).unwrap();
        assert_eq!((set.replies.len(), set.replies[0].message.as_str()), (1, "Look around."));
        assert!(set.disable_send && set.inject_input && set.place_before_input && set.replies[0].is_hidden);
        assert!(set.id.as_str().is_empty() && set.updated == 0);
        assert_eq!(set.extra["numberOfSlots"], 3);
        for other in [json!({ "entries": {} }), json!([]), json!({ "qrList": 3 })] {
            assert!(matches!(read(&other.to_string()), Err(Refusal::Unrecognised { .. })), "{other}");
        }
    }
}
