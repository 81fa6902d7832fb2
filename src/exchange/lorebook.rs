//! Lorebooks from files, and to files.
//!
//! Read: World Info of SillyTavern (`{"entries": {"<uid>": …}}`, also as a list), the book of a card
//! (`character_book`), and the file of the V3 specification (`{"spec": "lorebook_v3", "data": …}`), whichever form each
//! entry has; and the books of Agnai, NovelAI and RisuAI ([`foreign`]). Written: World Info, or V3. Decorators of V3 stay in the text that they stand in.
//!
//! Nothing that a file said is lost: what an export would not write of itself rides along, of an entry in its `extra`
//! under the name of its form, of the book in `imported`. It goes out again wherever it is still read as what the
//! entry is by then; see [`rest`].

mod card;
mod entry;
mod foreign;
mod rest;
#[cfg(test)]
pub(crate) mod tests;

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use self::entry::Form;
use super::{
    json,
    limits::{ID_CHARS, RECORD_BYTES},
    names::tidy_name,
    refusal::{Refusal, Warning},
    sniff::{self, Content},
};
use crate::story::lorebook::{Entry, Lorebook};

type Object = Map<String, Value>;

const ENTRIES: &str = "entries";
/// The book as the card had it that World Info was made of; its writer prefers it to the entries.
const ORIGINAL: &str = "originalData";
const SPEC: &str = "lorebook_v3";

/// Reads a lorebook file. The caller gives id and times, and a name where the file has none.
///
/// # Errors
/// It is not JSON, too large or deep, or holds something else (`Unrecognised`).
pub fn read(text: &str) -> Result<(Lorebook, Vec<Warning>), Refusal> {
    let value = json::parse(text)?;
    let value = foreign::as_v3(&value).unwrap_or(value);
    let unrecognised = |value: &Value| {
        let found = match sniff::content(value) {
            // Something with entries, but of no form that is known.
            Content::Lorebook => Content::Unknown,
            found => found,
        };
        Err(Refusal::Unrecognised { wanted: Content::Lorebook, found })
    };
    let Some(root) = root(&value).filter(|root| has_entries(root)) else { return unrecognised(&value) };
    let mut warnings = Vec::new();
    let book = read_book(root, &mut warnings);
    if book.entries.is_empty() && !items(root).is_empty() {
        return unrecognised(&value);
    }
    if book.name.is_empty() {
        warnings.push(Warning::NoName);
    }
    json::too_large(json::size(&book), RECORD_BYTES)?;
    Ok((book, warnings))
}

/// A book in a form of Agnai, NovelAI or RisuAI as the V3 specification would have it; `None`: it is none.
pub fn foreign_as_v3(value: &Value) -> Option<Value> {
    foreign::as_v3(value)
}

/// The book that a card carries (or any other that [`read`] knows), under this name where it has none. What is no book
/// has no entries.
pub fn book_of(value: &Value, name: &str) -> Lorebook {
    let empty = Object::new();
    let mut book = read_book(root(value).unwrap_or(&empty), &mut Vec::new());
    if book.name.is_empty() {
        book.name = name.to_owned();
    }
    book
}

/// Keys in a list, or in one text with commas between them.
pub fn keys_of(value: &Value) -> Vec<String> {
    entry::keys(Some(value))
}

/// How many entries [`book_of`] finds there, at most.
pub fn count_of(value: &Value) -> usize {
    root(value).map_or(0, |root| items(root).len())
}

/// Writes World Info, readable by people and by SillyTavern.
pub fn write(book: &Lorebook) -> String {
    let mut file = write_root(book);
    let mut entries = Object::new();
    for (entry, uid) in book.entries.iter().zip(uids(&book.entries)) {
        entries.insert(uid.to_string(), rest::written(Form::WorldInfo, entry, uid).into());
    }
    file.insert(ENTRIES.into(), entries.into());
    pretty(file.into())
}

/// Writes the file of the V3 specification.
pub fn write_v3(book: &Lorebook) -> String {
    pretty(json!({ "spec": SPEC, "data": to_card_book(book) }))
}

/// The book as a card carries it.
pub fn to_card_book(book: &Lorebook) -> Value {
    let mut file = write_root(book);
    let entries = book.entries.iter().zip(uids(&book.entries));
    let entries: Vec<Value> = entries.map(|(entry, uid)| rest::written(Form::Card, entry, uid).into()).collect();
    file.entry("extensions").or_insert_with(|| json!({}));
    file.insert(ENTRIES.into(), entries.into());
    file.into()
}

fn pretty(value: Value) -> String {
    serde_json::to_string_pretty(&value).expect("a value has text keys")
}

/// What holds the entries.
fn root(value: &Value) -> Option<&Object> {
    let object = value.as_object()?;
    match object.get("data").and_then(Value::as_object) {
        Some(data) if !has_entries(object) && has_entries(data) => Some(data),
        _ => Some(object),
    }
}

