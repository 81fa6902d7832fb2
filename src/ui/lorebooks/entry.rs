//! The fields of the entry that is open: what most entries say, and under “More” what few do.

use leptos::{prelude::*, task::spawn_local};

use super::{book::Book, controls::Opened, more, words::say};
use crate::{
    desk::lorebooks::Number,
    exchange::names::tidy_name,
    locales::{
        T,
        lorebooks::{T as L, position},
        memory::T as M,
    },
    story::{
        lorebook::{Entry, Logic, Position},
        preset::Role,
    },
    ui::{
        app::App,
        icons::{Icon, Shape},
        memory::{self, has_embedder},
        presets::role_name,
        route::Route,
    },
};

/// Where an entry may stand, in the order in which the prompt has it.
pub const POSITIONS: [(&str, Position); 7] = [
    ("before_character", Position::BeforeCharacter),
    ("after_character", Position::AfterCharacter),
    ("before_examples", Position::BeforeExamples),
    ("after_examples", Position::AfterExamples),
    ("before_note", Position::BeforeNote),
    ("after_note", Position::AfterNote),
    ("at_depth", Position::AtDepth),
];

const LOGICS: [(&str, Logic, L); 4] = [
    ("any", Logic::Any, L::LogicAny),
    ("all", Logic::All, L::LogicAll),
    ("not_any", Logic::NotAny, L::LogicNotAny),
    ("not_all", Logic::NotAll, L::LogicNotAll),
];

const ROLES: [Role; 3] = [Role::System, Role::User, Role::Assistant];

/// Puts it somewhere; a depth that was said there goes with it.
pub fn place(entry: &mut Entry, name: &str) {
    if let Some((_, position)) = POSITIONS.into_iter().find(|(known, _)| *known == name) {
        entry.position = position;
        if position != Position::AtDepth {
            entry.depth = None;
        }
    }
}

pub fn positions(app: App) -> Vec<(String, String)> {
    POSITIONS.map(|(name, at)| (name.to_owned(), say(app, position(at))().to_owned())).to_vec()
}

fn logic_name(entry: &Entry) -> String {
    LOGICS.iter().find(|(_, logic, _)| *logic == entry.logic).map_or("any", |(name, ..)| name).to_owned()
}

fn position_name(entry: &Entry) -> String {
    POSITIONS.iter().find(|(_, position)| *position == entry.position).map_or("", |(name, _)| name).to_owned()
}

#[component]
pub fn EntryForm(book: Book, id: String) -> impl IntoView {
    let app = App::here();
    let entry = Opened { app, book, id: StoredValue::new(id) };
    let asks_more = entry.follow(|entry| !entry.secondary_keys.is_empty());
    let by_meaning = entry.follow(|entry| entry.by_meaning);
    let has_embedder = has_embedder(app);
    let at_depth = entry.follow(|entry| entry.position == Position::AtDepth);
    let logics = move || LOGICS.map(|(name, _, label)| (name.to_owned(), say(app, label)().to_owned())).to_vec();
    let set_logic = |entry: &mut Entry, name: &str| {
        if let Some((_, logic, _)) = LOGICS.into_iter().find(|(known, ..)| *known == name) {
            entry.logic = logic;
        }
    };
    let roles = move || ROLES.map(|role| (role.name().to_owned(), app.t(role_name(role))().to_owned())).to_vec();
    let set_role = |entry: &mut Entry, name: &str| {
        if let Some(role) = ROLES.into_iter().find(|role| role.name() == name) {
            entry.role = role;
        }
    };
    let name = RwSignal::new(entry.get(|entry| entry.name.clone()).unwrap_or_default());
    let keep_name = move |_| entry.edit(|entry| entry.name = tidy_name(&name.get_untracked()).0);
    let remove = move |_| {
        let id = entry.id.get_value();
        // Not within the row: the undo would go with it.
        spawn_local(async move { book.remove(app, &[id].into()) });
    };
    view! {
        <div class="form lore-entry-form" data-testid="lorebook-entry-form">
            <crate::ui::fields::TextField label=app.t(T::Name) value=name testid="lorebook-entry-name" on:input=keep_name />
            {entry.keys(L::Keys, Some(L::KeysHint), "lorebook-entry-keys", |entry| &mut entry.keys)}
            {entry.text(L::Content, "lorebook-entry-content", 5, |entry| entry.content.clone(), |entry, text| entry.content = text)}
            {entry.check(L::Constant, "lorebook-entry-constant", |entry| &mut entry.constant)}
            {entry.check(L::ByMeaning, "lorebook-entry-by-meaning", |entry| &mut entry.by_meaning)}
            <Show when=move || by_meaning.get() == Some(true) && !has_embedder.get()>
                <p class="field-note" data-testid="lorebook-no-embedder">
                    {say(app, L::ByMeaningNeeds)} " " <a class="link" href=Route::Settings.hash()>{memory::say(app, M::ChooseEmbedder)}</a>
                </p>
            </Show>
            <div class="columns">
                {entry.select(L::PlaceLabel, "lorebook-entry-position", move || positions(app), position_name, place)}
                <Show when=move || at_depth.get() == Some(true)>
                    {entry.count(Number::Depth, L::Depth, Some(L::DepthHint), "lorebook-entry-depth")}
                    {entry.select(L::Role, "lorebook-entry-role", roles, |entry| entry.role.name().to_owned(), set_role)}
                </Show>
                {entry.count(Number::Order, L::Order, Some(L::OrderHint), "lorebook-entry-order")}
                {entry.number(Number::Probability, L::Probability, L::Percent, None, "lorebook-entry-probability")}
            </div>
            {entry.keys(L::SecondaryKeys, None, "lorebook-entry-secondary", |entry| &mut entry.secondary_keys)}
            <Show when=move || asks_more.get() == Some(true)>
                {entry.select(L::Logic, "lorebook-entry-logic", logics, logic_name, set_logic)}
            </Show>
            <details class="field-group lore-more" data-testid="lorebook-entry-more">
                <summary>{say(app, L::More)}</summary>
                {more::fields(entry)}
            </details>
            <div class="row">
                <button type="button" class="button quiet danger" data-testid="lorebook-entry-remove" on:click=remove>
                    <Icon shape=Shape::TRASH />{say(app, L::RemoveEntry)}
                </button>
            </div>
        </div>
    }
}
