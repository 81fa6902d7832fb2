//! One request on its way: out to the provider, until the head of an answer is there.

use std::borrow::Cow;

use futures_util::{FutureExt, StreamExt, select_biased};

use super::{meter::Meter, stream::Stop};
use crate::{
    ports::{Ports, WireRequest, WireResponse, till::Purpose},
    provider::{self, Begun, Manners, Message, Shape, Takes},
    story::{
        Millis,
        connection::{Connection, ProviderKind},
        fault::{Fault, FaultKind},
        sampling::Refused,
        settings::Connections,
        warning::LeftOut,
    },
};

/// Seconds without a byte where the connection names none.
const DEFAULT_TIMEOUT: u32 = 120;

/// Bytes of an error's body that are read.
const MAX_ERROR_BYTES: usize = 64 << 10;

/// The connection's key, `None` where it needs none.
///
/// # Errors
/// `KeyMissing`: it is locked, it is gone, or there is none and the provider answers nobody without.
pub async fn key(ports: &Ports, connection: &Connection) -> Result<Option<String>, Fault> {
    match ports.vault.key(&connection.id).await? {
        None if provider::wants_key(connection) => Err(Fault::new(FaultKind::KeyMissing, "")),
        key => Ok(key),
    }
}

/// A request that is to be sent.
pub struct Wire<'a> {
    connection: &'a Connection,
    messages: &'a [Message],
    shape: Option<(&'a Shape, Takes)>,
    purpose: Purpose,
    request: WireRequest,
    key: Option<String>,
}

impl<'a> Wire<'a> {
    /// The request for these messages.
    ///
    /// # Errors
    /// The connection's address or key is none.
    pub fn new(
        connection: &'a Connection,
        key: Option<String>,
        messages: &'a [Message],
        purpose: Purpose,
    ) -> Result<Self, Fault> {
        Self::shaped(connection, key, messages, None, purpose)
    }

    /// The same for an answer of a shape, of which so much is asked for.
    pub(super) fn shaped(
        connection: &'a Connection,
        key: Option<String>,
        messages: &'a [Message],
        shape: Option<(&'a Shape, Takes)>,
        purpose: Purpose,
    ) -> Result<Self, Fault> {
        let request = provider::shaped_request(connection, key.as_deref(), messages, shape)?;
        Ok(Self { connection, messages, shape, purpose, request, key })
    }

    /// The same with the connection's key out of the vault.
    ///
    /// # Errors
    /// As for [`key`] and [`Self::new`].
    pub async fn unlocked(
        ports: &Ports,
        connection: &'a Connection,
        messages: &'a [Message],
        purpose: Purpose,
    ) -> Result<Self, Fault> {
        Self::new(connection, key(ports, connection).await?, messages, purpose)
    }
}

/// Milliseconds without a byte after which an answer counts as stalled.
pub(super) fn timeout(connection: &Connection) -> Millis {
    Millis::from(match connection.timeout_seconds {
        0 => DEFAULT_TIMEOUT,
        seconds => seconds,
    }) * 1_000
}

/// The head of an answer that is none of a refusal, with what is needed to read on.
pub struct Answer<'a> {
    pub(super) connection: &'a Connection,
    pub(super) key: Option<String>,
    pub(super) is_shaped: bool,
    pub(super) left_out: Vec<LeftOut>,
    pub(super) begun: Begun,
    pub(super) response: WireResponse,
    pub(super) meter: Meter<'a>,
}

/// Whether a refusal speaks of the shape that was asked for.
fn is_of_shape(fault: &Fault) -> bool {
    const WORDS: [&str; 5] = ["json", "response_format", "schema", "tool_choice", "structured"];
    let words = fault.detail.to_lowercase();
    fault.kind == FaultKind::BadRequest && WORDS.iter().any(|word| words.contains(word))
}

