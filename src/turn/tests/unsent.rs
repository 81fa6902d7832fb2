//! Words that were typed and not sent.

use super::{groups::Scene, *};
use crate::{
    features::group::{Mode, Move},
    store::Durability,
    turn::{
        bin,
        unsent::{self, MOST, Unsent},
    },
};

impl Play {
    fn type_words(&self, words: &str) {
        let batch = unsent::keep(&Unsent::new(&self.story.id, words.into(), 0));
        assert_eq!(batch.durability, Durability::Relaxed, "typing waits for no disk");
        block_on(self.sim.ports.store.commit(batch)).unwrap();
    }

    fn unsent(&self) -> String {
        block_on(unsent::load(&*self.sim.ports.store, &self.story.id)).unwrap().text
    }
}

#[test]
fn whom_it_is_whispered_to_is_kept_with_it() {
    let play = play([]);
    let to: Vec<crate::story::ids::CharacterId> = vec!["a".into(), "b".into()];
    let store = &*play.sim.ports.store;
    let words = Unsent { whisper: to.clone(), ..Unsent::new(&play.story.id, "走".into(), 0) };
    block_on(store.commit(unsent::keep(&words))).unwrap();
    assert_eq!(block_on(unsent::load(store, &play.story.id)).unwrap().whisper, to);
    play.type_words("走吧");
    assert_eq!(block_on(unsent::load(store, &play.story.id)).unwrap().whisper, []);
}

#[test]
fn what_is_typed_is_kept_until_it_is_said() {
    let play = play([Answer::text(["好"])]);
    assert_eq!(play.unsent(), "");
    for words in ["走", "走吧，\n", "  走吧。 "] {
        play.type_words(words);
        assert_eq!(play.unsent(), words);
    }
    play.say("走吧。");
    assert_eq!(play.unsent(), "");
    let id = unsent::id(&play.story.id);
    let takes = |batch: &Batch, place: (Table, &str)| batch.ops.iter().any(|op| op.place() == place);
    let turn = play.nodes()[1].turn.id.clone();
    let is_said = |batch: &&std::rc::Rc<Batch>| takes(batch, (Table::Turns, turn.as_str()));
    let commits = play.sim.store.commits();
    let said = commits.iter().find(is_said).unwrap();
    assert!(takes(said, (Table::Settings, &id)), "in the commit that stores them");

    play.type_words("再");
    let stored = play.sim.store.peek(Table::Settings, &id).unwrap().value;
    assert_eq!(stored, serde_json::json!({ "id": id, "text": "再" }), "the stored form");
    play.type_words(" \n");
    assert_eq!(play.sim.store.peek(Table::Settings, &id), None, "nothing is no record");
}

/// Whatever the store refuses: the words are unsent or said, never neither.
#[test]
fn words_are_lost_by_no_failure() {
    let typed = || {
        let play = play([Answer::text(["好"])]);
        play.type_words("走吧。");
        play
    };
    let whole = typed();
    let before = whole.sim.store.operations();
    whole.say("走吧。");
    for nth in 0..whole.sim.store.operations() - before {
        let play = typed();
        play.sim.store.fail(nth, "QuotaExceededError");
        let _ = play.ask(Ask::New("走吧。".into()));
        let said = play.path().iter().any(|line| line.starts_with("走吧。"));
        assert_eq!(play.unsent(), if said { "" } else { "走吧。" }, "operation {nth}");
    }
}

/// What a page left counts where nothing newer was stored, and nothing said since.
#[test]
fn what_a_page_has_left_is_told_apart_from_what_is_older() {
    let play = play([Answer::text(["好"])]);
    let store = &*play.sim.ports.store;
    let id = &play.story.id;
    let at = |words: &str, at| Unsent::new(id, words.into(), at);
    let newest = |left: Option<&Unsent>| block_on(unsent::newest(store, id, left.cloned())).unwrap().text;
    let begun = play.sim.ports.clock.now();
    let kept = at("走", begun + 10);
    block_on(store.commit(unsent::keep(&kept))).unwrap();
    assert_eq!(newest(None), "走");
    assert_eq!(newest(Some(&at("走吧", begun + 11))), "走吧");
    assert_eq!(newest(Some(&at("", begun + 11))), "", "also that nothing stands there");
    for older in [at("走吧", begun + 9), at("走吧", begun + 10)] {
        assert_eq!(newest(Some(&older)), "走");
    }
    let added = Unsent { added: true, ..at("吧", begun + 11) };
    assert_eq!(newest(Some(&added)), "走吧", "typed before what is stored was read");

    play.say("走吧。");
    let said = play.nodes()[1].turn.created;
    for said_by_now in [at("走吧。", said), at("走", said - 1)] {
        assert_eq!(newest(Some(&said_by_now)), "");
    }
    assert_eq!(newest(Some(&at("再", said + 1))), "再");
}

/// They stay unsent, whoever else speaks.
#[test]
fn a_turn_without_words_takes_none_away() {
    let play = play([Answer::text(["好"]), Answer::text(["嗯"])]);
    play.say("走吧。");
    play.type_words("等等");
    play.ask(Ask::Speak(play.story.character().clone())).unwrap();
    assert_eq!(play.path().len(), 3, "{:?}", play.path());
    assert_eq!(play.unsent(), "等等");

    let mut scene = Scene::new(Mode::Hand, 1, 8_000);
    scene.play.type_words("等等");
    scene.moves(Move::Joins("qing".into()));
    assert_eq!(scene.play.unsent(), "等等", "that somebody came was not the reader's to say");
}

#[test]
fn it_goes_with_its_story_and_has_a_bound() {
    let play = play([]);
    play.type_words(&"字".repeat(MOST + 1));
    assert_eq!(play.unsent().chars().count(), MOST);
    block_on(bin::delete_storyline(&*play.sim.ports.store, &play.story.id)).unwrap();
    assert_eq!(play.unsent(), "");

    let damaged = serde_json::json!({ "id": unsent::id(&play.story.id), "text": 3 });
    let ops = vec![crate::store::Op::Put(Table::Settings, damaged.into())];
    block_on(play.sim.ports.store.commit(Batch { ops, ..Batch::new() })).unwrap();
    assert_eq!(play.unsent(), "", "what cannot be read opens an empty composer");
}
