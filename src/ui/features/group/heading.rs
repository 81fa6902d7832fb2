//! Above a reply of a story that several speak in: who hears the turn, where not all do, and who speaks.

use std::sync::Arc;

use leptos::prelude::*;

use super::name_of;
use crate::{
    locales::{fill, group::T},
    story::tree::Node,
    ui::{
        app::App,
        avatar::{Avatar, Face},
    },
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
        let face = app.character(&id).and_then(|one| one.thumbnail.or(one.avatar));
        Some((name_of(app, &id), face)).filter(|(name, _)| !name.is_empty())
    };
    let speaker = Memo::new(move |_| speaker());
    view! {
        {move || heard().map(|heard| view! { <p class="turn-heard" data-testid="turn-heard-by">{heard}</p> })}
        {move || speaker.get().map(|(speaker, face)| view! {
            <p class="turn-speaker" dir="auto">
                <Avatar face=Signal::stored(Face::Stored(face)) name=Signal::stored(speaker.clone()) />
                <span data-testid="turn-speaker">{speaker}</span>
            </p>
        })}
    }
}
