//! What the tags of a reply mean, whichever way a model confused them.
//!
//! The rules, of which the first that fits holds:
//! - A tag in brackets or backquotes (`(<narrative>)`) is talked about, not used.
//! - A thought ends at its closing tag. What is used within it (a reply, closed there or beyond, or with nothing
//!   after the thought) is no thought. A thought that never closes ends at the next tag that begins a line.
//! - A state ends at its closing tag; within it, a tag counts only where JSON could not hold it.
//! - Anything may stand in narrative and reply, and interrupts it.
//! - `</thought>` that nothing opened, with more to come: the text before it was the thought (templates of reasoning
//!   models open it in the prompt).

use crate::reply::{
    notice::ReplyNotice,
    progress,
    sxml::{Tag, Token, TokenKind},
};

use super::{ParsedReply, PartKind, pieces::Pieces, state::StateReader};

/// `text` is what is certain of a reply of `length` bytes; `last` says that no more will come.
pub fn resolve(text: &str, length: usize, tokens: &[Token], last: bool) -> ParsedReply {
    let index = Index::new(text, tokens);
    let mut walk =
        Walk { text, tokens, index, last, stack: Vec::new(), pieces: Pieces::new(text), notices: Vec::new() };
    walk.pieces.untagged = !Tag::ALL.into_iter().any(|tag| tag.is_state() && walk.index.has(tag));
    walk.run();
    let Walk { pieces, mut notices, .. } = walk;
    let Pieces { mut parts, states, .. } = pieces;
    if text.len() < length {
        parts.push(super::Part {
            kind: PartKind::Frame,
            raw: text.len()..length,
            text: text.len()..length,
            closed: false,
        });
    }
    let mut reply = ParsedReply { parts, ..ParsedReply::default() };
    for part in reply.parts.iter().filter(|part| part.kind == PartKind::Shown) {
        progress::find(&text[part.text.clone()], part.text.start, &mut reply.progress, &mut notices);
    }
    if !last {
        return reply;
    }
    let mut reader = StateReader::default();
    for state in &states {
        reader.read(text, tokens, state);
    }
    let shown = reply.parts.iter().any(|part| part.kind == PartKind::Shown && !part.text.is_empty());
    if !shown && reply.parts.iter().any(|part| matches!(part.kind, PartKind::Thought | PartKind::State)) {
        notices.push(ReplyNotice::NothingShown);
    }
    notices.extend(reader.notices);
    reply.update = reader.update;
    reply.world = reader.world;
    reply.plot = reader.plot;
    reply.notices = notices;
    reply
}

/// A tag that is open.
pub struct Element {
    pub tag: Tag,
    /// The token that closes it, where that is known beforehand (thought and state).
    ends: Option<usize>,
    /// Which of the states of the reply it is.
    pub state: Option<usize>,
}

struct Walk<'a> {
    text: &'a str,
    tokens: &'a [Token],
    index: Index,
    last: bool,
    stack: Vec<Element>,
    pieces: Pieces<'a>,
    notices: Vec<ReplyNotice>,
}

