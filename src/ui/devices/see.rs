//! Pictures that lie in the reader's storage come when they are seen.

use std::{cell::RefCell, collections::BTreeSet};

use leptos::prelude::*;

use super::run::Devices;
use crate::{
    desk::StoredPicture,
    ports::Clock,
    story::ids::BlobId,
    sync::{self, Trouble},
    ui::app::App,
    web::{clock::BrowserClock, window},
};

/// Milliseconds after which is looked again whether it has come, or been told of.
const LOOK: u32 = 700;
/// The same where it could not be fetched.
const AGAIN: u32 = 5_000;
/// Pictures that are fetched at a time: of a page full of them each would wait for all others.
const AT_ONCE: usize = 4;

thread_local!(static COMING: RefCell<BTreeSet<BlobId>> = RefCell::default());

/// Media type and bytes of a picture that was not here; `None`: nobody has it.
pub async fn see(app: App, id: BlobId) -> Option<StoredPicture> {
    let devices = Devices::here();
    loop {
        if let Some(picture) = app.desk().picture(&id).await.ok()? {
            return Some(picture);
        }
        let is_free = COMING.with_borrow(|coming| coming.len() < AT_ONCE && !coming.contains(&id));
        let mut look = LOOK;
        if is_free {
            COMING.with_borrow_mut(|coming| coming.insert(id.clone()));
            let come = fetch(app, &devices, &id).await;
            COMING.with_borrow_mut(|coming| coming.remove(&id));
            match come {
                Ok(Some(true)) => continue,
                // What is being taken in may tell of it.
                Ok(None) if devices.is_at_it() => {}
                _ if devices.is_at_it() => look = AGAIN,
                _ => return None,
            }
        }
        BrowserClock.sleep(look).await;
    }
}

async fn fetch(app: App, devices: &Devices, id: &BlobId) -> Result<Option<bool>, Trouble> {
    if devices.site.get_untracked().is_none() {
        // The page may have just been opened.
        devices.read(app).await;
    }
    // Who looks has asked for it, also where data is to be saved.
    let is_online = window().navigator().on_line();
    let Some(site) = devices.site.get_untracked().filter(|_| is_online) else { return Ok(None) };
    let Some(open) = devices.opened(app, &site).await? else { return Ok(None) };
    sync::see(&app.browser().ports, &open.remote, &open.seal, id.as_str()).await
}
