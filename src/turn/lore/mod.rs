//! What lore has to say to a turn. Most stories have no lorebook: what looks through them is a part of the page that comes
//! beside the story, and a turn that needs it waits for it.

mod look;
pub(super) mod meaning;

use super::scene::Loaded;
use crate::{
    features::lore::{NAME, timers::Started},
    ports::{Future, Ports},
    store::Stored,
    story::{
        background::Background, character::Character, ids::LorebookId, settings::Preferences, storyline::Storyline,
    },
};

type Look = for<'a> fn(&'a Ports, &'a mut Loaded, Vec<LorebookId>) -> Future<'a, Stored<Vec<Started>>>;

/// Puts into the context of `loaded` what comes up in the turn that it is about to answer. Gives what of it lasts beyond the
/// turn.
///
/// # Errors
/// The store failed. A book that cannot be read costs itself alone.
pub(super) async fn lore(ports: &Ports, loaded: &mut Loaded) -> Stored<Vec<Started>> {
    if loaded.storyline.is_off(&loaded.preset, NAME) {
        return Ok(Vec::new());
    }
    let preferences: Option<Preferences> = ports.store.load(Preferences::ID).await?;
    let Loaded { storyline, character, background, .. } = &*loaded;
    let hung = hung(storyline, [character], background.as_ref(), preferences.as_ref());
    if hung.is_empty() && loaded.character.card.character_book.is_none() {
        return Ok(Vec::new());
    }
    let look = brought(ports).await;
    look(ports, loaded, hung).await
}

/// The books of the library that hang on a story, the nearest to it first: each once.
pub fn hung<'a>(
    storyline: &Storyline,
    cast: impl IntoIterator<Item = &'a Character>,
    background: Option<&Background>,
    preferences: Option<&Preferences>,
) -> Vec<LorebookId> {
    let of_cast = cast.into_iter().flat_map(|character| &character.lorebooks);
    let of_background = background.into_iter().flat_map(|background| &background.lorebooks);
    let of_all = preferences.into_iter().flat_map(|preferences| &preferences.lorebooks);
    let mut books: Vec<LorebookId> = Vec::new();
    for id in storyline.lorebooks.iter().chain(of_cast).chain(of_background).chain(of_all) {
        if !books.contains(id) {
            books.push(id.clone());
        }
    }
    books
}

#[cfg(not(target_arch = "wasm32"))]
async fn brought(_: &Ports) -> Look {
    look::look
}

#[cfg(target_arch = "wasm32")]
use page::brought;
#[cfg(target_arch = "wasm32")]
pub use page::equip;

#[cfg(target_arch = "wasm32")]
mod page {
    use super::{Look, Ports, look::look};
    use crate::turn::brought::{Brought, awaited};

    thread_local! {
        static LOOK: Brought<Look> = const { Brought::new(None) };
    }

    /// Called by the part of the page that brings it, as it comes.
    pub fn equip() {
        LOOK.set(Some(look));
    }

    pub(super) async fn brought(ports: &Ports) -> Look {
        awaited(&LOOK, &*ports.clock).await
    }
}
