//! What the past has to say to a turn (B8, C3, C4): asked of the memory, within its time, told in the prompt.

use std::{cell::RefCell, future::Future};

use futures_util::{FutureExt, join, select_biased};

use super::{embed, expand, scene::Loaded};
use crate::{
    modules::{
        director::{self, Stance},
        reading, recall,
    },
    ports::{
        Ports,
        recall::{Among, Hit, Request, Search, Words},
    },
    prompt::{
        context::Entry,
        draft::Draft,
        sources::{self, messages_of},
        tokens::{Calibration, estimate},
    },
    story::{
        Millis,
        fault::{Fault, FaultKind},
        preset::Block,
        storyline::RecallPolicy,
        warning::{Cause, Notice},
    },
};

/// Seed `001`: milliseconds that a turn waits for its memories.
const TIME_LIMIT: u32 = 1_500;

/// Utterances before the reader's that join the search.
const EARLIER: usize = 2;

/// Tenths of the prompt's room that history surely has.
const SURE: u32 = 6;

/// Looks into the past for what `loaded` is about to answer, and puts what is found into its context. What goes wrong or
/// takes too long is said in the notices that come back, and costs the memories alone.
pub(super) async fn recall(ports: &Ports, loaded: &mut Loaded) -> Vec<Notice> {
    let Some(input) = loaded.history.last().and_then(|node| node.turn.user.clone()) else { return Vec::new() };
    let until = ports.clock.now() + Millis::from(TIME_LIMIT);
    let notices = Notices::default();
    let (recalled, reminder) =
        join!(recalled(ports, until, &notices, loaded, &input), reminder(ports, until, &notices, loaded));
    if let Some(lines) = recalled {
        loaded.context.put_entries("recall", lines);
    }
    if let Some(reminder) = reminder {
        loaded.context.put_entries(sources::REMINDER, reminder);
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

/// What fits the reader's words, where the storyline's policy asks for it.
async fn recalled(ports: &Ports, until: Millis, notices: &Notices, loaded: &Loaded, input: &str) -> Option<Vec<Entry>> {
    let settings = loaded.storyline.recall(&loaded.preset);
    let asked = recall::asked(input, settings.policy)?;
    let mut words = recall::words(&asked, said_before(loaded));
    if settings.expand {
        words.expansions =
            within(ports, until, expand::expansions(ports, loaded, &asked.text)).await.unwrap_or_default();
    }
    let wanted = Search {
        until: told_from(loaded),
        limit: settings.limit,
        in_detail: asked.in_detail,
        summaries_first: settings.policy == RecallPolicy::Asked,
        ..Search::default()
    };
    let request = here(loaded, wanted);
    let found = search(ports, until, notices, words, &request).await;
    Some(recall::lines(&found, asked.in_detail, loaded.storyline.language))
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

/// Searches by words, and by likeness too where an embedding server answers in time. What the words have found is there
/// whatever the server does.
async fn search(
    ports: &Ports,
    until: Millis,
    notices: &Notices,
    words: Words,
    request: &dyn Fn(Words) -> Request,
) -> Vec<Hit> {
    let by_words = within(ports, until, ports.recall.hits(request(words.clone())));
    let vector = async {
        match embed::embedder(&*ports.store).await {
            Some(connection) => Some(within(ports, until, embed::question(ports, &connection, &words.text)).await),
            None => None,
        }
    };
    let (mut hits, vector) = join!(by_words, vector);
    match vector {
        Some(Ok(vector)) => {
            let words = Words { vector: Some(vector), ..words };
            if let Ok(better) = within(ports, until, ports.recall.hits(request(words))).await {
                hits = Ok(better);
            }
        }
        Some(Err(fault)) => notices.miss(fault),
        None => {}
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

/// The first turn that the prompt holds anyway: what is before it may be recalled. A turn near that border may be left
/// out of the prompt after all, for want of room; so the border is drawn where the room is surely enough.
fn told_from(loaded: &Loaded) -> u32 {
    let end = loaded.path.end;
    let Some(last) = loaded.history.last() else { return end };
    let whole = |block: &&Block| {
        block.enabled && block.marker.as_deref().is_some_and(|name| sources::marker_name(name) == sources::HISTORY)
    };
    let from = |block: &Block| {
        let counted = block.turns.map_or(0, |turns| end.saturating_sub(turns + 1));
        let newest = loaded.history.iter().rev();
        let own = || newest.clone().take_while(|node| node.turn.session == last.turn.session).last();
        let begins = sources::history::begins(loaded.opened.as_ref(), block);
        let begins = begins.or_else(|| block.current_session.then(own)?.map(|node| node.turn.position));
        if block.current_session && loaded.newest.is_none() {
            return begins.unwrap_or(end).max(counted);
        }
        let room = Calibration::of(&loaded.connection).unscale(loaded.budget()) / 10 * SURE;
        let mut tokens = 0;
        let told = newest.clone().take_while(|node| {
            tokens += messages_of(node).iter().map(|(_, text)| estimate(text)).sum::<u32>();
            tokens <= room
        });
        told.last().map_or(end, |node| node.turn.position).max(begins.unwrap_or(0)).max(counted)
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
        search(ports, until, notices, words.clone(), &request),
        search(ports, until, notices, words.clone(), &elsewhere),
    );
    Some(director::reminder(point, &content, &own, &others, language))
}

/// What is `wanted` of that which is visible from here.
fn here(loaded: &Loaded, wanted: Search) -> impl Fn(Words) -> Request + use<> {
    let search = Search {
        storyline: loaded.storyline.id.clone(),
        path: loaded.path.clone(),
        asking: loaded.history.last().map(|node| node.turn.id.clone()),
        ..wanted
    };
    move |words| Request::Search(Search { words, ..search.clone() })
}
