//! What was said: turns as messages or as a transcript. Never expanded: it is the reader's and the model's own text.

use std::borrow::Cow;

use crate::{
    prompt::{
        Scene,
        context::Piece,
        draft::Draft,
        sources::SUMMARY,
        tokens::{PER_MESSAGE, estimate},
    },
    reply::{parser, progress},
    story::{
        preset::{Block, Form, Role},
        recap::Recap,
        script::Place,
        settings::SummaryOrder,
        storyline::{Language, Opened},
        tree::Node,
    },
};

/// The messages of one turn: the reader's words, then the reply that is seen. A reply that is an error or empty says
/// nothing; one that broke off says what came.
pub fn messages_of(node: &Node) -> Vec<(Role, &str)> {
    let user = node.turn.user.as_deref().map(|text| (Role::User, text));
    let reply = node.reply().map(|generation| (Role::Assistant, generation.text.as_str()));
    user.into_iter().chain(reply).filter(|(_, text)| !text.trim().is_empty()).collect()
}

/// The same as a prompt tells them; `shown_only` as in [`Block::shown_only`].
pub fn told(node: &Node, shown_only: bool) -> Vec<(Role, Cow<'_, str>)> {
    let told = messages_of(node).into_iter().map(|(role, text)| match role {
        Role::Assistant if shown_only => (role, parser::spoken(text)),
        Role::Assistant => (role, parser::unformed(text)),
        _ => (role, text.into()),
    });
    told.filter(|(_, text)| !text.trim().is_empty()).collect()
}

/// The words to answer.
pub fn input<'a>(scene: &'a Scene<'a>) -> Cow<'a, str> {
    let words = scene.history.last().and_then(|node| node.turn.user.as_deref()).unwrap_or_default();
    scene.rewritten(words, Place::Reader, Some(0))
}

/// What was read of a turn, as the model reads it through the story's scripts. A message is as deep as there are others after
/// it, the newest words of the reader at 0.
fn rewritten<'n>(scene: &Scene, node: &'n Node, read: Vec<(Role, Cow<'n, str>)>) -> Vec<(Role, Cow<'n, str>)> {
    let read = read.into_iter().map(|(role, text)| (role, said_at(scene, node.turn.position, role, text)));
    let read = read.filter(|(_, text)| !text.trim().is_empty()).map(|said| by_name(scene, node, said));
    read.filter(|(_, text)| !text.trim().is_empty()).collect()
}

/// What was said at a position, read through the story's scripts.
pub fn said_at<'t>(scene: &Scene, position: u32, role: Role, text: impl Into<Cow<'t, str>>) -> Cow<'t, str> {
    let newest = scene.history.last().map_or(0, |last| last.turn.position);
    let turns = newest.saturating_sub(position);
    let deep = turns.saturating_mul(2);
    match role {
        // A reply that is to go on stands as it was begun.
        Role::Assistant if turns == 0 => text.into(),
        Role::Assistant => scene.rewritten(text, Place::Reply, Some(deep.saturating_sub(1))),
        _ => scene.rewritten(text, Place::Reader, Some(deep)),
    }
}

/// What was said where several speak: under its speaker's name, unless it is the speaker's own. What the reader has
/// done to the scene is under nobody's.
fn by_name<'n>(scene: &Scene, node: &Node, (role, text): (Role, Cow<'n, str>)) -> (Role, Cow<'n, str>) {
    let Some(group) = scene.group else { return (role, text) };
    let speaker = node.reply().and_then(|reply| reply.speaker.as_ref());
    let language = scene.storyline.language;
    let said = match role {
        Role::Assistant if speaker == scene.speaker => return (role, text),
        // What they think, and what changes in them, is theirs.
        Role::Assistant => said_by(group.name_of(speaker), parser::spoken(&text).trim(), language),
        _ if node.turn.is_stage => return (role, text),
        _ => said_by(scene.storyline.reader().told().opening, &text, language),
    };
    (Role::User, said.into())
}

fn said_by(name: &str, text: &str, language: Language) -> String {
    match name {
        _ if text.is_empty() => String::new(),
        "" => text.to_owned(),
        name => format!("{name}{}{text}", language.pick("：", ": ")),
    }
}

/// The reply that is to go on, where there is one: the turn to answer has it already.
pub fn begun<'a>(scene: &'a Scene<'a>) -> Option<&'a str> {
    let text = scene.history.last()?.reply()?.text.as_str();
    (!text.trim().is_empty()).then_some(text)
}

