//! A new entry out of a turn: of what is selected there, else of the whole reply.

use std::sync::Arc;

use leptos::{ev::KeyboardEvent, prelude::*, task::spawn_local};

use super::words::say;
use crate::{
    desk::lorebooks::{Chosen, ChosenFault, Hook, Target},
    locales::{
        Say, Saying, T,
        lorebooks::{T as L, key_words},
    },
    reply::parser,
    story::{
        ids::{LorebookId, StorylineId},
        storyline::{Language, Storyline},
        tree::Node,
    },
    ui::{
        app::App,
        drafts::{self, Draft},
        fields::{SelectField, TextArea, TextField},
        focus::focus,
        library::not_stored,
        route::Route,
        state::Editing,
        story::change_story_of,
    },
    web::{selection::selected_within, window},
};

/// What is typed. The id of the book is empty where a new one is made.
#[derive(Clone, Copy)]
struct Typed {
    name: RwSignal<String>,
    keys: RwSignal<String>,
    content: RwSignal<String>,
    book: RwSignal<String>,
    book_name: RwSignal<String>,
}

impl Typed {
    fn of(draft: Draft<3>, story: &Storyline) -> Self {
        let [name, keys, content] = draft.texts;
        Self { name, keys, content, book: RwSignal::default(), book_name: RwSignal::new(story.title.clone()) }
    }

    fn read(self) -> (Chosen, Target) {
        let keys = self.keys.get_untracked();
        let keys = keys.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect();
        let chosen = Chosen { name: self.name.get_untracked(), keys, content: self.content.get_untracked() };
        let to = match self.book.get_untracked() {
            id if id.is_empty() => Target::New(self.book_name.get_untracked()),
            id => Target::Book(id.as_str().into()),
        };
        (chosen, to)
    }
}

/// The book that an entry went into, and what says so.
type Kept = (LorebookId, Saying);

#[component]
pub fn ChosenForm(node: RwSignal<Arc<Node>>, editing: RwSignal<Option<Editing>>) -> impl IntoView {
    let app = App::here();
    app.story.storyline.get_untracked().map(|story| {
        let known = names(app, &story);
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let (place, chosen) =
            node.with_untracked(|node| (format!("lore/{}", node.turn.id), Chosen::of(&text(node), &known)));
        let draft = Draft::of(place.clone(), [chosen.name, chosen.keys.join("\n"), chosen.content]);
        let typed = Typed::of(draft, &story);
        let kept = RwSignal::new(None::<Kept>);
        let close = Callback::new(move |()| {
            draft.end();
            editing.set(None);
        });
        let escape = move |event: KeyboardEvent| draft.escape(&event, move || close.run(()));
        let shown = move || match kept.get() {
            None => form(app, story.id.clone(), typed, (draft, place.clone()), kept, close),
            Some(kept) => told(app, kept, close),
        };
        view! {
            <section class="lore-chosen" aria-label=app.t(T::LoreEntry) data-testid="lore-chosen"
                on:keydown=escape>
                {shown}
            </section>
        }
    })
}

/// What of a turn is to be kept: what is selected in it, else its reply as it is read, else the reader's words.
fn text(node: &Node) -> String {
    let place = format!(".turn[data-turn=\"{}\"]", node.turn.position);
    let turn = window().document().and_then(|document| document.query_selector(&place).ok().flatten());
    let reply =
        || node.reply().map(|reply| parser::shown(&reply.text).into_owned()).filter(|text| !text.trim().is_empty());
    let selected = turn.and_then(|turn| selected_within(&turn));
    selected.or_else(reply).or_else(|| node.turn.user.clone()).unwrap_or_default()
}

/// Of those who are in every turn.
fn names(app: App, story: &Storyline) -> Vec<String> {
    let cast = story.cast.iter().filter_map(|id| app.character(id)).map(|character| character.name);
    cast.chain([story.user_name.clone()]).collect()
}

