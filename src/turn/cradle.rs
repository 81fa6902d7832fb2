//! The cradle at work (seed `004`; F6): what is due of a character's growth is read, piece by piece.
//!
//! What is due follows from what is stored ([`Cradle::due`]), and each step is entered in the transaction that looks whether
//! it still is: whatever ends it, what is done stays done, and nothing is done twice.

use std::{collections::BTreeMap, pin::pin};

use futures_util::FutureExt;

use super::{
    budget::Leave,
    meter, scene,
    scribe::{Miss, Progress},
    stream::{self, Stop, unless},
};
use crate::{
    exchange::names::tidy_name,
    features::cradle::{
        Ahead, Cradle, Field, Missed, Next, Piece, Step, enter, pieces,
        request::{self, ANSWER, ANSWERED, Said},
    },
    ports::{Ports, till::Purpose},
    prompt::tokens::Calibration,
    store::{Table, changed},
    story::{
        character::Character,
        connection::Connection,
        fault::{Fault, FaultKind},
        ids::CharacterId,
        spending::Kind,
        storyline::Storyline,
    },
};

/// What growing takes from now to the end.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Task {
    /// Whose prices it has.
    pub connection: Connection,
    pub calls: u32,
    /// Estimated, as the connection counts them: of all requests, and of all answers.
    pub prompt_tokens: u32,
    pub answer_tokens: u32,
}

/// What is still to be spent on a character.
///
/// # Errors
/// There is no connection, or the store failed.
pub async fn task(ports: &Ports, character: &Character) -> Result<Task, Fault> {
    let connection = connection(ports).await?;
    let calibration = Calibration::of(&connection);
    let Some(cradle) = Cradle::of(character).filter(|cradle| !cradle.is_ripe()) else { return Ok(Task::default()) };
    let frame = request::frame(character, cradle.language);
    let mut of: BTreeMap<&str, u32> = BTreeMap::new();
    // What was looked at ahead is paid for.
    let shown = cradle.shown(character).map(|ahead| ahead.step.piece.as_ref());
    let mut left = cradle.left();
    left.retain(|piece| shown.flatten() != Some(piece));
    left.iter().for_each(|piece| *of.entry(&piece.feed).or_default() += 1);
    let read =
        cradle.feeds.iter().filter_map(|feed| Some(of.get(feed.id.as_str())? * (feed.tokens / feed.pieces.max(1))));
    // The last is the one by which it becomes whole.
    let calls = left.len() as u32 + u32::from(shown != Some(None));
    let prompt_tokens = calibration.scale(calls * frame + read.sum::<u32>());
    Ok(Task { connection, calls, prompt_tokens, answer_tokens: calibration.scale(calls * ANSWERED) })
}

/// Does all that is due of a character by now. True where something was.
///
/// # Errors
/// What kept the next step from being made; it is kept with the character, too. The character is as it was before that step.
pub async fn grow(ports: &Ports, id: &CharacterId, stop: Stop, progress: &dyn Fn(Progress)) -> Result<bool, Miss> {
    let mut stop = pin!(stop.reason().fuse());
    let mut part = 0;
    loop {
        let character = ports.store.load::<Character>(id.as_str()).await.map_err(Fault::from)?;
        let Some(character) = character.filter(|character| character.deleted.is_none()) else { return Ok(part > 0) };
        let due = Cradle::of(&character).and_then(|cradle| Some((cradle.due(ports.clock.now())?, cradle)));
        let Some((next, cradle)) = due else { return Ok(part > 0) };
        part += 1;
        progress(Progress { part, parts: part + cradle.left().len() as u32 });
        let done = unless(&mut stop, step(ports, &character, &cradle, next)).await;
        meter::book(ports).await;
        if let Err(miss) = done {
            // Whoever stopped it knows, and what is not here is no matter of the others'.
            let stays = |fault: &Fault| matches!(fault.kind, FaultKind::Stopped | FaultKind::Elsewhere);
            if !miss.fault().is_some_and(stays) {
                let (at, fault) = (ports.clock.now(), miss.fault().cloned());
                let note = |cradle: &mut Cradle| {
                    let times = cradle.missed.as_ref().map_or(0, |before| before.times) + 1;
                    cradle.missed = Some(Missed { at, fault, times });
                };
                change(ports, id, false, note).await?;
            }
            return Err(miss);
        }
        ports.tabs.announce(id.as_str());
    }
}

