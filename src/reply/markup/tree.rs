//! From pulldown-cmark's events to the tree.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, LinkType, OffsetIter, Options, Parser, Tag};

use super::{Block, Inline, guard::Guarded, speech};

/// Deeper nesting is shown as written.
const DEPTH: usize = 32;
/// Cells of the largest table: a view of them takes a tenth of a second.
const CELLS: usize = 5_000;

/// Inlines before speech is found in them.
pub enum Node {
    Text(String),
    /// Raw HTML: text without speech.
    Html(String),
    Leaf(Inline),
    Wrap(Wrap, Vec<Node>),
}

pub enum Wrap {
    Emphasis,
    Strong,
    Strike,
    Link(String),
}

/// The blocks of a segment; `growing`: its last paragraph may go on.
pub fn blocks(text: &str, growing: bool) -> Vec<Block> {
    let source = Guarded::new(text);
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let events = Parser::new_ext(&source.text, options).into_offset_iter();
    let end = if growing { source.text.trim_end().len() } else { usize::MAX };
    Builder { source: &source, events, reached: 0, end }.blocks(0)
}

struct Builder<'a> {
    source: &'a Guarded,
    events: OffsetIter<'a>,
    /// The end of what was read so far, and where the text ends.
    reached: usize,
    end: usize,
}

impl<'a> Builder<'a> {
    fn next(&mut self) -> Option<(Event<'a>, Range<usize>)> {
        let (event, range) = self.events.next()?;
        if !matches!(event, Event::Start(_)) {
            self.reached = self.reached.max(range.end);
        }
        Some((event, range))
    }

    /// The blocks up to the end of their container.
    fn blocks(&mut self, depth: usize) -> Vec<Block> {
        let mut blocks = Vec::new();
        // Text that stands in a list item without a paragraph.
        let mut loose = Vec::new();
        while let Some((event, range)) = self.next() {
            match event {
                Event::End(_) => break,
                Event::Start(tag) if is_block(&tag) => {
                    self.flush(&mut loose, &mut blocks);
                    if let Some(block) = self.block(tag, range, depth) {
                        blocks.push(block);
                    }
                }
                Event::Rule => {
                    self.flush(&mut loose, &mut blocks);
                    blocks.push(Block::Rule);
                }
                event => self.inline(event, range, depth, &mut loose),
            }
        }
        self.flush(&mut loose, &mut blocks);
        blocks
    }

    fn flush(&self, loose: &mut Vec<Node>, blocks: &mut Vec<Block>) {
        if !loose.is_empty() {
            blocks.push(Block::Paragraph(self.resolve(std::mem::take(loose))));
        }
    }

    fn block(&mut self, tag: Tag<'a>, range: Range<usize>, depth: usize) -> Option<Block> {
        let block = match tag {
            Tag::BlockQuote(_) | Tag::List(_) if depth >= DEPTH => {
                self.skip();
                let mut nodes = Vec::new();
                self.push_source(range, &mut nodes);
                Block::Paragraph(self.resolve(nodes))
            }
            Tag::BlockQuote(_) => Block::Quote(self.blocks(depth + 1)),
            Tag::List(ordered) => Block::List { ordered, items: self.items(depth + 1) },
            Tag::Heading { level, .. } => Block::Heading(level as u8, self.inlines(depth)),
            Tag::CodeBlock(kind) => self.code(&kind),
            Tag::Table(_) => self.table(range, depth),
            _ => {
                let inlines = self.inlines(depth);
                return (!inlines.is_empty()).then_some(Block::Paragraph(inlines));
            }
        };
        Some(block)
    }

    fn items(&mut self, depth: usize) -> Vec<Vec<Block>> {
        let mut items = Vec::new();
        while let Some((Event::Start(_), _)) = self.next() {
            items.push(self.blocks(depth));
        }
        items
    }

