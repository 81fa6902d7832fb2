//! What a turn has shown of the model that it is played with, and the connection that it teaches.

use crate::{
    ports::Store,
    prompt::tokens::Calibration,
    story::{connection::Connection, generation::Generation, settings::Connections},
};

pub(super) struct Learned {
    /// As it was asked for: many a provider answers in another name.
    pub model: String,
    /// A whole prompt: its tokens as they are estimated, and as they were counted.
    pub counted: Option<(u32, u32)>,
    /// Prompt and reply together, as the provider said when it refused a prompt for its length; 0 = it did not.
    pub takes: u32,
}

impl Learned {
    /// Teaches the connection. A demo's is none of the list, and one may have been deleted or given another model meanwhile.
    /// No turn fails for it.
    pub async fn teach(self, store: &dyn Store, generation: &Generation) {
        let Learned { model, counted, takes } = self;
        let Some(id) = &generation.connection else { return };
        if counted.is_none() && takes == 0 {
            return;
        }
        let same = |connection: &&mut Connection| connection.id == *id && connection.model == model;
        let learn = |connections: &mut Connections| {
            let Some(connection) = connections.list.iter_mut().find(same) else { return };
            if let Some((estimated, counted)) = counted {
                Calibration::of(connection).learn(estimated, counted).store(connection);
            }
            connection.context_tokens = connection.takes(takes);
        };
        let _ = store.change(Connections::ID, learn).await;
    }
}
