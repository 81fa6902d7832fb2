//! Character sheets and plot summary, written after a turn (`002`; D1, D2, D4, D8).
//!
//! In a story of several each has a sheet, written of what they heard. Those of others than the story's own wait until
//! they have said something: who is silent costs no call.
//!
//! What was told since is known from the path: a text that never came is due again, one that is there is not. Each is
//! stored with the last reply that it was written from, in one commit with all states that follow from it; one that fails
//! stops neither the other nor the chat. Of itself a text is written from the newest turns alone, where there are more than
//! one request holds; asked for, it is written from all of them, part by part.

mod past;

use std::{ops::ControlFlow, pin::pin};

use futures_util::{FutureExt, future::FusedFuture};

use self::past::{Past, Unread, WINDOW};
use super::{
    anew,
    budget::Leave,
    group,
    hand::ByHandError,
    meter, plan,
    play::Conductor,
    scene,
    scribe::is_answered,
    stream::{self, Stop, unless},
    wire,
};
use crate::{
    features::sheet::{
        self, TextSettings,
        due::due,
        request::{About, answer, cost, request},
    },
    ports::till::Purpose,
    prompt::tokens::Calibration,
    provider::Message,
    reply::parser,
    store::Batch,
    story::{
        company::{self, Stretch, Voices},
        connection::Connection,
        fault::{Fault, FaultKind},
        generation::Generation,
        ids::{CharacterId, GenerationId, StorylineId},
        spending::{Kind, Spent},
        state::{HandEdit, State},
        storyline::Storyline,
        tree::Path,
        warning::{Cause, Notice},
        written::{Text, Written},
    },
};

/// Tokens of dialogue in one request, however much the model takes.
const MOST: u32 = 12_000;

/// A text, and whose ([`crate::story::written`]).
pub type Which = (Text, Option<CharacterId>);

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    pub written: Vec<Which>,
    /// What was not, and why; without a fault the answer cannot be used.
    pub missed: Vec<(Which, Option<Fault>)>,
}

/// Where the texts are written.
struct Desk {
    storyline: Storyline,
    voices: Voices,
    path: Path,
    settings: [TextSettings; 2],
}

impl Desk {
    fn settings(&self, text: Text) -> &TextSettings {
        &self.settings[text as usize]
    }

    /// Whose texts may be due of themselves.
    fn all_whose(&self) -> Vec<Option<CharacterId>> {
        let sheets = self.settings(Text::Sheet);
        let others = self.storyline.cast.iter().skip(1).filter(|_| sheets.enabled && !sheets.frozen);
        std::iter::once(None).chain(others.cloned().map(Some)).collect()
    }
}

/// Whose texts are written.
struct Whose<'a> {
    desk: &'a Desk,
    /// `None`: the story's own character's, and the plot summary with their sheet.
    id: Option<CharacterId>,
    name: String,
    /// The turns that they did not hear: what is theirs is written of what they heard.
    missed: Vec<Stretch>,
}

impl Whose<'_> {
    fn about(&self) -> About<'_> {
        let storyline = &self.desk.storyline;
        About { name: &self.name, reader: storyline.reader(), language: storyline.language }
    }

    /// As it is noted beside a text; blank of the story's own.
    fn noted(&self) -> &str {
        if self.id.is_some() { &self.name } else { "" }
    }

    fn which(&self, text: Text) -> Which {
        (text, self.id.clone())
    }

    fn is_noted(&self, notice: &Notice, text: Text) -> bool {
        matches!(&notice.cause, Cause::NotNoted { whose, .. } if notice.module == text.name() && whose == self.noted())
    }

    /// Says at a reply why a text was not written, or that nothing keeps it from being any more.
    fn say(&self, reply: &mut Generation, text: Text, notice: Option<Notice>) {
        let mut notices = reply.notices();
        notices.retain(|said| !self.is_noted(said, text));
        notices.extend(notice);
        reply.set_notices(&notices);
    }
}

