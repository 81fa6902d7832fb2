//! The storage vocabulary: which tables there are, how records are named, asked for and written, and how a record is
//! read. Pure, and below all else: what lies in the tables is said by `story`, who keeps them by `ports`.

mod batch;
pub mod changed;
mod describe;
mod doc;
pub mod due;
mod error;
pub mod field;
mod generations_accounts;
mod key;
mod query;
mod read;
mod record;
mod states_0_to_1;
mod storylines_0_to_1;
mod tables;
mod tagged;
pub mod version;

pub use batch::{Batch, Durability, Op};
pub use describe::{Belongs, Description, Hangs, Id, IndexSpec, Joins, Keeps, More, Of};
pub use doc::Doc;
pub use error::{StoreError, Stored};
pub use key::Key;
pub use query::Query;
pub(crate) use record::record;
pub use record::{Record, decode, from_text, from_value, salvage, unsound_field};
pub use tables::{Part, SUMMARISE, Table, UNSENT};
pub(crate) use tagged::tagged;
pub use tagged::{by_tag, put_tag};
