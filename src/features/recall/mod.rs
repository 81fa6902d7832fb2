//! Recall: when to look into the past, for what, and how what was found is told (seed `000`, 2.5; seed `001`, RAG).

mod settings;

pub use settings::{RecallPolicy, RecallSettings};

use std::collections::BTreeMap;

use crate::{
    ports::recall::{Hit, Source, Words},
    prompt::{
        context::{Entry, Priority},
        sources::{self, Give},
    },
    story::{ids::GenerationId, memory::Kind, preset::Section, storyline::Language},
};

pub const NAME: &str = "recall";

pub struct Feature;

impl super::Feature for Feature {
    fn name(&self) -> &'static str {
        NAME
    }

    fn sources(&self) -> &'static [sources::Source] {
        &[sources::Source {
            name: NAME,
            title: ["回忆", "Recalled events"],
            give: Give::Turn(Priority::RECALL, Section::Middle),
        }]
    }

    fn works_apart(&self) -> bool {
        true
    }
}

/// Words that ask for the past: the seed's, and their English equivalents. They are no part of what is looked for.
const PAST: &[&str] = &[
    "还记得",
    "记得吗",
    "记得",
    "之前",
    "当时",
    "還記得",
    "記得嗎",
    "記得",
    "當時",
    "那次",
    "remember",
    "recall",
    "before",
    "earlier",
    "back then",
    "at the time",
    "that time",
    "last time",
];

/// Words that ask how it went.
const HOW: &[&str] = &["怎么", "怎麼", "如何", "详细过程", "詳細過程", "how", "in detail", "exactly"];

/// What the reader's words ask of the memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// What to look for.
    pub text: String,
    /// Whether it is asked how things went, and not only what happened.
    pub in_detail: bool,
}

/// Whether these words ask for the past, and for what of it. `None`: nothing is recalled.
pub fn asked(input: &str, policy: RecallPolicy) -> Option<Asked> {
    let asks = PAST.iter().any(|word| holds(input, word));
    let recalls = match policy {
        RecallPolicy::Always => true,
        RecallPolicy::Asked => asks,
        RecallPolicy::Never => false,
    };
    let in_detail = HOW.iter().any(|word| holds(input, word));
    let text = if asks { without(input) } else { input.to_owned() };
    (recalls && !input.trim().is_empty()).then_some(Asked { text, in_detail })
}

/// A Latin word counts whole; "therefore" does not ask for what was before.
fn holds(text: &str, word: &str) -> bool {
    find(&text.to_lowercase(), word).is_some()
}

fn find(text: &str, word: &str) -> Option<usize> {
    let ends = |c: Option<char>| !c.is_some_and(|c| c.is_ascii_alphanumeric());
    text.match_indices(word).map(|(at, _)| at).find(|at| {
        !word.is_ascii() || ends(text[..*at].chars().next_back()) && ends(text[at + word.len()..].chars().next())
    })
}

/// Names keep their capitals: a month is known by its own.
fn without(input: &str) -> String {
    let mut text = input.to_owned();
    for word in PAST {
        while let Some(at) = find(&text.to_ascii_lowercase(), word) {
            text.replace_range(at..at + word.len(), " ");
        }
    }
    text
}

/// The words of a search for `asked`, after what was said before it (the newest first). Of a line of play that holds a
/// question, the question is what is looked for, and the rest comes before it.
///
/// `sentences` cuts a text at their ends.
pub fn words(asked: &Asked, mut earlier: Vec<String>, sentences: fn(&str) -> Vec<&str>) -> Words {
    let (questions, rest): (Vec<&str>, Vec<&str>) =
        sentences(&asked.text).into_iter().partition(|sentence| sentence.contains(['?', '？']));
    if questions.is_empty() || rest.is_empty() {
        return Words { text: asked.text.clone(), earlier, ..Words::default() };
    }
    earlier.insert(0, rest.concat());
    Words { text: questions.concat(), earlier, ..Words::default() }
}

