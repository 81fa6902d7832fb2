//! The browser behind the ports: real IndexedDB and WebCrypto in Chromium.
#![cfg(target_arch = "wasm32")]

#[path = "browser/archive.rs"]
mod archive;
mod contract;
#[path = "browser/database.rs"]
mod database;
#[path = "browser/markdown.rs"]
mod markdown;
#[path = "browser/pictures.rs"]
mod pictures;
#[path = "browser/spending.rs"]
mod spending;
#[path = "browser/stored.rs"]
mod stored;
#[path = "browser/vault.rs"]
mod vault;

use fabula::web::idb::{self, IdbStore, migrate::STEPS};
use wasm_bindgen_test::wasm_bindgen_test_configure;

wasm_bindgen_test_configure!(run_in_browser);

/// A new and empty database of this name.
async fn fresh(name: &str) -> IdbStore {
    idb::delete(name).await.unwrap();
    idb::open(name, STEPS, || {}, |close| close()).await.unwrap()
}
