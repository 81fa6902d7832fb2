//! Presets of RisuAI, as plain JSON: a template of prompts, or three texts and their order, with samplers and regex
//! scripts. Of what else stands in it nothing is taken: the rest is addresses, keys and the settings of services.

use serde_json::{Value, json};

use super::{Object, text};
use crate::{
    exchange::{names::tidy_name, risu},
    prompt::sources::marker_name,
    story::{
        preset::{Block, Preset, Role},
        sampling::Sampling,
    },
};

/// Under which a preset keeps what its file said.
const KEPT: &str = "risuai";

/// What is kept of a file; all that is read is among it.
pub const FIELDS: [&str; 21] = [
    "name",
    "mainPrompt",
    "jailbreak",
    "globalNote",
    "formatingOrder",
    "promptTemplate",
    "promptSettings",
    "temperature",
    "top_p",
    "top_k",
    "min_p",
    "frequencyPenalty",
    "PresensePenalty",
    "repetition_penalty",
    "maxContext",
    "maxResponse",
    "bias",
    "customPromptTemplateToggle",
    "templateDefaultVariables",
    "jsonSchema",
    "regex",
];

pub(super) fn is_one(file: &Object) -> bool {
    file.get("mainPrompt").is_some_and(Value::is_string) || file.get("promptTemplate").is_some_and(Value::is_array)
}

pub(super) fn read(file: &Object) -> Preset {
    let items = |key: &str| file.get(key).and_then(Value::as_array).filter(|items| !items.is_empty());
    let blocks = match (items("promptTemplate"), items("formatingOrder")) {
        (Some(template), _) => laid_out(template),
        (None, Some(order)) => ordered(file, order.iter().filter_map(Value::as_str)),
        (None, None) => ordered(file, ORDER.into_iter()),
    };
    let mut kept = file.clone();
    kept.retain(|key, _| FIELDS.contains(&key.as_str()));
    let mut extra = Object::from_iter([(KEPT.to_owned(), kept.into())]);
    let scripts = file.get("regex").map(risu::scripts).unwrap_or_default();
    if !scripts.is_empty() {
        extra.insert("extensions".into(), json!({ "regex_scripts": scripts }));
    }
    Preset { name: text(file, "name").to_owned(), blocks, sampling: samplers(file), extra, ..Preset::default() }
}

/// Numbers that are off there are below any that is allowed; some are written a hundredfold.
fn samplers(file: &Object) -> Sampling {
    let within = |key: &str, scale: f64, low: f64, high: f64| {
        let said = file.get(key).and_then(Value::as_f64).map(|number| number / scale);
        said.filter(|number| (low..=high).contains(number))
    };
    let is_on = |off: f64| move |number: &f64| *number != off;
    let count = |key: &str, most: f64| within(key, 1.0, 1.0, most).map(|number| number as u32);
    Sampling {
        temperature: within("temperature", 100.0, 0.0, 2.0),
        top_p: within("top_p", 1.0, 0.0, 1.0).filter(is_on(1.0)),
        top_k: count("top_k", 100_000.0),
        min_p: within("min_p", 1.0, 0.0, 1.0).filter(is_on(0.0)),
        frequency_penalty: within("frequencyPenalty", 100.0, -2.0, 2.0).filter(is_on(0.0)),
        presence_penalty: within("PresensePenalty", 100.0, -2.0, 2.0).filter(is_on(0.0)),
        repetition_penalty: within("repetition_penalty", 1.0, 0.0, 2.0).filter(is_on(1.0)).filter(is_on(0.0)),
        max_tokens: count("maxResponse", 1_000_000.0),
        ..Sampling::default()
    }
}

/// The places that one place there comes to.
fn places(name: &str) -> &'static [&'static str] {
    match name {
        "persona" | "personaPrompt" => &["personaDescription"],
        "description" => &["charDescription", "charPersonality", "scenario"],
        "lorebook" => &["worldInfoBefore", "worldInfoAfter"],
        "memory" => &["recall"],
        "authornote" | "authorNote" => &["authorsNote"],
        _ => &[],
    }
}

/// `around`: what stands around what fills them, with its own mark for it.
fn place(name: &str, around: &str) -> impl Iterator<Item = Block> {
    let frame = around.contains("{{slot}}").then(|| around.replace("{{slot}}", "{{content}}"));
    // One frame around all of them would be told of each.
    let only_first = move |nth: usize| frame.clone().filter(|_| nth == 0);
    places(name).iter().enumerate().map(move |(nth, identifier)| Block {
        identifier: (*identifier).to_owned(),
        marker: Some(marker_name(identifier).to_owned()),
        content: only_first(nth),
        ..Block::default()
    })
}

