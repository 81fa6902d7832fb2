//! The way to a model, which whatever asks one brings along: the first load has no need of it.

use std::{cell::OnceCell, rc::Rc};

use super::{clock::BrowserClock, fetch::Fetch};
use crate::{
    ports::{Clock, Future, Llm, WireRequest, WireResponse},
    sim::demo_llm::{self, DemoLlm},
    story::fault::Fault,
};

type Way = OnceCell<Rc<dyn Llm>>;

thread_local! {
    static WAY: Way = const { OnceCell::new() };
    static RECORDED: Way = const { OnceCell::new() };
}

/// Milliseconds after which it is looked for again whether the recording has come.
const AGAIN: u32 = 50;

/// Called by each chunk that asks a model, as it comes.
pub fn equip() {
    WAY.with(|way| _ = way.get_or_init(|| Rc::new(Fetch)));
}

/// Called by the chunk that brings the demo, as it comes.
pub fn equip_demo() {
    RECORDED
        .with(|way| _ = way.get_or_init(|| Rc::new(DemoLlm { real: Rc::new(Fetch), clock: Rc::new(BrowserClock) })));
}

pub struct Brought;

impl Llm for Brought {
    fn send(&self, request: WireRequest) -> Future<'_, Result<WireResponse, Fault>> {
        Box::pin(async move {
            if !demo_llm::is_asked(&request) {
                let way = WAY.with(|way| way.get().cloned()).expect("whatever asks has brought it");
                return way.send(request).await;
            }
            // It is on its way; where it does not come, that is said beneath the story.
            loop {
                if let Some(way) = RECORDED.with(|way| way.get().cloned()) {
                    return way.send(request).await;
                }
                BrowserClock.sleep(AGAIN).await;
            }
        })
    }
}
