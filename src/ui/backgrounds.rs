//! The background library.

use leptos::prelude::*;

pub use super::background_editor::BackgroundEditor;
use super::{
    app::App,
    background_editor::FIELDS,
    features::events::EventsEditor,
    library::{self, Entry, Form, Group, Opened, Words},
    lorebooks::HungOn,
    route::Route,
};
use crate::{
    exchange::{background, json, limits::JSON_BYTES, refusal::Refusal},
    locales::{Saying, T},
    story::{Extra, Millis, background::Background, ids::BlobId, storyline::Storyline},
};

#[component]
pub fn Backgrounds() -> impl IntoView {
    library::page::<Background>()
}

impl Entry for Background {
    const KIND: &'static str = "background";
    const WORDS: Words =
        Words { title: T::Backgrounds, new: T::NewBackground, edit: T::EditBackground, none: T::NoBackgrounds };
    const GROUPS: &'static [Group<Self>] = FIELDS;
    const HAS_FACE: bool = false;

    fn name(&self) -> &str {
        &self.name
    }

    fn line(&self) -> &str {
        [&self.description, &self.world_setting, &self.initial_context]
            .into_iter()
            .find(|text| !text.trim().is_empty())
            .map_or("", String::as_str)
    }

    fn face(&self) -> Option<BlobId> {
        None
    }

    fn small_face(&self) -> Option<BlobId> {
        None
    }

    fn set_name(&mut self, name: String) {
        self.name = name;
    }

    fn set_face(&mut self, _: Option<BlobId>, _: Option<BlobId>) {}

    fn stamp(&mut self, fresh: Option<String>, now: Millis) {
        if let Some(id) = fresh {
            self.id = id.into();
            self.created = now;
        }
        self.updated = now;
    }

    fn created(&self) -> Millis {
        self.created
    }

    fn updated(&self) -> Millis {
        self.updated
    }

    fn below(key: &str) -> AnyView {
        view! {
            {<Self as HungOn>::below(key)}
            <EventsEditor id=key.into() />
        }
        .into_any()
    }

    fn fields(&self) -> &Extra {
        &self.extra
    }

    fn fields_mut(&mut self) -> &mut Extra {
        &mut self.extra
    }

    fn is_used_by(&self, storyline: &Storyline) -> bool {
        storyline.background.as_ref() == Some(&self.id)
    }

    fn library(app: App) -> RwSignal<Vec<Self>> {
        app.backgrounds
    }

    fn place() -> Route {
        Route::Backgrounds
    }

    fn desk(id: Option<&str>) -> Route {
        Route::Background(id.map(Into::into))
    }

    const ACCEPTS: &'static str = ".json,application/json";

    fn most(_: &[u8]) -> u64 {
        JSON_BYTES
    }

    fn open(bytes: Vec<u8>) -> Result<Opened<Self>, Refusal> {
        let (entry, warnings) = background::read(&json::text_of(bytes)?)?;
        Ok(Opened { entry, face: None, files: Vec::new(), warnings })
    }

    const FORMS: &'static [Form] =
        &[Form { name: "json", label: T::Export, hint: T::Export, ending: "json", kind: "application/json" }];

    async fn pack(self, _: App, _: &'static Form) -> Result<Vec<u8>, Saying> {
        Ok(background::write(&self).into_bytes())
    }
}
