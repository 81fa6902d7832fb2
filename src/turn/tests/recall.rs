//! Recall in whole turns: what is asked of the memory, what the prompt then holds, and what a failure costs.

use super::{features::directed, *};
use crate::{
    features::recall::RecallSettings,
    ports::{
        Clock, Ports, Recall,
        recall::{Answer as Answered, Request},
    },
    story::{
        background::outline_from_lines,
        memory::{Kind, Memory},
        preset::Preset,
        settings::Preferences,
        warning::Cause,
    },
};

impl Play {
    /// A memory that hangs on the opening.
    fn remember(&self, kind: Kind, text: &str, detail: &str) {
        let story = self.storyline();
        let memory = Memory {
            id: self.sim.ports.id(),
            storyline: story.id.clone(),
            kind,
            branch: story.head.branch,
            text: text.into(),
            detail: detail.into(),
            ..Default::default()
        };
        block_on(self.sim.store.commit(Batch::new().put(&memory))).unwrap();
    }

    /// The whole prompt of a request, as one text.
    fn prompt(&self, request: usize) -> String {
        self.messages(request).into_iter().map(|(_, content)| content).collect::<Vec<_>>().join("\n\n")
    }

    pub(super) fn set(&self, change: impl FnOnce(&mut Storyline)) {
        let mut story = self.storyline();
        change(&mut story);
        block_on(self.sim.store.commit(Batch::new().put(&story))).unwrap();
    }
}

/// Turn 42 of seed `000`: what the reader asks for is found; a turn that asks for nothing past recalls nothing.
#[test]
fn the_promise_of_seed_000() {
    let play = directed([Answer::text(["我当然记得。"]), Answer::text(["等他们分散。"]), Answer::text(["我点了头。"])]);
    play.set(|story| story.preset = "director".into());
    play.remember(Kind::Summary, "第12轮：玩家让Alserqi承诺不冲动送死，这是他们的约定", "他沉默了很久，才点头。");
    play.remember(Kind::Summary, "第20轮：Alserqi答应会冷静行动，守住约定", "");
    play.remember(Kind::Plot, "第12轮：约定的经过", "火堆边，玩家抓住他的手腕。");
    play.say("你还记得我们之前的约定吗？");
    let prompt = play.prompt(0);
    let section = prompt.split("=== 历史事件回忆 ===\n").nth(1).expect("the section is there");
    let lines: Vec<&str> = section.lines().take_while(|line| line.starts_with("- ")).collect();
    assert_eq!(lines.len(), 2, "how it went is not asked: {lines:?}");
    assert!(lines.contains(&"- 第12轮：玩家让Alserqi承诺不冲动送死，这是他们的约定"));
    assert!(lines.contains(&"- 第20轮：Alserqi答应会冷静行动，守住约定"));
    play.say("你打算等到什么时候？");
    assert!(!play.prompt(1).contains("历史事件回忆"));
    play.say("当时我们的约定，详细过程是怎样的？");
    assert!(play.prompt(2).contains("火堆边，玩家抓住他的手腕。") && play.prompt(2).contains("他沉默了很久，才点头。"));
}

/// Turn 46 of seed `000`: three turns without progress, and the director reminds, with what happened here and elsewhere,
/// until there is progress again.
#[test]
fn the_reminder_of_seed_000() {
    let answers =
        ["到了。[PROGRESS:3:in_progress]", "嗯。", "嗯。", "嗯。", "嗯。", "走。[PROGRESS:3:in_progress]", "好。"];
    let play = directed(answers.map(|text| Answer::text([text])));
    block_on(async {
        let store = &*play.sim.ports.store;
        let mut background = store.load::<Background>("waste").await.unwrap().unwrap();
        background.story_outline =
            outline_from_lines("发现背叛者的线索\n潜入敌人据点\n与仇人对峙\n做出关键选择\n应对选择的后果");
        store.save(&background).await.unwrap();
    });
    play.set(|story| story.preset = "director".into());
    play.remember(Kind::Summary, "Alserqi发现仇人Victor的藏身地", "");
    // Another storyline of the same character and background, and one of another background.
    for (id, background, text) in
        [("other", "waste", "与仇人对峙时Victor试图解释背叛原因"), ("far", "elsewhere", "与仇人对峙在别处")]
    {
        let story = Storyline {
            id: id.into(),
            cast: vec!["alserqi".into()],
            background: Some(background.into()),
            ..play.storyline()
        };
        let branch =
            crate::story::tree::Branch { id: id.into(), storyline: id.into(), length: 1, ..Default::default() };
        let story = Storyline { head: crate::story::tree::Head { branch: id.into(), end: 1 }, ..story };
        let memory = Memory {
            id: id.into(),
            storyline: id.into(),
            kind: Kind::Summary,
            branch: id.into(),
            text: text.into(),
            ..Default::default()
        };
        block_on(play.sim.store.commit(Batch::new().put(&story).put(&branch).put(&memory))).unwrap();
    }
    let reminded: Vec<bool> = (0..answers.len())
        .map(|turn| {
            play.say("我们等等看。");
            play.prompt(turn).contains("=== 导演提醒 ===")
        })
        .collect();
    assert_eq!(reminded, [false, false, false, false, true, true, false], "from the threshold on, until progress");
    let prompt = play.prompt(4);
    let section = prompt.split("=== 导演提醒 ===\n").nth(1).unwrap().split("\n\n===").next().unwrap();
    let expected = "你现在应该推进到故事大纲第3点：与仇人对峙\n\n【当前剧情中已发生的事件】\n- 事件1：";
    assert!(section.starts_with(expected), "{section}");
    assert!(section.contains("Alserqi发现仇人Victor的藏身地"));
    assert!(
        section.ends_with(
            "【剧情经验参考】（其他剧情线的类似情节，仅供参考）\n- 参考1：与仇人对峙时Victor试图解释背叛原因"
        ),
        "{section}"
    );
}

