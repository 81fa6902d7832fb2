//! Provider keys: in memory, sealed under a passphrase, or in the clear, as the reader chose for each connection.
//!
//! Sealed: PBKDF2-SHA-256 (parameters are stored with the record, so that they can be raised) makes an AES-GCM key that
//! cannot be exported; each provider key is encrypted with a fresh nonce, bound to its connection's id.

use std::{cell::RefCell, collections::HashMap, rc::Rc};

use base64::{Engine, engine::general_purpose::STANDARD as BASE64};
use js_sys::{Array, Object, Reflect, Uint8Array};
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{CryptoKey, SubtleCrypto};

use super::{fill_random, idb::IdbStore, window};
use crate::{
    ports::{Batch, Future, Keeping, Query, Store, Stored, Table, Vault},
    story::{
        fault::{Fault, FaultKind},
        ids::ConnectionId,
        record::record,
    },
};

/// Rounds for new seals (OWASP's floor for PBKDF2-SHA-256).
const ROUNDS: u32 = 600_000;

/// The lock: how the passphrase becomes a key, and a known text to tell a wrong one.
#[derive(Clone, Serialize, Deserialize)]
struct Lock {
    id: String,
    rounds: u32,
    salt: String,
    check: Sealed,
}
record!(Lock, Vault);

const LOCK: &str = "lock";
const CHECK: &str = "fabula";

/// What is stored for one connection.
#[derive(Clone, Serialize, Deserialize)]
struct Kept {
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    sealed: Option<Sealed>,
    #[serde(skip_serializing_if = "Option::is_none")]
    clear: Option<String>,
    /// There was a key, kept in memory only.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    memory: bool,
}
record!(Kept, Vault);

#[derive(Clone, Serialize, Deserialize)]
struct Sealed {
    nonce: String,
    text: String,
}

/// The passphrase is wrong, or the browser's cryptography failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VaultError {
    WrongPassphrase,
    Broken,
    Store,
}

impl From<crate::ports::StoreError> for VaultError {
    fn from(_: crate::ports::StoreError) -> Self {
        Self::Store
    }
}

pub struct BrowserVault {
    store: Rc<IdbStore>,
    keys: RefCell<HashMap<ConnectionId, String>>,
    seal: RefCell<Option<CryptoKey>>,
}

impl BrowserVault {
    pub fn new(store: Rc<IdbStore>) -> Self {
        Self { store, keys: RefCell::default(), seal: RefCell::default() }
    }

    fn store(&self) -> &dyn Store {
        &*self.store
    }

    /// Whether there are sealed keys that wait for the passphrase.
    pub async fn is_locked(&self) -> Stored<bool> {
        Ok(self.seal.borrow().is_none() && self.store().load::<Lock>(LOCK).await?.is_some())
    }

    pub async fn keeping(&self, connection: &ConnectionId) -> Stored<(Keeping, bool)> {
        Ok(match self.store().load::<Kept>(connection.as_str()).await? {
            Some(Kept { sealed: Some(_), .. }) => (Keeping::Sealed, true),
            Some(Kept { clear: Some(_), .. }) => (Keeping::Clear, true),
            Some(Kept { memory: true, .. }) => (Keeping::Memory, self.keys.borrow().contains_key(connection)),
            _ => (Keeping::Memory, false),
        })
    }

    /// Opens the lock, or makes one where there is none.
    pub async fn unlock(&self, passphrase: &str) -> Result<(), VaultError> {
        let lock = self.store().load::<Lock>(LOCK).await?;
        let (rounds, salt) = match &lock {
            Some(lock) => (lock.rounds, BASE64.decode(&lock.salt).map_err(|_| VaultError::Broken)?),
            None => {
                let mut salt = vec![0; 16];
                fill_random(&mut salt);
                (ROUNDS, salt)
            }
        };
        let key = derive(passphrase, &salt, rounds).await.map_err(|_| VaultError::Broken)?;
        match lock {
            Some(lock) => {
                let check = open(&key, LOCK, &lock.check).await.map_err(|_| VaultError::WrongPassphrase)?;
                if check != CHECK {
                    return Err(VaultError::WrongPassphrase);
                }
            }
            None => {
                let check = seal(&key, LOCK, CHECK).await.map_err(|_| VaultError::Broken)?;
                self.store().save(&Lock { id: LOCK.into(), rounds, salt: BASE64.encode(&salt), check }).await?;
            }
        }
        *self.seal.borrow_mut() = Some(key);
        Ok(())
    }

    /// Keeps a connection's key. Sealed keeping needs the lock to be open.
    pub async fn keep(&self, connection: &ConnectionId, key: &str, keeping: Keeping) -> Result<(), VaultError> {
        let id = connection.as_str();
        let mut kept = Kept { id: id.to_owned(), sealed: None, clear: None, memory: false };
        match keeping {
            Keeping::Memory => kept.memory = true,
            Keeping::Clear => kept.clear = Some(key.to_owned()),
            Keeping::Sealed => {
                let cipher = self.seal.borrow().clone().ok_or(VaultError::WrongPassphrase)?;
                kept.sealed = Some(seal(&cipher, id, key).await.map_err(|_| VaultError::Broken)?);
            }
        }
        self.store().save(&kept).await?;
        self.keys.borrow_mut().insert(connection.clone(), key.to_owned());
        Ok(())
    }

