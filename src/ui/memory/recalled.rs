//! What the newest prompt recalled, and why.

use leptos::{prelude::*, task::spawn_local};

use super::{
    ToTurn,
    marks::{Snippet, stretches},
    say,
};
use crate::{
    locales::{
        fill,
        memory::{Recalled as Told, T as M, Why, recalled, why},
    },
    story::ids::GenerationId,
    ui::{
        app::App,
        inspector::{account_of, words_of},
    },
};

/// The source's name in an account.
const RECALL: &str = "recall";

/// Words in common that are named.
const NAMED: usize = 6;

#[component]
pub fn Recalled() -> impl IntoView {
    let app = App::here();
    // What the prompt came to is another figure where the reply was asked for anew.
    let newest = app.story.newest(|node| {
        let reply = node.reply()?;
        Some((node.turn.position, (reply.id.clone(), reply.prompt?)))
    });
    let told = RwSignal::new(Vec::<Told>::new());
    Effect::new(move |_| {
        let Some((_, (reply, _))) = newest.get() else { return told.set(Vec::new()) };
        spawn_local(async move {
            let texts = read(app, &reply).await;
            // Another one may have come meanwhile.
            if newest.try_get_untracked().flatten().is_some_and(|(_, (newest, _))| newest == reply) {
                told.try_set(texts);
            }
        });
    });
    let title = move || {
        let position = newest.with(|newest| newest.as_ref().map_or(0, |(position, _)| *position));
        fill(say(app, M::RecalledFor)(), &[&position.to_string()])
    };
    let rows = move || told.get().into_iter().map(|told| view! { <Row told /> }).collect_view();
    view! {
        <Show when=move || told.with(|told| !told.is_empty())>
            <details class="note-section recalled" data-testid="memory-recalled">
                <summary><h2>{title}<span class="number">{move || told.with(Vec::len)}</span></h2></summary>
                <ul class="persona-items">{rows}</ul>
            </details>
        </Show>
    }
}

async fn read(app: App, reply: &GenerationId) -> Vec<Told> {
    let account = account_of(app, reply).await.unwrap_or_default();
    let Some(block) = account.blocks.iter().find(|block| block.source == RECALL) else { return Vec::new() };
    let text = words_of(app, block).await.join("\n");
    // The first line says why the block is there.
    let reasons: Vec<&str> = block.reason.lines().skip(1).collect();
    recalled(&text, &reasons)
}

#[component]
fn Row(told: Told) -> impl IntoView {
    let app = App::here();
    let Told { turn, text, is_older, reason } = told;
    let words = why(&reason, Default::default()).words;
    // As they stand in the text; what it holds beyond what was told may have words in common too.
    let mut named = stretches(&text, &words);
    if named.is_empty() {
        let is_part = |word: &String| words.iter().any(|other| other != word && other.contains(word.as_str()));
        named.extend(words.iter().filter(|word| !is_part(word)).cloned());
    }
    named.truncate(NAMED);
    let terms = {
        let reason = reason.clone();
        move || {
            let parts = why(&reason, app.language.get()).parts;
            parts.iter().map(|(name, value)| format!("{name} {value}")).collect::<Vec<_>>().join(" + ")
        }
    };
    let said = move || {
        let language = app.language.get();
        let Why { score, pinned, .. } = why(&reason, language);
        let score = (!score.is_empty()).then(|| fill(M::Score.text(language), &[&score]));
        let comma = language.pick("、", ", ");
        let shared = (!named.is_empty()).then(|| fill(M::SharedWords.text(language), &[&named.join(comma)]));
        let pinned = pinned.then(|| M::RecalledPinned.text(language).to_owned());
        let older = is_older.then(|| M::RecalledOlder.text(language).to_owned());
        pinned.into_iter().chain(older).chain(score).chain(shared).collect::<Vec<_>>().join(" · ")
    };
    view! {
        <li class="recalled-item" data-testid="recalled-item">
            <p class="item-text"><Snippet text words /></p>
            <div class="item-foot"><ToTurn turns=(turn, turn) /><span title=terms>{said}</span></div>
        </li>
    }
}
