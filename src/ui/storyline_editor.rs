//! Title and status of a storyline on the shelf, in place.

use leptos::{
    ev::{KeyboardEvent, SubmitEvent},
    html,
    prelude::*,
    task::spawn_local,
};

use super::{app::App, focus::is_escape, state::NoticeKind, story::change_story_of};
use crate::{
    desk::shelves::{is_favourite, set_favourite},
    exchange::names::tidy_name,
    locales::{T, shelves},
    story::storyline::{Storyline, StorylineStatus},
};

const STATUSES: [(&str, StorylineStatus, T); 3] = [
    ("active", StorylineStatus::Active, T::StatusActive),
    ("paused", StorylineStatus::Paused, T::StatusPaused),
    ("finished", StorylineStatus::Finished, T::StatusFinished),
];

#[component]
pub fn StorylineEditor(record: Memo<Storyline>, editing: RwSignal<bool>) -> impl IntoView {
    let app = App::here();
    let was = record.get_untracked();
    let title = RwSignal::new(was.title.clone());
    let status = RwSignal::new(was.status);
    let favoured = RwSignal::new(is_favourite(&was.extra));
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
        // Only what was changed: the rest may be another by now.
        let title = (tidy != was.title).then_some(tidy);
        let status = Some(status.get_untracked()).filter(|status| *status != was.status);
        let favoured = Some(favoured.get_untracked()).filter(|favoured| *favoured != is_favourite(&was.extra));
        let id = was.id.clone();
        spawn_local(async move {
            let change = move |storyline: &mut Storyline| {
                if let Some(title) = title {
                    storyline.title = title;
                }
                if let Some(status) = status {
                    storyline.status = status;
                }
                if let Some(favoured) = favoured {
                    set_favourite(&mut storyline.extra, favoured);
                }
            };
            if change_story_of(app, &id, change).await {
                editing.try_set(false);
                if let Some(tidied) = tidied {
                    app.notify(NoticeKind::Info, tidied);
                }
            }
            busy.try_set(false);
        });
    };
    // By a slip of the hand nothing is lost that was typed.
    let escape = move |event: KeyboardEvent| {
        if is_escape(&event) && record.with_untracked(|was| title.with_untracked(|title| *title == was.title)) {
            editing.set(false);
        }
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
        <form class="shelf-editor field" on:submit=save on:keydown=escape>
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
            <label class="check">
                <input type="checkbox" data-testid="storyline-favourite" prop:checked=move || favoured.get()
                    on:change=move |event| favoured.set(event_target_checked(&event)) />
                {app.t(shelves::T::Favourite)}
            </label>
            <p class="field-note fault" role="alert">{move || fault.get().map(|fault| app.t(fault)())}</p>
            <div class="row">
                <button type="submit" class="button primary" data-testid="storyline-save" disabled=move || busy.get()>{app.t(T::Save)}</button>
                <button type="button" class="button quiet" on:click=move |_| editing.set(false)>{app.t(T::Cancel)}</button>
            </div>
        </form>
    }
}
