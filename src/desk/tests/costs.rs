//! What is paid beside a story, and what is said of budgets.

use super::*;
use crate::story::{
    budget::{Bounds, Budget},
    generation::Usage,
};

fn tried(desk: &Desk, prompt_tokens: u32) {
    let told = Usage { prompt_tokens, completion_tokens: 1, ..Usage::default() };
    block_on(desk.pay_trial(&Connection::default(), told, "hello", "hi")).unwrap();
}

/// A server that counts nothing costs something all the same.
#[test]
fn a_trial_without_a_count_is_estimated() {
    let (_, desk) = desk();
    let connection = Connection::default();
    block_on(desk.pay_trial(&connection, Usage::default(), "Say hello in one word.", "Hello!")).unwrap();
    let (_, all) = block_on(desk.costs()).unwrap();
    assert!(all.whole.prompt > 5 && all.whole.completion > 0 && all.whole.is_estimated, "{all:?}");
    let told = Usage { prompt_tokens: 12, completion_tokens: 3, ..Usage::default() };
    block_on(desk.pay_trial(&connection, told, "Say hello in one word.", "Hello!")).unwrap();
    let (_, more) = block_on(desk.costs()).unwrap();
    assert_eq!((more.whole.calls, more.whole.prompt - all.whole.prompt), (2, 12));
}

/// Once a day and story: not with every turn, and not again when the page is loaded anew.
#[test]
fn a_budget_that_is_nearly_used_is_said_once() {
    let (sim, desk) = desk();
    let story = |id: &str| Storyline { id: id.into(), ..Default::default() };
    block_on(desk.prefer(|preferences| preferences.budget = Some(Budget::Tokens(100)))).unwrap();
    let says =
        |desk: &Desk, id: &str| block_on(desk.nearly_used(&story(id))).unwrap().map(|near| (near.bounds, near.spent));
    assert_eq!(says(&desk, "s"), None);
    tried(&desk, 84);
    assert_eq!(says(&desk, "s"), Some((Bounds::Day, 85)));
    assert_eq!(says(&desk, "s"), None);
    let anew = Desk { ports: Ports { till: Default::default(), ..sim.ports.clone() } };
    assert_eq!(says(&anew, "s"), None, "the page was loaded anew");
    assert_eq!(says(&anew, "t"), Some((Bounds::Day, 85)), "another story");
    assert_eq!(says(&desk, "s"), None);

    block_on(sim.ports.clock.sleep(26 * 60 * 60 * 1_000));
    tried(&desk, 84);
    assert_eq!(says(&desk, "s"), Some((Bounds::Day, 85)), "another day");
    block_on(desk.prefer(|preferences| preferences.budget = Some(Budget::Tokens(105)))).unwrap();
    assert_eq!(says(&desk, "s"), Some((Bounds::Day, 85)), "another budget");
}
