//! The prompt as a preset would make it now, for the newest story, or for the demo where there is none.

use leptos::{prelude::*, task::spawn_local};

use super::{draft::Draft, role_name};
use crate::{
    locales::{T, fill, presets::T as P},
    ports::Clock,
    prompt::framework::{Prompt, assemble},
    provider::Message,
    turn::{rehearse::demo_scene, scene::Loaded},
    ui::{app::App, latest::Latest},
    web::clock::BrowserClock,
};

/// Milliseconds after the last keystroke.
const PAUSE: u32 = 200;
/// Messages shown at either end of a long prompt.
const SHOWN: usize = 12;

/// Title of the story that it is tried on, and the prompt; follows the draft.
pub fn follow(app: App, draft: Draft) -> RwSignal<Option<(String, Prompt)>> {
    let preview = RwSignal::new(None);
    let scene = StoredValue::new_local(None::<Loaded>);
    let loaded = RwSignal::new(false);
    spawn_local(async move {
        let newest = app.storylines.with_untracked(|list| list.first().cloned());
        let found = match newest {
            Some(storyline) => app.desk().rehearse(&storyline).await.ok(),
            None => None,
        };
        let _ =
            scene.try_set_value(Some(found.unwrap_or_else(|| demo_scene(app.language.get_untracked(), &BrowserClock))));
        loaded.try_set(true);
    });
    let latest = Latest::new();
    Effect::new(move |_| {
        let preset = draft.preset();
        if !loaded.get() {
            return;
        }
        let asked = latest.ask();
        spawn_local(async move {
            if preview.try_get_untracked().flatten().is_some() {
                BrowserClock.sleep(PAUSE).await;
            }
            if !asked.is_last() {
                return;
            }
            let made = scene.try_update_value(|scene| {
                let scene = scene.as_mut()?;
                scene.preset = preset;
                Some((scene.storyline.title.clone(), assemble(&scene.scene(), scene.budget())))
            });
            preview.try_set(made.flatten());
        });
    });
    preview
}

/// Tokens of the block of this identifier.
pub fn tokens_of(preview: RwSignal<Option<(String, Prompt)>>, identifier: &str) -> Option<u32> {
    preview.with(|preview| {
        let (_, prompt) = preview.as_ref()?;
        let found = prompt.account.blocks.iter().find(|block| block.identifier == identifier);
        Some(found.map_or(0, |block| block.tokens))
    })
}

#[component]
pub fn Preview(preview: RwSignal<Option<(String, Prompt)>>) -> impl IntoView {
    let app = App::here();
    let total = move || {
        preview.with(|preview| {
            let (_, prompt) = preview.as_ref()?;
            Some(fill(app.t(T::Tokens)(), &[&prompt.account.total_tokens.to_string()]))
        })
    };
    let whose =
        move || preview.with(|preview| preview.as_ref().map(|(title, _)| fill(app.t(P::PreviewOf)(), &[title])));
    let messages = move || {
        preview.with(|preview| {
            let messages = preview.as_ref().map(|(_, prompt)| prompt.messages.as_slice()).unwrap_or_default();
            let left_out = messages.len().saturating_sub(2 * SHOWN);
            let (first, rest) = messages.split_at(messages.len().min(SHOWN));
            let gap = (left_out > 0).then(|| {
                view! { <li class="preview-gap">{fill(app.t(T::PreviewLeftOut)(), &[&left_out.to_string()])}</li> }
            });
            let said = |message: &Message| {
                view! {
                    <li class="preview-message" data-testid="preview-message" data-role=message.role.name()>
                        <span class="preview-role">{app.t(role_name(message.role))}</span>
                        <p>{message.content.clone()}</p>
                    </li>
                }
            };
            view! {
                {first.iter().map(said).collect_view()}
                {gap}
                {rest.iter().skip(left_out).map(said).collect_view()}
            }
        })
    };
    view! {
        <section class="preset-preview" data-testid="preset-preview" aria-label=app.t(T::Preview)>
            <header>
                <h2>{app.t(T::Preview)}</h2>
                <span class="number" data-testid="preset-preview-tokens">{total}</span>
                <p class="field-note">{whose}</p>
            </header>
            <ol tabindex="0">{messages}</ol>
        </section>
    }
}
