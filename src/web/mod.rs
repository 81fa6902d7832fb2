//! The browser behind the ports: one file per port. Compiled for wasm32 only.

pub mod archive;
pub mod awake;
pub mod clock;
pub mod dictation;
pub mod fetch;
pub mod files;
pub mod folder;
pub mod frame;
pub mod gzip;
pub mod idb;
pub mod llm;
pub mod log_in;
pub mod memory;
pub mod offline;
pub mod pictures;
pub mod policy;
pub mod remote;
pub mod seal;
pub mod selection;
pub mod sheet;
pub mod storage;
pub mod tabs;
pub mod vault;
pub mod voice;
mod written;

use std::rc::Rc;

use wasm_bindgen::prelude::*;

use crate::ports::{
    Ports, Random,
    recent::{Recent, Watched},
};

/// The real ports, and handles to what only the page uses of them.
#[derive(Clone)]
pub struct Browser {
    pub ports: Ports,
    pub tabs: Rc<tabs::BrowserTabs>,
    pub vault: Rc<vault::BrowserVault>,
    pub recent: Rc<Recent>,
}

impl Browser {
    pub fn new(store: Rc<idb::IdbStore>) -> Self {
        let clock = Rc::new(clock::BrowserClock);
        let vault = Rc::new(vault::BrowserVault::new(store.clone()));
        let (cache, forget) = written::cache(store);
        let tabs = Rc::new(tabs::BrowserTabs::new(move || forget()));
        let recent = Rc::new(Recent::default());
        let ports = Ports {
            store: Rc::new(Watched { store: cache, recent: recent.clone() }),
            llm: Rc::new(llm::Brought),
            clock,
            random: Rc::new(BrowserRandom),
            vault: vault.clone(),
            tabs: tabs.clone(),
            recall: Rc::new(memory::WorkerRecall::default()),
            till: Rc::default(),
        };
        Self { ports, tabs, vault, recent }
    }
}

pub struct BrowserRandom;

impl Random for BrowserRandom {
    fn bytes(&self) -> [u8; 10] {
        let mut bytes = [0; 10];
        fill_random(&mut bytes);
        bytes
    }
}

pub(crate) fn fill_random(bytes: &mut [u8]) {
    let crypto = window().crypto().expect("browsers with WebAssembly have crypto");
    crypto.get_random_values_with_u8_array(bytes).expect("fewer than 65,536 bytes are asked for");
}

/// Whether the program runs in a page, and not in a worker of one.
pub fn is_page() -> bool {
    web_sys::window().is_some()
}

/// Whether it is fingers that point here. Their keyboards have no other key for a new line than Enter.
pub fn has_fingers() -> bool {
    window().match_media("(pointer: coarse)").is_ok_and(|query| query.is_some_and(|query| query.matches()))
}

pub(crate) fn window() -> web_sys::Window {
    web_sys::window().expect("runs in a page")
}

/// Calls a function of a value by its name; `None` where there is none, or it throws. What few need is called so: each function
/// that is bound for itself stands in the script that every page begins with.
pub(crate) fn called(of: &JsValue, name: &str, given: &JsValue) -> Option<JsValue> {
    call(of, name, [given]).ok()
}

/// The same with any number of things given to it, and with what it throws.
pub(crate) fn call<'v>(
    of: &JsValue,
    name: &str,
    given: impl IntoIterator<Item = &'v JsValue>,
) -> Result<JsValue, JsValue> {
    let function: js_sys::Function = js_sys::Reflect::get(of, &name.into())?.dyn_into()?;
    function.apply(of, &js_sys::Array::from_iter(given))
}

/// `new Name(given)`, by the name of something of the window's.
pub(crate) fn made<'v>(name: &str, given: impl IntoIterator<Item = &'v JsValue>) -> Result<JsValue, JsValue> {
    let function: js_sys::Function = js_sys::Reflect::get(&window(), &name.into())?.dyn_into()?;
    js_sys::Reflect::construct(&function, &js_sys::Array::from_iter(given))
}

/// Puts a text where the reader can paste it from. False where the browser does not let the page.
pub(crate) async fn copy(text: &str) -> bool {
    let clipboard = js_sys::Reflect::get(&window().navigator(), &"clipboard".into());
    let written = clipboard.and_then(|clipboard| call(&clipboard, "writeText", [&text.into()]));
    match written.and_then(JsCast::dyn_into::<js_sys::Promise>) {
        Ok(promise) => wasm_bindgen_futures::JsFuture::from(promise).await.is_ok(),
        Err(_) => false,
    }
}

/// A property of a JavaScript object as text, if it is one.
pub(crate) fn text_of(value: &JsValue, field: &str) -> String {
    js_sys::Reflect::get(value, &field.into()).ok().and_then(|value| value.as_string()).unwrap_or_default()
}
