//! What a turn tells where scripts are read through (G10): the stored words stay as they were said.

use serde_json::json;

use super::*;
use crate::{
    features::scripts::{Brought, consent},
    story::{
        ids::ScriptSetId,
        lorebook::{Entry, Lorebook, Position},
        preset::Preset,
        script::{KEY, Script, ScriptSet},
        settings::{Connections, Preferences},
    },
};

fn script(find: &str, replace: &str, placement: &[u32]) -> Script {
    let [find_regex, replace_string] = [find, replace].map(str::to_owned);
    Script { find_regex, replace_string, placement: placement.to_vec(), ..Script::default() }
}

fn set(scripts: Vec<Script>) -> ScriptSet {
    ScriptSet { id: ScriptSetId::from("own"), enabled: true, scripts, ..ScriptSet::default() }
}

impl Play {
    fn keep(&self, batch: Batch) {
        block_on(self.sim.ports.store.commit(batch)).unwrap();
    }

    fn said(&self, request: usize) -> Vec<String> {
        let said = self.messages(request).into_iter().filter(|(role, _)| role != "system");
        said.map(|(_, text)| text).collect()
    }
}

#[test]
fn the_model_is_told_what_the_scripts_make_of_it_and_the_words_stay() {
    let play = play(["[hp:3] 他笑了。", "[hp:2] 他倒下。", "嗯。", "好。"].map(|text| Answer::text([text])));
    play.keep(Batch::new().put(&set(vec![
        script(r"/\[hp:\d+\] /g", "", &[2]),
        script("/刀/g", "剑", &[1]),
        Script { markdown_only: true, ..script("/笑/g", "哭", &[2]) },
        Script { prompt_only: true, min_depth: Some(3), ..script("/$/", "（旧）", &[2]) },
        Script { disabled: true, ..script("/./g", "", &[1, 2]) },
    ])));
    let first = play.say("拔刀");
    assert_eq!(first.text, "[hp:3] 他笑了。");
    play.say("再拔刀");
    let last = play.say("收刀");
    assert_eq!(play.said(0), ["玩家，你来了。", "拔剑"]);
    assert_eq!(play.said(2), ["玩家，你来了。（旧）", "拔剑", "他笑了。（旧）", "再拔剑", "他倒下。", "收剑"]);
    let turn: Turn = block_on(play.sim.ports.store.load(last.turn.as_str())).unwrap().unwrap();
    assert_eq!(turn.user.as_deref(), Some("收刀"));

    // Switched off, the words are back.
    play.keep(Batch::new().put(&ScriptSet { enabled: false, ..set(vec![script("/刀/g", "剑", &[1])]) }));
    play.say("走");
    assert!(play.said(3).contains(&"收刀".to_owned()));
}

/// What was said further back than the history goes is recalled in the same words.
#[test]
fn what_is_recalled_is_read_through_them_too() {
    let play = play(["[hp:3] 他把钥匙丢进井里。", "嗯。", "好。", "在井里。"].map(|text| Answer::text([text])));
    let mut preset = Preset { id: "mine".into(), ..crate::prompt::builtin::plain(Language::Zh) };
    for block in preset.blocks.iter_mut().filter(|block| block.marker.is_some()) {
        block.turns = Some(1);
    }
    let story = Storyline { preset: preset.id.clone(), ..play.storyline() };
    play.keep(
        Batch::new()
            .put(&preset)
            .put(&story)
            .put(&set(vec![script(r"/\[hp:\d+\] /g", "", &[2]), script("/刀/g", "剑", &[1])])),
    );
    for words in ["拔刀，丢掉钥匙。", "走。", "再走。", "刀和钥匙在哪里？"] {
        play.say(words);
    }
    let told: String = play.messages(3).into_iter().map(|(_, text)| text).collect();
    assert!(told.contains("他把钥匙丢进井里") && told.contains("拔剑，丢掉钥匙"), "{told}");
    assert!(!told.contains("hp:3") && !told.contains("拔刀"), "{told}");
}

