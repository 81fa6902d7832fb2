//! The place, as OpenDAL knows it.

use opendal_core::{
    Buffer, Entry, EntryMode, Error, ErrorKind, Executor, HttpTransporter, OperationContext, Operator, Result,
};
use opendal_service_s3::S3;
use opendal_service_webdav::Webdav;

use crate::{
    fetch::{self, Fetch},
    message::{Listed, Place},
};

/// What reads and writes there.
///
/// # Errors
/// The place cannot be one.
pub fn open(place: &Place) -> Result<Operator> {
    // Nothing is asked for in chunks or beside each other, so it does without an executor.
    let context = OperationContext::from_parts(HttpTransporter::new(Fetch), Executor::with(()));
    let operator = match place {
        Place::S3 { endpoint, bucket, region, folder, key, secret } => {
            // Without a key OpenDAL looks for one in the environment, which the browser does not have.
            if key.is_empty() || secret.is_empty() {
                return Err(Error::new(ErrorKind::ConfigInvalid, "no key"));
            }
            let s3 = S3::default().endpoint(endpoint).bucket(bucket).region(region).root(folder);
            let s3 = s3.access_key_id(key).secret_access_key(secret).disable_config_load().disable_ec2_metadata();
            Operator::new(s3)?
        }
        Place::Webdav { endpoint, folder, user, password } => {
            let webdav = Webdav::default().endpoint(endpoint).root(folder).username(user).password(password);
            // A folder is made when it turns out to be missing, not looked for before each write.
            Operator::new(webdav.disable_create_dir(true))?
        }
    };
    Ok(operator.with_context(context))
}

/// The files right in a folder; one that is not there has none.
///
/// # Errors
/// The server's.
pub async fn list(operator: &Operator, folder: &str) -> Result<Vec<Listed>> {
    let entries = operator.list(folder).await?;
    let files = entries.into_iter().filter(|entry| entry.metadata().mode() == EntryMode::FILE);
    let listed = |entry: Entry| Listed { name: entry.name().to_owned(), size: entry.metadata().content_length() };
    Ok(files.map(listed).collect())
}

/// Writes a file; the folder, too, where there is none yet.
///
/// # Errors
/// The server's.
pub async fn write(operator: &Operator, name: &str, bytes: Vec<u8>) -> Result<()> {
    let bytes = Buffer::from(bytes);
    let Err(error) = operator.write(name, bytes.clone()).await else { return Ok(()) };
    let is_missing = fetch::last_status().is_some_and(|status| [403, 404, 409].contains(&status));
    match name.rsplit_once('/').filter(|_| is_missing && operator.info().scheme() == "webdav") {
        Some((folder, _)) => {
            operator.create_dir(&format!("{folder}/")).await?;
            operator.write(name, bytes).await.map(drop)
        }
        None => Err(error),
    }
}
