//! The open story as the page sees it: a window of turns, and what stands in the composer.

use std::{borrow::Cow, rc::Rc, sync::Arc};

use leptos::prelude::*;

use super::Editing;
use crate::{
    locales::Saying,
    story::{
        ids::{CharacterId, GenerationId, StorylineId, TurnId},
        preset::Preset,
        script::{At, For, Place as Reads, Rewrites, depth_shown},
        storyline::Storyline,
        tree::{Head, Node, Path},
    },
    turn::{scribe::Progress, stream::Stopper, unsent::Unsent},
};

/// Turns kept in the page at a time.
pub const WINDOW: u32 = 60;
/// Turns loaded where a story opens: a screen of them. A page of them is there once these are seen.
pub const SCREEN: u32 = 8;
/// Turns loaded where one jumps to, and at the end once that is seen.
pub const PAGE: u32 = 20;

/// A turn anywhere in the library; with a reply, as it is seen with that one.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    pub storyline: StorylineId,
    pub turn: TurnId,
    pub reply: Option<GenerationId>,
    pub position: u32,
}

/// One turn on the page. The node changes while its reply streams; the key stays.
#[derive(Clone, Copy, PartialEq)]
pub struct TurnView {
    pub position: u32,
    pub node: RwSignal<Arc<Node>>,
    pub editing: RwSignal<Option<Editing>>,
}

#[derive(Clone, Copy)]
pub struct Story {
    pub storyline: RwSignal<Option<Storyline>>,
    /// What it is told by.
    pub preset: RwSignal<Preset>,
    pub path: RwSignal<Arc<Path>>,
    /// The end of the branch that the path ends in, where it goes on after the path.
    pub tip: RwSignal<Option<Head>>,
    /// The loaded stretch, in order, without gaps.
    pub turns: RwSignal<Vec<TurnView>>,
    /// The storylines that a turn of this tab is being played in, and what stops each. None of them waits for another:
    /// a turn that never ends is the trouble of its own story.
    pub taken: StoredValue<Vec<(StorylineId, Stopper)>, LocalStorage>,
    /// The same once the page says so: with the place of the reply, for to draw it earlier would keep the reader's words
    /// and the request waiting.
    pub playing: RwSignal<Vec<StorylineId>>,
    /// The turns that a plan is being made for.
    pub planning: RwSignal<Vec<(StorylineId, TurnId)>>,
    /// The storylines that the scribe of this tab reads in, how far it has come where it catches up, and what stops it.
    pub scribing: RwSignal<Vec<(StorylineId, Option<Progress>)>>,
    pub scribe_stops: StoredValue<Vec<(StorylineId, Stopper)>, LocalStorage>,
    /// The storylines in which something is being taken back that are not open.
    pub returning: StoredValue<Vec<StorylineId>>,
    /// Whether this tab may write.
    pub writer: RwSignal<bool>,
    /// The storyline that is on its way to the page, and whether other tabs told of it meanwhile.
    pub opening: StoredValue<Option<StorylineId>>,
    pub told: StoredValue<bool>,
    pub missing: RwSignal<bool>,
    /// The reader is at the end: the page follows what comes.
    pub at_end: RwSignal<bool>,
    /// The page is on its way to a turn: what it scrolls past is not loaded.
    pub jumping: StoredValue<bool>,
    /// Where the next story that opens is to be shown.
    pub wanted: StoredValue<Option<Place>>,
    /// What stands in the composer.
    pub composed: RwSignal<String>,
    /// Who hears it, of several: with none all who are there.
    pub whisper: RwSignal<Vec<CharacterId>>,
    /// The story that was open last: another one's words are whispered to nobody.
    pub last: StoredValue<String>,
    /// What a status bar put there last.
    pub suggested: StoredValue<String>,
    pub unsent: Typed,
    pub palette: Palette,
    /// What is shown is read through it.
    pub through: RwSignal<Option<Through>, LocalStorage>,
    /// Only the story is seen, without its machinery.
    pub reading: RwSignal<bool>,
    pub aloud: Aloud,
    /// News from other tabs that are being taken in; none where it is 0.
    pub news: StoredValue<u32>,
    /// Rises with every reply that is chosen: what was read before the last one is not shown.
    pub choices: StoredValue<u32>,
    /// Rises with every story opened: answers for an earlier one are dropped.
    pub version: StoredValue<u64>,
}

/// Regex scripts as they run for the eye.
#[derive(Clone)]
pub struct Through(pub Rc<dyn Rewrites>);

impl Story {
    /// A text of the turn at `position` as it is shown.
    pub fn shown(&self, text: String, place: Reads, position: u32) -> String {
        self.through.with(|through| {
            let Some(Through(scripts)) = through else { return text };
            let depth = scripts.minds_depth().then(|| depth_shown(self.path.with(|path| path.end), position, place));
            match scripts.rewrite(&text, At { place, reader: For::Eye, depth }) {
                Cow::Borrowed(_) => text.clone(),
                Cow::Owned(text) => text,
            }
        })
    }
}

