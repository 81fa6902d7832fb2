//! Hash routing: links survive a hard reload in any static folder.

use std::{cell::RefCell, rc::Rc};

use js_sys::{decode_uri_component, encode_uri_component};
use leptos::prelude::*;
use wasm_bindgen::prelude::*;

use super::focus::finish_field;
use crate::{
    story::ids::{BackgroundId, CharacterId, LorebookId, PresetId, ReaderPersonaId, StorylineId},
    web::{log_in, window},
};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Route {
    /// The last story, or the welcome.
    #[default]
    Home,
    Story(StorylineId),
    NewStory,
    Characters,
    /// `None`: a new one.
    Character(Option<CharacterId>),
    Backgrounds,
    Background(Option<BackgroundId>),
    Lorebooks,
    Lorebook(Option<LorebookId>),
    Presets,
    Preset(PresetId),
    Personas,
    Persona(Option<ReaderPersonaId>),
    /// Characters that grow; with one of them that one.
    Cradle(Option<CharacterId>),
    Circle,
    Tools,
    Settings,
    /// With the words that are looked for.
    Search(String),
}

impl Route {
    pub fn hash(&self) -> String {
        match self {
            Self::Home => "#/".into(),
            Self::Story(id) => format!("#/story/{id}"),
            Self::NewStory => "#/new".into(),
            Self::Characters => "#/characters".into(),
            Self::Character(id) => format!("#/character/{}", id.as_ref().map_or("new", |id| id.as_str())),
            Self::Backgrounds => "#/backgrounds".into(),
            Self::Background(id) => format!("#/background/{}", id.as_ref().map_or("new", |id| id.as_str())),
            Self::Lorebooks => "#/lorebooks".into(),
            Self::Lorebook(id) => format!("#/lorebook/{}", id.as_ref().map_or("new", |id| id.as_str())),
            Self::Presets => "#/presets".into(),
            Self::Preset(id) => format!("#/preset/{id}"),
            Self::Personas => "#/personas".into(),
            Self::Persona(id) => format!("#/persona/{}", id.as_ref().map_or("new", |id| id.as_str())),
            Self::Cradle(id) => format!("#/cradle/{}", id.as_ref().map_or("", |id| id.as_str())),
            Self::Circle => "#/circle".into(),
            Self::Tools => "#/tools".into(),
            Self::Settings => "#/settings".into(),
            Self::Search(words) if words.is_empty() => "#/search".into(),
            Self::Search(words) => format!("#/search/{}", encode_uri_component(words)),
        }
    }

    pub fn from_hash(hash: &str) -> Self {
        let path = hash.trim_start_matches('#').trim_start_matches('/');
        let (head, id) = path.split_once('/').unwrap_or((path, ""));
        match (head, id) {
            ("story", id) if !id.is_empty() => Self::Story(id.into()),
            ("new", _) => Self::NewStory,
            ("characters", _) => Self::Characters,
            ("character", "new") => Self::Character(None),
            ("character", id) if !id.is_empty() => Self::Character(Some(id.into())),
            ("backgrounds", _) => Self::Backgrounds,
            ("background", "new") => Self::Background(None),
            ("background", id) if !id.is_empty() => Self::Background(Some(id.into())),
            ("lorebooks", _) => Self::Lorebooks,
            ("lorebook", "new") => Self::Lorebook(None),
            ("lorebook", id) if !id.is_empty() => Self::Lorebook(Some(id.into())),
            ("presets", _) => Self::Presets,
            ("preset", id) if !id.is_empty() => Self::Preset(id.into()),
            ("personas", _) => Self::Personas,
            ("persona", "new") => Self::Persona(None),
            ("persona", id) if !id.is_empty() => Self::Persona(Some(id.into())),
            ("cradle", id) => Self::Cradle((!id.is_empty()).then(|| id.into())),
            ("circle", _) => Self::Circle,
            ("tools", _) => Self::Tools,
            ("settings", _) => Self::Settings,
            // Not every address was made here: what is no encoding is taken as it stands.
            ("search", words) => {
                Self::Search(decode_uri_component(words).map_or_else(|_| words.to_owned(), String::from))
            }
            _ => Self::Home,
        }
    }

    /// Puts the address right where only a part of the same place has changed: no step for the way back.
    pub fn note(&self) {
        // Without it the address is that of the place before.
        let _ = window().history().and_then(|history| {
            let step = history.state().unwrap_or_default();
            history.replace_state_with_url(&step, "", Some(&self.hash()))
        });
    }

    pub fn current() -> Self {
        // It began in the settings.
        if log_in::is_back() {
            return Self::Settings;
        }
        Self::from_hash(&window().location().hash().unwrap_or_default())
    }
}

/// Asked when the address has changed; true keeps the page where it is.
pub type Guard = Rc<dyn Fn() -> bool>;

thread_local! {
    /// Several forms may be open at once.
    static GUARDS: RefCell<Vec<Guard>> = const { RefCell::new(Vec::new()) };
}

/// From now on `guard` is asked at every change of the address.
pub fn set_guard(guard: Guard) {
    GUARDS.with_borrow_mut(|guards| guards.push(guard));
}

/// Asks it no more.
pub fn drop_guard(guard: &Guard) {
    GUARDS.with_borrow_mut(|guards| guards.retain(|other| !Rc::ptr_eq(other, guard)));
}

/// Follows the address; the signal changes with it.
pub fn follow() -> RwSignal<Route> {
    let route = RwSignal::new(Route::current());
    let changed = Closure::<dyn Fn()>::new(move || {
        // What is typed belongs to the place before.
        finish_field();
        let guards = GUARDS.with_borrow(Clone::clone);
        // The one that was opened last asks first, and alone.
        if !guards.iter().rev().any(|guard| guard()) {
            route.set(Route::current());
        }
    });
    window().add_event_listener_with_callback("hashchange", changed.as_ref().unchecked_ref()).expect("windows listen");
    // It lives as long as the page.
    changed.forget();
    route
}
