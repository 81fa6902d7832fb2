//! What was spent, as it is shown; how budgets stand; what is let run past them.

use std::collections::BTreeMap;

use super::{Desk, Stored};
use crate::{
    ports::till::Purpose,
    store::{Query, Table},
    story::{
        budget::Standing,
        connection::Connection,
        generation::Usage,
        ids::StorylineId,
        spending::{Kind, Spending, Spent, Total},
        storyline::Storyline,
    },
    turn::budget::{self, today},
};

/// What one story has cost, of one kind of call or of all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OfStory {
    /// In the session at its head.
    pub session: Total,
    pub today: Total,
    pub whole: Total,
}

/// What one story, or whatever else, has cost.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OfAll {
    pub today: Total,
    pub whole: Total,
}

/// Whose costs they are.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Whose {
    Story(StorylineId),
    /// Of stories that are deleted for ever.
    Gone,
    /// Of connections that were tried.
    Trials,
}

impl Desk {
    async fn booked(&self) -> Stored<()> {
        self.ports.till.book(&*self.ports.store).await
    }

    /// What a story has cost: by kind, and in all.
    ///
    /// # Errors
    /// The store failed.
    pub async fn costs_of(&self, storyline: &Storyline) -> Stored<(Vec<(Kind, OfStory)>, OfStory)> {
        self.booked().await?;
        let records = budget::of_story(&*self.ports.store, &storyline.id).await?;
        let (today, session) = (today(&self.ports), Some(&storyline.current_session));
        let sums = |is_of: &dyn Fn(&Spent) -> bool| {
            let of = |which: &dyn Fn(&Spending, &Spent) -> bool| {
                let lines = records.iter().flat_map(|record| record.lines.iter().map(move |line| (record, line)));
                lines.filter(|(record, line)| is_of(line) && which(record, line)).map(|(_, line)| line).collect()
            };
            OfStory {
                session: of(&|_, line| line.session.as_ref() == session),
                today: of(&|record, _| record.day == today),
                whole: of(&|_, _| true),
            }
        };
        let by_kind = Kind::ALL.map(|kind| (kind, sums(&|line| line.kind == kind)));
        let by_kind = by_kind.into_iter().filter(|(_, sums)| !sums.whole.is_empty()).collect();
        Ok((by_kind, sums(&|_| true)))
    }

    /// What everything has cost: by story, and in all.
    ///
    /// # Errors
    /// The store failed.
    pub async fn costs(&self) -> Stored<(Vec<(Whose, OfAll)>, OfAll)> {
        self.booked().await?;
        let records = self.ports.store.list::<Spending>(Query::all(Table::Spending)).await?;
        let today = today(&self.ports);
        let mut by_whom = BTreeMap::<Whose, Vec<(bool, &Spent)>>::new();
        for record in &records {
            for line in &record.lines {
                let whose = match &record.storyline {
                    Some(storyline) => Whose::Story(storyline.clone()),
                    None if line.kind == Kind::Trial => Whose::Trials,
                    None => Whose::Gone,
                };
                by_whom.entry(whose).or_default().push((record.day == today, line));
            }
        }
        let sums = |lines: &[(bool, &Spent)]| OfAll {
            today: lines.iter().filter(|(is_today, _)| *is_today).map(|(_, line)| *line).collect(),
            whole: lines.iter().map(|(_, line)| *line).collect(),
        };
        let all: Vec<_> = by_whom.values().flatten().copied().collect();
        Ok((by_whom.iter().map(|(whose, lines)| (whose.clone(), sums(lines))).collect(), sums(&all)))
    }

    /// How the budgets stand that bound a story.
    ///
    /// # Errors
    /// The store failed.
    pub async fn standings(&self, storyline: &Storyline) -> Stored<Vec<Standing>> {
        budget::standings(&self.ports, storyline).await
    }

    /// Lets the next run of this kind pass whatever the budgets say.
    pub fn let_run(&self, storyline: &StorylineId, kind: Kind) {
        self.ports.till.let_run(storyline, kind);
    }

    /// Pays for a connection that was tried.
    ///
    /// # Errors
    /// The store failed; it is written the next time.
    pub async fn pay_trial(&self, connection: &Connection, usage: Usage) -> Stored<()> {
        let purpose = Purpose { kind: Kind::Trial, ..Purpose::default() };
        self.ports.till.pay(today(&self.ports), &purpose, Spent::call(Kind::Trial, connection, usage, false));
        self.booked().await
    }
}
