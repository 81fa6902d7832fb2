//! Cuts a reply into parts.

use std::ops::Range;

use crate::reply::{
    repair,
    sxml::{Tag, Token, TokenKind},
};

use super::{Part, PartKind, lines, resolve::Element};

/// What one state says.
#[derive(Default)]
pub struct State {
    /// None: an operation outside of any tag, or an object without tags.
    pub tag: Option<Tag>,
    /// What is not an operation.
    pub texts: Vec<Range<usize>>,
    /// The tokens `<set>` and `<add>`, and the text between them and their closing tags.
    pub ops: Vec<(usize, Range<usize>)>,
}

pub struct Pieces<'a> {
    text: &'a str,
    pub parts: Vec<Part>,
    pub states: Vec<State>,
    /// Look for a state without tags.
    pub untagged: bool,
    /// The piece that is being read is cut off by a tag.
    pub before_tag: bool,
    /// Where the closing tag of the piece begins.
    pub content_end: Option<usize>,
    /// Where the piece begins, and where its content does.
    start: usize,
    content: usize,
    /// A code fence was opened around tags.
    fenced: bool,
    /// Where the last operation ended.
    op_end: usize,
}

impl<'a> Pieces<'a> {
    pub fn new(text: &'a str) -> Self {
        Self {
            text,
            parts: Vec::new(),
            states: Vec::new(),
            untagged: false,
            before_tag: false,
            content_end: None,
            start: 0,
            content: 0,
            fenced: false,
            op_end: 0,
        }
    }

    pub fn new_state(&mut self, tag: Tag) -> usize {
        self.states.push(State { tag: Some(tag), ..State::default() });
        self.states.len() - 1
    }

    /// The piece begins with this tag.
    pub fn begin(&mut self, raw: Range<usize>) {
        self.start = raw.start;
        self.content = raw.end;
        self.op_end = raw.end;
    }

    /// Takes an operation: its tag, and its content up to its closing tag; where to go on.
    pub fn op(&mut self, stack: &[Element], tokens: &[Token], at: usize) -> usize {
        let closes = |token: Option<&Token>| {
            matches!(token.map(|token| &token.kind), Some(TokenKind::Close { tag: Tag::Set | Tag::Add, .. }))
        };
        let slash = matches!(tokens[at].kind, TokenKind::Open { slash: true, .. });
        let end = tokens[at].raw.end;
        let text = tokens.get(at + 1).filter(|token| token.kind == TokenKind::Text);
        let (content, next) = match text {
            _ if slash => (end..end, at + 1),
            Some(text) if closes(tokens.get(at + 2)) => (text.raw.clone(), at + 3),
            None if closes(tokens.get(at + 1)) => (end..end, at + 2),
            _ => (end..end, at + 1),
        };
        let state = match stack.last().and_then(|element| element.state) {
            Some(state) => state,
            None => {
                self.states.push(State::default());
                self.states.len() - 1
            }
        };
        if !stack.is_empty() {
            self.states[state].texts.push(self.op_end..tokens[at].raw.start);
        }
        self.states[state].ops.push((at, content));
        self.op_end = tokens[next - 1].raw.end;
        next
    }

    pub fn frame(&mut self, raw: Range<usize>) {
        self.part(PartKind::Frame, raw.clone(), raw, true);
    }

    /// Adds a part as it is; the next piece begins after it.
    pub fn part(&mut self, kind: PartKind, raw: Range<usize>, text: Range<usize>, closed: bool) {
        self.begin(raw.end..raw.end);
        if raw.is_empty() {
            return;
        }
        let text = trim(self.text, text);
        self.parts.push(Part { kind, raw, text, closed });
    }

    /// Ends the piece of `element`, or of what is outside of any, at `end`.
    pub fn cut(&mut self, element: Option<&Element>, end: usize, closed: bool, last: bool) {
        let tagged = self.content > self.start;
        let content = self.content..self.content_end.take().unwrap_or(end);
        let raw = self.start..end;
        if raw.is_empty() {
            return;
        }
        let blank = self.text[content.clone()].trim().is_empty();
        match element.map(|element| element.tag) {
            Some(Tag::Thought) if !blank || tagged => self.part(PartKind::Thought, raw, content, closed),
            Some(tag) if tag.is_state() && (!blank || tagged) => {
                let state = element.and_then(|element| element.state);
                self.state(state, raw, content, closed, last);
            }
            _ if blank => self.frame(raw),
            _ => {
                let outer = element.is_none();
                let fences = if outer { self.fences(&content) } else { content.clone() };
                let inner = if closed || outer { fences } else { self.fence_at_end(&content) };
                self.shown(raw, inner, closed);
            }
        }
    }

