//! Keys: where they are, and where they are not.

use std::rc::Rc;

use fabula::{
    ports::{Keeping, Query, Store, Table, Vault},
    story::{fault::FaultKind, ids::ConnectionId},
    web::{
        idb::IdbStore,
        vault::{BrowserVault, VaultError},
    },
};
use wasm_bindgen_test::wasm_bindgen_test;

use super::fresh;

const CANARY: &str = "sk-canary-0123456789";

async fn stored(store: &IdbStore) -> String {
    format!("{:?}", store.query(Query::all(Table::Vault)).await.unwrap())
}

fn id() -> ConnectionId {
    "c".into()
}

#[wasm_bindgen_test]
async fn a_key_in_memory_is_not_on_the_disk() {
    let store = Rc::new(fresh("vault-memory").await);
    let vault = BrowserVault::new(store.clone());
    vault.keep(&id(), CANARY, Keeping::Memory).await.unwrap();
    assert_eq!(vault.key(&id()).await.unwrap().as_deref(), Some(CANARY));
    assert!(!stored(&store).await.contains("canary"));
    let next_visit = BrowserVault::new(store);
    assert_eq!(next_visit.key(&id()).await.unwrap_err().kind, FaultKind::KeyMissing, "there was one");
    assert_eq!(next_visit.key(&"other".into()).await.unwrap(), None, "there was none");
}

#[wasm_bindgen_test]
async fn a_sealed_key_takes_the_passphrase() {
    let store = Rc::new(fresh("vault-sealed").await);
    let vault = BrowserVault::new(store.clone());
    assert!(vault.keep(&id(), CANARY, Keeping::Sealed).await.is_err(), "no lock yet");
    vault.unlock("灯下的一本书").await.unwrap();
    vault.keep(&id(), CANARY, Keeping::Sealed).await.unwrap();
    assert!(!stored(&store).await.contains("canary"));

    let next_visit = BrowserVault::new(store.clone());
    assert!(next_visit.is_locked().await.unwrap());
    assert_eq!(next_visit.key(&id()).await.unwrap_err().kind, FaultKind::KeyMissing);
    assert_eq!(next_visit.unlock("wrong").await, Err(VaultError::WrongPassphrase));
    assert_eq!(
        next_visit.key(&id()).await.unwrap_err().kind,
        FaultKind::KeyMissing,
        "a wrong passphrase opens nothing"
    );
    next_visit.unlock("灯下的一本书").await.unwrap();
    assert_eq!(next_visit.key(&id()).await.unwrap().as_deref(), Some(CANARY));

    next_visit.forget_all().await.unwrap();
    assert_eq!(store.count(Query::all(Table::Vault)).await.unwrap(), 0);
    assert!(!next_visit.is_locked().await.unwrap());
}

#[wasm_bindgen_test]
async fn a_key_in_the_clear_survives_the_visit() {
    let store = Rc::new(fresh("vault-clear").await);
    BrowserVault::new(store.clone()).keep(&id(), CANARY, Keeping::Clear).await.unwrap();
    let next_visit = BrowserVault::new(store);
    assert_eq!(next_visit.key(&id()).await.unwrap().as_deref(), Some(CANARY));
    next_visit.forget(&id()).await.unwrap();
    assert_eq!(next_visit.key(&id()).await.unwrap(), None);
}

#[wasm_bindgen_test]
async fn the_lock_goes_with_the_last_sealed_key() {
    let store = Rc::new(fresh("vault-lock").await);
    let vault = BrowserVault::new(store.clone());
    assert_eq!(vault.unlock("").await, Err(VaultError::WrongPassphrase), "an empty passphrase locks nothing");
    vault.unlock("one").await.unwrap();
    vault.keep(&id(), CANARY, Keeping::Sealed).await.unwrap();
    vault.keep(&id(), CANARY, Keeping::Clear).await.unwrap();
    assert_eq!(store.count(Query::all(Table::Vault)).await.unwrap(), 1);
    assert!(vault.keep(&id(), CANARY, Keeping::Sealed).await.is_err(), "the passphrase is asked for anew");
    vault.unlock("two").await.unwrap();
    vault.keep(&id(), CANARY, Keeping::Sealed).await.unwrap();
    assert_eq!(BrowserVault::new(store).unlock("one").await, Err(VaultError::WrongPassphrase));
}

#[wasm_bindgen_test]
async fn what_one_tab_forgets_no_other_remembers() {
    let store = Rc::new(fresh("vault-tabs").await);
    let (here, there) = (BrowserVault::new(store.clone()), BrowserVault::new(store));
    let memory = ConnectionId::from("m");
    here.keep(&memory, CANARY, Keeping::Memory).await.unwrap();
    here.unlock("one").await.unwrap();
    here.keep(&id(), CANARY, Keeping::Sealed).await.unwrap();
    assert_eq!(here.key(&id()).await.unwrap().as_deref(), Some(CANARY));

    there.forget_all().await.unwrap();
    assert_eq!(here.key(&memory).await.unwrap(), None);
    assert_eq!(here.key(&id()).await.unwrap(), None);
    there.unlock("two").await.unwrap();
    there.keep(&id(), CANARY, Keeping::Sealed).await.unwrap();
    assert!(here.is_locked().await.unwrap(), "the lock is another one now");
    assert!(here.keep(&memory, CANARY, Keeping::Sealed).await.is_err(), "nothing is sealed by the old one");
}

#[wasm_bindgen_test]
async fn keys_of_connections_that_are_gone_go_too() {
    let store = Rc::new(fresh("vault-others").await);
    let vault = BrowserVault::new(store);
    let other = ConnectionId::from("other");
    vault.keep(&id(), CANARY, Keeping::Clear).await.unwrap();
    vault.keep(&other, CANARY, Keeping::Clear).await.unwrap();
    vault.forget_others(&[id()]).await.unwrap();
    assert_eq!(vault.key(&id()).await.unwrap().as_deref(), Some(CANARY));
    assert_eq!(vault.keeping(&other).await.unwrap(), None);
}