impl Walk<'_> {
    fn run(&mut self) {
        let mut at = self.leading_thought();
        while at < self.tokens.len() {
            at = self.step(at);
        }
        while let Some(element) = self.stack.pop() {
            self.unclosed(&element);
            let end = self.text.len();
            self.pieces.cut(Some(&element), end, false, self.last);
        }
        self.pieces.cut(None, self.text.len(), self.last, self.last);
    }

    /// The thought that a template opened in the prompt; where to go on.
    fn leading_thought(&mut self) -> usize {
        let Some(&close) = self.index.closes[Tag::Thought as usize].first() else { return 0 };
        let begun = |tag: Tag| self.index.opens[tag as usize].first().is_some_and(|open| *open < close);
        if Tag::ALL.into_iter().any(|tag| tag != Tag::Root && begun(tag)) {
            return 0;
        }
        let more = self.index.last_solid.is_some_and(|solid| solid > close);
        if self.last && !more {
            return 0;
        }
        self.notices.push(ReplyNotice::MisplacedTag { tag: Tag::Thought });
        let first =
            self.tokens[..close].iter().position(|token| matches!(token.kind, TokenKind::Text)).unwrap_or(close);
        self.pieces.frame(0..self.tokens[first].raw.start);
        let raw = self.tokens[first].raw.start..self.tokens[close].raw.end;
        self.pieces.part(PartKind::Thought, raw.clone(), raw.start..self.tokens[close].raw.start, true);
        close + 1
    }

    /// Takes a token; where to go on.
    fn step(&mut self, at: usize) -> usize {
        let token = &self.tokens[at];
        let top = self.stack.last().map(|element| element.tag);
        match &token.kind {
            _ if self.index.mentioned[at] => {}
            TokenKind::Text => {}
            TokenKind::Comment => {
                if top.is_none() {
                    self.frame(at);
                }
            }
            TokenKind::Open { tag: Tag::Root, .. } => self.frame(at),
            TokenKind::Close { tag: Tag::Root, .. } => self.close_root(at),
            TokenKind::Open { tag: Tag::Set | Tag::Add, attributes, .. } => {
                let keyed = attributes.iter().any(|(name, _)| matches!(name.as_str(), "key" | "name" | "键"));
                match top {
                    Some(top) if top.is_state() => {
                        return self.pieces.op(&self.stack, self.tokens, at);
                    }
                    Some(Tag::Thought) => {}
                    _ if keyed => {
                        let TokenKind::Open { tag, .. } = token.kind else { unreachable!() };
                        self.notices.push(ReplyNotice::MisplacedTag { tag });
                        self.cut(token.raw.start, true);
                        let next = self.pieces.op(&[], self.tokens, at);
                        let end = self.tokens[next - 1].raw.end;
                        self.pieces.part(PartKind::State, token.raw.start..end, token.raw.start..end, true);
                        return next;
                    }
                    _ => {}
                }
            }
            TokenKind::Close { tag: Tag::Set | Tag::Add, .. } => {}
            TokenKind::Open { tag, slash, .. } => self.open(*tag, *slash, at),
            TokenKind::Close { tag, .. } => self.close(*tag, at),
        }
        at + 1
    }

    fn open(&mut self, tag: Tag, slash: bool, at: usize) {
        if let Some(top) = self.stack.last() {
            if slash && top.tag == tag {
                return self.close_top(at);
            }
            let (real, within) = match top.tag {
                Tag::Thought => self.used_in_thought(top, tag, at),
                state if state.is_state() => self.used_in_state(top, tag, at),
                _ => (true, top.tag != tag),
            };
            if !real {
                return;
            }
            if !within {
                self.leave_unclosed(self.tokens[at].raw.start);
                return self.open(tag, slash, at);
            }
        }
        let raw = self.tokens[at].raw.clone();
        self.cut(raw.start, true);
        let state = tag.is_state().then(|| self.pieces.new_state(tag));
        let ends = match tag {
            Tag::Thought => self.thought_end(at),
            state if state.is_state() => self.index.state_end(at),
            _ => None,
        };
        self.pieces.begin(raw);
        self.stack.push(Element { tag, ends, state });
        if slash {
            let element = self.stack.pop();
            let end = self.tokens[at].raw.end;
            self.pieces.cut(element.as_ref(), end, true, self.last);
        }
    }

    /// Where the thought that `at` opens is closed.
    fn thought_end(&self, at: usize) -> Option<usize> {
        let close = after(&self.index.closes[Tag::Thought as usize], at)?;
        let again = after(&self.index.opens[Tag::Thought as usize], at).filter(|again| *again < close);
        let used_before = |again: usize| after(&self.index.lines, at).is_some_and(|line| line < again);
        (!again.is_some_and(used_before)).then_some(close)
    }

    /// Whether the tag is used, and if so, whether the thought goes on after it.
    fn used_in_thought(&self, thought: &Element, tag: Tag, at: usize) -> (bool, bool) {
        if tag == Tag::Thought {
            return (false, false);
        }
        let Some(end) = thought.ends else {
            let line = self.index.begins_line[at];
            return (line || (self.last && after(&self.index.lines, at).is_none()), false);
        };
        let again = after(&self.index.opens[tag as usize], at);
        let Some(close) = self.index.close_of(tag, at) else {
            return (again.is_none() && self.index.last_solid.is_none_or(|solid| solid < end), false);
        };
        if close > end {
            return (again.is_none_or(|again| again > close), false);
        }
        let says = || self.text[self.tokens[at].raw.end..self.tokens[close].raw.start].contains(char::is_alphanumeric);
        (again.is_none() && says(), true)
    }

    fn used_in_state(&self, state: &Element, tag: Tag, at: usize) -> (bool, bool) {
        if tag.is_state() {
            return (state.ends.is_none(), false);
        }
        let before = self.text[..self.tokens[at].raw.start].trim_end();
        let free = before.ends_with(['}', '｝', '>', '＞', '`']);
        // A closing tag further on means that the state goes on after what is used in it.
        (free || (state.ends.is_none() && self.index.begins_line[at]), state.ends.is_some())
    }

    fn close(&mut self, tag: Tag, at: usize) {
        let same = |element: &Element| element.tag == tag || (tag.is_state() && element.tag.is_state());
        match self.stack.last() {
            Some(top) if same(top) => return self.close_top(at),
            Some(top) if top.tag.is_state() && top.ends.is_some() => return,
            Some(top) if top.tag == Tag::Thought && !self.stack.iter().any(same) => return,
            _ => {}
        }
        if !self.stack.iter().any(same) {
            self.notices.push(ReplyNotice::MisplacedTag { tag });
            return self.frame(at);
        }
        while self.stack.last().is_some_and(|top| !same(top)) {
            self.leave_unclosed(self.tokens[at].raw.start);
        }
        self.close_top(at);
    }

    fn close_root(&mut self, at: usize) {
        let goes_on = |element: &Element| self.index.close_of(element.tag, at).is_some();
        if !self.stack.iter().any(goes_on) {
            while !self.stack.is_empty() {
                self.leave_unclosed(self.tokens[at].raw.start);
            }
        }
        self.frame(at);
    }

    fn close_top(&mut self, at: usize) {
        let end = self.tokens[at].raw.clone();
        let element = self.stack.pop();
        self.pieces.content_end = Some(end.start);
        self.pieces.cut(element.as_ref(), end.end, true, self.last);
    }

    fn leave_unclosed(&mut self, end: usize) {
        if let Some(element) = self.stack.pop() {
            self.unclosed(&element);
            self.pieces.cut(Some(&element), end, false, self.last);
        }
    }

    fn unclosed(&mut self, element: &Element) {
        let notice = ReplyNotice::UnclosedTag { tag: element.tag };
        if self.notices.last() != Some(&notice) {
            self.notices.push(notice);
        }
    }

    /// Ends the piece of what is open, which goes on later.
    fn cut(&mut self, end: usize, before_tag: bool) {
        self.pieces.before_tag = before_tag;
        self.pieces.cut(self.stack.last(), end, true, self.last);
        self.pieces.before_tag = false;
    }

    fn frame(&mut self, at: usize) {
        let raw = self.tokens[at].raw.clone();
        self.cut(raw.start, true);
        self.pieces.frame(raw);
    }
}

