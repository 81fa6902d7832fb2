//! What follows an opening bracket, character by character, until it is a tag or cannot become one.

use super::Tag;

pub const OPENING: [char; 3] = ['<', '＜', '【'];
const LONGEST: usize = 1_000;
const SPACES: usize = 3;

#[derive(Clone, Debug)]
pub struct Candidate {
    phase: Phase,
    /// `【`: no attributes, Latin names only.
    lenticular: bool,
    close: bool,
    name: String,
    attributes: Vec<(String, String)>,
    key: String,
    value: String,
    spaces: usize,
    length: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    Lead,
    Name,
    Between,
    Key,
    AfterKey,
    BeforeValue,
    Quoted(char),
    Bare,
    Slash,
    /// So many characters of `<!--`, the bracket not counted.
    CommentLead(u8),
    /// The last three characters.
    Comment([char; 3]),
}

pub enum Step {
    More,
    No,
    Yes(Found),
}

pub enum Found {
    Open { tag: Tag, attributes: Vec<(String, String)>, slash: bool },
    Close(Tag),
    Comment,
}

impl Candidate {
    pub fn new(bracket: char) -> Self {
        Self {
            phase: Phase::Lead,
            lenticular: bracket == '【',
            close: false,
            name: String::new(),
            attributes: Vec::new(),
            key: String::new(),
            value: String::new(),
            spaces: 0,
            length: 0,
        }
    }

    pub fn feed(&mut self, c: char) -> Step {
        self.length += 1;
        if self.length > LONGEST {
            return Step::No;
        }
        let end = if self.lenticular { c == '】' } else { matches!(c, '>' | '＞') };
        match self.phase {
            Phase::Lead => self.lead(c),
            Phase::Name if end => self.yes(false),
            Phase::Name => self.name(c),
            Phase::Between if end => self.yes(false),
            Phase::Between => match c {
                '/' | '／' => self.go(Phase::Slash),
                ',' | '，' => Step::More,
                c if c.is_whitespace() => Step::More,
                c if is_name(c) && !self.lenticular && (!self.close || self.name == "stateupdate") => {
                    self.key = c.to_lowercase().collect();
                    self.go(Phase::Key)
                }
                _ => Step::No,
            },
            // `<state_update json>`
            Phase::Key if (end || c.is_whitespace()) && self.key == "json" && self.name == "stateupdate" => {
                self.name.push_str("json");
                if end { self.yes(false) } else { self.go(Phase::Between) }
            }
            Phase::Key if is_name(c) => {
                self.key.extend(c.to_lowercase());
                Step::More
            }
            Phase::Key | Phase::AfterKey => match c {
                '=' | '＝' => self.go(Phase::BeforeValue),
                c if c.is_whitespace() => self.go(Phase::AfterKey),
                _ => Step::No,
            },
            Phase::BeforeValue => match c {
                '"' | '\'' | '＂' | '“' | '”' | '‘' | '’' | '「' => self.go(Phase::Quoted(c)),
                c if c.is_whitespace() => Step::More,
                _ if end || matches!(c, '<' | '＜') => Step::No,
                c => {
                    self.value.push(c);
                    self.go(Phase::Bare)
                }
            },
            Phase::Quoted(open) if closes(open, c) => {
                self.attribute();
                self.go(Phase::Between)
            }
            Phase::Quoted(_) => {
                self.value.push(c);
                Step::More
            }
            Phase::Bare if end => {
                let slash = self.value.ends_with('/') && self.value.pop().is_some();
                self.attribute();
                self.yes(slash)
            }
            Phase::Bare if c.is_whitespace() => {
                self.attribute();
                self.go(Phase::Between)
            }
            Phase::Bare if matches!(c, '<' | '＜' | '"') => Step::No,
            Phase::Bare => {
                self.value.push(c);
                Step::More
            }
            Phase::Slash if end => self.yes(true),
            Phase::Slash => if_more(c.is_whitespace()),
            Phase::CommentLead(seen) => match (c, seen) {
                ('-', 1) => self.go(Phase::CommentLead(2)),
                ('-', _) => self.go(Phase::Comment([' '; 3])),
                _ => Step::No,
            },
            Phase::Comment([a, b, last]) => match (a, b, last, c) {
                (_, '-', '-', '>') => Step::Yes(Found::Comment),
                // Comments do not nest, so the outer one was never closed.
                ('<', '!', '-', '-') => Step::No,
                _ => self.go(Phase::Comment([b, last, c])),
            },
        }
    }

    fn lead(&mut self, c: char) -> Step {
        match c {
            '/' | '／' if !self.close => {
                self.close = true;
                Step::More
            }
            '!' if self.length == 1 && !self.lenticular => self.go(Phase::CommentLead(1)),
            c if c.is_whitespace() => {
                self.spaces += 1;
                if_more(self.spaces <= SPACES && c != '\n')
            }
            c if is_name(c) => {
                self.phase = Phase::Name;
                self.name(c)
            }
            _ => Step::No,
        }
    }

    fn name(&mut self, c: char) -> Step {
        if c.is_whitespace() {
            if Tag::named(&self.name).is_some() {
                return self.go(Phase::Between);
            }
            self.spaces += 1;
            return if_more(self.name == "state" && self.spaces <= SPACES && c != '\n');
        }
        match c {
            '_' | '-' | '\\' => if_more(self.name.starts_with("state")),
            '/' | '／' if Tag::named(&self.name).is_some() => self.go(Phase::Slash),
            c if is_name(c) && (c.is_ascii() || !self.lenticular) => {
                self.name.extend(c.to_lowercase());
                if_more(Tag::may_begin(&self.name))
            }
            _ => Step::No,
        }
    }

    fn go(&mut self, phase: Phase) -> Step {
        self.phase = phase;
        Step::More
    }

    fn attribute(&mut self) {
        self.attributes.push((std::mem::take(&mut self.key), std::mem::take(&mut self.value)));
    }

    fn yes(&mut self, slash: bool) -> Step {
        let Some(tag) = Tag::named(&self.name) else {
            return Step::No;
        };
        if self.lenticular && matches!(tag, Tag::Set | Tag::Add | Tag::Root) {
            return Step::No;
        }
        if self.close {
            return Step::Yes(Found::Close(tag));
        }
        Step::Yes(Found::Open { tag, attributes: std::mem::take(&mut self.attributes), slash })
    }
}

fn if_more(more: bool) -> Step {
    if more { Step::More } else { Step::No }
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.')
}

fn closes(open: char, c: char) -> bool {
    match open {
        '“' | '”' => matches!(c, '“' | '”' | '"'),
        '‘' | '’' => matches!(c, '‘' | '’' | '\''),
        '「' => c == '」',
        open => c == open,
    }
}
