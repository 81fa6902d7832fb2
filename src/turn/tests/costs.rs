//! What calls cost, however they end; and budgets, which warn and then ask.

use serde_json::json;

use super::{features::directed, *};
use crate::{
    features::{planner::PlannerSettings, scribe::ScribeSettings},
    store::{Doc, Stored},
    story::{
        budget::{Bounds, Budget, Use},
        price::Price,
        settings::Preferences,
        spending::{Kind, Spending, Spent, Total},
    },
    turn::{SummariseError, bin, budget, embed, scribe::Miss},
};

/// As OpenAI's protocol tells usage: after the text, before the end.
fn usage(answer: Answer, prompt: u32, completion: u32, cached: u32) -> Answer {
    let usage = json!({ "prompt_tokens": prompt, "completion_tokens": completion,
        "prompt_tokens_details": { "cached_tokens": cached } });
    let chunk = format!("data: {}\n\n", json!({ "choices": [], "usage": usage }));
    let mut steps = answer.steps;
    steps.insert(steps.len().saturating_sub(1), Step::Bytes(chunk.into_bytes()));
    Answer { steps, ..answer }
}

impl Play {
    /// A dollar for a million tokens asked with, a tenth of it out of the cache, two for a million answered.
    fn priced(self) -> Self {
        let price = Price { input: 1_000_000, output: 2_000_000, cached: Some(100_000), ..Price::default() };
        let price_all = |all: &mut Connections| all.list.iter_mut().for_each(|one| one.set_price(Some(price.clone())));
        block_on(self.sim.ports.store.change(Connections::ID, price_all)).unwrap();
        self
    }

    fn with(self, change: impl FnOnce(&mut Storyline)) -> Self {
        let mut story = self.storyline();
        change(&mut story);
        block_on(self.sim.ports.store.save(&story)).unwrap();
        self
    }

    fn ledger(&self) -> Vec<Spending> {
        block_on(self.sim.ports.till.book(&*self.sim.ports.store)).unwrap();
        block_on(self.sim.ports.store.list::<Spending>(Query::all(Table::Spending))).unwrap()
    }

    pub(super) fn total(&self) -> Total {
        budget::total(&self.ledger())
    }

    /// Kind, calls, and whether they are estimated, of each line.
    fn kinds(&self) -> Vec<(Kind, u32, bool)> {
        let mut kinds: Vec<_> = self.ledger().iter().flat_map(|record| &record.lines).map(told).collect();
        kinds.sort();
        kinds
    }

    fn day_budget(&self, budget: Option<Budget>) {
        let prefer = |preferences: &mut Preferences| preferences.budget = budget;
        block_on(self.sim.ports.store.change(Preferences::ID, prefer)).unwrap();
    }

    fn standing(&self, bounds: Bounds) -> Option<Use> {
        let standings = block_on(budget::standings(&self.sim.ports, &self.storyline())).unwrap();
        standings.into_iter().find(|standing| standing.bounds == bounds).map(|standing| standing.is())
    }
}

fn told(line: &Spent) -> (Kind, u32, bool) {
    (line.kind, line.calls, line.estimated > 0)
}

