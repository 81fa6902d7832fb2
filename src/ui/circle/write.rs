//! What the reader posts.

use std::{cell::RefCell, sync::Arc};

use leptos::{prelude::*, task::spawn_local};
use web_sys::Event;

use super::{Seen, T, too_long, work};
use crate::{
    desk::circle::Shown,
    features::circle::{COMMENT, POST, Pace, due::asked},
    locales::{Say, Saying},
    ports::Clock,
    ui::{
        avatar::{Avatar, Face, Portrait},
        fields::{TextArea, TextField},
        icons::{Icon, Shape},
        library::{PICTURES, chosen, read_picture},
    },
    web::clock::BrowserClock,
};

thread_local! {
    /// What was typed and not posted when the page was left: its words, and what its picture shows.
    static TYPED: RefCell<[String; 2]> = RefCell::default();
}

#[component]
pub fn Writing(seen: Seen) -> impl IntoView {
    let app = seen.app;
    let [text, caption] = TYPED.take().map(RwSignal::new);
    on_cleanup(move || TYPED.set([text, caption].map(|typed| typed.try_get_untracked().unwrap_or_default())));
    let picture = RwSignal::new(None::<Arc<Portrait>>);
    let fault = RwSignal::new(None::<Saying>);
    let busy = RwSignal::new(false);
    let faults = [too_long(app, text, POST), too_long(app, caption, COMMENT)];
    let is_too_long = move || {
        let shown = 1 + usize::from(picture.with(Option::is_some));
        faults[..shown].iter().any(|fault| fault.with(Option::is_some))
    };
    let choose = move |event: Event| {
        let Some(file) = chosen(&event).into_iter().next() else { return };
        spawn_local(async move {
            match read_picture(&file).await {
                Ok(portrait) => {
                    picture.try_set(Some(portrait.into()));
                    fault.try_set(None);
                }
                Err(why) => {
                    fault.try_set(Some(why));
                }
            }
        });
    };
    // The page may be left while it is stored: what is asked of it, it asks before.
    let send = move |_| {
        if untrack(is_too_long) {
            return;
        }
        let (said, shown) = (text.get_untracked(), picture.get_untracked());
        let seen_in = caption.get_untracked();
        busy.set(true);
        spawn_local(async move {
            let shown = shown.map(|portrait| Shown {
                picture: portrait.picture.clone(),
                thumbnail: portrait.small.clone(),
                caption: seen_in.clone(),
            });
            match app.desk().post(&said, shown).await {
                Ok(Some(id)) => {
                    // What was typed meanwhile stays.
                    text.try_update(|text| (*text == said).then(|| text.clear()));
                    caption.try_update(|caption| (*caption == seen_in).then(|| caption.clear()));
                    picture.try_set(None);
                    fault.try_set(None);
                    work::stir();
                    // Whoever speaks only when asked is asked by this.
                    if work::rhythm(app).pace == Pace::Hand
                        && let Ok(posts) = app.desk().posts(BrowserClock.now().saturating_sub(60_000)).await
                        && let Some(post) = posts.iter().find(|post| post.id == id)
                    {
                        let all = asked(&work::members(app), post, BrowserClock.now());
                        busy.try_set(false);
                        work::ask(app, all).await;
                    }
                }
                Ok(None) => drop(fault.try_set(Some(T::NothingSaid.kept()))),
                Err(error) => app.notify_store(error),
            }
            busy.try_set(false);
        });
    };
    let face = Signal::derive(move || picture.get().map_or(Face::Stored(None), Face::Chosen));
    let has_picture = Memo::new(move |_| picture.with(Option::is_some));
    view! {
        <form class="form circle-write" on:submit=move |event| { event.prevent_default(); send(()) }>
            <TextArea label=app.t(T::YourWords) value=text rows=2 testid="circle-text" fault=faults[0] />
            <Show when=move || has_picture.get()>
                <div class="circle-chosen">
                    <Avatar face name="" />
                    <TextField label=app.t(T::Caption) value=caption testid="circle-caption" fault=faults[1] />
                </div>
            </Show>
            <div class="row">
                <button type="submit" class="button primary" data-testid="circle-post" disabled=move || busy.get() || is_too_long()>{app.t(T::Post)}</button>
                <label class="button quiet file-button">
                    <Icon shape=Shape::IMAGE />
                    {app.t(T::AddPicture)}
                    <input type="file" class="visually-hidden" accept=PICTURES data-testid="circle-picture" on:change=choose />
                </label>
                <Show when=move || has_picture.get()>
                    <button type="button" class="button quiet" data-testid="circle-picture-remove" on:click=move |_| picture.set(None)>{app.t(T::NoPicture)}</button>
                </Show>
            </div>
            {move || fault.with(Option::is_some).then(|| view! { <p class="place-fault" role="alert" data-testid="circle-fault">{move || fault.with(|fault| fault.as_ref().map(|fault| app.read(fault)))}</p> })}
        </form>
    }
}
