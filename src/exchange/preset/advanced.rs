//! SillyTavern's presets for text completion, as far as a chat protocol can use them: the system prompt, the samplers (also
//! those of KoboldAI and NovelAI), and the context template, which says what stands where. Instruct templates mark turns
//! for a model that is given one text; a chat protocol has turns of its own, so they are kept, and not used.

use serde_json::Value;

use super::{
    Object, drop_secrets,
    sillytavern::{self, KEPT, marker},
    tell_apart, text,
};
use crate::{
    exchange::{
        names::tidy_name,
        refusal::Warning,
        sniff::{self, is_system_prompt},
    },
    story::preset::{Block, Preset},
};

/// What a file is of the kinds that there are.
struct Parts<'a> {
    system: Option<&'a Object>,
    context: Option<&'a Object>,
    instruct: Option<&'a Object>,
    samplers: Option<&'a Object>,
}

impl<'a> Parts<'a> {
    fn of(file: &'a Object) -> Self {
        let part = |name: &str| file.get(name).and_then(Value::as_object);
        // All of them in one file.
        if let (system, context, instruct @ Some(_)) = (part("sysprompt"), part("context"), part("instruct")) {
            return Self { system, context, instruct, samplers: part("preset") };
        }
        let has = |key: &str| file.get(key).is_some_and(Value::is_string);
        Self {
            system: is_system_prompt(file).then_some(file),
            context: has("story_string").then_some(file),
            instruct: (has("input_sequence") && has("output_sequence")).then_some(file),
            samplers: sniff::samplers(file),
        }
    }
}

/// Reads one; `None`: it is none. An instruct template in it is kept alone.
pub(super) fn read(file: &Object) -> Option<(Preset, Option<Warning>)> {
    let Parts { system, context, instruct, samplers } = Parts::of(file);
    if [system, context, instruct, samplers].iter().all(Option::is_none) {
        return None;
    }
    let content = system.map_or("", |system| text(system, "content"));
    let said = |identifier: &str, content: &str| Block {
        identifier: identifier.to_owned(),
        content: Some(content.to_owned()),
        ..Block::default()
    };
    let mut blocks = match context {
        Some(context) => laid_out(text(context, "story_string"), content),
        None => std::iter::once(said("main", content)).chain(STANDARD.map(marker)).collect(),
    };
    if !blocks.iter().any(|block| block.identifier == "main") {
        blocks.insert(0, said("main", content));
    }
    if let Some(start) = context.map(|context| text(context, "chat_start")).filter(|start| !start.trim().is_empty()) {
        blocks.push(Block { name: "Chat start".into(), ..said("chat-start", start) });
    }
    blocks.push(marker("chatHistory"));
    let after = system.map_or("", |system| text(system, "post_history"));
    blocks.push(said("jailbreak", after));
    // With nothing to say they stand for what a card may say.
    let mut kept = Value::from(file.clone());
    drop_secrets(&mut kept);
    let extra = [(KEPT.to_owned(), kept)].into_iter().collect();
    let named = [Some(file), context, system, instruct].into_iter().flatten().map(|part| text(part, "name"));
    let name = named.into_iter().find(|name| !name.is_empty()).unwrap_or_default().to_owned();
    let sampling = samplers.map(sillytavern::samplers).unwrap_or_default();
    Some((Preset { name, blocks, sampling, extra, ..Preset::default() }, instruct.map(|_| Warning::InstructKept)))
}

/// The file that a preset came as, with its system prompt and name of now; `None`: it came as another, or is by now more than
/// such a file can say.
pub(super) fn as_it_came(preset: &Preset) -> Option<Value> {
    let mut file = preset.extra.get(KEPT)?.as_object()?.clone();
    let system = match file.contains_key("instruct") && file.contains_key("sysprompt") {
        true => file.get_mut("sysprompt").and_then(Value::as_object_mut),
        false => is_system_prompt(&file).then_some(&mut file),
    };
    if let Some(system) = system {
        for (identifier, key) in [("main", "content"), ("jailbreak", "post_history")] {
            let block = preset.blocks.iter().find(|block| block.identifier == identifier)?;
            let now = block.content.as_deref().unwrap_or_default();
            if text(system, key) != now {
                system.insert(key.to_owned(), now.into());
            }
        }
    }
    if !text(&file, "name").is_empty() && tidy_name(text(&file, "name")).0 != preset.name {
        file.insert("name".into(), preset.name.clone().into());
    }
    let (mut again, _) = read(&file)?;
    tell_apart(&mut again.blocks);
    (again.blocks == preset.blocks && again.sampling == preset.sampling).then(|| file.into())
}

/// Where nothing says what stands where.
const STANDARD: [&str; 7] = [
    "worldInfoBefore",
    "personaDescription",
    "charDescription",
    "charPersonality",
    "scenario",
    "worldInfoAfter",
    "dialogueExamples",
];

