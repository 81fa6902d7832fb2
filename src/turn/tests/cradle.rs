//! The cradle: a week of it, with the page closed in between; what fails, what is stopped, and two who do the same.

use futures_util::join;
use serde_json::{Value, json};

use super::*;
use crate::{
    desk::Desk,
    features::cradle::{Cradle, Kind},
    ports::Ports,
    sim::ports::{MemoryClock, Sim, yield_once},
    story::{
        Extra,
        budget::Budget,
        character::Character,
        ids::CharacterId,
        settings::{Connections, Preferences},
        spending::{Kind as Spends, Spending},
        storyline::Language,
    },
    turn::{
        cradle::{amend, grow, look_ahead, task},
        scribe::{Miss, Progress},
        stream::stopper,
    },
};

const BEGAN: u64 = 1_760_610_600_000;
const DAY: u64 = 86_400_000;

/// What the model says of a piece.
fn says(value: Value) -> Answer {
    Answer::text([value.to_string().as_str()])
}

fn nothing() -> Answer {
    says(json!({"name": "", "first_message": "The stairs creak."}))
}

/// The same at another time, as after a restart.
fn at(sim: &Sim, now: u64) -> Ports {
    Ports { clock: Rc::new(MemoryClock::at(now)), ..sim.ports.clone() }
}

fn character(sim: &Sim, id: &CharacterId) -> Character {
    block_on(sim.ports.store.load::<Character>(id.as_str())).unwrap().unwrap()
}

fn cradle(sim: &Sim, id: &CharacterId) -> Cradle {
    Cradle::of(&character(sim, id)).unwrap()
}

fn grown(ports: &Ports, id: &CharacterId) -> Result<bool, Miss> {
    block_on(grow(ports, id, Stop::never(), &|_| {}))
}

/// A character that was fed a text of so many pieces and has begun.
fn begun(days: u32, pieces: usize, answers: impl IntoIterator<Item = Answer>) -> (Sim, CharacterId) {
    let sim = Sim::new(answers);
    let connections = Connections { list: vec![crate::sim::llm::connection(16_000)], ..Connections::default() };
    block_on(sim.ports.store.save(&connections)).unwrap();
    let desk = Desk::new(sim.ports.clone());
    let id = block_on(desk.lay_in_cradle("Ada", Language::En)).unwrap();
    let text: Vec<String> = (1..=pieces)
        .map(|piece| format!("Chapter {piece}. {}", "The keeper lit the lamp and spoke of the sea. ".repeat(170)))
        .collect();
    assert_eq!(block_on(desk.feed(&id, Kind::Material, "The lamp", &text.join("\n"))), Ok(true));
    assert_eq!(block_on(desk.feed(&id, Kind::Material, "Blank", " \n ")), Ok(false));
    block_on(desk.grow_over(&id, days)).unwrap();
    block_on(amend(&sim.ports, &id, |cradle| cradle.begin(BEGAN))).unwrap();
    assert_eq!(cradle(&sim, &id).feeds[0].pieces as usize, pieces);
    (sim, id)
}

