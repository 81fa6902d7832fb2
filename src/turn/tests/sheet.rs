//! Character sheet and plot summary: written after turns, each by itself or locked, on the tree.

use super::{groups::Scene, *};
use crate::{
    features::{
        group::Mode,
        sheet::{self, TextSettings},
    },
    story::{
        ids::CharacterId,
        spending::Kind,
        state::{Change, State},
        tree::Node,
        warning::{Cause, Notice},
        written::Text,
    },
    turn::sheet::Outcome,
};

fn prose(text: &str) -> Answer {
    Answer::text([text])
}

/// A story in which both are on, every four messages.
fn kept(answers: impl IntoIterator<Item = Answer>, change: impl Fn(Text, &mut TextSettings)) -> Play {
    let play = play(answers);
    let mut story = play.storyline();
    let preset = block_on(scene::preset(&*play.sim.ports.store, &story));
    for text in Text::ALL {
        sheet::change(text, &mut story, &preset, |settings| {
            (settings.enabled, settings.messages) = (true, 4);
            change(text, settings);
        });
    }
    block_on(play.sim.ports.store.save(&story)).unwrap();
    play
}

impl Play {
    fn texts(&self, asked: Option<Text>) -> Outcome {
        block_on(self.conductor.write_texts(&self.story.id, asked.map(|text| (text, None)), Stop::never())).unwrap()
    }

    fn said_to(&self, request: usize) -> String {
        self.messages(request).pop().unwrap().1
    }
}

fn wrote(texts: &[Text]) -> Outcome {
    Outcome { written: texts.iter().map(|text| (*text, None)).collect(), missed: Vec::new() }
}

#[test]
fn after_so_many_messages() {
    let answers =
        ["一。", "二。", "## 心情\n疲惫", "- 他来了", "三。", "四。", "## 心情\n安心", "- 他来了\n- 他走了", "五。"];
    let play = kept(answers.map(prose), |_, _| {});
    play.say("甲");
    assert_eq!(play.texts(None), Outcome::default());
    play.say("乙");
    assert_eq!(play.texts(None), wrote(&Text::ALL));
    assert_eq!(play.texts(None), Outcome::default(), "once is enough");
    let state = play.state();
    assert_eq!((state.sheet.as_str(), state.summary.as_str()), ("## 心情\n疲惫", "- 他来了"));
    let reply = play.nodes().pop().unwrap().reply().unwrap().clone();
    assert_eq!((&reply.extra["characterSheet"], &reply.extra["memory"]), (&"## 心情\n疲惫".into(), &"- 他来了".into()));
    assert!(reply.extra["rpContextVersion"] == 1 && reply.extra["lastUpdate"].is_u64());
    assert!(reply.changes().contains(&Change::Text { of: Text::Sheet, whose: String::new() }));
    let asked = play.said_to(2);
    assert!(asked.contains("（还没有）") && asked.contains("甲") && asked.contains("二。"), "{asked}");

    play.say("丙");
    let told = play.messages(4).iter().map(|(_, text)| text.clone()).collect::<String>();
    assert!(told.contains("疲惫") && told.contains("- 他来了"), "{told}");
    play.say("丁");
    assert_eq!(play.texts(None), wrote(&Text::ALL));
    let asked = play.said_to(6);
    assert!(asked.contains("疲惫") && asked.contains("丙") && !asked.contains("甲"), "only what is new: {asked}");
    assert_eq!(play.state().summary, "- 他来了\n- 他走了");
    // The same reply, read anew, says the same.
    let reply = play.nodes().pop().unwrap().reply().unwrap().id.clone();
    block_on(play.conductor.read_anew(&reply)).unwrap();
    assert_eq!(play.state().sheet, "## 心情\n安心");
    // It stays when it is switched off, and is not told.
    let mut story = play.storyline();
    Text::ALL.iter().for_each(|text| story.features.switch(text.name(), false));
    block_on(play.sim.ports.store.save(&story)).unwrap();
    block_on(play.conductor.read_anew(&reply)).unwrap();
    play.say("戊");
    assert_eq!(play.state().sheet, "## 心情\n安心");
    let told = play.messages(8).iter().map(|(_, text)| text.clone()).collect::<String>();
    assert!(!told.contains("安心"), "{told}");
}