/// What a template calls its places.
const PLACES: [(&str, &str); 10] = [
    ("description", "charDescription"),
    ("personality", "charPersonality"),
    ("scenario", "scenario"),
    ("persona", "personaDescription"),
    ("wiBefore", "worldInfoBefore"),
    ("loreBefore", "worldInfoBefore"),
    ("wiAfter", "worldInfoAfter"),
    ("loreAfter", "worldInfoAfter"),
    ("mesExamples", "dialogueExamples"),
    ("mesExamplesRaw", "dialogueExamples"),
];

/// The blocks of a template in their order: its places with the words around them as their frames, and what is said between
/// them. Conditions need no saying, since a place with nothing in it falls away.
fn laid_out(template: &str, system: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut rest = template;
    let mut between = String::new();
    let mut count = 0;
    let mut close = |between: &mut String, blocks: &mut Vec<Block>| {
        let words = without_conditions(between);
        between.clear();
        if !words.trim().is_empty() {
            count += 1;
            let identifier = format!("context-{count}");
            blocks.push(Block { identifier, content: Some(words.trim().to_owned()), ..Block::default() });
        }
    };
    while let Some((before, name, after)) = next_macro(rest) {
        let condition = name.strip_prefix("#if").map(str::trim);
        let (inner, behind) = match condition {
            // A condition's own words are the frame of what it is about.
            Some(_) => after.split_once("{{/if}}").unwrap_or((after, "")),
            None => (rest.get(before.len()..rest.len() - after.len()).unwrap_or_default(), after),
        };
        let about = condition.unwrap_or(name);
        between.push_str(before);
        let known = PLACES.iter().find(|(known, _)| *known == about).map(|(_, identifier)| *identifier);
        match known.filter(|identifier| blocks.iter().all(|block| block.identifier != *identifier)) {
            Some(identifier) => {
                close(&mut between, &mut blocks);
                let frame = inner.replace(&format!("{{{{{about}}}}}"), "{{content}}");
                let frame = without_conditions(&frame);
                let has_words = frame.trim() != "{{content}}" && frame.contains("{{content}}");
                let content = has_words.then(|| frame.trim().to_owned());
                blocks.push(Block { content, ..marker(identifier) });
            }
            None if about == "system" && !blocks.iter().any(|block| block.identifier == "main") => {
                close(&mut between, &mut blocks);
                let content = Some(system.to_owned());
                blocks.push(Block { identifier: "main".into(), content, ..Block::default() });
            }
            // Names stay in the words; what else there is (anchors, trims) has no place here.
            None if matches!(about, "char" | "user") => between.push_str(&format!("{{{{{about}}}}}")),
            None => {}
        }
        rest = behind;
    }
    between.push_str(rest);
    close(&mut between, &mut blocks);
    blocks
}

/// The text before the next macro, its name, and what follows it.
fn next_macro(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once("{{")?;
    let (name, after) = rest.split_once("}}")?;
    Some((before, name.trim(), after))
}