#[test]
fn a_week_with_the_page_closed_in_between() {
    let answers = [
        says(json!({"description": "A keeper of the lamp.", "core_traits": ["patient"]})),
        nothing(),
        says(json!({"knowledge": [{"title": "The lamp", "keys": ["lamp"], "text": "It burns oil."}]})),
        says(
            json!({"first_message": "The stairs creak.", "other_greetings": ["Fog.", "Morning."], "emotions": ["tired"], "goals": ["Light the lamp."]}),
        ),
    ];
    let (sim, id) = begun(7, 3, answers);
    assert_eq!(grown(&at(&sim, BEGAN + DAY), &id), Ok(false), "nothing is due before its time");
    assert_eq!(grown(&at(&sim, BEGAN + 3 * DAY), &id), Ok(true));
    assert_eq!(
        (cradle(&sim, &id).steps.len(), character(&sim, &id).card.description.as_str()),
        (1, "A keeper of the lamp.")
    );
    // Closed for a week: what fell due meanwhile is made up for, in order, each once.
    assert_eq!(grown(&at(&sim, BEGAN + 10 * DAY), &id), Ok(true));
    assert_eq!(grown(&at(&sim, BEGAN + 90 * DAY), &id), Ok(false));
    let full = character(&sim, &id);
    assert_eq!((full.card.first_mes.as_str(), full.card.alternate_greetings.len()), ("The stairs creak.", 2));
    assert_eq!(full.initial_profile.current_state.emotions, [json!("tired")]);
    assert_eq!(full.card.character_book.unwrap()["entries"][0]["content"], "It burns oil.");
    let requests = sim.llm.requests();
    let read = |nth: usize| requests[nth].body.clone().unwrap_or_default();
    assert_eq!(requests.len(), 4);
    for nth in 0..3 {
        assert!(
            read(nth).contains(&format!("Chapter {}.", nth + 1))
                && !read(nth).contains(&format!("Chapter {}.", nth + 2))
        );
    }
    assert!(read(1).contains("A keeper of the lamp.") && read(3).contains("The lamp"));
    // It cost something, and that is said.
    let spent = block_on(sim.ports.store.list::<Spending>(Query::all(Table::Spending))).unwrap();
    assert!(spent.iter().flat_map(|record| &record.lines).all(|line| line.kind == Spends::Cradle));
    assert_eq!(spent.iter().flat_map(|record| &record.lines).map(|line| line.calls).sum::<u32>(), 4);
}

#[test]
fn what_fails_stays_due_and_what_is_done_stays_done() {
    let answers = [nothing(), Answer::error(429, "{}"), prose("I would rather not."), nothing(), nothing()];
    let (sim, id) = begun(0, 2, answers);
    let now = at(&sim, BEGAN + 1);
    let failed = |outcome: Result<bool, Miss>| outcome.unwrap_err().fault().map(|fault| fault.kind);
    assert_eq!(failed(grown(&now, &id)), Some(FaultKind::RateLimited));
    let kept = cradle(&sim, &id);
    assert_eq!((kept.steps.len(), kept.missed.unwrap().fault.unwrap().kind), (1, FaultKind::RateLimited));
    assert_eq!(failed(grown(&now, &id)), None, "an answer that is none");
    assert_eq!(cradle(&sim, &id).missed.unwrap().fault, None);
    assert_eq!(grown(&now, &id), Ok(true));
    let kept = cradle(&sim, &id);
    assert_eq!((kept.is_ripe(), kept.missed, kept.steps.len()), (true, None, 3));
}

/// What was fed on another device is not lost while it is on its way; on a device that is alone it is.
#[test]
fn a_text_on_another_device_is_waited_for() {
    for several in [true, false] {
        let (sim, id) = begun(0, 2, [nothing(), nothing(), nothing()]);
        let now = at(&sim, BEGAN + 1);
        let blob = cradle(&sim, &id).feeds[0].blob.clone();
        let text = sim.store.peek(Table::Blobs, blob.as_str()).unwrap();
        block_on(sim.ports.store.commit(Batch::new().delete(Table::Blobs, blob.as_str()))).unwrap();
        if several {
            block_on(crate::sync::begin(&sim.ports)).unwrap();
            let miss = grown(&now, &id).unwrap_err();
            assert_eq!(miss.fault().map(|fault| fault.kind), Some(FaultKind::Elsewhere));
            assert_eq!((cradle(&sim, &id).steps.len(), cradle(&sim, &id).missed), (0, None), "told to nobody");
            let ops = vec![crate::store::Op::Put(Table::Blobs, text)];
            block_on(sim.ports.store.commit(Batch { ops, ..Batch::new() })).unwrap();
        }
        assert_eq!(grown(&now, &id), Ok(true));
        assert_eq!((cradle(&sim, &id).steps.len(), sim.llm.requests().len()), (3, if several { 3 } else { 1 }));
    }
}

