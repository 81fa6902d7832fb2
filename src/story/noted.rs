//! What a scribe noted of the turns up to a reply: kept with that reply, beside its text, so that it hangs on the tree
//! like all else, and taken in with the reply wherever that is settled.

use serde::{Deserialize, Serialize};

use super::{
    Millis,
    generation::{Generation, Usage},
    print::print,
    warning::Notice,
};
use crate::store::from_value;

const NOTED: &str = "noted";

/// A note, as the scribe's model wrote it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Noted {
    pub text: String,
    pub model: String,
    /// As the provider counted them, where it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    pub at: Millis,
    pub millis: Millis,
    /// The first and the last turn that it was drawn from.
    pub turns: (u32, u32),
    /// Bytes of the reply when it was read: of one that has gone on or was reworded since, it says too little.
    pub length: usize,
    /// Print of it, 53 bits. 0: it was not taken, and the length alone tells.
    #[serde(skip_serializing_if = "is_zero")]
    pub print: u64,
}

fn is_zero(print: &u64) -> bool {
    *print == 0
}

impl Noted {
    /// Whether the reply still says what was read.
    pub fn is_of(&self, reply: &Generation) -> bool {
        let (length, print) = Self::read(reply);
        self.length == length && (self.print == 0 || self.print == print)
    }

    /// By what a reply is known again that was read: length and print.
    pub fn read(reply: &Generation) -> (usize, u64) {
        // What JavaScript holds as a number.
        (reply.text.len(), print(&reply.text) >> 11)
    }
}

impl Generation {
    /// What was noted at this reply.
    pub fn noted(&self) -> Option<Noted> {
        from_value(self.extra.get(NOTED)?.clone()).ok()
    }

    pub fn set_noted(&mut self, noted: &Noted) {
        self.extra.insert(NOTED.into(), serde_json::to_value(noted).expect("it has text keys"));
    }

    /// Takes out what is said under the name of a module, and says this instead.
    pub fn say_of(&mut self, module: &str, notice: Option<Notice>) {
        let mut notices = self.notices();
        notices.retain(|notice| notice.module != module);
        notices.extend(notice);
        self.set_notices(&notices);
    }
}
