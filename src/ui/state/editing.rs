//! What of a turn is being reworded, or what is made of it.

use crate::story::ids::GenerationId;

#[derive(Clone, PartialEq)]
pub enum Editing {
    User,
    Reply(GenerationId),
    /// An entry of a lorebook, out of what is selected in it.
    Lore,
}
