//! `<changes>`: what a reply changes, a line each, in the fewest words that a model must write.
//!
//! ```text
//! <changes>
//! feels: weary; hopeful (the bridge held)
//! body: left arm injured
//! wants: find shelter (night is near)
//! believes: trust is proved by deeds (he came back for her)
//! habit: checks twice before acting
//! with Victor: a wary ally (he came back for her)
//! plot 2: completed
//! world lamp: lit
//! turning point: he came back for her
//! </changes>
//! ```
//!
//! The reason stands in brackets, as the prompt tells items ([`crate::features::persona`]). Items become an update of
//! seed `001`, so that one rule reads both; but what is felt and wanted is all that is, for nobody would write that an
//! old feeling is over. A value of the world is the new one; `+5` is added to it.

use serde_json::{Map, Value, json};

use super::{WorldOp, state::is_nothing};
use crate::{
    reply::{
        notice::{ReplyNotice, excerpt},
        progress,
    },
    story::{figures::plain, plot::PointStatus},
};

/// What the lines of a block say.
#[derive(Debug, Default, PartialEq)]
pub struct Lines {
    /// In the form of seed `001`.
    pub update: Map<String, Value>,
    pub plot: Option<(u32, PointStatus)>,
    pub world: Vec<WorldOp>,
    pub notices: Vec<ReplyNotice>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Says {
    /// The layer, its field, and what an item's text and its reason are called there.
    Item(&'static str, &'static str, [&'static str; 2]),
    Relationship,
    Plot,
    World,
    TurningPoint,
}

const EMOTION: Says = Says::Item("current_state", "emotions", ["content", "context"]);
const GOAL: Says = Says::Item("current_state", "immediate_goals", ["goal", "reason"]);
const PHYSICAL: Says = Says::Item("current_state", "physical", ["condition", ""]);
const BELIEF: Says = Says::Item("growth_state", "beliefs", ["content", "formed_from"]);
const PATTERN: Says = Says::Item("growth_state", "behavioral_patterns", ["pattern", ""]);

/// In lower case; the longer of two that begin alike first.
const KEYS: &[(&str, Says)] = &[
    ("feelings", EMOTION),
    ("feeling", EMOTION),
    ("feels", EMOTION),
    ("emotions", EMOTION),
    ("emotion", EMOTION),
    ("mood", EMOTION),
    ("情绪", EMOTION),
    ("情緒", EMOTION),
    ("感受", EMOTION),
    ("心情", EMOTION),
    ("body", PHYSICAL),
    ("physical condition", PHYSICAL),
    ("physical", PHYSICAL),
    ("身体状况", PHYSICAL),
    ("身體狀況", PHYSICAL),
    ("身体", PHYSICAL),
    ("身體", PHYSICAL),
    ("wants", GOAL),
    ("want", GOAL),
    ("goals", GOAL),
    ("goal", GOAL),
    ("眼前目标", GOAL),
    ("眼前目標", GOAL),
    ("目标", GOAL),
    ("目標", GOAL),
    ("想要", GOAL),
    ("believes", BELIEF),
    ("beliefs", BELIEF),
    ("belief", BELIEF),
    ("信念", BELIEF),
    ("相信", BELIEF),
    ("habits", PATTERN),
    ("habit", PATTERN),
    ("pattern", PATTERN),
    ("行为模式", PATTERN),
    ("行為模式", PATTERN),
    ("习惯", PATTERN),
    ("習慣", PATTERN),
    ("relationship with", Says::Relationship),
    ("relationship", Says::Relationship),
    ("with", Says::Relationship),
    ("关系", Says::Relationship),
    ("關係", Says::Relationship),
    ("对", Says::Relationship),
    ("對", Says::Relationship),
    ("与", Says::Relationship),
    ("與", Says::Relationship),
    ("plot point", Says::Plot),
    ("plot", Says::Plot),
    ("progress", Says::Plot),
    ("剧情", Says::Plot),
    ("劇情", Says::Plot),
    ("进度", Says::Plot),
    ("進度", Says::Plot),
    ("world state", Says::World),
    ("world", Says::World),
    ("世界状态", Says::World),
    ("世界狀態", Says::World),
    ("世界", Says::World),
    ("turning point", Says::TurningPoint),
    ("major event", Says::TurningPoint),
    ("major_event", Says::TurningPoint),
    ("转折", Says::TurningPoint),
    ("轉折", Says::TurningPoint),
    ("重大事件", Says::TurningPoint),
];

/// Reads a block that is no JSON.
pub fn read(text: &str) -> Lines {
    let mut lines = Lines::default();
    let mut open = None;
    let mut unsaid = Vec::new();
    for line in text.lines().map(bare).filter(|line| !line.is_empty() && !line.starts_with("```")) {
        match (keyed(line), open) {
            (Some((says, about, value)), _) if !value.is_empty() && is_nothing(value) => {
                open = Some((says, about));
                unsaid.push((says, about, value, lines.world.len()));
            }
            (Some((says, about, value)), _) => {
                open = Some((says, about));
                lines.take(says, about, value, line);
            }
            // `feels:` and a list below it.
            (None, Some((says, about))) if !line.contains(COLON) => lines.take(says, about, line, line),
            (None, _) if is_nothing(line) => {}
            (None, _) => {
                let path = line.split(COLON).next().unwrap_or(line);
                lines.notices.push(ReplyNotice::KeptAside { path: excerpt(path) });
            }
        }
    }
    // A hand may be empty. Where the form is filled in to its end with such words, nothing is said by them.
    if let [(Says::World, about, value, at)] = unsaid[..]
        && !about.is_empty()
        && is_value(value)
    {
        lines.world.insert(at, WorldOp::Set { key: about.to_owned(), value: value.to_owned() });
    }
    lines
}

/// Whether a word for nothing may be a value, and not that all is as it was.
fn is_value(word: &str) -> bool {
    ["none", "null", "无", "無", "空"].contains(&word.trim_end_matches(['.', '。']).to_lowercase().as_str())
}

/// Whether a block has a line that changes something.
pub fn says_something(text: &str) -> bool {
    let Lines { update, world, plot, .. } = read(text);
    !update.is_empty() || !world.is_empty() || plot.is_some()
}

/// How much of a block that nothing closes is lines of it: prose after them is none.
pub fn extent(text: &str) -> usize {
    let mut end = 0;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        at += line.len();
        let is_item = end > 0 && line.trim_start().starts_with(BULLETS);
        if keyed(bare(line)).is_some_and(|(says, about, _)| is_of(says, about)) || is_item {
            end = at;
        } else if !line.trim().is_empty() {
            break;
        }
    }
    end
}

/// Whether the last line of a block that nothing closes is only the beginning of one, or of the tag that would close it.
pub fn is_begun(line: &str) -> bool {
    let line = bare(line).to_lowercase();
    let rest = |key: &str| line.strip_prefix(key).map(str::trim);
    let is_name = |about: &str| is_of(Says::World, about) && !about.contains(['.', '—']);
    "</changes>".starts_with(&line)
        || KEYS.iter().any(|(key, says)| {
            let has_about = matches!(says, Says::Relationship | Says::Plot | Says::World);
            key.starts_with(&line) || has_about && rest(key).is_some_and(is_name)
        })
}

/// Whether this can be whom or what a line is about, where prose may begin with the same word: `With a sigh she turned to
/// him: …`, `对她来说，只有一件事：…`.
fn is_of(says: Says, about: &str) -> bool {
    const IN_SENTENCES: [char; 13] = ['，', '。', '！', '？', '；', '…', '“', '”', ',', '!', '?', ';', '"'];
    let is_name = about.split_whitespace().count() <= WORDS && about.chars().count() <= LETTERS;
    !matches!(says, Says::Relationship | Says::World) || is_name && !about.contains(IN_SENTENCES)
}

/// Of a name or a key.
const WORDS: usize = 5;
const LETTERS: usize = 32;

const COLON: [char; 2] = [':', '：'];
const BULLETS: [char; 4] = ['-', '*', '•', '·'];

/// Without bullets and emphasis around it.
fn bare(line: &str) -> &str {
    line.trim().trim_start_matches(|c: char| BULLETS.contains(&c) || c.is_whitespace()).trim_end_matches(['*', '`'])
}

/// What a line is about, of whom or what, and what it says.
fn keyed(line: &str) -> Option<(Says, &str, &str)> {
    let (head, value) = line.split_once(COLON)?;
    let head = head.trim_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '`' | '"' | '_' | '[' | '【'));
    let value = value.trim_start_matches('*').trim();
    KEYS.iter().find_map(|(key, says)| {
        let begins = head.get(..key.len()).filter(|begins| begins.eq_ignore_ascii_case(key))?;
        let about = &head[begins.len()..];
        let ends = !key.is_ascii() || !about.starts_with(|c: char| c.is_alphanumeric() && !c.is_ascii_digit());
        let about = about.trim_matches(|c: char| c.is_whitespace() || matches!(c, '.' | '_' | '#' | '「' | '」'));
        let has_about = matches!(says, Says::Relationship | Says::Plot | Says::World);
        (ends && (has_about || about.is_empty())).then_some((*says, about, value))
    })
}

