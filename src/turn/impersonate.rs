//! The reader's next words, written for them to be said or changed (`features::impersonate`). Nothing is stored of it but
//! what it cost.

use super::{
    budget::Leave,
    group, meter,
    play::Conductor,
    scene,
    stream::{self, Stop},
    wire,
};
use crate::{
    features::{
        impersonate::{ANSWER, Told, read, request},
        transcript::newest,
    },
    prompt::tokens::{Calibration, PER_MESSAGE, estimate},
    provider,
    story::{fault::Fault, ids::StorylineId, spending::Kind},
};

/// Turns that are told, and their tokens at most, however much the model takes.
const TURNS: u32 = 40;
const STORY: u32 = 6_000;

impl Conductor {
    /// What the reader might say next; `hint`: what they would like to happen, or nothing. `None`: the answer has none of
    /// their words.
    ///
    /// # Errors
    /// The story is another tab's or cannot be read, or the model cannot be asked.
    pub async fn impersonate(&self, id: &StorylineId, hint: &str, stop: Stop) -> Result<Option<String>, Fault> {
        self.own(id)?;
        let store = &*self.ports.store;
        let storyline = self.storyline(id).await?;
        Leave::ask(&self.ports, &storyline, Kind::Chat).await?;
        let mut connection = scene::connection(store, &storyline).await?;
        let character = group::own(store, &storyline).await?;
        let persona = scene::plays_as(store, &storyline).await.unwrap_or_default();
        let voices = group::voices(store, &storyline, &character.name).await?;
        let path = scene::path(store, &storyline).await?;
        let nodes = scene::told(store, &path, path.end.saturating_sub(TURNS), path.end).await?;
        let reader = storyline.reader();
        let mut told = Told {
            reader,
            persona: &persona.description,
            character: &character.name,
            description: &character.card.description,
            story: "",
            hint,
        };
        let rest: u32 = request(&told).iter().map(|message| estimate(&message.content) + PER_MESSAGE).sum();
        let room = Calibration::of(&connection).unscale(scene::budget(&connection)).saturating_sub(rest).min(STORY);
        let newest = newest(&nodes, &voices, reader, room);
        told.story = &newest;
        let messages = request(&told);
        let most = connection.sampling.max_tokens.map_or(ANSWER, |most| most.min(ANSWER));
        provider::briefly(&mut connection, most);
        let purpose = meter::purpose(Kind::Chat, &storyline);
        let said = async {
            let wire = wire::Wire::unlocked(&self.ports, &connection, &messages, purpose).await?;
            stream::aside(&self.ports, wire, stop).await
        };
        let said = said.await;
        meter::book(&self.ports).await;
        let others: Vec<&str> = voices.others.values().chain([&voices.own]).map(String::as_str).collect();
        let words = read(&said?.text, reader, &others);
        Ok((!words.is_empty()).then_some(words))
    }
}