    fn state(&mut self, state: Option<usize>, raw: Range<usize>, content: Range<usize>, closed: bool, last: bool) {
        let from = self.op_end.clamp(content.start, content.end);
        // Where nothing closed it, prose after it is no state.
        let mut end = content.end;
        if !closed && last {
            let rest = &self.text[from..end];
            let brace = rest.find(['{', '｛']).filter(|at| rest[..*at].trim_matches(is_fence).len() < 8);
            let length = brace.and_then(|at| repair::extent(&rest[at..]).map(|length| at + length));
            let is_lines = state.is_some_and(|state| self.states[state].tag == Some(Tag::Changes)) && brace.is_none();
            end = match (brace, length) {
                _ if is_lines => from + lines::extent(rest),
                (_, Some(length)) => from + length,
                (None, _) => from,
                (Some(_), None) => end,
            };
            let left = self.text[end..content.end].trim_matches(is_fence);
            if left.is_empty() || is_lines && !left.contains('\n') && lines::is_begun(left) {
                end = content.end;
            }
        }
        if let Some(state) = state {
            self.states[state].texts.push(from..end);
        }
        if end == content.end {
            return self.part(PartKind::State, raw, content, closed);
        }
        let kind = if end > content.start { PartKind::State } else { PartKind::Frame };
        self.part(kind, raw.start..end, content.start..end, false);
        self.shown(end..raw.end, end..content.end, false);
    }

    /// Without the code fences that stand around tags.
    fn fences(&mut self, content: &Range<usize>) -> Range<usize> {
        let mut inner = trim(self.text, content.clone());
        let shown = &self.text[inner.clone()];
        let first = shown.lines().next().unwrap_or_default();
        if self.fenced && !first.is_empty() && first.trim_end().chars().all(|c| c == '`') {
            self.fenced = false;
            inner.start += first.len();
            inner = trim(self.text, inner);
        }
        let shown = &self.text[inner.clone()];
        let lines = shown.lines().filter(|line| line.trim_start().starts_with("```")).count();
        let line = shown.lines().next_back().unwrap_or_default();
        if self.before_tag && lines % 2 == 1 && is_opening_fence(line) {
            self.fenced = true;
            inner.end -= line.len();
        }
        let inner = trim(self.text, inner);
        // The headings of the prompt, and what Markdown leaves around a tag.
        let shown = &self.text[inner.clone()];
        if self.before_tag {
            let line = shown.lines().next_back().unwrap_or_default();
            if is_heading(line) || is_decoration(line) {
                return trim(self.text, inner.start..inner.end - line.len());
            }
        }
        if !self.parts.is_empty() && is_decoration(shown) {
            return inner.start..inner.start;
        }
        inner
    }

    /// A tag that never closes takes the end of the fence around it with it.
    fn fence_at_end(&mut self, content: &Range<usize>) -> Range<usize> {
        let inner = trim(self.text, content.clone());
        let shown = &self.text[inner.clone()];
        let lines = shown.lines().filter(|line| line.trim_start().starts_with("```")).count();
        let line = shown.lines().next_back().unwrap_or_default();
        if self.fenced && lines % 2 == 1 && line.trim() == "```" {
            self.fenced = false;
            return inner.start..inner.end - line.len();
        }
        content.clone()
    }

    /// Adds what is shown, and takes a state without tags out of it.
    fn shown(&mut self, raw: Range<usize>, inner: Range<usize>, closed: bool) {
        if inner.is_empty() {
            return self.frame(raw);
        }
        let rest = self.text[raw.end..].trim_start();
        let is_end = rest.is_empty() || rest.starts_with("</");
        let lines = || is_end.then(|| bare_lines(self.text, inner.clone())).flatten();
        let bare = || bare_state(self.text, inner.clone()).or_else(lines);
        let Some(state) = self.untagged.then(bare).flatten() else {
            return self.part(PartKind::Shown, raw, inner, closed);
        };
        let around = widen(self.text, inner.clone(), state.clone());
        self.piece(raw.start..around.start, inner.start..around.start);
        self.part(PartKind::Frame, around.start..state.start, around.start..state.start, true);
        self.states.push(State { texts: vec![state.clone()], ..State::default() });
        self.part(PartKind::State, state.clone(), state.clone(), closed || around.end < raw.end);
        self.part(PartKind::Frame, state.end..around.end, state.end..around.end, true);
        // One is enough: whatever follows is shown.
        let rest = around.end.max(inner.end.min(raw.end));
        if self.text[around.end..rest].trim().is_empty() {
            return self.frame(around.end..raw.end);
        }
        self.part(PartKind::Shown, around.end..raw.end, around.end..rest, closed);
    }

