//! What of the growth is told: all of it while that is little, then the newest of each kind, in few words.
//!
//! Nothing is forgotten for it: what is stored stays, and is told again when there is room. The core and what is of the
//! moment have bounds of their own (seed `001`) and are always told whole.

use serde_json::Value;

use super::{items, maintenance::age};
use crate::{
    prompt::{draft::Draft, tokens::estimate},
    story::order,
};

/// Growth takes this share of the prompt's room, and so many tokens of the largest.
const SHARE: u32 = 10;
const MOST: u32 = 1_500;

/// Tokens of one text of an item where not all are told whole.
const BRIEF: u32 = 32;

/// What ends before this share of it is hardly a sentence (`Mr.`).
const LEAST: u32 = 3;

/// Beliefs, patterns and relationships, a line each, in the order in which they came.
pub fn growth(draft: &Draft) -> [Vec<String>; 3] {
    let room = draft.scene.room.map_or(MOST, |room| MOST.min(room / SHARE));
    let growth = &draft.scene.persona().growth_state;
    let lists = [&growth.beliefs, &growth.behavioral_patterns, &growth.relationships];
    let whole = lists.map(|list| list.iter().map(Value::clone).collect::<Vec<_>>());
    let lines = said(draft, &whole);
    if lines.iter().flatten().map(|line| cost(line)).sum::<u32>() <= room {
        return lines.map(|list| list.into_iter().filter(|line| !line.is_empty()).collect());
    }
    let lines = said(draft, &lists.map(|list| list.iter().map(brief).collect()));
    let told = newest(lists, &lines, room);
    let mut told = told.into_iter();
    lines.map(|list| list.into_iter().filter(|_| told.next() == Some(true)).collect())
}

fn said(draft: &Draft, lists: &[Vec<Value>; 3]) -> [Vec<String>; 3] {
    let reader = draft.scene.storyline.reader();
    let language = draft.language();
    let say: [&dyn Fn(&Value) -> String; 3] =
        [&|item| items::belief(item, language), &items::pattern, &|item| items::relationship(item, reader)];
    let mut lists = lists.iter().zip(say);
    std::array::from_fn(|_| {
        let (list, say) = lists.next().expect("three of each");
        list.iter().map(|item| draft.with_names(&say(item))).collect()
    })
}

/// Whether each line, list after list, is told in `room` tokens: first, in half of it, what people wrote; then the newest
/// of each list in turn.
fn newest(lists: [&Vec<Value>; 3], lines: &[Vec<String>; 3], room: u32) -> Vec<bool> {
    let mut ranked = Vec::new();
    let mut first = 0;
    for (list, lines) in lists.into_iter().zip(lines) {
        let mut by_age: Vec<usize> = (0..list.len()).rev().collect();
        order::by_key(&mut by_age, |at| std::cmp::Reverse(age(&list[*at])));
        let is_told = |at: &usize| !lines[*at].is_empty();
        let places = by_age.into_iter().filter(is_told).enumerate();
        ranked.extend(places.map(|(rank, at)| (rank, first + at, cost(&lines[at]), is_written(&list[at]))));
        first += list.len();
    }
    order::by_key(&mut ranked, |(rank, at, ..)| (*rank, *at));
    let (mut told, mut taken) = (vec![false; first], 0);
    for (written_only, room) in [(true, room / 2), (false, room)] {
        for (_, at, cost, is_written) in &ranked {
            if !told[*at] && (*is_written || !written_only) && taken + cost <= room {
                told[*at] = true;
                taken += cost;
            }
        }
    }
    told
}

/// By the card's author or the reader, not by a reply.
fn is_written(item: &Value) -> bool {
    item["by_hand"] == Value::Bool(true) || item["turn"].is_null()
}

/// With what begins its line and ends it.
fn cost(line: &str) -> u32 {
    if line.is_empty() { 0 } else { estimate(line) + 2 }
}

/// The item with each of its texts shortened.
fn brief(item: &Value) -> Value {
    match item {
        Value::String(text) => shortened(text, BRIEF).into(),
        Value::Object(fields) => fields.iter().map(|(name, value)| (name.clone(), brief(value))).collect(),
        other => other.clone(),
    }
}

/// The first sentences of a text on one line that have `most` tokens together; where there is none, the first words.
fn shortened(text: &str, most: u32) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if estimate(&text) <= most {
        return text;
    }
    let fits = |end: usize| estimate(&text[..end]) <= most;
    let (mut sentence, mut word) = (0, 0);
    for (at, char) in text.char_indices() {
        let end = at + char.len_utf8();
        if !fits(end) {
            break;
        }
        // Marks that close a quotation belong to the sentence before them.
        let closed = text[end..].trim_start_matches(|next| "”’\"'」』）)".contains(next));
        let is_end = "。！？".contains(char) || ".!?…".contains(char) && !closed.starts_with(|next: char| next != ' ');
        let closed = text.len() - closed.len();
        if is_end && fits(closed) && estimate(&text[..closed]) >= most / LEAST {
            sentence = closed;
        }
        let is_letter = |char: char| char.is_ascii_alphanumeric();
        if !(is_letter(char) && text[end..].starts_with(is_letter)) {
            word = end;
        }
    }
    match sentence {
        0 => format!("{}…", text[..word].trim_end_matches(|last: char| !last.is_alphanumeric())),
        end => text[..end].to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_ends_with_a_sentence() {
        for (text, want) in [
            ("She pays her debts.", "She pays her debts."),
            (
                "She pays her debts. “Always.” What came of it was a long and bitter winter.",
                "She pays her debts. “Always.”",
            ),
            ("他从不欠债。“从不。”后来的那个冬天又长又苦，谁也没有再提起。", "他从不欠债。“从不。”"),
            (
                "Mr. Hale owes him ten pounds sixpence and a good many other things beside",
                "Mr. Hale owes him ten pounds sixpence and a…",
            ),
            ("One\nline\n only", "One line only"),
        ] {
            assert_eq!(shortened(text, 11), want);
        }
    }
}
