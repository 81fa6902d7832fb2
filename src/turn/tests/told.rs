//! Whole prompts of seed `000` as a model reads them: the director's reminder, and what is recalled on demand.

use serde_json::json;

use super::*;
use crate::story::{
    background::outline_from_lines,
    memory::{Kind, Memory},
    settings::Config,
    tree::{Branch, Head},
};

/// What is said in a story of one language.
struct Script {
    language: Language,
    outline: &'static str,
    /// Words and reply, turn by turn.
    turns: [[&'static str; 2]; 6],
    /// Turns, text and detail of each point, and the summary of all.
    points: [(u32, u32, &'static str, &'static str); 3],
    summary: &'static str,
    /// What another storyline of this character and background has besides those points.
    elsewhere: &'static str,
    /// Asks for the past, and then how it went.
    asks: [&'static str; 2],
    waits: &'static str,
    goes_on: [&'static str; 2],
    /// Who the character is, and the world.
    card: [&'static str; 2],
}

const UPDATE: &str =
    r#"<state_update_json>{"current_state": {"emotions": {"add": [{"content": "SECRET"}]}}}</state_update_json>"#;

const ZH: Script = Script {
    language: Language::Zh,
    outline: "发现背叛者的线索\n潜入敌人据点\n与{{user}}一起对峙仇人\n做出关键选择",
    turns: [
        ["我把地图藏在钟楼的夹层里。", "他点头。[PROGRESS:1:completed]"],
        ["嗯。", "好。"],
        ["我们翻过东墙吧。", "<thought>SECRET</thought><narrative>他们翻过了墙。[PROGRESS:2:in_progress]</narrative>"],
        ["ok", "嗯。[PROGRESS:2:in_progress]"],
        ["地图的事别说出去。", "我发誓，一个字也不说。"],
        ["她死了。", "他垂下头。[PROGRESS:2:completed]"],
    ],
    points: [
        (1, 2, "玩家把地图藏进钟楼的夹层。", "玩家说：“我把地图藏在钟楼的夹层里。”Alserqi点头。[PROGRESS:1:completed]"),
        (
            3,
            4,
            "两人翻过东墙，潜入敌人据点。[PROGRESS:2:in_progress]",
            "玩家提议翻东墙，Alserqi先上，两人落在马厩后面。",
        ),
        (5, 6, "Alserqi发誓不说出地图的事；线人死了。", "玩家要他保密，他说：“一个字也不说。”"),
    ],
    summary: "玩家藏好地图，两人潜入据点，线人死了。[PROGRESS:2:completed]",
    elsewhere: "另一条线里，对峙仇人时Victor试图解释背叛的原因。",
    asks: ["你还记得我把地图藏在哪里吗？", "那次我们是怎么潜入据点的？"],
    waits: "我们再等等。",
    goes_on: ["进去。", "他推开门。[PROGRESS:3:in_progress]"],
    card: ["废土黑帮老大", "2087年，核战后50年"],
};

const EN: Script = Script {
    language: Language::En,
    outline: "Find a trace of the traitor\nBreak into the camp\nFace the enemy together with {{user}}\nMake the choice",
    turns: [
        ["I hid the map under the floor of the bell tower.", "He nods.[PROGRESS:1:completed]"],
        ["Ok.", "Good."],
        [
            "Over the east wall, then.",
            "<thought>SECRET</thought><narrative>They climb the wall.[PROGRESS:2:in_progress]</narrative>",
        ],
        ["ok", "Hm.[PROGRESS:2:in_progress]"],
        ["Not a word about the map.", "I swear, not one word."],
        ["She is dead.", "He bows his head.[PROGRESS:2:completed]"],
    ],
    points: [
        (
            1,
            2,
            "The player hid the map under the floor of the bell tower.",
            "The player said where it lies; Alserqi nodded.[PROGRESS:1:completed]",
        ),
        (
            3,
            4,
            "The two climbed the east wall and broke into the camp.[PROGRESS:2:in_progress]",
            "The player chose the wall, Alserqi went first, and they came down behind the stables.",
        ),
        (
            5,
            6,
            "Alserqi swore not to speak of the map; the informer died.",
            "Asked to keep it secret, he said: “Not one word.”",
        ),
    ],
    summary: "The player hid the map, the two broke into the camp, the informer died. [PROGRESS:2:completed]",
    elsewhere: "On another road Victor tried to explain his treason when they faced the enemy.",
    asks: ["Do you remember where I hid the map?", "That time, how did we break into the camp?"],
    waits: "Let us wait a little.",
    goes_on: ["Go in.", "He opens the door.[PROGRESS:3:in_progress]"],
    card: ["Head of a gang in the wasteland", "2087, fifty years after the bombs"],
};

/// Another storyline of the same character and background, which went the same way and then its own.
fn beside(play: &Play, script: &Script) {
    let head = Head { branch: "other".into(), end: 1 };
    let story = Storyline { id: "other".into(), head, ..play.storyline() };
    let branch = Branch { id: "other".into(), storyline: "other".into(), length: 1, ..Default::default() };
    let mut batch = Batch::new().put(&story).put(&branch);
    let same = script.points.iter().map(|(.., text, detail)| (text.replace("[PROGRESS:2:in_progress]", ""), *detail));
    for (n, (text, detail)) in same.chain([(script.elsewhere.to_owned(), "SECRET")]).enumerate() {
        for kind in [Kind::Summary, Kind::Plot] {
            batch.push(&Memory {
                id: format!("other-{n}-{}", kind.name()).into(),
                storyline: "other".into(),
                kind,
                branch: "other".into(),
                text: text.clone(),
                detail: if kind == Kind::Plot { detail.into() } else { String::new() },
                ..Default::default()
            });
        }
    }
    block_on(play.sim.store.commit(batch)).unwrap();
}

/// Six turns, summarised; three without progress, and then the reminder; progress, and the two questions. Gives the play
/// and the numbers of the requests: of the summary, the reminder, the questions.
fn played(script: &Script) -> (Play, [usize; 4]) {
    let points: Vec<_> = script
        .points
        .iter()
        .map(|(from, to, text, detail)| json!({"turns": [from, to], "text": text, "detail": detail}))
        .collect();
    let summary = json!({"summary": script.summary, "points": points}).to_string();
    let mut answers: Vec<_> = script.turns.iter().map(|[_, reply]| format!("{reply}{UPDATE}")).collect();
    answers.push(summary);
    answers.extend(
        [script.waits, script.waits, script.waits, script.goes_on[1], script.waits, script.waits].map(str::to_owned),
    );
    let play = play(answers.iter().map(|text| Answer::text([text.as_str()])));
    let mut config = Config::default();
    config.thresholds.summary_last_n_turns = 1;
    let mut background = block_on(play.sim.ports.store.load::<Background>("waste")).unwrap().unwrap();
    background.story_outline = outline_from_lines(script.outline);
    background.world_setting = script.card[1].into();
    let mut character = block_on(play.sim.ports.store.load::<Character>("alserqi")).unwrap().unwrap();
    character.card.description = script.card[0].into();
    let story = Storyline { preset: "director".into(), language: script.language, ..play.storyline() };
    block_on(play.sim.store.commit(Batch::new().put(&story).put(&background).put(&character).put(&config))).unwrap();
    beside(&play, script);
    for [said, _] in script.turns {
        play.say(said);
    }
    block_on(play.conductor.summarise(&play.story.id, Stop::never(), &|_| {})).unwrap();
    for said in [script.waits, script.waits, script.waits, script.goes_on[0], script.asks[0], script.asks[1]] {
        play.say(said);
    }
    (play, [6, 10, 11, 12])
}

#[test]
fn as_a_model_reads_them() {
    for script in [ZH, EN] {
        let (play, requests) = played(&script);
        for (name, request) in ["summary", "reminder", "recall", "in_detail"].into_iter().zip(requests) {
            let said = play.messages(request).into_iter().map(|(role, text)| format!("──── {role}\n{text}\n"));
            let prompt = said.collect::<String>();
            assert!(!prompt.contains("SECRET") || name != "summary", "no thought and no state: {prompt}");
            insta::assert_snapshot!(format!("{name}_{:?}", script.language), prompt);
        }
    }
}

/// The reminder leads on from a point that is completed, and tells each fact once.
#[test]
fn the_reminder_leads_on_and_tells_each_fact_once() {
    for script in [ZH, EN] {
        let (play, [_, reminder, ..]) = played(&script);
        let prompt = play.messages(reminder).swap_remove(0).1;
        let (title, point, next) = match script.language {
            Language::Zh => ("=== 导演提醒 ===\n", "你现在应该推进到故事大纲第3点：与玩家一起对峙仇人", "\n\n==="),
            Language::En => (
                "=== Director's reminder ===\n",
                "You should now move on to point 3 of the outline: Face the enemy together with 玩家",
                "\n\n===",
            ),
        };
        let section = prompt.split(title).nth(1).and_then(|rest| rest.split(next).next()).expect("it reminds");
        assert!(section.starts_with(point), "{section}");
        assert!(!section.contains("PROGRESS"), "{section}");
        for (.., text, _) in script.points {
            let text = text.replace("[PROGRESS:2:in_progress]", "");
            assert_eq!(section.matches(&text).count(), 1, "{text} in {section}");
        }
        assert_eq!(section.matches(script.elsewhere).count(), 1, "{section}");
    }
}

/// What is asked for is told first; turns of one word take no place; how it went is told where that is asked.
#[test]
fn recall_on_demand_tells_summaries_first() {
    for script in [ZH, EN] {
        let (play, [.., recall, in_detail]) = played(&script);
        let title = script.language.pick("=== 历史事件回忆 ===\n", "=== Recalled events ===\n");
        let section = |request| {
            let prompt = play.messages(request).swap_remove(0).1;
            let rest = prompt.split(title).nth(1).unwrap_or_else(|| panic!("nothing is recalled: {prompt}")).to_owned();
            rest.split("\n\n===").next().unwrap_or_default().to_owned()
        };
        let told = section(recall);
        let lines: Vec<&str> = told.lines().collect();
        assert!(lines[0].ends_with(script.points[0].2), "{told}");
        assert!(lines.iter().any(|line| line.ends_with(script.turns[0][0])), "the words themselves too: {told}");
        for nothing in ["PROGRESS", "SECRET", "state_update", "：嗯", "：好", ": Ok", ": ok", ": Good", ": Hm"] {
            assert!(!told.contains(nothing), "{nothing} in {told}");
        }
        for (.., text, detail) in script.points {
            let text = text.replace("[PROGRESS:2:in_progress]", "");
            let detail = detail.replace("[PROGRESS:1:completed]", "");
            assert_eq!((told.matches(&text).count(), told.matches(&detail).count()), (1, 0), "{told}");
            assert_eq!(section(in_detail).matches(&detail).count(), 1, "{}", section(in_detail));
        }
        assert!(section(in_detail).lines().next().unwrap().ends_with(script.points[1].3), "{}", section(in_detail));
    }
}
