//! The stories of the seeds, as scenes for tests.

use std::collections::BTreeMap;

use serde_json::json;

use super::{
    Scene,
    context::{ContextStore, Entry},
    tokens::Calibration,
};
use crate::story::{
    background::{Background, outline_from_lines},
    character::{Card, Character},
    company::Group,
    generation::{Generation, Status},
    preset::Preset,
    reader_persona::ReaderPersona,
    settings::SummaryOrder,
    state::{CoreIdentity, CurrentState, GrowthState, Persona, PlotState, State},
    storyline::{Language, Opened, Storyline},
    tree::Node,
    trigger::Trigger,
    turn::Turn,
};

/// 2025-10-16T10:30:00Z, the time of turn 42.
pub const NOW: u64 = 1_760_610_600_000;

/// A scene that owns what it holds.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    pub storyline: Storyline,
    pub character: Character,
    pub group: Option<Group>,
    pub plays_as: Option<ReaderPersona>,
    pub background: Option<Background>,
    pub state: State,
    pub trigger: Trigger,
    pub history: Vec<Node>,
    pub head: Vec<Node>,
    pub not_loaded: u32,
    pub opened: Option<Opened>,
    pub summary_order: SummaryOrder,
    pub conversation_tokens: Option<u32>,
    pub room: Option<u32>,
    pub variables: BTreeMap<String, String>,
    pub context: ContextStore,
    pub calibration: Calibration,
}

impl Sample {
    /// The same story, whose reader has given no name.
    pub fn unnamed(mut self) -> Self {
        self.storyline.user_name.clear();
        self
    }

    pub fn scene<'a>(&'a self, preset: &'a Preset) -> Scene<'a> {
        Scene {
            storyline: &self.storyline,
            speaker: None,
            character: &self.character,
            group: self.group.as_ref(),
            plays_as: self.plays_as.as_ref(),
            background: self.background.as_ref(),
            state: &self.state,
            preset,
            trigger: self.trigger,
            history: &self.history,
            head: &self.head,
            missed: self.group.as_ref().map(|group| group.unheard.clone()).unwrap_or_default(),
            not_loaded: self.not_loaded,
            opened: self.opened.as_ref(),
            summary_order: self.summary_order,
            conversation_tokens: self.conversation_tokens,
            room: self.room,
            now: NOW,
            utc_offset: 0,
            variables: self.variables.clone(),
            sources: crate::features::sources(),
            context: &self.context,
            scripts: None,
            calibration: self.calibration,
        }
    }
}

fn reader(language: Language) -> String {
    match language {
        Language::Zh => "小雨",
        Language::En => "Lin",
    }
    .to_owned()
}

/// A turn with its reply; none for the turn to answer.
pub fn node(position: u32, user: &str, reply: Option<&str>) -> Node {
    let turn = Turn {
        id: format!("turn-{position}").as_str().into(),
        position,
        session: "sess_003".into(),
        user: (!user.is_empty()).then(|| user.to_owned()),
        created: NOW,
        ..Default::default()
    };
    let generations: Vec<_> = reply
        .into_iter()
        .map(|text| Generation { text: text.into(), status: Status::Done, position, ..Default::default() })
        .collect();
    let seen = generations.len().checked_sub(1);
    Node { turn, generations, seen }
}

