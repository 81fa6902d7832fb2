//! One memory, and the form that words it.

use leptos::{html, prelude::*};

use super::{
    ToTurn, kind_word,
    list::List,
    marks::{Marked, stretches},
    say,
};
use crate::{
    desk::memories::Shown,
    locales::{T, fill, memory::T as M, time},
    ports::Clock,
    story::memory::Memory,
    turn::memories::Change,
    ui::{
        about,
        app::App,
        drafts::Draft,
        fields::{TextArea, TextField},
        focus::begin_with,
        icons::{Icon, Shape},
    },
    web::clock::BrowserClock,
};

#[component]
pub fn Item(list: List, shown: Shown) -> impl IntoView {
    let app = App::here();
    let Shown { memory, words } = shown;
    let Memory { kind, position, turns, created, pinned, hidden, .. } = memory;
    let owner = memory.owner.clone();
    // A summary tells of earlier turns than the one that it hangs on.
    let turns = if turns == (0, 0) { (position, position) } else { turns };
    let (text, detail) = (memory.text.clone(), memory.detail.clone());
    let stored = StoredValue::new(memory);
    // What was looked for may stand in the detail alone.
    let unfolds = !words.is_empty() && stretches(&text, &words).is_empty();
    let words = StoredValue::new(words);
    let edits = RwSignal::new(false);
    let idle = move || app.story.writer.get() && !list.busy.get();
    let change = move |to: Change| list.change(&stored.get_value(), to, || {});
    let when = move || {
        let language = app.language.get();
        time::ago(created, BrowserClock.now(), language).unwrap_or_else(|| about::date(created, language))
    };
    let close = Callback::new(move |()| {
        edits.try_set(false);
    });
    view! {
        <li class="memory-item" class:is-hidden=hidden data-testid="memory-item" data-kind=kind.name()
            data-pinned=pinned.to_string() data-hidden=hidden.to_string()>
            <Show when=move || !edits.get() fallback=move || view! { <NoteForm list close memory=stored.get_value() /> }>
                <p class="item-text"><Marked text=text.clone() words=words.get_value() /></p>
                {(!detail.is_empty()).then(|| view! {
                    <details class="memory-detail" open=unfolds>
                        <summary>{say(app, M::Detail)}</summary>
                        <p class="item-aside"><Marked text=detail.clone() words=words.get_value() /></p>
                    </details>
                })}
            </Show>
            <div class="item-foot" hidden=move || edits.get()>
                <span class="memory-kind">{say(app, kind_word(kind))}</span>
                <ToTurn turns />
                <span>{when}</span>
                {owner.map(|owner| view! {
                    <span class="mark" data-testid="memory-owner">{move || fill(say(app, M::IsOwn)(), &[&about::name_of(app, &owner)])}</span>
                })}
                {pinned.then(|| view! { <span class="mark">{say(app, M::IsPinned)}</span> })}
                {hidden.then(|| view! { <span class="mark">{say(app, M::IsHidden)}</span> })}
                <span class="item-tools">
                    <Tool icon=Shape::PIN label=M::Pin testid="memory-pin" pressed=pinned idle=idle run=move || change(Change::Pin(!pinned)) />
                    <Tool icon=Shape::EYE_OFF label=M::Hide testid="memory-hide" pressed=hidden idle=idle run=move || change(Change::Hide(!hidden)) />
                    <Tool icon=Shape::PENCIL label=M::EditMemory testid="memory-edit" idle=idle run=move || edits.set(true) />
                    <Tool icon=Shape::TRASH label=M::DeleteMemory testid="memory-delete" idle=idle run=move || list.delete(&stored.get_value()) />
                </span>
            </div>
        </li>
    }
}

#[component]
fn Tool(
    icon: Shape,
    label: M,
    testid: &'static str,
    #[prop(optional, into)] pressed: Option<bool>,
    idle: impl Fn() -> bool + Copy + Send + Sync + 'static,
    run: impl Fn() + Copy + 'static,
) -> impl IntoView {
    let app = App::here();
    view! {
        <button class="icon-button" data-testid=testid aria-label=say(app, label) title=say(app, label)
            aria-pressed=pressed.map(|pressed| pressed.to_string()) disabled=move || !idle() on:click=move |_| run()>
            <Icon shape=icon />
        </button>
    }
}

/// Words a memory: a new one, where none is given.
#[component]
pub fn NoteForm(list: List, close: Callback<()>, #[prop(optional)] memory: Option<Memory>) -> impl IntoView {
    let app = App::here();
    let was = memory.as_ref().map(|memory| [memory.text.clone(), memory.detail.clone()]).unwrap_or_default();
    let place = match &memory {
        Some(memory) => format!("memory/{}", memory.id.as_str()),
        None => format!("memory/of/{}", app.story.id().unwrap_or_default().as_str()),
    };
    let typed = Draft::of(place, was);
    let [text, detail] = typed.texts;
    let close = Callback::new(move |()| {
        typed.end();
        close.try_run(());
    });
    let memory = StoredValue::new(memory);
    let missing = RwSignal::new(false);
    let fault = Signal::derive(move || missing.get().then(|| app.t(T::Required)().to_owned()));
    let form = NodeRef::<html::Form>::new();
    begin_with(form);
    let save = move || {
        let (text, detail) = (text.get_untracked(), detail.get_untracked());
        missing.set(text.trim().is_empty());
        if missing.get_untracked() {
            return;
        }
        // What was typed stays until it is stored.
        let done = move || {
            close.try_run(());
        };
        match memory.get_value() {
            Some(memory) => list.change(&memory, Change::Word { text, detail }, done),
            None => list.write(text, detail, done),
        }
    };
    view! {
        <form class="item-form" data-testid="memory-form" node_ref=form
            on:submit=move |event| { event.prevent_default(); save() }
            on:keydown=move |event| typed.escape(&event, move || close.run(()))>
            <TextField label=Signal::derive(say(app, M::MemoryText)) value=text testid="memory-text" fault hint=Signal::derive(say(app, M::MemoryTextHint)) />
            <TextArea label=Signal::derive(say(app, M::MemoryDetail)) value=detail testid="memory-detail" rows=2 hint=Signal::derive(say(app, M::MemoryDetailHint)) />
            <div class="row">
                <button class="button primary" type="submit" data-testid="memory-save" disabled=move || list.busy.get()>{app.t(T::Save)}</button>
                <button class="button quiet" type="button" data-testid="memory-cancel" on:click=move |_| close.run(())>{app.t(T::Cancel)}</button>
            </div>
        </form>
    }
}
