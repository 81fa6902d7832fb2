//! What a call costs: as its provider counts it, or by our estimate where it does not say.

use std::rc::Rc;

use crate::{
    ports::{
        Clock, Ports, Till,
        till::{Purpose, Tally},
    },
    prompt::tokens::{Calibration, PER_MESSAGE, estimate},
    provider::{Delta, Message},
    story::{
        connection::Connection,
        generation::{Generation, Usage},
        settings::Connections,
        spending::{Kind, Spent, day},
        storyline::Storyline,
    },
};

/// What calls for a story are made for. Those of a demo cost nothing.
pub(super) fn purpose(kind: Kind, storyline: &Storyline) -> Purpose {
    let purpose = Purpose::new(kind, &storyline.id, &storyline.current_session);
    Purpose { is_free: storyline.demo, ..purpose }
}

/// Runs from the head of an answer until it is dropped, and is paid then: whatever ended the call, it has cost something.
pub(super) struct Meter<'a> {
    till: Rc<Till>,
    clock: Rc<dyn Clock>,
    purpose: Purpose,
    connection: &'a Connection,
    messages: &'a [Message],
    usage: Usage,
    said: String,
    is_whole: bool,
}

impl<'a> Meter<'a> {
    pub fn new(ports: &Ports, connection: &'a Connection, messages: &'a [Message], purpose: Purpose) -> Self {
        let (till, clock) = (ports.till.clone(), ports.clock.clone());
        Self {
            till,
            clock,
            purpose,
            connection,
            messages,
            usage: Usage::default(),
            said: String::new(),
            is_whole: false,
        }
    }

    pub fn hear(&mut self, delta: &Delta) {
        match delta {
            Delta::Text(text) | Delta::Reasoning(text) => self.said.push_str(text),
            Delta::Usage(usage) => self.usage = *usage,
            Delta::Finish(_) => self.is_whole = true,
            Delta::Model(_) | Delta::Unread { .. } | Delta::WasThought => {}
        }
    }

    /// The answer was a refusal: where nothing came before it, it costs nothing. (One that is lost on its way does: its
    /// prompt was read.)
    pub fn refused(&mut self) {
        self.purpose.is_free |= self.said.is_empty() && self.usage == Usage::default();
    }
}

impl Drop for Meter<'_> {
    fn drop(&mut self) {
        let asked = || self.messages.iter().map(|message| estimate(&message.content) + PER_MESSAGE).sum();
        let (usage, is_estimated) = counted(self.connection, self.usage, asked, &self.said, self.is_whole);
        let spent = Spent::call(self.purpose.kind, self.connection, usage, is_estimated);
        pay(&self.till, &*self.clock, &self.purpose, spent);
    }
}

/// The provider's count, with our estimate of what is not in it: of the prompt, given its uncalibrated tokens, where it has
/// none; of the answer where that has no count or broke off. True where something is estimated.
fn counted(
    connection: &Connection,
    told: Usage,
    asked: impl FnOnce() -> u32,
    said: &str,
    is_whole: bool,
) -> (Usage, bool) {
    let calibration = Calibration::of(connection);
    let mut usage = told;
    if usage.prompt_tokens == 0 {
        usage.prompt_tokens = calibration.scale(asked());
    }
    if !said.is_empty() && (!is_whole || usage.completion_tokens == 0) {
        usage.completion_tokens = usage.completion_tokens.max(calibration.scale(estimate(said)));
    }
    (usage, usage != told)
}

fn pay(till: &Till, clock: &dyn Clock, purpose: &Purpose, spent: Spent) {
    let now = clock.now();
    till.pay(day(now, clock.utc_offset(now)), purpose, spent);
}

/// The same for what is embedded, where each call is whole or has cost nothing.
pub(super) fn embedded(ports: &Ports, connection: &Connection, purpose: Purpose, texts: &[&str], told: Option<u32>) {
    let usage = Usage { prompt_tokens: told.unwrap_or(0), ..Usage::default() };
    let asked = || texts.iter().map(|text| estimate(text)).sum();
    pay_call(ports, connection, purpose, counted(connection, usage, asked, "", true));
}

/// The same for a few words that try a connection.
pub fn tried(ports: &Ports, connection: &Connection, told: Usage, asked: &str, said: &str) {
    let purpose = Purpose { kind: Kind::Trial, ..Purpose::default() };
    let asked = || estimate(asked) + PER_MESSAGE;
    pay_call(ports, connection, purpose, counted(connection, told, asked, said, true));
}

fn pay_call(ports: &Ports, connection: &Connection, purpose: Purpose, (usage, is_estimated): (Usage, bool)) {
    pay(&ports.till, &*ports.clock, &purpose, Spent::call(purpose.kind, connection, usage, is_estimated));
}

/// The same for a reply that a closed page has left open; of one of which nothing came, nobody knows whether it cost.
pub(super) async fn left_open(ports: &Ports, storyline: &Storyline, reply: &mut Generation) {
    let said = [reply.reasoning.as_str(), &reply.text].concat();
    let (Some(id), Some(prompt)) = (&reply.connection, reply.prompt) else { return };
    if said.is_empty() && reply.usage.is_none() {
        return;
    }
    let connections = ports.store.load::<Connections>(Connections::ID).await.ok().flatten().unwrap_or_default();
    let Some(connection) = connections.list.into_iter().find(|one| one.id == *id) else { return };
    let purpose = purpose(Kind::Chat, storyline);
    let asked = || prompt.raw_tokens;
    let (usage, is_estimated) = counted(&connection, reply.usage.unwrap_or_default(), asked, &said, false);
    pay(&ports.till, &*ports.clock, &purpose, Spent::call(Kind::Chat, &connection, usage, is_estimated));
    reply.add_spent(&taken(&purpose.tally));
}

/// What was spent, to be said where it is shown.
pub(super) fn taken(tally: &Tally) -> Vec<Spent> {
    tally.borrow_mut().drain(..).collect()
}

/// Writes what was paid. Nothing fails for it: what could not be written is written with the next.
pub(super) async fn book(ports: &Ports) {
    let _ = ports.till.book(&*ports.store).await;
}
