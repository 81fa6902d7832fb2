//! "Summarise" (seed `000`): the session becomes points of the story in two layers, and a new session opens (C5).
//!
//! The story changes in one commit at the end. What the model has told until then lies in a draft, so that whatever
//! breaks off costs the part that was being told, and the next attempt goes on from there.

mod draft;

use std::pin::pin;

pub use draft::Draft;

use futures_util::FutureExt;
use sha2::{Digest, Sha256};

use super::{
    budget::Leave,
    group, meter,
    play::Conductor,
    scene, session,
    stream::{self, Stop, unless},
};
use crate::{
    features::summary,
    ports::{Store, till::Purpose},
    prompt::tokens::{Calibration, estimate},
    provider::{Message, Shape},
    store::{Batch, StoreError, Stored, Table},
    story::{
        company,
        connection::Connection,
        fault::{Fault, FaultKind},
        ids::{SessionId, StorylineId},
        memory::{Kind, Memory},
        settings::Config,
        spending,
        storyline::{Opened, Session, Storyline},
        tree::{Head, Node, Path},
        turn::Turn,
    },
};

/// Tokens that an answer may have, where the connection allows fewer: an answer that is cut tells of fewer turns.
const ANSWER: u32 = 2_048;

/// Turns read at a time.
const WINDOW: u32 = 128;

/// Why the session was not summarised. The story is as before; what the model has told is kept for the next attempt.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SummariseError {
    #[error("nothing has been said in this session")]
    Nothing,
    #[error("a reply is still being written")]
    Streaming,
    /// The reader is elsewhere in the tree by now.
    #[error("the story has gone on meanwhile")]
    Moved,
    /// The model's answer tells nothing; this is how it begins.
    #[error("the answer cannot be used: {excerpt}")]
    Unusable { excerpt: String },
    #[error("{0}")]
    Fault(Fault),
}

impl SummariseError {
    /// What stopped it, where that is none of its own errors.
    pub fn fault(&self) -> Option<&Fault> {
        match self {
            Self::Fault(fault) => Some(fault),
            _ => None,
        }
    }
}

impl From<Fault> for SummariseError {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl From<StoreError> for SummariseError {
    fn from(error: StoreError) -> Self {
        Self::Fault(error.into())
    }
}

/// The part that is being told, from 1, and how many there will be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    pub part: u32,
    pub parts: u32,
}

/// What there is to tell of.
struct Stretch {
    head: Head,
    path: Path,
    session: SessionId,
    /// The summary that the session began with.
    so_far: String,
    /// Positions: the first, and one past the last.
    from: u32,
    end: u32,
    /// The last turn told of.
    last: Node,
    /// The turn at the head that has no reply yet: it will be the new session's first.
    pending: Option<Turn>,
}

impl Stretch {
    /// Whether both end at the same place, by the same reply.
    fn ends_as(&self, other: &Self) -> bool {
        let place = |stretch: &Self| {
            let reply = stretch.last.reply().map(|reply| reply.id.clone());
            (stretch.head.clone(), stretch.session.clone(), stretch.from, stretch.end, reply)
        };
        place(self) == place(other)
    }
}

/// Digest of the turns up to and including one; of that one, its tokens and whether the reader said anything in it.
struct Measured {
    print: String,
    cost: u32,
    is_said: bool,
}

/// Who speaks, and what the model takes.
struct Voices {
    names: company::Voices,
    connection: Connection,
    purpose: Purpose,
}

