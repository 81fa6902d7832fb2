//! The memory in the notebook: what is remembered here, what the newest prompt recalled, and the vectors.

mod embed;
mod item;
mod list;
pub mod marks;
mod recalled;

use leptos::{prelude::*, task::spawn_local};

pub use self::embed::has_embedder;
use self::{
    embed::EmbedFoot,
    item::{Item, NoteForm},
    list::List,
    recalled::Recalled,
};
use super::{
    app::App,
    features::{persona::UpdateMemory, summary::Summarise},
    icons::{Icon, Shape},
    mind::Mind,
    route::Route,
};
use crate::{
    desk::memories::Shown,
    locales::{
        faults, fill,
        memory::{T as M, turns_words},
    },
    story::{fault::Fault, memory::Kind, storyline::Language},
};

/// A text of the memory that follows the language.
pub fn say(app: App, text: M) -> impl Fn() -> &'static str + Copy + Send + Sync + 'static {
    move || text.text(app.language.get())
}

pub fn faults_words(fault: &Fault, language: Language) -> String {
    let explained = faults::explain(fault, language);
    format!("{} {}", explained.what, explained.advice).trim().to_owned()
}

pub fn kind_word(kind: Kind) -> M {
    match kind {
        Kind::Event => M::KindEvent,
        Kind::Summary => M::KindSummary,
        Kind::Plot => M::KindPlot,
        Kind::Note => M::KindNote,
    }
}

/// The turns that something tells of, or the one; leads to the first.
#[component]
fn ToTurn(turns: (u32, u32)) -> impl IntoView {
    let app = App::here();
    view! {
        <button class="link turn-link" data-testid="turn-link" on:click=move |_| spawn_local(app.story.jump_to(app, turns.0))>
            {move || turns_words(turns, app.language.get())}
        </button>
    }
}

/// What else keeps the past stands in it as its child.
#[component]
pub fn MemoryPanel(children: Children) -> impl IntoView {
    let app = App::here();
    let list = List::here();
    let writes = RwSignal::new(false);
    view! {
        <div class="memory-panel" data-testid="memory-panel">
            <section class="note-section memory-acts" aria-label=say(app, M::Acts)>
                <Summarise testid="action-summarize" hint=true />
                <UpdateMemory mind=Mind::here() />
            </section>
            {children()}
            // Below: it is read a moment later, and would push what stands under it from under the pointer.
            <Recalled />
            <section class="note-section" aria-label=say(app, M::WhichKinds)>
                <Filter list />
                <div class="memory-write">
                    <Show
                        when=move || writes.get()
                        fallback=move || view! {
                            <button class="button quiet" data-testid="memory-write" disabled=move || !app.story.writer.get() on:click=move |_| writes.set(true)>
                                <Icon shape=Shape::PLUS />{say(app, M::WriteMemory)}
                            </button>
                        }
                    >
                        <NoteForm list close=Callback::new(move |()| { writes.try_set(false); }) />
                    </Show>
                </div>
                <Items list />
            </section>
            <EmbedFoot />
        </div>
    }
}

#[component]
fn Filter(list: List) -> impl IntoView {
    let app = App::here();
    let kinds = std::iter::once(None).chain(Kind::ALL.into_iter().map(Some));
    let chips = kinds
        .map(|kind| {
            let label = kind.map_or(M::All, kind_word);
            let name = kind.map_or("all", Kind::name);
            view! {
                <button class="chip" data-testid="memory-kind" data-kind=name
                    aria-pressed=move || (list.kind.get() == kind).to_string()
                    on:click=move |_| list.kind.set(kind)>
                    {say(app, label)}
                </button>
            }
        })
        .collect_view();
    view! {
        <div class="field memory-search">
            <input type="search" data-testid="memory-search" dir="auto" autocomplete="off" aria-label=say(app, M::FindMemory)
                placeholder=say(app, M::FindPlaceholder)
                prop:value=move || list.query.get() on:input=move |event| list.query.set(event_target_value(&event)) />
        </div>
        <div class="row memory-kinds" role="group" aria-label=say(app, M::WhichKinds)>{chips}</div>
    }
}

#[component]
fn Items(list: List) -> impl IntoView {
    let app = App::here();
    let query = Memo::new(move |_| list.query.with(|query| query.trim().to_owned()));
    let empty = move || {
        let query = query.get();
        match (query.is_empty(), list.kind.get()) {
            (false, _) => fill(say(app, M::NoneFound)(), &[&query]),
            (true, Some(_)) => say(app, M::NoneOfKind)().to_owned(),
            (true, None) => say(app, M::NoMemories)().to_owned(),
        }
    };
    let is_empty = move || !list.loading.get() && list.fault.with(Option::is_none) && list.shown.with(Vec::is_empty);
    let elsewhere = move || list.elsewhere.get();
    view! {
        {move || list.fault.get().map(|text| view! { <p class="place-fault" role="alert" data-testid="memory-error">{text}</p> })}
        <Show when=move || list.loading.get()><p class="item-aside" role="status">{say(app, M::ReadingMemories)}</p></Show>
        <ul class="memories" aria-busy=move || list.loading.get().to_string()>
            <For each=move || list.shown.get() key=Shown::key let:shown>
                <Item list shown />
            </For>
        </ul>
        <Show when=is_empty><p class="empty" data-testid="memory-empty">{empty}</p></Show>
        <Show when=move || !query.with(String::is_empty)>
            <a class="button quiet memory-everywhere" data-testid="memory-everywhere" href=move || Route::Search(query.get()).hash()>
                <Icon shape=Shape::SEARCH />{move || fill(say(app, M::FindEverywhere)(), &[&query.get()])}
            </a>
        </Show>
        <Show when=move || list.more.get()>
            <button class="button quiet" data-testid="memory-more" on:click=move |_| list.show_more()>{say(app, M::MoreMemories)}</button>
        </Show>
        <Show when=move || { elsewhere() > 0 }>
            <details class="memory-elsewhere" data-testid="memory-elsewhere">
                <summary>{move || fill(say(app, M::Elsewhere)(), &[&elsewhere().to_string()])}</summary>
                <p class="item-aside">{say(app, M::ElsewhereHint)}</p>
            </details>
        </Show>
    }
}
