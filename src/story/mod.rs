//! What a story is: the types that are stored, and the rules that hold between them.
//!
//! Pure: no I/O, no clock, no chance. Every stored type keeps the fields that it does not know
//! in `extra`, so that a newer or a foreign record survives a round trip, and has a snapshot test
//! of its stored form: changing the form forces a decision on migration.

pub mod account;
pub mod background;
pub mod backup;
pub mod blob;
pub mod budget;
pub mod character;
pub mod company;
pub mod condition;
pub mod connection;
pub mod damage;
pub mod event;
pub mod fault;
pub mod features;
pub mod figures;
pub mod generation;
pub mod ids;
pub mod layout;
pub mod lines;
pub mod lorebook;
pub mod memory;
pub mod noted;
pub mod order;
pub mod passphrase;
pub mod persona;
pub mod picture;
pub mod plot;
pub mod post;
pub mod preset;
pub mod price;
pub mod print;
pub mod quick;
pub mod reader;
pub mod reader_persona;
pub mod recap;
pub mod sampling;
pub mod script;
pub mod set_up;
pub mod settings;
pub mod spending;
pub mod state;
pub mod storyline;
pub mod tree;
pub mod trigger;
pub mod turn;
pub mod typography;
pub mod warning;
pub mod world;
pub mod written;

/// Milliseconds since the Unix epoch, UTC.
pub type Millis = u64;

/// The last millisecond that a browser's calendar knows; it is below 2^53, so the database keeps it as it is.
pub const LAST_MILLIS: Millis = 8_640_000_000_000_000;

/// Fields that a record carried and this version does not know.
pub type Extra = serde_json::Map<String, serde_json::Value>;

/// The beginning of a text that has more characters than `length`, and a sign that it goes on.
pub fn clip(text: &str, length: usize) -> String {
    match text.char_indices().nth(length) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Words of a text: each CJK character counts as one, runs of letters as one.
pub fn count_words(text: &str) -> usize {
    let mut count = 0;
    let mut inside = false;
    for char in text.chars() {
        let is_cjk = matches!(char, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}');
        let is_word = !is_cjk && (char.is_alphanumeric() || char == '\'' || char == '’');
        count += usize::from(is_cjk || (is_word && !inside));
        inside = is_word;
    }
    count
}
