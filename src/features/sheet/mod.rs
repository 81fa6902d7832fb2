//! Character sheet and plot summary (`002`): two texts that a second call writes anew every so many messages or words. Each
//! knows what it said before and what was told since.
//!
//! They are asked for when the reply is stored and shown, and delay nobody. What came lies with the newest reply that was
//! read ([`crate::story::written`]), and holds from there on. When they are due says [`due`], what is asked [`request`].

pub mod due;
pub mod request;
pub mod sections;

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use super::{Absorbed, Module, ModuleFault, Outcome, Played, TurnContext, Unfit};
use crate::{
    prompt::{
        draft::Draft,
        macros::expand_with,
        sources::{Give, Source, note::Place},
    },
    story::{
        Extra,
        features::Features,
        ids::ConnectionId,
        persona::Origin,
        preset::{Preset, Role},
        state::{Change, HandEdit, State},
        storyline::{Language, Storyline},
        written::Text,
    },
};

/// What can be said of either text (`002`, 5.3.1).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TextSettings {
    pub enabled: bool,
    /// It is not written of itself.
    pub frozen: bool,
    /// Whose model writes it; `None`: the story's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub connection: Option<ConnectionId>,
    /// What is asked; empty: [`request::prompt`].
    pub prompt: String,
    #[serde(flatten)]
    pub told: Telling,
    /// Lore is woken by it, too.
    pub scan: bool,
    /// It is due after so many messages; 0: not by them.
    pub messages: u32,
    /// It is due after so many words; 0: not by them.
    pub words: u32,
    /// Words that are asked for.
    pub length: u32,
    /// Tokens that the answer may have; 0: as many as its length wants.
    pub max_tokens: u32,
    /// Of the sheet: either's being due writes both (`002`, 4.2).
    pub lock: bool,
    #[serde(flatten)]
    pub extra: Extra,
}

impl Default for TextSettings {
    fn default() -> Self {
        Self {
            enabled: false,
            frozen: false,
            connection: None,
            prompt: String::new(),
            told: Telling::default(),
            scan: false,
            messages: 10,
            words: 0,
            length: 300,
            max_tokens: 0,
            lock: false,
            extra: Extra::new(),
        }
    }
}

/// How a text is told: what each prompt reads of its settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Telling {
    /// Empty: [`template`].
    pub template: String,
    pub position: Position,
    pub role: Role,
    /// In [`Position::Chat`].
    pub depth: u32,
}

impl Default for Telling {
    fn default() -> Self {
        Self { template: String::new(), position: Position::Prompt, role: Role::System, depth: 2 }
    }
}

/// Where a text stands in the prompt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Position {
    /// After the character.
    #[default]
    Prompt,
    /// In the chat.
    Chat,
    /// Before all else.
    First,
    /// Where a macro puts it, and nowhere else.
    Macro,
}

impl Position {
    pub const ALL: [Self; 4] = [Self::Prompt, Self::Chat, Self::First, Self::Macro];

    pub fn name(self) -> &'static str {
        match self {
            Self::Prompt => "prompt",
            Self::Chat => "chat",
            Self::First => "first",
            Self::Macro => "macro",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|position| position.name() == name)
    }
}

pub fn settings(text: Text, storyline: &Storyline, preset: &Preset) -> TextSettings {
    storyline.settings_of(preset, text.name())
}

/// Changes them in a story.
pub fn change(text: Text, storyline: &mut Storyline, preset: &Preset, change: impl FnOnce(&mut TextSettings)) {
    let mut settings = settings(text, storyline, preset);
    change(&mut settings);
    storyline.features.set_of(text.name(), &settings);
}

/// Whether either is written in this story. A demo has nobody who could.
pub fn is_on(storyline: &Storyline, preset: &Preset) -> bool {
    !storyline.demo && Text::ALL.iter().any(|text| storyline.is_on(preset, text.name()))
}

/// How it is told where the reader says nothing of that.
pub fn template(text: Text, language: Language) -> &'static str {
    match text {
        Text::Sheet => language.pick("[{{char}}现在的状态]\n{{sheet}}", "[{{char}} as of now]\n{{sheet}}"),
        Text::Plot => language.pick("[至今的剧情]\n{{sheet}}", "[The story so far]\n{{sheet}}"),
    }
}

