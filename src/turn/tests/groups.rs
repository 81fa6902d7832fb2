//! Scenes of several: who speaks, what each is told, and what becomes of a call that fails.

use std::{
    cell::Cell,
    collections::{BTreeMap, BTreeSet},
};

use proptest::prelude::*;

use super::*;
use crate::{
    features::{
        group::{GroupSettings, Mode, Move},
        sheet::{self, TextSettings},
    },
    story::{
        character::Card,
        features::Features,
        ids::CharacterId,
        memory::{Kind, Memory},
        state::State,
        written::Text,
    },
};

/// The story's own first. Each is described in a word of their own, and the words of a reply say whose it is.
pub(super) const CAST: [(&str, &str); 4] =
    [("alserqi", "Alserqi"), ("qing", "阿青"), ("zhou", "老周"), ("man", "小满")];

fn described(id: &str) -> String {
    format!("描述@{id}")
}

pub(super) fn by(reply: &Generation) -> Option<&str> {
    reply.speaker.as_ref().map(CharacterId::as_str)
}

/// A scene, and beside it who heard what, kept without the program's help.
pub(super) struct Scene {
    pub play: Play,
    present: BTreeSet<String>,
    /// By the mark of a text.
    heard: BTreeMap<String, BTreeSet<String>>,
    marks: Cell<usize>,
}

impl Scene {
    pub fn new(mode: Mode, most: u32, context: u32) -> Self {
        let play = play([]);
        let (store, mut story) = (play.sim.ports.store.clone(), play.storyline());
        block_on(async {
            for (id, name) in CAST {
                let card = Card { description: described(id), ..Default::default() };
                store.save(&Character { id: id.into(), name: name.into(), card, ..Default::default() }).await.unwrap();
            }
            let change = |all: &mut Connections| {
                all.list[0].context_tokens = context;
                all.list[0].sampling.max_tokens = Some(context / 4);
            };
            store.change(Connections::ID, change).await.unwrap();
            story.features = Features::default().with(GroupSettings { mode, most, ..Default::default() });
            // The persona that a story begins with is the card's as of then.
            let mut state: State = store.load(story.initial_state.as_str()).await.unwrap().unwrap();
            state.persona_mut(None).base_persona = described("alserqi");
            store.commit(Batch::new().put(&story).put(&state)).await.unwrap();
        });
        let present = ["alserqi".to_owned()].into();
        let heard = BTreeMap::from([("玩家，你来了。".to_owned(), BTreeSet::from(["alserqi".to_owned()]))]);
        Self { play, present, heard, marks: Cell::new(0) }
    }

    /// All four from the first turn on.
    pub fn of_four(mode: Mode, most: u32, context: u32) -> Self {
        let mut scene = Self::new(mode, most, context);
        for (id, _) in &CAST[1..] {
            scene.moves(Move::Joins((*id).into()));
        }
        scene
    }

    /// A word that stands in one text and nowhere else.
    fn mark(&self) -> String {
        self.marks.set(self.marks.get() + 1);
        format!("记号{:03}号", self.marks.get())
    }

    pub fn moves(&mut self, moves: Move) {
        let (who, comes) = match &moves {
            Move::Joins(who) | Move::Returns(who) => (who.0.clone(), true),
            Move::Leaves(who) | Move::Quits(who) => (who.0.clone(), false),
        };
        block_on(self.play.conductor.stage(&self.play.story.id, &moves, &|shown| self.play.is_stored(&shown))).unwrap();
        if comes {
            self.present.insert(who.clone());
        }
        let text = self.play.nodes().last().unwrap().turn.user.clone().unwrap();
        // The same is said each time that somebody comes or goes: who ever heard it may know it.
        self.heard.entry(text).or_default().extend(self.present.clone());
        if !comes {
            self.present.remove(&who);
        }
    }

    /// Lets the model answer with so many marked texts, and says what they are.
    fn answers(&self, count: usize) -> Vec<String> {
        let marks: Vec<String> = (0..count).map(|_| self.mark()).collect();
        let text = |mark: &String| Answer::text([format!("{mark}。她看着窗外，把杯子推远了一点。").as_str()]);
        self.play.sim.llm.replace(marks.iter().map(text).collect::<Vec<_>>());
        marks
    }

