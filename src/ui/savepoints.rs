//! Save points in the notebook (F5): kept with a note, looked at, gone back to.

use leptos::{prelude::*, task::spawn_local};

use super::{
    about,
    app::App,
    drafts::Draft,
    icons::{Icon, Shape},
};
use crate::{
    desk::Stored,
    locales::{T, changes::sentence, fill, tree::T as R},
    reply::parser,
    story::{
        persona::{Item, ItemKind},
        state::State,
        storyline::{Language, SavePoint},
    },
    turn::Conductor,
};

/// Letters of the last words that are told.
const WORDS: usize = 80;

#[component]
pub fn SavePoints() -> impl IntoView {
    let app = App::here();
    let story = app.story;
    let points = Memo::new(move |_| {
        story.storyline.with(|storyline| storyline.as_ref().map(|s| s.savepoints.clone()).unwrap_or_default())
    });
    let writing = RwSignal::new(false);
    let free = Memo::new(move |_| story.writer.get() && !story.is_playing());
    view! {
        <section class="note-section savepoints" data-testid="savepoints">
            <h2>{app.t(R::SavePoints)}</h2>
            <Show when=move || points.with(Vec::is_empty) && !writing.get()>
                <p class="item-aside">{app.t(R::NoSavePoints)}</p>
            </Show>
            <ul>
                <For each=move || points.get().into_iter().rev() key=|point| point.id.clone() let:point>
                    <Point point free />
                </For>
            </ul>
            <Show
                when=move || writing.get()
                fallback=move || view! {
                    <button class="button" data-testid="action-savepoint" disabled=move || !free.get() on:click=move |_| writing.set(true)>
                        <Icon shape=Shape::PIN /> {app.t(R::SaveHere)}
                    </button>
                }
            >
                <Form writing free />
            </Show>
        </section>
    }
}

#[component]
fn Form(writing: RwSignal<bool>, free: Memo<bool>) -> impl IntoView {
    let app = App::here();
    let here = app.story.path.with_untracked(|path| path.end);
    let place = format!("savepoint/{}", app.story.id().unwrap_or_default().as_str());
    let typed = Draft::of(place, [place_words(app, here.saturating_sub(1)), String::new()]);
    let [name, note] = typed.texts;
    // A name that nobody has touched is that of where the story is by now.
    Effect::new(move |before: Option<String>| {
        let place = place_words(app, app.story.path.with(|path| path.end).saturating_sub(1));
        if before.is_some_and(|before| before != place && name.get_untracked() == before) {
            name.set(place.clone());
        }
        place
    });
    let busy = RwSignal::new(false);
    let close = move || {
        typed.end();
        writing.try_set(false);
    };
    let input = NodeRef::<leptos::html::Input>::new();
    Effect::new(move |_| {
        if let Some(input) = input.get() {
            let _ = input.focus();
            input.select();
        }
    });
    let save = move || {
        if busy.get_untracked() || !free.get_untracked() || name.with_untracked(|name| name.trim().is_empty()) {
            return;
        }
        busy.set(true);
        let (name, note) = (name.get_untracked(), note.get_untracked());
        spawn_local(async move {
            let saved = async |conductor: Conductor, id| conductor.save_point(&id, &name, &note).await;
            if app.story.travel(app, saved).await.is_some() {
                close();
            }
            busy.try_set(false);
        });
    };
    view! {
        <form class="form" data-testid="savepoint-form" on:submit=move |event| { event.prevent_default(); save() }
            on:keydown=move |event| typed.escape(&event, close)>
            <div class="field">
                <label for="savepoint-name">{app.t(R::Name)}</label>
                <input id="savepoint-name" node_ref=input data-testid="savepoint-name" dir="auto" maxlength="80" autocomplete="off" required=true
                    prop:value=move || name.get() on:input=move |event| name.set(event_target_value(&event)) />
            </div>
            <div class="field">
                <label for="savepoint-note">{app.t(R::SaveNote)}</label>
                <textarea id="savepoint-note" rows="2" data-testid="savepoint-note" dir="auto"
                    prop:value=move || note.get() on:input=move |event| note.set(event_target_value(&event))></textarea>
            </div>
            <div class="row">
                <button type="submit" class="button primary" data-testid="savepoint-save" disabled=move || busy.get() || !free.get()>{app.t(T::Save)}</button>
                <button type="button" class="button quiet" data-testid="savepoint-cancel" on:click=move |_| close()>{app.t(T::Cancel)}</button>
            </div>
        </form>
    }
}

