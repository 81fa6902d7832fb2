//! Budgets beside the composer: one that is nearly used is said once; one that is used up asks, before anything is written,
//! whether to go on.

use futures_channel::oneshot;
use leptos::{
    ev::KeyboardEvent,
    prelude::*,
    task::{spawn_local, tick},
};

use super::{
    app::App,
    fields::TextField,
    focus::focus,
    icons::{Icon, Shape},
    state::{AskingBudget, BudgetAnswer as Answer, BudgetSays},
    story::change_story_of,
};
use crate::{
    locales::{
        T,
        costs::{self, T as C},
        fill,
    },
    story::{
        budget::{Bounds, Budget, Standing, Use},
        ids::StorylineId,
        spending::Kind,
    },
};

impl AskingBudget {
    /// Asks whether what is used up shall stop calls of this kind in a story. True where they may go on; false, too, where
    /// the reader is in another one by now.
    pub async fn ask(self, app: App, of: &StorylineId, kind: Kind) -> bool {
        match app.chunks.aside.get().await {
            Some(aside) => (aside.ask_budget)(app, of.clone(), kind).await,
            None => false,
        }
    }

    fn end(self, answer: Answer) {
        self.said.try_set(None);
        if let Some(waiting) = self.answer.try_update_value(Option::take).flatten() {
            let _ = waiting.send(answer);
        }
    }
}

/// As [`AskingBudget::ask`], with what it needs.
pub async fn ask(app: App, of: StorylineId, kind: Kind) -> bool {
    let asking = app.asking_budget;
    let Some(storyline) = app.story.opened(&of) else { return false };
    let standings = match app.desk().standings(&storyline).await {
        Ok(standings) => standings,
        Err(error) => {
            app.notify_store(error);
            return false;
        }
    };
    // It may have been raised elsewhere meanwhile.
    let Some(up) = standings.into_iter().find(|standing| standing.is() == Use::Up) else { return true };
    let bounds = up.bounds;
    if app.panels.is_narrow() {
        app.panels.put_sheets_away();
    }
    let (sender, receiver) = oneshot::channel();
    asking.answer.set_value(Some(sender));
    asking.said.set(Some(BudgetSays::Asks(up)));
    let Ok(answer) = receiver.await else { return false };
    match answer {
        Answer::Cancel => return false,
        Answer::Once => app.desk().let_run(&storyline.id, kind),
        Answer::Raise(budget) => raise(app, bounds, &storyline.id, budget).await,
    }
    app.story.is_open(of.as_str())
}

async fn raise(app: App, bounds: Bounds, id: &StorylineId, budget: Budget) {
    match bounds {
        Bounds::Day => match app.desk().prefer(|preferences| preferences.budget = Some(budget)).await {
            Ok(stored) => app.preferences.set(stored),
            Err(error) => app.notify_store(error),
        },
        Bounds::Story => drop(change_story_of(app, id, |storyline| storyline.budget = Some(budget)).await),
    }
}

/// Says that a budget is nearly used, where that is news.
pub async fn look(app: App, id: &StorylineId) {
    let is_free = || app.asking_budget.said.with_untracked(Option::is_none) && app.story.is_open(id.as_str());
    let Some(storyline) = app.story.opened(id) else { return };
    if !is_free() {
        return;
    }
    let near = app.desk().nearly_used(&storyline).await.unwrap_or_default();
    if let Some(near) = near.filter(|_| is_free()) {
        app.asking_budget.said.set(Some(BudgetSays::Near(near)));
    }
}

/// The place where it is said.
#[component]
pub fn AskBudget() -> impl IntoView {
    let app = App::here();
    let asking = app.asking_budget;
    // What was asked elsewhere has nobody to go on with it.
    asking.end(Answer::Cancel);
    on_cleanup(move || asking.end(Answer::Cancel));
    move || {
        let says = asking.said.get()?;
        Some(app.chunks.aside.show(app, move |aside| (aside.budget)(says.clone())))
    }
}

#[component]
pub fn BudgetBar(says: BudgetSays) -> impl IntoView {
    let app = App::here();
    let asking = app.asking_budget;
    match says {
        BudgetSays::Near(near) => view! {
            <p class="dock-note" role="status" data-testid="budget-near">
                {move || costs::standing(&near, false, app.language.get())} " "
                <button type="button" class="link" data-testid="budget-near-dismiss" on:click=move |_| leave(asking, Answer::Cancel)>
                    {app.t(C::Dismiss)}
                </button>
            </p>
        }
        .into_any(),
        BudgetSays::Asks(up) => view! { <Question up /> }.into_any(),
    }
}

#[component]
fn Question(up: Standing) -> impl IntoView {
    let app = App::here();
    let asking = app.asking_budget;
    let budget = up.budget.clone();
    let amount = RwSignal::new(budget.written(up.spent.max(budget.amount()).saturating_mul(2)));
    let unit = budget.currency().map(str::to_owned);
    let (spent, used) = (up.spent, up.clone());
    let raised =
        Signal::derive(move || Budget::typed(&amount.get(), unit.as_deref()).filter(|budget| budget.amount() > spent));
    let fault = Signal::derive(move || {
        let language = app.language.get();
        let low = || fill(C::TooLow.text(language), &[&costs::used(&used, language)]);
        raised.with(Option::is_none).then(low)
    });
    spawn_local(async move {
        tick().await;
        // No button: who sends with Enter, and twice, has not said yes.
        focus("ask-budget-title");
    });
    let raise = move || {
        if let Some(budget) = raised.get_untracked() {
            leave(asking, Answer::Raise(budget));
        }
    };
    let on_key = move |event: KeyboardEvent| {
        if event.key() == "Escape" {
            event.stop_propagation();
            leave(asking, Answer::Cancel);
        }
    };
    view! {
        <form class="ask-key form" novalidate data-testid="ask-budget" aria-labelledby="ask-budget-title" aria-describedby="ask-budget-why"
            on:submit=move |event| { event.prevent_default(); raise() }
            on:keydown=on_key
        >
            <div>
                <p class="ask-key-title" id="ask-budget-title" tabindex="-1">
                    <Icon shape=Shape::INFO />
                    <span>{move || costs::standing(&up, true, app.language.get())}</span>
                </p>
                <p class="field-note" id="ask-budget-why">{app.t(C::NothingSent)}</p>
            </div>
            <TextField label=Signal::derive(app.t(C::RaiseTo)) value=amount testid="ask-budget-amount" fault />
            <div class="row">
                <button type="button" class="button primary" data-testid="ask-budget-once" on:click=move |_| leave(asking, Answer::Once)>{app.t(C::GoOnOnce)}</button>
                <button type="submit" class="button" data-testid="ask-budget-raise" disabled=move || raised.with(Option::is_none)>{app.t(C::Raise)}</button>
                <button type="button" class="button quiet" data-testid="ask-budget-cancel" on:click=move |_| leave(asking, Answer::Cancel)>{app.t(T::Cancel)}</button>
            </div>
        </form>
    }
}

/// Ends the question; who typed goes on typing where the words are.
fn leave(asking: AskingBudget, answer: Answer) {
    asking.end(answer);
    focus("composer-input");
}
