//! What a text would bring up, for whoever writes a book.

use super::{
    LoreSettings,
    book::Book,
    keys::Said,
    tell::Reason,
    timers::Timers,
    wake::{Looked, wake},
};
use crate::{
    prompt::tokens::estimate,
    story::{lorebook::Lorebook, order, trigger::Trigger},
};

/// Which entries of a book a text brings up, and why, in the order in which they are told. Chance, delays, who is
/// spoken of and what a reply is asked for as keep none of them back.
pub fn tried(mut book: Lorebook, text: &str) -> Vec<Reason> {
    for entry in &mut book.entries {
        (entry.probability, entry.delay, entry.only) = (100, 0, None);
        entry.extra.clear();
    }
    // One name for all: which book it is goes without saying.
    book.name.clear();
    let settings = LoreSettings::default();
    let book = Book::of(book);
    // The whole of it stands in one message, and nobody looks at less than that.
    let depth = book.deepest(settings.scan_depth).max(1) as usize;
    let chat: Vec<Said> =
        (0..depth).map(|nth| Said::new(if nth == 0 { text.to_owned() } else { String::new() })).collect();
    let looked = Looked {
        settings: &settings,
        trigger: Trigger::default(),
        chat: &chat,
        beside: &[],
        count: u32::MAX,
        replies: u32::MAX,
        name: "",
        tags: &[],
        timers: &Timers::new(),
        budget: u32::MAX,
        seed: "",
        near: &[],
        names: &str::to_owned,
    };
    let mut woken = wake(&[&book], &looked, &mut |ready| (ready.text.clone(), estimate(&ready.text))).woken;
    order::by_key(&mut woken, |woken| woken.ready.entry.order);
    let reason = |woken: super::wake::Woken| Reason {
        book: String::new(),
        entry: woken.ready.title().to_owned(),
        why: woken.why,
    };
    woken.into_iter().map(reason).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{features::lore::wake::Why, story::lorebook::Entry};

    #[test]
    fn what_a_text_brings_up_whatever_chance_says() {
        let entry = |name: &str, key: &str, content: &str| Entry {
            id: name.into(),
            name: name.into(),
            keys: vec![key.into()],
            content: content.into(),
            probability: 0,
            delay: 9,
            ..Entry::default()
        };
        let entries = vec![
            Entry { order: 200, ..entry("Tide", "moon", "The boats go out.") },
            entry("Boats", "boats", "Harrow’s."),
            entry("Fog", "fog", "Grey."),
            Entry { enabled: false, ..entry("Off", "moon", "x") },
        ];
        let found = tried(Lorebook { entries, ..Lorebook::default() }, "A full moon.");
        let said: Vec<_> = found.iter().map(|reason| (reason.entry.as_str(), &reason.why)).collect();
        let boats = Why::Entry { key: "boats".into(), entry: "Tide".into() };
        let tide = Why::Message { key: "moon".into(), message: 1 };
        assert_eq!(said, [("Boats", &boats), ("Tide", &tide)]);
        assert_eq!(tried(Lorebook::default(), "moon"), []);
    }
}
