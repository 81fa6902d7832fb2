//! Sources: each draws one thing out of the scene for the prompt. The framework decides where it goes.

pub mod card;
pub mod history;
mod items;
pub mod note;
pub mod persona;
pub mod plot;
pub mod reader;
pub mod world;

pub use super::draft::values;
pub use history::messages_of;

use super::draft::Draft;
use crate::story::preset::{Block, Preset};

/// What a source gives to a marker or a macro of its name.
pub struct Source {
    pub name: &'static str,
    pub give: Give,
}

/// Macros are already expanded, where they are to be; nothing to say = the block falls away.
pub enum Give {
    Text(fn(&mut Draft) -> String),
    /// Pieces that can be left out one by one, from the end.
    Pieces(fn(&mut Draft) -> Vec<String>),
}

use Give::{Pieces, Text};

/// All sources but history and input, which bring messages. Texts that modules make for a turn (recall, reminder, plan,
/// …) need no line: a marker finds them in the [`super::context::ContextStore`]. Memories that the scene itself brings
/// would be one line here.
pub const REGISTRY: &[Source] = &[
    Source { name: "character", give: Text(card::character) },
    Source { name: "description", give: Text(card::description) },
    Source { name: "personality", give: Text(card::personality) },
    Source { name: "scenario", give: Text(card::scenario) },
    Source { name: "examples", give: Pieces(card::examples) },
    Source { name: "mes_example", give: Pieces(card::example_blocks) },
    Source { name: "post_history", give: Text(card::post_history) },
    Source { name: "persona_description", give: Text(card::persona_description) },
    Source { name: "base_persona", give: Text(persona::base_persona) },
    Source { name: "evolved_persona", give: Text(persona::evolved_persona) },
    Source { name: "core_identity", give: Text(persona::core_identity) },
    Source { name: "archetype", give: Text(|draft| draft.source_text(&persona::core(draft.scene).archetype)) },
    Source { name: "core_goal", give: Text(|draft| draft.source_text(&persona::core(draft.scene).core_goal)) },
    Source { name: "core_traits", give: Text(persona::core_traits) },
    Source { name: "background_story", give: Text(persona::background_story) },
    Source { name: "growth_state", give: Text(persona::growth_state) },
    Source { name: "beliefs", give: Text(persona::beliefs) },
    Source { name: "behavioral_patterns", give: Text(persona::behavioral_patterns) },
    Source { name: "relationships", give: Text(persona::relationships) },
    Source { name: "current_state", give: Text(persona::current_state) },
    Source { name: "emotions", give: Text(persona::emotions) },
    Source { name: "physical", give: Text(persona::physical) },
    Source { name: "immediate_goals", give: Text(persona::immediate_goals) },
    Source { name: "background", give: Text(world::background) },
    Source { name: "world", give: Text(world::world) },
    Source { name: "world_description", give: Text(world::description) },
    Source { name: "world_setting", give: Text(world::setting) },
    Source { name: "world_rules", give: Text(world::rules) },
    Source { name: "initial_context", give: Text(world::initial_context) },
    Source { name: "world_state", give: Text(world::state) },
    Source { name: "events", give: Pieces(world::events) },
    Source { name: "outline", give: Text(plot::outline) },
    Source { name: "progress", give: Text(plot::progress) },
    Source { name: SUMMARY, give: Text(history::summary) },
    Source { name: READER, give: Text(reader::text) },
    Source { name: "author_note", give: Text(note::text) },
];

/// The marker of the history.
pub const HISTORY: &str = "history";
/// The marker of what was told before the session: where no block has it, the history begins with it.
pub const SUMMARY: &str = "summary";
/// The marker of the words to answer.
pub const INPUT: &str = "input";

/// The marker of who the reader is: where no block has it, it is said of a reader without a name.
pub const READER: &str = "reader";

/// Whether a block is the place of a source: by its marker, or by a macro of that name.
pub fn is_place(block: &Block, name: &str) -> bool {
    block.marker.as_deref().map(marker_name) == Some(name)
        || block.content.as_deref().is_some_and(|text| text.contains(&format!("{{{{{name}}}}}")))
}

/// A marker by its own name, whatever it is called: SillyTavern's markers keep theirs.
pub fn marker_name(name: &str) -> &str {
    match name {
        "worldInfoBefore" => "lore_before",
        "worldInfoAfter" => "lore_after",
        "personaDescription" => "persona_description",
        "charDescription" => "description",
        "charPersonality" => "personality",
        "dialogueExamples" => "examples",
        "chatHistory" => HISTORY,
        "authorsNote" => "author_note",
        other => other,
    }
}

/// Whether a preset has a place for what a module makes: a block of that marker, or a text that draws on it.
pub fn is_placed(preset: &Preset, name: &str) -> bool {
    preset.blocks.iter().any(|block| block.enabled && is_place(block, name))
}

/// A source by the name of its macro, and whether it says so where there is nothing (the template of seed `001`, whose
/// headings stand whatever is below them).
pub fn macro_name(name: &str) -> (&str, bool) {
    match name {
        "background_description" => ("world_description", true),
        "world_rules" => ("world_rules", true),
        "archetype" | "core_goal" | "core_traits" | "background_story" => (name, true),
        "beliefs_list" => ("beliefs", true),
        "patterns_list" => ("behavioral_patterns", true),
        "relationships_list" => ("relationships", true),
        "emotions_list" => ("emotions", true),
        "physical_condition" => ("physical", true),
        "immediate_goals_list" => ("immediate_goals", true),
        "rag_events_formatted" => ("recall", true),
        "persona" => ("persona_description", false),
        "mesexamples" => ("mes_example", false),
        other => (other, false),
    }
}

/// What a source says, as pieces; the store goes before it. `None`: neither knows the name.
pub fn pieces(draft: &mut Draft, name: &str) -> Option<Vec<String>> {
    if let Some(entries) = draft.scene.context.get(name) {
        return Some(entries.iter().map(|entry| draft.with_names(entry.text.trim_end())).collect());
    }
    let pieces = match REGISTRY.iter().find(|source| source.name == name)?.give {
        Text(text) => vec![text(draft).trim().to_owned()],
        Pieces(pieces) => pieces(draft),
    };
    Some(pieces.into_iter().filter(|piece| !piece.is_empty()).collect())
}

/// What a source says, as one text. A name that modules may fill is empty until they do.
pub fn text(draft: &mut Draft, name: &str) -> Option<String> {
    match pieces(draft, name) {
        Some(pieces) => Some(pieces.join("\n")),
        None => RESERVED.contains(&name).then(String::new),
    }
}

/// The marker of the director's reminder.
pub const REMINDER: &str = "director_reminder";

/// Names that only modules fill.
pub const RESERVED: &[&str] = &["recall", REMINDER, "plan", "sheet", "lore_before", "lore_after"];

/// `## title` and text; nothing where the text is blank.
fn section(title: &str, text: &str) -> String {
    match text.trim() {
        "" => String::new(),
        text => format!("## {title}\n{text}"),
    }
}

/// Paragraphs, without the blank ones.
fn join<S: AsRef<str>>(parts: impl IntoIterator<Item = S>) -> String {
    let parts: Vec<S> = parts.into_iter().collect();
    let parts: Vec<&str> = parts.iter().map(|part| part.as_ref().trim()).filter(|part| !part.is_empty()).collect();
    parts.join("\n\n")
}
