//! What was spent, as it is shown; how budgets stand; what is let run past them.

use std::collections::BTreeMap;

use serde_json::json;

use super::{Desk, Stored};
use crate::{
    store::{Query, Table},
    story::{
        budget::{Standing, Use},
        connection::Connection,
        generation::Usage,
        ids::StorylineId,
        settings::Preferences,
        spending::{Kind, Spending, Spent, Total},
        storyline::Storyline,
    },
    turn::{
        budget::{self, today},
        tried,
    },
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
    /// What characters cost that grow.
    Cradle,
    Circle,
}

/// Under this name the preferences keep which budgets were said to be nearly used.
const SAID: &str = "budgets_said";

fn said(preferences: &Preferences) -> Vec<String> {
    let said = preferences.extra.get(SAID).cloned().unwrap_or_default();
    serde_json::from_value(said).unwrap_or_default()
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
                    None if line.kind == Kind::Cradle => Whose::Cradle,
                    None if line.kind == Kind::Circle => Whose::Circle,
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

    /// A budget that is nearly used, where that is to be said of it: once a day and story, in whatever tab.
    ///
    /// # Errors
    /// The store failed; it is said the next time.
    pub async fn nearly_used(&self, storyline: &Storyline) -> Stored<Option<Standing>> {
        let standings = self.standings(storyline).await?;
        let today = format!("{} ", today(&self.ports));
        for near in standings.into_iter().filter(|standing| standing.is() == Use::Near) {
            let this = format!("{today}{} {:?} {:?}", storyline.id, near.bounds, near.budget);
            let preferences = self.ports.store.load::<Preferences>(Preferences::ID).await?.unwrap_or_default();
            if said(&preferences).contains(&this) {
                continue;
            }
            let say = |preferences: &mut Preferences| {
                let mut all = said(preferences);
                all.retain(|one| one.starts_with(&today));
                all.push(this);
                preferences.extra.insert(SAID.to_owned(), json!(all));
            };
            self.prefer(say).await?;
            return Ok(Some(near));
        }
        Ok(None)
    }

    /// Lets the next run of this kind pass whatever the budgets say.
    pub fn let_run(&self, storyline: &StorylineId, kind: Kind) {
        self.ports.till.let_run(storyline, kind);
    }

    /// Pays for a connection that was tried: by the provider's count, and where it has none by what was asked and said.
    ///
    /// # Errors
    /// The store failed; it is written the next time.
    pub async fn pay_trial(&self, connection: &Connection, told: Usage, asked: &str, said: &str) -> Stored<()> {
        tried(&self.ports, connection, told, asked, said);
        self.booked().await
    }
}