fn prose(text: &str) -> Answer {
    Answer::text([text])
}

#[test]
fn two_who_do_the_same_do_it_once() {
    // Either of them may come to ask for either.
    let any = |text: &str| says(json!({"description": text, "first_message": "The stairs creak."}));
    let (sim, id) = begun(0, 1, ["One.", "Other.", "One.", "Other."].map(any));
    // A store that takes its time: both have read what is due before either has entered it.
    let now = at(&sim, BEGAN + 1);
    let now = Ports { store: Rc::new(crate::sim::slow::Slow(now.store.clone())), ..now };
    let quiet = |_: Progress| {};
    let both = async { join!(grow(&now, &id, Stop::never(), &quiet), grow(&now, &id, Stop::never(), &quiet)) };
    let (one, other) = block_on(both);
    assert!(one.is_ok() && other.is_ok());
    let kept = cradle(&sim, &id);
    assert_eq!(kept.steps.len(), 2, "{:?}", kept.steps);
    assert!(kept.is_ripe());
    assert!(sim.llm.requests().len() > 2, "both were at it, and one of each two is entered");
}

#[test]
fn it_is_stopped_and_bound_by_the_day() {
    let slow = Answer::unfinished(["{"]).then(Step::Wait(60_000));
    let (sim, id) = begun(0, 1, [slow]);
    let now = at(&sim, BEGAN + 1);
    let (mut stopper, stop) = stopper();
    let stopping = async {
        yield_once().await;
        stopper.stop(FaultKind::Stopped);
    };
    let quiet = |_: Progress| {};
    let (outcome, ()) = block_on(async { join!(grow(&now, &id, stop, &quiet), stopping) });
    assert_eq!(outcome.unwrap_err().fault().unwrap().kind, FaultKind::Stopped);
    assert_eq!((cradle(&sim, &id).missed, cradle(&sim, &id).steps.len()), (None, 0));

    let budget = Budget::Tokens(1);
    block_on(
        sim.ports.store.change(Preferences::ID, |preferences: &mut Preferences| preferences.budget = Some(budget)),
    )
    .unwrap();
    let requests = sim.llm.requests().len();
    assert_eq!(grown(&sim.ports, &id).unwrap_err().fault().unwrap().kind, FaultKind::OverBudget);
    assert_eq!(sim.llm.requests().len(), requests, "nothing is asked");
}

#[test]
fn what_it_will_take() {
    let (sim, id) = begun(7, 3, [nothing(), nothing(), nothing(), nothing()]);
    let reckoned = block_on(task(&sim.ports, &character(&sim, &id))).unwrap();
    assert_eq!(reckoned.calls, 4);
    assert_eq!(grown(&at(&sim, BEGAN + 9 * DAY), &id), Ok(true));
    let requests: u32 = sim
        .llm
        .requests()
        .iter()
        .map(|request| crate::prompt::tokens::estimate(request.body.as_deref().unwrap_or_default()))
        .sum();
    let off = f64::from(reckoned.prompt_tokens) / f64::from(requests);
    assert!((0.6..1.4).contains(&off), "{} reckoned, {requests} sent", reckoned.prompt_tokens);
    assert_eq!(block_on(task(&sim.ports, &character(&sim, &id))).unwrap().calls, 0);
}