/// Where scripts leave little of each reply, the history goes further back, and what it tells is not recalled besides.
#[test]
fn what_the_history_tells_by_them_is_not_recalled_too() {
    let log = "<log>".to_owned() + &"一行又一行的记录。".repeat(30) + "</log>";
    let said = |turn: usize| match turn {
        40 => "他把铜钥匙丢进了枯井。".to_owned(),
        turn => format!("第{turn}个村子下着雨。"),
    };
    let replies: Vec<String> = (0..=60).map(|turn| said(turn) + &log).collect();
    let play = play(replies.iter().map(|text| Answer::text([text.as_str()])));
    block_on(async {
        let store = &*play.sim.ports.store;
        let mut connections = store.load::<Connections>(Connections::ID).await.unwrap().unwrap();
        connections.list[0].context_tokens = 4_096;
        store.save(&connections).await.unwrap();
    });
    play.keep(Batch::new().put(&set(vec![script("/<log>.*?<\\/log>/g", "", &[2])])));
    for _ in 0..60 {
        play.say("走。");
    }
    play.say("铜钥匙在哪里？");
    let told: String = play.messages(60).into_iter().map(|(_, text)| text).collect();
    assert_eq!(told.matches("铜钥匙丢进了枯井").count(), 1, "{told}");
    assert!(!told.contains("<log>"));
}

#[test]
fn what_a_card_and_a_preset_bring_waits_for_the_reader_s_word() {
    let play = play((0..3).map(|_| Answer::text(["好。"])));
    let mut character: Character = block_on(play.sim.ports.store.load("alserqi")).unwrap().unwrap();
    character.card.extensions.insert(KEY.into(), json!([script("/刀/g", "剑", &[1])]));
    let mut preset = Preset { id: "mine".into(), ..crate::prompt::builtin::plain(Language::Zh) };
    preset.extra.insert("extensions".into(), json!({ "regex_scripts": [script("/走/g", "跑", &[1])] }));
    let story = Storyline { preset: preset.id.clone(), ..play.storyline() };
    play.keep(Batch::new().put(&character).put(&preset).put(&story));
    play.say("提刀走");
    assert_eq!(play.said(0).last().unwrap(), "提刀走");

    let mut preferences = Preferences::default();
    let brought = Brought::to(&preset, &character);
    consent(&mut preferences, brought[0].hash(), true);
    play.keep(Batch::new().put(&preferences));
    play.say("提刀走");
    assert_eq!(play.said(1).last().unwrap(), "提剑走");
    consent(&mut preferences, brought[1].hash(), true);
    consent(&mut preferences, brought[0].hash(), false);
    play.keep(Batch::new().put(&preferences));
    play.say("提刀走");
    assert_eq!(play.said(2).last().unwrap(), "提刀跑");
}

/// SillyTavern reads them as a prompt, which a script that says neither leaves alone, and as deep as they are put.
#[test]
fn lore_is_read_through_those_for_the_model() {
    let play = play([Answer::text(["好。"])]);
    let entry = |id: &str, position, depth| Entry {
        id: id.into(),
        keys: vec!["刀".into()],
        content: format!("[note]{id}。[neither][shallow]"),
        position,
        depth,
        ..Entry::default()
    };
    let entries = vec![
        entry("before", Position::BeforeCharacter, None),
        entry("near", Position::AtDepth, Some(1)),
        entry("far", Position::AtDepth, Some(3)),
    ];
    let book = Lorebook { id: "b".into(), entries, ..Lorebook::default() };
    let story = Storyline { lorebooks: vec![book.id.clone()], ..play.storyline() };
    play.keep(Batch::new().put(&book).put(&story).put(&set(vec![
        Script { prompt_only: true, ..script(r"/\[note\]/g", "", &[5]) },
        Script { prompt_only: true, max_depth: Some(1), ..script(r"/\[shallow\]/g", "", &[5]) },
        script(r"/\[neither\]/g", "", &[5]),
    ])));
    play.say("拔刀");
    let told: String = play.messages(0).into_iter().map(|(_, text)| text).collect();
    for (expected, is_told) in [
        ("before。[neither]", true),
        ("near。[neither]", true),
        ("far。[neither][shallow]", true),
        ("before。[neither][shallow]", false),
        ("near。[neither][shallow]", false),
        ("[note]", false),
    ] {
        assert_eq!(told.contains(expected), is_told, "{expected}: {told}");
    }
}

/// One that cannot be read is no reason not to play.
#[test]
fn a_set_that_is_damaged_costs_itself_alone() {
    let play = play([Answer::text(["好。"])]);
    let mut batch = Batch::new().put(&set(vec![script("/刀/g", "剑", &[1]), script("/(/", "x", &[1])]));
    batch.ops.push(crate::store::Op::Put(Table::Scripts, json!({ "id": "other", "scripts": 7 }).into()));
    play.keep(batch);
    play.say("拔刀");
    assert_eq!(play.said(0).last().unwrap(), "拔剑");
}
