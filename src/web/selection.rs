//! What of the page is selected.

use wasm_bindgen::prelude::*;
use web_sys::Node;

#[wasm_bindgen]
extern "C" {
    type Selection;

    #[wasm_bindgen(js_name = getSelection)]
    fn selection() -> Option<Selection>;
    #[wasm_bindgen(method, getter, js_name = anchorNode)]
    fn anchor(this: &Selection) -> Option<Node>;
    #[wasm_bindgen(method, getter, js_name = focusNode)]
    fn focus(this: &Selection) -> Option<Node>;
    #[wasm_bindgen(method, js_name = toString)]
    fn text(this: &Selection) -> String;
}

/// The text that is selected, where all of it lies within `place`.
pub fn selected_within(place: &Node) -> Option<String> {
    let selection = selection()?;
    let is_within = |node: Option<Node>| node.is_some_and(|node| place.contains(Some(&node)));
    let text = selection.text();
    (is_within(selection.anchor()) && is_within(selection.focus()) && !text.trim().is_empty()).then_some(text)
}
