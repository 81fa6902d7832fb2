//! SillyTavern's chat-completion presets: prompts with their order, and samplers. What is not known here stays in the
//! preset, and goes out again; addresses and keys are never taken.

use serde_json::{Value, json};

use super::{Object, advanced, drop_secrets, holds_secret, text};
use crate::{
    exchange::names::tidy_name,
    prompt::sources::marker_name,
    story::{
        Extra,
        preset::{Block, DEFAULT_ORDER, Preset, Role},
        sampling::{Effort, Sampling},
    },
};

/// Depth of a prompt in the chat that names none (the field's own default).
const DEFAULT_DEPTH: u32 = 4;
/// The order that holds for all characters.
const ALL: u64 = 100_001;
const ORDER: &str = "prompt_order";
/// Under which a block keeps what its file said and an export would not say of itself.
pub(super) const KEPT: &str = "sillytavern";

pub(super) fn read(file: &Object) -> Preset {
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
    for block in blocks.iter_mut().filter(|block| block.marker.is_some()) {
        block.content = frame(file, &block.identifier);
    }
    let mut extra = file.clone();
    extra.retain(|key, value| !OF_FILE.contains(&key.as_str()) && !may_hide_a_key(key, value));
    let mut extra = Value::from(extra);
    drop_secrets(&mut extra);
    let extra = extra.as_object().cloned().unwrap_or_default();
    let [name, description] = ["name", "description"].map(|key| text(file, key).to_owned());
    let sampling = samplers(&extra);
    Preset { name, description, blocks, sampling, extra, ..Preset::default() }
}

/// Writes a preset as SillyTavern reads it, and says how many of its blocks are left out: those whose place is filled by
/// something that there is none of there.
pub fn write(preset: &Preset) -> (String, usize) {
    let pretty = |file: Value| serde_json::to_string_pretty(&file).expect("a value has text keys");
    if let Some(file) = advanced::as_it_came(preset) {
        return (pretty(file), 0);
    }
    let mut file = preset.extra.clone();
    put_samplers(&preset.sampling, &mut file);
    put_frames(preset, &mut file);
    let mut prompts = Vec::new();
    let mut placed = Vec::new();
    let mut left_out = 0;
    for block in &preset.blocks {
        let of_file = block.extra.contains_key(KEPT) || block.extra.contains_key("system_prompt");
        let identifier = match &block.marker {
            None => block.identifier.as_str(),
            Some(name) => match MARKERS.iter().find(|marker| marker_name(marker) == name) {
                Some(marker) => marker,
                // Of something that is added there.
                None if of_file => block.identifier.as_str(),
                None => {
                    left_out += 1;
                    continue;
                }
            },
        };
        placed.push((identifier, block.enabled));
        prompts.push(prompt(identifier, block));
    }
    file.insert("prompts".into(), prompts.into());
    let mut lists = file.remove(ORDER).and_then(|lists| lists.as_array().cloned()).unwrap_or_default();
    lists.retain(Value::is_object);
    match common(&lists) {
        Some(at) => lists[at]["order"] = ordered(&placed, lists[at]["order"].as_array()),
        None => lists.push(json!({ "character_id": ALL, "order": ordered(&placed, None) })),
    }
    file.insert(ORDER.into(), lists.into());
    (pretty(file.into()), left_out)
}

/// The order of what is placed. `before`: as the file had it; what is off and had no place there has none, and a place
/// without a prompt stays.
fn ordered(placed: &[(&str, bool)], before: Option<&Vec<Value>>) -> Value {
    let known = |identifier: &str| before.into_iter().flatten().find(|entry| entry["identifier"] == identifier);
    let mut order: Vec<Value> = Vec::new();
    for (identifier, enabled) in placed {
        let entry = known(identifier);
        if *enabled || before.is_none() || entry.is_some() {
            let mut entry = entry.cloned().unwrap_or_else(|| json!({ "identifier": identifier }));
            entry["enabled"] = (*enabled).into();
            order.push(entry);
        }
    }
    let has_prompt = |entry: &Value| placed.iter().any(|(identifier, _)| entry["identifier"] == **identifier);
    for (at, entry) in before.into_iter().flatten().enumerate().filter(|(_, entry)| !has_prompt(entry)) {
        order.insert(at.min(order.len()), entry.clone());
    }
    order.into()
}

/// Of its own prompts, for which this is said there.
const OF_SYSTEM: [&str; 4] = ["main", "nsfw", "jailbreak", "enhanceDefinitions"];

