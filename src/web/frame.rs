//! The frame of a status bar: told by messages, and heard only where it is the one that speaks.

use js_sys::{JsString, Object};
use wasm_bindgen::prelude::*;
use web_sys::{Event, EventTarget, HtmlIFrameElement, MessageEvent};

use super::window;
use crate::{features::status_bar::message, story::Extra};

/// CSS variables that a frame may use, by the names of the design tokens.
const TOKENS: [&str; 11] =
    ["paper", "leaf", "ink", "ink-2", "ink-3", "rule", "wash", "vermilion", "indigo", "serif", "sans"];

/// The frame's page, with the version that keeps an old one out of the cache.
pub fn address() -> String {
    let document = window().document().expect("a page has a document");
    let meta = document.query_selector("meta[name=\"status-frame\"]").ok().flatten();
    meta.and_then(|meta| meta.get_attribute("content")).unwrap_or_else(|| "./frame.html".into())
}

/// Tells a frame something. Its origin is opaque, so no target can be named; the page's policy lets no other site in.
pub fn tell(frame: &HtmlIFrameElement, text: &str) {
    if let Some(inside) = frame.content_window() {
        // It fails for no text.
        let _ = inside.post_message(&text.into(), "*");
    }
}

/// Something that is listened to until this is dropped.
pub struct Listening {
    target: EventTarget,
    event: &'static str,
    listener: Closure<dyn Fn(Event)>,
}

impl Listening {
    pub fn new(target: EventTarget, event: &'static str, hear: Box<dyn Fn(Event)>) -> Self {
        let listener = Closure::wrap(hear);
        target
            .add_event_listener_with_callback(event, listener.as_ref().unchecked_ref())
            .expect("targets take listeners");
        Self { target, event, listener }
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let listener = self.listener.as_ref().unchecked_ref();
        let _ = self.target.remove_event_listener_with_callback(self.event, listener);
    }
}

/// Hears what this frame says, and nobody else; `None` is something that is no text, or too long to look at.
pub fn listen(frame: &HtmlIFrameElement, hear: impl Fn(Option<String>) + 'static) -> Listening {
    let frame = frame.clone();
    let heard = move |event: Event| {
        let event: MessageEvent = event.unchecked_into();
        let inside = frame.content_window().map(JsValue::from);
        let is_from_there = event.source().zip(inside).is_some_and(|(source, inside)| Object::is(&source, &inside));
        if is_from_there && event.origin() == "null" {
            let text = event.data().dyn_into::<JsString>().ok();
            // A character is a byte or more.
            let text = text.filter(|text| text.length() as usize <= message::BYTES);
            hear(text.map(String::from));
        }
    };
    Listening::new(window().into(), "message", Box::new(heard))
}

/// Hears when the system turns dark or light.
pub fn on_scheme(hear: impl Fn() + 'static) -> Option<Listening> {
    let query = window().match_media("(prefers-color-scheme: dark)").ok().flatten()?;
    Some(Listening::new(query.into(), "change", Box::new(move |_| hear())))
}

/// How the page looks now, as a frame is told.
pub fn look() -> Extra {
    let root = window().document().and_then(|document| document.document_element());
    let Some(style) = root.and_then(|root| window().get_computed_style(&root).ok().flatten()) else {
        return Extra::new();
    };
    let value = |name: &str| style.get_property_value(name).unwrap_or_default().trim().into();
    let mut look = Extra::new();
    look.insert("scheme".into(), value("color-scheme"));
    for name in TOKENS {
        look.insert(name.into(), value(&format!("--{name}")));
    }
    look
}
