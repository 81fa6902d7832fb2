//! Presets from files, and to files.
//!
//! Read: our own, and the chat-completion presets of SillyTavern (`prompts` and `prompt_order`). Of those only what is
//! said to the model comes in: samplers belong to the connection, and addresses, proxies and keys are never taken.

use serde_json::{Map, Value};

use super::{
    json,
    limits::RECORD_BYTES,
    names::tidy_name,
    refusal::{Refusal, Warning},
    sniff::{self, Content},
};
use crate::{
    features,
    prompt::sources::marker_name,
    store::from_value,
    story::preset::{Block, DEFAULT_ORDER, Preset, Role},
};

type Object = Map<String, Value>;

/// Marks a file of ours, and says its version.
const OURS: &str = "fabula_preset";
const VERSION: u32 = 1;
/// Depth of a prompt in the chat that names none (the field's own default).
const DEFAULT_DEPTH: u32 = 4;

/// Reads a preset file. The caller gives id, times, and a name where the file has none.
///
/// # Errors
/// It is not JSON, too large or deep, damaged, newer than this program, or holds something else.
pub fn read(text: &str) -> Result<(Preset, Vec<Warning>), Refusal> {
    let value = json::parse(text)?;
    let unrecognised = || Refusal::Unrecognised { wanted: Content::Preset, found: sniff::content(&value) };
    let file = value.as_object().ok_or_else(unrecognised)?;
    let mut preset = if file.contains_key(OURS) {
        own(file)?
    } else if file.get("prompts").is_some_and(Value::is_array) {
        foreign(file)
    } else {
        // A file of prompts alone: `{version, type, data: {prompts, prompt_order}}`.
        let inner = file.get("data").and_then(Value::as_object).filter(|data| data.contains_key("prompts"));
        foreign(inner.ok_or_else(unrecognised)?)
    };
    let (name, warning) = tidy_name(&preset.name);
    preset.name = name;
    tell_apart(&mut preset.blocks);
    json::too_large(json::size(&preset), RECORD_BYTES)?;
    Ok((preset, warning.into_iter().collect()))
}

/// Writes a preset, readable by people.
pub fn write(preset: &Preset) -> String {
    let mut file = Object::new();
    file.insert(OURS.into(), VERSION.into());
    if let Ok(Value::Object(fields)) = serde_json::to_value(preset) {
        file.extend(fields.into_iter().filter(|(key, _)| !OF_RECORD.contains(&key.as_str())));
    }
    serde_json::to_string_pretty(&Value::from(file)).expect("a value has text keys")
}

/// Fields of the stored record that a file may not set.
const OF_RECORD: [&str; 3] = ["id", "created", "updated"];

fn own(file: &Object) -> Result<Preset, Refusal> {
    let version = file.get(OURS).and_then(Value::as_u64).unwrap_or(u64::MAX) as u32;
    if version > VERSION {
        return Err(Refusal::Newer { file: version, known: VERSION });
    }
    let mut fields = file.clone();
    fields.retain(|key, _| key != OURS && !OF_RECORD.contains(&key.as_str()));
    let mut preset: Preset = from_value(fields.into()).map_err(|error| Refusal::Damaged(error.to_string()))?;
    features::leave_home(&mut preset.features);
    Ok(preset)
}

fn foreign(file: &Object) -> Preset {
    let prompts: Vec<&Object> =
        file.get("prompts").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object).collect();
    let mut blocks = Vec::new();
    let mut placed = Vec::new();
    for (identifier, enabled) in order(file) {
        let known = prompts.iter().find(|prompt| text(prompt, "identifier") == identifier);
        placed.push(identifier);
        match known {
            Some(prompt) => blocks.push(Block { enabled, ..block(prompt) }),
            None if is_marker(identifier) => blocks.push(Block { enabled, ..marker(identifier) }),
            None => {}
        }
    }
    // What has no place is kept, switched off; in a file without any order all of it counts.
    let without_order = placed.is_empty();
    for prompt in prompts.iter().filter(|prompt| !placed.contains(&text(prompt, "identifier"))) {
        let read = block(prompt);
        blocks.push(Block { enabled: without_order && read.enabled, ..read });
    }
    let mut extra = file.clone();
    extra.retain(|key, _| !OF_FILE.contains(&key.as_str()) && !is_of_connection(key));
    let mut extra = Value::from(extra);
    drop_secrets(&mut extra);
    let extra = extra.as_object().cloned().unwrap_or_default();
    let [name, description] = ["name", "description"].map(|key| text(file, key).to_owned());
    Preset { name, description, blocks, extra, ..Preset::default() }
}

