//! A storyline on the shelf: the way into it, and what can be done with it.

use leptos::prelude::*;

use super::{
    app::App,
    chunks::{Desk, Doing},
    icons::{Icon, Shape},
    library::{of, when},
    route::Route,
};
use crate::{
    desk::shelves::is_favourite,
    locales::{T, fill},
    story::{
        ids::StorylineId,
        storyline::{Storyline, StorylineStatus},
    },
};

/// The item follows its record, so that what is being typed in it outlives a change from elsewhere.
#[component]
pub fn StorylineItem(id: StorylineId) -> impl IntoView {
    let app = App::here();
    let own = id.clone();
    let record = Memo::new(move |before: Option<&Storyline>| {
        // In the moment of its removal the item still shows what it was.
        app.storyline(&own).or_else(|| before.cloned()).unwrap_or_default()
    });
    let editing = RwSignal::new(false);
    // Where nothing hovers, the actions unfold.
    let unfolded = RwSignal::new(false);
    view! {
        <li class="shelf-item" class:unfolded=move || unfolded.get() data-testid="storyline-item">
            <Show when=move || editing.get() fallback=move || view! { <Entrance record /> <Actions record editing unfolded /> }>
                {app.chunks.desk.show(app, move |desk| (desk.storyline_editor)(record, editing))}
            </Show>
        </li>
    }
}

/// Title, character, turns, when.
#[component]
fn Entrance(record: Memo<Storyline>) -> impl IntoView {
    let app = App::here();
    let is_open = Memo::new(move |_| {
        record.with(|record| app.story.storyline.with(|open| open.as_ref().is_some_and(|open| open.id == record.id)))
    });
    let who = move || {
        record.with(|record| app.character(record.character())).map(|character| format!("{} · ", character.name))
    };
    let turns = move || fill(app.t(T::TurnNumber)(), &[&record.with(|record| record.total_turns).to_string()]);
    let rest = move || {
        let status = record.with(|record| match record.status {
            StorylineStatus::Active => None,
            StorylineStatus::Paused => Some(T::StatusPaused),
            StorylineStatus::Finished => Some(T::StatusFinished),
        });
        let status = status.map(|status| format!(" · {}", app.t(status)())).unwrap_or_default();
        format!("{status} · {}", when(app, record.with(|record| record.last_active)))
    };
    view! {
        <a class="storyline" class:favourite=move || record.with(|record| is_favourite(&record.extra)) href=move || Route::Story(record.with(|record| record.id.clone())).hash() aria-current=move || is_open.get().then_some("page")>
            <b dir="auto">{move || record.with(|record| record.title.clone())}</b>
            <span class="storyline-line">
                {who}
                <span class="storyline-turns" data-testid="storyline-turns">{turns}</span>
                {rest}
            </span>
        </a>
    }
}

#[component]
fn Actions(record: Memo<Storyline>, editing: RwSignal<bool>, unfolded: RwSignal<bool>) -> impl IntoView {
    let app = App::here();
    let label = move |action: T| move || record.with(|record| of(app, action, &record.title)());
    let button = move |testid: &'static str, icon: Shape, action: T, run: fn(Desk, App, Storyline) -> Doing| {
        view! {
            <button type="button" class="icon-button" data-testid=testid aria-label=label(action) title=app.t(action)
                on:click=move |_| {
                    let story = record.get_untracked();
                    app.chunks.desk.run(app, async move |desk| run(desk, app, story).await);
                }>
                <Icon shape=icon />
            </button>
        }
    };
    view! {
        <button type="button" class="icon-button shelf-more" aria-label=label(T::More) aria-expanded=move || unfolded.get().to_string()
            on:click=move |_| unfolded.update(|unfolded| *unfolded = !*unfolded)>
            <Icon shape=Shape::MORE />
        </button>
        <div class="shelf-actions">
            <button type="button" class="icon-button" data-testid="storyline-edit" aria-label=label(T::Edit) title=app.t(T::Edit)
                on:click=move |_| editing.set(true)>
                <Icon shape=Shape::PENCIL />
            </button>
            {button("storyline-duplicate", Shape::COPY, T::Duplicate, |desk, app, story| (desk.duplicate)(app, story.id))}
            {button("storyline-export", Shape::DOWNLOAD, T::Export, |desk, app, story| (desk.export)(app, story.id))}
            {button("storyline-delete", Shape::TRASH, T::Delete, |desk, app, story| (desk.discard)(app, story))}
        </div>
    }
}
