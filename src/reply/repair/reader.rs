//! The tolerant reader: descends as JSON does, and overlooks what it can.

use serde_json::{Map, Number, Value};

use super::{BadJson, Repair, string};

const DEEPEST: usize = 64;
const LONGEST_KEY: usize = 80;

pub struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// What is half-written is dropped.
    whole: bool,
    /// Of each container that is open: an object or an array.
    open: Vec<Container>,
    pub repairs: Vec<Repair>,
}

#[derive(Clone, Copy, PartialEq)]
pub enum Container {
    Object,
    Array,
}

/// The value after a key, or why there is none.
enum Item {
    Value(Value),
    Missing,
    Cut,
}

impl<'a> Reader<'a> {
    pub fn new(text: &'a str, whole: bool) -> Self {
        Self { text, at: 0, whole, open: Vec::new(), repairs: Vec::new() }
    }

    pub fn note(&mut self, repair: Repair) {
        if !self.repairs.contains(&repair) {
            self.repairs.push(repair);
        }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn take(&mut self, c: char) {
        self.at += c.len_utf8();
    }

    /// White space, comments and what stands for something left out.
    fn skip(&mut self) {
        loop {
            let rest = self.rest();
            let gap = gap(rest);
            self.at += gap;
            let rest = &rest[gap..];
            let Some(length) = comment(rest) else { return };
            self.at += length;
            self.note(Repair::Comment);
        }
    }

    pub fn value(&mut self) -> Result<Value, BadJson> {
        match self.item(None)? {
            Item::Value(value) => Ok(value),
            Item::Missing | Item::Cut => Err(BadJson::Unreadable),
        }
    }

    /// The members of an object whose opening brace is missing.
    pub fn bare_object(&mut self) -> Result<Value, BadJson> {
        self.note(Repair::MissingBracket);
        self.object()
    }

    /// The text has ended, and not with the end of what was begun.
    fn is_cut_off(&self) -> bool {
        self.repairs.contains(&Repair::CutOff)
    }

    /// Says whether anything but closing brackets follows.
    pub fn end(&mut self) {
        self.skip();
        while let Some(c) = self.peek().filter(|c| matches!(c, '}' | '｝' | ']' | '］')) {
            self.take(c);
            self.note(Repair::ExtraBracket);
            self.skip();
        }
        if !self.rest().trim().is_empty() {
            self.note(Repair::Surroundings);
        }
    }

    fn item(&mut self, within: Option<Container>) -> Result<Item, BadJson> {
        self.skip();
        let Some(c) = self.peek() else { return Ok(Item::Cut) };
        match c {
            '{' | '｛' => {
                self.bracket(c, '{');
                self.object().map(Item::Value)
            }
            '[' | '［' => {
                self.bracket(c, '[');
                self.array().map(Item::Value)
            }
            '}' | '｝' | ']' | '］' | ',' | '，' => Ok(Item::Missing),
            _ if string::opens(c) => Ok(match self.string(within, false) {
                (_, false) if self.whole => self.half(),
                (text, _) => Item::Value(Value::String(text)),
            }),
            _ => Ok(self.bare()),
        }
    }

    fn half(&mut self) -> Item {
        self.note(Repair::HalfItem);
        Item::Cut
    }

    fn bracket(&mut self, c: char, plain: char) {
        self.take(c);
        if c != plain {
            self.note(Repair::FullWidth);
        }
    }

    fn string(&mut self, within: Option<Container>, key: bool) -> (String, bool) {
        let read = string::read(self.rest(), within, key);
        self.at += read.length;
        // What was odd about half a string is of no use.
        let is_half = self.whole && !read.closed;
        for repair in read.repairs.into_iter().filter(|_| !is_half) {
            self.note(repair);
        }
        (read.value, read.closed)
    }

    fn enter(&mut self, container: Container) -> Result<(), BadJson> {
        if self.open.len() >= DEEPEST {
            return Err(BadJson::TooDeep);
        }
        self.open.push(container);
        Ok(())
    }

    /// The members after the brace.
    fn object(&mut self) -> Result<Value, BadJson> {
        self.enter(Container::Object)?;
        let mut map = Map::new();
        let mut comma = true;
        loop {
            self.skip();
            let Some(c) = self.peek() else {
                self.note(Repair::CutOff);
                break;
            };
            match c {
                '}' | '｝' => {
                    self.bracket(c, '}');
                    if self.goes_on() {
                        continue;
                    }
                    break;
                }
                ']' | '］' if self.open.contains(&Container::Array) => {
                    self.note(Repair::MissingBracket);
                    break;
                }
                ']' | '］' => {
                    self.take(c);
                    self.note(Repair::ExtraBracket);
                }
                ',' | '，' | ';' | '；' | '、' => {
                    self.separator(c, comma);
                    comma = true;
                }
                _ => {
                    if !comma {
                        self.note(Repair::MissingComma);
                    }
                    comma = false;
                    let Some(key) = self.key()? else { break };
                    match self.member()? {
                        Item::Value(value) => _ = map.insert(key, value),
                        Item::Missing => {
                            self.note(Repair::MissingValue);
                            map.insert(key, Value::Null);
                        }
                        Item::Cut => {
                            self.note(Repair::CutOff);
                            break;
                        }
                    }
                }
            }
        }
        if comma && !map.is_empty() {
            self.note(Repair::TrailingComma);
        }
        self.open.pop();
        Ok(Value::Object(map))
    }

    /// After the last brace, a comma and a further key: there was a brace too many before.
    fn goes_on(&mut self) -> bool {
        if self.open.len() > 1 {
            return false;
        }
        let rest = self.rest().trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '}' | '｝' | ']' | '］'));
        let Some(member) = rest.strip_prefix([',', '，']) else { return false };
        let goes_on = member.trim_start().starts_with(['"', '“', '\'']);
        if goes_on {
            self.at = self.text.len() - rest.len();
            self.note(Repair::ExtraBracket);
        }
        goes_on
    }

    fn separator(&mut self, c: char, again: bool) {
        self.take(c);
        if c != ',' {
            self.note(Repair::FullWidth);
        }
        if again {
            self.note(Repair::TrailingComma);
        }
    }

    /// None if the text ends within it.
    fn key(&mut self) -> Result<Option<String>, BadJson> {
        let c = self.peek().ok_or(BadJson::Unreadable)?;
        if string::opens(c) {
            let (key, closed) = self.string(Some(Container::Object), true);
            self.skip();
            if !closed || self.peek().is_none() {
                self.note(Repair::CutOff);
                return Ok(None);
            }
            return Ok(Some(key));
        }
        let rest = self.rest();
        let end = rest
            .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '\\' | '*')))
            .unwrap_or(rest.len());
        let after = rest[end..].trim_start();
        if end == rest.len() || after.is_empty() {
            self.at = self.text.len();
            self.note(Repair::CutOff);
            return Ok(None);
        }
        if end == 0 || end > LONGEST_KEY || !after.starts_with([':', '：', '=']) {
            return Err(BadJson::Unreadable);
        }
        self.note(Repair::UnquotedKey);
        self.at += end;
        Ok(Some(rest[..end].replace(['\\', '*'], "")))
    }

    fn member(&mut self) -> Result<Item, BadJson> {
        self.skip();
        let colon = self.peek().filter(|c| matches!(c, ':' | '：' | '='));
        if let Some(c) = colon {
            self.take(c);
            match c {
                '：' => self.note(Repair::FullWidth),
                '=' => {
                    self.note(Repair::MissingColon);
                    self.at += usize::from(self.rest().starts_with('>'));
                }
                _ => {}
            }
        }
        if colon.is_none() {
            if !matches!(self.peek(), Some('{' | '[' | '}' | '｝' | ']' | ',' | '，') | None) {
                return Ok(Item::Missing);
            }
            self.note(Repair::MissingColon);
        }
        self.item(Some(Container::Object))
    }

    /// The elements after the bracket.
    fn array(&mut self) -> Result<Value, BadJson> {
        // Of a list of objects on its own, each is whole without the others.
        let is_entry = self.whole && self.open.contains(&Container::Object);
        self.enter(Container::Array)?;
        let mut list = Vec::new();
        let mut comma = true;
        loop {
            self.skip();
            let Some(c) = self.peek() else {
                self.note(Repair::CutOff);
                break;
            };
            match c {
                ']' | '］' => {
                    self.bracket(c, ']');
                    break;
                }
                '}' | '｝' if self.open.contains(&Container::Object) => {
                    self.note(Repair::MissingBracket);
                    break;
                }
                '}' | '｝' => {
                    self.take(c);
                    self.note(Repair::ExtraBracket);
                }
                ',' | '，' | ';' | '；' | '、' => {
                    self.separator(c, comma);
                    comma = true;
                }
                _ if self.open.contains(&Container::Object) && is_key(self.rest()) => {
                    self.note(Repair::MissingBracket);
                    break;
                }
                _ => {
                    if !comma {
                        self.note(Repair::MissingComma);
                    }
                    comma = false;
                    match self.item(Some(Container::Array))? {
                        Item::Value(Value::Object(_)) if is_entry && self.is_cut_off() => self.note(Repair::HalfItem),
                        Item::Value(value) => list.push(value),
                        Item::Missing => {}
                        Item::Cut => self.note(Repair::CutOff),
                    }
                }
            }
        }
        if comma && !list.is_empty() {
            self.note(Repair::TrailingComma);
        }
        self.open.pop();
        Ok(Value::Array(list))
    }

    /// A number, a word, or a text without quotation marks.
    fn bare(&mut self) -> Item {
        let rest = self.rest();
        // One pass up to the end, or texts full of half comments would take for ever.
        let ends = |at: usize, c: char| match c {
            ',' | '，' | '}' | '｝' | ']' | '］' | '\n' | '"' => true,
            ' ' => rest[at + 1..].starts_with("//") || rest[at + 1..].starts_with('#'),
            '/' => rest[at + 1..].starts_with('*'),
            _ => false,
        };
        let end = rest.char_indices().find(|(at, c)| ends(*at, *c)).map_or(rest.len(), |(at, _)| at);
        let end = end.max(rest.chars().next().map_or(0, char::len_utf8));
        let word = rest[..end].trim();
        let cut = self.at + end == self.text.len();
        self.at += end;
        let literal = match word {
            "true" => return Item::Value(Value::Bool(true)),
            "false" => return Item::Value(Value::Bool(false)),
            "null" => return Item::Value(Value::Null),
            "True" | "TRUE" => Value::Bool(true),
            "False" | "FALSE" => Value::Bool(false),
            "None" | "Null" | "NULL" | "nil" | "undefined" | "NaN" | "none" => Value::Null,
            _ => {
                if let Some(number) = number(word).filter(|_| !(cut && self.whole && self.open.len() > 1)) {
                    return Item::Value(Value::Number(number));
                }
                let half = ["true", "false", "null", "True", "False", "None"].iter().any(|all| all.starts_with(word));
                if cut && (half || is_half_number(word)) {
                    return Item::Cut;
                }
                // A brace may be all that is missing; within another, it was cut.
                if cut && self.whole && self.open.len() > 1 {
                    return self.half();
                }
                self.note(Repair::UnquotedValue);
                return Item::Value(Value::String(word.to_owned()));
            }
        };
        self.note(Repair::Literal);
        Item::Value(literal)
    }
}

