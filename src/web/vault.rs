//! Provider keys: in memory, sealed under a passphrase, or in the clear, as the reader chose for each connection.
//!
//! Sealed: PBKDF2-SHA-256 (parameters are stored with the record, so that they can be raised) makes an AES-GCM key that
//! cannot be exported; each provider key is encrypted with a fresh nonce, bound to its connection's id.

mod hand_over;

use std::{cell::RefCell, collections::HashMap, rc::Rc};

use js_sys::{Array, JsString, Object, Reflect, Uint8Array};
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{CryptoKey, SubtleCrypto};

pub use self::hand_over::{Handed, take_handed};
use super::{fill_random, idb::IdbStore, window};
use crate::{
    ports::{Future, Keeping, Store, Vault},
    store::{Batch, Query, StoreError, Stored, Table, record},
    story::{
        fault::{Fault, FaultKind},
        ids::ConnectionId,
        passphrase::{Strength, Weakness, strength},
    },
};

/// Rounds for new seals (OWASP's floor for PBKDF2-SHA-256).
pub(super) const ROUNDS: u32 = 600_000;

/// The lock: how the passphrase becomes a key, and a known text to tell a wrong one. It is there as long as a sealed
/// key is.
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
#[derive(Clone, Default, Serialize, Deserialize)]
struct Kept {
    id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sealed: Option<Sealed>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
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

/// An open lock. The salt tells whether it still is the stored one: another tab may have made a new lock since.
#[derive(Clone)]
struct Seal {
    salt: String,
    key: CryptoKey,
}

/// Why a key could not be kept, or the lock not opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VaultError {
    WrongPassphrase,
    /// Nothing is sealed yet, and a lock under this passphrase would protect nothing.
    WeakPassphrase(Weakness),
    /// The browser's cryptography failed, or is not there (a page that was not loaded securely).
    Broken,
    Store(StoreError),
}

impl From<StoreError> for VaultError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

pub struct BrowserVault {
    store: Rc<IdbStore>,
    /// Keys kept in memory only. All others are read from the store when they are needed, so that what another tab
    /// has changed or forgotten holds here too.
    memory: RefCell<HashMap<ConnectionId, String>>,
    seal: RefCell<Option<Seal>>,
}

impl BrowserVault {
    pub fn new(store: Rc<IdbStore>) -> Self {
        Self { store, memory: RefCell::default(), seal: RefCell::default() }
    }

    fn store(&self) -> &dyn Store {
        &*self.store
    }

    /// The key of the stored lock, if it is open.
    async fn opened(&self) -> Stored<Option<CryptoKey>> {
        let lock = self.store().load::<Lock>(LOCK).await?;
        let seal = self.seal.borrow();
        Ok(lock.and_then(|lock| seal.as_ref().filter(|seal| seal.salt == lock.salt).map(|seal| seal.key.clone())))
    }

    /// Whether a sealed key is there, one connection's own aside.
    async fn has_sealed(&self, except: Option<&ConnectionId>) -> Stored<bool> {
        let kept = self.store().list::<Kept>(Query::all(Table::Vault)).await?;
        Ok(kept.iter().any(|kept| kept.sealed.is_some() && except.is_none_or(|except| kept.id != except.as_str())))
    }

    /// Whether keys can be sealed and opened without asking for the passphrase.
    pub async fn is_open(&self) -> Stored<bool> {
        Ok(self.opened().await?.is_some())
    }

    /// Whether there are sealed keys that wait for the passphrase.
    pub async fn is_locked(&self) -> Stored<bool> {
        Ok(self.opened().await?.is_none() && self.has_sealed(None).await?)
    }

    /// How a connection's key is kept, and whether it is there; `None` where it never had one.
    pub async fn keeping(&self, connection: &ConnectionId) -> Stored<Option<(Keeping, bool)>> {
        Ok(self.store().load::<Kept>(connection.as_str()).await?.and_then(|kept| match kept {
            Kept { sealed: Some(_), .. } => Some((Keeping::Sealed, true)),
            Kept { clear: Some(_), .. } => Some((Keeping::Clear, true)),
            Kept { memory: true, .. } => Some((Keeping::Memory, self.memory.borrow().contains_key(connection))),
            _ => None,
        }))
    }

    /// Opens the lock, or makes one where nothing is sealed yet. A weak passphrase opens a lock that was made under it,
    /// and makes none.
    pub async fn unlock(&self, passphrase: &str) -> Result<(), VaultError> {
        if passphrase.is_empty() {
            return Err(VaultError::WrongPassphrase);
        }
        let lock = match self.has_sealed(None).await? {
            true => self.store().load::<Lock>(LOCK).await?,
            false => None,
        };
        let (rounds, salt) = match &lock {
            Some(lock) => (lock.rounds, from_base64(&lock.salt).map_err(|_| VaultError::Broken)?),
            None => {
                if let Strength::Weak(why) = strength(passphrase) {
                    return Err(VaultError::WeakPassphrase(why));
                }
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
                self.store().save(&Lock { id: LOCK.into(), rounds, salt: to_base64(&salt), check }).await?;
            }
        }
        *self.seal.borrow_mut() = Some(Seal { salt: to_base64(&salt), key });
        Ok(())
    }

