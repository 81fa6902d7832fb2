//! Budgets: what is spent stands against them before a call is made.

use super::meter;
use crate::{
    ports::{Ports, Store},
    store::{Query, Stored, Table},
    story::{
        budget::{Bounds, Standing, Use},
        fault::{Fault, FaultKind},
        ids::StorylineId,
        settings::Preferences,
        spending::{Day, Kind, Spending, Total, day},
        storyline::Storyline,
    },
};

/// The reader's day.
pub fn today(ports: &Ports) -> Day {
    let now = ports.clock.now();
    day(now, ports.clock.utc_offset(now))
}

/// What was spent on a day.
///
/// # Errors
/// The store failed.
pub async fn of_day(store: &dyn Store, day: Day) -> Stored<Vec<Spending>> {
    store.list(Query::equal(Table::Spending, "day", day)).await
}

/// What a story has cost, by day.
///
/// # Errors
/// The store failed.
pub async fn of_story(store: &dyn Store, storyline: &StorylineId) -> Stored<Vec<Spending>> {
    store.list(Query::equal(Table::Spending, "storyline", storyline.as_str())).await
}

pub fn total(records: &[Spending]) -> Total {
    records.iter().flat_map(|record| &record.lines).collect()
}

/// How the budgets stand that bound a story; nothing is read where there are none.
///
/// # Errors
/// The store failed.
pub async fn standings(ports: &Ports, storyline: &Storyline) -> Stored<Vec<Standing>> {
    let store = &*ports.store;
    let of_day_is = store.load::<Preferences>(Preferences::ID).await?.and_then(|preferences| preferences.budget);
    let mut standings = Vec::new();
    if storyline.demo || of_day_is.is_none() && storyline.budget.is_none() {
        return Ok(standings);
    }
    meter::book(ports).await;
    if let Some(budget) = &of_day_is {
        standings.push(Standing::of(Bounds::Day, budget, &total(&of_day(store, today(ports)).await?)));
    }
    if let Some(budget) = &storyline.budget {
        standings.push(Standing::of(Bounds::Story, budget, &total(&of_story(store, &storyline.id).await?)));
    }
    Ok(standings)
}

/// Leave to spend in a story.
pub(super) struct Leave<'a> {
    ports: &'a Ports,
    storyline: &'a Storyline,
    /// The reader lets it run.
    is_let: bool,
}

impl<'a> Leave<'a> {
    /// # Errors
    /// `OverBudget`: a budget is used up, and the reader has not let this run. Nothing has been spent.
    pub async fn ask(ports: &'a Ports, storyline: &'a Storyline, kind: Kind) -> Result<Self, Fault> {
        let is_let = ports.till.may_run(&storyline.id, kind);
        let leave = Self { ports, storyline, is_let };
        leave.holds().await?;
        Ok(leave)
    }

    /// # Errors
    /// As [`Self::ask`], for what comes next of the same.
    pub async fn holds(&self) -> Result<(), Fault> {
        if self.is_let {
            return Ok(());
        }
        let standings = standings(self.ports, self.storyline).await?;
        let over = standings.into_iter().any(|standing| standing.is() == Use::Up);
        (!over).then_some(()).ok_or_else(|| Fault::new(FaultKind::OverBudget, ""))
    }
}
