//! Warming up: a browser compiles for speed what has run often enough, beside the work and on the same cores, and in the
//! midst of that a search takes three times as long. So the keeper asks itself while nobody else does.

use super::{
    Keeper,
    entry::{self, Entry},
    find,
    story::{Names, Story},
    vectors::Embedded,
};
use crate::{
    ports::recall::{Request, Search, Words},
    store::{Stored, from_text},
    story::{ids::StorylineId, storyline::Storyline, tree::Path},
};

/// After so many rounds a search runs at speed: for the moment after a start.
pub const SOON: u32 = 40;
/// After so many, what is left to compile runs seldom or is small.
pub const THOROUGH: u32 = 250;
/// Texts that each asks for, as a turn does.
const HITS: u32 = 5;

impl Keeper {
    /// Asks a storyline what it says itself, and takes that in where nobody keeps it, as long as `is_quiet` and until it
    /// has done so in so many `rounds`, in whatever story; and once in each. Whoever asks then finds the view made and the
    /// program compiled.
    ///
    /// # Errors
    /// The store could not be read.
    pub async fn warm_up(&self, id: &StorylineId, rounds: u32, is_quiet: &dyn Fn() -> bool) -> Stored<()> {
        let shelf = self.kept(id);
        let mut scratch = Story::default();
        while is_quiet() && !(shelf.is_warm.get() && rounds <= self.rounds.get()) {
            let Some(words) = self.newest_words(id).await? else { return Ok(()) };
            let Some(storyline) = self.store.load::<Storyline>(id.as_str()).await? else { return Ok(()) };
            let Ok(path) = Path::of(&self.branches(id).await?, &storyline.head) else { return Ok(()) };
            let (until, text) = (path.end, words.text.clone());
            let search = Search { storyline: id.clone(), until, path, words, limit: HITS, ..Search::default() };
            self.ask_in_writing(Request::Search(search)).await;
            take_in(&mut scratch, id, self.rounds.get(), text);
            shelf.is_warm.set(true);
            self.rounds.set(self.rounds.get() + 1);
        }
        Ok(())
    }

    /// What was taken in last, with a vector where there are any.
    async fn newest_words(&self, id: &StorylineId) -> Stored<Option<Words>> {
        let shelf = self.kept(id);
        let kept = shelf.kept.lock().await;
        let Some(story) = kept.story.as_ref() else { return Ok(None) };
        let newest: Vec<_> = story.live().last().map(|entry| (entry, 0)).into_iter().collect();
        let vector = kept.embedded.values().map(Embedded::any).next();
        let newest = find::texts_of_units(&*self.store, story, &newest).await?.pop();
        Ok(newest.map(|newest| Words { text: newest.text, vector, ..Words::default() }))
    }

    /// As a page asks, which is elsewhere: a text comes, and a text goes.
    async fn ask_in_writing(&self, request: Request) -> Option<String> {
        let request = from_text(&serde_json::to_string(&request).ok()?).ok()?;
        // What fails here is said to whoever asks next.
        let answer = self.answer(request).await.ok()?;
        serde_json::to_string(&answer).ok()
    }
}

/// Takes in a turn, and makes what would be written of it.
fn take_in(scratch: &mut Story, id: &StorylineId, round: u32, text: String) {
    let number = round.to_string();
    let said =
        entry::Turn { position: round, id: number.as_str().into(), user: Some(text.clone()), ..Default::default() };
    let replied = entry::Reply { position: round, id: number.as_str().into(), text, ..Default::default() };
    for (entry, text) in [Entry::of_turn(&said), Entry::of_reply(&replied)] {
        scratch.take(entry, &text, &Names::default(), 0);
    }
    scratch.write(id);
}