/// It rests in the library like any other: bin, archive and card take it as such.
#[test]
fn what_it_was_fed_goes_with_it_and_a_card_has_none_of_it() {
    let (sim, id) = begun(7, 1, []);
    let character = character(&sim, &id);
    let named: Vec<_> = Table::Characters
        .ids_in(crate::store::Of::Part(crate::store::Part::Blobs), &serde_json::to_value(&character).unwrap())
        .into_iter()
        .map(str::to_owned)
        .collect();
    assert_eq!(named, [cradle(&sim, &id).feeds[0].blob.0.clone()]);
    use crate::exchange::character as card;
    let packed = card::pack(&character, None, &[], card::Form::V3, &[]);
    assert!(!String::from_utf8_lossy(&packed).contains("cradle"));
    let hostile = json!({"spec": "chara_card_v3", "spec_version": "3.0", "data": {"name": "Eve", "extensions": {"fabula": {"version": 1, "extra": {"cradle": character.extra["cradle"], "own": 1}}}}});
    let (read, _) = card::open(hostile.to_string().into_bytes()).unwrap();
    assert_eq!(read.character.extra.keys().collect::<Vec<_>>(), ["own"], "a file sets nothing to work");
}

/// The next step is looked at before its time: it waits, is let in when it is due without another call, or at once, or is left
/// out; what somebody has changed meanwhile is asked for anew.
#[test]
fn the_next_step_is_looked_at_ahead() {
    let look = |sim: &Sim, id| block_on(look_ahead(&sim.ports, id, Stop::never())).unwrap();
    let keeper = || says(json!({"description": "A keeper."}));
    let (sim, id) = begun(6, 3, [keeper(), says(json!({"description": "A keeper who sings."}))]);
    look(&sim, &id);
    let whole =
        block_on(task(&sim.ports, &Character { extra: without_ahead(&sim, &id), ..character(&sim, &id) })).unwrap();
    let left = block_on(task(&sim.ports, &character(&sim, &id))).unwrap();
    assert!(left.calls + 1 == whole.calls && left.prompt_tokens < whole.prompt_tokens, "{left:?} {whole:?}");
    let shown = cradle(&sim, &id).ahead.unwrap();
    assert_eq!((shown.step.changes[0].after.as_str(), shown.step.piece.as_ref().unwrap().number), ("A keeper.", 0));
    assert_eq!(character(&sim, &id).card.description, "", "it is only looked at");
    // When it is due it is let in, and nobody is asked again.
    assert_eq!(grown(&at(&sim, BEGAN + 2 * DAY), &id), Ok(true));
    assert_eq!((character(&sim, &id).card.description.as_str(), sim.llm.requests().len()), ("A keeper.", 1));
    assert_eq!(cradle(&sim, &id).ahead, None);

    // Let in at once, though it rests; the rest keep their time.
    look(&sim, &id);
    let desk = Desk::new(sim.ports.clone());
    block_on(amend(&sim.ports, &id, |cradle| cradle.pause(BEGAN + 2 * DAY))).unwrap();
    let of = |sim: &Sim| cradle(sim, &id).ahead.map_or(0, |ahead| ahead.step.at);
    block_on(desk.let_in_ahead(&id, of(&sim) + 1)).unwrap();
    assert_eq!(cradle(&sim, &id).steps.len(), 1, "it is not what was shown");
    let shown = of(&sim);
    block_on(desk.let_in_ahead(&id, shown)).unwrap();
    assert_eq!(character(&sim, &id).card.description, "A keeper who sings.");
    assert_eq!((cradle(&sim, &id).steps.len(), cradle(&sim, &id).ahead), (2, None));
    block_on(desk.let_in_ahead(&id, shown)).unwrap();
    assert_eq!(cradle(&sim, &id).steps.len(), 2, "there is nothing more to let in");
    block_on(amend(&sim.ports, &id, |cradle| cradle.go_on(BEGAN + 2 * DAY))).unwrap();
    assert_eq!(cradle(&sim, &id).next().unwrap().0, BEGAN + 6 * DAY);

    // What it was about was changed by hand: it does not hold any more.
    sim.llm.replace([
        says(json!({"description": "A keeper who limps."})),
        says(json!({"description": "Eve, who limps."})),
    ]);
    look(&sim, &id);
    block_on(desk.amend_entry(id.as_str(), |one: &mut Character| one.card.description = "Eve.".into())).unwrap();
    block_on(desk.let_in_ahead(&id, of(&sim))).unwrap();
    assert_eq!(character(&sim, &id).card.description, "Eve.");
    assert_eq!(grown(&at(&sim, BEGAN + 6 * DAY - 1), &id), Ok(false));
    let before = sim.llm.requests().len();
    look(&sim, &id);
    assert_eq!(sim.llm.requests().len(), before + 1);
    // Left out, its piece is not read.
    let shown = of(&sim);
    block_on(amend(&sim.ports, &id, |cradle| cradle.leave_out_ahead(shown))).unwrap();
    let left = cradle(&sim, &id);
    assert_eq!((left.left(), left.ahead, &left.feeds[0].left_out[..]), (vec![], None, &[2][..]));

    // What makes it whole is looked at, too.
    sim.llm.replace([says(json!({"first_message": "The stairs creak."}))]);
    look(&sim, &id);
    assert!(cradle(&sim, &id).ahead.unwrap().step.piece.is_none() && !cradle(&sim, &id).is_ripe());
    assert_eq!(grown(&at(&sim, BEGAN + 7 * DAY), &id), Ok(true));
    assert!(cradle(&sim, &id).is_ripe());
    assert_eq!(block_on(look_ahead(&sim.ports, &id, Stop::never())), Ok(()), "nothing comes after that");
}

