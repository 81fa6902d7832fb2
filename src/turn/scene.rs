//! Loads what a turn needs, in parallel where it can (seed `000`, step 2).

use std::rc::Rc;

use futures_util::{future::try_join_all, join, try_join};

use super::{group, meter, opening::Opening, past, scripts, session};
pub use super::{
    past::{newest, stride},
    setting::{Setting, settle},
};
use crate::{
    features,
    ports::{
        Clock, Store,
        recall::Embedding,
        recent::{Recent, Stretch},
        till::Purpose,
    },
    prompt::{Scene, builtin, context::ContextStore, tokens::Calibration},
    sim::demo_llm as demo,
    store::{Query, StoreError, Stored, Table, decode},
    story::{
        Millis,
        background::{Background, OutlinePoint},
        character::Character,
        company::{self, Group, is_in},
        connection::{self, Connection},
        fault::{Fault, FaultKind},
        generation::Generation,
        ids::{CharacterId, StateId, StorylineId},
        preset::Preset,
        reader_persona::ReaderPersona,
        sampling::Refused,
        script::Rewrites,
        settings::{Config, Connections, Preferences},
        spending::Kind,
        state::State,
        storyline::{Opened, Storyline},
        tree::{self, Head, Node, Path, Tree},
        trigger::Trigger,
        turn::Turn,
    },
};

/// The branches of a storyline; one that cannot be read never hides the others.
pub async fn tree(store: &dyn Store, storyline: &StorylineId) -> Stored<Rc<Tree>> {
    let branches = store.together(Table::Branches, storyline.as_str()).await?;
    Ok(branches.made(|docs| Tree::of(docs.iter().filter_map(|doc| decode(doc.value.clone()).ok()).collect())))
}

/// The path that ends at the storyline's head.
pub async fn path(store: &dyn Store, storyline: &Storyline) -> Stored<Path> {
    let tree = tree(store, &storyline.id).await?;
    Path::of(&tree.alive, &storyline.head).map_err(|broken| StoreError::unreadable(Table::Branches, broken))
}

/// The path that ends at the storyline's head, and the end of the head's branch where that goes on after it.
pub async fn sight(store: &dyn Store, storyline: &Storyline) -> Stored<(Path, Option<Head>)> {
    let tree = tree(store, &storyline.id).await?;
    let head = &storyline.head;
    let path = Path::of(&tree.alive, head).map_err(|broken| StoreError::unreadable(Table::Branches, broken))?;
    let tip = tree.alive.get(&head.branch).map(|branch| Head { branch: branch.id.clone(), end: branch.tip() });
    Ok((path, tip.filter(|tip| tip.end > head.end)))
}

/// The turns of a path from position `from` up to, but not including, `to`: two range reads a span.
pub async fn window(store: &dyn Store, path: &Path, from: u32, to: u32) -> Stored<Vec<Node>> {
    // All at once: where each turn lies on a branch of its own, one read after the other takes long.
    let reads = path.window(from, to).into_iter().map(|span| async move {
        let place = |table| {
            let branch = span.branch.as_str();
            Query::between(table, "place", (branch, span.first), (branch, span.last))
        };
        try_join!(store.list::<Turn>(place(Table::Turns)), store.list::<Generation>(place(Table::Generations)))
    });
    let (turns, generations): (Vec<_>, Vec<_>) = try_join_all(reads).await?.into_iter().unzip();
    Ok(tree::nodes(path, turns.concat(), generations.concat()))
}

/// The same without those that no model is told.
pub async fn told(store: &dyn Store, path: &Path, from: u32, to: u32) -> Stored<Vec<Node>> {
    let mut nodes = window(store, path, from, to).await?;
    nodes.retain(|node| path.is_told(node.turn.position));
    Ok(nodes)
}

