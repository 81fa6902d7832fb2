//! Small words about things: dates, names, and what a plan took.

use js_sys::Date;
use leptos::prelude::*;
use wasm_bindgen::JsValue;

use super::app::App;
use crate::{
    locales::{fill, group::T as G, mind::T as M},
    story::{Millis, ids::CharacterId, storyline::Language, warning::Planning},
};

/// What a character of the library is called, or that it is there no more.
pub fn name_of(app: App, id: &CharacterId) -> String {
    let name = app.characters.with(|all| all.iter().find(|one| one.id == *id).map(|one| one.name.clone()));
    name.unwrap_or_else(|| app.t(G::Gone)().to_owned())
}

/// A day, as the language writes it.
pub fn date(at: Millis, language: Language) -> String {
    Date::new(&JsValue::from_f64(at as f64)).to_locale_date_string(language.tag(), &JsValue::UNDEFINED).into()
}

/// A day and its hour, as the language writes them.
pub fn moment(at: Millis, language: Language) -> String {
    Date::new(&JsValue::from_f64(at as f64)).to_locale_string(language.tag(), &JsValue::UNDEFINED).into()
}

/// What a plan took: its model, its tokens where they were counted, its time.
pub fn took(planning: &Planning, language: Language) -> String {
    let tokens = planning.usage.map(|usage| {
        let [asked, said] = [usage.prompt_tokens, usage.completion_tokens].map(|count| count.to_string());
        fill(M::PlanTokens.text(language), &[&asked, &said])
    });
    let seconds = format!("{:.1}", planning.millis as f64 / 1_000.0);
    let time = fill(M::PlanTook.text(language), &[&seconds]);
    let model = Some(planning.model.clone()).filter(|model| !model.is_empty());
    [model, tokens, Some(time)].into_iter().flatten().collect::<Vec<_>>().join(" · ")
}
