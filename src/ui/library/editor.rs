//! The editor of an entry: its fields from a table, its face, and what is written when it is saved.

use std::sync::Arc;

use leptos::{prelude::*, task::spawn_local};

use super::{
    Entry,
    face::FaceField,
    files,
    leaving::{LeaveBar, hold},
};
use crate::{
    exchange::names::tidy_name,
    locales::{Say, Saying, T},
    ui::{
        app::App,
        avatar::Face,
        fields::{TextArea, TextField},
        icons::{Icon, Shape},
        route::Route,
        state::NoticeKind,
    },
};

/// A field of text: how it is shown, and its place in the entry.
pub struct Text<E> {
    pub label: T,
    pub hint: Option<T>,
    pub testid: &'static str,
    /// One line is an input.
    pub rows: u32,
    pub get: fn(&E) -> String,
    pub set: fn(&mut E, &str),
    /// What stands beneath the field and works on its text.
    pub aid: Option<fn(RwSignal<String>) -> AnyView>,
}

/// Fields that belong together. With a heading, they fold.
pub struct Group<E: 'static> {
    pub heading: Option<T>,
    pub hint: Option<T>,
    pub texts: &'static [Text<E>],
}

/// A text that is being edited, and what it was.
struct Field<E: 'static> {
    text: &'static Text<E>,
    value: RwSignal<String>,
    was: String,
}

impl<E> Field<E> {
    fn is_changed(&self) -> bool {
        self.value.with(|value| *value != self.was)
    }
}

/// An entry that is being edited. Only what was changed is written: the rest stays as it is in the store.
struct Draft<E: 'static> {
    /// `None`: a new one.
    key: Option<String>,
    /// As it was opened.
    was: E,
    groups: Vec<(&'static Group<E>, Vec<Field<E>>)>,
    face: RwSignal<Face>,
    face_was: Face,
    /// It is stored as it stands here.
    is_saved: RwSignal<bool>,
}

impl<E: Entry> Draft<E> {
    fn of(entry: &E, key: Option<String>) -> Self {
        let field = |text: &'static Text<E>| {
            let was = (text.get)(entry);
            Field { text, value: RwSignal::new(was.clone()), was }
        };
        let face_was = Face::Stored(entry.small_face().or(entry.face()));
        Self {
            key,
            was: entry.clone(),
            groups: E::GROUPS.iter().map(|group| (group, group.texts.iter().map(field).collect())).collect(),
            face: RwSignal::new(face_was.clone()),
            face_was,
            is_saved: RwSignal::new(false),
        }
    }

    fn fields(&self) -> impl Iterator<Item = &Field<E>> {
        self.groups.iter().flat_map(|(_, fields)| fields)
    }

    fn name(&self) -> RwSignal<String> {
        self.groups[0].1[0].value
    }

    fn is_changed(&self) -> bool {
        let changed = self.fields().any(Field::is_changed) || self.face.with(|face| *face != self.face_was);
        changed && !self.is_saved.get()
    }

    /// What there is to write now.
    fn changes(&self) -> Changes<E> {
        let changed = |field: &Field<E>| {
            let value = field.value.get_untracked();
            (value != field.was).then_some((field.text.set, value))
        };
        let face = self.face.get_untracked();
        Changes {
            key: self.key.clone(),
            was: self.was.clone(),
            name: self.name().get_untracked(),
            is_renamed: self.groups[0].1[0].is_changed() || self.key.is_none(),
            texts: self.fields().filter_map(changed).collect(),
            face: (face != self.face_was).then_some(face),
        }
    }
}

/// Puts a text into its field.
type Setter<E> = fn(&mut E, &str);

/// What was changed in an entry.
struct Changes<E> {
    key: Option<String>,
    /// Over this they are written where it was deleted for ever meanwhile.
    was: E,
    name: String,
    /// The rest of an entry, and its name too, may be another in the store by now.
    is_renamed: bool,
    texts: Vec<(Setter<E>, String)>,
    face: Option<Face>,
}

pub fn editor<E: Entry>(key: Option<String>) -> AnyView {
    let app = App::here();
    let known = key
        .as_ref()
        .map(|key| E::library(app).with_untracked(|list| list.iter().find(|entry| entry.key() == key).cloned()));
    match known {
        Some(None) => view! {
            <section class="sheet-page">
                <p class="empty">{app.t(T::EntryGone)} " " <a class="link" href=E::place().hash()>{app.t(T::BackToList)}</a></p>
            </section>
        }
        .into_any(),
        Some(Some(entry)) => form(app, Draft::of(&entry, key)).into_any(),
        None => form(app, Draft::of(&E::default(), None)).into_any(),
    }
}

