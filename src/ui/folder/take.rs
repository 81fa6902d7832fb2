//! The taking itself: file by file, so that the page answers in between and it can be stopped.

use std::{cell::Cell, pin::pin};

use futures_util::{StreamExt, stream};
use leptos::prelude::*;
use web_sys::File;

use super::{Found, tell};
use crate::{
    desk::{
        StoreError,
        intake::{self, ChatFile, Intake, Opened, Row, most},
    },
    exchange::{
        folder::{Role, Why},
        json,
        refusal::Refusal,
    },
    locales::{Say, Saying, faults, folder::T},
    ports::Clock,
    story::fault::Fault,
    transfer::Failure,
    ui::{
        app::App,
        archive::words,
        library::{Taking, unreadable},
    },
    web::{archive, clock::BrowserClock, files, folder::Place, pictures::BrowserPictures, storage},
};

/// Text of conversations that is read before it is taken in: whole folders of it.
const CHATS_AT_ONCE: usize = 8 << 20;
/// Files that are looked at ahead: most of a card's time its picture is being made smaller elsewhere.
const AHEAD: usize = 3;

/// Takes in what was found, until it is stopped: what became of each file, and why it went no further.
pub async fn take(
    app: App,
    found: &Found,
    stop: &Cell<bool>,
    show: &dyn Fn(usize, &str),
) -> (Vec<Row>, Option<Saying>) {
    let browser = app.browser();
    let _alone = match archive::begin(&browser).await {
        Ok(locks) => locks,
        Err(why) => return (Vec::new(), Some((move |language| words(&why, language)).kept())),
    };
    let desk = app.desk();
    let mut intake = match Intake::begin(&desk, &BrowserPictures).await {
        Ok(intake) => intake,
        Err(error) => return (Vec::new(), Some(broken(error))),
    };
    let outcome = match walk(found, stop, show, &mut intake).await {
        Ok(()) => intake.finish().await,
        Err(error) => Err(error),
    };
    storage::mark();
    let ended = match outcome {
        Err(error) => Some(broken(error)),
        Ok(()) => stop.get().then(|| T::Stopped.kept()),
    };
    (intake.rows, ended)
}

fn broken(error: StoreError) -> Saying {
    (move |language| {
        let why = faults::in_full(&Fault::from(error.clone()), language);
        T::Broken.with(&[&why])(language)
    })
    .kept()
}

/// A file that was looked at.
enum Looked {
    Left(Why),
    Refused(Refusal),
    Opened(Opened),
    Chat(String),
}

async fn look((role, place): &(Role, Place)) -> Looked {
    if let Role::Left(why) = role {
        return Looked::Left(*why);
    }
    BrowserClock.sleep(0).await;
    match place.read(most(*role)).await {
        Ok(read) if *role == Role::Chat => json::decoded(read).map_or_else(Looked::Refused, Looked::Chat),
        Ok(read) => Looked::Opened(intake::open(*role, read, &BrowserPictures).await),
        Err(Failure::Refused(why)) => Looked::Refused(why),
        Err(Failure::Unreadable(why)) => Looked::Refused(Refusal::Unreadable(why)),
        Err(why) => Looked::Refused(Refusal::Damaged(why.to_string())),
    }
}

async fn walk(
    found: &Found,
    stop: &Cell<bool>,
    show: &dyn Fn(usize, &str),
    intake: &mut Intake<'_>,
) -> Result<(), StoreError> {
    let (mut chats, mut bytes) = (Vec::new(), 0);
    let mut files = pin!(stream::iter(&found.places).map(look).buffered(AHEAD).enumerate());
    while let Some((done, looked)) = files.next().await {
        let (role, place) = &found.places[done];
        let path = place.path.as_str();
        show(done, path);
        if stop.get() {
            break;
        }
        match looked {
            Looked::Left(why) => {
                intake.leave(path, why);
                continue;
            }
            Looked::Refused(why) => {
                intake.refuse(path, why);
                continue;
            }
            Looked::Opened(opened) => {
                intake.take(path, *role, opened).await?;
                continue;
            }
            Looked::Chat(text) => {
                bytes += text.len();
                chats.push(ChatFile { path: path.to_owned(), text });
            }
        }
        // Those of one folder come together.
        let folder = |path: &str| path.rsplit_once('/').map(|(folder, _)| folder.to_owned());
        let next = found.places.get(done + 1).filter(|(role, _)| *role == Role::Chat);
        if bytes >= CHATS_AT_ONCE && next.is_none_or(|(_, next)| folder(&next.path) != folder(path)) {
            bytes = 0;
            intake.take_chats(std::mem::take(&mut chats)).await?;
        }
    }
    // Of a folder that was stopped amid its chats none comes in: the next try takes all of them.
    if !stop.get() {
        intake.take_chats(chats).await?;
    }
    Ok(())
}

/// Takes in backups of personas, and says what came of it.
pub async fn take_personas(app: App, files: Vec<File>, taking: Taking) {
    taking.fault.set(None);
    let desk = app.desk();
    let mut refused = Vec::new();
    let mut rows = Vec::new();
    match Intake::begin(&desk, &BrowserPictures).await {
        Err(error) => refused.push(broken(error)),
        Ok(mut intake) => {
            for file in files {
                let bytes = match files::read(&file, most(Role::Personas) as usize).await {
                    Ok(Some(bytes)) => bytes,
                    Ok(None) => {
                        let why = Refusal::TooLarge { bytes: file.size() as u64, limit: most(Role::Personas) };
                        intake.refuse(&file.name(), why);
                        continue;
                    }
                    Err(error) => {
                        refused.push(unreadable(&error));
                        continue;
                    }
                };
                let taken = intake.take_only_personas(&file.name(), bytes).await;
                if let Err(error) = taken {
                    refused.push(broken(error));
                    break;
                }
            }
            rows = intake.rows;
        }
    }
    app.refresh().await;
    tell(app, rows, refused, taking.fault);
}
