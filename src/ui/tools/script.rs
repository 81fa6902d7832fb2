//! The form of one regex script, with a text to try it on. What is typed is kept as the field is left.

use leptos::prelude::*;

use super::T;
use crate::{
    desk::tools::{Readers, ScriptDraft, depth},
    locales::tools::draft_fault,
    story::script::{Place, Script},
    ui::{
        app::App,
        fields::{CheckField, SelectField, TextArea, TextField},
    },
};

#[component]
pub(super) fn ScriptForm(app: App, script: Memo<Script>, save: Callback<(ScriptDraft, ScriptDraft)>) -> impl IntoView {
    let begun = script.with_untracked(ScriptDraft::of);
    let held = StoredValue::new(begun.clone());
    let [name, find, replace, trim, min, max] =
        [begun.name, begun.find, begun.replace, begun.trim, begun.min_depth, begun.max_depth].map(RwSignal::new);
    let places = RwSignal::new(begun.places);
    let readers = RwSignal::new(begun.readers.name().to_owned());
    let macros = RwSignal::new(begun.macros.to_string());
    let draft = Memo::new(move |_| ScriptDraft {
        name: name.get(),
        find: find.get(),
        replace: replace.get(),
        trim: trim.get(),
        places: places.get(),
        readers: Readers::named(&readers.get()),
        min_depth: min.get(),
        max_depth: max.get(),
        macros: macros.with(|macros| macros.parse().unwrap_or_default()),
    });
    let keep = move |_| {
        let typed = draft.get_untracked();
        let begun = held.get_value();
        save.run((begun.clone(), typed.clone()));
        // What is no depth is not kept: the form goes on showing it.
        let kept = |typed: String, begun: String| if depth(&typed).is_ok() { typed } else { begun };
        let (min_depth, max_depth) = (kept(typed.min_depth, begun.min_depth), kept(typed.max_depth, begun.max_depth));
        held.set_value(ScriptDraft { min_depth, max_depth, ..typed });
    };
    // What was changed elsewhere is shown; what is being typed stays.
    Effect::new(move |_| {
        let now = script.with(ScriptDraft::of);
        let shown = draft.get_untracked().after(&held.get_value(), &now);
        held.set_value(now);
        if shown == draft.get_untracked() {
            return;
        }
        let texts = [shown.name, shown.find, shown.replace, shown.trim, shown.min_depth, shown.max_depth];
        for (field, text) in [name, find, replace, trim, min, max].into_iter().zip(texts) {
            field.set(text);
        }
        places.set(shown.places);
        readers.set(shown.readers.name().to_owned());
        macros.set(shown.macros.to_string());
    });
    let language = app.language;
    // Of a form that is still blank nothing is wrong yet.
    let fault = Signal::derive(move || {
        let why = draft.with(|draft| (!draft.find.is_empty()).then(|| draft.fault()).flatten());
        why.map(|why| draft_fault(&why, language.get()))
    });
    let number = |typed: RwSignal<String>| {
        Signal::derive(move || typed.with(|typed| depth(typed).err()).map(|why| draft_fault(&why, language.get())))
    };
    let options = move |options: [(&'static str, T); 3]| {
        Signal::derive(move || {
            options.map(|(value, label)| (value.to_owned(), label.text(language.get()).to_owned())).to_vec()
        })
    };
    let place = move |(at, label): (usize, T)| {
        let is_on = Signal::derive(move || places.with(|places| places[at]));
        let set = move |on| places.update(|places| places[at] = on);
        view! { <CheckField label=app.t(label) is_on set testid=format!("script-place-{}", Place::ALL[at].number()) /> }
    };
    let sample = RwSignal::new(String::new());
    let tried = move || {
        let text = sample.get();
        let made = draft.with(|draft| draft.tried(&text)).ok()?;
        (!text.is_empty()).then(|| made.unwrap_or_else(|| app.t(T::Unchanged)().to_owned()))
    };
    let labels = [T::OfReader, T::OfReply, T::OfLore, T::OfThoughts];
    view! {
        <div class="form tool-form" data-testid="script-form" on:change=keep>
            <TextField label=app.t(T::Name) value=name testid="script-name" />
            <TextArea label=app.t(T::Find) value=find testid="script-find" rows=2 hint=app.t(T::FindHint) fault />
            <TextArea label=app.t(T::Replace) value=replace testid="script-replace" rows=2 hint=app.t(T::ReplaceHint) />
            <fieldset class="plain-fieldset tool-places">
                <legend>{app.t(T::Where)}</legend>
                {labels.into_iter().enumerate().map(place).collect_view()}
            </fieldset>
            <SelectField label=app.t(T::ForWhom) value=readers testid="script-readers"
                options=options([("both", T::ForBoth), ("eye", T::ForEye), ("model", T::ForModel)]) />
            <div class="columns">
                <TextField label=app.t(T::MinDepth) value=min testid="script-min" hint=app.t(T::DepthHint) fault=number(min) />
                <TextField label=app.t(T::MaxDepth) value=max testid="script-max" fault=number(max) />
            </div>
            <SelectField label=app.t(T::Macros) value=macros testid="script-macros"
                options=options([("0", T::MacrosNo), ("1", T::MacrosRaw), ("2", T::MacrosPlain)]) />
            <TextArea label=app.t(T::Trim) value=trim testid="script-trim" rows=1 hint=app.t(T::TrimHint) />
            <TextArea label=app.t(T::Try) value=sample testid="script-sample" rows=2 />
            <Show when=move || tried().is_some()>
                <div class="tool-tried">
                    <span class="field-note">{app.t(T::Tried)}</span>
                    <output data-testid="script-tried" dir="auto">{tried}</output>
                </div>
            </Show>
        </div>
    }
}
