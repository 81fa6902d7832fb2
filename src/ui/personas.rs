//! Who the reader plays: the library of personas, which of them is the usual one, and the choice of one for a character or a
//! story.

use leptos::{prelude::*, task::spawn_local};
use web_sys::File;

use super::{
    app::App,
    chunks::Doing,
    fields::{CheckField, SelectField},
    folder::take_personas,
    library::{self, Entry, Form, Group, Opened, Taking, Text, Words},
    route::Route,
};
use crate::{
    exchange::{
        json,
        limits::JSON_BYTES,
        personas::{self, Backup},
        refusal::Refusal,
    },
    locales::{Saying, T, personas::T as P},
    story::{
        Extra, Millis,
        character::Character,
        ids::{BlobId, CharacterId, ReaderPersonaId},
        reader_persona::ReaderPersona,
        storyline::Storyline,
    },
};

#[component]
pub fn Personas() -> impl IntoView {
    follow(App::here());
    library::page::<ReaderPersona>()
}

#[component]
pub fn PersonaEditor(id: Option<ReaderPersonaId>) -> impl IntoView {
    let app = App::here();
    let is_read = RwSignal::new(false);
    spawn_local(async move {
        read(app).await;
        is_read.try_set(true);
    });
    move || is_read.get().then(|| library::editor::<ReaderPersona>(id.as_ref().map(|id| id.0.clone())))
}

impl Entry for ReaderPersona {
    const KIND: &'static str = "persona";
    const WORDS: Words = Words { title: T::Personas, new: T::NewPersona, edit: T::EditPersona, none: T::NoPersonas };
    const GROUPS: &'static [Group<Self>] = &[Group {
        heading: None,
        hint: None,
        texts: &[
            Text {
                label: T::Name,
                hint: None,
                aid: None,
                testid: "persona-name",
                rows: 1,
                get: |persona| persona.name.clone(),
                set: |persona, text| persona.name = text.to_owned(),
            },
            Text {
                label: T::Description,
                hint: Some(T::PersonaHint),
                aid: None,
                testid: "persona-description",
                rows: 6,
                get: |persona| persona.description.clone(),
                set: |persona, text| persona.description = text.to_owned(),
            },
        ],
    }];
    const HAS_FACE: bool = true;

    fn name(&self) -> &str {
        &self.name
    }

    fn line(&self) -> &str {
        &self.description
    }

    fn face(&self) -> Option<BlobId> {
        self.avatar.clone()
    }

    fn small_face(&self) -> Option<BlobId> {
        self.thumbnail.clone()
    }

    fn set_name(&mut self, name: String) {
        self.name = name;
    }

    fn set_face(&mut self, face: Option<BlobId>, small: Option<BlobId>) {
        (self.avatar, self.thumbnail) = (face, small);
    }

    fn stamp(&mut self, fresh: Option<String>, now: Millis) {
        if let Some(id) = fresh {
            self.id = id.into();
            self.created = now;
        }
        self.updated = now;
    }

    fn created(&self) -> Millis {
        self.created
    }

    fn updated(&self) -> Millis {
        self.updated
    }

    fn fields(&self) -> &Extra {
        &self.extra
    }

    fn fields_mut(&mut self) -> &mut Extra {
        &mut self.extra
    }

    fn is_used_by(&self, storyline: &Storyline) -> bool {
        storyline.plays_as.as_ref() == Some(&self.id)
    }

    fn library(app: App) -> RwSignal<Vec<Self>> {
        app.personas
    }

    fn place() -> Route {
        Route::Personas
    }

    fn desk(id: Option<&str>) -> Route {
        Route::Persona(id.map(Into::into))
    }

    fn below(key: &str) -> AnyView {
        view! { <Standing id=key.into() /> }.into_any()
    }

    const ACCEPTS: &'static str = ".json,application/json";

    fn most(_: &[u8]) -> u64 {
        JSON_BYTES
    }

    fn open(bytes: Vec<u8>) -> Result<Opened<Self>, Refusal> {
        let Backup { personas, warnings, .. } = personas::read(&json::text_of(bytes)?)?;
        let entry = personas.into_iter().next().ok_or_else(|| Refusal::Damaged("no persona".into()))?;
        Ok(Opened { entry, face: None, files: Vec::new(), warnings })
    }

    /// A backup has many.
    fn import(app: App, files: Vec<File>, taking: Taking) -> Doing {
        Box::pin(take_personas(app, files, taking))
    }

    const FORMS: &'static [Form] = &[
        Form {
            name: "one",
            label: T::PersonaAlone,
            hint: T::PersonaAloneHint,
            ending: "json",
            kind: "application/json",
        },
        Form {
            name: "all",
            label: T::PersonasAll,
            hint: T::PersonaAloneHint,
            ending: "json",
            kind: "application/json",
        },
    ];

    async fn pack(self, app: App, form: &'static Form) -> Result<Vec<u8>, Saying> {
        let all = match form.name {
            "all" => app.personas.get_untracked(),
            _ => vec![self],
        };
        let usual = app.preferences.with_untracked(|preferences| preferences.plays_as.clone());
        let usual = all.iter().find(|persona| Some(&persona.id) == usual.as_ref());
        Ok(personas::write(&all.iter().collect::<Vec<_>>(), usual).into_bytes())
    }
}

