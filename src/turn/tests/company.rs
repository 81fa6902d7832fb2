//! What would have told somebody of a scene what they did not hear, or let the wrong one speak.

use super::{
    groups::{CAST, Scene, by},
    *,
};
use crate::{
    features::{
        group::{Mode, Move},
        scribe::ScribeSettings,
    },
    story::{character::Card, memory::Memory, state::State, warning::Cause, written::Text},
    turn::memories::Change,
};

/// A scribe's note that nothing has changed.
const NOTE: &str = r#"{"feels": ""}"#;

fn answers(scene: &Scene, texts: &[&str]) {
    scene.play.sim.llm.replace(texts.iter().map(|text| Answer::text([*text])).collect::<Vec<_>>());
}

/// The scene is told by the preset in which the whole engine plays.
fn lives(scene: &Scene, change: impl FnOnce(&mut Storyline)) {
    let mut story = scene.play.storyline();
    story.preset = "living".into();
    change(&mut story);
    block_on(scene.play.sim.store.commit(Batch::new().put(&story))).unwrap();
}

/// The newest prompt.
fn told(scene: &Scene) -> String {
    let newest = scene.play.sim.llm.requests().len() - 1;
    scene.play.messages(newest).into_iter().map(|(_, text)| text + "\n").collect()
}

/// A whisper that is reworded beside itself is one still, and so is somebody's leaving.
#[test]
fn a_turn_reworded_on_a_branch_is_heard_as_it_was() {
    let mut scene = Scene::of_four(Mode::Hand, 1, 30_000);
    let id = scene.play.story.id.clone();
    answers(&scene, &["好。"]);
    scene.round(Ask::Whisper("小满，把灯藏好。".into(), vec!["man".into()]));
    let whisper = scene.play.nodes().pop().unwrap().turn;
    let reword =
        |turn: &Turn, text: &str| block_on(scene.play.conductor.edit_user_as_branch(&id, &turn.id, text)).unwrap();
    let reworded = reword(&whisper, "小满，把灯吹了。");
    answers(&scene, &["嗯。", "什么事？"]);
    assert_eq!(by(&scene.round(Ask::Again(reworded))[0]), Some("man"), "nobody else heard it");
    scene.round(Ask::New("阿青，你听见了吗？".into()));
    assert!(!told(&scene).contains("把灯吹了") && told(&scene).contains("你听见了吗"), "{}", told(&scene));
    scene.moves(Move::Leaves("qing".into()));
    let leaves = scene.play.nodes().pop().unwrap().turn;
    block_on(scene.play.conductor.edit_user_as_branch(&id, &leaves.id, "（阿青悄悄走了。）")).unwrap();
    let present = block_on(scene.play.conductor.present(&scene.play.storyline())).unwrap();
    assert_eq!(present.len(), 3);
    assert!(scene.play.nodes().pop().unwrap().turn.is_stage);
}

/// What others think and what changes in them is theirs, whatever the preset shows of a reply; nor does it call anybody.
#[test]
fn others_are_heard_and_not_read() {
    let scene = Scene::of_four(Mode::Turns, 3, 30_000);
    answers(&scene, &["<think>我要骗小满。</think>\n他点头。\n<changes>\n关系 小满：仇人（旧账）\n</changes>", "嗯。"]);
    let replies = scene.round(Ask::New("老周，你说呢？".into()));
    assert_eq!(replies.len(), 1, "nobody was called aloud");
    scene.round(Ask::New("小满？".into()));
    let told = told(&scene);
    assert!(told.contains("老周：他点头。"), "{told}");
    assert!(!told.contains("骗小满") && !told.contains("仇人"), "{told}");
}

