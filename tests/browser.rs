//! Run in Chromium.
#![cfg(target_arch = "wasm32")]

#[path = "browser/archive.rs"]
mod archive;

use wasm_bindgen_test::wasm_bindgen_test_configure;

wasm_bindgen_test_configure!(run_in_browser);
