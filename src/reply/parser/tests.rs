use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::{reply::repair::Repair, reply::sxml::Tag, story::plot::PointStatus};

mod slips;

/// `[shown] {thought} <state>`, frames left out.
fn show(text: &str, reply: &ParsedReply) -> String {
    let one = |part: &Part| {
        let said = text[part.text.clone()].replace('\n', "⏎");
        match part.kind {
            PartKind::Shown => format!("[{said}]"),
            PartKind::Thought => format!("{{{said}}}"),
            PartKind::State => format!("<{said}>"),
            PartKind::Frame => String::new(),
        }
    };
    reply.parts.iter().map(one).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Whatever the reply: no byte is lost, and the cut of the stream does not matter.
#[track_caller]
fn parsed(text: &str) -> ParsedReply {
    let reply = parse(text);
    covers(text, &reply);
    let mut parser = ReplyParser::new();
    let mut at = 0;
    for c in text.chars() {
        parser.push(&text[at..at + c.len_utf8()]);
        at += c.len_utf8();
        if text.len() < 2_000 {
            covers(&text[..at], &parser.view());
        }
    }
    assert_eq!(parser.finish(), reply, "{text}");
    reply
}

#[track_caller]
pub(crate) fn covers(text: &str, reply: &ParsedReply) {
    let mut at = 0;
    for part in &reply.parts {
        assert_eq!(part.raw.start, at, "{text}\n{:?}", reply.parts);
        assert!(part.raw.start <= part.text.start && part.text.end <= part.raw.end, "{text}\n{part:?}");
        assert!(text.is_char_boundary(part.text.start) && text.is_char_boundary(part.text.end), "{text}");
        at = part.raw.end;
    }
    assert_eq!(at, text.len(), "{text}\n{:?}", reply.parts);
}

#[track_caller]
fn check(text: &str, want: &str) -> ParsedReply {
    let reply = parsed(text);
    assert_eq!(show(text, &reply), want, "{text}\n{:?}", reply.parts);
    reply
}

fn set(key: &str, value: &str) -> WorldOp {
    WorldOp::Set { key: key.into(), value: value.into() }
}

fn add(key: &str, value: &str) -> WorldOp {
    WorldOp::Add { key: key.into(), value: value.into() }
}

#[test]
fn plain_text_is_all_shown() {
    for text in
        ["她没有说话。", "1 < 2, I <3 you", "<b>Bold</b> & <i>so</i>", "```rust\nfn main() {}\n```", "{{user}} {a}"]
    {
        let reply = check(text, &format!("[{}]", text.replace('\n', "⏎")));
        assert_eq!(reply.shown(text), text);
        assert_eq!((reply.notices, reply.update), (vec![], None));
    }
    assert_eq!(parsed("").parts, []);
    assert_eq!(parsed(" \n").shown(" \n"), "");
}

#[test]
fn persona_lab_0_4() {
    let text = "我当然记得。（沉默片刻）我答应过你，不会冲动送死。[PROGRESS:3:in_progress]";
    let reply = check(text, &format!("[{text}]"));
    let at = text.find('[').unwrap();
    assert_eq!(reply.progress, [Progress { index: 3, status: PointStatus::InProgress, at }]);
    assert_eq!(reply.shown(text), text);
}

#[test]
fn persona_lab_0_2() {
    let text = "<narrative>\nAlserqi看到文件，瞳孔微缩。\n\n“你从哪里得到的？”\n</narrative>\n\n<state_update_json>\n{\"current_state\": \
                {\"emotions\": {\"add\": [{\"content\": \"Shaken\", \"context\": \"证据\"}]}}}\n</state_update_json>";
    let reply = parsed(text);
    assert_eq!(reply.shown(text), "Alserqi看到文件，瞳孔微缩。\n\n“你从哪里得到的？”");
    let update = json!({"current_state": {"emotions": {"add": [{"content": "Shaken", "context": "证据"}]}}});
    assert_eq!((reply.update, reply.notices), (Some(update), vec![]));
    let reply = parsed("<narrative>a</narrative><state_update_json>{}</state_update_json>");
    assert_eq!((reply.update, reply.notices), (Some(json!({})), vec![]));
}

#[test]
fn py_tavern() {
    let text = "<root>\n    <!-- 思维链 (可选) -->\n    <thought>\n        分析用户意图...\n    </thought>\n\n    <!-- 状态变更 (可选) -->\n    \
                <state_update>\n        <set key=\"hp\" value=\"90\"></set>\n        <add key=\"gold\" value=\"10\"></add>\n    \
                </state_update>\n\n    <!-- 最终回复 (必须) -->\n    <reply>\n        你挥舞长剑，击中了哥布林！\n\n        1 < 2\n    </reply>\n</root>";
    let reply = parsed(text);
    assert_eq!(reply.shown(text), "你挥舞长剑，击中了哥布林！\n\n1 < 2");
    assert_eq!(reply.world, [set("hp", "90"), add("gold", "10")]);
    assert_eq!(reply.notices, []);
    let kinds: Vec<_> = reply.parts.iter().map(|part| part.kind).filter(|kind| *kind != PartKind::Frame).collect();
    assert_eq!(kinds, [PartKind::Thought, PartKind::State, PartKind::Shown]);
}

#[test]
fn dialects_mix() {
    let text = "<think>Hm.</think>\n<narrative>“Yes.” [PROGRESS:2:completed]</narrative>\n<state_update><set key=\"place\" \
                value=\"north gate\"></set></state_update>\n<state_update_json>{\"current_state\": {\"physical\": {\"condition\": \
                \"tired\"}}}</state_update_json>";
    let reply = parsed(text);
    assert_eq!(reply.shown(text), "“Yes.” [PROGRESS:2:completed]");
    assert_eq!(reply.progress.len(), 1);
    assert_eq!(reply.world, [set("place", "north gate")]);
    assert!(reply.update.is_some() && reply.notices.is_empty());
}

#[test]
fn marks_in_thought_and_state_do_not_count() {
    let text = "<thought>[PROGRESS:9:completed]</thought><narrative>a[PROGRESS:3:completed]</narrative>[PROGRESS:4:pending]\
                <state_update_json>{\"note\": \"[PROGRESS:8:completed]\"}</state_update_json>";
    let reply = parsed(text);
    assert_eq!(reply.progress.iter().map(|mark| mark.index).collect::<Vec<_>>(), [3, 4]);
    assert_eq!(reply.shown(text), "a[PROGRESS:3:completed]\n\n[PROGRESS:4:pending]");
}

#[test]
fn several_updates_are_merged() {
    let text = "<state_update_json>{\"current_state\": {\"emotions\": {\"add\": [\"a\"]}}}</state_update_json>b<state_update_json>\
                {\"current_state\": {\"emotions\": {\"add\": [\"c\"]}, \"physical\": \"d\"}}</state_update_json>";
    let want = json!({"current_state": {"emotions": {"add": ["a", "c"]}, "physical": "d"}});
    assert_eq!(parsed(text).update, Some(want));
}

#[test]
fn shown_joins_as_a_reader_would() {
    for (text, want) in [
        ("<narrative>他说<thought>想</thought>好。</narrative>", "他说好。"),
        ("<narrative>A \n<thought>x\n\ny</thought>B</narrative>", "A\nB"),
        ("<narrative>A</narrative><reply>B</reply>", "A\n\nB"),
        ("A <thought>x</thought> B", "A B"),
        ("A\n<thought>x</thought>\nB", "A\n\nB"),
        ("<reply>\n  a\n    b\n  c\n</reply>", "a\n  b\nc"),
    ] {
        assert_eq!(parsed(text).shown(text), want, "{text}");
    }
}

#[test]
fn the_view_folds_as_the_stream_comes() {
    let text =
        "<thought>想一想</thought><reply>你好</reply><state_update><set key=\"a\" value=\"b\"></set></state_update>";
    let mut parser = ReplyParser::new();
    let mut seen = Vec::new();
    for c in text.chars() {
        parser.push(c.encode_utf8(&mut [0; 4]));
        let view = parser.view();
        let shown = view.shown(parser.text());
        assert!("你好".starts_with(&shown), "{shown}");
        assert!(view.update.is_none() && view.notices.is_empty());
        let last =
            view.parts.iter().rev().find(|part| part.kind != PartKind::Frame).map(|part| (part.kind, part.closed));
        if seen.last() != Some(&last) {
            seen.push(last);
        }
    }
    let (thought, shown, state) = (PartKind::Thought, PartKind::Shown, PartKind::State);
    let want = [(thought, false), (thought, true), (shown, false), (shown, true), (state, false), (state, true)];
    assert_eq!(seen.into_iter().flatten().collect::<Vec<_>>(), want);
}

#[test]
fn hostile_replies_end_soon() {
    for piece in [
        "<",
        "<root>",
        "<thought>",
        "</thought>",
        "<narrative><reply>",
        "<narrative><thought>",
        "<reply>",
        "</reply>",
        "</root>",
        "<thought><reply>a</reply>",
        "<state_update_json>{",
        "<state_update>",
        "<set key=\"a\" value=\"b\">",
        "</set>",
        "```\n",
        "{\"growth_state\":",
        "growth_state",
        "[PROGRESS:",
        "<thought>a</thought>",
        "<state_update><thought>",
        "<narrative></root>",
        "{\"a\": {\"growth_state\": {}}}\n",
        "- ",
        "<!-- a -->",
        "(<reply>)",
    ] {
        let text = piece.repeat(100_000 / piece.len());
        covers(&text, &parse(&text));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn nothing_is_lost_and_cuts_do_not_matter(
        pieces in prop::collection::vec(prop::sample::select(vec![
            "<root>", "</root>", "<thought>", "</thought>", "<narrative>", "</narrative>", "<reply>", "</reply>", "<reply/>",
            "<state_update>", "</state_update>", "<state_update_json>", "</state_update_json>", "<set key=\"a\" value=\"b\">",
            "<set key='a'>", "</set>", "<add>", "```json\n", "\n```\n", "{\"growth_state\": {\"beliefs\": [\"x\"]}}", "{", "}", "\"",
            "雪停了。", "a ", "\n", "\n\n", "<", "＜thought＞", "[PROGRESS:3:completed]", "`", "(", ")", "**", "<!-- c -->", "<!--", "...",
            "## Changes\n", "\n变化：\n", "feels: weary\n", "世界 灯：亮\n", "- lit\n",
        ]), 0..16),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..5),
    ) {
        let text = pieces.concat();
        let whole = parse(&text);
        covers(&text, &whole);
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).filter(|at| text.is_char_boundary(*at)).collect();
        cuts.push(text.len());
        cuts.sort_unstable();
        let mut parser = ReplyParser::new();
        let mut at = 0;
        for cut in cuts {
            parser.push(&text[at..cut]);
            at = cut;
            covers(&text[..at], &parser.view());
        }
        prop_assert_eq!(parser.finish(), whole.clone());
        _ = whole.shown(&text);
    }
}