    fn code(&mut self, kind: &CodeBlockKind<'_>) -> Block {
        let mut text = String::new();
        while let Some((Event::Text(piece), _)) = self.next() {
            text.push_str(&self.source.strip(&piece));
        }
        let info = match kind {
            CodeBlockKind::Fenced(info) => self.source.strip(info),
            CodeBlockKind::Indented => "".into(),
        };
        // Of more than a word, or in another script, it is no language's name but somebody's words.
        let info = info.trim();
        if info.contains(|c: char| c.is_whitespace() || !c.is_ascii()) {
            return Block::Code { language: String::new(), text: format!("{info}\n{text}") };
        }
        Block::Code { language: info.to_owned(), text }
    }

    /// The parser fills rows that are shorter than the head, by which a small text grows into a huge table: what is not
    /// in the text is left out again. Of longer rows it drops what the head has no place for: that is put back.
    fn table(&mut self, range: Range<usize>, depth: usize) -> Block {
        let mut rows = Vec::new();
        let mut cells = 0;
        while let Some((Event::Start(_), line)) = self.next() {
            let mut row = Vec::new();
            let mut read = line.start;
            // Cells without anything, of which only those count that something follows.
            let mut empty = 0;
            let mut put = |cell: Vec<Inline>| {
                if cell.is_empty() && !rows.is_empty() {
                    empty += 1;
                } else {
                    row.extend(std::iter::repeat_n(Vec::new(), std::mem::take(&mut empty)));
                    row.push(cell);
                }
            };
            while let Some((Event::Start(_), cell)) = self.next() {
                read = read.max(cell.end);
                if cell.is_empty() {
                    // Its end.
                    self.next();
                    put(Vec::new());
                } else {
                    put(self.inlines(depth));
                }
            }
            self.beyond(read..line.end).into_iter().for_each(&mut put);
            if row.is_empty() {
                row.push(Vec::new());
            }
            cells += row.len();
            rows.push(row);
        }
        if cells > CELLS {
            let text = self.source.strip(&self.source.text[range]).into_owned();
            return Block::Source { text, cells };
        }
        let rest = rows.split_off(rows.len().min(1));
        Block::Table { head: rows.pop().unwrap_or_default(), rows: rest }
    }

    /// What a row has behind its last cell, as written.
    fn beyond(&self, range: Range<usize>) -> Vec<Vec<Inline>> {
        let rest = self.source.strip(self.source.text.get(range).unwrap_or_default());
        let rest = rest.trim();
        let rest = rest.strip_prefix('|').unwrap_or(rest);
        let cells = rest.strip_suffix('|').unwrap_or(rest).split('|');
        let cells = cells.map(|cell| self.resolve(vec![Node::Text(cell.trim().to_owned())]));
        if rest.is_empty() { Vec::new() } else { cells.collect() }
    }

    fn inlines(&mut self, depth: usize) -> Vec<Inline> {
        let nodes = self.nodes(depth);
        self.resolve(nodes)
    }

    fn resolve(&self, nodes: Vec<Node>) -> Vec<Inline> {
        speech::resolve(nodes, self.reached >= self.end)
    }

    /// The inlines up to the end of their container.
    fn nodes(&mut self, depth: usize) -> Vec<Node> {
        let mut nodes = Vec::new();
        while let Some((event, range)) = self.next() {
            if matches!(event, Event::End(_)) {
                break;
            }
            self.inline(event, range, depth, &mut nodes);
        }
        nodes
    }

    fn inline(&mut self, event: Event<'a>, range: Range<usize>, depth: usize, nodes: &mut Vec<Node>) {
        match event {
            Event::Start(tag) => self.wrap(tag, range, depth, nodes),
            Event::Text(text) => push_text(&self.source.strip(&text), nodes),
            Event::Code(text) => nodes.push(Node::Leaf(Inline::Code(self.source.strip(&text).into_owned()))),
            Event::Html(html) | Event::InlineHtml(html) => {
                for (at, line) in self.source.strip(&html).lines().enumerate() {
                    if at > 0 {
                        nodes.push(Node::Leaf(Inline::Break));
                    }
                    nodes.push(Node::Html(line.to_owned()));
                }
            }
            Event::SoftBreak | Event::HardBreak => nodes.push(Node::Leaf(Inline::Break)),
            _ => self.push_source(range, nodes),
        }
    }