/// Identifiers in their order, and whether each is switched on. One order holds for all characters: 100001; older
/// files have 100000.
fn order(file: &Object) -> Vec<(&str, bool)> {
    let lists: Vec<&Object> =
        file.get("prompt_order").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object).collect();
    let of = |id: u64| lists.iter().rev().find(|list| list.get("character_id").and_then(Value::as_u64) == Some(id));
    let list = of(100_001).or_else(|| of(100_000)).or(lists.last());
    let items = list.and_then(|list| list.get("order")).and_then(Value::as_array).into_iter().flatten();
    let item = |item: &'_ Value| item.get("enabled").and_then(Value::as_bool).unwrap_or(true);
    items.filter_map(|one| Some((one.get("identifier")?.as_str()?, item(one)))).collect()
}

/// The markers of SillyTavern, by their identifiers there.
const MARKERS: [&str; 8] = [
    "worldInfoBefore",
    "worldInfoAfter",
    "personaDescription",
    "charDescription",
    "charPersonality",
    "scenario",
    "dialogueExamples",
    "chatHistory",
];

fn is_marker(identifier: &str) -> bool {
    MARKERS.contains(&identifier)
}

fn marker(identifier: &str) -> Block {
    Block { identifier: identifier.to_owned(), marker: Some(marker_name(identifier).to_owned()), ..Block::default() }
}

fn block(prompt: &Object) -> Block {
    let identifier = text(prompt, "identifier");
    let number = |key: &str| prompt.get(key).and_then(Value::as_i64);
    let flag = |key: &str| prompt.get(key).and_then(Value::as_bool);
    let in_chat = number("injection_position") == Some(1);
    let depth = number("injection_depth").and_then(|depth| u32::try_from(depth).ok()).unwrap_or(DEFAULT_DEPTH);
    let order = number("injection_order").and_then(|order| i32::try_from(order).ok()).unwrap_or(DEFAULT_ORDER);
    let mut extra = prompt.clone();
    extra.retain(|key, _| !OF_PROMPT.contains(&key.as_str()) && !OF_BLOCK.contains(&key.as_str()));
    let mut extra = Value::from(extra);
    drop_secrets(&mut extra);
    let is_marker = is_marker(identifier) || flag("marker") == Some(true);
    Block {
        identifier: identifier.to_owned(),
        name: tidy_name(text(prompt, "name")).0,
        role: match text(prompt, "role") {
            "user" => Role::User,
            "assistant" => Role::Assistant,
            _ => Role::System,
        },
        enabled: flag("enabled").unwrap_or(true),
        content: (!is_marker).then(|| text(prompt, "content").to_owned()),
        marker: is_marker.then(|| marker_name(identifier).to_owned()),
        depth: in_chat.then_some(depth),
        order,
        forbid_overrides: flag("forbid_overrides").unwrap_or(false),
        extra: extra.as_object().cloned().unwrap_or_default(),
        ..Block::default()
    }
}

fn text<'a>(object: &'a Object, key: &str) -> &'a str {
    object.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// Every block has an identifier of its own: the account of a prompt and its differences go by it.
fn tell_apart(blocks: &mut [Block]) {
    let mut seen = std::collections::HashSet::new();
    for block in blocks {
        let base = if block.identifier.trim().is_empty() { "block".to_owned() } else { block.identifier.clone() };
        let mut identifier = base.clone();
        let mut number = 1;
        while !seen.insert(identifier.clone()) {
            number += 1;
            identifier = format!("{base}-{number}");
        }
        block.identifier = identifier;
    }
}

/// Fields of a foreign file that have become fields here, or would be taken for them.
const OF_FILE: [&str; 9] =
    ["prompts", "prompt_order", "name", "description", "blocks", "modules", "id", "created", "updated"];
const OF_PROMPT: [&str; 10] = [
    "identifier",
    "name",
    "role",
    "content",
    "marker",
    "enabled",
    "injection_position",
    "injection_depth",
    "injection_order",
    "forbid_overrides",
];
const OF_BLOCK: [&str; 7] = ["empty", "section", "depth", "order", "turns", "form", "current_session"];