impl Conductor {
    /// Summarises the session at the head: its points become memories, and a session opens that begins with the summary
    /// and the last turns. `progress` is told of each part before the model is asked for it.
    ///
    /// # Errors
    /// The story is as it was; see [`SummariseError`].
    pub async fn summarise(
        &self,
        id: &StorylineId,
        stop: Stop,
        progress: &dyn Fn(Progress),
    ) -> Result<Storyline, SummariseError> {
        let store = &*self.ports.store;
        self.own(id)?;
        let storyline = self.storyline(id).await?;
        let mut voices = voices(store, &storyline).await?;
        let stretch = stretch(store, &storyline).await?;
        let measured = self.measure(&storyline, &stretch, &voices).await?;
        let costs: Vec<u32> = measured.iter().map(|one| one.cost).collect();
        // An opening alone is no session.
        if !measured.iter().any(|one| one.is_said) {
            return Err(SummariseError::Nothing);
        }

        let mut draft = self.draft(&storyline, &stretch, &measured).await?;
        let leave = Leave::ask(&self.ports, &storyline, spending::Kind::Summary).await?;
        let mut stop = pin!(stop.reason().fuse());
        let mut most = u32::MAX;
        loop {
            leave.holds().await?;
            unless(&mut stop, self.shorten(&storyline, &voices, &mut draft)).await?;
            if draft.next == stretch.end {
                break;
            }
            let rest = &costs[(draft.next - stretch.from) as usize..];
            let room = room(&voices, &draft.summary, &storyline).min(most);
            let chunks = summary::chunks(rest, room);
            progress(Progress { part: draft.parts + 1, parts: draft.parts + chunks.len() as u32 });
            let to = draft.next + chunks[0];
            let asked = rest[..chunks[0] as usize].iter().sum::<u32>().min(room);
            let told = match unless(&mut stop, self.tell(&storyline, &stretch, &voices, &draft, (to, most))).await {
                Err(SummariseError::Fault(fault)) if may_be_shorter(&fault, asked) => {
                    // The model takes less than its connection says: so much less at a time.
                    voices.takes(&fault);
                    most = asked / 2;
                    continue;
                }
                told => told?,
            };
            if told.cut && chunks[0] > 1 {
                // The end of so long an answer did not come: fewer turns at a time.
                most = asked / 2;
                continue;
            }
            draft.summary = told.summary;
            draft.points.extend(told.points);
            draft.next = to;
            draft.parts += 1;
            draft.print.clone_from(&measured[(to - 1 - stretch.from) as usize].print);
            self.own(id)?;
            store.save(&draft).await?;
        }
        self.open_session(id, &stretch, draft).await
    }

    pub(super) fn own(&self, id: &StorylineId) -> Result<(), Fault> {
        let owns = self.ports.tabs.owns(id.as_str());
        owns.then_some(()).ok_or_else(|| Fault::new(FaultKind::TakenOver, ""))
    }

    /// Walks over the stretch: what each turn costs, and what the turns up to it are.
    async fn measure(&self, storyline: &Storyline, stretch: &Stretch, voices: &Voices) -> Stored<Vec<Measured>> {
        let store = &*self.ports.store;
        let mut measured: Vec<Measured> = Vec::new();
        let mut from = stretch.from;
        while from < stretch.end {
            let to = stretch.end.min(from + WINDOW);
            let nodes = scene::window(store, &stretch.path, from, to).await?;
            if nodes.len() as u32 != to - from {
                return Err(StoreError::unreadable(Table::Turns, "a turn is missing"));
            }
            for node in nodes {
                let told = match stretch.path.is_told(node.turn.position) {
                    true => summary::told(&node, voices.names.in_turn(&node), storyline.reader()),
                    false => String::new(),
                };
                let before = measured.last().map_or("", |one| one.print.as_str());
                let print = print(before, &node);
                measured.push(Measured { print, cost: estimate(&told), is_said: node.turn.user.is_some() });
            }
            from = to;
        }
        Ok(measured)
    }

    /// What an earlier attempt has left, where it is about these very turns.
    async fn draft(&self, storyline: &Storyline, stretch: &Stretch, measured: &[Measured]) -> Stored<Draft> {
        let id = draft::id(&storyline.id);
        let kept = readable(self.ports.store.load::<Draft>(&id).await)?.filter(|draft| {
            let told = draft.next.checked_sub(stretch.from + 1).and_then(|last| measured.get(last as usize));
            (&draft.session, draft.from) == (&stretch.session, stretch.from)
                && told.is_some_and(|told| told.print == draft.print)
        });
        Ok(kept.unwrap_or_else(|| Draft {
            id,
            session: stretch.session.clone(),
            from: stretch.from,
            next: stretch.from,
            summary: stretch.so_far.clone(),
            ..Default::default()
        }))
    }

