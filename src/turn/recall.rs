//! What the past has to say to a turn (B8, C3, C4): asked of the memory, within its time, told in the prompt.

use std::{
    cell::RefCell,
    collections::BTreeMap,
    future::{Future, ready},
};

use futures_util::{FutureExt, join, select_biased};

use super::{
    embed, expand, fit,
    scene::{self, Loaded, Question},
};
use crate::{
    features::{
        director::{self, Stance},
        reading,
        recall::{self, Names, RecallPolicy, RecallSettings},
    },
    memory::sentences,
    ports::{
        Ports,
        recall::{Among, Hit, Request, Search, Source, Words},
    },
    prompt::{
        Scene, budget,
        context::{Contribution, Entry, Priority},
        draft::Draft,
        framework,
        sources::{self, history, messages_of},
        steady::Steady,
        tokens::{Calibration, estimate},
    },
    store::{Table, decode},
    story::{
        Millis,
        fault::{Fault, FaultKind},
        generation::Generation,
        ids::GenerationId,
        preset::{Block, Role},
        spending::Kind,
        warning::{Cause, Notice},
    },
};

/// Seed `001`: milliseconds that a turn waits for its memories.
pub(super) const TIME_LIMIT: u32 = 1_500;

/// Those of them that the last search of a turn keeps for itself: what it waits for comes before, or counts for nothing.
const LAST_SEARCH: Millis = 250;

/// As long waits a turn for what it is always told, where it asks its memory for nothing.
const PINNED: Millis = 400;

/// Utterances before the reader's that join the search.
const EARLIER: usize = 2;

/// What stands nearer than this many tokens to the border of the history may be counted to either side of it.
const MARGIN: u32 = 64;

/// Looks into the past for what `loaded` is about to answer, and puts what is found into its context. What goes wrong or
/// takes too long is said in the notices that come back, and costs the memories alone.
pub(super) async fn recall(ports: &Ports, loaded: &mut Loaded) -> Vec<Notice> {
    // Where one more speaks, what was said last is answered.
    let said_last = || said_before(loaded).into_iter().next().filter(|_| loaded.group.is_some());
    let Some(input) = loaded.history.last().and_then(|node| node.turn.user.clone()).or_else(said_last) else {
        return Vec::new();
    };
    let until = ports.clock.now() + Millis::from(TIME_LIMIT);
    let notices = Notices::default();
    if let Some(Question { answer: Err(fault), .. }) = &loaded.question {
        notices.miss(fault.clone());
    }
    let (recalled, reminder) =
        join!(recalled(ports, until, &notices, loaded, &input), reminder(ports, until, &notices, loaded));
    if let Some(lines) = recalled {
        loaded.context.put_entries("recall", lines);
    }
    if let Some(reminder) = reminder {
        loaded.context.put_entries(director::REMINDER, reminder);
    }
    notices.0.into_inner()
}

/// What several searches that run at a time have to say.
#[derive(Default)]
struct Notices(RefCell<Vec<Notice>>);

impl Notices {
    /// Each fault once: one server that is down is down for all of them.
    fn miss(&self, fault: Fault) {
        let notice = Notice { module: recall::NAME.to_owned(), cause: Cause::NotRecalled { fault } };
        let mut said = self.0.borrow_mut();
        if !said.contains(&notice) {
            said.push(notice);
        }
    }
}

