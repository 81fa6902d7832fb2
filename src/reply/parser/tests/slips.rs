//! What weak models make of the dialects.

use super::*;

const UNCLOSED: fn(Tag) -> ReplyNotice = |tag| ReplyNotice::UnclosedTag { tag };
const MISPLACED: fn(Tag) -> ReplyNotice = |tag| ReplyNotice::MisplacedTag { tag };

#[track_caller]
fn noted(text: &str, want: &str, notices: &[ReplyNotice]) -> ParsedReply {
    let reply = check(text, want);
    assert_eq!(reply.notices, notices, "{text}");
    reply
}

#[test]
fn unclosed() {
    noted("<narrative>雪停了。", "[雪停了。]", &[UNCLOSED(Tag::Narrative)]);
    noted("<root><reply>a\n</root>", "[a]", &[UNCLOSED(Tag::Reply)]);
    noted("<thought>想一想\n<reply>你好</reply>", "{想一想} [你好]", &[UNCLOSED(Tag::Thought)]);
    noted(
        "<thought>I will use <narrative> here.\n<narrative>Snow.</narrative>",
        "{I will use <narrative> here.} [Snow.]",
        &[UNCLOSED(Tag::Thought)],
    );
    noted("<thought>a\n\nLong prose.", "{a⏎⏎Long prose.}", &[UNCLOSED(Tag::Thought), ReplyNotice::NothingShown]);
    let reply = noted(
        "<narrative>雪停了。\n<state_update_json>{\"current_state\": {}}</state_update_json>",
        "[雪停了。] <{\"current_state\": {}}>",
        &[UNCLOSED(Tag::Narrative)],
    );
    assert_eq!(reply.update, Some(json!({"current_state": {}})));
    let reply = check("<state_update_json>{\"current_state\": {}}\n\n她走了。", "<{\"current_state\": {}}> [她走了。]");
    assert!(reply.update.is_some());
    let reply = check(
        "<state_update>\n<set key=\"hp\" value=\"9\"></set>\n\n她走了。",
        "<<set key=\"hp\" value=\"9\"></set>> [她走了。]",
    );
    assert_eq!(reply.world, [set("hp", "9")]);
    let reply = check(
        "<reply>a</reply><state_update_json>{\"current_state\": {\"physical\": \"ti",
        "[a] <{\"current_state\": {\"physical\": \"ti>",
    );
    assert_eq!(reply.update, Some(json!({"current_state": {}})));
    assert_eq!(
        reply.notices,
        [UNCLOSED(Tag::StateUpdateJson), ReplyNotice::RepairedJson { what: vec![Repair::HalfItem] }]
    );
    check("<thought>a<thought>b</thought><reply>c</reply>", "{a<thought>b} [c]");
    check("<thought>a\n<reply>b</reply>\n<thought>c</thought>", "{a} [b] {c}");
    check("<reply>a<reply>b</reply>", "[a] [b]");
    check("<narrative>a</reply>b", "[a] [b]");
}

/// A block of changes under a heading, where its tag should be: read, and folded. What goes on after it is a story.
#[test]
fn changes_without_their_tag() {
    let feels = |text: &str| json!({"current_state": {"emotions": {"now": [{"content": text}]}}});
    for heading in ["## Changes", "**Changes:**", "Changes", "What changed:", "### CHANGES"] {
        let text = format!("She waits.\n\n{heading}\nfeels: weary\nworld lamp: lit\n");
        let reply = noted(&text, "[She waits.] <feels: weary⏎world lamp: lit>", &[ReplyNotice::UntaggedState]);
        assert_eq!((reply.update, reply.world), (Some(feels("weary")), vec![set("lamp", "lit")]), "{heading}");
        assert_eq!(shown(&text), "She waits.");
        assert!(!is_plain(&text));
    }
    for heading in ["## 变化", "【变化】", "改变："] {
        let text = format!("她等着。\n{heading}\n感受：疲惫");
        let reply = check(&text, "[她等着。] <感受：疲惫>");
        assert_eq!(reply.update, Some(feels("疲惫")), "{heading}");
    }
    check("She waits.\n## Changes\n```\nfeels: weary\n```", "[She waits.] <feels: weary>");
    check("She waits.\n\n## Changes\n<changes>\nfeels: weary\n</changes>", "[She waits.] <feels: weary>");
    for prose in [
        "She waits.\n## Changes\nThe rain stops.",
        "She waits.\n## Changes\nfeels: weary\nShe goes.",
        "She waits.\n## Changes\nfeels: none",
        "She waits.\nfeels: weary",
        "变化\n她说：走吧。",
        "## Changes",
    ] {
        let reply = check(prose, &format!("[{}]", prose.replace('\n', "⏎")));
        assert_eq!((reply.update, shown(prose)), (None, prose.into()));
    }
}