    pub fn round(&self, ask: Ask) -> Vec<Generation> {
        let show = |shown: Shown| self.play.is_stored(&shown);
        block_on(self.play.conductor.round(&self.play.story.id, ask, Stop::never(), &show)).unwrap()
    }

    /// Plays a round, and notes who heard what of it; then looks at each prompt.
    pub fn plays(&mut self, words: &str, to: Option<&[&str]>) -> Vec<String> {
        let mark = self.mark();
        let words = format!("{words}{mark}");
        let marks = self.answers(8);
        let before = self.play.sim.llm.requests().len();
        let ask = match to {
            Some(to) => Ask::Whisper(words, to.iter().map(|one| CharacterId::from(*one)).collect()),
            None => Ask::New(words),
        };
        let replies = self.round(ask);
        let hears: BTreeSet<String> = match to {
            Some(to) => self.present.iter().filter(|one| to.contains(&one.as_str())).cloned().collect(),
            None => self.present.clone(),
        };
        self.heard.insert(mark, hears.clone());
        for (nth, reply) in replies.iter().enumerate() {
            self.looks(before + nth, reply, &hears);
            self.heard.insert(marks[nth].clone(), hears.clone());
        }
        replies.iter().map(|reply| self.play.story.speaker(reply.speaker.as_ref()).0.clone()).collect()
    }

    /// Has a text written in another way.
    pub fn writes(&self, text: Text, set: impl FnOnce(&mut TextSettings)) {
        let mut story = self.play.storyline();
        let preset = block_on(scene::preset(&*self.play.sim.ports.store, &story));
        sheet::change(text, &mut story, &preset, set);
        block_on(self.play.sim.ports.store.save(&story)).unwrap();
    }

    /// Has a sheet written every so many messages.
    pub fn keeps_sheets(&self, messages: u32) {
        self.writes(Text::Sheet, |settings| (settings.enabled, settings.messages) = (true, messages));
    }

    /// Has the sheets written that are due: nobody's is written of what they did not hear, and what stands in one only they
    /// know.
    fn writes_sheets(&mut self) {
        let marks = self.answers(CAST.len());
        let before = self.play.sim.llm.requests().len();
        let written = self.play.conductor.write_texts(&self.play.story.id, None, Stop::never());
        for (nth, (_, whose)) in block_on(written).unwrap().written.into_iter().enumerate() {
            let who = self.play.story.speaker(whose.as_ref()).0.clone();
            let request: String = self.play.messages(before + nth).into_iter().map(|(_, text)| text).collect();
            for (text, heard) in &self.heard {
                assert!(heard.contains(&who) || !request.contains(text), "{who} never heard {text}\n{request}");
            }
            self.heard.insert(marks[nth].clone(), BTreeSet::from([who]));
        }
    }

    /// Whether a prompt is that of its speaker, and says nothing that they could not have heard.
    fn looks(&self, request: usize, reply: &Generation, hears: &BTreeSet<String>) {
        let prompt: String = self.play.messages(request).into_iter().map(|(_, text)| text + "\n").collect();
        let speaker = self.play.story.speaker(reply.speaker.as_ref()).0.clone();
        assert!(hears.contains(&speaker), "{speaker} answers what they did not hear");
        for (id, name) in CAST {
            assert_eq!(prompt.contains(&described(id)), id == speaker, "the persona of {id} for {speaker}\n{prompt}");
            let asked = format!("现在只写{name}");
            assert_eq!(prompt.contains(&asked), id == speaker, "whose words are wanted of {speaker}\n{prompt}");
        }
        for (text, heard) in &self.heard {
            assert!(heard.contains(&speaker) || !prompt.contains(text), "{speaker} never heard {text}\n{prompt}");
        }
        let last = self.play.messages(request).pop().unwrap();
        assert!(last.0 == "user" && last.1.contains("现在只写"), "{last:?}");
    }
}

