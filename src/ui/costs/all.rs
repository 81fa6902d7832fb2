//! What everything has cost, in the settings, and the budget for a day.

use leptos::{prelude::*, task::spawn_local};

use super::{cell, form::BudgetForm, say, table};
use crate::{
    desk::costs::{OfAll, Whose},
    locales::costs::T as C,
    ui::app::App,
};

#[component]
pub fn AllCosts() -> impl IntoView {
    let app = App::here();
    let sums = RwSignal::new(None::<(Vec<(Whose, OfAll)>, OfAll)>);
    spawn_local(async move {
        match app.desk().costs().await {
            Ok(found) => drop(sums.try_set(Some(found))),
            Err(error) => app.notify_store(error),
        }
    });
    let row = move |whose: Option<Whose>, OfAll { today, whole }: OfAll| {
        let kind = match &whose {
            Some(Whose::Story(_)) => "story",
            Some(Whose::Gone) => "gone",
            Some(Whose::Trials) => "trials",
            Some(Whose::Cradle) => "cradle",
            Some(Whose::Circle) => "circle",
            None => "all",
        };
        let name = move || match &whose {
            Some(Whose::Story(id)) => match app.storylines.with(|list| list.iter().find(|s| s.id == *id).cloned()) {
                Some(storyline) => storyline.title,
                None => say(app, C::Gone)().to_owned(),
            },
            Some(Whose::Gone) => say(app, C::Gone)().to_owned(),
            Some(Whose::Trials) => say(app, C::Trials)().to_owned(),
            Some(Whose::Cradle) => say(app, C::Cradle)().to_owned(),
            Some(Whose::Circle) => say(app, C::Circle)().to_owned(),
            None => say(app, C::InAll)().to_owned(),
        };
        view! {
            <tr data-testid="cost" data-kind=kind>
                <th scope="row">{name}</th>
                {cell(app, today)}{cell(app, whole)}
            </tr>
        }
    };
    let shown = move || {
        let (by_whom, all) = sums.get()?;
        if by_whom.is_empty() {
            return Some(view! { <p class="empty">{say(app, C::Nothing)}</p> }.into_any());
        }
        let rows = by_whom.into_iter().map(|(whose, sums)| row(Some(whose), sums)).collect_view();
        let rows = view! { <tbody>{rows}{row(None, all)}</tbody> }.into_any();
        Some(table(app, "costs-table", C::ByStory, vec![C::Story, C::Today, C::InAll], rows).into_any())
    };
    let budget = Memo::new(move |_| app.preferences.with(|preferences| preferences.budget.clone()));
    let keep = Callback::new(move |budget: Option<_>| {
        app.prefer(move |preferences| preferences.budget.clone_from(&budget));
    });
    view! {
        <section class="settings-part" aria-labelledby="settings-costs" data-testid="settings-costs">
            <div class="part-head"><h2 id="settings-costs">{say(app, C::Costs)}</h2></div>
            <p class="field-note">{say(app, C::CostsHint)}</p>
            {shown}
            <div class="form">
                <BudgetForm budget keep label=C::BudgetOfDay testids=("day-budget", "day-budget-unit") />
            </div>
        </section>
    }
}
