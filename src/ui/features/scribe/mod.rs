//! The scribe of one story: it reads after a turn, its settings, and how it catches up.

mod catch_up;

use leptos::prelude::*;

use self::catch_up::CatchUp;
use crate::ports::Clock;
use crate::{
    features::scribe::{Cadence, ScribeSettings},
    locales::{
        mind::T as M,
        scribe::T as S,
        warnings::{FieldWords, range_words},
    },
    story::{
        fault::{Fault, FaultKind},
        figures::ungrouped,
        ids::{ConnectionId, StorylineId},
        preset::Preset,
        settings::RangeFault,
        spending::Kind,
        storyline::Storyline,
    },
    turn::{
        scribe::{Miss, Progress},
        stream::{Stop, stopper},
    },
    ui::{
        app::App,
        fields::{CheckField, SelectField},
        settings::{WholeNumber, mirror},
        story::change_played,
    },
    web::clock::BrowserClock,
};

/// Milliseconds between looks at a turn that is being played: what was noted meanwhile is shown when it has ended.
pub const LOOK: u32 = 100;

fn say(app: App, text: S) -> impl Fn() -> &'static str + Copy + Send + Sync + 'static {
    move || text.text(app.language.get())
}

/// A storyline in which something is written behind a turn: nobody else writes there until this is gone.
pub struct Reading {
    app: App,
    id: StorylineId,
}

impl Reading {
    /// `None`: it reads there already.
    pub fn begin(app: App, id: &StorylineId) -> Option<(Self, Stop)> {
        let is_there = app.story.scribing.with_untracked(|all| all.iter().any(|(reading, _)| reading == id));
        if is_there {
            return None;
        }
        let (stopper, stop) = stopper();
        app.story.scribe_stops.update_value(|stops| stops.push((id.clone(), stopper)));
        app.story.scribing.update(|all| all.push((id.clone(), None)));
        Some((Self { app, id: id.clone() }, stop))
    }

    fn come_to(&self, progress: Progress) {
        let come = |(id, at): &mut (StorylineId, Option<Progress>)| {
            if *id == self.id {
                *at = Some(progress);
            }
        };
        self.app.story.scribing.update(|all| all.iter_mut().for_each(come));
    }

    /// Shows what was noted, once no turn is being played.
    pub async fn end(self) {
        let Self { app, id } = self;
        app.story.scribe_stops.update_value(|stops| stops.retain(|(reading, _)| *reading != id));
        app.story.scribing.update(|all| all.retain(|(reading, _)| *reading != id));
        app.story.rest(app, &id);
        while app.story.is_taken(&id) {
            BrowserClock.sleep(LOOK).await;
        }
        if app.story.is_open(id.as_str()) {
            app.story.reload(app).await;
        }
    }
}

/// Does something behind a turn, once nothing else is written there.
pub async fn alone<T>(app: App, id: &StorylineId, work: impl AsyncFnOnce(Stop) -> T) -> T {
    let (writing, stop) = loop {
        match Reading::begin(app, id) {
            Some(begun) => break begun,
            None => BrowserClock.sleep(LOOK).await,
        }
    };
    let outcome = work(stop).await;
    writing.end().await;
    outcome
}

/// Lets the scribe read what is due, and what became due meanwhile; `asked`: in any case, and then its key is asked for
/// where that is not at hand. What goes wrong is said at the reply.
pub async fn read(app: App, id: StorylineId, asked: bool) {
    loop {
        let Some((reading, stop)) = Reading::begin(app, &id) else {
            if !asked {
                return;
            }
            // It looks whether something is due: what was asked for is not lost in that.
            BrowserClock.sleep(LOOK).await;
            continue;
        };
        let outcome = app.conductor().scribe(&id, asked, stop).await;
        reading.end().await;
        match outcome {
            Ok(true) if !asked => {}
            Err(miss) if asked && wants_key(&miss) && ask_for_key(app, &id, chosen(app)).await => {}
            Err(miss) if asked && wants_leave(&miss) && app.asking_budget.ask(app, &id, Kind::Scribe).await => {}
            Err(Miss::Fault(fault)) if is_stores(&fault) => return app.notify_fault(&fault),
            _ => return,
        }
    }
}

/// Of a store that fails nothing can be said at a reply.
fn is_stores(fault: &Fault) -> bool {
    matches!(fault.kind, FaultKind::StorageFull | FaultKind::StorageFailed)
}

fn wants_key(miss: &Miss) -> bool {
    miss.fault().is_some_and(|fault| fault.kind == FaultKind::KeyMissing)
}

fn wants_leave(miss: &Miss) -> bool {
    miss.fault().is_some_and(|fault| fault.kind == FaultKind::OverBudget)
}

