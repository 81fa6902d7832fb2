//! A text with the words of a search marked in it.

use std::ops::Range;

use leptos::prelude::*;

use crate::story::order;

/// Characters around the first marked word that a snippet shows: before it, and in all.
const BEFORE: usize = 40;
const SHOWN: usize = 200;

/// A whole text, its words marked.
#[component]
pub fn Marked(text: String, words: Vec<String>) -> impl IntoView {
    let ranges = ranges(&text, &words);
    pieces(&text, 0..text.len(), &ranges)
}

/// The stretch of a text around its first marked words.
#[component]
pub fn Snippet(text: String, words: Vec<String>) -> impl IntoView {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let ranges = ranges(&text, &words);
    let first = ranges.first().map_or(0, |range| range.start);
    let from = text[..first].char_indices().rev().take(BEFORE).last().map_or(first, |(at, _)| at);
    let to = text[from..].char_indices().nth(SHOWN).map_or(text.len(), |(at, _)| from + at);
    let (before, after) = ((from > 0).then_some("…"), (to < text.len()).then_some("…"));
    view! { {before}{pieces(&text, from..to, &ranges)}{after} }
}

/// The marked stretches of a text, each once.
pub fn stretches(text: &str, words: &[String]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for range in ranges(text, words) {
        let stretch = text[range].to_lowercase();
        if !found.contains(&stretch) {
            found.push(stretch);
        }
    }
    found
}

fn pieces(text: &str, shown: Range<usize>, ranges: &[Range<usize>]) -> impl IntoView + use<> {
    let mut views = Vec::new();
    let mut at = shown.start;
    for range in ranges {
        let range = range.start.max(at)..range.end.min(shown.end);
        if range.is_empty() {
            continue;
        }
        views.push(text[at..range.start].to_owned().into_any());
        views.push(view! { <mark>{text[range.clone()].to_owned()}</mark> }.into_any());
        at = range.end;
    }
    views.push(text[at..shown.end].to_owned().into_any());
    views
}

/// Where the words stand, in order, those that touch as one.
fn ranges(text: &str, words: &[String]) -> Vec<Range<usize>> {
    // Lower case may be of another length: each byte of it knows the character that it comes from.
    let mut lower = String::new();
    let mut origin = Vec::new();
    for (at, char) in text.char_indices() {
        for small in char.to_lowercase() {
            lower.push(small);
            origin.resize(lower.len(), (at, at + char.len_utf8()));
        }
    }
    let words = words.iter().map(|word| word.trim().to_lowercase()).filter(|word| !word.is_empty());
    let mut found: Vec<Range<usize>> = words
        .flat_map(|word| {
            let starts = lower.match_indices(&word).map(|(start, _)| start).collect::<Vec<_>>();
            let whole = |start: usize| {
                let before = lower[..start].chars().next_back();
                !word.starts_with(|char: char| char.is_ascii_alphanumeric())
                    || !before.is_some_and(|char| char.is_ascii_alphanumeric())
            };
            let length = word.len();
            starts
                .into_iter()
                .filter(move |start| whole(*start))
                .map(|start| origin[start].0..origin[start + length - 1].1)
                .collect::<Vec<_>>()
        })
        .collect();
    order::by_key(&mut found, |range| range.start);
    let mut merged: Vec<Range<usize>> = Vec::new();
    for range in found {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}
