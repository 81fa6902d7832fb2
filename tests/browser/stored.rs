//! The stored form of what is kept for keys; of all else, see `tests/stored.rs`.

use std::rc::Rc;

use fabula::{
    ports::{Keeping, Store},
    store::{Query, Table},
    web::vault::BrowserVault,
};
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use super::fresh;

/// With what chance made taken out.
fn shape(mut value: Value) -> Value {
    fn blank(value: &mut Value) {
        for (name, field) in value.as_object_mut().into_iter().flatten() {
            match name.as_str() {
                "nonce" | "text" | "salt" => *field = "…".into(),
                _ => blank(field),
            }
        }
    }
    blank(&mut value);
    value
}

#[wasm_bindgen_test]
async fn what_is_kept_for_keys() {
    let store = Rc::new(fresh("vault-form").await);
    let vault = BrowserVault::new(store.clone());
    vault.unlock("灯下的一本书翻过第七页").await.unwrap();
    for (id, keeping) in [("a", Keeping::Sealed), ("b", Keeping::Clear), ("c", Keeping::Memory)] {
        vault.keep(&id.into(), "sk-1", keeping).await.unwrap();
    }
    let kept = store.query(Query::all(Table::Vault)).await.unwrap();
    let sealed = json!({ "nonce": "…", "text": "…" });
    assert_eq!(
        kept.into_iter().map(|doc| shape(doc.value)).collect::<Vec<_>>(),
        [
            json!({ "id": "a", "sealed": sealed }),
            json!({ "id": "b", "clear": "sk-1" }),
            json!({ "id": "c", "memory": true }),
            json!({ "id": "lock", "rounds": 600_000, "salt": "…", "check": sealed }),
        ]
    );
}