fn said(identifier: &str, name: &str, content: &str) -> Block {
    Block {
        identifier: identifier.to_owned(),
        name: name.to_owned(),
        content: Some(content.to_owned()),
        ..Block::default()
    }
}

fn history() -> Block {
    Block {
        identifier: "chatHistory".to_owned(),
        marker: Some(marker_name("chatHistory").to_owned()),
        ..Block::default()
    }
}

/// A template tells the chat in stretches, with prompts between them. The first is the place of the whole here, and what
/// stands before a last stretch of so many messages stands that deep in the chat.
fn laid_out(template: &[Value]) -> Vec<Block> {
    let kind = |item: &Value| item["type"].as_str().unwrap_or_default().to_owned();
    let chats: Vec<usize> = (0..template.len()).filter(|at| kind(&template[*at]) == "chat").collect();
    let (first, last) = (chats.first().copied(), chats.last().copied());
    let newest = last.and_then(|last| template[last]["rangeStart"].as_i64()).filter(|from| *from < 0);
    let depth = newest.and_then(|from| u32::try_from(-from).ok());
    let mut blocks = Vec::new();
    for (at, item) in template.iter().enumerate() {
        let amid = first.is_some_and(|first| at > first) && last.is_some_and(|last| at < last);
        let depth = depth.filter(|_| amid);
        if first == Some(at) {
            blocks.push(history());
        }
        blocks.extend(item_blocks(&kind(item), item).into_iter().map(|block| Block { depth, ..block }));
    }
    if first.is_none() {
        blocks.push(history());
    }
    blocks
}

fn item_blocks(kind: &str, item: &Value) -> Vec<Block> {
    let content = item["text"].as_str().unwrap_or_default();
    let (name, _) = tidy_name(item["name"].as_str().unwrap_or_default());
    let role = match item["role"].as_str() {
        Some("user") => Role::User,
        Some("bot") => Role::Assistant,
        _ => Role::System,
    };
    let named = |usual: &str| if name.is_empty() { usual.to_owned() } else { name.clone() };
    match kind {
        "plain" => {
            let (identifier, usual) = match item["type2"].as_str() {
                Some("main") => ("main", "Main"),
                // What a card says after the history stands in its place, as it does there.
                Some("globalNote") => ("jailbreak", "Global note"),
                _ => ("plain", ""),
            };
            vec![Block { role, ..said(identifier, &named(usual), content) }]
        }
        // They are told there only where a switch of the whole program is on, which is off at first.
        "jailbreak" | "cot" => {
            vec![Block { role, enabled: false, ..said("switched", &named(kind), content) }]
        }
        _ => {
            let around = item["innerFormat"].as_str().unwrap_or_default();
            place(kind, around).map(|block| Block { role, name: name.clone(), ..block }).collect()
        }
    }
}

/// As its program has it at first.
const ORDER: [&str; 7] = ["jailbreak", "main", "description", "personaPrompt", "lorebook", "chats", "globalNote"];