/// What fits the reader's words, where the storyline's policy asks for it; and what the reader wants told always.
async fn recalled(ports: &Ports, until: Millis, notices: &Notices, loaded: &Loaded, input: &str) -> Option<Vec<Entry>> {
    let settings: RecallSettings = loaded.storyline.settings(&loaded.preset);
    let Some(asked) = recall::asked(input, settings.policy) else { return pinned(ports, until, loaded).await };
    let free = free(loaded);
    let room = share(loaded, settings.share).min(free / 2);
    let words = recall::words(&asked, said_before(loaded), sentences);
    let expansions = async {
        if !settings.expand {
            return Vec::new();
        }
        let asked = expand::expansions(ports, loaded, &asked.text);
        within(ports, until.saturating_sub(LAST_SEARCH), asked).await.unwrap_or_default()
    };
    let wanted = Search {
        until: told_from(loaded, free - room),
        limit: settings.limit,
        room,
        in_detail: asked.in_detail,
        summaries_first: settings.policy == RecallPolicy::Asked,
        ..Search::default()
    };
    let request = here(loaded, wanted);
    let mut found = search(ports, until, notices, loaded, (words, expansions), &request).await;
    read_through_scripts(loaded, &mut found);
    let voices = voices(ports, loaded, &found).await;
    let names =
        Names { reader: loaded.storyline.reader().told().plain, character: &loaded.character.name, others: &voices };
    let lines = |found: &[Hit]| recall::lines(found, asked.in_detail, names, loaded.storyline.language);
    let begins = loaded.opened.as_ref().map_or(0, |opened| opened.at.end.saturating_sub(opened.carried));
    let first = loaded.scene().recap().map_or(0..0, |recap| begins..recap.from);
    // What the memory does not need the history has: a turn that comes in by that is not told twice.
    loop {
        let told = lines(&found);
        let cost: u32 = told.iter().map(|line| estimate(&line.text) + 1).sum();
        let until = told_from(loaded, (free - cost.min(free)).saturating_sub(MARGIN));
        let before = found.len();
        found.retain(|hit| hit.pinned || hit.kind.is_some() || !first.contains(&hit.position) && hit.position < until);
        if found.len() == before {
            return Some(told);
        }
    }
}

/// What the reader wants told always, where nothing else is recalled.
async fn pinned(ports: &Ports, until: Millis, loaded: &Loaded) -> Option<Vec<Entry>> {
    let request = here(loaded, Search { among: Among::Memories, until: loaded.path.end, ..Search::default() });
    let until = until.min(ports.clock.now() + PINNED);
    // Most have none, and a story that asks its memory for nothing has no word of it.
    let found = within(ports, until, ports.recall.hits(request(Words::default()))).await.unwrap_or_default();
    let found: Vec<Hit> = found.into_iter().filter(|hit| hit.pinned).collect();
    let names = Names {
        reader: loaded.storyline.reader().told().plain,
        character: &loaded.character.name,
        others: &BTreeMap::new(),
    };
    (!found.is_empty()).then(|| recall::lines(&found, false, names, loaded.storyline.language))
}

/// What was said is recalled as the history tells it, in the words that the story's scripts leave of it.
fn read_through_scripts(loaded: &Loaded, found: &mut Vec<Hit>) {
    let scene = loaded.scene();
    for hit in found.iter_mut() {
        let role = match hit.source {
            Source::User(_) => Role::User,
            Source::Reply(_) => Role::Assistant,
            Source::Memory(_) => continue,
        };
        hit.text = history::said_at(&scene, hit.position, role, hit.text.as_str()).into_owned();
    }
    found.retain(|hit| !hit.text.trim().is_empty());
}

/// Who said what was found, where several speak.
async fn voices(ports: &Ports, loaded: &Loaded, found: &[Hit]) -> BTreeMap<GenerationId, String> {
    let mut voices = BTreeMap::new();
    let Some(group) = &loaded.group else { return voices };
    let reply = |hit: &Hit| match &hit.source {
        Source::Reply(id) => Some(id.to_string()),
        _ => None,
    };
    let ids: Vec<String> = found.iter().filter_map(reply).collect();
    // What cannot be read any more is nobody's.
    voices.extend(ids.iter().map(|id| (id.as_str().into(), String::new())));
    for doc in ports.store.get_many(Table::Generations, &ids).await.unwrap_or_default() {
        if let Ok(reply) = decode::<Generation>(doc.value) {
            voices.insert(reply.id, group.name_of(reply.speaker.as_ref()).to_owned());
        }
    }
    voices
}

