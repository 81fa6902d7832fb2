//! Whole prompts, and what holds of every prompt.

mod history;
mod macros;
mod personas;
mod readers;

use proptest::prelude::*;
use serde_json::json;

use super::{
    builtin::{BUILTIN, builtin, plain},
    context::{ContextStore, Entry},
    difference,
    framework::{Prompt, assemble},
    samples::{Sample, ally, node, turn_42},
    tokens::{Calibration, PER_MESSAGE, estimate},
};
use crate::story::{
    account::Account,
    preset::{Block, Form, Preset, Role, Section},
    storyline::Language,
    trigger::Trigger,
};

const PLENTY: u32 = 100_000;

/// A prompt as people read it, with its account.
fn shown(prompt: &Prompt) -> String {
    let mut text = String::new();
    for message in &prompt.messages {
        text += &format!("──── {}\n{}\n", message.role.name(), message.content);
    }
    let account = &prompt.account;
    text += &format!("──── account: {} tokens, {} in the middle\n", account.total_tokens, account.middle_tokens);
    for block in &account.blocks {
        let turns = block.from.zip(block.to).map(|(from, to)| format!(" {from}..{to}")).unwrap_or_default();
        text += &format!("{} {} ({}{turns})\n", block.tokens, block.identifier, block.reason);
    }
    text
}

#[test]
fn whole_prompts() {
    for (id, _) in BUILTIN {
        for language in [Language::Zh, Language::En] {
            let preset = builtin(id, language).unwrap();
            for (name, sample) in [("turn_42", turn_42(language)), ("ally", ally(language))] {
                let prompt = assemble(&sample.scene(&preset), PLENTY);
                assert_eq!(prompt, assemble(&sample.scene(&preset), PLENTY), "the same again");
                insta::assert_snapshot!(format!("{name}_{id}_{language:?}"), shown(&prompt));
            }
        }
    }
}

/// Turn 42 in a session that was opened after turn 40, with the last turn before it; in both orders.
#[test]
fn after_a_summary() {
    use crate::story::settings::SummaryOrder;
    for (id, language) in [
        ("director", Language::Zh),
        ("director", Language::En),
        ("plain", Language::Zh),
        ("framework", Language::En),
        ("persona", Language::Zh),
    ] {
        for (name, order) in [("summary_first", SummaryOrder::SummaryFirst), ("last_n_first", SummaryOrder::LastNFirst)]
        {
            let mut sample = turn_42(language);
            sample.opened = Some(opened());
            sample.summary_order = order;
            let preset = builtin(id, language).unwrap();
            let prompt = assemble(&sample.scene(&preset), PLENTY);
            if order == SummaryOrder::LastNFirst && matches!(id, "framework" | "persona") {
                sample.summary_order = SummaryOrder::SummaryFirst;
                assert_eq!(prompt, assemble(&sample.scene(&preset), PLENTY), "{id} has an order of its own");
                continue;
            }
            insta::assert_snapshot!(format!("{name}_{id}_{language:?}"), shown(&prompt));
            let middle = &prompt.account;
            let told: u32 =
                middle.blocks.iter().filter(|one| one.section == Section::Middle).map(|one| one.tokens).sum();
            assert_eq!(middle.middle_tokens, told);
        }
    }
}

fn opened() -> crate::story::storyline::Opened {
    crate::story::storyline::Opened {
        at: crate::story::tree::Head { branch: "root".into(), end: 41 },
        summary: "Alserqi 追查背叛者 Victor，与玩家约定不冲动送死，如今潜入了据点。".into(),
        carried: 1,
        ..Default::default()
    }
}

