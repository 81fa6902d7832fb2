//! The form of a connection.

use leptos::prelude::*;

use super::{
    draft::{Draft, host, may_be_closed},
    editor::{Editor, Listing, Status},
    keys::{KeepingFields, Keys, Refused},
    prices::PriceFields,
    provider::{self, FindLocal, LogIn, ProviderField},
    unsaved::{Part, Unsaved},
};
use crate::{
    desk::sampling::body_of,
    locales::{
        T,
        connections::T as C,
        faults, fill,
        keys::T as K,
        providers::T as P,
        sampling::{self, T as S},
    },
    story::{
        connection::{Connection, ProviderKind},
        fault::{Fault, FaultKind},
        storyline::Language,
    },
    ui::{
        app::App,
        fields::{SelectField, TextArea, TextField},
        number::Problem,
        samplers::{NumberField, RareSamplers},
    },
    web::{log_in::Back, policy, text_of, window},
};

/// `close` is run once it is saved, and by the cancel button, which is there where there is something to go back to.
#[component]
pub fn ConnectionForm(
    connection: Option<Connection>,
    close: Callback<()>,
    #[prop(into)] can_cancel: Signal<bool>,
    /// A new one may be the end of a log-in.
    #[prop(optional_no_strip)]
    back: Option<Back>,
) -> impl IntoView {
    let app = App::here();
    let keys = Keys::here();
    let editor = Editor::new(app, keys, connection, close);
    if let Some(back) = back {
        provider::back(editor, back);
    }
    let draft = editor.draft;
    Unsaved::here().watch(Part::Connection, Memo::new(move |_| editor.is_changed()), move || editor.saved(false));
    let kinds = Signal::derive(move || {
        [
            (ProviderKind::Openai, C::KindOpenai),
            (ProviderKind::Anthropic, C::KindAnthropic),
            (ProviderKind::Gemini, C::KindGemini),
        ]
        .map(|(kind, label)| (kind.name().to_owned(), app.t(label)().to_owned()))
        .to_vec()
    });
    let title = if editor.is_new() { T::NewConnection } else { T::Edit };
    let asks = Memo::new(move |_| editor.asks_passphrase());
    view! {
        <form
            node_ref=editor.form
            class="form connection-form"
            novalidate
            aria-label=app.t(title)
            on:submit=move |event| { event.prevent_default(); editor.save(false) }
            on:input=move |_| editor.edited()
        >
            <div class="columns">
                <ProviderField editor />
                <SelectField label=app.t(C::ConnectionKind) value=draft.kind options=kinds testid="connection-kind" on:change=move |_| editor.server_changed() />
                <TextField label=app.t(C::ConnectionName) value=draft.name testid="connection-name" hint=Signal::derive(app.t(C::ConnectionNameHint)) />
            </div>
            <Show when=move || !draft.names_server() || draft.is_local()><FindLocal editor /></Show>
            <LogIn editor />
            <AddressField editor />
            <KeyField editor />
            <div class="indented">
                <KeepingFields draft asks refused=editor.refused />
            </div>
            <ModelField editor />
            <NumberFields draft />
            <PriceFields editor />
            <div class="row">
                <button type="submit" class="button primary" data-testid="connection-save" disabled=move || editor.busy.get()>{app.t(T::Save)}</button>
                <button type="button" class="button" data-testid="connection-test" on:click=move |_| editor.test()>{app.t(C::TestConnection)}</button>
                <Show when=move || can_cancel.get()>
                    <button type="button" class="button quiet" data-testid="connection-cancel" on:click=move |_| close.run(())>{app.t(T::Cancel)}</button>
                </Show>
            </div>
            <StatusLine editor />
        </form>
    }
}

