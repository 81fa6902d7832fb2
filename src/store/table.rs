//! The tables of the database.

/// A table of the database. The key of every record is its `id`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Table {
    Characters,
    Backgrounds,
    Presets,
    Storylines,
    Turns,
    Branches,
    Generations,
    States,
    Memories,
    /// What the memory's index has yet to take in: one record per text that has changed; see [`Batch::push`].
    Due,
    /// The inverted index of each storyline, in segments. Rebuilt from turns and memories where it is lost.
    Postings,
    /// Embeddings, packed in segments.
    Vectors,
    Blobs,
    Settings,
    Vault,
}

/// An index over one or more fields of a table's records; a record that lacks a field is not in it.
#[derive(Clone, Copy, Debug)]
pub struct IndexSpec {
    pub name: &'static str,
    pub fields: &'static [&'static str],
}

const fn index(name: &'static str, fields: &'static [&'static str]) -> IndexSpec {
    IndexSpec { name, fields }
}

impl Table {
    pub const ALL: [Self; 15] = [
        Self::Characters,
        Self::Backgrounds,
        Self::Presets,
        Self::Storylines,
        Self::Turns,
        Self::Branches,
        Self::Generations,
        Self::States,
        Self::Memories,
        Self::Due,
        Self::Postings,
        Self::Vectors,
        Self::Blobs,
        Self::Settings,
        Self::Vault,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Characters => "characters",
            Self::Backgrounds => "backgrounds",
            Self::Presets => "presets",
            Self::Storylines => "storylines",
            Self::Turns => "turns",
            Self::Branches => "branches",
            Self::Generations => "generations",
            Self::States => "states",
            Self::Memories => "memories",
            Self::Due => "due",
            Self::Postings => "postings",
            Self::Vectors => "vectors",
            Self::Blobs => "blobs",
            Self::Settings => "settings",
            Self::Vault => "vault",
        }
    }

    /// Whether bytes ride beside its records.
    pub fn has_bytes(self) -> bool {
        matches!(self, Self::Blobs | Self::Postings | Self::Vectors)
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|table| table.name() == name)
    }

    pub fn indexes(self) -> &'static [IndexSpec] {
        const NAMED: &[IndexSpec] = &[index("name", &["name"]), index("updated", &["updated"])];
        const STORYLINES: &[IndexSpec] = &[index("character", &["character"]), index("last_active", &["last_active"])];
        const TURNS: &[IndexSpec] = &[
            index("place", &["branch", "position"]),
            index("storyline", &["storyline"]),
            index("session", &["session"]),
        ];
        const GENERATIONS: &[IndexSpec] = &[
            index("place", &["branch", "position"]),
            index("turn", &["turn"]),
            index("storyline", &["storyline"]),
            index("open", &["open"]),
        ];
        const OF_STORYLINE: &[IndexSpec] = &[index("storyline", &["storyline"])];
        match self {
            Self::Characters | Self::Backgrounds | Self::Presets => NAMED,
            Self::Storylines => STORYLINES,
            Self::Turns => TURNS,
            Self::Generations => GENERATIONS,
            Self::Branches | Self::States | Self::Memories | Self::Due | Self::Postings | Self::Vectors => OF_STORYLINE,
            Self::Blobs | Self::Settings | Self::Vault => &[],
        }
    }
}