/// What changed in one of several is a memory of theirs, and the others are not told it; what all could see is everybody's.
#[test]
fn what_changes_in_one_is_a_memory_of_theirs() {
    let scene = Scene::of_four(Mode::Hand, 1, 30_000);
    lives(&scene, |_| ());
    answers(&scene, &["他点头。\n<changes>\n目标：骗过小满（旧账）\n世界 灯：灭了\n</changes>", "嗯。", "嗯。"]);
    let reply = scene.round(Ask::New("老周？".into())).remove(0);
    let events = || block_on(scene.play.sim.ports.store.list::<Memory>(Query::all(Table::Memories))).unwrap();
    let mut whose: Vec<_> = events().into_iter().map(|memory| (memory.owner, memory.text)).collect();
    whose.sort();
    assert_eq!(whose, [(None, "灯：灭了".into()), (Some("zhou".into()), "老周想要：骗过小满".into())]);
    for event in events() {
        block_on(scene.play.conductor.change_memory(&event.id, Change::Pin(true))).unwrap();
    }
    // Read anew, both are what it says now.
    let anew = |text: &str| {
        block_on(scene.play.conductor.edit_reply(&reply.id, text)).unwrap();
        block_on(scene.play.conductor.read_anew(&reply.id)).unwrap();
    };
    anew("他点头。\n<changes>\n世界 灯：灭了\n</changes>");
    assert!(matches!(&events()[..], [Memory { owner: None, pinned: true, .. }]), "{:?}", events());
    anew("他点头。\n<changes>\n目标：帮小满\n世界 灯：灭了\n</changes>");
    for event in events() {
        block_on(scene.play.conductor.change_memory(&event.id, Change::Pin(true))).unwrap();
    }
    let recalled = |who: &str| {
        scene.round(Ask::New(format!("{who}？")));
        ["老周想要：帮小满", "灯：灭了"].map(|text| told(&scene).contains(text))
    };
    assert_eq!([recalled("小满"), recalled("老周")], [[false, true], [true, true]]);
}

/// Who is left alone in a story is in it.
#[test]
fn the_last_one_is_there() {
    let mut scene = Scene::of_four(Mode::Turns, 1, 30_000);
    scene.moves(Move::Leaves("alserqi".into()));
    for who in ["qing", "zhou", "man"] {
        scene.moves(Move::Quits(who.into()));
    }
    answers(&scene, &["我在。", "是。"]);
    scene.play.say("有人吗？");
    scene.play.say("你在？");
    assert!(told(&scene).contains("有人吗？") && told(&scene).contains("我在。"), "{}", told(&scene));
}

/// Who was taken out of the story at a turn that is gone, or that the head has left, is of it again, and is asked.
#[test]
fn who_was_taken_out_is_back_with_the_turn_before() {
    for is_deleted in [true, false] {
        let mut scene = Scene::of_four(Mode::Turns, 1, 30_000);
        answers(&scene, &["一", "二"]);
        scene.round(Ask::New("都在？".into()));
        let before = scene.play.storyline();
        scene.moves(Move::Quits("zhou".into()));
        let after = scene.play.storyline();
        assert!(!after.cast.contains(&"zhou".into()));
        let nodes = scene.play.nodes();
        let last = &nodes.last().unwrap().turn;
        let conductor = &scene.play.conductor;
        match is_deleted {
            true => drop(block_on(conductor.discard_from(&last.id)).unwrap()),
            false => drop(block_on(conductor.move_to(&before.id, &before.head)).unwrap()),
        }
        let story = scene.play.storyline();
        assert_eq!(story.head, before.head);
        assert_eq!(block_on(conductor.present(&story)).unwrap().len(), 4);
        let asked = scene.round(Ask::AgainBy(nodes[nodes.len() - 2].turn.id.clone(), "zhou".into()));
        assert_eq!(asked[0].speaker, Some("zhou".into()));
        assert!(scene.play.storyline().cast.contains(&"zhou".into()));
    }
}

/// Another reply amid a round is a branch on which the same are there.
#[test]
fn another_reply_amid_a_round_keeps_the_company() {
    let scene = Scene::of_four(Mode::All, 3, 30_000);
    answers(&scene, &["一", "二", "三", "又"]);
    let replies = scene.round(Ask::New("阿青，老周？".into()));
    scene.round(Ask::Again(replies[0].turn.clone()));
    let present = block_on(scene.play.conductor.present(&scene.play.storyline())).unwrap();
    assert_eq!(present.len(), 4, "{:?}", scene.play.storyline().head);
}

/// In an empty room nobody answers, asked twice or not.
#[test]
fn nobody_answers_in_an_empty_room() {
    let mut scene = Scene::of_four(Mode::All, 4, 30_000);
    for who in ["alserqi", "qing", "zhou", "man"] {
        scene.moves(Move::Leaves(who.into()));
    }
    assert_eq!(scene.round(Ask::New("有人吗？".into())), []);
    let words = scene.play.nodes().pop().unwrap().turn.id;
    let again = scene.play.conductor.round(&scene.play.story.id, Ask::Again(words), Stop::never(), &|_| ());
    assert_eq!(block_on(again).unwrap_err().kind, FaultKind::BadRequest);
    assert_eq!(scene.play.sim.llm.requests().len(), 0);
}

fn whole(messages: Vec<(String, String)>) -> String {
    messages.into_iter().map(|(role, said)| format!("──── {role}\n{said}\n")).collect()
}