/// What a model reads of the past: no thought, no state, no mark, in whatever dialect they came.
#[test]
fn what_is_told_again() {
    let update = r#"{"current_state": {"emotions": {"add": [{"content": "警惕"}]}}}"#;
    for text in [
        format!(
            "<thought>他在想。</thought><narrative>他点头。[PROGRESS:3:completed]</narrative><state_update_json>{update}</state_update_json>"
        ),
        format!("他点头。\n\n[PROGRESS:3:completed]\n```json\n{update}\n```"),
        "<thinking>嗯</thinking>\n他点头。\n<state_update><set key=\"gold\">3</set></state_update>\n【进度：3：完成】"
            .to_owned(),
        format!("他点头。\n<state_update_json>{update}"),
        "他点头。[PROGRESS:3:comp".to_owned(),
        "他点头。".to_owned(),
    ] {
        assert_eq!(spoken(&text), "他点头。", "{text}");
    }
}

#[test]
fn changes_after_the_prose() {
    for text in [
        "She waits.\n\n<changes>\nfeels: weary\nplot 2: completed\n</changes>",
        "She waits.\n\n<Changes>feels: weary\nplot 2: completed</CHANGES>",
        "She waits.\n```\n<changes>\nfeels: weary\nplot 2: completed\n</changes>\n```",
        "She waits.\n<变化>\nfeels: weary\nplot 2: done\n</变化>",
        "<changes>\nfeels: weary\nplot 2: completed\n</changes>\nShe waits.",
        "<changes>\nfeels: weary\nplot 2: completed\n\nShe waits.",
        "She waits.\n<changes>\nfeels: weary\nplot 2: completed\n</state_update>",
        "She waits.\n\n<changes>\nfeels: weary\nplot 2: completed",
        "<reply>She waits.</reply><changes>feels: weary\nplot 2: completed</changes>",
    ] {
        let reply = parsed(text);
        assert_eq!(reply.shown(text), "She waits.", "{text}");
        assert_eq!(reply.plot, Some((2, PointStatus::Completed)), "{text}");
        let update = json!({"current_state": {"emotions": {"now": [{"content": "weary"}]}}});
        assert_eq!(reply.update, Some(update), "{text}");
    }
    // Prose may begin with the word of a line.
    for prose in ["With a sigh she turned to him: “Fine.”\nThe door closed.", "对她来说，只有一件事：等。\n门关上了。"]
    {
        let text = format!("<changes>\nfeels: weary\n\n{prose}");
        let reply = parsed(&text);
        assert_eq!(reply.shown(&text), prose);
        assert_eq!(reply.update, Some(json!({"current_state": {"emotions": {"now": [{"content": "weary"}]}}})));
    }
    let json = "She waits.\n<changes>{\"current_state\": {\"emotions\": [\"weary\"]}}</changes>";
    assert_eq!(parsed(json).update, Some(json!({"current_state": {"emotions": ["weary"]}})));
    let nothing = parsed("She waits.\n<changes>\nnone\n</changes>");
    assert_eq!((nothing.update, nothing.plot, nothing.notices), (None, None, vec![]));
}