#[component]
fn Point(point: SavePoint, free: Memo<bool>) -> impl IntoView {
    let app = App::here();
    let preview = RwSignal::new(None::<(String, Option<State>)>);
    let generation = point.generation.clone();
    spawn_local(async move {
        let Some(generation) = generation else { return };
        match read(app, generation.as_str()).await {
            Ok(found) => drop(preview.try_set(found)),
            Err(error) => app.notify_store(error),
        }
    });
    let SavePoint { id, name, note, created, position, .. } = point;
    let id = StoredValue::new(id);
    let title = name.clone();
    let restore = move |_| {
        let name = name.clone();
        spawn_local(async move {
            let back = async |conductor: Conductor, story| conductor.restore_point(&story, &id.get_value()).await;
            let Some(story) = app.story.id() else { return };
            if let Some(before) = app.story.travel(app, back).await {
                app.notify_undo(R::SavePointRestored.with(&[&name]), move || {
                    let (story, before) = (story.clone(), before.clone());
                    spawn_local(async move {
                        let left = async |conductor: Conductor, story| conductor.leave_point(&story, before).await;
                        app.story.take_back(app, story, left).await;
                    });
                });
                app.story.jump_to(app, position).await;
            }
        });
    };
    let delete = move |_| {
        spawn_local(async move {
            let gone = async |conductor: Conductor, story| conductor.delete_point(&story, &id.get_value()).await;
            let Some(story) = app.story.id() else { return };
            if let Some(gone) = app.story.travel(app, gone).await {
                app.notify_undo(R::SavePointDeleted, move || {
                    let (story, gone) = (story.clone(), gone.clone());
                    spawn_local(async move {
                        let back = async |conductor: Conductor, story| conductor.put_back_point(&story, gone).await;
                        app.story.take_back(app, story, back).await;
                    });
                });
            }
        });
    };
    let called = StoredValue::new(title.clone());
    let export = move |_| {
        let storyline = app.story.storyline.with_untracked(|storyline| storyline.as_ref().map(|s| s.id.clone()));
        if let Some(storyline) = storyline {
            let (point, name) = (id.get_value(), called.get_value());
            app.chunks.desk.run(app, async move |desk| (desk.export_point)(app, storyline, point, name).await);
        }
    };
    let facts = move || format!("{} · {}", place_words_now(app, position), about::date(created, app.language.get()));
    let words = move || preview.with(|preview| preview.as_ref().map(|(words, _)| words.clone()));
    let state = move || {
        let language = app.language.get();
        preview.with(|preview| preview.as_ref().and_then(|(_, state)| Some(in_a_line(state.as_ref()?, language))))
    };
    view! {
        <li class="savepoint-item" data-testid="savepoint-item" data-turn=position.to_string()>
            <header><b dir="auto">{title}</b><span class="number">{facts}</span></header>
            {(!note.is_empty()).then(|| view! { <p class="item-text">{note}</p> })}
            {move || words().map(|words| view! { <p class="tree-said" data-testid="savepoint-words">{words}</p> })}
            {move || state().map(|line| view! { <p class="item-aside" data-testid="savepoint-state">{line}</p> })}
            <div class="row">
                <button class="button quiet" data-testid="savepoint-restore" disabled=move || !free.get() on:click=restore>{app.t(R::SavePointRestore)}</button>
                <span class="savepoint-more">
                <button class="icon-button" data-testid="savepoint-export" aria-label=app.t(R::SavePointExport) title=app.t(R::SavePointExport)
                    on:click=export>
                    <Icon shape=Shape::DOWNLOAD />
                </button>
                <button class="icon-button" data-testid="savepoint-delete" aria-label=app.t(R::SavePointDelete) title=app.t(R::SavePointDelete)
                    disabled=move || !free.get() on:click=delete>
                    <Icon shape=Shape::TRASH />
                </button>
                </span>
            </div>
        </li>
    }
}

/// The last words of a reply, and the state after it.
async fn read(app: App, reply: &str) -> Stored<Option<(String, Option<State>)>> {
    let found = app.desk().reply(reply).await?;
    Ok(found.map(|(reply, state)| (last_words(&parser::shown(&reply.text)), state)))
}

fn last_words(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().rev().nth(WORDS) {
        Some((at, char)) => format!("…{}", &text[at + char.len_utf8()..]),
        None => text.to_owned(),
    }
}

/// Where the plot stands, and what the character has become last.
fn in_a_line(state: &State, language: Language) -> String {
    let plot = fill(R::PlotAt.text(language), &[&state.plot.current_plot_index.to_string()]);
    let persona = state.persona(None);
    let (growth, current) = (&persona.growth_state, &persona.current_state);
    let lists = [(ItemKind::Relationship, &growth.relationships), (ItemKind::Emotion, &current.emotions)];
    let newest = lists.into_iter().filter_map(|(kind, list)| Item::read(kind, list.last()?));
    [Some(plot)]
        .into_iter()
        .flatten()
        .chain(newest.map(|item| sentence(&item, language)))
        .collect::<Vec<_>>()
        .join(" · ")
}

fn place_words_now(app: App, position: u32) -> String {
    match position {
        0 => app.t(R::AtOpening)().to_owned(),
        _ => fill(app.t(R::AtTurn)(), &[&position.to_string()]),
    }
}

fn place_words(app: App, position: u32) -> String {
    untrack(|| place_words_now(app, position))
}
