//! Conditions of events: a small language that always has an answer.
//!
//! ```text
//! world.gold >= 10 and not world.door_open
//! world.place == "tavern" or (plot.index == 3 and plot.status == "completed")
//! turn > 20
//! world["the old key"]
//! ```
//!
//! - Names: `turn`, `plot.index`, `plot.status` (`pending`, `in_progress`, `completed`), `world.KEY`, `world["KEY"]`.
//! - Comparisons: `==` `!=` `<` `<=` `>` `>=` of names, numbers, texts in quotes, `true` and `false`; `contains` asks a
//!   list for an item or a text for a part. What is absent compares as false, `!=` too, and so do a text and a number.
//! - A name alone is true where it is there and is neither `false`, `0` nor empty; `exists NAME` where it is there.
//! - `not`, `and`, `or`, in this order of strength, and brackets.
//!
//! Bounded in length and depth; evaluation ends, has no effect, and cannot fail.

use std::cmp::Ordering;

use serde_json::Value;

use super::{state::State, world};

/// Characters of a condition.
pub const LENGTH: usize = 1_000;
const DEPTH: u32 = 32;

/// Where a condition stops making sense, in characters from its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what:?} at {at}")]
pub struct ConditionFault {
    pub at: usize,
    pub what: What,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    Empty,
    TooLong,
    TooDeep,
    /// A name, a value, `not` or a bracket is due here.
    OperandDue,
    UnknownName,
    UnclosedText,
    UnclosedBracket,
    /// The condition is at its end, and the text is not.
    Surplus,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Condition(Node);

#[derive(Clone, Debug, PartialEq)]
enum Node {
    Not(Box<Node>),
    And(Vec<Node>),
    Or(Vec<Node>),
    Compare(Operand, Comparison, Operand),
    Holds(Operand),
    Exists(Operand),
}

#[derive(Clone, Debug, PartialEq)]
enum Operand {
    Turn,
    PlotIndex,
    PlotStatus,
    World(String),
    Value(Value),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Equal,
    Unequal,
    Less,
    AtMost,
    More,
    AtLeast,
    Contains,
}

impl Condition {
    /// # Errors
    /// Where it stops making sense.
    pub fn parse(text: &str) -> Result<Self, ConditionFault> {
        if text.chars().nth(LENGTH).is_some() {
            return Err(ConditionFault { at: LENGTH, what: What::TooLong });
        }
        let tokens = tokens(text)?;
        if tokens.is_empty() {
            return Err(ConditionFault { at: 0, what: What::Empty });
        }
        let mut parser = Parser { tokens, at: 0, end: text.chars().count() };
        let node = parser.any(0)?;
        match parser.peek() {
            None => Ok(Self(node)),
            Some(_) => Err(parser.fault(What::Surplus)),
        }
    }

