//! What can be set for one story, in the notebook: its title, its model, its reader.

use std::sync::Arc;

use leptos::{prelude::*, task::spawn_local};

use super::sessions::Sessions;
use crate::{
    exchange::names::tidy_name,
    features::{
        circle::{self, CircleSettings},
        director, persona, world,
    },
    locales::{AnyText, T, costs, fill, group, mind::T as M, personas::T as P, time},
    ports::Clock,
    prompt::builtin::BUILTIN,
    story::{
        preset::Preset,
        storyline::{Language, Storyline},
    },
    ui::{
        about,
        app::App,
        chunks::Desk,
        features::{note::AuthorNote, planner::Planner, recall::RecallControls, scripts::StoryScripts},
        fields::{SelectField, TextField},
        mind::Switch,
        personas,
        savepoints::SavePoints,
        story::{change_played, change_story},
    },
    web::{clock::BrowserClock, storage},
};

#[component]
pub fn StorySettings() -> impl IntoView {
    let app = App::here();
    let id = Memo::new(move |_| app.story.storyline.with(|storyline| storyline.as_ref().map(|s| s.id.clone())));
    move || {
        id.get().map(|_| {
            view! {
                <div class="story-settings" data-testid="story-settings">
                    <SavePoints /><Controls />
                    {fold("group-settings", group::T::Title, |desk| (desk.group_form)())}
                    <AuthorNote /><RecallControls /><Planner />
                    {fold("lore-settings", T::Lorebooks, |desk| (desk.lore_form)())}
                    <StoryScripts />
                    {fold("scribe-settings", T::ModuleScribe, |desk| (desk.scribe_form)())}
                    {fold("sheet-settings", T::SheetAndPlot, |desk| (desk.sheet_form)())}
                    {fold("story-costs", costs::T::Costs, |desk| (desk.story_costs)())}
                    <Sessions /><Facts />
                </div>
            }
        })
    }
}

/// What of it is seldom looked at comes when it is asked for.
fn fold(testid: &'static str, title: impl Into<AnyText>, form: fn(Desk) -> AnyView) -> AnyView {
    let app = App::here();
    let (title, open) = (title.into(), RwSignal::new(false));
    view! {
        <details class="author-note" data-testid=testid on:toggle=move |_| open.set(true)>
            <summary>{app.t(title)}</summary>
            {move || open.get().then(|| app.chunks.desk.show(app, form))}
        </details>
    }
    .into_any()
}

