//! The page's side: asks go to the worker with a number, answers come back under it.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    rc::Rc,
};

use futures_channel::oneshot;
use wasm_bindgen::prelude::*;
use web_sys::{MessageEvent, Worker};

use super::{Asked, Told};
use crate::{
    ports::{
        Future, Recall,
        recall::{Answer, Request},
    },
    story::fault::{Fault, FaultKind},
    web::window,
};

type Waiting = Rc<RefCell<HashMap<u32, oneshot::Sender<Result<Answer, Fault>>>>>;

/// Starts its worker with the first ask, so that the page is there before it.
#[derive(Default)]
pub struct WorkerRecall {
    worker: RefCell<Option<Worker>>,
    waiting: Waiting,
    asked: Cell<u32>,
}

impl Recall for WorkerRecall {
    fn ask(&self, request: Request) -> Future<'_, Result<Answer, Fault>> {
        let id = self.asked.get().wrapping_add(1);
        self.asked.set(id);
        let (sender, receiver) = oneshot::channel();
        self.waiting.borrow_mut().insert(id, sender);
        let posted = self.post(&Asked { id, request });
        if let Err(fault) = posted {
            self.waiting.borrow_mut().remove(&id);
            return Box::pin(async { Err(fault) });
        }
        Box::pin(async move { receiver.await.unwrap_or_else(|_| Err(gone("the worker has ended"))) })
    }
}

fn gone(detail: &str) -> Fault {
    Fault::new(FaultKind::MemoryGone, detail)
}

impl WorkerRecall {
    fn post(&self, asked: &Asked) -> Result<(), Fault> {
        let text = serde_json::to_string(asked).map_err(|error| gone(&error.to_string()))?;
        let mut worker = self.worker.borrow_mut();
        let worker = match &mut *worker {
            Some(worker) => worker,
            none => none.insert(self.start()?),
        };
        worker.post_message(&text.into()).map_err(|_| gone("the worker takes no message"))
    }

    fn start(&self) -> Result<Worker, Fault> {
        let worker = Worker::new(&address()).map_err(|_| gone("the worker could not be started"))?;
        let waiting = self.waiting.clone();
        let told = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
            let Some(text) = event.data().as_string() else { return };
            let Ok(Told { id, answer, .. }) = serde_json::from_str(&text) else { return };
            if let Some(sender) = waiting.borrow_mut().remove(&id) {
                // Whoever asked may have stopped waiting.
                let _ = sender.send(answer);
            }
        });
        worker.set_onmessage(Some(told.as_ref().unchecked_ref()));
        // They live as long as the page.
        told.forget();
        let waiting = self.waiting.clone();
        let failed = Closure::<dyn Fn(JsValue)>::new(move |_| {
            for (_, sender) in waiting.borrow_mut().drain() {
                let _ = sender.send(Err(gone("the worker failed")));
            }
        });
        worker.set_onerror(Some(failed.as_ref().unchecked_ref()));
        failed.forget();
        Ok(worker)
    }
}

/// The worker's loader, with the version that keeps an old one out of the cache.
fn address() -> String {
    let document = window().document().expect("a page has a document");
    let meta = document.query_selector("meta[name=\"memory-worker\"]").ok().flatten();
    meta.and_then(|meta| meta.get_attribute("content")).unwrap_or_else(|| "./memory-worker.js".into())
}