impl Conductor {
    /// Writes the texts that are due, or the one that is asked for; in lock mode both (`002`, 4.2).
    ///
    /// # Errors
    /// The story cannot be read, or is another tab's. What keeps a text alone from being written is in the outcome, and
    /// noted at the reply.
    pub async fn write_texts(&self, id: &StorylineId, asked: Option<Which>, stop: Stop) -> Result<Outcome, Fault> {
        self.own(id)?;
        let storyline = self.storyline(id).await?;
        let preset = scene::preset(&*self.ports.store, &storyline).await;
        let mut outcome = Outcome::default();
        if storyline.demo || asked.is_none() && !sheet::is_on(&storyline, &preset) {
            return Ok(outcome);
        }
        let store = &*self.ports.store;
        let character = group::own(store, &storyline).await?;
        let path = scene::path(store, &storyline).await?;
        let settings = Text::ALL.map(|text| sheet::settings(text, &storyline, &preset));
        let voices = group::voices(store, &storyline, &character.name).await?;
        let (mut past, mut stop) = (Past { read: Vec::new(), from: path.end }, pin!(stop.reason().fuse()));
        let desk = Desk { storyline, voices, path, settings };
        let (asked, whose) = match asked {
            Some((text, whose)) => (Some(text), vec![whose]),
            None => (None, desk.all_whose()),
        };
        for id in whose {
            // One that is gone writes nothing any more.
            let Some(name) = id.as_ref().map_or(Some(&desk.voices.own), |id| desk.voices.others.get(id)) else {
                continue;
            };
            let missed = group::missed(store, &desk.storyline, &desk.path, desk.storyline.speaker(id.as_ref())).await?;
            let of = Whose { desk: &desk, name: name.clone(), id, missed };
            if self.texts_of(&of, asked, &mut past, &mut stop, &mut outcome).await?.is_break() {
                break;
            }
        }
        Ok(outcome)
    }

