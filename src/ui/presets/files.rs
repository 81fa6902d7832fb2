//! Presets as files.

use leptos::prelude::*;
use web_sys::File;

use super::read_own;
use crate::{
    exchange::{json, limits::JSON_BYTES, names::tidy_name, preset, refusal::Refusal},
    locales::{Say, Saying, T, presets::T as P},
    story::preset::Preset,
    ui::{
        app::App,
        library::{not_saved, not_stored, unreadable},
        state::NoticeKind,
    },
    web::{files, text_of},
};

/// Takes a file in. Why it was refused is said in `fault`, beside the control.
pub async fn import(app: App, file: File, list: RwSignal<Vec<Preset>>, fault: RwSignal<Option<Saying>>) {
    fault.set(None);
    match take(app, &file).await {
        Ok(said) => app.notify(NoticeKind::Info, said),
        Err(why) => {
            // The reader may have gone elsewhere meanwhile.
            if let Some(Some(unseen)) = fault.try_set(Some(why)) {
                app.notify(NoticeKind::Error, unseen);
            }
        }
    }
    read_own(app, list).await;
}

/// What there is to say of it, or why it was not taken.
async fn take(app: App, file: &File) -> Result<Saying, Saying> {
    let bytes = match files::read(file, JSON_BYTES as usize).await {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return Err(Refusal::TooLarge { bytes: file.size() as u64, limit: JSON_BYTES }.kept()),
        Err(error) => return Err(unreadable(&error)),
    };
    let text = json::text_of(bytes).map_err(Say::kept)?;
    let (mut preset, warnings) = preset::read(&text).map_err(Say::kept)?;
    if preset.name.is_empty() {
        let file = file.name();
        preset.name = tidy_name(file.rsplit_once('.').map_or(file.as_str(), |(stem, _)| stem)).0;
    }
    let ports = app.browser().ports;
    let now = ports.clock.now();
    let preset = Preset { id: ports.id(), created: now, updated: now, ..preset };
    app.desk().put_preset(&preset).await.map_err(not_stored)?;
    let done = std::iter::once(T::ImportedOne.with(&[&preset.name]).kept());
    Ok(Saying::joined(done.chain(warnings.into_iter().map(Say::kept)).collect(), " "))
}

/// Downloads a preset.
pub fn export(app: App, preset: &Preset) {
    save(app, preset, &preset::write(preset));
}

/// The same as SillyTavern reads it; what there is none of there is said.
pub fn export_sillytavern(app: App, preset: &Preset) {
    let (text, left_out) = preset::write_sillytavern(preset);
    if save(app, preset, &text) && left_out > 0 {
        app.notify(NoticeKind::Warning, P::BlocksLeftOut.with(&[&left_out.to_string()]));
    }
}

fn save(app: App, preset: &Preset, text: &str) -> bool {
    let saved = files::blob(text.as_bytes(), "application/json")
        .and_then(|blob| files::download(&blob, &format!("{}.json", preset.name)));
    if let Err(error) = &saved {
        app.notify(NoticeKind::Error, not_saved(&text_of(error, "message")));
    }
    saved.is_ok()
}