/// Samplers and what belongs to a provider: the connection's business.
const OF_CONNECTION: [&str; 24] = [
    "temperature",
    "temp_openai",
    "frequency_penalty",
    "presence_penalty",
    "top_p",
    "top_k",
    "top_a",
    "min_p",
    "repetition_penalty",
    "seed",
    "n",
    "stream_openai",
    "max_context_unlocked",
    "openai_max_context",
    "openai_max_tokens",
    "chat_completion_source",
    "reasoning_effort",
    "verbosity",
    "function_calling",
    "bypass_status_check",
    "show_external_models",
    "enable_web_search",
    "request_images",
    "bias_preset_selected",
];

fn is_of_connection(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    OF_CONNECTION.contains(&key.as_str())
        || key.starts_with("custom_")
        || key.ends_with("_model")
        || key.starts_with("openrouter_")
        || is_secret(&key)
}

/// Whether a field of this name may hold an address or a key.
fn is_secret(key: &str) -> bool {
    const PARTS: [&str; 10] = [
        "api_key",
        "apikey",
        "api-key",
        "password",
        "secret",
        "proxy",
        "authorization",
        "bearer",
        "header",
        "credential",
    ];
    let key = key.to_ascii_lowercase();
    PARTS.iter().any(|part| key.contains(part))
        || ["url", "key", "token", "access_token", "endpoint"].contains(&key.as_str())
        || ["_url", "-url", "_key"].iter().any(|end| key.ends_with(end))
}

