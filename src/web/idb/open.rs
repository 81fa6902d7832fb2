//! Opens the database, upgrading it where it is older, refusing where it is newer.

use std::{cell::RefCell, rc::Rc};

use futures_channel::oneshot;
use idb::{DatabaseEvent, Event, Factory, Request, Transaction};
use rexie::Rexie;
use wasm_bindgen::prelude::*;
use web_sys::{IdbDatabase, IdbTransaction};

use super::{
    IdbStore, convert,
    migrate::{Step, Upgrade},
};
use crate::store::StoreError;

/// Why the database could not be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpenError {
    /// It was written by a newer version of the program.
    Newer,
    /// There is no IndexedDB here, or the browser refused.
    Failed(StoreError),
}

impl From<idb::Error> for OpenError {
    fn from(error: idb::Error) -> Self {
        Self::Failed(store_error(error))
    }
}

impl From<rexie::Error> for OpenError {
    fn from(error: rexie::Error) -> Self {
        Self::Failed(StoreError::new("UnknownError", error.to_string()))
    }
}

pub fn store_error(error: idb::Error) -> StoreError {
    match error {
        idb::Error::DomException(exception) => convert::error(exception.into()),
        other => StoreError::new("UnknownError", other.to_string()),
    }
}

/// Closes a connection.
pub type Close = Box<dyn FnOnce()>;

/// Opens the database `name` and brings it to the version after the last of `steps`.
///
/// `blocked` is called when another tab holds an older version open; the opening goes on once that tab lets go.
/// `outdated` is called when a newer version of the program wants to upgrade, which waits until this connection is closed;
/// it says when. After that the page must be reloaded.
pub async fn open(
    name: &str,
    steps: &'static [Step],
    blocked: impl Fn() + 'static,
    outdated: impl Fn(Close) + 'static,
) -> Result<IdbStore, OpenError> {
    let version = steps.len() as u32;
    let mut request = Factory::new()?.open(name, Some(version))?;
    request.on_blocked(move |_| blocked());
    let failed: Rc<RefCell<Option<StoreError>>> = Rc::default();
    let failure = failed.clone();
    request.on_upgrade_needed(move |event| {
        let outcome = (|| -> Result<(), idb::Error> {
            let from = event.old_version()?;
            let database = event.database()?;
            let transaction = upgrade_transaction(&event)?;
            let raw = IdbTransaction::from(upgrade_transaction(&event)?);
            let failure = failure.clone();
            let fail: Rc<dyn Fn(StoreError)> = Rc::new(move |error| {
                failure.borrow_mut().get_or_insert(error);
                // Nothing of a failed upgrade remains.
                let _ = raw.abort();
            });
            let upgrade = Upgrade { database: &database, transaction: &transaction, fail: fail.clone() };
            if let Err(error) = steps.iter().skip(from as usize).try_for_each(|step| step(&upgrade)) {
                fail(store_error(error));
            }
            Ok(())
        })();
        if let Err(error) = outcome {
            failure.borrow_mut().get_or_insert(store_error(error));
        }
    });

    let (sender, receiver) = oneshot::channel();
    let sender = Rc::new(RefCell::new(Some(sender)));
    let succeeded = sender.clone();
    request.on_success(move |event| {
        if let Some(sender) = succeeded.borrow_mut().take() {
            let _ = sender.send(event.database().map_err(OpenError::from));
        }
    });
    request.on_error(move |event| {
        let name = event.target().ok().and_then(|target| target.error().ok().flatten());
        let error = match name {
            Some(exception) if exception.name() == "VersionError" => OpenError::Newer,
            Some(exception) => OpenError::Failed(convert::error(exception.into())),
            None => OpenError::Failed(StoreError::new("UnknownError", "")),
        };
        if let Some(sender) = sender.borrow_mut().take() {
            let _ = sender.send(Err(error));
        }
    });
    let opened = receiver.await.unwrap_or_else(|_| Err(OpenError::Failed(StoreError::new("UnknownError", ""))));
    if let Some(error) = failed.borrow_mut().take() {
        return Err(OpenError::Failed(error));
    }
    let raw: IdbDatabase = opened?.into();

    // No version and no stores are named: rexie deletes the stores that it does not know on a version rise.
    let reader = Rc::new(RefCell::new(Some(Rexie::builder(name).build().await?)));
    let (closing, writer) = (reader.clone(), raw.clone());
    let on_version_change = Closure::<dyn FnMut(JsValue)>::new(move |_| {
        let (closing, writer) = (closing.clone(), writer.clone());
        outdated(Box::new(move || {
            writer.close();
            if let Some(reader) = closing.borrow_mut().take() {
                reader.close();
            }
        }));
    });
    raw.set_onversionchange(Some(on_version_change.as_ref().unchecked_ref()));
    // It lives as long as the page.
    on_version_change.forget();
    Ok(IdbStore::new(raw, reader))
}

fn upgrade_transaction(event: &idb::event::VersionChangeEvent) -> Result<Transaction, idb::Error> {
    event.target()?.transaction().ok_or(idb::Error::EventTargetNotFound)
}

/// Deletes a database, once all tabs have let go of it.
pub async fn delete(name: &str) -> Result<(), OpenError> {
    Ok(Rexie::delete(name).await?)
}