    /// Keeps a connection's key. Sealed keeping needs the lock to be open.
    pub async fn keep(&self, connection: &ConnectionId, key: &str, keeping: Keeping) -> Result<(), VaultError> {
        let mut kept = Kept { id: connection.0.clone(), ..Default::default() };
        match keeping {
            Keeping::Memory => kept.memory = true,
            Keeping::Clear => kept.clear = Some(key.to_owned()),
            Keeping::Sealed => {
                let cipher = self.opened().await?.ok_or(VaultError::WrongPassphrase)?;
                kept.sealed = Some(seal(&cipher, &kept.id, key).await.map_err(|_| VaultError::Broken)?);
            }
        }
        let mut batch = Batch::new().put(&kept);
        if keeping != Keeping::Sealed {
            batch = self.without_idle_lock(batch, connection).await?;
        }
        self.store().commit(batch).await?;
        match keeping {
            Keeping::Memory => self.memory.borrow_mut().insert(connection.clone(), key.to_owned()),
            Keeping::Sealed | Keeping::Clear => self.memory.borrow_mut().remove(connection),
        };
        Ok(())
    }

    /// Takes the lock away with the last sealed key: it would only serve to guess the passphrase by.
    async fn without_idle_lock(&self, batch: Batch, leaving: &ConnectionId) -> Stored<Batch> {
        Ok(if self.has_sealed(Some(leaving)).await? { batch } else { batch.delete(Table::Vault, LOCK) })
    }

    /// Forgets a connection's key.
    pub async fn forget(&self, connection: &ConnectionId) -> Stored<()> {
        self.memory.borrow_mut().remove(connection);
        let batch = Batch::new().delete(Table::Vault, connection.as_str());
        self.store().commit(self.without_idle_lock(batch, connection).await?).await
    }

    /// Forgets every key and the lock, in all tabs.
    pub async fn forget_all(&self) -> Stored<()> {
        self.memory.borrow_mut().clear();
        *self.seal.borrow_mut() = None;
        let mut batch = Batch::new();
        for id in self.store.keys(Query::all(Table::Vault)).await? {
            batch = batch.delete(Table::Vault, &id);
        }
        self.store().commit(batch).await
    }

    /// Forgets the keys of all connections but these: what a page that was closed too soon left behind.
    pub async fn forget_others(&self, connections: &[ConnectionId]) -> Stored<()> {
        for id in self.store.keys(Query::all(Table::Vault)).await? {
            let id = ConnectionId(id);
            if id.as_str() != LOCK && !connections.contains(&id) {
                self.forget(&id).await?;
            }
        }
        Ok(())
    }
}

impl Vault for BrowserVault {
    fn key<'a>(&'a self, connection: &'a ConnectionId) -> Future<'a, Result<Option<String>, Fault>> {
        Box::pin(async move {
            let missing = || Fault::new(FaultKind::KeyMissing, "");
            match self.store().load::<Kept>(connection.as_str()).await? {
                Some(Kept { clear: Some(key), .. }) => Ok(Some(key)),
                Some(Kept { sealed: Some(sealed), .. }) => {
                    let cipher = self.opened().await?.ok_or_else(missing)?;
                    open(&cipher, connection.as_str(), &sealed).await.map(Some).map_err(|_| missing())
                }
                Some(Kept { memory: true, .. }) => {
                    self.memory.borrow().get(connection).cloned().map(Some).ok_or_else(missing)
                }
                // Forgotten, perhaps by another tab.
                _ => {
                    self.memory.borrow_mut().remove(connection);
                    Ok(None)
                }
            }
        })
    }
}

pub(super) fn subtle() -> Result<SubtleCrypto, JsValue> {
    Ok(window().crypto()?.subtle())
}

pub(super) fn object(fields: &[(&str, JsValue)]) -> Object {
    let object = Object::new();
    for (name, value) in fields {
        let _ = Reflect::set(&object, &(*name).into(), value);
    }
    object
}

pub(super) fn bytes(data: &[u8]) -> Uint8Array {
    Uint8Array::from(data)
}

pub(super) async fn derive(passphrase: &str, salt: &[u8], rounds: u32) -> Result<CryptoKey, JsValue> {
    let subtle = subtle()?;
    let usages = Array::of1(&"deriveKey".into());
    // Two keyboards may write the same letters in different code points.
    let passphrase = String::from(JsString::from(passphrase).normalize("NFC"));
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

/// The browser's own way, in which each byte is a character: what is needed before there is a page has to be small.
pub(super) fn to_base64(bytes: &[u8]) -> String {
    let text: String = bytes.iter().map(|byte| char::from(*byte)).collect();
    window().btoa(&text).expect("each character is a byte")
}

pub(super) fn from_base64(text: &str) -> Result<Vec<u8>, JsValue> {
    Ok(window().atob(text)?.chars().map(|char| char as u8).collect())
}

fn cipher(nonce: &[u8], bound_to: &str) -> Object {
    object(&[
        ("name", "AES-GCM".into()),
        ("iv", bytes(nonce).into()),
        ("additionalData", bytes(bound_to.as_bytes()).into()),
    ])
}

/// The connection's id is authenticated with the text, so that a sealed key cannot be moved to another connection.
async fn seal(key: &CryptoKey, bound_to: &str, text: &str) -> Result<Sealed, JsValue> {
    let mut nonce = [0; 12];
    fill_random(&mut nonce);
    let sealed =
        subtle()?.encrypt_with_object_and_buffer_source(&cipher(&nonce, bound_to), key, &bytes(text.as_bytes()))?;
    let sealed = Uint8Array::new(&JsFuture::from(sealed).await?).to_vec();
    Ok(Sealed { nonce: to_base64(&nonce), text: to_base64(&sealed) })
}

async fn open(key: &CryptoKey, bound_to: &str, sealed: &Sealed) -> Result<String, JsValue> {
    let (nonce, text) = (from_base64(&sealed.nonce)?, from_base64(&sealed.text)?);
    let opened = subtle()?.decrypt_with_object_and_buffer_source(&cipher(&nonce, bound_to), key, &bytes(&text))?;
    let opened = Uint8Array::new(&JsFuture::from(opened).await?).to_vec();
    String::from_utf8(opened).map_err(|_| "not a text".into())
}
