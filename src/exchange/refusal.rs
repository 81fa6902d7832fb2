//! Why a file was not taken, and what was changed in one that was.

use super::{
    archive::{Damage, Mended},
    sniff::{Content, FileKind},
};
use crate::story::picture;

/// The file is not taken, and nothing of it. The English is for logs; the page has its own words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("not JSON: line {line}, column {column}: {message}")]
    NotJson { line: usize, column: usize, message: String },
    /// Not UTF-8.
    #[error("not text")]
    NotText,
    #[error("nested too deeply")]
    TooDeep,
    #[error("too large: {bytes} bytes or more, {limit} are allowed")]
    TooLarge { bytes: u64, limit: u64 },
    #[error("more than {limit} records")]
    TooMany { limit: u64 },
    /// Not an archive, or not the text that was expected.
    #[error("not a file of this kind: {0:?}")]
    NotFabula(FileKind),
    /// No picture that can be shown, where one is wanted.
    #[error("not a picture: {0:?}")]
    Picture(picture::Fault),
    /// A picture or ZIP that could carry a card, and carries none.
    #[error("no card in this {0:?}")]
    NoCard(FileKind),
    /// Good JSON, but of something else.
    #[error("not a {wanted:?} but {found:?}")]
    Unrecognised { wanted: Content, found: Content },
    /// The browser could not read it: it was moved meanwhile, or may not be read.
    #[error("unreadable: {0}")]
    Unreadable(String),
    /// The end is missing.
    #[error("the file is cut short")]
    Truncated,
    #[error("damaged: {0}")]
    Damaged(String),
    /// A record of an archive is not as it should be.
    #[error("damaged: {0}")]
    Record(Box<Damage>),
    /// Written by a newer version of the program.
    #[error("format {file} is newer than {known}, the newest that this program knows")]
    Newer { file: u32, known: u32 },
    /// Grows out of all proportion when unpacked.
    #[error("{compressed} compressed bytes became {decompressed}")]
    Bomb { compressed: u64, decompressed: u64 },
}

/// The file was taken; this is what the reader of the story may want to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Warning {
    /// A card of a newer specification: known fields are used, the others kept.
    NewerCard {
        spec: String,
        version: String,
    },
    NoName,
    NameCleaned {
        /// Invisible and control characters that were taken out.
        removed: usize,
        /// Line breaks became spaces.
        joined_lines: bool,
        /// Its length, where it was cut.
        cut_from: Option<usize>,
    },
    /// A value of an unexpected type; it stays in the original and goes out again with an export.
    FieldIgnored {
        field: String,
    },
    PictureLeftOut(PictureFault),
    /// Files that a card names.
    AssetsLeftOut {
        why: Missing,
        count: usize,
    },
    /// The picture of this character, by its name, in an archive.
    FaceLeftOut {
        character: String,
        fault: picture::Fault,
    },
    /// The numbers of the outline were not 1, 2, 3 …; its points are now numbered in their order.
    OutlineRenumbered,
    /// Lines of a conversation that are none of its messages.
    LinesSkipped {
        count: usize,
    },
    /// Further conversations of a file, of which the longest is taken.
    ChatsLeftOut {
        count: usize,
    },
    /// Messages of a conversation that their program did not tell the model. A turn of such alone is taken out here, too.
    HiddenThere {
        count: usize,
    },
    /// A template that marks turns for a model that is given one text: kept, and not used.
    InstructKept,
    /// Prompts that ask conditions which their program alone knows: they are off.
    ConditionsOff {
        count: usize,
    },
    /// Items of a list that are none of what is looked for.
    ItemsLeftOut {
        count: usize,
    },
    /// Entries of a lorebook that are none.
    EntriesLeftOut {
        count: usize,
    },
    /// Regex scripts whose pattern cannot be used here.
    ScriptsBroken {
        count: usize,
    },
    /// Regex scripts with macros that nothing is put in for.
    MacrosStay {
        count: usize,
    },
    /// Quick replies that would also do something of themselves: here they wait to be pressed.
    ByHandOnly {
        count: usize,
    },
    /// Entries of a lorebook that are told where a prompt asks for them by name, which none here does: they are off.
    OutletsOff {
        count: usize,
    },
    /// A storyline, by its name, whose character is not in the file.
    MissingCharacter {
        storyline: String,
        character: String,
    },
    /// A storyline of a library that cannot be played. The others are whole.
    BrokenStoryline {
        storyline: String,
        why: Box<Damage>,
    },
    /// What was set right in a storyline, in so many places.
    Mended {
        storyline: String,
        what: Mended,
        count: u64,
    },
}

impl From<Damage> for Refusal {
    fn from(damage: Damage) -> Self {
        Self::Record(Box::new(damage))
    }
}

/// Why a file of a card was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// It is elsewhere on the network; nothing is fetched.
    Remote,
    /// It is not where the card says.
    Absent,
    Large,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PictureFault {
    /// The file names a picture that is not in it.
    NotIncluded(String),
    /// The picture is elsewhere on the network; nothing is fetched.
    Remote(String),
    /// It is not one, or none that can be shown.
    Unfit(picture::Fault),
}

impl From<picture::Fault> for PictureFault {
    fn from(fault: picture::Fault) -> Self {
        Self::Unfit(fault)
    }
}
