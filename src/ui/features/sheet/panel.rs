//! A text as it stands: to be read, worded, written anew, paused, and taken in and out as a file.

use std::sync::Arc;

use leptos::{prelude::*, task::spawn_local};

use super::{drawing::Drawing, say, versions::Versions, write::write_asked};
use crate::{
    exchange::limits::JSON_BYTES,
    features::sheet,
    locales::{Say, Saying, T, sheet as words, sheet::T as S},
    story::{fault::FaultKind, state::State, written::Text},
    turn::sheet::Which,
    ui::{
        app::App,
        drafts::waits,
        library::{chosen, not_saved, unreadable},
        markdown::Markdown,
        mind::{FaultOf, Mind, Place},
        story::change_played,
        wording::Wording,
    },
    web::files,
};

/// Characters of a text, at most: it is told with every turn.
const MOST: usize = 20_000;

#[component]
pub fn TextPanel(which: Which) -> impl IntoView {
    let app = App::here();
    let mind = Mind::here();
    let text = which.0;
    let which = StoredValue::new(which);
    // So often were they replaced in all of them.
    let all = RwSignal::new(0);
    let held = Memo::new(move |_| {
        let held = |state: &Arc<State>| text.held(state, which.read_value().1.as_ref()).to_owned();
        mind.state.with(|state| state.as_ref().map(held)).unwrap_or_default()
    });
    let set = Memo::new(move |_| {
        let read = |settings: sheet::TextSettings| (settings.enabled, settings.frozen);
        app.story.played(|story, preset| read(sheet::settings(text, story, preset))).unwrap_or_default()
    });
    let is_locked = Memo::new(move |_| {
        let sheets = app.story.played(|story, preset| sheet::settings(Text::Sheet, story, preset)).unwrap_or_default();
        text == Text::Plot && sheets.enabled && sheets.lock
    });
    let (said, busy) = (RwSignal::new(None::<Saying>), RwSignal::new(false));
    let name = text.name();
    let place = StoredValue::new({
        let whose = which.read_value().1.as_ref().map(|id| id.as_str().to_owned()).unwrap_or_default();
        format!("{name}/{}/{whose}", app.story.id().unwrap_or_default().as_str())
    });
    let edits = RwSignal::new(place.with_value(|place| waits(place)));

    let update = move |_| {
        let Some(id) = app.story.id() else { return };
        busy.set(true);
        said.set(None);
        spawn_local(async move {
            let outcome = write_asked(app, id, which.get_value()).await;
            busy.try_set(false);
            said.try_set(outcome.err());
        });
    };
    let stop = move |_| {
        if let Some(id) = app.story.id() {
            app.story.stop_scribe_of(&id, FaultKind::Stopped);
        }
    };
    let flip = move |change: fn(&mut sheet::TextSettings, bool), on: bool| {
        change_played(app, move |story, preset| sheet::change(text, story, preset, |settings| change(settings, on)));
    };
    let word = move |which: Which, wording: String, done: Callback<()>| {
        said.set(None);
        if wording.chars().count() > MOST {
            return said.set(Some(S::TooLong.with(&[&MOST.to_string()]).kept()));
        }
        mind.text(which, wording, move || _ = done.try_run(()));
    };
    let keep = Callback::new(move |(wording, done)| word(which.get_value(), wording, done));
    let close = Callback::new(move |()| _ = edits.try_set(false));
    let take_in = move |event| {
        let Some(file) = chosen(&event).into_iter().next() else { return };
        let (which, id) = (which.get_value(), app.story.id());
        spawn_local(async move {
            let read = files::read(&file, JSON_BYTES as usize).await;
            // Who has gone elsewhere meanwhile has given it up.
            if mind.busy.try_get_untracked().is_none() || app.story.id() != id {
                return;
            }
            match read {
                Ok(Some(bytes)) => {
                    let text = String::from_utf8_lossy(&bytes).trim_start_matches('\u{feff}').trim().to_owned();
                    word(which, text, close)
                }
                Ok(None) => drop(said.try_set(Some(S::TooLong.with(&[&MOST.to_string()]).kept()))),
                Err(error) => drop(said.try_set(Some(unreadable(&error)))),
            }
        });
    };
    let take_out = move |_| {
        let title = app.story.storyline.with_untracked(|s| s.as_ref().map(|s| s.title.clone())).unwrap_or_default();
        let whose =
            which.read_value().1.as_ref().and_then(|id| app.character(id)).map(|one| format!("{} - ", one.name));
        let what = words::title(text).text(app.language.get_untracked());
        let name = format!("{title} - {}{what}.txt", whose.unwrap_or_default());
        let saved = files::blob(held.get_untracked().as_bytes(), "text/plain;charset=utf-8")
            .and_then(|blob| files::download(&blob, &name));
        if let Err(error) = saved {
            said.set(Some(not_saved(&crate::web::text_of(&error, "message"))));
        }
    };
    let is_empty = Memo::new(move |_| held.with(String::is_empty) && !edits.get());
    let body = move || match (edits.get(), is_empty.get()) {
        (true, _) => view! {
            <Wording place=place.get_value() was=held.get_untracked() label=Signal::derive(say(app, words::title(text)))
                input="sheet-input" save="sheet-save" rows=12 busy=mind.busy keep close />
        }
        .into_any(),
        (false, true) => view! { <p class="item-aside">{say(app, S::NotYet)}</p> }.into_any(),
        (false, false) => {
            view! { <div class="sheet-text" data-testid="sheet-text" dir="auto"><Markdown text=held /></div> }
                .into_any()
        }
    };
    let is_writer = move || app.story.writer.get();
    let edit = move |_| edits.set(true);
    let (on_label, hint) = match text {
        Text::Sheet => (S::SheetOn, S::SheetHint),
        Text::Plot => (S::PlotOn, S::PlotHint),
    };
    view! {
        <section class="note-section" data-testid=format!("text-{name}")>
            <h2>{say(app, words::title(text))}</h2>
            <label class="module-switch">
                <input type="checkbox" data-testid=format!("{name}-enabled") disabled=move || !is_writer()
                    prop:checked=move || set.get().0
                    on:change=move |event| flip(|settings, on| settings.enabled = on, event_target_checked(&event)) />
                <span>{say(app, on_label)}</span>
            </label>
            <Show when=move || set.get().0 || held.with(|held| !held.is_empty()) fallback=move || view! { <p class="field-note">{say(app, hint)}</p> }>
                {body}
                <Show when=move || !edits.get()>
                    <div class="item-foot sheet-foot">
                        <Show when=move || set.get().0>
                            <button class="link" data-testid="sheet-update" disabled=move || busy.get() || !is_writer() || app.story.is_playing() on:click=update>
                                {move || say(app, if busy.get() { S::Updating } else { S::Update })()}
                            </button>
                            <Show when=move || busy.get()>
                                <button class="link" data-testid="sheet-stop" on:click=stop>{app.t(T::Stop)}</button>
                            </Show>
                            <Show when=move || !is_locked.get() fallback=move || view! { <span>{say(app, S::FrozenByLock)}</span> }>
                                <button class="link" data-testid="sheet-pause" disabled=move || !is_writer()
                                    on:click=move |_| flip(|settings, on| settings.frozen = on, !set.get_untracked().1)>
                                    {move || say(app, if set.get().1 { S::Resume } else { S::Pause })()}
                                </button>
                            </Show>
                        </Show>
                        <button class="link" data-testid="sheet-edit" disabled=move || !is_writer() on:click=edit>{app.t(T::Edit)}</button>
                        <Show when=move || held.with(|held| !held.is_empty())>
                            <button class="link" data-testid="sheet-export" on:click=take_out>{say(app, S::Export)}</button>
                        </Show>
                        <label class="link file-link">
                            {say(app, S::Import)}
                            <input type="file" class="visually-hidden" data-testid="sheet-import" accept=".txt,.md,text/plain,text/markdown" disabled=move || !is_writer() on:change=take_in />
                        </label>
                    </div>
                </Show>
                <p class="place-fault" role="alert" data-testid="sheet-error" hidden=move || said.with(Option::is_none)>
                    {move || said.get().map(|said| app.read(&said))}
                </p>
                <FaultOf mind place=Place::Text(text) />
                <Versions mind which held all />
                {(text == Text::Sheet).then(|| view! { <Drawing which held all /> })}
            </Show>
        </section>
    }
}
