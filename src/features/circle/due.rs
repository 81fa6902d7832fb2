//! What comes next in the circle. It follows from what is stored and the clock: what fell due while the page was closed is
//! done at the next start, once, and nothing is made up for.

use serde::{Deserialize, Serialize};

use super::{Part, SPAN, Standing};
use crate::story::{
    Millis,
    ids::{CharacterId, PostId},
    post::Post,
};

const MINUTE: Millis = 60_000;
const HOUR: Millis = 60 * MINUTE;

/// How fast it goes by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pace {
    /// Nothing goes by itself.
    #[default]
    Hand,
    Slow,
    Calm,
    Lively,
}

impl Pace {
    pub const ALL: [Self; 4] = [Self::Hand, Self::Slow, Self::Calm, Self::Lively];

    pub fn name(self) -> &'static str {
        match self {
            Self::Hand => "hand",
            Self::Slow => "slow",
            Self::Calm => "calm",
            Self::Lively => "lively",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|pace| pace.name() == name)
    }

    /// How long it takes until somebody looks at what was said, and until they post again: about.
    pub fn takes(self) -> Option<(Millis, Millis)> {
        match self {
            Self::Hand => None,
            Self::Slow => Some((2 * HOUR, 48 * HOUR)),
            Self::Calm => Some((15 * MINUTE, 12 * HOUR)),
            Self::Lively => Some((MINUTE, 3 * HOUR)),
        }
    }
}

/// So often one character looks at one post: it may answer, and be answered, and answer again. Else two would never end.
pub const LOOKS: u32 = 4;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    Post,
    Look(PostId),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Due {
    pub at: Millis,
    pub who: CharacterId,
    pub act: Act,
}

/// Since when there is something in a post that a character has not seen and that is its business; `None`: nothing is.
pub fn unseen(post: &Post, who: &CharacterId, joined: Millis) -> Option<Millis> {
    let look = post.look(who);
    if look.is_some_and(|look| look.times >= LOOKS) {
        return None;
    }
    let is_own = post.author.as_ref() == Some(who);
    let seen = match look {
        Some(look) => look.seen,
        None if is_own => post.created,
        // It sees a post that is older than its part in the circle where somebody goes on about it.
        None if post.created >= joined => return Some(post.created),
        None => joined,
    };
    post.comments
        .iter()
        .filter(|comment| comment.at > seen && post.is_for(comment, who))
        .map(|comment| comment.at)
        .min()
}

/// All that is to come by itself, the first first.
pub fn coming(parts: &[Part], posts: &[Post], pace: Pace, now: Millis) -> Vec<Due> {
    let Some((look, post)) = pace.takes() else { return Vec::new() };
    let mut all = Vec::new();
    for Part { who, member } in parts.iter().filter(|part| part.member.standing == Standing::Active) {
        let last = posts.iter().filter(|post| post.author.as_ref() == Some(who)).map(|post| post.created).max();
        let last = member.posted.max(last);
        // Who has just come in soon says something.
        let (from, wait) = last.map_or((member.joined, look), |last| (last, post));
        all.push(Due { at: from + about(wait, who.as_str(), from), who: who.clone(), act: Act::Post });
        for post in posts.iter().filter(|post| post.created + SPAN > now) {
            if let Some(since) = unseen(post, who, member.joined) {
                let wait = about(look, &format!("{who}{}", post.id), since);
                all.push(Due { at: since + wait, who: who.clone(), act: Act::Look(post.id.clone()) });
            }
        }
    }
    // Of what is due at one time, who posts waits for who answers.
    all.sort_by(|a, b| (a.at, a.act == Act::Post, &a.who).cmp(&(b.at, b.act == Act::Post, &b.who)));
    all
}

/// What is done where the reader asks for it now: all who have something to see of a post see it.
pub fn asked(parts: &[Part], post: &Post, now: Millis) -> Vec<Due> {
    let active = parts.iter().filter(|part| part.member.standing == Standing::Active);
    let unseen = active.filter(|part| unseen(post, &part.who, part.member.joined.min(post.created)).is_some());
    unseen.map(|part| Due { at: now, who: part.who.clone(), act: Act::Look(post.id.clone()) }).collect()
}

/// From half of a time to one and a half of it, always the same for the same: not all come at once.
fn about(wait: Millis, who: &str, from: Millis) -> Millis {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in who.bytes().chain(from.to_le_bytes()) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    wait / 2 + wait * ((hash >> 32) % 1_000) / 1_000
}
