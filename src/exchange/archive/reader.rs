//! Reads an archive as it comes off the decompressor.

use sha2::{Digest, Sha256};

use super::{
    counts::Counts,
    damage::{Damage, Flaw},
    header::{Header, Kind},
    line,
    links::{Links, Verdict},
    mend::Mends,
    record,
};
use crate::store::Part;
use crate::{
    exchange::{
        json::too_large,
        limits::Limits,
        refusal::{Refusal, Warning},
        sniff::{FileKind, sniff},
    },
    store::Doc,
    story::ids::StorylineId,
};

/// A record of an archive; a picture has its bytes beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub part: Part,
    pub doc: Doc,
}

impl Entry {
    pub fn id(&self) -> &str {
        self.doc.value["id"].as_str().unwrap_or_default()
    }
}

/// A whole archive, without its records.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    pub header: Header,
    pub counts: Counts,
    /// Storylines of a library that cannot be played: leave them out. An archive of one such is refused.
    pub broken: Vec<StorylineId>,
    /// What has to be set right in the records.
    pub mends: Mends,
    pub warnings: Vec<Warning>,
}

pub struct Reader {
    limits: Limits,
    /// The line that has begun.
    buffer: Vec<u8>,
    sha: Sha256,
    compressed: Option<u64>,
    decompressed: u64,
    lines: u64,
    /// Lines that were records.
    records: u64,
    header: Option<Header>,
    counts: Counts,
    links: Links,
    ended: bool,
    /// Once refused, always refused.
    refused: Option<Refusal>,
}

