//! Time in the browser.

use futures_util::future::{Either, select};
use js_sys::{Function, Promise};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::MessageChannel;

use super::window;
use crate::{
    ports::{Clock, Future},
    story::Millis,
};

#[wasm_bindgen]
extern "C" {
    /// Of the page or of a worker.
    #[wasm_bindgen(js_name = setTimeout)]
    fn set_timeout(then: &Function, millis: i32) -> JsValue;
}

/// Milliseconds to wait for a frame that does not come.
const HIDDEN_FRAME: i32 = 100;

pub struct BrowserClock;

impl Clock for BrowserClock {
    fn now(&self) -> Millis {
        js_sys::Date::now() as Millis
    }

    fn utc_offset(&self, at: Millis) -> i32 {
        -js_sys::Date::new(&JsValue::from_f64(at as f64)).get_timezone_offset() as i32
    }

    fn sleep(&self, millis: u32) -> Future<'_, ()> {
        Box::pin(async move {
            match millis {
                0 => turn().await,
                _ => timer(millis.min(i32::MAX as u32) as i32).await,
            }
        })
    }
}

impl BrowserClock {
    /// With the next frame: what was changed is about to be seen. In a hidden tab, once it is shown.
    pub async fn seen(&self) {
        animation_frame().await;
    }

    /// After what was changed has been painted. The tab may be hidden while one waits, and then no frame comes: a timer
    /// runs beside it.
    pub async fn frame(&self) {
        let frames = async {
            animation_frame().await;
            animation_frame().await;
        };
        match select(Box::pin(frames), Box::pin(timer(HIDDEN_FRAME))).await {
            Either::Left(_) | Either::Right(_) => {}
        }
    }
}

async fn animation_frame() {
    let frame = Promise::new(&mut |resolve, _| {
        window().request_animation_frame(&resolve).expect("frames can be asked for");
    });
    // A frame's promise is never rejected.
    let _ = JsFuture::from(frame).await;
}

/// After whatever else waits. A timer would wait for milliseconds, and in a hidden tab for a second.
async fn turn() {
    let Ok(channel) = MessageChannel::new() else { return };
    let (here, there) = (channel.port1(), channel.port2());
    let promise = Promise::new(&mut |resolve, _| here.set_onmessage(Some(&resolve)));
    if there.post_message(&JsValue::NULL).is_ok() {
        let _ = JsFuture::from(promise).await;
    }
    here.close();
}

async fn timer(millis: i32) {
    let promise = Promise::new(&mut |resolve, _| drop(set_timeout(&resolve, millis)));
    // A timer's promise is never rejected.
    let _ = JsFuture::from(promise).await;
}
