//! Plays one turn: append, load, assemble, stream, commit.

use std::{rc::Rc, sync::Arc};

use futures_util::{FutureExt, join, select_biased, try_join};

use super::{
    ask::Ask,
    budget::Leave,
    circle, event, fit, landmarks,
    learned::Learned,
    limits, lore, meter,
    opening::{Opening, Stood},
    plan, prefill, prose, recall,
    scene::{self, Loaded, Setting},
    stream::{self, Ending, Stop},
    wire,
};
use crate::{
    features::{
        changes,
        lore::timers::{Started, set_started},
    },
    ports::{
        Future, Ports,
        recent::{Recent, Stretch},
        till::Tally,
    },
    prompt::builtin,
    provider::{self, Message},
    store::{Batch, Stored},
    story::{
        account::Account,
        fault::{Fault, FaultKind},
        generation::Generation,
        ids::{ConnectionId, StorylineId, TurnId},
        preset::Role,
        spending::Kind,
        storyline::Storyline,
        tree::{Node, Path},
        turn::Turn,
        warning::Notice,
    },
};

/// What may be shown now, for it has been stored.
#[derive(Clone, Debug, PartialEq)]
pub enum Shown {
    /// The reader's words: the newest turn of this path.
    Turn { storyline: Box<Storyline>, path: Arc<Path>, turn: Box<Turn> },
    /// A plan is being made for this turn's reply; nothing is stored yet.
    Planning(TurnId),
    /// The storyline as it stands; where its head is another one, the path has changed.
    Storyline(Box<Storyline>),
    /// The reply as far as it is stored.
    Reply(Arc<Generation>),
}

pub type Show<'a> = &'a dyn Fn(Shown);

/// What is there before a prompt is made.
struct Ready {
    loaded: Loaded,
    /// What of the lore in it lasts beyond the turn.
    started: Vec<Started>,
    notices: Vec<Notice>,
    key: Result<Option<String>, Fault>,
}

/// A connection's key, as it was found to be at hand; `None`: it needs none.
struct Key {
    of: ConnectionId,
    key: Option<String>,
}

/// Plays turns through the ports.
#[derive(Clone)]
pub struct Conductor {
    pub ports: Ports,
    pub recent: Rc<Recent>,
}

impl Conductor {
    /// Plays one turn to its end, and returns the finished reply. `show` is called after each successful write.
    ///
    /// # Errors
    /// The story could not be read or written, or this tab does not own it; or the key is not at hand (`KeyMissing`), or
    /// a budget is used up (`OverBudget`), and then nothing is written, so that the reader may be asked, and the same be
    /// asked again. What the provider or the network
    /// did wrong is no error here: it is the reply's status and fault.
    pub async fn play(&self, id: &StorylineId, ask: Ask, stop: Stop, show: Show<'_>) -> Result<Generation, Fault> {
        Ok(self.play_if(id, ask, stop, show, |_| true).await?.expect("it is wanted"))
    }

