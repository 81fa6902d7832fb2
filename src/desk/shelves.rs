//! What a library shows of itself: those that hold the words looked for, or a tag, in an order; favourites stand first.

use std::{
    cmp::{Ordering, Reverse},
    collections::BTreeMap,
};

use serde::{Deserialize, Serialize};

use super::{Desk, Stored};
use crate::{
    store::record,
    story::{Extra, Millis, storyline::Storyline},
};

/// Whether an entry is a favourite, in its free fields: SillyTavern's name, so that a card brings and takes it along.
pub const FAVOURITE: &str = "fav";

pub fn is_favourite(fields: &Extra) -> bool {
    fields.get(FAVOURITE).is_some_and(|value| value.as_bool() == Some(true) || value.as_str() == Some("true"))
}

pub fn set_favourite(fields: &mut Extra, is_favourite: bool) {
    if is_favourite {
        fields.insert(FAVOURITE.into(), true.into());
    } else {
        fields.shift_remove(FAVOURITE);
    }
}

/// Where a storyline stands among others: favourites first, and of each what was played last.
pub fn place(storyline: &Storyline) -> impl Ord + use<> {
    Reverse((is_favourite(&storyline.extra), storyline.last_active))
}

/// The order of a library.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sort {
    /// What was changed last comes first.
    #[default]
    Changed,
    /// What came last comes first.
    Made,
    /// What a story was last played with comes first; what none was, last.
    Played,
    Name,
}

impl Sort {
    pub const ALL: [Self; 4] = [Self::Changed, Self::Made, Self::Played, Self::Name];
}

/// The orders chosen, by the kind of library. One record, shared by all tabs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Shelves {
    pub id: String,
    pub sorts: BTreeMap<String, Sort>,
    #[serde(flatten)]
    pub extra: Extra,
}
record!(Shelves, Settings);

impl Shelves {
    pub const ID: &'static str = "shelves";
}

impl Default for Shelves {
    fn default() -> Self {
        Self { id: Self::ID.into(), sorts: BTreeMap::new(), extra: Extra::new() }
    }
}

impl Desk {
    /// # Errors
    /// The store failed, or what is there cannot be read.
    pub async fn sort_of(&self, library: &str) -> Stored<Sort> {
        let shelves = self.ports.store.load::<Shelves>(Shelves::ID).await?.unwrap_or_default();
        Ok(shelves.sorts.get(library).copied().unwrap_or_default())
    }

    /// # Errors
    /// The store failed, or what is there cannot be read: nothing has been written.
    pub async fn sort_by(&self, library: &str, sort: Sort) -> Stored<()> {
        let change = |shelves: &mut Shelves| {
            shelves.sorts.insert(library.to_owned(), sort);
        };
        self.ports.store.change(Shelves::ID, change).await.map(drop)
    }
}

/// What is asked of a library.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// Each of them stands somewhere in what is shown, in whatever case.
    pub words: String,
    pub tag: Option<String>,
    pub sort: Sort,
}

/// What of an entry counts there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Glance {
    pub name: String,
    /// Further texts that words are looked for in.
    pub texts: Vec<String>,
    pub tags: Vec<String>,
    pub is_favourite: bool,
    pub changed: Millis,
    pub made: Millis,
    /// When a story was last played with it.
    pub played: Option<Millis>,
}

/// The places of what is shown. `by_name` orders two of them as the reader's language does.
pub fn shown(all: &[Glance], view: &View, by_name: impl Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let words: Vec<String> = view.words.split_whitespace().map(str::to_lowercase).collect();
    let holds = |entry: &Glance| {
        let tagged = view.tag.as_ref().is_none_or(|tag| entry.tags.iter().any(|own| same(own, tag)));
        let texts = || [&entry.name].into_iter().chain(&entry.texts).chain(&entry.tags).map(|text| text.to_lowercase());
        tagged && (words.is_empty() || words.iter().all(|word| texts().any(|text| text.contains(word))))
    };
    let mut places: Vec<usize> = (0..all.len()).filter(|place| holds(&all[*place])).collect();
    places.sort_by(|&a, &b| {
        let (one, other) = (&all[a], &all[b]);
        other.is_favourite.cmp(&one.is_favourite).then_with(|| match view.sort {
            Sort::Changed => other.changed.cmp(&one.changed),
            Sort::Made => other.made.cmp(&one.made),
            Sort::Played => other.played.cmp(&one.played),
            Sort::Name => by_name(a, b),
        })
    });
    places
}

/// The tags of a library, each with how many entries have it; the most used first.
pub fn tags(all: &[Glance]) -> Vec<(String, usize)> {
    let mut tags: Vec<(String, usize)> = Vec::new();
    for own in all.iter().map(|entry| &entry.tags) {
        for (place, tag) in own.iter().enumerate() {
            if tag.trim().is_empty() || own[..place].iter().any(|before| same(before, tag)) {
                continue;
            }
            match tags.iter_mut().find(|(known, _)| same(known, tag)) {
                Some((_, count)) => *count += 1,
                None => tags.push((tag.trim().to_owned(), 1)),
            }
        }
    }
    tags.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    tags
}

