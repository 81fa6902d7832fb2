//! Keeps the screen on while something is on its way, where the browser lets a page ask for it.

use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use super::window;

#[wasm_bindgen]
extern "C" {
    type WithWakeLock;
    #[wasm_bindgen(method, getter, js_name = wakeLock)]
    fn wake_lock(this: &WithWakeLock) -> Option<WakeLock>;

    type WakeLock;
    #[wasm_bindgen(method, catch)]
    fn request(this: &WakeLock, kind: &str) -> Result<js_sys::Promise, JsValue>;

    /// Gone with itself when the page is no longer seen.
    type Sentinel;
    #[wasm_bindgen(method)]
    fn release(this: &Sentinel) -> js_sys::Promise;
}

/// The screen stays on as long as this is there.
pub struct Awake(Sentinel);

impl Awake {
    /// `None`: the browser does not let us (an old one, a low battery, a page in the background).
    pub async fn ask() -> Option<Self> {
        let navigator = window().navigator().unchecked_into::<WithWakeLock>();
        let granted = navigator.wake_lock()?.request("screen").ok()?;
        Some(Self(JsFuture::from(granted).await.ok()?.unchecked_into()))
    }
}

impl Drop for Awake {
    fn drop(&mut self) {
        let released = self.0.release();
        wasm_bindgen_futures::spawn_local(async move {
            // Gone already: then it is as it should be.
            let _ = JsFuture::from(released).await;
        });
    }
}