/// Reads them, and again whenever the libraries are read again, while the component lives.
pub fn follow(app: App) {
    Effect::new(move |_| {
        app.characters.track();
        spawn_local(read(app));
    });
}

async fn read(app: App) {
    match app.desk().personas().await {
        Ok(personas) => app.personas.set(personas),
        Err(error) => app.notify_store(error),
    }
}

/// All personas for a select, behind what it is to choose none.
pub fn options(app: App, none: P) -> Signal<Vec<(String, String)>> {
    Signal::derive(move || {
        let none = (String::new(), app.t(none)().to_owned());
        let all =
            app.personas.with(|all| all.iter().map(|one| (one.id.0.clone(), one.name.clone())).collect::<Vec<_>>());
        std::iter::once(none).chain(all).collect()
    })
}

/// What one is called, as the library is now.
pub fn name_of(app: App, id: &str) -> Option<String> {
    app.personas.with_untracked(|all| all.iter().find(|one| one.id.as_str() == id).map(|one| one.name.clone()))
}

/// A choice of none, or of one.
pub fn chosen(value: &str) -> Option<ReaderPersonaId> {
    (!value.is_empty()).then(|| value.into())
}

/// Whether it is the usual one, and where its description stands. What is chosen is kept at once.
#[component]
fn Standing(id: ReaderPersonaId) -> impl IntoView {
    let app = App::here();
    let id = StoredValue::new(id);
    let is_usual = move || app.preferences.with(|all| id.with_value(|id| all.plays_as.as_ref() == Some(id)));
    let usual = move |on: bool| {
        let wanted = on.then(|| id.get_value());
        app.prefer(move |preferences| preferences.plays_as.clone_from(&wanted));
    };
    let position = untrack(|| {
        app.personas.with(|all| all.iter().find(|one| id.with_value(|id| one.id == *id)).map(|one| one.position))
    });
    let value = RwSignal::new(match position {
        Some(place @ (4 | 9)) => place.to_string(),
        _ => "0".to_owned(),
    });
    let places = Signal::derive(move || {
        [("0", P::InPrompt), ("4", P::AtDepth), ("9", P::Nowhere)]
            .map(|(value, label)| (value.to_owned(), app.t(label)().to_owned()))
            .to_vec()
    });
    let place = move |_| {
        let position = value.get_untracked().parse().unwrap_or_default();
        spawn_local(async move {
            let changed = app
                .desk()
                .amend_entry(id.get_value().as_str(), move |persona: &mut ReaderPersona| persona.position = position)
                .await;
            if app.is_stored(changed) {
                app.refresh().await;
            }
        });
    };
    view! {
        <section class="form">
            <CheckField label=app.t(P::Usual) is_on=Signal::derive(is_usual) set=usual testid="persona-usual" />
            <SelectField label=app.t(P::Place) value options=places testid="persona-place" on:change=place />
        </section>
    }
}

/// Whom the reader plays with a character where nothing else is chosen.
#[component]
pub fn PlaysWith(id: CharacterId) -> impl IntoView {
    let app = App::here();
    follow(app);
    let now = app.character(&id).and_then(|character| character.plays_as);
    let value = RwSignal::new(now.map(|id| id.0).unwrap_or_default());
    let options = options(app, P::AsUsual);
    let keep = move |_| {
        let (id, wanted) = (id.clone(), chosen(&value.get_untracked()));
        spawn_local(async move {
            let changed =
                app.desk().amend_entry(id.as_str(), move |character: &mut Character| character.plays_as = wanted).await;
            if app.is_stored(changed) {
                app.refresh().await;
            }
        });
    };
    view! {
        <Show when=move || !app.personas.with(Vec::is_empty)>
            <section class="form">
                <SelectField label=app.t(P::With) value options testid="character-persona" on:change=keep.clone() />
            </section>
        </Show>
    }
}
