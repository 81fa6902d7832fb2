//! Files that the reader gives: characters, backgrounds, pictures. Sizes are checked before anything is read.

use leptos::{prelude::*, task::spawn_local};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{DataTransfer, Event, File, FileList, HtmlInputElement};

use super::{Entry, Opened};
use crate::{
    desk::StoreError,
    exchange::{
        names::tidy_name,
        picture::Picture,
        refusal::{Refusal, Warning},
    },
    locales::{Say, Saying, T, faults, fill, reasons::reason, refusals},
    ports::{Drawn, Pictures},
    story::{
        blob::address,
        ids::BlobId,
        picture::{Fault, MAX_PICTURE_BYTES},
        storyline::Language,
    },
    ui::{
        app::App,
        archive::{has_folder, is_for_shelf},
        avatar::Portrait,
        state::NoticeKind,
    },
    web::{files, pictures::BrowserPictures, text_of},
};

/// What a picture may be, as an input has it.
pub const PICTURES: &str = "image/png,image/jpeg,image/webp,image/gif,image/avif";

/// Bytes that tell what a file is.
const HEAD: f64 = 64.0;

/// Refusals that one message lists.
const REFUSED: usize = 20;

/// Warnings that one message lists.
const LISTED: usize = 5;

/// The files chosen in an input, which is emptied so that the same file may be chosen again.
pub fn chosen(event: &Event) -> Vec<File> {
    let Some(input) = event.target().and_then(|target| target.dyn_into::<HtmlInputElement>().ok()) else {
        return Vec::new();
    };
    let files = input.files().map(list).unwrap_or_default();
    input.set_value("");
    files
}

fn list(files: FileList) -> Vec<File> {
    (0..files.length()).filter_map(|at| files.get(at)).collect()
}

/// Files that are taken in one after the other: how many there are and were, and whether that shall end.
#[derive(Clone, Copy)]
pub struct Taking {
    /// Done, and in all; `None`: nothing is under way.
    pub done: RwSignal<Option<(usize, usize)>>,
    pub is_stopped: RwSignal<bool>,
    /// What was refused, beside the control.
    pub fault: RwSignal<Option<Saying>>,
}

impl Taking {
    pub fn new(fault: RwSignal<Option<Saying>>) -> Self {
        Self { done: RwSignal::new(None), is_stopped: RwSignal::new(false), fault }
    }
}

/// What came of files.
#[derive(Default)]
struct Report {
    taken: usize,
    /// There already, as they are.
    known: usize,
    refused: Vec<Saying>,
    warnings: Vec<Saying>,
}

/// Takes in files one after the other, each whole or not at all; what is there already stays one.
pub async fn import_all<E: Entry>(app: App, files: Vec<File>, taking: Taking) {
    let Taking { done, is_stopped, fault } = taking;
    fault.set(None);
    is_stopped.set(false);
    let count = files.len();
    let mut batch: Vec<E> = Vec::new();
    let mut report = Report::default();
    for (index, file) in files.iter().enumerate() {
        if count > 1 {
            // Where the reader has gone elsewhere, it goes on.
            done.try_set(Some((index, count)));
        }
        if is_stopped.try_get_untracked() == Some(true) {
            break;
        }
        match import::<E>(app, file, (count > 1).then_some(&mut batch)).await {
            Ok(Some((name, warnings))) if count == 1 => say_imported(app, &name, warnings),
            Ok(Some((name, warnings))) => {
                report.taken += 1;
                report.warnings.extend(warnings.into_iter().map(|warning| of_file(name.clone(), warning.kept())));
            }
            Ok(None) => report.known += 1,
            Err(why) if count > 1 => report.refused.push(of_file(file.name(), why)),
            Err(why) => report.refused.push(why),
        }
    }
    done.try_set(None);
    if count > 1 {
        say_all(app, report.taken, report.known, report.warnings);
    }
    shorten(&mut report.refused, REFUSED);
    // The reader may have gone elsewhere meanwhile.
    if !report.refused.is_empty()
        && let Some(Some(unseen)) = fault.try_set(Some(Saying::joined(report.refused, "\n")))
    {
        app.notify(NoticeKind::Error, unseen);
    }
    app.refresh().await;
}