/// A scene that owns what it holds.
pub struct Loaded {
    pub storyline: Storyline,
    /// Who speaks; `None`: the storyline's own character.
    pub speaker: Option<CharacterId>,
    /// Of who speaks.
    pub character: Character,
    /// The others who speak, and what the speaker has heard; `None`: the story has one character.
    pub group: Option<Group>,
    /// Whom the reader plays.
    pub plays_as: Option<ReaderPersona>,
    pub background: Option<Background>,
    /// Why there is none although the storyline has one: it cannot be read.
    pub background_fault: Option<String>,
    /// As far as who speaks knows of it.
    pub state: State,
    pub preset: Preset,
    pub trigger: Trigger,
    pub connection: Connection,
    /// The newest stretch of the path; the last one is the turn to answer, without a reply
    /// but for the one that goes on.
    pub history: Vec<Node>,
    /// The first turns of the conversation, where a summary stands for those between them and `history`.
    pub head: Vec<Node>,
    pub path: Path,
    /// How the session of the turn to answer began.
    pub opened: Option<Opened>,
    pub config: Config,
    /// Minutes by which the reader's clock is ahead of UTC at the turn's time.
    pub utc_offset: i32,
    /// What was read for a new turn, without it: see [`Self::take_past`].
    pub past: Option<Stretch>,
    /// What features put in for this turn.
    pub context: ContextStore,
    /// Scripts that it is read through.
    pub scripts: Option<Rc<dyn Rewrites>>,
    /// Tokens for the prompt where the newest turns only are told, as many as fit; `None` = as the preset has it.
    pub newest: Option<u32>,
    /// What its calls are made for.
    pub purpose: Purpose,
    /// What was asked by likeness already: nobody asks it twice.
    pub question: Option<Question>,
}

/// A text whose embedding was asked for.
pub struct Question {
    pub text: String,
    pub answer: Result<Embedding, Fault>,
}

impl Loaded {
    pub fn scene(&self) -> Scene<'_> {
        let missed = company::missed(self.unheard(), &self.path);
        Scene {
            storyline: &self.storyline,
            speaker: self.speaker.as_ref(),
            character: &self.character,
            group: self.group.as_ref(),
            plays_as: self.plays_as.as_ref(),
            background: self.background.as_ref(),
            state: &self.state,
            preset: &self.preset,
            trigger: self.trigger,
            history: &self.history,
            head: &self.head,
            not_loaded: self.not_loaded(&missed),
            missed,
            opened: self.opened.as_ref(),
            summary_order: self.config.preferences.summary_order,
            conversation_tokens: (!self.config.preferences.conversation_load_all)
                .then(|| Calibration::of(&self.connection).unscale(self.config.limits.conversation_max_tokens)),
            room: Some(Calibration::of(&self.connection).unscale(self.budget())),
            now: self.now(),
            utc_offset: self.utc_offset,
            variables: self.storyline.variables(),
            sources: features::sources(),
            context: &self.context,
            scripts: self.scripts.as_deref(),
            calibration: Calibration::of(&self.connection),
        }
    }

    /// Reads the first turns of the conversation, where a summary of its middle is told and the history does not go so far.
    pub(super) async fn with_head(mut self, store: &dyn Store) -> Stored<Self> {
        let first = self.history.first().map_or(0, |node| node.turn.position);
        let begins = self.opened.as_ref().map_or(0, |opened| opened.at.end);
        if let Some(until) = self.scene().recap().map(|recap| recap.from.min(first)).filter(|until| begins < *until) {
            let mut head = told(store, &self.path, begins, until).await?;
            head.retain(|node| !is_in(self.unheard(), node.turn.position));
            self.head = head;
        }
        Ok(self)
    }

    /// The turns that the speaker did not hear.
    pub fn unheard(&self) -> &[company::Stretch] {
        self.group.as_ref().map_or(&[], |group| &group.unheard)
    }

    /// The stretch before the turn to answer, for the next one. The history goes with it where the speaker heard all.
    pub(super) fn take_past(&mut self) -> Option<Stretch> {
        let mut past = self.past.take()?;
        if self.group.is_none() {
            self.history.pop();
            past.nodes = std::mem::take(&mut self.history);
        }
        Some(past)
    }

    /// Turns of the path that would be told if there were room for more: not those that are not told anyway.
    fn not_loaded(&self, missed: &[company::Stretch]) -> u32 {
        let read = self.history.len() as u32 + company::count(missed);
        self.path.end.saturating_sub(read)
    }

    /// The turn's own time: another reply to it is told the same.
    fn now(&self) -> Millis {
        self.history.last().map_or(self.storyline.created, |node| node.turn.created)
    }

    /// Tells time as `clock` shows it to the reader; for a turn that is not there yet the time is now.
    pub(super) fn by(mut self, clock: &dyn Clock) -> Self {
        if let Some(last) = self.history.last_mut().filter(|last| last.turn.created == 0) {
            last.turn.created = clock.now();
        }
        self.utc_offset = clock.utc_offset(self.now());
        self
    }

    /// Tokens for the prompt.
    pub fn budget(&self) -> u32 {
        self.newest.unwrap_or_else(|| room(&self.preset, &self.connection, &self.config))
    }
}

