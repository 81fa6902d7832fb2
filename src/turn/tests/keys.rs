//! A key that is not at hand: what needs it says so before anything is written, and what can do without does.

use super::*;
use crate::{
    features::planner::PlannerSettings,
    store::Doc,
    story::{
        settings::Preferences,
        warning::{Cause, Notice},
    },
    turn::SummariseError,
};

impl Play {
    /// Everything that is stored.
    fn stored(&self) -> Vec<(Table, Vec<Doc>)> {
        let all = |table| (table, block_on(self.sim.ports.store.query(Query::all(table))).unwrap());
        Table::ALL.into_iter().map(all).collect()
    }

    fn key(&self, connection: &str, key: Option<&str>) {
        self.sim.vault.0.borrow_mut().insert(connection.into(), key.map(str::to_owned));
    }

    /// Another connection than the one that the story is played with, its key locked.
    fn locked_helper(&self) {
        let connections = async {
            let mut connections = self.sim.ports.store.load::<Connections>(Connections::ID).await.unwrap().unwrap();
            connections.list.push(Connection { id: "helper".into(), ..connections.list[0].clone() });
            self.sim.ports.store.save(&connections).await
        };
        block_on(connections).unwrap();
        self.key("helper", None);
    }
}

#[test]
fn nothing_is_written_without_the_key() {
    let play =
        play([Answer::unfinished(["你来"]), Answer::text(["了。"]), Answer::text(["再说。"]), Answer::text(["嗯。"])]);
    play.key("c", Some("sk-1"));
    let reply = play.say("在吗");
    play.key("c", None);
    let (before, asked) = (play.stored(), play.sim.llm.requests().len());
    for ask in [Ask::New("还在吗".into()), Ask::Again(reply.turn.clone()), Ask::Continue(reply.id.clone())] {
        assert_eq!(play.ask(ask.clone()).unwrap_err().kind, FaultKind::KeyMissing, "{ask:?}");
    }
    let summarised = block_on(play.conductor.summarise(&play.story.id, Stop::never(), &|_| {}));
    assert!(matches!(summarised, Err(SummariseError::Fault(fault)) if fault.kind == FaultKind::KeyMissing));
    assert!(block_on(play.conductor.update_memory(&play.story.id, None, Stop::never())).is_err());
    assert!(play.stored() == before, "the story is as it was");
    assert_eq!(play.sim.llm.requests().len(), asked, "nobody was asked");

    // The same goes on once the key is there.
    play.key("c", Some("sk-2"));
    assert_eq!(play.ask(Ask::Continue(reply.id)).unwrap().text, "你来了。");
    assert_eq!(play.ask(Ask::Again(reply.turn)).unwrap().text, "再说。");
    play.say("还在吗");
    assert_eq!(play.path()[1..], ["在吗 → 再说。", "还在吗 → 嗯。"]);
    let sent = play.sim.llm.requests().pop().unwrap();
    assert!(sent.headers.contains(&("authorization".into(), "Bearer sk-2".into())));
}

/// A provider's own address answers nobody without a key; what is behind another one is not known.
#[test]
fn a_key_that_was_never_given_is_missing_where_it_is_wanted() {
    let with_url = |url: &str| {
        let play = play([Answer::text(["好"])]);
        let list = vec![Connection { id: "c".into(), url: url.into(), model: "m".into(), ..Default::default() }];
        block_on(play.sim.ports.store.save(&Connections { list, ..Default::default() })).unwrap();
        let outcome = play.ask(Ask::New("在吗".into())).map(|reply| reply.text).map_err(|fault| fault.kind);
        (outcome, play.nodes().len())
    };
    assert_eq!(with_url("https://gate.example/v1"), (Ok("好".into()), 2));
    assert_eq!(with_url(""), (Err(FaultKind::KeyMissing), 1));
    assert_eq!(with_url("https://openrouter.ai/api/v1"), (Err(FaultKind::KeyMissing), 1));
}

/// What only helps fails alone, and says so.
#[test]
fn the_turn_goes_on_without_its_helpers() {
    let why = |reply: &Generation| match &reply.notices()[..] {
        [Notice { cause: Cause::NotPlanned { fault: Some(fault) } | Cause::NotRecalled { fault }, .. }] => fault.kind,
        other => panic!("{other:?}"),
    };
    let plans = play([Answer::text(["好"])]);
    plans.locked_helper();
    let mut story = plans.storyline();
    let planner = PlannerSettings { enabled: true, connection: Some("helper".into()), ..Default::default() };
    story.features.set(&planner);
    block_on(plans.sim.ports.store.save(&story)).unwrap();
    let reply = plans.say("走吗");
    assert_eq!((reply.status, why(&reply)), (Status::Done, FaultKind::KeyMissing));

    let recalls = play([Answer::text(["好"])]);
    recalls.locked_helper();
    let preferences = Preferences { embedding_connection: Some("helper".into()), ..Default::default() };
    block_on(recalls.sim.ports.store.save(&preferences)).unwrap();
    let reply = recalls.say("你还记得吗");
    assert_eq!((reply.status, why(&reply)), (Status::Done, FaultKind::KeyMissing));
}
