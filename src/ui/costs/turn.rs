//! What one turn has cost, beside what its model was told.

use leptos::prelude::*;

use super::{cell, say, table};
use crate::{
    locales::costs::{self, T as C},
    story::spending::{Spent, Total},
    ui::app::App,
};

#[component]
pub fn TurnCosts(spent: Vec<Spent>) -> impl IntoView {
    let app = App::here();
    let row = |kind: C, id: &'static str, total: Total| {
        view! { <tr data-testid="turn-cost" data-kind=id><th scope="row">{say(app, kind)}</th>{cell(app, total)}</tr> }
    };
    (!spent.is_empty()).then(|| {
        let rows = spent.iter().map(|line| row(costs::kind(line.kind), line.kind.name(), [line].into_iter().collect()));
        let rows = rows.collect_view();
        // Of one line the sum is that line.
        let whole = (spent.len() > 1).then(|| row(C::InAll, "all", spent.iter().collect()));
        table(
            app,
            "turn-costs",
            C::Costs,
            vec![C::KindOfCall, C::ThisTurn],
            view! { <tbody>{rows}{whole}</tbody> }.into_any(),
        )
    })
}
