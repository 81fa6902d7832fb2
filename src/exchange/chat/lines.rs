//! The turns of a conversation as they come to be, and of others that begin as it does: each becomes a branch where it
//! leaves what was said before.

use serde_json::{Value, json};

use super::{
    Chat, Message, Object, Swipe,
    sillytavern::{JOINED, KEPT},
    story::Cast,
};
use crate::{
    exchange::names::tidy_name,
    story::{
        Millis,
        generation::{Generation, Status, finish},
        ids::{BranchId, GenerationId},
        order,
        state::State,
        tree::{Branch, Fork, Untold},
        turn::Turn,
        written::Text,
    },
};

pub(super) struct Lines<'a> {
    seed: &'a str,
    cast: &'a Cast,
    state: &'a State,
    pub branches: Vec<Branch>,
    pub turns: Vec<Turn>,
    pub generations: Vec<Generation>,
    /// For each turn whether all that was said in it was hidden from the model; `None`: nothing was said.
    hidden: Vec<Option<bool>>,
    /// For each turn its replies: indexes.
    replies: Vec<Vec<usize>>,
    /// No time is before this one: replies stand in the order in which they began.
    pub at: Millis,
    told: Vec<Line<'a>>,
}

/// A conversation, and for each of its messages the turn that it became: an index.
struct Line<'a> {
    messages: &'a [Message],
    turns: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub fn new(seed: &'a str, cast: &'a Cast, state: &'a State, at: Millis) -> Self {
        let (branches, turns, generations, hidden, replies, told) = Default::default();
        Self { seed, cast, state, branches, turns, generations, hidden, replies, at, told }
    }

    /// The conversation that the story is of: its root.
    pub async fn first<E>(&mut self, chat: &'a Chat, breathe: impl AsyncFn() -> Result<(), E>) -> Result<(), E> {
        self.grow(None, 0);
        self.open();
        let mut turns = Vec::new();
        self.tell(&chat.messages, &mut turns, breathe).await?;
        self.told.push(Line { messages: &chat.messages, turns });
        Ok(())
    }

    /// Another that begins like one of these; false where none does.
    pub async fn join<E>(
        &mut self,
        name: &str,
        other: &'a Chat,
        breathe: impl AsyncFn() -> Result<(), E>,
    ) -> Result<bool, E> {
        let shared = |line: &Line| {
            let same = line.messages.iter().zip(&other.messages).take_while(|(one, other)| is_same(one, other));
            same.count()
        };
        // Of several alike the earliest: what leaves it is no branch of a branch.
        let Some((at, shared)) =
            (0..self.told.len()).map(|at| (at, shared(&self.told[at]))).rev().max_by_key(|(_, n)| *n)
        else {
            return Ok(false);
        };
        let name = Some(tidy_name(name).0).filter(|name| !name.is_empty());
        let mut turns = self.told[at].turns[..shared].to_vec();
        for (message, turn) in other.messages.iter().zip(&turns).filter(|(message, _)| !message.is_reader) {
            self.swiped(message, *turn);
        }
        if shared == other.messages.len() {
            // A checkpoint: all of it is there.
            if let Some(last) = turns.last().copied() {
                self.name(last, name);
            }
            return Ok(!turns.is_empty());
        }
        let Some((turn, generation, from)) = self.fork(at, &other.messages, shared) else { return Ok(false) };
        turns.truncate(from);
        // Another wording that the line has, too, is told by its turn.
        turns.resize(from, turn);
        let fork = Fork {
            branch: self.turns[turn].branch.clone(),
            position: self.turns[turn].position,
            generation: Some(generation),
        };
        self.grow(Some(fork), self.turns[turn].position + 1);
        if !other.head.is_empty() {
            let branch = self.branches.last_mut().expect("it has just grown");
            branch.extra.insert(KEPT.into(), json!({ "head": other.head }));
        }
        let first = self.turns.len();
        self.tell(&other.messages[from..], &mut turns, breathe).await?;
        match self.turns.len() > first {
            true => self.name(first, name),
            // A reply without a future.
            false => self.name(turn, name),
        }
        self.told.push(Line { messages: &other.messages, turns });
        Ok(true)
    }

    /// Where a conversation leaves a line with which it shares so many messages: a turn, the reply there, and its first
    /// message after it.
    fn fork(&mut self, line: usize, messages: &[Message], shared: usize) -> Option<(usize, GenerationId, usize)> {
        let line = &self.told[line];
        // At the first difference it may have gone on from another reply to the same. Who is greeted otherwise begins otherwise.
        if let Some((there, here)) = line.messages.get(shared).zip(messages.get(shared))
            && !there.is_reader
            && !here.is_reader
            && there.name == here.name
            && (shared > 0 || there.swipes.iter().any(|swipe| swipe.text == here.text()))
        {
            let turn = line.turns[shared];
            self.swiped(here, turn);
            return Some((turn, self.reply(turn, here.text())?, shared + 1));
        }
        let last = (0..shared).rev().find(|at| !messages[*at].is_reader)?;
        let turn = line.turns[last];
        Some((turn, self.reply(turn, messages[last].text())?, last + 1))
    }

    /// The reply of a turn that says this: of several the one that is seen.
    fn reply(&self, turn: usize, text: &str) -> Option<GenerationId> {
        let seen = self.turns[turn].chosen.as_ref();
        let mut saying = self.replies(turn).filter(|reply| reply.text == text).map(|reply| &reply.id);
        let first = saying.clone().next();
        saying.find(|id| Some(*id) == seen).or(first).cloned()
    }

    fn replies(&self, turn: usize) -> impl Iterator<Item = &Generation> + Clone {
        self.replies[turn].iter().map(|reply| &self.generations[*reply])
    }

    /// A file that tells a reply may know of further wordings.
    fn swiped(&mut self, message: &Message, turn: usize) {
        let new = |index: &usize| {
            let text = &message.swipes[*index].text;
            self.replies(turn).all(|reply| reply.text != *text)
        };
        let new: Vec<usize> = (0..message.swipes.len()).filter(new).collect();
        for index in new {
            self.reword(turn, message, index);
            // The turn keeps what its own message says beside the words: what this one does stays with the wording.
            if index == message.seen {
                let made = self.generations.last_mut().expect("it has just been made");
                for (field, said) in message.rest.iter().filter(|(field, _)| *field != "swipe_id") {
                    keep(&mut made.extra, field, |kept| *kept = said.clone());
                }
            }
        }
    }

    fn name(&mut self, turn: usize, name: Option<String>) {
        let turn = &mut self.turns[turn];
        if turn.name.is_some() || name.is_none() {
            return;
        }
        turn.name = name;
        branch_of(&mut self.branches, turn).named.push(turn.id.clone());
    }

    fn grow(&mut self, parent: Option<Fork>, first: u32) {
        let id: BranchId = match self.branches.len() {
            0 => format!("{}-branch", self.seed),
            number => format!("{}-branch{number}", self.seed),
        }
        .into();
        self.branches.push(Branch {
            id,
            storyline: self.state.storyline.clone(),
            parent,
            first,
            created: self.at,
            ..Branch::default()
        });
    }

    /// Its messages from where it is by itself; `turns`: those of the others so far.
    async fn tell<E>(
        &mut self,
        messages: &[Message],
        turns: &mut Vec<usize>,
        breathe: impl AsyncFn() -> Result<(), E>,
    ) -> Result<(), E> {
        for message in messages {
            breathe().await?;
            self.take(message);
            turns.push(self.turns.len() - 1);
        }
        let branch = self.branches.last_mut().expect("one has grown");
        let here = self
            .turns
            .iter()
            .zip(&self.hidden)
            .filter(|(turn, hidden)| **hidden == Some(true) && turn.branch == branch.id);
        branch.untold.extend(here.map(|(turn, _)| Untold { at: turn.position, folded: false }));
        Ok(())
    }

    /// The turn that what is said next may belong to: the newest of its branch.
    fn newest(&mut self) -> Option<&mut Turn> {
        let branch = self.branches.last().filter(|branch| branch.length > 0)?;
        self.turns.last_mut().filter(|turn| turn.branch == branch.id)
    }

    fn open(&mut self) {
        let number = self.branches.len() - 1;
        let branch = self.branches.last_mut().expect("one has grown");
        let position = branch.end();
        branch.length += 1;
        let of_branch = if number == 0 { String::new() } else { format!("b{number}") };
        self.turns.push(Turn {
            id: format!("{}{of_branch}-t{position}", self.seed).into(),
            storyline: branch.storyline.clone(),
            branch: branch.id.clone(),
            position,
            session: format!("{}-session", self.seed).into(),
            created: self.at,
            ..Turn::default()
        });
        self.hidden.push(None);
        self.replies.push(Vec::new());
    }

    fn take(&mut self, message: &Message) {
        self.at = message.at.unwrap_or(self.at).max(self.at);
        let is_done = |turn: &Turn| turn.chosen.is_some() || message.is_reader && turn.position == 0;
        // What is said before anyone answers is one turn.
        if self.newest().as_deref().is_none_or(is_done) {
            self.open();
        }
        let turn = self.turns.last_mut().expect("one is open");
        let hidden = self.hidden.last_mut().expect("of the turn");
        *hidden = Some(hidden.unwrap_or(true) && message.is_hidden());
        if !message.is_reader {
            return self.answer(message);
        }
        let text = message.text();
        turn.user = Some(turn.user.take().map_or_else(|| text.to_owned(), |said| said + JOINED + text));
        let mut rest = message.rest.clone();
        rest.insert("mes".into(), text.into());
        keep(&mut turn.extra, "user", |said| match said {
            Value::Array(all) => all.push(rest.into()),
            said => *said = json!([rest]),
        });
    }

    fn answer(&mut self, message: &Message) {
        let turn = self.turns.len() - 1;
        for index in 0..message.swipes.len() {
            let id = self.reword(turn, message, index);
            if index == message.seen {
                self.turns[turn].chosen = Some(id);
            }
        }
        if !message.rest.is_empty() {
            keep(&mut self.turns[turn].extra, "reply", |reply| *reply = message.rest.clone().into());
        }
    }

    /// Adds one of the wordings of a message to a turn.
    fn reword(&mut self, turn: usize, message: &Message, index: usize) -> GenerationId {
        let (replies, turn, swipe) = (&mut self.replies[turn], &self.turns[turn], &message.swipes[index]);
        let number = replies.len();
        replies.push(self.generations.len());
        // Of a turn `…-t7` they are `…-g7-0`, `…-g7-1`.
        let (seed, position) = turn.id.as_str().rsplit_once("-t").expect("as they are made");
        let id = GenerationId::from(format!("{seed}-g{position}-{number}"));
        let started = swipe.started.unwrap_or(self.at).max(self.at);
        self.at = started + 1;
        self.generations.push(Generation {
            id: id.clone(),
            turn: turn.id.clone(),
            storyline: turn.storyline.clone(),
            branch: turn.branch.clone(),
            position: turn.position,
            speaker: self.cast.speaker(&message.name),
            text: swipe.text.clone(),
            reasoning: swipe.reasoning.clone(),
            status: if swipe.text.trim().is_empty() { Status::Empty } else { Status::Done },
            finish: Some(finish::STOP.to_owned()),
            model: swipe.model.clone(),
            started,
            finished: Some(swipe.finished.unwrap_or(started).max(started)),
            state: Some(self.state.id.clone()),
            extra: extra(swipe, of(message, index).and_then(Value::as_object)),
            ..Generation::default()
        });
        let branch = branch_of(&mut self.branches, turn);
        if number > 0 && !branch.swipes.contains(&turn.position) {
            branch.swipes.push(turn.position);
            order::by_key(&mut branch.swipes, |position| *position);
        }
        id
    }
}

