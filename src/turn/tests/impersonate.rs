//! The reader's next words, written by the model.

use super::*;
use crate::{
    store::Query,
    story::spending::{Kind, Spending},
};

fn asked(play: &Play, hint: &str) -> Result<Option<String>, Fault> {
    block_on(play.conductor.impersonate(&play.story.id, hint, Stop::never()))
}

#[test]
fn words_are_suggested_out_of_what_was_told_and_nothing_is_stored() {
    let play = play([Answer::text(["她没有回头。"])]);
    play.say("我推开门。");
    let before = play.nodes();
    play.sim.llm.replace([Answer::text(["玩家：我走到她身边。\n", "Alserqi：别过来。"])]);
    assert_eq!(asked(&play, "别吓着她").unwrap().as_deref(), Some("我走到她身边。"));
    let request = play.sim.llm.requests().pop().unwrap().body.unwrap();
    for told in ["我推开门。", "她没有回头。", "大意是：别吓着她。", "Alserqi是这样的"] {
        assert!(request.contains(told), "{told}: {request}");
    }
    assert_eq!(play.nodes(), before);
    play.sim.llm.replace([Answer::text(["Alserqi：别过来。"])]);
    assert_eq!(asked(&play, ""), Ok(None), "nothing of it is the reader's");
    let ledger = block_on(play.sim.ports.store.list::<Spending>(Query::all(Table::Spending))).unwrap();
    assert_eq!(
        ledger
            .iter()
            .flat_map(|day| &day.lines)
            .filter(|spent| spent.kind == Kind::Chat)
            .map(|spent| spent.calls)
            .sum::<u32>(),
        3,
        "{ledger:?}"
    );
}

#[test]
fn a_stop_and_a_refusal_are_told() {
    let play = play([Answer::text(["她没有回头。"])]);
    play.say("我推开门。");
    play.sim.llm.replace([Answer::error(429, "{}")]);
    assert_eq!(asked(&play, "").unwrap_err().kind, FaultKind::RateLimited);
    play.sim.llm.replace([Answer::unfinished(["我"]).then(Step::Wait(60_000))]);
    let (mut stopper, stop) = stopper();
    let stopping = async {
        crate::sim::ports::yield_once().await;
        stopper.stop(FaultKind::Stopped);
    };
    let writing = play.conductor.impersonate(&play.story.id, "", stop);
    let (wrote, ()) = block_on(async { futures_util::join!(writing, stopping) });
    assert_eq!(wrote.unwrap_err().kind, FaultKind::Stopped);
}

/// However long the last turn is, it is told; of what was before it, as much as there is room for.
#[test]
fn a_long_story_is_told_from_its_end() {
    let replies: Vec<String> = (0..12).map(|nth| format!("回复{nth}。{}", "海浪。".repeat(600))).collect();
    let play = play(replies.iter().map(|reply| Answer::text([reply.as_str()])));
    for nth in 0..12 {
        play.say(&format!("第{nth}句。"));
    }
    play.sim.llm.replace([Answer::text(["我走了。"])]);
    asked(&play, "").unwrap();
    let request = play.sim.llm.requests().pop().unwrap().body.unwrap();
    assert!(request.contains("回复11。") && !request.contains("回复2。"));
}

/// Who they are takes its room from the story.
#[test]
fn a_small_context_holds_what_is_asked() {
    let replies: Vec<String> = (0..6).map(|nth| format!("回复{nth}。{}", "海浪。".repeat(120))).collect();
    let play = play(replies.iter().map(|reply| Answer::text([reply.as_str()])));
    for nth in 0..6 {
        play.say(&format!("第{nth}句。"));
    }
    block_on(async {
        let store = &*play.sim.ports.store;
        let mut character: Character = store.load("alserqi").await.unwrap().unwrap();
        character.card.description = "废土上的人。".repeat(400);
        let mut connections: Connections = store.load(Connections::ID).await.unwrap().unwrap();
        connections.list[0].context_tokens = 4_096;
        store.commit(Batch::new().put(&character).put(&connections)).await.unwrap();
    });
    play.sim.llm.replace([Answer::text(["我走了。"])]);
    asked(&play, "").unwrap();
    let (_, told) = play.messages(6).remove(0);
    assert!(told.contains("回复5。") && !told.contains("回复0。"));
    let cost = crate::prompt::tokens::estimate(&told);
    assert!(cost <= 4_096 - 1_024, "{cost}");
}