fn form(
    app: App,
    story: StorylineId,
    typed: Typed,
    (draft, place): (Draft<3>, String),
    kept: RwSignal<Option<Kept>>,
    close: Callback<()>,
) -> AnyView {
    let Typed { name, keys, content, book, book_name } = typed;
    let books = RwSignal::new(Vec::<(LorebookId, String)>::new());
    let (story, place) = (StoredValue::new(story), StoredValue::new(place));
    spawn_local(async move {
        match app.desk().books_of(&story.get_value()).await {
            Ok(found) => {
                book.try_set(found.first().map(|(id, _)| id.as_str().to_owned()).unwrap_or_default());
                books.try_set(found);
            }
            Err(error) => app.notify_store(error),
        }
    });
    let options = Signal::derive(move || {
        let hung = books.get().into_iter().map(|(id, name)| (id.as_str().to_owned(), name));
        hung.chain([(String::new(), say(app, L::ChosenNew)().to_owned())]).collect::<Vec<_>>()
    });
    let faults = RwSignal::new(Vec::<ChosenFault>::new());
    let refused = RwSignal::new(None::<Saying>);
    let busy = RwSignal::new(false);
    let keep = move || {
        let (chosen, to) = typed.read();
        faults.set(chosen.faults(&to));
        refused.set(None);
        if busy.get_untracked() || !faults.with_untracked(Vec::is_empty) {
            return;
        }
        busy.set(true);
        let [was_called, was_known, was_said] = draft.texts.map(|text| text.get_untracked());
        let title = if chosen.name.trim().is_empty() { chosen.keys[0].clone() } else { chosen.name.trim().to_owned() };
        let (is_new, called) = match &to {
            Target::New(name) => (true, name.trim().to_owned()),
            Target::Book(id) => {
                let find = |books: &Vec<(LorebookId, String)>| books.iter().find(|one| one.0 == *id).cloned();
                (false, books.with_untracked(find).map(|(_, name)| name).unwrap_or_default())
            }
        };
        let (story, place) = (story.get_value(), place.get_value());
        spawn_local(async move {
            match app.desk().keep_chosen(chosen, to).await {
                Ok(Some(id)) => {
                    draft.end();
                    drafts::forget(&place, &[&was_called, &was_known, &was_said]);
                    if is_new {
                        change_story_of(app, &story, |story| story.hang(&id, true)).await;
                    }
                    kept.try_set(Some((id, L::ChosenKept.with(&[&title, &called]).kept())));
                }
                Ok(None) => drop(refused.try_set(Some((|language| L::ChosenGone.text(language).to_owned()).kept()))),
                Err(error) => drop(refused.try_set(Some(not_stored(error)))),
            }
            busy.try_set(false);
        });
    };
    let fault = move |words: fn(&ChosenFault, Language) -> Option<String>| {
        Signal::derive(move || faults.with(|faults| faults.iter().find_map(|one| words(one, app.language.get()))))
    };
    Effect::new(|_| _ = focus("field-lore-chosen-name"));
    view! {
        <form class="form" on:submit=move |event| { event.prevent_default(); keep() }>
            <SelectField label=Signal::derive(say(app, L::ChosenBook)) value=book options testid="lore-chosen-book" />
            <Show when=move || book.with(String::is_empty)>
                <TextField label=Signal::derive(say(app, L::ChosenBookName)) value=book_name testid="lore-chosen-book-name"
                    fault=fault(|one, language| (*one == ChosenFault::NoBookName).then(|| L::ChosenNoBookName.text(language).to_owned())) />
            </Show>
            <TextField label=app.t(T::Name) value=name testid="lore-chosen-name" />
            <TextArea label=Signal::derive(say(app, L::Keys)) value=keys testid="lore-chosen-keys" hint=Signal::derive(say(app, L::KeysHint)) fault=fault(key_fault) />
            <TextArea label=Signal::derive(say(app, L::Content)) value=content testid="lore-chosen-content" rows=6
                fault=fault(|one, language| (*one == ChosenFault::NoContent).then(|| L::ChosenNoContent.text(language).to_owned())) />
            <Show when=move || refused.with(Option::is_some)>
                <p class="place-fault" role="alert" data-testid="lore-chosen-error">{move || refused.get().map(|why| app.read(&why))}</p>
            </Show>
            <div class="row">
                <button type="submit" class="button primary" data-testid="lore-chosen-keep" disabled=move || busy.get()>{say(app, L::ChosenKeep)}</button>
                <button type="button" class="button quiet" data-testid="lore-chosen-cancel" on:click=move |_| close.run(())>{app.t(T::Cancel)}</button>
            </div>
        </form>
    }
    .into_any()
}

fn key_fault(fault: &ChosenFault, language: Language) -> Option<String> {
    match fault {
        ChosenFault::NoKeys => Some(L::ChosenNoKeys.text(language).to_owned()),
        ChosenFault::Key(fault) => Some(key_words(fault, language)),
        _ => None,
    }
}

fn told(app: App, (id, words): Kept, close: Callback<()>) -> AnyView {
    Effect::new(|_| _ = focus("lore-chosen-open"));
    view! {
        <div class="row">
            <p role="status" data-testid="lore-chosen-kept">{move || app.read(&words)}</p>
            <a id="lore-chosen-open" class="link" data-testid="lore-chosen-open" href=Route::Lorebook(Some(id)).hash()>{say(app, L::ChosenOpen)}</a>
            <button type="button" class="button quiet" data-testid="lore-chosen-close" on:click=move |_| close.run(())>{app.t(T::Close)}</button>
        </div>
    }
    .into_any()
}
