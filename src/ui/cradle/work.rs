//! The work at the cradle: what is due of the reader's characters is read while the page is open, one character at a time.

use std::cell::RefCell;

use leptos::{prelude::*, task::spawn_local};
use serde_json::{Value, json};

use crate::{
    features::cradle::Cradle,
    locales::cradle::T as C,
    ports::Clock,
    story::{fault::FaultKind, ids::CharacterId, settings::Preferences, storyline::Language},
    turn::{
        cradle,
        scribe::{Miss, Progress},
        stream::{Stop, Stopper, stopper},
    },
    ui::{app::App, state::NoticeKind},
    web::clock::BrowserClock,
};

/// Milliseconds until it is looked again what is due.
const LOOK: u32 = 30_000;
/// Where the preferences name those that were begun on this machine: what comes in a file calls no model by itself.
const BEGUN: &str = "cradles";

/// What is done with a character.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Doing {
    /// What is due is read; how far that is.
    Growing(Option<Progress>),
    /// Its next step is looked at.
    Looking,
}

/// With whom something is done, and what.
pub type At = Option<(CharacterId, Doing)>;

thread_local! {
    static AT: ArcRwSignal<At> = ArcRwSignal::new(None);
    /// Rises as time passes.
    static TICK: ArcRwSignal<u32> = ArcRwSignal::new(0);
    static STOP: RefCell<Option<Stopper>> = const { RefCell::new(None) };
}

pub fn at() -> ArcRwSignal<At> {
    AT.with(Clone::clone)
}

pub fn tick() -> ArcRwSignal<u32> {
    TICK.with(Clone::clone)
}

pub fn stop() {
    STOP.with_borrow_mut(|stop| {
        if let Some(stop) = stop {
            stop.stop(FaultKind::Stopped);
        }
    });
}

fn begun_here(preferences: &Preferences) -> Vec<CharacterId> {
    let list = preferences.extra.get(BEGUN).and_then(Value::as_array).into_iter().flatten();
    list.filter_map(Value::as_str).map(Into::into).collect()
}

pub fn is_begun_here(app: App, id: &CharacterId) -> bool {
    app.preferences.with(|preferences| begun_here(preferences).contains(id))
}

/// From now on it grows on this machine.
pub fn begin_here(app: App, id: &CharacterId) {
    let id = id.clone();
    app.prefer(move |preferences| {
        let mut all = begun_here(preferences);
        if !all.contains(&id) {
            all.push(id.clone());
        }
        preferences.extra.insert(BEGUN.into(), json!(all));
    });
}

/// Looks after all that grow, as long as the page lives.
pub fn rock(app: App) {
    spawn_local(async move {
        loop {
            TICK.with(|tick| tick.update(|count| *count += 1));
            let here = app.preferences.with_untracked(begun_here);
            for id in here {
                if app.desk().is_due(&id).await.unwrap_or_default() {
                    grow(app, &id, false).await;
                }
            }
            BrowserClock.sleep(LOOK).await;
        }
    });
}

/// Does what is due of a character, unless somebody is at it. `asked`: somebody waits for it.
pub async fn grow(app: App, id: &CharacterId, asked: bool) {
    let due = async |stop: Stop, progress: &dyn Fn(Progress)| {
        cradle::grow(&app.browser().ports, id, stop, progress).await.map(drop)
    };
    alone(app, id, Doing::Growing(None), asked, due).await;
    say_ripe(app, id);
}

/// Asks for its next step, to be looked at; says why there is none.
pub async fn look_ahead(app: App, id: &CharacterId) {
    let ahead = async |stop: Stop, _: &dyn Fn(Progress)| cradle::look_ahead(&app.browser().ports, id, stop).await;
    if let Some(miss) = alone(app, id, Doing::Looking, true, ahead).await {
        match miss {
            Miss::Fault(fault) if fault.kind == FaultKind::Stopped => {}
            Miss::Fault(fault) => app.notify_fault(&fault),
            Miss::Unusable => app.notify(NoticeKind::Error, |language| C::Unusable.text(language).to_owned()),
        }
    }
}

/// Does something with a character, once nobody else is at it, and says why it was not done where it was tried.
async fn alone(
    app: App,
    id: &CharacterId,
    doing: Doing,
    asked: bool,
    work: impl AsyncFn(Stop, &dyn Fn(Progress)) -> Result<(), Miss>,
) -> Option<Miss> {
    let at = at();
    if at.with_untracked(Option::is_some) {
        return None;
    }
    let browser = app.browser();
    let lock = format!("cradle:{id}");
    // At once: who asks meanwhile finds it so.
    at.set(Some((id.clone(), doing)));
    if !browser.tabs.acquire(&lock).await {
        at.set(None);
        if asked {
            app.notify(NoticeKind::Info, |language| C::Elsewhere.text(language).to_owned());
        }
        return None;
    }
    let missed = loop {
        let (stopper, stop) = stopper();
        STOP.set(Some(stopper));
        at.set(Some((id.clone(), doing)));
        let told = at.clone();
        let progress = |now| told.set(Some((id.clone(), Doing::Growing(Some(now)))));
        let outcome = work(stop, &progress).await;
        let wants_key = |miss: &Miss| miss.fault().is_some_and(|fault| fault.kind == FaultKind::KeyMissing);
        match outcome {
            Err(miss) if asked && wants_key(&miss) && ask_for_key(app).await => {}
            outcome => break outcome.err(),
        }
    };
    STOP.take();
    at.set(None);
    browser.tabs.release(&lock);
    app.refresh().await;
    missed
}

async fn ask_for_key(app: App) -> bool {
    match app.desk().connection(&Default::default()).await {
        Ok(connection) => app.asking_key.ask(app, connection).await,
        Err(_) => false,
    }
}

/// Whoever is not looking is told.
fn say_ripe(app: App, id: &CharacterId) {
    let route = crate::ui::route::Route::Cradle(Some(id.clone()));
    let character = app.character(id);
    let is_ripe = character.as_ref().and_then(Cradle::of).is_some_and(|cradle| cradle.is_ripe());
    if is_ripe && app.route.get_untracked() != route {
        let name = character.map(|character| character.name).unwrap_or_default();
        app.notify(NoticeKind::Info, move |language: Language| {
            format!("{}{}{}", name, language.pick("：", ": "), C::Ripe.text(language))
        });
    }
}