/// The prompts of a scene, whole, as the model reads them: an answer amid a round, one who was away, and a whisper.
#[test]
fn a_scene_as_the_model_reads_it() {
    let tales = [
        (
            Language::Zh,
            ["林夕", "阿青", "老周"],
            ["守钟人。", "卖花人。", "铁匠。"],
            [
                "钟裂了。",
                "那就别敲了。",
                "裂了也要敲。",
                "老周，钥匙在哪？",
                "在石头下面。",
                "阿青，你去哪了？",
                "去看花。",
                "把灯藏好。",
                "好。",
            ],
        ),
        (
            Language::En,
            ["Lin", "Ada", "Tom"],
            ["Keeps the bells.", "Sells flowers.", "A smith."],
            [
                "The bell is cracked.",
                "Then do not ring it.",
                "It will ring all the same.",
                "Tom, where is the key?",
                "Under the stone.",
                "Ada, where have you been?",
                "Among the flowers.",
                "Hide the lamp.",
                "I will.",
            ],
        ),
    ];
    for (language, names, cards, words) in tales {
        let mut scene = Scene::new(Mode::All, 2, 30_000);
        let (store, mut story) = (scene.play.sim.ports.store.clone(), scene.play.storyline());
        block_on(async {
            for ((id, _), (name, card)) in CAST.into_iter().zip(names.into_iter().zip(cards)) {
                let card = Card { description: card.into(), ..Default::default() };
                store.save(&Character { id: id.into(), name: name.into(), card, ..Default::default() }).await.unwrap();
            }
            (story.language, story.preset) = (language, "living".into());
            let mut state: State = store.load(story.initial_state.as_str()).await.unwrap().unwrap();
            state.persona_mut(None).base_persona = cards[0].into();
            store.commit(Batch::new().put(&story).put(&state)).await.unwrap();
        });
        scene.moves(Move::Joins("qing".into()));
        scene.moves(Move::Joins("zhou".into()));
        let say = |scene: &Scene, ask: Ask, replies: &[&str]| {
            scene.play.sim.llm.replace(replies.iter().map(|reply| Answer::text([*reply])).collect::<Vec<_>>());
            let asked = scene.play.sim.llm.requests().len();
            assert_eq!(scene.round(ask).len(), replies.len());
            (asked..asked + replies.len()).map(|nth| whole(scene.play.messages(nth))).next_back().unwrap()
        };
        let amid = say(&scene, Ask::New(words[0].into()), &words[1..3]);
        scene.moves(Move::Leaves("qing".into()));
        say(&scene, Ask::New(words[3].into()), &words[4..5]);
        scene.moves(Move::Returns("qing".into()));
        let away = say(&scene, Ask::New(words[5].into()), &words[6..7]);
        let whisper = say(&scene, Ask::Whisper(words[7].into(), vec!["zhou".into()]), &words[8..9]);
        for (name, prompt) in [("amid", amid), ("away", away), ("whisper", whisper)] {
            insta::assert_snapshot!(format!("group_{name}_{language:?}"), prompt);
        }
    }
}

/// A prompt that is too long is one for all of a round: the first waits for the reader's word, and nobody else is asked.
#[test]
fn a_round_waits_where_its_prompt_is_too_long() {
    let scene = Scene::of_four(Mode::All, 3, 1_400);
    answers(&scene, &["一", "二", "三"]);
    let replies = scene.round(Ask::New("钟楼。".repeat(2_000)));
    assert_eq!(replies.len(), 1);
    assert!(replies[0].fault.as_ref().is_some_and(|fault| fault.kind.is_too_long()), "{:?}", replies[0].fault);
    assert_eq!(scene.play.sim.llm.requests().len(), 0);
}

/// What nobody has answered was said: whoever reads the story behind it reads that, too.
#[test]
fn words_without_an_answer_are_read() {
    let scene = Scene::of_four(Mode::Hand, 1, 30_000);
    let id = scene.play.story.id.clone();
    lives(&scene, |_| ());
    assert_eq!(scene.round(Ask::New("钥匙在井里。".into())), []);
    answers(&scene, &["她朝井边看了一眼。", "他们知道钥匙在井里。", NOTE, NOTE, NOTE]);
    scene.round(Ask::Speak("qing".into()));
    block_on(scene.play.conductor.write_texts(&id, Some((Text::Plot, None)), Stop::never())).unwrap();
    assert!(told(&scene).contains("钥匙在井里") && told(&scene).contains("井边看了一眼"), "{}", told(&scene));
    let before = scene.play.sim.llm.requests().len();
    block_on(scene.play.conductor.scribe(&id, true, Stop::never())).unwrap();
    let requests = scene.play.sim.llm.requests();
    let read = |text: &str| requests[before..].iter().any(|request| request.body.as_ref().unwrap().contains(text));
    assert!(
        read("钥匙在井里") && read("井边看了一眼"),
        "{:?}",
        requests[before..].iter().map(|one| &one.body).collect::<Vec<_>>()
    );
}

