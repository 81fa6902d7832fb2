//! Between stored documents and JavaScript values.

use js_sys::{Array, Reflect, Uint8Array};
use serde_json::Value;
use wasm_bindgen::prelude::*;

use crate::{
    store::{Doc, Key, StoreError, Table, version},
    web::text_of,
};

/// The property that holds a picture's bytes beside its record.
const BYTES: &str = "bytes";

pub fn to_js(table: Table, doc: &Doc) -> Result<JsValue, StoreError> {
    // One text across the border: field by field it takes several times as long, thirty times a second while a reply
    // streams. Plain objects and numbers come of it: indexes look into them.
    let value = js_sys::JSON::parse(&version::stamped(table, &doc.value).to_string()).map_err(error)?;
    if let Some(bytes) = &doc.bytes {
        Reflect::set(&value, &BYTES.into(), &Uint8Array::from(&**bytes)).map_err(error)?;
    }
    Ok(value)
}

pub fn from_js(table: Table, value: JsValue) -> Result<Doc, StoreError> {
    let bytes = Reflect::get(&value, &BYTES.into()).ok().and_then(|bytes| bytes.dyn_into::<Uint8Array>().ok());
    if bytes.is_some() {
        Reflect::delete_property(value.unchecked_ref::<js_sys::Object>(), &BYTES.into()).map_err(error)?;
    }
    let value: Value = serde_wasm_bindgen::from_value(value)
        .map_err(|error| StoreError::new(StoreError::UNREADABLE, error.to_string()))?;
    version::current(table, Doc { value, bytes: bytes.map(|bytes| bytes.to_vec().into()) })
}

/// Many documents without bytes: one text across the border for all of them. Field by field it takes ten times as long.
pub fn many_from_js(table: Table, values: &Array) -> Result<Vec<Doc>, StoreError> {
    values_from_js(values)?.into_iter().map(|value| version::current(table, value.into())).collect()
}

/// As [`to_js`], for many without bytes.
pub fn many_to_js(table: Table, values: &[Value]) -> Result<Array, StoreError> {
    let texts: Vec<String> = values.iter().map(|value| version::stamped(table, value).to_string()).collect();
    Ok(js_sys::JSON::parse(&format!("[{}]", texts.join(","))).map_err(error)?.unchecked_into())
}

/// As they lie there, of whatever version.
pub fn values_from_js(values: &Array) -> Result<Vec<Value>, StoreError> {
    let text = String::from(js_sys::JSON::stringify(values).map_err(error)?);
    serde_json::from_str(&text).map_err(|error| StoreError::new(StoreError::UNREADABLE, error.to_string()))
}

pub fn key_to_js(key: &Key) -> JsValue {
    match key {
        Key::Number(number) => (*number).into(),
        Key::Text(text) => text.into(),
        Key::List(parts) => parts.iter().map(key_to_js).collect::<Array>().into(),
    }
}

/// An exception, with the name that recovery depends on.
pub fn error(exception: JsValue) -> StoreError {
    let name = text_of(&exception, "name");
    StoreError::new(if name.is_empty() { "UnknownError".to_owned() } else { name }, text_of(&exception, "message"))
}
