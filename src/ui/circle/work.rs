//! The work of the circle: what is due is done while the page is open, one after the other, in one tab.

use std::cell::{Cell, RefCell};

use leptos::{prelude::*, task::spawn_local};

use crate::{
    features::circle::{Act, Due, Part, Rhythm, parts},
    locales::circle::T as C,
    ports::Clock,
    story::{
        Millis,
        fault::{Fault, FaultKind},
    },
    turn::{
        circle::{self, Used},
        scribe::Miss,
        stream::{Stopper, stopper},
    },
    ui::{app::App, state::NoticeKind},
    web::clock::BrowserClock,
};

/// Milliseconds until it is looked again what is due.
const LOOK: u32 = 10_000;
/// What failed is not tried again by itself within this, and each time within twice as long.
const PATIENCE: Millis = 60_000;
/// Who was stopped is not asked again by itself within this.
const HUSH: Millis = 10 * 60_000;
/// By which tabs know who is at it.
const LOCK: &str = "circle";

/// Why the newest try came to nothing; without a fault its answer could not be used.
#[derive(Clone, PartialEq)]
pub struct Missed {
    pub fault: Option<Fault>,
    /// What was to be done.
    pub due: Due,
    at: Millis,
    /// How many in a row.
    times: u32,
}

impl Missed {
    fn is_over(&self, now: Millis) -> bool {
        self.at + (PATIENCE << self.times.saturating_sub(1).min(8)) < now
    }
}

thread_local! {
    /// Who is asked for what.
    static AT: ArcRwSignal<Option<Due>> = ArcRwSignal::new(None);
    static MISSED: ArcRwSignal<Option<Missed>> = ArcRwSignal::new(None);
    /// What comes next by itself, and what of the day is used.
    static STANDING: ArcRwSignal<(Option<Due>, Used)> = ArcRwSignal::new(Default::default());
    /// Rises as something was said.
    static SAID: ArcRwSignal<u32> = ArcRwSignal::new(0);
    static STOP: RefCell<Option<Stopper>> = const { RefCell::new(None) };
    /// Until when nobody speaks by itself, for the reader has stopped somebody.
    static HUSHED: Cell<Millis> = const { Cell::new(0) };
}

pub fn at() -> ArcRwSignal<Option<Due>> {
    AT.with(Clone::clone)
}

pub fn missed() -> ArcRwSignal<Option<Missed>> {
    MISSED.with(Clone::clone)
}

pub fn standing() -> ArcRwSignal<(Option<Due>, Used)> {
    STANDING.with(Clone::clone)
}

pub fn said() -> ArcRwSignal<u32> {
    SAID.with(Clone::clone)
}

/// Something was said or done: what shows it is read anew.
pub fn stir() {
    SAID.with(|said| said.update(|times| *times = times.wrapping_add(1)));
}

pub fn stop() {
    HUSHED.set(BrowserClock.now() + HUSH);
    STOP.with_borrow_mut(|stop| {
        if let Some(stop) = stop {
            stop.stop(FaultKind::Stopped);
        }
    });
}

pub fn rhythm(app: App) -> Rhythm {
    app.preferences.with_untracked(Rhythm::of)
}

pub fn members(app: App) -> Vec<Part> {
    app.characters.with_untracked(|all| parts(all))
}

/// What the standing is reckoned from.
#[derive(Clone, PartialEq)]
struct Grounds {
    said: u32,
    elsewhere: u32,
    members: Vec<Part>,
    rhythm: Rhythm,
}

impl Grounds {
    fn now(app: App) -> Self {
        Self {
            said: SAID.with(|said| said.get_untracked()),
            elsewhere: app.shared_elsewhere.get_untracked(),
            members: members(app),
            rhythm: rhythm(app),
        }
    }
}

