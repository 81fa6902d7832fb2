//! Presets of RisuAI, as plain JSON: a template of prompts, or three texts and their order, with samplers and regex
//! scripts. Of what else stands in it nothing is taken: the rest is addresses, keys and the settings of services.

use serde_json::{Value, json};

use super::{
    Object, drop_secrets,
    sillytavern::{self, marker},
    text,
};
use crate::{
    exchange::{names::tidy_name, refusal::Warning, risu},
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

/// Reads one. Blocks that ask what nothing here decides are off.
pub(super) fn read(file: &Object) -> (Preset, Option<Warning>) {
    let items = |key: &str| file.get(key).and_then(Value::as_array).filter(|items| !items.is_empty());
    let mut blocks = match (items("promptTemplate"), items("formatingOrder")) {
        (Some(template), _) => laid_out(template, text_in(file, "promptSettings", "postEndInnerFormat")),
        (None, Some(order)) => ordered(file, order.iter().filter_map(Value::as_str)),
        (None, None) => ordered(file, ORDER.into_iter()),
    };
    let mut count = 0;
    for block in blocks.iter_mut().filter(|block| block.content.as_deref().is_some_and(asks)) {
        count += usize::from(std::mem::take(&mut block.enabled));
    }
    let off = (count > 0).then_some(Warning::ConditionsOff { count });
    let mut kept = file.clone();
    kept.retain(|key, _| FIELDS.contains(&key.as_str()));
    let mut kept = Value::from(kept);
    drop_secrets(&mut kept);
    let mut extra = Object::from_iter([(KEPT.to_owned(), kept)]);
    let scripts = file.get("regex").map(risu::scripts).unwrap_or_default();
    if !scripts.is_empty() {
        extra.insert("extensions".into(), json!({ "regex_scripts": scripts }));
    }
    let name = text(file, "name").to_owned();
    (Preset { name, blocks, sampling: samplers(file), extra, ..Preset::default() }, off)
}

/// Whether a text asks a condition of its program's own language.
fn asks(text: &str) -> bool {
    ["{{#", "{{? ", "{{getglobalvar::"].iter().any(|sign| text.contains(sign))
}

fn text_in<'a>(file: &'a Object, within: &str, key: &str) -> &'a str {
    file.get(within).and_then(|settings| settings[key].as_str()).unwrap_or_default()
}

/// As SillyTavern says them: by its names, and what is written a hundredfold as what it is. Numbers that are off there are
/// below any that is allowed.
fn samplers(file: &Object) -> Sampling {
    const NAMES: [(&str, &str, f64); 8] = [
        ("temperature", "temperature", 100.0),
        ("top_p", "top_p", 1.0),
        ("top_k", "top_k", 1.0),
        ("min_p", "min_p", 1.0),
        ("frequencyPenalty", "frequency_penalty", 100.0),
        ("PresensePenalty", "presence_penalty", 100.0),
        ("repetition_penalty", "repetition_penalty", 1.0),
        ("maxResponse", "openai_max_tokens", 1.0),
    ];
    let said = NAMES.iter().filter_map(|(name, theirs, scale)| {
        let number = file.get(*name).and_then(Value::as_f64)?;
        Some(((*theirs).to_owned(), Value::from(number / scale)))
    });
    let prefill = text_in(file, "promptSettings", "assistantPrefill");
    let prefill = if asks(prefill) { "" } else { prefill }.to_owned();
    Sampling { prefill, ..sillytavern::samplers(&said.collect()) }
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
    let place = move |(nth, name): (usize, &&str)| Block { content: only_first(nth), ..marker(name) };
    places(name).iter().enumerate().map(place)
}

fn said(identifier: &str, name: &str, content: &str) -> Block {
    Block {
        identifier: identifier.to_owned(),
        name: name.to_owned(),
        content: Some(content.to_owned()),
        ..Block::default()
    }
}

/// The examples of a card, which begin the chat there, and the chat.
fn history() -> impl Iterator<Item = Block> {
    ["dialogueExamples", "chatHistory"].into_iter().map(marker)
}

