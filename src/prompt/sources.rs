//! Sources: each draws one thing out of the scene for the prompt. The framework decides where it goes.

mod background;
pub mod card;
pub mod history;
pub mod note;
pub mod reader;

pub use super::draft::values;
pub use history::messages_of;

use super::{
    Scene,
    context::{Entry, Priority},
    draft::Draft,
};
use crate::story::preset::{Block, Preset, Section};

/// What gives something to a marker or a macro of its name.
pub struct Source {
    pub name: &'static str,
    /// What people call it, in Chinese and English.
    pub title: [&'static str; 2],
    pub give: Give,
}

/// Macros are already expanded, where they are to be; nothing to say = the block falls away.
#[derive(Clone, Copy)]
pub enum Give {
    Text(fn(&mut Draft) -> String),
    /// Pieces that can be left out one by one, from the end.
    Pieces(fn(&mut Draft) -> Vec<String>),
    /// A text that places itself where no block is its place.
    Note(fn(&mut Draft) -> String, fn(&Draft) -> note::Place),
    /// A part of a text, by its name: for a macro with an argument.
    Part(fn(&mut Draft, &str) -> String),
    /// Nothing but what is put into the [`super::context::ContextStore`] for a turn under this name; and what it counts
    /// for there.
    Turn(Priority, Section),
}

use Give::{Pieces, Text};

/// The sources that belong to no feature, but for history and input, which bring messages. A feature brings its own
/// ([`super::Scene::sources`]).
pub const REGISTRY: &[Source] = &[
    Source { name: "character", title: ["角色（全部）", "Character (all of it)"], give: Text(card::character) },
    Source { name: "description", title: ["角色描述", "Character description"], give: Text(card::description) },
    Source { name: "personality", title: ["性格", "Personality"], give: Text(card::personality) },
    Source { name: "scenario", title: ["情境", "Scenario"], give: Text(card::scenario) },
    Source { name: "examples", title: ["对话示例", "Example dialogue"], give: Pieces(card::examples) },
    Source {
        name: "mes_example",
        title: ["对话示例（原样）", "Example dialogue (as written)"],
        give: Pieces(card::example_blocks),
    },
    Source {
        name: "post_history",
        title: ["角色卡的历史后指令", "The card's post-history instructions"],
        give: Text(card::post_history),
    },
    Source {
        name: "persona_description",
        title: ["读者的角色", "The reader's persona"],
        give: Text(card::persona_in_prompt),
    },
    Source { name: "reader_persona", title: ["读者的角色", "The reader's persona"], give: Text(card::persona) },
    Source {
        name: "plays_as",
        title: ["读者的角色", "The reader's persona"],
        give: Give::Note(card::persona_by_itself, card::persona_place),
    },
    Source {
        name: "background",
        title: ["背景（全部）", "Background (all of it)"],
        give: Text(background::background),
    },
    Source {
        name: "world", title: ["世界（设定与规则）", "World (setting and rules)"], give: Text(background::world)
    },
    Source {
        name: "world_description", title: ["世界描述", "World description"], give: Text(background::description)
    },
    Source { name: "world_setting", title: ["世界设定", "World setting"], give: Text(background::setting) },
    Source { name: "world_rules", title: ["世界规则", "World rules"], give: Text(background::rules) },
    Source {
        name: "initial_context", title: ["初始情境", "Initial context"], give: Text(background::initial_context)
    },
    Source { name: SUMMARY, title: ["摘要", "Summary"], give: Text(history::summary) },
    Source { name: READER, title: ["读者是谁", "Who the reader is"], give: Text(reader::text) },
];

/// The marker of the history.
pub const HISTORY: &str = "history";
/// The marker of what was told before the session: where no block has it, the history begins with it.
pub const SUMMARY: &str = "summary";
/// The marker of the words to answer.
pub const INPUT: &str = "input";

/// The marker of who is there and whose words are wanted, where several speak: where no block has it, it is said last.
pub const COMPANY: &str = "company";

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

/// Who the character is, by any of these.
const CHARACTER: &[&str] = &[
    "character",
    "description",
    "personality",
    "scenario",
    "base_persona",
    "core_identity",
    "archetype",
    "core_traits",
];

/// Whether a block tells of the character.
pub fn is_of_the_character(block: &Block) -> bool {
    CHARACTER.iter().any(|name| is_place(block, name))
}

/// Whether what a block says is made for each turn anew. Lore is looked for anew, and mostly says the same for many turns.
pub fn is_of_the_turn(scene: &Scene, block: &Block) -> bool {
    let anew = |name: &str| {
        scene
            .source(name)
            .is_some_and(|source| matches!(source.give, Give::Turn(priority, _) if priority != Priority::LORE))
    };
    let mut macros = block.content.iter().flat_map(|text| text.split("{{").skip(1));
    block.marker.as_deref().is_some_and(|name| anew(marker_name(name)))
        || macros.any(|rest| rest.split_once("}}").is_some_and(|(name, _)| anew(macro_name(name).0)))
}

/// Whether a preset has a place for what a feature makes: a block of that marker, or a text that draws on it.
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
        "persona" => ("reader_persona", false),
        "mesexamples" | "mesexamplesraw" => ("mes_example", false),
        "chardescription" => ("description", false),
        "charpersonality" => ("personality", false),
        "charscenario" => ("scenario", false),
        "wibefore" | "lorebefore" => ("lore_before", false),
        "wiafter" | "loreafter" => ("lore_after", false),
        other => (other, false),
    }
}

