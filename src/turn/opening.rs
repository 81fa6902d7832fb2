//! Where a reply begins in the tree: the reader's words appended, branches forked, the reply's place prepared.

use std::{collections::HashMap, rc::Rc};

use futures_util::join;

use super::{
    ask::Ask,
    group::{self, Begun},
    play::Conductor,
    scene, session, unsent,
};
use crate::{
    features::group::Move,
    ports::Store,
    store::{Batch, Stored, Table},
    story::{
        account::Account,
        character::Character,
        company::{Company, Noted},
        fault::{Fault, FaultKind},
        generation::{Generation, Status},
        ids::{BranchId, CharacterId, GenerationId, StateId, StorylineId},
        storyline::{Storyline, StorylineStatus},
        tree::{Branch, Head, Path, Tree},
        trigger::Trigger,
        turn::Turn,
    },
};

/// A reply that is about to begin, and what is stored with it.
pub(super) struct Opening {
    pub storyline: Storyline,
    pub turn: Option<Turn>,
    pub branch: Option<Branch>,
    /// While its stream is open it names the state before it.
    pub generation: Generation,
    /// Of its prompt, once that is made.
    pub account: Option<Account>,
    /// The latest reply before it that was told a prompt: a text that stands in that one's account is kept there only.
    pub earlier: Option<GenerationId>,
    /// From the root to its turn.
    pub path: Path,
    /// Of several, the branches as they will be with a new turn; else they are as they are stored.
    pub alive: Option<HashMap<BranchId, Branch>>,
    /// The branches before a new turn: while that is written they are not read.
    pub tree: Option<Rc<Tree>>,
    /// Whether anybody is to answer it; of several, the reader may let one speak.
    pub is_answered: bool,
    /// Of one that has words which count, and is to say more.
    pub goes_on: Option<Stood>,
    pub trigger: Trigger,
}

/// How a reply stood before it was asked to say more. Whatever becomes of that, what it had said goes on counting.
pub(super) struct Stood {
    status: Status,
    finish: Option<String>,
    /// Bytes.
    length: usize,
}

impl Stood {
    fn of(reply: &Generation) -> Option<Self> {
        let counts = matches!(reply.status, Status::Done | Status::Interrupted) && !reply.text.trim().is_empty();
        counts.then(|| Self { status: reply.status, finish: reply.finish.clone(), length: reply.text.len() })
    }

    /// Of a reply that has ended now: what was refused is only that there be more of it.
    pub fn stands(&self, reply: &mut Generation) {
        if reply.fault.is_some() && reply.text.len() == self.length {
            (reply.status, reply.finish) = (self.status, self.finish.clone());
        } else if reply.status == Status::Error {
            reply.status = Status::Interrupted;
        }
    }
}

/// What a new turn is about.
#[derive(Clone, Copy, Default)]
pub(super) struct Said<'a> {
    /// The reader's.
    pub words: Option<&'a str>,
    /// Who hears it, where not all who are there do.
    pub to: Option<&'a [CharacterId]>,
    /// Who speaks in it.
    pub by: Option<&'a CharacterId>,
    /// Who comes or goes with it.
    pub moves: Option<(&'a Move, &'a Character)>,
}

impl<'a> Said<'a> {
    pub fn words(words: &'a str) -> Self {
        Self { words: Some(words), ..Self::default() }
    }
}

impl Opening {
    pub fn batch(&self) -> Batch {
        let mut batch = Batch::relaxed().put(&self.generation).put(&self.storyline);
        if let Some(turn) = &self.turn {
            batch.push(turn);
        }
        if let Some(branch) = &self.branch {
            batch.push(branch);
        }
        batch
    }

    /// What was noted at the reply that goes on, since it was read.
    ///
    /// # Errors
    /// The store failed.
    pub async fn read_again(&mut self, store: &dyn Store) -> Stored<()> {
        if let Some(now) = store.load::<Generation>(self.generation.id.as_str()).await? {
            self.generation.extra = now.extra;
        }
        Ok(())
    }
}

/// Who is there at a new turn of several.
#[derive(Default)]
struct InCompany {
    hears: Vec<CharacterId>,
    /// The root, where it has to say who was there before.
    root: Option<Branch>,
    /// All branches with that.
    alive: Option<HashMap<BranchId, Branch>>,
}

