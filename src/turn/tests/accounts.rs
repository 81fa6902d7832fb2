//! The account of a prompt: written once, beside its reply, and gone with it.

use crate::store::{Durability, Op};

use super::*;

/// Bytes of each commit that a stream of `pieces` made between its first and its last one, and the tables they wrote.
fn checkpoints(play: &Play) -> Vec<(Vec<Table>, usize)> {
    let commits = play.sim.store.commits();
    let is_of_stream = |batch: &&Rc<Batch>| {
        let coming = |op: &Op| matches!(op, Op::Put(Table::Generations, doc) if doc.value["status"] == "streaming");
        batch.durability == Durability::Relaxed && batch.ops.iter().any(coming)
    };
    let size = |op: &Op| match op {
        Op::Put(_, doc) => doc.value.to_string().len(),
        Op::Delete(..) => 0,
    };
    let told = commits.iter().filter(is_of_stream);
    told.map(|batch| (batch.ops.iter().map(|op| op.place().0).collect(), batch.ops.iter().map(size).sum())).collect()
}

#[test]
fn a_checkpoint_costs_the_same_however_long_the_prompt_is() {
    let of = |world: &str| {
        let play = play([Answer::text(["我", "当然", "记得。"])]);
        let mut background = block_on(play.sim.ports.store.load::<Background>("waste")).unwrap().unwrap();
        background.world_setting = world.into();
        block_on(play.sim.ports.store.save(&background)).unwrap();
        let reply = play.say("你还记得吗？");
        assert!(play.account(&reply).blocks.iter().any(|block| block.text.contains(world)));
        let mut checkpoints = checkpoints(&play);
        let begun = checkpoints.remove(0);
        assert!(begun.0.contains(&Table::Accounts) && begun.0.contains(&Table::Storylines), "one commit: {begun:?}");
        assert!(!checkpoints.is_empty());
        for (tables, size) in &checkpoints {
            assert_eq!(tables, &[Table::Generations], "{size}");
        }
        // What it came to is told in a few digits.
        checkpoints.into_iter().map(|(_, size)| size / 20).collect::<Vec<_>>()
    };
    assert_eq!(of("废土。"), of(&"核战后的废土。".repeat(2_000)));
}

/// The finished reply is no larger than while it came.
#[test]
fn an_account_is_written_once() {
    let play = play([Answer::text(["好。"]), Answer::text(["走。"])]);
    for words in ["a", "b"] {
        let reply = play.say(words);
        let is_it = |op: &Op| op.place() == (Table::Accounts, reply.id.as_str());
        let commits = play.sim.store.commits();
        assert_eq!(commits.iter().flat_map(|batch| &batch.ops).filter(|op| is_it(op)).count(), 1);
        let account = play.account(&reply);
        assert_eq!((Some(account.reckoned()), &account.storyline), (reply.prompt, &play.story.id));
        assert!(account.made > 0 && account.total_tokens > 0);
    }
    // What the first one says too, the second one names.
    let nodes = play.nodes();
    let first = nodes[1].reply().unwrap().id.clone();
    let shared = play.account(nodes[2].reply().unwrap()).blocks;
    assert!(shared.iter().any(|block| block.text_in.as_ref() == Some(&first) && block.text.is_empty()));
}

/// Another reply, and one that goes on: each has the account of what was told last.
#[test]
fn each_reply_has_its_own() {
    let play = play([Answer::text(["好。"]), Answer::text(["走。"]), Answer::text(["再走。"])]);
    let first = play.say("a");
    let second = play.ask(Ask::Again(first.turn.clone())).unwrap();
    assert_ne!(first.id, second.id);
    let (before, made) = (play.account(&first), play.account(&second).made);
    let went_on = play.ask(Ask::Continue(second.id.clone())).unwrap();
    assert_eq!(went_on.id, second.id);
    assert!(play.account(&second).made >= made);
    assert_eq!(Some(play.account(&second).reckoned()), went_on.prompt);
    assert_eq!(play.account(&first), before);
    assert_eq!(block_on(play.sim.ports.store.count(Query::all(Table::Accounts))).unwrap(), 2);
}

/// A reply whose commit fails has no account, and an account no reply of its own: they come together.
#[test]
fn neither_is_there_without_the_other() {
    for nth in 0..40 {
        let play = play([Answer::text(["好。"])]);
        play.sim.store.fail(nth, "UnknownError");
        let _ = block_on(play.conductor.play(&play.story.id, Ask::New("a".into()), Stop::never(), &|_| ()));
        play.sim.store.heal();
        let store = &play.sim.ports.store;
        let accounts = block_on(store.keys(Query::all(Table::Accounts))).unwrap();
        let replies: Vec<Generation> = block_on(store.list(Query::all(Table::Generations))).unwrap();
        let told = replies.iter().filter(|reply| reply.prompt.is_some());
        assert_eq!(told.map(|reply| reply.id.0.clone()).collect::<Vec<_>>(), accounts, "{nth}");
    }
}

/// The history gives way to the budget, oldest first; the account says so.
#[test]
fn an_old_history_gives_way() {
    let long = "很久以前的事情。".repeat(40);
    let play = play((0..30).map(|_| Answer::text([long.as_str()])));
    let mut connections = block_on(play.sim.ports.store.load::<Connections>(Connections::ID)).unwrap().unwrap();
    connections.list[0].context_tokens = 4_000;
    block_on(play.sim.ports.store.save(&connections)).unwrap();
    let mut replies: Vec<_> = (0..30).map(|n| play.say(&format!("第{n}句"))).collect();
    let last = replies.pop().unwrap();
    let account = play.account(&last);
    let history = account.blocks.iter().find(|block| block.source == "history").unwrap();
    assert!(account.total_tokens <= 3_000, "{}", account.total_tokens);
    let users = play.messages(29).iter().filter(|(role, _)| role == "user").count() as u32;
    assert_eq!(history.trimmed + users, 31, "opening and thirty turns are either in or accounted for");
    assert_eq!(play.messages(29).last().unwrap().1, "第29句");
}

/// Nobody reads faster: what comes faster is shown in larger pieces, and costs no more.
#[test]
fn a_fast_reply_is_shown_less_often_than_one_that_is_read_along() {
    // Milliseconds between two pieces on the page, of a reply of which so many bytes come each time.
    let between = |bytes: usize| {
        let one = || [Step::Wait(10), Step::Bytes(crate::sim::llm::openai_chunk(&"a".repeat(bytes)))];
        let steps = (0..200).flat_map(|_| one()).chain(Answer::text(["。"]).steps);
        let play = play([Answer { steps: steps.collect(), ..Answer::text([]) }]);
        let reply = play.say("走吧");
        (reply.finished.unwrap() - reply.first_text.unwrap()) / checkpoints(&play).len() as u64
    };
    for slow in [1, 4, 8] {
        assert!((100..130).contains(&between(slow)), "{slow}: {}", between(slow));
    }
    for fast in [80, 160] {
        assert!((160..190).contains(&between(fast)), "{fast}: {}", between(fast));
    }
    // The whole of it is near.
    assert!(between(300) < 100, "{}", between(300));
}