impl Lines {
    fn take(&mut self, says: Says, about: &str, value: &str, line: &str) {
        if is_nothing(value) {
            return;
        }
        match says {
            Says::Item(layer, field, names) => {
                for one in several(value) {
                    let (text, aside) = with_aside(one);
                    let mut item = Map::from_iter([(names[0].to_owned(), Value::from(text))]);
                    // One that has no place for a reason keeps it in its text.
                    match names[1] {
                        "" => _ = item.insert(names[0].to_owned(), one.into()),
                        name if !aside.is_empty() => _ = item.insert(name.to_owned(), aside.into()),
                        _ => {}
                    }
                    // What is felt and wanted now takes the place of what was.
                    let whole = matches!(says, EMOTION | GOAL);
                    self.add(layer, field, if whole { "now" } else { "add" }, item.into());
                }
            }
            Says::Relationship => {
                let (entity, value) = match about {
                    "" => value.split_once(['=', '—', ',', '，']).unwrap_or((value, "")),
                    _ => (about, value),
                };
                let (status, history) = match with_aside(value.trim()) {
                    (all, "") => all.split_once([';', '；']).unwrap_or((all, "")),
                    both => both,
                };
                let item = json!({"entity": entity.trim(), "status": status.trim(), "history": history.trim()});
                self.add("growth_state", "relationships", "add", item);
            }
            // The line of the instructions, as it stands there.
            Says::Plot if about.eq_ignore_ascii_case("n") => {}
            Says::Plot => match point(&format!("{about} {value}")) {
                Some(point) => _ = self.plot.get_or_insert(point),
                None => self.notices.push(ReplyNotice::BadMarker { excerpt: excerpt(line) }),
            },
            Says::World => {
                let stated = if about.is_empty() { value.split_once(['=', ':', '：']) } else { Some((about, value)) };
                let Some((key, value)) = stated.map(|(key, value)| (key.trim().to_owned(), value.trim())) else {
                    return self.notices.push(ReplyNotice::BadWorldOp { excerpt: excerpt(line) });
                };
                // Read as JSON, for the table of `str::parse` has ten kilobytes.
                let is_number = |text: &str| serde_json::from_str::<f64>(text.trim()).is_ok();
                let number = plain(value).replacen('＋', "+", 1);
                let is_sum = number.strip_prefix('+').is_some_and(is_number);
                let value = if is_sum { number } else { value.to_owned() };
                self.world.push(if is_sum { WorldOp::Add { key, value } } else { WorldOp::Set { key, value } });
            }
            Says::TurningPoint => _ = self.update.insert("major_event".to_owned(), value.into()),
        }
    }

