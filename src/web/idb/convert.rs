//! Between stored documents and JavaScript values.

use js_sys::{Array, Reflect, Uint8Array};
use serde::Serialize;
use serde_json::Value;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::prelude::*;

use crate::{
    ports::{Doc, Key, StoreError},
    web::text_of,
};

/// The property that holds a picture's bytes beside its record.
const BYTES: &str = "bytes";

pub fn to_js(doc: &Doc) -> Result<JsValue, StoreError> {
    // Plain objects and numbers, no Map and no BigInt: indexes look into them.
    let value = doc
        .value
        .serialize(&Serializer::json_compatible())
        .map_err(|error| StoreError::new("DataError", error.to_string()))?;
    if let Some(bytes) = &doc.bytes {
        Reflect::set(&value, &BYTES.into(), &Uint8Array::from(&**bytes)).map_err(error)?;
    }
    Ok(value)
}

pub fn from_js(value: JsValue) -> Result<Doc, StoreError> {
    let bytes = Reflect::get(&value, &BYTES.into()).ok().and_then(|bytes| bytes.dyn_into::<Uint8Array>().ok());
    if bytes.is_some() {
        Reflect::delete_property(value.unchecked_ref::<js_sys::Object>(), &BYTES.into()).map_err(error)?;
    }
    let value: Value = serde_wasm_bindgen::from_value(value)
        .map_err(|error| StoreError::new(StoreError::UNREADABLE, error.to_string()))?;
    Ok(Doc { value, bytes: bytes.map(|bytes| bytes.to_vec().into()) })
}

/// Many documents without bytes: one text across the border for all of them. Field by field it takes ten times as long.
pub fn many_from_js(values: &Array) -> Result<Vec<Doc>, StoreError> {
    let text = String::from(js_sys::JSON::stringify(values).map_err(error)?);
    let values: Vec<Value> =
        serde_json::from_str(&text).map_err(|error| StoreError::new(StoreError::UNREADABLE, error.to_string()))?;
    Ok(values.into_iter().map(Doc::from).collect())
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
