//! Where the reader keeps their files, as they say it.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{
    provider::address,
    store::record,
    story::{Extra, Millis},
};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    #[default]
    Webdav,
    S3,
}

impl Kind {
    pub const ALL: [Self; 2] = [Self::Webdav, Self::S3];

    pub fn name(self) -> &'static str {
        match self {
            Self::Webdav => "webdav",
            Self::S3 => "s3",
        }
    }

    pub fn from_name(name: &str) -> Self {
        Self::ALL.into_iter().find(|kind| kind.name() == name).unwrap_or_default()
    }
}

/// The place, without what opens it: that lies in the vault. One record, named `sync`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Site {
    pub id: String,
    pub kind: Kind,
    /// `https://…`; of S3 without the bucket.
    pub address: String,
    pub bucket: String,
    /// Empty: `auto`.
    pub region: String,
    /// Below the address or in the bucket; empty: `fabula`.
    pub folder: String,
    /// User name, or the id of the access key.
    pub user: String,
    /// Pictures come when they are seen; else all come.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub only_seen: bool,
    /// The vectors of the memory travel, too.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub vectors: bool,
    /// When all was last heard and told.
    pub done: Millis,
    #[serde(flatten)]
    pub extra: Extra,
}
record!(Site, Settings);

/// What is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lacks {
    Address,
    /// Over an open line anybody on the way could read who asks, and change what comes.
    Https,
    Bucket,
    User,
    Secret,
}

impl Site {
    pub const ID: &str = "sync";

    /// # Errors
    /// What it lacks to be tried.
    pub fn check(&self, secret: &str) -> Result<(), Lacks> {
        let address = self.address.trim();
        if address::origin(address).is_none() {
            return Err(Lacks::Address);
        }
        if !address.starts_with("https://") && !address::is_local(address) {
            return Err(Lacks::Https);
        }
        if self.kind == Kind::S3 && self.bucket.trim().is_empty() {
            return Err(Lacks::Bucket);
        }
        if self.user.trim().is_empty() {
            return Err(Lacks::User);
        }
        if secret.trim().is_empty() { Err(Lacks::Secret) } else { Ok(()) }
    }

    /// Whether both are the same files.
    pub fn is_same_place(&self, other: &Self) -> bool {
        let place = |site: &Self| {
            let Self { kind, address, bucket, folder, .. } = site;
            (*kind, address.trim_end_matches('/').to_owned(), bucket.clone(), folder.trim_matches('/').to_owned())
        };
        place(self) == place(other)
    }

    /// As the worker takes it.
    pub fn place(&self, secret: &str) -> Value {
        let or = |text: &str, default: &str| match text.trim() {
            "" => default.to_owned(),
            text => text.to_owned(),
        };
        let endpoint = self.address.trim().trim_end_matches('/');
        let folder = format!("/{}/", or(self.folder.trim_matches('/'), "fabula"));
        let (user, secret) = (self.user.trim(), secret.trim());
        match self.kind {
            Kind::Webdav => {
                json!({ "webdav": { "endpoint": endpoint, "folder": folder, "user": user, "password": secret } })
            }
            Kind::S3 => json!({ "s3": { "endpoint": endpoint, "folder": folder, "bucket": self.bucket.trim(),
                "region": or(&self.region, "auto"), "key": user, "secret": secret } }),
        }
    }

    /// What a server of this kind must be told, so that it lets the page in that lies at `origin`.
    pub fn cors(&self, origin: &str) -> String {
        match self.kind {
            Kind::S3 => {
                let rule = json!([{
                    "AllowedOrigins": [origin],
                    "AllowedMethods": ["GET", "HEAD", "PUT", "DELETE"],
                    "AllowedHeaders": ["authorization", "content-type", "x-amz-content-sha256", "x-amz-date"],
                    "ExposeHeaders": ["ETag"],
                    "MaxAgeSeconds": 3600,
                }]);
                serde_json::to_string_pretty(&rule).unwrap_or_default()
            }
            Kind::Webdav => format!(
                "Header always set Access-Control-Allow-Origin \"{origin}\"\n\
                 Header always set Access-Control-Allow-Methods \"GET, HEAD, PUT, DELETE, OPTIONS, PROPFIND, MKCOL\"\n\
                 Header always set Access-Control-Allow-Headers \"Authorization, Content-Type, Depth\"\n\
                 Header always set Access-Control-Max-Age \"3600\"\n\
                 RewriteEngine On\n\
                 RewriteCond %{{REQUEST_METHOD}} =OPTIONS\n\
                 RewriteRule ^ - [R=204,L]"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_place_lacks() {
        let site = |kind, address: &str, bucket: &str, user: &str| Site {
            kind,
            address: address.into(),
            bucket: bucket.into(),
            user: user.into(),
            ..Site::default()
        };
        for (site, secret, lacks) in [
            (site(Kind::Webdav, "", "", "u"), "s", Some(Lacks::Address)),
            (site(Kind::Webdav, "cloud.example", "", "u"), "s", Some(Lacks::Address)),
            (site(Kind::Webdav, "http://cloud.example/dav", "", "u"), "s", Some(Lacks::Https)),
            (site(Kind::Webdav, "http://localhost:8080/dav", "", "u"), "s", None),
            (site(Kind::Webdav, "https://cloud.example/dav", "", " "), "s", Some(Lacks::User)),
            (site(Kind::Webdav, "https://cloud.example/dav", "", "u"), " ", Some(Lacks::Secret)),
            (site(Kind::S3, "https://s3.example", "", "u"), "s", Some(Lacks::Bucket)),
            (site(Kind::S3, " https://s3.example/ ", "b", "u"), "s", None),
        ] {
            assert_eq!(site.check(secret).err(), lacks, "{site:?}");
        }
    }

    #[test]
    fn a_place_as_the_worker_takes_it() {
        let mut site = Site { address: " https://cloud.example/dav/ ".into(), user: "u ".into(), ..Site::default() };
        let webdav =
            json!({ "endpoint": "https://cloud.example/dav", "folder": "/fabula/", "user": "u", "password": "s" });
        assert_eq!(site.place(" s"), json!({ "webdav": webdav }));
        (site.kind, site.bucket, site.folder) = (Kind::S3, "b".into(), "/my/stories/".into());
        let s3 = json!({ "endpoint": "https://cloud.example/dav", "folder": "/my/stories/", "bucket": "b", "region": "auto",
            "key": "u", "secret": "s" });
        assert_eq!(site.place("s"), json!({ "s3": s3 }));
        assert!(site.cors("https://a.example").contains("\"https://a.example\""));
    }
}
