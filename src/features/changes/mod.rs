//! The reply protocol: what the model is asked to write after its prose, a line each ([`crate::reply::parser`]). Each
//! feature that is on asks for its own lines; where none does, nothing is asked for.

use super::{ALL, scribe};
use crate::prompt::{
    draft::Draft,
    sources::{Give, Source},
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
