//! The plain status bar: a quiet strip of the world's values.

use leptos::prelude::*;

use crate::{
    story::{
        status_bar::{
            Feed,
            plain::{Group, groups},
        },
        world,
    },
    ui::app::App,
};

#[component]
pub fn Plain(#[prop(into)] feed: Signal<Feed>) -> impl IntoView {
    let app = App::here();
    let strip = move || {
        let language = app.language.get();
        let group = |group: Group| {
            let entries = group.entries.into_iter().map(|entry| {
                let words = world::words(&entry.value, language);
                let whole = words.clone();
                view! {
                    <div class="status-entry" data-testid="statusbar-entry" data-key=entry.key>
                        <dt>{entry.label}</dt>
                        <dd title=whole>{words}</dd>
                    </div>
                }
            });
            let entries = entries.collect_view();
            let name = (!group.name.is_empty()).then_some(group.name);
            view! {
                <div class="status-group">
                    {name.map(|name| view! { <span class="status-name">{name}</span> })}
                    <dl>{entries}</dl>
                </div>
            }
        };
        let groups = feed.with(|feed| groups(&feed.world));
        // Values that are there may be more than the strip is high: it scrolls, by the keys as well.
        (!groups.is_empty()).then(|| view! {
            <div class="status-plain" data-testid="statusbar-plain" tabindex="0">{groups.into_iter().map(group).collect_view()}</div>
        })
    };
    view! { {strip} }
}
