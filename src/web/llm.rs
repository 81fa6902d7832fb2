//! The way to a model, which whatever asks one brings along: the first load has no need of it.

use std::{cell::OnceCell, rc::Rc};

use super::{clock::BrowserClock, fetch::Fetch};
use crate::{
    ports::{Future, Llm, WireRequest, WireResponse},
    sim::demo_llm::DemoLlm,
    story::fault::Fault,
};

thread_local!(static WAY: OnceCell<Rc<dyn Llm>> = const { OnceCell::new() });

/// Called by each chunk that asks a model, as it comes.
pub fn equip() {
    WAY.with(|way| {
        way.get_or_init(|| Rc::new(DemoLlm { real: Rc::new(Fetch), clock: Rc::new(BrowserClock) }));
    });
}

pub struct Brought;

impl Llm for Brought {
    fn send(&self, request: WireRequest) -> Future<'_, Result<WireResponse, Fault>> {
        let way = WAY.with(|way| way.get().cloned()).expect("whatever asks has brought it");
        Box::pin(async move { way.send(request).await })
    }
}
