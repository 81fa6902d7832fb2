//! The story's mind in the notebook, as of the newest turn of the path: what the panels of features share.

mod head;
mod parts;

pub use self::{
    head::{FaultOf, Mind, Place},
    parts::{Switch, TurnLink, by_hand_words, kind_word},
};
