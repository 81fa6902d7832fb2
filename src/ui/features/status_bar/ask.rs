//! Asking whether a card's bar may run: what it can and cannot do, and its code.

use leptos::prelude::*;

use super::{T, allow};
use crate::{features::status_bar::StatusBar, locales::fill, ui::app::App};

#[component]
pub fn Ask(bar: Memo<Option<StatusBar>>, hash: Memo<Option<String>>) -> impl IntoView {
    let app = App::here();
    let open = RwSignal::new(false);
    let name = move || bar.with(|bar| bar.as_ref().map(|bar| bar.of.clone())).unwrap_or_default();
    let code = move || bar.with(|bar| bar.as_ref().map(|bar| bar.code.clone())).unwrap_or_default();
    // What is allowed is what was shown.
    let yes = move |_| {
        if let Some(hash) = hash.get_untracked() {
            allow(app, hash);
        }
    };
    view! {
        <div class="status-ask" data-testid="statusbar-consent">
            <p class="status-note">
                {move || fill(app.t(T::Asks)(), &[&name()])} " "
                <button class="link" data-testid="statusbar-look" aria-expanded=move || open.get().to_string() on:click=move |_| open.update(|open| *open = !*open)>
                    {app.t(T::LookAtIt)}
                </button>
            </p>
            <Show when=move || open.get()>
                <ul class="status-terms">
                    {[T::CanSee, T::CanDo, T::CannotDo, T::Honest, T::Changed].map(|text| view! { <li>{app.t(text)}</li> })}
                </ul>
                <div class="row">
                    <button class="button" data-testid="statusbar-allow" on:click=yes>{app.t(T::Allow)}</button>
                    <button class="button quiet" on:click=move |_| open.set(false)>{app.t(T::NotNow)}</button>
                </div>
                <details class="status-code">
                    <summary>{move || fill(app.t(T::ItsCode)(), &[&code().len().to_string()])}</summary>
                    <pre tabindex="0" data-testid="statusbar-code">{code}</pre>
                </details>
            </Show>
        </div>
    }
}
