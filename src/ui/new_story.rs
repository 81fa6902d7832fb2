//! Begins a storyline: who, where, how.

use leptos::{prelude::*, task::spawn_local};

use super::{
    app::App,
    fields::{SelectField, TextField},
    personas, presets,
    route::Route,
};
use crate::{
    exchange::names::tidy_name,
    locales::{T, personas::T as P},
    prompt::builtin,
    story::ids::{BackgroundId, CharacterId, ReaderPersonaId},
    turn::{NewStoryline, open::open_storyline},
    web::storage,
};

#[component]
pub fn NewStory() -> impl IntoView {
    let app = App::here();
    let character = RwSignal::new(String::new());
    // The list may lose the one that is chosen, or get its first.
    Effect::new(move |_| {
        app.characters.with(|list| {
            let is_there = character.with_untracked(|id| list.iter().any(|one| one.id.0 == *id));
            if let (false, Some(first)) = (is_there, list.first()) {
                character.set(first.id.0.clone());
            }
        });
    });
    let background = RwSignal::new(String::new());
    let preset = RwSignal::new(builtin::DEFAULT.to_owned());
    let title = RwSignal::new(String::new());
    let user = RwSignal::new(app.preferences.with_untracked(|preferences| preferences.user_name.clone()));
    // Whom the character is played with, else whom the reader usually plays. What is read of the libraries is no reason to
    // choose again.
    let persona = RwSignal::new(String::new());
    personas::follow(app);
    let are_read = Memo::new(move |_| app.personas.with(|all| !all.is_empty()));
    Effect::new(move |_| {
        are_read.track();
        let id = CharacterId(character.get());
        let chosen = untrack(|| {
            let with = app.character(&id).and_then(|character| character.plays_as);
            let usual = app.preferences.with(|preferences| preferences.plays_as.clone());
            let is_there = |id: &ReaderPersonaId| personas::name_of(app, id.as_str()).is_some();
            with.filter(is_there).or(usual.filter(is_there))
        });
        persona.set(chosen.map(|chosen| chosen.0).unwrap_or_default());
    });
    Effect::new(move |played: Option<bool>| {
        let name = personas::name_of(app, &persona.get());
        let plays = name.is_some();
        // Nobody's name is the reader's own again.
        let own = || app.preferences.with_untracked(|preferences| preferences.user_name.clone());
        if let Some(name) = name.or_else(|| (played == Some(true)).then(own)) {
            user.set(name);
        }
        plays
    });
    let personas = personas::options(app, P::Nobody);
    let busy = RwSignal::new(false);

    let characters = Signal::derive(move || {
        app.characters.with(|list| list.iter().map(|c| (c.id.0.clone(), c.name.clone())).collect::<Vec<_>>())
    });
    let backgrounds = Signal::derive(move || {
        let none = (String::new(), app.t(T::WithoutBackground)().to_owned());
        let all =
            app.backgrounds.with(|list| list.iter().map(|b| (b.id.0.clone(), b.name.clone())).collect::<Vec<_>>());
        std::iter::once(none).chain(all).collect::<Vec<_>>()
    });
    let own_presets = presets::own(app);
    let presets = Signal::derive(move || presets::options(app, own_presets));
    let has_character = Memo::new(move |_| app.characters.with(|list| !list.is_empty()));

    let create = move || {
        let Some(chosen) = app.character(&CharacterId(character.get_untracked())) else { return };
        if busy.get_untracked() {
            return;
        }
        busy.set(true);
        spawn_local(async move {
            let browser = app.browser();
            let world = app.background(&BackgroundId(background.get_untracked()));
            let (own_title, _) = tidy_name(&title.get_untracked());
            let title = match (own_title.is_empty(), &world) {
                (false, _) => own_title,
                (true, Some(world)) => world.name.clone(),
                (true, None) => chosen.name.clone(),
            };
            let (user, _) = tidy_name(&user.get_untracked());
            let new = NewStoryline {
                title,
                character: &chosen,
                background: world.as_ref(),
                preset: preset.get_untracked().into(),
                connection: None,
                user_name: user.clone(),
                plays_as: personas::chosen(&persona.get_untracked()),
                language: app.language.get_untracked(),
                demo: false,
            };
            match open_storyline(&browser.ports, new).await {
                Ok(storyline) => {
                    storage::mark();
                    // The name of one whom the reader plays is theirs.
                    if storyline.plays_as.is_none() {
                        app.prefer(move |preferences| preferences.user_name.clone_from(&user));
                    }
                    // The first story that is kept is the time to ask.
                    spawn_local(async { _ = storage::persist().await });
                    app.refresh().await;
                    app.go(Route::Story(storyline.id));
                }
                Err(error) => app.notify_store(error),
            }
            busy.set(false);
        });
    };
    view! {
        <section class="sheet-page">
            <h1>{app.t(T::NewStoryline)}</h1>
            <Show
                when=move || has_character.get()
                fallback=move || view! {
                    <p class="empty">{app.t(T::NeedCharacter)} " " <a href=Route::Character(None).hash()>{app.t(T::WriteCharacter)}</a></p>
                }
            >
                <form class="form" on:submit=move |event| { event.prevent_default(); create() }>
                    <SelectField label=app.t(T::ChooseCharacter) value=character options=characters testid="storyline-character" />
                    <SelectField label=app.t(T::ChooseBackground) value=background options=backgrounds testid="storyline-background" />
                    <TextField label=app.t(T::TitleOptional) value=title testid="storyline-title" />
                    <Show when=move || !app.personas.with(Vec::is_empty)>
                        <SelectField label=app.t(P::OfStory) value=persona options=personas testid="storyline-persona" />
                    </Show>
                    <TextField label=app.t(T::YourName) value=user testid="storyline-user" />
                    <SelectField label=app.t(T::ChoosePreset) value=preset options=presets testid="storyline-preset" />
                    <p class="field-note below" data-testid="storyline-preset-purpose" aria-live="polite">{move || preset.with(|id| presets::purpose(app, own_presets, id))}</p>
                    <div class="row">
                        <button type="submit" class="button primary" data-testid="storyline-create" disabled=move || busy.get()>{app.t(T::Begin)}</button>
                    </div>
                </form>
            </Show>
        </section>
    }
}