/// D8: neither stops the other, and what failed is said at the reply and asked for again by hand.
#[test]
fn one_that_fails() {
    let answers = [prose("一。"), prose("二。"), prose(""), prose("- 他来了"), prose("## 心情\n疲惫")];
    let play = kept(answers, |_, _| {});
    play.say("甲");
    play.say("乙");
    assert_eq!(
        play.texts(None),
        Outcome { written: vec![(Text::Plot, None)], missed: vec![((Text::Sheet, None), None)] }
    );
    let reply = play.nodes().pop().unwrap().reply().unwrap().clone();
    let notice = reply.notices().into_iter().find(|notice| notice.module == "sheet").unwrap();
    assert_eq!(notice.cause, Cause::NotNoted { fault: None, whose: String::new() });
    assert_eq!((play.state().sheet.as_str(), play.state().summary.as_str()), ("", "- 他来了"));
    assert_eq!(play.texts(None), Outcome::default(), "it is not asked over and over");
    assert_eq!(play.texts(Some(Text::Sheet)), wrote(&[Text::Sheet]));
    let reply = play.nodes().pop().unwrap().reply().unwrap().clone();
    assert!(reply.notices().is_empty());
    let spent = reply.spent();
    let calls = spent.iter().filter(|spent| spent.kind == Kind::Sheet).map(|spent| spent.calls).sum::<u32>();
    assert_eq!(calls, 3, "{spent:?}");
}

/// D4: the summary rests of itself, and is written after the sheet in the same turn, whichever is due.
#[test]
fn locked() {
    let answers = ["一。", "二。", "## 心情\n疲惫", "- 他来了"].map(prose);
    let play = kept(answers, |text, settings| match text {
        Text::Sheet => (settings.lock, settings.messages) = (true, 0),
        Text::Plot => (settings.frozen, settings.words) = (true, 6),
    });
    play.say("甲");
    play.say("乙");
    assert_eq!(play.texts(None), wrote(&[Text::Sheet, Text::Plot]));
    assert!(play.said_to(2).contains("状态卡") && play.said_to(3).contains("剧情摘要"));
}

#[test]
fn another_branch_has_another_sheet() {
    let answers = ["一。", "二。", "## 心情\n疲惫", "又二。", "## 心情\n高兴"].map(prose);
    let play = kept(answers, |text, settings| settings.enabled = text == Text::Sheet);
    play.say("甲");
    let turn = play.say("乙").turn;
    assert_eq!(play.texts(None), wrote(&[Text::Sheet]));
    block_on(play.conductor.play(&play.story.id, Ask::Again(turn), Stop::never(), &|_| {})).unwrap();
    assert_eq!(play.state().sheet, "", "another reply was not told of");
    assert_eq!(play.texts(None), wrote(&[Text::Sheet]));
    assert_eq!(play.state().sheet, "## 心情\n高兴");
}

#[test]
fn in_the_readers_own_words() {
    let answers = ["一。", "二。", "三。", "## 心情\n安心"].map(prose);
    let play = kept(answers, |text, settings| settings.enabled = text == Text::Sheet);
    play.say("甲");
    block_on(play.conductor.word_text(&play.story.id, (Text::Sheet, None), " 她很累 ")).unwrap();
    assert_eq!(play.state().sheet, "她很累");
    play.say("乙");
    assert_eq!(play.texts(None), Outcome::default(), "it counts from there");
    play.say("丙");
    assert_eq!(play.texts(None), wrote(&[Text::Sheet]));
    assert!(play.said_to(3).contains("她很累") && !play.said_to(3).contains("甲"), "{}", play.said_to(3));
    assert_eq!(play.state().sheet, "## 心情\n安心");
}

