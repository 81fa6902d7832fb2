//! Lists as a person edits them: one entry a line, several in one text. What stands behind an entry that was not
//! touched (seed `001`: `{content, formed_from, timestamp}`) stays as it was.

use serde_json::{Value, json};

use super::background::{OutlinePoint, outline_from_lines};

/// What a new line becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A text.
    Text,
    /// `who: what` → `{"entity": "who", "status": "what"}`.
    Relation,
}

/// The fields that say what an entry is about, in the order they are looked for.
const SUBJECTS: [&str; 2] = ["content", "condition"];

/// One entry on one line; what has no text of its own shows as JSON.
pub fn line_of(value: &Value) -> String {
    let field = |name: &str| value.get(name).and_then(Value::as_str);
    let text = match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Object(_) => match (field("entity"), SUBJECTS.into_iter().find_map(field)) {
            (Some(entity), _) => relation(entity, field("status").unwrap_or_default()),
            (None, Some(text)) => text.to_owned(),
            (None, None) => value.to_string(),
        },
        other => other.to_string(),
    };
    one_line(&text)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn relation(entity: &str, status: &str) -> String {
    let colon = if entity.is_ascii() && status.is_ascii() { ": " } else { "：" };
    if status.is_empty() { entity.to_owned() } else { format!("{entity}{colon}{status}") }
}

