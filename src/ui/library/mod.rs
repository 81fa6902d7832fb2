//! What the libraries share: characters and backgrounds are listed, edited, thrown away and carried in and out alike.

mod bin;
mod editor;
mod face;
mod files;
mod leaving;
mod order;
mod page;
mod shelf;
pub mod storylines;

pub use self::{
    bin::{Bin, purge_bin},
    editor::{Group, Text, editor},
    files::{
        PICTURES, Taking, chosen, drop_target, import_all, not_saved, not_stored, of_file, read_picture, say_imported,
        unreadable,
    },
    leaving::{LeaveBar, Wanted, Wish, ask_to_close, hold},
    order::line_order,
    page::page,
    shelf::{Shelf, Shelved, bar, last_played, nothing_found, star},
};

use leptos::{prelude::*, task::spawn_local};
use web_sys::File;

use super::{app::App, chunks::Doing, route::Route, state::NoticeKind};
use crate::{
    desk::shelves,
    exchange::{
        names::tidy_name,
        picture::Picture,
        refusal::{Refusal, Warning},
    },
    locales::{self, Say, Saying, T, fill, time},
    ports::Clock,
    story::{Extra, Millis, ids::BlobId, storyline::Storyline},
    turn::bin::Binned,
    web::{clock::BrowserClock, files as web_files, text_of},
};

/// A kind of thing that a library keeps.
pub trait Entry: Binned + Clone + Default + PartialEq + Send + Sync {
    /// What its test ids begin with.
    const KIND: &'static str;
    const WORDS: Words;
    /// The fields of its editor; the first is the name's.
    const GROUPS: &'static [Group<Self>];
    const HAS_FACE: bool;

    fn name(&self) -> &str;
    /// One line on it.
    fn line(&self) -> &str;
    /// Its picture.
    fn face(&self) -> Option<BlobId>;
    /// The same at the size of the page, where it is itself larger.
    fn small_face(&self) -> Option<BlobId>;
    fn set_name(&mut self, name: String);
    fn set_face(&mut self, face: Option<BlobId>, small: Option<BlobId>);
    /// Gives an id to what has none, and sets the times.
    fn stamp(&mut self, fresh: Option<String>, now: Millis);
    fn created(&self) -> Millis;
    fn updated(&self) -> Millis;
    fn is_used_by(&self, storyline: &Storyline) -> bool;
    /// What it is found by, beside its words.
    fn tags(&self) -> &[String] {
        &[]
    }
    /// Its free fields, which hold whether it is a favourite.
    fn fields(&self) -> &Extra;
    fn fields_mut(&mut self) -> &mut Extra;
    fn is_favourite(&self) -> bool {
        shelves::is_favourite(self.fields())
    }

    fn library(app: App) -> RwSignal<Vec<Self>>;
    fn place() -> Route;
    /// Where it is edited; `None`: a new one.
    fn desk(id: Option<&str>) -> Route;

    /// What stands at the top of its page: where to go from here.
    fn lead() -> AnyView {
        ().into_any()
    }

    /// What stands below its editor, with a saving of its own.
    fn below(_: &str) -> AnyView {
        ().into_any()
    }

    /// What its files are called, for the browser's chooser.
    const ACCEPTS: &'static str;
    /// Bytes of a file that begins like this, at most.
    fn most(head: &[u8]) -> u64;
    /// Reads a file.
    fn open(bytes: Vec<u8>) -> Result<Opened<Self>, Refusal>;

    /// Takes files in.
    fn import(app: App, files: Vec<File>, taking: Taking) -> Doing {
        Box::pin(import_all::<Self>(app, files, taking))
    }

    /// What it can leave as; a single one needs no choice.
    const FORMS: &'static [Form];
    /// As it leaves.
    fn pack(self, app: App, form: &'static Form) -> impl Future<Output = Result<Vec<u8>, Saying>>;
}

/// What a file gives.
pub struct Opened<E> {
    pub entry: E,
    pub face: Option<Picture>,
    /// Further files, as they are stored: media type and bytes.
    pub files: Vec<Picture>,
    pub warnings: Vec<Warning>,
}

/// A form in which an entry leaves.
pub struct Form {
    /// In its test id.
    pub name: &'static str,
    pub label: T,
    pub hint: T,
    /// How its files end, and what they are.
    pub ending: &'static str,
    pub kind: &'static str,
}

/// What a library's page says.
pub struct Words {
    pub title: T,
    pub new: T,
    pub edit: T,
    pub none: T,
}

/// How many stories use it.
pub fn users<E: Entry>(app: App, entry: &E) -> usize {
    app.storylines.with(|list| list.iter().filter(|storyline| entry.is_used_by(storyline)).count())
}

/// A copy beside it.
async fn duplicate<E: Entry>(app: App, entry: E) {
    let ports = app.browser().ports;
    let mut copy = entry;
    let (name, _) = tidy_name(&app.say_with(T::CopyOf, &[copy.name()]));
    copy.set_name(name);
    copy.stamp(Some(ports.id()), ports.clock.now());
    if app.is_stored(app.desk().save(&copy).await) {
        app.refresh().await;
    }
}

/// Among the favourites, or no more.
async fn favour<E: Entry>(app: App, entry: E) {
    let is_favourite = !entry.is_favourite();
    let change = |entry: &mut E| shelves::set_favourite(entry.fields_mut(), is_favourite);
    if app.is_stored(app.desk().amend_entry::<E>(entry.key(), change).await) {
        app.refresh().await;
    }
}

/// Into the bin, with a way back.
async fn discard<E: Entry>(app: App, entry: E) {
    if let Err(error) = app.desk().discard::<E>(entry.key()).await {
        return app.notify_store(error);
    }
    let mut said = vec![T::Deleted.with(&[entry.name()]).kept()];
    let users = untrack(|| users(app, &entry));
    if users > 0 {
        said.push(T::UsedAndWaiting.with(&[&users.to_string()]).kept());
    }
    let key = entry.key().to_owned();
    app.notify_undo(Saying::joined(said, " "), move || spawn_local(take_back::<E>(app, key.clone())));
    app.refresh().await;
}

/// Out of the bin.
async fn take_back<R: Binned>(app: App, key: String) {
    match app.desk().restore::<R>(&key).await {
        Ok(()) => app.refresh().await,
        Err(error) => app.notify_store(error),
    }
}

/// Downloads it as a file.
async fn export<E: Entry>(app: App, entry: E, form: &'static Form) {
    let name = format!("{}.{}", entry.name(), form.ending);
    let saved = match entry.pack(app, form).await {
        Ok(bytes) => web_files::blob(&bytes, form.kind)
            .and_then(|blob| web_files::download(&blob, &name))
            .map_err(|error| not_saved(&text_of(&error, "message"))),
        Err(why) => Err(why),
    };
    if let Err(why) = saved {
        app.notify(NoticeKind::Error, why);
    }
}

/// `Edit: Ada`: the name of a control that stands in a list.
pub fn of<W: locales::Text>(app: App, action: W, name: &str) -> impl Fn() -> String + Clone + Send + Sync + use<W> {
    let name = name.to_owned();
    move || format!("{}{}{name}", app.t(action)(), app.language.get().pick("：", ": "))
}

/// How long ago, or the date.
pub fn when(app: App, at: Millis) -> String {
    let language = app.language.get();
    time::ago(at, BrowserClock.now(), language).unwrap_or_else(|| super::about::date(at, language))
}

/// A text with one place filled by a count, following the language.
pub fn counted(app: App, text: T, count: usize) -> String {
    fill(app.t(text)(), &[&count.to_string()])
}
