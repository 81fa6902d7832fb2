//! Sets as files.

use leptos::prelude::*;
use web_sys::File;

use super::{T, ToolSet};
use crate::{
    desk::tools::identify,
    exchange::{
        json,
        limits::JSON_BYTES,
        names::tidy_name,
        quick,
        refusal::{Refusal, Warning},
        script,
        sniff::{Content, content},
    },
    locales::{Say, Saying},
    story::storyline::Language,
    ui::{
        app::App,
        library::{not_saved, not_stored, say_imported, unreadable},
        state::NoticeKind,
    },
    web::{files, text_of},
};

/// Takes files in, one after the other. What was refused is said in `fault`, beside the control.
pub async fn import(app: App, files: Vec<File>, fault: RwSignal<Option<Saying>>) {
    fault.set(None);
    let several = files.len() > 1;
    let mut refused = Vec::new();
    for file in files {
        let name = file.name();
        match take(app, &file).await {
            Ok((name, warnings)) => say_imported(app, &name, warnings),
            Err(why) if several => {
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
}

/// Its name and what there is to say of it, or why it was not taken.
async fn take(app: App, file: &File) -> Result<(String, Vec<Warning>), Saying> {
    let bytes = match files::read(file, JSON_BYTES as usize).await {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return Err(Refusal::TooLarge { bytes: file.size() as u64, limit: JSON_BYTES }.kept()),
        Err(error) => return Err(unreadable(&error)),
    };
    let text = json::text_of(bytes).map_err(Say::kept)?;
    let is_quick = json::parse(&text).is_ok_and(|value| content(&value) == Content::QuickReplies);
    if is_quick {
        let (set, warnings) = quick::read(&text).map_err(Say::kept)?;
        return put(app, file, set).await.map(|name| (name, warnings));
    }
    let (mut set, warnings) = script::read(&text).map_err(Say::kept)?;
    identify(&app.browser().ports, &mut set);
    put(app, file, set).await.map(|name| (name, warnings))
}

async fn put<S: ToolSet>(app: App, file: &File, mut set: S) -> Result<String, Saying> {
    if set.name().is_empty() {
        let file = file.name();
        let name = tidy_name(file.rsplit_once('.').map_or(file.as_str(), |(stem, _)| stem)).0;
        set.set_name(if name.is_empty() { T::NewName.text(app.language.get_untracked()).to_owned() } else { name });
    }
    let ports = app.browser().ports;
    set.stamp(ports.id(), ports.clock.now());
    app.desk().put_set(&set).await.map_err(not_stored)?;
    Ok(set.name().to_owned())
}

/// Downloads a set.
pub(super) fn export<S: ToolSet>(app: App, set: &S) {
    let saved = files::blob(set.file().as_bytes(), "application/json")
        .and_then(|blob| files::download(&blob, &format!("{}.json", set.name())));
    if let Err(error) = saved {
        app.notify(NoticeKind::Error, not_saved(&text_of(&error, "message")));
    }
}
