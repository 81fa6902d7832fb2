//! The form of one entry of the world: its name, what kind of value it is, and the value.

use leptos::prelude::*;
use serde_json::Value;

use super::Open;
use crate::{
    locales::{
        T,
        mind::{T as M, refusal_words},
    },
    story::{
        Extra,
        figures::ungrouped_decimal,
        world::{self, WorldEdit},
    },
    ui::{
        app::App,
        drafts::Draft,
        fields::{SelectField, TextArea, TextField},
        focus::begin_with,
        mind::Mind,
    },
};

const KINDS: [(&str, M); 4] =
    [("text", M::KindText), ("number", M::KindNumber), ("truth", M::KindTruth), ("list", M::KindList)];

/// A value as its kind and the text that is edited.
fn draft(value: &Value) -> (&'static str, String) {
    match value {
        Value::Number(_) => ("number", world::written(value)),
        Value::Bool(_) => ("truth", world::written(value)),
        Value::Array(list) => ("list", list.iter().map(world::written).collect::<Vec<_>>().join("\n")),
        other => ("text", world::written(other)),
    }
}

/// `None`: no number.
fn value_of(kind: &str, text: &str) -> Option<Value> {
    Some(match kind {
        "number" => Some(world::typed(&ungrouped_decimal(text))).filter(Value::is_number)?,
        "truth" => Value::Bool(text == "true"),
        "list" => text.lines().map(str::trim).filter(|line| !line.is_empty()).map(world::typed).collect(),
        _ => text.trim().into(),
    })
}

#[component]
pub fn WorldForm(mind: Mind, world: Memo<Extra>, open: RwSignal<Option<Open>>) -> impl IntoView {
    let app = App::here();
    let old = match open.get_untracked() {
        Some(Open::Edit(key)) => Some(key),
        _ => None,
    };
    let is_new = old.is_none();
    let (kind, text) = match &old {
        Some(key) => world.with_untracked(|world| world.get(key).map(draft)).unwrap_or(("text", String::new())),
        None => ("text", String::new()),
    };
    let old = old.unwrap_or_default();
    let typed = Draft::of(mind.place_of(&format!("world/{old}")), [old, kind.to_owned(), text]);
    let [key, kind, text] = typed.texts;
    let close = move || {
        typed.end();
        open.try_set(None);
    };
    let (key_fault, fault) = (RwSignal::new(None::<String>), RwSignal::new(None::<String>));
    let form = NodeRef::new();
    begin_with(form);
    let options =
        Signal::derive(move || KINDS.map(|(kind, label)| (kind.to_owned(), app.t(label)().to_owned())).to_vec());
    let truths = Signal::derive(move || {
        [("true", M::WorldYes), ("false", M::WorldNo)]
            .map(|(value, label)| (value.to_owned(), app.t(label)().to_owned()))
            .to_vec()
    });
    let shape = Memo::new(move |_| kind.get());
    // Who only passes by "yes or no" in the list of kinds has what was typed back.
    let passed = StoredValue::new(None::<String>);
    Effect::new(move |before: Option<bool>| {
        let is_truth = shape.get() == "truth";
        if is_truth && text.with_untracked(|text| text != "false" && text != "true") {
            passed.set_value(Some(text.get_untracked()));
            text.set("true".to_owned());
        } else if before == Some(true)
            && !is_truth
            && let Some(typed) = passed.try_update_value(Option::take).flatten()
        {
            text.set(typed);
        }
        is_truth
    });
    let save = move || {
        let language = app.language.get_untracked();
        let name = key.get_untracked().trim().to_owned();
        let wrong = match world::key(&name) {
            Err(refusal) => Some(format!("{}{}", refusal_words(refusal, language), language.pick("。", "."))),
            Ok(name) if is_new && world.with_untracked(|world| world.contains_key(name)) => {
                Some(M::WorldKeyTaken.text(language).to_owned())
            }
            Ok(_) => None,
        };
        let value = value_of(&kind.get_untracked(), &text.get_untracked());
        key_fault.set(wrong.clone());
        fault.set(value.is_none().then(|| M::NotANumber.text(language).to_owned()));
        let (None, Some(value)) = (wrong, value) else { return };
        // What was typed stays until it is stored.
        mind.world(WorldEdit::Put { key: name, value }, close);
    };
    let label = Signal::derive(app.t(M::WorldValue));
    let value = move || match shape.get().as_str() {
        "truth" => view! { <SelectField label value=text options=truths testid="world-input" /> }.into_any(),
        "list" => {
            let label = Signal::derive(app.t(M::WorldList));
            view! { <TextArea label value=text testid="world-input" rows=4 /> }.into_any()
        }
        _ => view! { <TextField label value=text testid="world-input" fault=Signal::derive(move || fault.get()) /> }
            .into_any(),
    };
    view! {
        <form class="item-form" data-testid="world-form" node_ref=form
            on:submit=move |event| { event.prevent_default(); save(); }
            on:keydown=move |event| typed.escape(&event, close)>
            {match is_new {
                true => view! {
                    <TextField label=Signal::derive(app.t(M::WorldKey)) value=key testid="world-key" fault=Signal::derive(move || key_fault.get()) />
                }.into_any(),
                false => view! { <p class="world-key">{key.get_untracked()}</p> }.into_any(),
            }}
            <SelectField label=Signal::derive(app.t(M::WorldKind)) value=kind options testid="world-kind" />
            {value}
            <div class="row">
                <button class="button primary" type="submit" data-testid="world-save" disabled=move || mind.busy.get()>{app.t(T::Save)}</button>
                <button class="button quiet" type="button" on:click=move |_| close()>{app.t(T::Cancel)}</button>
            </div>
        </form>
    }
}
