//! A story read aloud: sentence by sentence, from a turn on, until it ends or is stopped.

use leptos::{prelude::*, task::spawn_local};

use super::{
    app::App,
    fields::SelectField,
    icons::{Icon, Shape},
    state::NoticeKind,
};
use crate::{
    desk::aloud::of_turn,
    locales::{aloud::T, fill},
    story::{script::Place, settings::Preferences, storyline::Language},
    web::voice,
};

/// Begins at the first sentence of a turn, in the place of what was read before.
pub async fn begin(app: App, position: u32) {
    let round = hush(app);
    if voice::names(language_of(app)).await.is_empty() {
        return app.notify(NoticeKind::Error, T::NoVoice);
    }
    match told(app, position).await {
        Some(told) if is_meant(app, round) => {
            app.story.aloud.is_paused.set(false);
            take(app, told);
            go_on(app).await;
        }
        Some(_) => {}
        None => app.notify(NoticeKind::Info, T::Nothing),
    }
}

/// Takes up a turn at its first sentence.
fn take(app: App, (sentences, position): (Vec<String>, u32)) {
    let aloud = app.story.aloud;
    aloud.at.set(0);
    aloud.position.set(position);
    aloud.lines.set(sentences.join("\n"));
}

/// Says one sentence after the other, from the one that it stands at; goes over to the next turn.
async fn go_on(app: App) {
    let (aloud, round) = (app.story.aloud, next_round(app));
    while untrack(|| aloud.is_on()) && !aloud.is_paused.get_untracked() {
        let Some(sentence) = untrack(|| aloud.sentence()) else {
            match told(app, aloud.position.get_untracked() + 1).await {
                Some(told) if is_meant(app, round) => take(app, told),
                Some(_) => return,
                None => return stop(app),
            }
            continue;
        };
        let language = language_of(app);
        let (name, rate) = app.preferences.with_untracked(|all| (all.voice(language).to_owned(), all.voice_rate));
        let said = voice::say(&sentence, language, &name, f64::from(rate) / 100.0).await;
        // Another sentence was asked for, or none.
        if !is_meant(app, round) {
            return;
        }
        match said {
            Ok(()) => step(app, 1),
            Err(voice::Silent) => {
                pause(app);
                return app.notify(NoticeKind::Error, T::NotSaid);
            }
        }
    }
}

/// Something else is to be said from now on.
fn next_round(app: App) -> u64 {
    let round = app.story.aloud.round;
    round.update_value(|round| *round += 1);
    round.get_value()
}

fn is_meant(app: App, round: u64) -> bool {
    app.story.aloud.round.get_value() == round
}

/// The sentences of the first turn from this one on that has any.
async fn told(app: App, from: u32) -> Option<(Vec<String>, u32)> {
    let path = app.story.path.get_untracked();
    for position in from..path.end {
        let nodes = app.desk().turns(&path, position..position + 1).await.unwrap_or_else(|error| {
            app.notify_store(error);
            Vec::new()
        });
        let shown = |text, is_reply| {
            let place = if is_reply { Place::Reply } else { Place::Reader };
            untrack(|| app.story.shown(text, place, position))
        };
        let sentences = nodes.first().map(|node| of_turn(node, shown)).unwrap_or_default();
        if !sentences.is_empty() {
            return Some((sentences, position));
        }
    }
    None
}

fn language_of(app: App) -> Language {
    app.story.storyline.with_untracked(|open| open.as_ref().map_or(Language::En, |open| open.language))
}

fn step(app: App, by: isize) {
    app.story.aloud.at.update(|at| *at = at.saturating_add_signed(by));
}

fn pause(app: App) {
    app.story.aloud.is_paused.set(true);
    hush(app);
}

/// What is being said ends here, and is not taken for a voice that failed.
fn hush(app: App) -> u64 {
    let round = next_round(app);
    voice::hush();
    round
}

pub fn stop(app: App) {
    app.story.aloud.lines.set(String::new());
    hush(app);
}