/// A template tells the chat in stretches, with prompts between them. Here it has one place: what stands before a stretch
/// of the last messages stands that deep in the chat, and what stands near its beginning, before it.
fn laid_out(template: &[Value], at_the_end: &str) -> Vec<Block> {
    let is_chat = |item: &&Value| item["type"] == "chat";
    let (mut before, mut after, mut is_after) = (Vec::new(), Vec::new(), false);
    for (at, item) in template.iter().enumerate() {
        is_after |= is_chat(&item);
        let next = template[at..].iter().find(is_chat).and_then(|chat| chat["rangeStart"].as_i64());
        let depth = next.filter(|from| is_after && *from < 0).and_then(|from| u32::try_from(from.unsigned_abs()).ok());
        let blocks = match item["type"].as_str().unwrap_or_default() {
            "postEverything" if !at_the_end.is_empty() => vec![said("end", "", at_the_end)],
            kind => item_blocks(kind, item),
        };
        let part = if is_after && (depth.is_some() || next.is_none()) { &mut after } else { &mut before };
        part.extend(blocks.into_iter().map(|block| Block { depth, ..block }));
    }
    before.into_iter().chain(history()).chain(after).collect()
}

fn item_blocks(kind: &str, item: &Value) -> Vec<Block> {
    let text = |key: &str| item[key].as_str().unwrap_or_default();
    let (name, _) = tidy_name(text("name"));
    let named = |usual: &str| if name.is_empty() { usual.to_owned() } else { name.clone() };
    match kind {
        "plain" => {
            let (identifier, usual) = match text("type2") {
                "main" => ("main", "Main"),
                // What a card says after the history stands in its place, as it does there.
                "globalNote" => ("jailbreak", "Global note"),
                _ => ("plain", ""),
            };
            vec![Block { role: role(text("role")), ..said(identifier, &named(usual), text("text")) }]
        }
        // They are told there only where a switch of the whole program is on, which is off at first.
        "jailbreak" | "cot" => {
            vec![Block { role: role(text("role")), enabled: false, ..said("switched", &named(kind), text("text")) }]
        }
        "chatML" => {
            messages(text("text")).map(|(by, words)| Block { role: role(by), ..said("plain", &name, words) }).collect()
        }
        _ => {
            let empty = Some(text("defaultText")).filter(|text| !text.is_empty()).map(str::to_owned);
            let told = |block| Block { role: role(text("role2")), name: name.clone(), empty: empty.clone(), ..block };
            place(kind, text("innerFormat")).map(told).collect()
        }
    }
}

fn role(name: &str) -> Role {
    match name {
        "user" => Role::User,
        "bot" | "assistant" | "char" => Role::Assistant,
        _ => Role::System,
    }
}

/// Who says what in a text that marks its messages (ChatML).
fn messages(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let marked = text.split("<|im_start|>").skip(1).filter_map(|message| message.split_once('\n'));
    marked.map(|(by, words)| (by.trim(), words.split("<|im_end|>").next().unwrap_or_default().trim()))
}

/// As its program has it at first.
const ORDER: [&str; 9] =
    ["main", "description", "personaPrompt", "chats", "lastChat", "jailbreak", "lorebook", "globalNote", "authorNote"];

