//! A reply that is begun for its model, with the first words that the sampling gives (`provider::Begun`).

use super::scene::Loaded;
use crate::{
    prompt::{
        draft::Draft,
        framework::Prompt,
        gather::PREFILL,
        tokens::{PER_MESSAGE, estimate},
    },
    provider::{self, Message},
    story::{
        account::AccountBlock,
        preset::{Role, Section},
    },
};

/// Puts them behind the prompt, where the connection's model goes on from them.
pub(super) fn begin(loaded: &Loaded, prompt: &mut Prompt) {
    let Loaded { connection, .. } = loaded;
    if !provider::takes_prefill(connection) {
        return;
    }
    let scene = loaded.scene();
    let words = Draft::new(&scene).preset_text(&connection.sampling.prefill);
    // Anthropic refuses a last space. Macros may leave nothing of them.
    let words = words.trim_end();
    if words.is_empty() {
        return;
    }
    let raw = estimate(words) + PER_MESSAGE;
    let tokens = scene.calibration.scale(raw);
    prompt.account.blocks.push(AccountBlock {
        identifier: PREFILL.into(),
        role: Role::Assistant,
        tokens,
        source: PREFILL.into(),
        reason: "prefill".into(),
        section: Section::Tail,
        text: words.to_owned(),
        ..AccountBlock::default()
    });
    prompt.account.total_tokens += tokens;
    prompt.account.raw_tokens += raw;
    prompt.messages.push(Message { begun: true, ..Message::new(Role::Assistant, words) });
}