fn form<E: Entry>(app: App, draft: Draft<E>) -> impl IntoView {
    let is_new = draft.key.is_none();
    let below = draft.key.as_deref().map(E::below);
    let (name, face, is_saved) = (draft.name(), draft.face, draft.is_saved);
    let draft = StoredValue::new(draft);
    let changed = Memo::new(move |_| draft.with_value(Draft::is_changed));
    let wanted = hold(changed);
    let fault = RwSignal::new(None::<Saying>);
    let busy = RwSignal::new(false);

    let leave = move || match wanted.try_get_untracked() {
        Some(Some(wish)) => wish.grant(),
        Some(None) => app.go(E::place()),
        // The reader is gone already: nothing held the page, for nothing was changed.
        None => {}
    };
    let save = move || {
        if busy.get_untracked() {
            return;
        }
        busy.set(true);
        let changes = draft.with_value(Draft::changes);
        spawn_local(async move {
            let written = write(app, changes).await;
            busy.try_set(false);
            match written {
                Ok(()) => {
                    is_saved.try_set(true);
                    app.refresh().await;
                    leave();
                }
                Err(why) => {
                    wanted.try_set(None);
                    if let Some(Some(unseen)) = fault.try_set(Some(why)) {
                        app.notify(NoticeKind::Error, unseen);
                    }
                }
            }
        });
    };
    let discard = move || {
        is_saved.set(true);
        leave();
    };
    let groups = draft.with_value(|draft| draft.groups.iter().map(|group| fields(app, group, fault)).collect_view());
    let heading = if is_new { E::WORDS.new } else { E::WORDS.edit };
    view! {
        <section class="sheet-page editor">
            <form class="form" on:submit=move |event| { event.prevent_default(); save() }>
                <header class="editor-head">
                    <a class="icon-button" href=E::place().hash() aria-label=app.t(T::BackToList) title=app.t(T::BackToList)><Icon shape=Shape::ARROW_LEFT /></a>
                    <h1>{app.t(heading)}</h1>
                    {(!is_new && E::HAS_FACE).then(|| view! {
                        <a class="button quiet" href=Route::NewStory.hash() hidden=move || wanted.with(Option::is_some)>{app.t(T::PlayThis)}</a>
                    })}
                    <button
                        type="submit"
                        class="button primary"
                        data-testid=format!("{}-save", E::KIND)
                        disabled=move || busy.get()
                        hidden=move || wanted.with(Option::is_some)
                    >
                        {app.t(T::Save)}
                    </button>
                    <Show when=move || fault.with(Option::is_some)>
                        <p class="place-fault" role="alert" data-testid=format!("{}-error", E::KIND)>{move || fault.get().map(|why| app.read(&why))}</p>
                    </Show>
                    <LeaveBar wanted save=Callback::new(move |()| save()) discard=Callback::new(move |()| discard()) />
                </header>
                {E::HAS_FACE.then(|| view! { <FaceField face name /> })}
                {groups}
            </form>
            {below}
        </section>
    }
}

fn fields<E: Entry>(
    app: App,
    (group, fields): &(&'static Group<E>, Vec<Field<E>>),
    fault: RwSignal<Option<Saying>>,
) -> AnyView {
    let values: Vec<_> = fields.iter().map(|field| field.value).collect();
    let controls = fields.iter().map(|field| control(app, field, fault)).collect_view();
    let Some(heading) = group.heading else { return controls.into_any() };
    let filled = move || values.iter().filter(|value| value.with(|value| !value.trim().is_empty())).count();
    view! {
        <details class="field-group">
            <summary>
                <h2>{app.t(heading)}</h2>
                {move || Some(filled()).filter(|filled| *filled > 0).map(|filled| view! { <span class="number field-group-count" aria-hidden="true">{filled}</span> })}
            </summary>
            <div class="form">
                {group.hint.map(|hint| view! { <p class="field-note">{app.t(hint)}</p> })}
                {controls}
            </div>
        </details>
    }
    .into_any()
}

fn control<E: Entry>(app: App, field: &Field<E>, fault: RwSignal<Option<Saying>>) -> AnyView {
    let Field { text, value, .. } = field;
    let (value, hint) = (*value, text.hint);
    let hint = Signal::derive(move || hint.map_or("", |hint| app.t(hint)()));
    let is_name = std::ptr::eq(*text, &E::GROUPS[0].texts[0]);
    // The name's field shows where the fault is; the words stand beside the button that was pressed.
    let blank = Signal::derive(move || {
        (is_name && fault.with(Option::is_some) && value.with(|value| value.trim().is_empty()))
            .then(|| app.t(T::Required)().to_owned())
    });
    if text.rows == 1 {
        view! { <TextField label=app.t(text.label) value testid=text.testid hint fault=blank /> }.into_any()
    } else {
        view! {
            <TextArea label=app.t(text.label) value testid=text.testid hint rows=text.rows />
            {text.aid.map(|aid| aid(value))}
        }
        .into_any()
    }
}

/// Writes what was changed, over what is in the store now.
///
/// # Errors
/// Why not.
async fn write<E: Entry>(app: App, changes: Changes<E>) -> Result<(), Saying> {
    let Changes { key, was, name, is_renamed, texts, face } = changes;
    let (name, tidied) = tidy_name(&name);
    if name.is_empty() {
        return Err(T::NameNeeded.kept());
    }
    let (face, pictures) = match face {
        Some(Face::Stored(_)) => (Some((None, None)), Vec::new()),
        Some(Face::Chosen(portrait)) => {
            let (named, pictures) = files::named(Arc::unwrap_or_clone(portrait));
            (Some(named), pictures)
        }
        None => (None, Vec::new()),
    };
    let ports = app.browser().ports;
    let change = |stored: Option<E>, id: String| {
        let fresh = stored.is_none().then_some(id);
        let mut entry = stored.unwrap_or(was);
        for (set, text) in texts {
            set(&mut entry, &text);
        }
        if is_renamed || entry.name().is_empty() {
            entry.set_name(name);
        }
        // What is edited is wanted, even if another tab threw it away meanwhile.
        entry.set_deleted(None);
        entry.stamp(fresh, ports.clock.now());
        if let Some((face, small)) = face {
            entry.set_face(face, small);
        }
        entry
    };
    let desk = app.desk();
    let written = match key {
        Some(key) => desk.change_entry(&key, pictures, |stored| change(stored, key.clone())).await,
        None => desk.put_entry(&change(None, ports.id()), pictures).await,
    };
    written.map_err(files::not_stored)?;
    if let Some(tidied) = tidied {
        app.notify(NoticeKind::Info, tidied);
    }
    Ok(())
}
