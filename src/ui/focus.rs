//! Where the keyboard is.

use leptos::{html, prelude::*, task::spawn_local};
use wasm_bindgen::JsCast;
use web_sys::KeyboardEvent;

use crate::web::clock::BrowserClock;

/// Whether a key is an input method's, and chooses or gives up a word of it. Some browsers end the word first, and leave
/// this code of the key.
pub fn is_composing(event: &KeyboardEvent) -> bool {
    event.is_composing() || event.key_code() == 229
}

/// Whether it gives up what is open, and not a word of an input method.
pub fn is_escape(event: &KeyboardEvent) -> bool {
    event.key() == "Escape" && !is_composing(event)
}

/// Lets the field that is typed in say so (`change`), as it does when the focus leaves it; for its page may go without that.
pub fn finish_field() {
    let is_field = |element: &web_sys::Element| matches!(element.tag_name().as_str(), "INPUT" | "TEXTAREA");
    if let Some(field) = document().active_element().filter(is_field) {
        let _ = field.unchecked_into::<web_sys::HtmlElement>().blur();
    }
}

/// Moves the focus to the element of this id; says whether there is one.
pub fn focus(id: &str) -> bool {
    let found = document().get_element_by_id(id);
    let is_there = found.is_some();
    if let Some(element) = found {
        let _ = element.unchecked_into::<web_sys::HtmlElement>().focus();
    }
    is_there
}

/// Where it is once what has it now is gone: in the panel, the story or the page that this is in.
pub fn stay_near() {
    let active = document().active_element();
    let near = active.and_then(|active| active.closest("#notebook-panel, #story, #page").ok().flatten());
    spawn_local(async move {
        BrowserClock.frame().await;
        if let Some(near) = near.filter(|near| near.is_connected() && is_nowhere()) {
            let _ = near.unchecked_into::<web_sys::HtmlElement>().focus();
        }
    });
}

/// Puts it into the first field of a form that opens: what was pressed for that may be gone. Whoever types elsewhere goes on
/// there.
pub fn begin_with(form: NodeRef<html::Form>) {
    Effect::new(move |_| {
        let Some(form) = form.get().filter(|form| !types_beside(form)) else { return };
        if let Some(field) = form.query_selector("input, textarea, select").ok().flatten() {
            let _ = field.unchecked_into::<web_sys::HtmlElement>().focus();
        }
    });
}

/// Whether it is in a text of another part of the page.
fn types_beside(form: &web_sys::Element) -> bool {
    const PARTS: &str = "#notebook-panel, #story, #page";
    let part = |element: &web_sys::Element| element.closest(PARTS).ok().flatten();
    let typing =
        document().active_element().filter(|active| matches!(active.tag_name().as_str(), "INPUT" | "TEXTAREA"));
    typing.is_some_and(|typing| part(&typing) != part(form))
}

/// Whether it is in the element of this id.
pub fn is_in(id: &str) -> bool {
    let active = document().active_element();
    document().get_element_by_id(id).is_some_and(|element| element.contains(active.as_deref()))
}

/// Whether it is nowhere: what had it is gone from the page, or shut. A browser takes it away from what is shut (`inert`)
/// only as it draws the next frame, after whoever asks for that frame.
pub fn is_nowhere() -> bool {
    let is_shut = |element: &web_sys::Element| element.closest("[inert]").is_ok_and(|shut| shut.is_some());
    document().active_element().is_none_or(|element| element.tag_name() == "BODY" || is_shut(&element))
}