/// What of the story is being read aloud, in parts that the first page has anyway.
#[derive(Clone, Copy)]
pub struct Aloud {
    /// The sentences of a turn, one a line; empty: nothing is read.
    pub lines: RwSignal<String>,
    pub position: RwSignal<u32>,
    /// The sentence that is said; after the last, the next turn follows.
    pub at: RwSignal<usize>,
    pub is_paused: RwSignal<bool>,
    /// Rises with each sentence that is asked for: what was asked for before is not gone on with.
    pub round: StoredValue<u64>,
}

impl Aloud {
    fn new() -> Self {
        Self {
            lines: RwSignal::default(),
            position: RwSignal::default(),
            at: RwSignal::default(),
            is_paused: RwSignal::default(),
            round: StoredValue::new(0),
        }
    }

    pub fn is_on(self) -> bool {
        !self.lines.with(String::is_empty)
    }

    /// The sentence that is said.
    pub fn sentence(self) -> Option<String> {
        self.lines.with(|lines| lines.lines().nth(self.at.get()).map(str::to_owned))
    }
}

/// The commands that the words in the composer may become.
#[derive(Clone, Copy, Default)]
pub struct Palette {
    /// The one that is marked.
    pub at: RwSignal<usize>,
    pub fault: RwSignal<Option<Saying>>,
    /// The story and the line that is being done in it, or that one was a moment ago.
    pub doing: StoredValue<String>,
    /// How many lines were done: the moment after one ends not before that of a later one.
    pub done: StoredValue<u32>,
}

/// What is done to them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Press {
    Step(isize),
    Complete,
    Do,
    /// The reply goes on.
    GoOn,
}

impl Story {
    pub fn new() -> Self {
        Self {
            storyline: RwSignal::default(),
            preset: RwSignal::default(),
            path: RwSignal::default(),
            tip: RwSignal::default(),
            turns: RwSignal::default(),
            taken: StoredValue::new_local(Vec::new()),
            playing: RwSignal::default(),
            planning: RwSignal::default(),
            scribing: RwSignal::default(),
            scribe_stops: StoredValue::new_local(Vec::new()),
            returning: StoredValue::default(),
            writer: RwSignal::new(true),
            opening: StoredValue::new(None),
            told: StoredValue::new(false),
            missing: RwSignal::new(false),
            at_end: RwSignal::new(true),
            jumping: StoredValue::new(false),
            wanted: StoredValue::new(None),
            composed: RwSignal::default(),
            whisper: RwSignal::default(),
            last: StoredValue::default(),
            palette: Palette::default(),
            through: RwSignal::new_local(None),
            suggested: StoredValue::new(String::new()),
            unsent: Typed::new(),
            reading: RwSignal::new(false),
            aloud: Aloud::new(),
            news: StoredValue::new(0),
            choices: StoredValue::new(0),
            version: StoredValue::new(0),
        }
    }

    /// A turn that is on the page.
    pub fn node_of(self, turn: &TurnId) -> Option<RwSignal<Arc<Node>>> {
        let is_this = |view: &&TurnView| view.node.with_untracked(|node| node.turn.id == *turn);
        self.turns.with_untracked(|turns| turns.iter().rev().find(is_this).map(|view| view.node))
    }

    /// What `find` makes of the newest turn of which it makes anything. While the page shows an earlier stretch only, that is
    /// what it was at the end; where that was not seen, what the stretch has.
    pub fn newest<V>(self, find: fn(&Node) -> Option<V>) -> Memo<Option<V>>
    where
        V: Clone + PartialEq + Send + Sync + 'static,
    {
        // Along which path, whether it is of its end, and what it is.
        let along = Memo::new(move |before: Option<&(Arc<Path>, bool, Option<V>)>| {
            let path = self.path.get();
            let (is_end, found) = self.turns.with(|turns| {
                let found = turns.iter().rev().find_map(|turn| turn.node.with(|node| find(node)));
                (turns.last().is_none_or(|last| path.end <= last.position + 1), found)
            });
            match before.filter(|(along, was_end, _)| !is_end && *was_end && *along == path) {
                Some((_, _, was)) => (path, true, was.clone()),
                None => (path, is_end, found),
            }
        });
        Memo::new(move |_| along.with(|(.., newest)| newest.clone()))
    }
}

#[derive(Clone, Copy)]
pub struct Typed {
    /// What is kept of it; `None` where that is not known.
    pub kept: StoredValue<Option<String>>,
    /// Whom it is whispered to, as it is kept.
    pub kept_whisper: StoredValue<Vec<CharacterId>>,
    /// It will be kept in a moment.
    pub waits: StoredValue<bool>,
    /// It is on its way to become a turn, which takes it out of what is kept.
    pub is_sent: StoredValue<bool>,
    /// What is kept is not read yet; and what a page has left, as it was found. What is typed meanwhile comes after both.
    pub unread: StoredValue<Option<Option<Unsent>>>,
}

impl Typed {
    pub fn new() -> Self {
        Self {
            kept: StoredValue::new(None),
            kept_whisper: StoredValue::default(),
            waits: StoredValue::new(false),
            is_sent: StoredValue::new(false),
            unread: StoredValue::new(None),
        }
    }
}
