//! One session as the JSONL of seed `001`: a line of metadata, then a line for each message.
//!
//! Turns count within their session; 0 is the opening, which nobody asked for. `content` is what a reader sees: of a
//! reply its narrative, without thoughts, state updates and the marks of the director. Where it came with any of them,
//! the whole text as the model wrote it stands beside it, in `raw`; a character sheet or a plot summary that was written
//! after it, in `extra` (`002`, 8.1).

use std::borrow::Cow;

use serde::Serialize;

use crate::{
    reply::parser::spoken,
    story::{
        Extra,
        ids::{SessionId, StorylineId},
        persona::iso,
        storyline::Session,
        tree::Node,
    },
};

#[derive(Serialize)]
struct Metadata<'a> {
    r#type: &'static str,
    session_id: &'a SessionId,
    storyline_id: &'a StorylineId,
    started_at: String,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: Cow<'a, str>,
    turn: u32,
    timestamp: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    raw: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    extra: Option<Extra>,
}

/// The turns of `nodes` that belong to the session, with the replies that are seen.
pub fn to_jsonl(storyline: &StorylineId, session: &Session, nodes: &[Node]) -> String {
    let mut out = String::new();
    line(
        &mut out,
        &Metadata {
            r#type: "metadata",
            session_id: &session.id,
            storyline_id: storyline,
            started_at: iso(session.created),
        },
    );
    let turns = nodes.iter().filter(|node| node.turn.session == session.id);
    // The opening is turn 0; a session that begins later begins with its turn 1.
    let before = turns.clone().next().map_or(0, |first| first.turn.position.saturating_sub(1));
    for node in turns {
        let turn = node.turn.position - before;
        if let Some(user) = &node.turn.user {
            let timestamp = iso(node.turn.created);
            line(&mut out, &Message { role: "user", content: user.into(), turn, timestamp, raw: None, extra: None });
        }
        if let Some(reply) = node.reply() {
            let timestamp = iso(reply.finished.unwrap_or(reply.started));
            let content = spoken(&reply.text);
            let raw = (content != reply.text).then_some(&*reply.text);
            line(&mut out, &Message { role: "assistant", content, turn, timestamp, raw, extra: reply.rp_context() });
        }
    }
    out
}

fn line<T: Serialize>(out: &mut String, value: &T) {
    out.push_str(&serde_json::to_string(value).expect("texts and numbers"));
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::story::{
        generation::Generation,
        turn::Turn,
        written::{Text, Written},
    };

    fn node(position: u32, session: &str, user: Option<&str>, reply: Option<&str>, at: u64) -> Node {
        let turn =
            Turn { position, session: session.into(), user: user.map(Into::into), created: at, ..Default::default() };
        let reply = reply.map(|text| Generation {
            text: text.into(),
            started: at + 1_000,
            finished: Some(at + 15_000),
            ..Default::default()
        });
        let generations: Vec<_> = reply.into_iter().collect();
        Node { turn, seen: generations.len().checked_sub(1), generations }
    }

    /// The example of the seed, field by field and in its order.
    #[test]
    fn as_the_seed_shows() {
        let began = 1_759_312_800_000;
        let session = Session { id: "sess_001".into(), created: began, turns: 2, ..Default::default() };
        let nodes = [
            node(1, "sess_001", Some("你这个骗子！"), Some("Alserqi听了你的话，眼中闪过一丝轻蔑..."), began + 5_000),
            node(2, "sess_001", Some("我有证据"), Some("他看到文件，瞳孔微缩..."), began + 60_000),
        ];
        let seed = r#"{"type": "metadata", "session_id": "sess_001", "storyline_id": "story_001", "started_at": "2025-10-01T10:00:00Z"}
{"role": "user", "content": "你这个骗子！", "turn": 1, "timestamp": "2025-10-01T10:00:05Z"}
{"role": "assistant", "content": "Alserqi听了你的话，眼中闪过一丝轻蔑...", "turn": 1, "timestamp": "2025-10-01T10:00:20Z"}
{"role": "user", "content": "我有证据", "turn": 2, "timestamp": "2025-10-01T10:01:00Z"}
{"role": "assistant", "content": "他看到文件，瞳孔微缩...", "turn": 2, "timestamp": "2025-10-01T10:01:15Z"}
"#;
        assert_eq!(to_jsonl(&"story_001".into(), &session, &nodes), seed.replace("\": ", "\":").replace(", \"", ",\""));
    }

    #[test]
    fn the_narrative_stands_alone_and_the_whole_text_beside_it() {
        let persona = "<narrative>\n他看到文件，瞳孔微缩。\n</narrative>\n<state_update_json>{\"current_state\":{}}</state_update_json>";
        let sxml = r#"<root><thought>怕</thought><state_update><set key="门" value="开"></set></state_update><reply>门开了。</reply></root>"#;
        for (text, content) in [
            (persona, "他看到文件，瞳孔微缩。"),
            (sxml, "门开了。"),
            ("我会等。\n[PROGRESS:3:in_progress]", "我会等。"),
            ("<thought>只有想法</thought>", ""),
            ("他说：[笑]", "他说：[笑]"),
        ] {
            let session = Session { id: "a".into(), ..Default::default() };
            let told = to_jsonl(&"s".into(), &session, &[node(1, "a", None, Some(text), 0)]);
            let line: serde_json::Value = serde_json::from_str(told.lines().nth(1).unwrap()).unwrap();
            assert_eq!(line["content"], content, "{text}");
            assert_eq!(line.get("raw").and_then(|raw| raw.as_str()), (text != content).then_some(text));
        }
    }

    /// `002`, 8.1: with the message that they were written after, and with no other.
    #[test]
    fn a_sheet_and_a_summary_stand_beside_their_message() {
        let mut nodes = [node(1, "a", None, Some("好。"), 0), node(2, "a", None, Some("走。"), 0)];
        let written = Written { text: "## 心情\n- 疲惫".into(), at: 7, ..Written::default() };
        nodes[1].generations[0].set_written(Text::Sheet, None, &written);
        let session = Session { id: "a".into(), ..Default::default() };
        let told = to_jsonl(&"s".into(), &session, &nodes);
        let extra: Vec<Option<serde_json::Value>> = told
            .lines()
            .skip(1)
            .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap().get("extra").cloned())
            .collect();
        let expected = json!({ "characterSheet": "## 心情\n- 疲惫", "rpContextVersion": 1, "lastUpdate": 7 });
        assert_eq!(extra, [None, Some(expected)]);
    }

    #[test]
    fn turns_count_within_their_session() {
        let nodes = [
            node(0, "a", None, Some("门开了。"), 0),
            node(1, "a", Some("一\n行"), Some("好。"), 0),
            node(2, "b", Some("二"), Some(""), 0),
            node(3, "b", Some("三"), None, 0),
        ];
        let told = |id: &str| {
            let session = Session { id: id.into(), ..Default::default() };
            let text = to_jsonl(&"s".into(), &session, &nodes);
            let lines = text.lines().skip(1).map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
            lines
                .map(|line| (line["turn"].as_u64().unwrap(), line["content"].as_str().unwrap().to_owned()))
                .collect::<Vec<_>>()
        };
        let say = |turn: u64, text: &str| (turn, text.to_owned());
        assert_eq!(told("a"), [say(0, "门开了。"), say(1, "一\n行"), say(1, "好。")]);
        assert_eq!(told("b"), [say(1, "二"), say(1, ""), say(2, "三")]);
        assert_eq!(told("c"), []);
    }
}
