//! Thresholds, limits and preferences of seed `000` (A9): what is saved holds from the next turn on.

use leptos::{html, prelude::*, task::spawn_local};

use crate::{
    locales::{
        self, T,
        warnings::{FieldWords, field_words, range_words},
    },
    story::settings::{Config, Field, SummaryOrder},
    ui::app::App,
};

/// What is in the form.
#[derive(Clone, Copy)]
struct Form {
    app: App,
    numbers: StoredValue<[(Field, RwSignal<String>); Field::ALL.len()]>,
    order: RwSignal<SummaryOrder>,
    load_all: RwSignal<bool>,
    saved: RwSignal<bool>,
    busy: RwSignal<bool>,
    element: NodeRef<html::Form>,
}

impl Form {
    fn new(app: App) -> Self {
        let form = Self {
            app,
            numbers: StoredValue::new(Field::ALL.map(|field| (field, RwSignal::new(String::new())))),
            order: RwSignal::default(),
            load_all: RwSignal::default(),
            saved: RwSignal::default(),
            busy: RwSignal::default(),
            element: NodeRef::new(),
        };
        form.fill(&Config::default());
        form
    }

    fn fill(self, config: &Config) {
        for (field, text) in self.numbers.get_value() {
            text.set(field.get(config).to_string());
        }
        self.order.set(config.preferences.summary_order);
        self.load_all.set(config.preferences.conversation_load_all);
    }

    /// Writes what is in the form into a config; `None` where a number is out of its range.
    fn read(self, mut config: Config) -> Option<Config> {
        for (field, text) in self.numbers.get_value() {
            field.set(&mut config, field.validate(&text.get_untracked()).ok()?);
        }
        config.preferences.summary_order = self.order.get_untracked();
        config.preferences.conversation_load_all = self.load_all.get_untracked();
        Some(config)
    }

    /// Shows what is stored.
    async fn load(self) {
        match self.app.store().load::<Config>(Config::ID).await {
            // The reader may be at another page by now.
            Ok(stored) => {
                if self.busy.try_get_untracked().is_some() {
                    self.fill(&stored.unwrap_or_default().in_range());
                }
            }
            Err(error) => self.app.notify_store(error),
        }
    }

    /// Saves it over what is stored, so that what this version does not know stays.
    fn save(self) {
        if self.busy.get_untracked() {
            return;
        }
        if self.read(Config::default()).is_none() {
            return self.show_refusal();
        }
        self.busy.set(true);
        spawn_local(async move {
            let saved = match self.app.store().load::<Config>(Config::ID).await {
                Ok(stored) => match self.read(stored.unwrap_or_default()) {
                    Some(config) => self.app.save(&config).await,
                    None => false,
                },
                Err(error) => {
                    self.app.notify_store(error);
                    false
                }
            };
            self.saved.try_set(saved);
            self.busy.try_set(false);
        });
    }

    fn restore(self) {
        self.fill(&Config::default());
        self.save();
    }

    /// Moves the focus to the first field that is refused.
    fn show_refusal(self) {
        use wasm_bindgen::JsCast;
        let form = self.element.get_untracked();
        let field = form.and_then(|form| form.query_selector("[aria-invalid=true]").ok().flatten());
        if let Some(field) = field {
            let _ = field.unchecked_into::<web_sys::HtmlElement>().focus();
        }
    }
}