#[test]
fn a_scene_of_four_over_sixty_turns() {
    // So small that most of what was said is only remembered.
    let mut scene = Scene::of_four(Mode::Turns, 2, 1_400);
    scene.keeps_sheets(8);
    let mut spoken = BTreeSet::new();
    for turn in 0..60 {
        match turn {
            10 => scene.moves(Move::Leaves("qing".into())),
            20 => scene.moves(Move::Leaves("zhou".into())),
            30 => scene.moves(Move::Returns("qing".into())),
            45 => scene.moves(Move::Returns("zhou".into())),
            _ => {}
        }
        let speakers = match turn % 10 {
            3 => scene.plays("小满、Alserqi，那座钟楼的事，", None),
            5 => scene.plays("悄悄话：钟楼的钥匙", Some(&["man", "alserqi"])),
            7 => scene.plays("还记得之前钟楼的记号吗？", None),
            _ => scene.plays("我们在钟楼下面等。", None),
        };
        match turn % 10 {
            3 => assert_eq!(speakers, ["man", "alserqi"]),
            _ => assert_eq!(speakers.len(), 1, "{speakers:?}"),
        }
        if (12..20).contains(&turn) {
            assert!(!speakers.contains(&"qing".to_owned()));
        }
        spoken.extend(speakers);
        scene.writes_sheets();
    }
    assert_eq!(spoken.len(), 4, "everybody has spoken");
    let state = scene.play.state();
    assert!(!state.sheet.is_empty() && state.sheets.len() == 3, "{:?}", state.sheets);
    // Who was away was told less, and the account says so.
    let nodes = scene.play.nodes();
    let last = nodes.iter().rev().filter_map(Node::reply).find(|reply| by(reply) == Some("qing"));
    let account = scene.play.account(last.unwrap());
    let history = account.blocks.iter().find(|block| block.source == "history").unwrap();
    assert!(!history.unheard.is_empty());
    assert!(account.blocks.iter().any(|block| block.source == "recall" && block.tokens > 0), "{account:?}");
}

/// What memories tell of turns that somebody missed is not told to them, pinned or not; nor is a summary of those turns.
#[test]
fn memories_are_for_those_who_were_there() {
    let mut scene = Scene::of_four(Mode::Hand, 4, 30_000);
    scene.plays("阿青，听着。", None);
    scene.moves(Move::Leaves("qing".into()));
    scene.plays("小满，说说那件事。", None);
    scene.moves(Move::Returns("qing".into()));
    let nodes = scene.play.nodes();
    let missed = nodes.iter().rfind(|node| node.turn.user.as_deref().unwrap_or_default().contains("小满，")).unwrap();
    let memory = |id: &str, turns, pinned, text: &str| Memory {
        id: id.into(),
        storyline: scene.play.story.id.clone(),
        kind: Kind::Summary,
        branch: missed.turn.branch.clone(),
        position: missed.turn.position,
        turns,
        pinned,
        text: text.into(),
        ..Default::default()
    };
    let at = missed.turn.position;
    let batch = Batch::new()
        .put(&memory("a", (at, at), true, "钉住的秘密：钟楼在东边"))
        .put(&memory("b", (at - 3, at), false, "概要的秘密：钟楼的事"))
        .put(&memory("c", (4, 5), true, "大家都知道：钟楼很高"));
    block_on(scene.play.sim.store.commit(batch)).unwrap();
    let knows = |scene: &Scene| {
        let prompt: String =
            scene.play.messages(scene.play.sim.llm.requests().len() - 1).into_iter().map(|m| m.1).collect();
        ["钉住的秘密", "概要的秘密", "大家都知道"].map(|text| prompt.contains(text))
    };
    scene.plays("阿青，钟楼的事你知道吗？", None);
    assert_eq!(knows(&scene), [false, false, true]);
    scene.plays("小满，钟楼的事你知道吗？", None);
    assert_eq!(knows(&scene), [true, true, true]);
}

