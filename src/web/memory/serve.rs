//! The worker's side: opens the database, answers what the page asks.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use js_sys::{Object, Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

use super::{Asked, Told};
use crate::{
    ports::{Clock, Future, recall::Request},
    store::from_text,
    story::{
        fault::{Fault, FaultKind},
        ids::StorylineId,
    },
    web::{
        clock::BrowserClock,
        idb::{self, OpenError, migrate},
    },
    worker::{
        Keeper, Lock, LockGuard,
        warm::{SOON, THOROUGH},
    },
};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(extends = Object)]
    type Locks;
    #[wasm_bindgen(method)]
    fn request(this: &Locks, name: &str, granted: &JsValue) -> Promise;
    #[wasm_bindgen(js_namespace = performance)]
    fn now() -> f64;
}

/// Milliseconds without a question, after which the keeper warms itself up thoroughly.
const QUIET: u32 = 1000;

fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

/// Runs until the page goes.
pub async fn serve() {
    // The page comes first: it upgrades, and says why where the database cannot be opened. What is asked meanwhile waits
    // in the worker's queue of messages.
    let opened = idb::open("fabula", migrate::DONE, || {}, |close| close()).await;
    let keeper = opened.map(|store| Rc::new(Keeper::new(Rc::new(store), Rc::new(WebLocks), Rc::new(BrowserClock))));
    let keeper = Rc::new(keeper);
    // How often anything was asked, and the story that was opened last.
    let asked = Rc::new(Cell::new(0u32));
    let opened: Rc<RefCell<Option<StorylineId>>> = Rc::default();
    let heard = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
        let Some(text) = event.data().as_string() else { return };
        let Ok(Asked { id, request }) = from_text(&text) else { return };
        let (keeper, asked, opened) = (keeper.clone(), asked.clone(), opened.clone());
        let number = asked.get().wrapping_add(1);
        asked.set(number);
        spawn_local(async move {
            let began = now();
            let opens = matches!(request, Request::CatchUp { .. });
            if let Request::CatchUp { storyline, .. } = &request {
                opened.replace(Some(storyline.clone()));
            }
            let answer = match &*keeper {
                Ok(keeper) => keeper.answer(request).await,
                Err(OpenError::Newer) => Err(Fault::new(FaultKind::MemoryGone, "the database is of a newer version")),
                Err(OpenError::Failed(error)) => Err(Fault::new(FaultKind::MemoryGone, error.to_string())),
            };
            if let Ok(text) = serde_json::to_string(&Told { id, answer, took: now() - began }) {
                let _ = scope().post_message(&text.into());
            }
            let opened = opened.borrow().clone();
            if let (Ok(keeper), Some(opened)) = (&*keeper, opened) {
                // What fails here is said to whoever asks next.
                let is_quiet = || asked.get() == number;
                if opens {
                    let _ = keeper.warm_up(&opened, SOON, &is_quiet).await;
                }
                BrowserClock.sleep(QUIET).await;
                let _ = keeper.warm_up(&opened, THOROUGH, &is_quiet).await;
            }
        });
    });
    scope().set_onmessage(Some(heard.as_ref().unchecked_ref()));
    heard.forget();
    // The loader has kept what came while the program was not there yet.
    if let Ok(begin) = Reflect::get(&scope(), &"begin".into())
        && let Ok(begin) = begin.dyn_into::<js_sys::Function>()
    {
        let _ = begin.call0(&JsValue::NULL);
    }
}

/// One worker at a time writes a storyline's index, whatever the number of tabs.
struct WebLocks;

impl Lock for WebLocks {
    fn lock(&self, name: String) -> Future<'_, LockGuard> {
        Box::pin(async move {
            let locks = Reflect::get(&scope().navigator(), &"locks".into()).unwrap_or_default();
            if locks.is_undefined() {
                return LockGuard::default();
            }
            let (sender, receiver) = futures_channel::oneshot::channel::<js_sys::Function>();
            let mut sender = Some(sender);
            let granted = Closure::once_into_js(move |_: JsValue| -> JsValue {
                Promise::new(&mut |resolve, _| {
                    if let Some(sender) = sender.take() {
                        let _ = sender.send(resolve);
                    }
                })
                .into()
            });
            let ended = locks.unchecked_ref::<Locks>().request(&format!("fabula:index:{name}"), &granted);
            spawn_local(async move { drop(JsFuture::from(ended).await) });
            match receiver.await {
                Ok(resolve) => LockGuard::new(move || drop(resolve.call0(&JsValue::NULL))),
                Err(_) => LockGuard::default(),
            }
        })
    }
}
