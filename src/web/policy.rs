//! The page's policy: tightened at run time to the configured providers, and asked why a request failed.
//!
//! A policy added later only ever tightens (measured), so a new address takes a reload.

use std::cell::{Cell, RefCell};

use wasm_bindgen::prelude::*;
use web_sys::SecurityPolicyViolationEvent;

use super::window;
use crate::provider::address;

thread_local! {
    static BLOCKED: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    static ALLOWED: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
    static WATCHING: Cell<bool> = const { Cell::new(false) };
}

/// Remembers which addresses the policy has refused.
pub fn watch() {
    if WATCHING.replace(true) {
        return;
    }
    let refused = Closure::<dyn Fn(SecurityPolicyViolationEvent)>::new(|event: SecurityPolicyViolationEvent| {
        if let Some(origin) = address::origin(&event.blocked_uri()) {
            BLOCKED.with_borrow_mut(|blocked| blocked.push(origin));
        }
    });
    let document = window().document().expect("a page has a document");
    document
        .add_event_listener_with_callback("securitypolicyviolation", refused.as_ref().unchecked_ref())
        .expect("documents take listeners");
    refused.forget();
}

/// Whether the policy has refused this address.
pub fn blocked(url: &str) -> bool {
    let origin = address::origin(url);
    BLOCKED.with_borrow(|blocked| origin.is_some_and(|origin| blocked.contains(&origin)))
}

/// Whether a request to this address is allowed as things stand.
pub fn allows(url: &str) -> bool {
    let Some(origin) = address::origin(url) else { return false };
    ALLOWED.with_borrow(|allowed| allowed.as_ref().is_none_or(|allowed| allowed.contains(&origin)))
}

/// Tightens the policy to the origins of `urls`. Called before anything foreign is rendered.
pub fn tighten<'a>(urls: impl IntoIterator<Item = &'a str>) {
    if ALLOWED.with_borrow(|allowed| allowed.is_some()) {
        return;
    }
    let mut origins: Vec<String> = urls.into_iter().filter_map(address::origin).collect();
    origins.sort();
    origins.dedup();
    let document = window().document().expect("a page has a document");
    let Ok(meta) = document.create_element("meta") else { return };
    // Origins come out of `address::origin`: scheme, host and port, nothing that could end the attribute or the
    // directive.
    let sources = origins.join(" ");
    let _ = meta.set_attribute("http-equiv", "Content-Security-Policy");
    let _ = meta.set_attribute("content", &format!("connect-src 'self' {sources}"));
    if let Some(head) = document.head()
        && head.append_child(&meta).is_ok()
    {
        ALLOWED.set(Some(origins));
    }
}