/// What is kept with a character whose next step nobody has looked at.
fn without_ahead(sim: &Sim, id: &CharacterId) -> Extra {
    let mut character = character(sim, id);
    Cradle { ahead: None, ..cradle(sim, id) }.keep(&mut character);
    character.extra
}

/// What was let in early leaves the rest of the time to the others, and nothing waits for a time that was.
#[test]
fn a_step_let_in_early_holds_up_nothing() {
    let (sim, id) =
        begun(7, 2, [says(json!({"description": "One."})), says(json!({"description": "Two."})), nothing()]);
    let desk = Desk::new(sim.ports.clone());
    block_on(look_ahead(&sim.ports, &id, Stop::never())).unwrap();
    let shown = cradle(&sim, &id).ahead.unwrap().step.at;
    let early = Desk::new(at(&sim, BEGAN));
    block_on(early.let_in_ahead(&id, shown)).unwrap();
    assert_eq!((cradle(&sim, &id).grown_to, cradle(&sim, &id).next().unwrap().0), (BEGAN, BEGAN + 7 * DAY));
    block_on(desk.grow_over(&id, 0)).unwrap();
    assert_eq!(grown(&at(&sim, BEGAN), &id), Ok(true), "at once is at once");
    assert!(cradle(&sim, &id).is_ripe());
}

/// What was looked at is let in by itself though the tries before it failed, and what is left out holds up nothing.
#[test]
fn a_look_is_an_answer() {
    let bad = || (0..3).map(|_| Answer::text(["No."]));
    let (sim, id) = begun(1, 2, bad().chain([says(json!({"description": "One."}))]));
    let desk = |now| Desk::new(at(&sim, now));
    for day in 1..=3 {
        assert!(grown(&at(&sim, BEGAN + day * DAY), &id).is_err());
    }
    let now = BEGAN + 30 * DAY;
    assert_eq!(block_on(desk(now).is_due(&id)), Ok(false), "it waits for the reader");
    block_on(look_ahead(&at(&sim, now), &id, Stop::never())).unwrap();
    assert_eq!(block_on(desk(now).is_due(&id)), Ok(true));
    assert_eq!(cradle(&sim, &id).missed, None);
    let shown = cradle(&sim, &id).ahead.unwrap().step.at;
    block_on(amend(&sim.ports, &id, |cradle| cradle.leave_out_ahead(shown))).unwrap();
    assert_eq!(cradle(&sim, &id).left().len(), 1);
}
