//! What calls have cost, in quiet tables; and the budgets that bound it.

mod all;
mod form;
mod story;
mod turn;

pub use self::{all::AllCosts, story::StoryCosts, turn::TurnCosts};

use leptos::prelude::*;

use super::app::App;
use crate::{
    locales::costs::{self, T as C},
    story::spending::Total,
};

fn say(app: App, text: C) -> impl Fn() -> &'static str + Copy + Send + Sync + 'static {
    move || text.text(app.language.get())
}

/// A sum: its money where there is any, and its tokens.
fn cell(app: App, total: Total) -> impl IntoView {
    let shown = move || {
        let language = app.language.get();
        (!total.is_empty()).then(|| {
            view! {
                {costs::money(&total).map(|money| view! { <b>{money}</b> })}
                <span>{costs::tokens(&total, language)}</span>
            }
        })
    };
    view! { <td class="number">{shown}</td> }
}

/// A table with the heads of its columns, and its bodies; `name` is said to who does not see what stands above it.
fn table(app: App, testid: &'static str, name: C, heads: Vec<C>, bodies: AnyView) -> impl IntoView {
    let heads = heads.into_iter().map(|head| view! { <th scope="col">{say(app, head)}</th> }).collect_view();
    view! {
        <div class="costs" role="region" tabindex="0" aria-label=say(app, name)>
            <table data-testid=testid>
                <thead><tr>{heads}</tr></thead>
                {bodies}
            </table>
        </div>
    }
}
