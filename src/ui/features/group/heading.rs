//! Above a reply of a story that several speak in: who hears the turn, where not all do, and who speaks.

use std::sync::Arc;

use leptos::prelude::*;

use super::name_of;
use crate::{
    locales::{fill, group::T},
    story::tree::Node,
    ui::app::App,
};

#[component]
pub fn Heading(node: RwSignal<Arc<Node>>) -> impl IntoView {
    let app = App::here();
    let heard = move || {
        let heard = node.with(|node| node.turn.heard_by.clone())?;
        let names: Vec<String> = heard.iter().map(|one| name_of(app, one)).collect();
        let language = app.language.get();
        Some(fill(T::HeardBy.text(language), &[&names.join(language.pick("、", ", "))]))
    };
    let speaker = move || {
        let speaker = node.with(|node| node.reply().map(|reply| reply.speaker.clone()))?;
        let id = app.story.storyline.with(|open| open.as_ref().map(|open| open.speaker(speaker.as_ref()).clone()))?;
        Some(name_of(app, &id)).filter(|name| !name.is_empty())
    };
    view! {
        {move || heard().map(|heard| view! { <p class="turn-heard" data-testid="turn-heard-by">{heard}</p> })}
        {move || speaker().map(|speaker| view! { <p class="turn-speaker" data-testid="turn-speaker" dir="auto">{speaker}</p> })}
    }
}