/// The summary counts to the middle, never gives way, and turns before it that are not carried are no loss.
#[test]
fn a_summary_stays_where_turns_give_way() {
    let mut sample = turn_42(Language::Zh);
    let preset = builtin("director", Language::Zh).unwrap();
    let history = |sample: &Sample, budget| {
        let account = assemble(&sample.scene(&preset), budget).account;
        let history = account.blocks.into_iter().find(|block| block.source == "history").unwrap();
        (history.from, history.trimmed, history.text, account.middle_tokens)
    };
    let whole = history(&sample, PLENTY);
    assert_eq!((whole.0, whole.1, whole.2.as_str()), (Some(39), 0, ""));
    sample.opened = Some(opened());
    sample.not_loaded = 39;
    let (from, trimmed, text, middle) = history(&sample, PLENTY);
    assert_eq!((from, trimmed), (Some(40), 0), "only what the session has is missed");
    assert!(text.starts_with("前情提要：\nAlserqi 追查") && middle > estimate(&text));
    let (from, trimmed, text, least) = history(&sample, 0);
    assert_eq!((from, trimmed), (None, 2));
    assert!(text.starts_with("前情提要：") && least < middle);
    sample.opened.as_mut().unwrap().carried = 40;
    assert_eq!(
        (history(&sample, PLENTY).0, history(&sample, PLENTY).1),
        (Some(39), 38),
        "turns 1 to 38 were not loaded"
    );
}

/// Step 4 of seed `000` to the letter, after who plays whom: without its regions and remarks, and without recalled events.
/// The words that end its conversation are the message to answer.
#[test]
fn the_director_says_what_the_seed_shows() {
    let sample = turn_42(Language::Zh);
    let prompt = assemble(&sample.scene(&builtin("director", Language::Zh).unwrap()), PLENTY);
    let seed = r#"=== 角色与用户 ===
你扮演Alserqi。用户就是小雨。
写Alserqi的下一段回复：只写故事正文，前面不加“第几轮”“User”“Assistant”；不替小雨说话或行动。

=== 角色初始人格 ===
Alserqi，废土黑帮老大，曾经掌控北区，被心腹背叛...

=== 角色成长人格 ===
经历背叛后变得多疑，不再轻易相信他人...

=== 背景设定 ===
世界观：2087年，核战后50年...

=== 故事大纲 ===
{
  "story_outline": [
    {"index": 1, "content": "发现背叛者的线索", "status": "completed"},
    {"index": 2, "content": "潜入敌人据点", "status": "completed"},
    {"index": 3, "content": "与仇人对峙", "status": "in_progress"},
    {"index": 4, "content": "做出关键选择", "status": "pending"},
    {"index": 5, "content": "应对选择的后果", "status": "pending"}
  ]
}

=== 进度引导指令 ===
如果剧情推进，请在回复中输出标记：[PROGRESS:X:status]

=== 当前会话完整对话 ===
第39轮：
User: 我们已经潜入据点了，你看前面那个房间。
Assistant: （透过门缝）就是他...Victor，我曾经最信任的兄弟。[PROGRESS:3:in_progress]

第40轮：
User: 你想怎么做？直接冲进去？
Assistant: 不，太危险了。我数了一下，里面至少有五个人，都带着枪。

第41轮：
User: 你打算等到什么时候？
Assistant: 等他们分散。Victor不可能一直和他们在一起。"#;
    let said: Vec<_> = prompt.messages.iter().map(|one| (one.role, one.content.as_str())).collect();
    assert_eq!(said, [(Role::System, seed), (Role::User, "你还记得我们之前的约定吗？")]);
}

