//! Presets from files, and to files.
//!
//! Read: our own, the chat-completion presets of SillyTavern (`prompts` and `prompt_order`), and its presets for text
//! completion as far as a chat can use them; those of RisuAI. Addresses, proxies and keys are never taken.

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
    store::from_value,
    story::preset::{Block, Preset},
};

mod advanced;
mod risu;
mod sillytavern;

pub(super) use self::risu::FIELDS as OF_RISU;
pub use self::sillytavern::write as write_sillytavern;

type Object = Map<String, Value>;

/// Marks a file of ours, and says its version.
const OURS: &str = "fabula_preset";
const VERSION: u32 = 1;

/// Reads a preset file. The caller gives id, times, and a name where the file has none.
///
/// # Errors
/// It is not JSON, too large or deep, damaged, newer than this program, or holds something else.
pub fn read(text: &str) -> Result<(Preset, Vec<Warning>), Refusal> {
    let value = json::parse(text)?;
    let unrecognised = || Refusal::Unrecognised { wanted: Content::Preset, found: sniff::content(&value) };
    let file = value.as_object().ok_or_else(unrecognised)?;
    let (mut preset, unused) = if file.contains_key(OURS) {
        (own(file)?, None)
    } else if file.get("prompts").is_some_and(Value::is_array) {
        (sillytavern::read(file), None)
    } else if sniff::is_risu_preset(file) {
        risu::read(file)
    } else if let Some(read) = advanced::read(file) {
        read
    } else {
        // A file of prompts alone: `{version, type, data: {prompts, prompt_order}}`.
        let inner = file.get("data").and_then(Value::as_object).filter(|data| data.contains_key("prompts"));
        (sillytavern::read(inner.ok_or_else(unrecognised)?), None)
    };
    let (name, warning) = tidy_name(&preset.name);
    preset.name = name;
    tell_apart(&mut preset.blocks);
    json::too_large(json::size(&preset), RECORD_BYTES)?;
    Ok((preset, warning.into_iter().chain(unused).collect()))
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

fn text<'a>(object: &'a Object, key: &str) -> &'a str {
    object.get(key).and_then(Value::as_str).unwrap_or_default()
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

/// An empty text tells nothing.
fn holds_secret(key: &str, value: &Value) -> bool {
    is_secret(key) && value != ""
}