/// Each has a persona, and what a reply changes is its speaker's.
#[test]
fn each_grows_by_themselves() {
    let scene = Scene::of_four(Mode::Hand, 2, 30_000);
    let mut story = scene.play.storyline();
    story.preset = "living".into();
    block_on(scene.play.sim.store.commit(Batch::new().put(&story))).unwrap();
    let update = |feeling: &str| {
        let text = format!(
            "他点头。\n<state_update_json>{{\"current_state\":{{\"emotions\":[\"{feeling}\"]}}}}</state_update_json>"
        );
        Answer::text([text.as_str()])
    };
    scene.play.sim.llm.replace([update("不安"), update("高兴"), Answer::text(["嗯。"])]);
    let replies = scene.round(Ask::New("老周、小满，来。".into()));
    let state: State =
        block_on(scene.play.sim.ports.store.load(replies[1].state.as_ref().unwrap().as_str())).unwrap().unwrap();
    let feels = |who: &str| serde_json::to_string(&state.persona(Some(&who.into())).current_state.emotions).unwrap();
    assert!(feels("zhou").contains("不安") && !feels("zhou").contains("高兴"), "{}", feels("zhou"));
    assert!(feels("man").contains("高兴"), "{}", feels("man"));
    assert!(state.persona(None).current_state.emotions.is_empty());
    scene.round(Ask::New("老周？".into()));
    let prompt: String = scene.play.messages(2).into_iter().map(|message| message.1).collect();
    assert!(prompt.contains("不安") && !prompt.contains("高兴"), "{prompt}");
    assert!(prompt.contains(&described("zhou")) && !prompt.contains(&described("man")), "{prompt}");
}

/// What one said who is gone for ever is nobody else's.
#[test]
fn the_words_of_one_who_is_gone_are_theirs() {
    let mut scene = Scene::of_four(Mode::Hand, 1, 30_000);
    scene.play.sim.llm.replace([Answer::text(["钥匙在我这里。"]), Answer::text(["好。"])]);
    scene.round(Ask::New("老周，钥匙呢？".into()));
    scene.moves(Move::Quits("zhou".into()));
    block_on(scene.play.sim.store.commit(Batch::new().delete(Table::Characters, "zhou"))).unwrap();
    scene.round(Ask::New("阿青，走吧。".into()));
    let told: String = scene.play.messages(1).into_iter().map(|(_, text)| text).collect();
    assert!(told.contains("已经不在的人：钥匙在我这里。"), "{told}");
}

/// A call that fails is a reply that failed: the others have theirs.
#[test]
fn one_that_fails_leaves_the_others() {
    let fails = |answer: Answer, status: Status| {
        let scene = Scene::of_four(Mode::All, 8, 30_000);
        scene.play.sim.llm.replace([Answer::text(["一"]), answer, Answer::text(["三"]), Answer::text(["四"])]);
        let replies = scene.round(Ask::New("说吧。".into()));
        let all: Vec<_> = replies.iter().map(|reply| (reply.text.as_str(), reply.status)).collect();
        assert_eq!(all, [("一", Status::Done), ("", status), ("三", Status::Done), ("四", Status::Done)]);
        let told: String = scene.play.messages(3).into_iter().map(|message| message.1).collect();
        assert!(told.contains("Alserqi：一") && told.contains("老周：三") && !told.contains("阿青："), "{told}");
        // It can be tried again, by the same.
        scene.play.sim.llm.replace([Answer::text(["二"])]);
        let again = scene.round(Ask::Again(replies[1].turn.clone())).pop().unwrap();
        assert_eq!((again.text.as_str(), by(&again)), ("二", Some("qing")));
    };
    fails(Answer::error(429, "{}"), Status::Error);
    fails(Answer::text([]), Status::Empty);
}

