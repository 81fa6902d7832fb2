//! What the page asks, and what it is told. `web::remote` is the other side.

use serde::{Deserialize, Serialize};

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Op {
    /// From now on it is about this place.
    Open(Place),
    List(String),
    Read(String),
    /// The bytes come with it.
    Write(String),
    Delete(String),
}

/// Where the files are, and who asks.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    S3 { endpoint: String, bucket: String, region: String, folder: String, key: String, secret: String },
    Webdav { endpoint: String, folder: String, user: String, password: String },
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    Done,
    Files(Vec<Listed>),
    /// The bytes come with it.
    Bytes,
    /// There is no such file.
    Nothing,
    Fault(Fault),
}

/// A file: its name without the folder, and its bytes (0: the server does not say).
#[derive(Serialize)]
pub struct Listed {
    pub name: String,
    pub size: u64,
}

/// Why not: the status of the server's last answer (0: there was none that the page may see), and its words.
#[derive(Serialize)]
pub struct Fault {
    pub status: u16,
    pub words: String,
}