fn drop_secrets(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|key, value| !holds_secret(key, value));
            fields.values_mut().for_each(drop_secrets);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_secrets),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::{
        features::{
            director::DirectorSettings, events::EventsSettings, planner::PlannerSettings, recall::RecallSettings,
        },
        prompt::builtin,
        story::{
            preset::Role,
            sampling::{Effort, Sampling},
            storyline::Language,
        },
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
        let mut extra = preset.extra.clone();
        assert_eq!(extra.remove("prompt_order").as_ref(), file.get("prompt_order"), "kept for the way out");
        assert_eq!(
            Value::from(extra),
            json!({"temperature": 0.9, "openai_max_tokens": 300, "claude_model": "x", "new_chat_prompt": "[Start]",
                "extensions": {"tool": {"depth": 2}}})
        );
        assert_eq!((preset.sampling.temperature, preset.sampling.max_tokens), (Some(0.9), Some(300)));
        let out = write(&preset);
        for secret in ["example", "sk-1", "pw\""] {
            assert!(!out.contains(secret), "{secret} in {out}");
        }
        assert_eq!(read(&out).unwrap().0, preset, "out and in again");
    }

    /// What comes in from SillyTavern goes out to it as it came.
    #[test]
    fn out_again_to_sillytavern() {
        let prompt = |identifier: &str, content: &str, position: u32| {
            json!({"identifier": identifier, "name": identifier, "role": "system", "content": content, "marker": false,
                "system_prompt": identifier == "main", "injection_position": position, "injection_depth": 3,
                "injection_order": 7, "forbid_overrides": false, "injection_trigger": ["normal"]})
        };
        let marker =
            |identifier: &str| json!({"identifier": identifier, "name": "", "marker": true, "system_prompt": true});
        let file = json!({
            "temperature": 1, "top_p": 0.95, "top_k": 0, "top_a": 0, "min_p": 0.05, "reasoning_effort": "max", "seed": -1, "openai_max_context": 8192,
            "openai_max_tokens": 300, "names_behavior": 0, "assistant_prefill": "", "squash_system_messages": true,
            "prompts": [prompt("main", "Write.", 0), marker("worldInfoBefore"), prompt("deep", "Now.", 1), marker("chatHistory")],
            "prompt_order": [{"character_id": 100001, "order": [
                {"identifier": "main", "enabled": true}, {"identifier": "worldInfoBefore", "enabled": true},
                {"identifier": "deep", "enabled": false}, {"identifier": "chatHistory", "enabled": true}]}],
        });
        let (mut preset, _) = read(&file.to_string()).unwrap();
        let out = |preset: &Preset| {
            let (text, left_out) = write_sillytavern(preset);
            (serde_json::from_str::<Value>(&text).unwrap(), left_out)
        };
        let mut expected = file;
        assert_eq!(out(&preset), (expected.clone(), 0));
        // What is changed here is what goes out.
        preset.sampling.temperature = Some(0.5);
        preset.sampling.max_tokens = None;
        assert_eq!((preset.sampling.min_p, preset.sampling.effort), (Some(0.05), Some(Effort::High)));
        preset.sampling.min_p = Some(0.1);
        preset.sampling.repetition_penalty = Some(1.05);
        preset.sampling.effort = Some(Effort::Off);
        expected["temperature"] = json!(0.5);
        expected["min_p"] = json!(0.1);
        expected["repetition_penalty"] = json!(1.05);
        expected["reasoning_effort"] = json!("min");
        expected.as_object_mut().unwrap().remove("openai_max_tokens");
        assert_eq!(out(&preset).0, expected);
        // What is “off” there says nothing, nor does what no editor takes; and what has a name of ours is none of ours.
        let off = json!({"top_p": 1.0, "frequency_penalty": 0, "presence_penalty": 0.0, "top_k": 200_000, "min_p": 0, "repetition_penalty": 1, "reasoning_effort": "auto", "openai_max_tokens": 2_000_000,
            "sampling": "x", "prompts": [{"identifier": "main", "content": "Write.", "feature": "x", "shown_only": "y"}], "prompt_order": []});
        let (preset, _) = read(&off.to_string()).unwrap();
        assert_eq!(preset.sampling, Sampling::default());
        assert_eq!((&preset.blocks[0].feature, preset.blocks[0].shown_only), (&None, false));
        let stored = serde_json::to_value(&preset).unwrap();
        assert_eq!(crate::store::from_value::<Preset>(stored).unwrap(), preset, "it can be read again");
        assert_eq!(out(&preset).0["top_p"], json!(1.0));
        let living = builtin::builtin("living", Language::En).unwrap();
        let (text, left_out) = write_sillytavern(&living);
        assert!(left_out > 0 && read(&text).unwrap().0.blocks.len() + left_out == living.blocks.len());
    }

    /// Prompts as extensions and older versions leave them: none of it is lost, and what has no place is given none.
    #[test]
    fn odd_prompts_go_out_as_they_came() {
        let file = json!({
            "custom_url": "", "proxy_password": "", "custom_include_body": "",
            "prompts": [
                {"identifier": "chatHistory", "name": "History", "marker": true, "role": "system", "content": "", "injection_position": 0, "enabled": true},
                {"identifier": "main", "name": "  Main\n ", "content": "Write.", "role": "0", "enabled": false, "turns": 3},
                {"identifier": "added", "name": "Added", "marker": true, "system_prompt": false},
                {"identifier": "aside", "name": "Aside", "content": "Not placed.", "role": "user"},
            ],
            "prompt_order": [
                {"character_id": 100000, "order": [{"identifier": "main", "enabled": true}]},
                {"character_id": 100001, "xiaobaix": true, "order": [
                    {"identifier": "gone", "enabled": true},
                    {"identifier": "main", "enabled": true, "note": "n"},
                    {"identifier": "added", "enabled": true},
                    {"identifier": "chatHistory", "enabled": true}]},
            ],
        });
        let (mut preset, _) = read(&file.to_string()).unwrap();
        let out = |preset: &Preset| serde_json::from_str::<Value>(&write_sillytavern(preset).0).unwrap();
        let written = out(&preset);
        assert_eq!(written["prompt_order"], file["prompt_order"]);
        assert!(written["custom_url"] == "" && written["proxy_password"] == "" && written["custom_include_body"] == "");
        let by_name = |file: &Value, name: &str| {
            let prompts = file["prompts"].as_array().unwrap().iter();
            prompts.clone().find(|prompt| prompt["identifier"] == name).cloned().unwrap()
        };
        for name in ["chatHistory", "main", "added", "aside"] {
            let written = by_name(&written, name);
            for (key, value) in by_name(&file, name).as_object().unwrap() {
                assert_eq!(written.get(key), Some(value), "{key} of {name}");
            }
        }
        // What is changed here is what goes out.
        let at = |preset: &Preset, name: &str| preset.blocks.iter().position(|block| block.identifier == name).unwrap();
        let (main, aside) = (at(&preset, "main"), at(&preset, "aside"));
        preset.blocks[main].name = "Other".into();
        preset.blocks[aside].enabled = true;
        let written = out(&preset);
        assert_eq!(by_name(&written, "main")["name"], "Other");
        assert_eq!(written["prompt_order"][1]["order"][4], json!({"identifier": "aside", "enabled": true}));
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

    fn any_value() -> impl Strategy<Value = Value> {
        prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (-9..200i64).prop_map(Value::from),
            "\\PC{0,8}".prop_map(Value::from),
            prop::collection::vec("[a-z]{0,3}", 0..3).prop_map(Value::from),
            Just(json!({"inner": 1})),
        ]
    }

    /// A prompt with any of the fields that there are, each with whatever value.
    fn any_prompt() -> impl Strategy<Value = Object> {
        const FIELDS: [&str; 16] = [
            "name",
            "role",
            "content",
            "marker",
            "system_prompt",
            "enabled",
            "injection_position",
            "injection_depth",
            "injection_order",
            "injection_trigger",
            "forbid_overrides",
            "empty",
            "depth",
            "order",
            "turns",
            "later",
        ];
        prop::collection::btree_map(prop::sample::select(&FIELDS[..]), any_value(), 0..9)
            .prop_map(|fields| fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    }

    const IDENTIFIERS: [&str; 8] =
        ["main", "nsfw", "chatHistory", "charDescription", "worldInfoBefore", "u-1", "u-2", "u-3"];

    proptest! {
        /// Whatever the prompts of a preset say, placed or not, goes out again, and so do all orders that there are.
        #[test]
        fn all_that_a_preset_says_goes_out_again(
            prompts in prop::collection::btree_map(prop::sample::select(&IDENTIFIERS[..]), any_prompt(), 0..7),
            placed in prop::sample::subsequence(&IDENTIFIERS[..], 1..8),
            enabled in any::<[bool; 8]>(),
            odd in any_value(),
        ) {
            let prompts: Vec<Value> = prompts
                .into_iter()
                .map(|(identifier, mut prompt)| {
                    prompt.insert("identifier".into(), identifier.into());
                    prompt.into()
                })
                .collect();
            let order = placed.iter().zip(enabled).map(|(identifier, enabled)| json!({"identifier": identifier, "enabled": enabled}));
            let file = json!({"prompts": prompts, "odd": odd, "temperature": odd, "prompt_order": [
                {"character_id": 100_000, "order": [{"identifier": "main", "enabled": false}]},
                {"character_id": 100_001, "order": order.collect::<Vec<_>>()}]});
            let (preset, _) = read(&file.to_string()).unwrap();
            let stored: Preset = from_value(serde_json::to_value(&preset).unwrap()).unwrap();
            let written: Value = serde_json::from_str(&write_sillytavern(&stored).0).unwrap();
            for key in ["odd", "temperature", "prompt_order"] {
                prop_assert_eq!(&written[key], &file[key], "{}", key);
            }
            for prompt in &prompts {
                let named = |one: &&Value| one["identifier"] == prompt["identifier"];
                let written = written["prompts"].as_array().unwrap().iter().find(named);
                for (key, value) in prompt.as_object().unwrap() {
                    prop_assert_eq!(written.and_then(|written| written.get(key)), Some(value), "{}", key);
                }
            }
        }
    }
}