/// Seed `000`: Alserqi, turn 42, of whose turns the last three are known.
pub fn turn_42(language: Language) -> Sample {
    let persona = Persona {
        base_persona: "Alserqi，废土黑帮老大，曾经掌控北区，被心腹背叛...".into(),
        evolved_persona: "经历背叛后变得多疑，不再轻易相信他人...".into(),
        ..Default::default()
    };
    let plot = PlotState {
        current_plot_index: 3,
        current_status: "in_progress".into(),
        no_update_count: 2,
        ..Default::default()
    };
    Sample {
        storyline: Storyline {
            id: "inst_001".into(),
            user_name: reader(language),
            language,
            current_session: "sess_003".into(),
            ..Default::default()
        },
        character: Character { id: "char_alserqi".into(), name: "Alserqi".into(), ..Default::default() },
        background: Some(Background {
            id: "bg_wasteland".into(),
            name: "废土复仇记".into(),
            world_setting: "2087年，核战后50年...".into(),
            story_outline: outline_from_lines(
                "发现背叛者的线索\n潜入敌人据点\n与仇人对峙\n做出关键选择\n应对选择的后果",
            ),
            ..Default::default()
        }),
        state: State { plot, ..State::of(persona) },
        history: vec![
            node(
                39,
                "我们已经潜入据点了，你看前面那个房间。",
                Some("（透过门缝）就是他...Victor，我曾经最信任的兄弟。[PROGRESS:3:in_progress]"),
            ),
            node(40, "你想怎么做？直接冲进去？", Some("不，太危险了。我数了一下，里面至少有五个人，都带着枪。")),
            node(41, "你打算等到什么时候？", Some("等他们分散。Victor不可能一直和他们在一起。")),
            node(42, "你还记得我们之前的约定吗？", None),
        ],
        ..Default::default()
    }
}

/// Seed `001`: the state of turn 250, and the two turns of its first session.
pub fn ally(language: Language) -> Sample {
    let growth_state = GrowthState {
        beliefs: vec![json!({
            "content": "Trust must be earned through actions, not words",
            "formed_from": "多次被背叛的经历",
            "timestamp": "2025-10-12T18:00:00Z"
        })],
        behavioral_patterns: vec![
            json!({ "pattern": "Always verify information before acting", "timestamp": "2025-10-12T19:00:00Z" }),
        ],
        relationships: vec![json!({
            "entity": "user",
            "status": "Trusted_Companion",
            "history": "经历了考验、背叛、解释、原谅的完整循环",
            "timestamp": "2025-10-13T10:00:00Z"
        })],
        ..Default::default()
    };
    let current_state = CurrentState {
        emotions: vec![
            json!({ "content": "Weary", "context": "长时间的战斗和逃亡" }),
            json!({ "content": "Cautious_Hope", "context": "与user的合作进展顺利" }),
        ],
        physical: json!({ "condition": "Exhausted, left arm injured" }),
        immediate_goals: vec![
            json!({ "goal": "Find safe shelter", "reason": "Need to rest and treat wounds" }),
            json!({ "goal": "Contact B for intel", "reason": "Need information about Core's movements" }),
        ],
        ..Default::default()
    };
    let core_identity = CoreIdentity {
        archetype: "Vengeful Anti-hero".into(),
        core_goal: "Destroy the 'Core'".into(),
        core_traits: ["Cynical", "Pragmatic", "Loyal_to_few"].map(Into::into).into(),
        background_story: "曾是组织的精英战士，因发现真相被背叛".into(),
        ..Default::default()
    };
    Sample {
        storyline: Storyline { id: "story_001".into(), user_name: reader(language), language, ..Default::default() },
        character: Character {
            id: "alserqi_v1".into(),
            name: "Alserqi".into(),
            card: Card {
                description: "一个寻仇者，曾经的精英战士，因背叛而堕入复仇之路".into(), ..Default::default()
            },
            ..Default::default()
        },
        background: Some(Background {
            id: "wasteland_world".into(),
            name: "废土世界".into(),
            description: "核战后的荒芜大陆，科技倒退，强者为王。资源匮乏，信任是最稀缺的货币。".into(),
            world_rules: "暴力是解决争端的主要手段；科技退化到20世纪初水平；幸存者聚居点稀少".into(),
            initial_context: "你醒来时，发现自己身处一片废墟中，远处有烟雾升起...".into(),
            ..Default::default()
        }),
        state: State::of(Persona { core_identity, growth_state, current_state, ..Default::default() }),
        history: vec![
            node(1, "你这个骗子！", Some("Alserqi听了你的话，眼中闪过一丝轻蔑...")),
            node(2, "我有证据", Some("他看到文件，瞳孔微缩...")),
            node(3, "你还记得我说的话吗？", None),
        ],
        ..Default::default()
    }
}