#[test]
fn nested_wrongly() {
    check("<thought>想…<reply>你好</reply></thought>", "{想…} [你好]");
    check("<thought>想<reply>你好</reply>再想</thought>", "{想} [你好] {再想}");
    check("<thought>想 <reply>你</thought>好</reply>", "{想} [你] [好]");
    check("<thought>想\n<reply>你好</thought>", "{想} [你好]");
    check(
        "<think>I must write <narrative> and <state_update_json> now.</think>\nSnow.",
        "{I must write <narrative> and <state_update_json> now.} [Snow.]",
    );
    check(
        "<think>Draft: <narrative>no</narrative></think><narrative>Snow.</narrative>",
        "{Draft: <narrative>no</narrative>} [Snow.]",
    );
    check("<reply>a<thought>b</thought>c</reply>", "[a] {b} [c]");
    check("<narrative>a<reply>b</narrative>c</reply>", "[a] [b] [c]");
    check("<reply><root>a</root></reply>", "[a]");
    let reply = check(
        "<state_update_json>{\"current_state\": {}}\n<narrative>a</narrative></state_update_json>",
        "<{\"current_state\": {}}> [a]",
    );
    assert_eq!(reply.update, Some(json!({"current_state": {}})));
    let reply =
        parsed("<state_update_json>{\"current_state\": {\"physical\": \"says <reply> aloud\"}}</state_update_json>a");
    assert_eq!(reply.update, Some(json!({"current_state": {"physical": "says <reply> aloud"}})));
    noted("a</reply>b", "[a] [b]", &[MISPLACED(Tag::Reply)]);
    noted("Let me think.\n</think>\n\nSnow.", "{Let me think.} [Snow.]", &[MISPLACED(Tag::Thought)]);
    noted("Snow fell.</thought>", "[Snow fell.]", &[MISPLACED(Tag::Thought)]);
    check("<reply>a<reply/>b", "[a] [b]");
}

#[test]
fn text_around_the_tags_is_shown() {
    let text = "好的，以下是我的回复：\n<narrative>雪停了。</narrative>\n希望你喜欢！";
    let reply = check(text, "[好的，以下是我的回复：] [雪停了。] [希望你喜欢！]");
    assert_eq!(reply.shown(text), "好的，以下是我的回复：\n\n雪停了。\n\n希望你喜欢！");
    check("<reply>a</reply>\n[PROGRESS:3:completed]", "[a] [[PROGRESS:3:completed]]");
    check("Use (<narrative>) or `<reply>` as you like.", "[Use (<narrative>) or `<reply>` as you like.]");
    check("<action>attack</action> <reply>a</reply>", "[<action>attack</action>] [a]");
    check(
        "**PART 1: THE NARRATIVE (<narrative>)**\n<narrative>a</narrative>\n\n---\n\n<state_update_json>{}</state_update_json>",
        "[a] <{}>",
    );
    check("<!-- note --><reply>a <!-- kept --> b</reply>", "[a <!-- kept --> b]");
    check("x <set> y <set key=\"a\"", "[x <set> y <set key=\"a\"]");
}

#[test]
fn code_fences() {
    let update = Some(json!({"current_state": {}}));
    check("```xml\n<root>\n<reply>a</reply>\n</root>\n```", "[a]");
    check(
        "好的：\n```xml\n<thought>想</thought>\n```\n```xml\n<reply>a</reply>\n```\n完。",
        "[好的：] {想} [a] [完。]",
    );
    check("```\n<narrative>a\n```", "[a]");
    check("<narrative>She typed:\n```\nls\n```\n</narrative>", "[She typed:⏎```⏎ls⏎```]");
    check("**<reply>**a**</reply>**", "[**a**]");
    for text in [
        "<narrative>a</narrative>\n<state_update_json>\n```json\n{\"current_state\": {}}\n```\n</state_update_json>",
        "<narrative>a</narrative>\n```json\n<state_update_json>{\"current_state\": {}}</state_update_json>\n```",
        "<narrative>a</narrative>\n```json\n{\"current_state\": {}}\n```",
        "a\n\n```json\n{\"current_state\": {}}\n```",
        "a\n\n{\"current_state\": {}}",
        "a\n\n**state_update_json:**\n```\n{\"current_state\": {}}\n```",
        "<narrative>a\n\n{\"current_state\": {}}</narrative>",
        "＜narrative＞a＜/narrative＞＜state_update_json＞{\"current_state\"：{}}＜/state_update_json＞",
        "【narrative】a【/narrative】【state_update_json】{'current_state': {}}【/state_update_json】",
        "<NARRATIVE>a</Narrative><State Update JSON>{\"current_state\": {},}</state-update-json>",
        "<叙事>a</叙事><状态更新>{\"current_state\": {}}</状态更新>",
    ] {
        let reply = parsed(text);
        assert_eq!(reply.shown(text), "a", "{text}\n{:?}", reply.parts);
        assert_eq!(reply.update, update, "{text}");
    }
    let text = "a\n{\"state_update\": {\"growth_state\": {\"beliefs\": [\"b\"]}}}\nc";
    let reply = check(text, "[a] <{\"state_update\": {\"growth_state\": {\"beliefs\": [\"b\"]}}}> [c]");
    assert_eq!(reply.notices, [ReplyNotice::UntaggedState]);
    let text = "a {\"current_state\": {\"physical\": \"hal";
    assert_eq!(parsed(text).update, Some(json!({"current_state": {}})), "half a word is none");
    check("她在 growth_state 里写了什么？", "[她在 growth_state 里写了什么？]");
}