/// Where which tags are.
struct Index {
    opens: [Vec<usize>; Tag::ALL.len()],
    closes: [Vec<usize>; Tag::ALL.len()],
    /// Opening tags of content with nothing but space or tags before them on their line.
    lines: Vec<usize>,
    begins_line: Vec<bool>,
    mentioned: Vec<bool>,
    /// The last text or opening tag of content.
    last_solid: Option<usize>,
}

impl Index {
    fn new(text: &str, tokens: &[Token]) -> Self {
        let mut index = Self {
            opens: Default::default(),
            closes: Default::default(),
            lines: Vec::new(),
            begins_line: vec![false; tokens.len()],
            mentioned: vec![false; tokens.len()],
            last_solid: None,
        };
        for (at, token) in tokens.iter().enumerate() {
            let before = text[..token.raw.start].trim_end_matches([' ', '\t', '*']);
            match &token.kind {
                TokenKind::Open { .. } | TokenKind::Close { .. } if is_mentioned(text, token) => {
                    index.mentioned[at] = true;
                }
                TokenKind::Open { tag, .. } => {
                    index.opens[*tag as usize].push(at);
                    if !matches!(tag, Tag::Root | Tag::Set | Tag::Add) {
                        index.last_solid = Some(at);
                        if before.is_empty() || before.ends_with(['\n', '>', '＞', '】', '}']) {
                            index.begins_line[at] = true;
                            if *tag != Tag::Thought {
                                index.lines.push(at);
                            }
                        }
                    }
                }
                TokenKind::Close { tag, .. } => index.closes[*tag as usize].push(at),
                TokenKind::Text if !text[token.raw.clone()].trim().is_empty() => index.last_solid = Some(at),
                TokenKind::Text | TokenKind::Comment => {}
            }
        }
        index
    }

    fn has(&self, tag: Tag) -> bool {
        !self.opens[tag as usize].is_empty()
    }

    /// The next closing tag, if no such tag is opened before it.
    fn close_of(&self, tag: Tag, at: usize) -> Option<usize> {
        let close = after(&self.closes[tag as usize], at)?;
        after(&self.opens[tag as usize], at).is_none_or(|again| again > close).then_some(close)
    }

    /// Where a state ends: models open one and close the other.
    fn state_end(&self, at: usize) -> Option<usize> {
        let states = || Tag::ALL.into_iter().filter(|tag| tag.is_state());
        let close = states().filter_map(|tag| after(&self.closes[tag as usize], at)).min()?;
        let again = states().filter_map(|tag| after(&self.opens[tag as usize], at)).min();
        again.is_none_or(|again| again > close).then_some(close)
    }
}

/// The first of a sorted list that comes after `at`.
fn after(list: &[usize], at: usize) -> Option<usize> {
    list.get(list.partition_point(|other| *other <= at)).copied()
}

/// `(<narrative>)`, `` `<reply>` ``.
fn is_mentioned(text: &str, token: &Token) -> bool {
    let before = text[..token.raw.start].chars().next_back();
    let after = text[token.raw.end..].chars().next();
    let pairs = [('(', ')'), ('（', '）'), ('`', '`'), ('“', '”'), ('「', '」'), ('"', '"')];
    pairs.iter().any(|(open, close)| before == Some(*open) && after == Some(*close))
}
