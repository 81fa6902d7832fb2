//! The summary as it holds: to be read, worded, and written at once.

use leptos::{prelude::*, task::spawn_local};

use super::{
    form::{RecapForm, RecapSwitch},
    say,
    write::write_asked,
};
use crate::{
    locales::{Saying, T, fill, memory::turns_words, recap::T as R},
    story::{fault::FaultKind, ids::CharacterId},
    ui::{
        app::App,
        drafts::waits,
        markdown::Markdown,
        mind::{FaultOf, Mind, Place},
        wording::Wording,
    },
};

#[component]
pub fn RecapPanel() -> impl IntoView {
    let (app, mind) = (App::here(), Mind::here());
    let story = app.story;
    let of_story = Memo::new(move |_| {
        story.storyline.with(|s| s.as_ref().map(|s| (s.character().clone(), s.demo))).unwrap_or_default()
    });
    let character: Signal<CharacterId> = Signal::derive(move || of_story.get().0);
    let is_on = Memo::new(move |_| {
        let id = character.get();
        app.characters.with(|all| all.iter().any(|one| one.id == id && one.recap.enabled))
    });
    let held = Memo::new(move |_| mind.state.with(|state| state.as_ref().and_then(|state| state.recap.clone())));
    let text = Memo::new(move |_| held.with(|held| held.as_ref().map(|held| held.text.clone())).unwrap_or_default());
    let (said, busy) = (RwSignal::new(None::<Saying>), RwSignal::new(false));
    let place = move || mind.place_of("recap");
    let edits = RwSignal::new(waits(&place()));
    let is_reader = Signal::derive(move || !story.writer.get());

    let write = move |_| {
        let Some(id) = story.id() else { return };
        busy.set(true);
        said.set(None);
        spawn_local(async move {
            let outcome = write_asked(app, &id).await;
            busy.try_set(false);
            said.try_set(outcome.err());
        });
    };
    let stop = move |_| {
        if let Some(id) = story.id() {
            story.stop_scribe_of(&id, FaultKind::Stopped);
        }
    };
    let edit = move |_| edits.set(true);
    let close = Callback::new(move |()| _ = edits.try_set(false));
    let keep = Callback::new(move |(text, done): (String, Callback<()>)| {
        let Some(to) = held.with_untracked(|held| held.as_ref().map(|held| held.to)) else { return done.run(()) };
        mind.recap(to, text, move || _ = done.try_run(()));
    });
    let form = move || {
        view! {
            <Wording place=place() was=text.get_untracked() label=Signal::derive(say(app, R::Recap)) hint=Signal::derive(say(app, R::EmptyHint))
                input="recap-input" save="recap-save" rows=8 busy=mind.busy keep close />
        }
    };
    let turns = move || {
        held.with(|held| held.as_ref().map(|held| (held.from, held.to.saturating_sub(1)))).map(|turns| {
            let language = app.language.get();
            fill(R::StandsFor.text(language), &[&turns_words(turns, language)])
        })
    };
    let shown = move || {
        let has_text = held.with(Option::is_some);
        view! {
            <Show when=move || has_text fallback=move || view! { <p class="item-aside">{say(app, R::NotYet)}</p> }>
                <p class="item-aside" data-testid="recap-turns">{turns}</p>
                <div class="sheet-text" data-testid="recap-text" dir="auto"><Markdown text /></div>
            </Show>
            <div class="item-foot sheet-foot">
                <Show
                    when=move || busy.get()
                    fallback=move || view! {
                        <button class="link" data-testid="recap-write" disabled=move || is_reader.get() || story.is_playing() on:click=write>{say(app, R::Write)}</button>
                    }
                >
                    <span class="waiting" role="status">{say(app, R::Writing)}</span>
                    <button class="link" data-testid="recap-stop" on:click=stop>{app.t(T::Stop)}</button>
                </Show>
                <Show when=move || has_text>
                    <button class="link" data-testid="recap-edit" disabled=is_reader on:click=edit>{app.t(T::Edit)}</button>
                </Show>
            </div>
        }
    };
    view! {
        <Show when=move || !of_story.get().1>
            <section class="note-section" data-testid="recap">
                <h2>{say(app, R::Recap)}</h2>
                <RecapSwitch id=character disabled=is_reader />
                <Show when=move || is_on.get() fallback=move || view! { <p class="field-note">{say(app, R::Hint)}</p> }>
                    {move || if edits.get() { form().into_any() } else { shown().into_any() }}
                    <p class="place-fault" role="alert" data-testid="recap-error" hidden=move || said.with(Option::is_none)>
                        {move || said.get().map(|said| app.read(&said))}
                    </p>
                    <FaultOf mind place=Place::Recap />
                    <details class="versions" data-testid="recap-settings">
                        <summary>{say(app, R::Settings)}</summary>
                        <div class="form"><RecapForm id=character /></div>
                    </details>
                </Show>
            </section>
        </Show>
    }
}