/// The outline may be changed amid a story, or the background (C7): the prompt reminds of the first point that is not
/// completed there, or of none.
#[test]
fn the_reminder_follows_the_outline() {
    for (outline, expected) in [
        ("线索\n潜入\n对峙", Some("第3点：对峙\n")),
        ("潜入\n线索\n对峙", Some("第2点：线索\n")),
        ("线索\n对峙\n潜入", None),
        ("线索\n潜入\n对峙{{user}}", Some("第3点：对峙玩家\n")),
        ("启航", None),
        ("", None),
    ] {
        let play =
            directed(["到了。[PROGRESS:2:completed]", "嗯。", "嗯。", "嗯。", "嗯。"].map(|text| Answer::text([text])));
        play.set(|story| story.preset = "director".into());
        for _ in 0..4 {
            play.say("我们等等看。");
        }
        let mut background = block_on(play.sim.ports.store.load::<Background>("waste")).unwrap().unwrap();
        background.story_outline = outline_from_lines(outline);
        block_on(play.sim.ports.store.save(&background)).unwrap();
        play.say("走吧。");
        let prompt = play.prompt(4);
        let reminder = prompt.split("=== 导演提醒 ===\n你现在应该推进到故事大纲").nth(1);
        assert_eq!(reminder.is_some(), prompt.contains("导演提醒"));
        assert_eq!(reminder.is_some(), expected.is_some(), "{outline:?}: {prompt}");
        assert!(expected.is_none_or(|expected| reminder.unwrap().starts_with(expected)), "{outline:?}: {prompt}");
    }
}

/// B8: what was said long ago is told where it is not in the prompt anyway.
#[test]
fn what_left_the_prompt_is_recalled() {
    let answers = (0..30).map(|_| Answer::text(["嗯。"]));
    let play = play(answers);
    play.set(|story| story.preset = "persona".into());
    play.say("钥匙藏在井边的陶罐里。");
    for turn in 1..29 {
        play.say(&format!("第{turn}天，我们继续赶路，路上下着雨。"));
    }
    assert!(!play.prompt(3).contains("- 第1轮"), "it is in the prompt as it was said");
    play.say("钥匙在哪里？");
    let prompt = play.prompt(29);
    assert!(prompt.contains("- 第1轮，玩家：钥匙藏在井边的陶罐里。"), "{prompt}");
    let account = play.account(play.nodes().last().unwrap().reply().unwrap());
    let block = account.blocks.iter().find(|block| block.source == "recall").expect("the account names it");
    assert!(block.tokens > 0);
}

/// Never answers, or fails.
struct Broken(Option<Fault>);

impl Recall for Broken {
    fn ask(&self, _: Request) -> Future<'_, Result<Answered, Fault>> {
        match self.0.clone() {
            Some(fault) => Box::pin(async { Err(fault) }),
            None => Box::pin(std::future::pending()),
        }
    }
}