/// Who speaks in a story.
#[derive(Clone, Copy)]
pub struct Names<'a> {
    pub reader: &'a str,
    pub character: &'a str,
    /// Who else said what, where several speak: nobody knows of what is not among it.
    pub others: &'a BTreeMap<GenerationId, String>,
}

/// One line for each hit, with its reason; details where they are asked for. Without that, how things went is left out, unless
/// it is pinned.
/// What an event quotes of its turn is not told where the words themselves are.
pub fn lines(hits: &[Hit], in_detail: bool, names: Names, language: Language) -> Vec<Entry> {
    let is_said = |event: &Hit| hits.iter().any(|hit| hit.kind.is_none() && hit.position == event.position);
    let told = hits.iter().filter(|hit| in_detail || hit.pinned || hit.kind != Some(Kind::Plot));
    told.map(|hit| {
        let in_detail = in_detail && !(hit.kind == Some(Kind::Event) && is_said(hit));
        Entry { text: line(hit, in_detail, names, language), reason: reason(hit) }
    })
    .collect()
}

fn line(hit: &Hit, in_detail: bool, names: Names, language: Language) -> String {
    let text = match (in_detail, hit.detail.trim()) {
        (true, detail) if !detail.is_empty() => detail,
        _ => hit.text.trim(),
    };
    let turns = match hit.turns {
        (first, last) if first == last => first.to_string(),
        (first, last) => format!("{first}–{last}"),
    };
    // Which of two is true now their order tells: no mark that the words alone can set is right often enough.
    let name = match &hit.source {
        Source::User(_) => names.reader,
        Source::Reply(id) => names.others.get(id).map_or(names.character, String::as_str),
        Source::Memory(_) => "",
    };
    match language {
        // A memory may say itself when it was: the seed's do.
        Language::Zh if says_when(text, "第", "轮") => format!("- {text}"),
        Language::Zh if name.is_empty() => format!("- 第{turns}轮：{text}"),
        Language::Zh => format!("- 第{turns}轮，{name}：{text}"),
        Language::En if says_when(text, "Turn ", "") => format!("- {text}"),
        Language::En => format!(
            "- {} {turns}{}{name}: {text}",
            if hit.turns.0 == hit.turns.1 { "Turn" } else { "Turns" },
            if name.is_empty() { "" } else { ", " }
        ),
    }
}

fn says_when(text: &str, turn: &str, unit: &str) -> bool {
    let number = |c: char| c.is_ascii_digit() || matches!(c, '-' | '–' | '~' | '～' | '至' | '到' | ' ');
    let Some(rest) = text.strip_prefix(turn) else { return false };
    rest.starts_with(|c: char| c.is_ascii_digit()) && rest.trim_start_matches(number).starts_with(unit)
}

