//! Memories by hand, and the way to any turn of the tree.

use super::*;
use crate::{
    store::due,
    story::memory::{Kind, Memory},
    turn::memories::Change,
};

impl Play {
    fn memories(&self) -> Vec<Memory> {
        block_on(self.sim.ports.store.list(Query::all(Table::Memories))).unwrap()
    }

    fn due(&self, memory: &Memory) -> bool {
        let notes = block_on(self.sim.ports.store.keys(Query::all(Table::Due))).unwrap();
        notes.iter().any(|note| due::record(note) == Some((Table::Memories, memory.id.as_str())))
    }
}

#[test]
fn a_note_hangs_on_the_head_and_is_noted_for_the_index() {
    let play = play([Answer::text(["好。"])]);
    play.say("走吧。");
    let (id, conductor) = (&play.story.id, &play.conductor);
    let note = block_on(conductor.write_memory(id, " 钥匙在花盆下 ", "")).unwrap();
    assert_eq!((note.kind, note.position, note.text.as_str()), (Kind::Note, 1, "钥匙在花盆下"));
    assert_eq!((note.generation.clone(), &note.branch), (None, &play.storyline().head.branch));
    assert!(play.due(&note));

    let change = |change| block_on(conductor.change_memory(&note.id, change)).unwrap();
    change(Change::Word { text: "银钥匙在花盆下".into(), detail: "雨天".into() });
    change(Change::Hide(true));
    let pinned = change(Change::Pin(true));
    assert_eq!((pinned.text.as_str(), pinned.detail.as_str()), ("银钥匙在花盆下", "雨天"));
    assert!(pinned.pinned && pinned.hidden);
    assert_eq!(play.memories(), std::slice::from_ref(&pinned));

    let deleted = block_on(conductor.delete_memory(&note.id)).unwrap();
    assert_eq!((play.memories(), play.due(&note)), (vec![], true));
    assert!(block_on(conductor.delete_memory(&note.id)).is_err());
    block_on(conductor.restore_memory(&deleted)).unwrap();
    assert_eq!(play.memories(), [pinned]);
}

/// What is remembered of a turn quotes the reader as they word it now.
#[test]
fn an_event_quotes_the_words_as_they_are() {
    let update = "他点头。\n<state_update_json>{\"current_state\":{\"emotions\":[\"不安\"]}}</state_update_json>";
    let play = play([Answer::text([update])]);
    let mut story = play.storyline();
    story.preset = "living".into();
    block_on(play.sim.store.commit(Batch::new().put(&story))).unwrap();
    let reply = play.say("钥匙在罐里。");
    let details = || play.memories().into_iter().map(|memory| memory.detail).collect::<String>();
    assert!(details().contains("钥匙在罐里"), "{}", details());
    block_on(play.conductor.edit_user(&reply.turn, "钥匙在井里。")).unwrap();
    assert!(details().contains("钥匙在井里") && !details().contains("罐"), "{}", details());
    // What the reader has worded stays as it is, and what was deleted stays away.
    let event = play.memories().remove(0);
    let word = Change::Word { text: "他起了疑心".into(), detail: "井边".into() };
    block_on(play.conductor.change_memory(&event.id, word)).unwrap();
    block_on(play.conductor.edit_user(&reply.turn, "钥匙在井底。")).unwrap();
    let now = play.memories().remove(0);
    assert_eq!((now.text.as_str(), now.detail.as_str()), ("他起了疑心", "井边"));
    block_on(play.conductor.delete_memory(&event.id)).unwrap();
    block_on(play.conductor.edit_user(&reply.turn, "钥匙在桶里。")).unwrap();
    assert_eq!(play.memories(), []);
}

/// A reply that is asked for anew is not told what the one before it made.
#[test]
fn what_a_reply_made_is_not_told_to_its_swipe() {
    let play = play(["甲", "乙", "丙"].map(|text| Answer::text([text])));
    let first = play.say("走吧。");
    let made = |id: &str, kind, pinned, text: &str| Memory {
        id: id.into(),
        storyline: play.story.id.clone(),
        kind,
        branch: first.branch.clone(),
        position: first.position,
        generation: Some(first.id.clone()),
        pinned,
        text: text.into(),
        ..Default::default()
    };
    let batch = Batch::new()
        .put(&made("a", Kind::Event, true, "盟友成了恋人"))
        .put(&made("b", Kind::Summary, false, "他们走到了钟楼"))
        .put(&Memory { generation: None, ..made("c", Kind::Note, true, "钥匙在井里") });
    block_on(play.sim.store.commit(batch)).unwrap();
    let told = |request: usize| {
        let prompt: String = play.messages(request).into_iter().map(|(_, text)| text).collect();
        ["盟友成了恋人", "他们走到了钟楼", "钥匙在井里"].map(|text| prompt.contains(text))
    };
    play.say("走到钟楼了吗？");
    assert_eq!(told(1), [true, true, true]);
    block_on(play.conductor.go_to(&play.story.id, &first.turn)).unwrap();
    play.ask(Ask::Again(first.turn.clone())).unwrap();
    assert_eq!(told(2), [false, false, true]);
}

#[test]
fn a_tab_that_only_reads_writes_no_memory() {
    let play = play([]);
    let (id, conductor) = (&play.story.id, &play.conductor);
    let note = block_on(conductor.write_memory(id, "有猫", "")).unwrap();
    play.sim.tabs.lose();
    let refused = |outcome: Result<(), Fault>| assert_eq!(outcome.unwrap_err().kind, FaultKind::TakenOver);
    refused(block_on(conductor.write_memory(id, "有狗", "")).map(drop));
    refused(block_on(conductor.change_memory(&note.id, Change::Pin(true))).map(drop));
    refused(block_on(conductor.delete_memory(&note.id)).map(drop));
    refused(block_on(conductor.restore_memory(&note)));
    assert_eq!(play.memories(), [note]);
}

#[test]
fn any_turn_and_any_reply_can_be_gone_to() {
    let play = play(["一", "二", "三", "四"].map(|text| Answer::text([text])));
    let first = play.say("甲");
    play.say("乙");
    let old = play.storyline().head;
    play.ask(Ask::Again(first.turn.clone())).unwrap();
    play.say("丙");
    let new = play.storyline().head;
    assert_ne!(old.branch, new.branch);
    let there = play.path();
    let (id, conductor) = (&play.story.id, &play.conductor);

    // The opening is on every path.
    let opening = play.nodes()[0].turn.id.clone();
    assert_eq!(block_on(conductor.go_to(id, &opening)).unwrap().head, new);
    // What was said on the other branch.
    let turns: Vec<Turn> = block_on(play.sim.ports.store.list(Query::all(Table::Turns))).unwrap();
    let second = turns.iter().find(|turn| turn.user.as_deref() == Some("乙")).unwrap();
    assert_eq!(block_on(conductor.go_to(id, &second.id)).unwrap().head, old);
    assert_eq!(play.storyline().total_turns, 2);
    // A reply that another branch goes on from.
    let again = play.nodes()[1].generations.iter().find(|reply| reply.id != first.id).unwrap().id.clone();
    assert_eq!(block_on(conductor.go_to_reply(id, &first.turn, &again)).unwrap().head, new);
    assert_eq!(play.path(), there);

    play.sim.tabs.lose();
    assert_eq!(block_on(conductor.go_to(id, &second.id)).unwrap_err().kind, FaultKind::TakenOver);
    assert_eq!(play.storyline().head, new);
    assert!(block_on(conductor.go_to(id, &"nowhere".into())).is_err());
}
