//! The bin: what was deleted, and the two ways out of it.

use leptos::{prelude::*, task::spawn_local};

use super::{Entry, counted, of, storylines, take_back, users, when};
use crate::{
    desk::{Lists, Stored, lorebooks::Shelved},
    locales::T,
    story::{
        Millis, background::Background, character::Character, lorebook::Lorebook, order, reader_persona::ReaderPersona,
        storyline::Storyline,
    },
    turn::bin,
    ui::{app::App, latest::Latest},
    web::storage,
};

/// At start-up: what has been in the bin for a week goes for ever. What fails is done at the next start.
pub async fn purge_bin(app: App) {
    let _ = bin::purge(&app.browser().ports).await;
    forget_left(app).await;
}

/// What a page has left of a story goes for good with it, too.
async fn forget_left(app: App) {
    let left = storage::all_left();
    if !left.is_empty() {
        app.desk().of_gone_stories(left).await.iter().for_each(|id| storage::forget_left(id));
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Storyline,
    Character,
    Background,
    Lorebook,
    Persona,
}

impl Kind {
    fn label(self) -> T {
        match self {
            Self::Storyline => T::Storyline,
            Self::Character => T::ChooseCharacter,
            Self::Background => T::ChooseBackground,
            Self::Lorebook => T::Lorebook,
            Self::Persona => T::Personas,
        }
    }
}

/// Something in the bin.
#[derive(Clone, PartialEq)]
struct Row {
    kind: Kind,
    id: String,
    name: String,
    deleted: Millis,
    /// Stories that cannot go on without it.
    users: usize,
}

impl Row {
    fn of_entry<E: Entry>(app: App, kind: Kind, entry: &E) -> Self {
        Self {
            kind,
            id: entry.key().to_owned(),
            name: entry.name().to_owned(),
            deleted: entry.deleted().unwrap_or_default(),
            users: untrack(|| users(app, entry)),
        }
    }

    fn of_book(book: Shelved) -> Self {
        let deleted = book.deleted.unwrap_or_default();
        Self { kind: Kind::Lorebook, id: book.id.0, name: book.name, deleted, users: 0 }
    }

    fn of_story(story: &Storyline) -> Self {
        Self {
            kind: Kind::Storyline,
            id: story.id.0.clone(),
            name: story.title.clone(),
            deleted: story.deleted.unwrap_or_default(),
            users: 0,
        }
    }
}

/// All that is in the bin, the newest first.
async fn rows(app: App) -> Stored<Vec<Row>> {
    let Lists { characters, backgrounds, storylines } = app.desk().in_bin().await?;
    let personas = app.desk().personas_in_bin().await?;
    let mut rows: Vec<Row> = storylines.iter().map(Row::of_story).collect();
    rows.extend(characters.iter().map(|character| Row::of_entry(app, Kind::Character, character)));
    rows.extend(backgrounds.iter().map(|background| Row::of_entry(app, Kind::Background, background)));
    rows.extend(personas.iter().map(|persona| Row::of_entry(app, Kind::Persona, persona)));
    rows.extend(app.desk().lorebooks_in_bin().await?.into_iter().map(Row::of_book));
    order::by_key(&mut rows, |row| std::cmp::Reverse(row.deleted));
    Ok(rows)
}

async fn restore(app: App, row: Row) {
    match row.kind {
        Kind::Storyline => drop(storylines::restore(app, &row.id.into()).await),
        Kind::Character => take_back::<Character>(app, row.id).await,
        Kind::Background => take_back::<Background>(app, row.id).await,
        Kind::Lorebook => take_back::<Lorebook>(app, row.id).await,
        Kind::Persona => take_back::<ReaderPersona>(app, row.id).await,
    }
}

async fn delete_forever(app: App, row: Row) {
    let desk = app.desk();
    let deleted = match row.kind {
        Kind::Storyline => desk.delete_forever::<Storyline>(&row.id).await,
        Kind::Character => desk.delete_forever::<Character>(&row.id).await,
        Kind::Background => desk.delete_forever::<Background>(&row.id).await,
        Kind::Lorebook => desk.delete_forever::<Lorebook>(&row.id).await,
        Kind::Persona => desk.delete_forever::<ReaderPersona>(&row.id).await,
    };
    if let Err(error) = deleted {
        app.notify_store(error);
    }
    forget_left(app).await;
    app.refresh().await;
}

#[component]
pub fn Bin() -> impl IntoView {
    let app = App::here();
    let list = RwSignal::new(Vec::<Row>::new());
    let latest = Latest::new();
    Effect::new(move |_| {
        // Whatever is thrown away or fetched back shows in the libraries, too.
        app.storylines.track();
        app.characters.track();
        app.backgrounds.track();
        // What was asked for before something was thrown away may come after it.
        let asked = latest.ask();
        spawn_local(async move {
            let rows = rows(app).await;
            if !asked.is_last() {
                return;
            }
            match rows {
                Ok(rows) => drop(list.try_set(rows)),
                Err(error) => app.notify_store(error),
            }
        });
    });
    view! {
        <div class="bin" data-testid="bin">
            <p class="field-note">{app.t(T::BinHint)}</p>
            <Show when=move || list.with(Vec::is_empty)>
                <p class="empty">{app.t(T::BinEmpty)}</p>
            </Show>
            <ul class="entries">
                <For each=move || list.get() key=|row| (row.kind, row.id.clone(), row.users) let:row>
                    <BinRow row />
                </For>
            </ul>
        </div>
    }
}

#[component]
fn BinRow(row: Row) -> impl IntoView {
    let app = App::here();
    let sure = RwSignal::new(false);
    let Row { kind, name, deleted, users, .. } = row.clone();
    let row = StoredValue::new(row);
    let line = move || format!("{} · {}", app.t(kind.label())(), when(app, deleted));
    view! {
        <li class="entry" data-testid="bin-item">
            <div class="entry-main">
                <span class="entry-words">
                    <b dir="auto">{name.clone()}</b>
                    <span class="entry-line" dir="auto">{line}</span>
                    {move || (sure.get() && users > 0).then(|| view! { <span class="place-fault">{counted(app, T::DeleteForeverUsed, users)}</span> })}
                </span>
            </div>
            <div class="entry-actions">
                <button type="button" class="button quiet" data-testid="bin-restore" aria-label=of(app, T::Restore, &name)
                    on:click=move |_| spawn_local(restore(app, row.get_value()))>
                    {app.t(T::Restore)}
                </button>
                <Show
                    when=move || sure.get()
                    fallback={
                        let label = of(app, T::DeleteForever, &name);
                        move || view! {
                            <button type="button" class="button quiet" data-testid="bin-delete" aria-label=label.clone() on:click=move |_| sure.set(true)>
                                {app.t(T::DeleteForever)}
                            </button>
                        }
                    }
                >
                    <button type="button" class="button danger" data-testid="bin-delete-sure"
                        on:click=move |_| spawn_local(delete_forever(app, row.get_value()))>
                        {app.t(T::DeleteForeverSure)}
                    </button>
                </Show>
            </div>
        </li>
    }
}