    /// Asks the model for the turns from the draft's end up to `to`, of which a request may have `most` tokens. A turn that
    /// is longer than a request is told in pieces.
    async fn tell(
        &self,
        storyline: &Storyline,
        stretch: &Stretch,
        voices: &Voices,
        draft: &Draft,
        (to, most): (u32, u32),
    ) -> Result<summary::Told, SummariseError> {
        let reader = storyline.reader();
        let nodes = scene::told(&*self.ports.store, &stretch.path, draft.next, to).await?;
        let turns: Vec<String> =
            nodes.iter().map(|node| summary::told(node, voices.names.in_turn(node), reader)).collect();
        let heading = turns.first().and_then(|turn| turn.lines().next()).unwrap_or_default();
        let whole = turns.concat();
        let mut all = summary::Told { summary: draft.summary.clone(), ..Default::default() };
        let mut rest = whole.as_str();
        while !rest.is_empty() {
            let room = room(voices, &all.summary, storyline).min(most);
            let (piece, after) = match turns.len() {
                1 => summary::split(rest, room),
                _ => (rest, ""),
            };
            let goes_on = if rest.len() < whole.len() { format!("{heading}\n……") } else { String::new() };
            let messages = summary::request(&all.summary, &[goes_on, piece.to_owned()], reader);
            let told = self.asked(voices, &messages, &summary::shape(), (draft.next, to - 1)).await?;
            all.summary = match told.summary.as_str() {
                "" => summary::joined(&all.summary, &told.points, reader.language),
                summary => summary.to_owned(),
            };
            all.points.extend(told.points);
            all.cut |= told.cut;
            rest = after;
        }
        Ok(all)
    }

    /// A summary that leaves too little room is told anew, shorter: in parts that each fit.
    async fn shorten(&self, storyline: &Storyline, voices: &Voices, draft: &mut Draft) -> Result<(), SummariseError> {
        let language = storyline.language;
        let budget = voices.budget();
        while estimate(&draft.summary) > summary::longest(budget) {
            let mut shorter = Vec::new();
            let mut rest = draft.summary.as_str();
            while !rest.is_empty() {
                let (part, after) = summary::split(rest, summary::room_to_shorten(budget, language));
                let told = self
                    .asked(voices, &summary::request_shorter(part, language), &summary::shape_shorter(), (0, 0))
                    .await?;
                shorter.push(told.summary);
                rest = after;
            }
            let shorter = shorter.join("\n");
            if shorter.trim().is_empty() || estimate(&shorter) >= estimate(&draft.summary) {
                break;
            }
            draft.summary = shorter;
        }
        Ok(())
    }

    /// What the model answers about these turns.
    async fn asked(
        &self,
        voices: &Voices,
        messages: &[Message],
        shape: &Shape,
        turns: (u32, u32),
    ) -> Result<summary::Told, SummariseError> {
        let (connection, purpose) = (&voices.connection, &voices.purpose);
        let said = stream::shaped(&self.ports, connection, messages, shape, purpose, Stop::never()).await;
        meter::book(&self.ports).await;
        let text = said?.text;
        summary::read(&text, turns)
            .ok_or_else(|| SummariseError::Unusable { excerpt: text.trim().chars().take(80).collect() })
    }

    /// The one commit in which the story changes.
    async fn open_session(&self, id: &StorylineId, told: &Stretch, draft: Draft) -> Result<Storyline, SummariseError> {
        let store = &*self.ports.store;
        let config = readable(store.load::<Config>(Config::ID).await)?.unwrap_or_default().in_range();
        // Meanwhile the reader may have gone elsewhere, and another tab may have become the writer.
        let mut storyline = self.storyline(id).await?;
        let now = stretch(store, &storyline).await?;
        if !now.ends_as(told) {
            return Err(SummariseError::Moved);
        }
        self.own(id)?;
        let at = self.ports.clock.now();
        let turn = &now.last.turn;
        let generation = now.last.reply().map(|reply| reply.id.clone());
        let opened = Opened {
            before: now.session.clone(),
            at: Head { branch: turn.branch.clone(), end: now.end },
            generation: generation.clone(),
            summary: draft.summary,
            carried: config.thresholds.summary_last_n_turns,
            ..Default::default()
        };
        let mut session = Session { id: self.ports.id(), created: at, opened: Some(opened), ..Default::default() };

        let mut batch = Batch::new();
        for point in draft.points {
            let layers = [(Kind::Summary, String::new()), (Kind::Plot, point.detail)];
            for (kind, detail) in
                layers.into_iter().filter(|(kind, detail)| *kind == Kind::Summary || !detail.is_empty())
            {
                batch.push(&Memory {
                    id: self.ports.id(),
                    storyline: id.clone(),
                    session: now.session.clone(),
                    kind,
                    branch: turn.branch.clone(),
                    position: turn.position,
                    generation: generation.clone(),
                    turns: point.turns,
                    text: point.text.clone(),
                    detail,
                    created: at,
                    updated: at,
                    ..Default::default()
                });
            }
        }
        if let Some(turn) = now.pending {
            batch.push(&session::moved(turn, &mut storyline, &mut session));
        }
        storyline.current_session = session.id.clone();
        storyline.sessions.push(session);
        batch.push(&storyline);
        store.commit(batch.delete(Table::Settings, &draft.id)).await?;
        self.ports.tabs.announce(id.as_str());
        Ok(storyline)
    }
}