fn same(one: &str, other: &str) -> bool {
    one.trim().to_lowercase() == other.trim().to_lowercase()
}

#[cfg(test)]
mod tests {
    use futures_executor::block_on;
    use proptest::prelude::*;

    use super::*;
    use crate::sim::ports::Sim;

    /// What came first was changed last.
    fn entry(name: &str, tags: &[&str], is_favourite: bool, changed: u64, played: Option<u64>) -> Glance {
        Glance {
            name: name.into(),
            texts: vec![format!("about {name}")],
            tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
            is_favourite,
            changed,
            made: 100 - changed,
            played,
        }
    }

    fn library() -> Vec<Glance> {
        vec![
            entry("Wren", &["bees", "Slow"], false, 30, Some(5)),
            entry("林夕", &["slow", "bees", "bees"], false, 10, None),
            entry("Ada", &["ships"], true, 20, Some(9)),
            entry("Mira", &[], false, 40, Some(7)),
        ]
    }

    fn names(words: &str, tag: Option<&str>, sort: Sort) -> Vec<String> {
        let all = library();
        let view = View { words: words.into(), tag: tag.map(str::to_owned), sort };
        shown(&all, &view, |a, b| all[a].name.cmp(&all[b].name))
            .into_iter()
            .map(|place| all[place].name.clone())
            .collect()
    }

    #[test]
    fn found_and_in_order() {
        let cases: [(&str, Option<&str>, Sort, &[&str]); 9] = [
            ("", None, Sort::Made, &["Ada", "林夕", "Wren", "Mira"]),
            ("", None, Sort::Changed, &["Ada", "Mira", "Wren", "林夕"]),
            ("", None, Sort::Played, &["Ada", "Mira", "Wren", "林夕"]),
            ("", None, Sort::Name, &["Ada", "Mira", "Wren", "林夕"]),
            ("wR", None, Sort::Made, &["Wren"]),
            ("about bees", None, Sort::Changed, &["Wren", "林夕"]),
            ("", Some("SLOW "), Sort::Name, &["Wren", "林夕"]),
            ("mira", Some("slow"), Sort::Name, &[]),
            ("夕", None, Sort::Made, &["林夕"]),
        ];
        for (words, tag, sort, expected) in cases {
            assert_eq!(names(words, tag, sort), expected, "{words:?} {tag:?} {sort:?}");
        }
    }

    #[test]
    fn a_tag_counts_once_an_entry() {
        let expected = [("Slow", 2), ("bees", 2), ("ships", 1)].map(|(tag, count)| (tag.to_owned(), count));
        assert_eq!(tags(&library()), expected);
    }

    #[test]
    fn a_favourite_is_said_as_sillytavern_says_it() {
        let mut fields = Extra::new();
        set_favourite(&mut fields, true);
        assert_eq!(serde_json::to_string(&fields).unwrap(), r#"{"fav":true}"#);
        assert!(is_favourite(&fields));
        set_favourite(&mut fields, false);
        assert!(fields.is_empty());
        fields.insert(FAVOURITE.into(), "true".into());
        assert!(is_favourite(&fields), "as older files have it");
    }

    #[test]
    fn the_order_stays() {
        let sim = Sim::new([]);
        let desk = Desk::new(sim.ports.clone());
        block_on(async {
            desk.sort_by("character", Sort::Name).await.unwrap();
            desk.sort_by("background", Sort::Changed).await.unwrap();
            assert_eq!(desk.sort_of("character").await.unwrap(), Sort::Name);
            assert_eq!(desk.sort_of("persona").await.unwrap(), Sort::Changed);
        });
    }

    proptest! {
        /// Nothing is shown twice, and without a question all is shown, favourites first.
        #[test]
        fn all_of_it_once(entries in prop::collection::vec((".{0,4}", any::<bool>(), 0..9u64, prop::option::of(0..9u64)), 0..12), sort in 0..4usize) {
            let all: Vec<Glance> = entries.iter().map(|(name, fav, changed, played)| entry(name, &[], *fav, *changed, *played)).collect();
            let view = View { sort: Sort::ALL[sort], ..View::default() };
            let places = shown(&all, &view, |a, b| all[a].name.cmp(&all[b].name));
            let mut sorted = places.clone();
            sorted.sort_unstable();
            prop_assert_eq!(sorted, (0..all.len()).collect::<Vec<_>>());
            prop_assert!(places.windows(2).all(|pair| all[pair[0]].is_favourite >= all[pair[1]].is_favourite));
        }
    }
}
