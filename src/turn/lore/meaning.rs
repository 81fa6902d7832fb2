//! Entries found by meaning: their vectors, made behind a turn and kept with the story that they were made for, and what a
//! turn finds by them. A turn asks for one vector, that of what was said; the memory asks with the same.

use std::{collections::BTreeMap, rc::Rc};

use serde_json::json;

use super::{hung, look};
use crate::{
    features::{
        lore::{
            LoreSettings, NAME,
            book::{Book, Ready},
            wake::Near,
        },
        recall::{RecallSettings, asked},
    },
    memory::passages,
    ports::{Ports, Store, till},
    provider::batches,
    store::{Batch, Doc, Op, Stored, Table},
    story::{
        Millis, background::Background, character::Character, connection::Connection, fault::Fault, ids::StorylineId,
        order, print::print, settings::Preferences, spending::Kind, storyline::Storyline,
    },
    turn::{
        budget::Leave,
        embed::{embedder, embedder_name, patiently, question},
        meter,
        recall::{TIME_LIMIT, within},
        scene::{self, Loaded, Question},
    },
};

/// Vectors of length 1 by the prints of their texts: another text lacks its vector.
type Vectors = BTreeMap<u64, Vec<f32>>;

fn record(story: &StorylineId, embedder: &str) -> String {
    format!("{story}/lore/{:016x}", print(embedder))
}

/// What is damaged is made again.
async fn load(store: &dyn Store, story: &StorylineId, embedder: &str) -> Stored<Vectors> {
    let Some(doc) = store.get(Table::Vectors, &record(story, embedder)).await? else { return Ok(Vectors::new()) };
    let prints = doc.value["texts"].as_array().into_iter().flatten();
    let prints: Vec<u64> = prints.filter_map(|print| u64::from_str_radix(print.as_str()?, 16).ok()).collect();
    let bytes = doc.bytes.as_deref().unwrap_or_default();
    let numbers: Vec<f32> = bytes.as_chunks().0.iter().map(|four| f32::from_le_bytes(*four)).collect();
    let dimension = numbers.len() / prints.len().max(1);
    Ok(prints.into_iter().zip(numbers.chunks_exact(dimension.max(1)).map(<[f32]>::to_vec)).collect())
}

async fn save(store: &dyn Store, story: &StorylineId, embedder: &str, vectors: &Vectors) -> Stored<()> {
    let texts: Vec<String> = vectors.keys().map(|print| format!("{print:x}")).collect();
    let bytes: Vec<u8> = vectors.values().flatten().flat_map(|number| number.to_le_bytes()).collect();
    let value = json!({ "id": record(story, embedder), "storyline": story, "embedder": embedder, "texts": texts });
    let op = Op::Put(Table::Vectors, Doc { value, bytes: Some(bytes.into()) });
    store.commit(Batch { ops: vec![op], ..Batch::new() }).await
}

fn of_length_1(mut vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
    vector.iter_mut().for_each(|number| *number /= length);
    vector
}

/// What of an entry is compared: its passages, each under its title, for a long text is like nothing in particular. Of one
/// that its words alone bring up, nothing.
fn texts_of(ready: &Ready) -> impl Iterator<Item = String> {
    let passages = if ready.entry.by_meaning { passages(&ready.text) } else { Vec::new() };
    passages.into_iter().map(|passage| format!("{}\n{}", ready.title(), passage.trim()))
}

/// The entries that are at least so like what was said, in hundredths, the most like first. `likeness` knows that of a text.
fn near(books: &[Rc<Book>], least: u32, likeness: impl Fn(&str) -> Option<f32>) -> Vec<Near> {
    let mut near = Vec::new();
    for (nth, book) in books.iter().enumerate() {
        for (at, ready) in (0..).zip(&book.entries) {
            let of_each = texts_of(ready).filter_map(|text| likeness(&text));
            let likeness = of_each.map(|cosine| (cosine.clamp(0.0, 1.0) * 100.0).round() as u32).max();
            near.extend(likeness.filter(|found| *found >= least).map(|likeness| Near { place: (nth, at), likeness }));
        }
    }
    order::by_key(&mut near, |near: &Near| std::cmp::Reverse(near.likeness));
    near
}

