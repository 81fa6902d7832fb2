//! Seals what leaves this device, with the browser's own cipher.

use js_sys::{Array, Object, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, CryptoKey};

use super::{
    call, fill_random, made,
    vault::{ROUNDS, bytes, derive, from_base64, object, subtle, to_base64},
};
use crate::{
    ports::Future,
    sync::{
        Remote, Seal, Trouble,
        sealing::{FORMAT, LIBRARY, Library, id_of, key_for, padded, unpadded},
    },
};

/// Bytes of a nonce.
const NONCE: usize = 12;

/// The key of a library, for its files and for their names.
pub struct LibrarySeal {
    id: String,
    files: CryptoKey,
    names: CryptoKey,
}

impl LibrarySeal {
    /// # Errors
    /// The browser's cryptography is not there.
    pub async fn of(key: &[u8]) -> Result<Self, Trouble> {
        let files = import(&key_for("files", key), &"AES-GCM".into(), &["encrypt", "decrypt"]).await?;
        let hmac = object(&[("name", "HMAC".into()), ("hash", "SHA-256".into())]);
        let names = import(&key_for("names", key), &hmac.into(), &["sign"]).await?;
        Ok(Self { id: id_of(key), files, names })
    }
}

async fn import(key: &[u8; 32], how: &JsValue, usages: &[&str]) -> Result<CryptoKey, Trouble> {
    let usages: Array = usages.iter().map(|usage| JsValue::from(*usage)).collect();
    let subtle = subtle().map_err(broken)?;
    let given = ["raw".into(), bytes(key).into(), how.clone(), false.into(), usages.into()];
    let imported = call(&subtle, "importKey", &given).map_err(broken)?;
    Ok(JsFuture::from(imported.unchecked_into::<js_sys::Promise>()).await.map_err(broken)?.unchecked_into())
}

/// The key of the library there (base64): of the one that the passphrase opens, or of a new one; and whether it is new.
///
/// # Errors
/// `Passphrase`: there is one, and it is another's.
pub async fn open_library(remote: &dyn Remote, passphrase: &str) -> Result<(String, bool), Trouble> {
    if let Some(found) = remote.read(LIBRARY).await? {
        return Ok((opened(&Library::read(&found)?, passphrase).await?, false));
    }
    let mut key = [0; 32];
    fill_random(&mut key);
    remote.write(LIBRARY, under(passphrase, &key).await?.written()).await?;
    // Of two devices that begin at once the later one has written over the other: what is there counts.
    let found = remote.read(LIBRARY).await?.ok_or_else(|| Trouble::Damaged(LIBRARY.to_owned()))?;
    Ok((opened(&Library::read(&found)?, passphrase).await?, true))
}

/// Locks the library under another passphrase.
///
/// # Errors
/// The storage's; `Passphrase`: the library there is another. Then, and where what was written did not arrive whole and
/// the storage still answers, the old one holds.
pub async fn lock_anew(remote: &dyn Remote, passphrase: &str, key: &str) -> Result<(), Trouble> {
    let key = from_base64(key).map_err(broken)?;
    let before = remote.read(LIBRARY).await?.ok_or_else(|| Trouble::NoSuchPlace(LIBRARY.to_owned()))?;
    if Library::read(&before)?.id != id_of(&key) {
        return Err(Trouble::Passphrase);
    }
    let now = under(passphrase, &key).await?.written();
    let written = async {
        remote.write(LIBRARY, now.clone()).await?;
        match remote.read(LIBRARY).await? {
            Some(found) if found == now => Ok(()),
            _ => Err(Trouble::Damaged(LIBRARY.to_owned())),
        }
    };
    let written = written.await;
    if written.is_err() {
        let _ = remote.write(LIBRARY, before).await;
    }
    written
}

async fn under(passphrase: &str, key: &[u8]) -> Result<Library, Trouble> {
    let mut salt = [0; 16];
    fill_random(&mut salt);
    let lock = derive(passphrase, &salt, ROUNDS).await.map_err(broken)?;
    let sealed = encrypt(&lock, LIBRARY, key).await?;
    Ok(Library { format: FORMAT, id: id_of(key), rounds: ROUNDS, salt: to_base64(&salt), key: to_base64(&sealed) })
}