/// Whether a key stands here: the list before it was not closed.
fn is_key(text: &str) -> bool {
    let Some(key) = text.strip_prefix('"') else { return false };
    let key = &key[..key.floor_char_boundary(LONGEST_KEY)];
    let Some(end) = key.find(['"', '\\']) else { return false };
    key[end..].strip_prefix('"').is_some_and(|after| after.trim_start().starts_with([':', '：']))
}

fn number(word: &str) -> Option<Number> {
    let word = word.strip_prefix('+').unwrap_or(word);
    word.starts_with(|c: char| c.is_ascii_digit() || c == '-').then(|| serde_json::from_str(word).ok()).flatten()
}

/// `-`, `3.`, `3.1e-`: of one that is no number, how it may begin.
fn is_half_number(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit() || c == '-')
        && word.ends_with(['.', 'e', 'E', '+', '-'])
        && word.chars().all(|c| c.is_ascii_digit() || ".eE+-".contains(c))
}

fn gap(text: &str) -> usize {
    text.find(|c: char| !(c.is_whitespace() || matches!(c, '\u{feff}' | '\u{200b}'))).unwrap_or(text.len())
}

/// The length of the comment that a text begins with.
fn comment(text: &str) -> Option<usize> {
    let to = |end: &str, after: usize| text[2..].find(end).map_or(text.len(), |at| 2 + at + after);
    match text.chars().next()? {
        '/' if text.starts_with("//") => Some(to("\n", 0)),
        '/' if text.starts_with("/*") => Some(to("*/", 2)),
        '#' => Some(text.find('\n').unwrap_or(text.len())),
        '<' if text.starts_with("<!--") => Some(to("-->", 3)),
        '.' if text.starts_with("...") => Some(3),
        '…' => Some('…'.len_utf8()),
        _ => None,
    }
}

/// What stands before the next thing that counts; used to look ahead.
pub fn skipped(text: &str) -> usize {
    let mut at = 0;
    loop {
        at += gap(&text[at..]);
        match comment(&text[at..]) {
            Some(length) => at += length,
            None => return at,
        }
    }
}
