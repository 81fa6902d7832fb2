//! The demo: a story that needs no key.

use super::{Desk, Stored};
use crate::{
    prompt::builtin,
    sim::demo::demo,
    store::Batch,
    story::storyline::{Language, Storyline},
    turn::open::{NewStoryline, open_storyline},
};

impl Desk {
    /// Puts the demo's character and background into the library and begins its storyline.
    ///
    /// # Errors
    /// The store failed.
    pub async fn begin_demo(&self, language: Language) -> Stored<Storyline> {
        let ports = &self.ports;
        let mut demo = demo(language);
        let now = ports.clock.now();
        demo.character.id = ports.id();
        demo.background.id = ports.id();
        (demo.character.created, demo.character.updated) = (now, now);
        (demo.background.created, demo.background.updated) = (now, now);
        ports.store.commit(Batch::new().put(&demo.character).put(&demo.background)).await?;
        let new = NewStoryline {
            title: demo.title,
            character: &demo.character,
            background: Some(&demo.background),
            preset: builtin::DEFAULT.into(),
            connection: None,
            user_name: String::new(),
            plays_as: None,
            language,
            demo: true,
        };
        open_storyline(ports, new).await
    }
}
