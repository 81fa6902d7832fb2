//! The dialog of an import: how far it is, what is in the file, what to do with it.

use leptos::{ev::KeyboardEvent, html, prelude::*};

use super::{Import, import::Asked};
use crate::{
    exchange::{archive::Kind, merge::Mode},
    locales::{T, fill, time},
    transfer::{Progress, Stage},
    ui::{about, app::App},
};

/// A modal dialog, so that the browser keeps the focus in it and gives it back afterwards.
#[component]
pub fn ImportDialog(import: Import) -> impl IntoView {
    let app = App::here();
    let dialog = NodeRef::<html::Dialog>::new();
    let asks = Memo::new(move |_| import.asked.with(Option::is_some));
    let open = Memo::new(move |_| import.is_open());
    Effect::new(move |_| {
        let Some(dialog) = dialog.get() else { return };
        // What is asked is new to the reader: the focus goes to the dialog itself each time.
        let _ = asks.get();
        if !open.get() {
            return dialog.close();
        }
        if !dialog.open() {
            let _ = dialog.show_modal();
        }
        let _ = dialog.focus();
    });
    let on_key = move |event: KeyboardEvent| {
        if event.key() == "Escape" {
            event.prevent_default();
            // What is being written is not thrown away by a slip: for that there is a button.
            if !import.is_writing() {
                import.dismiss();
            }
        }
    };
    let label = move || if asks.get() { app.t(T::ImportSummaryTitle)() } else { app.t(T::Import)() };
    view! {
        <dialog
            class="import-dialog"
            class:working=move || !asks.get()
            role="dialog"
            aria-modal="true"
            aria-label=label
            tabindex="-1"
            node_ref=dialog
            on:keydown=on_key
            // However the browser closed it. The event comes late: by then the next file may have opened it again.
            on:close=move |_| {
                let is_closed = dialog.get_untracked().is_none_or(|dialog| !dialog.open());
                if is_closed && open.get_untracked() && !import.is_writing() {
                    import.dismiss();
                }
            }
        >
            {move || match import.asked.get() {
                Some(asked) => view! { <Summary import asked /> }.into_any(),
                None => view! {
                    <Show when=move || open.get()>
                        <Working progress=import.progress total=import.total on_cancel=move || import.dismiss() />
                    </Show>
                }
                .into_any(),
            }}
        </dialog>
    }
}

#[component]
fn Summary(import: Import, asked: Asked) -> impl IntoView {
    let app = App::here();
    let Asked { kind, title, created, bytes, counts, new, known, diverged, warnings } = asked;
    let what = move || {
        let what = if kind == Kind::Storyline { T::ArchiveOfStoryline } else { T::ArchiveOfLibrary };
        let day = (created > 0).then(|| about::date(created, app.language.get()));
        [Some(app.t(what)().to_owned()), day, Some(time::bytes(bytes))]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" · ")
    };
    let fates = [(T::StoriesNew, new), (T::StoriesKnown, known)].into_iter().filter(|(_, count)| *count > 0);
    let row =
        move |label: T, count: String| view! { <div><dt>{app.t(label)}</dt><dd class="number">{count}</dd></div> };
    let diverged =
        diverged.into_iter().map(|title| view! { <li>{move || fill(app.t(T::StoryDiverged)(), &[&title])}</li> });
    let warnings = warnings.into_iter().map(|warning| view! { <li>{warning}</li> });
    view! {
        <div class="import-summary" data-testid="import-summary">
            <p class="field-label">{app.t(T::ImportSummaryTitle)}</p>
            <h2>{if title.is_empty() { "Fabula".to_owned() } else { title }}</h2>
            <p class="import-what">{what}</p>
            <dl class="import-counts">{counts.into_iter().map(|(label, count)| row(label, count.to_string())).collect_view()}</dl>
            <dl class="import-counts import-fates">{fates.map(|(label, count)| row(label, count.to_string())).collect_view()}</dl>
            <ul class="import-notes">{diverged.collect_view()}{warnings.collect_view()}</ul>
            <p class="field-note">{app.t(T::ImportMergeHint)}</p>
        </div>
        <div class="row import-choices">
            <button class="button primary" data-testid="import-merge" on:click=move |_| import.answer(Some(Mode::Merge))>{app.t(T::ImportMerge)}</button>
            <button class="button" data-testid="import-copy" on:click=move |_| import.answer(Some(Mode::Copy))>{app.t(T::ImportCopy)}</button>
            <button class="button quiet" data-testid="import-cancel" on:click=move |_| import.answer(None)>{app.t(T::Cancel)}</button>
        </div>
    }
}

/// How far an export or import is, and a way to end it.
#[component]
pub fn Working(
    #[prop(into)] progress: Signal<Option<Progress>>,
    #[prop(into)] total: Signal<Option<u64>>,
    on_cancel: impl Fn() + 'static,
) -> impl IntoView {
    let app = App::here();
    let stage = move || progress.get().map(|progress| progress.stage);
    let words = move || {
        let records = progress.get().map_or(0, |progress| progress.records).to_string();
        let text = match stage() {
            Some(Stage::Exporting) => T::Exporting,
            Some(Stage::Reading) | None => T::Importing,
            Some(Stage::Writing) => T::Writing,
            Some(Stage::Finishing) => T::ImportFinishing,
            Some(Stage::Undoing) => T::ImportUndoing,
        };
        fill(app.t(text)(), &[&records])
    };
    // Without a known end the bar only moves.
    let measured = move || {
        let total = total.get().filter(|total| *total > 0)?;
        let progress = progress.get().filter(|p| matches!(p.stage, Stage::Exporting | Stage::Writing))?;
        Some((progress.records as f64 / total as f64).min(1.0).to_string())
    };
    let final_stage = move || matches!(stage(), Some(Stage::Finishing | Stage::Undoing));
    view! {
        <div class="progress" data-testid="backup-progress">
            <progress max="1" value=measured aria-label=words></progress>
            <p class="number">{words}</p>
            <button class="button quiet" data-testid="backup-cancel" disabled=final_stage on:click=move |_| on_cancel()>{app.t(T::Cancel)}</button>
        </div>
    }
}
