//! What it is fed.

use leptos::{prelude::*, task::spawn_local};
use web_sys::{Event, File};

use super::{page::Looked, work};
use crate::{
    features::cradle::{Cradle, Feed, Kind, MOST_BYTES},
    locales::{
        Say, Saying,
        cradle::{self, T},
        faults, fill, time,
        warnings::grouped,
    },
    story::{ids::CharacterId, storyline::Language},
    ui::{
        app::App,
        drafts::{self, Draft},
        fields::{SelectField, TextArea, TextField},
        library::{chosen, unreadable},
    },
    web::files,
};

#[component]
pub fn Feeds(looked: Looked) -> impl IntoView {
    let app = looked.app;
    let is_ripe = Memo::new(move |_| looked.cradle.with(|one| one.as_ref().is_some_and(Cradle::is_ripe)));
    let feeds = move || {
        let (language, cradle) = (app.language.get(), looked.cradle.get().unwrap_or_default());
        let row = |feed: &Feed| {
            let read = cradle.read(&feed.id);
            let counts = [grouped(feed.tokens), read.to_string(), feed.pieces.to_string()];
            let kind = cradle::kind(feed.kind).text(language).split(['：', ':']).next().unwrap_or_default();
            let about = fill(T::OfFeed.text(language), &[kind, &counts[0], &counts[1], &counts[2]]);
            let left_out = feed.left_out.len();
            let title = titled(&feed.title, language).to_owned();
            let [again, no_more] = [feed.id.clone(), feed.id.clone()];
            let is_whole = read + left_out >= feed.pieces as usize;
            view! {
                <li data-testid="cradle-feed" data-kind=feed.kind.name()>
                    <b>{title}</b>
                    <span class="number">{about}{(left_out > 0).then(|| format!("{}{}", language.pick("；", "; "), fill(T::LeftOut.text(language), &[&left_out.to_string()])))}</span>
                    {(left_out > 0 && !cradle.is_ripe()).then(|| view! {
                        <button type="button" class="link" data-testid="cradle-feed-again" on:click=move |_| { let id = again.clone(); looked.amend(move |one| one.read_again(&id)) }>{app.t(T::ReadAgain)}</button>
                    })}
                    {(!is_whole && !cradle.is_ripe()).then(|| view! {
                        <button type="button" class="link" data-testid="cradle-feed-drop" on:click=move |_| {
                            // Not within the row: the undo would go with it.
                            let id = no_more.clone();
                            spawn_local(async move { looked.drop_feed(id) });
                        }>{app.t(T::DropFeed)}</button>
                    })}
                </li>
            }
        };
        (!cradle.feeds.is_empty())
            .then(|| view! { <ul class="cradle-feeds">{cradle.feeds.iter().map(row).collect_view()}</ul> })
    };
    view! {
        <Show when=move || !is_ripe.get()>
            <h2>{app.t(T::Feed)}</h2>
            <Feeding looked />
        </Show>
        {feeds}
    }
}

/// What a text is called; `title` may be empty.
pub fn titled(title: &str, language: Language) -> &str {
    if title.is_empty() { language.pick("无题", "Untitled") } else { title }
}

