//! The usual way elsewhere, to compare with (SillyTavern's vector storage, by its documents and its defaults): whole
//! messages that are near to the last two, and as many of the newest as there is room for.

use fabula::prompt::tokens::estimate;

use crate::{
    embedding::{Kind, Server, dot},
    stage::Sent,
    told::Told,
};

/// Messages that are recalled, and how near they are at the least.
const RECALLED: usize = 3;
const NEAR: f32 = 0.25;
/// Messages of the question.
const ASKED: usize = 2;
/// Tokens that the reply, and each message beside its text, cost.
const REPLY: u32 = 1_024;
const HEAD: u32 = 4;

pub struct Usual<'a> {
    messages: Vec<String>,
    vectors: Vec<Vec<f32>>,
    room: u32,
    server: &'a Server,
}

impl<'a> Usual<'a> {
    pub fn of(told: &Told, context: u32, server: &'a Server) -> Result<Self, String> {
        let messages: Vec<String> =
            told.turns.iter().flat_map(|turn| [&turn.user, &turn.reply]).flatten().cloned().collect();
        let texts: Vec<&str> = messages.iter().map(String::as_str).collect();
        let vectors = server.embed(&texts, Kind::Passage)?;
        Ok(Self { messages, vectors, room: context.saturating_sub(REPLY), server })
    }

    pub fn play(&self, line: &str) -> Result<Sent, String> {
        let last = &self.messages[self.messages.len().saturating_sub(ASKED - 1)..];
        let asked = last.iter().map(String::as_str).chain([line]).collect::<Vec<_>>().join("\n");
        let asked = self.server.embed(&[&asked], Kind::Query)?.pop().unwrap_or_default();
        let mut near: Vec<(f32, usize)> = self.vectors.iter().map(|vector| dot(vector, &asked)).zip(0..).collect();
        near.retain(|(score, _)| NEAR <= *score);
        near.sort_by(|a, b| b.0.total_cmp(&a.0));
        near.truncate(RECALLED);
        let recalled: Vec<String> = near.iter().map(|(_, at)| self.messages[*at].clone()).collect();
        let cost = |text: &str| estimate(text) + HEAD;
        let mut left = self.room.saturating_sub(recalled.iter().map(|text| cost(text)).sum::<u32>() + cost(line));
        let fits = |text: &&str| {
            let fits = cost(text) <= left;
            left = left.saturating_sub(cost(text));
            fits
        };
        let window: Vec<&str> = self.messages.iter().rev().map(String::as_str).take_while(fits).collect();
        let texts = recalled.iter().map(String::as_str).chain(window.into_iter().rev()).chain([line]);
        let prompt = texts.collect::<Vec<_>>().join("\n\n");
        Ok(Sent { prompt, recalled, millis: 0.0 })
    }
}
