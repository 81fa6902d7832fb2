//! What the newest prompt is warned of (A8): a count above the input, a list, and the details of each.

use leptos::{ev::KeyboardEvent, html, prelude::*};

use crate::{
    locales::{T, warnings::warning_words},
    story::{generation::Generation, warning::Warning},
    ui::{
        app::App,
        features::summary::SummariseProps,
        icons::{Icon, Shape},
    },
};

/// What `read` finds in the newest reply. While the page shows an earlier stretch only, it is what it was.
pub fn of_newest<V: PartialEq + Clone + Send + Sync + Default + 'static>(
    app: App,
    read: fn(&Generation) -> V,
) -> Memo<V> {
    let story = app.story;
    Memo::new(move |before: Option<&V>| {
        let last = story.turns.with(|turns| turns.last().copied());
        let last = last.filter(|last| story.path.with(|path| path.end <= last.position + 1));
        match last {
            Some(last) => last.node.with(|node| node.reply().map(read).unwrap_or_default()),
            None => before.cloned().unwrap_or_default(),
        }
    })
}

#[component]
pub fn Warnings() -> impl IntoView {
    let app = App::here();
    let warnings = of_newest(app, Generation::warnings);
    // One of a kind, whatever a reply holds.
    let warnings = Memo::new(move |_| {
        let mut kinds: Vec<Warning> = Vec::new();
        for warning in warnings.get() {
            if kinds.iter().all(|known| known.category != warning.category) {
                kinds.push(warning);
            }
        }
        kinds
    });
    let any = Memo::new(move |_| warnings.with(|warnings| !warnings.is_empty()));
    let open = RwSignal::new(false);
    let shown = RwSignal::new(None::<Warning>);
    view! {
        <Show when=move || any.get()>
            <div class="warnings">
                <button
                    type="button"
                    class="warnings-badge"
                    data-testid="warnings-badge"
                    aria-expanded=move || open.get().to_string()
                    aria-controls="warnings-list"
                    on:click=move |_| open.update(|open| *open = !*open)
                >
                    <span class="warnings-count">{move || warnings.with(Vec::len)}</span>
                    {app.t(T::SystemWarnings)}
                </button>
                <Show when=move || open.get()>
                    <ul class="warnings-list" id="warnings-list" data-testid="warnings-list">
                        {move || warnings.get().into_iter().map(|warning| view! { <Item warning shown /> }).collect_view()}
                    </ul>
                    {app.chunks.aside.show(app, |aside| (aside.summarise)(SummariseProps { testid: "warnings-summarize", hint: false, label: None, then: None }))}
                </Show>
            </div>
        </Show>
        <Detail shown />
    }
}

#[component]
fn Item(warning: Warning, shown: RwSignal<Option<Warning>>) -> impl IntoView {
    let app = App::here();
    let (by_key, by_button, by_click) = (warning.clone(), warning.clone(), warning.clone());
    let on_key = move |event: KeyboardEvent| {
        if event.key() == "Enter" && event.target() == event.current_target() {
            event.prevent_default();
            shown.set(Some(by_key.clone()));
        }
    };
    let line = move || {
        let message = warning_words(&warning, app.language.get()).message;
        let value = warning.current_value;
        app.language.get().pick(format!("{message}（{value} tokens）"), format!("{message} ({value} tokens)"))
    };
    view! {
        <li
            class="warnings-item"
            data-testid="warnings-item"
            tabindex="0"
            title=app.t(T::WarningOpen)
            on:dblclick=move |_| shown.set(Some(by_click.clone()))
            on:keydown=on_key
        >
            <span>{line}</span>
            <button type="button" class="link" data-testid="warnings-open" on:click=move |_| shown.set(Some(by_button.clone()))>
                {app.t(T::WarningMore)}
            </button>
        </li>
    }
}

#[component]
fn Detail(shown: RwSignal<Option<Warning>>) -> impl IntoView {
    let app = App::here();
    let dialog = NodeRef::<html::Dialog>::new();
    Effect::new(move |_| {
        let Some(dialog) = dialog.get() else { return };
        match shown.with(Option::is_some) {
            true if !dialog.open() => _ = dialog.show_modal(),
            true => {}
            false => dialog.close(),
        }
    });
    let rows = move |warning: Warning| {
        let words = warning_words(&warning, app.language.get());
        [
            (T::WarningKind, words.message.to_owned()),
            (T::WarningValue, format!("{} tokens", warning.current_value)),
            (T::WarningThreshold, format!("{} tokens", warning.threshold)),
            (T::WarningAdvice, words.suggestion.to_owned()),
            (T::WarningEffect, words.effect.to_owned()),
        ]
        .map(|(label, value)| view! { <div><dt>{app.t(label)}</dt><dd>{value}</dd></div> })
    };
    view! {
        <dialog
            class="warnings-detail"
            node_ref=dialog
            aria-labelledby="warnings-detail"
            // However the browser closed it.
            on:close=move |_| shown.set(None)
        >
            {move || shown.get().map(|warning| view! {
                <div data-testid="warnings-detail">
                    <div class="part-head">
                        <h2 id="warnings-detail">{app.t(T::WarningDetails)}</h2>
                        <button type="button" class="icon-button" data-testid="warnings-close" aria-label=app.t(T::Close) on:click=move |_| shown.set(None)>
                            <Icon shape=Shape::X />
                        </button>
                    </div>
                    <dl>{rows(warning)}</dl>
                </div>
            })}
        </dialog>
    }
}