/// Goes round as long as the page lives. Posts are read where something has changed, and else only the clock.
pub fn go_round(app: App) {
    spawn_local(async move {
        let mut grounds = None;
        loop {
            let now = Grounds::now(app);
            if grounds.as_ref() != Some(&now) {
                count(app).await;
                grounds = Some(now);
            }
            let is_due = |due: &Due| due.at <= BrowserClock.now();
            let is_time =
                STANDING.with(|standing| standing.with_untracked(|(next, _)| next.as_ref().is_some_and(is_due)));
            let waits = MISSED.with(|missed| {
                missed
                    .with_untracked(|missed| missed.as_ref().is_some_and(|missed| !missed.is_over(BrowserClock.now())))
            });
            let waits = waits || HUSHED.get() > BrowserClock.now();
            if is_time && !waits && !used(app).await.is_up(&rhythm(app)) {
                alone(app, false, async |app| {
                    // By now another tab may have done it.
                    let next = async || circle::next(&app.browser().ports, &members(app), rhythm(app).pace).await;
                    while let Some(due) = next().await.ok().flatten().filter(is_due) {
                        if used(app).await.is_up(&rhythm(app)) || !one(app, due, false).await {
                            break;
                        }
                    }
                })
                .await;
            }
            BrowserClock.sleep(LOOK).await;
        }
    });
}

/// What is unread, what comes next, what is used.
pub async fn count(app: App) {
    let rhythm = rhythm(app);
    app.unread.set(app.desk().unread_posts(rhythm.read).await.unwrap_or_default());
    let next = circle::next(&app.browser().ports, &members(app), rhythm.pace).await.unwrap_or_default();
    let used = used(app).await;
    STANDING.with(|standing| {
        if standing.with_untracked(|now| *now != (next.clone(), used)) {
            standing.set((next, used));
        }
    });
}

async fn used(app: App) -> Used {
    circle::used(&app.browser().ports).await.unwrap_or_default()
}

/// Does what the reader asks for, one after the other.
pub async fn ask(app: App, all: Vec<Due>) {
    alone(app, true, async |app| {
        for due in all {
            if !one(app, due, true).await {
                break;
            }
        }
    })
    .await;
}

/// Nobody else is at it meanwhile, of this tab or another. `asked`: somebody waits for it.
async fn alone(app: App, asked: bool, work: impl AsyncFnOnce(App)) {
    if AT.with(|at| at.with_untracked(Option::is_some)) {
        return;
    }
    let tabs = app.browser().tabs;
    if !tabs.acquire(LOCK).await {
        if asked {
            app.notify(NoticeKind::Info, |language| C::Elsewhere.text(language).to_owned());
        }
        return;
    }
    work(app).await;
    tabs.release(LOCK);
}

/// Whether it went on.
async fn one(app: App, due: Due, asked: bool) -> bool {
    let language = rhythm(app).language.unwrap_or(app.language.get_untracked());
    let outcome = loop {
        let (stopper, stop) = stopper();
        STOP.set(Some(stopper));
        AT.with(|at| at.set(Some(due.clone())));
        let outcome = circle::act(&app.browser().ports, &due, language, stop).await;
        let wants_key = |miss: &Miss| miss.fault().is_some_and(|fault| fault.kind == FaultKind::KeyMissing);
        match outcome {
            Err(miss) if asked && wants_key(&miss) && ask_for_key(app).await => {}
            outcome => break outcome,
        }
    };
    STOP.take();
    AT.with(|at| at.set(None));
    let kept = match &outcome {
        Ok(_) => None,
        // Whoever stopped it knows.
        Err(miss) if miss.fault().is_some_and(|fault| fault.kind == FaultKind::Stopped) => None,
        Err(miss) => {
            let times =
                MISSED.with(|missed| missed.with_untracked(|missed| missed.as_ref().map_or(0, |m| m.times))) + 1;
            Some(Missed { fault: miss.fault().cloned(), due: due.clone(), at: BrowserClock.now(), times })
        }
    };
    MISSED.with(|missed| missed.set(kept));
    if due.act == Act::Post {
        // When it posted last is kept with it.
        app.refresh().await;
    }
    stir();
    count(app).await;
    // What cannot be used counts as silence: the next may have something to say.
    matches!(outcome, Ok(_) | Err(Miss::Unusable))
}

async fn ask_for_key(app: App) -> bool {
    match app.desk().connection(&Default::default()).await {
        Ok(connection) => app.asking_key.ask(app, connection).await,
        Err(_) => false,
    }
}
