//! Summarising (seed `000`; C5): a session becomes points of the story in two layers, and one summary of it all.
//!
//! A session that is too long for one request is told in several, each of which knows the summary so far.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    reading::narrative,
    transcript::{filled, speech, whose_turns},
};
use crate::{
    prompt::tokens::{PER_MESSAGE, estimate},
    provider::{
        Message, Shape,
        shape::{list, object, string},
    },
    reply::{
        progress,
        repair::{Repair, repair},
    },
    story::{preset::Role, reader::Reader, storyline::Language, tree::Node},
};

/// Tokens of conversation in one request, however much the model takes: of more than that it tells too little.
pub const MOST: u32 = 12_000;

/// And at the least: a request of less tells of nothing.
pub const LEAST: u32 = 64;

/// A point of the story (seed `000`: Summaries), and how it went (Plots).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Point {
    /// First and last.
    pub turns: (u32, u32),
    pub text: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub detail: String,
}

/// What the model told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    pub points: Vec<Point>,
    /// The whole story up to here; empty where the model gave none.
    pub summary: String,
    /// The answer broke off: of the last turns nothing may be told.
    pub cut: bool,
}

fn template(language: Language) -> &'static str {
    match language {
        Language::Zh => include_str!("summarise.zh.md"),
        Language::En => include_str!("summarise.en.md"),
    }
}

fn shorter(language: Language) -> &'static str {
    match language {
        Language::Zh => include_str!("shorten.zh.md"),
        Language::En => include_str!("shorten.en.md"),
    }
}

/// Tokens that a summary may have: a longer one would leave too little of each request to the turns, and of the prompts
/// that begin with it.
pub fn longest(budget: u32) -> u32 {
    (budget / 3).min(MOST / 4)
}

/// Tokens that a request to shorten has for what is to be shortened.
pub fn room_to_shorten(budget: u32, language: Language) -> u32 {
    budget.saturating_sub(estimate(shorter(language)) + PER_MESSAGE).clamp(LEAST, MOST)
}

/// What the model is asked where a summary has grown too long.
pub fn request_shorter(summary: &str, language: Language) -> Vec<Message> {
    vec![Message::new(Role::User, filled(shorter(language), &[summary.trim()]))]
}

/// The shape of the answer to [`request`].
pub fn shape() -> Shape {
    let turns = list(json!({"type": "integer"}));
    let point = object(vec![("turns", turns), ("text", string()), ("detail", string())]);
    Shape { name: "summary", schema: object(vec![("summary", string()), ("points", list(point))]) }
}

/// And to [`request_shorter`].
pub fn shape_shorter() -> Shape {
    Shape { name: "shorter_summary", schema: object(vec![("summary", string())]) }
}

/// Tokens that a request has for its turns out of `budget`, beside the summary so far.
pub fn room(budget: u32, so_far: &str, reader: Reader) -> u32 {
    let fixed = estimate(template(reader.language)) + estimate(whose_turns(reader)) + estimate(so_far) + PER_MESSAGE;
    budget.saturating_sub(fixed).clamp(LEAST, MOST)
}

/// The beginning of a text that `room` tokens have room for, to the end of a sentence where one is near, and the rest.
pub fn split(text: &str, room: u32) -> (&str, &str) {
    if estimate(text) <= room {
        return (text, "");
    }
    let ends: Vec<usize> = text.char_indices().map(|(at, char)| at + char.len_utf8()).collect();
    let fits = ends.partition_point(|end| estimate(&text[..*end]) <= room).max(1);
    let head = &text[..ends[fits - 1]];
    let sentence = head.trim_end_matches(|char| !"。！？.!?…\n".contains(char)).len();
    text.split_at(if sentence > head.len() / 2 { sentence } else { head.len() })
}

/// How many turns go into each request: as many as fit, and one at the least. `costs` are those of the turns to tell.
pub fn chunks(costs: &[u32], room: u32) -> Vec<u32> {
    let mut chunks: Vec<u32> = Vec::new();
    let mut left = 0;
    for cost in costs {
        match chunks.last_mut() {
            Some(chunk) if *cost <= left => {
                *chunk += 1;
                left -= cost;
            }
            _ => {
                chunks.push(1);
                left = room.saturating_sub(*cost);
            }
        }
    }
    chunks
}

/// A turn as the request has it; empty where nobody said anything.
pub fn told(node: &Node, character: &str, reader: Reader) -> String {
    let spoken = speech(node, character, reader);
    let heading = match (node.turn.position, reader.language) {
        _ if spoken.is_empty() => return spoken,
        (0, Language::Zh) => "第0轮（开场）".to_owned(),
        (0, Language::En) => "Turn 0 (opening)".to_owned(),
        (turn, Language::Zh) => format!("第{turn}轮"),
        (turn, Language::En) => format!("Turn {turn}"),
    };
    format!("{heading}\n{spoken}\n")
}

