//! Asking whether regex scripts of a card or a preset may run, and taking it back.

use leptos::{prelude::*, task::spawn_local};

use super::brought;
use crate::{
    features::scripts::{Brought, consent},
    locales::{
        Say,
        tools::{T, brings},
    },
    story::script::{Script, ScriptSet},
    ui::{app::App, state::NoticeKind},
};

/// Remembers what the reader said to exactly these scripts.
fn decide(app: App, brought: &Brought, allowed: bool) {
    let hash = brought.hash();
    app.prefer(move |preferences| consent(preferences, hash.clone(), allowed));
}

/// Puts them among the reader's own, switched off: there they can be changed.
fn copy(app: App, brought: Brought) {
    spawn_local(async move {
        let ports = app.browser().ports;
        let now = ports.clock.now();
        let Brought { name, scripts, .. } = brought;
        let scripts = scripts.into_iter().map(|script| Script { id: ports.id(), ..script }).collect();
        let set = ScriptSet { id: ports.id(), name, scripts, created: now, updated: now, ..ScriptSet::default() };
        if app.is_stored(app.desk().put_set(&set).await) {
            app.notify(NoticeKind::Info, T::Copied.with(&[&set.name]).kept());
        }
    });
}

#[component]
pub fn Ask(brought: Brought) -> impl IntoView {
    let app = App::here();
    let open = RwSignal::new(false);
    let brought = StoredValue::new(brought);
    let said = move || {
        brought.with_value(|brought| brings(brought.by, &brought.name, brought.scripts.len(), app.language.get()))
    };
    let answer = move |allowed| move |_| brought.with_value(|brought| decide(app, brought, allowed));
    view! {
        <div class="status-ask tool-ask" data-testid="scripts-consent">
            <p class="status-note">
                {said} " "
                <button type="button" class="link" data-testid="scripts-look" aria-expanded=move || open.get().to_string() on:click=move |_| open.update(|open| *open = !*open)>
                    {app.t(T::Look)}
                </button>
            </p>
            <Show when=move || open.get()>
                <ul class="status-terms">
                    {[T::CanDo, T::CannotDo, T::Changed].map(|text| view! { <li>{app.t(text)}</li> })}
                </ul>
                {brought.with_value(|brought| list(app, &brought.scripts))}
                <div class="row">
                    <button type="button" class="button" data-testid="scripts-allow" on:click=answer(true)>{app.t(T::Allow)}</button>
                    <button type="button" class="button quiet" data-testid="scripts-refuse" on:click=answer(false)>{app.t(T::Refuse)}</button>
                    <button type="button" class="button quiet" data-testid="scripts-copy" on:click=move |_| copy(app, brought.get_value())>{app.t(T::Copy)}</button>
                </div>
            </Show>
        </div>
    }
}

fn list(app: App, scripts: &[Script]) -> AnyView {
    let one = |script: &Script| {
        let Script { script_name, find_regex, replace_string, .. } = script.clone();
        let empty = replace_string.is_empty();
        let put = move || if empty { app.t(T::Nothing)().to_owned() } else { replace_string.clone() };
        view! { <li><b dir="auto">{script_name}</b><code>{find_regex}</code><span aria-hidden="true">"→"</span><code>{put}</code></li> }
    };
    view! { <ul class="tool-brought" tabindex="0">{scripts.iter().map(one).collect_view()}</ul> }.into_any()
}

/// What a story's card and preset bring, and what was said to it: in the story's settings.
#[component]
pub fn StoryScripts() -> impl IntoView {
    let app = App::here();
    let brought = brought(app);
    let one = move |brought: Brought| {
        let of = brought.clone();
        let allowed = Memo::new(move |_| app.preferences.with(|preferences| of.consent(preferences) == Some(true)));
        let label = format!("{} · {}", brought.name, brought.scripts.len());
        let scripts = list(app, &brought.scripts);
        view! {
            <label class="check">
                <input type="checkbox" data-testid="scripts-allowed" prop:checked=move || allowed.get()
                    on:change=move |event| decide(app, &brought, event_target_checked(&event)) />
                {label}
            </label>
            {scripts}
        }
    };
    view! {
        <Show when=move || !brought.with(Vec::is_empty)>
            <details class="author-note" data-testid="scripts-settings">
                <summary>{app.t(T::Scripts)}</summary>
                <For each=move || brought.get() key=Brought::hash let:brought>{one(brought)}</For>
            </details>
        </Show>
    }
}