/// The memory may be slow or gone: the turn waits 1.5 s at most, goes on without, and says so.
#[test]
fn a_memory_that_fails_costs_itself_alone() {
    for (broken, kind) in
        [(None, FaultKind::Stalled), (Some(Fault::new(FaultKind::MemoryGone, "x")), FaultKind::MemoryGone)]
    {
        let play = play([Answer::text(["嗯。"])]);
        let ports = Ports { recall: Rc::new(Broken(broken)), ..play.sim.ports.clone() };
        let before = ports.clock.now();
        let conductor = Conductor { ports, recent: Rc::default() };
        let reply =
            block_on(conductor.play(&play.story.id, Ask::New("记得吗？".into()), Stop::never(), &|_| {})).unwrap();
        assert_eq!((reply.text.as_str(), reply.status), ("嗯。", Status::Done));
        assert!(play.sim.ports.clock.now() - before < 2_000);
        let notices = reply.notices();
        assert!(
            matches!(&notices[..], [notice] if matches!(&notice.cause, Cause::NotRecalled { fault } if fault.kind == kind)),
            "{notices:?}"
        );
    }
}

/// An embedding server that is down, slow, or answers nonsense: what the words find is told all the same.
#[test]
fn an_embedding_server_that_fails_costs_the_likeness_alone() {
    let json = |body: &str| Answer {
        status: 200,
        headers: vec![("content-type".into(), "application/json".into())],
        steps: vec![Step::Bytes(body.as_bytes().to_vec())],
    };
    let slow = Answer { steps: vec![Step::Wait(5_000)], ..json("") };
    let good = r#"{"data":[{"index":0,"embedding":[1,0,0]}]}"#;
    for (embedding, misses) in [
        (Answer::error(500, "down"), true),
        (slow, true),
        (json("<html>"), true),
        (json(r#"{"data":[]}"#), true),
        (json(good), false),
    ] {
        let play = play([embedding, Answer::text(["嗯。"])]);
        let preferences = Preferences { embedding_connection: Some("c".into()), ..Default::default() };
        block_on(play.sim.ports.store.save(&preferences)).unwrap();
        play.remember(Kind::Note, "钥匙在井边的陶罐里", "");
        let reply = play.say("钥匙在哪里？");
        assert_eq!(reply.status, Status::Done);
        assert!(play.prompt(1).contains("- 第0轮：钥匙在井边的陶罐里"), "{}", play.prompt(1));
        assert_eq!(!reply.notices().is_empty(), misses, "{:?}", reply.notices());
    }
}

/// Facts planted on two branches: each branch is told its own.
#[test]
fn each_branch_recalls_its_own() {
    let play = play((0..60).map(|_| Answer::text(["嗯。"])));
    play.set(|story| story.preset = "persona".into());
    play.say("我们在旅店住下。");
    let fork = play.nodes()[1].turn.clone();
    let mut asked = 1;
    let mut live = |fact: &str, expected: &str, never: &str| {
        play.say(fact);
        for day in 0..22 {
            play.say(&format!("又过了一天，第{day}天，天气晴朗。"));
        }
        let reply = play.say("钥匙藏在哪里？");
        asked += 24;
        let prompt = play.prompt(asked - 1);
        assert!(prompt.contains(expected) && !prompt.contains(never), "{prompt}");
        reply
    };
    live("钥匙藏在井里。", "钥匙藏在井里", "钥匙藏在塔上");
    let reply = play.ask(Ask::Again(fork.id)).unwrap();
    assert_eq!(reply.status, Status::Done);
    asked += 1;
    let mut live = |fact: &str, expected: &str, never: &str| {
        play.say(fact);
        for day in 0..22 {
            play.say(&format!("又过了一天，第{day}天，下着小雨。"));
        }
        play.say("钥匙藏在哪里？");
        asked += 24;
        let prompt = play.prompt(asked - 1);
        assert!(prompt.contains(expected) && !prompt.contains(never), "{prompt}");
    };
    live("钥匙藏在塔上。", "钥匙藏在塔上", "钥匙藏在井里");
}

/// What is recalled on demand keeps to its room, however long what was written down is; what is pinned is told.
#[test]
fn recall_on_demand_keeps_to_its_room() {
    let play = directed([Answer::text(["记得。"])]);
    play.set(|story| story.preset = "director".into());
    block_on(async {
        let mut connections = play.sim.ports.store.load::<Connections>(Connections::ID).await.unwrap().unwrap();
        connections.list[0].context_tokens = 8_192;
        play.sim.ports.store.save(&connections).await.unwrap();
    });
    for nth in 0..20 {
        play.remember(Kind::Note, &format!("记{nth}：约定。{}", "雨下了一夜，谁也没有说话。".repeat(25)), "");
    }
    play.say("你还记得我们的约定吗？");
    let prompt = play.prompt(0);
    let told = prompt.matches("：约定。雨下了").count();
    assert!((1..=6).contains(&told), "{told} of 20");
}

/// What is pinned is told always, though the preset asks its memory for nothing unless the reader does.
#[test]
fn what_is_pinned_is_told_unasked() {
    let play = directed((0..3).map(|_| Answer::text(["嗯。"])));
    play.set(|story| story.preset = "director".into());
    play.remember(Kind::Note, "渡口的钟敲了三下", "");
    play.say("走吧。");
    assert!(!play.prompt(0).contains("历史事件回忆"), "nothing is asked, and nothing pinned");
    let all = block_on(play.sim.ports.store.list::<Memory>(Query::all(Table::Memories))).unwrap();
    let note = all.into_iter().find(|memory| memory.kind == Kind::Note).unwrap();
    block_on(play.sim.store.commit(Batch::new().put(&Memory { pinned: true, ..note }))).unwrap();
    play.say("走吧。");
    assert!(play.prompt(1).contains("渡口的钟敲了三下"), "{}", play.prompt(1));
}

/// A memory that answers a moment later, as the worker's does.
struct Later(Rc<dyn Recall>, Rc<dyn Clock>);

impl Recall for Later {
    fn ask(&self, request: Request) -> Future<'_, Result<Answered, Fault>> {
        Box::pin(async move {
            self.1.sleep(5).await;
            self.0.ask(request).await
        })
    }
}

/// Other words for a search that the model does not say in time cost nothing that the reader's own words find.
#[test]
fn other_words_that_come_late_take_nothing_away() {
    for (waits, finds) in [(0, true), (5_000, false)] {
        let mut words = Answer::text(["陶罐, 井"]);
        words.steps.insert(0, Step::Wait(waits));
        let play = play([words, Answer::text(["嗯。"])]);
        play.set(|story| story.change_settings(&Preset::default(), |recall: &mut RecallSettings| recall.expand = true));
        play.remember(Kind::Note, "钥匙在楼上", "");
        play.remember(Kind::Note, "陶罐碎了", "");
        let recall = Rc::new(Later(play.sim.ports.recall.clone(), play.sim.ports.clock.clone()));
        let conductor = Conductor { ports: Ports { recall, ..play.sim.ports.clone() }, recent: Rc::default() };
        let asked = conductor.play(&play.story.id, Ask::New("钥匙在哪里？".into()), Stop::never(), &|_| {});
        let reply = block_on(asked).unwrap();
        let prompt = play.prompt(1);
        assert!(prompt.contains("钥匙在楼上"), "{prompt}");
        assert_eq!(prompt.contains("陶罐碎了"), finds, "{prompt}");
        assert_eq!(reply.notices(), [], "nothing was missed that the words find");
    }
}

/// A question that follows long prose is what is looked for, alone or amid a line of play; and the prompt tells it by
/// its speaker, and nothing that the history holds anyway.
#[test]
fn a_question_is_not_drowned() {
    let prose = |day: usize| {
        let place = ["渡口", "集市", "山道", "庙门", "染坊", "石桥"][day % 6];
        let thing = ["绳子", "油灯", "木箱", "水壶", "斗篷", "铜铃"][day / 6 % 6];
        format!("{place}的风停了，有人抱着{thing}从坡上走下来。没有人说话，雨点打在{thing}上。").repeat(4)
    };
    for (line, long) in
        [("我妹妹叫什么名字？", false), ("我在石阶上坐下，把油灯放在脚边。“我妹妹叫什么名字？”我望着渡口。", true)]
    {
        let replies: Vec<String> = (0..80).map(prose).collect();
        let play = play(replies.iter().map(|text| Answer::text([text.as_str()])));
        block_on(async {
            let mut connections = play.sim.ports.store.load::<Connections>(Connections::ID).await.unwrap().unwrap();
            connections.list[0].context_tokens = 4_096;
            play.sim.ports.store.save(&connections).await.unwrap();
        });
        for day in 0..60 {
            let told = if day == 7 { "我妹妹叫裴小满，入冬就没来过信。" } else { "" };
            play.say(&format!("{}{told}{}", prose(day + 3), prose(day + 1)));
        }
        play.say(line);
        let prompt = play.prompt(60);
        let told: Vec<&str> = prompt.lines().filter(|line| line.starts_with("- 第")).collect();
        let fact =
            told.iter().find(|line| line.contains("我妹妹叫裴小满")).unwrap_or_else(|| panic!("{long}: {prompt}"));
        assert!(fact.starts_with("- 第8轮，玩家："), "{fact}");
        assert!(told.iter().all(|line| prompt.matches(line).count() == 1), "{prompt}");
    }
}
