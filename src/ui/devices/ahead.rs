//! Stories that are on their way from other devices: on the shelf, and their newest pages to be read meanwhile.

use leptos::{html::Div, prelude::*, task::spawn_local};

use super::Devices;
use crate::{
    locales::{T as All, devices::T, fill},
    reply::parser,
    story::{ids::StorylineId, storyline::Language},
    sync::{Coming, News, Page},
    ui::{app::App, markdown::Markdown, route::Route},
};

/// Items of the shelf.
#[component]
pub fn Arriving() -> impl IntoView {
    let app = App::here();
    let report = Devices::here().report;
    let coming = Memo::new(move |_| {
        let mut coming: Vec<_> = report.with(|report| report.news.coming.values().cloned().collect());
        coming.sort_by_key(|coming: &Coming| std::cmp::Reverse(coming.story.last_active));
        coming
    });
    let item = move |first: Coming| {
        let id = first.story.id.clone();
        let own = id.clone();
        let now = Memo::new(move |_| {
            let now = coming.with(|coming| coming.iter().find(|coming| coming.story.id == own).cloned());
            now.unwrap_or_else(|| first.clone())
        });
        let place = Route::Story(id);
        let href = place.hash();
        let is_open = Memo::new(move |_| app.route.get() == place);
        let line = move || {
            let is_readable = now.with(|now| !now.pages.is_empty());
            app.t(if is_readable { T::OnItsWayReadable } else { T::OnItsWay })()
        };
        view! {
            <li class="shelf-item arriving" data-testid="storyline-arriving">
                <a class="storyline" href=href aria-current=move || is_open.get().then_some("page")>
                    <b dir="auto">{move || now.with(|now| now.story.title.clone())}</b>
                    <span class="storyline-line">{line}</span>
                </a>
            </li>
        }
    };
    view! { <For each=move || coming.get() key=|coming| coming.story.id.clone() children=item /> }
}

/// Stands for a story that is not here: its newest pages, if it is on its way.
#[component]
pub fn NotHere(id: StorylineId) -> impl IntoView {
    let app = App::here();
    let report = Devices::here().report;
    let own = id.clone();
    let coming = Memo::new(move |_| report.with(|report| report.news.coming.get(own.as_str()).cloned()));
    // Once all of it has come, it is opened.
    let awaited = id.clone();
    let has_come = Memo::new(move |_| app.storyline(&awaited).is_some());
    Effect::new(move |_| {
        if has_come.get() {
            spawn_local(app.story.open(app, id.clone()));
        }
    });
    view! {
        <section class="chat">
            <header class="chat-header">
                <div class="chat-title">
                    {move || coming.get().map(|coming| view! {
                        <h1 dir="auto">{coming.story.title.clone()}</h1>
                        <p>{app.t(T::OnItsWay)}</p>
                    })}
                </div>
            </header>
            {move || match coming.get() {
                Some(coming) if !coming.pages.is_empty() => view! { <Pages coming /> }.into_any(),
                Some(_) => view! { <div class="chat-empty"><p>{app.t(T::NotReadable)}</p></div> }.into_any(),
                None => view! { <div class="chat-empty"><p>{app.t(All::StoryGone)}</p></div> }.into_any(),
            }}
        </section>
    }
}

/// To be read from the end, as a story is.
#[component]
fn Pages(coming: Coming) -> impl IntoView {
    let app = App::here();
    let scroller = NodeRef::<Div>::new();
    Effect::new(move |_| {
        if let Some(scroller) = scroller.get() {
            spawn_local(async move {
                // Once its pages stand.
                leptos::task::tick().await;
                scroller.set_scroll_top(scroller.scroll_height());
            });
        }
    });
    let pages: Vec<_> = coming.pages.iter().map(|page| leaf(app, page)).collect();
    view! {
        <div class="stage">
            <div class="history" tabindex="0" role="region" aria-label=app.t(T::NewestPages) node_ref=scroller data-testid="arriving-pages">
                <div class="column">
                    {pages}
                    <p class="arriving-rest" role="status">{app.t(T::RestIsComing)}</p>
                </div>
            </div>
        </div>
    }
}

fn leaf(app: App, page: &Page) -> impl IntoView + use<> {
    let position = page.turn.position;
    let label = move || match position {
        0 => app.t(All::Opening)().to_owned(),
        _ => fill(app.t(All::TurnNumber)(), &[&position.to_string()]),
    };
    let speaker = page.reply.as_ref().and_then(|reply| reply.speaker.clone());
    let name = move || speaker.as_ref().and_then(|speaker| app.character(speaker)).map(|character| character.name);
    let text = page.reply.as_ref().map(|reply| Signal::stored(parser::spoken(&reply.text).into_owned()));
    view! {
        <article class="turn" data-testid="arriving-page" aria-label=label>
            {(position > 0).then(|| view! { <div class="turn-number" aria-hidden="true">{position}</div> })}
            {page.turn.user.clone().map(|words| view! { <p class="turn-user" dir="auto">{words}</p> })}
            {move || name().map(|name| view! { <p class="turn-speaker" dir="auto">{name}</p> })}
            {text.map(|text| view! { <div class="reply"><Markdown text /></div> })}
        </article>
    }
}

/// The stories that are on their way.
pub fn coming(news: &News) -> impl Fn(Language) -> String + Clone + 'static + use<> {
    const NAMED: usize = 3;
    let titles: Vec<_> = news.coming.values().take(NAMED).map(|coming| coming.story.title.clone()).collect();
    let more = news.coming.len() - titles.len();
    move |language| {
        let named: Vec<_> = titles.iter().map(|title| fill(language.pick("《{}》", "“{}”"), &[title])).collect();
        let named = named.join(language.pick("", ", "));
        match more {
            0 => fill(T::Coming.text(language), &[&named]),
            more => fill(T::ComingMore.text(language), &[&named, &more.to_string()]),
        }
    }
}