/// A summary of a session tells what happened in all of it: who was out for a part of it is not told it.
#[test]
fn a_session_that_somebody_missed_is_not_summed_up_to_them() {
    let mut scene = Scene::of_four(Mode::Hand, 1, 30_000);
    let id = scene.play.story.id.clone();
    answers(&scene, &["好。", "嗯。"]);
    scene.round(Ask::New("小满，坐。".into()));
    scene.moves(Move::Leaves("qing".into()));
    scene.round(Ask::New("小满，钥匙在井里。".into()));
    scene.moves(Move::Returns("qing".into()));
    answers(
        &scene,
        &[
            r#"{"summary": "小满得知钥匙在井里。", "points": [{"turns": [1, 7], "text": "钥匙在井里", "detail": "小满听说的"}]}"#,
        ],
    );
    block_on(scene.play.conductor.summarise(&id, Stop::never(), &|_| {})).unwrap();
    let asks = |who: &str| {
        answers(&scene, &["是。"]);
        scene.round(Ask::New(format!("{who}，还记得之前的钥匙吗？")));
        told(&scene)
    };
    let knows = asks("小满");
    assert!(knows.contains("钥匙在井里"), "{knows}");
    let missed = asks("阿青");
    assert!(missed.contains("现在只写阿青") && !missed.contains("钥匙在井里"), "{missed}");
}

