//! What a model gives back of its own instructions is no news: small ones copy the form with nothing put into it.

use crate::{
    reply::parser::{WorldOp, is_nothing},
    story::persona::{Item, ItemKind},
};

/// What stands in the forms ([`super::changes`], [`super::scribe`]) for something that is to be said.
const BLANKS: &[&str] = &[
    "why",
    "what made it so",
    "what taught it",
    "name",
    "a key that is there, or a new one that will matter again",
    "its new value",
    "each feeling now",
    "each goal now",
    "the bodily state now",
    // As the form asked before: notes of then are read anew.
    "the body now, in one phrase",
    "with whom",
    "how it stands now",
    "what brought it there",
    "the turning point in a sentence",
    "缘由",
    "为什么",
    "因何而变",
    "从何而来",
    "某人",
    "名称",
    "已有的键，或以后还要用到的新键",
    "新的值",
    "此刻有的每种感受",
    "此刻的每个目标",
    "此刻的身体状况",
    // As the form asked before.
    "此刻的身体，一句话说全",
    "与谁",
    "如今怎样",
    "怎么走到这一步",
    "一句话写明转折",
];

/// What stands there for a key of the world.
const NEW_KEYS: [&str; 2] =
    ["a key that is there, or a new one that will matter again", "已有的键，或以后还要用到的新键"];

/// The same around a name: how it begins and ends.
const AROUND: &[[&str; 2]] = &[
    ["all that ", " feels now"],
    ["all that ", " is after now"],
    ["", "’s bodily state"],
    ["", "'s bodily state"],
    ["what ", " has come to believe"],
    ["what happened, if it changes ", ""],
    ["its new value (", ""],
    ["", "此刻的全部感受"],
    ["", "的身体状况"],
    ["", "眼下想做的全部事"],
    ["", "新得出的认识"],
    ["此人如今是", "的什么人"],
    ["发生了什么（仅当", ""],
    ["新的值（", ""],
];

/// Names of the forms' own fields, and words that only its plot has: they name nobody, and say how no two people stand.
const FIELDS: [&str; 8] = ["entity", "name", "key", "growth", "growth_state", "relationships", "beliefs", "progress"];
const STATUSES: [&str; 4] = ["status", "in_progress", "completed", "pending"];

/// Names of its fields for a text, as a model writes them into another field together with the blank.
const LABELS: [&str; 4] = ["content", "context", "condition", "reason"];
/// Names of the scribe's fields that no feeling, goal or belief has for its words.
const KEYS: [&str; 6] =
    ["current_state", "immediate_goals", "growth_state", "behavioral_patterns", "core_identity", "emotions"];

/// What the lines of the form begin with, and what is remembered of them: one that stands as an item of another kind is a
/// line of theirs (`believes: …; Mira wants: …`).
const LINES: [(&str, Option<ItemKind>); 12] = [
    ("feels", Some(ItemKind::Emotion)),
    ("情绪", Some(ItemKind::Emotion)),
    ("body", Some(ItemKind::Physical)),
    ("身体", Some(ItemKind::Physical)),
    ("wants", Some(ItemKind::Goal)),
    ("目标", Some(ItemKind::Goal)),
    ("believes", Some(ItemKind::Belief)),
    ("信念", Some(ItemKind::Belief)),
    ("habit", Some(ItemKind::Pattern)),
    ("习惯", Some(ItemKind::Pattern)),
    ("turning point", None),
    ("转折", None),
];

/// Letters that a form's words must have for their beginning to be known as theirs: in Chinese each is a word.
const CUT: [usize; 2] = [3, 8];

/// What the forms ask of a bodily state, or asked before, as models write it behind theirs.
const TAILS: [&str; 3] = [", in one phrase", "，一句话说全", "，一句话"];

/// What says that all is as it was, whatever comes behind it.
const UNCHANGED: [&str; 6] = ["no change", "no changes", "unchanged", "没有变化", "无变化", "没变"];

/// Whether a text says of itself that it is no news: `no change, the room is dark`.
fn is_unchanged(text: &str) -> bool {
    let head = text.split([',', '，', ';', '；', ':', '：']).next().unwrap_or_default();
    UNCHANGED.contains(&head.trim().to_lowercase().as_str())
}

/// Nothing was put in.
pub fn is_blank(text: &str) -> bool {
    let text = text.trim_matches(|char: char| !char.is_alphanumeric() && !"(（)）".contains(char)).to_lowercase();
    let around = |[begins, ends]: &[&str; 2]| text.strip_prefix(begins).is_some_and(|rest| rest.ends_with(ends));
    let says_nothing =
        |text: &str| !text.contains(char::is_alphanumeric) || BLANKS.contains(&text) || KEYS.contains(&text);
    // `reason: why` is the field with its blank.
    let value = text.split_once([':', '：']).filter(|(field, _)| LABELS.contains(&field.trim()));
    says_nothing(&text) || AROUND.iter().any(around) || value.is_some_and(|(_, value)| says_nothing(value.trim()))
}

