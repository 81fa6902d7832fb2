//! OpenDAL's way out of the worker: the browser's own fetch, whole bodies in and out, no cookies, no redirects.

use std::cell::RefCell;

use futures_util::stream;
use http::{Method, Request, Response, header};
use js_sys::{Array, ArrayBuffer, Uint8Array};
use opendal_core::{Buffer, Error, ErrorKind, HttpBody, HttpTransport, Result};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    AbortController, Headers, ReferrerPolicy, RequestCache, RequestCredentials, RequestInit, RequestMode,
    RequestRedirect,
};

use crate::message::Fault;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = "fetch")]
    fn global_fetch(request: &web_sys::Request) -> js_sys::Promise;
}

thread_local! {
    /// The last answer that was no success: OpenDAL's errors tell neither the status nor, of some servers, the reason.
    static LAST: RefCell<Option<Fault>> = const { RefCell::new(None) };
}

/// How much of a server's words is kept.
const WORDS: usize = 2_000;

/// The last answer that was no success since this was asked for.
pub fn take_last() -> Option<Fault> {
    LAST.take()
}

pub fn last_status() -> Option<u16> {
    LAST.with_borrow(|last| last.as_ref().map(|last| last.status))
}

/// Holds no value of the browser: OpenDAL wants it `Send` and `Sync`, in wasm too; the future of `fetch` need not be
/// either there.
pub struct Fetch;

/// Ends the request when dropped.
struct Abort(AbortController);

impl Drop for Abort {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl HttpTransport for Fetch {
    async fn fetch(&self, request: Request<Buffer>) -> Result<Response<HttpBody>> {
        let (parts, body) = request.into_parts();
        let abort = Abort(AbortController::new().map_err(broken)?);
        let headers = Headers::new().map_err(broken)?;
        // The browser says how long a body is itself.
        for (name, value) in parts.headers.iter().filter(|(name, _)| **name != header::CONTENT_LENGTH) {
            let value = value.to_str().map_err(|error| invalid("a header is not ASCII").set_source(error))?;
            headers.append(name.as_str(), value).map_err(broken)?;
        }
        let init = RequestInit::new();
        init.set_method(parts.method.as_str());
        init.set_headers(&headers);
        init.set_mode(RequestMode::Cors);
        init.set_credentials(RequestCredentials::Omit);
        init.set_cache(RequestCache::NoStore);
        init.set_redirect(RequestRedirect::Error);
        init.set_referrer_policy(ReferrerPolicy::NoReferrer);
        init.set_signal(Some(&abort.0.signal()));
        // A GET with a body, even an empty one, is an error; an empty PUT without one says that it is empty.
        if !body.is_empty() {
            init.set_body(&Uint8Array::from(body.to_bytes().as_ref()));
        }
        // The address as it was signed: gloo-net's builder would add to its query.
        let request = web_sys::Request::new_with_str_and_init(&parts.uri.to_string(), &init).map_err(broken)?;
        let response: web_sys::Response =
            JsFuture::from(global_fetch(&request)).await.map_err(unreached)?.unchecked_into();
        let content = JsFuture::from(response.array_buffer().map_err(broken)?).await.map_err(unreached)?;
        let content = Uint8Array::new(&content.unchecked_into::<ArrayBuffer>()).to_vec();
        if !response.ok() {
            let words = String::from_utf8_lossy(&content[..content.len().min(WORDS)]).into_owned();
            LAST.set(Some(Fault { status: response.status(), words }));
        }
        answer(&response, content, parts.method == Method::HEAD)
    }
}

fn answer(response: &web_sys::Response, content: Vec<u8>, is_head: bool) -> Result<Response<HttpBody>> {
    let mut answer = Response::builder().status(response.status());
    for entry in response.headers().entries() {
        let entry: Array = entry.map_err(broken)?.unchecked_into();
        let text = |index| entry.get(index).as_string().unwrap_or_default();
        let (name, value) = (text(0), text(1));
        // A body that came compressed is unpacked by now; its length would be that of the packed one.
        let value = match name.as_str() {
            "content-encoding" => continue,
            "content-length" if !is_head => content.len().to_string(),
            _ => value,
        };
        answer = answer.header(name, value);
    }
    let size = (!is_head).then_some(content.len() as u64);
    let body = HttpBody::new(stream::iter([Ok(Buffer::from(content))]), size);
    answer.body(body).map_err(|error| invalid("an answer that is none").set_source(error))
}

fn invalid(message: &str) -> Error {
    Error::new(ErrorKind::Unexpected, message)
}

/// What was asked for cannot be asked for.
fn broken(error: JsValue) -> Error {
    invalid(&format!("{error:?}"))
}

/// No answer: the network, or a server that does not let the page in (CORS); the browser does not tell which.
fn unreached(error: JsValue) -> Error {
    LAST.set(Some(Fault { status: 0, words: format!("{error:?}") }));
    invalid(&format!("{error:?}"))
}
