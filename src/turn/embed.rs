//! Embeddings: of what is asked, within a turn; and of what was said, in the background.

use std::pin::pin;

use futures_util::{FutureExt, StreamExt, future::LocalBoxFuture, select_biased};

use super::{budget::Leave, lore, meter, wire};
use crate::{
    ports::{
        Ports, Store,
        recall::{Embedding, Extent},
        till,
    },
    provider::{Purpose, batches, counted_embeddings, embedding_request, has_too_many},
    story::{
        connection::Connection,
        fault::{Fault, FaultKind},
        ids::StorylineId,
        settings::{Connections, Preferences},
        spending::Kind,
        storyline::Storyline,
    },
};

/// Texts that lack a vector, asked for at a time.
const PAGE: u32 = 64;

/// Attempts at one request, and milliseconds before the second; each further one waits twice as long.
const ATTEMPTS: u32 = 4;
const WAIT: u32 = 1_000;
/// Seconds. Whoever asks for more is left in peace: the fault says until when, and what is lacking is made the next time.
const LONGEST_WAIT: u32 = 60;

/// Bytes of an answer: 64 vectors of 4,096 numbers are 4 MB of text.
const MAX_ANSWER: usize = 32 << 20;

/// The connection that makes embeddings, if the reader chose one.
pub async fn embedder(store: &dyn Store) -> Option<Connection> {
    let chosen = store.load::<Preferences>(Preferences::ID).await.ok()??.embedding_connection?;
    let connections = store.load::<Connections>(Connections::ID).await.ok()??;
    connections.list.into_iter().find(|connection| connection.id == chosen)
}

/// What tells one embedder's vectors from another's.
pub fn embedder_name(connection: &Connection) -> String {
    format!("{} {} {}", connection.kind.name(), connection.url, connection.model)
}

/// The vector of a question.
pub(super) async fn question(
    ports: &Ports,
    connection: &Connection,
    text: &str,
    paid: &till::Purpose,
) -> Result<Embedding, Fault> {
    let vector = vectors(ports, connection, &[text], Purpose::Query, paid).await?.pop().unwrap_or_default();
    Ok(Embedding { embedder: embedder_name(connection), vector })
}

/// Embeds what a storyline has that lacks a vector, its lorebooks first, then what was said, the newest first, until
/// nothing does. `progress` hears after each request of these. What was done stays done: cut short, it goes on from there
/// the next time.
///
/// # Errors
/// The server failed several times in a row, or gave vectors that do not fit: nothing of those is stored.
pub async fn embed_due(
    ports: &Ports,
    storyline: &StorylineId,
    stopped: &dyn Fn() -> bool,
    progress: &dyn Fn(Extent),
) -> Result<Extent, Fault> {
    let Some(connection) = embedder(&*ports.store).await else { return Ok(Extent::default()) };
    let embedder = embedder_name(&connection);
    let Some(story) = ports.store.load::<Storyline>(storyline.as_str()).await? else { return Ok(Extent::default()) };
    let paid = meter::purpose(Kind::Embedding, &story);
    lore::meaning::embed_due(ports, &story, &connection, stopped, &paid).await?;
    let mut leave = None;
    loop {
        let lacking = ports.recall.lacking(storyline, &embedder, PAGE).await?;
        if lacking.is_empty() || stopped() {
            return ports.recall.catch_up(storyline, &embedder).await;
        }
        match &leave {
            None => leave = Some(Leave::ask(ports, &story, Kind::Embedding).await?),
            Some(leave) => leave.holds().await?,
        }
        let texts: Vec<&str> = lacking.iter().map(|lacking| lacking.text.as_str()).collect();
        for run in batches(&connection, &texts) {
            let made = patiently(ports, &connection, &texts[run.clone()], &paid).await;
            meter::book(ports).await;
            let made = made?;
            let keyed = lacking[run].iter().map(|lacking| lacking.unit.clone()).zip(made).collect();
            progress(ports.recall.embed(storyline, &embedder, keyed).await?);
        }
    }
}

