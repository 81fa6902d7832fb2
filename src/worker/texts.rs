//! What entries say, read from the store, and kept for a while: what one turn asks for, the next one often asks for too.

use std::{cell::OnceCell, collections::HashMap, ops::Range, rc::Rc};

use super::entry::{self, Entry};
use crate::{
    memory::{Read, sentences},
    ports::{Store, recall::Source},
    store::{Doc, Stored, Table, decode, from_value},
    story::memory::Memory,
};

/// Bytes of texts that are kept.
const KEPT: usize = 1 << 19;

/// What a record says.
#[derive(Default)]
pub struct Text {
    pub text: String,
    pub detail: String,
    /// Of a memory: the turns that it tells of.
    pub turns: Option<(u32, u32)>,
    cut: OnceCell<(Vec<Range<usize>>, Vec<Read>)>,
}

impl Text {
    fn said(text: String) -> Self {
        Self { text, ..Self::default() }
    }

    /// Its sentences, and as they are weighed.
    pub fn sentences(&self) -> (Vec<&str>, &[Read]) {
        let (places, read) = self.cut.get_or_init(|| {
            let place = |sentence: &str| {
                let at = sentence.as_ptr() as usize - self.text.as_ptr() as usize;
                at..at + sentence.len()
            };
            sentences(&self.text).into_iter().map(|sentence| (place(sentence), Read::of(sentence))).unzip()
        });
        (places.iter().map(|place| &self.text[place.clone()]).collect(), read)
    }
}

/// By source.
pub type ById = HashMap<Source, Rc<Text>>;

/// Those of one storyline that were read lately. Which it was is told by its print: another text has another.
#[derive(Default)]
pub struct Texts {
    kept: HashMap<Source, (u64, Rc<Text>)>,
    bytes: usize,
    /// How many of the best took part in the last answer: read at once, they cost one wait instead of several.
    pub enough: usize,
}

impl Texts {
    /// What each entry says. One that went meanwhile is left out.
    pub async fn read<'a>(
        &mut self,
        store: &dyn Store,
        entries: impl Iterator<Item = &'a Entry> + Clone,
    ) -> Stored<ById> {
        if KEPT < self.bytes {
            self.kept.clear();
            self.bytes = 0;
        }
        let known = |entry: &Entry| {
            let (print, text) = self.kept.get(&entry.source)?;
            (*print == entry.print).then(|| text.clone())
        };
        let mut found: ById = entries.clone().filter_map(|entry| Some((entry.source.clone(), known(entry)?))).collect();
        for (entry, text) in read(store, entries.filter(|entry| known(entry).is_none())).await? {
            // A memory's turns may change though its words do not.
            if !entry.is_memory() {
                self.keep(&entry, &text);
            }
            found.insert(entry.source, text);
        }
        Ok(found)
    }

    fn keep(&mut self, entry: &Entry, text: &Rc<Text>) {
        self.bytes += text.text.len();
        self.kept.insert(entry.source.clone(), (entry.print, text.clone()));
    }
}

/// The same from the store alone.
pub async fn texts<'a>(store: &dyn Store, entries: impl Iterator<Item = &'a Entry>) -> Stored<ById> {
    Ok(read(store, entries).await?.into_iter().map(|(entry, text)| (entry.source, text)).collect())
}

async fn read<'a>(store: &dyn Store, entries: impl Iterator<Item = &'a Entry>) -> Stored<Vec<(Entry, Rc<Text>)>> {
    let (mut turns, mut replies, mut memories) = (Vec::new(), Vec::new(), Vec::new());
    for entry in entries {
        match &entry.source {
            Source::User(id) => turns.push(id.0.clone()),
            Source::Reply(id) => replies.push(id.0.clone()),
            Source::Memory(id) => memories.push(id.0.clone()),
        }
    }
    let (turns, replies, memories) = futures_util::try_join!(
        some(store, Table::Turns, &turns),
        some(store, Table::Generations, &replies),
        some(store, Table::Memories, &memories),
    )?;
    let mut found = Vec::new();
    let mut say = |(entry, text): (Entry, String)| found.push((entry, Rc::new(Text::said(text))));
    for doc in turns {
        if let Ok(turn) = from_value::<entry::Turn>(doc.value) {
            say(Entry::of_turn(&turn));
        }
    }
    for doc in replies {
        if let Ok(reply) = from_value::<entry::Reply>(doc.value) {
            say(Entry::of_reply(&reply));
        }
    }
    for doc in memories {
        if let Ok(memory) = decode::<Memory>(doc.value) {
            let (text, detail) = (entry::told(&memory.text).into_owned(), entry::told(&memory.detail).into_owned());
            let turns = Some(memory.turns).filter(|turns| *turns != (0, 0));
            let (entry, _) = Entry::of_memory(&memory);
            found.push((entry, Rc::new(Text { text, detail, turns, ..Text::default() })));
        }
    }
    Ok(found)
}

/// Records, without a read where there are none to read.
async fn some(store: &dyn Store, table: Table, keys: &[String]) -> Stored<Vec<Doc>> {
    if keys.is_empty() { Ok(Vec::new()) } else { store.get_many(table, keys).await }
}

#[cfg(test)]
mod tests {
    use futures_executor::block_on;

    use super::*;
    use crate::{
        sim::store::MemoryStore,
        store::{Batch, Op},
        story::generation::{Generation, Status},
    };

    #[test]
    fn what_was_read_is_known_as_long_as_it_is_the_same() {
        let store = MemoryStore::new();
        let reply = |text: &str| Generation {
            id: "g".into(),
            text: text.into(),
            status: Status::Done,
            ..Generation::default()
        };
        let commit = |op: Op| block_on(store.commit(Batch { ops: vec![op], ..Batch::new() })).unwrap();
        let entry =
            |text: &str| Entry::of_reply(&entry::Reply { text: text.into(), id: "g".into(), ..Default::default() }).0;
        let mut texts = Texts::default();
        let mut told = |entry: &Entry| {
            let read = block_on(texts.read(&store, std::iter::once(entry))).unwrap();
            read.get(&entry.source).map(|text| text.text.clone())
        };
        commit(Op::Put(Table::Generations, serde_json::to_value(reply("One. Two.")).unwrap().into()));
        assert_eq!(told(&entry("One. Two.")).as_deref(), Some("One. Two."));
        let reads = store.operations();
        assert_eq!(told(&entry("One. Two.")).as_deref(), Some("One. Two."));
        assert_eq!(store.operations(), reads, "it is not read again");
        commit(Op::Put(Table::Generations, serde_json::to_value(reply("Three.")).unwrap().into()));
        assert_eq!(told(&entry("Three.")).as_deref(), Some("Three."));
        commit(Op::Delete(Table::Generations, "g".into()));
        assert_eq!(told(&entry("Four.")), None);
    }
}