/// Either of them, as a feature.
pub struct Texts(pub Text);

impl super::Feature for Texts {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn sources(&self) -> &'static [Source] {
        match self.0 {
            Text::Sheet => &[
                Source {
                    name: "sheet",
                    title: ["角色状态卡", "Character sheet"],
                    give: Give::Note(|draft| told(draft, Text::Sheet), |draft| place(draft, Text::Sheet)),
                },
                Source {
                    name: "char_sheet",
                    title: ["角色状态卡（原文）", "Character sheet (as written)"],
                    give: Give::Text(|draft| held(draft, Text::Sheet).to_owned()),
                },
                Source {
                    name: "char_sheet_section",
                    title: ["角色状态卡的一节", "A section of the character sheet"],
                    give: Give::Part(|draft, name| sections::section(held(draft, Text::Sheet), name)),
                },
            ],
            Text::Plot => &[
                Source {
                    name: "plot_so_far",
                    title: ["剧情摘要", "Plot summary"],
                    give: Give::Note(|draft| told(draft, Text::Plot), |draft| place(draft, Text::Plot)),
                },
                Source {
                    name: "plot_summary",
                    title: ["剧情摘要（原文）", "Plot summary (as written)"],
                    give: Give::Text(|draft| held(draft, Text::Plot).to_owned()),
                },
            ],
        }
    }

    /// What was written stays where it is switched off.
    fn module(&self, _: &Played) -> Option<Box<dyn Module>> {
        Some(Box::new(Self(self.0)))
    }

    fn change_by_hand(&self, state: &mut State, edit: &HandEdit, _: &Origin) -> Option<Result<(), Unfit>> {
        let HandEdit::Text { of, text, whose } = edit else { return None };
        (*of == self.0).then(|| {
            self.0.hold(state, whose.as_ref(), text.trim());
            Ok(())
        })
    }

    fn works_apart(&self) -> bool {
        true
    }

    fn leave_home(&self, settings: &mut Features) {
        settings.forget_field(self.0.name(), "connection");
    }
}

impl Module for Texts {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn absorb(&self, input: &Absorbed, _: &TurnContext, state: &mut State) -> Result<Outcome, ModuleFault> {
        let mut outcome = Outcome::default();
        for (of, whose, written) in input.texts.iter().filter(|(of, ..)| *of == self.0) {
            if self.0.held(state, whose.as_ref()) != written.text {
                self.0.hold(state, whose.as_ref(), &written.text);
                outcome.changes.push(Change::Text { of: *of, whose: written.whose.clone() });
            }
        }
        Ok(outcome)
    }
}

fn telling(draft: &Draft, text: Text) -> Telling {
    draft.scene.storyline.settings_of(draft.scene.preset, text.name())
}

fn held<'a>(draft: &Draft<'a>, text: Text) -> &'a str {
    let is_on = draft.scene.storyline.is_on(draft.scene.preset, text.name());
    if is_on { text.held(draft.scene.state, draft.scene.speaker) } else { "" }
}

fn told(draft: &mut Draft, text: Text) -> String {
    let held = held(draft, text);
    let own = telling(draft, text).template;
    let template = if own.trim().is_empty() { template(text, draft.language()) } else { &own };
    if held.is_empty() {
        return String::new();
    }
    let names = draft.source_text(template);
    expand_with(&names, &mut |call| {
        matches!(call.name.as_str(), "sheet" | "summary" | "memory").then(|| held.to_owned())
    })
}

fn place(draft: &Draft, text: Text) -> Place {
    let macros = match text {
        Text::Sheet => "{{char_sheet",
        Text::Plot => "{{plot_summary",
    };
    let mut blocks = draft.scene.preset.blocks.iter().filter(|block| draft.scene.tells(block));
    let is_told = blocks.any(|block| block.content.as_ref().is_some_and(|text| text.to_lowercase().contains(macros)));
    let Telling { position, role, depth, .. } = telling(draft, text);
    match position {
        // A preset that draws on it has its own place for it.
        _ if is_told => Place::Nowhere,
        Position::Prompt => Place::Prompt(role),
        Position::Chat => Place::Chat(depth, role),
        Position::First => Place::First(role),
        Position::Macro => Place::Nowhere,
    }
}
