//! Stories as files: export, copy, import.

mod dialog;
mod import;
mod pick;

use std::pin::pin;

use futures_util::future::{Either, select};

use super::{app::App, state::NoticeKind};
use crate::{
    exchange::{refusal::Refusal, sniff::Content},
    locales::{Say, Saying, T, faults, fill, reasons::reason, refusals},
    ports::Clock,
    story::{fault::Fault, ids::StorylineId, storyline::Language},
    transfer::{Cancel, Failure, Progress, Scope, Watch, export::Exported, journal::Recovered},
    web::{archive, clock::BrowserClock, files},
};
pub use dialog::{ImportDialog, Working};
pub use import::{Elsewhere, Import};
pub use pick::{FilePick, Given, ImportButton, ImportFault, Importing, has_folder, is_for_shelf};

/// Milliseconds after which one is told that it takes a while.
const PATIENCE: u32 = 700;

/// Downloads a storyline as one file.
pub async fn export_storyline(app: App, id: StorylineId) {
    let title = app.storyline(&id).map(|storyline| storyline.title).unwrap_or_default();
    export_scope(app, Scope::Storyline(id), title).await;
}

/// Downloads a storyline up to a save point as one file: a story of its own.
pub async fn export_point(app: App, id: StorylineId, point: String, name: String) {
    export_scope(app, Scope::SavePoint(id, point), name).await;
}

async fn export_scope(app: App, scope: Scope, title: String) {
    let browser = app.browser();
    let tell = |_: Progress| {};
    let watch = Watch::new(&BrowserClock, Cancel::default(), &tell);
    let export = pin!(archive::export(&browser.ports, &scope, &watch));
    let outcome = match select(export, BrowserClock.sleep(PATIENCE)).await {
        Either::Left((outcome, _)) => outcome,
        Either::Right(((), export)) => {
            app.notify(NoticeKind::Info, T::ExportingStory.with(&[&title]));
            export.await
        }
    };
    let (blob, report) = match outcome {
        Ok(exported) => exported,
        Err(failure) => return notify_failed_export(app, Some(failure)),
    };
    match files::download(&blob, &format!("{}.fabula", report.title)) {
        Ok(()) => notify_report(app, &report),
        Err(_) => notify_failed_export(app, None),
    }
}

/// That there is no file, and why where it is known.
pub fn notify_failed_export(app: App, why: Option<Failure>) {
    app.notify(NoticeKind::Error, move |language| {
        let why = why.as_ref().map(|failure| words(failure, language)).unwrap_or_default();
        fill(T::ExportFailed.text(language), &[&why])
    });
}

/// What a file does not have that it might be thought to have.
pub fn notify_report(app: App, report: &Exported) {
    let lost = report.left_out.len();
    let lost = (lost > 0).then(|| T::RecordsLeftOut.with(&[&lost.to_string()]).kept());
    let absent = (report.absent > 0).then(|| T::PicturesElsewhere.with(&[&report.absent.to_string()]).kept());
    let said: Vec<_> = lost.into_iter().chain(absent).chain(report.warnings.iter().cloned().map(Say::kept)).collect();
    if !said.is_empty() {
        app.notify(NoticeKind::Warning, Saying::joined(said, " "));
    }
}

/// Puts a copy of a storyline beside it.
pub async fn duplicate_storyline(app: App, id: StorylineId) {
    let browser = app.browser();
    let retitle = |title: &str| app.say_with(T::CopyOf, &[title]);
    let tell = |_: Progress| {};
    let watch = Watch::new(&BrowserClock, Cancel::default(), &tell);
    match archive::duplicate(&browser, &id, &retitle, &watch).await {
        Ok(_) => app.refresh().await,
        Err(failure) => app.notify(NoticeKind::Error, move |language| words(&failure, language)),
    }
}

/// At start-up: clears up after an import that a dead tab left half done, and says so.
pub async fn recover_import(app: App) {
    let text = match archive::sweep_orphans(&app.browser()).await {
        Ok(None) => return,
        Ok(Some(Recovered::Undone)) => T::ImportUndone,
        Ok(Some(Recovered::Finished)) => T::ImportCompleted,
        Err(failure) => return app.notify(NoticeKind::Error, move |language| words(&failure, language)),
    };
    app.notify(NoticeKind::Info, text);
}

/// A failure in the reader's language.
pub fn words(failure: &Failure, language: Language) -> String {
    let say = |text: T, values: &[&str]| fill(text.text(language), values);
    match failure {
        Failure::Refused(Refusal::Unrecognised { found: Content::Character, .. }) => say(T::BelongsToCharacters, &[]),
        Failure::Refused(Refusal::Unrecognised { found: Content::Background, .. }) => say(T::BelongsToBackgrounds, &[]),
        Failure::Refused(refusal) => refusals::refusal(refusal, language),
        Failure::Store(error) => faults::in_full(&Fault::from(error.clone()), language),
        Failure::Unfinished(error) => say(T::ImportUnfinished, &[&faults::of_store(error, language)]),
        Failure::Unreadable(why) => say(T::FileUnreadable, &[&reason(why, language)]),
        Failure::InUse(title) => say(T::StoryInUse, &[title]),
        Failure::Busy => say(T::ImportBusy, &[]),
        Failure::Gone => say(T::StoryGone, &[]),
        Failure::Cancelled => say(T::ImportCancelled, &[]),
    }
}
