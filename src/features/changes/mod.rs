//! The reply protocol: what the model is asked to write after its prose, a line each ([`crate::reply::parser`]). Each
//! feature that is on asks for its own lines; where none does, nothing is asked for.

use super::{ALL, scribe};
use crate::{
    prompt::{
        builtin,
        draft::Draft,
        sources::{Give, Source},
    },
    story::{
        account::{Account, AccountBlock},
        preset::{Block, Preset},
        storyline::Language,
    },
};

pub const NAME: &str = "changes";

pub struct Feature;

impl super::Feature for Feature {
    fn name(&self) -> &'static str {
        NAME
    }

    fn sources(&self) -> &'static [Source] {
        &[Source { name: NAME, title: ["回复末尾的变化", "Changes after the reply"], give: Give::Text(asked) }]
    }
}

/// The lines that may stand in the block, with what each is for. Where a scribe notes what changes, nothing is asked for.
fn asked(draft: &mut Draft) -> String {
    if scribe::is_on(draft.scene.storyline, draft.scene.preset) {
        return String::new();
    }
    let lines: Vec<_> = ALL.iter().map(|feature| feature.asks(draft)).filter(|lines| !lines.is_empty()).collect();
    draft.with_names(&lines.join("\n"))
}

/// What a prompt asked of its reply in our own words: the form of the block, and what of the default preset's text the
/// story's has as it is. Others' words may be a form that a reply is to have.
pub fn instructions(account: &Account, preset: &Preset, language: Language) -> Vec<String> {
    let ours = builtin::builtin(builtin::DEFAULT, language).map(|preset| preset.blocks).unwrap_or_default();
    let is_ours = |identifier: &str| {
        let is_it = |block: &&Block| block.identifier == identifier;
        let here = preset.blocks.iter().find(is_it);
        here.is_some_and(|here| ours.iter().find(is_it).is_some_and(|block| block.content == here.content))
    };
    let asks = |block: &&AccountBlock| block.source == NAME || block.reason == "preset" && is_ours(&block.identifier);
    account.blocks.iter().filter(asks).map(|block| block.text.clone()).collect()
}