    fn piece(&mut self, raw: Range<usize>, text: Range<usize>) {
        let blank = self.text[text.clone()].trim().is_empty();
        self.part(if blank { PartKind::Frame } else { PartKind::Shown }, raw, text, true);
    }
}

/// The range without white space at its ends.
fn trim(text: &str, range: Range<usize>) -> Range<usize> {
    let slice = &text[range.clone()];
    let start = range.start + slice.len() - slice.trim_start().len();
    start..start + slice.trim().len()
}

fn is_fence(c: char) -> bool {
    c.is_whitespace() || c == '`'
}

fn is_opening_fence(line: &str) -> bool {
    line.trim().strip_prefix("```").is_some_and(|name| name.len() < 20 && name.chars().all(char::is_alphanumeric))
}

fn is_decoration(line: &str) -> bool {
    !line.is_empty() && line.chars().all(|c| "*_`#~=- \t".contains(c) || c.is_whitespace())
}

/// `**PART 1: THE NARRATIVE**`, as the prompt of `001` has it, or `State update:`.
fn is_heading(line: &str) -> bool {
    let Some(plain) = heading(line) else { return false };
    let part = plain.strip_prefix("part ").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    part || ["state update", "state update json", "json", "状态更新", "narrative"].contains(&plain.as_str())
        || CHANGES.contains(&plain.as_str())
}

/// What a line says that may be a heading, in small letters and without what Markdown puts around it.
fn heading(line: &str) -> Option<String> {
    let line = line.trim_matches(|c: char| "*#_-=:：【】 \t\r\n".contains(c));
    let plain = |c| if matches!(c, '_' | '-') { ' ' } else { c };
    (line.len() <= 80).then(|| line.to_lowercase().chars().map(plain).collect())
}

/// What models write over a block of changes, in the place of its tag or beside it.
const CHANGES: [&str; 7] =
    ["changes", "what changed", "what changes", "what the reply changes", "变化", "改变", "状态变化"];

/// Lines of a block of changes that has a heading in the place of its tag, and ends the text: where they are.
pub fn bare_lines(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let shown = text[range.clone()].trim_end_matches(is_fence);
    // Told soon of most texts.
    if !["hange", "HANGE", "变"].iter().any(|word| shown.contains(word)) {
        return None;
    }
    let (mut at, mut begins) = (0, None);
    for line in shown.split_inclusive('\n') {
        at += line.len();
        if heading(line).is_some_and(|plain| CHANGES.contains(&plain.as_str())) {
            begins = Some(at);
        }
    }
    let begins = begins?;
    let lines = shown[begins..].trim_start_matches(is_fence);
    let is_all = !lines.is_empty() && lines::extent(lines) == lines.len();
    (is_all && lines::says_something(lines)).then(|| range.start + shown.len() - lines.len()..range.start + shown.len())
}

/// An object whose first key is a layer of a persona: where it is.
fn bare_state(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let shown = &text[range.clone()];
    let mut from = 0;
    loop {
        let end = from + shown[from..].find("_state")?;
        from = end + 1;
        let layer = ["growth", "current"].into_iter().find(|layer| shown[..end].ends_with(layer));
        let Some(key) = layer.map(|layer| end - layer.len()) else { continue };
        let head = shown[..key].trim_end_matches(|c: char| c.is_whitespace() || "\"'“”‘’".contains(c));
        let Some(mut brace) = brace_at_end(head) else { continue };
        // `{"state_update": {"growth_state": …`
        let outer =
            head[..brace].trim_end().trim_end_matches([':', '：']).trim_end().trim_end_matches(['"', '”', '\'']);
        let name = outer.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_');
        if name.len() < outer.len() {
            let head = name.trim_end_matches(|c: char| c.is_whitespace() || "\"'“".contains(c));
            brace = brace_at_end(head).unwrap_or(brace);
        }
        let length = repair::extent(&shown[brace..]).unwrap_or(shown.len() - brace);
        return Some(range.start + brace..range.start + brace + length);
    }
}

fn brace_at_end(text: &str) -> Option<usize> {
    text.char_indices().next_back().filter(|(_, c)| matches!(c, '{' | '｛')).map(|(at, _)| at)
}

/// With the fence and the heading around an object.
fn widen(text: &str, within: Range<usize>, state: Range<usize>) -> Range<usize> {
    let mut start = state.start;
    for _ in 0..3 {
        let before = text[within.start..start].trim_end();
        let line = before.lines().next_back().unwrap_or_default();
        if !(is_opening_fence(line) || is_heading(line) && !line.trim().is_empty()) {
            break;
        }
        start = within.start + before.len() - line.len();
    }
    let after = &text[state.end..within.end];
    let rest = after.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '`' | '}' | '｝'));
    start..within.end - rest.len()
}
