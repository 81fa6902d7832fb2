//! Form controls: a label, a control, a hint, and the fault beside the place.

use leptos::prelude::*;

/// A line of text.
#[component]
pub fn TextField(
    #[prop(into)] label: Signal<&'static str>,
    value: RwSignal<String>,
    testid: &'static str,
    #[prop(optional, into)] hint: Option<Signal<&'static str>>,
    #[prop(optional, into)] fault: Option<Signal<Option<String>>>,
    #[prop(default = "text")] kind: &'static str,
    #[prop(optional)] placeholder: &'static str,
    #[prop(optional)] list: &'static str,
) -> impl IntoView {
    let id = format!("field-{testid}");
    let described = format!("{id}-note");
    let broken = move || fault.is_some_and(|fault| fault.with(Option::is_some));
    view! {
        <div class="field">
            <label for=id.clone()>{label}</label>
            <input
                id=id.clone()
                type=kind
                data-testid=testid
                dir=(kind == "text").then_some("auto")
                placeholder=placeholder
                list=(!list.is_empty()).then_some(list)
                autocomplete="off"
                spellcheck=(kind == "text").then_some("true")
                aria-invalid=move || broken().to_string()
                aria-describedby=described.clone()
                prop:value=move || value.get()
                on:input=move |event| value.set(event_target_value(&event))
            />
            <FieldNote id=described hint fault />
        </div>
    }
}

/// Several lines of text.
#[component]
pub fn TextArea(
    #[prop(into)] label: Signal<&'static str>,
    value: RwSignal<String>,
    testid: &'static str,
    #[prop(optional, into)] hint: Option<Signal<&'static str>>,
    #[prop(optional, into)] fault: Option<Signal<Option<String>>>,
    #[prop(default = 3)] rows: u32,
) -> impl IntoView {
    let id = format!("field-{testid}");
    let described = format!("{id}-note");
    let broken = move || fault.map(|fault| fault.with(Option::is_some).to_string());
    view! {
        <div class="field">
            <label for=id.clone()>{label}</label>
            <textarea
                id=id.clone()
                rows=rows.to_string()
                data-testid=testid
                dir="auto"
                aria-invalid=broken
                aria-describedby=described.clone()
                prop:value=move || value.get()
                on:input=move |event| value.set(event_target_value(&event))
            ></textarea>
            <FieldNote id=described hint fault />
        </div>
    }
}

/// One of a few. Options are (value, label).
#[component]
pub fn SelectField(
    #[prop(into)] label: Signal<&'static str>,
    value: RwSignal<String>,
    #[prop(into)] options: Signal<Vec<(String, String)>>,
    testid: &'static str,
    #[prop(optional, into)] hint: Option<Signal<&'static str>>,
) -> impl IntoView {
    let id = format!("field-{testid}");
    let described = format!("{id}-note");
    view! {
        <div class="field">
            <label for=id.clone()>{label}</label>
            <select
                id=id.clone()
                data-testid=testid
                aria-describedby=described.clone()
                on:change=move |event| value.set(event_target_value(&event))
            >
                <For each=move || options.get() key=|option| option.clone() let:option>
                    {
                        let this = option.0.clone();
                        view! { <option value=option.0.clone() selected=move || value.get() == this>{option.1}</option> }
                    }
                </For>
            </select>
            <FieldNote id=described hint fault=None />
        </div>
    }
}

/// A box to tick, and a label behind it.
#[component]
pub fn CheckField(
    #[prop(into)] label: Signal<&'static str>,
    #[prop(into)] is_on: Signal<bool>,
    /// Takes what it is set to.
    #[prop(into)]
    set: Callback<bool>,
    #[prop(into)] testid: String,
    #[prop(optional, into)] hint: Option<Signal<&'static str>>,
) -> impl IntoView {
    let id = format!("field-{testid}-note");
    let described = hint.map(|_| id.clone());
    view! {
        <label class="check">
            <input type="checkbox" data-testid=testid aria-describedby=described prop:checked=move || is_on.get()
                on:change=move |event| set.run(event_target_checked(&event)) />
            {label}
        </label>
        {hint.map(|hint| view! { <p class="field-note" id=id>{hint}</p> })}
    }
}

#[component]
fn FieldNote(id: String, hint: Option<Signal<&'static str>>, fault: Option<Signal<Option<String>>>) -> impl IntoView {
    let fault = move || fault.and_then(|fault| fault.get());
    view! {
        <p class="field-note" class:fault=move || fault().is_some() id=id aria-live="polite">
            {move || fault().unwrap_or_else(|| hint.map(|hint| hint.get().to_owned()).unwrap_or_default())}
        </p>
    }
}
