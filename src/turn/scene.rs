//! Loads what a turn needs, in parallel where it can (seed `000`, step 2).

use std::collections::{BTreeMap, HashMap};

use futures_util::{join, try_join};

use crate::{
    ports::{Query, Store, StoreError, Stored, Table},
    prompt::{
        Scene, builtin,
        context::ContextStore,
        sources,
        tokens::{Calibration, PER_MESSAGE, estimate},
    },
    sim::demo_llm as demo,
    story::{
        background::Background,
        character::Character,
        connection::Connection,
        fault::{Fault, FaultKind},
        generation::Generation,
        ids::{BranchId, StorylineId},
        preset::Preset,
        settings::{Connections, Preferences},
        state::State,
        storyline::Storyline,
        tree::{self, Branch, Node, Path},
        turn::Turn,
    },
};

/// Turns read at a time while walking back through the history.
const WINDOW: u32 = 128;

/// The branches of a storyline.
pub async fn branches(store: &dyn Store, storyline: &StorylineId) -> Stored<HashMap<BranchId, Branch>> {
    let list = store.list::<Branch>(Query::equal(Table::Branches, "storyline", storyline.as_str())).await?;
    Ok(list.into_iter().map(|branch| (branch.id.clone(), branch)).collect())
}

/// The path that ends at the storyline's head.
pub async fn path(store: &dyn Store, storyline: &Storyline) -> Stored<Path> {
    let branches = branches(store, &storyline.id).await?;
    Path::of(&branches, &storyline.head).map_err(|broken| StoreError::unreadable(Table::Branches, broken))
}

/// The turns of a path from position `from` up to, but not including, `to`: two range reads a span.
pub async fn window(store: &dyn Store, path: &Path, from: u32, to: u32) -> Stored<Vec<Node>> {
    let (mut turns, mut generations) = (Vec::new(), Vec::new());
    for span in path.window(from, to) {
        let place = |table| {
            let branch = span.branch.as_str();
            Query::between(table, "place", (branch, span.first), (branch, span.last))
        };
        let (more_turns, more_generations) =
            try_join!(store.list::<Turn>(place(Table::Turns)), store.list::<Generation>(place(Table::Generations)),)?;
        turns.extend(more_turns);
        generations.extend(more_generations);
    }
    Ok(tree::nodes(path, turns, generations))
}

/// The newest turns of the path, until they cost more than `budget` tokens.
pub async fn newest(store: &dyn Store, path: &Path, budget: u32) -> Stored<Vec<Node>> {
    let mut nodes: Vec<Node> = Vec::new();
    let (mut to, mut tokens) = (path.end, 0);
    while to > 0 && tokens <= budget {
        let from = to.saturating_sub(WINDOW);
        let mut earlier = window(store, path, from, to).await?;
        tokens +=
            earlier.iter().flat_map(sources::messages_of).map(|(_, text)| estimate(text) + PER_MESSAGE).sum::<u32>();
        earlier.append(&mut nodes);
        nodes = earlier;
        to = from;
    }
    Ok(nodes)
}

/// A scene that owns what it holds.
pub struct Loaded {
    pub storyline: Storyline,
    pub character: Character,
    pub background: Option<Background>,
    pub state: State,
    pub preset: Preset,
    pub connection: Connection,
    pub history: Vec<Node>,
    pub path: Path,
    /// What modules put in for this turn.
    pub context: ContextStore,
}

impl Loaded {
    pub fn scene(&self) -> Scene<'_> {
        Scene {
            storyline: &self.storyline,
            character: &self.character,
            background: self.background.as_ref(),
            state: &self.state,
            preset: &self.preset,
            history: &self.history,
            not_loaded: self.path.end - self.history.len() as u32,
            // The turn's own time: another reply to it is told the same.
            now: self.history.last().map_or(self.storyline.created, |node| node.turn.created),
            utc_offset: 0,
            variables: variables(&self.storyline),
            context: &self.context,
            calibration: Calibration::of(&self.connection),
        }
    }

    /// Tokens for the prompt: what the model takes, less the room for its reply.
    pub fn budget(&self) -> u32 {
        budget(&self.connection)
    }
}

/// The story's own variables: texts, and whatever else as it is written in JSON.
fn variables(storyline: &Storyline) -> BTreeMap<String, String> {
    let stored = storyline.extra.get("variables").and_then(|value| value.as_object());
    let text = |value: &serde_json::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    stored.into_iter().flatten().map(|(name, value)| (name.clone(), text(value))).collect()
}

/// Context assumed where the connection names none.
const DEFAULT_CONTEXT: u32 = 32_768;

fn budget(connection: &Connection) -> u32 {
    let context = match connection.context_tokens {
        0 => DEFAULT_CONTEXT,
        tokens => tokens,
    };
    let reply = connection.sampling.max_tokens.unwrap_or(1_024).min(context / 2);
    context - reply
}

/// Loads the scene of the storyline's head.
///
/// # Errors
/// What a turn cannot do without is missing (A2: character, state, session), or the store failed.
/// A missing background is an empty world, missing preferences are the defaults.
pub async fn load(store: &dyn Store, storyline: Storyline) -> Result<Loaded, Fault> {
    if !storyline.sessions.iter().any(|session| session.id == storyline.current_session) {
        return Err(Fault::new(FaultKind::NoSession, ""));
    }
    let no_background = String::new();
    let background_id = storyline.background.as_ref().map_or(&no_background, |id| &id.0);
    let (character, background, connection, path) = join!(
        store.load::<Character>(storyline.character.as_str()),
        store.load::<Background>(background_id),
        connection(store, &storyline),
        path(store, &storyline),
    );
    let character = character?
        .filter(|character| character.deleted.is_none())
        .ok_or_else(|| Fault::new(FaultKind::NoCharacter, ""))?;
    let connection = connection?;
    let path = path?;
    let room = Calibration::of(&connection).unscale(budget(&connection));
    let history = newest(store, &path, room).await?;
    let state = state_at(store, &storyline, &history).await?;
    let preset = preset(store, &storyline).await;
    let background = background.ok().flatten();
    let context = ContextStore::default();
    Ok(Loaded { character, background, state, preset, connection, history, path, storyline, context })
}

/// The storyline's preset: the reader's own of that id, a built-in one, or plain chat where it is gone.
async fn preset(store: &dyn Store, storyline: &Storyline) -> Preset {
    let own = store.load::<Preset>(storyline.preset.as_str()).await.ok().flatten();
    own.or_else(|| builtin::builtin(storyline.preset.as_str(), storyline.language))
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
    let named = |wanted: &Option<_>| list.iter().find(|connection| Some(&connection.id) == wanted.as_ref());
    named(&storyline.connection)
        .or_else(|| named(&default))
        .or(list.first())
        .cloned()
        .ok_or_else(|| Fault::new(FaultKind::NoConnection, ""))
}

/// The state that holds at the end of the path: every reply names the one after it, the newest reply wins.
async fn state_at(store: &dyn Store, storyline: &Storyline, newest: &[Node]) -> Result<State, Fault> {
    let id = newest.iter().rev().find_map(|node| node.reply()?.state.as_ref()).unwrap_or(&storyline.initial_state);
    store.load::<State>(id.as_str()).await?.ok_or_else(|| Fault::new(FaultKind::NoState, ""))
}
