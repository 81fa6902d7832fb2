//! The first page of an empty shelf: a demo to click through, or three steps with a key.

use leptos::prelude::*;

use super::{
    app::App,
    icons::Icon,
    next_step::{label, route, set_up},
    route::Route,
};
use crate::{
    locales::T,
    sim::demo::demo,
    store::Batch,
    story::set_up::Step,
    turn::{NewStoryline, open::open_storyline},
    web::storage,
};

#[component]
pub fn Welcome() -> impl IntoView {
    let app = App::here();
    let begin_demo = move |_| app.chunks.story.run(app, async move |story| (story.open_demo)(app).await);
    let set_up = Memo::new(move |_| set_up(app));
    let begin = move || set_up.get().next().map_or(Route::NewStory, route).hash();
    view! {
        <section class="welcome" data-testid="welcome">
            <h1>{app.t(T::WelcomeTitle)}</h1>
            <p class="lead">{app.t(T::WelcomeLead)}</p>
            <div class="welcome-ways">
                <button class="way" data-testid="welcome-demo" on:click=begin_demo>
                    <b>{app.t(T::WelcomeDemo)}</b>
                    <span>{app.t(T::WelcomeDemoNote)}</span>
                </button>
                <a class="way" data-testid="welcome-connect" href=begin>
                    <b>{app.t(T::WelcomeConnect)}</b>
                    <span>{app.t(T::WelcomeConnectNote)}</span>
                </a>
            </div>
            <ol class="steps" aria-label=app.t(T::StepsTitle)>
                {Step::ALL.map(|step| {
                    let is_done = move || set_up.get().is_done(step);
                    view! {
                        <li class:done=is_done>
                            <a href=route(step).hash()>{move || is_done().then(|| view! { <Icon name="check" /> })}{app.t(label(step))}</a>
                        </li>
                    }
                })}
            </ol>
        </section>
    }
}

/// Puts the demo's character and background into the library and opens its storyline.
pub async fn open_demo(app: App) {
    let browser = app.browser();
    let ports = &browser.ports;
    let language = app.language.get_untracked();
    let mut demo = demo(language);
    let now = ports.clock.now();
    demo.character.id = ports.id();
    demo.background.id = ports.id();
    (demo.character.created, demo.character.updated) = (now, now);
    (demo.background.created, demo.background.updated) = (now, now);
    let opened = async {
        ports.store.commit(Batch::new().put(&demo.character).put(&demo.background)).await?;
        let new = NewStoryline {
            title: demo.title,
            character: &demo.character,
            background: Some(&demo.background),
            preset: "plain".into(),
            connection: None,
            user_name: String::new(),
            language,
            demo: true,
        };
        open_storyline(ports, new).await
    };
    match opened.await {
        Ok(storyline) => {
            storage::mark();
            app.refresh().await;
            app.go(Route::Story(storyline.id));
        }
        Err(error) => app.notify_store(error),
    }
}
