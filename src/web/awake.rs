//! Keeps the screen on while something is on its way, where the browser lets a page ask for it.

use js_sys::{Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};

use super::{called, window};

/// The screen stays on as long as this is there, or until the page is no longer seen.
pub struct Awake(JsValue);

impl Awake {
    /// `None`: the browser does not let us (an old one, a low battery, a page in the background).
    pub async fn ask() -> Option<Self> {
        let lock = Reflect::get(&window().navigator(), &"wakeLock".into()).ok()?;
        let granted: Promise = called(&lock, "request", &"screen".into())?.unchecked_into();
        Some(Self(JsFuture::from(granted).await.ok()?))
    }
}

impl Drop for Awake {
    fn drop(&mut self) {
        let Some(released) = called(&self.0, "release", &JsValue::UNDEFINED) else { return };
        spawn_local(async move {
            // Gone already: then it is as it should be.
            let _ = JsFuture::from(released.unchecked_into::<Promise>()).await;
        });
    }
}
