//! The framework: a preset's ordered blocks, filled from sources, trimmed to a budget, made into messages.

use super::{
    Scene,
    macros::expand,
    sources::{self, HISTORY},
    tokens::{PER_MESSAGE, estimate},
};
use crate::{
    provider::Message,
    story::{
        account::{Account, AccountBlock},
        preset::Role,
    },
};

/// A prompt and its account.
#[derive(Clone, Debug, PartialEq)]
pub struct Prompt {
    pub messages: Vec<Message>,
    pub account: Account,
}

/// Builds the prompt for the last turn of the scene.
///
/// `budget` is in tokens, the room for the reply taken off. Blocks are never cut; history gives way, oldest first,
/// but the turn to answer always stays.
pub fn assemble(scene: &Scene, budget: u32) -> Prompt {
    let preset = scene.preset;
    let mut filled: Vec<(AccountBlock, String)> = Vec::new();
    for block in preset.blocks.iter().filter(|block| block.enabled) {
        let own = block.content.as_deref().unwrap_or_default();
        let (text, source) = match block.marker.as_deref() {
            Some(HISTORY) => (String::new(), HISTORY),
            Some(marker) => match sources::find(marker) {
                Some(source) => (expand(&(source.text)(scene), &sources::values(scene, "")), source.name),
                None => (String::new(), ""),
            },
            None => (own_text(scene, &block.identifier, own), ""),
        };
        let text = text.trim().to_owned();
        let is_history = source == HISTORY;
        if text.is_empty() && !is_history {
            continue;
        }
        let tokens = if is_history { 0 } else { estimate(&text) + PER_MESSAGE };
        let account = AccountBlock {
            identifier: block.identifier.clone(),
            source: source.to_owned(),
            role: block.role,
            tokens,
            ..Default::default()
        };
        filled.push((account, text));
    }

    let fixed: u32 = filled.iter().map(|(block, _)| block.tokens).sum();
    let (history, history_tokens) = newest_that_fit(scene, budget.saturating_sub(fixed));
    let left_out = scene.not_loaded + (scene.history.len() - history.len()) as u32;

    let mut messages: Vec<Message> = Vec::new();
    for (block, text) in &mut filled {
        if block.source == HISTORY {
            block.tokens = history_tokens;
            block.trimmed = left_out;
            for (role, text) in history.iter().flat_map(sources::messages_of) {
                messages.push(Message { role, content: text.to_owned() });
            }
        } else {
            push(&mut messages, block.role, std::mem::take(text));
        }
    }
    let blocks: Vec<_> = filled.into_iter().map(|(block, _)| block).collect();
    let total_tokens = blocks.iter().map(|block| block.tokens).sum();
    Prompt { messages, account: Account { preset: preset.id.to_string(), blocks, total_tokens } }
}

/// A preset's own text; a card may replace the main one (V2, `system_prompt`).
fn own_text(scene: &Scene, identifier: &str, own: &str) -> String {
    let card = &scene.character.card.system_prompt;
    if identifier == "main" && !card.trim().is_empty() {
        let original = expand(own, &sources::values(scene, ""));
        expand(card, &sources::values(scene, &original))
    } else {
        expand(own, &sources::values(scene, ""))
    }
}

/// The newest turns whose messages fit, and what they cost.
fn newest_that_fit<'a>(scene: &'a Scene, budget: u32) -> (&'a [super::Node], u32) {
    let mut tokens = 0;
    let mut first = scene.history.len();
    for (at, node) in scene.history.iter().enumerate().rev() {
        let cost: u32 = sources::messages_of(node).iter().map(|(_, text)| estimate(text) + PER_MESSAGE).sum();
        let must = at + 1 == scene.history.len();
        if !must && tokens + cost > budget {
            break;
        }
        tokens += cost;
        first = at;
    }
    (&scene.history[first..], tokens)
}

/// Neighbouring system blocks become one message: many chat templates take only one.
fn push(messages: &mut Vec<Message>, role: Role, content: String) {
    match messages.last_mut() {
        Some(last) if last.role == Role::System && role == Role::System => {
            last.content.push_str("\n\n");
            last.content.push_str(&content);
        }
        _ => messages.push(Message { role, content }),
    }
}
