//! A background of the global library: the world a story plays in (seeds `000`, `001`).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    Extra, Millis,
    event::StoryEvent,
    ids::{BackgroundId, LorebookId},
};
use crate::store::record;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Background {
    pub id: BackgroundId,
    pub name: String,
    pub description: String,
    pub world_setting: String,
    pub world_rules: String,
    /// What the reader meets first when the story opens.
    pub initial_context: String,
    pub story_outline: Vec<OutlinePoint>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<StoryEvent>,
    /// Lorebooks that hang on it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lorebooks: Vec<LorebookId>,
    /// HTML, CSS and script of a status bar, run in a frame of its own (`features::status_bar`).
    #[serde(skip_serializing_if = "String::is_empty")]
    pub status_bar: String,
    pub created: Millis,
    pub updated: Millis,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deleted: Option<Millis>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub imported: Option<Value>,
    #[serde(flatten)]
    pub extra: Extra,
}
record!(Background, Backgrounds);

/// One point of the outline.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct OutlinePoint {
    /// 1-based, as in seed `000`.
    pub index: u32,
    pub content: String,
    #[serde(flatten)]
    pub extra: Extra,
}

/// Reads an outline written one point a line; blank lines and the author's own numbering fall away.
pub fn outline_from_lines(text: &str) -> Vec<OutlinePoint> {
    text.lines()
        .map(strip_numbering)
        .filter(|line| !line.is_empty())
        .enumerate()
        .map(|(at, content)| OutlinePoint { index: at as u32 + 1, content: content.to_owned(), ..Default::default() })
        .collect()
}

/// Writes an outline one point a line.
pub fn outline_to_lines(points: &[OutlinePoint]) -> String {
    points.iter().map(|point| point.content.as_str()).collect::<Vec<_>>().join("\n")
}

/// `3. text`, `3、text`, `3) text`, `- text` → `text`; `3 wolves` and `1984. A year.` stay as they are
/// only where no separator follows a number of one or two digits.
fn strip_numbering(line: &str) -> &str {
    let line = line.trim();
    let digits = line.chars().take_while(char::is_ascii_digit).count();
    let rest = &line[digits..];
    let numbered = (1..=2).contains(&digits).then(|| rest.strip_prefix(['.', '、', ')', '）', '．'])).flatten();
    let bulleted = line.strip_prefix(['-', '*', '•']).filter(|rest| rest.starts_with(' '));
    numbered.or(bulleted).unwrap_or(line).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outline_lines() {
        let points = outline_from_lines("1. 发现线索\n\n2、潜入\n- 对峙\n1984. A year\n3 wolves\n");
        let texts: Vec<_> = points.iter().map(|point| point.content.as_str()).collect();
        assert_eq!(texts, ["发现线索", "潜入", "对峙", "1984. A year", "3 wolves"]);
        assert_eq!(points[4].index, 5);
        assert_eq!(outline_from_lines(&outline_to_lines(&points)), points);
    }
}
