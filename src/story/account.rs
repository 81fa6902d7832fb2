//! The account of a prompt: what is in it, from where, why, and at what cost.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{
    Extra, Millis,
    company::Stretch,
    ids::{GenerationId, StorylineId},
    preset::{Role, Section},
    sampling::Parameter,
};
use crate::store::record;

/// Stored in the commit that begins the reply, and not again while that comes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Account {
    /// That of the reply that the prompt was for.
    pub id: GenerationId,
    pub storyline: StorylineId,
    /// A reply that goes on is asked for anew: the newest prompt is told.
    pub made: Millis,
    pub preset: String,
    /// In the order of the preset; what stands at a depth of the chat comes after them.
    pub blocks: Vec<AccountBlock>,
    /// Estimated tokens of all messages.
    pub total_tokens: u32,
    /// Those of the blocks in the middle section (A7).
    #[serde(skip_serializing_if = "is_zero")]
    pub middle_tokens: u32,
    /// The total before the connection's calibration: what the next calibration is measured against.
    #[serde(skip_serializing_if = "is_zero")]
    pub raw_tokens: u32,
    /// Parameters of the sampling that were set and not sent: the protocol has no word for them, or the model refuses them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<Parameter>,
    #[serde(flatten)]
    pub extra: Extra,
}
record!(Account, Accounts);

/// What a prompt came to: as much of its account as its reply keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Reckoned {
    /// [`Account::total_tokens`].
    pub tokens: u32,
    /// [`Account::raw_tokens`].
    pub raw_tokens: u32,
    /// The first turn of its history, where that was not whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<u32>,
}

/// `reason` is one of `preset` (its own text), `card` (a card's text in place of it), `source`, `store` (a module put
/// it there), `story` (the storyline or the card placed it), `answered` (the reader's words or a reply to go on with,
/// which no block held), `prefill` (the first words of the reply, which the sampling gives), `left_out` (there was no
/// room). The reasons of single entries follow, a line each.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AccountBlock {
    /// The preset block's identifier.
    pub identifier: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The source that filled it; empty for the preset's own text.
    pub source: String,
    pub role: Role,
    pub tokens: u32,
    /// Why it is in, or what was left out.
    pub reason: String,
    /// Turns or entries that were left out for the budget.
    pub trimmed: u32,
    #[serde(skip_serializing_if = "Section::is_head")]
    pub section: Section,
    /// Where it stands at a depth of the chat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// What it says; of the history, the summary that it begins with: the rest is given by its turns.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Short digest of what it says, wherever that is kept.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub digest: String,
    /// The earlier reply whose account has the text, where it was the same: a story does not keep its world and its
    /// character once for each turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text_in: Option<GenerationId>,
    /// First and last position of the turns in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<u32>,
    /// The turn to answer is not one of them.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub past: bool,
    /// Their replies were told as they are read; see [`super::preset::Block::shown_only`].
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub shown_only: bool,
    /// Of the history: turns that are not told, for the speaker did not hear them; the first, and the one after the last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unheard: Vec<Stretch>,
    /// What was told before those turns, where a summary stands for some in between.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recap: Option<Recapped>,
}

/// The beginning of a conversation, and the summary that goes on from there (F4).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Recapped {
    /// First and last position of the turns that it began with, where there was room for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turns: Option<(u32, u32)>,
    pub text: String,
}

impl Account {
    pub fn reckoned(&self) -> Reckoned {
        let cut = self.blocks.iter().find(|block| block.from.is_some() && 0 < block.trimmed);
        Reckoned { tokens: self.total_tokens, raw_tokens: self.raw_tokens, from: cut.and_then(|history| history.from) }
    }

    /// Leaves out each text that the account of an earlier reply on this path has too.
    pub fn share_texts(&mut self, earlier: Option<&Account>) {
        for block in self.blocks.iter_mut().filter(|block| !block.text.is_empty()) {
            block.digest = digest(&block.text);
            let same = earlier.and_then(|account| {
                let before = account.blocks.iter().find(|before| before.identifier == block.identifier)?;
                (before.digest == block.digest).then(|| before.text_in.as_ref().unwrap_or(&account.id).clone())
            });
            if same.is_some() {
                block.text.clear();
                block.text_in = same;
            }
        }
    }
}

impl AccountBlock {
    /// Whether two blocks say the same.
    pub fn says_as(&self, other: &Self) -> bool {
        if self.digest.is_empty() || other.digest.is_empty() {
            self.text == other.text
        } else {
            self.digest == other.digest
        }
    }
}

/// The first 16 hex digits of the SHA-256.
fn digest(text: &str) -> String {
    Sha256::digest(text).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_kept_once_on_a_path() {
        let account = |id: &str, world: &str| Account {
            id: id.into(),
            blocks: vec![AccountBlock { identifier: "world".into(), text: world.into(), ..Default::default() }],
            ..Default::default()
        };
        let (mut first, mut second, mut third, mut changed) =
            (account("g1", "雨"), account("g2", "雨"), account("g3", "雨"), account("g4", "晴"));
        let id = |id: &str| GenerationId::from(id);
        first.share_texts(None);
        assert_eq!((first.blocks[0].text.as_str(), &first.blocks[0].text_in), ("雨", &None));
        second.share_texts(Some(&first));
        assert_eq!((second.blocks[0].text.as_str(), &second.blocks[0].text_in), ("", &Some(id("g1"))));
        third.share_texts(Some(&second));
        assert_eq!(third.blocks[0].text_in, Some(id("g1")), "where the text is, not where it was last said");
        changed.share_texts(Some(&third));
        assert_eq!((changed.blocks[0].text.as_str(), &changed.blocks[0].text_in), ("晴", &None));
        assert!(second.blocks[0].says_as(&first.blocks[0]) && !changed.blocks[0].says_as(&first.blocks[0]));
    }
}