/// An imported card and its world, which name the reader wherever texts of cards do.
pub fn imported(language: Language) -> Sample {
    let pick = |zh: &str, en: &str| language.pick(zh, en).to_owned();
    let pair = |zh: &'static str, en: &'static str| language.pick(zh, en);
    let card = Card {
        description: pick(
            "{{char}}守着海边的灯塔。{{user}}是她十年来的第一位客人，她把{{user}}的名字写进了日志。",
            "{{char}} keeps the lighthouse. {{user}} is her first guest in ten years; she has written {{user}}'s arrival into the log. {{user}}'s coat dries by her stove.",
        ),
        personality: pick(
            "话少；怕{{user}}看出她怕黑。",
            "Sparing of words; afraid that {{user}} will see that she fears the dark.",
        ),
        scenario: pick(
            "暴风雨夜，{{user}}敲开了灯塔的门。",
            "A night of storm. {{user}} knocks at the door of the lighthouse.",
        ),
        mes_example: pick(
            "<START>\n{{user}}: 你一个人住？\n{{char}}: 她看了{{user}}一眼。“还有灯。”",
            "<START>\n{{user}}: Do you live alone?\n{{char}}: She glances at {{user}}. “There is the light.”",
        ),
        post_history_instructions: pick("让{{user}}自己决定去留。", "Whether {{user}} stays is {{user}}'s own choice."),
        ..Default::default()
    };
    let growth_state = GrowthState {
        relationships: vec![
            json!({ "entity": "{{user}}", "status": pair("客人", "guest"), "history": pair("在雨里敲了门", "knocked in the rain") }),
            json!({ "entity": pair("你", "you"), "history": pair("借了她的外套", "borrowed her coat") }),
        ],
        ..Default::default()
    };
    let current_state = CurrentState {
        emotions: vec![
            json!({ "content": pair("警惕", "wary"), "context": pair("{{user}}在看日志", "{{user}} is reading the log") }),
        ],
        ..Default::default()
    };
    let core_identity = CoreIdentity {
        core_goal: pick("守住灯，也守住{{user}}", "Keep the light, and {{user}}, from going out"),
        background_story: pick("她的父亲没有回来。", "Her father did not come back."),
        ..Default::default()
    };
    let mut storyline =
        Storyline { id: "story_imported".into(), user_name: reader(language), language, ..Default::default() };
    let courier = pair("{{user}}是个信差。", "{{user}} is a courier.");
    storyline.extra.insert("user_persona".into(), courier.into());
    let note = pair("写写{{user}}的外套。", "Mention {{user}}'s coat.");
    storyline.extra.insert("author_note".into(), json!({ "text": note, "depth": 1 }));
    let mut context = ContextStore::default();
    let entry = |text: &str| Entry { text: text.into(), reason: String::new() };
    context
        .put_entries("recall", vec![entry(pair("- 第3轮：{{user}}答应留下", "- Turn 3: {{user}} promised to stay"))]);
    context.put(
        "director_reminder",
        pair(
            "你现在应该推进到故事大纲第1点：{{user}}看见灯",
            "You should now move on to point 1 of the outline: {{user}} sees the light",
        ),
    );
    let opening =
        pair("门开了一条缝。“进来。”她对你说。", "The door opens a hand's breadth. “Come in,” she says to you.");
    Sample {
        storyline,
        character: Character { id: "mira".into(), name: pick("米拉", "Mira"), card, ..Default::default() },
        background: Some(Background {
            id: "coast".into(),
            description: pick("海岸上人人都认得{{user}}。", "Everyone on the coast knows {{user}}."),
            world_rules: pick("灯灭之前，{{user}}不能离开。", "{{user}} cannot leave before the light goes out."),
            story_outline: outline_from_lines(pair(
                "{{user}}看见灯\n{{char}}说出往事",
                "{{user}} sees the light\n{{char}} tells what happened",
            )),
            ..Default::default()
        }),
        state: State {
            world: [(pick("外套", "coat"), json!(pair("在{{user}}身上", "worn by {{user}}")))].into_iter().collect(),
            ..State::of(Persona { core_identity, growth_state, current_state, ..Default::default() })
        },
        history: vec![node(0, "", Some(opening)), node(1, pair("我浑身都湿了。", "I am wet through."), None)],
        context,
        ..Default::default()
    }
}
