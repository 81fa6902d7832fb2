//! Where the keyboard is.

use wasm_bindgen::JsCast;

use crate::web::window;

/// Moves the focus to the element of this id; says whether there is one.
pub fn focus(id: &str) -> bool {
    let found = window().document().and_then(|document| document.get_element_by_id(id));
    let is_there = found.is_some();
    if let Some(element) = found {
        let _ = element.unchecked_into::<web_sys::HtmlElement>().focus();
    }
    is_there
}
