//! Controls of an entry that is open: each reads it once, and writes what is typed into the draft.

use std::ops::RangeInclusive;

use leptos::prelude::*;

use super::{book::Book, words::say};
use crate::{
    desk::lorebooks::{KeyFault, Number, NumberFault, key_faults, whole},
    locales::{
        lorebooks::{T as L, key_words, number_words},
        warnings::FieldWords,
    },
    story::{
        lines::{from_commas, to_commas},
        lorebook::Entry,
    },
    ui::{
        app::App,
        fields::{CheckField, SelectField, TextArea, TextField},
        settings::WholeNumber,
    },
};

/// An entry that is open.
#[derive(Clone, Copy)]
pub struct Opened {
    pub app: App,
    pub book: Book,
    pub id: StoredValue<String>,
}

impl Opened {
    pub fn get<V>(self, get: impl FnOnce(&Entry) -> V) -> Option<V> {
        self.id.with_value(|id| self.book.with_untracked(|draft| draft.entry(id).map(get)))
    }

    pub fn edit(self, change: impl FnOnce(&mut Entry)) {
        self.id.with_value(|id| self.book.edit(id, change));
    }

    /// The same of what it is by now.
    pub fn follow<V: PartialEq + Send + Sync + 'static>(self, get: fn(&Entry) -> V) -> Memo<Option<V>> {
        Memo::new(move |_| self.id.with_value(|id| self.book.with(|draft| draft.entry(id).map(get))))
    }

    // ------------------------------------------------------------------------------------------ controls

    /// A text of several lines.
    pub fn text(
        self,
        label: L,
        testid: &'static str,
        rows: u32,
        get: fn(&Entry) -> String,
        set: fn(&mut Entry, String),
    ) -> AnyView {
        let value = RwSignal::new(self.get(get).unwrap_or_default());
        let keep = move |_| self.edit(|entry| set(entry, value.get_untracked()));
        view! { <TextArea label=Signal::derive(say(self.app, label)) value testid rows on:input=keep /> }.into_any()
    }

    /// Names with commas between.
    pub fn names(
        self,
        label: L,
        testid: &'static str,
        get: fn(&Entry) -> Vec<String>,
        set: fn(&mut Entry, Vec<String>),
    ) -> AnyView {
        let value = RwSignal::new(self.get(get).map(|names| to_commas(&names)).unwrap_or_default());
        let keep = move |_| self.edit(|entry| set(entry, from_commas(&value.get_untracked())));
        view! { <TextField label=Signal::derive(say(self.app, label)) value testid on:input=keep /> }.into_any()
    }

    /// Keys, one a line; beneath them what is wrong with one.
    pub fn keys(
        self,
        label: L,
        hint: Option<L>,
        testid: &'static str,
        place: fn(&mut Entry) -> &mut Vec<String>,
    ) -> AnyView {
        let app = self.app;
        let keys = move || self.get(|entry| place(&mut entry.clone()).clone()).unwrap_or_default();
        let value = RwSignal::new(keys().join("\n"));
        let typed = move || {
            let lines = |text: &String| {
                text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect::<Vec<_>>()
            };
            value.with(lines)
        };
        let faults = Memo::new(move |_| key_faults(&typed()));
        let fault = Signal::derive(move || {
            let say = |fault: &KeyFault| key_words(fault, app.language.get());
            faults.with(|faults| faults.first().map(say))
        });
        let hint = Signal::derive(move || hint.map_or("", |hint| hint.text(app.language.get())));
        let keep = move |_| {
            let keys = untrack(typed);
            self.edit(|entry| *place(entry) = keys);
        };
        view! { <TextArea label=Signal::derive(say(app, label)) value testid rows=3 hint fault on:input=keep /> }
            .into_any()
    }

    pub fn check(self, label: L, testid: &'static str, place: fn(&mut Entry) -> &mut bool) -> AnyView {
        let is_on = self.get(|entry| *place(&mut entry.clone())).unwrap_or_default();
        let set = move |on: bool| self.edit(|entry| *place(entry) = on);
        let label = Signal::derive(say(self.app, label));
        view! { <CheckField label is_on=Signal::stored(is_on) set testid /> }.into_any()
    }

    /// One of a few, by their names.
    pub fn select(
        self,
        label: L,
        testid: &'static str,
        options: impl Fn() -> Vec<(String, String)> + Send + Sync + 'static,
        get: fn(&Entry) -> String,
        set: fn(&mut Entry, &str),
    ) -> AnyView {
        let value = RwSignal::new(self.get(get).unwrap_or_default());
        let keep = move |_| self.edit(|entry| set(entry, &value.get_untracked()));
        view! { <SelectField label=Signal::derive(say(self.app, label)) value options=Signal::derive(options) testid on:change=keep /> }
            .into_any()
    }

    /// Yes, no, or as something else says.
    pub fn tristate(self, label: L, testid: &'static str, place: fn(&mut Entry) -> &mut Option<bool>) -> AnyView {
        let app = self.app;
        let value =
            RwSignal::new(self.get(|entry| tri_name(*place(&mut entry.clone())).to_owned()).unwrap_or_default());
        let keep = move |_| self.edit(|entry| *place(entry) = value.with_untracked(|value| from_tri(value)));
        let options = Signal::derive(move || tri_options(app, L::AsSet));
        view! { <SelectField label=Signal::derive(say(app, label)) value options testid on:change=keep /> }.into_any()
    }

    pub fn number(self, number: Number, label: L, unit: L, hint: Option<L>, testid: &'static str) -> AnyView {
        let text = self.get(|entry| number.get(entry)).unwrap_or_default();
        let keep = move |typed: &str| {
            let mut kept = Ok(());
            self.edit(|entry| kept = number.set(entry, typed));
            kept
        };
        number_field(self.app, self.book, Words { label, unit: Some(unit), hint }, testid, text, keep)
    }

    /// The same without a unit.
    pub fn count(self, number: Number, label: L, hint: Option<L>, testid: &'static str) -> AnyView {
        let text = self.get(|entry| number.get(entry)).unwrap_or_default();
        let keep = move |typed: &str| {
            let mut kept = Ok(());
            self.edit(|entry| kept = number.set(entry, typed));
            kept
        };
        number_field(self.app, self.book, Words { label, unit: None, hint }, testid, text, keep)
    }
}

