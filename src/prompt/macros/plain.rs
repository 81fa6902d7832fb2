//! Macros that need no scene: the time, chance, variables, and what shapes a text.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Call, chance, time::Moment};
use crate::story::storyline::Language;

pub struct Plain<'a> {
    moment: Moment,
    language: Language,
    /// What chance is drawn by: a turn's; the story's for a choice that stays.
    seeds: [&'a str; 2],
    variables: BTreeMap<String, String>,
    /// The block that is being written, and how often chance was asked in it: a block that comes or goes does not
    /// change what the others drew.
    scope: String,
    drawn: u32,
}

impl<'a> Plain<'a> {
    pub fn new(moment: Moment, language: Language, seeds: [&'a str; 2], variables: BTreeMap<String, String>) -> Self {
        Self { moment, language, seeds, variables, scope: String::new(), drawn: 0 }
    }

    /// The block of this identifier begins.
    pub fn enter(&mut self, scope: &str) {
        scope.clone_into(&mut self.scope);
        self.drawn = 0;
    }

    pub fn get(&mut self, call: &Call) -> Option<String> {
        if let Some(told) = self.moment.tell(&call.name, self.language) {
            return Some(told);
        }
        match call.name.as_str() {
            "//" | "comment" | "hidden_key" | "trim" | "noop" => Some(String::new()),
            "reverse" => Some(call.arg(0).chars().rev().collect()),
            "newline" => Some("\n".to_owned()),
            "random" => {
                let drawn = self.draw();
                Some(choose(&call.choices(), drawn))
            }
            // For the whole story, so long as the choices stay the same.
            "pick" => Some(choose(
                &call.choices(),
                chance::draw(&[self.seeds[1], &self.scope, &call.choices().join("\u{1f}")], 0),
            )),
            "roll" => {
                let drawn = self.draw();
                chance::roll(call.arg(0), drawn).map(|sum| sum.to_string())
            }
            name => self.variable(name, call),
        }
    }

    /// SillyTavern's: what only changes one stands for nothing, counting for the number.
    fn variable(&mut self, name: &str, call: &Call) -> Option<String> {
        let (verb, is_global) = match name.strip_suffix("globalvar") {
            Some(verb) => (verb, true),
            None => (name.strip_suffix("var")?, false),
        };
        // What is written by people has no such sign.
        let key = format!("{}{}", if is_global { "\u{1}" } else { "" }, call.arg(0).trim());
        let value = self.variables.get(&key).cloned().unwrap_or_default();
        let counted = |by: i64| (value.trim().parse::<i64>().unwrap_or_default().saturating_add(by)).to_string();
        let (value, is_told) = match verb {
            "get" => return Some(value),
            "set" => (call.arg(1).to_owned(), false),
            "add" => (sum(&value, call.arg(1)), false),
            "inc" => (counted(1), true),
            "dec" => (counted(-1), true),
            _ => return None,
        };
        self.variables.insert(key, value.clone());
        Some(if is_told { value } else { String::new() })
    }

    fn draw(&mut self) -> u64 {
        self.drawn += 1;
        chance::draw(&[self.seeds[0], &self.scope], self.drawn)
    }
}

/// Numbers are added, texts are joined. They are read and written as JSON has them, for that is on the page anyway.
fn sum(one: &str, other: &str) -> String {
    let number = |text: &str| match text.trim() {
        "" => Some(0.0),
        text => serde_json::from_str::<f64>(text).ok(),
    };
    match (number(one), number(other)) {
        (Some(one), Some(other)) => {
            let sum = Value::from(one + other).to_string();
            sum.strip_suffix(".0").unwrap_or(&sum).to_owned()
        }
        _ => format!("{one}{other}"),
    }
}

fn choose(choices: &[String], number: u64) -> String {
    choices.get((number % choices.len().max(1) as u64) as usize).cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prompt::macros::expand_with;

    fn expanded(text: &str) -> String {
        let mut plain = Plain::new(Moment::new(0, 0), Language::En, ["turn", "story"], BTreeMap::new());
        expand_with(text, &mut |call| plain.get(call))
    }

    #[test]
    fn variables() {
        for (text, expected) in [
            ("{{setvar::x::1}}{{getvar::x}}", "1"),
            ("{{addvar::x::2}}{{addvar::x::3}}{{getvar::x}}", "5"),
            ("{{setvar::x::a}}{{addvar::x::b}}{{getvar::x}}", "ab"),
            ("{{incvar::x}}{{incvar::x}}{{decvar::x}}", "121"),
            ("{{setglobalvar::x::1}}{{getvar::x}}{{getglobalvar::x}}", "1"),
            ("{{setvar::x::1.5}}{{addvar::x::1}}{{getvar::x}}", "2.5"),
            ("{{somevar::x}}", "{{somevar::x}}"),
        ] {
            assert_eq!(expanded(text), expected, "{text}");
        }
    }

    #[test]
    fn what_shapes_a_text() {
        assert_eq!(expanded("a{{// a note}}{{newline}}b {{random::c}}"), "a\nb c");
        assert_eq!(expanded("{{roll:1d1}}"), "1");
    }
}
