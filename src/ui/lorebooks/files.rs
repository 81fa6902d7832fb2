//! Lorebooks as files.

use leptos::prelude::*;
use web_sys::File;

use super::shelf::{Shelf, read_shelf};
use crate::{
    exchange::{
        json,
        limits::JSON_BYTES,
        lorebook,
        names::tidy_name,
        refusal::{Refusal, Warning},
    },
    locales::{Say, Saying},
    story::{ids::LorebookId, lorebook::Lorebook, storyline::Language},
    ui::{
        app::App,
        library::{not_saved, not_stored, say_imported, unreadable},
        state::NoticeKind,
    },
    web::{files, text_of},
};

/// Takes files in, one after the other. What was refused is said in `fault`, beside the control.
pub async fn import(app: App, files: Vec<File>, shelf: Option<Shelf>, fault: RwSignal<Option<Saying>>) {
    fault.set(None);
    let several = files.len() > 1;
    let mut refused = Vec::new();
    for file in files {
        match take(app, &file).await {
            Ok((name, warnings)) => say_imported(app, &name, warnings),
            Err(why) if several => {
                let name = file.name();
                let of = move |language: Language| format!("{name}{}{}", language.pick("：", ": "), why.say(language));
                refused.push(of.kept());
            }
            Err(why) => refused.push(why),
        }
    }
    // The reader may have gone elsewhere meanwhile.
    if !refused.is_empty()
        && let Some(Some(unseen)) = fault.try_set(Some(Saying::joined(refused, "\n")))
    {
        app.notify(NoticeKind::Error, unseen);
    }
    if let Some(shelf) = shelf {
        read_shelf(app, shelf).await;
    }
}

/// Its name and what there is to say of it, or why it was not taken.
async fn take(app: App, file: &File) -> Result<(String, Vec<Warning>), Saying> {
    let bytes = match files::read(file, JSON_BYTES as usize).await {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return Err(Refusal::TooLarge { bytes: file.size() as u64, limit: JSON_BYTES }.kept()),
        Err(error) => return Err(unreadable(&error)),
    };
    let text = json::text_of(bytes).map_err(Say::kept)?;
    let (mut book, mut warnings) = lorebook::read(&text).map_err(Say::kept)?;
    if book.name.is_empty() {
        let file = file.name();
        book.name = tidy_name(file.rsplit_once('.').map_or(file.as_str(), |(stem, _)| stem)).0;
        // World Info is named by its file.
        warnings.retain(|warning| *warning != Warning::NoName);
    }
    let ports = app.browser().ports;
    let now = ports.clock.now();
    let book = Lorebook { id: ports.id(), created: now, updated: now, ..book };
    let name = book.name.clone();
    app.desk().put_entry(&book, []).await.map_err(not_stored)?;
    Ok((name, warnings))
}

/// Downloads a book as World Info.
pub async fn export(app: App, id: LorebookId) {
    export_as(app, id, lorebook::write).await;
}

/// The same by the V3 specification.
pub async fn export_v3(app: App, id: LorebookId) {
    export_as(app, id, lorebook::write_v3).await;
}

async fn export_as(app: App, id: LorebookId, write: fn(&Lorebook) -> String) {
    let book = match app.desk().load::<Lorebook>(id.as_str()).await {
        Ok(Some(book)) => book,
        Ok(None) => return,
        Err(error) => return app.notify_store(error),
    };
    let saved = files::blob(write(&book).as_bytes(), "application/json")
        .and_then(|blob| files::download(&blob, &format!("{}.json", book.name)));
    if let Err(error) = saved {
        app.notify(NoticeKind::Error, not_saved(&text_of(&error, "message")));
    }
}
