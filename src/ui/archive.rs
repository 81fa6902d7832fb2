//! Stories as files: export, copy, import.

mod dialog;
mod import;
mod pick;

use std::pin::pin;

use futures_util::future::{Either, select};
use leptos::prelude::*;

use super::{app::App, notices::NoticeKind};
use crate::{
    exchange::{refusal::Refusal, sniff::Content},
    locales::{T, faults, refusals},
    ports::Clock,
    story::{fault::Fault, ids::StorylineId},
    transfer::{Cancel, Failure, Progress, Scope, Watch, export::Exported, journal::Recovered},
    web::{archive, clock::BrowserClock, files},
};
pub use dialog::{ImportDialog, Working};
pub use import::Import;
pub use pick::{FilePick, ImportButton, ImportFault, is_for_shelf};

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
            app.notify(NoticeKind::Info, app.say_with(T::ExportingStory, &[&title]));
            export.await
        }
    };
    let (blob, report) = match outcome {
        Ok(exported) => exported,
        Err(failure) => return app.notify(NoticeKind::Error, app.say_with(T::ExportFailed, &[&words(app, &failure)])),
    };
    match files::download(&blob, &format!("{}.fabula", report.title)) {
        Ok(()) => notify_report(app, &report),
        Err(_) => app.notify(NoticeKind::Error, app.say_with(T::ExportFailed, &[""])),
    }
}

/// What a file does not have that it might be thought to have.
pub fn notify_report(app: App, report: &Exported) {
    let language = app.language.get_untracked();
    let lost = report.left_out.len();
    let lost = (lost > 0).then(|| app.say_with(T::RecordsLeftOut, &[&lost.to_string()]));
    let said: Vec<_> = lost.into_iter().chain(report.warnings.iter().map(|w| refusals::warning(w, language))).collect();
    if !said.is_empty() {
        app.notify(NoticeKind::Warning, said.join(" "));
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
        Err(failure) => app.notify(NoticeKind::Error, words(app, &failure)),
    }
}

/// At start-up: clears up after an import that a dead tab left half done, and says so.
pub async fn recover_import(app: App) {
    let text = match archive::sweep_orphans(&app.browser()).await {
        Ok(None) => return,
        Ok(Some(Recovered::Undone)) => T::ImportUndone,
        Ok(Some(Recovered::Finished)) => T::ImportCompleted,
        Err(failure) => return app.notify(NoticeKind::Error, words(app, &failure)),
    };
    app.notify(NoticeKind::Info, app.say(text));
}

/// A failure in the reader's language.
pub fn words(app: App, failure: &Failure) -> String {
    let language = app.language.get_untracked();
    match failure {
        Failure::Refused(Refusal::Unrecognised { found: Content::Character, .. }) => {
            app.say(T::BelongsToCharacters).into()
        }
        Failure::Refused(Refusal::Unrecognised { found: Content::Background, .. }) => {
            app.say(T::BelongsToBackgrounds).into()
        }
        Failure::Refused(refusal) => refusals::refusal(refusal, language),
        Failure::Store(error) => {
            let explained = faults::explain(&Fault::from(error.clone()), language);
            [explained.what, explained.advice].join(" ").trim().to_owned()
        }
        Failure::Unfinished(error) => app.say_with(T::ImportUnfinished, &[&faults::of_store(error, language)]),
        Failure::Unreadable(why) => app.say_with(T::FileUnreadable, &[why]),
        Failure::InUse(title) => app.say_with(T::StoryInUse, &[title]),
        Failure::Busy => app.say(T::ImportBusy).into(),
        Failure::Gone => app.say(T::StoryGone).into(),
        Failure::Cancelled => app.say(T::ImportCancelled).into(),
    }
}
