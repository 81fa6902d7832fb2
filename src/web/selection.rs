//! What of the page is selected.

use js_sys::{Function, Reflect};
use wasm_bindgen::prelude::*;
use web_sys::Node;

use super::window;

/// The text that is selected, where all of it lies within `place`.
pub fn selected_within(place: &Node) -> Option<String> {
    let get = |of: &JsValue, name: &str| Reflect::get(of, &name.into()).ok();
    let call = |of: &JsValue, name: &str| get(of, name)?.dyn_into::<Function>().ok()?.call0(of).ok();
    let selection = call(&window(), "getSelection")?;
    let is_within = |end| {
        let node = get(&selection, end).and_then(|node| node.dyn_into::<Node>().ok());
        node.is_some_and(|node| place.contains(Some(&node)))
    };
    let text = call(&selection, "toString")?.as_string()?;
    (is_within("anchorNode") && is_within("focusNode") && !text.trim().is_empty()).then_some(text)
}
