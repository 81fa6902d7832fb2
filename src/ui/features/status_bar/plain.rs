//! The plain status bar: a quiet strip of the world's values.

use leptos::prelude::*;

use crate::{
    features::status_bar::plain::{Group, groups},
    locales::{fill, status_bar::T},
    story::{Extra, world::words},
    ui::app::App,
};

/// Entries that are shown: a strip is no list.
const MOST: usize = 60;

#[component]
pub fn Plain(world: Memo<Extra>) -> impl IntoView {
    let app = App::here();
    let strip = move || {
        let language = app.language.get();
        let group = |group: Group| {
            let entries = group.entries.into_iter().map(|entry| {
                let value = words(&entry.value, language);
                let whole = value.clone();
                view! {
                    <div class="status-entry" data-testid="statusbar-entry" data-key=entry.key>
                        <dt>{entry.label}</dt>
                        <dd title=whole>{value}</dd>
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
        let (groups, left_out) = world.with(|world| groups(world, MOST));
        let more = (left_out > 0).then(|| fill(T::MoreInWorld.text(language), &[&left_out.to_string()]));
        // Values that are there may be more than the strip is high: it scrolls, by the keys as well.
        (!groups.is_empty()).then(|| {
            view! {
                <div class="status-plain" data-testid="statusbar-plain" tabindex="0">
                    {groups.into_iter().map(group).collect_view()}
                    {more.map(|more| view! { <p class="status-note" data-testid="statusbar-more">{more}</p> })}
                </div>
            }
        })
    };
    view! { {strip} }
}