/// The words of the form with a preposition before them (`to with whom`), or broken off amid them (`如今怎`).
fn is_nearly_blank(text: &str) -> bool {
    let text = text.trim().to_lowercase();
    let text = ["to ", "with ", "对", "与"]
        .iter()
        .find_map(|before| {
            let rest = text.strip_prefix(before)?;
            is_blank(rest).then_some(rest)
        })
        .unwrap_or(&text);
    let letters = text.chars().count();
    let least = CUT[usize::from(text.is_ascii())];
    is_blank(text) || letters >= least && BLANKS.iter().any(|blank| blank.starts_with(text))
}

/// Whether an item is a line for something else, whosever: `Mira feels: tired`.
fn is_other_line(kind: ItemKind, text: &str) -> bool {
    let Some((head, _)) = text.split_once([':', '：']) else { return false };
    let head = head.trim().to_lowercase();
    let is_this = |label: &str| {
        let before = head.strip_suffix(label);
        before.is_some_and(|before| !label.is_ascii() || before.is_empty() || before.ends_with(' '))
    };
    LINES.iter().any(|(label, of)| *of != Some(kind) && is_this(label))
}

/// What an item says: nothing where its text is blank, and without its reason where only the form has that one.
pub fn said(mut item: Item) -> Option<Item> {
    if let Item::Relationship { entity, status, .. } = &item {
        let is_field = |text: &str, fields: &[&str]| fields.contains(&text.trim().to_lowercase().as_str());
        let is_copied = is_nearly_blank(entity) || is_field(entity, &FIELDS) || is_field(status, &STATUSES);
        if is_copied || !status.is_empty() && is_nearly_blank(status) {
            return None;
        }
    }
    let text = item.texts()[0];
    if is_blank(text) || is_nothing(text.trim()) || is_other_line(item.kind(), text) || is_unchanged(text) {
        return None;
    }
    if let Item::Physical { condition } = &mut item {
        let text = condition.trim_end_matches(['.', '。']);
        if let Some(bare) = TAILS.iter().find_map(|tail| text.strip_suffix(tail)) {
            *condition = bare.to_owned();
        }
    }
    if let Some(aside) = item.aside_mut().filter(|aside| aside.contains(char::is_alphanumeric) && is_blank(aside)) {
        aside.clear();
    }
    Some(item)
}