/// As [`bare`], and over it what its file said otherwise, as long as that is still read as the same.
fn prompt(identifier: &str, block: &Block) -> Value {
    let said = |prompt: &Object| Block { enabled: true, extra: Extra::new(), ..plain(prompt) };
    let mut prompt = bare(identifier, block);
    let same = said(&prompt);
    for (key, value) in block.extra.get(KEPT).and_then(Value::as_object).into_iter().flatten() {
        let mut trial = prompt.clone();
        trial.insert(key.clone(), value.clone());
        if said(&trial) == same {
            prompt = trial;
        }
    }
    prompt.into()
}

fn bare(identifier: &str, block: &Block) -> Object {
    let mut prompt = block.extra.clone();
    prompt.remove(KEPT);
    let is_marker = block.marker.is_some();
    let of_system = is_marker || OF_SYSTEM.contains(&identifier);
    prompt.entry("system_prompt").or_insert(of_system.into());
    let role = match block.role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
    };
    // A place says nothing of what is as everywhere.
    let mut put = |key: &str, value: Value, is_usual: bool| {
        if !is_marker || !is_usual {
            prompt.insert(key.to_owned(), value);
        }
    };
    put("identifier", identifier.into(), false);
    put("name", block.name.clone().into(), false);
    put("marker", is_marker.into(), false);
    put("role", role.into(), block.role == Role::System);
    put("content", block.content.clone().unwrap_or_default().into(), true);
    put("injection_position", u32::from(block.depth.is_some()).into(), block.depth.is_none());
    put("injection_order", block.order.into(), block.order == DEFAULT_ORDER);
    put("forbid_overrides", block.forbid_overrides.into(), !block.forbid_overrides);
    match block.depth {
        Some(depth) => put("injection_depth", depth.into(), false),
        None if is_marker => {}
        None => drop(prompt.entry("injection_depth").or_insert(DEFAULT_DEPTH.into())),
    }
    prompt
}

/// What is said of samplers: those that a connection knows, too. What means “off” there says nothing.
pub(super) fn samplers(file: &Object) -> Sampling {
    let number = |keys: &[&str]| keys.iter().find_map(|key| file.get(*key).and_then(Value::as_f64));
    let within = |keys: &[&str], low: f64, high: f64| number(keys).filter(|number| (low..=high).contains(number));
    let count = |keys: &[&str], most: u32| {
        let said = number(keys).filter(|number| number.fract() == 0.0);
        said.filter(|n| (1.0..=f64::from(most)).contains(n)).map(|n| n as u32)
    };
    let is_on = |off: f64| move |number: &f64| *number != off;
    Sampling {
        temperature: within(TEMPERATURE, 0.0, 2.0),
        top_p: within(TOP_P, 0.0, 1.0).filter(is_on(1.0)),
        top_k: count(&["top_k"], 100_000),
        frequency_penalty: within(FREQUENCY, -2.0, 2.0).filter(is_on(0.0)),
        presence_penalty: within(PRESENCE, -2.0, 2.0).filter(is_on(0.0)),
        min_p: within(&["min_p"], 0.0, 1.0).filter(is_on(0.0)),
        repetition_penalty: within(REPETITION, 0.0, 2.0).filter(is_on(1.0)).filter(is_on(0.0)),
        max_tokens: count(LONGEST, 1_000_000),
        seed: file.get("seed").and_then(Value::as_i64).filter(|seed| *seed >= 0),
        effort: match text(file, "reasoning_effort") {
            "min" => Some(Effort::Off),
            "low" => Some(Effort::Low),
            "medium" => Some(Effort::Medium),
            "high" | "max" => Some(Effort::High),
            _ => None,
        },
        prefill: text(file, PREFILL).to_owned(),
        ..Sampling::default()
    }
}

const PREFILL: &str = "assistant_prefill";

/// Each by its names, the newer one first, and that of presets for text completion last.
const TEMPERATURE: &[&str] = &["temperature", "temp_openai", "temp"];
const TOP_P: &[&str] = &["top_p", "top_p_openai"];
const FREQUENCY: &[&str] = &["frequency_penalty", "freq_pen_openai", "freq_pen"];
const PRESENCE: &[&str] = &["presence_penalty", "pres_pen_openai", "presence_pen"];
const REPETITION: &[&str] = &["repetition_penalty", "rep_pen"];
const LONGEST: &[&str] = &["openai_max_tokens", "genamt"];

