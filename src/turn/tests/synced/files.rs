//! A storage in memory, not sealed, and stories that may always be written.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
};

use crate::{
    ports::Future,
    sync::{Listed, MayWrite, Remote, Seal, Trouble},
};

/// A storage in memory that breaks off when told to.
#[derive(Default)]
pub struct Files {
    pub files: RefCell<BTreeMap<String, Vec<u8>>>,
    /// Operations until it fails, once.
    pub fails: Cell<Option<u32>>,
    /// A write that fails has written.
    pub wrote: Cell<bool>,
    /// What lists say, where they come late.
    pub listed: RefCell<Option<BTreeMap<String, Vec<u8>>>>,
    pub deleted: RefCell<BTreeMap<String, Vec<u8>>>,
}

impl Files {
    fn operation(&self) -> Result<(), Trouble> {
        match self.fails.get() {
            Some(0) => {
                self.fails.set(None);
                Err(Trouble::Busy("ordered by a test".into()))
            }
            Some(left) => {
                self.fails.set(Some(left - 1));
                Ok(())
            }
            None => Ok(()),
        }
    }
}

impl Remote for Files {
    fn list<'a>(&'a self, folder: &'a str) -> Future<'a, Result<Vec<Listed>, Trouble>> {
        Box::pin(async move {
            self.operation()?;
            let late = self.listed.borrow();
            let files = self.files.borrow();
            let files = late.as_ref().unwrap_or(&files);
            let listed = |(name, bytes): (&String, &Vec<u8>)| {
                Some(Listed { name: name.strip_prefix(folder)?.to_owned(), size: bytes.len() as u64 })
            };
            Ok(files.iter().filter_map(listed).collect())
        })
    }

    fn read<'a>(&'a self, name: &'a str) -> Future<'a, Result<Option<Vec<u8>>, Trouble>> {
        Box::pin(async move {
            self.operation()?;
            Ok(self.files.borrow().get(name).cloned())
        })
    }

    fn write<'a>(&'a self, name: &'a str, bytes: Vec<u8>) -> Future<'a, Result<(), Trouble>> {
        Box::pin(async move {
            let done = self.operation();
            if done.is_ok() || self.wrote.get() {
                self.files.borrow_mut().insert(name.to_owned(), bytes);
            }
            done
        })
    }

    fn delete<'a>(&'a self, name: &'a str) -> Future<'a, Result<(), Trouble>> {
        Box::pin(async move {
            self.operation()?;
            let gone = self.files.borrow_mut().remove(name);
            self.deleted.borrow_mut().extend(gone.map(|bytes| (name.to_owned(), bytes)));
            Ok(())
        })
    }
}

/// What a reader of the storage sees is not looked at here.
pub struct Open;

impl Seal for Open {
    fn library(&self) -> &str {
        "open"
    }

    fn seal<'a>(&'a self, _: &'a str, bytes: &'a [u8]) -> Future<'a, Result<Vec<u8>, Trouble>> {
        Box::pin(async move { Ok(bytes.to_vec()) })
    }

    fn open<'a>(&'a self, _: &'a str, bytes: &'a [u8]) -> Future<'a, Result<Vec<u8>, Trouble>> {
        Box::pin(async move { Ok(bytes.to_vec()) })
    }

    fn name<'a>(&'a self, of: &'a str) -> Future<'a, Result<String, Trouble>> {
        Box::pin(async move { Ok(of.to_owned()) })
    }
}

pub struct Always;

impl MayWrite for Always {
    fn asked<'a>(&'a mut self, _: &'a str) -> Future<'a, bool> {
        Box::pin(async { true })
    }

    fn done(&mut self) {}
}
