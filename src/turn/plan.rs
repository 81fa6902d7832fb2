//! A plan for the reply, by a first call of a model (E8): an option. Without it the turn goes on, with a notice.

use super::{
    recall::within,
    scene::{self, Loaded},
    stream::{self, Stop},
    wire,
};
use crate::{
    features::planner::{self, PlannerSettings},
    ports::Ports,
    prompt::{framework, sources::is_placed},
    provider::{self, Message},
    reply::parser,
    story::{
        Millis,
        connection::Connection,
        fault::{Fault, FaultKind},
        ids::ConnectionId,
        preset::Role,
        settings::Connections,
        spending::Kind,
        warning::{Cause, Notice, Planning},
    },
};

/// Milliseconds that a turn waits for its plan.
const TIME_LIMIT: u32 = 20_000;

/// Tokens that a plan may have.
const ANSWER: u32 = 600;

/// Whether the story wants a plan, and its preset has a place for it.
pub(super) fn is_wanted(loaded: &Loaded) -> bool {
    loaded.storyline.settings::<PlannerSettings>(&loaded.preset).enabled
        && !loaded.storyline.demo
        && is_placed(&loaded.preset, planner::MARKER)
}

/// Makes a plan, and puts it into the context of the reply.
pub(super) async fn plan(ports: &Ports, loaded: &mut Loaded) -> Result<(String, Planning), Notice> {
    let settings: PlannerSettings = loaded.storyline.settings(&loaded.preset);
    let began = ports.clock.now();
    let until = began + Millis::from(TIME_LIMIT);
    let call = async {
        let mut connection = match &settings.connection {
            Some(id) => named(ports, id).await?,
            None => loaded.connection.clone(),
        };
        let tokens = connection.sampling.max_tokens.unwrap_or(ANSWER).min(ANSWER);
        provider::briefly(&mut connection, tokens);
        // Its own model may take less than the story's.
        let budget = loaded.budget().min(scene::budget(&connection));
        let mut messages = framework::assemble(&loaded.scene(), budget).messages;
        let content = planner::instruction(&settings, loaded.storyline.language).to_owned();
        messages.push(Message::new(Role::User, content));
        let wire = wire::Wire::unlocked(ports, &connection, &messages, loaded.purpose.also(Kind::Planner)).await?;
        stream::aside(ports, wire, Stop::never()).await
    };
    let failed = |fault| Notice { module: planner::NAME.to_owned(), cause: Cause::NotPlanned { fault } };
    let said = within(ports, until, call).await.map_err(|fault| failed(Some(fault)))?;
    let plan: String = parser::shown(&said.text).trim().chars().take(planner::LENGTH).collect();
    if plan.is_empty() {
        return Err(failed(None));
    }
    tell(loaded, &plan);
    let planning = Planning { model: said.model, usage: said.usage, millis: ports.clock.now().saturating_sub(began) };
    Ok((plan, planning))
}

/// Puts a plan into the context of the reply.
pub(super) fn tell(loaded: &mut Loaded, plan: &str) {
    loaded.context.put(planner::MARKER, plan);
}

pub(super) async fn named(ports: &Ports, id: &ConnectionId) -> Result<Connection, Fault> {
    let list = ports.store.load::<Connections>(Connections::ID).await?.unwrap_or_default().list;
    list.into_iter().find(|connection| connection.id == *id).ok_or_else(|| Fault::new(FaultKind::NoConnection, ""))
}
