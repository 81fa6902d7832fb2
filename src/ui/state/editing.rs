//! What of a turn is being reworded.

use crate::story::ids::GenerationId;

#[derive(Clone, PartialEq)]
pub enum Editing {
    User,
    Reply(GenerationId),
}
