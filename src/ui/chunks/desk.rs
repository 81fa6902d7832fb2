//! What is not needed to read and to answer: libraries, settings, editors, files, the panels of the notebook.

use leptos::prelude::*;
use web_sys::File;

use super::Doing;
use crate::{
    story::{ids::StorylineId, storyline::Storyline},
    ui::{
        app::App,
        archive::{self, Importing},
        backgrounds::{BackgroundEditor, Backgrounds},
        character_editor::CharacterEditor,
        characters::Characters,
        inspector::Inspector,
        library::{purge_bin, storylines},
        memory::MemoryPanel,
        mind::{PersonaPanel, PlotPanel, WorldPanel},
        new_story::NewStory,
        notebook::Tab,
        presets::{PresetEditor, Presets},
        route::Route,
        search::Search,
        settings::Settings,
        story::change_story_of,
        tree::TreePanel,
    },
    web::llm,
};

/// A change of a storyline's record.
pub type Change = Box<dyn FnOnce(&mut Storyline)>;

#[derive(Clone, Copy)]
pub struct Desk {
    /// The page of a route.
    pub page: fn(Route) -> AnyView,
    /// A panel of the notebook.
    pub panel: fn(Tab) -> AnyView,
    pub change: fn(App, StorylineId, Change) -> Doing<bool>,
    pub export: fn(App, StorylineId) -> Doing,
    /// The same up to a save point, by its id and its name.
    pub export_point: fn(App, StorylineId, String, String) -> Doing,
    pub duplicate: fn(App, StorylineId) -> Doing,
    pub discard: fn(App, Storyline) -> Doing,
    /// Takes in each file that it is given, with its questions and refusals in their place.
    pub import: fn(RwSignal<Option<File>, LocalStorage>) -> AnyView,
    pub recover_import: fn(App) -> Doing,
    pub purge_bin: fn(App) -> Doing,
}

impl Desk {
    pub fn entrances() -> Self {
        llm::equip();
        Self {
            page,
            panel,
            change: |app, id, change| Box::pin(async move { change_story_of(app, &id, change).await }),
            export: |app, id| Box::pin(archive::export_storyline(app, id)),
            export_point: |app, id, point, name| Box::pin(archive::export_point(app, id, point, name)),
            duplicate: |app, id| Box::pin(archive::duplicate_storyline(app, id)),
            discard: |app, storyline| Box::pin(storylines::discard(app, storyline)),
            import: |file| view! { <Importing file /> }.into_any(),
            recover_import: |app| Box::pin(archive::recover_import(app)),
            purge_bin: |app| Box::pin(purge_bin(app)),
        }
    }
}

fn page(route: Route) -> AnyView {
    match route {
        Route::NewStory => view! { <NewStory /> }.into_any(),
        Route::Characters => view! { <Characters /> }.into_any(),
        Route::Character(id) => view! { <CharacterEditor id /> }.into_any(),
        Route::Backgrounds => view! { <Backgrounds /> }.into_any(),
        Route::Background(id) => view! { <BackgroundEditor id /> }.into_any(),
        Route::Presets => view! { <Presets /> }.into_any(),
        Route::Preset(id) => view! { <PresetEditor id /> }.into_any(),
        Route::Settings => view! { <Settings /> }.into_any(),
        Route::Search(words) => view! { <Search words /> }.into_any(),
        // These are the shell's own.
        Route::Home | Route::Story(_) => ().into_any(),
    }
}

fn panel(tab: Tab) -> AnyView {
    match tab {
        Tab::Persona => view! { <PersonaPanel /> }.into_any(),
        Tab::Plot => view! { <PlotPanel /> }.into_any(),
        Tab::World => view! { <WorldPanel /> }.into_any(),
        Tab::Memory => view! { <MemoryPanel /> }.into_any(),
        Tab::Tree => view! { <TreePanel /> }.into_any(),
        Tab::Prompt => view! { <Inspector /> }.into_any(),
        // It stands open beside the story.
        Tab::Story => ().into_any(),
    }
}