/// What the model is asked.
pub fn request(so_far: &str, turns: &[String], reader: Reader) -> Vec<Message> {
    let none = match reader.language {
        Language::Zh => "（无，故事从这里开始）",
        Language::En => "(none: the story begins here)",
    };
    let so_far = progress::without(so_far.trim());
    let so_far = Some(&*so_far).filter(|text| !text.is_empty()).unwrap_or(none);
    let turns = format!("{}{}", whose_turns(reader), turns.concat().trim());
    let content = filled(template(reader.language), &[so_far, &turns]);
    vec![Message::new(Role::User, content)]
}

/// Reads an answer about `turns` (first and last): JSON in whatever shape, or a list. `None`: it tells nothing.
pub fn read(text: &str, turns: (u32, u32)) -> Option<Told> {
    let from_json = repair(text)
        .ok()
        .map(|(value, repairs)| Told { cut: repairs.contains(&Repair::CutOff), ..from_value(&value, turns) });
    let told = from_json.filter(|told| !told.points.is_empty() || !told.summary.is_empty());
    let told = told.unwrap_or_else(|| from_lines(text, turns));
    match without_marks(told) {
        Told { points, summary, .. } if points.is_empty() && summary.is_empty() => None,
        // A summary alone is a point of all these turns.
        Told { points, summary, cut } if points.is_empty() => {
            let points = vec![Point { turns, text: summary.clone(), detail: String::new() }];
            Some(Told { points, summary, cut })
        }
        told => Some(told),
    }
}

/// What a model quotes of its marks and updates is no part of the story.
fn without_marks(told: Told) -> Told {
    let mut points = told.points;
    for point in &mut points {
        point.text = narrative(&point.text);
        point.detail = narrative(&point.detail);
    }
    points.retain(|point| !point.text.is_empty());
    Told { points, summary: narrative(&told.summary), ..told }
}

/// The summary after these points, where the model gave none: what it said of each.
pub fn joined(so_far: &str, points: &[Point], language: Language) -> String {
    let joint = match language {
        Language::Zh => "",
        Language::En => " ",
    };
    let texts: Vec<&str> = points.iter().map(|point| point.text.as_str()).collect();
    format!("{so_far}\n{}", texts.join(joint)).trim().to_owned()
}

fn from_value(value: &Value, turns: (u32, u32)) -> Told {
    let list = match value {
        Value::Array(list) => Some(list),
        _ => field(value, &["points", "plots", "plot_points", "events", "summaries", "情节点", "要点"])
            .and_then(Value::as_array),
    };
    let points = list.into_iter().flatten().filter_map(|point| point_of(point, turns)).collect();
    let summary = words(value, &["summary", "overall", "overall_summary", "概要", "总结", "摘要"]);
    Told { points, summary, cut: false }
}

fn point_of(value: &Value, all: (u32, u32)) -> Option<Point> {
    if let Value::String(text) = value {
        return point_of_line(text, all).map(|(point, _)| point);
    }
    let text = words(value, &["text", "summary", "point", "title", "摘要", "概要", "情节点"]);
    let detail = words(value, &["detail", "details", "plot", "description", "经过", "详情"]);
    let (text, detail) = if text.is_empty() { (detail, String::new()) } else { (text, detail) };
    let turns = field(value, &["turns", "turn", "range", "轮", "轮次"]).map(numbers).unwrap_or_default();
    (!text.is_empty()).then(|| Point { turns: within(&turns, all), text, detail })
}

fn field<'a>(value: &'a Value, names: &[&str]) -> Option<&'a Value> {
    names.iter().find_map(|name| value.get(name))
}

/// A text; a list of texts as lines.
fn words(value: &Value, names: &[&str]) -> String {
    let texts = names.iter().filter_map(|name| value.get(name)).map(|value| match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Array(list) => {
            let lines: Vec<_> = list.iter().filter_map(Value::as_str).map(str::trim).collect();
            lines.join("\n")
        }
        _ => String::new(),
    });
    texts.into_iter().find(|text| !text.is_empty()).unwrap_or_default()
}

/// The numbers of `[3, 5]`, `"3-5"`, `3`, `{"from": 3, "to": 5}`.
fn numbers(value: &Value) -> Vec<u32> {
    match value {
        Value::Array(list) => list.iter().flat_map(numbers).collect(),
        Value::Object(fields) => fields.values().flat_map(numbers).collect(),
        Value::String(text) => digits(text),
        Value::Number(number) => number.as_u64().and_then(|number| u32::try_from(number).ok()).into_iter().collect(),
        _ => Vec::new(),
    }
}

