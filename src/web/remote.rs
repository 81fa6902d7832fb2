//! The reader's own storage, reached through a worker (`src/remote`) that comes when it is first asked. What it may reach is
//! not narrowed by the page's policy, which a worker does not share: it runs nothing but this program, and only sealed bytes
//! go there.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    rc::Rc,
};

use futures_channel::oneshot;
use futures_util::future::{Either, select};
use js_sys::{Object, Reflect, Uint8Array};
use serde::Deserialize;
use serde_json::{Value, json};
use wasm_bindgen::prelude::*;
use web_sys::{MessageEvent, Worker};

use super::{clock::BrowserClock, text_of, window};
use crate::{
    ports::{Clock, Future},
    store::from_text,
    sync::{Listed, Remote, Trouble},
};

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
    Done,
    Files(Vec<Listed>),
    Bytes,
    Nothing,
    Fault { status: u16, words: String },
}

type Told = (Answer, Option<Vec<u8>>);
type Waiting = Rc<RefCell<HashMap<u32, oneshot::Sender<Option<Told>>>>>;

/// Milliseconds that an answer may take, and one more for so many bytes that are written: a server that takes a request and
/// says nothing would hold all that comes after it.
const PATIENCE: u32 = 120_000;
const BYTES_PER_MS: u32 = 10;

/// A place that was opened. Its worker ends with it.
pub struct WorkerRemote {
    worker: Worker,
    waiting: Waiting,
    asked: Cell<u32>,
    gave_up: Cell<bool>,
    _told: Closure<dyn Fn(MessageEvent)>,
    _failed: Closure<dyn Fn(JsValue)>,
}

impl Drop for WorkerRemote {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}

fn gone() -> Trouble {
    Trouble::Unreachable(String::new())
}

impl WorkerRemote {
    /// `place` as [`crate::sync::Site::place`] says it.
    ///
    /// # Errors
    /// The worker does not come, or the place cannot be one.
    pub async fn open(place: &Value) -> Result<Self, Trouble> {
        let remote = Self::start()?;
        remote.ask(json!({ "open": place }), None).await?;
        Ok(remote)
    }

    fn start() -> Result<Self, Trouble> {
        let worker = Worker::new(&address()).map_err(|_| gone())?;
        let waiting = Waiting::default();
        let asking = waiting.clone();
        let told = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
            let data = event.data();
            let id = Reflect::get(&data, &"id".into()).ok().and_then(|id| id.as_f64()).unwrap_or_default() as u32;
            let bytes = Reflect::get(&data, &"bytes".into()).ok();
            let bytes = bytes.and_then(|bytes| bytes.dyn_into::<Uint8Array>().ok()).map(|bytes| bytes.to_vec());
            let answer = from_text::<Answer>(&text_of(&data, "answer")).ok();
            let sender = asking.borrow_mut().remove(&id);
            if let Some(sender) = sender {
                // Whoever asked may have stopped waiting.
                let _ = sender.send(answer.map(|answer| (answer, bytes)));
            }
        });
        worker.set_onmessage(Some(told.as_ref().unchecked_ref()));
        let asking = waiting.clone();
        let failed = Closure::<dyn Fn(JsValue)>::new(move |_| asking.borrow_mut().clear());
        worker.set_onerror(Some(failed.as_ref().unchecked_ref()));
        Ok(Self { worker, waiting, asked: Cell::new(0), gave_up: Cell::new(false), _told: told, _failed: failed })
    }

    /// Nothing is waited for any more, and nothing more is asked.
    pub fn give_up(&self) {
        self.gave_up.set(true);
        self.worker.terminate();
        self.waiting.borrow_mut().clear();
    }

    async fn ask(&self, op: Value, bytes: Option<&[u8]>) -> Result<Told, Trouble> {
        if self.gave_up.get() {
            return Err(gone());
        }
        let id = self.asked.get().wrapping_add(1);
        self.asked.set(id);
        let asked = Object::new();
        let set = |name: &str, value: JsValue| drop(Reflect::set(&asked, &name.into(), &value));
        set("id", id.into());
        set("op", op.to_string().into());
        if let Some(bytes) = bytes {
            set("bytes", Uint8Array::from(bytes).into());
        }
        let (sender, told) = oneshot::channel();
        self.waiting.borrow_mut().insert(id, sender);
        self.worker.post_message(&asked).map_err(|_| gone())?;
        let patience = PATIENCE + bytes.map_or(0, <[u8]>::len) as u32 / BYTES_PER_MS;
        match select(told, BrowserClock.sleep(patience)).await {
            Either::Left((Ok(Some((Answer::Fault { status, words }, _))), _)) => Err(Trouble::of(status, &words)),
            Either::Left((Ok(Some(told)), _)) => Ok(told),
            Either::Left(_) => Err(gone()),
            Either::Right(_) => {
                self.give_up();
                Err(gone())
            }
        }
    }
}

impl Remote for WorkerRemote {
    fn list<'a>(&'a self, folder: &'a str) -> Future<'a, Result<Vec<Listed>, Trouble>> {
        Box::pin(async move {
            match self.ask(json!({ "list": folder }), None).await? {
                (Answer::Files(files), _) => Ok(files),
                _ => Err(gone()),
            }
        })
    }

    fn read<'a>(&'a self, name: &'a str) -> Future<'a, Result<Option<Vec<u8>>, Trouble>> {
        Box::pin(async move {
            match self.ask(json!({ "read": name }), None).await? {
                (Answer::Bytes, bytes) => Ok(Some(bytes.unwrap_or_default())),
                (Answer::Nothing, _) => Ok(None),
                _ => Err(gone()),
            }
        })
    }

    fn write<'a>(&'a self, name: &'a str, bytes: Vec<u8>) -> Future<'a, Result<(), Trouble>> {
        Box::pin(async move { self.ask(json!({ "write": name }), Some(&bytes)).await.map(drop) })
    }

    fn delete<'a>(&'a self, name: &'a str) -> Future<'a, Result<(), Trouble>> {
        Box::pin(async move { self.ask(json!({ "delete": name }), None).await.map(drop) })
    }
}

/// The worker's loader. The name of the program is made of its content: that tells one build of the page from another, and
/// keeps an old worker out of the cache.
fn address() -> String {
    let document = window().document().expect("a page has a document");
    let program = document.query_selector("link[rel=modulepreload]").ok().flatten();
    let name = program.and_then(|program| program.get_attribute("href")).unwrap_or_default();
    format!("./remote-worker.js?{}", name.trim_start_matches("./").trim_end_matches(".js"))
}
