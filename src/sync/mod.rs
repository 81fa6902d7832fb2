//! The same library on all of a reader's devices, through storage that they have already: no server of ours, and nobody
//! but they can read it.
//!
//! - **Facts** ([`fact`]): what a device tells the others of a record, with a stamp. Of two that speak of the same, the newer
//!   stays; in whatever order they come, all devices come to the same. What stands on a shelf is told field by field
//!   ([`fields`]), what belongs to a story whole.
//! - **The tree** goes without its branches ([`places`], [`story`]): a turn names the turn before it and the reply there that
//!   it goes on from. Who played offline on two devices finds both futures in the tree, and nothing that stands is moved.
//! - **Books** ([`books`]): what has changed here since it was told (noted by the store, in the commit of the change), what
//!   was heard, what waits.
//! - **A round** ([`round`]): hear, take in ([`hear`]), tell ([`tell`]). Cut off anywhere, it leaves both sides whole.
//! - **Bytes** ([`bytes`]): pictures and vectors lie in files of their own, and come when they are seen, or by and by.
//! - **Ahead** ([`ahead`]): the newest pages of a story are to be read while the rest of it is on its way.
//!
//! What never leaves: keys, connections, consents, how a page looks, what calls have cost, what a model was told. (Of the
//! settings those travel that a table names as shared.)

mod ahead;
mod books;
mod bytes;
mod fact;
mod fields;
mod hear;
mod inbox;
mod log;
mod places;
mod remote;
mod round;
pub mod sealing;
mod shelf;
mod site;
mod story;
mod tell;

pub use self::{
    ahead::{Coming, Page},
    books::{Known, Mark, Me, Older, Waiting, older, to_tell},
    bytes::{Elsewhere, see},
    fact::{Fact, Pack, Says, Stamp},
    hear::{MayWrite, News},
    remote::{Listed, Remote, Seal, Trouble, wipe},
    round::{How, Report, begin, round},
    site::{Kind, Lacks, Site},
};