/// Says them; what says the same already stays as it is written.
fn put_samplers(sampling: &Sampling, file: &mut Object) {
    let said = samplers(file);
    let mut put = |keys: &[&str], now: Option<Value>, then: Option<Value>| {
        if now != then {
            keys.iter().for_each(|key| drop(file.remove(*key)));
            now.into_iter().for_each(|now| drop(file.insert(keys[0].to_owned(), now)));
        }
    };
    let value = |number: Option<f64>| number.map(Value::from);
    put(TEMPERATURE, value(sampling.temperature), value(said.temperature));
    put(TOP_P, value(sampling.top_p), value(said.top_p));
    put(FREQUENCY, value(sampling.frequency_penalty), value(said.frequency_penalty));
    put(PRESENCE, value(sampling.presence_penalty), value(said.presence_penalty));
    put(&["top_k"], sampling.top_k.map(Value::from), said.top_k.map(Value::from));
    put(&["min_p"], value(sampling.min_p), value(said.min_p));
    put(REPETITION, value(sampling.repetition_penalty), value(said.repetition_penalty));
    let effort =
        |effort: Option<Effort>| effort.map(|effort| if effort == Effort::Off { "min" } else { effort.name() }.into());
    put(&["reasoning_effort"], effort(sampling.effort), effort(said.effort));
    put(LONGEST, sampling.max_tokens.map(Value::from), said.max_tokens.map(Value::from));
    put(&["seed"], sampling.seed.map(Value::from), said.seed.map(Value::from));
    put(&[PREFILL], Some(sampling.prefill.clone().into()), Some(said.prefill.into()));
}

/// Lines that are sent as they are: whoever wrote them may have put a key there.
fn may_hide_a_key(key: &str, value: &Value) -> bool {
    let lines = ["custom_include", "custom_exclude"].iter().any(|lines| key.to_ascii_lowercase().starts_with(lines));
    lines && value != "" || holds_secret(key, value)
}

/// The list that holds for all characters: 100001; older files have 100000.
fn common(lists: &[Value]) -> Option<usize> {
    let of = |id: u64| lists.iter().rposition(|list| list["character_id"].as_u64() == Some(id));
    of(ALL).or_else(|| of(100_000)).or(lists.len().checked_sub(1))
}