#[test]
fn a_turn_is_paid_by_kind_and_what_is_spent_stays_spent() {
    let answers = [
        usage(Answer::text(["先让他犹豫。"]), 900, 20, 0),
        usage(Answer::text(["他看着门。"]), 1_000, 50, 800),
        usage(Answer::text(["先不。"]), 900, 10, 0),
        usage(Answer::text(["他走了。"]), 1_000, 30, 1_000),
    ];
    let play = play(answers).priced().with(|story| {
        story.features.set(&PlannerSettings { enabled: true, ..Default::default() });
    });
    let reply = play.say("走吗？");
    let spent: Vec<_> =
        reply.spent().iter().map(|line| (line.kind, line.prompt, line.cached, line.money.clone())).collect();
    let usd = |nanos| Some(crate::story::spending::Money { nanos, currency: "USD".into() });
    assert_eq!(spent, [(Kind::Planner, 900, 0, usd(940_000)), (Kind::Chat, 1_000, 800, usd(380_000))]);
    assert_eq!(reply.usage.unwrap().cached_tokens, Some(800));

    play.ask(Ask::Again(reply.turn.clone())).unwrap();
    let total = play.total();
    assert_eq!((total.calls, total.prompt, total.completion, total.cached), (4, 3_800, 110, 1_800));
    assert_eq!((total.money["USD"], total.is_estimated), (940_000 + 380_000 + 920_000 + 160_000, false));
    let [record] = &play.ledger()[..] else { panic!("one record for a story and a day") };
    assert_eq!(record.lines.len(), 2, "one line for a kind");
    assert_eq!(record.lines[0].session, Some(play.storyline().current_session));

    // A later price changes nothing that was paid.
    let dearer = |all: &mut Connections| all.list[0].set_price(Some(Price { input: 9, ..Price::default() }));
    block_on(play.sim.ports.store.change(Connections::ID, dearer)).unwrap();
    assert_eq!(play.total(), total);
    block_on(bin::delete_storyline(&*play.sim.ports.store, &play.story.id)).unwrap();
    let [record] = &play.ledger()[..] else { panic!("the day's sum stays") };
    assert_eq!((play.total(), &record.storyline), (total, &None));
    assert_eq!(block_on(budget::of_day(&*play.sim.ports.store, budget::today(&play.sim.ports))).unwrap().len(), 1);
    assert_eq!(block_on(budget::of_story(&*play.sim.ports.store, &play.story.id)).unwrap(), []);
}

/// What the provider does not count is estimated, and said to be; a refusal costs nothing.
#[test]
fn a_call_is_paid_however_it_ends() {
    let counted = |pieces: &[&str]| Answer::unfinished(pieces.iter().copied()).counting(500);
    let overloaded = || Step::Bytes(b"data: {\"error\":{\"message\":\"overloaded\",\"code\":503}}\n\n".to_vec());
    for (name, answer, expected) in [
        ("whole, counted", usage(Answer::text(["好。"]), 500, 3, 0), Some((500..501, 3..4, false))),
        ("whole, not counted", Answer::text(["好。好。好。好。"]), Some((100..500, 5..12, true))),
        ("broken off, the prompt counted", counted(&["好。好。", "好。好。"]), Some((500..501, 5..12, true))),
        ("stalled", Answer::unfinished(["半句"]).then(Step::Wait(70_000)), Some((100..500, 1..4, true))),
        ("silent", Answer::unfinished([]).then(Step::Wait(70_000)), Some((100..500, 0..1, true))),
        (
            "lost before a word",
            Answer::unfinished([]).then(Step::Fault(Fault::new(FaultKind::ConnectionLost, ""))),
            Some((100..500, 0..1, true)),
        ),
        ("refused", Answer::error(500, "oops"), None),
        ("refused in a stream", Answer { steps: vec![overloaded()], ..Answer::text([]) }, None),
        ("refused midway", Answer::unfinished(["半句"]).then(overloaded()), Some((100..500, 1..4, true))),
        ("no protocol", Answer { steps: vec![Step::Bytes(b"<p>hi".to_vec())], ..Answer::text([]) }, None),
    ] {
        let play = play([answer]).priced();
        let reply = play.say("走吧");
        let total = play.total();
        let Some((prompt, completion, is_estimated)) = expected else {
            assert!(total.is_empty() && reply.spent().is_empty(), "{name}: {total:?}");
            continue;
        };
        assert!(prompt.contains(&total.prompt) && completion.contains(&total.completion), "{name}: {total:?}");
        assert_eq!((total.calls, total.is_estimated), (1, is_estimated), "{name}");
        assert_eq!(total, reply.spent().iter().collect(), "{name}: the turn's account says the same");
        assert_eq!(total.money["USD"], total.prompt * 1_000 + total.completion * 2_000, "{name}");
    }
}

