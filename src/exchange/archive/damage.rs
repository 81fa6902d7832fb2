//! What is wrong with an archive that was written as one, and where.

use std::fmt;

use crate::store::Part;

/// A record that cannot be taken. The English is for logs; the page has its own words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    pub place: Place,
    pub flaw: Flaw,
}

/// Where in the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// From 1; 0: not known.
    pub line: u64,
    pub part: Option<Part>,
    /// Of the record; may be empty.
    pub id: String,
    /// The field of the record; may be empty.
    pub field: String,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    #[error("not text")]
    NotText,
    /// In the words of the parser.
    #[error("{0}")]
    NotALine(String),
    #[error("not Base64")]
    NotBase64,
    #[error("a record without an id")]
    NoId,
    #[error("an id that is empty or absurdly long")]
    OddId,
    #[error("bytes belong to pictures, and a picture needs them")]
    Bytes,
    /// A value of another type; in the words of the parser.
    #[error("{0}")]
    Type(String),
    #[error("missing")]
    Lacking,
    #[error("a time that no calendar has")]
    Time,
    #[error("a branch without measure")]
    Measure,
    #[error("a picture whose bytes are not those of its id")]
    OtherPicture,
    #[error("a picture of another size than it says")]
    OtherSize,
    #[error("not a picture of the kind that it says")]
    OtherKind,
    #[error("after its place")]
    OutOfOrder,
    #[error("nested too deeply")]
    TooDeep,
    #[error("too large")]
    TooLarge,
    #[error("there twice")]
    Twice,
    #[error("hangs on nothing")]
    Lost,
    #[error("belongs to another storyline here")]
    Foreign,
    #[error("another turn stands at its place")]
    Taken,
    #[error("outside its branch")]
    Outside,
    #[error("it does not begin where it leaves its parent")]
    Fork,
    #[error("it says more turns than there are")]
    Gaps,
    #[error("is missing or part of a circle")]
    Circle,
    #[error("leads nowhere")]
    Nowhere,
    #[error("is not there")]
    NotThere,
    #[error("{0} storylines in an archive of one")]
    NotOne(usize),
    #[error("the checksum or the number of records is another")]
    Checksum,
    #[error("lines after the end")]
    AfterEnd,
}

impl Flaw {
    pub fn of(self, part: Part, id: &str) -> Damage {
        self.at(part, id, "")
    }

    pub(super) fn in_line(self, line: u64) -> Damage {
        Damage { place: Place { line, ..Place::default() }, flaw: self }
    }

    pub fn at(self, part: Part, id: &str, field: &str) -> Damage {
        let place = Place { line: 0, part: Some(part), id: id.to_owned(), field: field.to_owned() };
        Damage { place, flaw: self }
    }
}

impl Damage {
    pub(super) fn in_line(mut self, line: u64) -> Self {
        if self.place.line == 0 {
            self.place.line = line;
        }
        self
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { line, part, id, field } = &self.place;
        if *line > 0 {
            write!(f, "line {line}: ")?;
        }
        if let Some(part) = part {
            write!(f, "{} {id}{}{field}: ", part.name(), if field.is_empty() { "" } else { ", " })?;
        }
        self.flaw.fmt(f)
    }
}