fn digits(text: &str) -> Vec<u32> {
    text.split(|char: char| !char.is_ascii_digit()).filter_map(|number| number.parse().ok()).collect()
}

/// First and last of the turns named, within those that were told of; all of them where none is named.
fn within(turns: &[u32], (first, last): (u32, u32)) -> (u32, u32) {
    let (Some(from), Some(to)) = (turns.iter().min(), turns.iter().max()) else { return (first, last) };
    ((*from).clamp(first, last), (*to).clamp(first, last))
}

/// A list, one point a line; what follows one further in is how it went, and a paragraph is the summary. Prose alone
/// is no list: it may be a refusal.
fn from_lines(text: &str, all: (u32, u32)) -> Told {
    let mut told = Told::default();
    let mut paragraphs = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let is_further_in = line.starts_with([' ', '\t', '　']);
        match (point_of_line(line, all), told.points.last_mut()) {
            (Some((point, true)), Some(last)) if is_further_in => push_line(&mut last.detail, &point.text),
            (Some((point, true)), _) => told.points.push(point),
            (_, Some(last)) if is_further_in => push_line(&mut last.detail, line.trim()),
            _ if is_heading(line) => {}
            _ => paragraphs.push(line.trim()),
        }
    }
    if !told.points.is_empty() {
        told.summary = paragraphs.join("\n");
    }
    told
}

fn push_line(text: &mut String, line: &str) {
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(line);
}

fn is_heading(line: &str) -> bool {
    let line = line.trim();
    line.starts_with(['#', '【', '`', '{', '}', '[']) || line.ends_with([':', '：']) || line.starts_with("**")
}

/// What a line says as a point, and whether it was marked as one: by a bullet, a number, or the turns it names.
fn point_of_line(line: &str, all: (u32, u32)) -> Option<(Point, bool)> {
    let trimmed = line.trim();
    let bare = trimmed.trim_start_matches(['-', '*', '•', '·', '–', '—']).trim_start();
    let mut is_marked = bare.len() < trimmed.len() && !trimmed.starts_with("**") && !trimmed.starts_with("---");
    let unnumbered = bare.trim_start_matches(|char: char| char.is_ascii_digit());
    let bare = match unnumbered.strip_prefix(['.', ')', '、', '）', '．']) {
        Some(rest) if unnumbered.len() < bare.len() => {
            is_marked = true;
            rest.trim_start()
        }
        _ => bare,
    };
    let (named, text) = turns_of(bare);
    is_marked |= !named.is_empty();
    let text = text.trim().to_owned();
    (!text.is_empty()).then(|| (Point { turns: within(&named, all), text, detail: String::new() }, is_marked))
}