/// What is being read, and what can be done about it.
#[component]
pub fn AloudBar() -> impl IntoView {
    let app = App::here();
    let aloud = app.story.aloud;
    on_cleanup(move || stop(app));
    let is_on = Memo::new(move |_| aloud.is_on());
    let is_paused = aloud.is_paused;
    let position = Memo::new(move |_| aloud.is_on().then(|| aloud.position.get()));
    let sentence = move || aloud.sentence();
    // The page goes along.
    Effect::new(move |before: Option<Option<u32>>| {
        let now = position.get();
        if let (Some(Some(before)), Some(now)) = (before, now)
            && before != now
        {
            spawn_local(app.story.jump_to(app, now));
        }
        now
    });
    let again = move || {
        hush(app);
        spawn_local(go_on(app));
    };
    let flip = move |_| {
        if is_paused.get_untracked() {
            is_paused.set(false);
            again();
        } else {
            pause(app);
        }
    };
    let go = move |by: isize| {
        // Past the last one the next turn is on its way.
        if untrack(|| aloud.sentence()).is_none() {
            return;
        }
        step(app, by);
        if !is_paused.get_untracked() {
            again();
        }
    };
    let label = move || app.t(if is_paused.get() { T::GoOn } else { T::Pause })();
    view! {
        <Show when=move || is_on.get()>
            <section class="aloud" data-testid="aloud" aria-label=app.t(T::Aloud)>
                <p class="aloud-at number">{move || position.get().map(|at| fill(app.t(T::Playing)(), &[&at.to_string()]))}</p>
                <p class="aloud-text" dir="auto" data-testid="aloud-sentence">{sentence}</p>
                <div class="aloud-row">
                    <button type="button" class="icon-button" data-testid="aloud-back" aria-label=app.t(T::Back) title=app.t(T::Back) on:click=move |_| go(-1)><Icon shape=Shape::CHEVRON_LEFT /></button>
                    <button type="button" class="icon-button" data-testid="aloud-pause" aria-label=label title=label on:click=flip>
                        {move || view! { <Icon shape=if is_paused.get() { Shape::PLAY } else { Shape::PAUSE } /> }}
                    </button>
                    <button type="button" class="icon-button" data-testid="aloud-forth" aria-label=app.t(T::Forth) title=app.t(T::Forth) on:click=move |_| go(1)><Icon shape=Shape::CHEVRON_RIGHT /></button>
                    <Voices again=Callback::new(move |()| if !is_paused.get_untracked() { again() }) />
                    <button type="button" class="icon-button" data-testid="aloud-stop" aria-label=app.t(T::Stop) title=app.t(T::Stop) on:click=move |_| stop(app)><Icon shape=Shape::X /></button>
                </div>
            </section>
        </Show>
    }
}

const RATES: [u32; 6] = [70, 85, 100, 115, 130, 160];

/// Which voice, and how fast: both are kept.
#[component]
fn Voices(again: Callback<()>) -> impl IntoView {
    let app = App::here();
    let language = language_of(app);
    let names = RwSignal::new(Vec::new());
    spawn_local(async move {
        let found = voice::names(language).await;
        names.try_set(found);
    });
    let name = RwSignal::new(app.preferences.with_untracked(|all| all.voice(language).to_owned()));
    let rate = RwSignal::new(app.preferences.with_untracked(|all| all.voice_rate).to_string());
    let voices = Signal::derive(move || {
        let usual = [(String::new(), app.t(T::UsualVoice)().to_owned())];
        usual.into_iter().chain(names.get().into_iter().map(|name| (name.clone(), name))).collect::<Vec<_>>()
    });
    let rates = RATES.map(|rate| (rate.to_string(), format!("{rate} %"))).to_vec();
    let keep = move |change: Box<dyn Fn(&mut Preferences)>| {
        app.prefer(move |preferences| change(preferences));
        again.run(());
    };
    let set_voice = move |_| {
        let name = name.get_untracked();
        keep(Box::new(move |preferences| preferences.set_voice(language, name.clone())));
    };
    let set_rate = move |_| {
        let rate = rate.get_untracked().parse().unwrap_or(100);
        keep(Box::new(move |preferences| preferences.voice_rate = rate));
    };
    view! {
        <SelectField label=app.t(T::Voice) value=name options=voices testid="aloud-voice" on:change=set_voice />
        <SelectField label=app.t(T::Rate) value=rate options=Signal::stored(rates) testid="aloud-rate" on:change=set_rate />
    }
}