    /// Whether it holds in a state, at a turn.
    pub fn holds(&self, state: &State, turn: u32) -> bool {
        self.0.holds(state, turn)
    }
}

impl Node {
    fn holds(&self, state: &State, turn: u32) -> bool {
        match self {
            Self::Not(node) => !node.holds(state, turn),
            Self::And(nodes) => nodes.iter().all(|node| node.holds(state, turn)),
            Self::Or(nodes) => nodes.iter().any(|node| node.holds(state, turn)),
            Self::Exists(operand) => operand.value(state, turn).is_some(),
            Self::Holds(operand) => operand.value(state, turn).is_some_and(|value| match value {
                Value::Null => false,
                Value::Bool(holds) => holds,
                Value::Number(number) => number.as_f64() != Some(0.0),
                Value::String(text) => !text.is_empty(),
                Value::Array(list) => !list.is_empty(),
                Value::Object(map) => !map.is_empty(),
            }),
            Self::Compare(left, how, right) => match (left.value(state, turn), right.value(state, turn)) {
                (Some(left), Some(right)) => compare(&left, *how, &right),
                _ => false,
            },
        }
    }
}

impl Operand {
    fn value(&self, state: &State, turn: u32) -> Option<Value> {
        match self {
            Self::Turn => Some(turn.into()),
            Self::PlotIndex => Some(state.plot.current_plot_index.into()),
            Self::PlotStatus => Some(state.plot.current_status.as_str().into()),
            Self::World(key) => state.world.get(key).cloned(),
            Self::Value(value) => Some(value.clone()),
        }
    }
}

fn compare(left: &Value, how: Comparison, right: &Value) -> bool {
    let order = match (left, right) {
        (Value::Number(left), Value::Number(right)) => left.as_f64().partial_cmp(&right.as_f64()),
        (Value::String(left), Value::String(right)) => Some(left.cmp(right)),
        (Value::Bool(left), Value::Bool(right)) => Some(left.cmp(right)),
        (Value::Array(left), Value::Array(right)) if left == right => Some(Ordering::Equal),
        _ => None,
    };
    let is = |orders: &[Ordering]| order.is_some_and(|order| orders.contains(&order));
    match how {
        Comparison::Equal => is(&[Ordering::Equal]),
        Comparison::Unequal => is(&[Ordering::Less, Ordering::Greater]),
        Comparison::Less => is(&[Ordering::Less]),
        Comparison::AtMost => is(&[Ordering::Less, Ordering::Equal]),
        Comparison::More => is(&[Ordering::Greater]),
        Comparison::AtLeast => is(&[Ordering::Greater, Ordering::Equal]),
        Comparison::Contains => match (left, right) {
            (Value::Array(list), item) => list.contains(item),
            (Value::String(text), Value::String(part)) => text.contains(part.as_str()),
            _ => false,
        },
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Word(String),
    Text(String),
    Number(Value),
    Sign(&'static str),
}

const SIGNS: [&str; 10] = ["==", "!=", "<=", ">=", "<", ">", "(", ")", "[", "]"];

/// Tokens, and where each begins.
fn tokens(text: &str) -> Result<Vec<(usize, Token)>, ConditionFault> {
    let chars: Vec<char> = text.chars().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(char) = chars.get(at).copied() {
        let rest = &chars[at..];
        let starts = |sign: &&str| rest.iter().copied().take(sign.len()).eq(sign.chars());
        let (token, length) = if char.is_whitespace() {
            at += 1;
            continue;
        } else if let Some(sign) = SIGNS.into_iter().find(|sign| starts(sign)) {
            (Token::Sign(sign), sign.len())
        } else if let '"' | '“' | '”' | '\'' = char {
            let closes = |one: &char| match char {
                '\'' => *one == '\'',
                _ => matches!(one, '"' | '“' | '”'),
            };
            let length = rest[1..].iter().position(closes);
            let length = length.ok_or(ConditionFault { at, what: What::UnclosedText })?;
            (Token::Text(rest[1..=length].iter().collect()), length + 2)
        } else if is_word(char) || char == '-' {
            let length = 1 + rest[1..].iter().take_while(|one| is_word(**one) || **one == '.').count();
            let word: String = rest[..length].iter().collect();
            let number = Some(world::typed(&word)).filter(Value::is_number);
            match number {
                Some(number) => (Token::Number(number), length),
                None if char == '-' => return Err(ConditionFault { at, what: What::OperandDue }),
                None => (Token::Word(word), length),
            }
        } else {
            return Err(ConditionFault { at, what: What::OperandDue });
        };
        found.push((at, token));
        at += length;
    }
    Ok(found)
}

fn is_word(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

struct Parser {
    tokens: Vec<(usize, Token)>,
    at: usize,
    end: usize,
}

impl Parser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|(_, token)| token)
    }

    fn fault(&self, what: What) -> ConditionFault {
        ConditionFault { at: self.tokens.get(self.at).map_or(self.end, |(at, _)| *at), what }
    }

    fn takes(&mut self, wanted: &Token) -> bool {
        let is = self.peek() == Some(wanted);
        self.at += usize::from(is);
        is
    }

    fn takes_word(&mut self, word: &str) -> bool {
        self.takes(&Token::Word(word.to_owned()))
    }

    fn any(&mut self, depth: u32) -> Result<Node, ConditionFault> {
        let mut nodes = vec![self.all(depth)?];
        while self.takes_word("or") {
            nodes.push(self.all(depth)?);
        }
        Ok(if nodes.len() == 1 { nodes.remove(0) } else { Node::Or(nodes) })
    }

    fn all(&mut self, depth: u32) -> Result<Node, ConditionFault> {
        let mut nodes = vec![self.one(depth)?];
        while self.takes_word("and") {
            nodes.push(self.one(depth)?);
        }
        Ok(if nodes.len() == 1 { nodes.remove(0) } else { Node::And(nodes) })
    }

    fn one(&mut self, depth: u32) -> Result<Node, ConditionFault> {
        if depth >= DEPTH {
            return Err(self.fault(What::TooDeep));
        }
        if self.takes_word("not") {
            return Ok(Node::Not(Box::new(self.one(depth + 1)?)));
        }
        if self.takes(&Token::Sign("(")) {
            let node = self.any(depth + 1)?;
            return match self.takes(&Token::Sign(")")) {
                true => Ok(node),
                false => Err(self.fault(What::UnclosedBracket)),
            };
        }
        if self.takes_word("exists") {
            return Ok(Node::Exists(self.operand()?));
        }
        let left = self.operand()?;
        let how = match self.peek() {
            Some(Token::Sign("==")) => Comparison::Equal,
            Some(Token::Sign("!=")) => Comparison::Unequal,
            Some(Token::Sign("<")) => Comparison::Less,
            Some(Token::Sign("<=")) => Comparison::AtMost,
            Some(Token::Sign(">")) => Comparison::More,
            Some(Token::Sign(">=")) => Comparison::AtLeast,
            Some(Token::Word(word)) if word == "contains" => Comparison::Contains,
            _ => return Ok(Node::Holds(left)),
        };
        self.at += 1;
        Ok(Node::Compare(left, how, self.operand()?))
    }

    fn operand(&mut self) -> Result<Operand, ConditionFault> {
        let operand = match self.peek().cloned() {
            Some(Token::Number(value)) => Operand::Value(value),
            Some(Token::Text(text)) => Operand::Value(text.into()),
            Some(Token::Word(word)) => match word.as_str() {
                "true" => Operand::Value(true.into()),
                "false" => Operand::Value(false.into()),
                "turn" => Operand::Turn,
                "plot.index" => Operand::PlotIndex,
                "plot.status" => Operand::PlotStatus,
                "world" => {
                    self.at += 1;
                    return self.quoted_key();
                }
                "and" | "or" | "not" | "exists" | "contains" => return Err(self.fault(What::OperandDue)),
                _ => match word.strip_prefix("world.").filter(|key| !key.is_empty()) {
                    Some(key) => Operand::World(key.to_owned()),
                    None => return Err(self.fault(What::UnknownName)),
                },
            },
            _ => return Err(self.fault(What::OperandDue)),
        };
        self.at += 1;
        Ok(operand)
    }

    /// `["KEY"]`, after `world`.
    fn quoted_key(&mut self) -> Result<Operand, ConditionFault> {
        if !self.takes(&Token::Sign("[")) {
            return Err(self.fault(What::UnknownName));
        }
        let Some(Token::Text(key)) = self.peek().cloned() else { return Err(self.fault(What::OperandDue)) };
        self.at += 1;
        match self.takes(&Token::Sign("]")) {
            true => Ok(Operand::World(key)),
            false => Err(self.fault(What::UnclosedBracket)),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn state() -> State {
        let mut state = State::default();
        let world =
            json!({"gold": 12, "place": "tavern", "open": false, "bag": ["剑", 2], "the old key": 1, "酒": "一壶"});
        state.world = world.as_object().unwrap().clone();
        (state.plot.current_plot_index, state.plot.current_status) = (3, "completed".into());
        state
    }

    #[test]
    fn what_holds() {
        let state = state();
        for (text, expected) in [
            ("world.gold >= 10", true),
            ("world.gold < 10", false),
            ("world.gold == 12.0", true),
            ("world.gold > -1", true),
            ("world.place == \"tavern\"", true),
            ("world.place != 'tavern'", false),
            ("world.place == tavern_", false),
            ("world.酒 == “一壶”", true),
            ("world.open", false),
            ("world.gold", true),
            ("not world.open", true),
            ("world.open == false", true),
            ("exists world.open", true),
            ("exists world.none", false),
            ("world.none", false),
            ("world.none == 1", false),
            ("world.none != 1", false),
            ("not world.none == 1", true),
            ("world.place > 3", false),
            ("world.place != 3", false),
            ("world.bag contains \"剑\"", true),
            ("world.bag contains 2", true),
            ("world.bag contains 3", false),
            ("world.place contains 'tav'", true),
            ("world[\"the old key\"] == 1", true),
            ("plot.index == 3 and plot.status == \"completed\"", true),
            ("turn > 20", false),
            ("turn == 7 or world.none", true),
            ("world.none or world.open and turn == 7", false),
            ("(world.none or not world.open) and turn == 7", true),
            ("not not turn == 7", true),
        ] {
            match Condition::parse(text) {
                Ok(condition) => assert_eq!(condition.holds(&state, 7), expected, "{text}"),
                Err(fault) => assert_eq!((text, fault.what), ("world.place == tavern_", What::UnknownName)),
            }
        }
    }

    #[test]
    fn where_it_stops_making_sense() {
        let deep = format!("{}turn{}", "(".repeat(40), ")".repeat(40));
        let negated = format!("{}turn", "not ".repeat(200));
        for (text, at, what) in [
            ("", 0, What::Empty),
            ("  ", 0, What::Empty),
            ("gold > 3", 0, What::UnknownName),
            ("world", 5, What::UnknownName),
            ("world. > 3", 0, What::UnknownName),
            ("world.gold >", 12, What::OperandDue),
            ("world.gold = 3", 11, What::OperandDue),
            ("turn == 'x", 8, What::UnclosedText),
            ("(turn > 3", 9, What::UnclosedBracket),
            ("world['a'", 9, What::UnclosedBracket),
            ("turn > 3 4", 9, What::Surplus),
            ("turn > 3)", 8, What::Surplus),
            ("and", 0, What::OperandDue),
            ("turn 在 -", 5, What::Surplus),
            (deep.as_str(), 32, What::TooDeep),
            (negated.as_str(), 128, What::TooDeep),
            (&"turn or ".repeat(200), LENGTH, What::TooLong),
        ] {
            let fault = Condition::parse(text).unwrap_err();
            // The first fault is told: a sign that means nothing goes before what surrounds it.
            if text == "turn 在 -" {
                assert_eq!(fault, ConditionFault { at: 7, what: What::OperandDue });
            } else {
                assert_eq!(fault, ConditionFault { at, what }, "{text}");
            }
        }
    }

    proptest! {
        #[test]
        fn any_text_has_an_answer(text in any::<String>()) {
            if let Ok(condition) = Condition::parse(&text) {
                condition.holds(&state(), 1);
            }
        }

        #[test]
        fn any_words_have_an_answer(words in prop::collection::vec(prop::sample::select(vec![
            "world.gold", "world", "[", "]", "'a'", "turn", "plot.index", "3", "-1", "==", "<", "(", ")", "and", "or",
            "not", "exists", "contains", "true", "\"", "酒",
        ]), 0..80)) {
            let text = words.join(" ");
            match Condition::parse(&text) {
                Ok(condition) => _ = condition.holds(&state(), 1),
                Err(fault) => prop_assert!(fault.at <= text.chars().count()),
            }
        }
    }
}