/// What the page had no time to count, because it was closed, is estimated when its reply is found.
#[test]
fn a_reply_that_was_left_open_is_paid_once() {
    let play = play([Answer::unfinished(["他看着门。", "门开了。"]).then(Step::Wait(50_000))]).priced();
    let show = |shown: Shown| {
        if matches!(&shown, Shown::Reply(reply) if reply.text.ends_with("门开了。")) {
            play.sim.tabs.lose();
        }
    };
    let playing = play.conductor.play(&play.story.id, Ask::New("看".into()), Stop::never(), &show);
    assert_eq!(block_on(playing).unwrap_err().kind, FaultKind::TakenOver);
    // It ended with its tab: what that had at hand is gone.
    let next = crate::ports::Ports { till: Rc::default(), ..play.sim.ports.clone() };
    assert_eq!(block_on(recover::close_unfinished(&next, &play.story.id)).unwrap(), 1);
    assert_eq!(block_on(recover::close_unfinished(&next, &play.story.id)).unwrap(), 0);
    let ledger = block_on(play.sim.ports.store.list::<Spending>(Query::all(Table::Spending))).unwrap();
    let total = budget::total(&ledger);
    assert!(total.calls == 1 && total.is_estimated && total.completion > 4, "{total:?}");
    assert_eq!(total, play.nodes()[1].reply().unwrap().spent().iter().collect());
}

#[test]
fn the_scribe_and_the_summary_are_paid_too() {
    let note = json!({ "current_state": { "emotions": [{ "content": "累", "context": "" }] } }).to_string();
    let summary = json!({ "summary": "他回来了。", "points": [] }).to_string();
    let answers = [
        usage(Answer::text(["他推开门。"]), 100, 10, 0),
        usage(Answer::text([note.as_str()]), 300, 40, 0),
        usage(Answer::text([summary.as_str()]), 200, 20, 0),
    ];
    let play = directed(answers).priced().with(|story| {
        story.features.set(&ScribeSettings { enabled: true, ..Default::default() });
    });
    play.say("我回来了。");
    assert_eq!(block_on(play.conductor.scribe(&play.story.id, false, Stop::never())), Ok(true));
    let reply = play.nodes()[1].reply().unwrap().clone();
    let kinds: Vec<_> = reply.spent().iter().map(told).collect();
    assert_eq!(kinds, [(Kind::Chat, 1, false), (Kind::Scribe, 1, false)]);
    block_on(play.conductor.summarise(&play.story.id, Stop::never(), &|_| {})).unwrap();
    assert_eq!(play.kinds(), [(Kind::Chat, 1, false), (Kind::Scribe, 1, false), (Kind::Summary, 1, false)]);
    assert_eq!(play.total().tokens(), 670);
}

#[test]
fn a_budget_warns_then_asks_and_nothing_is_lost() {
    let answers = || (0..3).map(|_| usage(Answer::text(["好。"]), 800, 0, 0));
    for bounds in [Bounds::Day, Bounds::Story] {
        let play = play(answers()).priced();
        let bound = |budget: Option<Budget>| match bounds {
            Bounds::Day => play.day_budget(budget),
            Bounds::Story => {
                let mut story = play.storyline();
                story.budget = budget;
                block_on(play.sim.ports.store.save(&story)).unwrap();
            }
        };
        let dollars = |nanos| Some(Budget::Money { nanos, currency: "USD".into() });
        bound(dollars(1_000_000));
        assert_eq!(play.standing(bounds), Some(Use::Free));
        play.say("一");
        assert_eq!(play.standing(bounds), Some(Use::Near), "800,000 of 1,000,000");
        play.say("二");
        assert_eq!(play.standing(bounds), Some(Use::Up));
        // It asks before anything is written or sent.
        let before = play.path();
        assert_eq!(play.ask(Ask::New("三".into())).unwrap_err().kind, FaultKind::OverBudget);
        assert_eq!((play.path(), play.sim.llm.requests().len()), (before, 2));
        // Let run once, it runs once.
        play.sim.ports.till.let_run(&play.story.id, Kind::Chat);
        assert_eq!(play.say("三").status, Status::Done);
        assert_eq!(play.ask(Ask::New("四".into())).unwrap_err().kind, FaultKind::OverBudget);
        play.sim.llm.replace(answers());
        bound(dollars(5_000_000));
        assert_eq!(play.say("四").status, Status::Done);
        bound(Some(Budget::Tokens(1)));
        assert_eq!(play.ask(Ask::New("五".into())).unwrap_err().kind, FaultKind::OverBudget);
        bound(None);
        assert_eq!((play.say("五").status, play.standing(bounds)), (Status::Done, None));
    }
}

