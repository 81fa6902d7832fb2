//! A told story laid into a store, and lines played at its end by the conductor, against a model that says next to
//! nothing.

use std::{rc::Rc, time::Instant};

use fabula::{
    sim::{
        llm::{self, Answer},
        ports::Sim,
    },
    store::{Batch, Op, Table},
    story::{
        character::Character,
        generation::{Generation, Status},
        memory::{Kind, Memory},
        settings::{Connections, Preferences},
        state::State,
        storyline::{Session, Storyline},
        tree::{Branch, Fork, Head},
        turn::Turn,
    },
    turn::{Ask, Conductor, embed::embed_due, stream::Stop},
};
use futures_executor::block_on;
use serde_json::Value;

use crate::{
    embedding::{Server, Wire},
    told::{Played, Told},
};

/// What a line sent.
pub struct Sent {
    /// The messages as one text.
    pub prompt: String,
    /// The lines of the memory among them.
    pub recalled: Vec<String>,
    /// From the reader's words to the request's end.
    pub millis: f64,
}

pub struct Stage {
    sim: Sim,
    story: Storyline,
    branch: Branch,
    /// How a line of the memory begins.
    mark: &'static str,
}

impl Stage {
    /// With a server, all that was said has its vector.
    pub fn of(told: &Told, preset: &str, context: u32, server: Option<&Server>) -> Result<Self, String> {
        let mut sim = Sim::new([]);
        let mut batch = Batch::new();
        let of = || "s".into();
        let last = told.turns.last().map_or(0, |turn| turn.session);
        let mut sessions: Vec<Session> = Vec::new();
        for turn in &told.turns {
            let id = session(turn);
            if sessions.last().is_none_or(|session| session.id.as_str() != id) {
                sessions.push(Session { id: id.as_str().into(), ..Session::default() });
            }
        }
        let story = Storyline {
            id: of(),
            title: "s".into(),
            cast: vec!["c".into()],
            preset: preset.into(),
            user_name: told.reader.clone(),
            language: told.language,
            head: Head { branch: "b".into(), end: told.turns.len() as u32 },
            sessions,
            current_session: format!("session {last}").as_str().into(),
            initial_state: "st".into(),
            lorebooks: told.lorebook.iter().map(|book| book.id.clone()).collect(),
            ..Storyline::default()
        };
        let branch = Branch { id: "b".into(), storyline: of(), length: told.turns.len() as u32, ..Branch::default() };
        for (position, turn) in told.turns.iter().enumerate() {
            let position = position as u32;
            let id = format!("t{position}");
            let told = Place { branch: "b", position, id: &id };
            batch = told.put(batch, turn, turn.user.as_deref(), turn.reply.as_deref());
            if let Some(swiped) = &turn.swiped {
                batch = batch.put(&told.reply("swiped", swiped, turn.at - 1));
            }
            if let Some((user, reply)) = &turn.aside {
                let (branch, id) = (format!("aside {position}"), format!("aside turn {position}"));
                let aside = Place { branch: &branch, position, id: &id };
                batch = aside.put(batch, turn, user.as_deref(), Some(reply));
                let parent = Fork {
                    branch: "b".into(),
                    position: position - 1,
                    generation: Some(format!("chosen t{}", position - 1).as_str().into()),
                };
                batch = batch.put(&Branch {
                    id: branch.as_str().into(),
                    storyline: of(),
                    parent: Some(parent),
                    first: position,
                    length: 1,
                    ..Branch::default()
                });
            }
        }
        for (number, text) in told.notes.iter().enumerate() {
            let id = format!("note {number:04}");
            batch = batch.put(&Memory {
                id: id.as_str().into(),
                storyline: of(),
                branch: "b".into(),
                kind: Kind::Note,
                text: text.clone(),
                ..Memory::default()
            });
        }
        let character = Character { id: "c".into(), name: told.character.clone(), ..Character::default() };
        let state = State { id: "st".into(), storyline: of(), ..State::default() };
        let connections = [llm::connection(context)].into_iter().chain(server.map(Server::connection));
        let connections = Connections { list: connections.collect(), ..Connections::default() };
        if let Some(server) = server {
            let wire = Wire { others: sim.ports.llm.clone(), clock: sim.ports.clock.clone() };
            sim.ports.llm = Rc::new(wire);
            batch = batch
                .put(&Preferences { embedding_connection: Some(server.connection().id), ..Preferences::default() });
        }
        if let Some(book) = &told.lorebook {
            batch = batch.put(book);
        }
        let batch = batch.put(&character).put(&state).put(&connections).put(&branch).put(&story);
        block_on(sim.ports.store.commit(batch)).map_err(|error| error.to_string())?;
        block_on(embed_due(&sim.ports, &story.id, &|| false, &|_| ())).map_err(|fault| format!("{fault:?}"))?;
        let mark = told.language.pick("- 第", "- Turn");
        Ok(Self { sim, story, branch, mark })
    }

