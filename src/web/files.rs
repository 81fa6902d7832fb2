//! Files in and out: pieces of a file the reader gave, and downloads.

use js_sys::{Array, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, BlobPropertyBag, File, HtmlAnchorElement, Url};

use super::{clock::BrowserClock, window};
use crate::ports::Clock;

/// The bytes of a file from `from` up to `to`; fewer where it ends.
pub async fn slice(file: &File, from: f64, to: f64) -> Result<Vec<u8>, JsValue> {
    let part = file.slice_with_f64_and_f64(from, to)?;
    let buffer = JsFuture::from(part.array_buffer()).await?;
    Ok(Uint8Array::new(&buffer).to_vec())
}

/// The whole of a file, if it is no larger than `limit`.
pub async fn read(file: &File, limit: usize) -> Result<Option<Vec<u8>>, JsValue> {
    if file.size() > limit as f64 {
        return Ok(None);
    }
    slice(file, 0.0, file.size()).await.map(Some)
}

pub fn blob(bytes: &[u8], kind: &str) -> Result<Blob, JsValue> {
    let parts = Array::of1(&Uint8Array::from(bytes));
    let options = BlobPropertyBag::new();
    options.set_type(kind);
    Blob::new_with_u8_array_sequence_and_options(&parts, &options)
}

/// Saves a blob under a name, as if the reader had followed a link to it.
pub fn download(blob: &Blob, name: &str) -> Result<(), JsValue> {
    let url = Url::create_object_url_with_blob(blob)?;
    let document = window().document().expect("a page has a document");
    let link: HtmlAnchorElement = document.create_element("a")?.unchecked_into();
    link.set_href(&url);
    link.set_download(&file_name(name));
    link.click();
    wasm_bindgen_futures::spawn_local(async move {
        // The browser reads the address after the click; by then it has.
        BrowserClock.sleep(60_000).await;
        let _ = Url::revoke_object_url(&url);
    });
    Ok(())
}

/// A name that any file system takes.
fn file_name(name: &str) -> String {
    let (stem, end) = name.rsplit_once('.').map_or((name, ""), |(stem, end)| (stem, end));
    let clean: String = stem
        .chars()
        .map(|char| if char.is_control() || "\\/:*?\"<>|".contains(char) { ' ' } else { char })
        .take(80)
        .collect();
    let clean = clean.trim();
    let clean = if clean.is_empty() { "fabula" } else { clean };
    if end.is_empty() { clean.to_owned() } else { format!("{clean}.{end}") }
}