/// What is done in the background waits and says so, and can be let run.
#[test]
fn what_comes_behind_a_turn_waits_for_the_budget() {
    let play = directed([Answer::text(["他推开门。"])]).with(|story| {
        story.features.set(&ScribeSettings { enabled: true, ..Default::default() });
    });
    play.say("我回来了。");
    play.day_budget(Some(Budget::Tokens(1)));
    let embeds =
        Preferences { embedding_connection: Some("c".into()), budget: Some(Budget::Tokens(1)), ..Default::default() };
    block_on(play.sim.ports.store.save(&embeds)).unwrap();
    let is_over = |fault: Option<&Fault>| fault.is_some_and(|fault| fault.kind == FaultKind::OverBudget);

    let scribe = |asked| block_on(play.conductor.scribe(&play.story.id, asked, Stop::never()));
    assert!(is_over(scribe(false).unwrap_err().fault()));
    let noted = play.nodes()[1].reply().unwrap().notices();
    assert!(
        matches!(&noted[..], [notice] if matches!(&notice.cause, Cause::NotNoted { fault, .. } if is_over(fault.as_ref()))),
        "{noted:?}"
    );
    let summarise = || block_on(play.conductor.summarise(&play.story.id, Stop::never(), &|_| {}));
    assert!(is_over(summarise().as_ref().unwrap_err().fault()));
    let embed = || block_on(embed::embed_due(&play.sim.ports, &play.story.id, &|| false, &|_| {}));
    assert!(is_over(embed().as_ref().err()));
    assert_eq!(play.sim.llm.requests().len(), 1, "nobody was asked");

    play.sim.llm.replace([Answer::text(["{}"]), Answer::text(["?"]), Answer::error(500, "oops")]);
    for kind in [Kind::Scribe, Kind::Summary, Kind::Embedding] {
        play.sim.ports.till.let_run(&play.story.id, kind);
    }
    assert_eq!(scribe(true), Ok(true));
    assert_eq!(play.nodes()[1].reply().unwrap().notices(), []);
    assert!(matches!(summarise(), Err(SummariseError::Unusable { .. })));
    assert!(!is_over(embed().as_ref().err()));
    assert!(matches!(scribe(true), Ok(false) | Err(Miss::Fault(_))));
}

#[test]
fn a_demo_costs_nothing() {
    let play = play([usage(Answer::text(["好。"]), 800, 0, 0)]);
    play.day_budget(Some(Budget::Tokens(1)));
    let play = play.with(|story| story.demo = true);
    assert_eq!(play.say("走").status, Status::Done);
    assert!(play.total().is_empty());
}

/// The store may fail for a while: what was paid is written once it works again, once.
#[test]
fn what_cannot_be_written_is_written_later() {
    let play = play([usage(Answer::text(["好。"]), 800, 1, 0), usage(Answer::text(["好。"]), 800, 1, 0)]);
    play.say("一");
    let before: Vec<Doc> = block_on(play.sim.store.query(Query::all(Table::Spending))).unwrap();
    let till = crate::ports::Till::default();
    let purpose = super::super::meter::purpose(Kind::Chat, &play.storyline());
    till.pay(budget::today(&play.sim.ports), &purpose, Spent { calls: 1, prompt: 7, ..Spent::default() });
    play.sim.store.fail(0, "UnknownError");
    let book = || -> Stored<()> { block_on(till.book(&*play.sim.ports.store)) };
    assert!(book().is_err());
    assert_eq!(block_on(play.sim.store.query(Query::all(Table::Spending))).unwrap(), before);
    assert_eq!((book(), book()), (Ok(()), Ok(())));
    assert_eq!(play.total().prompt, 807);
}