    /// Plays a line, and takes it back.
    pub fn play(&self, line: &str) -> Result<Sent, String> {
        self.sim.llm.replace([Answer::text(["…"])]);
        let conductor = Conductor { ports: self.sim.ports.clone(), recent: Rc::default() };
        let began = Instant::now();
        let played = conductor.play(&self.story.id, Ask::New(line.to_owned()), Stop::never(), &|_| ());
        let reply = block_on(played).map_err(|fault| format!("{fault:?}"))?;
        let millis = began.elapsed().as_secs_f64() * 1_000.0;
        let sent = self.sim.llm.requests().pop().and_then(|request| request.body).unwrap_or_default();
        let mut batch = Batch::new().put(&self.story).put(&self.branch);
        batch.ops.push(Op::Delete(Table::Turns, reply.turn.0.clone()));
        batch.ops.push(Op::Delete(Table::Generations, reply.id.0.clone()));
        block_on(self.sim.ports.store.commit(batch)).map_err(|error| error.to_string())?;
        if let Some(fault) = reply.fault {
            return Err(format!("{fault:?}"));
        }
        let body: Value = serde_json::from_str(&sent).map_err(|error| error.to_string())?;
        let messages = body["messages"].as_array().ok_or("nothing was sent")?;
        let texts: Vec<&str> = messages.iter().filter_map(|message| message["content"].as_str()).collect();
        let prompt = texts.join("\n\n");
        let recalled = prompt.lines().filter(|line| line.starts_with(self.mark)).map(str::to_owned).collect();
        Ok(Sent { prompt, recalled, millis })
    }
}

fn session(turn: &Played) -> String {
    format!("session {}", turn.session)
}

/// Where a turn stands.
struct Place<'a> {
    branch: &'a str,
    position: u32,
    id: &'a str,
}

impl Place<'_> {
    fn put(&self, batch: Batch, turn: &Played, user: Option<&str>, reply: Option<&str>) -> Batch {
        let reply = self.reply("chosen", reply.unwrap_or_default(), turn.at);
        let turn = Turn {
            id: self.id.into(),
            storyline: "s".into(),
            branch: self.branch.into(),
            position: self.position,
            session: session(turn).as_str().into(),
            user: user.map(str::to_owned),
            created: turn.at as u64,
            chosen: Some(reply.id.clone()),
            ..Turn::default()
        };
        batch.put(&turn).put(&reply)
    }

    fn reply(&self, name: &str, text: &str, at: i64) -> Generation {
        Generation {
            id: format!("{name} {}", self.id).as_str().into(),
            turn: self.id.into(),
            storyline: "s".into(),
            branch: self.branch.into(),
            position: self.position,
            text: text.to_owned(),
            status: Status::Done,
            started: at as u64,
            state: Some("st".into()),
            ..Generation::default()
        }
    }
}
