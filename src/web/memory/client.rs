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
    store::from_text,
    story::fault::{Fault, FaultKind},
    web::window,
};

type Waiting = Rc<RefCell<HashMap<u32, oneshot::Sender<Result<Answer, Fault>>>>>;

/// Starts its worker with the first ask, so that the page is there before it.
#[derive(Default)]
pub struct WorkerRecall {
    line: RefCell<Option<Rc<Line>>>,
    asked: Cell<u32>,
}

impl Recall for WorkerRecall {
    fn ask(&self, request: Request) -> Future<'_, Result<Answer, Fault>> {
        if matches!(request, Request::BuildGraph { .. }) {
            return Box::pin(self.build(request));
        }
        let asked = self.line().and_then(|line| Ok((line.post(self.number(), request)?, line)));
        Box::pin(async move {
            let (answer, _line) = asked?;
            received(answer).await
        })
    }
}

impl WorkerRecall {
    fn number(&self) -> u32 {
        let number = self.asked.get().wrapping_add(1);
        self.asked.set(number);
        number
    }

    fn line(&self) -> Result<Rc<Line>, Fault> {
        let mut line = self.line.borrow_mut();
        match &*line {
            Some(line) if !line.broken.get() => Ok(line.clone()),
            _ => Ok(line.insert(Rc::new(Line::start()?)).clone()),
        }
    }

    /// In a worker of its own, so that searches go on meanwhile. It then takes the place of the one that searches, for it
    /// has all of the story in memory, and the graph.
    async fn build(&self, request: Request) -> Result<Answer, Fault> {
        let builder = Rc::new(Line::start()?);
        let answer = received(builder.post(self.number(), request)?).await;
        if answer.is_ok() {
            self.line.replace(Some(builder));
        }
        answer
    }
}

type Receiver = oneshot::Receiver<Result<Answer, Fault>>;

async fn received(receiver: Receiver) -> Result<Answer, Fault> {
    receiver.await.unwrap_or_else(|_| Err(gone("the worker has ended")))
}

fn gone(detail: &str) -> Fault {
    Fault::new(FaultKind::MemoryGone, detail)
}

/// A worker and those who wait for its answers. It ends with the last of them.
struct Line {
    worker: Worker,
    waiting: Waiting,
    /// It has failed: whoever asks next starts another.
    broken: Rc<Cell<bool>>,
    /// They are called as long as the worker lives.
    _told: Closure<dyn Fn(MessageEvent)>,
    _failed: Closure<dyn Fn(JsValue)>,
}

impl Drop for Line {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}

impl Line {
    fn start() -> Result<Self, Fault> {
        let worker = Worker::new(&address()).map_err(|_| gone("the worker could not be started"))?;
        let (waiting, broken) = (Waiting::default(), Rc::new(Cell::new(false)));
        let asking = waiting.clone();
        let told = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
            let Some(text) = event.data().as_string() else { return };
            let Ok(Told { id, answer, .. }) = from_text(&text) else { return };
            let sender = asking.borrow_mut().remove(&id);
            if let Some(sender) = sender {
                // Whoever asked may have stopped waiting.
                let _ = sender.send(answer);
            }
        });
        worker.set_onmessage(Some(told.as_ref().unchecked_ref()));
        let (asking, fails) = (waiting.clone(), broken.clone());
        let failed = Closure::<dyn Fn(JsValue)>::new(move |_| {
            fails.set(true);
            let senders: Vec<_> = asking.borrow_mut().drain().collect();
            for (_, sender) in senders {
                let _ = sender.send(Err(gone("the worker failed")));
            }
        });
        worker.set_onerror(Some(failed.as_ref().unchecked_ref()));
        Ok(Self { worker, waiting, broken, _told: told, _failed: failed })
    }

    fn post(&self, id: u32, request: Request) -> Result<Receiver, Fault> {
        let text = serde_json::to_string(&Asked { id, request }).map_err(|error| gone(&error.to_string()))?;
        let (sender, receiver) = oneshot::channel();
        self.waiting.borrow_mut().insert(id, sender);
        if self.worker.post_message(&text.into()).is_err() {
            self.waiting.borrow_mut().remove(&id);
            return Err(gone("the worker takes no message"));
        }
        Ok(receiver)
    }
}

/// The worker's loader, with the version that keeps an old one out of the cache.
fn address() -> String {
    let document = window().document().expect("a page has a document");
    let meta = document.query_selector("meta[name=\"memory-worker\"]").ok().flatten();
    meta.and_then(|meta| meta.get_attribute("content")).unwrap_or_else(|| "./memory-worker.js".into())
}
