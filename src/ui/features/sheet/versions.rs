//! All wordings of a text on the path, each beside the one that holds.

use std::sync::Arc;

use leptos::{prelude::*, task::spawn_local};
use web_sys::Element;

use super::{bulk::Bulk, say};
use crate::{
    desk::sheet::Version,
    locales::{T, mind::T as M, sheet::T as S},
    story::tree::Path,
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
pub fn Versions(mind: Mind, which: StoredValue<Which>, held: Memo<String>, all: RwSignal<u32>) -> impl IntoView {
    let app = App::here();
    let open = RwSignal::new(false);
    let versions = RwSignal::new(Vec::<Version>::new());
    read_into(app, which, held, open.into(), all, versions);
    let list = move || {
        let all = versions.get();
        if all.is_empty() {
            return view! { <p class="field-note">{say(app, S::NoVersions)}</p> }.into_any();
        }
        let rows = all.into_iter().map(|version| view! { <Row mind which version held /> }).collect_view();
        view! { <ul class="persona-items">{rows}</ul> }.into_any()
    };
    view! {
        <details class="versions" data-testid="sheet-versions"
            on:toggle=move |event| open.set(event_target::<Element>(&event).has_attribute("open"))>
            <summary>{say(app, S::Versions)}</summary>
            {move || open.get().then(list)}
            <Show when=move || versions.with(|all| !all.is_empty())><Bulk which versions all /></Show>
        </details>
    }
}

/// Reads the versions of the path while `wanted`: all of them where they are wanted anew, the text is another or `all` says
/// so, and what the path has become since where it only went on.
pub fn read_into(
    app: App,
    which: StoredValue<Which>,
    held: Memo<String>,
    wanted: Signal<bool>,
    all: RwSignal<u32>,
    into: RwSignal<Vec<Version>>,
) {
    let read = StoredValue::new(None::<(u32, String, Arc<Path>)>);
    Effect::new(move |_| {
        let (path, nth, text) = (app.story.path.get(), all.get(), held.get());
        if !wanted.get() {
            return read.set_value(None);
        }
        let known = read.with_value(|read| {
            let same = read.as_ref().filter(|(of, told, _)| (*of, told) == (nth, &text));
            same.map(|(.., old)| path.shared(old))
        });
        // The last one may have become another.
        let since = known.unwrap_or(0).saturating_sub(1);
        spawn_local(async move {
            let Some(which) = which.try_get_value() else { return };
            match app.desk().versions(&path, since, &which).await {
                // By now another branch may be told.
                Ok(found) if app.story.path.with_untracked(|now| Arc::ptr_eq(now, &path)) => {
                    let kept = into.try_update(|all| {
                        all.retain(|version| version.turn < since);
                        all.splice(0..0, found);
                    });
                    if kept.is_some() {
                        read.try_set_value(Some((nth, text, path)));
                    }
                }
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
