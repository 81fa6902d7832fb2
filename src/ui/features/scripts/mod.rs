//! The reader's tools in a story: what is shown is read through regex scripts, what a card or a preset brings asks first, and
//! quick replies stand above the composer.

mod ask;
mod quick;

use std::rc::Rc;

use leptos::{prelude::*, task::spawn_local};

use self::{ask::Ask, quick::QuickBar};
use crate::{
    features::scripts::{Brought, rules::Rules, running},
    prompt::macros::Values,
    story::{quick::QuickSet, reader::Reader, script::ScriptSet},
    turn::scripts::Remembered,
    ui::{app::App, state::Through},
};

/// What the open story's preset and card bring.
fn brought(app: App) -> Memo<Vec<Brought>> {
    let story = app.story;
    Memo::new(move |_| {
        let Some(id) = story.storyline.with(|open| open.as_ref().map(|open| open.character().clone())) else {
            return Vec::new();
        };
        app.characters.with(|all| {
            let character = all.iter().find(|known| known.id == id).cloned().unwrap_or_default();
            story.preset.with(|preset| Brought::to(preset, &character))
        })
    })
}

#[component]
pub fn StoryTools() -> impl IntoView {
    let app = App::here();
    let story = app.story;
    let sets = RwSignal::new(Vec::<ScriptSet>::new());
    let quick = RwSignal::new(Vec::<QuickSet>::new());
    Effect::new(move |_| {
        app.shared_elsewhere.track();
        spawn_local(async move {
            // Without them the story is read as it is stored.
            if let Ok(found) = app.desk().script_sets().await {
                sets.try_set(found);
            }
            if let Ok(found) = app.desk().quick_sets().await {
                quick.try_set(found);
            }
        });
    });
    let brought = brought(app);
    let scripts = Memo::new(move |_| {
        sets.with(|sets| app.preferences.with(|preferences| running(sets, brought.get(), preferences)))
    });
    let names = Memo::new(move |_| {
        story.storyline.with(|open| {
            let open = open.as_ref()?;
            let char = app
                .characters
                .with(|all| all.iter().find(|known| known.id == *open.character()).map(|known| known.name.clone()));
            Some((char.unwrap_or_default(), open.user_name.clone(), open.language))
        })
    });
    Effect::new(move |_| {
        let through = scripts.with(|scripts| {
            let (char, user, language) = names.get().filter(|_| !scripts.is_empty())?;
            let values = Values { char: &char, user: Reader::new(&user, language).in_story(), original: "" };
            Some(Through(Rc::new(Remembered::of(Box::new(Rules::of(scripts, &values))))))
        });
        if through.is_some() || story.through.with_untracked(Option::is_some) {
            story.through.set(through);
        }
    });
    on_cleanup(move || {
        if story.through.with_untracked(Option::is_some) {
            story.through.set(None);
        }
    });
    let asks = move || {
        let waiting = |brought: &Brought| app.preferences.with(|preferences| brought.consent(preferences).is_none());
        // Whoever only reads along has nothing to decide.
        let brought = brought.get().into_iter().filter(|_| story.writer.get());
        brought.filter(waiting).collect::<Vec<_>>()
    };
    view! {
        <For each=asks key=Brought::hash let:brought><Ask brought /></For>
        <QuickBar sets=quick names />
    }
}

pub use self::ask::StoryScripts;
