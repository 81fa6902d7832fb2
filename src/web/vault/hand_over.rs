//! Keys in memory over a reload that the page itself asks for.
//!
//! They are encrypted under a key of one use that cannot be exported. That lies in the database; what it opens lies in the
//! name of the tab, which a reload leaves and no storage holds. Neither half says anything alone. The next page takes both
//! away as its first act; halves that never met again are of no use after a minute.

use std::collections::HashMap;

use js_sys::{Array, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::CryptoKey;

use super::super::call;
use super::{BrowserVault, Sealed, VaultError, object, open, seal, subtle};
use crate::{
    ports::{Clock, Random},
    store::{Table, from_text},
    story::{
        Millis,
        ids::{self, ConnectionId},
    },
    web::{BrowserRandom, clock::BrowserClock, window},
};

/// The names of such tabs, and the ids of such records, begin so.
const PREFIX: &str = "fabula-hand-over:";

/// Milliseconds that a reload may take.
const MOST: Millis = 60_000;

/// The half that was in the tab's name.
pub struct Handed {
    /// Of the record that holds the other half.
    id: String,
    sealed: Sealed,
}

/// Takes what the page before has left in the tab's name: it is there no more.
pub fn take_handed() -> Option<Handed> {
    let name = window().name().ok().filter(|name| name.starts_with(PREFIX))?;
    let _ = window().set_name("");
    let (id, sealed) = name.split_once(' ')?;
    Some(Handed { id: id.to_owned(), sealed: from_text(sealed).ok()? })
}

impl BrowserVault {
    /// Leaves the keys in memory to the page that this tab loads next.
    ///
    /// # Errors
    /// The browser's cryptography failed or is not there, or the database refused: no key is left anywhere.
    pub async fn hand_over(&self) -> Result<(), VaultError> {
        let keys = self.memory.borrow().clone();
        if keys.is_empty() {
            return Ok(());
        }
        let broken = |_| VaultError::Broken;
        let now = BrowserClock.now();
        let id = format!("{PREFIX}{}", ids::uuid(now, BrowserRandom.bytes()));
        let keys = serde_json::to_string(&keys).expect("ids and keys are texts");
        let cipher = cipher_of_one_use().await.map_err(broken)?;
        let sealed = seal(&cipher, &id, &keys).await.map_err(broken)?;
        let half = object(&[("id", (&id).into()), ("at", (now as f64).into()), ("cipher", cipher.into())]);
        self.store.put_object(Table::Vault, &half).await?;
        let sealed = serde_json::to_string(&sealed).expect("both are texts");
        window().set_name(&format!("{id} {sealed}")).map_err(broken)
    }

    /// Takes in what the page before has left. The half in the database is gone then, whether it fits or not.
    pub async fn receive(&self, handed: Handed) {
        let Ok(Some(half)) = self.store.take_object(Table::Vault, &handed.id).await else { return };
        let field = |name: &str| Reflect::get(&half, &name.into()).ok();
        let at = field("at").and_then(|at| at.as_f64()).unwrap_or_default() as Millis;
        let cipher = field("cipher").and_then(|cipher| cipher.dyn_into::<CryptoKey>().ok());
        let Some(cipher) = cipher.filter(|_| BrowserClock.now().saturating_sub(at) <= MOST) else { return };
        let Ok(keys) = open(&cipher, &handed.id, &handed.sealed).await else { return };
        let keys: HashMap<ConnectionId, String> = from_text(&keys).unwrap_or_default();
        self.memory.borrow_mut().extend(keys);
    }
}

async fn cipher_of_one_use() -> Result<CryptoKey, JsValue> {
    let what = object(&[("name", "AES-GCM".into()), ("length", 256.into())]);
    let usages = Array::of2(&"encrypt".into(), &"decrypt".into());
    let key = call(&subtle()?.into(), "generateKey", &[what.into(), false.into(), usages.into()])?;
    Ok(JsFuture::from(key.unchecked_into::<js_sys::Promise>()).await?.unchecked_into())
}