fn has_entries(object: &Object) -> bool {
    object.get(ENTRIES).is_some_and(|entries| entries.is_object() || entries.is_array())
}

/// Entries as they stand in the file, with their key where they have one.
fn items(root: &Object) -> Vec<(Option<&str>, &Value)> {
    match root.get(ENTRIES) {
        Some(Value::Object(entries)) => entries.iter().map(|(key, entry)| (Some(key.as_str()), entry)).collect(),
        Some(Value::Array(entries)) => entries.iter().map(|entry| (None, entry)).collect(),
        _ => Vec::new(),
    }
}

fn read_book(root: &Object, warnings: &mut Vec<Warning>) -> Lorebook {
    let mut book = read_root(root, warnings);
    let items = items(root);
    let mut seen = HashSet::new();
    let mut outlets = 0;
    for (key, item) in &items {
        let Some((form, fields)) = item.as_object().and_then(|fields| Some((Form::of(fields)?, fields))) else {
            continue;
        };
        let mut entry = form.read(fields);
        if entry.id.is_empty() {
            entry.id = key.unwrap_or_default().to_owned();
        }
        tell_apart(&mut entry.id, &mut seen);
        outlets += usize::from(entry::is_outlet(fields));
        rest::keep(form, &mut entry, fields);
        book.entries.push(entry);
    }
    if book.entries.len() < items.len() {
        warnings.push(Warning::EntriesLeftOut { count: items.len() - book.entries.len() });
    }
    if outlets > 0 {
        warnings.push(Warning::OutletsOff { count: outlets });
    }
    book
}

/// Every entry has an id of its own: what an entry does in a story goes by it.
fn tell_apart(id: &mut String, seen: &mut HashSet<String>) {
    let fits = !id.is_empty() && id.chars().count() <= ID_CHARS;
    if fits && seen.insert(id.clone()) {
        return;
    }
    let mut number = seen.len();
    loop {
        if seen.insert(number.to_string()) {
            *id = number.to_string();
            return;
        }
        number += 1;
    }
}

/// World Info names its entries by numbers.
fn uids(entries: &[Entry]) -> Vec<i64> {
    let number = |entry: &Entry| entry.id.parse::<i64>().ok().filter(|number| number.to_string() == entry.id);
    let mut taken: HashSet<i64> = entries.iter().filter_map(number).collect();
    let mut next = 0;
    let mut free = || {
        while !taken.insert(next) {
            next += 1;
        }
        next
    };
    entries.iter().map(|entry| number(entry).unwrap_or_else(&mut free)).collect()
}

fn read_root(root: &Object, warnings: &mut Vec<Warning>) -> Lorebook {
    let mut book = Lorebook::default();
    let (name, warning) = tidy_name(&entry::text(root.get("name")));
    warnings.extend(warning);
    book.name = name;
    book.description = entry::text(root.get("description"));
    // Tools write 0 where nothing was typed, and SillyTavern looks at neither.
    book.scan_depth = entry::number(root.get("scan_depth")).filter(|depth| *depth > 0);
    book.token_budget = entry::number(root.get("token_budget")).filter(|tokens| *tokens > 0);
    book.recursive = root.get("recursive_scanning").and_then(Value::as_bool);
    let written = write_fields(&book);
    let mut rest = root.clone();
    rest.retain(|key, value| key != ENTRIES && written.get(key) != Some(value));
    book.imported = (!rest.is_empty()).then(|| rest.into());
    book
}

fn write_fields(book: &Lorebook) -> Object {
    let mut root = Object::new();
    root.insert("name".into(), book.name.as_str().into());
    root.insert("description".into(), book.description.as_str().into());
    let options = [
        ("scan_depth", book.scan_depth.map(Value::from)),
        ("token_budget", book.token_budget.map(Value::from)),
        ("recursive_scanning", book.recursive.map(Value::from)),
    ];
    root.extend(options.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))));
    root
}

/// The head of the file; what was there before goes out again where it says nothing else.
fn write_root(book: &Lorebook) -> Object {
    let mut root = write_fields(book);
    for (key, value) in book.imported.as_ref().and_then(Value::as_object).into_iter().flatten() {
        let mut trial = root.clone();
        trial.insert(key.clone(), value.clone());
        let fits = match key.as_str() {
            ORIGINAL => tells(value, &book.entries),
            ENTRIES => false,
            _ => same_head(&read_root(&trial, &mut Vec::new()), book),
        };
        if fits {
            root = trial;
        }
    }
    root
}

fn same_head(one: &Lorebook, other: &Lorebook) -> bool {
    let head = |book: &Lorebook| (book.scan_depth, book.token_budget, book.recursive);
    one.name == other.name && one.description == other.description && head(one) == head(other)
}

/// Whether a book says the same as these entries.
fn tells(book: &Value, entries: &[Entry]) -> bool {
    let said = book_of(book, "").entries;
    let same = |(one, other): (&Entry, &Entry)| entry::same(one, other);
    said.len() == entries.len() && said.iter().zip(entries).all(same)
}