#[component]
fn Controls() -> impl IntoView {
    let app = App::here();
    let title = mirror(app, |storyline, _| storyline.title.clone());
    let user = mirror(app, |storyline, _| storyline.user_name.clone());
    let connection =
        mirror(app, |storyline, _| storyline.connection.as_ref().map(|id| id.0.clone()).unwrap_or_default());
    let language = mirror(app, |storyline, _| storyline.language.name().to_owned());
    let preset = mirror(app, |storyline, _| storyline.preset.0.clone());
    let presets = presets(app, preset);
    let background =
        mirror(app, |storyline, _| storyline.background.as_ref().map(|id| id.0.clone()).unwrap_or_default());
    let backgrounds = backgrounds(app, background);
    let persona = mirror(app, |storyline, _| storyline.plays_as.as_ref().map(|id| id.0.clone()).unwrap_or_default());
    personas::follow(app);
    let personas = personas::options(app, P::Nobody);
    let play_as = move |_| {
        let wanted = personas::chosen(&persona.get_untracked());
        let name = wanted.as_ref().and_then(|id| personas::name_of(app, id.as_str()));
        change_story(app, move |storyline| {
            storyline.plays_as = wanted;
            storyline.user_name = name.unwrap_or(std::mem::take(&mut storyline.user_name));
        });
    };
    let is_demo = Memo::new(move |_| app.story.storyline.with(|storyline| storyline.as_ref().is_some_and(|s| s.demo)));

    let connections = Signal::derive(move || {
        let default = (String::new(), app.t(T::DefaultConnection)().to_owned());
        let named =
            app.connections.with(|list| list.iter().map(|c| (c.id.0.clone(), c.name.clone())).collect::<Vec<_>>());
        std::iter::once(default).chain(named).collect::<Vec<_>>()
    });
    let languages = Signal::derive(move || {
        [(Language::Zh, T::LanguageChinese), (Language::En, T::LanguageEnglish)]
            .map(|(language, label)| (language.name().to_owned(), app.t(label)().to_owned()))
            .to_vec()
    });

    let rename = move |_| {
        let (name, _) = tidy_name(&title.get_untracked());
        // A story has a title: an empty one gives way to what it was called before.
        if name.is_empty() {
            return title
                .set(app.story.storyline.with_untracked(|s| s.as_ref().map(|s| s.title.clone()).unwrap_or_default()));
        }
        change_story(app, move |storyline| storyline.title = name);
    };
    let rename_user = move |_| {
        let (name, _) = tidy_name(&user.get_untracked());
        change_story(app, move |storyline| storyline.user_name = name);
    };
    let connect = move |_| {
        let chosen = connection.get_untracked();
        change_story(app, move |storyline| storyline.connection = (!chosen.is_empty()).then(|| chosen.into()));
    };
    let frame = move |_| {
        let chosen = preset.get_untracked();
        change_story(app, move |storyline| storyline.preset = chosen.into());
    };
    let set_in = move |_| {
        let chosen = background.get_untracked();
        change_story(app, move |storyline| storyline.background = (!chosen.is_empty()).then(|| chosen.into()));
    };
    let speak = move |_| {
        let chosen = Language::from_name(&language.get_untracked()).unwrap_or_default();
        change_story(app, move |storyline| storyline.language = chosen);
    };
    view! {
        <fieldset class="form plain-fieldset" disabled=move || !app.story.writer.get() aria-label=app.t(T::TabStory)>
            <TextField label=app.t(T::StoryTitle) value=title testid="story-title" on:change=rename />
            <Show when=move || !is_demo.get()>
                <SelectField label=app.t(T::StoryConnection) value=connection options=connections testid="story-connection" on:change=connect />
                <SelectField label=app.t(T::ChoosePreset) value=preset options=presets testid="story-preset" on:change=frame />
                <SelectField label=app.t(T::ChooseBackground) value=background options=backgrounds testid="story-background"
                    hint=Signal::derive(app.t(T::SwitchBackgroundHint)) on:change=set_in />
            </Show>
            <Show when=move || !app.personas.with(Vec::is_empty)>
                <SelectField label=app.t(P::OfStory) value=persona options=personas testid="story-plays-as" on:change=play_as />
            </Show>
            <TextField label=app.t(T::YourName) value=user testid="story-user" on:change=rename_user />
            <SelectField label=app.t(T::PromptLanguage) value=language options=languages testid="story-language" on:change=speak />
            {PLAYS.map(|plays| view! { <Plays plays /> }).collect_view()}
            <Circle />
        </fieldset>
    }
}

/// The parts of a story's mind, with what their switches say.
const PLAYS: [(&str, M, &str); 3] = [
    (director::NAME, M::DirectorOn, "story-director"),
    (persona::NAME, M::PersonaOn, "story-persona"),
    (world::NAME, M::WorldOn, "story-world"),
];

#[component]
fn Plays(plays: (&'static str, M, &'static str)) -> impl IntoView {
    let app = App::here();
    let (name, label, testid) = plays;
    let on = Memo::new(move |_| app.story.played(|story, preset| story.is_on(preset, name)).unwrap_or_default());
    let flip = move |on: bool| change_played(app, move |story, preset| story.switch(preset, name, on));
    view! { <Switch on label testid flip=flip /> }
}

/// Where somebody of the story takes part in the circle: what either knows of the other.
#[component]
fn Circle() -> impl IntoView {
    let app = App::here();
    let takes_part = Memo::new(move |_| {
        let cast = app.story.storyline.with(|story| story.as_ref().map(|story| story.cast.clone())).unwrap_or_default();
        app.characters.with(|all| all.iter().any(|one| cast.contains(&one.id) && one.extra.contains_key(circle::KEY)))
    });
    let tells = Memo::new(move |_| {
        app.story.played(|story, preset| story.settings::<CircleSettings>(preset).tells).unwrap_or_default()
    });
    let tell = move |on: bool| {
        change_played(app, move |story, preset| {
            story.change_settings(preset, |settings: &mut CircleSettings| settings.tells = on);
        });
    };
    view! {
        <Show when=move || takes_part.get()>
            <Plays plays=(circle::NAME, M::CircleOn, "story-circle") />
            <Switch on=tells label=M::CircleTells testid="story-circle-tells" flip=tell />
        </Show>
    }
}

