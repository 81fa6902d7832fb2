//! A line between the first and the last, and the last.

use std::rc::Rc;

use base64::{Engine, engine::general_purpose::STANDARD};
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::damage::Flaw;
use crate::store::{Part, version};
use crate::{
    exchange::{json, refusal::Refusal},
    store::Doc,
};

/// No further fields: what this version would drop unseen needs a new version of the format.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    t: Part,
    r: Value,
    b: Option<String>,
}

/// With its newline. JSON escapes every newline inside.
pub(super) fn write(part: Part, doc: &Doc) -> String {
    let mut line = format!("{{\"t\":\"{}\",\"r\":{}", part.name(), version::stamped(part.table(), &doc.value));
    if let Some(bytes) = &doc.bytes {
        line.push_str(",\"b\":\"");
        STANDARD.encode_string(bytes, &mut line);
        line.push('"');
    }
    line.push_str("}\n");
    line
}

/// Without its newline; `number` is for the words of a refusal.
pub(super) fn read(bytes: &[u8], number: u64) -> Result<(Part, Doc), Refusal> {
    let damaged = |flaw: Flaw| Refusal::from(flaw.in_line(number));
    let text = std::str::from_utf8(bytes).map_err(|_| damaged(Flaw::NotText))?;
    let line: Line = json::decode(text).map_err(|refusal| match refusal {
        Refusal::TooDeep => Refusal::TooDeep,
        other => damaged(Flaw::NotALine(other.to_string())),
    })?;
    let bytes = match line.b {
        Some(encoded) => Some(Rc::from(STANDARD.decode(encoded).map_err(|_| damaged(Flaw::NotBase64))?)),
        None => None,
    };
    let doc = version::current(line.t.table(), Doc { value: line.r, bytes });
    Ok((line.t, doc.map_err(|newer| damaged(Flaw::NotALine(newer.to_string())))?))
}

/// How the last line begins; no other line does.
pub(super) const END: &[u8] = b"{\"end\":";

/// The last line without its newline: there is one way to write it, so a reader just compares.
pub(super) fn end(records: u64, sha: Sha256) -> String {
    format!("{{\"end\":{{\"records\":{records},\"sha256\":\"{:x}\"}}}}", sha.finalize())
}
