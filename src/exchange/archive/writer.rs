//! Writes an archive, a line at a time, so that a library of any size streams through.

use sha2::{Digest, Sha256};

use super::{
    damage::{Damage, Flaw},
    header::Header,
    line,
    links::Links,
    record,
};
use crate::store::Part;
use crate::{
    exchange::{
        json,
        limits::{Limits, RECORD_DEPTH},
        refusal::Warning,
    },
    store::Doc,
};

pub struct Writer {
    sha: Sha256,
    records: u64,
    links: Links,
    left_out: Vec<LeftOut>,
}

/// A stored record that is damaged, hangs on nothing, or is too large for a line. Worth showing beside the export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    pub part: Part,
    pub id: String,
    pub why: Damage,
}

impl Writer {
    /// The writer, and the first line.
    pub fn new(header: &Header) -> (Self, String) {
        let line = serde_json::to_string(header).expect("a header has text keys") + "\n";
        (Self { sha: Sha256::new_with_prefix(&line), records: 0, links: Links::default(), left_out: Vec::new() }, line)
    }

    /// The line of a record; parts in the order of [`Part::ALL`]. `None` where the record is left out.
    pub fn line(&mut self, part: Part, doc: &Doc) -> Option<String> {
        match self.admit(part, doc) {
            Ok(line) => {
                self.sha.update(&line);
                self.records += 1;
                Some(line)
            }
            Err(why) => {
                let id = doc.value["id"].as_str().unwrap_or_default().to_owned();
                self.left_out.push(LeftOut { part, id, why });
                None
            }
        }
    }

    /// Asks of a record what a reader will ask.
    fn admit(&mut self, part: Part, doc: &Doc) -> Result<String, Damage> {
        let (id, typed) = record::check(part, doc)?;
        if json::depth(&doc.value) > RECORD_DEPTH {
            return Err(Flaw::TooDeep.of(part, id));
        }
        let line = line::write(part, doc);
        if line.len() as u64 - 1 > Limits::default().line_bytes {
            return Err(Flaw::TooLarge.of(part, id));
        }
        self.links.follow(part, id)?;
        // After the header.
        self.links.admit(part, id, typed, self.records + 2)?;
        Ok(line)
    }

    pub fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    /// What is wrong between the records that were written. A storyline named in `BrokenStoryline` cannot be read back
    /// as an archive of its own.
    pub fn warnings(&self) -> Vec<Warning> {
        let verdict = self.links.judge();
        let broken = verdict.broken.into_iter();
        let broken = broken.map(|(_, storyline, why)| Warning::BrokenStoryline { storyline, why: Box::new(why) });
        // What a reader will set right is no fault of the file.
        let told = verdict.warnings.into_iter().filter(|warning| !matches!(warning, Warning::Mended { .. }));
        told.chain(broken).collect()
    }

    /// The last line.
    pub fn finish(self) -> String {
        line::end(self.records, self.sha) + "\n"
    }
}