fn broken() -> Fault {
    Fault::new(FaultKind::StorageFailed, "the history tree is damaged")
}

/// The branch of the head, and the path to it.
fn place(branches: &HashMap<BranchId, Branch>, head: &Head) -> Result<(Branch, Path), Fault> {
    let path = Path::of(branches, head).map_err(|_| broken())?;
    let branch = branches.get(&head.branch).cloned().ok_or_else(broken)?;
    Ok((branch, path))
}

/// Whether nothing came, for the prompt was too long.
fn is_held(reply: &Generation) -> bool {
    reply.text.trim().is_empty() && reply.fault.as_ref().is_some_and(|fault| fault.kind.is_too_long())
}

fn missing() -> Fault {
    Fault::new(FaultKind::StorageFailed, "the turn is not there any more")
}

impl Conductor {
    /// The turn that holds the reader's new words, and the place of its reply. Nothing is stored yet: what has to be,
    /// before anything is told or sent (A1), comes beside it.
    pub(super) async fn begin(&self, id: &StorylineId, said: &Said<'_>) -> Result<(Opening, Batch), Fault> {
        let store = &*self.ports.store;
        let now = self.ports.clock.now();
        let (storyline, tree) = join!(self.storyline(id), scene::tree(store, id));
        let (mut storyline, tree) = (storyline?, tree?);
        let (mut branch, mut path) = place(&tree.alive, &storyline.head)?;
        group::take_in_again(&mut storyline, &tree.alive, &path);
        if branch.end() != path.end {
            // The reader had gone back: the new turn begins a branch, and what was there stays.
            branch = self.fork(&path, path.end.saturating_sub(1), None).await?;
            if let Some(span) = path.spans.last_mut() {
                span.leaves_by = branch.parent.as_ref().and_then(|fork| fork.generation.clone());
            }
        }
        let session = session::session_at(store, &storyline, &path, branch.end()).await?;
        if let Some(session) = session.map(|session| session.id.clone()) {
            storyline.current_session = session;
        }
        let state = self.back(&storyline, &path, |reply| reply.state.clone()).await?;
        let state = state.unwrap_or_else(|| storyline.initial_state.clone());
        let mut turn = Turn {
            id: self.ports.id(),
            storyline: storyline.id.clone(),
            branch: branch.id.clone(),
            position: branch.end(),
            session: storyline.current_session.clone(),
            user: said.words.map(str::to_owned),
            is_stage: said.moves.is_some(),
            created: now,
            ..Default::default()
        };
        let before = path.clone();
        let InCompany { hears, root, mut alive } =
            self.company(&mut storyline, &tree, &mut branch, &before, said, &mut turn).await?;
        branch.length = branch.length.saturating_add(1);
        if let Some(alive) = &mut alive {
            alive.insert(branch.id.clone(), branch.clone());
        }
        storyline.head = Head { branch: branch.id.clone(), end: branch.end() };
        storyline.total_turns = storyline.head.end.saturating_sub(1);
        storyline.last_active = now;
        // Who speaks in a story that rests goes on with it.
        if storyline.status == StorylineStatus::Paused {
            storyline.status = StorylineStatus::Active;
        }
        let current = storyline.current_session.clone();
        if let Some(session) = storyline.sessions.iter_mut().find(|session| session.id == current) {
            session.turns = session.turns.saturating_add(1);
        }
        let mut words = Batch::new().put(&turn).put(&branch).put(&storyline);
        // What is said is unsent no more.
        if said.words.is_some() && said.moves.is_none() {
            words = words.delete(Table::Settings, &unsent::id(&storyline.id));
        }
        if let Some(root) = root {
            words.push(&root);
        }
        let mut generation = self.begun(&turn, state);
        let mut is_answered = said.moves.is_none();
        if storyline.is_group() && is_answered {
            let speaks = match said.by {
                Some(speaker) => Some(speaker.clone()),
                None => self.answers(&storyline, &before, &hears, &turn).await?,
            };
            is_answered = speaks.is_some();
            generation.speaker = speaks.or(hears.first().cloned()).and_then(|one| storyline.as_speaker(&one));
        }
        turn.chosen = Some(generation.id.clone());
        let path = path.grown(&branch.id);
        Ok((
            Opening {
                storyline,
                turn: Some(turn),
                branch: None,
                generation,
                account: None,
                earlier: None,
                path,
                alive,
                tree: Some(tree),
                is_answered,
                goes_on: None,
                trigger: Trigger::Normal,
            },
            words,
        ))
    }