/// The built-in presets and the reader's own, which win where they have a built-in one's id. One that is gone is named
/// by its id while the story is still set to it.
fn presets(app: App, chosen: RwSignal<String>) -> Signal<Vec<(String, String)>> {
    let own = RwSignal::new(Vec::<(String, String)>::new());
    spawn_local(async move {
        match app.desk().presets().await {
            Ok(list) => _ = own.try_set(list.into_iter().map(|preset| (preset.id.0, preset.name)).collect()),
            Err(error) => app.notify_store(error),
        }
    });
    Signal::derive(move || {
        let own = own.get();
        let is_own = |id: &str| own.iter().any(|(known, _)| known == id);
        let language = app.language.get();
        let builtin = BUILTIN.iter().filter(|(id, _)| !is_own(id));
        let builtin = builtin.map(|(id, [zh, en])| ((*id).to_owned(), language.pick(*zh, *en).to_owned()));
        let mut all: Vec<_> = builtin.chain(own.iter().cloned()).collect();
        let chosen = chosen.get();
        if all.iter().all(|(id, _)| *id != chosen) {
            all.push((chosen.clone(), chosen));
        }
        all
    })
}

/// None, and those of the library. One that is not there is named as such while the story is still set in it.
fn backgrounds(app: App, chosen: RwSignal<String>) -> Signal<Vec<(String, String)>> {
    Signal::derive(move || {
        let none = (String::new(), app.t(T::WithoutBackground)().to_owned());
        let known = app
            .backgrounds
            .with(|list| list.iter().map(|one| (one.id.0.clone(), one.name.clone())).collect::<Vec<_>>());
        let mut all: Vec<_> = std::iter::once(none).chain(known).collect();
        let chosen = chosen.get();
        if all.iter().all(|(id, _)| *id != chosen) {
            all.push((chosen, app.t(T::BackgroundMissing)().to_owned()));
        }
        all
    })
}

/// Turns, sessions, the last time, and whether the browser keeps it all.
#[component]
fn Facts() -> impl IntoView {
    let app = App::here();
    let persisted = RwSignal::new(None);
    spawn_local(async move {
        persisted.try_set(Some(storage::is_persisted().await));
    });
    let facts = move || {
        let storyline = app.story.storyline.get()?;
        let language = app.language.get();
        let when = time::ago(storyline.last_active, BrowserClock.now(), language)
            .unwrap_or_else(|| about::date(storyline.last_active, language));
        Some(
            [
                fill(app.t(T::TurnsPlayed)(), &[&storyline.total_turns.to_string()]),
                fill(app.t(T::SessionsCount)(), &[&storyline.sessions.len().to_string()]),
                fill(app.t(T::LastActive)(), &[&when]),
            ]
            .join(" · "),
        )
    };
    let kept =
        move || persisted.get().map(|kept| app.t(if kept { T::StoragePersisted } else { T::StorageNotPersisted })());
    view! {
        <div class="story-facts">
            <p class="number" data-testid="story-facts">{facts}</p>
            <p>{kept}</p>
        </div>
    }
}

/// A field of the open storyline, or of what it is told by, as the value of a control; follows it when it changes elsewhere, but for what has been
/// typed since and is still to be saved.
pub fn mirror(app: App, read: fn(&Storyline, &Preset) -> String) -> RwSignal<String> {
    mirror_of(app, Arc::new(read))
}

/// What a story is read for.
pub type Read = Arc<dyn Fn(&Storyline, &Preset) -> String + Send + Sync>;

/// The same of what else reads.
pub fn mirror_of(app: App, read: Read) -> RwSignal<String> {
    let stored = Memo::new(move |_| app.story.played(&*read).unwrap_or_default());
    let value = RwSignal::new(stored.get_untracked());
    Effect::new(move |before: Option<String>| {
        let now = stored.get();
        if before.is_none_or(|before| value.with_untracked(|value| *value == before)) {
            value.set(now.clone());
        }
        now
    });
    value
}
