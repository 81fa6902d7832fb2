//! What was said: turns as messages or as a transcript. Never expanded: it is the reader's and the model's own text.

use std::borrow::Cow;

use crate::{
    prompt::{
        Scene,
        context::Piece,
        tokens::{PER_MESSAGE, estimate},
    },
    reply::parser,
    story::{
        preset::{Block, Form, Role},
        storyline::Language,
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
        Role::Assistant if shown_only => (role, parser::shown(text)),
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

/// The turns that a history marker asks for, a piece each, and how many of them were not even loaded.
pub fn turns(scene: &Scene, block: &Block) -> (Vec<Piece>, u32) {
    let Some((last, past)) = scene.history.split_last() else { return (Vec::new(), scene.not_loaded) };
    let in_session = |node: &&Node| !block.current_session || node.turn.session == last.turn.session;
    let first = past.len() - past.iter().rev().take_while(in_session).count();
    let mut past = &past[first..];
    let not_loaded = if first == 0 && block.turns.is_none() { scene.not_loaded } else { 0 };
    if let Some(turns) = block.turns {
        past = &past[past.len().saturating_sub(turns as usize)..];
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
    if block.form != Form::Past {
        pieces.push(piece(last, true));
    }
    pieces.retain(|piece| !piece.said.is_empty());
    let left_out = scene.conversation_tokens.map_or(0, |room| keep_newest(&mut pieces, room));
    (pieces, not_loaded + left_out)
}

/// Leaves out the oldest pieces until the rest costs `room` at most; says how many. What must stay stays.
fn keep_newest(pieces: &mut Vec<Piece>, room: u32) -> u32 {
    let mut left = room;
    let kept = pieces.iter().rev().take_while(|piece| {
        let fits = piece.must || piece.tokens <= left;
        left = left.saturating_sub(piece.tokens);
        fits
    });
    let surplus = pieces.len() - kept.count();
    pieces.drain(..surplus);
    surplus as u32
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