fn branch_of<'a>(branches: &'a mut [Branch], turn: &Turn) -> &'a mut Branch {
    branches.iter_mut().find(|branch| branch.id == turn.branch).expect("each turn has its branch")
}

/// Whether two files say the same at a place.
fn is_same(one: &Message, other: &Message) -> bool {
    one.is_reader == other.is_reader && one.name == other.name && one.text() == other.text()
}

fn keep(extra: &mut Object, field: &str, change: impl FnOnce(&mut Value)) {
    let kept = extra.entry(KEPT).or_insert_with(|| json!({}));
    change(&mut kept[field]);
}

/// What a message says of one of its wordings.
fn of(message: &Message, index: usize) -> Option<&Value> {
    let seen = (index == message.seen).then(|| message.rest.get("extra")).flatten();
    seen.or_else(|| message.swipes[index].rest.get("extra"))
}

/// What is kept with a reply; a sheet or a summary that stands beside it (`002`, D7) is one of ours.
fn extra(swipe: &Swipe, said: Option<&Object>) -> Object {
    let mut extra = Object::new();
    extra.insert(KEPT.into(), swipe.rest.clone().into());
    if let Some(said) = said {
        let texts = Text::ALL.map(Text::field).into_iter();
        let texts = texts
            .filter_map(|field| Some((field.to_owned(), said.get(field).filter(|text| text.is_string())?.clone())));
        extra.extend(texts);
    }
    extra
}

#[cfg(test)]
mod tests;
