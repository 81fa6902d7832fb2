//! All wordings of a text on the path, each beside the one that holds.

use std::sync::Arc;

use leptos::{prelude::*, task::spawn_local};

use super::{bulk::Bulk, say};
use crate::{
    desk::sheet::Version,
    locales::{T, mind::T as M, sheet::T as S},
    turn::sheet::Which,
    ui::{
        app::App,
        difference::{Side, difference},
        markdown::Markdown,
        mind::{Mind, TurnLink},
    },
};

/// Read when it is opened, and anew whenever the text is another.
#[component]
pub fn Versions(mind: Mind, which: StoredValue<Which>, held: Memo<String>) -> impl IntoView {
    let app = App::here();
    let open = RwSignal::new(false);
    let versions = RwSignal::new(Vec::<Version>::new());
    read_into(app, which, held, open.into(), versions);
    let list = move || {
        let all = versions.get();
        if all.is_empty() {
            return view! { <p class="field-note">{say(app, S::NoVersions)}</p> }.into_any();
        }
        let rows = all.into_iter().map(|version| view! { <Row mind which version held /> }).collect_view();
        view! { <ul class="persona-items">{rows}</ul> }.into_any()
    };
    view! {
        <details class="versions" data-testid="sheet-versions" on:toggle=move |_| open.set(true)>
            <summary>{say(app, S::Versions)}</summary>
            {move || open.get().then(list)}
            <Show when=move || versions.with(|all| !all.is_empty())><Bulk which versions /></Show>
        </details>
    }
}

/// Reads the versions of the path while `wanted`.
pub fn read_into(
    app: App,
    which: StoredValue<Which>,
    held: Memo<String>,
    wanted: Signal<bool>,
    into: RwSignal<Vec<Version>>,
) {
    Effect::new(move |_| {
        held.track();
        let path = app.story.path.get();
        if !wanted.get() {
            return;
        }
        spawn_local(async move {
            let Some(which) = which.try_get_value() else { return };
            match app.desk().versions(&path, &which).await {
                // By now another branch may be told.
                Ok(found) if app.story.path.with_untracked(|now| Arc::ptr_eq(now, &path)) => drop(into.try_set(found)),
                Ok(_) => {}
                Err(error) => app.notify_store(error),
            }
        });
    });
}

#[component]
fn Row(mind: Mind, which: StoredValue<Which>, version: Version, held: Memo<String>) -> impl IntoView {
    let app = App::here();
    let Version { turn, text: said, model } = version;
    let wording = StoredValue::new(said);
    let is_now = Memo::new(move |_| held.with(|held| wording.with_value(|said| said == held)));
    let compares = RwSignal::new(false);
    let body = move || {
        if !compares.get() || is_now.get() {
            let text = Signal::derive(move || wording.get_value());
            return view! { <div class="sheet-text"><Markdown text /></div> }.into_any();
        }
        let pieces = held.with(|held| wording.with_value(|said| difference(said, held)));
        let piece = |(side, text): (Side, String)| match side {
            Side::Both => text.into_any(),
            Side::Old => view! { <del>{text}</del> }.into_any(),
            Side::New => view! { <ins>{text}</ins> }.into_any(),
        };
        let pieces = pieces.into_iter().map(piece).collect_view();
        view! {
            <p class="difference sheet-difference" data-testid="sheet-difference">{pieces}</p>
            <p class="field-note">{app.t(M::CompareHint)}</p>
        }
        .into_any()
    };
    let restore = move |_| mind.text(which.get_value(), wording.get_value(), || {});
    let by = move || model.clone().unwrap_or_else(|| say(app, S::ByReader)().to_owned());
    view! {
        <li class="persona-item" data-testid="sheet-version">
            {body}
            <div class="item-foot">
                <TurnLink position=turn />
                <span>{by}</span>
                <Show when=move || !is_now.get() fallback=move || view! { <span>{app.t(M::VersionNow)}</span> }>
                    <button class="link" data-testid="sheet-compare" aria-pressed=move || compares.get().to_string()
                        on:click=move |_| compares.update(|on| *on = !*on)>{app.t(M::Compare)}</button>
                    <button class="link" data-testid="sheet-restore" disabled=move || mind.busy.get() || !app.story.writer.get() on:click=restore>
                        {app.t(T::Restore)}
                    </button>
                </Show>
            </div>
        </li>
    }
}