/// `2.31 = words 1.00 + prior 0.42 + …; 约定`.
pub(super) fn reason(hit: &Hit) -> String {
    if hit.pinned {
        return "pinned".to_owned();
    }
    if hit.parts.is_empty() {
        return "recent".to_owned();
    }
    let parts: Vec<String> = hit.parts.iter().map(|(name, part)| format!("{name} {part:.2}")).collect();
    let words = if hit.words.is_empty() { String::new() } else { format!("; {}", hit.words.join(" ")) };
    format!("{:.2} = {}{words}", hit.score, parts.join(" + "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gate_of_the_seed() {
        let check = |input: &str, expected: Option<(&str, bool)>| {
            let asked = asked(input, RecallPolicy::Asked);
            let got = asked.as_ref().map(|asked| (asked.text.trim(), asked.in_detail));
            assert_eq!(got, expected, "{input}");
        };
        check("你还记得我们之前的约定吗？", Some(("你 我们 的约定吗？", false)));
        check("你還記得我們的約定嗎？當時是怎麼說的？", Some(("你 我們的約定嗎？ 是怎麼說的？", true)));
        check("那次你是怎么逃出来的？", Some(("你是怎么逃出来的？", true)));
        check("Do you remember how we met?", Some(("Do you   how we met?", true)));
        check("Before we go: what did I promise?", Some(("we go: what did I promise?", false)));
        check("Do you REMEMBER May?", Some(("Do you   May?", false)));
        check("你打算等到什么时候？", None);
        check("Therefore we wait beforehand.", None);
        check("", None);
        assert!(super::asked("你打算等到什么时候？", RecallPolicy::Always).is_some());
        assert!(super::asked("还记得吗", RecallPolicy::Never).is_none());
    }

    #[test]
    fn of_a_line_of_play_the_question_is_looked_for() {
        let check = |line: &str, text: &str, before: &[&str]| {
            let words = words(
                &Asked { text: line.into(), in_detail: false },
                vec!["She nods.".into()],
                crate::memory::sentences,
            );
            let earlier: Vec<&str> = words.earlier.iter().map(|text| text.trim()).collect();
            assert_eq!((words.text.trim(), &earlier[..]), (text, before), "{line}");
        };
        check("Where is the key?", "Where is the key?", &["She nods."]);
        check("I sit down. The rain goes on.", "I sit down. The rain goes on.", &["She nods."]);
        check("I sit down. \"Where is the key?\" Rain.", "\"Where is the key?\"", &["I sit down. Rain.", "She nods."]);
        check("我坐下来。“钥匙在哪里？”雨还在下。", "“钥匙在哪里？”", &["我坐下来。雨还在下。", "She nods."]);
    }

    #[test]
    fn what_is_told() {
        let hit = |kind, text: &str, detail: &str| Hit {
            storyline: "s".into(),
            source: Source::Memory("m".into()),
            kind,
            turn: "t".into(),
            position: 40,
            turns: (12, 12),
            text: text.into(),
            detail: detail.into(),
            said: 0,
            score: 1.5,
            parts: vec![("words".into(), 1.0), ("prior".into(), 0.5)],
            words: vec!["约定".into()],
            pinned: false,
        };
        let hits = [
            hit(Some(Kind::Summary), "玩家让Alserqi承诺不冲动送死", "他点了头"),
            hit(Some(Kind::Plot), "承诺的经过", "很长的经过"),
            Hit { source: Source::Reply("g".into()), ..hit(None, "钥匙在罐子里", "") },
            hit(Some(Kind::Note), "第20轮：Alserqi答应会冷静行动", ""),
        ];
        let nobody_else = BTreeMap::new();
        let names = Names { reader: "小雨", character: "Alserqi", others: &nobody_else };
        let told = |in_detail| {
            lines(&hits, in_detail, names, Language::Zh).into_iter().map(|entry| entry.text).collect::<Vec<_>>()
        };
        assert_eq!(
            told(false),
            [
                "- 第12轮：玩家让Alserqi承诺不冲动送死",
                "- 第12轮，Alserqi：钥匙在罐子里",
                "- 第20轮：Alserqi答应会冷静行动"
            ]
        );
        assert_eq!(told(true)[..2], ["- 第12轮：他点了头", "- 第12轮：很长的经过"]);
        assert_eq!(lines(&hits, false, names, Language::En)[1].text, "- Turn 12, Alserqi: 钥匙在罐子里");
        let event = hit(Some(Kind::Event), "两人成了朋友", "用户：我信你。");
        let said = Hit { text: "我信你。".into(), ..hit(None, "", "") };
        let both = |hits: &[Hit]| {
            lines(hits, true, names, Language::Zh).into_iter().map(|entry| entry.text).collect::<Vec<_>>()
        };
        assert_eq!(both(&[event.clone(), said]), ["- 第12轮：两人成了朋友", "- 第12轮：我信你。"], "quoted once");
        assert_eq!(both(&[event]), ["- 第12轮：用户：我信你。"]);
        let summary = [Hit { turns: (1, 3), ..hits[0].clone() }];
        assert_eq!(lines(&summary, false, names, Language::Zh)[0].text, "- 第1–3轮：玩家让Alserqi承诺不冲动送死");
        assert_eq!(lines(&summary, true, names, Language::En)[0].text, "- Turns 1–3: 他点了头");
        assert_eq!(lines(&hits, false, names, Language::En)[0].reason, "1.50 = words 1.00 + prior 0.50; 约定");
    }
}
