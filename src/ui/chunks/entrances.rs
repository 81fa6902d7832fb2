//! The entrances of the chunks. What they lead to stands beside, and is named by the chunks alone.

use std::{pin::Pin, sync::Arc};

use leptos::prelude::*;

use super::Doing;
use crate::{
    desk::StoredPicture,
    locales::Saying,
    story::{
        fault::Fault,
        generation::Generation,
        ids::{BlobId, StorylineId, TurnId},
        spending::Kind,
        storyline::Storyline,
        tree::Node,
    },
    turn::{Ahead, Ask, Shown, sheet::Which, stream::Stop},
    ui::{
        app::App,
        archive::Given,
        features::{status_bar::Framed, summary::SummariseProps},
        route::Route,
        state::{Asked, BudgetSays, Editing, Press, Tab},
    },
    web::tabs::Heard,
};

/// What comes of something that was asked for.
pub type Answer<T> = Pin<Box<dyn Future<Output = T>>>;

/// How a turn ended: its reply, or why there is none.
pub type Played = Result<Generation, Fault>;

/// Takes what may be shown of a turn.
pub type Show = Box<dyn Fn(Shown)>;

/// To read a story, and to write in it.
#[derive(Clone, Copy)]
pub struct StoryPage {
    pub chat: fn(StorylineId) -> AnyView,
    pub notebook: fn() -> AnyView,
    /// Closes what ended tabs left open.
    pub close_left_open: fn(App) -> Doing,
    /// Takes in what another tab says of the open story.
    pub hear: fn(App, Heard),
}

/// What stands beside it, and plays.
#[derive(Clone, Copy)]
pub struct Aside {
    /// The first page of the notebook.
    pub story_settings: fn() -> AnyView,
    /// The button that summarises.
    pub summarise: fn(SummariseProps) -> AnyView,
    pub ask_key: fn(Asked) -> AnyView,
    /// The frame of a story's own status bar.
    pub status_frame: fn(Framed) -> AnyView,
    /// What is shown is read through scripts; those of others ask first; quick replies.
    pub story_tools: fn() -> AnyView,
    /// What stands in the composer's row beside its own.
    pub composer_tools: fn() -> AnyView,
    /// Who speaks in a turn of several, and who hears it.
    pub heading: fn(RwSignal<Arc<Node>>) -> AnyView,
    /// The commands that the words in the composer may become, and what a key does to them.
    pub palette: fn() -> AnyView,
    pub press: fn(App, Press) -> Doing,
    /// Puts the story's machinery away, or takes it out again; the ways out.
    pub read: fn(App, bool) -> Doing,
    pub reader_bar: fn() -> AnyView,
    /// Reads aloud from a turn on.
    pub aloud: fn(App, u32) -> Doing,
    /// All keys that do something.
    pub shortcuts: fn() -> AnyView,
    /// What a demo says of itself, and words to say.
    pub demo_bar: fn(Callback<String>) -> AnyView,
    pub open_demo: fn(App) -> Doing,
    /// Plays a turn: who reads does without.
    pub play: fn(App, StorylineId, Ask, Stop, Show) -> Answer<Played>,
    /// Reads what the next turn needs.
    pub get_ready: fn(App, StorylineId, Ahead) -> Doing,
    /// What comes behind a turn: embeds what the story lacks, and looks at the budgets.
    pub behind: fn(App, StorylineId) -> Doing,
    /// What the newest prompt is warned of.
    pub warnings: fn() -> AnyView,
    /// Why a turn waits for the reader to say what shall be left out of its prompt, and the ways on.
    pub too_long: fn(RwSignal<Arc<Node>>) -> AnyView,
    /// What is said of a turn that was taken out of what a model is told, and the ways back.
    pub untold: fn(RwSignal<Arc<Node>>) -> AnyView,
    pub take_out: fn(App, TurnId) -> Doing,
    /// Asks whether what is used up shall stop calls of this kind.
    pub ask_budget: fn(App, StorylineId, Kind) -> Answer<bool>,
    /// What is said of a budget.
    pub budget: fn(BudgetSays) -> AnyView,
    /// The words of a turn, to be said anew, or to be kept in a lorebook.
    pub editor: fn(RwSignal<Arc<Node>>, RwSignal<Option<Editing>>) -> AnyView,
}

/// What is not needed for that.
#[derive(Clone, Copy)]
pub struct Desk {
    /// The page of a route.
    pub page: fn(Route) -> AnyView,
    /// A panel of the notebook.
    pub panel: fn(Tab) -> AnyView,
    /// Stands for a story that is not here.
    pub not_here: fn(StorylineId) -> AnyView,
    /// On the shelf, stories that are on their way from other devices.
    pub arriving: fn() -> AnyView,
    /// Media type and bytes of a picture that is not here and may lie in the reader's storage.
    pub see: fn(App, BlobId) -> Doing<Option<StoredPicture>>,
    /// Title and status on the shelf; whether they are being edited.
    pub storyline_editor: fn(Memo<Storyline>, RwSignal<bool>) -> AnyView,
    pub export: fn(App, StorylineId) -> Doing,
    /// The same up to a save point, by its id and its name.
    pub export_point: fn(App, StorylineId, String, String) -> Doing,
    pub duplicate: fn(App, StorylineId) -> Doing,
    pub discard: fn(App, Storyline) -> Doing,
    /// Takes in each file that it is given, with its questions and refusals in their place.
    pub import: fn(RwSignal<Option<Given>, LocalStorage>) -> AnyView,
    pub recover_import: fn(App) -> Doing,
    /// Empties the bin of what is old, and from then on does what is due while the page is open.
    pub look_after: fn(App) -> Doing,
    /// Lets the scribe read in a storyline: what is due, or as it is asked to.
    pub scribe: fn(App, StorylineId, bool) -> Doing,
    /// Writes the texts that are due: character sheet, plot summary, memory summary.
    pub write_texts: fn(App, StorylineId) -> Doing,
    /// Writes one that is asked for; `false`: the reader would not give what it needs. Or why it was not written.
    pub write_text: fn(App, StorylineId, Which) -> Answer<Result<bool, Saying>>,
    /// Their settings.
    pub sheet_form: fn() -> AnyView,
    /// Who is in the open story, and who of them speaks.
    pub group_form: fn() -> AnyView,
    /// Its settings, and how it catches up.
    pub scribe_form: fn() -> AnyView,
    /// What it is told of lorebooks, and those that hang on it.
    pub lore_form: fn() -> AnyView,
    /// A new entry of one, out of a turn.
    pub lore_entry: fn(RwSignal<Arc<Node>>, RwSignal<Option<Editing>>) -> AnyView,
    /// What the open story has cost, and its budget.
    pub story_costs: fn() -> AnyView,
}
