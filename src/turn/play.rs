//! Plays one turn: append, load, assemble, stream, commit.

use std::sync::Arc;

use super::{
    scene::{self, Loaded},
    stream::{self, Ending, Stop},
};
use crate::{
    ports::{Batch, Ports},
    prompt::{builtin, framework},
    provider::{self, Message},
    story::{
        fault::{Fault, FaultKind},
        generation::{Generation, Status},
        ids::{GenerationId, StorylineId, TurnId},
        preset::Role,
        storyline::Storyline,
        tree::{Branch, Fork, Head, Path},
        turn::Turn,
    },
};

/// What the reader asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    /// A new turn with this input.
    New(String),
    /// Another reply to a turn: retry and regenerate.
    Again(TurnId),
    /// More of a reply that broke off or that should go on.
    Continue(GenerationId),
}

/// What may be shown now, for it has been stored.
#[derive(Clone, Debug, PartialEq)]
pub enum Shown {
    /// The path changed: a turn was added, or a reply begun. The head is where the reader is now.
    Path(Box<Storyline>),
    /// The reply as far as it is stored.
    Reply(Arc<Generation>),
}

pub type Show<'a> = &'a dyn Fn(Shown);

/// Plays turns through the ports.
#[derive(Clone)]
pub struct Conductor {
    pub ports: Ports,
}

impl Conductor {
    /// Plays one turn to its end, and returns the finished reply. `show` is called after each successful write.
    ///
    /// # Errors
    /// The story could not be read or written, or this tab does not own it. What the provider or the network did
    /// wrong is no error here: it is the reply's status and fault.
    pub async fn play(&self, id: &StorylineId, ask: Ask, stop: Stop, show: Show<'_>) -> Result<Generation, Fault> {
        if !self.ports.tabs.owns(id.as_str()) {
            return Err(Fault::new(FaultKind::TakenOver, ""));
        }
        let store = &*self.ports.store;
        let mut storyline = store
            .load::<Storyline>(id.as_str())
            .await?
            .filter(|storyline| storyline.deleted.is_none())
            .ok_or_else(|| Fault::new(FaultKind::NoStoryline, ""))?;
        if let Ask::New(input) = &ask {
            storyline = self.append(storyline, input).await?;
            show(Shown::Path(Box::new(storyline.clone())));
        }

        let loaded = scene::load(store, storyline.clone()).await;
        let mut opening = self.opening(storyline, &ask).await?;
        let (connection, messages) = match loaded {
            Ok(mut loaded) => {
                let messages = self.prompt(&mut loaded, &ask, &mut opening.generation);
                opening.generation.model = loaded.connection.model.clone();
                opening.generation.connection = Some(loaded.connection.id.clone());
                (Ok(loaded.connection), messages)
            }
            Err(fault) if fault.kind == FaultKind::StorageFailed => return Err(fault),
            Err(fault) => (Err(fault), Vec::new()),
        };
        self.ports.store.commit(opening.batch()).await?;
        self.ports.tabs.announce(id.as_str());
        show(Shown::Path(Box::new(opening.storyline.clone())));

        let Opening { mut generation, mut storyline, .. } = opening;
        let ending = match connection {
            Err(fault) => Ending::Fault(fault),
            Ok(connection) => {
                let request = match self.ports.vault.key(&connection.id).await {
                    Ok(key) => {
                        provider::chat_request(&connection, key.as_deref(), &messages).map(|request| (request, key))
                    }
                    Err(fault) => Err(fault),
                };
                match request {
                    Err(fault) => Ending::Fault(fault),
                    Ok((request, key)) => {
                        let wire = stream::Wire { connection: &connection, request, key };
                        stream::run(&self.ports, wire, &mut generation, stop, show).await
                    }
                }
            }
        };
        self.finish(&mut storyline, &mut generation, ending).await?;
        show(Shown::Reply(Arc::new(generation.clone())));
        show(Shown::Path(Box::new(storyline)));
        Ok(generation)
    }

    /// A1: the reader's words, durably, before anything else.
    async fn append(&self, mut storyline: Storyline, input: &str) -> Result<Storyline, Fault> {
        let now = self.ports.clock.now();
        let (mut branch, path) = self.place(&storyline).await?;
        if branch.end() != storyline.head.end {
            // The reader had gone back: the new turn begins a branch, and what was there stays.
            branch = self.fork(&storyline, &path, storyline.head.end - 1, None).await?;
        }
        let turn = Turn {
            id: self.ports.id(),
            storyline: storyline.id.clone(),
            branch: branch.id.clone(),
            position: branch.end(),
            session: storyline.current_session.clone(),
            user: Some(input.to_owned()),
            created: now,
            ..Default::default()
        };
        branch.length += 1;
        storyline.head = Head { branch: branch.id.clone(), end: branch.end() };
        storyline.total_turns = storyline.head.end - 1;
        storyline.last_active = now;
        let current = storyline.current_session.clone();
        if let Some(session) = storyline.sessions.iter_mut().find(|session| session.id == current) {
            session.turns += 1;
        }
        self.ports.store.commit(Batch::new().put(&turn).put(&branch).put(&storyline)).await?;
        self.ports.tabs.announce(storyline.id.as_str());
        Ok(storyline)
    }

    /// The branch of the head, and the path to it.
    async fn place(&self, storyline: &Storyline) -> Result<(Branch, Path), Fault> {
        let broken = || Fault::new(FaultKind::StorageFailed, "the history tree is damaged");
        let branches = scene::branches(&*self.ports.store, &storyline.id).await?;
        let path = Path::of(&branches, &storyline.head).map_err(|_| broken())?;
        let branch = branches.get(&storyline.head.branch).cloned().ok_or_else(broken)?;
        Ok((branch, path))
    }

