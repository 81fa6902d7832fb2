//! The way to a model: fetch, with the least headers, no cookies, no redirects.

use futures_util::StreamExt;
use gloo_net::http::{Headers, Method, RequestBuilder};
use wasm_streams::ReadableStream;
use web_sys::{AbortController, ReferrerPolicy, RequestCache, RequestCredentials, RequestMode, RequestRedirect};

use super::{files, policy, text_of, window};
use crate::{
    ports::{Body, Future, Llm, WireRequest, WireResponse},
    provider::address,
    story::fault::{Fault, FaultKind},
};

/// What a body is; the request's own header says so too.
const JSON: &str = "application/json";

pub struct Fetch;

/// Ends the request when dropped.
struct Abort(AbortController);

impl Drop for Abort {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Llm for Fetch {
    fn send(&self, request: WireRequest) -> Future<'_, Result<WireResponse, Fault>> {
        Box::pin(send(request))
    }
}

async fn send(request: WireRequest) -> Result<WireResponse, Fault> {
    let broken = |error: &dyn std::fmt::Debug| Fault::new(FaultKind::BadRequest, format!("{error:?}"));
    let abort = Abort(AbortController::new().map_err(|error| broken(&error))?);
    let headers = Headers::new();
    for (name, value) in &request.headers {
        headers.append(name, value);
    }
    let builder = RequestBuilder::new(&request.url)
        .method(if request.method == "POST" { Method::POST } else { Method::GET })
        .headers(headers)
        .mode(RequestMode::Cors)
        .credentials(RequestCredentials::Omit)
        .cache(RequestCache::NoStore)
        .redirect(RequestRedirect::Error)
        .referrer_policy(ReferrerPolicy::NoReferrer)
        .abort_signal(Some(&abort.0.signal()));
    let built = match &request.body {
        // A text is copied several times on its way out of the page, which takes ten milliseconds for a million
        // characters; a blob goes once, beside it.
        Some(body) => builder.body(files::blob(body.as_bytes(), JSON).map_err(|error| broken(&error))?),
        None => builder.build(),
    };
    let response = match built.map_err(|error| broken(&error))?.send().await {
        Ok(response) => response,
        Err(_) => return Err(diagnose(&request.url).await),
    };
    let headers = response.headers().entries().collect();
    let body: Body = match response.body() {
        None => Box::pin(futures_util::stream::empty()),
        Some(stream) => Box::pin(ReadableStream::from_raw(stream).into_stream().map(move |chunk| {
            // The request lives as long as its body is read.
            let _alive = &abort;
            match chunk {
                Ok(chunk) => Ok(js_sys::Uint8Array::new(&chunk).to_vec()),
                Err(error) if !window().navigator().on_line() => {
                    Err(Fault::new(FaultKind::Offline, text_of(&error, "message")))
                }
                Err(error) => Err(Fault::new(FaultKind::ConnectionLost, text_of(&error, "message"))),
            }
        })),
    };
    Ok(WireResponse { status: response.status(), headers, body })
}

/// The browser tells a page nothing about a failed request. What can be known without it: whether there is a network,
/// whether the page's own rules forbid the address, and whether something answers there at all.
async fn diagnose(url: &str) -> Fault {
    let fault = |kind| Fault::new(kind, address::origin(url).unwrap_or_default());
    if policy::blocked(url) {
        return fault(FaultKind::PolicyBlocked);
    }
    let local = address::is_local(url);
    if !window().navigator().on_line() && !local {
        return fault(FaultKind::Offline);
    }
    let secure_page = window().location().protocol().is_ok_and(|protocol| protocol == "https:");
    if secure_page && url.starts_with("http:") && !local {
        return fault(FaultKind::MixedContent);
    }
    match (answers(url).await, local) {
        (true, _) => fault(FaultKind::CorsRefused),
        (false, true) => fault(FaultKind::LocalUnreachable),
        (false, false) => fault(FaultKind::Unreachable),
    }
}

/// Whether anything answers at the address's origin: a bare request whose answer the page may not read. It carries no
/// key and no path.
async fn answers(url: &str) -> bool {
    let Some(origin) = address::origin(url) else { return false };
    let probe = RequestBuilder::new(&format!("{origin}/"))
        .mode(RequestMode::NoCors)
        .credentials(RequestCredentials::Omit)
        .cache(RequestCache::NoStore)
        .referrer_policy(ReferrerPolicy::NoReferrer)
        .build();
    match probe {
        Ok(probe) => probe.send().await.is_ok(),
        Err(_) => false,
    }
}
