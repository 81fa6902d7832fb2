//! After the first model and the first character: what comes next, with the way there.

use leptos::prelude::*;

use super::{
    app::App,
    icons::{Icon, Shape},
    route::Route,
};
use crate::{
    locales::{T, fill},
    story::set_up::{SetUp, Step},
};

/// The link, for the focus.
pub const LINK: &str = "next-step";

pub fn set_up(app: App) -> SetUp {
    app.connections.with(|connections| {
        app.characters.with(|characters| app.storylines.with(|list| SetUp::of(connections, characters, list)))
    })
}

pub fn label(step: Step) -> T {
    match step {
        Step::Connect => T::StepConnect,
        Step::Character => T::StepCharacter,
        Step::Storyline => T::StepOpen,
    }
}

pub fn route(step: Step) -> Route {
    match step {
        Step::Connect => Route::Settings,
        Step::Character => Route::Character(None),
        Step::Storyline => Route::NewStory,
    }
}

/// For the page that a step ends on.
#[component]
pub fn NextStep(after: Step) -> impl IntoView {
    let app = App::here();
    let next = Memo::new(move |_| set_up(app).after(after));
    let done = move || {
        let [done, all] = [set_up(app).done(), Step::ALL.len()].map(|count| count.to_string());
        fill(app.t(T::StepsDone)(), &[&done, &all])
    };
    view! {
        <div role="status">
            {move || next.get().map(|next| view! {
                <div class="next-step" data-testid="next-step">
                    <p><Icon shape=Shape::CHECK />{done}</p>
                    <a class="button primary" id=LINK data-testid="next-step-go" href=route(next).hash()>
                        {move || fill(app.t(T::NextStep)(), &[app.t(label(next))()])}
                        <Icon shape=Shape::FORWARD />
                    </a>
                </div>
            })}
        </div>
    }
}
