//! What calls of models have cost: one record for each day and story, with a line for each kind of call and model. What is
//! spent stays spent, so it hangs on no turn: replies that are swiped away and turns that are deleted have cost the same.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    Extra, Millis,
    connection::Connection,
    generation::{Generation, Usage},
    ids::{SessionId, StorylineId},
    price::Nanos,
};
use crate::store::record;

/// A day of the reader's calendar: days since 1970-01-01 there.
pub type Day = u32;

/// The day of a time, given the minutes by which the reader's clock is ahead of UTC.
pub fn day(at: Millis, utc_offset: i32) -> Day {
    let minutes = (at / 60_000) as i64 + i64::from(utc_offset);
    (minutes.max(0) / (24 * 60)) as Day
}

/// What a call is made for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A reply.
    #[default]
    Chat,
    Planner,
    Scribe,
    Summary,
    /// A character sheet, or a plot summary.
    Sheet,
    /// A new evolved persona.
    Persona,
    /// Other words for a search.
    Search,
    Embedding,
    /// A character grew.
    Cradle,
    /// A character posted in the circle, or looked at a post.
    Circle,
    /// A connection was tried.
    Trial,
}

impl Kind {
    pub const ALL: [Self; 11] = [
        Self::Chat,
        Self::Planner,
        Self::Scribe,
        Self::Summary,
        Self::Sheet,
        Self::Persona,
        Self::Search,
        Self::Embedding,
        Self::Cradle,
        Self::Circle,
        Self::Trial,
    ];

    /// As it is stored.
    pub fn name(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Planner => "planner",
            Self::Scribe => "scribe",
            Self::Summary => "summary",
            Self::Sheet => "sheet",
            Self::Persona => "persona",
            Self::Search => "search",
            Self::Embedding => "embedding",
            Self::Cradle => "cradle",
            Self::Circle => "circle",
            Self::Trial => "trial",
        }
    }
}

/// What calls of one kind to one model have cost.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Spent {
    pub kind: Kind,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    pub model: String,
    pub calls: u32,
    /// Of them, those whose tokens are estimated.
    #[serde(skip_serializing_if = "is_none")]
    pub estimated: u32,
    pub prompt: u64,
    pub completion: u64,
    /// Of the prompts.
    #[serde(skip_serializing_if = "is_nothing")]
    pub cached: u64,
    /// By the price of the time; `None`: nobody has said one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub money: Option<Money>,
}

/// A sum in a currency of that name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Money {
    pub nanos: Nanos,
    pub currency: String,
}

fn is_none(count: &u32) -> bool {
    *count == 0
}

fn is_nothing(count: &u64) -> bool {
    *count == 0
}

impl Spent {
    /// One call, at the connection's price of now.
    pub fn call(kind: Kind, connection: &Connection, usage: Usage, is_estimated: bool) -> Self {
        let price = connection.price();
        let money = price.map(|price| Money { nanos: price.of(usage), currency: price.currency.clone() });
        Self {
            kind,
            session: None,
            model: connection.model.clone(),
            calls: 1,
            estimated: is_estimated.into(),
            prompt: usage.prompt_tokens.into(),
            completion: usage.completion_tokens.into(),
            cached: usage.cached_tokens.unwrap_or(0).into(),
            money,
        }
    }

    fn is_beside(&self, other: &Self) -> bool {
        let currency = |spent: &Self| spent.money.as_ref().map(|money| money.currency.clone());
        (self.kind, &self.session, &self.model, currency(self))
            == (other.kind, &other.session, &other.model, currency(other))
    }

    fn take_in(&mut self, more: &Self) {
        self.calls = self.calls.saturating_add(more.calls);
        self.estimated = self.estimated.saturating_add(more.estimated);
        for (sum, more) in
            [(&mut self.prompt, more.prompt), (&mut self.completion, more.completion), (&mut self.cached, more.cached)]
        {
            *sum = sum.saturating_add(more);
        }
        if let (Some(sum), Some(more)) = (&mut self.money, &more.money) {
            sum.nanos = sum.nanos.saturating_add(more.nanos);
        }
    }
}

/// Adds to lines: to that of the same kind, session, model and currency, where there is one.
pub fn add(lines: &mut Vec<Spent>, more: &Spent) {
    match lines.iter_mut().find(|line| line.is_beside(more)) {
        Some(line) => line.take_in(more),
        None => lines.push(more.clone()),
    }
}

/// What one story has cost on one day.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Spending {
    pub id: String,
    pub day: Day,
    /// `None`: of a connection that was tried, or of a story that is deleted for ever.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub storyline: Option<StorylineId>,
    pub lines: Vec<Spent>,
    #[serde(flatten)]
    pub extra: Extra,
}
record!(Spending, Spending);

impl Spending {
    pub fn id(day: Day, storyline: Option<&StorylineId>) -> String {
        match storyline {
            Some(storyline) => format!("{day} {storyline}"),
            None => day.to_string(),
        }
    }
}

/// A sum over lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Total {
    pub calls: u64,
    /// Some of its tokens are estimated.
    pub is_estimated: bool,
    pub prompt: u64,
    pub completion: u64,
    pub cached: u64,
    /// By currency.
    pub money: BTreeMap<String, Nanos>,
}

impl Total {
    pub fn tokens(&self) -> u64 {
        self.prompt.saturating_add(self.completion)
    }