/// Uncalibrated tokens of what the model reads, of a share in percent.
pub(super) fn share(loaded: &Loaded, percent: u32) -> u32 {
    // Where its provider has said what it takes, of that.
    let takes = scene::budget(&loaded.connection).min(loaded.budget()).min(fit::newest_room(loaded));
    (u64::from(Calibration::of(&loaded.connection).unscale(takes)) * u64::from(percent.min(100)) / 100) as u32
}

/// Uncalibrated tokens that are left for memory and history by all that goes before them.
fn free(loaded: &Loaded) -> u32 {
    let last = loaded.history.len().saturating_sub(1);
    let whole = loaded.scene();
    let first = whole.recap().map_or(0, |recap| recap.from);
    let first = loaded.history[..last].partition_point(|node| node.turn.position < first);
    let head = if loaded.head.is_empty() { &loaded.history[..first] } else { &loaded.head };
    let scene = Scene { history: &loaded.history[last..], head, opened: None, ..whole };
    let bare = framework::snapshot(&scene, u32::MAX);
    let goes_before = |entry: &&Contribution| Priority::HISTORY <= entry.priority;
    let taken: u32 = bare.entries.iter().filter(goes_before).map(budget::cost).sum();
    Calibration::of(&loaded.connection).unscale(loaded.budget()).saturating_sub(taken)
}

/// What a future gives, if it gives it before `until`.
pub(super) async fn within<T>(
    ports: &Ports,
    until: Millis,
    future: impl Future<Output = Result<T, Fault>>,
) -> Result<T, Fault> {
    let left = until.saturating_sub(ports.clock.now());
    let mut time = ports.clock.sleep(left.try_into().unwrap_or(TIME_LIMIT)).fuse();
    let mut future = std::pin::pin!(future.fuse());
    select_biased! {
        outcome = future => outcome,
        () = time => Err(Fault::new(FaultKind::Stalled, "")),
    }
}

/// Searches by words, and by likeness and other words too where an embedding server and a model answer in time. What the
/// words have found is there whatever those do.
async fn search(
    ports: &Ports,
    until: Millis,
    notices: &Notices,
    loaded: &Loaded,
    (words, expansions): (Words, impl Future<Output = Vec<String>>),
    request: &dyn Fn(Words) -> Request,
) -> Vec<Hit> {
    let by_words = within(ports, until, ports.recall.hits(request(words.clone())));
    let vector = async {
        if let Some(known) = loaded.question.as_ref().filter(|known| known.text == words.text) {
            return Some(known.answer.clone());
        }
        match embed::embedder(&*ports.store).await {
            Some(connection) => {
                let paid = loaded.purpose.also(Kind::Embedding);
                Some(within(ports, until, embed::question(ports, &connection, &words.text, &paid)).await)
            }
            None => None,
        }
    };
    let (mut hits, vector, expansions) = join!(by_words, vector, expansions);
    let vector = match vector {
        Some(Ok(vector)) => Some(vector),
        Some(Err(fault)) => {
            notices.miss(fault);
            None
        }
        None => None,
    };
    if vector.is_some() || !expansions.is_empty() {
        let words = Words { vector, expansions, ..words };
        if let Ok(better) = within(ports, until, ports.recall.hits(request(words))).await {
            hits = Ok(better);
        }
    }
    hits.unwrap_or_else(|fault| {
        notices.miss(fault);
        Vec::new()
    })
}

/// The utterances before the reader's, the newest first.
fn said_before(loaded: &Loaded) -> Vec<String> {
    let past = loaded.history.iter().rev().skip(1);
    let said = past.flat_map(|node| messages_of(node).into_iter().rev().map(|(_, text)| reading::narrative(text)));
    said.take(EARLIER).collect()
}