/// One more text, written or from a file.
#[component]
fn Feeding(looked: Looked) -> impl IntoView {
    let app = looked.app;
    let kind = RwSignal::new(Kind::AboutMe.name().to_owned());
    let place = looked.id.with_value(|id| format!("feed/{id}"));
    let [title, text] = Draft::of(place.clone(), Default::default()).texts;
    let place = StoredValue::new(place);
    let fault = RwSignal::new(None::<Saying>);
    let kinds = Signal::derive(move || {
        Kind::ALL.map(|kind| (kind.name().to_owned(), app.t(cradle::kind(kind))().to_owned())).to_vec()
    });
    let busy = RwSignal::new(false);
    let chosen_kind =
        move || kind.with_untracked(|name| Kind::ALL.into_iter().find(|kind| kind.name() == name)).unwrap_or_default();
    // The page may be left while one waits: what is asked of it, is asked before.
    let written = move |_| {
        let (id, kind) = (looked.id.get_value(), chosen_kind());
        let (named, given) = (title.get_untracked(), text.get_untracked());
        let place = place.get_value();
        busy.set(true);
        spawn_local(async move {
            let said = give(app, &id, kind, &named, &given).await;
            if said.is_ok() {
                drafts::forget(&place, &[&named, &given]);
                // What was typed meanwhile stays.
                for (field, was) in [(title, &named), (text, &given)] {
                    field.try_update(|field| {
                        if field == was {
                            field.clear()
                        }
                    });
                }
            }
            fault.try_set(said.err());
            busy.try_set(false);
            grow(app, &id).await;
        });
    };
    let file = move |event: Event| {
        let (id, kind, named) = (looked.id.get_value(), chosen_kind(), title.get_untracked());
        let files = chosen(&event);
        spawn_local(async move {
            let mut refused = Vec::new();
            for file in files {
                let name = file.name();
                let name = name.rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem);
                let title = if named.trim().is_empty() { name } else { &named };
                let given = match read(&file).await {
                    Ok(text) => give(app, &id, kind, title, &text).await,
                    Err(why) => Err(why),
                };
                refused.extend(given.err());
            }
            fault.try_set((!refused.is_empty()).then(|| Saying::joined(refused, "\n")));
            grow(app, &id).await;
        });
    };
    view! {
        <div class="form">
            <SelectField label=app.t(T::FeedKind) value=kind options=kinds testid="cradle-feed-kind" />
            <TextField label=app.t(T::FeedTitle) value=title testid="cradle-feed-title" />
            <TextArea label=app.t(T::FeedText) value=text rows=6 testid="cradle-feed-text" />
            <div class="row">
                <button type="button" class="button" data-testid="cradle-feed-give" disabled=move || busy.get() on:click=written>{app.t(T::Give)}</button>
                <label class="button quiet file-button">
                    {app.t(T::FeedFile)}
                    <input type="file" class="visually-hidden" multiple accept=".txt,.md,text/plain,text/markdown" data-testid="cradle-feed-file" on:change=file />
                </label>
            </div>
            {move || fault.with(Option::is_some).then(|| view! { <p class="place-fault" role="alert" data-testid="cradle-feed-fault">{move || fault.with(|fault| fault.as_ref().map(|fault| app.read(fault)))}</p> })}
        </div>
    }
}

/// Feeds it; why it is not fed.
async fn give(app: App, id: &CharacterId, kind: Kind, title: &str, text: &str) -> Result<(), Saying> {
    if text.len() > MOST_BYTES {
        let sizes = time::bytes_apart(MOST_BYTES as f64, text.len() as f64);
        return Err(T::TooLong.with(&[&sizes[0], &sizes[1]]).kept());
    }
    match app.desk().feed(id, kind, title, text).await {
        Ok(true) => Ok(()),
        Ok(false) => Err(T::NothingFed.kept()),
        Err(why) => Err((move |language| faults::in_full(&why, language)).kept()),
    }
}

/// What is fed late may be due at once.
async fn grow(app: App, id: &CharacterId) {
    app.refresh().await;
    if work::is_begun_here(app, id) {
        work::grow(app, id, false).await;
    }
}

async fn read(file: &File) -> Result<String, Saying> {
    match files::read(file, MOST_BYTES).await {
        Ok(Some(bytes)) => {
            let text = String::from_utf8(bytes).map_err(|_| T::NotText.kept())?;
            Ok(text.trim_start_matches('\u{feff}').to_owned())
        }
        Ok(None) => {
            let sizes = time::bytes_apart(MOST_BYTES as f64, file.size());
            Err(T::TooLong.with(&[&sizes[0], &sizes[1]]).kept())
        }
        Err(error) => Err(unreadable(&error)),
    }
}
