//! What fits: a prompt is measured against what its connection takes before anything is sent, and told shorter where
//! the reader asks for the newest turns only.

use super::{limits, scene, scene::Loaded, stream::Ending};
use crate::{
    prompt::{
        framework::{self, Prompt},
        tokens::Calibration,
    },
    provider::CUT,
    story::{
        account::Account,
        connection::Connection,
        fault::{Fault, FaultKind, Length},
        generation::{Generation, finish},
    },
};

/// Tokens of a prompt that counts as long where nobody knows what the model takes: local servers often take 4,096, the
/// reply included.
const LONG: u32 = 3_000;

/// The prompt, and whether it may be sent. What a summary has carried along gives way, the session itself does not.
pub(super) fn fitted(loaded: &mut Loaded) -> (Prompt, Result<(), Fault>) {
    let whole = measured(loaded);
    let carried = loaded.opened.as_ref().map_or(0, |opened| opened.carried);
    if whole.1.is_ok() || carried == 0 {
        return whole;
    }
    // Without any of them first: mostly it is the session that is too long.
    let least = carrying(loaded, 0);
    if least.1.is_err() {
        return whole;
    }
    let more = (1..carried).rev().map(|carried| carrying(loaded, carried)).find(|(_, held)| held.is_ok());
    more.unwrap_or(least)
}

fn carrying(loaded: &mut Loaded, carried: u32) -> (Prompt, Result<(), Fault>) {
    if let Some(opened) = &mut loaded.opened {
        opened.carried = carried;
    }
    measured(loaded)
}

fn measured(loaded: &Loaded) -> (Prompt, Result<(), Fault>) {
    let prompt = framework::assemble(&loaded.scene(), loaded.budget());
    let held = held(&prompt.account, loaded).and_then(|()| limits::hold(&prompt.account, &loaded.config.limits));
    (prompt, held)
}

/// A prompt that the connection does not take is not sent. Where it was trimmed and is too long all the same, nothing is
/// left to give way: then it may take the room of the reply too, which is a guess.
fn held(account: &Account, loaded: &Loaded) -> Result<(), Fault> {
    let (connection, prompt) = (&loaded.connection, account.total_tokens);
    let is_trimmed = loaded.newest.is_some() || loaded.budget() <= scene::budget(connection);
    let bare = is_trimmed && prompt > loaded.budget();
    let over = |takes: u32| {
        let reply = if takes == 0 || bare { 0 } else { takes - scene::budget_of(connection, takes) };
        let length = Length { prompt, reply, takes, bare };
        Err(Fault { length: Some(length), ..Fault::new(FaultKind::OverContext, "") })
    };
    if let Some(refused) = refused(loaded).filter(|_| bare && loaded.newest.is_some())
        && prompt >= cost(refused, connection)
    {
        return over(takes(connection, Some(refused)));
    }
    match connection.context_tokens {
        0 => Ok(()),
        context if prompt > context || !bare && prompt > scene::budget(connection) => over(context),
        _ => Ok(()),
    }
}

/// Tokens for the newest turns and all that goes with them, after the whole was too long.
pub(super) fn newest_room(loaded: &Loaded) -> u32 {
    let Loaded { connection, config, .. } = loaded;
    let refused = refused(loaded);
    let room = match takes(connection, refused) {
        0 => u32::MAX,
        takes => scene::budget_of(connection, takes),
    };
    let room = room.min(config.limits.max_total_tokens);
    // What the provider would not take although it seems to fit, or although nobody knows what fits: half of that.
    let seemed_to_fit = refused.map(|refused| cost(refused, connection)).filter(|cost| *cost <= room);
    seemed_to_fit.map_or(room, |cost| cost / 2)
}

/// The newest reply to this turn that its connection's provider refused for its length.
fn refused(loaded: &Loaded) -> Option<&Generation> {
    let Loaded { connection, history, .. } = loaded;
    let by_this =
        |reply: &Generation| reply.connection.as_ref() == Some(&connection.id) && reply.model == connection.model;
    let for_length =
        |reply: &Generation| reply.fault.as_ref().is_some_and(|fault| fault.kind == FaultKind::ContextTooLong);
    history.last()?.generations.iter().rev().find(|reply| by_this(reply) && for_length(reply))
}

/// How an answer has ended. Some servers say that all is well before they measure the prompt, and then break off without
/// a word: where it is nearly as long as the model takes, or long and nobody knows what that is, it was most likely too
/// long. Half of that is enough where the server itself ended it: models count Chinese twice as high as others.
pub(super) fn ended(ending: Ending, reply: &Generation, connection: &Connection) -> Ending {
    let (is_lost, is_closed) = match &ending {
        Ending::Done => (true, true),
        Ending::Fault(fault) => (fault.kind == FaultKind::ConnectionLost, fault.detail == CUT),
    };
    let is_silent = reply.text.is_empty() && reply.reasoning.is_empty();
    let is_unexplained = reply.usage.is_none() && reply.finish.as_deref().is_none_or(|name| name == finish::STOP);
    let prompt = reply.prompt.map_or(0, |prompt| prompt.tokens);
    let is_long = match connection.context_tokens {
        0 => prompt >= LONG,
        _ => u64::from(prompt) * 4 >= u64::from(scene::budget(connection)) * if is_closed { 2 } else { 3 },
    };
    if !(is_lost && is_silent && is_unexplained && is_long) {
        return ending;
    }
    let length = Some(Length { prompt, ..Length::default() });
    Ending::Fault(Fault { length, ..Fault::new(FaultKind::ContextTooLong, "") })
}

/// Whether the provider has said of a reply's prompt that it is too long.
pub(super) fn is_refused(reply: &Generation) -> bool {
    reply.fault.as_ref().is_some_and(|fault| fault.kind == FaultKind::ContextTooLong && !fault.is_guess())
}

/// What a prompt costs that broke off without a word, now that a shorter one was answered: no less than all that the model
/// takes. Its tokens as they are estimated, and that. Who counts the tokens says it better.
pub(super) fn outgrown(loaded: &Loaded, answered: &Generation) -> Option<(u32, u32)> {
    let refused = refused(loaded)?;
    let is_told = loaded.newest.is_some() && answered.usage.is_none() && !answered.text.is_empty();
    let is_guess = refused.fault.as_ref().is_some_and(Fault::is_guess);
    let takes = loaded.connection.context_tokens;
    (is_told && is_guess && takes > 0).then_some((refused.prompt?.raw_tokens, takes))
}

/// What its prompt costs, as it is reckoned by now.
fn cost(refused: &Generation, connection: &Connection) -> u32 {
    let raw = refused.prompt.map_or(0, |prompt| prompt.raw_tokens);
    Calibration::of(connection).scale(raw)
}

/// What the model takes, prompt and reply together: as the connection says, or less where its provider said so; 0 = not
/// known.
fn takes(connection: &Connection, refused: Option<&Generation>) -> u32 {
    let told = refused.and_then(|refused| refused.fault.as_ref()?.length).map_or(0, |length| length.takes);
    connection.takes(told)
}
