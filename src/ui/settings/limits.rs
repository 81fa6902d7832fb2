//! Thresholds, limits and preferences of seed `000` (A9): what is saved holds from the next turn on.

use leptos::{html, prelude::*, task::spawn_local};

use super::unsaved::{Part, Unsaved};
use crate::{
    locales::{
        self, T,
        warnings::{FieldWords, field_words, range_words},
    },
    story::settings::{Config, Field, SummaryOrder},
    ui::{app::App, fields::CheckField},
};

/// What is in the form: numbers as they were typed.
#[derive(Clone, PartialEq)]
struct Entered {
    numbers: [String; Field::ALL.len()],
    order: SummaryOrder,
    load_all: bool,
}

impl Entered {
    fn of(config: &Config) -> Self {
        let config = config.clone().in_range();
        Self {
            numbers: Field::ALL.map(|field| field.get(&config).to_string()),
            order: config.preferences.summary_order,
            load_all: config.preferences.conversation_load_all,
        }
    }

    /// What writes it into a config, whatever else that holds; `None` where a number is out of its range.
    fn read(self) -> Option<impl FnOnce(&mut Config)> {
        let mut values = [0; Field::ALL.len()];
        for ((field, text), value) in Field::ALL.into_iter().zip(&self.numbers).zip(&mut values) {
            *value = field.validate(text).ok()?;
        }
        Some(move |config: &mut Config| {
            for (field, value) in Field::ALL.into_iter().zip(values) {
                field.set(config, value);
            }
            config.preferences.summary_order = self.order;
            config.preferences.conversation_load_all = self.load_all;
        })
    }
}

#[derive(Clone, Copy)]
struct Form {
    app: App,
    /// As it is stored.
    stored: RwSignal<Config>,
    numbers: [RwSignal<String>; Field::ALL.len()],
    order: RwSignal<SummaryOrder>,
    load_all: RwSignal<bool>,
    saved: RwSignal<bool>,
    busy: RwSignal<bool>,
    element: NodeRef<html::Form>,
}

impl Form {
    fn new(app: App, stored: Config) -> Self {
        let entered = Entered::of(&stored);
        Self {
            app,
            stored: RwSignal::new(stored),
            numbers: entered.numbers.map(RwSignal::new),
            order: RwSignal::new(entered.order),
            load_all: RwSignal::new(entered.load_all),
            saved: RwSignal::default(),
            busy: RwSignal::default(),
            element: NodeRef::new(),
        }
    }

    fn fill(self, entered: Entered) {
        for (text, typed) in self.numbers.into_iter().zip(entered.numbers) {
            text.set(typed);
        }
        self.order.set(entered.order);
        self.load_all.set(entered.load_all);
    }

    fn entered(self) -> Entered {
        let numbers = self.numbers.map(|text| text.get());
        Entered { numbers, order: self.order.get(), load_all: self.load_all.get() }
    }

    fn is_changed(self) -> bool {
        self.stored.with(|stored| Entered::of(stored) != self.entered())
    }

    /// Saves what is in the form at this moment; true once it is. It goes to the store before anything else is asked of
    /// that, so no turn that begins from now on is told by the limits of before.
    async fn save(self) -> bool {
        if self.busy.get_untracked() {
            return false;
        }
        let entered = untrack(|| self.entered());
        let Some(change) = entered.clone().read() else {
            self.show_refusal();
            return false;
        };
        self.busy.set(true);
        let saved = self.keep(change).await;
        if saved {
            self.follow(&entered);
        }
        self.saved.try_set(saved);
        self.busy.try_set(false);
        saved
    }

    /// Shows what stands by now, where another device has set something, unless something was typed since it was saved.
    fn follow(self, saved: &Entered) {
        let is_as_saved = !self.stored.is_disposed() && untrack(|| self.entered()) == *saved;
        if is_as_saved {
            self.fill(Entered::of(&self.stored.get_untracked()));
        }
    }

    async fn keep(self, change: impl FnOnce(&mut Config)) -> bool {
        let before = self.stored.try_get_untracked();
        let change = |config: &mut Config| match before {
            Some(before) => {
                let mut form = before.clone();
                change(&mut form);
                config.take(&before, &form);
            }
            None => change(config),
        };
        match self.app.desk().change_config(change).await {
            Ok(stored) => {
                let _ = self.stored.try_set(stored);
                true
            }
            Err(error) => {
                self.app.notify_store(error);
                false
            }
        }
    }

    /// Puts the defaults in and saves them, with a way back.
    async fn restore(self) {
        let (stored, entered) = untrack(|| (self.stored.get(), self.entered()));
        self.fill(Entered::of(&Config::default()));
        if self.save().await {
            self.app.notify_undo(T::DefaultsRestored, move || {
                spawn_local(self.take_back(Entered::of(&stored), entered.clone()));
            });
        }
    }

    /// The reader may be at another page by now.
    async fn take_back(self, stored: Entered, entered: Entered) {
        if let Some(change) = stored.read()
            && self.keep(change).await
            && !self.stored.is_disposed()
        {
            self.fill(entered);
        }
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
    // The form comes with what is stored: what is typed before that would be lost to it.
    let stored = RwSignal::new(None::<Config>);
    spawn_local(async move {
        match app.desk().config().await {
            Ok(config) => _ = stored.try_set(Some(config)),
            Err(error) => app.notify_store(error),
        }
    });
    view! {
        <section class="settings-part" aria-labelledby="settings-limits">
            <h2 id="settings-limits">{app.t(T::PromptLimits)}</h2>
            {move || stored.get().map(|stored| view! { <LimitsForm stored /> })}
        </section>
    }
}

#[component]
fn LimitsForm(stored: Config) -> impl IntoView {
    let app = App::here();
    let form = Form::new(app, stored);
    // What is on its way to the store is asked about no more.
    let changed = Memo::new(move |_| form.is_changed() && !form.busy.get());
    Unsaved::here().watch(Part::Limits, changed, move || form.save());
    let save = move || {
        spawn_local(async move {
            form.save().await;
        })
    };
    let group = move |fields: &[Field]| {
        let numbers = Field::ALL.into_iter().zip(form.numbers).filter(|(field, _)| fields.contains(field));
        numbers.map(|(field, text)| view! { <ConfigNumber field text /> }).collect_view()
    };
    use Field::*;
    view! {
        <form
            class="form limits"
            novalidate
            node_ref=form.element
            aria-labelledby="settings-limits"
            on:submit=move |event| { event.prevent_default(); save() }
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
                <CheckField label=app.t(T::LoadAll) is_on=form.load_all set=move |on| form.load_all.set(on)
                    testid="settings-conversation_load_all" hint=app.t(T::LoadAllHint) />
            </fieldset>
            <div class="row">
                <button type="button" class="button" data-testid="settings-reset" disabled=move || form.busy.get() on:click=move |_| spawn_local(form.restore())>
                    {app.t(T::RestoreDefaults)}
                </button>
                <button type="submit" class="button primary" data-testid="settings-save" disabled=move || form.busy.get()>{app.t(T::Save)}</button>
                <span class="saved-note" data-testid="settings-saved" aria-live="polite">
                    {move || form.saved.get().then(|| app.t(T::Saved)())}
                </span>
            </div>
        </form>
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
pub fn WholeNumber(
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
