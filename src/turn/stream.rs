//! Streams one reply: bytes → deltas → store → view, in this order.

use std::{future::Future, pin::pin, sync::Arc};

use futures_channel::oneshot;
use futures_util::{
    FutureExt, StreamExt,
    future::{FusedFuture, OptionFuture, Shared},
    select_biased, stream,
};

use super::{
    play::{Show, Shown},
    wire::{Answer, Wire, ask, key, learn, timeout},
};
use crate::{
    ports::{Ports, till::Purpose},
    provider::{Begun, Delta, Message, Shape, StreamDecoder, Takes},
    store::{Batch, StoreError},
    story::{
        Millis,
        connection::Connection,
        fault::{Fault, FaultKind},
        generation::{Generation, Status},
    },
};

/// How a stream ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Ending {
    Done,
    Fault(Fault),
}

/// Stops a running turn, from outside. Dropping it stops nothing.
pub struct Stopper(Option<oneshot::Sender<FaultKind>>);

impl Stopper {
    pub fn stop(&mut self, reason: FaultKind) {
        if let Some(sender) = self.0.take() {
            // The turn may have ended by itself meanwhile.
            let _ = sender.send(reason);
        }
    }
}

/// The other end of a `Stopper`: of one turn, or of several that follow each other.
#[derive(Clone)]
pub struct Stop(Shared<oneshot::Receiver<FaultKind>>);

pub fn stopper() -> (Stopper, Stop) {
    let (sender, receiver) = oneshot::channel();
    (Stopper(Some(sender)), Stop(receiver.shared()))
}

impl Stop {
    /// A turn that nobody can stop.
    pub fn never() -> Self {
        stopper().1
    }

    pub(super) async fn reason(mut self) -> FaultKind {
        self.pressed().await
    }

    /// Why it is stopped, once it is.
    pub(super) async fn pressed(&mut self) -> FaultKind {
        match self.0.clone().await {
            Ok(reason) => reason,
            Err(oneshot::Canceled) => std::future::pending().await,
        }
    }
}

/// What the work gives, unless it is stopped.
pub(super) async fn unless<T, E: From<Fault>>(
    mut stop: &mut (impl FusedFuture<Output = FaultKind> + Unpin),
    work: impl Future<Output = Result<T, E>>,
) -> Result<T, E> {
    select_biased! {
        reason = stop => Err(Fault::new(reason, "").into()),
        done = pin!(work.fuse()) => done,
    }
}

/// Milliseconds between two pieces of a reply on the page: each costs a write and a frame, and nobody reads faster.
const PACE: Millis = 100;

/// The same where more comes than anybody reads along.
const BRISK: Millis = 160;
/// Bytes in a second: fifty Chinese characters or thirty English words.
const BEYOND_READING: u64 = 150;

/// The same where so many bytes came since the last: the whole of it is near, and it is read on as it comes.
const FAST: Millis = 50;
const AT_ONCE: usize = 256;

/// Milliseconds that a read takes where nothing has come yet: the line is slower than the page, and what comes next is
/// left to be read together, once this is shown.
const WAITED: Millis = 2;

/// Milliseconds between two words to the other tabs that there is more to read.
const ANNOUNCE: Millis = 100;

/// Streams an answer into `generation` until the end. Each piece is committed before `show` hears of it; a checkpoint
/// that fails is tried again with the next piece, and shows nothing; where there is no room for it twice, the stream ends,
/// for what else came could not be kept. With nobody to show to, nothing is committed.
pub async fn run(
    ports: &Ports,
    mut answer: Answer<'_>,
    generation: &mut Generation,
    stop: Stop,
    show: Option<Show<'_>>,
) -> Ending {
    let mut begun = std::mem::take(&mut answer.begun);
    let ending = receive(ports, answer, generation, &mut begun, stop, show).await;
    generation.text.push_str(&begun.finish());
    ending
}

