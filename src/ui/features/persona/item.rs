//! One item of a persona as a short sentence with the turn that made it, and the form that words it anew.

use leptos::prelude::*;
use serde_json::Value;

use crate::{
    locales::{T, changes::sentence, mind::T as M},
    story::persona::{Item, ItemKind, PersonaEdit},
    ui::{
        app::App,
        drafts::Draft,
        fields::{SelectField, TextField},
        focus::begin_with,
        icons::{Icon, Shape},
        mind::{Mind, Place, TurnLink, kind_word},
    },
};

/// What is being worded; one at a time.
#[derive(Clone, PartialEq)]
pub enum Editing {
    Add([ItemKind; 3]),
    Edit(ItemKind, Value),
}

#[component]
pub fn ItemView(mind: Mind, kind: ItemKind, stored: Value, editing: RwSignal<Option<Editing>>) -> impl IntoView {
    let app = App::here();
    let item = Item::read(kind, &stored)?;
    let this = StoredValue::new(Editing::Edit(kind, stored.clone()));
    let is_edited = Memo::new(move |_| editing.with(|editing| this.with_value(|this| editing.as_ref() == Some(this))));
    let layer = match kind.layer() {
        crate::story::persona::Layer::Growth => "growth",
        crate::story::persona::Layer::Current => "current",
    };
    let aside = item.aside().to_owned();
    let turn = stored.get("turn").and_then(Value::as_u64).map(|turn| turn as u32);
    let by_hand = stored.get("by_hand").is_some();
    let remove = move |_| {
        mind.persona(Place::Items, PersonaEdit::Remove { kind, old: stored.clone() }, || {});
    };
    let idle = move || app.story.writer.get() && !mind.busy.get();
    Some(view! {
        <li class="persona-item" data-testid="persona-item" data-layer=layer data-kind=kind.name()>
            <Show when=move || !is_edited.get() fallback=move || view! { <ItemForm mind editing /> }>
                <p class="item-text">
                    {
                        let item = item.clone();
                        move || sentence(&item, app.language.get())
                    }
                </p>
                {(!aside.is_empty()).then(|| view! { <p class="item-aside">{aside.clone()}</p> })}
            </Show>
            <div class="item-foot" hidden=move || is_edited.get()>
                {match turn {
                    Some(position) => view! { <TurnLink position /> }.into_any(),
                    None => view! { <span>{app.t(M::FromStart)}</span> }.into_any(),
                }}
                {by_hand.then(|| view! { <span data-testid="item-by-hand">{app.t(M::ByHand)}</span> })}
                <span class="item-tools">
                    <button class="icon-button" data-testid="item-edit" aria-label=app.t(T::Edit) title=app.t(T::Edit)
                        disabled=move || !idle() on:click=move |_| editing.set(Some(this.get_value()))>
                        <Icon shape=Shape::PENCIL />
                    </button>
                    <button class="icon-button" data-testid="item-remove" aria-label=app.t(M::Remove) title=app.t(M::Remove)
                        disabled=move || !idle() on:click=remove>
                        <Icon shape=Shape::X />
                    </button>
                </span>
            </div>
        </li>
    })
}

fn field_words(kind: ItemKind) -> [Option<M>; 3] {
    match kind {
        ItemKind::Belief => [Some(M::KindBelief), Some(M::FieldFormedFrom), None],
        ItemKind::Pattern => [Some(M::KindPattern), None, None],
        ItemKind::Relationship => [Some(M::FieldEntity), Some(M::FieldStatus), Some(M::FieldHistory)],
        ItemKind::Emotion => [Some(M::KindEmotion), Some(M::FieldContext), None],
        ItemKind::Goal => [Some(M::KindGoal), Some(M::FieldReason), None],
        ItemKind::Physical => [Some(M::KindPhysical), None, None],
    }
}

#[component]
pub fn ItemForm(mind: Mind, editing: RwSignal<Option<Editing>>) -> impl IntoView {
    let app = App::here();
    let (kinds, kind, old) = match editing.get_untracked()? {
        Editing::Add(kinds) => (Some(kinds), kinds[0], None),
        Editing::Edit(kind, old) => (None, kind, Some(old)),
    };
    let mut was = [kind.name().to_owned(), String::new(), String::new(), String::new()];
    if let Some(item) = old.as_ref().and_then(|old| Item::read(kind, old)) {
        for (text, value) in was[1..].iter_mut().zip(item.texts()) {
            *text = value.to_owned();
        }
    }
    let typed = Draft::of(mind.place_of(&format!("persona/{}", was.join("/"))), was);
    let [name, texts @ ..] = typed.texts;
    let close = move || {
        typed.end();
        editing.try_set(None);
    };
    let kind = Memo::new(move |_| {
        let name = name.get();
        ItemKind::ALL.into_iter().find(|kind| kind.name() == name).unwrap_or(ItemKind::Belief)
    });
    let form = NodeRef::new();
    begin_with(form);
    let missing = RwSignal::new(false);
    let fault = Signal::derive(move || missing.get().then(|| app.t(T::Required)().to_owned()));
    let options = Signal::derive(move || {
        let kinds = kinds.into_iter().flatten();
        kinds.map(|kind| (kind.name().to_owned(), app.t(kind_word(kind))().to_owned())).collect::<Vec<_>>()
    });
    let save = move || {
        let [first, second, third] = texts.map(|text| text.get_untracked());
        missing.set(first.trim().is_empty());
        if missing.get_untracked() {
            return;
        }
        let item = Item::new(kind.get_untracked(), [&first, &second, &third]);
        let edit = match old.clone() {
            Some(old) => PersonaEdit::Replace { old, item },
            None => PersonaEdit::Add { item },
        };
        // What was typed stays until it is stored.
        mind.persona(Place::Items, edit, close);
    };
    let fields = move || {
        let testids = ["persona-field-1", "persona-field-2", "persona-field-3"];
        let fields = field_words(kind.get()).into_iter().zip(texts).zip(testids);
        fields
            .filter_map(|((label, value), testid)| {
                let label = Signal::derive(app.t(label?));
                Some(match testid {
                    "persona-field-1" => view! { <TextField label value testid fault /> }.into_any(),
                    _ => view! { <TextField label value testid /> }.into_any(),
                })
            })
            .collect_view()
    };
    Some(view! {
        <form class="item-form" data-testid="persona-form" node_ref=form
            on:submit=move |event| { event.prevent_default(); save(); }
            on:keydown=move |event| typed.escape(&event, close)>
            {kinds.map(|_| view! {
                <SelectField label=Signal::derive(app.t(M::WhichKind)) value=name options testid="persona-kind" />
            })}
            {fields}
            <div class="row">
                <button class="button primary" type="submit" data-testid="persona-save" disabled=move || mind.busy.get()>{app.t(T::Save)}</button>
                <button class="button quiet" type="button" on:click=move |_| close()>{app.t(T::Cancel)}</button>
            </div>
        </form>
    })
}