/// Sends, and waits for the head of the answer. A parameter of the sampling that is refused by its name is left out, messages
/// that are refused for their order are sent in another, and that is learnt of the connection.
///
/// # Errors
/// Stopped, silent for too long, or refused.
pub async fn ask<'a>(ports: &Ports, wire: Wire<'a>, stop: &mut Stop) -> Result<Answer<'a>, Fault> {
    let Wire { connection, messages, shape, purpose, mut request, key } = wire;
    let (mut asked, mut left_out, mut manners) = (Cow::Borrowed(connection), Vec::new(), None);
    loop {
        let fault = match head(ports, connection, request, key.as_deref(), stop).await {
            Ok(response) => {
                if !left_out.is_empty() || manners.is_some() {
                    let known = (!left_out.is_empty()).then(|| Refused::of(&asked));
                    let learnt = |one: &mut Connection| {
                        known.clone().into_iter().for_each(|known| known.keep(one));
                        manners.clone().into_iter().for_each(|manners: Manners| manners.keep(one));
                    };
                    learn(ports, connection, learnt).await;
                }
                let meter = Meter::new(ports, connection, messages, purpose);
                let begun = Begun::of(&asked, messages);
                return Ok(Answer { connection, key, is_shaped: shape.is_some(), left_out, begun, response, meter });
            }
            Err(fault) => fault,
        };
        // What cannot take a shape has nothing against the sampling, whatever else its words name.
        if shape.is_some_and(|(_, takes)| takes != Takes::Prose) && is_of_shape(&fault) {
            return Err(fault);
        }
        if let Some(parameter) = provider::leave_out(asked.to_mut(), &fault) {
            left_out.push(LeftOut { parameter, words: fault.detail });
        } else if let Some(minded) = provider::mind(asked.to_mut(), &fault) {
            manners = Some(minded);
        } else {
            return Err(fault);
        }
        request = provider::shaped_request(&asked, key.as_deref(), messages, shape)?;
    }
}

async fn head(
    ports: &Ports,
    connection: &Connection,
    request: WireRequest,
    key: Option<&str>,
    stop: &mut Stop,
) -> Result<WireResponse, Fault> {
    let mut stop = std::pin::pin!(stop.pressed().fuse());
    let response = {
        let mut send = ports.llm.send(request).fuse();
        let mut watch = ports.clock.sleep(timeout(connection) as u32).fuse();
        select_biased! {
            reason = stop => return Err(Fault::new(reason, "")),
            head = send => head?,
            () = watch => return Err(Fault::new(FaultKind::Stalled, "")),
        }
    };
    if (200..300).contains(&response.status) {
        return Ok(response);
    }
    let mut read = std::pin::pin!(read_fault(ports, connection.kind, response, key).fuse());
    let mut watch = ports.clock.sleep(10_000).fuse();
    Err(select_biased! {
        fault = read => fault,
        reason = stop => Fault::new(reason, ""),
        () = watch => Fault::new(FaultKind::Stalled, ""),
    })
}

/// Nothing fails for it: it is found out again.
pub(super) async fn learn(ports: &Ports, connection: &Connection, learnt: impl Fn(&mut Connection)) {
    let same = |one: &&mut Connection| one.id == connection.id && one.model == connection.model;
    let learn = |all: &mut Connections| all.list.iter_mut().find(same).into_iter().for_each(&learnt);
    let _ = ports.store.change(Connections::ID, learn).await;
}

pub(super) async fn read_fault(ports: &Ports, kind: ProviderKind, response: WireResponse, key: Option<&str>) -> Fault {
    let WireResponse { status, headers, mut body } = response;
    let mut bytes = Vec::new();
    while let Some(Ok(chunk)) = body.next().await {
        bytes.extend(chunk);
        if bytes.len() > MAX_ERROR_BYTES {
            bytes.truncate(MAX_ERROR_BYTES);
            break;
        }
    }
    provider::fault_from_response(kind, status, &headers, &String::from_utf8_lossy(&bytes), key, ports.clock.now())
}