/// The entries that are like what was said, the most like first. Where nothing has a vector, nothing is asked.
pub(super) async fn found(ports: &Ports, loaded: &mut Loaded, books: &[Rc<Book>]) -> Vec<Near> {
    let settings: LoreSettings = loaded.storyline.settings(&loaded.preset);
    // As the memory asks it: where one more speaks, it asks by what was said last, in its own time.
    let said = loaded.history.last().and_then(|node| node.turn.user.clone()).unwrap_or_default();
    let is_any = books.iter().any(|book| book.entries.iter().any(|ready| ready.entry.by_meaning));
    if !is_any || settings.by_meaning == 0 || said.trim().is_empty() {
        return Vec::new();
    }
    let Some(connection) = embedder(&*ports.store).await else { return Vec::new() };
    let known = load(&*ports.store, &loaded.storyline.id, &embedder_name(&connection)).await.unwrap_or_default();
    if known.is_empty() {
        return Vec::new();
    }
    // As the memory will ask it.
    let recall: RecallSettings = loaded.storyline.settings(&loaded.preset);
    let text = asked(&said, recall.policy).map_or(said, |asked| asked.text);
    let paid = loaded.purpose.also(Kind::Embedding);
    let until = ports.clock.now() + Millis::from(TIME_LIMIT);
    let answer = within(ports, until, question(ports, &connection, &text, &paid)).await;
    let found = answer.as_ref().map_or_else(
        |_| Vec::new(),
        |embedding| {
            let asked = of_length_1(embedding.vector.clone());
            let dot = |known: &Vec<f32>| known.iter().zip(&asked).map(|(a, b)| a * b).sum::<f32>();
            let fits = |known: &&Vec<f32>| known.len() == asked.len();
            near(books, settings.likeness, |text| known.get(&print(text)).filter(fits).map(dot))
        },
    );
    loaded.question = Some(Question { text, answer });
    found
}

/// Embeds the texts of a story's entries that lack a vector, and lets go of what is no text of an entry any more. What was
/// done stays done.
///
/// # Errors
/// As [`crate::turn::embed::embed_due`].
pub(in crate::turn) async fn embed_due(
    ports: &Ports,
    story: &Storyline,
    connection: &Connection,
    stopped: &dyn Fn() -> bool,
    paid: &till::Purpose,
) -> Result<(), Fault> {
    let store = &*ports.store;
    let wanted = texts(store, story).await?;
    if wanted.is_empty() {
        return Ok(());
    }
    let embedder = embedder_name(connection);
    let mut known = load(store, &story.id, &embedder).await?;
    known.retain(|print, _| wanted.contains_key(print));
    let lacking: Vec<(&u64, &String)> = wanted.iter().filter(|(print, _)| !known.contains_key(print)).collect();
    let texts: Vec<&str> = lacking.iter().map(|(_, text)| text.as_str()).collect();
    let leave = if texts.is_empty() { None } else { Some(Leave::ask(ports, story, Kind::Embedding).await?) };
    for run in batches(connection, &texts) {
        if stopped() {
            break;
        }
        if let Some(leave) = &leave {
            leave.holds().await?;
        }
        let made = patiently(ports, connection, &texts[run.clone()], paid).await;
        meter::book(ports).await;
        let made: Vec<_> = made?.into_iter().map(of_length_1).collect();
        // Where the server has become another one, all are made anew by and by.
        known.retain(|_, vector| made.iter().all(|other| other.len() == vector.len()));
        known.extend(lacking[run].iter().map(|(print, _)| **print).zip(made));
        save(store, &story.id, &embedder, &known).await?;
    }
    Ok(())
}

/// What of a story's entries is compared, by its print.
async fn texts(store: &dyn Store, story: &Storyline) -> Stored<BTreeMap<u64, String>> {
    let preset = scene::preset(store, story).await;
    let settings: LoreSettings = story.settings(&preset);
    if story.is_off(&preset, NAME) || settings.by_meaning == 0 {
        return Ok(BTreeMap::new());
    }
    let mut cast = Vec::new();
    for id in &story.cast {
        cast.extend(store.load::<Character>(id.as_str()).await.ok().flatten());
    }
    let background = match &story.background {
        Some(id) => store.load::<Background>(id.as_str()).await.ok().flatten(),
        None => None,
    };
    let preferences: Option<Preferences> = store.load(Preferences::ID).await?;
    let hung = hung(story, &cast, background.as_ref(), preferences.as_ref());
    let books = look::books(store, story, &cast, &hung).await?;
    let texts = books.iter().flat_map(|book| &book.entries).flat_map(texts_of);
    Ok(texts.map(|text| (print(&text), text)).collect())
}
