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
        _ => (role, text.into()),
    });
    told.filter(|(_, text)| !text.trim().is_empty()).collect()
}

/// The words to answer.
pub fn input<'a>(scene: &'a Scene<'a>) -> &'a str {
    scene.history.last().and_then(|node| node.turn.user.as_deref()).unwrap_or_default()
}

/// The reply that is to go on, where there is one: the turn to answer has it already.
pub fn begun<'a>(scene: &'a Scene<'a>) -> Option<&'a str> {
    let text = scene.history.last()?.reply()?.text.as_str();
    (!text.trim().is_empty()).then_some(text)
}

/// The turns that a history marker asks for, a piece each, and how many of them were not even loaded. After a summary
/// they begin with it and the last turns before it, in the order that the reader chose; a marker of a fixed number of
/// turns goes on counting turns. The turn to answer is the last of them where its form has a place for it.
pub fn turns(scene: &Scene, block: &Block) -> (Vec<Piece>, u32) {
    let Some((last, past)) = scene.history.split_last() else { return (Vec::new(), scene.not_loaded) };
    let begins = begins(scene.opened, block);
    let opened = scene.opened.filter(|_| begins.is_some());
    let (first, mut not_loaded) = match begins {
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
    let mut past = &past[first..];
    if let Some(turns) = block.turns {
        past = &past[past.len().saturating_sub(turns as usize)..];
        not_loaded = 0;
    }
    let piece = |node: &Node, is_last: bool| {
        // A reply that is to go on stands as it was begun.
        let told = told(node, block.shown_only && !is_last);
        match block.form {
            Form::Messages => as_messages(node, told, is_last),
            Form::Transcript | Form::Past => as_text(node, told, is_last, scene.storyline.language),
        }
    };
    let mut pieces: Vec<Piece> = past.iter().map(|node| piece(node, false)).collect();
    if let Some(opened) = opened.filter(|_| !scene.preset.places(SUMMARY)) {
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
        pieces.push(piece(last, true));
    }
    pieces.retain(|piece| !piece.said.is_empty());
    let left_out = scene.conversation_tokens.map_or(0, |room| keep_newest(&mut pieces, room));
    (pieces, not_loaded + left_out)
}

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

/// The summary as a piece of the history. It stands for everything before, so it never gives way.
fn told_before(summary: &str, language: Language) -> Piece {
    let heading = match language {
        Language::Zh => "前情提要：",
        Language::En => "The story so far:",
    };
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
/// prompt.
fn as_text(node: &Node, told: Vec<(Role, Cow<str>)>, is_last: bool, language: Language) -> Piece {
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
            Role::Assistant => lines.push(format!("Assistant: {text}")),
            _ => lines.push(format!("User: {text}")),
        }
    }
    let said = if lines.len() > 1 { vec![(Role::System, lines.join("\n"))] } else { Vec::new() };
    let tokens = said.iter().map(|(_, text)| estimate(text) + 1).sum();
    Piece { said, tokens, must: is_last, position: Some(position), reason: String::new() }
}
