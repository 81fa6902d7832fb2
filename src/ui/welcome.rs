//! The first page of an empty shelf: a demo to click through, or three steps with a key.

use leptos::prelude::*;

use super::{
    app::App,
    icons::{Icon, Shape},
    next_step::{label, route, set_up},
    route::Route,
};
use crate::{locales::T, story::set_up::Step, web::storage};

#[component]
pub fn Welcome() -> impl IntoView {
    let app = App::here();
    let begin_demo = move |_| app.chunks.aside.run(app, async move |aside| (aside.open_demo)(app).await);
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
                            <a href=route(step).hash()>{move || is_done().then(|| view! { <Icon shape=Shape::CHECK /> })}{app.t(label(step))}</a>
                        </li>
                    }
                })}
            </ol>
        </section>
    }
}

/// Puts the demo's character and background into the library and opens its storyline.
pub async fn open_demo(app: App) {
    match app.desk().begin_demo(app.language.get_untracked()).await {
        Ok(storyline) => {
            storage::mark();
            app.refresh().await;
            app.go(Route::Story(storyline.id));
        }
        Err(error) => app.notify_store(error),
    }
}
