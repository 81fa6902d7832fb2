//! Pictures of a character for each of their feelings, which lie beside the card in a folder of its name (SillyTavern's
//! sprites): they become files of the card, as a card's own expressions are.

use super::{Failed, Fate, Intake};
use crate::{
    exchange::{
        folder::{Why, parent, stem},
        limits::CARD,
        refusal::Refusal,
        sniff::Content,
    },
    story::{
        blob::address,
        character::{Asset, Character},
        picture::look,
    },
};

/// How the paths of those begin that came so.
pub(super) const SPRITES: &str = "sprites/";

impl Intake<'_> {
    /// One is taken once. It is left where its card did not come, and where a card has no room for more.
    pub(super) async fn take_sprite(&mut self, path: &str, bytes: Vec<u8>) -> Result<(), Failed> {
        let who = match self.called.get(parent(path)) {
            Some((id, _)) => self.desk.load::<Character>(id.as_str()).await?,
            None => None,
        };
        let Some(who) = who else {
            self.leave(path, Why::Media);
            return Ok(());
        };
        let kind = look(&bytes).map_err(Refusal::Picture)?.kind.to_owned();
        let file = path.rsplit('/').next().unwrap_or(path);
        let (feeling, place) = (stem(path).to_owned(), format!("{SPRITES}{file}"));
        let sprite = Asset { kind: "emotion".into(), name: feeling.clone(), path: place, blob: address(&bytes) };
        let (what, name) = (Content::Character, format!("{} · {feeling}", who.name));
        if who.assets.iter().any(|asset| (asset.blob == sprite.blob) && asset.name == feeling) {
            self.row(path, Fate::Known { what, name });
            return Ok(());
        }
        if who.assets.len() >= CARD.files {
            self.leave(path, Why::Large);
            return Ok(());
        }
        let id = who.id.clone();
        self.desk
            .change_entry(id.as_str(), [(kind, bytes)], |stored: Option<Character>| {
                let mut who = stored.unwrap_or(who);
                who.assets.retain(|asset| asset.path != sprite.path);
                who.assets.push(sprite);
                who
            })
            .await?;
        self.row(path, Fate::Taken { what, name, warnings: vec![], kept: vec![] });
        Ok(())
    }
}