    fn add(&mut self, layer: &str, field: &str, how: &str, item: Value) {
        let layer = self.update.entry(layer).or_insert_with(|| json!({}));
        match &mut layer[field][how] {
            Value::Array(list) => list.push(item),
            empty => *empty = json!([item]),
        }
    }
}

/// Items on one line, apart by semicolons outside of brackets.
fn several(value: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0;
    let apart = move |c: char| {
        match c {
            '(' | '（' => depth += 1,
            ')' | '）' => depth -= 1,
            _ => {}
        }
        depth <= 0 && matches!(c, ';' | '；')
    };
    value.split(apart).map(str::trim).filter(|one| !one.is_empty())
}

/// `weary (a long march)`: what it is, and what stands in the brackets at its end.
fn with_aside(text: &str) -> (&str, &str) {
    let aside = || {
        let inner = text.trim_end_matches(['.', '。']).strip_suffix([')', '）'])?;
        let (before, aside) = inner.split_once(['(', '（'])?;
        (!before.trim().is_empty()).then_some((before.trim(), aside.trim()))
    };
    aside().unwrap_or((text, ""))
}

/// `2 completed`, `第2点：进行中`, `2`: a point that is named alone has begun.
fn point(text: &str) -> Option<(u32, PointStatus)> {
    let text = plain(text);
    let text = text.trim_start_matches(|c: char| c == '第' || c == '#' || c.is_whitespace());
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let index = text[..digits].parse().ok()?;
    let status = text[digits..].trim_start_matches(|c: char| {
        c.is_whitespace() || matches!(c, '点' | '=' | '-' | '>' | ':' | '：' | '.' | '章')
    });
    let status = with_aside(status).0;
    if status.is_empty() {
        return Some((index, PointStatus::InProgress));
    }
    Some((index, progress::status(status)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, update: Value) -> Lines {
        let lines = read(text);
        assert_eq!(Value::Object(lines.update.clone()), update, "{text}");
        lines
    }

    #[test]
    fn the_block_as_the_prompt_asks_for_it() {
        let en = "feels: weary; hopeful (the bridge held)\nbody: left arm injured\nwants: find shelter (night is near)\nbelieves: trust is proved by deeds (he came back)\nhabit: checks twice\nwith Victor: a wary ally (he came back)\nplot 2: completed\nworld lamp: lit\nworld gold: +5\nturning point: he came back";
        let update = json!({
            "current_state": {
                "emotions": {"now": [{"content": "weary"}, {"content": "hopeful", "context": "the bridge held"}]},
                "physical": {"add": [{"condition": "left arm injured"}]},
                "immediate_goals": {"now": [{"goal": "find shelter", "reason": "night is near"}]},
            },
            "growth_state": {
                "beliefs": {"add": [{"content": "trust is proved by deeds", "formed_from": "he came back"}]},
                "behavioral_patterns": {"add": [{"pattern": "checks twice"}]},
                "relationships": {"add": [{"entity": "Victor", "status": "a wary ally", "history": "he came back"}]},
            },
            "major_event": "he came back",
        });
        let lines = check(en, update);
        assert_eq!(lines.plot, Some((2, PointStatus::Completed)));
        let (key, value) = ("lamp".to_owned(), "lit".to_owned());
        let gold = WorldOp::Add { key: "gold".into(), value: "+5".into() };
        assert_eq!((lines.world, lines.notices), (vec![WorldOp::Set { key, value }, gold], vec![]));
        let zh = "情绪：疲惫；有一点希望（桥撑住了）\n身体：左臂受伤\n目标：找个地方过夜\n信念：信任要靠行动（他回来了）\n关系 小雨：信得过的同伴（他回来了）\n剧情2：已完成\n世界 灯：亮着\n转折：他回来了";
        // The same words in their traditional forms.
        let traditional = "情緒：疲惫；有一点希望（桥撑住了）\n身體：左臂受伤\n目標：找个地方过夜\n信念：信任要靠行动（他回来了）\n關係 小雨：信得过的同伴（他回来了）\n劇情2：已完成\n世界 灯：亮着\n轉折：他回来了";
        let (lines, same) = (read(zh), read(traditional));
        assert_eq!((&lines.update, &lines.world, lines.plot), (&same.update, &same.world, same.plot));
        assert_eq!(same.notices, []);
        assert_eq!(
            lines.update["current_state"]["emotions"]["now"][1],
            json!({"content": "有一点希望", "context": "桥撑住了"})
        );
        assert_eq!(
            lines.update["growth_state"]["relationships"]["add"][0],
            json!({"entity": "小雨", "status": "信得过的同伴", "history": "他回来了"})
        );
        assert_eq!((lines.plot, lines.notices), (Some((2, PointStatus::Completed)), vec![]));
        assert_eq!(lines.world, [WorldOp::Set { key: "灯".into(), value: "亮着".into() }]);
    }

    #[test]
    fn other_ways_are_forgiven() {
        let weary = json!({"current_state": {"emotions": {"now": [{"content": "weary"}]}}});
        for text in ["Feels: weary", "- **feels**: weary", "* Mood：weary", "feels:\n- weary", "`emotions: weary`"] {
            check(text, weary.clone());
        }
        for text in ["", "none", "feels: none", "情绪：无\n身体：无变化", "```\n```"] {
            assert_eq!(read(text), Lines::default(), "{text}");
        }
        for (text, want) in [
            ("plot: 2 completed", PointStatus::Completed),
            ("Progress 2: in progress", PointStatus::InProgress),
            ("plot 2: done (the gate is open)", PointStatus::Completed),
            ("plot: 2", PointStatus::InProgress),
            ("剧情：第2点 进行中", PointStatus::InProgress),
            ("[PROGRESS:2:completed]", PointStatus::Completed),
        ] {
            assert_eq!(read(text).plot, Some((2, want)), "{text}");
        }
        for text in ["world: lamp = lit", "World lamp: lit", "world.lamp: lit", "世界：lamp：lit"] {
            assert_eq!(read(text).world, [WorldOp::Set { key: "lamp".into(), value: "lit".into() }], "{text}");
        }
        let lines = read("with Victor: an ally; he came back");
        let relation = &lines.update["growth_state"]["relationships"]["add"][0];
        assert_eq!((&relation["status"], &relation["history"]), (&json!("an ally"), &json!("he came back")));
    }

    #[test]
    fn signs_of_full_width_count() {
        let lines = read("剧情 ２：已完成\n世界 金币：＋５");
        assert_eq!(lines.plot, Some((2, PointStatus::Completed)));
        assert_eq!(lines.world, [WorldOp::Add { key: "金币".into(), value: "+5".into() }]);
        assert_eq!(read("世界 金币：＋很多").world, [WorldOp::Set { key: "金币".into(), value: "＋很多".into() }]);
    }

    #[test]
    fn a_hand_may_be_empty_and_a_form_may_be_filled_in() {
        let set = |key: &str, value: &str| vec![WorldOp::Set { key: key.into(), value: value.into() }];
        assert_eq!(read("情绪：疲惫\n世界 手里：无").world, set("手里", "无"));
        assert_eq!(read("world lamp: null").world, set("lamp", "null"));
        assert_eq!(read("feels:\n- weary\nworld hand: none").world, set("hand", "none"));
        let later = [set("hand", "none"), set("hand", "sword")].concat();
        assert_eq!(read("world hand: none\nworld hand: sword").world, later);
        for text in ["情绪：无\n世界 手里：无", "world lamp: none\nworld gold: none", "世界 手里：无变化", "世界：无"]
        {
            assert_eq!(read(text).world, [], "{text}");
        }
    }

    #[test]
    fn the_beginning_of_a_line_is_told_from_prose() {
        for line in ["wor", "</chan", "<", "with Victor", "world lam", "- feels", "剧情", "情"] {
            assert!(is_begun(line), "{line}");
        }
        for line in
            ["She left.", "With a sigh she turned to him.", "他笑了。", "Words failed her", "对她来说，这就够了"]
        {
            assert!(!is_begun(line), "{line}");
        }
    }

    #[test]
    fn what_is_none_of_it_is_kept_aside() {
        let lines = read("weather: rain\nfeels: weary\nworldview: bleak\nplot: soon\nworld: dark");
        let notices = [
            ReplyNotice::KeptAside { path: "weather".into() },
            ReplyNotice::KeptAside { path: "worldview".into() },
            ReplyNotice::BadMarker { excerpt: "plot: soon".into() },
            ReplyNotice::BadWorldOp { excerpt: "world: dark".into() },
        ];
        assert_eq!((lines.notices.as_slice(), lines.world.len()), (&notices[..], 0));
        assert_eq!(extent("\nfeels: weary\n- hopeful\n\nShe left: at last.\n"), "\nfeels: weary\n- hopeful\n".len());
        assert_eq!(extent("She left."), 0);
    }
}