    /// The same where somebody is to answer: `is_wanted`, given how it opens. `None`: the words are stored alone.
    ///
    /// # Errors
    /// As [`Self::play`]; for words alone no key and no budget is asked.
    pub(super) fn play_if<'a>(
        &'a self,
        id: &'a StorylineId,
        ask: Ask,
        stop: Stop,
        show: Show<'a>,
        is_wanted: fn(&Opening) -> bool,
    ) -> Future<'a, Result<Option<Generation>, Fault>> {
        // It is large, and goes through many hands.
        Box::pin(async move {
            let reply = self.playing(id, ask, stop.clone(), show, is_wanted).await?;
            let Some(refused) = reply.as_ref().filter(|reply| fit::is_refused(reply)) else { return Ok(reply) };
            // The reader has said already what gives way: it is sent once more, shorter by what was learned of it.
            if !self.storyline(id).await.is_ok_and(|storyline| storyline.sends_newest) {
                return Ok(reply);
            }
            let again = Ask::whole(refused);
            // What was stored stands, whatever keeps it from being sent.
            Ok(self.playing(id, again, stop, show, |_| true).await.unwrap_or(reply))
        })
    }

    async fn playing(
        &self,
        id: &StorylineId,
        ask: Ask,
        mut stop: Stop,
        show: Show<'_>,
        is_wanted: fn(&Opening) -> bool,
    ) -> Result<Option<Generation>, Fault> {
        if !self.ports.tabs.owns(id.as_str()) {
            return Err(Fault::new(FaultKind::TakenOver, ""));
        }
        let (ask, newest) = ask.split();
        let (mut opening, ready) = match ask.said() {
            Some(said) => {
                let (begun, key) = join!(self.begin(id, &said), self.may_ask(id));
                let (opening, words) = begun?;
                if !is_wanted(&opening) {
                    self.store_words(&opening, words, show).await?;
                    return Ok(None);
                }
                let key = key?;
                // While they are written, what the turn needs is read: nothing is told or sent before they are stored.
                let stored = self.store_words(&opening, words, show);
                let ready = self.ready(&opening, key, Some(&self.recent), newest);
                let told = async { Ok(ready.await) };
                let ((), ready) = try_join!(stored, told)?;
                (opening, ready)
            }
            None => {
                let key = self.may_ask(id).await?;
                let opening = self.opening(self.storyline(id).await?, &ask).await?;
                let ready = self.ready(&opening, key, None, newest).await;
                (opening, ready)
            }
        };
        opening.storyline.sends_newest |= newest;
        let (mut stopped, mut tally) = (None, Tally::default());
        let mut told = match ready {
            Ok(Ready { mut loaded, started, mut notices, key }) => {
                if matches!(ask, Ask::Continue(_)) {
                    opening.read_again(&*self.ports.store).await?;
                }
                set_started(&mut opening.generation, &started);
                tally = loaded.purpose.tally.clone();
                notices.extend(ask.notice().cloned());
                stopped = self.plan(&mut loaded, &ask, &mut opening.generation, &mut notices, &mut stop, show).await;
                // One that goes on was partly read already.
                let of_stream = |notice: &Notice| notice.module == Notice::STREAM;
                notices.extend(opening.generation.notices().into_iter().filter(of_stream));
                opening.generation.set_notices(&notices);
                opening.generation.model = loaded.connection.model.clone();
                opening.generation.connection = Some(loaded.connection.id.clone());
                self.prompt(&mut loaded, &ask, &mut opening).map(|messages| (loaded, messages, key))
            }
            Err(fault) if fault.kind == FaultKind::StorageFailed => return Err(fault),
            Err(fault) => Err(fault),
        };
        let account = opening.account.take();
        let begun = async {
            let instructions = match (&account, &told) {
                (Some(account), Ok((loaded, ..))) => {
                    changes::instructions(account, &loaded.preset, opening.storyline.language)
                }
                _ => Vec::new(),
            };
            self.store_begun(&opening, account, show).await.map(|()| instructions)
        };

        let mut generation = opening.generation.clone();
        let asked_for = generation.model.clone();
        let mut past = None;
        // What the model never read is no reply, and no module sees it; but what a continued one had said counts.
        let mut was_said = matches!(ask, Ask::Continue(_));
        let wire = match (&told, stopped) {
            (Err(fault), _) => Err(fault.clone()),
            (Ok(_), Some(reason)) => Err(Fault::new(reason, "")),
            (Ok((loaded, messages, key)), None) => {
                let purpose = loaded.purpose.clone();
                key.clone().and_then(|key| wire::Wire::new(&loaded.connection, key, messages, purpose))
            }
        };
        let was_sent = wire.is_ok();
        let ending = match wire {
            Err(fault) => {
                begun.await?;
                Ending::Fault(fault)
            }
            Ok(wire) => {
                // The request is on its way while the reply's place is stored; without that it ends.
                let (ran, instructions) = {
                    let (answer, instructions) = try_join!(wire::ask(&self.ports, wire, &mut stop).map(Ok), begun)?;
                    let ran = match answer {
                        Ok(answer) => {
                            Ok(stream::run(&self.ports, answer, &mut generation, stop.clone(), Some(show)).await)
                        }
                        Err(fault) => Err(Ending::Fault(fault)),
                    };
                    (ran, instructions)
                };
                match (ran, &mut told) {
                    (Ok(ending), Ok((loaded, _, key))) => {
                        let ending = fit::ended(ending, &generation, &loaded.connection);
                        let asked = (loaded, key.clone().ok().flatten());
                        prose::written(&self.ports, asked, &instructions, ending, &mut generation, stop, show).await
                    }
                    (Ok(ending) | Err(ending), _) => ending,
                }
            }
        };
        generation.add_spent(&meter::taken(&tally));
        let too_long = match &ending {
            Ending::Fault(fault) if fault.kind == FaultKind::ContextTooLong => Some(fault.length),
            _ => None,
        };
        let is_guess = matches!(&ending, Ending::Fault(fault) if fault.is_guess());
        was_said |= was_sent && (too_long.is_none() || !generation.text.trim().is_empty());
        let (mut setting, mut outgrown) = (None, None);
        if let Ok((mut loaded, ..)) = told {
            outgrown = fit::outgrown(&loaded, &generation);
            past = loaded.take_past().map(|past| Stretch { path: loaded.path.clone(), ..past });
            let Loaded { state, preset, background, background_fault, .. } = loaded;
            if loaded.group.is_some() {
                // What one of several knows of the story is not the whole of it.
                setting = Some(Setting::of(&*self.ports.store, &opening.storyline, &generation).await?);
            } else {
                let background = background_fault.map_or(Ok(background.unwrap_or_default()), Err);
                setting = Some(Setting { preset, background, before: state });
            }
        }
        // The nudge of a continued reply is in no account: only a whole prompt is measured.
        let counted = match too_long {
            Some(_) if is_guess => None,
            Some(length) => length.map(|length| length.prompt),
            None => generation.usage.map(|usage| usage.prompt_tokens),
        };
        let counted = counted.filter(|_| !matches!(ask, Ask::Continue(_)));
        let counted = counted.and_then(|count| Some((generation.prompt?.raw_tokens, count))).or(outgrown);
        let learned = Learned { model: asked_for, counted, takes: too_long.flatten().map_or(0, |length| length.takes) };
        let setting = setting.filter(|_| was_said);
        let storyline = self.finish(&mut generation, ending, opening.goes_on.as_ref(), setting, learned).await?;
        if let (Some(mut past), Some(turn)) = (past, opening.turn) {
            past.nodes.push(Node { turn, generations: vec![generation.clone()], seen: Some(0) });
            self.recent.keep(past);
        }
        show(Shown::Reply(Arc::new(generation.clone())));
        show(Shown::Storyline(Box::new(storyline)));
        meter::book(&self.ports).await;
        Ok(Some(generation))
    }

    /// The key that the story is played with, where it is at hand and the budgets allow it. What else the story may lack the
    /// turn says itself.
    async fn may_ask(&self, id: &StorylineId) -> Result<Option<Key>, Fault> {
        let storyline = self.storyline(id).await?;
        let Ok(connection) = scene::connection(&*self.ports.store, &storyline).await else { return Ok(None) };
        let (key, leave) = join!(wire::key(&self.ports, &connection), Leave::ask(&self.ports, &storyline, Kind::Chat));
        let key = key?;
        leave?;
        Ok(Some(Key { of: connection.id, key }))
    }

    /// A1: the reader's words, durably.
    pub(super) async fn store_words(&self, opening: &Opening, words: Batch, show: Show<'_>) -> Result<(), Fault> {
        let Opening { storyline, turn, path, .. } = opening;
        self.ports.store.commit(words).await?;
        self.ports.tabs.announce(storyline.id.as_str());
        if let Some(turn) = turn {
            // Its reply is not there yet.
            let turn = Turn { chosen: None, ..turn.clone() };
            show(Shown::Turn {
                storyline: Box::new(storyline.clone()),
                path: Arc::new(path.clone()),
                turn: Box::new(turn),
            });
        }
        Ok(())
    }

    /// The place of a reply that has no text yet, with the account of its prompt.
    async fn store_begun(&self, opening: &Opening, account: Option<Account>, show: Show<'_>) -> Result<(), Fault> {
        let Opening { storyline, generation, earlier, .. } = opening;
        let store = &*self.ports.store;
        let mut batch = opening.batch();
        if let Some(mut account) = account {
            // Without it the texts are kept once more.
            let earlier = match earlier {
                Some(reply) => store.load::<Account>(reply.as_str()).await.ok().flatten(),
                None => None,
            };
            account.share_texts(earlier.as_ref());
            batch.push(&account);
        }
        store.commit(batch).await?;
        self.ports.tabs.announce(storyline.id.as_str());
        show(Shown::Storyline(Box::new(storyline.clone())));
        show(Shown::Reply(Arc::new(generation.clone())));
        Ok(())
    }

    /// What a reply needs, read and recalled.
    async fn ready(
        &self,
        opening: &Opening,
        key: Option<Key>,
        recent: Option<&Recent>,
        newest: bool,
    ) -> Result<Ready, Fault> {
        let loading = scene::load(&*self.ports.store, &*self.ports.clock, opening, recent);
        let (loaded, posts) = join!(loading, circle::newest(&self.ports, opening, &self.recent));
        let mut loaded = loaded?;
        loaded.newest = (newest || loaded.storyline.sends_newest).then(|| fit::newest_room(&loaded));
        let connection = loaded.connection.clone();
        circle::tell(&self.ports, &mut loaded, posts).await;
        let started = lore::lore(&self.ports, &mut loaded).await?;
        let key = async {
            match key.filter(|known| known.of == connection.id) {
                Some(known) => Ok(known.key),
                None => wire::key(&self.ports, &connection).await,
            }
        };
        let (notices, key) = join!(recall::recall(&self.ports, &mut loaded), key);
        Ok(Ready { loaded, started, notices, key })
    }

    /// A plan for the reply, told in its prompt and kept with it; one that goes on has its plan. Gives the reason where
    /// the reader stopped the turn meanwhile.
    async fn plan(
        &self,
        loaded: &mut Loaded,
        ask: &Ask,
        generation: &mut Generation,
        notices: &mut Vec<Notice>,
        stop: &mut Stop,
        show: Show<'_>,
    ) -> Option<FaultKind> {
        if matches!(ask, Ask::Continue(_)) {
            if let Some(plan) = generation.plan() {
                plan::tell(loaded, plan);
            }
            return None;
        }
        // A prompt that is too long is not sent to a planner either.
        if !plan::is_wanted(loaded) || fit::fitted(loaded).1.is_err() {
            return None;
        }
        show(Shown::Planning(generation.turn.clone()));
        let planned = {
            let mut plan = std::pin::pin!(plan::plan(&self.ports, loaded).fuse());
            let mut pressed = std::pin::pin!(stop.pressed().fuse());
            select_biased! {
                planned = plan => planned,
                reason = pressed => return Some(reason),
            }
        };
        match planned {
            Ok((plan, planning)) => generation.set_plan(&plan, &planning),
            Err(notice) => notices.push(notice),
        }
        None
    }

    /// What is found going back through the replies that are seen on a path: as they are at hand, or as they are stored.
    pub(super) async fn back<T>(
        &self,
        storyline: &Storyline,
        path: &Path,
        find: impl Fn(&Generation) -> Option<T> + Copy,
    ) -> Stored<Option<T>> {
        match self.recent.back(&storyline.id, path, find) {
            Some(found) => Ok(Some(found)),
            None => scene::back(&*self.ports.store, path, path.end, find).await,
        }
    }

    /// # Errors
    /// It is not there, or in the bin.
    pub(super) async fn storyline(&self, id: &StorylineId) -> Result<Storyline, Fault> {
        let storyline = self.ports.store.load::<Storyline>(id.as_str()).await?;
        storyline.filter(|storyline| storyline.deleted.is_none()).ok_or_else(|| Fault::new(FaultKind::NoStoryline, ""))
    }

    /// The messages of this ask, with their account beside the reply and their warnings noted on it.
    ///
    /// # Errors
    /// They are over the limit (A6), or more than the connection takes.
    pub(super) fn prompt(&self, loaded: &mut Loaded, ask: &Ask, opening: &mut Opening) -> Result<Vec<Message>, Fault> {
        let generation = &mut opening.generation;
        let continues = matches!(ask, Ask::Continue(_));
        let (mut prompt, held) = fit::fitted(loaded);
        if continues {
            let nudge = builtin::continue_nudge(loaded.storyline.language);
            prompt.messages.push(Message::new(Role::User, nudge));
        } else {
            prefill::begin(loaded, &mut prompt);
        }
        generation.set_warnings(&limits::warnings(&prompt.account, &loaded.config.limits));
        generation.prompt = Some(prompt.account.reckoned());
        let (id, storyline, made) = (generation.id.clone(), generation.storyline.clone(), self.ports.clock.now());
        let left_out = provider::left_out(&loaded.connection);
        opening.account = Some(Account { id, storyline, made, left_out, ..prompt.account });
        let told = |reply: &&Generation| reply.prompt.is_some() && reply.id != generation.id;
        let earlier = loaded.history.iter().rev().skip(1).filter_map(Node::reply).find(told);
        opening.earlier = earlier.map(|reply| reply.id.clone());
        held.map(|()| prompt.messages)
    }

    /// The end of a turn: one strict commit of the reply, of the state after it where that is a new one, of what the
    /// provider's count of the prompt teaches, and of the storyline as it stands by now.
    async fn finish(
        &self,
        generation: &mut Generation,
        ending: Ending,
        goes_on: Option<&Stood>,
        setting: Option<Setting>,
        learned: Learned,
    ) -> Result<Storyline, Fault> {
        stream::close(generation, ending, self.ports.clock.now());
        if let Some(stood) = goes_on {
            stood.stands(generation);
        }
        let _alone = self.recent.settling.lock().await;
        if !self.ports.tabs.owns(generation.storyline.as_str()) {
            // Another tab has taken the story over, and closes what this one left open.
            return Err(Fault::new(FaultKind::TakenOver, ""));
        }
        // Its title, its switches or its head may have changed while the reply came; it may lie in the bin.
        let storyline = self.ports.store.load::<Storyline>(generation.storyline.as_str()).await?;
        let mut storyline = storyline.ok_or_else(|| Fault::new(FaultKind::NoStoryline, ""))?;
        storyline.last_active = self.ports.clock.now();
        let mut batch = Batch::new();
        let state = match self.as_of_now(&storyline, generation, setting).await? {
            Some(setting) => setting.settle(&self.ports, &storyline, generation),
            // What it had said holds, and so does what was changed by hand at the reply that this one is made in place of,
            // whatever becomes of it.
            None if goes_on.is_some() || !generation.by_hand().is_empty() => {
                scene::settle(&self.ports, &storyline, generation).await?
            }
            None => None,
        };
        if let Some(state) = state {
            batch.push(&state);
        }
        batch.ops.extend(event::note(&*self.ports.store, &storyline, generation).await.ops);
        // The reply is worth more than its landmark.
        let landmarks = landmarks::note(&*self.ports.store, &storyline, generation).await;
        batch.ops.extend(landmarks.unwrap_or_default().ops);
        batch.push(&*generation);
        batch.push(&storyline);
        self.ports.store.commit(batch).await?;
        learned.teach(&*self.ports.store, generation).await;
        self.ports.tabs.announce(storyline.id.as_str());
        Ok(storyline)
    }

    /// The setting of a reply that has ended upon the state before it as it is by now: what was noted of earlier turns while
    /// the reply came is part of it.
    async fn as_of_now(
        &self,
        storyline: &Storyline,
        generation: &mut Generation,
        setting: Option<Setting>,
    ) -> Result<Option<Setting>, Fault> {
        let store = &*self.ports.store;
        // Its branch may lie in the bin: it ends as it began.
        let Ok(path) = scene::path_to(store, generation).await else { return Ok(setting) };
        let before = scene::state_before(store, storyline, &path, generation.position).await?;
        if generation.state.as_ref() == Some(&before) {
            return Ok(setting);
        }
        generation.state = Some(before.clone());
        let Some(mut setting) = setting else { return Ok(None) };
        setting.before = store.load(before.as_str()).await?.ok_or_else(|| Fault::new(FaultKind::NoState, ""))?;
        storyline.introduce(&mut setting.before);
        Ok(Some(setting))
    }
}