pub fn is_op(op: &WorldOp) -> bool {
    let (key, value) = op.said();
    // A world may well have a “name”, and none a “KEY”.
    key == "KEY" || NEW_KEYS.contains(&key.trim()) || (value.contains(char::is_alphanumeric) && is_blank(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::{
        Absorbed,
        reading::{read_note, read_reply},
    };

    #[test]
    fn a_line_for_something_else_is_no_item() {
        for (kind, text, is) in [
            (ItemKind::Belief, "Mira feels: tired, hopeful", true),
            (ItemKind::Belief, "turning point: Mira found the log", true),
            (ItemKind::Goal, "Mira’s body: cold", true),
            (ItemKind::Goal, "Lin wants: quiet", false),
            (ItemKind::Belief, "米拉的情绪：疲惫", true),
            (ItemKind::Goal, "目标：找到父亲", false),
            (ItemKind::Belief, "Everybody has one fear: the sea", false),
            (ItemKind::Belief, "what nobody wants comes anyway", false),
        ] {
            assert_eq!(is_other_line(kind, text), is, "{text}");
        }
    }

    /// As Qwen2.5-Coder-1.5B wrote them.
    #[test]
    fn a_text_is_said_without_what_the_form_asks_of_it() {
        let said = |condition: &str| said(Item::Physical { condition: condition.into() });
        let is = |condition: &str| Some(Item::Physical { condition: condition.into() });
        assert_eq!(said("tired and cold, in one phrase."), is("tired and cold"));
        assert_eq!(said("左臂受伤，一句话说全"), is("左臂受伤"));
        assert_eq!(said("No change, the room is dark and cold"), None);
        assert_eq!(said("没有变化"), None);
        assert_eq!(said("no changed bandage yet"), is("no changed bandage yet"));
    }

    #[test]
    fn a_key_of_the_form_is_none() {
        let set = |key: &str, value: &str| WorldOp::Set { key: key.into(), value: value.into() };
        for key in NEW_KEYS {
            assert!(is_op(&set(key, "灯塔")), "{key}");
        }
        assert!(!is_op(&set("名称", "灯塔")));
    }

    /// As SmolLM2-135M wrote them.
    #[test]
    fn a_field_with_its_blank_says_nothing() {
        for text in [
            "reason: 为什么",
            "context: why",
            "condition：缘由",
            "immediate_goals",
            " Behavioral_patterns:",
            "emotions",
        ] {
            assert!(is_blank(text), "{text}");
        }
        for text in ["reason: the rain", "afraid: why?", "context", "mixed emotions", "喜悦：为什么"] {
            assert!(!is_blank(text), "{text}");
        }
    }

    #[test]
    fn the_forms_say_nothing() {
        let lines = [
            include_str!("persona/changes.en.txt").replace("{{char}}", "Mira"),
            include_str!("persona/changes.zh.txt").replace("{{char}}", "米拉"),
            "plot N: in_progress or completed (when point N begins or ends)".to_owned(),
            "剧情 N：进行中 或 已完成（要点N开始或完成时）".to_owned(),
            "world KEY: its new value (only a KEY that the world state above has)".to_owned(),
            "世界 名称：新的值（只用上面世界状态里已有的名称）".to_owned(),
        ];
        for line in lines.iter().flat_map(|form| form.lines()) {
            for text in
                [format!("She waits.\n<changes>\n{line}\n</changes>"), format!("<changes>\n{line}\nfeels: calm")]
            {
                let read = read_reply(&text, false);
                let items = read.update.map_or(0, |update| update.items.len() + update.major_event.iter().len());
                let notices: Vec<_> =
                    read.notices.iter().filter(|notice| format!("{notice:?}").contains("Bad")).collect();
                let said = usize::from(text.contains("calm"));
                assert_eq!((items, read.progress, read.world, notices), (said, None, vec![], vec![]), "{line}");
            }
        }
        for form in [include_str!("scribe/scribe.en.md"), include_str!("scribe/scribe.zh.md")] {
            let form = form.replace('：', ": ");
            for value in form.split(": \"").skip(1).filter_map(|rest| rest.split('"').next()) {
                assert!(is_blank(value) || value == "in_progress", "{value}");
            }
        }
        let Absorbed { update, .. } = read_note(
            r#"{"current_state": {"emotions": [{"content": "each feeling now", "context": "why"}]}, "major_event": "the turning point in a sentence"}"#,
        );
        assert_eq!(update, None);
    }

    /// As small models copied them.
    #[test]
    fn nobody_is_called_by_a_blank() {
        let is = |entity: &str, status: &str| {
            said(Item::Relationship { entity: entity.into(), status: status.into(), history: String::new() }).is_none()
        };
        for (entity, status) in [
            ("with whom", "a friend"),
            ("To with whom", "a friend"),
            ("with with whom", "a friend"),
            ("与谁", "如何"),
            ("对与谁", "朋友"),
            ("小满", "如今怎"),
            ("Anna", "how it stands"),
            ("growth", "in_progress"),
            ("Anna", "completed"),
            ("relationships", "close"),
        ] {
            assert!(is(entity, status), "{entity}: {status}");
        }
        for (entity, status) in [
            ("Anna", "a friend"),
            ("与谢", "朋友"),
            ("With", "an ally"),
            ("Anna", ""),
            ("小满", "如今"),
            ("the world", "an enemy"),
            ("Anna", "how it was"),
        ] {
            assert!(!is(entity, status), "{entity}: {status}");
        }
    }

    #[test]
    fn what_is_said_is() {
        for text in ["Name", "“why”,", "]}", "……", "  The body now, in one phrase.", "The bodily state now."] {
            assert!(is_blank(text), "{text}");
        }
        for text in ["calm", "Why did he leave?", "名称不详", "all that is left", "in a poor state"] {
            assert!(!is_blank(text), "{text}");
        }
        let sad = |context: &str| Item::Emotion { content: "sad".into(), context: context.into() };
        assert_eq!((said(sad("...")), said(sad(""))), (Some(sad("...")), Some(sad(""))));
    }

    /// As Qwen2.5-1.5B wrote it: what is felt is its own.
    #[test]
    fn a_reason_of_the_form_is_none() {
        let Absorbed { update, .. } = read_note(
            r#"{"current_state": {"emotions": [{"content": "afraid, but curious", "context": "why"}], "immediate_goals": [{"goal": "find out about the ship", "reason": "why"}]}}"#,
        );
        let items = update.unwrap().items;
        let said: Vec<_> = items.iter().map(|item| (item.texts()[0], item.aside())).collect();
        assert_eq!(said, [("afraid, but curious", ""), ("find out about the ship", "")]);
    }
}
