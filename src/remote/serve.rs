//! Asks in, answers out.

use std::{cell::RefCell, rc::Rc};

use js_sys::{Object, Reflect, Uint8Array};
use opendal_core::{ErrorKind, Operator};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

use crate::{
    fetch,
    message::{Answer, Fault, Op},
    place,
};

thread_local! {
    static PLACE: RefCell<Option<Rc<Operator>>> = const { RefCell::new(None) };
}

/// Answers from now on, also what was asked before this program was here.
pub fn serve() {
    let scope: DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
    let told = Closure::<dyn Fn(MessageEvent)>::new(|event: MessageEvent| spawn_local(take(event.data())));
    scope.set_onmessage(Some(told.as_ref().unchecked_ref()));
    told.forget();
    if let Ok(begin) = Reflect::get(&scope, &"begin".into())
        && let Some(begin) = begin.dyn_ref::<js_sys::Function>()
    {
        let _ = begin.call0(&scope);
    }
}

async fn take(asked: JsValue) {
    let get = |name: &str| Reflect::get(&asked, &name.into()).unwrap_or_default();
    let op = get("op").as_string().and_then(|text| serde_json::from_str::<Op>(&text).ok());
    let bytes = get("bytes").dyn_into::<Uint8Array>().map(|bytes| bytes.to_vec()).unwrap_or_default();
    let (answer, found) = match op {
        Some(op) => {
            // What an earlier ask left behind says nothing of this one.
            fetch::take_last();
            do_it(op, bytes).await.unwrap_or_else(|fault| (Answer::Fault(fault), None))
        }
        None => (Answer::Fault(Fault { status: 0, words: "not understood".to_owned() }), None),
    };
    let told = Object::new();
    let set = |name: &str, value: JsValue| drop(Reflect::set(&told, &name.into(), &value));
    set("id", get("id"));
    set("answer", serde_json::to_string(&answer).unwrap_or_default().into());
    if let Some(found) = found {
        set("bytes", Uint8Array::from(found.as_slice()).into());
    }
    let scope: DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
    let _ = scope.post_message(&told);
}

async fn do_it(op: Op, bytes: Vec<u8>) -> Result<(Answer, Option<Vec<u8>>), Fault> {
    if let Op::Open(place) = &op {
        let opened = place::open(place).map_err(fault)?;
        PLACE.set(Some(Rc::new(opened)));
        return Ok((Answer::Done, None));
    }
    let Some(place) = PLACE.with_borrow(Clone::clone) else {
        return Err(Fault { status: 0, words: "no place".to_owned() });
    };
    match op {
        Op::List(folder) => Ok((Answer::Files(place::list(&place, &folder).await.map_err(fault)?), None)),
        Op::Read(name) => match place.read(&name).await {
            Ok(found) => Ok((Answer::Bytes, Some(found.to_vec()))),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok((Answer::Nothing, None)),
            Err(error) => Err(fault(error)),
        },
        Op::Write(name) => {
            place::write(&place, &name, bytes).await.map_err(fault)?;
            Ok((Answer::Done, None))
        }
        Op::Delete(name) => {
            place.delete(&name).await.map_err(fault)?;
            Ok((Answer::Done, None))
        }
        Op::Open(_) => Ok((Answer::Done, None)),
    }
}

/// As the server said it, where it said anything.
fn fault(error: opendal_core::Error) -> Fault {
    fetch::take_last().unwrap_or_else(|| Fault { status: 0, words: error.to_string() })
}