    /// Writes those of one of them. A stop ends all of it, and so does what would keep the others', too.
    async fn texts_of(
        &self,
        of: &Whose<'_>,
        asked: Option<Text>,
        past: &mut Past,
        stop: &mut (impl FusedFuture<Output = FaultKind> + Unpin),
        outcome: &mut Outcome,
    ) -> Result<ControlFlow<()>, Fault> {
        let most = if asked.is_some() { u32::MAX } else { MOST };
        // The plot is nobody's, and is told from where the story's own character stands.
        let plot = match of.id {
            None => self.told_since(of, past, Text::Plot, most).await?,
            Some(_) => Unread::default(),
        };
        let mut unread = [self.told_since(of, past, Text::Sheet, most).await?, plot];
        // What keeps one sheet from being written keeps the others, unless it lies in what it tells.
        let mut goes_on = true;
        let told = |text: Text| (of.desk.settings(text), unread[text as usize].since);
        let due = due(asked, told(Text::Sheet), told(Text::Plot));
        for text in due.into_iter().filter(|text| of.id.is_none() || *text == Text::Sheet) {
            let unread = std::mem::take(&mut unread[text as usize]);
            // Nothing was told that it does not tell of.
            let Some(newest) = unread.turns.last().map(|told| told.reply.clone()) else { continue };
            let reply = self.ports.store.load::<Generation>(newest.as_str()).await?;
            let has_failed = reply.is_some_and(|reply| reply.notices().iter().any(|said| of.is_noted(said, text)));
            if asked.is_none() && (has_failed || of.id.is_some() && !unread.has_spoken) {
                continue;
            }
            let purpose = meter::purpose(Kind::Sheet, &of.desk.storyline);
            let said = self.text(of, text, unread, asked.is_none(), &purpose, stop).await;
            let spent = meter::taken(&purpose.tally);
            meter::book(&self.ports).await;
            let fault = match said {
                Ok(Some(true)) => {
                    outcome.written.push(of.which(text));
                    continue;
                }
                // It is due once more.
                Ok(None) => continue,
                Ok(Some(false)) => None,
                Err(fault) if matches!(fault.kind, FaultKind::TakenOver | FaultKind::TabClosed) => return Err(fault),
                Err(fault) => Some(fault),
            };
            self.store_missed(&of.desk.storyline.id, &newest, of, text, fault.as_ref(), &spent).await?;
            let kind = fault.as_ref().map(|fault| fault.kind);
            outcome.missed.push((of.which(text), fault));
            if kind == Some(FaultKind::Stopped) {
                return Ok(ControlFlow::Break(()));
            }
            let lies_in_it = |kind: FaultKind| kind == FaultKind::Filtered || kind.is_too_long();
            goes_on &= text != Text::Sheet || kind.is_none_or(lies_in_it);
        }
        Ok(if goes_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
    }

    /// Gives a text other words, at the newest reply of the path.
    pub async fn word_text(&self, id: &StorylineId, (of, whose): Which, text: &str) -> Result<State, ByHandError> {
        self.change(id, HandEdit::Text { of, text: text.trim().to_owned(), whose }).await
    }

    /// Puts other words in all wordings of a text on the path, the earliest first. Gives in how many replies it did; where it
    /// breaks off, those before it have them.
    ///
    /// # Errors
    /// The story cannot be read, or is another tab's.
    pub async fn replace_in_texts(
        &self,
        id: &StorylineId,
        (of, whose): &Which,
        words: &str,
        by: &str,
    ) -> Result<u32, ByHandError> {
        let _alone = self.recent.settling.lock().await;
        let storyline = self.storyline(id).await?;
        let store = &*self.ports.store;
        let path = scene::path(store, &storyline).await?;
        let (mut from, mut count) = (0, 0);
        while from < path.end && !words.is_empty() {
            let to = from.saturating_add(WINDOW).min(path.end);
            for node in scene::window(store, &path, from, to).await? {
                let puts = |reply: &mut Generation| reply.replace_in(*of, whose.as_ref(), words, by);
                let Some(seen) = node.reply().filter(|reply| puts(&mut Generation::clone(reply))) else {
                    continue;
                };
                // As it is by now: those before it may have given it another state.
                let Some(mut reply) = store.load::<Generation>(seen.id.as_str()).await? else { continue };
                if reply.open.is_some() || !puts(&mut reply) {
                    continue;
                }
                self.own(id)?;
                store.commit(anew::settled(&self.ports, &storyline, reply).await?).await?;
                count += 1;
            }
            from = to;
        }
        if count > 0 {
            self.ports.tabs.announce(id.as_str());
        }
        Ok(count)
    }

    /// What was told on the path since a text was written, or worded by the reader: the newest of it, about so many tokens, is
    /// kept to be told, and the rest counted as far as it decides whether the text is due.
    async fn told_since(&self, of: &Whose<'_>, past: &mut Past, text: Text, most: u32) -> Result<Unread, Fault> {
        let mut unread = Unread::default();
        let (mut left, mut nth) = (most, 0);
        while left > 0 || unread.since.may_reach(of.desk.settings(text)) {
            let Some((node, told)) = past.back(&*self.ports.store, of.desk, nth).await? else { break };
            nth += 1;
            let is_heard = !company::is_in(&of.missed, told.position);
            let Some(reply) = node.reply().filter(|reply| is_answered(reply)) else {
                // What nobody answered in its own turn is told with what was said next.
                let is_silent = node.reply().is_none_or(|reply| reply.text.trim().is_empty());
                if let Some(next) = unread.turns.last_mut().filter(|_| is_heard && is_silent) {
                    next.lead_by(told);
                }
                continue;
            };
            if reply.written(text, of.id.as_ref()).is_some() || reply.worded(text, of.id.as_ref()).is_some() {
                break;
            }
            if !is_heard {
                continue;
            }
            let said = node.turn.user.as_deref().is_some_and(|said| !said.trim().is_empty());
            unread.since.messages += 1 + u32::from(said);
            unread.since.words += told.words;
            unread.has_spoken |= reply.speaker == of.id;
            if left > 0 {
                left = left.saturating_sub(told.cost);
                unread.turns.push(told.clone());
            }
        }
        unread.turns.reverse();
        Ok(unread)
    }

    /// Has the model write it, in parts where one request does not hold what was told: each part makes a wording that holds
    /// from its last reply on, so that what breaks off goes on from there. `newest`: the last part alone. False: what it
    /// wrote cannot be used; `None`: the reply says something else by now, and nothing was stored.
    async fn text(
        &self,
        of: &Whose<'_>,
        text: Text,
        mut unread: Unread,
        newest: bool,
        purpose: &Purpose,
        stop: &mut (impl FusedFuture<Output = FaultKind> + Unpin),
    ) -> Result<Option<bool>, Fault> {
        let mut is_any = false;
        let desk = of.desk;
        let settings = desk.settings(text);
        let store = &*self.ports.store;
        while !unread.turns.is_empty() {
            let leave = Leave::ask(&self.ports, &desk.storyline, Kind::Sheet).await?;
            leave.holds().await?;
            let mut connection = self.writer(desk, settings).await?;
            connection.sampling.max_tokens = answer(settings, connection.sampling.max_tokens);
            let state = scene::state_before(store, &desk.storyline, &desk.path, desk.path.end).await?;
            let state = store.load::<State>(state.as_str()).await?;
            let state = state.ok_or_else(|| Fault::new(FaultKind::NoState, ""))?;
            let before = text.held(&state, of.id.as_ref());
            let room = Calibration::of(&connection).unscale(scene::budget(&connection)).min(MOST);
            let part = unread.take(room.saturating_sub(cost(text, settings, before, of.about())), newest);
            let (Some(first), Some(last)) = (part.first(), part.last()) else { break };
            let Some(reply) = store.load::<Generation>(last.reply.as_str()).await? else { break };
            let dialogue: String = part.iter().map(|told| told.text.as_str()).collect();
            let messages = request(text, settings, before, &dialogue, of.about());
            let Some(written) = unless(stop, self.wording(&connection, &messages, first.position, purpose)).await?
            else {
                return Ok(Some(false));
            };
            let written = Written { whose: of.noted().to_owned(), ..written };
            let is_stored = self.store_text(&reply, of, text, &written, &meter::taken(&purpose.tally)).await?;
            meter::book(&self.ports).await;
            if !is_stored {
                return Ok(is_any.then_some(true));
            }
            is_any = true;
        }
        Ok(Some(true))
    }

    /// What the model answers; `None`: it cannot be used.
    async fn wording(
        &self,
        connection: &Connection,
        messages: &[Message],
        from: u32,
        purpose: &Purpose,
    ) -> Result<Option<Written>, Fault> {
        let began = self.ports.clock.now();
        let wire = wire::Wire::unlocked(&self.ports, connection, messages, purpose.clone()).await?;
        // What is stopped from outside is dropped as a whole.
        let said = stream::aside(&self.ports, wire, Stop::never()).await?;
        let at = self.ports.clock.now();
        let whole = parser::shown(&said.text).trim().to_owned();
        let is_usable = !whole.is_empty() && !said.is_cut_off();
        Ok(is_usable.then_some(Written {
            text: whole,
            at,
            model: said.model,
            usage: said.usage,
            millis: at.saturating_sub(began),
            from,
            whose: String::new(),
        }))
    }

    async fn writer(&self, desk: &Desk, settings: &TextSettings) -> Result<Connection, Fault> {
        match &settings.connection {
            Some(id) => plan::named(&self.ports, id).await,
            None => scene::connection(&*self.ports.store, &desk.storyline).await,
        }
    }

    /// The text, and all states that follow from it, in one commit. False: the reply is gone, or says something else by now,
    /// and is read again.
    async fn store_text(
        &self,
        at: &Generation,
        of: &Whose<'_>,
        text: Text,
        written: &Written,
        spent: &[Spent],
    ) -> Result<bool, Fault> {
        let _alone = self.recent.settling.lock().await;
        let store = &*self.ports.store;
        self.own(&at.storyline)?;
        let storyline = self.storyline(&at.storyline).await?;
        let reply = store.load::<Generation>(at.id.as_str()).await?;
        let Some(mut reply) = reply.filter(|reply| is_answered(reply) && reply.text == at.text) else {
            return Ok(false);
        };
        reply.set_written(text, of.id.as_ref(), written);
        reply.add_spent(spent);
        of.say(&mut reply, text, None);
        store.commit(anew::settled(&self.ports, &storyline, reply).await?).await?;
        self.ports.tabs.announce(at.storyline.as_str());
        Ok(true)
    }

    async fn store_missed(
        &self,
        id: &StorylineId,
        at: &GenerationId,
        of: &Whose<'_>,
        text: Text,
        fault: Option<&Fault>,
        spent: &[Spent],
    ) -> Result<(), Fault> {
        let _alone = self.recent.settling.lock().await;
        self.own(id)?;
        let reply = self.ports.store.load::<Generation>(at.as_str()).await?;
        let Some(mut reply) = reply.filter(|reply| reply.open.is_none()) else { return Ok(()) };
        reply.add_spent(spent);
        let cause = Cause::NotNoted { fault: fault.cloned(), whose: of.noted().to_owned() };
        of.say(&mut reply, text, Some(Notice { module: text.name().to_owned(), cause }));
        self.write(id, Batch::new().put(&reply)).await
    }
}