#[test]
fn modules_speak_through_the_store() {
    let mut sample = turn_42(Language::Zh);
    let entry = |text: &str, reason: &str| Entry { text: text.into(), reason: reason.into() };
    sample.context.put_entries(
        "recall",
        vec![entry("- 第12轮：玩家让Alserqi承诺不冲动送死", "约定 0.9"), entry("- 第20轮：Alserqi答应会冷静行动", "")],
    );
    sample.context.put("director_reminder", "你现在应该推进到故事大纲第3点：与仇人对峙");
    sample.context.silence("outline");
    let prompt = assemble(&sample.scene(&builtin("director", Language::Zh).unwrap()), PLENTY);
    let system = &prompt.messages[0].content;
    assert!(system.contains("=== 导演提醒 ===\n你现在应该推进到故事大纲第3点：与仇人对峙\n\n=== 历史事件回忆 ===\n- 第12轮：玩家让Alserqi承诺不冲动送死\n- 第20轮：Alserqi答应会冷静行动\n\n=== 当前会话完整对话 ==="));
    assert!(!system.contains("故事大纲 ===") && !system.contains("PROGRESS:X"), "a director switched off is silent");
    let recall = prompt.account.blocks.iter().find(|block| block.source == "recall").unwrap();
    assert_eq!((recall.section, recall.reason.as_str()), (Section::Middle, "store\n约定 0.9"));
    let middle: u32 =
        prompt.account.blocks.iter().filter(|one| one.section == Section::Middle).map(|one| one.tokens).sum();
    assert_eq!(prompt.account.middle_tokens, middle);
}

fn text_block(identifier: &str, content: &str) -> Block {
    Block { identifier: identifier.into(), content: Some(content.into()), ..Default::default() }
}

fn marker(source: &str) -> Block {
    Block { identifier: source.into(), marker: Some(source.into()), ..Default::default() }
}

fn preset(blocks: impl IntoIterator<Item = Block>) -> Preset {
    Preset { id: "own".into(), blocks: blocks.into_iter().collect(), ..Default::default() }
}

fn lines(sample: &Sample, preset: &Preset) -> Vec<String> {
    let prompt = assemble(&sample.scene(preset), PLENTY);
    prompt.messages.iter().map(|one| format!("{}: {}", &one.role.name()[..1], one.content)).collect()
}

#[test]
fn a_card_replaces_two_texts() {
    let mut sample = ally(Language::En);
    sample.history.drain(..2);
    sample.character.card.system_prompt = "Card of {{char}}. {{original}}".into();
    sample.character.card.post_history_instructions = "Late.".into();
    let blocks = [text_block("main", "Main {{archetype}}."), marker("history"), text_block("jailbreak", "Jail.")];
    let mut own = preset(blocks);
    assert_eq!(
        lines(&sample, &own),
        ["s: Card of Alserqi. Main Vengeful Anti-hero.", "u: 你还记得我说的话吗？", "s: Late."]
    );
    for block in &mut own.blocks {
        block.forbid_overrides = true;
    }
    assert_eq!(lines(&sample, &own)[0], "s: Main Vengeful Anti-hero.");
    assert_eq!(lines(&sample, &own)[2], "s: Jail.");
}

#[test]
fn the_persona_told_is_that_of_who_speaks() {
    let mut sample = ally(Language::En);
    sample.history.drain(..2);
    sample.state.persona_mut(Some(&"eve".into())).base_persona = "A smuggler.".into();
    let own = preset([marker("base_persona"), text_block("main", "{{archetype}}."), marker("history")]);
    let before = lines(&sample, &own);
    let eve = "eve".into();
    let prompt = assemble(&crate::prompt::Scene { speaker: Some(&eve), ..sample.scene(&own) }, PLENTY);
    let told = &prompt.messages[0].content;
    assert!(told.contains("A smuggler.") && !told.contains("Vengeful"), "{told}");
    assert!(before[0].contains("Vengeful") && !before[0].contains("smuggler"), "{before:?}");
}

/// As SillyTavern's presets name them.
#[test]
fn a_block_may_be_for_some_replies_only() {
    let mut sample = ally(Language::En);
    let mut nudge = text_block("nudge", "Go on from the last words.");
    nudge.extra.insert("injection_trigger".into(), json!(["continue"]));
    let own = preset([text_block("main", "Main."), nudge, marker("history")]);
    for (trigger, told) in [(Trigger::Normal, false), (Trigger::Again, false), (Trigger::Continue, true)] {
        sample.trigger = trigger;
        assert_eq!(lines(&sample, &own).concat().contains("Go on from"), told, "{trigger:?}");
    }
}