async fn voices(store: &dyn Store, storyline: &Storyline) -> Result<Voices, Fault> {
    let mut connection = scene::connection(store, storyline).await?;
    let character = group::own(store, storyline).await?.name;
    let answer = match connection.context_tokens {
        0 => ANSWER,
        context => ANSWER.min(context / 2),
    };
    connection.sampling.max_tokens = connection.sampling.max_tokens.map(|tokens| tokens.max(answer));
    let names = group::voices(store, storyline, &character).await?;
    Ok(Voices { names, connection, purpose: meter::purpose(spending::Kind::Summary, storyline) })
}

impl Voices {
    /// Uncalibrated tokens of a request.
    fn budget(&self) -> u32 {
        Calibration::of(&self.connection).unscale(scene::budget(&self.connection))
    }

    /// Takes the provider's word for what the model takes.
    fn takes(&mut self, refused: &Fault) {
        let told = refused.length.map_or(0, |length| length.takes);
        let takes = self.connection.takes(told);
        let Connection { context_tokens, sampling, .. } = &mut self.connection;
        if takes != *context_tokens {
            *context_tokens = takes;
            sampling.max_tokens = sampling.max_tokens.map(|tokens| tokens.min(takes / 2));
        }
    }
}

/// Uncalibrated tokens that a request has for turns.
fn room(voices: &Voices, so_far: &str, storyline: &Storyline) -> u32 {
    summary::room(voices.budget(), so_far, storyline.reader())
}

/// Whether a request that was refused for its length can be made with half of what it was about.
fn may_be_shorter(fault: &Fault, asked: u32) -> bool {
    fault.kind == FaultKind::ContextTooLong && asked / 2 >= summary::LEAST
}

/// The turns of the session at the head, up to the last one that has its reply.
async fn stretch(store: &dyn Store, storyline: &Storyline) -> Result<Stretch, SummariseError> {
    let path = scene::path(store, storyline).await?;
    let tip = scene::window(store, &path, path.end.saturating_sub(2), path.end).await?;
    if tip.last().is_some_and(|head| head.generations.iter().any(|reply| reply.open.is_some())) {
        return Err(SummariseError::Streaming);
    }
    let (last, pending) = session::last_of(tip).ok_or(SummariseError::Nothing)?;
    let end = last.turn.position + 1;
    let session = session::session_at(store, storyline, &path, end).await?;
    let opened = session.and_then(|session| session.opened.as_ref());
    Ok(Stretch {
        head: storyline.head.clone(),
        session: session.map_or(&storyline.current_session, |session| &session.id).clone(),
        so_far: opened.map(|opened| opened.summary.clone()).unwrap_or_default(),
        from: opened.map_or(0, |opened| opened.at.end),
        end,
        path,
        last,
        pending,
    })
}

/// A record, or `None` where there is none that can be read: what the store failed to give is no such.
pub(super) fn readable<R>(read: Stored<Option<R>>) -> Stored<Option<R>> {
    match read {
        Err(error) if error.is_unreadable() => Ok(None),
        read => read,
    }
}

fn print(before: &str, node: &Node) -> String {
    let mut sha = Sha256::new();
    let reply = node.reply();
    let texts = [
        before,
        node.turn.id.as_str(),
        node.turn.user.as_deref().unwrap_or_default(),
        reply.map_or("", |reply| reply.id.as_str()),
        reply.map_or("", |reply| reply.text.as_str()),
    ];
    for text in texts {
        sha.update((text.len() as u64).to_le_bytes());
        sha.update(text);
    }
    sha.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}
