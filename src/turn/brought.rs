//! What a turn may need and most do not: it is a part of the page that comes beside the story, and a turn that needs it waits
//! for it. Natively it is always there.

use std::{cell::Cell, thread::LocalKey};

use crate::ports::Clock;

/// Milliseconds after which is looked for it again.
const AGAIN: u32 = 20;

/// A thing by what stands for it, once it has come.
pub type Brought<T> = Cell<Option<T>>;

/// It is on its way; where it does not come, that is said beneath the story.
pub async fn awaited<T: Copy>(brought: &'static LocalKey<Brought<T>>, clock: &dyn Clock) -> T {
    loop {
        if let Some(thing) = brought.get() {
            return thing;
        }
        clock.sleep(AGAIN).await;
    }
}
