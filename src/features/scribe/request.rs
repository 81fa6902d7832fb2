//! What the scribe is asked: who the character is, how everything stands, what was told since, and the shape of the answer.

use serde_json::json;

use super::super::{
    director::DirectorSettings,
    persona::PersonaSettings,
    transcript::{filled, whose_turns},
    world::WorldSettings,
};
use crate::{
    prompt::{
        Scene,
        draft::Draft,
        sources,
        tokens::{PER_MESSAGE, estimate},
    },
    provider::{
        Message, Shape,
        shape::{list, object, string},
    },
    story::{preset::Role, storyline::Language},
};

/// What is noted: the parts of the state whose features are on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    persona: bool,
    plot: bool,
    world: bool,
}

impl Parts {
    /// Of a story as this scene has it. A plot without an outline is none.
    pub fn of(scene: &Scene) -> Self {
        let Scene { storyline, preset, background, .. } = scene;
        let has_outline = background.is_some_and(|background| !background.story_outline.is_empty());
        Self {
            persona: storyline.settings::<PersonaSettings>(preset).enabled,
            plot: storyline.settings::<DirectorSettings>(preset).enabled && has_outline,
            world: storyline.settings::<WorldSettings>(preset).enabled,
        }
    }

    /// Nothing is on that a note could change.
    pub fn is_none(self) -> bool {
        !(self.persona || self.plot || self.world)
    }

    fn has(self, name: &str) -> bool {
        match name {
            "persona" => self.persona,
            "plot" => self.plot,
            "world" => self.world,
            _ => true,
        }
    }
}

/// A request without its turns, which go where it is split.
pub struct Request {
    before: String,
    after: String,
}

impl Request {
    /// Of the scene as it stands at the last turn that was read before.
    pub fn new(scene: &Scene) -> Self {
        const TURNS: &str = "\u{1}";
        let draft = &mut Draft::new(scene);
        let language = draft.language();
        let parts = Parts::of(scene);
        let template = match language {
            Language::Zh => include_str!("scribe.zh.md"),
            Language::En => include_str!("scribe.en.md"),
        };
        let name = scene.character.name.as_str();
        let who = sources::join([sources::of(draft, "base_persona"), sources::of(draft, "core_identity")]);
        let who = or_none(who, language);
        let state = or_none(state(draft, parts), language);
        let content = filled(&lines(template, parts), &[name, name, &who, &state, TURNS, name]);
        let (before, after) = content.split_once(TURNS).unwrap_or((&content, ""));
        let before = before.to_owned() + whose_turns(scene.storyline.reader());
        Self { before, after: after.to_owned() }
    }

    /// Tokens that it has beside its turns.
    pub fn cost(&self) -> u32 {
        estimate(&self.before) + estimate(&self.after) + PER_MESSAGE
    }

    /// The messages about these turns, each as it is told.
    pub fn about(&self, turns: &[String]) -> Vec<Message> {
        let content = format!("{}{}{}", self.before, turns.concat().trim(), self.after);
        vec![Message::new(Role::User, content)]
    }
}

/// The lines of a template for what is on: `part|line`.
fn lines(template: &str, parts: Parts) -> String {
    let line = |line: &str| match line.split_once('|').filter(|(part, _)| !part.contains(' ')) {
        Some((part, line)) => parts.has(part).then(|| line.to_owned()),
        None => Some(line.to_owned()),
    };
    template.lines().filter_map(line).collect::<Vec<_>>().join("\n")
}

fn or_none(text: String, language: Language) -> String {
    match (text.trim().is_empty(), language) {
        (false, _) => text,
        (true, Language::Zh) => "（无）".to_owned(),
        (true, Language::En) => "(none)".to_owned(),
    }
}

/// How everything stands, part by part.
fn state(draft: &mut Draft, parts: Parts) -> String {
    let language = draft.language();
    let mut all = Vec::new();
    if parts.persona {
        all.extend([sources::of(draft, "growth_state"), sources::of(draft, "current_state")]);
    }
    if parts.plot {
        let title = language.pick("大纲：", "Outline:");
        all.push(format!("{title}\n{}", outline(draft)));
    }
    if parts.world {
        let world = sources::of(draft, "world_state");
        if !world.is_empty() {
            all.push(format!("{}\n{world}", language.pick("世界：", "World:")));
        }
    }
    all.retain(|part| !part.is_empty());
    all.join("\n\n")
}

/// The points, a line each, with where they stand.
fn outline(draft: &mut Draft) -> String {
    let scene = draft.scene;
    let points = scene.background.map_or(&[][..], |background| &background.story_outline);
    let plot = scene.state.plot.placed_in(points);
    let lines = points.iter().map(|point| {
        let status = plot.status_of(point.index).name();
        format!("{}. {} [{status}]", point.index, draft.source_text(&point.content))
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The shape of a note. Every field is there, as strict providers want it: what has not changed is empty, or 0.
pub fn shape(parts: Parts) -> Shape {
    let texts = |names: &[&str]| object(names.iter().map(|name| (*name, string())).collect());
    let mut fields = Vec::new();
    if parts.persona {
        let current = object(vec![
            ("emotions", list(texts(&["content", "context"]))),
            ("physical", texts(&["condition"])),
            ("immediate_goals", list(texts(&["goal", "reason"]))),
        ]);
        let growth = object(vec![
            ("beliefs", list(texts(&["content", "formed_from"]))),
            ("behavioral_patterns", list(texts(&["pattern"]))),
            ("relationships", list(texts(&["entity", "status", "history"]))),
        ]);
        fields.extend([("current_state", current), ("growth_state", growth), ("major_event", string())]);
    }
    if parts.plot {
        let status = json!({"type": "string", "enum": ["pending", "in_progress", "completed"]});
        fields.push(("progress", object(vec![("point", json!({"type": "integer"})), ("status", status)])));
    }
    if parts.world {
        fields.push(("world", list(texts(&["key", "value"]))));
    }
    Shape { name: "note", schema: object(fields) }
}
