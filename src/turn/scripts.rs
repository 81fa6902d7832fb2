//! The regex scripts that a turn is read through. Most stories have none: what runs them comes beside the story, and a turn
//! that has some waits for it.

use std::{
    borrow::Cow,
    cell::RefCell,
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
    rc::Rc,
};

use futures_util::try_join;

use super::scene::Loaded;
use crate::{
    features::scripts::{Brought, hash, running},
    ports::{Clock, Store},
    prompt::macros::Values,
    store::{Query, Stored, Table},
    story::{
        character::Character,
        order,
        preset::Preset,
        reader::Reader,
        script::{At, Rewrites, Script, ScriptSet},
        settings::Preferences,
    },
};

/// Makes scripts ready, with the names that they may say.
type Ready = fn(&[Script], &Values) -> Box<dyn Rewrites>;

/// Lets `loaded` be read through its scripts.
///
/// # Errors
/// The store failed. A set that cannot be read costs itself alone.
pub(super) async fn read_through(store: &dyn Store, clock: &dyn Clock, loaded: &mut Loaded) -> Stored<()> {
    let Loaded { storyline, character, preset, .. } = &*loaded;
    let scripts = scripts(store, preset, character).await?;
    loaded.scripts = match scripts.as_slice() {
        [] => None,
        scripts => Some(remembered(scripts, &character.name, storyline.reader(), ready(clock).await)),
    };
    Ok(())
}

/// Those that run in a story of this preset and card.
///
/// # Errors
/// The store failed.
pub async fn scripts(store: &dyn Store, preset: &Preset, character: &Character) -> Stored<Vec<Script>> {
    let (sets, preferences) = try_join!(sets(store), store.load::<Preferences>(Preferences::ID))?;
    Ok(running(&sets, Brought::to(preset, character), &preferences.unwrap_or_default()))
}

/// The reader's sets, in the order in which they run: as they were made.
///
/// # Errors
/// The store failed.
pub async fn sets(store: &dyn Store) -> Stored<Vec<ScriptSet>> {
    let mut sets: Vec<ScriptSet> = store.list(Query::all(Table::Scripts)).await?;
    order::by_key(&mut sets, |set| (set.created, set.id.clone()));
    Ok(sets)
}

/// Texts that are remembered as they were read, and what they weigh. A long prompt has some hundreds; a reply that
/// streams is another text with each piece.
const TEXTS: usize = 4_096;
const BYTES: usize = 4 << 20;

/// Scripts that need not read the same text twice for one reader: a story is told again with each turn, and shown again
/// with each piece.
pub struct Remembered {
    scripts: Box<dyn Rewrites>,
    minds_depth: bool,
    read: RefCell<Read>,
}

#[derive(Default)]
struct Read {
    /// By a hash of the text and its place; `None`: as it stands.
    texts: HashMap<u64, Option<String>>,
    bytes: usize,
}

impl Remembered {
    pub fn of(scripts: Box<dyn Rewrites>) -> Self {
        Self { minds_depth: scripts.minds_depth(), scripts, read: RefCell::default() }
    }
}

impl Rewrites for Remembered {
    fn rewrite<'t>(&self, text: &'t str, at: At) -> Cow<'t, str> {
        let mut hasher = DefaultHasher::new();
        (text, at.place, at.depth.filter(|_| self.minds_depth)).hash(&mut hasher);
        let key = hasher.finish();
        if let Some(read) = self.read.borrow().texts.get(&key) {
            return read.clone().map_or(text.into(), Cow::Owned);
        }
        let read = self.scripts.rewrite(text, at);
        let mut known = self.read.borrow_mut();
        if known.texts.len() >= TEXTS || known.bytes > BYTES {
            *known = Read::default();
        }
        let kept = (*read != *text).then(|| read.to_string());
        known.bytes += kept.as_ref().map_or(0, String::len);
        known.texts.insert(key, kept);
        read
    }

    fn minds_depth(&self) -> bool {
        self.minds_depth
    }
}

thread_local! {
    /// The last ones, by what they are made of.
    static LAST: RefCell<Option<(String, Rc<dyn Rewrites>)>> = const { RefCell::new(None) };
}

fn remembered(scripts: &[Script], char: &str, reader: Reader, ready: Ready) -> Rc<dyn Rewrites> {
    let user = reader.told();
    let made_of = [&hash(scripts), char, user.plain].join("\n");
    LAST.with_borrow_mut(|last| match last {
        Some((known, scripts)) if *known == made_of => scripts.clone(),
        _ => {
            let scripts = ready(scripts, &Values { char, user, original: "" });
            last.insert((made_of, Rc::new(Remembered::of(scripts)))).1.clone()
        }
    })
}

#[cfg(not(target_arch = "wasm32"))]
async fn ready(_: &dyn Clock) -> Ready {
    |scripts, names| Box::new(crate::features::scripts::rules::Rules::of(scripts, names))
}

#[cfg(target_arch = "wasm32")]
pub use page::equip;
#[cfg(target_arch = "wasm32")]
use page::ready;

#[cfg(target_arch = "wasm32")]
mod page {
    use super::{Clock, Ready};
    use crate::{
        features::scripts::rules::Rules,
        turn::brought::{Brought, awaited},
    };

    thread_local! {
        static READY: Brought<Ready> = const { Brought::new(None) };
    }

    /// Called by the part of the page that brings it, as it comes.
    pub fn equip() {
        READY.set(Some(|scripts, names| Box::new(Rules::of(scripts, names))));
    }

    pub(super) async fn ready(clock: &dyn Clock) -> Ready {
        awaited(&READY, clock).await
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::story::script::{For, Place};

    struct Counted {
        runs: Rc<Cell<u32>>,
        minds_depth: bool,
    }

    impl Rewrites for Counted {
        fn rewrite<'t>(&self, text: &'t str, _: At) -> Cow<'t, str> {
            self.runs.set(self.runs.get() + 1);
            text.replace('a', "b").into()
        }

        fn minds_depth(&self) -> bool {
            self.minds_depth
        }
    }

    #[test]
    fn a_text_is_read_once() {
        for (minds_depth, expected) in [(false, [1, 1, 2, 3]), (true, [1, 2, 3, 4])] {
            let runs = Rc::new(Cell::new(0));
            let scripts = Remembered::of(Box::new(Counted { runs: runs.clone(), minds_depth }));
            let read = |text: &str, place, depth| {
                let again = [(); 2].map(|()| scripts.rewrite(text, At { place, reader: For::Eye, depth }).into_owned());
                assert_eq!(again, [text.replace('a', "b"), text.replace('a', "b")]);
                runs.get()
            };
            let counted = [
                read("a", Place::Reply, Some(0)),
                read("a", Place::Reply, Some(2)),
                read("c", Place::Reply, Some(0)),
                read("a", Place::Thoughts, Some(0)),
            ];
            assert_eq!(counted, expected);
        }
        // What is remembered does not grow without end.
        let scripts = Remembered::of(Box::new(Counted { runs: Rc::default(), minds_depth: false }));
        for end in 0..9_u32 {
            let text = "a".repeat(1 << 20) + &end.to_string();
            scripts.rewrite(&text, At { place: Place::Reply, reader: For::Eye, depth: None });
        }
        assert!(scripts.read.borrow().bytes < 6 << 20);
    }
}