/// Without what only says where a condition begins or ends.
fn without_conditions(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, name, after)) = next_macro(rest) {
        out.push_str(before);
        if !name.starts_with('#') && !name.starts_with('/') && name != "else" && name != "trim" {
            out.push_str(&rest[before.len()..rest.len() - after.len()]);
        }
        rest = after;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::STANDARD;
    use crate::{
        exchange::{
            preset::{read, write_sillytavern},
            refusal::Warning,
        },
        story::sampling::Sampling,
    };

    fn shape(file: &serde_json::Value) -> Vec<(String, Option<String>, Option<String>)> {
        let (preset, _) = read(&file.to_string()).unwrap();
        preset.blocks.into_iter().map(|block| (block.identifier, block.marker, block.content)).collect()
    }

    fn row(identifier: &str, marker: Option<&str>, content: Option<&str>) -> (String, Option<String>, Option<String>) {
        (identifier.to_owned(), marker.map(str::to_owned), content.map(str::to_owned))
    }

    #[test]
    fn a_context_template_says_what_stands_where() {
        let story = "{{#if anchorBefore}}{{anchorBefore}}\n{{/if}}{{#if system}}{{system}}\n{{/if}}{{#if wiBefore}}{{wiBefore}}\n{{/if}}{{#if description}}{{description}}\n{{/if}}{{#if personality}}{{char}}'s personality: {{personality}}\n{{/if}}{{#if scenario}}Scenario: {{scenario}}\n{{/if}}{{#if persona}}{{persona}}\n{{/if}}{{trim}}Stay in character.";
        let file = json!({ "name": "Llama", "story_string": story, "chat_start": "***", "example_separator": "<S>" });
        assert_eq!(
            shape(&file),
            [
                row("main", None, Some("")),
                row("worldInfoBefore", Some("lore_before"), None),
                row("charDescription", Some("description"), None),
                row("charPersonality", Some("personality"), Some("{{char}}'s personality: {{content}}")),
                row("scenario", Some("scenario"), Some("Scenario: {{content}}")),
                row("personaDescription", Some("persona_description"), None),
                row("context-1", None, Some("Stay in character.")),
                row("chat-start", None, Some("***")),
                row("chatHistory", Some("history"), None),
                row("jailbreak", None, Some("")),
            ]
        );
        let (preset, _) = read(&file.to_string()).unwrap();
        assert_eq!((preset.name.as_str(), &preset.extra["sillytavern"]), ("Llama", &file));
    }

    #[test]
    fn a_system_prompt_and_all_in_one() {
        let system = json!({ "name": "Roleplay", "content": "Write {{char}}.", "post_history": "Now." });
        let (preset, warnings) = read(&system.to_string()).unwrap();
        assert_eq!((preset.blocks[0].content.as_deref(), warnings), (Some("Write {{char}}."), vec![]));
        assert_eq!(preset.blocks.last().unwrap().content.as_deref(), Some("Now."));
        let instruct = json!({ "name": "ChatML", "input_sequence": "<|im_start|>user", "output_sequence": "<|im_start|>assistant" });
        let (preset, warnings) = read(&instruct.to_string()).unwrap();
        assert_eq!((preset.name.as_str(), warnings), ("ChatML", vec![Warning::InstructKept]));
        let all = json!({ "instruct": instruct, "context": { "name": "C", "story_string": "{{description}}" }, "sysprompt": system });
        let (preset, warnings) = read(&all.to_string()).unwrap();
        assert_eq!(
            (preset.blocks[0].content.as_deref(), preset.blocks[1].marker.as_deref()),
            (Some("Write {{char}}."), Some("description"))
        );
        assert_eq!(warnings, [Warning::InstructKept]);
    }

    /// As long as such a file can say what a preset is, it goes out as one.
    #[test]
    fn out_again_as_it_came() {
        let system = json!({ "name": "S", "content": "Write.", "later": 1 });
        let plain = json!({ "name": "S", "content": "Write." });
        let context = json!({ "name": "C", "story_string": "{{system}}\n{{#if description}}{{description}}{{/if}}", "single_line": true });
        let instruct = json!({ "name": "I", "input_sequence": "<u>", "output_sequence": "<a>", "wrap": true });
        let all = json!({ "instruct": instruct, "context": context, "sysprompt": system, "preset": { "temp": 1 }, "reasoning": {} });
        let out = |preset: &_| serde_json::from_str::<serde_json::Value>(&write_sillytavern(preset).0).unwrap();
        for file in [&plain, &context, &instruct, &all] {
            let (preset, _) = read(&file.to_string()).unwrap();
            assert_eq!(&out(&preset), file);
        }
        let (mut preset, _) = read(&all.to_string()).unwrap();
        let main = preset.blocks.iter_mut().find(|block| block.identifier == "main").unwrap();
        main.content = Some("Tell.".into());
        let mut expected = all;
        expected["sysprompt"]["content"] = json!("Tell.");
        assert_eq!(out(&preset), expected);
        preset.blocks.swap(0, 1);
        assert!(out(&preset)["prompts"].is_array(), "it says more by now");
        let (mut preset, _) = read(&plain.to_string()).unwrap();
        preset.name = "T".into();
        assert_eq!(out(&preset), json!({ "name": "T", "content": "Write." }));
    }

    /// They are told with the usual places, and go out as they came.
    #[test]
    fn samplers_alone() {
        let textgen = json!({ "temp": 0.7, "top_p": 0.9, "top_k": 40, "min_p": 0.05, "rep_pen": 1.1, "freq_pen": 0.2,
            "presence_pen": 0, "genamt": 350, "max_length": 8192, "sampler_order": [6, 0, 1] });
        let novelai = json!({ "presetVersion": 3, "name": "Fresh", "parameters":
            { "temperature": 1.25, "top_k": 0, "top_p": 1, "repetition_penalty": 1.5, "max_length": 80, "order": [] } });
        let said = Sampling {
            temperature: Some(0.7),
            top_p: Some(0.9),
            top_k: Some(40),
            min_p: Some(0.05),
            repetition_penalty: Some(1.1),
            frequency_penalty: Some(0.2),
            max_tokens: Some(350),
            ..Sampling::default()
        };
        let of_novelai = Sampling { temperature: Some(1.25), repetition_penalty: Some(1.5), ..Sampling::default() };
        for (file, name, sampling) in [(textgen, "", said), (novelai, "Fresh", of_novelai)] {
            let (mut preset, warnings) = read(&file.to_string()).unwrap();
            assert_eq!((&*preset.name, &preset.sampling, warnings), (name, &sampling, vec![]));
            assert_eq!(preset.blocks.len(), STANDARD.len() + 3);
            let out = |preset: &_| serde_json::from_str::<serde_json::Value>(&write_sillytavern(preset).0).unwrap();
            assert_eq!(out(&preset), file);
            preset.sampling.temperature = Some(0.5);
            let out = out(&preset);
            assert_eq!((&out["temperature"], out["prompts"].is_array()), (&json!(0.5), true), "a chat's own says it");
        }
    }
}
