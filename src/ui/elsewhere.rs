//! A file that is no story, taken into the library that it belongs to.

use leptos::{prelude::*, task::spawn_local};
use web_sys::File;

use super::{
    app::App,
    folder::take_personas,
    library::{Taking, import_all},
    lorebooks, presets,
    route::Route,
    tools,
};
use crate::{
    exchange::sniff::Content,
    locales::Saying,
    story::{background::Background, character::Character},
};

/// Takes it in, and goes there; where it is refused, the fault says why and nobody goes anywhere.
pub fn take(app: App, file: File, what: Content, fault: RwSignal<Option<Saying>>) {
    spawn_local(async move {
        let place = match what {
            Content::Background => {
                import_all::<Background>(app, vec![file], Taking::new(fault)).await;
                Route::Backgrounds
            }
            Content::Lorebook => {
                lorebooks::import(app, vec![file], None, fault).await;
                Route::Lorebooks
            }
            Content::Personas => {
                take_personas(app, vec![file], Taking::new(fault)).await;
                Route::Personas
            }
            Content::Scripts | Content::QuickReplies => {
                tools::import(app, vec![file], fault).await;
                Route::Tools
            }
            Content::Preset => {
                presets::import(app, file, RwSignal::new(Vec::new()), fault).await;
                Route::Presets
            }
            _ => {
                import_all::<Character>(app, vec![file], Taking::new(fault)).await;
                Route::Characters
            }
        };
        if fault.try_with_untracked(Option::is_none) == Some(true) {
            app.go(place);
        }
    });
}
