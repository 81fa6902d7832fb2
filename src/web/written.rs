//! Tabs tell each other that something was written that they may have at hand.

use std::rc::Rc;

use wasm_bindgen::prelude::*;
use web_sys::BroadcastChannel;

use super::window;
use crate::ports::{Store, cache::RecordCache};

const CHANNEL: &str = "fabula-written";

/// The store with what every turn reads at hand, and what lets go of that. Where tabs cannot tell each other, nothing is
/// at hand.
pub fn cache(store: Rc<dyn Store>) -> (Rc<dyn Store>, Rc<dyn Fn()>) {
    let Ok(channel) = BroadcastChannel::new(CHANNEL) else { return (store, Rc::new(|| {})) };
    let tells = channel.clone();
    let cache = Rc::new(RecordCache::new(store, move || {
        // A channel that is closed has nobody who listens.
        let _ = tells.post_message(&JsValue::NULL);
    }));
    let kept = cache.clone();
    let forget: Rc<dyn Fn()> = Rc::new(move || kept.forget());
    let let_go = forget.clone();
    let heard = Closure::<dyn Fn()>::new(move || let_go());
    channel.set_onmessage(Some(heard.as_ref().unchecked_ref()));
    // A page that slept may not have been told.
    if let Some(document) = window().document() {
        let _ = document.add_event_listener_with_callback("visibilitychange", heard.as_ref().unchecked_ref());
    }
    // As long as the page.
    heard.forget();
    (cache, forget)
}