#[component]
fn AddressField(editor: Editor) -> impl IntoView {
    let app = App::here();
    let draft = editor.draft;
    let fault =
        Signal::derive(move || draft.address_problem().filter(|_| draft.tried.get()).map(|problem| problem.words(app)));
    let hint = Signal::derive(move || match draft.provider() {
        ProviderKind::Openai => app.t(C::ConnectionUrlHint)(),
        ProviderKind::Anthropic | ProviderKind::Gemini => "",
    });
    let kind = Memo::new(move |_| draft.provider());
    let takes_reload = Memo::new(move |_| draft.address_problem().is_none() && !policy::allows(&draft.address()));
    view! {
        {move || view! {
            <TextField
                label=app.t(C::ConnectionUrl)
                value=draft.url
                kind="url"
                testid="connection-url"
                placeholder=kind.get().default_url()
                hint
                fault
                on:change=move |_| editor.server_changed()
            />
        }}
        <Show when=move || takes_reload.get()>
            <div class="reload-note">
                <p>{app.t(K::NeedsReload)}</p>
                <button type="button" class="button" data-testid="connection-reload" disabled=move || editor.busy.get() on:click=move |_| editor.save(true)>
                    {app.t(C::SaveAndReload)}
                </button>
            </div>
        </Show>
    }
}

#[component]
fn KeyField(editor: Editor) -> impl IntoView {
    let app = App::here();
    let hint = Signal::derive(move || {
        app.t(match editor.kept() {
            Some((_, true)) => C::ConnectionKeyKept,
            Some((_, false)) => C::KeyGoneHint,
            None => C::ConnectionKeyHint,
        })()
    });
    let fault = Signal::derive(move || editor.key_refused.get().map(|refused| refused.words(app)));
    view! {
        <TextField
            label=app.t(T::ConnectionKey)
            value=editor.draft.key
            kind="password"
            testid="connection-key"
            hint
            fault
            on:change=move |_| editor.server_changed()
        />
        <Show when=move || editor.key_refused.with(|refused| matches!(refused, Some(Refused::OfAnother(_))))>
            <button type="button" class="link" data-testid="connection-lend-key" on:click=move |_| editor.lend_key()>{app.t(P::LendKey)}</button>
        </Show>
        <Show when=move || editor.kept().is_some()>
            <button type="button" class="link forget-key" data-testid="connection-forget-key" on:click=move |_| editor.forget_key()>
                {move || app.t(if editor.kept().is_some_and(|(_, there)| there) { C::ForgetKey } else { C::NoKeyNeeded })()}
            </button>
        </Show>
    }
}

#[component]
fn ModelField(editor: Editor) -> impl IntoView {
    let app = App::here();
    let draft = editor.draft;
    let fault =
        Signal::derive(move || draft.model_problem().filter(|_| draft.tried.get()).map(|problem| problem.words(app)));
    let hint = Signal::derive(move || match draft.provider() {
        ProviderKind::Openai => app.t(C::ConnectionModelHint)(),
        ProviderKind::Anthropic | ProviderKind::Gemini => "",
    });
    let words = move || {
        editor.listing.get().map(|listing| match listing {
            Listing::Running => app.t(T::Loading)().to_owned(),
            Listing::Found(count) => fill(app.t(T::ModelsFound)(), &[&count.to_string()]),
            Listing::Failed(fault) => explained(&fault, draft, app.language.get()),
        })
    };
    let failed = move || matches!(editor.listing.get(), Some(Listing::Failed(_)));
    view! {
        <div class="model-row">
            <TextField label=app.t(C::ConnectionModel) value=draft.model testid="connection-model" list="connection-models" hint fault on:change=move |_| draft.model_changed() />
            <button type="button" class="button" data-testid="connection-fetch" on:click=move |_| editor.list_models()>{app.t(C::FetchModels)}</button>
        </div>
        <datalist id="connection-models" data-testid="connection-models">
            <For each=move || editor.models.get() key=|model| model.clone() let:model>
                <option value=model></option>
            </For>
        </datalist>
        <p class="field-note" class:fault=failed data-testid="connection-listing" aria-live="polite">{words}</p>
    }
}

