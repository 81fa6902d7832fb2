//! When a round is due: at the start, after what was changed here, now and then for what others told, and on the way out.

use leptos::{ev, prelude::*, task::spawn_local};

use super::run::{Devices, LOCK, Says, asks, is_hidden, secrets};
use crate::{
    ports::Clock,
    sync::Trouble,
    ui::app::App,
    web::{clock::BrowserClock, storage, window},
};

/// Milliseconds after which is looked whether something has changed here.
pub(super) const LOOK: u32 = 4_000;
/// So many looks after which the others are asked, though nothing has: whether those that are known have written another pack.
const ASK: u32 = 15;
/// Of so many times one is a whole round, with the list of all that is there: it finds devices that are new.
const LISTS: u32 = 5;
/// The same after something went wrong.
const AGAIN: u32 = 8;
/// Whether the system asks to save data.
fn is_metered() -> bool {
    let connection = js_sys::Reflect::get(&window().navigator(), &"connection".into());
    connection
        .and_then(|connection| js_sys::Reflect::get(&connection, &"saveData".into()))
        .is_ok_and(|save| save.is_truthy())
}

/// Syncs as long as the page is open.
pub fn follow(app: App) {
    let devices = Devices::here();
    let leaving = devices.clone();
    let on_leaving = move |_| {
        if !is_hidden() || leaving.site.get_untracked().is_none() {
            return;
        }
        let devices = leaving.clone();
        spawn_local(async move {
            let is_quiet = app.story.all_taken().is_empty() && !devices.says.with_untracked(asks);
            if is_quiet && may_go(&devices) && app.desk().left_to_tell().await.is_ok_and(|left| left > 0) {
                devices.tell(app).await;
            } else if devices.says.get_untracked() != Says::Syncing {
                app.browser().tabs.release(LOCK);
            }
        });
    };
    // As long as the page.
    let _ = window_event_listener(ev::visibilitychange, on_leaving);
    let back = devices.clone();
    let _ = window_event_listener(ev::online, move |_| {
        // What found no network is tried again at the next look.
        if matches!(back.says.get_untracked(), Says::Trouble(Trouble::Unreachable(_))) {
            back.says.set(Says::Waits);
        }
    });
    spawn_local(async move {
        devices.read(app).await;
        if devices.site.get_untracked().is_some() {
            // The marker outside of the database may have been cleared.
            storage::set_synced(true);
        }
        let (mut looks, mut asked, mut held) = (ASK, 0_u32, 0_u32);
        loop {
            if devices.site.get_untracked().is_some() && is_due(&devices, app, looks, held).await {
                let asks = looks >= ASK;
                let goes_on = devices.report.with_untracked(|report| report.goes_on);
                match goes_on || asks && asked.is_multiple_of(LISTS) {
                    true => devices.round(app).await,
                    false => devices.tell(app).await,
                }
                asked += u32::from(asks);
                held = if devices.report.with_untracked(|report| report.holds) { held + 1 } else { 0 };
                let is_well = devices.says.get_untracked() == Says::Done;
                if asks || !is_well || devices.report.with_untracked(|report| report.hears || report.holds) {
                    looks = 0;
                }
            }
            BrowserClock.sleep(LOOK).await;
            looks += 1;
        }
    });
}

/// Says why not, where it may not.
fn may_go(devices: &Devices) -> bool {
    let why = match (window().navigator().on_line(), is_metered()) {
        (false, _) => Says::Waits,
        (_, true) => Says::Metered,
        _ => return true,
    };
    // A round under way says itself how it ends.
    if !devices.is_at_it() && devices.says.get_untracked() != why {
        devices.says.set(why);
    }
    false
}

/// After so many `looks` since the last round, of which the last ones, so many, `held` something back.
async fn is_due(devices: &Devices, app: App, looks: u32, held: u32) -> bool {
    // What changes while a reply comes is told with it.
    if !app.story.all_taken().is_empty() {
        return false;
    }
    let again = match devices.says.get_untracked() {
        Says::Syncing => return false,
        // The keys may have been unlocked meanwhile.
        Says::Locked | Says::Sealed => secrets(app).await.is_some(),
        Says::Trouble(Trouble::Passphrase | Trouble::Refused(_) | Trouble::NoSuchPlace(_)) => return false,
        Says::Trouble(_) | Says::Elsewhere => looks >= AGAIN,
        Says::Nothing | Says::Waits | Says::Metered => true,
        Says::Done => {
            // A reply may have ended by the next look; a long one is not asked for each time.
            let enough = if held < 2 { held } else { AGAIN };
            devices.report.with_untracked(|report| report.goes_on)
                || devices.waits.get()
                || looks >= ASK && !is_hidden()
                || looks >= enough && app.desk().left_to_tell().await.is_ok_and(|left| left > 0)
        }
    };
    again && may_go(devices)
}