    /// A new branch that leaves the path after `position`; by the given reply, or by the one that is seen there.
    async fn fork(
        &self,
        storyline: &Storyline,
        path: &Path,
        position: u32,
        generation: Option<GenerationId>,
    ) -> Result<Branch, Fault> {
        let nodes = scene::window(&*self.ports.store, path, position, position + 1).await?;
        let node = nodes.first().ok_or_else(|| Fault::new(FaultKind::StorageFailed, "a turn is missing"))?;
        Ok(Branch {
            id: self.ports.id(),
            storyline: storyline.id.clone(),
            parent: Some(Fork {
                branch: node.turn.branch.clone(),
                position,
                generation: generation.or_else(|| node.reply().map(|reply| reply.id.clone())),
            }),
            first: position + 1,
            created: self.ports.clock.now(),
            ..Default::default()
        })
    }

    /// The reply that is about to begin, and what changes in the tree with it.
    async fn opening(&self, mut storyline: Storyline, ask: &Ask) -> Result<Opening, Fault> {
        let store = &*self.ports.store;
        let missing = || Fault::new(FaultKind::StorageFailed, "the turn is not there any more");
        let now = self.ports.clock.now();
        storyline.last_active = now;
        if let Ask::Continue(id) = ask {
            let mut generation = store.load::<Generation>(id.as_str()).await?.ok_or_else(missing)?;
            generation.status = Status::Streaming;
            generation.open = Some(1);
            generation.fault = None;
            generation.finished = None;
            return Ok(Opening { storyline, turn: None, branch: None, generation });
        }

        let (branch, path) = self.place(&storyline).await?;
        let position = match ask {
            Ask::Again(id) => store.load::<Turn>(id.as_str()).await?.ok_or_else(missing)?.position,
            _ => path.end - 1,
        };
        let nodes = scene::window(store, &path, position.saturating_sub(1), position + 1).await?;
        let node = nodes.last().filter(|node| node.turn.position == position).ok_or_else(missing)?;
        let before = nodes.iter().rev().skip(1).find_map(|node| node.reply()?.state.clone());
        let mut turn = node.turn.clone();
        let generation = Generation {
            id: self.ports.id(),
            turn: turn.id.clone(),
            storyline: storyline.id.clone(),
            branch: turn.branch.clone(),
            position,
            open: Some(1),
            started: now,
            state: Some(before.unwrap_or_else(|| storyline.initial_state.clone())),
            ..Default::default()
        };
        let is_tip = branch.id == turn.branch && branch.end() == position + 1 && path.end == position + 1;
        let branch = if is_tip {
            turn.chosen = Some(generation.id.clone());
            None
        } else if branch.length == 0 && path.end == position + 1 {
            // An empty branch is only a choice of reply: it now chooses the new one.
            let mut branch = branch;
            if let Some(fork) = &mut branch.parent {
                fork.generation = Some(generation.id.clone());
            }
            Some(branch)
        } else {
            // The turn has a future: another reply is a branch beside it.
            let branch = self.fork(&storyline, &path, position, Some(generation.id.clone())).await?;
            storyline.head = Head { branch: branch.id.clone(), end: position + 1 };
            storyline.total_turns = position;
            Some(branch)
        };
        Ok(Opening { storyline, turn: Some(turn), branch, generation })
    }

    /// The messages of this ask. The history stops before the reply that is to come.
    fn prompt(&self, loaded: &mut Loaded, ask: &Ask, generation: &mut Generation) -> Vec<Message> {
        if let Some(at) = loaded.history.iter().position(|node| node.turn.id == generation.turn) {
            let after = loaded.history.len() - at - 1;
            loaded.history.truncate(at + 1);
            loaded.path.end -= after as u32;
            if !matches!(ask, Ask::Continue(_)) {
                loaded.history[at].seen = None;
            }
        }
        let mut prompt = framework::assemble(&loaded.scene(), loaded.budget());
        if matches!(ask, Ask::Continue(_)) {
            let nudge = builtin::continue_nudge(loaded.storyline.language);
            prompt.messages.push(Message { role: Role::User, content: nudge.to_owned() });
        }
        generation.account = Some(prompt.account);
        prompt.messages
    }

    /// The end of a turn: one strict commit of the reply and the storyline.
    async fn finish(
        &self,
        storyline: &mut Storyline,
        generation: &mut Generation,
        ending: Ending,
    ) -> Result<(), Fault> {
        stream::close(generation, ending, self.ports.clock.now());
        if !self.ports.tabs.owns(storyline.id.as_str()) {
            // Another tab has taken the story over, and closes what this one left open.
            return Err(Fault::new(FaultKind::TakenOver, ""));
        }
        storyline.last_active = self.ports.clock.now();
        self.ports.store.commit(Batch::new().put(generation).put(storyline)).await?;
        self.ports.tabs.announce(storyline.id.as_str());
        Ok(())
    }
}

/// What is stored when a reply begins.
struct Opening {
    storyline: Storyline,
    turn: Option<Turn>,
    branch: Option<Branch>,
    generation: Generation,
}

impl Opening {
    fn batch(&self) -> Batch {
        let mut batch = Batch::relaxed().put(&self.generation).put(&self.storyline);
        if let Some(turn) = &self.turn {
            batch.push(turn);
        }
        if let Some(branch) = &self.branch {
            batch.push(branch);
        }
        batch
    }
}