#[test]
fn a_stop_stops_the_round() {
    let scene = Scene::of_four(Mode::All, 8, 30_000);
    let broken = Answer::unfinished(["二"]).then(Step::Wait(50_000)).then(Step::Bytes(b"never".to_vec()));
    scene.play.sim.llm.replace([Answer::text(["一"]), broken, Answer::text(["三"])]);
    let (stopper, stop) = stopper();
    let stopper = RefCell::new(stopper);
    let show = |shown: Shown| {
        if matches!(&shown, Shown::Reply(reply) if reply.text == "二") {
            stopper.borrow_mut().stop(FaultKind::Stopped);
        }
    };
    let story = &scene.play.story.id;
    let replies = block_on(scene.play.conductor.round(story, Ask::New("数".into()), stop, &show)).unwrap();
    let all: Vec<_> = replies.iter().map(|reply| (reply.text.as_str(), reply.status)).collect();
    assert_eq!(all, [("一", Status::Done), ("二", Status::Interrupted)]);
    assert_eq!(scene.play.sim.llm.requests().len(), 2, "nobody else was asked");
}

/// By hand the reader's words wait; whom they let speak speaks, and a turn may be spoken by another.
#[test]
fn by_hand() {
    let scene = Scene::of_four(Mode::Hand, 4, 30_000);
    scene.play.sim.llm.replace(["一", "二", "三"].map(|text| Answer::text([text])));
    assert_eq!(scene.round(Ask::New("有人吗？".into())), []);
    let words = scene.play.nodes().pop().unwrap();
    assert_eq!((words.turn.user.as_deref(), words.generations.len()), (Some("有人吗？"), 0));
    let reply = scene.round(Ask::Speak("zhou".into())).pop().unwrap();
    assert_eq!((reply.text.as_str(), by(&reply)), ("一", Some("zhou")));
    let other = scene.round(Ask::AgainBy(reply.turn.clone(), "man".into())).pop().unwrap();
    assert_eq!((other.text.as_str(), by(&other)), ("二", Some("man")));
    assert_eq!(scene.play.nodes().pop().unwrap().generations.len(), 2, "a swipe of another's");
    let told: String = scene.play.messages(1).into_iter().map(|message| message.1).collect();
    assert!(!told.contains("老周：一") && told.contains("有人吗？"), "{told}");
    // The words themselves can be answered afterwards.
    let late = scene.round(Ask::AgainBy(words.turn.id.clone(), "qing".into())).pop().unwrap();
    assert_eq!(by(&late), Some("qing"));
    let refused =
        block_on(scene.play.conductor.play(&scene.play.story.id, Ask::Speak("nobody".into()), Stop::never(), &|_| ()));
    assert_eq!(refused.unwrap_err().kind, FaultKind::BadRequest);
}

/// Who is there hangs on the tree: going back brings them back, another branch has others.
#[test]
fn the_company_follows_the_tree() {
    let mut scene = Scene::of_four(Mode::Turns, 1, 30_000);
    scene.plays("一", None);
    let before = scene.play.storyline().head;
    scene.moves(Move::Leaves("qing".into()));
    scene.plays("二", None);
    let id = scene.play.story.id.clone();
    let present = |scene: &Scene| {
        let present = block_on(scene.play.conductor.present(&scene.play.storyline())).unwrap();
        present.into_iter().map(|one| one.0).collect::<Vec<_>>()
    };
    assert_eq!(present(&scene), ["alserqi", "zhou", "man"]);
    let after = scene.play.storyline().head;
    block_on(scene.play.conductor.move_to(&id, &before)).unwrap();
    assert_eq!(present(&scene).len(), 4);
    scene.present.insert("qing".into());
    assert_eq!(scene.plays("阿青，", None), ["qing"]);
    assert_eq!(present(&scene).len(), 4, "on its branch she never left");
    block_on(scene.play.conductor.move_to(&id, &after)).unwrap();
    assert_eq!(present(&scene).len(), 3);
    // Out of the story: what was said stays, and the story's own stays in it.
    scene.moves(Move::Quits("zhou".into()));
    assert_eq!(scene.play.storyline().cast.len(), 3);
    for refused in [Move::Quits("alserqi".into()), Move::Joins("man".into()), Move::Leaves("qing".into())] {
        assert!(block_on(scene.play.conductor.stage(&id, &refused, &|_| ())).is_err(), "{refused:?}");
    }
}

/// What a scene may do next.
#[derive(Clone, Debug)]
enum Beat {
    Say(Option<usize>),
    Whisper(Vec<usize>),
    Speak(usize),
    Again,
    Leaves(usize),
    Returns(usize),
    Back(u32),
}