fn drop_secrets(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|key, _| !is_secret(key));
            fields.values_mut().for_each(drop_secrets);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_secrets),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        features::{
            director::DirectorSettings, events::EventsSettings, planner::PlannerSettings, recall::RecallSettings,
        },
        prompt::builtin,
        story::storyline::Language,
    };

    #[test]
    fn what_is_written_is_read() {
        for (id, _) in builtin::BUILTIN {
            let mut preset = builtin::builtin(id, Language::Zh).unwrap();
            preset.extra.insert("unheard_of".into(), json!({"kept": [1]}));
            preset.blocks[0].extra.insert("also".into(), json!("kept"));
            let (read, warnings) = read(&write(&preset)).unwrap();
            assert_eq!(warnings, []);
            assert_eq!(read, Preset { id: Default::default(), ..preset }, "{id}");
        }
    }

    /// A copy, a file of it, and what is read of that turn the same modules on.
    #[test]
    fn a_copy_does_what_the_original_does() {
        let on = |preset: &Preset| {
            let story = crate::story::storyline::Storyline { preset: preset.id.clone(), ..Default::default() };
            let recall: RecallSettings = story.settings(preset);
            let on = ["director", "persona", "world"].map(|name| preset.features.is_on(name));
            (on, recall.policy.name(), recall.limit)
        };
        for (id, expected) in [
            ("living", ([true, true, true], "always", 5)),
            ("plain", ([false, false, false], "always", 5)),
            ("director", ([true, false, false], "asked", 20)),
            ("persona", ([false, true, false], "always", 5)),
            ("sxml", ([false, false, true], "always", 5)),
            ("framework", ([false, false, false], "always", 5)),
        ] {
            for language in [Language::Zh, Language::En] {
                let preset = builtin::builtin(id, language).unwrap();
                assert_eq!(on(&preset), expected, "{id}");
                let copy = Preset { id: "mine".into(), name: "Mine".into(), ..preset };
                assert_eq!(on(&copy), expected, "{id}, copied");
                assert_eq!(on(&read(&write(&copy)).unwrap().0), expected, "{id}, exported and read");
            }
        }
    }

    /// What belongs to the place that a file comes from stays there.
    #[test]
    fn a_file_names_no_connection_and_brings_no_events() {
        let modules = json!({
            "planner": {"enabled": true, "connection": "theirs", "instruction": "Plan."},
            "events": {"off": ["rain"]},
        });
        let file = json!({"fabula_preset": 1, "name": "N", "blocks": [], "modules": modules});
        let (preset, _) = read(&file.to_string()).unwrap();
        let planner: PlannerSettings = preset.features.get().unwrap();
        assert_eq!((planner.enabled, planner.connection, planner.instruction.as_str()), (true, None, "Plan."));
        assert_eq!(preset.features.get::<EventsSettings>(), None);
        // In a file of another program the word means something else.
        let foreign =
            json!({"prompts": [{"identifier": "main", "content": "x"}], "modules": {"director": {"enabled": true}}});
        assert!(read(&foreign.to_string()).unwrap().0.features.get::<DirectorSettings>().is_none());
    }

    #[test]
    fn a_chat_completion_preset() {
        let file = json!({
            "temperature": 0.9, "openai_max_tokens": 300, "reverse_proxy": "https://proxy.example", "proxy_password": "pw",
            "custom_url": "https://custom.example", "claude_model": "x", "new_chat_prompt": "[Start]",
            "extensions": {"tool": {"depth": 2, "api_key": "sk-1", "endpoint": "https://e.example"}},
            "prompts": [
                {"identifier": "main", "name": "Main Prompt", "role": "system", "content": "Write {{char}}.", "system_prompt": true},
                {"identifier": "chatHistory", "name": "Chat History", "marker": true, "system_prompt": true},
                {"identifier": "charDescription", "name": "Char", "marker": true},
                {"identifier": "u1", "name": "Deep", "role": "user", "content": "Now.", "injection_position": 1,
                    "injection_depth": 2, "injection_order": 50, "injection_trigger": ["normal"]},
                {"identifier": "u2", "name": "Unplaced", "role": "assistant", "content": "Hm.", "injection_position": 0,
                    "injection_depth": 4, "forbid_overrides": true},
            ],
            "prompt_order": [
                {"character_id": 100000, "order": [{"identifier": "main", "enabled": true}]},
                {"character_id": 100001, "order": [
                    {"identifier": "charDescription", "enabled": true},
                    {"identifier": "main", "enabled": false},
                    {"identifier": "u1", "enabled": true},
                    {"identifier": "worldInfoBefore", "enabled": true},
                    {"identifier": "chatHistory", "enabled": true},
                    {"identifier": "nowhere", "enabled": true},
                ]},
            ],
        });
        let (preset, warnings) = read(&file.to_string()).unwrap();
        assert_eq!(warnings, []);
        let shape: Vec<_> = preset
            .blocks
            .iter()
            .map(|block| (block.identifier.as_str(), block.marker.as_deref(), block.enabled, block.depth))
            .collect();
        assert_eq!(
            shape,
            [
                ("charDescription", Some("description"), true, None),
                ("main", None, false, None),
                ("u1", None, true, Some(2)),
                ("worldInfoBefore", Some("lore_before"), true, None),
                ("chatHistory", Some("history"), true, None),
                ("u2", None, false, None),
            ]
        );
        let deep = &preset.blocks[2];
        assert_eq!((deep.role, deep.order, deep.content.as_deref()), (Role::User, 50, Some("Now.")));
        assert_eq!(deep.extra["injection_trigger"], json!(["normal"]));
        assert!(preset.blocks[5].forbid_overrides);
        assert_eq!(
            Value::from(preset.extra.clone()),
            json!({"new_chat_prompt": "[Start]", "extensions": {"tool": {"depth": 2}}})
        );
        let out = write(&preset);
        for secret in ["example", "sk-1", "pw\"", "0.9"] {
            assert!(!out.contains(secret), "{secret} in {out}");
        }
        assert_eq!(read(&out).unwrap().0, preset, "out and in again");
    }

    #[test]
    fn older_orders_and_bare_prompts() {
        let prompt = |id: &str| json!({"identifier": id, "content": id});
        let ids = |file: Value| {
            let (preset, _) = read(&file.to_string()).unwrap();
            preset.blocks.into_iter().map(|block| (block.identifier, block.enabled)).collect::<Vec<_>>()
        };
        let old = json!({"prompts": [prompt("a"), prompt("b")],
            "prompt_order": [{"character_id": 100000, "order": [{"identifier": "b", "enabled": true}]}, {"character_id": 7, "order": []}]});
        assert_eq!(ids(old), [("b".to_owned(), true), ("a".to_owned(), false)]);
        let bare = json!({"version": 1, "type": "full", "data": {"prompts": [prompt("a"), prompt("a"), prompt("")]}});
        assert_eq!(ids(bare), [("a".to_owned(), true), ("a-2".to_owned(), true), ("block".to_owned(), true)]);
    }

    #[test]
    fn refused() {
        let other = |found| Refusal::Unrecognised { wanted: Content::Preset, found };
        for (text, refusal) in [
            (r#"{"name": "x", "first_mes": "y"}"#, other(Content::Character)),
            ("7", other(Content::Unknown)),
            ("", Refusal::Truncated),
            (r#"{"fabula_preset": 2}"#, Refusal::Newer { file: 2, known: 1 }),
        ] {
            assert_eq!(read(text).map(|_| ()), Err(refusal), "{text}");
        }
        assert!(matches!(read(r#"{"fabula_preset": 1, "blocks": [{"role": "king"}]}"#), Err(Refusal::Damaged(_))));
    }
}
