//! Keys: where they are, and where they are not.

use std::rc::Rc;

use fabula::{
    ports::{Keeping, Store, Vault},
    store::{Query, Table},
    story::{fault::FaultKind, ids::ConnectionId},
    web::{
        idb::IdbStore,
        vault::{BrowserVault, VaultError, take_handed},
    },
};
use wasm_bindgen_test::wasm_bindgen_test;

use super::fresh;

const CANARY: &str = "sk-canary-0123456789";
const PASSPHRASE: &str = "灯下的一本书翻过第七页";
const ANOTHER: &str = "harbour copper lantern vivid";

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
    vault.unlock(PASSPHRASE).await.unwrap();
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
    next_visit.unlock(PASSPHRASE).await.unwrap();
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
    for weak in ["x", "password"] {
        assert!(matches!(vault.unlock(weak).await, Err(VaultError::WeakPassphrase(_))), "{weak} locks nothing");
    }
    assert_eq!(store.count(Query::all(Table::Vault)).await.unwrap(), 0);
    vault.unlock(PASSPHRASE).await.unwrap();
    vault.keep(&id(), CANARY, Keeping::Sealed).await.unwrap();
    vault.keep(&id(), CANARY, Keeping::Clear).await.unwrap();
    assert_eq!(store.count(Query::all(Table::Vault)).await.unwrap(), 1);
    assert!(vault.keep(&id(), CANARY, Keeping::Sealed).await.is_err(), "the passphrase is asked for anew");
    vault.unlock(ANOTHER).await.unwrap();
    vault.keep(&id(), CANARY, Keeping::Sealed).await.unwrap();
    assert_eq!(BrowserVault::new(store).unlock(PASSPHRASE).await, Err(VaultError::WrongPassphrase));
}

#[wasm_bindgen_test]
async fn what_one_tab_forgets_no_other_remembers() {
    let store = Rc::new(fresh("vault-tabs").await);
    let (here, there) = (BrowserVault::new(store.clone()), BrowserVault::new(store));
    let memory = ConnectionId::from("m");
    here.keep(&memory, CANARY, Keeping::Memory).await.unwrap();
    here.unlock(PASSPHRASE).await.unwrap();
    here.keep(&id(), CANARY, Keeping::Sealed).await.unwrap();
    assert_eq!(here.key(&id()).await.unwrap().as_deref(), Some(CANARY));

    there.forget_all().await.unwrap();
    assert_eq!(here.key(&memory).await.unwrap(), None);
    assert_eq!(here.key(&id()).await.unwrap(), None);
    there.unlock(ANOTHER).await.unwrap();
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

/// What the tab's name holds.
fn name() -> String {
    web_sys::window().unwrap().name().unwrap()
}

#[wasm_bindgen_test]
async fn keys_in_memory_are_handed_over_once() {
    let store = Rc::new(fresh("vault-hand-over").await);
    let page = BrowserVault::new(store.clone());
    page.hand_over().await.unwrap();
    assert_eq!((name().as_str(), store.count(Query::all(Table::Vault)).await.unwrap()), ("", 0), "there is none");

    page.keep(&id(), CANARY, Keeping::Memory).await.unwrap();
    let kept = stored(&store).await;
    page.hand_over().await.unwrap();
    assert!(!name().is_empty() && !name().contains("canary") && !stored(&store).await.contains("canary"));

    // The first act of the next page.
    let handed = take_handed().unwrap();
    assert_eq!(name(), "");
    let next = BrowserVault::new(store.clone());
    next.receive(handed).await;
    assert_eq!(next.key(&id()).await.unwrap().as_deref(), Some(CANARY));
    assert_eq!(stored(&store).await, kept, "nothing of it is left");
    assert!(take_handed().is_none(), "once");
    assert!(BrowserVault::new(store).key(&id()).await.is_err(), "and to one page alone");
}

#[wasm_bindgen_test]
async fn half_a_hand_over_is_none() {
    let store = Rc::new(fresh("vault-half").await);
    let page = BrowserVault::new(store.clone());
    page.keep(&id(), CANARY, Keeping::Memory).await.unwrap();

    // Another tab was told to forget all keys meanwhile.
    page.hand_over().await.unwrap();
    let handed = take_handed().unwrap();
    BrowserVault::new(store.clone()).forget_all().await.unwrap();
    let next = BrowserVault::new(store.clone());
    next.receive(handed).await;
    assert_eq!(next.key(&id()).await.unwrap(), None);

    // The name of one hand-over, the record of another.
    page.keep(&id(), CANARY, Keeping::Memory).await.unwrap();
    page.hand_over().await.unwrap();
    let first = name();
    page.hand_over().await.unwrap();
    let (second, _) = name().split_once(' ').map(|(id, sealed)| (id.to_owned(), sealed.to_owned())).unwrap();
    let mixed = format!("{second} {}", first.split_once(' ').unwrap().1);
    web_sys::window().unwrap().set_name(&mixed).unwrap();
    let next = BrowserVault::new(store);
    next.receive(take_handed().unwrap()).await;
    assert_eq!(next.key(&id()).await.unwrap_err().kind, FaultKind::KeyMissing);

    for nonsense in ["fabula-hand-over:", "fabula-hand-over:1 {}", "fabula-hand-over:1 nonsense"] {
        web_sys::window().unwrap().set_name(nonsense).unwrap();
        assert!(take_handed().is_none() && name().is_empty(), "{nonsense}");
    }
    web_sys::window().unwrap().set_name("somebody's").unwrap();
    assert!(take_handed().is_none());
    assert_eq!(name(), "somebody's");
    web_sys::window().unwrap().set_name("").unwrap();
}