/// Where the storyline's own character is deleted, the others go on, and what is read behind the story is.
#[test]
fn the_others_go_on_without_the_storys_own() {
    let scene = Scene::of_four(Mode::Turns, 1, 30_000);
    let id = scene.play.story.id.clone();
    lives(&scene, |_| ());
    answers(&scene, &["我走了。"]);
    scene.round(Ask::New("Alserqi？".into()));
    block_on(scene.play.sim.store.commit(Batch::new().delete(Table::Characters, "alserqi"))).unwrap();
    answers(&scene, &["他走了。", NOTE, NOTE, NOTE, NOTE]);
    let replies = scene.round(Ask::New("阿青，他在哪里？".into()));
    assert_eq!(by(&replies[0]), Some("qing"));
    block_on(scene.play.conductor.scribe(&id, true, Stop::never())).unwrap();
    let requests = scene.play.sim.llm.requests();
    assert!(requests.iter().any(|one| one.body.as_ref().unwrap().contains("已经不在的人: 我走了")));
    answers(&scene, &["有人走了。", "阿青变得沉默。", r#"{"summary": "有人走了。", "points": []}"#]);
    block_on(scene.play.conductor.write_texts(&id, Some((Text::Plot, None)), Stop::never())).unwrap();
    block_on(scene.play.conductor.update_memory(&id, Some("qing".into()), Stop::never())).unwrap();
    block_on(scene.play.conductor.summarise(&id, Stop::never(), &|_| {})).unwrap();
}

/// Whom the model chooses, speaks; whom the words name, without asking it. Where it does not say, it goes by turns.
#[test]
fn the_model_chooses_who_speaks() {
    let scene = Scene::of_four(Mode::Model, 3, 30_000);
    let speaks = |text: &str, says: &[&str]| {
        answers(&scene, says);
        let before = scene.play.sim.llm.requests().len();
        let replies = scene.round(Ask::New(text.into()));
        let speakers: Vec<String> =
            replies.iter().map(|reply| scene.play.story.speaker(reply.speaker.as_ref()).0.clone()).collect();
        (speakers.join(" "), scene.play.sim.llm.requests().len() - before)
    };
    let chosen = [r#"{"speaker": "老周"}"#, "他放下杯子。", r#"{"speaker": "小满"}"#, "她笑了。", r#"{"speaker": ""}"#];
    assert_eq!(speaks("门外有人。", &chosen), ("zhou man".into(), 5));
    let requests = scene.play.sim.llm.requests();
    let asked = |nth: usize| requests[requests.len() - nth].body.clone().unwrap();
    assert!(asked(5).contains("门外有人") && asked(5).contains("请判断接下来该由谁"), "{}", asked(5));
    assert!(asked(3).contains("已经开过口的有：老周") && !asked(3).contains("还没有开口的有：Alserqi、阿青、老周"));
    assert_eq!(speaks("阿青，你去开门。", &["好。"]), ("qing".into(), 1), "who is named is not asked for");
    let (speakers, calls) = speaks("谁来？", &["我不知道。", "我来。", "还是不知道。"]);
    assert_eq!((speakers.as_str(), calls), ("zhou", 3), "the next in turn, and nobody after");
    let noted = || scene.play.nodes().pop().unwrap().reply().unwrap().notices().pop().map(|notice| notice.cause);
    assert_eq!(noted(), Some(Cause::NotChosen { fault: None }));
    scene.play.sim.llm.replace([Answer::error(401, "no"), Answer::text(["我在。"]), Answer::text(["{}"])]);
    let replies = scene.round(Ask::New("还有谁？".into()));
    assert_eq!(replies[0].text, "我在。");
    assert!(matches!(noted(), Some(Cause::NotChosen { fault: Some(_) })), "{:?}", noted());
    // A whisper is answered by who heard it, and one alone need not be chosen.
    answers(&scene, &["嗯。"]);
    let replies = scene.round(Ask::Whisper("轻一点。".into(), vec!["man".into()]));
    assert_eq!(replies.iter().map(by).collect::<Vec<_>>(), [Some("man")]);
    // Stopped while it chooses, nobody speaks, and the words stand.
    let slow = Answer::unfinished(["{"]).then(crate::sim::llm::Step::Wait(60_000));
    scene.play.sim.llm.replace([slow]);
    let (mut stopper, stop) = stopper();
    let stopping = async {
        crate::sim::ports::yield_once().await;
        stopper.stop(FaultKind::Stopped);
    };
    let round = scene.play.conductor.round(&scene.play.story.id, Ask::New("等等。".into()), stop, &|_| ());
    let (replies, ()) = block_on(async { futures_util::join!(round, stopping) });
    assert_eq!(replies.unwrap(), []);
    assert_eq!(scene.play.nodes().pop().unwrap().turn.user.as_deref(), Some("等等。"));
}

/// A run of one speaker over several exchanges: all of the reader's words are in it.
#[test]
fn the_readers_words_between_one_speakers_turns_are_read() {
    let scene = Scene::of_four(Mode::Hand, 1, 30_000);
    let id = scene.play.story.id.clone();
    lives(&scene, |_| ());
    for (words, reply) in [("钥匙在井里。", "她朝井边看了一眼。"), ("绳子在马厩。", "她点点头。")]
    {
        assert_eq!(scene.round(Ask::New("听好。".into())), []);
        assert_eq!(scene.round(Ask::New(words.into())), []);
        assert_eq!(scene.round(Ask::Whisper("别信阿青。".into(), vec!["man".into()])), []);
        answers(&scene, &[reply]);
        scene.round(Ask::Speak("qing".into()));
    }
    answers(&scene, &[NOTE, NOTE, NOTE]);
    let before = scene.play.sim.llm.requests().len();
    block_on(scene.play.conductor.scribe(&id, true, Stop::never())).unwrap();
    let all = scene.play.sim.llm.requests();
    let asked: Vec<_> = all[before..].iter().map(|request| request.body.clone().unwrap()).collect();
    let read = asked.iter().find(|body| body.contains("她点点头")).unwrap();
    for words in ["钥匙在井里", "她朝井边看了一眼", "绳子在马厩"] {
        assert_eq!(read.matches(words).count(), 1, "{words}: {read}");
    }
    assert_eq!(read.matches("听好").count(), 2, "{read}");
    assert!(!read.contains("别信阿青"), "what was whispered to another: {read}");
}

/// What could not be noted of one is tried again once another has spoken.
#[test]
fn a_scribe_that_failed_of_one_goes_on() {
    let scene = Scene::of_four(Mode::Hand, 1, 30_000);
    let id = scene.play.story.id.clone();
    lives(&scene, |story| story.features.set(&ScribeSettings { enabled: true, ..Default::default() }));
    let speaks = |who: &str| {
        answers(&scene, &["她点点头。"]);
        scene.round(Ask::Speak(who.into()));
    };
    speaks("qing");
    scene.play.sim.llm.replace([Answer::error(500, "")]);
    block_on(scene.play.conductor.scribe(&id, false, Stop::never())).unwrap_err();
    answers(&scene, &[NOTE, NOTE, NOTE]);
    assert_eq!(block_on(scene.play.conductor.scribe(&id, false, Stop::never())), Ok(false), "not at once");
    speaks("man");
    answers(&scene, &[NOTE, NOTE, NOTE]);
    assert_eq!(block_on(scene.play.conductor.scribe(&id, false, Stop::never())), Ok(true));
}