/// What a source says, as pieces with their reasons; the store goes before it. `None`: neither knows the name.
pub fn pieces(draft: &mut Draft, name: &str) -> Option<Vec<Entry>> {
    let context = draft.scene.context;
    if let Some(entries) = context.get(name) {
        let told = |entry: &Entry| Entry { text: draft.with_names(entry.text.trim_end()), ..entry.clone() };
        return Some(entries.iter().map(told).collect());
    }
    let source = draft.scene.source(name)?;
    let own = match source.give {
        Text(text) | Give::Note(text, _) => vec![text(draft).trim().to_owned()],
        Pieces(pieces) => pieces(draft),
        Give::Part(_) | Give::Turn(..) => Vec::new(),
    };
    let own = own.into_iter().filter(|text| !text.is_empty()).map(|text| Entry { text, ..Entry::default() });
    let own: Vec<Entry> = own.collect();
    let [before, after] = match name {
        "mes_example" => context.around("examples"),
        // Around a note there is something only where there is a note (seed `004`).
        _ if own.is_empty() && matches!(source.give, Give::Note(..)) => [&[][..], &[]],
        _ => context.around(name),
    };
    Some([before, &own, after].concat())
}

/// What a source says, as one text.
pub fn text(draft: &mut Draft, name: &str) -> Option<String> {
    let pieces = pieces(draft, name)?;
    let texts: Vec<&str> = pieces.iter().map(|piece| piece.text.as_str()).collect();
    Some(texts.join("\n"))
}

/// The part of a source, where it has parts.
pub fn part(draft: &mut Draft, name: &str, part: &str) -> Option<String> {
    match draft.scene.source(name)?.give {
        Give::Part(of) => Some(of(draft, part)),
        _ => None,
    }
}

/// What another source says, for one that tells of both: nothing where there is none of that name.
pub fn of(draft: &mut Draft, name: &str) -> String {
    text(draft, name).unwrap_or_default()
}

/// `## title` and text; nothing where the text is blank.
pub fn section(title: &str, text: &str) -> String {
    match text.trim() {
        "" => String::new(),
        text => format!("## {title}\n{text}"),
    }
}

/// Paragraphs, without the blank ones.
pub fn join<S: AsRef<str>>(parts: impl IntoIterator<Item = S>) -> String {
    let parts: Vec<S> = parts.into_iter().collect();
    let parts: Vec<&str> = parts.iter().map(|part| part.as_ref().trim()).filter(|part| !part.is_empty()).collect();
    parts.join("\n\n")
}
