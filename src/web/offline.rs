//! The page kept on this device (`public/sw.js`): registered, asked for a newer page, and what other apps gave it.

use std::cell::Cell;

use futures_channel::oneshot;
use js_sys::{Array, Date, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    Blob, Cache, CacheStorage, File, FilePropertyBag, RegistrationOptions, Request, Response, ServiceWorkerContainer,
    ServiceWorkerRegistration, ServiceWorkerState, ServiceWorkerUpdateViaCache,
};

use super::window;

const WORKER: &str = "./sw.js";
/// Where it puts what was shared, and the header that names a file.
const SHARED: &str = "fabula-shared";
const NAME: &str = "x-name";
/// Milliseconds between two looks for a newer page, beside those that the browser takes when the page is opened.
const LOOK: f64 = 3_600_000.0;

/// How the page is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// Not at all: this browser cannot, or not at this address, or has not fetched it yet.
    No,
    /// It opens without a network.
    Yes,
    /// A newer one has been fetched and waits.
    Newer,
}

fn container() -> Option<ServiceWorkerContainer> {
    let container = window().navigator().service_worker();
    // There is none at an address that the browser does not trust.
    (!container.is_undefined()).then_some(container)
}

async fn registration() -> Option<ServiceWorkerRegistration> {
    let found = JsFuture::from(container()?.get_registration()).await.ok()?;
    found.dyn_into().ok()
}

pub async fn state() -> Kept {
    match registration().await {
        Some(registration) if registration.active().is_none() => Kept::No,
        Some(registration) if registration.waiting().is_some() => Kept::Newer,
        Some(_) => Kept::Yes,
        None => Kept::No,
    }
}

/// Keeps the page on this device, and looks for a newer one now and then. `tell` is called whenever [`state`] has changed.
/// A page that is built for development is not kept.
pub async fn keep(tell: impl Fn() + Clone + 'static) {
    let Some(container) = container().filter(|_| !cfg!(debug_assertions)) else { return };
    let options = RegistrationOptions::new();
    options.set_update_via_cache(ServiceWorkerUpdateViaCache::None);
    let registered = JsFuture::from(container.register_with_options(WORKER, &options)).await;
    // A browser may refuse it, in a private window or with its storage off: the page does without.
    let Some(registration) = registered.ok().and_then(|found| found.dyn_into::<ServiceWorkerRegistration>().ok())
    else {
        return;
    };
    if let Some(own) = container.controller() {
        // Parts of an older page are nobody's any more, unless another tab has them.
        let _ = own.post_message(&"here".into());
    }
    let found = {
        let (registration, tell) = (registration.clone(), tell.clone());
        move || {
            let Some(coming) = registration.installing() else { return };
            let (worker, tell) = (coming.clone(), tell.clone());
            let changed = Closure::<dyn Fn()>::new(move || {
                if matches!(worker.state(), ServiceWorkerState::Installed | ServiceWorkerState::Activated) {
                    tell();
                }
            });
            coming.set_onstatechange(Some(changed.as_ref().unchecked_ref()));
            changed.forget();
        }
    };
    // It may have begun before anybody listened.
    found();
    let found = Closure::<dyn Fn()>::new(found);
    registration.set_onupdatefound(Some(found.as_ref().unchecked_ref()));
    found.forget();
    look_now_and_then(registration);
    tell();
}

/// A page that stays open for days learns of a newer one when it is looked at again.
fn look_now_and_then(registration: ServiceWorkerRegistration) {
    let last = Cell::new(Date::now());
    let looked_at = Closure::<dyn Fn()>::new(move || {
        if Date::now() - last.get() > LOOK {
            last.set(Date::now());
            let _ = registration.update();
        }
    });
    if let Some(document) = window().document() {
        let listener = looked_at.as_ref().unchecked_ref();
        let _ = document.add_event_listener_with_callback("visibilitychange", listener);
    }
    looked_at.forget();
}

/// Puts the newer page in the place of this one, from the next time on that it is loaded. Where there is none by now, it has
/// been done already.
pub async fn use_newer() {
    let Some(waiting) = registration().await.and_then(|registration| registration.waiting()) else { return };
    let (done, is_done) = oneshot::channel::<()>();
    let (worker, done) = (waiting.clone(), Cell::new(Some(done)));
    // Whether this page is controlled by it or was there before any: it is in place once it is active.
    let changed = Closure::<dyn Fn()>::new(move || {
        if worker.state() == ServiceWorkerState::Activated
            && let Some(done) = done.take()
        {
            let _ = done.send(());
        }
    });
    waiting.set_onstatechange(Some(changed.as_ref().unchecked_ref()));
    if waiting.post_message(&"use".into()).is_ok() {
        let _ = is_done.await;
    }
}

/// The files that another app has shared with this one; they are given once. Those that the system opens with it are given
/// to `take` as they come.
pub async fn given(take: impl Fn(Vec<File>) + Clone + 'static) {
    let shared = shared().await.unwrap_or_default();
    if !shared.is_empty() {
        take(shared);
    }
    let Ok(queue) = Reflect::get(&window(), &"launchQueue".into()) else { return };
    let Ok(listen) = Reflect::get(&queue, &"setConsumer".into()).and_then(|found| found.dyn_into::<js_sys::Function>())
    else {
        return;
    };
    let opened = Closure::<dyn Fn(JsValue)>::new(move |launch: JsValue| {
        let take = take.clone();
        wasm_bindgen_futures::spawn_local(async move {
            let files = opened_with(&launch).await;
            if !files.is_empty() {
                take(files);
            }
        });
    });
    let _ = listen.call1(&queue, opened.as_ref());
    opened.forget();
}

async fn opened_with(launch: &JsValue) -> Vec<File> {
    let mut files = Vec::new();
    let handles = Reflect::get(launch, &"files".into()).ok().filter(JsValue::is_object);
    for handle in handles.map(|handles| Array::from(&handles)).unwrap_or_default().iter() {
        let get = Reflect::get(&handle, &"getFile".into()).and_then(|get| get.dyn_into::<js_sys::Function>());
        let Ok(promise) = get.and_then(|get| get.call0(&handle)) else { continue };
        // One that is gone meanwhile is passed over.
        if let Ok(file) = JsFuture::from(js_sys::Promise::resolve(&promise)).await
            && let Ok(file) = file.dyn_into()
        {
            files.push(file);
        }
    }
    files
}

async fn shared() -> Result<Vec<File>, JsValue> {
    let caches: CacheStorage = window().caches()?;
    if !JsFuture::from(caches.has(SHARED)).await?.is_truthy() {
        return Ok(Vec::new());
    }
    let cache: Cache = JsFuture::from(caches.open(SHARED)).await?.dyn_into()?;
    let mut files = Vec::new();
    for request in Array::from(&JsFuture::from(cache.keys()).await?).iter() {
        let request: Request = request.dyn_into()?;
        let response: Response = JsFuture::from(cache.match_with_request(&request)).await?.dyn_into()?;
        let name = response.headers().get(NAME)?.unwrap_or_default();
        let name = js_sys::decode_uri_component(&name).map_or(name, String::from);
        let bytes: Blob = JsFuture::from(response.blob()?).await?.dyn_into()?;
        let kind = FilePropertyBag::new();
        kind.set_type(&bytes.type_());
        files.push(File::new_with_blob_sequence_and_options(&Array::of1(&bytes), &name, &kind)?);
    }
    JsFuture::from(caches.delete(SHARED)).await?;
    Ok(files)
}