/// The first turn that a history of `room` uncalibrated tokens holds: what is before it may be recalled.
fn told_from(loaded: &Loaded, room: u32) -> u32 {
    let end = loaded.path.end;
    let Some(last) = loaded.history.last() else { return end };
    let scene = loaded.scene();
    let whole = |block: &&Block| {
        block.enabled && block.marker.as_deref().is_some_and(|name| sources::marker_name(name) == sources::HISTORY)
    };
    let from = |block: &Block| {
        let recap = history::recap(&scene, block);
        let counted = block.turns.map_or(0, |turns| end.saturating_sub(turns + 1));
        // The turn to answer has its room.
        let newest = loaded.history.iter().rev();
        let own = || newest.clone().take_while(|node| node.turn.session == last.turn.session).last();
        let begins = sources::history::begins(loaded.opened.as_ref(), block);
        let begins = begins.or_else(|| block.current_session.then(own)?.map(|node| node.turn.position));
        // What it stands for may be recalled.
        let begins = recap.map(|recap| recap.to).or(begins);
        if block.current_session && loaded.newest.is_none() {
            return begins.unwrap_or(end).max(counted);
        }
        let mut tokens = 0;
        let told = newest.clone().enumerate().take_while(|(nth, node)| {
            if 0 < *nth {
                tokens += history::piece(&scene, block, node, false).tokens;
            }
            tokens <= room
        });
        let first = told.map(|(_, node)| node).last().map_or(end, |node| node.turn.position);
        // Of a story that is told whole nothing is left out, though who speaks did not hear its beginning.
        let begins_whole = begins.unwrap_or(0).max(loaded.history.first().map_or(0, |node| node.turn.position));
        let first = first.max(begins.unwrap_or(0)).max(counted);
        // Told as the framework tells it: what it leaves out at once, the memory may bring.
        Steady::of(&scene, block).filter(|_| begins_whole < first).map_or(first, |steady| steady.begin(first, end - 1))
    };
    loaded.preset.blocks.iter().filter(whole).map(from).min().unwrap_or(end)
}

/// The director's reminder, where it is due (seed `000`, the fallback).
async fn reminder(ports: &Ports, until: Millis, notices: &Notices, loaded: &Loaded) -> Option<Vec<Entry>> {
    let (storyline, threshold) = (&loaded.storyline, loaded.config.thresholds.rag_fallback_threshold);
    let outline = &loaded.background.as_ref()?.story_outline;
    let stance = director::stance(storyline, &loaded.preset, &loaded.state.plot, outline, threshold);
    let Stance::Reminds { point, .. } = stance else { return None };
    let scene = loaded.scene();
    let content = Draft::new(&scene).source_text(&outline.get(point.checked_sub(1)? as usize)?.content);
    let language = storyline.language;
    let words = Words { text: director::question(point, &content, language), ..Words::default() };
    let wanted = Search {
        until: loaded.path.end,
        among: Among::Memories,
        limit: director::EVENTS,
        summaries_first: true,
        ..Search::default()
    };
    let request = here(loaded, wanted);
    let elsewhere = |words| Request::Others {
        storyline: loaded.storyline.id.clone(),
        character: loaded.storyline.speaker(loaded.speaker.as_ref()).clone(),
        background: loaded.storyline.background.clone(),
        words,
        // Some of them may tell what is told of this one.
        limit: director::REFERENCES + director::EVENTS,
    };
    let (own, others) = join!(
        search(ports, until, notices, loaded, (words.clone(), ready(Vec::new())), &request),
        search(ports, until, notices, loaded, (words.clone(), ready(Vec::new())), &elsewhere),
    );
    Some(director::reminder(point, &content, &own, &others, language))
}

/// What is `wanted` of that which is visible from here.
fn here(loaded: &Loaded, wanted: Search) -> impl Fn(Words) -> Request + use<> {
    let search = Search {
        storyline: loaded.storyline.id.clone(),
        path: loaded.path.clone(),
        unheard: loaded.unheard().to_vec(),
        speaker: loaded.storyline.speaker(loaded.speaker.as_ref()).clone(),
        asking: loaded.history.last().map(|node| node.turn.id.clone()),
        ..wanted
    };
    move |words| Request::Search(Search { words, ..search.clone() })
}