/// The turns that a history marker asks for.
#[derive(Debug, Default)]
pub struct Told {
    /// One each.
    pub pieces: Vec<Piece>,
    /// How many of them were not even loaded.
    pub trimmed: u32,
    /// Where they begin with a few of the first turns and a summary of others: the first turn that this stands for.
    pub recap: Option<u32>,
}

/// Tells them. After a session's summary they begin with it and the last turns before it, in the order that the reader
/// chose; a marker of a fixed number of turns goes on counting turns. The turn to answer is the last of them where its form
/// has a place for it.
pub fn turns(scene: &Scene, block: &Block) -> Told {
    let Some((last, past)) = scene.history.split_last() else {
        return Told { trimmed: scene.not_loaded, ..Told::default() };
    };
    let recap = recap(scene, block);
    let begins = begins(scene.opened, block);
    let opened = scene.opened.filter(|_| begins.is_some());
    let (first, mut trimmed) = match begins {
        Some(from) => {
            let first = past.partition_point(|node| node.turn.position < from);
            (first, scene.not_loaded.saturating_sub(from))
        }
        None => {
            let in_session = |node: &&Node| !block.current_session || node.turn.session == last.turn.session;
            let first = past.len() - past.iter().rev().take_while(in_session).count();
            (first, if first == 0 { scene.not_loaded } else { 0 })
        }
    };
    let mut past: Vec<&Node> = past[first..].iter().collect();
    if let Some(turns) = block.turns {
        past.drain(..past.len().saturating_sub(turns as usize));
        trimmed = 0;
    }
    if let Some(recap) = recap {
        let read_from = past.iter().map(|node| node.turn.position).find(|position| recap.from <= *position);
        trimmed = read_from.unwrap_or(last.turn.position).saturating_sub(recap.to);
        past.retain(|node| !(recap.from..recap.to).contains(&node.turn.position));
        past.splice(..0, scene.head);
    }
    let mut pieces: Vec<Piece> = past.iter().map(|node| piece(scene, block, node, false)).collect();
    if let Some(recap) = recap {
        let at = past.partition_point(|node| node.turn.position < recap.from);
        keep_the_beginning(scene, &mut pieces[..at]);
        pieces.insert(at, in_between(&recap.text, scene.storyline.language));
    }
    if let Some(opened) = opened.filter(|opened| !opened.summary.is_empty() && !scene.preset.places(SUMMARY)) {
        let at = match scene.summary_order {
            SummaryOrder::SummaryFirst => 0,
            SummaryOrder::LastNFirst => past.partition_point(|node| node.turn.position < opened.at.end),
        };
        pieces.insert(at, told_before(&opened.summary, scene.storyline.language));
    }
    let is_told = match block.form {
        Form::Messages => true,
        Form::Transcript => block.role == Role::User,
        Form::Past => false,
    };
    if is_told {
        pieces.push(piece(scene, block, last, true));
    }
    pieces.retain(|piece| !piece.said.is_empty());
    let left_out = scene.conversation_tokens.map_or(0, |room| keep_newest(&mut pieces, room));
    Told { pieces, trimmed: trimmed + left_out, recap: recap.map(|recap| recap.from) }
}

/// A turn as a marker tells it.
pub fn piece(scene: &Scene, block: &Block, node: &Node, is_last: bool) -> Piece {
    let read = match is_last {
        // A reply that is to go on stands as it was begun.
        true => messages_of(node).into_iter().map(|(role, text)| (role, text.into())).collect(),
        false => told(node, block.shown_only),
    };
    let told = rewritten(scene, node, read);
    match block.form {
        Form::Messages => as_messages(node, told, is_last),
        Form::Transcript | Form::Past => {
            let own = scene.group.map(|_| scene.character.name.as_str());
            as_text(node, told, is_last, own, scene.storyline.language)
        }
    }
}

/// The summary of the conversation's middle, where this marker tells of that.
pub fn recap<'a>(scene: &Scene<'a>, block: &Block) -> Option<&'a Recap> {
    scene.recap().filter(|_| block.turns.is_none())
}

/// The first turns of the conversation never give way, unless they are long.
fn keep_the_beginning(scene: &Scene, pieces: &mut [Piece]) {
    let begins = scene.opened.map_or(0, |opened| opened.at.end);
    let is_first = |piece: &&mut Piece| piece.position.is_some_and(|position| begins <= position);
    let cost: u32 = pieces.iter_mut().filter(is_first).map(|piece| piece.tokens).sum();
    if scene.room.is_none_or(|room| cost <= room / BEGINNING) {
        pieces.iter_mut().filter(is_first).for_each(|piece| piece.must = true);
    }
}