/// Where there is no template. What stands before the last message of the chat stands one deep in it.
fn ordered<'a>(file: &Object, order: impl Iterator<Item = &'a str>) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut chats = None;
    for name in order {
        match name {
            "main" => blocks.push(said("main", "Main", text(file, "mainPrompt"))),
            "jailbreak" => {
                blocks.push(Block { enabled: false, ..said("switched", "jailbreak", text(file, "jailbreak")) });
            }
            "globalNote" => blocks.push(said("jailbreak", "Global note", text(file, "globalNote"))),
            "chats" => {
                blocks.extend(history());
                chats = Some(blocks.len());
            }
            "lastChat" => {
                for block in chats.map_or(&mut [][..], |from| &mut blocks[from..]) {
                    block.depth = Some(1);
                }
            }
            _ => blocks.extend(place(name, "")),
        }
    }
    if chats.is_none() {
        blocks.extend(history());
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
            "promptSettings": { "assistantPrefill": "Well,", "postEndInnerFormat": "Now." },
            "promptTemplate": [
                { "type": "plain", "type2": "main", "role": "system", "text": "Write {{char}}." },
                { "type": "persona", "innerFormat": "<user>{{slot}}</user>", "role2": "user" },
                { "type": "description", "innerFormat": null },
                { "type": "lorebook" },
                { "type": "memory", "innerFormat": "Before: {{slot}}" },
                { "type": "chat", "rangeStart": 0, "rangeEnd": 2 },
                { "type": "plain", "text": "They have met." },
                { "type": "chat", "rangeStart": 2, "rangeEnd": -6 },
                { "type": "plain", "text": "{{#if {{? {{getglobalvar::toggle_x}}=1}}}}Longer.{{/if}}" },
                { "type": "chat", "rangeStart": -6, "rangeEnd": -2 },
                { "type": "plain", "type2": "normal", "role": "user", "text": "Slowly.", "name": "Pace" },
                { "type": "authornote", "innerFormat": "Note: {{slot}}", "defaultText": "None yet." },
                { "type": "chat", "rangeStart": -2, "rangeEnd": "end" },
                { "type": "jailbreak", "type2": "normal", "role": "bot", "text": "Anything." },
                { "type": "plain", "type2": "globalNote", "role": "system", "text": "Stay true." },
                { "type": "chatML", "text": "<|im_start|>user\nGo on.<|im_end|>\n<|im_start|>assistant\nI will.\n<|im_end|>" },
                { "type": "postEverything" }, { "type": "cache", "depth": 1, "role": "all" }, 7,
            ],
        });
        let (preset, warnings) = read(&file.to_string()).unwrap();
        assert_eq!(warnings, [Warning::ConditionsOff { count: 1 }]);
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
                ("plain", true, None, "They have met."),
                ("dialogueExamples", true, None, ""),
                ("chatHistory", true, None, ""),
                ("plain-2", false, Some(6), "{{#if {{? {{getglobalvar::toggle_x}}=1}}}}Longer.{{/if}}"),
                ("plain-3", true, Some(2), "Slowly."),
                ("authorsNote", true, Some(2), "Note: {{content}}"),
                ("switched", false, None, "Anything."),
                ("jailbreak", true, None, "Stay true."),
                ("plain-4", true, None, "Go on."),
                ("plain-5", true, None, "I will."),
                ("end", true, None, "Now."),
            ]
        );
        let of = |at: usize| &preset.blocks[at];
        assert_eq!((of(1).role, of(12).role, &*of(12).name), (Role::User, Role::User, "Pace"));
        assert_eq!(
            (of(13).empty.as_deref(), of(16).role, of(17).role),
            (Some("None yet."), Role::User, Role::Assistant)
        );
        let sampling = Sampling {
            temperature: Some(0.85),
            top_k: Some(40),
            min_p: Some(0.05),
            frequency_penalty: Some(0.7),
            max_tokens: Some(600),
            prefill: "Well,".into(),
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
            ["main", "description", "personaPrompt", "chats", "authorNote", "lastChat", "jailbreak", "globalNote"];
        let file = json!({
            "name": "Old", "mainPrompt": "Write.", "jailbreak": "J", "globalNote": "G", "formatingOrder": order,
            "promptTemplate": null, "temperature": -1000,
        });
        let (preset, _) = read(&file.to_string()).unwrap();
        let names: Vec<_> =
            preset.blocks.iter().map(|block| (block.identifier.as_str(), block.enabled, block.depth)).collect();
        let on = |name| (name, true, None);
        let expected = [
            on("main"),
            on("charDescription"),
            on("charPersonality"),
            on("scenario"),
            on("personaDescription"),
            on("dialogueExamples"),
            on("chatHistory"),
            ("authorsNote", true, Some(1)),
            ("switched", false, None),
            on("jailbreak"),
        ];
        assert_eq!(names, expected);
        assert_eq!(preset.sampling, Sampling::default());
        let blocks = |file: Value| read(&file.to_string()).unwrap().0.blocks.len();
        assert_eq!(blocks(json!({ "mainPrompt": "Write." })), 12, "as its program lays it out at first");
        let chat = json!({ "type": "chat", "rangeStart": -9e18 });
        assert_eq!(blocks(json!({ "promptTemplate": [{ "type": "plain" }] })), 3, "the history always has a place");
        assert_eq!(blocks(json!({ "promptTemplate": [chat] })), 2);
    }
}
