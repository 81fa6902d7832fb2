//! Markdown as a tree of allowed nodes: foreign text is never code.
//!
//! The tree is built from pulldown-cmark's events and holds nothing that could run or load: raw HTML is text, links
//! lead to `http`, `https` and `mailto` only, a picture is a place that the view may fill once the reader agrees.
//! Nothing that cannot be shown as meant is dropped: it is shown as written.
//!
//! A text is read segment by segment (see [`segment`]), so that a growing reply is read again only from its last
//! segment on, and reading it piece by piece gives exactly what reading it at once gives.
//!
//! Where this departs from CommonMark, for prose: soft breaks are kept; link reference definitions (`[a]: b`) are
//! text; one `~` is a tilde; emphasis closes next to CJK punctuation; titles of links are left out.

mod guard;
mod segment;
mod speech;
#[cfg(test)]
mod tests;
mod tree;

use self::segment::Segmenter;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    Paragraph(Vec<Inline>),
    /// Level 1 to 6.
    Heading(u8, Vec<Inline>),
    Quote(Vec<Block>),
    List {
        /// The first number.
        ordered: Option<u64>,
        items: Vec<Vec<Block>>,
    },
    Code {
        /// May be empty.
        language: String,
        text: String,
    },
    Table {
        head: Vec<Vec<Inline>>,
        rows: Vec<Vec<Vec<Inline>>>,
    },
    /// A table that is too large to be shown as one, as written.
    Source {
        text: String,
        cells: usize,
    },
    Rule,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inline {
    Text(String),
    /// What somebody says, its quotation marks included.
    Speech(Vec<Inline>),
    Emphasis(Vec<Inline>),
    Strong(Vec<Inline>),
    Strike(Vec<Inline>),
    Code(String),
    /// `http`, `https` or `mailto`.
    Link {
        url: String,
        children: Vec<Inline>,
    },
    /// `http` or `https`; never fetched without consent.
    Image {
        url: String,
        alt: String,
    },
    /// A mark for the director, as written: `[PROGRESS:3:in_progress]`.
    Marker(String),
    Break,
}

/// Reads a whole text.
pub fn parse(text: &str) -> Vec<Block> {
    let mut document = Document::default();
    document.update(text);
    document.blocks
}

/// A text that grows, and its blocks.
#[derive(Clone, Debug, Default)]
pub struct Document {
    text: String,
    blocks: Vec<Block>,
    /// How many of `blocks` are closed for good.
    closed: usize,
    /// Where the segment that may still change begins.
    tail: usize,
    /// Where the unfinished last line begins.
    line: usize,
    /// As of the lines before `line`.
    segmenter: Segmenter,
    parsed: usize,
}

/// What an update left as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// So many leading blocks are unchanged; the others, if any, are new, changed or gone.
    pub frozen: usize,
}

impl Document {
    /// As it was at the last update.
    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// Bytes given to the Markdown parser so far: the cost of all updates.
    pub fn parsed(&self) -> usize {
        self.parsed
    }

    /// Takes the whole text as it is now. One that does not begin with the earlier text is read afresh.
    pub fn update(&mut self, text: &str) -> Change {
        let (old, kept) = if let Some(more) = text.strip_prefix(self.text.as_str()) {
            self.text.push_str(more);
            (self.blocks.split_off(self.closed), self.closed)
        } else {
            let old = std::mem::take(&mut self.blocks);
            *self = Self { text: text.to_owned(), parsed: self.parsed, ..Self::default() };
            (old, 0)
        };
        while let Some(length) = self.text[self.line..].find('\n').map(|at| at + 1) {
            let next = self.line + length;
            if self.segmenter.begins_at(&self.text[self.line..next]) {
                self.close_at(self.line);
            }
            self.line = next;
        }
        self.read_tail();
        let same = old.iter().zip(&self.blocks[kept..]).take_while(|(old, new)| old == new).count();
        Change { frozen: kept + same }
    }

    fn close_at(&mut self, end: usize) {
        self.read(self.tail, end, false);
        self.closed = self.blocks.len();
        self.tail = end;
    }

    /// Reads what may still change.
    fn read_tail(&mut self) {
        let (begins, surely) = self.segmenter.begins_at_unfinished(&self.text[self.line..]);
        let mut from = self.tail;
        if surely {
            self.close_at(self.line);
            from = self.line;
        } else if begins {
            self.read(from, self.line, false);
            from = self.line;
        }
        let ending = &self.text[self.text.trim_end().len()..];
        let growing = ending.matches('\n').count() < 2;
        self.read(from, self.text.len(), growing);
    }

    fn read(&mut self, from: usize, to: usize, growing: bool) {
        self.parsed += to - from;
        self.blocks.extend(tree::blocks(&self.text[from..to], growing));
    }
}
