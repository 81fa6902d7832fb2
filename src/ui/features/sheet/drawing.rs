//! What was felt and wanted, drawn along the turns.

use leptos::prelude::*;
use web_sys::Element;

use super::{say, versions::read_into};
use crate::{
    desk::sheet::{Kind, Lane, lanes},
    locales::sheet::T as S,
    turn::sheet::Which,
    ui::app::App,
};

#[component]
pub fn Drawing(which: StoredValue<Which>, held: Memo<String>, all: RwSignal<u32>) -> impl IntoView {
    let app = App::here();
    let open = RwSignal::new(false);
    let versions = RwSignal::new(Vec::new());
    read_into(app, which, held, open.into(), all, versions);
    let drawn = Memo::new(move |_| {
        let end = app.story.path.with(|path| path.end);
        (versions.with(|versions| lanes(versions, end)), end)
    });
    let rows = move || {
        let (lanes, end) = drawn.get();
        if lanes.is_empty() {
            return view! { <p class="field-note">{say(app, S::NoVersions)}</p> }.into_any();
        }
        let of = |kind: Kind, title: S| {
            let lanes: Vec<Lane> = lanes.iter().filter(|lane| lane.kind == kind).cloned().collect();
            (!lanes.is_empty()).then(|| {
                let rows = lanes.into_iter().map(|lane| row(app, lane, end)).collect_view();
                view! { <h3>{say(app, title)}</h3> <ul class="lanes">{rows}</ul> }
            })
        };
        let last = end.saturating_sub(1).to_string();
        view! {
            {of(Kind::Emotion, S::Emotion)}
            {of(Kind::Goal, S::Goal)}
            <p class="field-note">{move || S::DrawingHint.with(&[&last])(app.language.get())}</p>
        }
        .into_any()
    };
    view! {
        <details class="versions" data-testid="sheet-drawing"
            on:toggle=move |event| open.set(event_target::<Element>(&event).has_attribute("open"))>
            <summary>{say(app, S::Drawing)}</summary>
            {move || open.get().then(rows)}
        </details>
    }
}

fn row(app: App, lane: Lane, end: u32) -> impl IntoView {
    let bars = lane.spans.iter().map(|(from, to)| {
        view! { <rect x=from.to_string() width=(to - from).to_string() height="1" /> }
    });
    let bars = bars.collect_view();
    let spans = lane.spans.clone();
    let lasted = move || {
        let one = |(from, to): &(u32, u32)| {
            S::Lasted.with(&[&from.to_string(), &to.saturating_sub(1).to_string()])(app.language.get())
        };
        spans.iter().map(one).collect::<Vec<_>>().join(app.language.get().pick("、", ", "))
    };
    view! {
        <li data-testid="sheet-lane">
            <span dir="auto">{lane.text}</span>
            <span class="visually-hidden">{lasted}</span>
            <svg class="lane" aria-hidden="true" viewBox=format!("0 0 {} 1", end.max(1)) preserveAspectRatio="none">{bars}</svg>
        </li>
    }
}