/// Tries again what may work the next time; what are too many at a time in halves.
pub(super) fn patiently<'a>(
    ports: &'a Ports,
    connection: &'a Connection,
    texts: &'a [&'a str],
    paid: &'a till::Purpose,
) -> LocalBoxFuture<'a, Result<Vec<Vec<f32>>, Fault>> {
    Box::pin(async move {
        match tried(ports, connection, texts, paid).await {
            Err(fault) if texts.len() > 1 && has_too_many(&fault) => {
                let (first, second) = texts.split_at(texts.len() / 2);
                let mut made = patiently(ports, connection, first, paid).await?;
                made.extend(patiently(ports, connection, second, paid).await?);
                Ok(made)
            }
            made => made,
        }
    })
}

async fn tried(
    ports: &Ports,
    connection: &Connection,
    texts: &[&str],
    paid: &till::Purpose,
) -> Result<Vec<Vec<f32>>, Fault> {
    for wait in (1..ATTEMPTS).map(|attempt| WAIT << (attempt - 1)) {
        match vectors(ports, connection, texts, Purpose::Passage, paid).await {
            Err(fault) => match pause(&fault, wait) {
                Some(pause) => ports.clock.sleep(pause).await,
                None => return Err(fault),
            },
            made => return made,
        }
    }
    vectors(ports, connection, texts, Purpose::Passage, paid).await
}

/// Milliseconds until it is worth another attempt; `None`: it is not.
fn pause(fault: &Fault, wait: u32) -> Option<u32> {
    match fault.retry_after {
        _ if !may_pass(fault.kind) => None,
        Some(seconds) => (seconds <= LONGEST_WAIT).then(|| seconds * 1_000),
        None => Some(wait),
    }
}

fn may_pass(kind: FaultKind) -> bool {
    use FaultKind::{ConnectionLost, Offline, ProviderDown, RateLimited, Stalled, Unreachable};
    matches!(kind, ConnectionLost | Offline | ProviderDown | RateLimited | Stalled | Unreachable)
}

/// Nobody waits for ever.
async fn vectors(
    ports: &Ports,
    connection: &Connection,
    texts: &[&str],
    purpose: Purpose,
    paid: &till::Purpose,
) -> Result<Vec<Vec<f32>>, Fault> {
    let mut watch = ports.clock.sleep(wire::timeout(connection) as u32).fuse();
    select_biased! {
        made = pin!(answered(ports, connection, texts, purpose, paid).fuse()) => made,
        () = watch => Err(Fault::new(FaultKind::Stalled, "")),
    }
}

async fn answered(
    ports: &Ports,
    connection: &Connection,
    texts: &[&str],
    purpose: Purpose,
    paid: &till::Purpose,
) -> Result<Vec<Vec<f32>>, Fault> {
    let key = wire::key(ports, connection).await?;
    let request = embedding_request(connection, key.as_deref(), texts, purpose)?;
    let response = ports.llm.send(request).await?;
    if !(200..300).contains(&response.status) {
        return Err(wire::read_fault(ports, connection.kind, response, key.as_deref()).await);
    }
    let (mut bytes, mut body) = (Vec::new(), response.body);
    while let Some(chunk) = body.next().await {
        bytes.extend(chunk?);
        if bytes.len() > MAX_ANSWER {
            return Err(Fault::new(FaultKind::NotTheProtocol, "an answer of absurd length"));
        }
    }
    let (vectors, tokens) = counted_embeddings(&String::from_utf8_lossy(&bytes), texts.len(), key.as_deref())?;
    meter::embedded(ports, connection, paid.clone(), texts, tokens);
    Ok(vectors)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_of_hours_is_nobodys() {
        let asked = |kind, retry_after| pause(&Fault { retry_after, ..Fault::new(kind, "") }, WAIT);
        assert_eq!(asked(FaultKind::RateLimited, None), Some(1_000));
        assert_eq!(asked(FaultKind::RateLimited, Some(17)), Some(17_000));
        assert_eq!(asked(FaultKind::RateLimited, Some(60)), Some(60_000));
        for seconds in [61, 7_200, u32::MAX] {
            assert_eq!(asked(FaultKind::RateLimited, Some(seconds)), None);
        }
        assert_eq!(asked(FaultKind::WrongKey, Some(1)), None);
    }
}
