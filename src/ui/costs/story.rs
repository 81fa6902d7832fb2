//! What the open story has cost, in the notebook, and its budget.

use leptos::{prelude::*, task::spawn_local};

use super::{cell, form::BudgetForm, say, table};
use crate::{
    desk::costs::OfStory,
    locales::costs::{self, T as C},
    story::spending::Kind,
    ui::{app::App, story::change_story},
};

#[component]
pub fn StoryCosts() -> impl IntoView {
    let app = App::here();
    let sums = RwSignal::new(None::<(Vec<(Kind, OfStory)>, OfStory)>);
    // It is read anew with each turn, and with what comes behind one.
    Effect::new(move |_| {
        app.story.scribing.track();
        app.embeddings.works.track();
        app.story.playing.track();
        let Some(storyline) = app.story.storyline.get() else { return };
        spawn_local(async move {
            match app.desk().costs_of(&storyline).await {
                Ok(found) => drop(sums.try_set(Some(found))),
                Err(error) => app.notify_store(error),
            }
        });
    });
    // The notebook is narrow: what a call is for stands above its sums.
    let row = move |kind: C, id: &'static str, OfStory { session, today, whole }: OfStory| {
        view! {
            <tbody data-testid="story-cost" data-kind=id>
                <tr><th scope="rowgroup" colspan="3">{say(app, kind)}</th></tr>
                <tr>{cell(app, session)}{cell(app, today)}{cell(app, whole)}</tr>
            </tbody>
        }
    };
    let shown = move || {
        let (by_kind, all) = sums.get()?;
        if by_kind.is_empty() {
            return Some(view! { <p class="empty">{say(app, C::Nothing)}</p> }.into_any());
        }
        let is_one = by_kind.len() == 1;
        let rows = by_kind.into_iter().map(|(kind, sums)| row(costs::kind(kind), kind.name(), sums)).collect_view();
        let whole = (!is_one).then(|| row(C::InAll, "all", all));
        let heads = vec![C::Session, C::Today, C::WholeStory];
        Some(table(app, "story-costs-table", C::Costs, heads, (rows, whole).into_any()).into_any())
    };
    let budget = Memo::new(move |_| app.story.storyline.with(|storyline| storyline.as_ref()?.budget.clone()));
    let keep = Callback::new(move |budget| change_story(app, move |storyline| storyline.budget = budget));
    view! {
        <p class="field-note">{say(app, C::CostsHint)}</p>
        {shown}
        <fieldset class="form plain-fieldset" disabled=move || !app.story.writer.get() aria-label=say(app, C::BudgetOfStory)>
            <BudgetForm budget keep label=C::BudgetOfStory testids=("story-budget", "story-budget-unit") />
        </fieldset>
    }
}