#[test]
fn notes_go_to_their_depth() {
    let mut sample = ally(Language::En);
    sample
        .storyline
        .extra
        .insert("author_note".into(), json!({ "text": "Rain on {{char}}.", "depth": 1, "role": "user" }));
    let depth_prompt = json!({ "prompt": "Keep calm.", "depth": 99, "role": "system" });
    sample.character.card.extensions.insert("depth_prompt".into(), depth_prompt);
    let zero = Block { depth: Some(0), ..text_block("zero", "At the end.") };
    let own = preset([text_block("main", "Main."), zero, marker("history")]);
    let got = lines(&sample, &own);
    assert_eq!(got[0], "s: Main.\n\nKeep calm.");
    assert_eq!(got[got.len() - 3..], ["u: Rain on Alserqi.", "u: 你还记得我说的话吗？", "s: At the end."]);
    // A marker of the note takes it to its own place; one that is off says nothing.
    let placed = preset([marker("author_note"), marker("history")]);
    assert_eq!(lines(&sample, &placed)[0], "s: Rain on Alserqi.\n\nKeep calm.");
    sample.storyline.extra["author_note"]["enabled"] = json!(false);
    assert!(!lines(&sample, &own).iter().any(|line| line.contains("Rain")));
    // In a transcript there is no depth: the note stands by the reader's last words.
    let director = builtin("director", Language::En).unwrap();
    sample.storyline.extra["author_note"]["enabled"] = json!(true);
    let got = lines(&sample, &director);
    assert_eq!(got[got.len() - 2..], ["u: Rain on Alserqi.", "u: 你还记得我说的话吗？"]);
}

/// The words to answer are always there, and a reply that goes on stands last.
#[test]
fn there_is_always_something_to_answer() {
    let mut sample = ally(Language::En);
    let nothing = preset([text_block("main", "Main.")]);
    assert_eq!(lines(&sample, &nothing), ["s: Main.", "u: 你还记得我说的话吗？"]);
    *sample.history.last_mut().unwrap() = node(3, "Go on.", Some("He was about to"));
    for id in ["plain", "director", "persona"] {
        let got = lines(&sample, &builtin(id, Language::En).unwrap());
        assert_eq!(got.last().unwrap(), "a: He was about to", "{id}");
        assert_eq!(got.concat().matches("He was about to").count(), 1, "{id}");
    }
}

#[test]
fn chance_is_the_turns_own() {
    let own = preset([text_block("x", "{{random::a::b::c::d}} {{roll:2d20}} {{pick::a::b::c::d}}"), marker("history")]);
    let told = |sample: &Sample| lines(sample, &own)[0].clone();
    let mut sample = ally(Language::En);
    let first = told(&sample);
    assert_eq!(first, told(&sample), "another reply to the turn");
    let mut seen = std::collections::BTreeSet::new();
    for turn in 0..20 {
        sample.history[2].turn.id = format!("t{turn}").as_str().into();
        seen.insert(told(&sample));
        assert_eq!(told(&sample).rsplit(' ').next(), first.rsplit(' ').next(), "a pick holds for the story");
    }
    assert!(seen.len() > 10, "{seen:?}");
    // A block before it changes nothing.
    let more = preset([text_block("y", "{{roll:d6}}"), own.blocks[0].clone(), own.blocks[1].clone()]);
    assert!(lines(&sample, &more)[0].ends_with(&told(&sample)[3..]));
}