fn chosen(app: App) -> Option<ConnectionId> {
    untrack(|| app.story.played(|story, preset| settings(story, preset).connection)).flatten()
}

/// Asks for the key of the connection that writes in a story, while it is open: the chosen one, or the story's own.
pub async fn ask_for_key(app: App, of: &StorylineId, chosen: Option<ConnectionId>) -> bool {
    let Some(storyline) = app.story.opened(of) else { return false };
    let named =
        app.connections.with_untracked(|list| list.iter().find(|one| Some(&one.id) == chosen.as_ref()).cloned());
    let connection = match named {
        Some(connection) => connection,
        None => match app.desk().connection(&storyline).await {
            Ok(connection) => connection,
            Err(fault) => {
                app.notify_fault(&fault);
                return false;
            }
        },
    };
    app.asking_key.ask(app, connection).await
}

fn write(app: App, set: impl FnOnce(&mut ScribeSettings) + 'static) {
    change_played(app, move |storyline, preset| storyline.change_settings(preset, set));
}

fn settings(story: &Storyline, preset: &Preset) -> ScribeSettings {
    story.settings(preset)
}

const MIN: u32 = 1;
const MAX: u32 = 50;

fn read_turns(text: &str) -> Result<u32, RangeFault> {
    let value = ungrouped(text).parse().ok().filter(|n| (MIN..=MAX).contains(n));
    value.ok_or(RangeFault { min: MIN, max: MAX })
}

#[component]
pub fn ScribeForm() -> impl IntoView {
    let app = App::here();
    let enabled = mirror(app, |story, preset| settings(story, preset).enabled.to_string());
    let connection = mirror(app, |story, preset| settings(story, preset).connection.unwrap_or_default().0);
    let cadence = mirror(app, |story, preset| settings(story, preset).cadence.name().to_owned());
    let turns = mirror(app, |story, preset| settings(story, preset).turns.to_string());
    let connections = Signal::derive(move || {
        let own = (String::new(), say(app, S::Same)().to_owned());
        let named =
            app.connections.with(|list| list.iter().map(|c| (c.id.0.clone(), c.name.clone())).collect::<Vec<_>>());
        std::iter::once(own).chain(named).collect::<Vec<_>>()
    });
    let cadences = Signal::derive(move || {
        Cadence::ALL
            .map(|cadence| {
                let words = match cadence {
                    Cadence::EveryTurn => S::EveryTurn,
                    Cadence::SomeTurns => S::SomeTurns,
                    Cadence::Eventful => S::Eventful,
                };
                (cadence.name().to_owned(), say(app, words)().to_owned())
            })
            .to_vec()
    });
    let is = move |wanted: Cadence| cadence.with(|cadence| cadence == wanted.name());
    let fault =
        Signal::derive(move || read_turns(&turns.get()).err().map(|fault| range_words(fault, app.language.get())));
    let words =
        Signal::derive(move || FieldWords { label: say(app, S::Turns)(), unit: say(app, S::TurnsUnit)(), hint: "" });
    let choose = move |_| {
        let chosen = connection.get_untracked();
        write(app, move |settings| settings.connection = (!chosen.is_empty()).then(|| chosen.into()));
    };
    let keep_cadence = move |_| {
        if let Some(cadence) = Cadence::from_name(&cadence.get_untracked()) {
            write(app, move |settings| settings.cadence = cadence);
        }
    };
    let keep_on = move |on: bool| {
        enabled.set(on.to_string());
        write(app, move |settings| settings.enabled = on);
    };
    let keep_turns = move |_| {
        if let Ok(turns) = read_turns(&turns.get_untracked()) {
            write(app, move |settings| settings.turns = turns);
        }
    };
    view! {
        <fieldset class="form plain-fieldset" disabled=move || !app.story.writer.get() aria-label=say(app, S::Title)>
            <CheckField label=app.t(M::ScribeOn) is_on=Signal::derive(move || enabled.get() == "true") set=keep_on testid="scribe-enabled"
                hint=Signal::derive(say(app, S::Hint)) />
            <SelectField label=Signal::derive(say(app, S::Connection)) value=connection options=connections testid="scribe-connection" on:change=choose />
            <Show when=move || enabled.get() == "true">
                <SelectField label=Signal::derive(say(app, S::Cadence)) value=cadence options=cadences testid="scribe-cadence" on:change=keep_cadence />
                <Show when=move || is(Cadence::SomeTurns)>
                    <WholeNumber words text=turns fault testid="scribe-turns" fault_testid="scribe-error" on:change=keep_turns />
                </Show>
                <Show when=move || is(Cadence::Eventful)>
                    <p class="field-note">{say(app, S::EventfulHint)}</p>
                </Show>
            </Show>
            <CatchUp />
        </fieldset>
    }
}