async fn receive(
    ports: &Ports,
    answer: Answer<'_>,
    generation: &mut Generation,
    begun: &mut Begun,
    stop: Stop,
    show: Option<Show<'_>>,
) -> Ending {
    let Answer { connection, key, is_shaped, left_out, response, mut meter, .. } = answer;
    generation.note_left_out(left_out);
    let timeout = timeout(connection);
    let mut stop = Box::pin(stop.reason().fuse());
    let decoder = StreamDecoder::new(connection.kind, response.header("content-type"));
    let mut decoder = decoder.hiding(key.as_deref()).shaped(is_shaped);
    let mut body = response.body.fuse();
    let mut heard = ports.clock.now();
    let mut watch = ports.clock.sleep(timeout as u32).fuse();
    let (mut due, mut owed) = (OptionFuture::from(None), OptionFuture::from(None));
    let (mut dirty, mut rests, mut full) = (false, false, false);
    let (mut asked, mut shown, mut announced) = (heard, 0, 0);
    let mut told = length(generation);
    let (mut steady, mut hurries) = (PACE, false);
    let (mut filtered, from) = (None, generation.text.len());
    loop {
        let is_near = length(generation) >= told + AT_ONCE;
        if let (true, Some(show)) = (dirty, show)
            && (due.is_terminated() || is_near && !hurries)
        {
            hurries = is_near;
            let since = ports.clock.now().saturating_sub(shown);
            let pace = if hurries { FAST } else { steady };
            let wait = ports.clock.sleep(pace.saturating_sub(since) as u32);
            due = Some(wait.map(move |()| show).fuse()).into();
        }
        let mut more = OptionFuture::from((!rests).then(|| body.next()));
        select_biased! {
            reason = stop => return Ending::Fault(Fault::new(reason, "")),
            show = due => if let Some(show) = show {
                due = None.into();
                if !ports.tabs.owns(generation.storyline.as_str()) {
                    return Ending::Fault(Fault::new(FaultKind::TakenOver, ""));
                }
                match checkpoint(ports, generation, show).await {
                    Ok(_) => (dirty, full) = (false, false),
                    Err(error) if full && error.is_full() => return Ending::Fault(error.into()),
                    Err(error) => (dirty, full) = (true, error.is_full()),
                }
                let (before, known) = (shown, told);
                (shown, told) = (ports.clock.now(), length(generation));
                let is_brisk = told.saturating_sub(known) as u64 * 1000 >= BEYOND_READING * shown.saturating_sub(before);
                steady = if is_brisk { BRISK } else { PACE };
                if std::mem::take(&mut rests) {
                    asked = shown;
                }
                if shown >= announced + ANNOUNCE {
                    announced = shown;
                    ports.tabs.announce(generation.storyline.as_str());
                } else if owed.is_terminated() {
                    // Nothing may come for long after it.
                    owed = Some(ports.clock.sleep((announced + ANNOUNCE - shown) as u32).fuse()).into();
                }
            },
            told = owed => if told.is_some() {
                owed = None.into();
                announced = ports.clock.now();
                ports.tabs.announce(generation.storyline.as_str());
            },
            chunk = more => if let Some(chunk) = chunk {
                heard = ports.clock.now();
                // After the end sign the line has nothing more to say, and may break.
                let chunk = chunk.filter(|chunk| chunk.is_ok() || !decoder.is_complete());
                let deltas = match &chunk {
                    Some(Ok(bytes)) => decoder.push(bytes),
                    Some(Err(_)) => Vec::new(),
                    None => decoder.finish(),
                };
                for delta in deltas {
                    match delta {
                        Ok(delta) => {
                            meter.hear(&delta);
                            if let Delta::Finish(finish) = &delta {
                                filtered = finish.fault();
                            }
                            dirty |= absorb(generation, begun, from, delta, heard);
                        }
                        Err(fault) => {
                            meter.refused();
                            return Ending::Fault(fault);
                        }
                    }
                }
                let is_slow = heard >= asked + WAITED && length(generation) < told + AT_ONCE;
                rests = dirty && show.is_some() && is_slow;
                asked = heard;
                let ended = match chunk {
                    // Some servers keep the line open after the protocol's end.
                    Some(Ok(_)) => decoder.is_closed(),
                    Some(Err(fault)) => return Ending::Fault(fault),
                    None => true,
                };
                if ended {
                    return filtered.map_or(Ending::Done, Ending::Fault);
                }
            },
            () = watch => {
                let silent = ports.clock.now().saturating_sub(heard);
                if silent < timeout {
                    watch = ports.clock.sleep((timeout - silent) as u32).fuse();
                } else if decoder.is_complete() {
                    body = stream::empty().boxed_local().fuse();
                } else {
                    return Ending::Fault(Fault::new(FaultKind::Stalled, ""));
                }
            },
        }
    }
}

