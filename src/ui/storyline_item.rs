//! A storyline on the shelf: the way into it, and what can be done with it.

use leptos::{ev::SubmitEvent, html, prelude::*, task::spawn_local};

use super::{
    app::App,
    chunks::{Desk, Doing},
    icons::Icon,
    library::{of, when},
    route::Route,
    state::NoticeKind,
};
use crate::{
    exchange::names::tidy_name,
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
                <Editor record editing />
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
        <a class="storyline" href=move || Route::Story(record.with(|record| record.id.clone())).hash() aria-current=move || is_open.get().then_some("page")>
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
    let button = move |testid: &'static str, icon: &'static str, action: T, run: fn(Desk, App, Storyline) -> Doing| {
        view! {
            <button type="button" class="icon-button" data-testid=testid aria-label=label(action) title=app.t(action)
                on:click=move |_| {
                    let story = record.get_untracked();
                    app.chunks.desk.run(app, async move |desk| run(desk, app, story).await);
                }>
                <Icon name=icon />
            </button>
        }
    };
    view! {
        <button type="button" class="icon-button shelf-more" aria-label=label(T::More) aria-expanded=move || unfolded.get().to_string()
            on:click=move |_| unfolded.update(|unfolded| *unfolded = !*unfolded)>
            <Icon name="more" />
        </button>
        <div class="shelf-actions">
            <button type="button" class="icon-button" data-testid="storyline-edit" aria-label=label(T::Edit) title=app.t(T::Edit)
                on:click=move |_| editing.set(true)>
                <Icon name="pencil" />
            </button>
            {button("storyline-duplicate", "copy", T::Duplicate, |desk, app, story| (desk.duplicate)(app, story.id))}
            {button("storyline-export", "download", T::Export, |desk, app, story| (desk.export)(app, story.id))}
            {button("storyline-delete", "trash", T::Delete, |desk, app, story| (desk.discard)(app, story))}
        </div>
    }
}

const STATUSES: [(&str, StorylineStatus, T); 3] = [
    ("active", StorylineStatus::Active, T::StatusActive),
    ("paused", StorylineStatus::Paused, T::StatusPaused),
    ("finished", StorylineStatus::Finished, T::StatusFinished),
];

/// Title and status, in place.
#[component]
fn Editor(record: Memo<Storyline>, editing: RwSignal<bool>) -> impl IntoView {
    let app = App::here();
    let was = record.get_untracked();
    let title = RwSignal::new(was.title);
    let status = RwSignal::new(was.status);
    let fault = RwSignal::new(None::<T>);
    let busy = RwSignal::new(false);
    let input = NodeRef::<html::Input>::new();
    Effect::new(move |_| {
        if let Some(input) = input.get() {
            let _ = input.focus();
            input.select();
        }
    });
    let save = move |event: SubmitEvent| {
        event.prevent_default();
        let (tidy, tidied) = tidy_name(&title.get_untracked());
        if tidy.is_empty() {
            return fault.set(Some(T::Required));
        }
        if busy.get_untracked() {
            return;
        }
        busy.set(true);
        let (id, status) = (was.id.clone(), status.get_untracked());
        spawn_local(async move {
            let change = move |storyline: &mut Storyline| (storyline.title, storyline.status) = (tidy, status);
            if let Some(desk) = app.chunks.desk.asked(app).await
                && (desk.change)(app, id, Box::new(change)).await
            {
                editing.try_set(false);
                if let Some(tidied) = tidied {
                    app.notify(NoticeKind::Info, tidied);
                }
            }
            busy.try_set(false);
        });
    };
    let options = STATUSES
        .map(|(name, this, label)| view! { <option value=name selected=move || status.get() == this>{app.t(label)}</option> })
        .collect_view();
    let choose = move |event| {
        let name = event_target_value(&event);
        if let Some((_, chosen, _)) = STATUSES.into_iter().find(|(known, ..)| *known == name) {
            status.set(chosen);
        }
    };
    view! {
        <form class="shelf-editor field" on:submit=save on:keydown=move |event| if event.key() == "Escape" { editing.set(false) }>
            <input
                node_ref=input
                data-testid="storyline-title"
                dir="auto"
                aria-label=app.t(T::StoryTitle)
                aria-invalid=move || fault.get().is_some().to_string()
                autocomplete="off"
                prop:value=move || title.get()
                on:input=move |event| { title.set(event_target_value(&event)); fault.set(None) }
            />
            <select data-testid="storyline-status" aria-label=app.t(T::StoryStatus) on:change=choose>{options}</select>
            <p class="field-note fault" role="alert">{move || fault.get().map(|fault| app.t(fault)())}</p>
            <div class="row">
                <button type="submit" class="button primary" data-testid="storyline-save" disabled=move || busy.get()>{app.t(T::Save)}</button>
                <button type="button" class="button quiet" on:click=move |_| editing.set(false)>{app.t(T::Cancel)}</button>
            </div>
        </form>
    }
}