/// Says what became of several files.
fn say_all(app: App, taken: usize, known: usize, mut warnings: Vec<Saying>) {
    let kind = if warnings.is_empty() { NoticeKind::Info } else { NoticeKind::Warning };
    shorten(&mut warnings, LISTED);
    let counted = |text: T, count: usize| (count > 0).then(|| text.with(&[&count.to_string()]).kept());
    let said = [counted(T::ImportedMany, taken), counted(T::KnownAlready, known)];
    let said: Vec<_> = said.into_iter().flatten().chain(warnings).collect();
    if !said.is_empty() {
        app.notify(kind, Saying::joined(said, " "));
    }
}

/// `ada.png: the picture was left out`.
/// What is said of a file, with its name.
pub fn of_file(name: String, said: Saying) -> Saying {
    (move |language: Language| format!("{name}{}{}", language.pick("：", ": "), said.say(language))).kept()
}

/// Leaves so many, and says how many more there are.
fn shorten(said: &mut Vec<Saying>, most: usize) {
    let more = said.len().saturating_sub(most);
    said.truncate(most);
    said.extend((more > 0).then(|| T::AndMore.with(&[&more.to_string()]).kept()));
}

/// Whether it came from the same file, and neither was changed.
fn is_same<E: Entry>(one: &E, other: &E) -> bool {
    let bare = |entry: &E| {
        let mut bare = entry.clone();
        bare.stamp(Some(String::new()), 0);
        bare
    };
    one.name() == other.name() && bare(one) == bare(other)
}

/// Says that something was taken in, and what there is to say of it.
pub fn say_imported(app: App, name: &str, warnings: Vec<Warning>) {
    let kind = if warnings.is_empty() { NoticeKind::Info } else { NoticeKind::Warning };
    let more = warnings.len().saturating_sub(LISTED);
    let more = (more > 0).then(|| T::AndMore.with(&[&more.to_string()]).kept());
    let done = std::iter::once(T::ImportedOne.with(&[name]).kept());
    let said = done.chain(warnings.into_iter().take(LISTED).map(Say::kept)).chain(more);
    app.notify(kind, Saying::joined(said.collect(), " "));
}

/// Why the store did not take something.
pub fn not_stored(error: StoreError) -> Saying {
    (move |language| fill(T::NotSaved.text(language), &[&faults::of_store(&error, language)])).kept()
}

/// Why the browser did not take something.
pub fn not_saved(why: &str) -> Saying {
    let why = why.to_owned();
    (move |language| fill(T::NotSaved.text(language), &[&reason(&why, language)])).kept()
}

/// Why a file could not be read, in the browser's words.
pub fn unreadable(error: &JsValue) -> Saying {
    T::FileUnreadable.with(&[&text_of(error, "message")]).kept()
}

