//! Work that a component has begun and takes back when it goes.

use std::future::Future;

use futures_util::future::{AbortHandle, Abortable};
use leptos::{prelude::*, task::spawn_local};

/// One piece of work at a time: the next one ends the one before, and the component's end ends the last. A request that
/// is waited for is dropped with it.
#[derive(Clone, Copy)]
pub struct Work(StoredValue<Option<AbortHandle>>);

impl Work {
    pub fn new() -> Self {
        let work = Self(StoredValue::new(None));
        on_cleanup(move || work.stop());
        work
    }

    pub fn start(self, task: impl Future<Output = ()> + 'static) {
        self.stop();
        let (handle, registration) = AbortHandle::new_pair();
        self.0.set_value(Some(handle));
        spawn_local(async move {
            // Aborted or done: either way there is nothing left to do.
            let _ = Abortable::new(task, registration).await;
        });
    }

    pub fn stop(self) {
        if let Some(Some(handle)) = self.0.try_update_value(Option::take) {
            handle.abort();
        }
    }
}