/// Context assumed where the connection names none.
const DEFAULT_CONTEXT: u32 = 32_768;

/// What the model takes, less the room for its reply.
pub fn budget(connection: &Connection) -> u32 {
    match connection.context_tokens {
        0 => budget_of(connection, DEFAULT_CONTEXT),
        context => budget_of(connection, context),
    }
}

/// The same of a model that takes `context` tokens.
pub fn budget_of(connection: &Connection, context: u32) -> u32 {
    let sampling = Refused::taken(connection);
    let reply = sampling.max_tokens.unwrap_or(1_024).min(sampling.most(context));
    context - (reply + sampling.room()).min(context / 2 + context / 8)
}

/// Loads the scene of a reply that is about to begin: all as of its turn. With `recent` the turn is a new one, and need
/// not be stored yet.
///
/// # Errors
/// What a turn cannot do without is missing (A2: character, state, session), or the store failed.
/// A missing background is an empty world, a missing config the defaults.
pub(super) async fn load(
    store: &dyn Store,
    clock: &dyn Clock,
    opening: &Opening,
    recent: Option<&Recent>,
) -> Result<Loaded, Fault> {
    let Opening { storyline, generation, path, turn, .. } = opening;
    if !storyline.sessions.iter().any(|session| session.id == storyline.current_session) {
        return Err(Fault::new(FaultKind::NoSession, ""));
    }
    let no_background = String::new();
    let background_id = storyline.background.as_ref().map_or(&no_background, |id| &id.0);
    let before = generation.state.as_ref().unwrap_or(&storyline.initial_state);
    let (character, plays_as, background, state, connection, config, preset, session) = join!(
        store.load::<Character>(storyline.speaker(generation.speaker.as_ref()).as_str()),
        plays_as(store, storyline),
        store.load::<Background>(background_id),
        store.load::<State>(before.as_str()),
        connection(store, storyline),
        store.load::<Config>(Config::ID),
        preset(store, storyline),
        session::session_at(store, storyline, path, generation.position),
    );
    let character = character?
        .filter(|character| character.deleted.is_none())
        .ok_or_else(|| Fault::new(FaultKind::NoCharacter, ""))?;
    let mut state = state?.ok_or_else(|| Fault::new(FaultKind::NoState, ""))?;
    let before = opening.tree.as_deref().map(|tree| &tree.alive);
    let alive = opening.alive.as_ref().or(before);
    let group = group::of(store, storyline, path, generation.speaker.as_ref(), turn.as_ref(), alive).await?;
    storyline.introduce(&mut state);
    let known = group.as_ref().map(|group| group::known(&state, group, generation.speaker.as_ref()));
    let (mut connection, session) = (connection?, session?);
    connection.sampling = preset.sampling.over(connection.sampling);
    let config = config.ok().flatten().unwrap_or_default().in_range();
    let room = room(&preset, &connection, &config);
    let background_fault = background.as_ref().err().map(|error| error.to_string());
    let budget = Calibration::of(&connection).unscale(room);
    let last = path.end.saturating_sub(1);
    let mut past = None;
    let mut history = match (recent, turn, &group) {
        (Some(recent), Some(turn), _) => {
            let slack = if Calibration::of(&connection).samples == 0 { budget } else { budget / 8 };
            let mut stretch = past::at_hand(store, storyline, path.until(last), (budget, slack), recent).await?;
            let mut history = match &group {
                Some(group) => past::heard(store, &stretch, &group.unheard, budget).await?,
                None => std::mem::take(&mut stretch.nodes),
            };
            history.push(Node { turn: turn.clone(), generations: Vec::new(), seen: None });
            past = Some(stretch);
            history
        }
        (.., Some(group)) => {
            let mut history = past::newest_heard(store, &path.until(last), &group.unheard, budget).await?;
            history.extend(window(store, path, last, path.end).await?);
            history
        }
        _ => {
            let mut history = newest(store, path, budget).await?;
            // A turn that is answered is told, whatever is told of it later.
            if !path.is_told(last) {
                history.extend(window(store, path, last, path.end).await?);
            }
            history
        }
    };
    if let Some(node) = history.last_mut() {
        // It stops before the reply that is to come, whatever the turn was answered before; one that goes on is told so far.
        let so_far = node.generations.iter().position(|reply| reply.id == generation.id);
        node.seen = so_far.filter(|_| !generation.text.is_empty());
    }
    let mut loaded = Loaded {
        utc_offset: 0,
        past,
        speaker: generation.speaker.clone(),
        character,
        opened: session.and_then(|session| session.opened.clone()).map(|mut opened| {
            let unheard = group.as_ref().map_or(&[][..], |group| &group.unheard);
            // What it sums up the speaker has to have heard.
            if company::touches(unheard, 0, opened.at.end) {
                opened.summary.clear();
            }
            opened
        }),
        group,
        plays_as,
        background: background.ok().flatten(),
        background_fault,
        state: known.unwrap_or(state),
        preset,
        trigger: opening.trigger,
        connection,
        history,
        head: Vec::new(),
        path: path.clone(),
        storyline: storyline.clone(),
        config,
        context: ContextStore::default(),
        scripts: None,
        newest: None,
        purpose: meter::purpose(Kind::Chat, storyline),
        question: None,
    };
    scripts::read_through(store, clock, &mut loaded).await?;
    Ok(loaded.with_head(store).await?.by(clock))
}

