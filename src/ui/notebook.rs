//! The notebook: what the story knows, in tabs.

use leptos::prelude::*;

use super::{
    app::App,
    focus::focus,
    icons::{Icon, Shape},
    panels::Side,
    state::Tab,
};
use crate::locales::T;

#[component]
pub fn Notebook() -> impl IntoView {
    let app = App::here();
    let tab = app.notebook_tab;
    let tabs = Tab::ALL
        .into_iter()
        .map(|(this, testid, label)| {
            view! {
                <button
                    role="tab"
                    id=testid
                    data-testid=testid
                    aria-selected=move || (tab.get() == this).to_string()
                    aria-controls="notebook-panel"
                    tabindex=move || if tab.get() == this { "0" } else { "-1" }
                    on:click=move |_| tab.set(this)
                >
                    {app.t(label)}
                </button>
            }
        })
        .collect_view();
    // The focus goes with the choice, so that one hears what was chosen.
    let choose = move |at: usize| {
        let (this, id, _) = Tab::ALL[at % Tab::ALL.len()];
        tab.set(this);
        focus(id);
    };
    let now = move || Tab::ALL.iter().position(|(this, ..)| *this == tab.get_untracked()).unwrap_or(0);
    view! {
        <aside class="notebook" id="notebook" tabindex="-1" aria-label=app.t(T::ShowNotebook)>
            <div class="notebook-head">
                <div
                    class="tabs"
                    role="tablist"
                    on:keydown=move |event| match event.key().as_str() {
                        "ArrowRight" => choose(now() + 1),
                        "ArrowLeft" => choose(now() + Tab::ALL.len() - 1),
                        "Home" => choose(0),
                        "End" => choose(Tab::ALL.len() - 1),
                        _ => {}
                    }
                >
                    {tabs}
                </div>
                <button class="icon-button notebook-close" aria-label=app.t(T::CollapseNotebook) on:click=move |_| app.panels.close(Side::Notebook)>
                    <Icon shape=Shape::X />
                </button>
            </div>
            <div class="notebook-panel" id="notebook-panel" role="tabpanel" tabindex="0">
                {move || match tab.get() {
                    Tab::Story => app.chunks.aside.show(app, |aside| (aside.story_settings)()),
                    tab => app.chunks.desk.show(app, move |desk| (desk.panel)(tab)),
                }}
            </div>
        </aside>
    }
}