    /// Notes on its branch who hears a new turn of several. A story of one character notes nothing.
    async fn company(
        &self,
        storyline: &mut Storyline,
        tree: &Tree,
        branch: &mut Branch,
        path: &Path,
        said: &Said<'_>,
        turn: &mut Turn,
    ) -> Result<InCompany, Fault> {
        let mut root = None;
        if let Some((moves, character)) = said.moves {
            let noted = Noted::of(storyline, &tree.alive, path);
            group::fits(storyline, &noted, moves)?;
            // Who joins now was not there before; nor is who quits forgotten.
            if !noted.begins() {
                let begins = Company { at: 0, heard: storyline.cast.clone(), present: storyline.cast.clone() };
                let first = path.spans.first().map_or(&branch.id, |span| &span.branch);
                if *first == branch.id {
                    branch.company.insert(0, begins);
                } else if let Some(first) = tree.alive.get(first) {
                    let mut first = first.clone();
                    first.company.insert(0, begins);
                    root = Some(first);
                }
            }
            match moves {
                Move::Joins(who) => {
                    storyline.comes_with(who, &character.persona());
                    storyline.cast.push(who.clone());
                }
                Move::Quits(who) => storyline.cast.retain(|one| one != who),
                Move::Leaves(_) | Move::Returns(_) => {}
            }
        } else if !storyline.is_group() {
            return Ok(InCompany::default());
        }
        let mut alive = tree.alive.clone();
        alive.extend([Some(branch.clone()), root.clone()].into_iter().flatten().map(|one| (one.id.clone(), one)));
        let noted = Noted::of(storyline, &alive, path);
        let mut to = said.to.map(<[_]>::to_vec);
        if let (Some(speaker), None) = (said.by, &to) {
            // What is whispered is answered in a whisper.
            let last = path.end.saturating_sub(1);
            let before = scene::window(&*self.ports.store, path, last, path.end).await?.pop();
            to = before.and_then(|node| node.turn.heard_by).filter(|heard| heard.contains(speaker));
        }
        let begun = Begun::of(storyline, &noted, turn.position, to.as_deref(), said.moves.map(|(moves, _)| moves));
        if to.is_some() {
            turn.heard_by = Some(begun.hears.clone());
        }
        if begun.hears.is_empty() && said.to.is_some() || said.by.is_some_and(|one| !begun.hears.contains(one)) {
            return Err(Fault::new(FaultKind::BadRequest, "nobody is there to hear it"));
        }
        branch.company.retain(|note| note.at < turn.position);
        branch.company.extend(begun.note);
        Ok(InCompany { hears: begun.hears, root, alive: Some(alive) })
    }

    /// A reply to `turn` that has no text yet, and the state before it.
    fn begun(&self, turn: &Turn, state: StateId) -> Generation {
        Generation {
            id: self.ports.id(),
            turn: turn.id.clone(),
            storyline: turn.storyline.clone(),
            branch: turn.branch.clone(),
            position: turn.position,
            open: Some(1),
            started: self.ports.clock.now(),
            state: Some(state),
            ..Default::default()
        }
    }

    /// A new branch that leaves the path after `position`; by the given reply, or by the one that is seen there.
    async fn fork(&self, path: &Path, position: u32, generation: Option<GenerationId>) -> Result<Branch, Fault> {
        let nodes = scene::window(&*self.ports.store, path, position, position + 1).await?;
        let node = nodes.first().ok_or_else(|| Fault::new(FaultKind::StorageFailed, "a turn is missing"))?;
        Ok(self.branch_after(&node.turn, generation.or_else(|| node.reply().map(|reply| reply.id.clone()))))
    }

