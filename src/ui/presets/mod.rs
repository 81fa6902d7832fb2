//! Presets: what the model is told, and in which order. Built-in ones are read and copied; the reader's own are edited.

mod block;
mod draft;
mod editor;
mod features;
mod files;
mod page;
mod preview;
mod reader;

pub use self::{editor::PresetEditor, files::import, page::Presets};

use leptos::{prelude::*, task::spawn_local};

use super::app::App;
use crate::{
    exchange::names::tidy_name,
    locales::{Say, Saying, T, presets::T as P},
    prompt::builtin::{BUILTIN, builtin},
    story::{
        ids::PresetId,
        preset::{Preset, Role},
        storyline::Language,
    },
};

/// The reader's own presets, newest first; they come as soon as the store has given them.
pub fn own(app: App) -> RwSignal<Vec<Preset>> {
    let list = RwSignal::new(Vec::new());
    spawn_local(read_own(app, list));
    list
}

async fn read_own(app: App, list: RwSignal<Vec<Preset>>) {
    match app.desk().presets().await {
        Ok(presets) => drop(list.try_set(presets)),
        Err(error) => app.notify_store(error),
    }
}

/// Built-in and own presets, as the options of a select.
pub fn options(app: App, own: RwSignal<Vec<Preset>>) -> Vec<(String, String)> {
    let language = app.language.get();
    let built_in = BUILTIN.iter().map(|(id, [zh, en])| ((*id).to_owned(), language.pick(*zh, *en).to_owned()));
    built_in
        .chain(
            own.with(|list| list.iter().map(|preset| (preset.id.0.clone(), preset.name.clone())).collect::<Vec<_>>()),
        )
        .collect()
}

/// The built-in presets in a language.
fn all_built_in(language: Language) -> Vec<Preset> {
    BUILTIN.iter().filter_map(|(id, _)| builtin(id, language)).collect()
}

/// What the preset of this id is for.
pub fn purpose(app: App, own: RwSignal<Vec<Preset>>, id: &str) -> String {
    let built_in = builtin(id, app.language.get()).map(|preset| preset.description);
    let found = || own.with(|list| list.iter().find(|preset| preset.id.as_str() == id).map(|p| p.description.clone()));
    built_in.or_else(found).unwrap_or_default()
}

/// A copy beside it; of a built-in one, in the language of the page. `None` (and a notice) where it was not stored.
async fn copy(app: App, preset: Preset) -> Option<PresetId> {
    let ports = app.browser().ports;
    let now = ports.clock.now();
    let (name, _) = tidy_name(&app.say_with(T::CopyOf, &[&preset.name]));
    let copy = Preset { id: ports.id(), name, created: now, updated: now, ..preset };
    app.is_stored(app.desk().put_preset(&copy).await).then_some(copy.id)
}

/// Deletes a preset, with a way back. Its stories go on with plain chat meanwhile.
async fn remove(app: App, preset: Preset, list: RwSignal<Vec<Preset>>) {
    if !app.is_stored(app.desk().delete_preset(&preset.id).await) {
        return;
    }
    let mut said = vec![T::Deleted.with(&[&preset.name]).kept()];
    let users = users(app, &preset.id);
    if users > 0 {
        said.push(P::PresetUsedPlain.with(&[&users.to_string()]).kept());
    }
    let id = preset.id.clone();
    app.notify_undo(Saying::joined(said, " "), move || {
        let preset = preset.clone();
        spawn_local(async move {
            if app.is_stored(app.desk().put_preset(&preset).await) {
                app.story.follow_preset(app, preset.id.as_str()).await;
                read_own(app, list).await;
            }
        });
    });
    app.story.follow_preset(app, id.as_str()).await;
    read_own(app, list).await;
}

/// How many stories are told by it.
fn users(app: App, id: &PresetId) -> usize {
    app.storylines.with_untracked(|list| list.iter().filter(|storyline| storyline.preset == *id).count())
}

/// A role in words.
pub fn role_name(role: Role) -> T {
    match role {
        Role::System => T::RoleSystem,
        Role::User => T::RoleUser,
        Role::Assistant => T::RoleAssistant,
    }
}