/// Tokens for the prompt. A preset that sends the whole session is not trimmed to the model's size: above that, or above
/// the limit, it is not sent, and the reader is asked what to do (A6).
fn room(preset: &Preset, connection: &Connection, config: &Config) -> u32 {
    let whole_session = preset.blocks.iter().any(|block| block.enabled && block.current_session);
    let budget = budget(connection);
    if whole_session { budget.max(config.limits.max_total_tokens + 1) } else { budget }
}

/// The storyline's preset: the reader's own of that id, a built-in one, or plain chat where it is gone or cannot be read.
pub async fn preset(store: &dyn Store, storyline: &Storyline) -> Preset {
    stored_preset(store, storyline).await.unwrap_or_else(|_| without_own(storyline))
}

/// The same, past what is at hand.
pub async fn preset_by_now(store: &dyn Store, storyline: &Storyline) -> Preset {
    let own = store.get_many(Table::Presets, std::slice::from_ref(&storyline.preset.0)).await;
    let own = own.ok().and_then(|found| decode(found.into_iter().next()?.value).ok());
    own.unwrap_or_else(|| without_own(storyline))
}

pub(super) async fn stored_preset(store: &dyn Store, storyline: &Storyline) -> Stored<Preset> {
    let own = store.load::<Preset>(storyline.preset.as_str()).await?;
    Ok(own.unwrap_or_else(|| without_own(storyline)))
}