/// What a number's field says.
#[derive(Clone, Copy)]
pub struct Words {
    pub label: L,
    pub unit: Option<L>,
    pub hint: Option<L>,
}

/// A number that is kept as it is typed, where it is one.
pub fn number_field(
    app: App,
    book: Book,
    words: Words,
    testid: &'static str,
    text: String,
    keep: impl Fn(&str) -> Result<(), NumberFault> + Copy + Send + Sync + 'static,
) -> AnyView {
    let text = RwSignal::new(text);
    let fault = RwSignal::new(None::<NumberFault>);
    let typed = move |_| {
        let kept = text.with_untracked(|text| keep(text));
        book.note(testid, kept.is_err());
        fault.set(kept.err());
    };
    on_cleanup(move || book.note(testid, false));
    let said = Signal::derive(move || {
        let language = app.language.get();
        let text = |text: Option<L>| text.map_or("", |text| text.text(language));
        FieldWords { label: words.label.text(language), unit: text(words.unit), hint: text(words.hint) }
    });
    let fault = Signal::derive(move || fault.get().map(|fault| number_words(fault, app.language.get())));
    view! { <WholeNumber words=said text fault testid fault_testid="lorebook-number-error" on:input=typed /> }
        .into_any()
}

/// A number of the book itself; empty: as something else says.
pub fn optional(
    app: App,
    book: Book,
    words: Words,
    testid: &'static str,
    range: RangeInclusive<i64>,
    now: Option<u32>,
    set: impl Fn(Option<u32>) + Copy + Send + Sync + 'static,
) -> AnyView {
    let (min, max) = range.into_inner();
    let keep = move |typed: &str| {
        set(whole(typed, min..=max)?.map(|number| number as u32));
        Ok(())
    };
    number_field(app, book, words, testid, now.map(|now| now.to_string()).unwrap_or_default(), keep)
}

pub fn tri_name(value: Option<bool>) -> &'static str {
    match value {
        None => "",
        Some(true) => "yes",
        Some(false) => "no",
    }
}

pub fn from_tri(name: &str) -> Option<bool> {
    match name {
        "yes" => Some(true),
        "no" => Some(false),
        _ => None,
    }
}

pub fn tri_options(app: App, none: L) -> Vec<(String, String)> {
    [("", none), ("yes", L::Yes), ("no", L::No)]
        .map(|(name, label)| (name.to_owned(), say(app, label)().to_owned()))
        .to_vec()
}
