//! The evolved persona (seed `000`, "update memory"; C6): who the character has become, in prose, with versions.

use crate::{
    features::{
        NotThere,
        transcript::{filled, newest, whose_turns},
    },
    prompt::{
        macros::{Values, expand},
        tokens::{PER_MESSAGE, estimate},
    },
    provider::Message,
    reply::progress,
    story::{
        company::Voices,
        persona::{EvolvedVersion, Origin},
        preset::Role,
        reader::Reader,
        state::Persona,
        storyline::Language,
        tree::Node,
    },
};

/// Turns that the new evolved persona is drawn from.
pub const TURNS: u32 = 20;

/// Versions that a state holds: it is written whole with every change. Older ones are where the turns of theirs are.
const VERSIONS: usize = 20;

/// Makes `text` the evolved persona; the one before stays as a version.
pub fn evolve(persona: &mut Persona, text: &str, origin: &Origin) {
    keep(persona, origin);
    let text = text.trim();
    if !text.is_empty() && persona.evolved_persona != text {
        add(persona, text, origin);
    }
    persona.evolved_persona = text.to_owned();
}

/// Lets a version hold again.
///
/// # Errors
/// There is no such version.
pub fn restore(persona: &mut Persona, text: &str, origin: &Origin) -> Result<(), NotThere> {
    if !persona.evolved_versions.iter().any(|version| version.text == text) {
        return Err(NotThere);
    }
    keep(persona, origin);
    persona.evolved_persona = text.to_owned();
    Ok(())
}

/// An evolved persona that came with the story is no version yet.
fn keep(persona: &mut Persona, origin: &Origin) {
    let present = &persona.evolved_persona;
    if !present.is_empty() && !persona.evolved_versions.iter().any(|version| version.text == *present) {
        add(persona, &present.clone(), origin);
    }
}

fn add(persona: &mut Persona, text: &str, origin: &Origin) {
    let versions = &mut persona.evolved_versions;
    versions.push(EvolvedVersion { text: text.to_owned(), created: origin.at, turn: origin.turn });
    versions.drain(..versions.len().saturating_sub(VERSIONS));
}

/// What the model is asked of the character `name`: base persona, the evolved one so far, and the newest of these turns
/// that fit in `budget` tokens.
pub fn request(
    persona: &Persona,
    name: &str,
    voices: &Voices,
    reader: Reader,
    turns: &[Node],
    budget: u32,
) -> Vec<Message> {
    let language = reader.language;
    let template = match language {
        Language::Zh => include_str!("evolve.zh.md"),
        Language::En => include_str!("evolve.en.md"),
    };
    let blank = match language {
        Language::Zh => "（无）",
        Language::En => "(none)",
    };
    let or_blank = |text: &str| match text.trim() {
        "" => blank.to_owned(),
        text => text.to_owned(),
    };
    let name = match name.trim() {
        "" => language.pick("角色", "the character"),
        name => name,
    };
    let values = Values { char: name, user: reader.told(), original: "" };
    let (base, evolved) = (&persona.base_persona, progress::without(&persona.evolved_persona));
    let [base, evolved] = [base, &*evolved].map(|text| or_blank(&expand(text, &values)));
    let fixed = estimate(template) + estimate(whose_turns(reader)) + estimate(&base) + estimate(&evolved) + PER_MESSAGE;
    let turns = &turns[turns.len().saturating_sub(TURNS as usize)..];
    let dialogue = match newest(turns, voices, reader, budget.saturating_sub(fixed)) {
        none if none.is_empty() => or_blank(""),
        dialogue => format!("{}{}", whose_turns(reader), dialogue.trim()),
    };
    let content = filled(template, &[name, name, &base, &evolved, &dialogue]);
    vec![Message::new(Role::User, content)]
}