/// D6: a name is another in all of them, in what the reader wrote, too, and in each state that has them.
#[test]
fn other_words_in_all_of_them() {
    let answers = ["一。", "二。", "## 心情\n想念爱达", "三。", "四。", "## 心情\n爱达来了", "五。"].map(prose);
    let play = kept(answers, |text, settings| settings.enabled = text == Text::Sheet);
    play.say("甲");
    play.say("乙");
    play.texts(None);
    play.say("丙");
    block_on(play.conductor.word_text(&play.story.id, (Text::Sheet, None), "爱达走了")).unwrap();
    play.say("丁");
    play.texts(Some(Text::Sheet));
    let replace =
        |words: &str| block_on(play.conductor.replace_in_texts(&play.story.id, &(Text::Sheet, None), words, "艾达"));
    assert_eq!((replace(""), replace("没有")), (Ok(0), Ok(0)));
    assert_eq!(replace("爱达"), Ok(3));
    let told: Vec<String> = play
        .nodes()
        .iter()
        .filter_map(|node| {
            let state = node.reply()?.state.clone()?;
            Some(block_on(play.sim.ports.store.load::<State>(state.as_str())).unwrap()?.sheet)
        })
        .collect();
    assert_eq!(told, ["", "", "## 心情\n想念艾达", "艾达走了", "## 心情\n艾达来了"]);
    play.say("戊");
    assert!(play.messages(6).iter().any(|(_, text)| text.contains("艾达来了")));
    let nodes = play.nodes();
    let worded = nodes.iter().filter_map(|node| node.reply()?.worded(Text::Sheet, None)).collect::<Vec<_>>();
    assert_eq!(worded, ["艾达走了"]);
}

/// Asked for, a long story is read whole: each part makes a wording that holds from its last turn on, and what breaks off
/// goes on from there.
#[test]
fn a_long_story_is_read_in_parts() {
    let mut answers: Vec<String> = (1..=30).map(|turn| format!("第{turn}次。{}", "海".repeat(1_500))).collect();
    answers.extend(["## 心情\n一", "", "## 心情\n二"].map(String::from));
    answers.extend((3..20).map(|number| format!("## 心情\n{number}")));
    let play = kept(answers.iter().map(|text| prose(text)), |text, settings| {
        (settings.enabled, settings.messages) = (text == Text::Sheet, 0);
    });
    (1..=30).for_each(|turn| drop(play.say(&format!("问{turn}"))));
    assert_eq!(play.texts(Some(Text::Sheet)), Outcome { written: vec![], missed: vec![((Text::Sheet, None), None)] });
    assert_eq!(play.state().sheet, "## 心情\n一", "what was read is kept");
    assert_eq!(play.texts(Some(Text::Sheet)), wrote(&[Text::Sheet]));

    let requests = play.sim.llm.requests().len();
    let asked: Vec<String> = (30..requests).filter(|number| *number != 31).map(|number| play.said_to(number)).collect();
    assert!(asked.len() > 2, "{}", asked.len());
    for turn in 1..=30 {
        let told = asked.iter().filter(|asked| asked.contains(&format!("第{turn}次。"))).count();
        assert_eq!(told, 1, "turn {turn}");
    }
    assert!(asked[1].contains("## 心情\n一") && asked[2].contains("## 心情\n二"));
    let nodes = play.nodes();
    let written: Vec<String> =
        nodes.iter().filter_map(|node| Some(node.reply()?.written(Text::Sheet, None)?.text)).collect();
    let expected: Vec<String> = ["一", "二"]
        .map(String::from)
        .into_iter()
        .chain((3..).map(|n| n.to_string()))
        .take(asked.len())
        .map(|n| format!("## 心情\n{n}"))
        .collect();
    assert_eq!(written, expected);
    let newest = nodes.last().unwrap().reply().unwrap();
    assert!(newest.written(Text::Sheet, None).is_some() && newest.notices().is_empty());
    assert_eq!(Some(&play.state().sheet), expected.last());
    assert_eq!(play.texts(Some(Text::Sheet)), Outcome::default(), "nothing was told since");
}

/// A scene of four in which sheets are written every four messages.
fn scene_with_sheets() -> Scene {
    let scene = Scene::of_four(Mode::Hand, 1, 30_000);
    scene.keeps_sheets(4);
    scene
}

fn answered(scene: &Scene, texts: &[&str]) {
    scene.play.sim.llm.replace(texts.iter().map(|text| prose(text)).collect::<Vec<_>>());
}

fn newest(scene: &Scene) -> String {
    let newest = scene.play.sim.llm.requests().len() - 1;
    scene.play.messages(newest).into_iter().map(|(_, text)| text + "\n").collect()
}

