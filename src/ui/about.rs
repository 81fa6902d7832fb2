//! Small words about things: dates.

use js_sys::Date;
use wasm_bindgen::JsValue;

use crate::story::{Millis, storyline::Language};

/// A day, as the language writes it.
pub fn date(at: Millis, language: Language) -> String {
    Date::new(&JsValue::from_f64(at as f64)).to_locale_date_string(language.tag(), &JsValue::UNDEFINED).into()
}
