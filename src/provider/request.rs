//! What the requests of all providers have in common.

use serde_json::{Map, Value};

use super::{address::Address, known::Known};
use crate::{
    ports::WireRequest,
    story::{
        connection::{Connection, ProviderKind},
        fault::{Fault, FaultKind},
    },
};

/// The connection's address, or its kind's own where it names none.
pub(super) fn address(connection: &Connection, kind: ProviderKind) -> Result<Address, Fault> {
    let url = connection.url.trim();
    Address::parse(if url.is_empty() { kind.default_url() } else { url })
}

/// Whether nobody is answered there without a key: so it is with the providers that are known by name, but for those on
/// this machine. What is behind any other address is not known.
pub fn wants_key(connection: &Connection) -> bool {
    address(connection, connection.kind).is_ok_and(|address| Known::behind(&address).any(Known::wants_key))
}

/// The connection's model, where the protocol cannot do without.
pub(super) fn model(connection: &Connection) -> Result<&str, Fault> {
    match connection.model.trim() {
        "" => Err(Fault::new(FaultKind::UnknownModel, "no model is named")),
        model => Ok(model),
    }
}

/// The key as a header can carry it; `None` where there is none.
///
/// # Errors
/// `WrongKey`: a pasted key with line breaks or letters beyond ASCII, on which the browser itself would fail
/// without saying why. The key is not quoted.
pub(super) fn key(key: Option<&str>) -> Result<Option<&str>, Fault> {
    let Some(key) = key.map(str::trim).filter(|key| !key.is_empty()) else { return Ok(None) };
    if key.bytes().all(|byte| byte.is_ascii_graphic()) {
        Ok(Some(key))
    } else {
        Err(Fault::new(FaultKind::WrongKey, "the key contains a space or a character that no key has"))
    }
}

pub(super) fn post(url: String, headers: Vec<(&'static str, String)>, body: Map<String, Value>) -> WireRequest {
    let kind = ("content-type", "application/json".to_owned());
    let headers = std::iter::once(kind).chain(headers).map(|(name, value)| (name.to_owned(), value)).collect();
    let body = serde_json::to_string(&body).expect("JSON can be written");
    WireRequest { method: "POST", url, headers, body: Some(body) }
}

pub(super) fn get(url: String, headers: Vec<(&'static str, String)>) -> WireRequest {
    let headers = headers.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    WireRequest { method: "GET", url, headers, body: None }
}

/// Sets a field where there is a value; a number that JSON cannot write (NaN) is none.
pub(super) fn put<T: Into<Value>>(body: &mut Map<String, Value>, name: &str, value: Option<T>) {
    if let Some(value) = value.map(Into::into).filter(|value: &Value| !value.is_null()) {
        body.insert(name.to_owned(), value);
    }
}

/// Puts the reader's own fields over the request's: an object into the one of its name, `null` takes a field out.
pub(super) fn add(body: &mut Map<String, Value>, own: &Map<String, Value>) {
    for (name, value) in own {
        match (body.get_mut(name), value) {
            (_, Value::Null) => drop(body.shift_remove(name)),
            (Some(Value::Object(theirs)), Value::Object(own)) => add(theirs, own),
            _ => drop(body.insert(name.clone(), value.clone())),
        }
    }
}

/// A model's name as part of a path: what would end or leave the path is escaped.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' | b'@' => out.push(byte as char),
            _ => out += &format!("%{byte:02X}"),
        }
    }
    out
}

#[cfg(test)]
#[path = "request_tests.rs"]
mod tests;
