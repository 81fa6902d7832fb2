//! Where what came up is told: around the character, around the author's note, around the examples, at a depth of the chat
//! (drawn in seed `004`). Of one place, the higher order stands nearer to the end.

use serde::{Deserialize, Serialize};

use super::{
    AFTER, BEFORE, NAME,
    book::{Book, Ready},
    decorators::Place,
    wake::{Awake, Why, Woken},
};
use crate::{
    features::note,
    prompt::context::{AtDepth, ContextStore, Entry},
    story::{lorebook::Position, order},
};

/// Why an entry is in the prompt, as it is noted with it: a line of JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    pub book: String,
    pub entry: String,
    pub why: Why,
}

impl Reason {
    fn of(book: &Book, ready: &Ready, why: Why) -> String {
        let reason = Self { book: book.name.clone(), entry: ready.title().to_owned(), why };
        serde_json::to_string(&reason).unwrap_or_default()
    }

    /// `None`: the line is no reason of lore's.
    pub fn read(line: &str) -> Option<Self> {
        serde_json::from_str(line).ok()
    }
}

/// Puts what came up in its places; the chat has `count` messages. A preset without a place for examples tells what belongs
/// to them after the character.
pub fn tell(awake: Awake, context: &mut ContextStore, count: u32, has_examples: bool) {
    let Awake { mut woken, left_out, .. } = awake;
    order::by_key(&mut woken, |woken| woken.ready.entry.order);
    let mut at: [Vec<Entry>; 6] = Default::default();
    for Woken { book, ready, text, why } in woken {
        let entry = Entry { text, reason: Reason::of(book, ready, why) };
        let place = ready.place();
        if let Place::At(position) = place {
            let list = match position {
                Position::BeforeCharacter => 0,
                Position::BeforeExamples if has_examples => 2,
                Position::AfterExamples if has_examples => 3,
                Position::BeforeNote => 4,
                Position::AfterNote => 5,
                _ => 1,
            };
            at[list].push(entry);
            continue;
        }
        let depth = place.depth(count).unwrap_or_default();
        let identifier = format!("{NAME}:{}", ready.key);
        let (source, name) = (NAME, ready.title().to_owned());
        context.put_at_depth(AtDepth {
            source,
            identifier,
            name,
            entry,
            depth,
            order: ready.entry.order,
            role: ready.role(),
        });
    }
    let [before, after, before_examples, after_examples, before_note, after_note] = at;
    for (name, entries) in [(BEFORE, before), (AFTER, after)] {
        if !entries.is_empty() {
            context.put_entries(name, entries);
        }
    }
    context.put_around("examples", [before_examples, after_examples]);
    context.put_around(note::NAME, [before_note, after_note]);
    if !left_out.is_empty() {
        let reasons = left_out.into_iter().map(|(book, ready)| Reason::of(book, ready, Why::NoRoom));
        context.leave_out(NAME, reasons.collect());
    }
}
