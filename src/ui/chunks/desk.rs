//! What is not needed to read and to answer: libraries, settings, editors, files, the panels of the notebook.

use leptos::{prelude::*, task::spawn_local};

use super::Desk;
use crate::{
    story::ids::StorylineId,
    ui::{
        app::App,
        archive::{self, Importing},
        backgrounds::{BackgroundEditor, Backgrounds},
        character_editor::CharacterEditor,
        characters::Characters,
        circle::{self, CirclePage},
        costs::StoryCosts,
        cradle::{self, CradlePage, Cradles},
        devices, elsewhere,
        features::{
            director::PlotPanel, group::GroupForm, lore::LoreForm, persona::PersonaPanel, recap, scribe, sheet,
            world::WorldPanel,
        },
        inspector::Inspector,
        library::{purge_bin, storylines},
        lorebooks::{ChosenForm, LorebookEditor, Lorebooks},
        memory::MemoryPanel,
        new_story::NewStory,
        now::NowPanel,
        offline,
        personas::{PersonaEditor, Personas},
        presets::{PresetEditor, Presets},
        route::Route,
        search::Search,
        settings::Settings,
        state::Tab,
        storyline_editor::StorylineEditor,
        tools::Tools,
        tree::TreePanel,
    },
    web::llm,
};

impl Desk {
    pub fn entrances() -> Self {
        llm::equip();
        Self {
            page,
            panel,
            not_here: |id| view! { <devices::NotHere id /> }.into_any(),
            arriving: || view! { <devices::Arriving /> }.into_any(),
            see: |app, id| Box::pin(devices::see(app, id)),
            storyline_editor: |record, editing| view! { <StorylineEditor record editing /> }.into_any(),
            export: |app, id| Box::pin(archive::export_storyline(app, id)),
            export_point: |app, id, point, name| Box::pin(archive::export_point(app, id, point, name)),
            duplicate: |app, id| Box::pin(archive::duplicate_storyline(app, id)),
            discard: |app, storyline| Box::pin(storylines::discard(app, storyline)),
            import: |given| view! { <Importing given elsewhere=elsewhere::take /> }.into_any(),
            recover_import: |app| Box::pin(archive::recover_import(app)),
            look_after: |app| {
                Box::pin(async move {
                    cradle::rock(app);
                    circle::go_round(app);
                    devices::follow(app);
                    spawn_local(async move {
                        devices::heard(app).await;
                        purge_bin(app).await;
                    });
                    offline::follow(app).await;
                })
            },
            scribe: |app, id, asked| Box::pin(scribe::read(app, id, asked)),
            write_texts: |app, id| Box::pin(write_due(app, id)),
            write_text: |app, id, text| Box::pin(sheet::write_asked(app, id, text)),
            group_form: || view! { <GroupForm /> }.into_any(),
            sheet_form: || view! { <sheet::SheetForm /> }.into_any(),
            story_costs: || view! { <StoryCosts /> }.into_any(),
            lore_form: || view! { <LoreForm /> }.into_any(),
            lore_entry: |node, editing| view! { <ChosenForm node editing /> }.into_any(),
            scribe_form: || view! { <scribe::ScribeForm /> }.into_any(),
        }
    }
}

/// What is written behind a turn, one after the other.
async fn write_due(app: App, id: StorylineId) {
    sheet::write_due(app, &id).await;
    recap::write_due(app, &id).await;
}

fn page(route: Route) -> AnyView {
    match route {
        Route::NewStory => view! { <NewStory /> }.into_any(),
        Route::Characters => view! { <Characters /> }.into_any(),
        Route::Character(id) => view! { <CharacterEditor id /> }.into_any(),
        Route::Backgrounds => view! { <Backgrounds /> }.into_any(),
        Route::Background(id) => view! { <BackgroundEditor id /> }.into_any(),
        Route::Lorebooks => view! { <Lorebooks /> }.into_any(),
        Route::Lorebook(id) => view! { <LorebookEditor id /> }.into_any(),
        Route::Presets => view! { <Presets /> }.into_any(),
        Route::Preset(id) => view! { <PresetEditor id /> }.into_any(),
        Route::Personas => view! { <Personas /> }.into_any(),
        Route::Persona(id) => view! { <PersonaEditor id /> }.into_any(),
        Route::Cradle(None) => view! { <Cradles /> }.into_any(),
        Route::Cradle(Some(id)) => view! { <CradlePage id /> }.into_any(),
        Route::Circle => view! { <CirclePage /> }.into_any(),
        Route::Tools => view! { <Tools /> }.into_any(),
        Route::Settings => view! { <Settings /> }.into_any(),
        Route::Search(words) => view! { <Search words /> }.into_any(),
        // These are the shell's own.
        Route::Home | Route::Story(_) => ().into_any(),
    }
}

fn panel(tab: Tab) -> AnyView {
    match tab {
        Tab::Now => view! { <NowPanel /> }.into_any(),
        Tab::Persona => view! { <PersonaPanel /> }.into_any(),
        Tab::Plot => view! { <PlotPanel /> }.into_any(),
        Tab::World => view! { <WorldPanel /> }.into_any(),
        Tab::Memory => view! { <MemoryPanel><recap::RecapPanel /></MemoryPanel> }.into_any(),
        Tab::Tree => view! { <TreePanel /> }.into_any(),
        Tab::Prompt => view! { <Inspector /> }.into_any(),
        // It stands open beside the story.
        Tab::Story => ().into_any(),
    }
}