#[test]
fn broken_json_is_repaired_or_reported() {
    let body = |json: &str| format!("<narrative>雪停了。</narrative><state_update_json>{json}</state_update_json>");
    let want = json!({"current_state": {"physical": {"condition": "他说\"累\"了"}}});
    for json in [
        "{\"current_state\": {\"physical\": {\"condition\": \"他说\"累\"了\"}}}",
        "{'current_state': {'physical': {'condition': '他说\"累\"了',},},}",
        "{current_state: {physical: {condition: \"他说\\\"累\\\"了\"}}} // 状态",
        "｛“current_state”：｛“physical”：｛“condition”：“他说\"累\"了”｝｝｝",
        "更新：\n{\"current_state\": {\"physical\": {\"condition\": \"他说\\\"累\\\"了\"}}}}}",
        "{\"current_state\": {\"physical\": {\"condition\": \"他说\\\"累\\\"了\"",
    ] {
        let text = body(json);
        let reply = parsed(&text);
        assert_eq!(reply.update.as_ref(), Some(&want), "{json}");
        assert!(matches!(reply.notices[..], [ReplyNotice::RepairedJson { .. }]), "{:?}", reply.notices);
        assert_eq!(reply.shown(&text), "雪停了。");
    }
    for json in ["她累了，不想说话。", "{她累了，不想说话}", "{{{"] {
        let text = body(json);
        let reply = parsed(&text);
        assert_eq!(reply.update, None, "{json}");
        assert!(matches!(reply.notices[..], [ReplyNotice::BadJson { .. }]), "{json} {:?}", reply.notices);
        assert_eq!(reply.shown(&text), "雪停了。");
    }
    for json in ["", "\n", "无变化", "None", "<!-- nothing -->"] {
        let reply = parsed(&body(json));
        assert_eq!((reply.update, reply.notices), (None, vec![]), "{json}");
    }
}

#[test]
fn changes_of_the_world() {
    let ops = |inner: &str| {
        let reply = parsed(&format!("<state_update>{inner}</state_update><reply>a</reply>"));
        (reply.world, reply.notices)
    };
    let hp = vec![set("hp", "90")];
    for inner in [
        "<set key=\"hp\" value=\"90\"></set>",
        "<set key=\"hp\" value=\"90\"/>",
        "<set key=\"hp\">90</set>",
        "<set key='hp' value='90'>",
        "<SET key=hp value=90></SET>",
        "＜set key=“hp” value=“90”＞＜/set＞",
        "<set name=\"hp\" value=\"90\"></add>",
        "```xml\n<set key=\"hp\" value=\"90\"></set>\n```",
        "<!-- a --><set key=\"hp\" value=\"90\"></set>",
        "{\"hp\": 90}",
        "{\"set\": {\"hp\": \"90\"}}",
    ] {
        assert_eq!(ops(inner), (hp.clone(), vec![]), "{inner}");
    }
    assert_eq!(
        ops("<set key=\"a\" value=\"1 < 2\"></set><add key=\"b\" value=\"\"></add>").0,
        [set("a", "1 < 2"), add("b", "")]
    );
    let bad = |excerpt: &str| vec![ReplyNotice::BadWorldOp { excerpt: excerpt.into() }];
    assert_eq!(ops("<set key=\"hp\"></set>"), (vec![], bad("<set key=\"hp\">")));
    assert_eq!(ops("<set value=\"90\"></set>"), (vec![], bad("<set value=\"90\">")));
    assert_eq!(ops("hp: 90"), (vec![], bad("hp: 90")));
    assert_eq!(
        ops("<remove key=\"hp\"></remove><set key=\"hp\" value=\"90\"></set>"),
        (hp.clone(), bad("<remove key=\"hp\"></remove>"))
    );
    let reply = noted(
        "a <set key=\"hp\" value=\"90\"></set> b",
        "[a] <<set key=\"hp\" value=\"90\"></set>> [b]",
        &[MISPLACED(Tag::Set)],
    );
    assert_eq!(reply.world, hp);
}
