//! A prompt in the making: the scene, and what its macros stand for.

use super::{
    Scene,
    macros::{Call, Values, expand, expand_with, plain::Plain, time::Moment},
    sources,
};
use crate::{
    reply::parser,
    story::{preset::Role, storyline::Language},
};

pub struct Draft<'s> {
    pub scene: &'s Scene<'s>,
    plain: Plain<'s>,
}

/// Whose macros are expanded.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    /// A preset's: sources too.
    Preset,
    /// One about the card: a lorebook's, a note's, the card's own in the place of a preset's. It may name the card's fields.
    About,
    /// A field of the card, a world's: a source cannot draw on sources.
    Source,
}

impl<'s> Draft<'s> {
    pub fn new(scene: &'s Scene<'s>) -> Self {
        let moment = Moment::new(scene.now, scene.utc_offset);
        let seeds = [scene.seed(), scene.storyline.id.as_str()];
        Self { scene, plain: Plain::new(moment, scene.storyline.language, seeds, scene.variables.clone()) }
    }

    pub fn language(&self) -> Language {
        self.scene.storyline.language
    }

    /// The block of this identifier begins.
    pub fn enter(&mut self, scope: &str) {
        self.plain.enter(scope);
    }

    /// Expands a text of the preset.
    pub fn preset_text(&mut self, text: &str) -> String {
        expand_with(text, &mut |call| self.look_up(call, "", Level::Preset))
    }

    /// Expands a text that people wrote about the story; never one of the reader's turns or the model's.
    pub fn source_text(&mut self, text: &str) -> String {
        expand_with(text, &mut |call| self.look_up(call, "", Level::Source))
    }

    /// The same of one that may name the card's fields: `{{personality}}`.
    pub fn about_text(&mut self, text: &str) -> String {
        self.replacing(text, "")
    }

    /// Expands a card's text that stands in the place of `original`.
    pub fn replacing(&mut self, text: &str, original: &str) -> String {
        expand_with(text, &mut |call| self.look_up(call, original, Level::About))
    }

    /// Puts in `{{char}}` and `{{user}}` alone: for what people and models have written between them.
    pub fn with_names(&self, text: &str) -> String {
        expand(text, &values(self.scene, ""))
    }

    fn look_up(&mut self, call: &Call, original: &str, level: Level) -> Option<String> {
        let scene = self.scene;
        if let Some(value) = sources::values(scene, original).get(call) {
            return Some(value);
        }
        if let Some(value) = self.plain.get(call) {
            return Some(value);
        }
        match call.name.as_str() {
            "group" | "groupnotmuted" | "charifnotgroup" if call.args.is_empty() => Some(match scene.group {
                Some(group) => group.there().collect::<Vec<_>>().join(self.language().pick("、", ", ")),
                None => scene.character.name.clone(),
            }),
            "notchar" if call.args.is_empty() => {
                let cast = scene.group.is_some().then_some(&scene.storyline.cast).into_iter().flatten();
                let others = cast.filter_map(|one| Some(scene.group?.name_of(Some(one))));
                let others = others.filter(|name| !name.is_empty() && *name != scene.character.name);
                let all: Vec<&str> = [scene.storyline.reader().told().plain].into_iter().chain(others).collect();
                Some(all.join(self.language().pick("、", ", ")))
            }
            "input" | "user_input" | "lastmessage" | "lastusermessage" => {
                Some(sources::history::input(scene).into_owned())
            }
            "lastcharmessage" => Some(parser::spoken(last_reply(scene)).into_owned()),
            name if level == Level::About && call.args.is_empty() => self.field(name),
            _ if level == Level::Preset && call.args.is_empty() => self.source(&call.name),
            _ if level == Level::Preset => sources::part(self, &call.name, call.arg(0)),
            _ => None,
        }
    }

    /// What the card, or whom the reader plays, says under this name.
    fn field(&mut self, name: &str) -> Option<String> {
        let card = &self.scene.character.card;
        let text = match sources::macro_name(name).0 {
            "description" => &card.description,
            "personality" => &card.personality,
            "scenario" => &card.scenario,
            "mes_example" => &card.mes_example,
            "reader_persona" => return Some(sources::card::persona(self)),
            _ => return None,
        };
        Some(self.source_text(text))
    }

    /// A source by its name or another name of it.
    fn source(&mut self, name: &str) -> Option<String> {
        let (known, or_none) = sources::macro_name(name);
        let text = sources::text(self, known)?;
        Some(match (text.is_empty() && or_none, self.language()) {
            (true, Language::Zh) => "（无）".to_owned(),
            (true, Language::En) => "(none)".to_owned(),
            _ => text,
        })
    }
}

/// What the model said last before the turn to answer.
fn last_reply<'a>(scene: &'a Scene<'a>) -> &'a str {
    let before = scene.history.len().saturating_sub(1);
    let said = scene.history[..before].iter().rev().flat_map(|node| sources::messages_of(node).into_iter().rev());
    said.into_iter().find(|(role, _)| *role == Role::Assistant).map_or("", |(_, text)| text)
}

/// What `{{char}}` and `{{user}}` stand for.
pub fn values<'a>(scene: &'a Scene<'a>, original: &'a str) -> Values<'a> {
    Values { char: &scene.character.name, user: scene.storyline.reader().told(), original }
}