    /// Another reply, or more of one, and what changes in the tree with it.
    pub(super) async fn opening(&self, mut storyline: Storyline, ask: &Ask) -> Result<Opening, Fault> {
        let store = &*self.ports.store;
        let now = self.ports.clock.now();
        storyline.last_active = now;
        if let Ask::Continue(id) = ask {
            let mut generation = store.load::<Generation>(id.as_str()).await?.ok_or_else(missing)?;
            let path = scene::path_to(store, &generation).await?;
            generation.state = Some(scene::state_before(store, &storyline, &path, generation.position).await?);
            let goes_on = Stood::of(&generation);
            generation.status = Status::Streaming;
            generation.open = Some(1);
            generation.fault = None;
            generation.finish = None;
            generation.finished = None;
            return Ok(Opening {
                storyline,
                turn: None,
                branch: None,
                generation,
                account: None,
                earlier: None,
                path,
                alive: None,
                tree: None,
                is_answered: true,
                goes_on,
                trigger: Trigger::Continue,
            });
        }

        let tree = scene::tree(store, &storyline.id).await?;
        let (branch, path) = place(&tree.alive, &storyline.head)?;
        group::take_in_again(&mut storyline, &tree.alive, &path);
        let position = match ask {
            Ask::Again(id) | Ask::AgainBy(id, _) => {
                store.load::<Turn>(id.as_str()).await?.ok_or_else(missing)?.position
            }
            _ => path.end.saturating_sub(1),
        };
        let nodes = scene::window(store, &path, position, position + 1).await?;
        let on_path = |turn: &Turn| !matches!(ask, Ask::Again(id) | Ask::AgainBy(id, _) if *id != turn.id);
        let node = nodes.into_iter().next().filter(|node| on_path(&node.turn)).ok_or_else(missing)?;
        let held = node.reply().filter(|reply| is_held(reply)).map(|reply| reply.id.clone());
        // What nobody has answered yet is answered for the first time.
        let trigger = if held.is_some() || node.reply().is_none() { Trigger::Normal } else { Trigger::Again };
        // A reply without a word is where the reader changes what its prompt is too long for.
        let blank = node.reply().filter(|reply| reply.text.trim().is_empty() && !reply.by_hand().is_empty()).cloned();
        let (speaker, has_reply) = (node.reply().and_then(|reply| reply.speaker.clone()), node.reply().is_some());
        let mut turn = node.turn;
        let mut generation = self.begun(&turn, scene::state_before(store, &storyline, &path, turn.position).await?);
        generation.speaker = speaker;
        if storyline.is_group() {
            let hears = Noted::of(&storyline, &tree.alive, &path).heard(position).to_vec();
            let other = match ask {
                Ask::AgainBy(_, by) if hears.contains(by) => Some(by.clone()),
                Ask::AgainBy(..) => return Err(Fault::new(FaultKind::BadRequest, "nobody is there to hear it")),
                _ if has_reply => None,
                _ if hears.is_empty() => return Err(Fault::new(FaultKind::BadRequest, "nobody is there to hear it")),
                // Who comes or goes was answered by nobody yet.
                _ => self.answers(&storyline, &path.until(position), &hears, &turn).await?.or(hears.first().cloned()),
            };
            generation.speaker = other.map_or(generation.speaker, |one| storyline.as_speaker(&one));
        }
        let is_tip = branch.id == turn.branch && branch.end() == position + 1 && path.end == position + 1;
        if let Some(blank) = blank.filter(|_| path.end == position + 1) {
            blank.by_hand().iter().for_each(|change| generation.add_by_hand(change));
            generation.state = blank.state;
        }
        let branch = if is_tip {
            // A prompt that was too long left nothing to keep but the question what to do: this is the answer.
            if let Some(held) = held {
                generation.id = held;
            }
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
            let branch = self.fork(&path, position, Some(generation.id.clone())).await?;
            storyline.head = Head { branch: branch.id.clone(), end: position + 1 };
            storyline.total_turns = position;
            Some(branch)
        };
        let path = path.until(position + 1);
        Ok(Opening {
            storyline,
            turn: Some(turn),
            branch,
            generation,
            account: None,
            earlier: None,
            path,
            alive: None,
            tree: None,
            is_answered: true,
            goes_on: None,
            trigger,
        })
    }
}
