//! Quick replies above the composer.

use leptos::{prelude::*, task::spawn_local};

use crate::{
    locales::tools::T,
    prompt::macros::{Call, Values, expand_with},
    story::{
        quick::{QuickReply, QuickSet, Said},
        reader::Reader,
        storyline::Language,
    },
    turn::Ask,
    ui::{app::App, palette, state::NoticeKind},
};

/// Name of the character, name of the reader, language of the story.
type Names = Option<(String, String, Language)>;

#[component]
pub fn QuickBar(sets: RwSignal<Vec<QuickSet>>, names: Memo<Names>) -> impl IntoView {
    let app = App::here();
    let story = app.story;
    let shown = Memo::new(move |_| {
        let of = |set: &QuickSet| set.shown().map(|reply| (set.clone(), reply.clone())).collect::<Vec<_>>();
        sets.with(|sets| sets.iter().filter(|set| set.enabled).flat_map(of).collect::<Vec<_>>())
    });
    let button = move |(set, reply): (QuickSet, QuickReply)| {
        let title = if reply.title.is_empty() { reply.message.clone() } else { reply.title.clone() };
        let caption = reply.caption();
        view! {
            <button type="button" class="button quiet quick-button" data-testid="quick-button" title=title
                disabled=move || story.is_playing() on:click=move |_| press(app, &set, &reply, names.get_untracked())>
                {caption}
            </button>
        }
    };
    view! {
        <Show when=move || story.writer.get() && !shown.with(Vec::is_empty)>
            <div class="quick-bar" role="group" aria-label=app.t(T::Quick) data-testid="quick-bar">
                {move || shown.get().into_iter().map(button).collect_view()}
            </div>
        </Show>
    }
}

fn press(app: App, set: &QuickSet, reply: &QuickReply, names: Names) {
    let story = app.story;
    let composed = story.composed.get_untracked();
    let (char, user, language) = names.unwrap_or_default();
    let values = Values { char: &char, user: Reader::new(&user, language).in_story(), original: "" };
    let message = expand_with(&reply.message, &mut |call: &Call| match call.name.as_str() {
        "input" => Some(composed.trim().to_owned()),
        "newline" => Some("\n".to_owned()),
        "noop" | "trim" | "//" => Some(String::new()),
        _ => values.get(call),
    });
    match set.press(&message, &composed) {
        Some(Said::Put(words)) => story.composed.set(words),
        Some(Said::Send(words, all)) => {
            if all {
                story.composed.set(words.clone());
            }
            spawn_local(async move {
                let played = if all { story.play(app, Ask::New(words)).await } else { story.say(app, words).await };
                match played {
                    Ok(None) => return,
                    Ok(Some(_)) => {}
                    Err(fault) => app.notify_fault(&fault),
                }
                crate::ui::settings::after_turn(app).await;
            });
        }
        Some(Said::Do(lines)) => spawn_local(async move {
            // One after the other; what does not go ends it, and so does who opens another story.
            let Some(id) = story.id() else { return };
            for line in lines.lines().filter(|line| !line.trim().is_empty()) {
                if !story.is_open(id.as_str()) {
                    return;
                }
                if let Err(why) = palette::act(app, line.trim()).await {
                    return app.notify(NoticeKind::Error, why);
                }
            }
        }),
        None => {}
    }
}
