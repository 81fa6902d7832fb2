//! The prompts of the default preset as they are sent at the first turn of a story, at the 20th and at the 200th.

use super::*;
use crate::{
    reply::parser,
    story::{background::outline_from_lines, state::State},
};

/// What is played in one language.
struct Tale {
    language: Language,
    reader: &'static str,
    name: &'static str,
    /// Who she is, at her core, what she wants; the opening, the world, the outline.
    card: [&'static str; 3],
    opening: &'static str,
    world: &'static str,
    outline: &'static str,
    /// Words and prose, over and over; the number of the turn stands where `#` does.
    exchanges: [[&'static str; 2]; 6],
    /// What changed, at which turn.
    changes: [(usize, &'static str); 9],
    /// What is asked in the turns that are looked at.
    asks: [(usize, &'static str); 3],
}

const EN: Tale = Tale {
    language: Language::En,
    reader: "Lin",
    name: "Mira",
    card: [
        "Mira keeps the lighthouse at Harrow Point. She talks little and notices everything.",
        "The one who stays.",
        "To keep the light from going out",
    ],
    opening: "The door opens a hand’s breadth. “Come in, {{user}}, before the sea does.”",
    world: "A coast where the fog has a will of its own. Nobody sails by night.",
    outline: "{{user}} finds the logbook\nMira tells what happened to her father\nThe light goes out",
    exchanges: [
        [
            "I put my coat by the stove.",
            "Night #. She moves the kettle aside to make room, and says nothing of the mud.",
        ],
        ["What do you write in that log?", "“Ships.” A pause. “And who did not come back. Line # is my father’s.”"],
        ["I go up to the lamp with you.", "The stairs turn and turn. At step # she stops to listen to the fog."],
        ["Who is that out there?", "“A bell buoy. It has rung # times tonight; it should not ring in such a calm.”"],
        [
            "I hold the lantern for you.",
            "She trims the wick by its light. Her hands are steady; jar # of oil is half gone.",
        ],
        ["Do you ever sleep?", "“On day # of the month,” she says, and nearly smiles."],
    ],
    changes: [
        (2, "feels: wary (Lin reads the log)\nwith Lin: guest (came in the rain)"),
        (5, "world coat: by the stove, wet"),
        (9, "plot 1: in_progress"),
        (14, "believes: nobody comes here by chance (Lin’s questions)\nwants: find out what Lin is after"),
        (18, "plot 1: completed\nturning point: Lin read the line about her father"),
        (60, "with Lin: trusts with the lamp (held the lantern)\nhabit: counts the rings of the buoy"),
        (120, "plot 2: completed\nturning point: Mira told how her father rowed out"),
        (180, "world oil: three jars left"),
        (196, "feels: afraid (the buoy fell silent)\nbody: has not slept for two nights\nwants: fetch oil before dark"),
    ],
    asks: [
        (1, "I am wet through. Is there a fire?"),
        (20, "Your father’s line. Will you read it to me?"),
        (200, "What did you say of your father, the night I read the log?"),
    ],
};

const ZH: Tale = Tale {
    language: Language::Zh,
    reader: "小雨",
    name: "米拉",
    card: ["米拉守着海岬上的灯塔，话很少，什么都看在眼里。", "留下来的人。", "守住灯，不让它熄灭"],
    opening: "门开了一条缝。“进来吧，{{user}}，别等海先进来。”",
    world: "一段雾有自己意志的海岸。没有人在夜里行船。",
    outline: "{{user}}发现航海日志\n米拉说出父亲的事\n灯熄灭了",
    exchanges: [
        ["我把外套放在炉边。", "第#夜。她把水壶挪开，腾出地方，没有提地上的泥。"],
        ["你在日志上写什么？", "“船。”她停了一下。“还有没回来的人。第#行是我父亲。”"],
        ["我跟你上去看灯。", "楼梯一圈又一圈。走到第#级，她停下来听雾。"],
        ["外面是谁？", "“钟浮标。今夜响了#次。这样的风平浪静，它不该响的。”"],
        ["我替你提着灯笼。", "她就着光剪灯芯，手很稳；第#罐油已经用了一半。"],
        ["你睡过觉吗？", "“每月#号。”她说着，差点笑了。"],
    ],
    changes: [
        (2, "感受：警惕（小雨在看日志）\n与小雨：客人（冒雨而来）"),
        (5, "世界 外套：在炉边，湿的"),
        (9, "剧情 1：进行中"),
        (14, "信念：没有人会偶然来到这里（小雨的追问）\n目标：弄清小雨想要什么"),
        (18, "剧情 1：完成\n转折：小雨读到了关于她父亲的那一行"),
        (60, "与小雨：放心把灯交给她（她提过灯笼）\n习惯：数浮标的钟声"),
        (120, "剧情 2：完成\n转折：米拉说出父亲划船出海的事"),
        (180, "世界 灯油：还剩三罐"),
        (196, "感受：害怕（浮标不响了）\n身体：两夜没睡\n目标：天黑前取来灯油"),
    ],
    asks: [
        (1, "我浑身都湿透了，有火吗？"),
        (20, "你父亲的那一行，念给我听好吗？"),
        (200, "我读日志的那一夜，你是怎么说你父亲的？"),
    ],
};

impl Tale {
    fn reply(&self, turn: usize) -> String {
        let prose = self.exchanges[turn % 6][1].replace('#', &turn.to_string());
        match self.changes.iter().find(|(at, _)| *at == turn) {
            Some((_, lines)) => format!("{prose}\n<changes>\n{lines}\n</changes>"),
            None => prose,
        }
    }

    fn words(&self, turn: usize) -> &'static str {
        self.asks.iter().find(|(at, _)| *at == turn).map_or(self.exchanges[turn % 6][0], |(_, ask)| ask)
    }
}

/// The messages as one text; of a long history its first and its last ones.
fn shown(messages: &[(String, String)]) -> String {
    const ENDS: usize = 3;
    let chat: Vec<usize> = (0..messages.len()).filter(|at| messages[*at].0 != "system").collect();
    let (first, last) = (chat.get(ENDS), chat.len().checked_sub(ENDS).map(|at| chat[at]));
    let mut text = String::new();
    for (at, (role, said)) in messages.iter().enumerate() {
        match (first, last) {
            (Some(first), Some(last)) if *first == at && at < last => {
                text.push_str(&format!("──── … {} messages …\n", last - at));
            }
            (Some(first), Some(last)) if (*first..last).contains(&at) => {}
            _ => text.push_str(&format!("──── {role}\n{said}\n")),
        }
    }
    text
}

/// The tale as a new story of the default preset, with nothing said in it yet.
fn opened(tale: &Tale, answers: &[String]) -> Play {
    let mut play = play(answers.iter().map(|text| Answer::text([text.as_str()])));
    block_on(async {
        let store = &*play.sim.ports.store;
        let background = Background {
            id: "coast".into(),
            world_setting: tale.world.into(),
            story_outline: outline_from_lines(tale.outline),
            ..Default::default()
        };
        let mut character = store.load::<Character>("alserqi").await.unwrap().unwrap();
        character.name = tale.name.into();
        character.card.description = tale.card[0].into();
        character.card.first_mes = tale.opening.into();
        let mut connections = store.load::<Connections>(Connections::ID).await.unwrap().unwrap();
        connections.list[0].context_tokens = 8_192;
        store.commit(Batch::new().put(&background).put(&character).put(&connections)).await.unwrap();
        let new = NewStoryline {
            title: tale.name.into(),
            character: &character,
            background: Some(&background),
            preset: "living".into(),
            connection: None,
            user_name: tale.reader.into(),
            plays_as: None,
            language: tale.language,
            demo: false,
        };
        play.story = open_storyline(&play.sim.ports, new).await.unwrap();
        let mut state = store.load::<State>(play.story.initial_state.as_str()).await.unwrap().unwrap();
        let core = &mut state.persona_mut(None).core_identity;
        (core.archetype, core.core_goal) = (tale.card[1].into(), tale.card[2].into());
        store.commit(Batch::new().put(&state)).await.unwrap();
    });
    play
}

#[test]
fn at_the_first_the_20th_and_the_200th_turn() {
    for tale in [EN, ZH] {
        let answers: Vec<String> = (1..=200).map(|turn| tale.reply(turn)).collect();
        let play = opened(&tale, &answers);
        for turn in 1..=200 {
            assert_eq!(play.say(tale.words(turn)).status, Status::Done);
        }
        for turn in [1, 20, 200] {
            let prompt = shown(&play.messages(turn - 1));
            insta::assert_snapshot!(format!("living_{turn}_{:?}", tale.language), prompt);
        }
    }
}

/// As a model of 1.5B wrote it: the next prompt had it in its history, and from there on each reply ended with it.
#[test]
fn what_a_reply_repeats_of_its_instructions_is_not_told_again() {
    for tale in [EN, ZH] {
        let prose = tale.reply(1);
        let first = opened(&tale, std::slice::from_ref(&prose));
        first.say(tale.words(1));
        let (_, asked) = first.messages(0).into_iter().rev().find(|(role, _)| role == "system").unwrap();
        assert!(asked.contains("<changes>"), "{asked}");
        // What of it is the state comes before its instructions.
        let begins = asked.rfind(if tale.language == Language::En { "Write what" } else { "接着" }).unwrap();
        let play = opened(&tale, &[format!("{prose}\n\n{}", &asked[begins..]), prose.clone()]);
        let reply = play.say(tale.words(1));
        assert_eq!((reply.status, parser::shown(&reply.text).into_owned()), (Status::Done, prose.clone()));
        play.say(tale.words(2));
        let (_, told) = play.messages(1).into_iter().rfind(|(role, _)| role == "assistant").unwrap();
        assert_eq!(told, prose);
    }
}