/// Of several each has one, written of what they heard, told to them alone; who is silent costs nothing.
#[test]
fn each_of_several_has_a_sheet() {
    let scene = scene_with_sheets();
    let whose = |who: &str| (Text::Sheet, Some(CharacterId::from(who)));
    answered(&scene, &["嗯。", "好，我藏。"]);
    scene.round(Ask::New("阿青，坐。".into()));
    scene.round(Ask::Whisper("阿青，钥匙在井里。".into(), vec!["qing".into()]));
    // The story's own has heard two messages of four.
    let before = scene.play.sim.llm.requests().len();
    answered(&scene, &["## 目标\n藏好钥匙"]);
    assert_eq!(scene.play.texts(None), Outcome { written: vec![whose("qing")], missed: vec![] });
    let asked = scene.play.said_to(before);
    assert!(asked.contains("更新阿青的角色状态卡") && asked.contains("钥匙在井里"), "{asked}");
    assert_eq!(scene.play.texts(None), Outcome::default(), "once is enough");
    let reply = scene.play.nodes().pop().unwrap().reply().unwrap().clone();
    assert!(reply.changes().contains(&Change::Text { of: Text::Sheet, whose: "阿青".into() }), "{:?}", reply.changes());
    let held = |who: Option<&str>| {
        let state = scene.play.state();
        Text::Sheet.held(&state, who.map(CharacterId::from).as_ref()).to_owned()
    };
    assert_eq!(
        (held(Some("qing")), held(None), held(Some("zhou"))),
        ("## 目标\n藏好钥匙".into(), "".into(), "".into())
    );

    answered(&scene, &["在想事。", "我也在。"]);
    scene.round(Ask::New("阿青，想什么呢？".into()));
    assert!(newest(&scene).contains("[阿青现在的状态]\n## 目标\n藏好钥匙"), "{}", newest(&scene));
    scene.round(Ask::New("Alserqi，你呢？".into()));
    assert!(!newest(&scene).contains("藏好钥匙"), "{}", newest(&scene));

    // Both are due by now; the own's is written of what they heard, and the other's from where it stands.
    answered(&scene, &["## 心情\n平静", "## 目标\n想一想"]);
    let before = scene.play.sim.llm.requests().len();
    assert_eq!(scene.play.texts(None).written, [(Text::Sheet, None), whose("qing")]);
    assert!(!scene.play.said_to(before).contains("井里"));
    assert!(scene.play.said_to(before + 1).contains("藏好钥匙") && !scene.play.said_to(before + 1).contains("井里"));

    // Asked for, one is written of somebody who has said nothing.
    answered(&scene, &["## 心情\n沉默"]);
    let before = scene.play.sim.llm.requests().len();
    let id = &scene.play.story.id;
    let outcome = block_on(scene.play.conductor.write_texts(id, Some(whose("zhou")), Stop::never())).unwrap();
    assert_eq!(outcome.written, [whose("zhou")]);
    assert!(scene.play.said_to(before).contains("阿青，坐") && !scene.play.said_to(before).contains("井里"));

    // The reader words one, and replaces in one: the others' stay.
    block_on(scene.play.conductor.word_text(id, whose("zhou"), "他在听。")).unwrap();
    assert_eq!((held(Some("zhou")), held(None)), ("他在听。".into(), "## 心情\n平静".into()));
    let replace = |which| block_on(scene.play.conductor.replace_in_texts(id, &which, "在", "不在")).unwrap();
    assert_eq!((replace(whose("man")), replace(whose("zhou"))), (0, 1));
    assert_eq!(held(Some("zhou")), "他不在听。");
    let nodes = scene.play.nodes();
    let written = |who: &str| {
        let who = CharacterId::from(who);
        let at = |node: &Node| node.reply().is_some_and(|reply| reply.written(Text::Sheet, Some(&who)).is_some());
        nodes.iter().filter(|node| at(node)).count()
    };
    assert_eq!((written("zhou"), written("qing"), written("man")), (1, 2, 0));
}

