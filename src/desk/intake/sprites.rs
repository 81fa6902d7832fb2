//! Pictures of a character for each of their feelings, which lie beside the card in a folder of its name (SillyTavern's
//! sprites): they become files of the card, as a card's own expressions are.

use super::{Failed, Fate, Intake, entries::Card};
use crate::{
    desk::gallery::{has_room, named},
    exchange::{folder::Why, refusal::Refusal, sniff::Content},
    story::{
        character::{Asset, Character},
        ids::CharacterId,
        picture::look,
    },
};

/// Bytes of the sprites of a card: what it goes out as is read here again.
const MOST_BYTES: usize = 64 << 20;

/// Whose sprites lie in a folder, and how many bytes of them came.
pub(super) struct Whose {
    id: CharacterId,
    bytes: usize,
}

impl Intake<'_> {
    /// A card lies there. Of two that are one here only the first has its sprites: theirs would push each other out.
    pub(super) fn stands_beside(&mut self, path: &str, id: CharacterId) {
        let folder = path.rsplit_once('.').map_or(path, |(folder, _)| folder).to_owned();
        if self.beside.values().all(|whose| whose.id != id) {
            self.beside.insert(folder, Whose { id, bytes: 0 });
        }
    }

    /// One is taken once. It is left where its card did not come, and where a card has no room for more.
    pub(super) async fn take_sprite(&mut self, path: &str, bytes: Vec<u8>) -> Result<(), Failed> {
        let (folder, file) = path.rsplit_once('/').unwrap_or_default();
        let (who, before) = match self.beside.get(folder) {
            Some(whose) => (self.desk.load::<Character>(whose.id.as_str()).await?, whose.bytes),
            None => (None, 0),
        };
        let Some(mut who) = who else {
            // A heap of cards may be sorted into folders.
            match Card::open(bytes, self.pictures).await {
                Ok(card) => return self.take_character(path, card).await,
                Err(_) => self.leave(path, Why::Media),
            }
            return Ok(());
        };
        let kind = look(&bytes).map_err(Refusal::Picture)?.kind.to_owned();
        let sprite = named(&who, file, &bytes);
        let (what, name) = (Content::Character, format!("{} · {}", who.name, sprite.name));
        if who.assets.contains(&sprite) {
            self.row(path, Fate::Known { what, name });
            return Ok(());
        }
        let size = bytes.len();
        put(&mut who, sprite.clone());
        if before + size > MOST_BYTES || !has_room(&who) {
            self.leave(path, Why::Large);
            return Ok(());
        }
        let id = who.id.clone();
        self.desk
            .change_entry(id.as_str(), [(kind, bytes)], |stored: Option<Character>| {
                let Some(mut stored) = stored else { return who };
                put(&mut stored, sprite);
                stored
            })
            .await?;
        if let Some(whose) = self.beside.get_mut(folder) {
            whose.bytes += size;
        }
        self.row(path, Fate::Taken { what, name, warnings: vec![], kept: vec![] });
        Ok(())
    }
}

/// Puts one in, in the place of the one before.
fn put(who: &mut Character, sprite: Asset) {
    who.assets.retain(|asset| asset.path != sprite.path);
    who.assets.push(sprite);
}