async fn opened(library: &Library, passphrase: &str) -> Result<String, Trouble> {
    let damaged = |_| Trouble::Damaged(LIBRARY.to_owned());
    let (salt, sealed) = (from_base64(&library.salt).map_err(damaged)?, from_base64(&library.key).map_err(damaged)?);
    let lock = derive(passphrase, &salt, library.rounds).await.map_err(broken)?;
    let key = decrypt(&lock, LIBRARY, &sealed).await.map_err(|_| Trouble::Passphrase)?;
    Ok(to_base64(&key))
}

impl LibrarySeal {
    /// # Errors
    /// It is no key, or the browser's cryptography is not there.
    pub async fn of_text(key: &str) -> Result<Self, Trouble> {
        Self::of(&from_base64(key).map_err(broken)?).await
    }
}

impl Seal for LibrarySeal {
    fn library(&self) -> &str {
        &self.id
    }

    fn seal<'a>(&'a self, name: &'a str, bytes: &'a [u8]) -> Future<'a, Result<Vec<u8>, Trouble>> {
        Box::pin(async move {
            let packed = through("CompressionStream", bytes).await.map_err(broken)?;
            encrypt(&self.files, name, &padded(&packed)).await
        })
    }

    fn open<'a>(&'a self, name: &'a str, bytes: &'a [u8]) -> Future<'a, Result<Vec<u8>, Trouble>> {
        Box::pin(async move {
            let damaged = || Trouble::Damaged(name.to_owned());
            let opened = decrypt(&self.files, name, bytes).await.map_err(|_| damaged())?;
            let packed = unpadded(&opened).ok_or_else(damaged)?;
            through("DecompressionStream", packed).await.map_err(|_| damaged())
        })
    }

    fn name<'a>(&'a self, of: &'a str) -> Future<'a, Result<String, Trouble>> {
        Box::pin(async move {
            let given = ["HMAC".into(), self.names.clone().into(), bytes(of.as_bytes()).into()];
            let subtle = subtle().map_err(broken)?;
            let signed = call(&subtle, "sign", &given).map_err(broken)?;
            let signed = JsFuture::from(signed.unchecked_into::<js_sys::Promise>()).await.map_err(broken)?;
            Ok(Uint8Array::new(&signed).to_vec().iter().take(16).map(|byte| format!("{byte:02x}")).collect())
        })
    }
}

fn cipher(nonce: &[u8], name: &str) -> Object {
    object(&[
        ("name", "AES-GCM".into()),
        ("iv", bytes(nonce).into()),
        ("additionalData", bytes(name.as_bytes()).into()),
    ])
}

/// The nonce, and behind it what was sealed.
async fn encrypt(key: &CryptoKey, name: &str, plain: &[u8]) -> Result<Vec<u8>, Trouble> {
    let mut sealed = vec![0; NONCE];
    fill_random(&mut sealed);
    let how = cipher(&sealed, name);
    let promise = subtle()
        .and_then(|subtle| subtle.encrypt_with_object_and_buffer_source(&how, key, &bytes(plain)))
        .map_err(broken)?;
    let text = JsFuture::from(promise).await.map_err(broken)?;
    sealed.extend(Uint8Array::new(&text).to_vec());
    Ok(sealed)
}

async fn decrypt(key: &CryptoKey, name: &str, sealed: &[u8]) -> Result<Vec<u8>, JsValue> {
    let Some((nonce, text)) = sealed.split_at_checked(NONCE) else { return Err(JsValue::NULL) };
    let opened = subtle()?.decrypt_with_object_and_buffer_source(&cipher(nonce, name), key, &bytes(text))?;
    Ok(Uint8Array::new(&JsFuture::from(opened).await?).to_vec())
}

/// The bytes, gone through one of the browser's streams for gzip.
async fn through(stream: &str, given: &[u8]) -> Result<Vec<u8>, JsValue> {
    let blob = Blob::new_with_u8_array_sequence(&Array::of1(&bytes(given)))?;
    let stream = made(stream, [&"gzip".into()])?;
    let out = call(&call(&blob, "stream", [])?, "pipeThrough", [&stream])?;
    let buffer = call(&made("Response", [&out])?, "arrayBuffer", [])?;
    Ok(Uint8Array::new(&JsFuture::from(buffer.unchecked_into::<js_sys::Promise>()).await?).to_vec())
}

fn broken(error: JsValue) -> Trouble {
    Trouble::Server(super::text_of(&error, "message"))
}
