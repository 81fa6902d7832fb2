//! Above a reply of a story that several speak in: who hears the turn, where not all do, and who speaks.

use std::sync::Arc;

use leptos::{prelude::*, task::spawn_local};

use crate::{
    locales::{fill, group::T},
    story::tree::Node,
    ui::{
        about,
        app::App,
        avatar::{Avatar, Face},
    },
};

#[component]
pub fn Heading(node: RwSignal<Arc<Node>>) -> impl IntoView {
    let app = App::here();
    let heard = move || {
        let heard = node.with(|node| node.turn.heard_by.clone())?;
        let names: Vec<String> = heard.iter().map(|one| about::name_of(app, one)).collect();
        let language = app.language.get();
        Some(fill(T::HeardBy.text(language), &[&names.join(language.pick("、", ", "))]))
    };
    let speaker = move || {
        let speaker = node.with(|node| node.reply().map(|reply| reply.speaker.clone()))?;
        let id = app.story.storyline.with(|open| open.as_ref().map(|open| open.speaker(speaker.as_ref()).clone()))?;
        Some((about::name_of(app, &id), id)).filter(|(name, _)| !name.is_empty())
    };
    let speaker = Memo::new(move |_| speaker());
    // As they look after the reply: once that has its state.
    let told = Memo::new(move |_| node.with(|node| node.reply().map(|reply| (reply.id.clone(), reply.state.clone()))));
    let face = RwSignal::new(Face::Stored(None));
    Effect::new(move |_| {
        told.track();
        let Some(character) = speaker.with(|speaker| app.character(&speaker.as_ref()?.1)) else { return };
        let Some(reply) = node.with_untracked(|node| node.reply().cloned()) else { return };
        spawn_local(async move {
            // A face that cannot be read shows as the letter.
            let found = app.desk().face(&character, &reply).await.unwrap_or_default();
            if told.try_get_untracked().flatten().is_some_and(|(id, _)| id == reply.id) {
                face.try_set(Face::Stored(found));
            }
        });
    });
    view! {
        {move || heard().map(|heard| view! { <p class="turn-heard" data-testid="turn-heard-by">{heard}</p> })}
        {move || speaker.get().map(|(speaker, _)| view! {
            <p class="turn-speaker" dir="auto">
                <Avatar face name=Signal::stored(speaker.clone()) />
                <span data-testid="turn-speaker">{speaker}</span>
            </p>
        })}
    }
}
