//! The way to a provider's log-in and back, in the same tab.

use js_sys::encode_uri_component;
use wasm_bindgen::JsValue;

use super::{fill_random, window};
use crate::provider::log_in;

/// Holds the secret while the page is away: this tab alone has it, and it is of no use without the code.
const SECRET: &str = "fabula.log-in";

/// What the page has come back with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Back {
    pub code: String,
    pub verifier: String,
}

/// Goes there. What is not saved is lost.
///
/// # Errors
/// The browser keeps nothing for the way back.
pub fn leave() -> Result<(), JsValue> {
    let mut random = [0; 32];
    fill_random(&mut random);
    let verifier = log_in::verifier(&random);
    let storage = window().session_storage()?.ok_or(JsValue::NULL)?;
    storage.set_item(SECRET, &verifier)?;
    let location = window().location();
    let here = format!("{}{}", location.origin()?, location.pathname()?);
    location.assign(&log_in::page(&String::from(encode_uri_component(&here)), &verifier))
}

/// What it has come back with, once: the address and the tab keep nothing of it. A code that nobody here has asked for is
/// none.
pub fn come_back(place: &str) -> Option<Back> {
    let search = window().location().search().ok()?;
    let code = log_in::code(&search)?.to_owned();
    let history = window().history().ok()?;
    let path = window().location().pathname().unwrap_or_default();
    let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(&format!("{path}{place}")));
    let storage = window().session_storage().ok().flatten()?;
    let verifier = storage.get_item(SECRET).ok().flatten()?;
    let _ = storage.remove_item(SECRET);
    Some(Back { code, verifier })
}