/// Asks for the next step before its time, to be looked at: what it would change waits with the character.
///
/// # Errors
/// What kept it from being made.
pub async fn look_ahead(ports: &Ports, id: &CharacterId, stop: Stop) -> Result<(), Miss> {
    let mut stop = pin!(stop.reason().fuse());
    let character = ports.store.load::<Character>(id.as_str()).await.map_err(Fault::from)?;
    let Some(character) = character.filter(|character| character.deleted.is_none()) else { return Ok(()) };
    let planned = Cradle::of(&character).and_then(|cradle| Some((cradle.planned()?.1, cradle)));
    let Some((next, cradle)) = planned else { return Ok(()) };
    let asked = unless(&mut stop, ask(ports, &character, &cradle, next.clone())).await;
    meter::book(ports).await;
    let (step, said) = asked?;
    let (ahead, language) = (Ahead::of(&character, step, said), cradle.language);
    let keep = |cradle: &mut Cradle| {
        // It may have gone on meanwhile, or is to be written in another language.
        if cradle.language == language && cradle.planned().is_some_and(|(_, now)| now == next) {
            (cradle.ahead, cradle.missed) = (Some(ahead), None);
        }
    };
    Ok(change(ports, id, false, keep).await?)
}

async fn step(ports: &Ports, character: &Character, cradle: &Cradle, next: Next) -> Result<(), Miss> {
    let (step, said) = match cradle.shown(character).cloned() {
        // It is paid for, and was shown.
        Some(Ahead { step, said, .. }) => (Step { at: ports.clock.now(), ..step }, said),
        None => ask(ports, character, cradle, next).await?,
    };
    let (at, told) = (step.at, character);
    let enter = |character: &mut Character| {
        if enter(character, step, &said, told) {
            character.updated = at;
        }
    };
    ports.store.amend(character.id.as_str(), enter).await.map_err(Fault::from)?;
    Ok(())
}

/// What a step says, and what it took.
async fn ask(ports: &Ports, character: &Character, cradle: &Cradle, next: Next) -> Result<(Step, Said), Miss> {
    // What is not a story's is bound by the day alone.
    let nobodys = Storyline::default();
    Leave::ask(ports, &nobodys, Kind::Cradle).await?;
    let connection = connection(ports).await?;
    let (messages, shape, fields, piece) = match next {
        Next::Read(piece) => {
            let (messages, piece) = (reading(ports, character, cradle, &piece).await?, Some(piece));
            (messages, request::shape_of_read(), &Field::GROWING[..], piece)
        }
        Next::Ripen => (request::ripen(character, cradle.language), request::shape_of_ripen(), &Field::RIPE[..], None),
    };
    // There is nothing to read where its text is lost.
    if messages.is_empty() {
        return Ok((Step { at: ports.clock.now(), piece, ..Step::default() }, Said::default()));
    }
    let purpose = Purpose { kind: Kind::Cradle, ..Purpose::default() };
    let said = stream::shaped(ports, &connection, &messages, &shape, &purpose, Stop::never()).await?;
    let mut read = request::answer(&said.text, fields).ok_or(Miss::Unusable)?;
    for (_, name) in read.fields.iter_mut().filter(|(field, _)| *field == Field::Name) {
        *name = tidy_name(name).0;
    }
    let (model, usage) = (said.model, said.usage.unwrap_or_default());
    Ok((Step { at: ports.clock.now(), piece, model, usage, ..Step::default() }, read))
}

/// What is asked of a piece; nothing where its text is gone.
async fn reading(
    ports: &Ports,
    character: &Character,
    cradle: &Cradle,
    Piece { feed, number }: &Piece,
) -> Result<Vec<crate::provider::Message>, Fault> {
    let Some(feed) = cradle.feeds.iter().find(|known| known.id == *feed) else { return Ok(Vec::new()) };
    let doc = ports.store.get(Table::Blobs, feed.blob.as_str()).await?;
    if doc.is_none() && ports.store.get(Table::Sync, changed::ME).await?.is_some() {
        return Err(Fault::new(FaultKind::Elsewhere, ""));
    }
    let bytes = doc.and_then(|doc| doc.bytes).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let Some(piece) = pieces(&text).get(*number as usize).copied() else { return Ok(Vec::new()) };
    Ok(request::read(character, feed, piece, (number + 1, feed.pieces), cradle.language))
}

async fn connection(ports: &Ports) -> Result<Connection, Fault> {
    let mut connection = scene::connection(&*ports.store, &Storyline::default()).await?;
    connection.sampling.max_tokens = connection.sampling.max_tokens.map(|tokens| tokens.max(ANSWER));
    Ok(connection)
}

/// Changes what is kept of a character's growth, as it is by now.
///
/// # Errors
/// The store failed: it is as it was.
pub async fn amend(ports: &Ports, id: &CharacterId, by: impl FnOnce(&mut Cradle)) -> Result<(), Fault> {
    change(ports, id, true, by).await
}

/// `stamps`: it is a change of the character.
async fn change(ports: &Ports, id: &CharacterId, stamps: bool, by: impl FnOnce(&mut Cradle)) -> Result<(), Fault> {
    let now = ports.clock.now();
    let change = |character: &mut Character| {
        if let Some(mut cradle) = Cradle::of(character) {
            by(&mut cradle);
            cradle.keep(character);
            if stamps {
                character.updated = now;
            }
        }
    };
    ports.store.amend(id.as_str(), change).await?;
    ports.tabs.announce(id.as_str());
    Ok(())
}