    pub async fn forget(&self, connection: &ConnectionId) -> Stored<()> {
        self.keys.borrow_mut().remove(connection);
        self.store().commit(Batch::new().delete(Table::Vault, connection.as_str())).await
    }

    /// Forgets every key and the lock.
    pub async fn forget_all(&self) -> Stored<()> {
        self.keys.borrow_mut().clear();
        *self.seal.borrow_mut() = None;
        let mut batch = Batch::new();
        for id in self.store.keys(Query::all(Table::Vault)).await? {
            batch = batch.delete(Table::Vault, &id);
        }
        self.store().commit(batch).await
    }
}

impl Vault for BrowserVault {
    fn key<'a>(&'a self, connection: &'a ConnectionId) -> Future<'a, Result<Option<String>, Fault>> {
        Box::pin(async move {
            if let Some(key) = self.keys.borrow().get(connection) {
                return Ok(Some(key.clone()));
            }
            let missing = || Fault::new(FaultKind::KeyMissing, "");
            match self.store().load::<Kept>(connection.as_str()).await? {
                None => Ok(None),
                Some(Kept { clear: Some(key), .. }) => Ok(Some(key)),
                Some(Kept { sealed: Some(sealed), .. }) => {
                    let cipher = self.seal.borrow().clone().ok_or_else(missing)?;
                    let key = open(&cipher, connection.as_str(), &sealed).await.map_err(|_| missing())?;
                    self.keys.borrow_mut().insert(connection.clone(), key.clone());
                    Ok(Some(key))
                }
                Some(Kept { memory: true, .. }) => Err(missing()),
                Some(_) => Ok(None),
            }
        })
    }
}

fn subtle() -> Result<SubtleCrypto, JsValue> {
    Ok(window().crypto()?.subtle())
}

fn object(fields: &[(&str, JsValue)]) -> Object {
    let object = Object::new();
    for (name, value) in fields {
        let _ = Reflect::set(&object, &(*name).into(), value);
    }
    object
}

fn bytes(data: &[u8]) -> Uint8Array {
    Uint8Array::from(data)
}

async fn derive(passphrase: &str, salt: &[u8], rounds: u32) -> Result<CryptoKey, JsValue> {
    let subtle = subtle()?;
    let usages = Array::of1(&"deriveKey".into());
    let material = subtle.import_key_with_str("raw", &bytes(passphrase.as_bytes()), "PBKDF2", false, &usages)?;
    let material: CryptoKey = JsFuture::from(material).await?.unchecked_into();
    let how = object(&[
        ("name", "PBKDF2".into()),
        ("hash", "SHA-256".into()),
        ("salt", bytes(salt).into()),
        ("iterations", rounds.into()),
    ]);
    let what = object(&[("name", "AES-GCM".into()), ("length", 256.into())]);
    let usages = Array::of2(&"encrypt".into(), &"decrypt".into());
    let key = subtle.derive_key_with_object_and_object(&how, &material, &what, false, &usages)?;
    Ok(JsFuture::from(key).await?.unchecked_into())
}

/// The connection's id is authenticated with the text, so that a sealed key cannot be moved to another connection.
fn cipher(nonce: &[u8], bound_to: &str) -> Object {
    object(&[
        ("name", "AES-GCM".into()),
        ("iv", bytes(nonce).into()),
        ("additionalData", bytes(bound_to.as_bytes()).into()),
    ])
}

async fn seal(key: &CryptoKey, bound_to: &str, text: &str) -> Result<Sealed, JsValue> {
    let mut nonce = [0; 12];
    fill_random(&mut nonce);
    let sealed =
        subtle()?.encrypt_with_object_and_buffer_source(&cipher(&nonce, bound_to), key, &bytes(text.as_bytes()))?;
    let sealed = Uint8Array::new(&JsFuture::from(sealed).await?).to_vec();
    Ok(Sealed { nonce: BASE64.encode(nonce), text: BASE64.encode(sealed) })
}

async fn open(key: &CryptoKey, bound_to: &str, sealed: &Sealed) -> Result<String, JsValue> {
    let broken = |_| JsValue::from("not base64");
    let nonce = BASE64.decode(&sealed.nonce).map_err(broken)?;
    let text = BASE64.decode(&sealed.text).map_err(broken)?;
    let opened = subtle()?.decrypt_with_object_and_buffer_source(&cipher(&nonce, bound_to), key, &bytes(&text))?;
    let opened = Uint8Array::new(&JsFuture::from(opened).await?).to_vec();
    String::from_utf8(opened).map_err(|_| "not a text".into())
}