/// `第3–5轮：…`, `Turns 3-5: …`, in brackets or not: the turns, and what is said of them.
fn turns_of(line: &str) -> (Vec<u32>, &str) {
    let Some(colon) = line.find([':', '：']).filter(|at| *at <= 40) else { return (Vec::new(), line) };
    let head = line[..colon].trim_matches(|char: char| !char.is_alphanumeric()).to_lowercase();
    let is_turns = (head.starts_with('第') && head.ends_with(['轮', '輪'])) || head.starts_with("turn");
    let named = digits(&head);
    if !is_turns || named.is_empty() {
        return (Vec::new(), line);
    }
    (named, line[colon..].trim_start_matches([':', '：', '*', ')', '）', ']', '】']))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::story::{generation::Generation, turn::Turn};

    fn point(turns: (u32, u32), text: &str, detail: &str) -> Point {
        Point { turns, text: text.into(), detail: detail.into() }
    }

    #[test]
    fn answers_of_every_shape() {
        let check = |answer: &str, points: &[Point], summary: &str| {
            let told = read(answer, (1, 6)).unwrap_or_else(|| panic!("nothing in {answer}"));
            assert_eq!((told.points.as_slice(), told.summary.as_str()), (points, summary), "{answer}");
        };
        let two = [point((1, 3), "林夕立下约定。", "雨夜里。"), point((4, 6), "他们潜入据点。", "")];
        let json = json!({"summary": "约定与潜入。", "points": [
            {"turns": [1, 3], "text": "林夕立下约定。", "detail": "雨夜里。"},
            {"turns": "4-6", "text": "他们潜入据点。"},
        ]});
        check(&json.to_string(), &two, "约定与潜入。");
        check(&format!("好的：\n```json\n{json:#}\n```\n完毕"), &two, "约定与潜入。");
        let slips = "{summary: '约定与潜入。', points: [{turns: [1,3,], text: “林夕立下约定。”, detail: ['雨夜里。']}, {'turns': {from: 4, to: 6}, 'summary': '他们潜入据点。'}]}";
        check(slips, &two, "约定与潜入。");
        check(&json["points"].to_string(), &two, "");
        check(
            "前情：\n\n- 第1–3轮：林夕立下约定。\n  雨夜里。\n- （第4-6轮）：他们潜入据点。\n\n约定与潜入。",
            &two,
            "约定与潜入。",
        );
        check(
            "1. **Turns 1-3**: A promise.\n2. Turn 4: A break-in.",
            &[point((1, 3), "A promise.", ""), point((4, 4), "A break-in.", "")],
            "",
        );
        check(r#"{"summary": "只有概要。"}"#, &[point((1, 6), "只有概要。", "")], "只有概要。");
        check(
            r#"{"points": ["第2轮：他来了。", "他走了。"]}"#,
            &[point((2, 2), "他来了。", ""), point((1, 6), "他走了。", "")],
            "",
        );
        check(r#"{"points": [{"turns": [9, 0], "text": "全部"}]}"#, &[point((1, 6), "全部", "")], "");
    }

    #[test]
    fn an_answer_that_tells_nothing() {
        for answer in [
            "",
            "   \n",
            "{}",
            r#"{"points": []}"#,
            "I'm sorry, but I can't help with that.",
            "对不起，我无法完成这个请求。",
            r#"{"error": "busy"}"#,
            "```\n```",
            "前情：",
        ] {
            assert_eq!(read(answer, (1, 6)), None, "{answer}");
        }
    }

    #[test]
    fn an_answer_that_broke_off() {
        let told =
            read(r#"{"summary": "全部", "points": [{"turns": [1, 2], "text": "一"}, {"turns": [3"#, (1, 6)).unwrap();
        assert!(told.cut && told.points == [point((1, 2), "一", "")]);
    }

    #[test]
    fn what_is_asked() {
        let node = |position, user: Option<&str>, reply: &str| Node {
            turn: Turn { position, user: user.map(str::to_owned), ..Default::default() },
            generations: vec![Generation { text: reply.into(), ..Default::default() }],
            seen: Some(0),
        };
        let nodes = [
            node(0, None, "门上的铃响了。"),
            node(1, Some("有人吗？{}"), "<thought>想</thought><narrative>他点头。</narrative>"),
        ];
        let reader = Reader::new("", Language::Zh);
        let texts: Vec<_> = nodes.iter().map(|node| told(node, "林夕", reader)).collect();
        let asked = request("", &texts, reader).remove(0).content;
        for expected in
            ["（无，故事从这里开始）", "第0轮（开场）\n林夕: 门上的铃响了。", "第1轮\n读者: 有人吗？{}\n林夕: 他点头。"]
        {
            assert!(asked.contains(expected), "{expected} in {asked}");
        }
        assert!(!asked.contains("想</"), "thoughts are not told of");
        let reader = Reader::new("Ada", Language::En);
        let asked = request("Once.", &[told(&nodes[0], "Lin", reader)], reader).remove(0).content;
        assert!(asked.contains("[Summary so far]\nOnce.") && asked.contains("Turn 0 (opening)"), "{asked}");
    }

    proptest! {
        /// Whole turns, all of them, in order; each request within its room unless one turn alone is more.
        #[test]
        fn chunks_hold_every_turn(costs in prop::collection::vec(0u32..500, 0..60), room in 0u32..1_000) {
            let chunks = chunks(&costs, room);
            prop_assert_eq!(chunks.iter().sum::<u32>() as usize, costs.len());
            let mut rest = costs.as_slice();
            for chunk in chunks {
                let (these, others) = rest.split_at(chunk as usize);
                prop_assert!(these.iter().sum::<u32>() <= room.max(these[0]));
                prop_assert!(chunk > 0);
                rest = others;
            }
        }

        /// Every letter, in order, in pieces that fit.
        #[test]
        fn a_long_turn_is_split(text in "[雨ab 。.\n]{0,300}", room in 1u32..80) {
            let (mut rest, mut whole) = (text.as_str(), String::new());
            while !rest.is_empty() {
                let (piece, after) = split(rest, room);
                prop_assert!(estimate(piece) <= room && !piece.is_empty());
                whole += piece;
                rest = after;
            }
            prop_assert_eq!(whole, text);
        }

        #[test]
        fn reading_never_fails(text in "(\\PC|[\\n{}\\[\\]\":,-]){0,80}") {
            if let Some(told) = read(&text, (3, 9)) {
                prop_assert!(!told.points.is_empty());
                for point in told.points {
                    prop_assert!(!point.text.trim().is_empty() && 3 <= point.turns.0 && point.turns.0 <= point.turns.1 && point.turns.1 <= 9);
                }
            }
        }
    }
}
