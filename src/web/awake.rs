//! Keeps the screen on while something is on its way, where the browser lets a page ask for it.

use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};

use super::window;

/// The screen stays on as long as this is there, or until the page is no longer seen.
pub struct Awake(JsValue);

impl Awake {
    /// `None`: the browser does not let us (an old one, a low battery, a page in the background).
    pub async fn ask() -> Option<Self> {
        let lock = Reflect::get(&window().navigator(), &"wakeLock".into()).ok()?;
        Some(Self(JsFuture::from(called(&lock, "request")?).await.ok()?))
    }
}

impl Drop for Awake {
    fn drop(&mut self) {
        let Some(released) = called(&self.0, "release") else { return };
        spawn_local(async move {
            // Gone already: then it is as it should be.
            let _ = JsFuture::from(released).await;
        });
    }
}

// By name: each function that is bound for itself stands in the script that every page begins with.
fn called(of: &JsValue, name: &str) -> Option<Promise> {
    let function: Function = Reflect::get(of, &name.into()).ok()?.dyn_into().ok()?;
    function.call1(of, &"screen".into()).ok()?.dyn_into().ok()
}
