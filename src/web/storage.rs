//! What the browser says of its storage: how much is used, whether it promises to keep it, whether it was wiped.

use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use super::{call, window};

/// A marker outside the database: found without a database, it tells that the database was wiped.
const MARKER: &str = "fabula.has-stories";

/// Used and allowed bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    pub usage: f64,
    pub quota: f64,
}

pub async fn estimate() -> Option<Estimate> {
    let answer = asked("estimate").await?;
    let number = |field: &str| js_sys::Reflect::get(&answer, &field.into()).ok()?.as_f64();
    Some(Estimate { usage: number("usage")?, quota: number("quota")? })
}

/// Asks the browser not to delete the stories when space is short. True if it promises.
pub async fn persist() -> bool {
    asked("persist").await.is_some_and(|kept| kept.is_truthy())
}

pub async fn is_persisted() -> bool {
    asked("persisted").await.is_some_and(|kept| kept.is_truthy())
}

/// What the browser's storage answers, asked by name; `None` where it does not.
async fn asked(name: &str) -> Option<JsValue> {
    let storage = js_sys::Reflect::get(&window().navigator(), &"storage".into()).ok()?;
    let promise = call(&storage, name, []).ok()?;
    JsFuture::from(promise.unchecked_into::<js_sys::Promise>()).await.ok()
}

fn local() -> Option<web_sys::Storage> {
    window().local_storage().ok().flatten()
}

/// For the first frame of the next start, which is there before the database (`index.html`).
pub fn keep_look(look: &str) {
    if let Some(storage) = local() {
        let _ = storage.set_item("fabula.look", look);
    }
}

/// Leaves the marker, once there is a story to lose.
pub fn mark() {
    if let Some(storage) = local() {
        let _ = storage.set_item(MARKER, "1");
    }
}

pub fn is_marked() -> bool {
    local().and_then(|storage| storage.get_item(MARKER).ok().flatten()).is_some()
}

pub fn unmark() {
    if let Some(storage) = local() {
        let _ = storage.remove_item(MARKER);
    }
}

/// That the library is kept on several devices: asked at each write, also by tabs that were open before it was.
const SYNCED: &str = "fabula.synced";

/// Whether changes are noted for other devices. The memory's worker writes nothing that they want to know.
pub fn is_synced() -> bool {
    let storage = web_sys::window().and_then(|window| window.local_storage().ok().flatten());
    storage.and_then(|storage| storage.get_item(SYNCED).ok().flatten()).is_some()
}

pub fn set_synced(synced: bool) {
    let Some(storage) = local() else { return };
    let _ = if synced { storage.set_item(SYNCED, "1") } else { storage.remove_item(SYNCED) };
}

/// How the names begin under which a page leaves what the database may not have taken when the page goes.
const LEFT: &str = "fabula.left.";

/// Keeps the text of a record at once, whatever becomes of the page: the database needs the page for longer.
pub fn leave(id: &str, text: &str) {
    let name = format!("{LEFT}{id}");
    if let Some(storage) = local()
        && storage.set_item(&name, text).is_err()
    {
        // What stood there before is older than what the database gets.
        let _ = storage.remove_item(&name);
    }
}

/// What a page has left of a record.
pub fn left(id: &str) -> Option<String> {
    local()?.get_item(&format!("{LEFT}{id}")).ok()?
}

pub fn forget_left(id: &str) {
    if let Some(storage) = local() {
        let _ = storage.remove_item(&format!("{LEFT}{id}"));
    }
}

/// The ids of which something is left.
pub fn all_left() -> Vec<String> {
    let Some(storage) = local() else { return Vec::new() };
    let names = (0..storage.length().unwrap_or_default()).filter_map(|nth| storage.key(nth).ok()?);
    names.filter_map(|name| Some(name.strip_prefix(LEFT)?.to_owned())).collect()
}