fn beats() -> impl Strategy<Value = Vec<Beat>> {
    let who = || 0..CAST.len();
    let beat = prop_oneof![
        4 => prop::option::of(who()).prop_map(Beat::Say),
        2 => prop::collection::vec(who(), 1..3).prop_map(Beat::Whisper),
        1 => who().prop_map(Beat::Speak),
        1 => Just(Beat::Again),
        2 => who().prop_map(Beat::Leaves),
        2 => who().prop_map(Beat::Returns),
        1 => (1u32..4).prop_map(Beat::Back),
    ];
    prop::collection::vec(beat, 1..16)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Whatever happens in a scene: no prompt ever holds a word that its speaker could not have heard on this path.
    #[test]
    fn nobody_is_told_what_they_could_not_know(beats in beats(), small in any::<bool>()) {
        let mut scene = Scene::of_four(Mode::Chance, 3, if small { 2_600 } else { 30_000 });
        let id = scene.play.story.id.clone();
        // Who was there after each place, by the end of its path.
        let mut there = BTreeMap::new();
        for beat in beats {
            match beat {
                Beat::Say(named) => {
                    let name = named.map_or("", |who| CAST[who].1);
                    if !scene.present.is_empty() {
                        scene.plays(&format!("{name}，钟楼下面的记号。"), None);
                    }
                }
                Beat::Whisper(to) => {
                    let to: Vec<&str> = to.iter().map(|who| CAST[*who].0).filter(|who| scene.present.contains(*who)).collect();
                    if !to.is_empty() {
                        scene.plays("悄悄说：钟楼。", Some(&to));
                    }
                }
                Beat::Speak(who) => {
                    let who = CAST[who].0;
                    let last = scene.play.nodes().pop().unwrap();
                    let heard = last.turn.heard_by.filter(|heard| heard.iter().any(|one| one.0 == who));
                    let hears = heard.map_or(scene.present.clone(), |heard| heard.into_iter().map(|one| one.0).collect());
                    if hears.contains(who) {
                        let marks = scene.answers(1);
                        let request = scene.play.sim.llm.requests().len();
                        let reply = scene.round(Ask::Speak(who.into())).pop().unwrap();
                        scene.looks(request, &reply, &hears);
                        scene.heard.insert(marks[0].clone(), hears);
                    }
                }
                Beat::Again => {
                    let last = scene.play.nodes().pop().unwrap();
                    if last.turn.position > 0 && last.reply().is_some() {
                        let marks = scene.answers(1);
                        let request = scene.play.sim.llm.requests().len();
                        let reply = scene.round(Ask::Again(last.turn.id.clone())).pop().unwrap();
                        let heard = last.turn.heard_by.clone();
                        let hears = heard.map_or(scene.present.clone(), |heard| heard.into_iter().map(|one| one.0).collect());
                        scene.looks(request, &reply, &hears);
                        scene.heard.insert(marks[0].clone(), hears);
                    }
                }
                Beat::Leaves(who) if scene.present.contains(CAST[who].0) => scene.moves(Move::Leaves(CAST[who].0.into())),
                Beat::Returns(who) if !scene.present.contains(CAST[who].0) => scene.moves(Move::Returns(CAST[who].0.into())),
                Beat::Leaves(_) | Beat::Returns(_) => {}
                Beat::Back(by) => {
                    let head = scene.play.storyline().head;
                    let nodes = scene.play.nodes();
                    let Some(node) = nodes.iter().rev().nth(by as usize).filter(|node| node.turn.position > 4) else { continue };
                    let end = node.turn.position + 1;
                    let known = there.get(&(node.turn.branch.0.clone(), end)).cloned();
                    if let Some(present) = known {
                        let to = crate::story::tree::Head { branch: node.turn.branch.clone(), end };
                        block_on(scene.play.conductor.move_to(&id, &to)).unwrap();
                        scene.present = present;
                    }
                    let _ = head;
                }
            }
            let head = scene.play.storyline().head;
            there.insert((head.branch.0.clone(), head.end), scene.present.clone());
        }
    }
}
