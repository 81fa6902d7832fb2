//! What there is to know of a table: said once, read by all who deal with tables as such.

use serde_json::Value;

use super::{
    Part, Table, field,
    version::{Parting, Step},
};

/// An index over one or more fields of a table's records; a record that lacks a field is not in it.
#[derive(Clone, Copy, Debug)]
pub struct IndexSpec {
    pub name: &'static str,
    pub fields: &'static [&'static str],
    /// Its one field is a list: the record is found by each item.
    pub each: bool,
}

/// A table. Paths into its records go as [`field`] says.
#[derive(Debug)]
pub struct Description {
    pub name: &'static str,
    pub belongs: Belongs,
    /// Whether it may go into an archive, and so into a merge, a copy and an excerpt.
    pub archive: Joins,
    /// Whether what the reader deletes of it waits in the bin.
    pub bin: Joins,
    pub indexes: &'static [IndexSpec],
    /// Bytes ride beside its records.
    pub has_bytes: bool,
    /// Where ids stand in a record, beside its own and its storyline's: a copy renames them.
    pub ids: &'static [Id],
    /// Where times stand in a record.
    pub times: &'static [&'static str],
    /// Fields that a record is found by: no default stands in for them.
    pub required: &'static [&'static str],
    /// Which of two versions of a record stays: that with more of this, the first first. Where nothing differs, the
    /// store's stays.
    pub stays: &'static [More],
    /// Lists of a record that hold what both versions have.
    pub unites: &'static [&'static str],
    /// What brings older versions of a record to now.
    pub steps: &'static [Step],
    /// What older versions of a record held that now lies in a table of its own.
    pub parts: Option<Parting>,
    /// The memory's index takes its records in.
    pub is_searched: bool,
    pub cached: Keeps,
    /// Records of this browser, each with those of its fields that the reader has on all devices.
    pub shared: &'static [(&'static str, &'static [&'static str])],
    /// How ids of records begin that belong to a storyline, whose id follows.
    pub of_story: &'static [&'static str],
    /// Records read at a time.
    pub page: u32,
}

/// For the fields that most tables have no use for.
pub const PLAIN: Description = Description {
    name: "",
    belongs: Belongs::Machine,
    archive: Joins::Yes,
    bin: Joins::Yes,
    indexes: &[],
    has_bytes: false,
    ids: &[],
    times: &[],
    required: &[],
    stays: &[],
    unites: &[],
    steps: &[],
    parts: None,
    is_searched: false,
    cached: Keeps::Nothing,
    shared: &[],
    of_story: &[],
    page: 200,
};

/// What a record belongs to, and with what it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Belongs {
    /// To the reader's library, for all stories to use.
    Library,
    /// It is a storyline.
    Root,
    /// To the storyline that its field `storyline` names: is deleted with it.
    Story(Hangs),
    /// To whoever names it: goes once nobody does. Its id is made of its content.
    Content,
    /// To this browser.
    Machine,
    /// To this browser, though it names a storyline in its field `storyline` while there is that: it stays when that is
    /// deleted for ever, and names nobody then.
    Ledger,
}

impl Belongs {
    /// The reader sees it in lists; all else hangs on it.
    pub fn is_on_shelf(self) -> bool {
        matches!(self, Self::Library | Self::Root)
    }
}

/// What a record of a story hangs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hangs {
    /// It is what the tree is made of.
    Tree,
    /// On the place of the tree that `branch`, `position` and, where it has one, `generation` name: it is seen where
    /// that is on the path.
    Place,
    /// On the reply whose id it has: it goes where that goes.
    Reply,
    /// On other records, of which it is made.
    Made,
}

/// Whether a table takes part in something, or why not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joins {
    Yes,
    No(&'static str),
}

/// A field with the id of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Id(pub &'static str, pub Of);

/// What an id names. A branch and a turn may have the same one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Of {
    Part(Part),
    Session,
}

/// Something that one version of a record may have more of.
#[derive(Clone, Copy, Debug)]
pub enum More {
    Number(&'static str),
    Items(&'static str),
    Letters(&'static str),
    /// It has a text there.
    Text(&'static str),
    /// The field says something else than this.
    Other(&'static str, &'static str),
}

impl More {
    pub fn of(self, record: &Value) -> Option<u64> {
        match self {
            Self::Number(field) => record[field].as_u64(),
            Self::Items(field) => Some(record[field].as_array().map_or(0, Vec::len) as u64),
            Self::Letters(field) => record[field].as_str().map(|text| text.len() as u64),
            Self::Text(field) => Some(record[field].is_string().into()),
            Self::Other(field, than) => Some((record[field] != than).into()),
        }
    }
}

/// What of a table is kept at hand, once it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeps {
    Nothing,
    /// Single records.
    Records,
    /// The records of a storyline, all of them.
    OfStory,
}

impl Table {
    pub fn name(self) -> &'static str {
        self.describe().name
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|table| table.name() == name)
    }

    pub fn indexes(self) -> &'static [IndexSpec] {
        self.describe().indexes
    }

    /// Whether bytes ride beside its records.
    pub fn has_bytes(self) -> bool {
        self.describe().has_bytes
    }

    pub fn belongs(self) -> Belongs {
        self.describe().belongs
    }

    /// Of a record of this browser the fields that the reader has on all devices; empty: it stays here.
    pub fn shared(self, id: &str) -> &'static [&'static str] {
        self.describe().shared.iter().find(|(shared, _)| *shared == id).map_or(&[], |(_, fields)| fields)
    }

    /// Tables whose records belong to a storyline; what is pointed to comes first.
    pub fn of_story() -> impl DoubleEndedIterator<Item = Self> {
        Self::ALL.into_iter().filter(|table| matches!(table.belongs(), Belongs::Story(_)))
    }

    /// Tables whose records go where the reply goes whose id they have.
    pub fn of_reply() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|table| table.belongs() == Belongs::Story(Hangs::Reply))
    }

    /// Whether its records name ids of this kind.
    pub fn names(self, of: Of) -> bool {
        self.describe().ids.iter().any(|Id(_, named)| *named == of)
    }

    /// The ids of one kind that a record names.
    pub fn ids_in(self, of: Of, record: &Value) -> Vec<&str> {
        let mut found = Vec::new();
        for Id(path, _) in self.describe().ids.iter().filter(|Id(_, named)| *named == of) {
            field::texts(record, path, &mut |text| found.push(text));
        }
        found
    }
}

impl Part {
    pub fn of(table: Table) -> Option<Self> {
        Self::ALL.into_iter().find(|part| part.table() == table)
    }

    pub fn name(self) -> &'static str {
        self.table().name()
    }

    pub fn belongs(self) -> Belongs {
        self.table().belongs()
    }
}