    fn wrap(&mut self, tag: Tag<'a>, range: Range<usize>, depth: usize, nodes: &mut Vec<Node>) {
        let wrap = match tag {
            Tag::Image { dest_url, .. } => {
                let url = self.source.strip(&dest_url);
                let alt = self.alt();
                if has_scheme(&url, &["http://", "https://"]) {
                    nodes.push(Node::Leaf(Inline::Image { url: url.into_owned(), alt }));
                } else {
                    self.push_source(range, nodes);
                }
                return;
            }
            // One tilde is a tone of voice.
            Tag::Strikethrough if !self.source.text[range.clone()].starts_with("~~") => {
                push_text("~", nodes);
                if depth < DEPTH {
                    while let Some((event, range)) = self.next().filter(|(event, _)| !matches!(event, Event::End(_))) {
                        self.inline(event, range, depth + 1, nodes);
                    }
                } else {
                    self.skip();
                    self.push_source(range.start + 1..range.end - 1, nodes);
                }
                return push_text("~", nodes);
            }
            _ if depth >= DEPTH => None,
            Tag::Emphasis => Some(Wrap::Emphasis),
            Tag::Strong => Some(Wrap::Strong),
            Tag::Strikethrough => Some(Wrap::Strike),
            Tag::Link { link_type, dest_url, .. } => {
                let mail = if link_type == LinkType::Email { "mailto:" } else { "" };
                let url = format!("{mail}{}", self.source.strip(&dest_url));
                has_scheme(&url, &["http://", "https://", "mailto:"]).then_some(Wrap::Link(url))
            }
            _ => None,
        };
        match wrap {
            Some(wrap) => {
                let children = self.nodes(depth + 1);
                nodes.push(Node::Wrap(wrap, children));
            }
            None => {
                self.skip();
                self.push_source(range, nodes);
            }
        }
    }

    /// The text of an image's description.
    fn alt(&mut self) -> String {
        let mut alt = String::new();
        let mut depth = 0;
        while let Some((event, _)) = self.next() {
            match event {
                Event::Start(_) => depth += 1,
                Event::End(_) if depth == 0 => break,
                Event::End(_) => depth -= 1,
                Event::Text(text) | Event::Code(text) | Event::InlineHtml(text) => {
                    alt.push_str(&self.source.strip(&text));
                }
                Event::SoftBreak | Event::HardBreak => alt.push(' '),
                _ => {}
            }
        }
        alt
    }

    /// Passes over the rest of a container.
    fn skip(&mut self) {
        let mut depth = 0;
        while let Some((event, _)) = self.next() {
            match event {
                Event::Start(_) => depth += 1,
                Event::End(_) if depth == 0 => break,
                Event::End(_) => depth -= 1,
                _ => {}
            }
        }
    }

    /// Shows a stretch as written.
    fn push_source(&self, range: Range<usize>, nodes: &mut Vec<Node>) {
        for (at, line) in self.source.strip(&self.source.text[range]).lines().enumerate() {
            if at > 0 {
                nodes.push(Node::Leaf(Inline::Break));
            }
            push_text(line, nodes);
        }
    }
}

fn push_text(text: &str, nodes: &mut Vec<Node>) {
    match nodes.last_mut() {
        _ if text.is_empty() => {}
        Some(Node::Text(last)) => last.push_str(text),
        _ => nodes.push(Node::Text(text.to_owned())),
    }
}

fn is_block(tag: &Tag<'_>) -> bool {
    !matches!(tag, Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Link { .. } | Tag::Image { .. })
}

/// Exactly one of `schemes`, in any case; nothing in the URL that a browser would quietly remove.
fn has_scheme(url: &str, schemes: &[&str]) -> bool {
    let known = schemes.iter().any(|scheme| {
        url.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)) && url.len() > scheme.len()
    });
    known && !url.chars().any(char::is_control)
}
