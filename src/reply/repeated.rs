//! What a reply gives back of its instructions: small models repeat the words that stand right before their turn, and
//! once such words stand in a story they are repeated for good.

use std::{borrow::Cow, ops::Range};

use super::parser::{PartKind, parse};

/// Bytes of a line that must stand in the instructions in one piece, and how much of the line that must be.
const LEAST: usize = 30;
const SHARE: f64 = 0.75;

/// The reply without the lines, before its story and after it, that repeat a line of the instructions or most of one.
/// What stands amid the story is the story's.
pub fn without<'a>(reply: &'a str, instructions: &[String]) -> Cow<'a, str> {
    let instructions: Vec<_> = instructions.iter().flat_map(|text| text.lines()).map(str::trim).collect();
    let is_repeated = |line: &Range<usize>| {
        let line = reply[line.clone()].trim();
        instructions.iter().any(|instruction| repeats(line, instruction))
    };
    let lines = shown_lines(reply);
    let after = lines.iter().rev().take_while(|line| is_repeated(line)).count();
    let before = lines[..lines.len() - after].iter().take_while(|line| is_repeated(line)).count();
    if before + after == 0 {
        return reply.into();
    }
    let (first, last) = lines.split_at(lines.len() - after);
    let mut left = String::with_capacity(reply.len());
    let mut from = 0;
    for line in first[..before].iter().chain(last) {
        left.push_str(&reply[from..line.start]);
        from = line.end;
    }
    left.push_str(&reply[from..]);
    left.trim().to_owned().into()
}

/// The lines of what is shown that are not blank, their ends included.
fn shown_lines(reply: &str) -> Vec<Range<usize>> {
    let parts = parse(reply).parts;
    let shown = parts.iter().filter(|part| part.kind == PartKind::Shown).map(|part| part.text.clone());
    let mut lines = Vec::new();
    for part in shown {
        let mut at = part.start;
        for line in reply[part].split_inclusive('\n') {
            let end = at + line.len();
            if !line.trim().is_empty() {
                lines.push(at..end);
            }
            at = end;
        }
    }
    lines
}

/// Whether most of a line stands in another in one piece.
fn repeats(line: &str, other: &str) -> bool {
    let needed = ((line.len() as f64 * SHARE).ceil() as usize).max(LEAST);
    other.len() >= needed && line.len() >= needed && longest_common(line.as_bytes(), other.as_bytes()) >= needed
}

/// Bytes of the longest piece that stands in both.
fn longest_common(one: &[u8], other: &[u8]) -> usize {
    let (mut longest, mut above) = (0, vec![0; other.len() + 1]);
    for byte in one {
        // From the end, for each place needs what stood before it in the row above.
        for at in (1..=other.len()).rev() {
            above[at] = if other[at - 1] == *byte { above[at - 1] + 1 } else { 0 };
            longest = longest.max(above[at]);
        }
    }
    longest
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn told() -> Vec<String> {
        [
            "接着下面的言行往下写：正文只写故事本身，不写读者的部分，不写题外的说明。",
            "如果你写的这段带来了超出这一刻的变化，就在正文之后附上一小段，只写有变化的那几行；感受用文字，不用数字。\n<changes>\n情绪：阿灯此刻的全部感受（缘由）\n</changes>",
            "Write what happens next, in answer to what is said or done below.",
        ]
        .map(str::to_owned)
        .into()
    }

    /// As Qwen2.5-1.5B wrote it, turn after turn.
    #[test]
    fn what_was_asked_for_is_no_part_of_the_story() {
        let said = "阿灯坐在油灯旁，看着外面的风雨。";
        let reply = format!("{said}\n\n{}\n\n{}", told()[0], told()[1]);
        assert_eq!(
            without(&reply, &told()),
            format!("{said}\n\n\n\n<changes>\n情绪：阿灯此刻的全部感受（缘由）\n</changes>")
        );
        let reply = format!("{said}\n\n接下来下面的言行往下写：正文只写故事本身，不写读者的部分，不写题外的说明。");
        assert_eq!(without(&reply, &told()), said);
        let reply = format!("{}\nShe waits.", told()[2]);
        assert_eq!(without(&reply, &told()), "She waits.");
        assert_eq!(without(&told()[0], &told()), "");
    }

    #[test]
    fn what_the_story_says_stays() {
        for reply in [
            "“接着写。”她说。",
            "She waits.\nWrite what happens next, he said, in answer to what I have asked of you since spring.\nIt rains.",
            "Write what happens next,",
            "她读那张纸条：\n接着下面的言行往下写：正文只写故事本身，不写读者的部分，不写题外的说明。\n她笑了。",
            "<changes>\n情绪：安心\n</changes>",
            "",
        ] {
            assert_eq!(without(reply, &told()), reply);
        }
    }

    proptest! {
        #[test]
        fn with_no_instructions_nothing_is_taken(reply in "(\\PC|\n|<changes>|</changes>){0,60}") {
            prop_assert_eq!(without(&reply, &[]), reply.as_str());
        }

        #[test]
        fn what_is_left_stood_there(reply in "(a|灯|\n|<changes>|</changes>|told of the lamp at the stair){0,30}") {
            let left = without(&reply, &["told of the lamp at the stair".to_owned()]).into_owned();
            let mut rest = reply.chars();
            prop_assert!(left.chars().all(|char| rest.any(|other| other == char)));
        }
    }
}