/// One that fails is said by name, and takes nobody else's with it.
#[test]
fn a_sheet_of_several_that_fails() {
    let scene = scene_with_sheets();
    answered(&scene, &["嗯。", "是。"]);
    scene.round(Ask::New("阿青？".into()));
    scene.round(Ask::New("老周？".into()));
    answered(&scene, &["## 心情\n平静", "", "## 心情\n高兴"]);
    let outcome = scene.play.texts(None);
    let which = |who: &str| (Text::Sheet, Some(CharacterId::from(who)));
    assert_eq!(outcome.written, [(Text::Sheet, None), which("zhou")]);
    assert_eq!(outcome.missed, [(which("qing"), None)]);
    let notices = || scene.play.nodes().pop().unwrap().reply().unwrap().notices();
    let cause = Cause::NotNoted { fault: None, whose: "阿青".into() };
    assert_eq!(notices(), [Notice { module: "sheet".into(), cause }]);
    assert_eq!(scene.play.texts(None), Outcome::default(), "it is not asked for twice at one reply");
    answered(&scene, &["## 心情\n想家"]);
    let id = &scene.play.story.id;
    block_on(scene.play.conductor.write_texts(id, Some(which("qing")), Stop::never())).unwrap();
    assert_eq!(notices(), []);
    assert_eq!(scene.play.state().sheets.len(), 2);
}

/// Turns that are longer than what is told of them count all the same.
#[test]
fn long_turns_count() {
    let long = "他走了很远的路，天色慢慢暗下来。".repeat(160);
    let answers = (0..8).map(|_| prose(&long)).chain([prose("## 心情\n累")]);
    let play = kept(answers, |text, settings| (settings.enabled, settings.messages) = (text == Text::Sheet, 16));
    for turn in 0..8 {
        assert_eq!(play.texts(None), Outcome::default(), "{turn}");
        play.say("走。");
    }
    assert_eq!(play.texts(None), wrote(&[Text::Sheet]));
}

/// Locked, the others' sheets are due by what they heard themselves, and not by the plot that is nobody's of theirs.
#[test]
fn locked_in_a_scene_of_several() {
    let scene = scene_with_sheets();
    scene.writes(Text::Sheet, |settings| settings.lock = true);
    let round = |text: &str| {
        answered(&scene, &["嗯。"]);
        scene.round(Ask::New(text.into()));
    };
    round("阿青？");
    round("阿青，来。");
    answered(&scene, &["## 心情\n平静", "- 他们坐着", "## 心情\n高兴"]);
    let all = scene.play.texts(None).written;
    assert_eq!(all, [(Text::Sheet, None), (Text::Plot, None), (Text::Sheet, Some("qing".into()))]);
    round("阿青，走。");
    assert_eq!(scene.play.texts(None), Outcome::default());
}

/// Where nobody answers, nobody is asked in vain for each of them.
#[test]
fn what_keeps_one_from_being_written_keeps_all() {
    let scene = scene_with_sheets();
    answered(&scene, &["嗯。", "是。"]);
    scene.round(Ask::New("阿青？".into()));
    scene.round(Ask::New("老周？".into()));
    let before = scene.play.sim.llm.requests().len();
    scene.play.sim.llm.replace([Answer::error(401, "{}")]);
    assert_eq!(scene.play.texts(None).missed.len(), 1);
    assert_eq!(scene.play.sim.llm.requests().len(), before + 1);
}

/// What keeps the plot from being written may lie in its own connection: nobody's sheet waits for that.
#[test]
fn a_plot_that_fails_keeps_no_sheet() {
    let scene = scene_with_sheets();
    scene.writes(Text::Plot, |settings| {
        (settings.enabled, settings.messages, settings.connection) = (true, 4, Some("gone".into()));
    });
    answered(&scene, &["嗯。", "是。"]);
    scene.round(Ask::New("阿青？".into()));
    scene.round(Ask::New("阿青。".into()));
    answered(&scene, &["## 心情\n平静", "## 心情\n高兴"]);
    let outcome = scene.play.texts(None);
    assert_eq!(outcome.written, [(Text::Sheet, None), (Text::Sheet, Some("qing".into()))]);
    assert_eq!(outcome.missed.iter().map(|(which, _)| which).collect::<Vec<_>>(), [&(Text::Plot, None)]);
}