fn without_own(storyline: &Storyline) -> Preset {
    builtin::builtin(storyline.preset.as_str(), storyline.language)
        .unwrap_or_else(|| builtin::plain(storyline.language))
}

/// The connection that this storyline is played with.
///
/// # Errors
/// There is none yet.
pub async fn connection(store: &dyn Store, storyline: &Storyline) -> Result<Connection, Fault> {
    if storyline.demo {
        return Ok(demo::connection(storyline.language));
    }
    let (connections, preferences) =
        try_join!(store.load::<Connections>(Connections::ID), store.load::<Preferences>(Preferences::ID),)?;
    let list = connections.unwrap_or_default().list;
    let default = preferences.unwrap_or_default().default_connection;
    let chosen = connection::chosen(&list, storyline.connection.as_ref(), default.as_ref());
    chosen.cloned().ok_or_else(|| Fault::new(FaultKind::NoConnection, ""))
}

/// The path from the root to a reply's turn.
pub async fn path_to(store: &dyn Store, generation: &Generation) -> Stored<Path> {
    let tree = tree(store, &generation.storyline).await?;
    let head = Head { branch: generation.branch.clone(), end: generation.position + 1 };
    Path::of(&tree.alive, &head).map_err(|broken| StoreError::unreadable(Table::Branches, broken))
}

/// Goes back through the replies that are seen on the path before `position`, until `find` has what it looks for.
pub async fn back<T>(
    store: &dyn Store,
    path: &Path,
    position: u32,
    mut find: impl FnMut(&Generation) -> Option<T>,
) -> Stored<Option<T>> {
    // Nearly always it is the turn just before.
    let (mut to, mut step) = (position, 1);
    while to > 0 {
        let from = to.saturating_sub(step);
        let nodes = window(store, path, from, to).await?;
        if let Some(found) = nodes.iter().rev().filter_map(Node::reply).find_map(&mut find) {
            return Ok(Some(found));
        }
        (to, step) = (from, stride(if nodes.is_empty() { step } else { 0 }));
    }
    Ok(None)
}

/// The newest reply of the path before `position` that names a state.
pub async fn newest_reply(store: &dyn Store, path: &Path, position: u32) -> Stored<Option<Generation>> {
    back(store, path, position, |reply| reply.state.is_some().then(|| reply.clone())).await
}

/// The state that holds before the turn at `position`: every reply names the one after it.
pub async fn state_before(store: &dyn Store, storyline: &Storyline, path: &Path, position: u32) -> Stored<StateId> {
    let reply = newest_reply(store, path, position).await?;
    Ok(reply.and_then(|reply| reply.state).unwrap_or_else(|| storyline.initial_state.clone()))
}

/// Whom the reader plays; one that is gone, lies in the bin or cannot be read says nothing.
pub async fn plays_as(store: &dyn Store, storyline: &Storyline) -> Option<ReaderPersona> {
    let id = storyline.plays_as.as_ref()?;
    store.load::<ReaderPersona>(id.as_str()).await.ok().flatten().filter(|persona| persona.deleted.is_none())
}

/// The background that the storyline plays in; empty where there is none.
pub async fn background(store: &dyn Store, storyline: &Storyline) -> Stored<Background> {
    let Some(id) = &storyline.background else { return Ok(Background::default()) };
    Ok(store.load::<Background>(id.as_str()).await?.unwrap_or_default())
}

/// The outline that the storyline plays by; empty where there is none.
pub async fn outline(store: &dyn Store, storyline: &Storyline) -> Stored<Vec<OutlinePoint>> {
    Ok(background(store, storyline).await?.story_outline)
}
