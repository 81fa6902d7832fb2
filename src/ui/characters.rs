//! The character library.

use leptos::prelude::*;

use super::{
    app::App,
    character_editor::FIELDS,
    features::recap::RecapGroup,
    library::{self, Entry, Group, Words},
    lorebooks::HungOn,
    next_step::NextStep,
    route::Route,
};
use crate::{
    desk::Stored,
    exchange::{
        character,
        picture::Picture,
        refusal::{Refusal, Warning},
    },
    locales::T,
    story::{Millis, character::Character, ids::BlobId, set_up::Step, storyline::Storyline},
};

#[component]
pub fn Characters() -> impl IntoView {
    library::page::<Character>()
}

impl Entry for Character {
    const KIND: &'static str = "character";
    const WORDS: Words =
        Words { title: T::Characters, new: T::NewCharacter, edit: T::EditCharacter, none: T::NoCharacters };
    const GROUPS: &'static [Group<Self>] = FIELDS;
    const HAS_FACE: bool = true;

    fn lead() -> AnyView {
        view! { <NextStep after=Step::Character /> }.into_any()
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn line(&self) -> &str {
        [&self.card.description, &self.card.personality, &self.card.scenario]
            .into_iter()
            .find(|text| !text.trim().is_empty())
            .map_or("", String::as_str)
    }

    fn face(&self) -> Option<BlobId> {
        self.avatar.clone()
    }

    fn small_face(&self) -> Option<BlobId> {
        self.thumbnail.clone()
    }

    fn set_name(&mut self, name: String) {
        self.name = name;
    }

    fn set_face(&mut self, face: Option<BlobId>, small: Option<BlobId>) {
        (self.avatar, self.thumbnail) = (face, small);
    }

    fn stamp(&mut self, fresh: Option<String>, now: Millis) {
        if let Some(id) = fresh {
            self.id = id.into();
            self.created = now;
        }
        self.updated = now;
    }

    fn updated(&self) -> Millis {
        self.updated
    }

    fn is_used_by(&self, storyline: &Storyline) -> bool {
        storyline.cast.contains(&self.id)
    }

    fn library(app: App) -> RwSignal<Vec<Self>> {
        app.characters
    }

    fn place() -> Route {
        Route::Characters
    }

    fn desk(id: Option<&str>) -> Route {
        Route::Character(id.map(Into::into))
    }

    fn below(key: &str) -> AnyView {
        view! {
            {<Self as HungOn>::below(key)}
            <RecapGroup id=key.into() />
        }
        .into_any()
    }

    async fn packed(self, app: App) -> Stored<Self> {
        app.desk().with_book(self).await
    }

    fn read(text: &str) -> Result<(Self, Option<Picture>, Vec<Warning>), Refusal> {
        let (imported, warnings) = character::read(text)?;
        Ok((imported.character, imported.avatar, warnings))
    }

    fn write(&self, face: Option<(&str, &[u8])>) -> String {
        character::write(self, face)
    }
}
