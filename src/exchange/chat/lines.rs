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
        let (branches, turns, generations, hidden, told) = Default::default();
        Self { seed, cast, state, branches, turns, generations, hidden, at, told }
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
        let line = &self.told[at];
        let name = Some(tidy_name(name).0).filter(|name| !name.is_empty());
        let mut turns = line.turns[..shared].to_vec();
        if shared == other.messages.len() {
            // A checkpoint: all of it is there.
            if let Some(last) = turns.last().copied() {
                self.name(last, name);
            }
            return Ok(!turns.is_empty());
        }
        let Some((turn, generation, from)) = self.fork(line, &other.messages, shared) else { return Ok(false) };
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
    fn fork(&self, line: &Line, messages: &[Message], shared: usize) -> Option<(usize, GenerationId, usize)> {
        // At the first difference it may have gone on from another of the replies.
        if let Some((there, here)) = line.messages.get(shared).zip(messages.get(shared))
            && !there.is_reader
            && !here.is_reader
            && let Some(swipe) = there.swipes.iter().position(|swipe| swipe.text == here.text())
        {
            let turn = line.turns[shared];
            return Some((turn, self.replies(turn).nth(swipe)?, shared + 1));
        }
        let last = (0..shared).rev().find(|at| !messages[*at].is_reader)?;
        let turn = line.turns[last];
        Some((turn, self.turns[turn].chosen.clone()?, last + 1))
    }

    fn replies(&self, turn: usize) -> impl Iterator<Item = GenerationId> {
        let id = &self.turns[turn].id;
        self.generations.iter().filter(move |reply| reply.turn == *id).map(|reply| reply.id.clone())
    }

    fn name(&mut self, turn: usize, name: Option<String>) {
        let turn = &mut self.turns[turn];
        if turn.name.is_some() || name.is_none() {
            return;
        }
        turn.name = name;
        let branch = self.branches.iter_mut().find(|branch| branch.id == turn.branch);
        branch.expect("each turn has its branch").named.push(turn.id.clone());
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
        let turn = self.turns.last_mut().expect("one is open");
        // Of a turn `…-t7` they are `…-g7-0`, `…-g7-1`.
        let (seed, position) = turn.id.as_str().rsplit_once("-t").expect("as they are made");
        let prefix = format!("{seed}-g{position}");
        for (index, swipe) in message.swipes.iter().enumerate() {
            let id = format!("{prefix}-{index}");
            let started = swipe.started.unwrap_or(self.at).max(self.at);
            self.at = started + 1;
            if index == message.seen {
                turn.chosen = Some(id.as_str().into());
            }
            self.generations.push(Generation {
                id: id.into(),
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
        }
        if message.swipes.len() > 1 {
            self.branches.last_mut().expect("one has grown").swipes.push(turn.position);
        }
        if !message.rest.is_empty() {
            keep(&mut turn.extra, "reply", |reply| *reply = message.rest.clone().into());
        }
    }
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
mod tests {
    use std::collections::HashMap;

    use futures_executor::block_on;
    use proptest::prelude::*;

    use super::*;
    use crate::{
        exchange::{
            archive::Reader,
            chat::{
                at_a_stretch,
                story::{Given, made, write},
            },
            limits::Limits,
        },
        store::{Part, from_value},
        story::tree::{Head, Path, nodes},
    };

    fn chat(messages: Vec<Message>) -> Chat {
        Chat { reader: "R".into(), character: "A".into(), messages, ..Chat::default() }
    }

    fn says(text: &str, is_reader: bool) -> Message {
        Message::said(is_reader, if is_reader { "R" } else { "A" }, text)
    }

    /// `hello`: she says it; `>hello`: the reader does; `a|*b`: of two wordings the second is seen.
    fn told(lines: &[&str]) -> Chat {
        let message = |line: &&str| match line.strip_prefix('>') {
            Some(text) => says(text, true),
            None => {
                let wordings: Vec<&str> = line.split('|').collect();
                let seen = wordings.iter().position(|text| text.starts_with('*')).unwrap_or_default();
                let swipe = |text: &&str| Swipe { text: text.trim_start_matches('*').to_owned(), ..Swipe::default() };
                Message { seen, swipes: wordings.iter().map(swipe).collect(), ..says("", false) }
            }
        };
        chat(lines.iter().map(message).collect())
    }

    /// A branch by its name, and what is read along it.
    type Read = (String, Vec<String>);

    /// A story as it comes in: by the name of each branch (of the root: nothing) what is read along it; and the names of all
    /// turns.
    fn read(main: &Chat, others: &[(&str, &Chat)]) -> (Vec<Read>, Vec<String>, Vec<bool>) {
        let given = Given { characters: &[], own: None, file: "F", reader: "R", group: None, now: 1_760_000_000_000 };
        let story = block_on(made(main, "text", others, &given, at_a_stretch)).unwrap();
        let text = block_on(write(std::slice::from_ref(&story), 1, at_a_stretch)).unwrap();
        let mut reader = Reader::new(Limits::default());
        let entries = reader.push(text.as_bytes()).unwrap();
        let summary = reader.finish().unwrap();
        assert_eq!((summary.mends, summary.broken), (Default::default(), vec![]), "it can be played as it is");
        let all =
            |part: Part| entries.iter().filter(move |entry| entry.part == part).map(|entry| entry.doc.value.clone());
        let branches: Vec<Branch> = all(Part::Branches).map(|value| from_value(value).unwrap()).collect();
        let turns: Vec<Turn> = all(Part::Turns).map(|value| from_value(value).unwrap()).collect();
        let generations: Vec<Generation> = all(Part::Generations).map(|value| from_value(value).unwrap()).collect();
        let by_id: HashMap<_, _> = branches.iter().map(|branch| (branch.id.clone(), branch.clone())).collect();
        let along = |branch: &Branch| {
            let path = Path::of(&by_id, &Head { branch: branch.id.clone(), end: branch.end() }).unwrap();
            let on_path = |turn: &&Turn| {
                path.spans
                    .iter()
                    .any(|span| span.branch == turn.branch && (span.first..=span.last).contains(&turn.position))
            };
            let turns: Vec<Turn> = turns.iter().filter(on_path).cloned().collect();
            let fork = branch.parent.as_ref().filter(|_| branch.length == 0);
            nodes(&path, turns, generations.clone())
                .into_iter()
                .flat_map(|node| {
                    // A branch without turns is the reply that it leaves by.
                    let reply = fork.filter(|fork| fork.position == node.turn.position).and_then(|fork| {
                        node.generations.iter().find(|reply| Some(&reply.id) == fork.generation.as_ref())
                    });
                    let reply = reply.or(node.reply()).map(|reply| reply.text.clone());
                    [node.turn.user.map(|text| format!(">{text}")), reply]
                })
                .flatten()
                .collect::<Vec<String>>()
        };
        let name = |branch: &Branch| {
            let named = branch.named.first().and_then(|id| turns.iter().find(|turn| turn.id == *id));
            named.filter(|_| branch.parent.is_some()).and_then(|turn| turn.name.clone()).unwrap_or_default()
        };
        let names = turns.iter().filter_map(|turn| turn.name.clone()).collect();
        (branches.iter().map(|branch| (name(branch), along(branch))).collect(), names, story.joined)
    }

    #[test]
    fn branches_of_one_chat() {
        let main = told(&["hello", ">a", "b|*c", ">d", "e"]);
        // Goes on otherwise; from the other wording; from a branch; is a checkpoint; begins otherwise.
        let other = told(&["hello", ">a", "c", ">x", "y"]);
        let swiped = told(&["hello", ">a", "b", ">z", "w"]);
        let deeper = told(&["hello", ">a", "c", ">x", "y", ">u", "v"]);
        let mark = told(&["hello", ">a", "c"]);
        let none = told(&["good day", ">a", "c"]);
        let others = [("O", &other), ("S", &swiped), ("D", &deeper), ("M", &mark), ("N", &none)];
        let (branches, names, joined) = read(&main, &others);
        let lines = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
        assert_eq!(
            branches,
            [
                (String::new(), lines(&["hello", ">a", "c", ">d", "e"])),
                ("O".into(), lines(&["hello", ">a", "c", ">x", "y"])),
                ("S".into(), lines(&["hello", ">a", "b", ">z", "w"])),
                ("D".into(), lines(&["hello", ">a", "c", ">x", "y", ">u", "v"])),
            ]
        );
        assert_eq!((names, joined), (lines(&["M", "O", "S", "D"]), vec![true, true, true, true, false]));
    }

    #[test]
    fn a_reply_without_a_future_and_words_without_a_reply() {
        let main = told(&["hello|*good day", ">a", "b"]);
        let greeting = told(&["hello"]);
        let unanswered = told(&["good day", ">a", "b", ">c"]);
        let reworded = told(&["good day", ">a", ">a, again", "b"]);
        let others = [("G", &greeting), ("U", &unanswered), ("R", &reworded)];
        let (branches, _, joined) = read(&main, &others);
        assert_eq!(joined, [true, true, true]);
        assert_eq!(branches[1].1, ["hello"]);
        assert_eq!(branches[2].1, ["good day", ">a", "b", ">c"]);
        assert_eq!(branches[3].1, ["good day", &format!(">a{JOINED}a, again"), "b"]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// However they part: each is read along its own branch as its file says it.
        #[test]
        fn each_is_read_as_it_was(
            main in prop::collection::vec((any::<bool>(), 0..3_u8), 1..8),
            others in prop::collection::vec((0..8_usize, prop::collection::vec((any::<bool>(), 0..3_u8), 0..5)), 0..5),
        ) {
            let say = |(is_reader, text): &(bool, u8)| says(&text.to_string(), *is_reader);
            let main = chat(main.iter().map(say).collect());
            let others: Vec<Chat> = others
                .iter()
                .map(|(shared, rest)| {
                    let shared = main.messages.iter().take(*shared).cloned();
                    chat(shared.chain(rest.iter().map(say)).collect())
                })
                .filter(|other| !other.messages.is_empty())
                .collect();
            let names: Vec<String> = (0..others.len()).map(|at| format!("n{at}")).collect();
            let named: Vec<(&str, &Chat)> = names.iter().map(String::as_str).zip(&others).collect();
            let (branches, _, joined) = read(&main, &named);
            let flat = |chat: &Chat| {
                let said = chat.messages.iter().map(|message| (message.is_reader, message.text()));
                said.map(|(is_reader, text)| format!("{}{text}", if is_reader { ">" } else { "" })).collect::<Vec<_>>()
            };
            let apart = |line: &Vec<String>| {
                let words = line.iter().flat_map(|words| match words.strip_prefix('>') {
                    Some(words) => words.split(JOINED).map(|words| format!(">{words}")).collect(),
                    None => vec![words.clone()],
                });
                words.collect::<Vec<_>>()
            };
            let lines: Vec<Vec<String>> = branches.iter().map(|(_, line)| apart(line)).collect();
            for (other, _) in others.iter().zip(&joined).filter(|(_, joined)| **joined) {
                let wanted = flat(other);
                prop_assert!(lines.iter().any(|line| line.starts_with(&wanted)), "{wanted:?} in {lines:?}");
            }
        }
    }
}
