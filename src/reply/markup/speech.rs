//! Finds what is said, and the director's marks, in the inlines of one paragraph.
//!
//! The quotation marks are looked for in the text of the whole paragraph, so that emphasis may begin or end within
//! them: where the two cross, the emphasis keeps its place and the speech is cut.

use super::{
    Inline,
    guard::is_cjk,
    tree::{Node, Wrap},
};

const PAIRS: [(char, char); 5] = [('“', '”'), ('「', '」'), ('『', '』'), ('«', '»'), ('"', '"')];
const MARKER: &str = "[PROGRESS:";
const MARKER_LENGTH: usize = 80;

/// `open`: the paragraph may go on, so a mark that nothing closes yet will be closed.
pub fn resolve(nodes: Vec<Node>, open: bool) -> Vec<Inline> {
    let nodes = with_markers(nodes);
    let mut text = Vec::new();
    flatten(&nodes, &mut text);
    let speeches = speeches(&text, open);
    group(Walk { speeches: &speeches, at: 0, next: 0 }.nodes(nodes))
}

fn with_markers(nodes: Vec<Node>) -> Vec<Node> {
    let mut out = Vec::with_capacity(nodes.len());
    for node in nodes {
        match node {
            Node::Text(text) => split_markers(text, &mut out),
            Node::Wrap(wrap, children) => out.push(Node::Wrap(wrap, with_markers(children))),
            node => out.push(node),
        }
    }
    out
}

fn split_markers(text: String, out: &mut Vec<Node>) {
    let mut done = 0;
    let mut from = 0;
    while let Some(at) = text[from..].find('[').map(|at| from + at) {
        from = at + 1;
        if let Some(length) = marker(&text[at..]) {
            push(&text[done..at], out);
            done = at + length;
            from = done;
            out.push(Node::Leaf(Inline::Marker(text[at..done].to_owned())));
        }
    }
    push(&text[done..], out);
}

fn push(text: &str, out: &mut Vec<Node>) {
    if !text.is_empty() {
        out.push(Node::Text(text.to_owned()));
    }
}

/// The length of the marker that the text begins with.
fn marker(text: &str) -> Option<usize> {
    if !text.get(..MARKER.len())?.eq_ignore_ascii_case(MARKER) {
        return None;
    }
    let end = text.bytes().take(MARKER_LENGTH).skip(1).position(|byte| matches!(byte, b']' | b'['))? + 1;
    (text.as_bytes()[end] == b']').then_some(end + 1)
}

/// The text of a paragraph, one character for whatever is not text.
fn flatten(nodes: &[Node], out: &mut Vec<char>) {
    for node in nodes {
        match node {
            Node::Text(text) => out.extend(text.chars()),
            Node::Leaf(Inline::Break) => out.push('\n'),
            Node::Html(_) | Node::Leaf(_) => out.push('\u{fffc}'),
            Node::Wrap(_, children) => flatten(children, out),
        }
    }
}

/// Where speech begins and ends, in order.
fn speeches(text: &[char], open: bool) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let pair = PAIRS.iter().find(|pair| pair.0 == text[at]).filter(|_| opens(text, at, open));
        let Some((mark, close)) = pair else {
            at += 1;
            continue;
        };
        let end = text[at + 1..].iter().position(|c| c == close).map(|length| at + length + 2);
        match end {
            Some(end) => found.push((at, end)),
            // Speech over several paragraphs closes in the last one; a straight mark that stands alone is not speech.
            None if open || *mark != '"' => found.push((at, text.len())),
            None => {
                at += 1;
                continue;
            }
        }
        at = end.unwrap_or(text.len());
    }
    found
}

/// Straight marks look the same on both sides: inches and closing marks follow a letter.
fn opens(text: &[char], at: usize, open: bool) -> bool {
    text[at] != '"' || {
        let before = at.checked_sub(1).map(|before| text[before]);
        let after = text.get(at + 1);
        before.is_none_or(|c| !c.is_alphanumeric() || is_cjk(c)) && after.map_or(open, |c| !c.is_whitespace())
    }
}

/// Goes through the paragraph once more and says of each inline which speech it belongs to.
struct Walk<'a> {
    speeches: &'a [(usize, usize)],
    at: usize,
    /// The speech that is on, or the next.
    next: usize,
}

type Spoken = (Option<usize>, Inline);

impl Walk<'_> {
    /// The speech at this place, and how many characters it, or what is between two, goes on for.
    fn here(&mut self) -> (Option<usize>, usize) {
        while self.speeches.get(self.next).is_some_and(|(_, end)| *end <= self.at) {
            self.next += 1;
        }
        match self.speeches.get(self.next) {
            Some((start, end)) if *start <= self.at => (Some(self.next), end - self.at),
            Some((start, _)) => (None, start - self.at),
            None => (None, usize::MAX),
        }
    }

    fn nodes(&mut self, nodes: Vec<Node>) -> Vec<Spoken> {
        let mut out = Vec::with_capacity(nodes.len());
        for node in nodes {
            match node {
                Node::Text(text) => self.text(&text, &mut out),
                Node::Html(text) => out.push(self.leaf(Inline::Text(text))),
                Node::Leaf(inline) => out.push(self.leaf(inline)),
                Node::Wrap(wrap, children) => {
                    let (here, _) = self.here();
                    let children = self.nodes(children);
                    let speech = children.first().map_or(here, |(speech, _)| *speech);
                    let (speech, children) = if children.iter().all(|child| child.0 == speech) {
                        (speech, join(children.into_iter().map(|(_, inline)| inline)))
                    } else {
                        (None, group(children))
                    };
                    out.push((speech, wrap.around(children)));
                }
            }
        }
        out
    }

    fn leaf(&mut self, inline: Inline) -> Spoken {
        let (speech, _) = self.here();
        self.at += 1;
        (speech.filter(|_| !matches!(inline, Inline::Marker(_))), inline)
    }

    fn text(&mut self, mut text: &str, out: &mut Vec<Spoken>) {
        while !text.is_empty() {
            let (speech, length) = self.here();
            let end = text.char_indices().nth(length).map_or(text.len(), |(at, _)| at);
            let (piece, rest) = text.split_at(end);
            self.at += piece.chars().count();
            out.push((speech, Inline::Text(piece.to_owned())));
            text = rest;
        }
    }
}

/// Puts what belongs to one speech together.
fn group(inlines: Vec<Spoken>) -> Vec<Inline> {
    let mut out = Vec::new();
    let mut inlines = inlines.into_iter().peekable();
    while let Some((speech, inline)) = inlines.next() {
        let mut run = vec![inline];
        while let Some((_, inline)) = inlines.next_if(|next| next.0 == speech) {
            run.push(inline);
        }
        let run = join(run.into_iter());
        if speech.is_some() {
            out.push(Inline::Speech(run));
        } else {
            out.extend(run);
        }
    }
    out
}

/// Makes one text of neighbours.
fn join(inlines: impl Iterator<Item = Inline>) -> Vec<Inline> {
    let mut out: Vec<Inline> = Vec::new();
    for inline in inlines {
        match (out.last_mut(), inline) {
            (Some(Inline::Text(last)), Inline::Text(text)) => last.push_str(&text),
            (_, inline) => out.push(inline),
        }
    }
    out
}

impl Wrap {
    fn around(self, children: Vec<Inline>) -> Inline {
        match self {
            Self::Emphasis => Inline::Emphasis(children),
            Self::Strong => Inline::Strong(children),
            Self::Strike => Inline::Strike(children),
            Self::Link(url) => Inline::Link { url, children },
        }
    }
}
