//! A budget as it is typed: an amount, and in what. What is typed is stored at once.

use leptos::prelude::*;

use super::say;
use crate::{
    locales::{costs::T as C, fill},
    provider::is_local,
    story::{budget::Budget, connection::Connection, price::CURRENCY},
    ui::{
        app::App,
        fields::{SelectField, TextField},
    },
};

/// The unit that is no currency.
const TOKENS: &str = "";

#[component]
pub fn BudgetForm(
    budget: Memo<Option<Budget>>,
    keep: Callback<Option<Budget>>,
    label: C,
    /// Of the amount and of its unit.
    testids: (&'static str, &'static str),
) -> impl IntoView {
    let app = App::here();
    let (amount, unit) = (RwSignal::new(String::new()), RwSignal::new(CURRENCY.to_owned()));
    Effect::new(move |_| {
        let Some(budget) = budget.get() else { return };
        amount.set(budget.written(budget.amount()));
        unit.set(budget.currency().unwrap_or(TOKENS).to_owned());
    });
    let units = Signal::derive(move || {
        let mut currencies = vec![CURRENCY.to_owned()];
        currencies.extend(budget.with(|budget| budget.as_ref().and_then(|b| b.currency().map(str::to_owned))));
        app.connections.with(|list| {
            currencies.extend(list.iter().flat_map(|one| one.prices.values()).map(|price| price.currency.clone()));
        });
        currencies.sort();
        currencies.dedup();
        let tokens = (TOKENS.to_owned(), say(app, C::InTokens)().to_owned());
        currencies.into_iter().map(|name| (name.clone(), name)).chain([tokens]).collect::<Vec<_>>()
    });
    let typed = move || {
        let unit = unit.get();
        Budget::typed(&amount.get(), (unit != TOKENS).then_some(unit.as_str()))
    };
    let is_off = move || amount.with(|amount| amount.trim().is_empty());
    let fault = Signal::derive(move || (!is_off() && typed().is_none()).then(|| say(app, C::NotAnAmount)().to_owned()));
    let store = move || {
        let typed = untrack(typed);
        if typed.is_some() || untrack(is_off) {
            keep.run(typed);
        }
    };
    // What runs on this machine costs nothing.
    let uncounted = move || {
        let unit = unit.get();
        let is_priced = |one: &Connection| one.price().is_some_and(|price| price.currency == unit);
        let left_out = |one: &&Connection| !is_priced(one) && !is_local(&one.url);
        let names =
            app.connections.with(|all| all.iter().filter(left_out).map(|one| one.name.clone()).collect::<Vec<_>>());
        let is_money = unit != TOKENS && !is_off();
        let names = names.join(app.language.get().pick("、", ", "));
        (is_money && !names.is_empty()).then(|| fill(say(app, C::NotCounted)(), &[&unit, &names]))
    };
    view! {
        <div class="columns">
            <TextField label=Signal::derive(say(app, label)) value=amount testid=testids.0 hint=Signal::derive(say(app, C::BudgetHint)) fault on:change=move |_| store() />
            <SelectField label=Signal::derive(say(app, C::Unit)) value=unit options=units testid=testids.1 on:change=move |_| store() />
        </div>
        {move || uncounted().map(|words| view! { <p class="field-note" data-testid="budget-not-counted">{words}</p> })}
    }
}