/// Identifiers in their order, and whether each is switched on.
fn order(file: &Object) -> Vec<(&str, bool)> {
    let lists = file.get(ORDER).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let items = common(lists).and_then(|at| lists[at]["order"].as_array()).into_iter().flatten();
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

/// What stands around a place where there is something to say, by fields of the file: with what stands there for it, and
/// the places.
const FORMATS: [(&str, &str, &[&str]); 3] = [
    ("scenario_format", "{{scenario}}", &["scenario"]),
    ("personality_format", "{{personality}}", &["charPersonality"]),
    ("wi_format", "{0}", &["worldInfoBefore", "worldInfoAfter"]),
];
const SLOT: &str = "{{content}}";

/// The words around a place, as a block has them; `None` where there are none.
fn frame(file: &Object, identifier: &str) -> Option<String> {
    let (field, slot, _) = FORMATS.iter().find(|(.., places)| places.contains(&identifier))?;
    let said = text(file, field).trim();
    (said.contains(slot) && said != *slot).then(|| said.replacen(slot, SLOT, 1))
}

/// Says them where they are others than the file has; of places that share theirs, the first. A place without any says
/// nothing of them: it may have come when they were not read.
fn put_frames(preset: &Preset, file: &mut Object) {
    for (field, slot, places) in FORMATS {
        let is_place = |block: &&Block| {
            block.marker.as_ref().is_some_and(|name| places.iter().any(|place| marker_name(place) == name))
        };
        let mut here = preset.blocks.iter().filter(is_place);
        let then = frame(file, places[0]);
        let other = here.find(|block| block.content.is_some() && block.content != then);
        if let Some(words) = other.and_then(|block| block.content.as_ref()) {
            let words = match words.contains(SLOT) {
                true => words.replacen(SLOT, slot, 1),
                false => format!("{words}\n{slot}"),
            };
            file.insert(field.into(), words.into());
        }
    }
}

fn is_marker(identifier: &str) -> bool {
    MARKERS.contains(&identifier)
}

/// The place of a source, by what it is called there.
pub(super) fn marker(identifier: &str) -> Block {
    Block { identifier: identifier.to_owned(), marker: Some(marker_name(identifier).to_owned()), ..Block::default() }
}

/// A prompt, and what would not go out again of itself.
fn block(prompt: &Object) -> Block {
    let mut block = plain(prompt);
    let written = bare(&block.identifier, &block);
    let mut kept = prompt.clone();
    kept.retain(|key, value| written.get(key) != Some(value));
    let mut kept = Value::from(kept);
    drop_secrets(&mut kept);
    // A place that is known to nobody here is known by this to be of there.
    let is_added = block.marker.is_some() && !is_marker(&block.identifier);
    if is_added || kept.as_object().is_some_and(|kept| !kept.is_empty()) {
        block.extra.insert(KEPT.into(), kept);
    }
    block
}

fn plain(prompt: &Object) -> Block {
    let identifier = text(prompt, "identifier");
    let number = |key: &str| prompt.get(key).and_then(Value::as_i64);
    let flag = |key: &str| prompt.get(key).and_then(Value::as_bool);
    let in_chat = number("injection_position") == Some(1);
    let depth = number("injection_depth").and_then(|depth| u32::try_from(depth).ok()).unwrap_or(DEFAULT_DEPTH);
    let order = number("injection_order").and_then(|order| i32::try_from(order).ok()).unwrap_or(DEFAULT_ORDER);
    let mut extra = prompt.clone();
    // The depth of a prompt that stands in no chat means nothing here, and stays.
    extra.retain(|key, _| {
        let stays = key == "injection_depth" && !in_chat || !OF_PROMPT.contains(&key.as_str());
        stays && !OF_BLOCK.contains(&key.as_str())
    });
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

/// Fields of a foreign file that have become fields here, or would be taken for them.
const OF_FILE: [&str; 9] =
    ["prompts", "name", "description", "blocks", "modules", "sampling", "id", "created", "updated"];
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
const OF_BLOCK: [&str; 9] =
    ["empty", "section", "feature", "depth", "order", "turns", "form", "current_session", "shown_only"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_around_a_place_are_its_frame() {
        let file = json!({
            "scenario_format": "[Circumstances: {{scenario}}]",
            "personality_format": "{{personality}}",
            "wi_format": "[The world:\n{0}]\n",
            "prompts": [{"identifier": "scenario", "marker": true}, {"identifier": "charPersonality", "marker": true}],
            "prompt_order": [{"character_id": 100001, "order": [
                {"identifier": "worldInfoBefore", "enabled": true}, {"identifier": "charPersonality", "enabled": true},
                {"identifier": "scenario", "enabled": true}, {"identifier": "worldInfoAfter", "enabled": false}]}],
        });
        let mut preset = read(file.as_object().unwrap());
        let frames = |preset: &Preset| -> Vec<_> { preset.blocks.iter().map(|block| block.content.clone()).collect() };
        let world = Some("[The world:\n{{content}}]".to_owned());
        let circumstances = Some("[Circumstances: {{content}}]".to_owned());
        assert_eq!(frames(&preset), [world.clone(), None, circumstances, world]);
        // As it came, and with what was changed here.
        let out = |preset: &Preset| serde_json::from_str::<Value>(&write(preset).0).unwrap();
        let formats = |file: &Value| FORMATS.map(|(field, ..)| file[field].clone());
        assert_eq!(formats(&out(&preset)), formats(&file));
        preset.blocks[1].content = Some("{{char}} is {{content}}.".into());
        preset.blocks[2].content = Some("Here: {{content}}".into());
        preset.blocks[0].content = Some("The world:".into());
        let [scenario, personality, world] = formats(&out(&preset));
        assert_eq!([scenario, personality], ["Here: {{scenario}}", "{{char}} is {{personality}}."]);
        assert_eq!(world, "The world:\n{0}");
        // Those without a place have theirs, too; one that came before they were read says nothing of them.
        let mut unplaced = file.clone();
        unplaced["prompt_order"][0]["order"] = json!([{"identifier": "charPersonality", "enabled": true}]);
        let mut preset = read(unplaced.as_object().unwrap());
        assert_eq!(formats(&out(&preset)), formats(&file));
        preset.blocks.iter_mut().for_each(|block| block.content = None);
        assert_eq!(formats(&out(&preset)), formats(&file));
        // A file that says nothing of it goes out so.
        preset = read(json!({"prompts": [{"identifier": "scenario", "marker": true}]}).as_object().unwrap());
        assert_eq!((frames(&preset), formats(&out(&preset))), (vec![None], Default::default()));
    }
}