/// Takes one file in: its name and what there is to say of it, or why it was not taken. `None`: of several, it is in the
/// library or in the `batch` already.
async fn import<E: Entry>(
    app: App,
    file: &File,
    batch: Option<&mut Vec<E>>,
) -> Result<Option<(String, Vec<Warning>)>, Saying> {
    let head = files::slice(file, 0.0, HEAD.min(file.size())).await.map_err(|error| unreadable(&error))?;
    let limit = E::most(&head);
    let bytes = match files::read(file, limit as usize).await {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return Err(Refusal::TooLarge { bytes: file.size() as u64, limit }.kept()),
        Err(error) => return Err(unreadable(&error)),
    };
    let Opened { mut entry, face, files: mut pictures, mut warnings } = E::open(bytes).map_err(Say::kept)?;
    if let Some((_, bytes)) = face {
        match portrait(bytes).await {
            Ok(portrait) => {
                let ((face, small), drawn) = named(portrait);
                entry.set_face(face, small);
                pictures.extend(drawn);
            }
            Err(why) => warnings.push(Warning::PictureLeftOut(why.into())),
        }
    }
    if entry.name().is_empty() {
        let file = file.name();
        let stem = file.rsplit_once('.').map_or(file.as_str(), |(stem, _)| stem);
        entry.set_name(tidy_name(stem).0);
    }
    let is_known = |library: &Vec<E>| library.iter().any(|known| is_same(known, &entry));
    if batch.as_ref().is_some_and(|batch| is_known(batch))
        || batch.is_some() && E::library(app).with_untracked(is_known)
    {
        return Ok(None);
    }
    let ports = app.browser().ports;
    entry.stamp(Some(ports.id()), ports.clock.now());
    let name = entry.name().to_owned();
    app.desk().put_entry(&entry, pictures).await.map_err(not_stored)?;
    if let Some(batch) = batch {
        batch.push(entry);
    }
    Ok(Some((name, warnings)))
}

/// What a face is called, at both sizes.
pub type Named = (Option<BlobId>, Option<BlobId>);

/// What a portrait is called, and its pictures.
pub fn named(Portrait { picture, small }: Portrait) -> (Named, Vec<Picture>) {
    let name = |(_, bytes): &Picture| address(bytes);
    ((Some(name(&picture)), small.as_ref().map(name)), [Some(picture), small].into_iter().flatten().collect())
}

/// Reads a picture; what it is shows in its bytes.
///
/// # Errors
/// Why not.
pub async fn read_picture(file: &File) -> Result<Portrait, Saying> {
    let drawn = match files::read(file, MAX_PICTURE_BYTES).await {
        Ok(Some(bytes)) => portrait(bytes).await,
        Ok(None) => Err(Fault::TooLarge { bytes: file.size() as u64 }),
        Err(error) => return Err(unreadable(&error)),
    };
    let unfit =
        |fault: Fault| move |language| fill(T::PictureUnfit.text(language), &[&refusals::unfit(&fault, language)]);
    drawn.map_err(|fault| unfit(fault).kept())
}

async fn portrait(bytes: Vec<u8>) -> Result<Portrait, Fault> {
    let Drawn { kind, small } = BrowserPictures.draw(&bytes).await?;
    Ok(Portrait { picture: (kind.to_owned(), bytes), small })
}

/// Files may be dropped anywhere on the page but the shelf while this component lives. True while some are held over it.
pub fn drop_target(take: impl Fn(Vec<File>) + 'static) -> RwSignal<bool> {
    use leptos::ev;

    let held = RwSignal::new(false);
    let has_files =
        |transfer: Option<DataTransfer>| transfer.is_some_and(|transfer| transfer.types().includes(&"Files".into(), 0));
    let over = window_event_listener(ev::dragover, move |event| {
        if has_files(event.data_transfer()) {
            event.prevent_default();
            held.set(!is_for_shelf(&event));
        }
    });
    // Without a related target, the pointer left the window.
    let leave = window_event_listener(ev::dragleave, move |event| {
        if event.related_target().is_none() {
            held.set(false);
        }
    });
    let drop = window_event_listener(ev::drop, move |event| {
        held.set(false);
        let is_folder = event.data_transfer().is_some_and(|transfer| has_folder(&transfer));
        if has_files(event.data_transfer()) && !is_for_shelf(&event) && !is_folder {
            event.prevent_default();
            take(event.data_transfer().and_then(|transfer| transfer.files()).map(list).unwrap_or_default());
        }
    });
    on_cleanup(move || {
        over.remove();
        leave.remove();
        drop.remove();
    });
    held
}

/// Imports in the background.
pub fn import_soon<E: Entry>(app: App, files: Vec<File>, taking: Taking) {
    if !files.is_empty() && taking.done.with_untracked(Option::is_none) {
        spawn_local(E::import(app, files, taking));
    }
}