#[test]
fn what_gives_way_first() {
    let mut sample = ally(Language::En);
    let long = "word ".repeat(100);
    sample.character.card.mes_example = format!("<START>\none {long}<START>\ntwo {long}");
    sample.history = (1..=6).map(|n| node(n, &long, (n < 6).then_some(long.as_str()))).collect();
    sample.not_loaded = 2;
    let entries = (0..3).map(|n| Entry { text: format!("m{n} {long}"), reason: format!("score {n}") }).collect();
    sample.context.put_entries("recall", entries);
    sample.context.put("director_reminder", long.as_str());
    let own = preset([marker("director_reminder"), marker("recall"), marker("mes_example"), marker("history")]);
    let trimmed = |budget| {
        let prompt = assemble(&sample.scene(&own), budget);
        assert!(prompt.account.total_tokens <= budget.max(104), "{} of {budget}", prompt.account.total_tokens);
        ["director_reminder", "recall", "history", "mes_example"]
            .map(|name| prompt.account.blocks.iter().find(|block| block.source == name).unwrap().trimmed)
    };
    // A message costs 104 tokens, so a turn 208; a memory or an example about 101.
    assert_eq!(trimmed(5_000), [0, 0, 2, 0]);
    assert_eq!(trimmed(1_700), [0, 0, 2, 1], "examples first");
    assert_eq!(trimmed(1_570), [0, 0, 2, 2]);
    assert_eq!(trimmed(750), [0, 0, 6, 2], "then the oldest turns");
    assert_eq!(trimmed(350), [0, 2, 7, 2], "then memories, the least first");
    assert_eq!(trimmed(0), [1, 3, 7, 2], "the turn to answer stays");
}

#[test]
fn calibrated() {
    let mut sample = turn_42(Language::Zh);
    let preset = plain(Language::Zh);
    let raw = assemble(&sample.scene(&preset), PLENTY).account;
    assert_eq!(raw.total_tokens, raw.raw_tokens);
    sample.calibration = Calibration { factor: 1.5, samples: 3, ..Default::default() };
    let scaled = assemble(&sample.scene(&preset), PLENTY).account;
    assert_eq!((scaled.raw_tokens, scaled.total_tokens), (raw.raw_tokens, (raw.raw_tokens * 3).div_ceil(2)));
}

/// The stored form; one written before there was more reads as it did.
#[test]
fn accounts() {
    let mut sample = turn_42(Language::Zh);
    sample.not_loaded = 39;
    sample.storyline.extra.insert("author_note".into(), json!({ "text": "下雨了。", "depth": 2 }));
    let account = assemble(&sample.scene(&plain(Language::Zh)), PLENTY).account;
    let stored = serde_json::to_value(&account).unwrap();
    assert_eq!(serde_json::from_value::<Account>(stored.clone()).unwrap(), account);
    insta::assert_json_snapshot!("account", stored);
    sample.history.push(node(43, "走吧。", None));
    sample.state.persona_mut(None).evolved_persona.clear();
    let next = assemble(&sample.scene(&plain(Language::Zh)), PLENTY).account;
    insta::assert_json_snapshot!("difference", difference::between(&account, &next));
}

#[test]
fn blocks() {
    let block = Block {
        empty: Some("(none)".into()),
        section: Some(Section::Middle),
        depth: Some(4),
        order: 7,
        forbid_overrides: true,
        turns: Some(20),
        form: Form::Past,
        current_session: true,
        ..marker("history")
    };
    let stored = serde_json::to_value(&block).unwrap();
    assert_eq!(serde_json::from_value::<Block>(stored.clone()).unwrap(), block);
    insta::assert_json_snapshot!("block", stored);
}

