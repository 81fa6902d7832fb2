//! Who the character has become: the evolved persona, its versions, and drawing a new one (C6).

use leptos::prelude::*;

use super::update::UpdateMemory;
use crate::{
    locales::{T, mind::T as M},
    story::{
        persona::{EvolvedVersion, PersonaEdit},
        state::Persona,
    },
    ui::{
        app::App,
        difference::{Side, difference},
        drafts::waits,
        features::summary::Summarise,
        mind::{FaultOf, Mind, Place, TurnLink},
        wording::Wording,
    },
};

#[component]
pub fn Evolved(mind: Mind, persona: Memo<Persona>) -> impl IntoView {
    let app = App::here();
    let text = Memo::new(move |_| persona.with(|persona| persona.evolved_persona.clone()));
    let versions = Memo::new(move |_| persona.with(|persona| persona.evolved_versions.clone()));
    let place = move || mind.place_of("evolved");
    let edits = RwSignal::new(waits(&place()));
    let keep = Callback::new(move |(text, done): (String, Callback<()>)| {
        mind.persona(Place::Evolved, PersonaEdit::Evolve { text }, move || _ = done.try_run(()));
    });
    let close = Callback::new(move |()| _ = edits.try_set(false));
    let shown = move || match edits.get() {
        true => view! {
            <Wording place=place() was=text.get_untracked() label=Signal::derive(app.t(M::EvolvedLayer))
                input="evolved-input" save="evolved-save" rows=6 busy=mind.busy keep close />
        }
        .into_any(),
        false => {
            let text = text.get();
            let body = match text.is_empty() {
                true => view! { <p class="item-aside">{app.t(M::NothingYet)}</p> }.into_any(),
                false => view! { <p class="evolved" data-testid="persona-item" data-layer="growth" data-kind="evolved">{text}</p> }.into_any(),
            };
            view! {
                {body}
                <button class="link" data-testid="evolved-edit" disabled=move || !app.story.writer.get()
                    on:click=move |_| edits.set(true)>
                    {app.t(T::Edit)}
                </button>
            }
            .into_any()
        }
    };
    let list = move || {
        let versions = versions.get().into_iter().rev();
        versions.map(|version| view! { <Version mind version now=text /> }).collect_view()
    };
    view! {
        <section class="note-section">
            <h2>{app.t(M::EvolvedLayer)}</h2>
            {shown}
            <FaultOf mind place=Place::Evolved />
            <UpdateMemory mind />
            <Summarise testid="action-summarize" hint=true />
            <Show when=move || versions.with(|versions| !versions.is_empty())>
                <details class="versions" data-testid="evolved-versions">
                    <summary>{app.t(M::Versions)} " " {move || versions.with(Vec::len)}</summary>
                    <ul class="persona-items">{list}</ul>
                </details>
            </Show>
        </section>
    }
}

#[component]
fn Version(mind: Mind, version: EvolvedVersion, now: Memo<String>) -> impl IntoView {
    let app = App::here();
    let text = StoredValue::new(version.text);
    let position = version.turn;
    let is_now = Memo::new(move |_| now.with(|now| text.with_value(|text| text == now)));
    let compares = RwSignal::new(false);
    let body = move || {
        if !compares.get() || is_now.get() {
            return view! { <p class="evolved">{text.get_value()}</p> }.into_any();
        }
        let pieces = now.with(|now| text.with_value(|text| difference(text, now)));
        let pieces = pieces
            .into_iter()
            .map(|(side, text)| match side {
                Side::Both => text.into_any(),
                Side::Old => view! { <del>{text}</del> }.into_any(),
                Side::New => view! { <ins>{text}</ins> }.into_any(),
            })
            .collect_view();
        view! {
            <p class="evolved difference" data-testid="evolved-difference">{pieces}</p>
            <p class="field-note">{app.t(M::CompareHint)}</p>
        }
        .into_any()
    };
    let restore = move |_| mind.persona(Place::Evolved, PersonaEdit::Restore { text: text.get_value() }, || {});
    view! {
        <li class="persona-item" data-testid="evolved-version">
            {body}
            <div class="item-foot">
                <TurnLink position />
                <Show when=move || !is_now.get() fallback=move || view! { <span>{app.t(M::VersionNow)}</span> }>
                    <button class="link" data-testid="evolved-compare" aria-pressed=move || compares.get().to_string()
                        on:click=move |_| compares.update(|on| *on = !*on)>{app.t(M::Compare)}</button>
                    <button class="link" data-testid="evolved-restore" disabled=move || mind.busy.get() on:click=restore>
                        {app.t(T::Restore)}
                    </button>
                </Show>
            </div>
        </li>
    }
}
