//! The branch that the reader is on, as a file for other programs or for reading.

use leptos::{prelude::*, task::spawn_local};

use crate::{
    exchange::{
        book::{self, Book},
        chat::sillytavern,
    },
    locales::tree::T as R,
    story::ids::CharacterId,
    ui::{app::App, archive},
    web::files,
};

/// How a branch leaves.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    Chat,
    Book(book::Form),
}

/// Its name in a test id, what it is called, how its files end and what they are.
const FORMS: [(Form, &str, R, &str, &str); 4] = [
    (Form::Chat, "chat", R::AsChat, "jsonl", "application/jsonl"),
    (Form::Book(book::Form::Markdown), "markdown", R::AsMarkdown, "md", "text/markdown"),
    (Form::Book(book::Form::Html), "html", R::AsHtml, "html", "text/html"),
    (Form::Book(book::Form::Epub), "epub", R::AsEpub, "epub", "application/epub+zip"),
];

#[component]
pub fn Files() -> impl IntoView {
    let app = App::here();
    let button = move |(form, name, label, ending, kind): (Form, &'static str, R, &'static str, &'static str)| {
        view! {
            <button type="button" class="button" data-testid=format!("branch-{name}")
                on:click=move |_| spawn_local(download(app, form, ending, kind))>
                {app.t(label)}
            </button>
        }
    };
    view! {
        <div class="branch-files" role="group" aria-labelledby="branch-files">
            <h3 id="branch-files">{app.t(R::BranchFile)}</h3>
            <p class="field-note">{app.t(R::BranchFileHint)}</p>
            <div class="row">{FORMS.map(button).collect_view()}</div>
        </div>
    }
}

async fn download(app: App, form: Form, ending: &str, kind: &str) {
    let Some(id) = app.story.id() else { return };
    let (storyline, cast, nodes) = match app.desk().told(&id).await {
        Ok(Some(told)) => told,
        Ok(None) => return,
        Err(error) => return app.notify_store(error),
    };
    let name = |id: &CharacterId| {
        let known = cast.iter().find(|character| character.id == *id);
        known.map(|character| character.name.clone()).unwrap_or_default()
    };
    let bytes = match form {
        Form::Chat => {
            let path = app.story.path.get_untracked();
            sillytavern::write(&storyline, &nodes, name, |position| path.is_told(position)).into_bytes()
        }
        Form::Book(form) => {
            let book = Book::of(&storyline, &nodes, name, |text, place, position| {
                untrack(|| app.story.shown(text.into_owned(), place, position)).into()
            });
            book.write(form)
        }
    };
    let saved =
        files::blob(&bytes, kind).and_then(|blob| files::download(&blob, &format!("{}.{ending}", storyline.title)));
    if saved.is_err() {
        archive::notify_failed_export(app, None);
    }
}