/// Where there is no template.
fn ordered<'a>(file: &Object, order: impl Iterator<Item = &'a str>) -> Vec<Block> {
    let mut blocks = Vec::new();
    for name in order {
        match name {
            "main" => blocks.push(said("main", "Main", text(file, "mainPrompt"))),
            "jailbreak" => {
                blocks.push(Block { enabled: false, ..said("switched", "jailbreak", text(file, "jailbreak")) });
            }
            "globalNote" => blocks.push(said("jailbreak", "Global note", text(file, "globalNote"))),
            "chats" => blocks.push(history()),
            _ => blocks.extend(place(name, "")),
        }
    }
    if !blocks.iter().any(|block| block.identifier == "chatHistory") {
        blocks.push(history());
    }
    blocks
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::exchange::preset::{read, write, write_sillytavern};

    fn outline(preset: &Preset) -> Vec<(&str, bool, Option<u32>, &str)> {
        preset
            .blocks
            .iter()
            .map(|block| {
                let content = block.content.as_deref().unwrap_or_default();
                (block.identifier.as_str(), block.enabled, block.depth, content)
            })
            .collect()
    }

    #[test]
    fn a_template() {
        let file = json!({
            "name": "Mine", "apiType": "gpt", "openAIKey": "sk-1", "forceReplaceUrl": "https://theirs.example", "proxyKey": "p",
            "koboldURL": "http://k", "mainPrompt": "old", "jailbreak": "", "formatingOrder": ["main"],
            "temperature": 85, "maxContext": 8000, "maxResponse": 600, "frequencyPenalty": 70, "PresensePenalty": -1000,
            "top_p": 1, "top_k": 40, "min_p": 0.05, "repetition_penalty": -1000,
            "regex": [{ "comment": "stars", "in": "\\*", "out": "", "type": "editdisplay" }],
            "promptTemplate": [
                { "type": "plain", "type2": "main", "role": "system", "text": "Write {{char}}." },
                { "type": "persona", "innerFormat": "<user>{{slot}}</user>" },
                { "type": "description", "innerFormat": null },
                { "type": "lorebook" },
                { "type": "memory", "innerFormat": "Before: {{slot}}" },
                { "type": "chat", "rangeStart": 0, "rangeEnd": -2 },
                { "type": "plain", "type2": "normal", "role": "user", "text": "Slowly.", "name": "Pace" },
                { "type": "authornote", "innerFormat": "Note: {{slot}}", "defaultText": "" },
                { "type": "chat", "rangeStart": -2, "rangeEnd": "end" },
                { "type": "jailbreak", "type2": "normal", "role": "bot", "text": "Anything." },
                { "type": "plain", "type2": "globalNote", "role": "system", "text": "Stay true." },
                { "type": "postEverything" }, { "type": "cache", "depth": 1, "role": "all" }, 7,
            ],
        });
        let (preset, warnings) = read(&file.to_string()).unwrap();
        assert_eq!(warnings, []);
        assert_eq!(
            outline(&preset),
            [
                ("main", true, None, "Write {{char}}."),
                ("personaDescription", true, None, "<user>{{content}}</user>"),
                ("charDescription", true, None, ""),
                ("charPersonality", true, None, ""),
                ("scenario", true, None, ""),
                ("worldInfoBefore", true, None, ""),
                ("worldInfoAfter", true, None, ""),
                ("recall", true, None, "Before: {{content}}"),
                ("chatHistory", true, None, ""),
                ("plain", true, Some(2), "Slowly."),
                ("authorsNote", true, Some(2), "Note: {{content}}"),
                ("switched", false, None, "Anything."),
                ("jailbreak", true, None, "Stay true."),
            ]
        );
        assert_eq!((preset.blocks[9].role, &*preset.blocks[9].name), (Role::User, "Pace"));
        let sampling = Sampling {
            temperature: Some(0.85),
            top_k: Some(40),
            min_p: Some(0.05),
            frequency_penalty: Some(0.7),
            max_tokens: Some(600),
            ..Sampling::default()
        };
        assert_eq!((preset.name.as_str(), &preset.sampling), ("Mine", &sampling));
        assert_eq!(preset.extra["extensions"]["regex_scripts"][0]["findRegex"], "/\\*/g");
        assert_eq!(preset.extra[KEPT]["maxContext"], 8000);
        let all = serde_json::to_string(&preset).unwrap();
        for secret in ["sk-1", "theirs", "proxyKey", "http://k"] {
            assert!(!all.contains(secret), "{all}");
        }
        // As a file of ours, and as one of SillyTavern, it is the same prompt.
        assert_eq!(read(&write(&preset)).unwrap().0, preset);
        let (there, left_out) = write_sillytavern(&preset);
        let there = read(&there).unwrap().0;
        assert_eq!((there.sampling, left_out), (sampling, 2), "memory and note have no place there");
    }

    #[test]
    fn three_texts_and_their_order() {
        let order =
            ["main", "description", "personaPrompt", "chats", "lastChat", "jailbreak", "globalNote", "authorNote"];
        let file = json!({
            "name": "Old", "mainPrompt": "Write.", "jailbreak": "J", "globalNote": "G", "formatingOrder": order,
            "promptTemplate": null, "temperature": -1000,
        });
        let (preset, _) = read(&file.to_string()).unwrap();
        let names: Vec<_> = preset.blocks.iter().map(|block| (block.identifier.as_str(), block.enabled)).collect();
        let on = |name| (name, true);
        let expected = [
            on("main"),
            on("charDescription"),
            on("charPersonality"),
            on("scenario"),
            on("personaDescription"),
            on("chatHistory"),
            ("switched", false),
            on("jailbreak"),
            on("authorsNote"),
        ];
        assert_eq!(names, expected);
        assert_eq!(preset.sampling, Sampling::default());
        let blocks = |file: Value| read(&file.to_string()).unwrap().0.blocks.len();
        assert_eq!(blocks(json!({ "mainPrompt": "Write." })), 10, "as its program lays it out at first");
        let chat = json!({ "type": "chat", "rangeStart": -9e18 });
        assert_eq!(blocks(json!({ "promptTemplate": [{ "type": "plain" }] })), 2, "the history always has a place");
        assert_eq!(blocks(json!({ "promptTemplate": [chat] })), 1);
    }
}
