//! Whether what was told since the scribe read last is worth a call: judged here, without one.

use super::{Cadence, ScribeSettings};
use crate::prompt::tokens::estimate;

/// So many tokens of prose have something in them.
const MUCH: u32 = 300;

/// Stems of what changes a person or a world. One that is in here by chance costs a call; one that is not, a few turns'
/// delay.
const STEMS_ZH: [&str; 28] = [
    "死", "杀", "伤", "血", "病", "爱", "恨", "吻", "泪", "哭", "怒", "怕", "誓", "答应", "承诺", "原谅", "背叛",
    "欺骗", "秘密", "坦白", "离开", "回来", "抵达", "拿起", "交给", "失去", "决定", "相信",
];
const STEMS_EN: [&str; 33] = [
    "die", "dead", "death", "kill", "wound", "hurt", "blood", "bleed", "bled", "love", "hate", "kiss", "tears", "wept",
    "cry", "crie", "angr", "fear", "afraid", "swear", "swore", "promis", "forgiv", "betray", "lied", "secret",
    "confess", "leave", "left", "arriv", "lost", "decid", "trust",
];

impl ScribeSettings {
    /// Turns that it waits for, at least.
    pub fn waits_for(&self) -> u32 {
        if self.cadence == Cadence::SomeTurns { self.turns.max(1) } else { 1 }
    }

    /// Whether the scribe reads now; `unread` are the turns since it read last, as they are told.
    pub fn is_due(&self, unread: &[String]) -> bool {
        match self.cadence {
            Cadence::EveryTurn => !unread.is_empty(),
            Cadence::SomeTurns => unread.len() as u32 >= self.waits_for(),
            Cadence::Eventful => {
                unread.iter().map(|turn| estimate(turn)).sum::<u32>() >= MUCH
                    || unread.last().is_some_and(|turn| speaks_of_change(turn))
            }
        }
    }
}

fn speaks_of_change(text: &str) -> bool {
    let text = text.to_lowercase();
    STEMS_ZH.iter().any(|stem| text.contains(stem))
        || text.split(|char: char| !char.is_alphabetic()).any(|word| STEMS_EN.iter().any(|stem| word.starts_with(stem)))
}