prop_compose! {
    fn any_sample()(
        turns in prop::collection::vec((0usize..60, 0usize..120), 1..12),
        memories in prop::collection::vec(0usize..80, 0..5),
        examples in 0usize..4,
        factor in 0.5f64..2.0,
        note in prop::option::of(0u32..9),
    ) -> Sample {
        let mut sample = turn_42(Language::Zh);
        let words = |count: usize| "雨 word 12 ".repeat(count + 1);
        let last = turns.len() - 1;
        sample.history = turns
            .iter()
            .enumerate()
            .map(|(at, (user, reply))| node(at as u32 + 1, &words(*user), (at < last).then(|| words(*reply)).as_deref()))
            .collect();
        sample.character.card.mes_example = "<START>\n例 ".to_owned() + &"<START> x y z\n".repeat(examples);
        let mut context = ContextStore::default();
        context.put_entries("recall", memories.iter().map(|count| Entry { text: words(*count), reason: String::new() }).collect());
        sample.context = context;
        sample.calibration = Calibration { factor, samples: 2, ..Default::default() };
        if let Some(depth) = note {
            sample.storyline.extra.insert("author_note".into(), json!({ "text": "note", "depth": depth }));
        }
        sample
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Never above the budget but for what is fixed and the turn to answer; and the account is never below what is sent.
    #[test]
    fn a_budget_is_kept(sample in any_sample(), budget in 0u32..6_000, id in 0usize..5) {
        let preset = builtin(BUILTIN[id].0, Language::Zh).unwrap();
        let least = assemble(&sample.scene(&preset), 0).account.total_tokens;
        let prompt = assemble(&sample.scene(&preset), budget);
        prop_assert!(prompt.account.total_tokens <= budget.max(least), "{} of {}", prompt.account.total_tokens, budget);
        let sent: u32 = prompt.messages.iter().map(|one| estimate(&one.content) + PER_MESSAGE).sum();
        prop_assert!(sent <= prompt.account.raw_tokens, "{} sent, {} told", sent, prompt.account.raw_tokens);
        let last = sample.history.last().unwrap().turn.user.clone().unwrap();
        prop_assert!(prompt.messages.iter().any(|one| one.role == Role::User && one.content.contains(last.trim())));
        let told: u32 = assemble(&sample.scene(&preset), u32::MAX).account.blocks.iter().map(|block| block.trimmed).sum();
        prop_assert_eq!(told, 0);
    }
}

/// What is off leaves no trace, and what has nothing to say costs nothing.
#[test]
fn a_feature_that_is_off_leaves_no_trace() {
    for language in [Language::Zh, Language::En] {
        let preset = builtin("living", language).unwrap();
        let told = |sample: &Sample| {
            let account = assemble(&sample.scene(&preset), PLENTY).account;
            account.blocks.into_iter().map(|block| (block.identifier, block.text)).collect::<Vec<_>>()
        };
        let mut sample = super::samples::imported(language);
        let names = |told: &[(String, String)]| told.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        let all = told(&sample);
        for (feature, blocks, line) in [
            ("director", &["points", "plot", "director_reminder"][..], language.pick("剧情 N", "plot N")),
            ("persona", &["evolved", "growth", "now"], language.pick("情绪：", "feels:")),
            ("world", &["world_state"], language.pick("世界 ", "world KEY")),
        ] {
            let asked =
                |told: &[(String, String)]| told.iter().any(|(name, text)| name == "changes" && text.contains(line));
            assert!(asked(&all), "{feature}");
            sample.storyline.features.switch(feature, false);
            let rest = told(&sample);
            let gone: Vec<_> = names(&all).into_iter().filter(|name| !names(&rest).contains(name)).collect();
            assert!(!gone.is_empty() && gone.iter().all(|name| blocks.contains(&name.as_str())), "{feature}: {gone:?}");
            assert!(!asked(&rest), "{feature}");
            sample.storyline.features.forget(feature);
        }
        for feature in ["director", "persona", "world"] {
            sample.storyline.features.switch(feature, false);
        }
        assert!(!names(&told(&sample)).contains(&"changes".to_owned()), "nothing is asked for");
        // On, but without an outline or a world there is nothing to say of them.
        sample.storyline.features = Default::default();
        sample.background = None;
        sample.state.world.clear();
        let bare = told(&sample);
        assert!(!names(&bare).iter().any(|name| ["points", "plot", "world_state"].contains(&name.as_str())));
        let asked = &bare.iter().find(|(name, _)| name == "changes").unwrap().1;
        assert!(!asked.contains(language.pick("剧情", "plot")) && !asked.contains(language.pick("世界", "world")));
    }
}
