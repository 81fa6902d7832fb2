//! The way to a provider's log-in and back, in the same tab.

use js_sys::{Reflect, encode_uri_component};
use wasm_bindgen::prelude::*;
use web_sys::Storage;

use super::{fill_random, text_of, window};
use crate::provider::log_in;

/// Holds the secret while the page is away: this tab alone has it, and it is of no use without the code.
const SECRET: &str = "fabula.log-in";

/// What the page has come back with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Back {
    pub code: String,
    pub verifier: String,
    /// For which connection it went; empty: for a new one.
    pub connection: String,
}

/// Goes there for a connection. What is not saved is lost.
///
/// # Errors
/// The browser keeps nothing for the way back.
pub fn leave(connection: &str) -> Result<(), JsValue> {
    let mut random = [0; 32];
    fill_random(&mut random);
    let verifier = log_in::verifier(&random);
    of_this_tab()?.set_item(SECRET, &format!("{verifier} {connection}"))?;
    let location = window().location();
    let here = format!("{}{}", location.origin()?, text_of(&location, "pathname"));
    let there = log_in::page(&String::from(encode_uri_component(&here)), &verifier);
    Reflect::set(&location, &"href".into(), &there.into()).map(drop)
}

/// The page has come back from there, or its address wants it to look so: [`come_back`] tells.
pub fn is_back() -> bool {
    text_of(&window().location(), "search").contains("code=")
}

/// What it has come back with, once: the address and the tab keep nothing of it. A code that nobody here has asked for is
/// none.
pub fn come_back(place: &str) -> Option<Back> {
    let location = window().location();
    let search = text_of(&location, "search");
    let code = log_in::code(&search)?.to_owned();
    let history = window().history().ok()?;
    let here = format!("{}{place}", text_of(&location, "pathname"));
    let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(&here));
    let storage = of_this_tab().ok()?;
    let kept = storage.get_item(SECRET).ok().flatten()?;
    let _ = storage.remove_item(SECRET);
    let (verifier, connection) = kept.split_once(' ')?;
    Some(Back { code, verifier: verifier.to_owned(), connection: connection.to_owned() })
}

// By name, here and above, as `super::called` says why.
fn of_this_tab() -> Result<Storage, JsValue> {
    Ok(Reflect::get(&window(), &"sessionStorage".into())?.unchecked_into())
}
