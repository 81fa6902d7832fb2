//! The look of what comes after the first page: a stylesheet of its own, which comes with the first of the program's parts.

use std::cell::RefCell;

use js_sys::Promise;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::HtmlLinkElement;

use super::window;

thread_local! {
    /// It comes, or is here.
    static COMING: RefCell<Option<Promise>> = const { RefCell::new(None) };
}

/// Asks for it, once; what is given back waits for it, and says whether it is here.
pub fn asked() -> impl Future<Output = bool> {
    let coming = COMING.with_borrow_mut(|coming| coming.get_or_insert_with(fetch).clone());
    async move {
        let is_here = JsFuture::from(coming).await.is_ok();
        if !is_here {
            // To be asked for anew.
            COMING.take();
        }
        is_here
    }
}

fn fetch() -> Promise {
    Promise::new(&mut |done, fail| {
        if let Err(why) = link(&done, &fail) {
            let _ = fail.call1(&JsValue::UNDEFINED, &why);
        }
    })
}

fn link(done: &js_sys::Function, fail: &js_sys::Function) -> Result<(), JsValue> {
    let document = window().document().ok_or(JsValue::UNDEFINED)?;
    let named = document.query_selector("meta[name=\"rest-sheet\"]")?.and_then(|meta| meta.get_attribute("content"));
    let link: HtmlLinkElement = document.create_element("link")?.unchecked_into();
    link.set_rel("stylesheet");
    link.set_href(&named.ok_or(JsValue::UNDEFINED)?);
    link.set_onload(Some(done));
    link.set_onerror(Some(fail));
    document.head().ok_or(JsValue::UNDEFINED)?.append_child(&link)?;
    Ok(())
}