/// The text of a reply that is no part of the story: nothing of it is stored or shown.
///
/// # Errors
/// It did not come whole.
pub async fn text(ports: &Ports, wire: Wire<'_>, stop: Stop) -> Result<String, Fault> {
    aside(ports, wire, stop).await.map(|reply| reply.text)
}

/// The same with its model and what it took.
///
/// # Errors
/// It did not come whole.
pub async fn aside(ports: &Ports, wire: Wire<'_>, mut stop: Stop) -> Result<Generation, Fault> {
    let answer = ask(ports, wire, &mut stop).await?;
    whole(ports, answer, stop).await
}

/// The same of an answer in a shape. So much of it is asked for as the model is known to take; where the server refuses
/// that, so much less, and that is learnt of the connection.
///
/// # Errors
/// It did not come whole, in whatever shape.
pub async fn shaped(
    ports: &Ports,
    connection: &Connection,
    messages: &[Message],
    shape: &Shape,
    purpose: &Purpose,
    mut stop: Stop,
) -> Result<Generation, Fault> {
    let key = key(ports, connection).await?;
    let known = Takes::of(connection);
    let mut takes = known;
    loop {
        let wire = Wire::shaped(connection, key.clone(), messages, Some((shape, takes)), purpose.clone())?;
        match ask(ports, wire, &mut stop).await {
            Ok(answer) => {
                if takes != known {
                    learn(ports, connection, |one| takes.store(one)).await;
                }
                return whole(ports, answer, stop).await;
            }
            Err(fault) if fault.kind == FaultKind::BadRequest => {
                takes = takes.less(connection.kind).ok_or(fault)?;
            }
            Err(fault) => return Err(fault),
        }
    }
}

async fn whole(ports: &Ports, answer: Answer<'_>, stop: Stop) -> Result<Generation, Fault> {
    let mut generation = Generation { model: answer.connection.model.clone(), ..Default::default() };
    let ending = run(ports, answer, &mut generation, stop, None).await;
    match ending {
        Ending::Done => Ok(generation),
        Ending::Fault(fault) => Err(fault),
    }
}

/// Bytes of what has come.
fn length(generation: &Generation) -> usize {
    generation.text.len() + generation.reasoning.len()
}

async fn checkpoint(ports: &Ports, generation: &Generation, show: Show<'_>) -> Result<(), StoreError> {
    ports.store.commit(Batch::relaxed().put(generation)).await?;
    show(Shown::Reply(Arc::new(generation.clone())));
    Ok(())
}

/// Takes a delta in; true if there is something new to show. `from`: where the answer begins in the text.
fn absorb(generation: &mut Generation, begun: &mut Begun, from: usize, delta: Delta, now: Millis) -> bool {
    match delta {
        Delta::WasThought => {
            let thought = begun.without(&generation.text.split_off(from)) + &begun.restart();
            generation.reasoning.push_str(&thought);
            generation.first_text = None;
            true
        }
        Delta::Text(text) => {
            generation.first_text.get_or_insert(now);
            generation.text.push_str(&begun.push(text));
            true
        }
        Delta::Reasoning(text) => {
            generation.reasoning.push_str(&text);
            true
        }
        Delta::Usage(usage) => {
            generation.usage = Some(usage);
            false
        }
        Delta::Finish(finish) => {
            generation.finish = Some(finish.name().to_owned());
            false
        }
        Delta::Unread { events, excerpt } => {
            generation.note_unread(events, excerpt);
            false
        }
        Delta::Model(model) => {
            generation.model = model;
            false
        }
    }
}

/// Sets a reply's end (A4). Whatever text came is kept.
pub fn close(generation: &mut Generation, ending: Ending, now: Millis) {
    generation.open = None;
    generation.finished = Some(now);
    let blank = generation.text.trim().is_empty();
    (generation.status, generation.fault) = match ending {
        Ending::Done if blank => (Status::Empty, None),
        Ending::Done => (Status::Done, None),
        Ending::Fault(fault) => {
            use FaultKind::*;
            // The reader or the network broke it off: it can go on. A prompt that was too long waits for the reader to say
            // what shall be left out. All else is the provider's refusal.
            let interrupted = match fault.kind {
                Stopped | TabClosed | TakenOver | ConnectionLost | Stalled | Offline => true,
                OverContext | ContextTooLong => true,
                Filtered => !blank,
                _ => false,
            };
            let status = if interrupted { Status::Interrupted } else { Status::Error };
            (status, Some(fault))
        }
    };
}
