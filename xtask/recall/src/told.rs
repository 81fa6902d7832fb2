//! A story as it is played: what was said, what was not taken, and what is asked at its end.

use fabula::{
    memory::dates,
    story::{lorebook::Lorebook, storyline::Language},
};

use crate::data::{Conversation, Turn};

/// A story with lines that are said at its end.
#[derive(Default)]
pub struct Told {
    pub language: Language,
    pub reader: String,
    pub character: String,
    /// The first is the opening.
    pub turns: Vec<Played>,
    /// Memories that stand alone.
    pub notes: Vec<String>,
    /// It hangs on the story.
    pub lorebook: Option<Lorebook>,
    pub asks: Vec<Ask>,
    /// Older versions of what changed later: a mark on any other line is untrue.
    pub outdated: Vec<String>,
    /// What was said on branches that were not taken: none of it may be told.
    pub elsewhere: Vec<String>,
}

#[derive(Clone, Default)]
pub struct Played {
    pub user: Option<String>,
    pub reply: Option<String>,
    pub session: u32,
    /// Milliseconds since 1970.
    pub at: i64,
    /// A reply that was swiped away.
    pub swiped: Option<String>,
    /// The reader's words and the reply of a branch that leaves the story here and was not gone on with.
    pub aside: Option<(Option<String>, String)>,
}

pub struct Ask {
    pub line: String,
    pub kind: String,
    /// Texts that the prompt must hold.
    pub needs: Vec<String>,
}

impl Told {
    /// Conversations as they come in files. Memories that stand alone make a story for each of their questions, for each
    /// has another talk before it.
    pub fn of(conversation: &Conversation) -> Vec<Self> {
        let text_of = |id: &String| conversation.turns.iter().find(|turn| turn.id == *id).map(text);
        let ask = |line: &str, question: &crate::data::Question| Ask {
            line: line.to_owned(),
            kind: question.cat.clone(),
            needs: question.ev.iter().filter_map(text_of).collect(),
        };
        let language = match conversation.turns.iter().any(|turn| turn.text.contains(fabula::memory::words::is_cjk)) {
            true => Language::Zh,
            false => Language::En,
        };
        let asked = conversation.questions.iter().filter(|question| !question.ev.is_empty());
        let [reader, character] = match conversation.speakers.as_slice() {
            [reader, character, ..] => [reader.clone(), character.clone()],
            _ => {
                return asked
                    .map(|question| {
                        let mut said: Vec<&str> = question.q.split(' ').collect();
                        let line = said.pop().unwrap_or_default();
                        let mut turns = vec![Played::default()];
                        said.into_iter().for_each(|text| add(&mut turns, turns_left(text)));
                        Self {
                            language,
                            turns,
                            notes: conversation.turns.iter().map(text).collect(),
                            asks: vec![ask(line, question)],
                            ..Self::default()
                        }
                    })
                    .collect();
            }
        };
        let mut turns =
            vec![Played { session: conversation.turns.first().map_or(0, |turn| turn.session), ..Played::default() }];
        for turn in &conversation.turns {
            let said = Some(text(turn));
            let (user, reply) = if turn.who == reader { (said, None) } else { (None, said) };
            add(&mut turns, Played { user, reply, session: turn.session, at: millis(&turn.date), ..Played::default() });
        }
        let asks = asked.map(|question| ask(&question.q, question)).collect();
        vec![Self { language, reader, character, turns, asks, ..Self::default() }]
    }
}

/// In a talk before a question, the last but one is the other's.
fn turns_left(text: &str) -> Played {
    Played { reply: Some(text.to_owned()), ..Played::default() }
}

/// A reply joins the words that it answers.
fn add(turns: &mut Vec<Played>, said: Played) {
    match turns.last_mut() {
        Some(last) if said.user.is_none() && last.reply.is_none() && last.session == said.session => {
            last.reply = said.reply
        }
        _ => turns.push(said),
    }
}

fn text(turn: &Turn) -> String {
    match &turn.cap {
        Some(photo) => format!("{} [shares a photo: {photo}]", turn.text),
        None => turn.text.clone(),
    }
}

/// Noon of a day that is written in any of the usual ways.
fn millis(date: &str) -> i64 {
    let named = dates::named(date).first().copied();
    let day = named.and_then(|named| Some((i64::from(named.year?), i64::from(named.month?), i64::from(named.day?))));
    let Some((year, month, day)) = day else { return 0 };
    // Days since 1970 by the civil calendar, years beginning in March.
    let year = if month <= 2 { year - 1 } else { year };
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days = year * 365 + year / 4 - year / 100 + year / 400 + of_year - 719_468;
    days * 86_400_000 + 43_200_000
}
