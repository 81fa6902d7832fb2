//! The frame of a status bar: told by messages, and heard only where it is the one that speaks.

use js_sys::{JsString, Object};
use wasm_bindgen::prelude::*;
use web_sys::{HtmlIFrameElement, MediaQueryList, MessageEvent};

use super::window;
use crate::story::status_bar::{Look, message};

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
    target: web_sys::EventTarget,
    event: &'static str,
    listener: Closure<dyn Fn(MessageEvent)>,
}

impl Listening {
    fn new(target: &web_sys::EventTarget, event: &'static str, hear: impl Fn(MessageEvent) + 'static) -> Self {
        let listener = Closure::<dyn Fn(MessageEvent)>::new(hear);
        target
            .add_event_listener_with_callback(event, listener.as_ref().unchecked_ref())
            .expect("targets take listeners");
        Self { target: target.clone(), event, listener }
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
    Listening::new(&window(), "message", move |event| {
        let inside = frame.content_window().map(JsValue::from);
        let is_from_there = event.source().zip(inside).is_some_and(|(source, inside)| Object::is(&source, &inside));
        if is_from_there && event.origin() == "null" {
            let text = event.data().dyn_into::<JsString>().ok();
            // A character is a byte or more.
            let text = text.filter(|text| text.length() as usize <= message::BYTES);
            hear(text.map(String::from));
        }
    })
}

/// Hears when the system turns dark or light.
pub fn on_scheme(hear: impl Fn() + 'static) -> Option<Listening> {
    let query: MediaQueryList = window().match_media("(prefers-color-scheme: dark)").ok().flatten()?;
    Some(Listening::new(&query, "change", move |_| hear()))
}

/// How the page looks now.
pub fn look() -> Look {
    let root = window().document().and_then(|document| document.document_element());
    let Some(style) = root.and_then(|root| window().get_computed_style(&root).ok().flatten()) else {
        return Look::default();
    };
    let value = |name: &str| style.get_property_value(name).unwrap_or_default().trim().to_owned();
    Look {
        scheme: value("color-scheme"),
        tokens: TOKENS.into_iter().map(|name| (name, value(&format!("--{name}")))).collect(),
    }
}