/// Entries that say nothing take no line.
pub fn to_lines(values: &[Value]) -> String {
    values.iter().map(line_of).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

/// Reads the lines back. A line that stands for an entry of `before` is that entry; in a list of the same length a
/// reworded line keeps the other fields of the entry in its place.
pub fn from_lines(text: &str, before: &[Value], shape: Shape) -> Vec<Value> {
    let lines: Vec<String> = text.lines().map(|line| line_of(&line.into())).filter(|line| !line.is_empty()).collect();
    let mut left: Vec<Option<(String, &Value)>> =
        before.iter().map(|value| (line_of(value), value)).filter(|(line, _)| !line.is_empty()).map(Some).collect();
    let same: Vec<Option<Value>> = lines
        .iter()
        .map(|line| {
            let known = left.iter_mut().find(|known| known.as_ref().is_some_and(|(known, _)| known == line))?;
            known.take().map(|(_, value)| value.clone())
        })
        .collect();
    let in_place = left.len() == lines.len();
    lines
        .iter()
        .zip(same)
        .enumerate()
        .map(|(at, (line, same))| {
            let old = left.get(at).filter(|_| in_place).and_then(|old| old.as_ref());
            same.unwrap_or_else(|| with_line(old.map_or(&Value::Null, |(_, value)| value), line, shape))
        })
        .collect()
}

/// An entry with another wording: its other fields stay.
pub fn with_line(before: &Value, line: &str, shape: Shape) -> Value {
    let line = line.trim();
    if line_of(before) == line {
        return before.clone();
    }
    let mut value = before.clone();
    if value.get("entity").is_some() || (shape == Shape::Relation && !value.is_object()) {
        let (entity, status) = line.split_once([':', '：']).unwrap_or((line, ""));
        if !value.is_object() {
            value = json!({});
        }
        value["entity"] = entity.trim().into();
        value["status"] = status.trim().into();
        return value;
    }
    match SUBJECTS.into_iter().find(|subject| value.get(subject).is_some_and(Value::is_string)) {
        Some(subject) => {
            value[subject] = line.into();
            value
        }
        None => line.into(),
    }
}

/// An outline, one point a line.
pub fn to_outline_lines(points: &[OutlinePoint]) -> String {
    points.iter().map(|point| one_line(&point.content)).collect::<Vec<_>>().join("\n")
}

/// Reads an outline back. A point whose text was not touched keeps its other fields, wherever it stands now.
pub fn from_outline_lines(text: &str, before: &[OutlinePoint]) -> Vec<OutlinePoint> {
    let mut left: Vec<Option<&OutlinePoint>> = before.iter().map(Some).collect();
    let mut points = outline_from_lines(text);
    for point in &mut points {
        let stands_for = |old: &OutlinePoint| {
            outline_from_lines(&one_line(&old.content))
                .first()
                .is_some_and(|old| old.content == one_line(&point.content))
        };
        let known = left.iter_mut().find(|known| known.is_some_and(stands_for)).and_then(Option::take);
        if let Some(known) = known {
            *point = OutlinePoint { index: point.index, ..known.clone() };
        }
    }
    points
}

/// A short list by commas.
pub fn to_commas(texts: &[String]) -> String {
    texts.join(", ")
}

pub fn from_commas(text: &str) -> Vec<String> {
    text.split([',', '，']).map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// Stands between two texts of a list.
const RULE: &str = "---";

/// Longer texts, with a line of `---` between them; such a line within a text shows as `\---`.
pub fn to_blocks(texts: &[String]) -> String {
    let escaped = |line: &str| if is_rule(line) { format!("\\{line}") } else { line.to_owned() };
    let block = |text: &String| text.split('\n').map(escaped).collect::<Vec<_>>().join("\n");
    texts.iter().map(block).collect::<Vec<_>>().join(&format!("\n{RULE}\n"))
}

pub fn from_blocks(text: &str) -> Vec<String> {
    let mut blocks = vec![Vec::new()];
    for line in text.split('\n') {
        if line.trim() == RULE {
            blocks.push(Vec::new());
        } else if let Some(block) = blocks.last_mut() {
            block.push(line.strip_prefix('\\').filter(|rest| is_rule(rest)).unwrap_or(line));
        }
    }
    blocks.into_iter().map(|lines| lines.join("\n")).filter(|block| !block.trim().is_empty()).collect()
}

/// A line of `---`, perhaps escaped already.
fn is_rule(line: &str) -> bool {
    line.trim_start_matches('\\').trim() == RULE
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn beliefs() -> Vec<Value> {
        vec![
            json!({"content": "守信", "formed_from": "山洪", "timestamp": "2025"}),
            json!("慢一点"),
            json!({"content": "两\n行"}),
        ]
    }

    #[test]
    fn an_entry_is_a_line() {
        for (value, line) in [
            (json!("  平静 "), "平静"),
            (json!({"content": "Weary", "context": "the road"}), "Weary"),
            (json!({"condition": "Exhausted"}), "Exhausted"),
            (json!({"entity": "user", "status": "Trusted", "history": "long"}), "user: Trusted"),
            (json!({"entity": "玩家", "status": "同伴"}), "玩家：同伴"),
            (json!({"entity": "Victor"}), "Victor"),
            (json!({"odd": [1]}), r#"{"odd":[1]}"#),
            (json!(null), ""),
        ] {
            assert_eq!(line_of(&value), line);
        }
    }

    #[test]
    fn what_was_not_touched_stays() {
        let before = beliefs();
        let text = to_lines(&before);
        assert_eq!(text, "守信\n慢一点\n两 行");
        assert_eq!(from_lines(&text, &before, Shape::Text), before);
        let moved = from_lines("两 行\n新的\n\n守信\n慢一点\n", &before, Shape::Text);
        assert_eq!(moved, [before[2].clone(), json!("新的"), before[0].clone(), before[1].clone()]);
        assert_eq!(from_lines("守信", &before, Shape::Text), [before[0].clone()]);
    }

    #[test]
    fn a_reworded_line_keeps_its_fields() {
        let now = from_lines("守约\n快一点\n两 行", &beliefs(), Shape::Text);
        assert_eq!(now[0], json!({"content": "守约", "formed_from": "山洪", "timestamp": "2025"}));
        assert_eq!(now[1..], [json!("快一点"), json!({"content": "两\n行"})]);
        let known = [json!({"entity": "user", "status": "Stranger", "history": "none"})];
        let now = from_lines("user：朋友", &known, Shape::Relation);
        assert_eq!(now, [json!({"entity": "user", "status": "朋友", "history": "none"})]);
    }

    #[test]
    fn new_lines() {
        assert_eq!(from_lines("A：b: c", &[], Shape::Relation), [json!({"entity": "A", "status": "b: c"})]);
        assert_eq!(from_lines("A", &[], Shape::Relation), [json!({"entity": "A", "status": ""})]);
        assert_eq!(
            with_line(&json!({"condition": "ok", "timestamp": "t"}), "tired", Shape::Text),
            json!({"condition": "tired", "timestamp": "t"})
        );
        assert_eq!(with_line(&json!(null), "健康", Shape::Text), json!("健康"));
    }

    #[test]
    fn an_untouched_point_keeps_its_fields() {
        let point = |index, content: &str, must: bool| {
            let extra = if must { json!({"must": true}) } else { json!({}) };
            OutlinePoint { index, content: content.into(), extra: extra.as_object().cloned().unwrap_or_default() }
        };
        let before = [point(1, "找到\n信", true), point(2, "2. 读信", true), point(3, "离开", false)];
        assert_eq!(to_outline_lines(&before), "找到 信\n2. 读信\n离开");
        let now = from_outline_lines("1. 读信\n找到 信\n回来", &before);
        assert_eq!(now, [point(1, "2. 读信", true), point(2, "找到\n信", true), point(3, "回来", false)]);
    }

    #[test]
    fn texts_in_one() {
        let texts = ["a\n---\nb".to_owned(), "c\n\\---".to_owned()];
        assert_eq!(to_blocks(&texts), "a\n\\---\nb\n---\nc\n\\\\---");
        assert_eq!(from_blocks(&to_blocks(&texts)), texts);
        assert_eq!(from_blocks("\n---\n\n"), Vec::<String>::new());
        assert_eq!(from_commas("书店， 治愈 ,,"), ["书店", "治愈"]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        #[test]
        fn blocks_come_back(texts in prop::collection::vec("[a-]{1,3}(\n\\\\?-{2,4}){0,2}", 0..4)) {
            prop_assume!(texts.iter().all(|text| !text.trim().is_empty()));
            prop_assert_eq!(from_blocks(&to_blocks(&texts)), texts);
        }
    }
}
