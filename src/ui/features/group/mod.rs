//! Several in one story: who is in it, whom the reader speaks to, and who speaks.

mod bar;
mod form;
mod heading;
mod whose;

use leptos::{prelude::*, task::spawn_local};

pub use self::{bar::GroupBar, form::GroupForm, heading::Heading, whose::WhoseMind};
use crate::{story::ids::CharacterId, ui::app::App};

/// Who is in the open story, the story's own first.
fn cast(app: App) -> Memo<Vec<CharacterId>> {
    let story = app.story;
    Memo::new(move |_| story.storyline.with(|open| open.as_ref().map(|open| open.cast.clone()).unwrap_or_default()))
}

/// Who is in the room where the path ends.
fn present(app: App) -> RwSignal<Vec<CharacterId>> {
    let story = app.story;
    let (present, of) = (RwSignal::new(Vec::new()), StoredValue::new(None));
    let place = Memo::new(move |_| {
        story.storyline.with(|open| open.as_ref().map(|open| (open.id.clone(), open.head.clone(), open.cast.clone())))
    });
    Effect::new(move |_| {
        story.playing.track();
        // Read, for a memo that is only tracked is never computed.
        let Some(open) = place.get().and_then(|_| story.storyline.get_untracked()) else { return };
        // Nobody comes or goes with what is played, and a long story's branches take longer to read than a turn has.
        if of.with_value(|of| of.as_ref() == Some(&open.id)) && story.is_taken(&open.id) {
            return;
        }
        spawn_local(async move {
            // Without it nobody can be let speak, and the story goes on.
            let Ok(there) = app.conductor().present(&open).await else { return };
            if story.is_open(open.id.as_str()) && present.try_set(there).is_none() {
                of.try_set_value(Some(open.id));
            }
        });
    });
    present
}