#[component]
pub fn PromptLimits() -> impl IntoView {
    let app = App::here();
    let form = Form::new(app);
    spawn_local(form.load());
    let group = move |fields: &[Field]| {
        let numbers = form.numbers.get_value().into_iter().filter(|(field, _)| fields.contains(field));
        numbers.map(|(field, text)| view! { <ConfigNumber field text /> }).collect_view()
    };
    use Field::*;
    view! {
        <section class="settings-part" aria-labelledby="settings-limits">
            <h2 id="settings-limits">{app.t(T::PromptLimits)}</h2>
            <form
                class="form limits"
                novalidate
                node_ref=form.element
                aria-labelledby="settings-limits"
                on:submit=move |event| { event.prevent_default(); form.save() }
                on:input=move |_| form.saved.set(false)
            >
                <fieldset class="plain-fieldset">
                    <legend>{app.t(T::Thresholds)}</legend>
                    {group(&[RagFallbackThreshold, SummaryLastNTurns])}
                </fieldset>
                <fieldset class="plain-fieldset">
                    <legend>{app.t(T::Limits)}</legend>
                    {group(&[MaxTotalTokens, MiddleSectionWarningTokens, ConversationMaxTokens])}
                </fieldset>
                <fieldset class="plain-fieldset">
                    <legend>{app.t(T::StoryPreferences)}</legend>
                    <Order order=form.order />
                    <label class="check">
                        <input
                            type="checkbox"
                            data-testid="settings-conversation_load_all"
                            aria-describedby="settings-load-all-note"
                            prop:checked=move || form.load_all.get()
                            on:change=move |event| form.load_all.set(event_target_checked(&event))
                        />
                        {app.t(T::LoadAll)}
                    </label>
                    <p class="field-note" id="settings-load-all-note">{app.t(T::LoadAllHint)}</p>
                </fieldset>
                <div class="row">
                    <button type="button" class="button" data-testid="settings-reset" disabled=move || form.busy.get() on:click=move |_| form.restore()>
                        {app.t(T::RestoreDefaults)}
                    </button>
                    <button type="submit" class="button primary" data-testid="settings-save" disabled=move || form.busy.get()>{app.t(T::Save)}</button>
                    <span class="saved-note" data-testid="settings-saved" aria-live="polite">
                        {move || form.saved.get().then(|| app.t(T::Saved)())}
                    </span>
                </div>
            </form>
        </section>
    }
}

#[component]
fn ConfigNumber(field: Field, text: RwSignal<String>) -> impl IntoView {
    let app = App::here();
    let words = Signal::derive(move || field_words(field, app.language.get()));
    let fault =
        Signal::derive(move || field.validate(&text.get()).err().map(|fault| range_words(fault, app.language.get())));
    let testid = match field {
        Field::RagFallbackThreshold => "settings-rag_fallback_threshold",
        Field::SummaryLastNTurns => "settings-summary_last_n_turns",
        Field::MaxTotalTokens => "settings-max_total_tokens",
        Field::MiddleSectionWarningTokens => "settings-middle_section_warning_tokens",
        Field::ConversationMaxTokens => "settings-conversation_max_tokens",
    };
    view! { <WholeNumber words text fault testid fault_testid="settings-error" /> }
}

/// A whole number: its label, what it counts, a hint, and beside it why it is refused.
#[component]
pub(super) fn WholeNumber(
    words: Signal<FieldWords>,
    text: RwSignal<String>,
    fault: Signal<Option<String>>,
    testid: &'static str,
    fault_testid: &'static str,
) -> impl IntoView {
    let id = format!("field-{testid}");
    let (unit, note) = (format!("{id}-unit"), format!("{id}-note"));
    view! {
        <div class="field whole-number">
            <label for=id.clone()>{move || words.get().label}</label>
            <div class="number-row">
                <input
                    id=id
                    type="text"
                    inputmode="numeric"
                    autocomplete="off"
                    data-testid=testid
                    aria-invalid=move || fault.with(Option::is_some).to_string()
                    aria-describedby=format!("{unit} {note}")
                    prop:value=move || text.get()
                    on:input=move |event| text.set(event_target_value(&event))
                />
                <span class="unit" id=unit>{move || text.with(|text| locales::unit(words.get().unit, text.trim()))}</span>
            </div>
            <div class="field-note" id=note aria-live="polite">
                {move || match fault.get() {
                    Some(fault) => view! { <span class="place-fault" data-testid=fault_testid>{fault}</span> }.into_any(),
                    None => words.get().hint.into_any(),
                }}
            </div>
        </div>
    }
}

#[component]
fn Order(order: RwSignal<SummaryOrder>) -> impl IntoView {
    let app = App::here();
    let choices = [
        (SummaryOrder::SummaryFirst, "summary_first", T::SummaryFirst),
        (SummaryOrder::LastNFirst, "last_n_first", T::LastNFirst),
    ];
    view! {
        <div class="choices" role="radiogroup" aria-labelledby="settings-summary-order" data-testid="settings-summary_order">
            <span class="field-label" id="settings-summary-order">{app.t(T::SummaryOrderLabel)}</span>
            {choices.map(|(choice, value, label)| view! {
                <label class="check">
                    <input
                        type="radio"
                        name="summary_order"
                        value=value
                        prop:checked=move || order.get() == choice
                        on:change=move |_| order.set(choice)
                    />
                    {app.t(label)}
                </label>
            })}
        </div>
    }
}