/// The share of a prompt that the first turns may always have.
const BEGINNING: u32 = 8;

/// The position at which the history of this marker begins with its session; `None`: the session is the first, or the
/// marker asks for a fixed number of turns. A session without a summary stands for nothing of what was before: only a
/// marker of the session alone begins with it.
pub fn begins(opened: Option<&Opened>, block: &Block) -> Option<u32> {
    let cuts = |opened: &&Opened| block.current_session || block.turns.is_none() && !opened.summary.is_empty();
    let opened = opened.filter(cuts);
    opened.map(|opened| opened.at.end.saturating_sub(opened.carried))
}

/// What was told before the session.
pub fn summary(draft: &mut Draft) -> String {
    draft.scene.opened.map_or_else(String::new, |opened| progress::without(&opened.summary).into_owned())
}

/// The summary as a piece of the history.
fn told_before(summary: &str, language: Language) -> Piece {
    summarised(language.pick("前情提要：", "The story so far:"), summary)
}

/// The same of a summary that stands between the first turns and the last.
fn in_between(summary: &str, language: Language) -> Piece {
    let heading = language.pick(
        "以上是开头。从那以后到下文之前，发生了这些：",
        "That was how it began. This is what happened between then and what follows:",
    );
    summarised(heading, summary)
}

/// It stands for what is not told, so it never gives way.
fn summarised(heading: &str, summary: &str) -> Piece {
    let summary = progress::without(summary.trim());
    let said = if summary.is_empty() { Vec::new() } else { vec![(Role::System, format!("{heading}\n{summary}"))] };
    let tokens = said.iter().map(|(_, text)| estimate(text) + PER_MESSAGE).sum();
    Piece { said, tokens, must: true, position: None, reason: String::new() }
}

/// Leaves out the oldest pieces until the rest costs `room` at most; says how many. What must stay stays.
fn keep_newest(pieces: &mut Vec<Piece>, room: u32) -> u32 {
    let (mut left, mut full) = (room, false);
    let mut keeps: Vec<bool> = pieces
        .iter()
        .rev()
        .map(|piece| {
            full |= !piece.must && piece.tokens > left;
            left = left.saturating_sub(piece.tokens);
            piece.must || !full
        })
        .collect();
    let before = pieces.len();
    pieces.retain(|_| keeps.pop() == Some(true));
    (before - pieces.len()) as u32
}

fn as_messages(node: &Node, told: Vec<(Role, Cow<str>)>, must: bool) -> Piece {
    let said: Vec<_> = told.into_iter().map(|(role, text)| (role, text.into_owned())).collect();
    let tokens = said.iter().map(|(_, text)| estimate(text) + PER_MESSAGE).sum();
    Piece { said, tokens, must, position: Some(node.turn.position), reason: String::new() }
}

/// `第41轮：` and what each said (seed `000`). A reply that is to go on is no part of it: it stands at the end of the
/// prompt. `own`: what was said has its speaker's name already, and the speaker's own words have this one.
fn as_text(node: &Node, told: Vec<(Role, Cow<str>)>, is_last: bool, own: Option<&str>, language: Language) -> Piece {
    let position = node.turn.position;
    let mut lines = vec![match (position, language) {
        (0, Language::Zh) => "开场：".to_owned(),
        (0, Language::En) => "Opening:".to_owned(),
        (turn, Language::Zh) => format!("第{turn}轮："),
        (turn, Language::En) => format!("Turn {turn}:"),
    }];
    for (role, text) in told {
        match role {
            Role::Assistant if is_last => {}
            Role::Assistant if own.is_some() => lines.push(said_by(own.unwrap_or_default(), &text, language)),
            _ if own.is_some() => lines.push(text.into_owned()),
            Role::Assistant => lines.push(format!("Assistant: {text}")),
            _ => lines.push(format!("User: {text}")),
        }
    }
    let said = if lines.len() > 1 { vec![(Role::System, lines.join("\n"))] } else { Vec::new() };
    let tokens = said.iter().map(|(_, text)| estimate(text) + 1).sum();
    Piece { said, tokens, must: is_last, position: Some(position), reason: String::new() }
}