/// What most people set stands open, the rest folds.
#[component]
fn NumberFields(draft: Draft) -> impl IntoView {
    let app = App::here();
    let common = [draft.samplers.temperature, draft.context, draft.timeout];
    let in_use = draft.samplers.has_rare() || draft.body.with_untracked(|body| !body.is_empty());
    let body_fault = Signal::derive(move || {
        draft.body.with(|body| body_of(body)).err().map(|fault| Problem::Body(fault).words(app))
    });
    view! {
        <div class="columns">{common.map(|number| view! { <NumberField number /> }).collect_view()}</div>
        <details class="more" open=in_use>
            <summary>{app.t(S::MoreSampling)}</summary>
            <p class="field-note">{app.t(S::SamplingHint)}</p>
            <RareSamplers samplers=draft.samplers />
            <TextArea label=app.t(S::Body) value=draft.body testid="connection-body" rows=3 hint=Signal::derive(app.t(S::BodyHint)) fault=body_fault />
        </details>
        <LeftOut draft />
    }
}

/// What is set and is not sent to this provider and its model.
#[component]
fn LeftOut(draft: Draft) -> impl IntoView {
    let app = App::here();
    let left_out = Memo::new(move |_| draft.left_out());
    let has_learnt = Memo::new(move |_| draft.has_learnt());
    let words = move || {
        let names = left_out.with(|parameters| sampling::names(parameters, app.language.get()));
        (!names.is_empty()).then(|| fill(app.t(S::NotTaken)(), &[&names]))
    };
    let hint = move || app.t(if words().is_some() { S::NotTakenHint } else { S::Adapted })();
    view! {
        <Show when=move || words().is_some() || has_learnt.get()>
            <div class="left-out" data-testid="connection-left-out">
                <p class="field-note"><b>{words}</b> " " {hint}</p>
                <Show when=move || has_learnt.get()>
                    <button type="button" class="link" data-testid="connection-send-refused" on:click=move |_| draft.forget_learnt()>{app.t(S::TryAgain)}</button>
                </Show>
            </div>
        </Show>
    }
}

/// What the test found.
#[component]
fn StatusLine(editor: Editor) -> impl IntoView {
    let app = App::here();
    let name = move || match editor.status.get() {
        Status::Untested => None,
        Status::Testing => Some("testing".to_owned()),
        Status::Works(_) => Some("ok".to_owned()),
        // As it is stored with a reply.
        Status::Failed(fault) => serde_json::to_value(fault.kind).ok()?.as_str().map(str::to_owned),
    };
    let words = move || match editor.status.get() {
        Status::Untested => String::new(),
        Status::Testing => app.t(T::Testing)().to_owned(),
        Status::Works(greeting) => {
            let model = match greeting.model.is_empty() {
                true => host(&editor.draft.address()),
                false => greeting.model,
            };
            match greeting.said.is_empty() {
                true => fill(app.t(C::TestSilent)(), &[&model]),
                false => fill(app.t(C::TestWorks)(), &[&model, &greeting.said]),
            }
        }
        Status::Failed(fault) => explained(&fault, editor.draft, app.language.get()),
    };
    view! {
        <p class="connection-status" data-testid="connection-status" data-kind=name aria-live="polite">{words}</p>
    }
}

/// A fault in words; where the server is on this machine, with what helps there.
fn explained(fault: &Fault, draft: Draft, language: Language) -> String {
    let said = faults::explain(fault, language);
    let local = draft.is_local();
    let advice = match fault.kind {
        FaultKind::LocalUnreachable => format!("{} {}", said.advice, C::LocalPort.text(language)),
        FaultKind::NotFound if local => C::LocalPort.text(language).to_owned(),
        FaultKind::Stalled if local => C::LocalSlow.text(language).to_owned(),
        kind if local && may_be_closed(kind) => {
            fill(C::LocalAllow.text(language), &[&text_of(&window().location(), "origin")])
        }
        _ => said.advice,
    };
    // The stylesheet keeps the break.
    format!("{}\n{advice}", said.what).trim_end().to_owned()
}