    pub fn is_empty(&self) -> bool {
        self.calls == 0
    }

    fn take_in(&mut self, line: &Spent) {
        self.calls = self.calls.saturating_add(line.calls.into());
        self.is_estimated |= line.estimated > 0;
        self.prompt = self.prompt.saturating_add(line.prompt);
        self.completion = self.completion.saturating_add(line.completion);
        self.cached = self.cached.saturating_add(line.cached);
        if let Some(money) = &line.money {
            let sum = self.money.entry(money.currency.clone()).or_default();
            *sum = sum.saturating_add(money.nanos);
        }
    }
}

impl<'a> FromIterator<&'a Spent> for Total {
    fn from_iter<I: IntoIterator<Item = &'a Spent>>(lines: I) -> Self {
        let mut total = Self::default();
        lines.into_iter().for_each(|line| total.take_in(line));
        total
    }
}

const SPENT: &str = "spent";

impl Generation {
    /// What was spent on this reply, by kind of call: all calls of its turn, and what was noted of it.
    pub fn spent(&self) -> Vec<Spent> {
        self.list(SPENT)
    }

    pub fn forget_spent(&mut self) {
        self.set_list::<Spent>(SPENT, &[]);
    }

    pub fn add_spent(&mut self, more: &[Spent]) {
        let mut lines = self.spent();
        for more in more {
            add(&mut lines, &Spent { session: None, ..more.clone() });
        }
        self.set_list(SPENT, &lines);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::story::price::Price;

    #[test]
    fn a_day_is_the_reader_s() {
        for (at, offset, expected) in [
            (0, 0, 0),
            (86_399_999, 0, 0),
            (86_400_000, 0, 1),
            (86_399_999, 480, 1),
            (86_400_000 + 3 * 3_600_000, -240, 0),
            (0, -600, 0),
        ] {
            assert_eq!(day(at, offset), expected, "{at} at {offset}");
        }
    }

    #[test]
    fn without_a_price_there_is_no_money() {
        let mut connection = Connection { model: "m".into(), ..Connection::default() };
        let usage = Usage { prompt_tokens: 1_000_000, ..Usage::default() };
        assert_eq!(Spent::call(Kind::Chat, &connection, usage, false).money, None);
        connection.set_price(Some(Price { input: 2_000_000, currency: "¥".into(), ..Price::default() }));
        let spent = Spent::call(Kind::Chat, &connection, usage, true);
        assert_eq!(spent.money, Some(Money { nanos: 2_000_000_000, currency: "¥".into() }));
        assert_eq!((spent.calls, spent.estimated), (1, 1));
        connection.model = "another".into();
        assert_eq!(Spent::call(Kind::Chat, &connection, usage, false).money, None, "a price is one model's");
    }

    #[test]
    fn a_reply_knows_what_was_spent_on_it() {
        let mut reply = Generation::default();
        let spent = |kind, prompt| Spent { kind, prompt, calls: 1, session: Some("s".into()), ..Spent::default() };
        reply.add_spent(&[spent(Kind::Chat, 5), spent(Kind::Planner, 3)]);
        reply.add_spent(&[spent(Kind::Chat, 2)]);
        let prompts: Vec<_> = reply.spent().iter().map(|line| (line.kind, line.prompt, line.calls)).collect();
        assert_eq!(prompts, [(Kind::Chat, 7, 2), (Kind::Planner, 3, 1)]);
    }

    fn line() -> impl Strategy<Value = Spent> {
        let money = proptest::option::of((0u64..1 << 50, "[a-b]"));
        (0usize..8, 0u8..3, "[m-n]", 0u64..1 << 40, 0u64..1 << 40, money, 0u32..2).prop_map(
            |(kind, session, model, prompt, completion, money, estimated)| Spent {
                kind: Kind::ALL[kind],
                session: (session > 0).then(|| session.to_string().into()),
                model,
                calls: 1,
                estimated,
                prompt,
                completion,
                cached: prompt / 2,
                money: money.map(|(nanos, currency)| Money { nanos, currency }),
            },
        )
    }

    proptest! {
        /// However lines are added and grouped, the sums are the same.
        #[test]
        fn sums_over_kinds_are_the_total(lines in proptest::collection::vec(line(), 0..40), turn in 0usize..40) {
            let mut sums = Vec::new();
            lines.iter().for_each(|line| add(&mut sums, line));
            let total: Total = lines.iter().collect();
            prop_assert_eq!(&total, &sums.iter().collect());
            let mut turned = lines.clone();
            turned.rotate_left(turn.min(lines.len()));
            turned.reverse();
            let mut other = Vec::new();
            turned.iter().for_each(|line| add(&mut other, line));
            prop_assert_eq!(&total, &other.iter().collect());
            prop_assert_eq!(other.len(), sums.len());
            let by_kind = Kind::ALL.map(|kind| sums.iter().filter(|line| line.kind == kind).collect::<Total>());
            prop_assert_eq!(by_kind.iter().map(|sum| sum.prompt).sum::<u64>(), total.prompt);
            prop_assert_eq!(by_kind.iter().map(Total::tokens).sum::<u64>(), total.tokens());
            for (currency, sum) in &total.money {
                prop_assert_eq!(by_kind.iter().filter_map(|kind| kind.money.get(currency)).sum::<u64>(), *sum);
            }
        }
    }
}
