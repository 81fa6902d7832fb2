//! What a person does at the cradle: a character is laid into it, fed, slowed, woken, taken back (`features::cradle`).

use super::{Desk, Stored, library::with_pictures};
use crate::{
    exchange::names::tidy_name,
    features::cradle::{Cradle, DAYS, Feed, Kind, MOST_DAYS, let_in, pieces, take_back},
    prompt::tokens::estimate,
    story::{
        Millis,
        blob::{Blob, address},
        character::Character,
        fault::Fault,
        ids::CharacterId,
        storyline::Language,
    },
    turn::cradle::amend,
};

impl Desk {
    /// A new character that is to grow.
    ///
    /// # Errors
    /// The store failed.
    pub async fn lay_in_cradle(&self, name: &str, language: Language) -> Stored<CharacterId> {
        let now = self.ports.clock.now();
        let (name, _) = tidy_name(name);
        let mut character = Character { id: self.ports.id(), name, created: now, updated: now, ..Character::default() };
        Cradle { language, days: DAYS, ..Cradle::default() }.keep(&mut character);
        self.put_entry(&character, []).await?;
        Ok(character.id)
    }

    /// Feeds it a text. False where there is nothing in it.
    ///
    /// # Errors
    /// The store failed: it is not fed.
    pub async fn feed(&self, id: &CharacterId, kind: Kind, title: &str, text: &str) -> Result<bool, Fault> {
        let count = pieces(text).len() as u32;
        if count == 0 {
            return Ok(false);
        }
        let bytes = text.as_bytes().to_vec();
        let feed = Feed {
            id: self.ports.id(),
            kind,
            title: title.trim().to_owned(),
            blob: address(&bytes),
            fed: self.ports.clock.now(),
            pieces: count,
            tokens: estimate(text),
            ..Feed::default()
        };
        self.ports.store.commit(with_pictures([(Blob::OTHER.to_owned(), bytes)])).await?;
        amend(&self.ports, id, |cradle| cradle.feed(feed)).await?;
        Ok(true)
    }

    /// Whether something of it is due that is done without being asked for, as it is by now: another tab may have begun it.
    ///
    /// # Errors
    /// The store failed.
    pub async fn is_due(&self, id: &CharacterId) -> Stored<bool> {
        let now = self.ports.clock.now();
        let character = self.ports.store.load::<Character>(id.as_str()).await?;
        let cradle = character.as_ref().and_then(Cradle::of).filter(|cradle| cradle.due(now).is_some());
        Ok(cradle.is_some_and(|cradle| cradle.missed.is_none_or(|missed| missed.is_over(now))))
    }

    /// Takes the newest of so many steps back: where there are more or fewer by now, none.
    ///
    /// # Errors
    /// The store failed: it is as it was.
    pub async fn take_step_back(&self, id: &CharacterId, of: usize) -> Stored<()> {
        let now = self.ports.clock.now();
        let back = |character: &mut Character| {
            if take_back(character, of) {
                character.updated = now;
            }
        };
        self.amend_entry(id.as_str(), back).await
    }

    /// Lets in now what was looked at ahead at that time, where it still holds.
    ///
    /// # Errors
    /// The store failed: it is as it was.
    pub async fn let_in_ahead(&self, id: &CharacterId, of: Millis) -> Stored<()> {
        let now = self.ports.clock.now();
        let by = |character: &mut Character| {
            if let_in(character, of, now) {
                character.updated = now;
            }
        };
        self.amend_entry(id.as_str(), by).await
    }

    /// Over how many days it grows.
    ///
    /// # Errors
    /// The store failed: it is as it was.
    pub async fn grow_over(&self, id: &CharacterId, days: u32) -> Result<(), Fault> {
        amend(&self.ports, id, |cradle| cradle.days = days.min(MOST_DAYS)).await
    }
}