impl Reader {
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            buffer: Vec::new(),
            sha: Sha256::new(),
            compressed: None,
            decompressed: 0,
            lines: 0,
            records: 0,
            header: None,
            counts: Counts::default(),
            links: Links::default(),
            ended: false,
            refused: None,
        }
    }

    /// How many bytes of the file have gone into the decompressor: told before each `push`, a file that is made to
    /// burst is refused early.
    pub fn compressed_so_far(&mut self, bytes: u64) {
        self.compressed = Some(bytes);
    }

    /// There after the first line: title, and counts for a progress bar.
    pub fn header(&self) -> Option<&Header> {
        self.header.as_ref()
    }

    /// The records read so far.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Takes decompressed bytes in any cutting and gives the records whose lines are whole.
    ///
    /// # Errors
    /// The file is refused, and stays so. Entries given before mean nothing then.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<Entry>, Refusal> {
        if let Some(refusal) = &self.refused {
            return Err(refusal.clone());
        }
        let mut entries = Vec::new();
        match self.take(bytes, &mut entries) {
            Ok(()) => Ok(entries),
            Err(refusal) => {
                self.buffer = Vec::new();
                self.refused = Some(refusal.clone());
                Err(refusal)
            }
        }
    }

    /// Whether the file was whole and good.
    ///
    /// # Errors
    /// It was refused before, its end is missing, or its records do not hang together.
    pub fn finish(self) -> Result<Summary, Refusal> {
        if let Some(refusal) = self.refused {
            return Err(refusal);
        }
        let Some(header) = self.header.filter(|_| self.ended && self.buffer.is_empty()) else {
            return Err(Refusal::Truncated);
        };
        if header.kind == Kind::Storyline && self.links.storylines() != 1 {
            return Err(Flaw::NotOne(self.links.storylines()).in_line(1).into());
        }
        let Verdict { broken: unplayable, mends, mut warnings } = self.links.judge();
        let mut broken = Vec::new();
        for (id, storyline, why) in unplayable {
            if header.kind == Kind::Storyline {
                return Err(why.into());
            }
            // One bad story never hides the others.
            warnings.push(Warning::BrokenStoryline { storyline, why: Box::new(why) });
            broken.push(id);
        }
        Ok(Summary { header, counts: self.counts, broken, mends, warnings })
    }

    fn take(&mut self, bytes: &[u8], entries: &mut Vec<Entry>) -> Result<(), Refusal> {
        self.measure(bytes.len() as u64)?;
        let mut rest = bytes;
        while let Some(at) = rest.iter().position(|byte| *byte == b'\n') {
            let (line, tail) = rest.split_at(at);
            rest = &tail[1..];
            too_large((self.buffer.len() + line.len()) as u64, self.limits.line_bytes)?;
            if self.buffer.is_empty() {
                entries.extend(self.line(line)?);
            } else {
                let mut whole = std::mem::take(&mut self.buffer);
                whole.extend_from_slice(line);
                entries.extend(self.line(&whole)?);
                whole.clear();
                self.buffer = whole;
            }
        }
        too_large((self.buffer.len() + rest.len()) as u64, self.limits.line_bytes)?;
        self.buffer.extend_from_slice(rest);
        // A picture or a ZIP may have no newline for long.
        match sniff(&self.buffer) {
            kind @ (FileKind::Gzip | FileKind::Zip | FileKind::Png) if self.header.is_none() => {
                Err(Refusal::NotFabula(kind))
            }
            _ => Ok(()),
        }
    }

    fn measure(&mut self, more: u64) -> Result<(), Refusal> {
        self.decompressed += more;
        let (decompressed, limits) = (self.decompressed, &self.limits);
        too_large(decompressed, limits.total_bytes)?;
        match self.compressed {
            Some(compressed)
                if decompressed > limits.ratio_after && decompressed > compressed.saturating_mul(limits.ratio) =>
            {
                Err(Refusal::Bomb { compressed, decompressed })
            }
            _ => Ok(()),
        }
    }

    fn line(&mut self, line: &[u8]) -> Result<Vec<Entry>, Refusal> {
        self.lines += 1;
        if self.ended {
            return Err(Flaw::AfterEnd.in_line(self.lines).into());
        }
        if self.header.is_none() {
            self.header = Some(Header::read(line)?);
        } else if line.starts_with(line::END) {
            if line != line::end(self.records, self.sha.clone()).as_bytes() {
                return Err(Flaw::Checksum.in_line(self.lines).into());
            }
            self.ended = true;
            return Ok(Vec::new());
        } else {
            return self.record(line);
        }
        self.add_to_sum(line);
        Ok(Vec::new())
    }

    /// The record of a line; of an older file, what was in it then and is another one now comes after it.
    fn record(&mut self, line: &[u8]) -> Result<Vec<Entry>, Refusal> {
        if self.records >= self.limits.records {
            return Err(Refusal::TooMany { limit: self.limits.records });
        }
        let (part, mut doc) = line::read(line, self.lines)?;
        let parted = part.parted(&mut doc.value).map(|(part, value)| Entry { part, doc: value.into() });
        let entries: Vec<Entry> = std::iter::once(Entry { part, doc }).chain(parted).collect();
        for (nth, Entry { part, doc }) in entries.iter().enumerate() {
            let linked = record::check(*part, doc).and_then(|(id, typed)| {
                if nth == 0 {
                    self.links.follow(*part, id)?;
                }
                self.links.admit(*part, id, typed, self.lines)
            });
            if let Err(damage) = linked {
                self.give_up(*part, doc, damage.in_line(self.lines))?;
            }
            self.counts.add(*part, 1);
        }
        self.records += 1;
        self.add_to_sum(line);
        Ok(entries)
    }

    /// Of a library the story whose record this is, else the file.
    fn give_up(&mut self, part: Part, doc: &Doc, damage: Damage) -> Result<(), Refusal> {
        let is_library = self.header.as_ref().is_some_and(|header| header.kind == Kind::Library);
        let story = &doc.value[if part == Part::Storylines { "id" } else { "storyline" }];
        let story = story.as_str().filter(|id| is_library && !id.is_empty() && damage.flaw != Flaw::OutOfOrder);
        match story {
            Some(id) if self.links.spoil(&id.into(), part, damage.clone()) => Ok(()),
            _ => Err(damage.into()),
        }
    }

    fn add_to_sum(&mut self, line: &[u8]) {
        self.sha.update(line);
        self.sha.update(b"\n");
    }
}
