//! What the newest prompt recalled, and why.

use leptos::{prelude::*, task::spawn_local};

use super::{ToTurn, marks::Snippet, say};
use crate::{
    locales::{
        fill,
        memory::{T as M, Why, recalled, why},
    },
    story::account::AccountBlock,
    ui::{app::App, inspector::words_of},
};

/// The source's name in an account.
const RECALL: &str = "recall";

/// A recalled text: its turn, what was told, the reason.
type Told = (Option<u32>, String, String);

#[component]
pub fn Recalled() -> impl IntoView {
    let app = App::here();
    let block = Memo::new(move |_| {
        app.story.turns.with(|turns| {
            let newest = turns.iter().rev().find_map(|view| {
                view.node.with(|node| {
                    let account = node.reply()?.account.as_ref()?;
                    let block = account.blocks.iter().find(|block| block.source == RECALL).cloned();
                    Some(block.map(|block| (view.position, block)))
                })
            });
            newest.flatten()
        })
    });
    let told = RwSignal::new(Vec::<Told>::new());
    Effect::new(move |_| {
        let Some((_, block)) = block.get() else { return told.set(Vec::new()) };
        spawn_local(async move {
            let texts = read(app, &block).await;
            told.try_set(texts);
        });
    });
    let title = move || {
        let position = block.with(|block| block.as_ref().map_or(0, |(position, _)| *position));
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

async fn read(app: App, block: &AccountBlock) -> Vec<Told> {
    let text = words_of(app, block).await.join("\n");
    // The first line says why the block is there.
    let reasons: Vec<&str> = block.reason.lines().skip(1).collect();
    recalled(&text, &reasons)
}

#[component]
fn Row(told: Told) -> impl IntoView {
    let app = App::here();
    let (turn, text, reason) = told;
    let words = why(&reason, app.language.get_untracked()).words;
    let said = move || {
        let language = app.language.get();
        let Why { score, words, pinned, .. } = why(&reason, language);
        let score = (!score.is_empty()).then(|| fill(M::Score.text(language), &[&score]));
        let comma = language.pick("、", ", ");
        let shared = (!words.is_empty()).then(|| fill(M::SharedWords.text(language), &[&words.join(comma)]));
        let pinned = pinned.then(|| M::RecalledPinned.text(language).to_owned());
        pinned.into_iter().chain(score).chain(shared).collect::<Vec<_>>().join(" · ")
    };
    view! {
        <li class="recalled-item" data-testid="recalled-item">
            <p class="item-text"><Snippet text words /></p>
            <div class="item-foot">{turn.map(|position| view! { <ToTurn position /> })}<span>{said}</span></div>
        </li>
    }
}
