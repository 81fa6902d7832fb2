//! How long a bar may run: it is switched off when it leads its frame elsewhere, floods the page with messages, throws,
//! or does not answer. The time is passed in.

use super::message::{self, Message};
use crate::story::Millis;

/// Messages that may come at once.
pub const BURST: u32 = 60;
/// Milliseconds until another one may come.
pub const REFILL: Millis = 50;
/// Milliseconds within which a bar has run its scripts, and taken in each state.
pub const ANSWER: Millis = 5_000;

/// Why a bar was switched off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Off {
    /// The frame shows another document than the one that was put there.
    Left,
    /// Too many messages in too short a time.
    Flooded,
    /// The bar threw this.
    Threw(String),
    /// No answer within [`ANSWER`].
    Silent,
}

/// A bucket of permits: full at first, one more each [`REFILL`], never more than [`BURST`].
#[derive(Clone, Debug)]
pub struct Rate {
    left: u32,
    /// Up to when permits have been given back.
    until: Millis,
}

impl Rate {
    pub fn new(now: Millis) -> Self {
        Self { left: BURST, until: now }
    }

    /// Takes a permit; false where there is none. A clock that goes back gives none and takes none.
    pub fn allows(&mut self, now: Millis) -> bool {
        let gained = now.saturating_sub(self.until) / REFILL;
        if gained > 0 {
            self.left = u32::try_from(gained).map_or(BURST, |gained| self.left.saturating_add(gained).min(BURST));
            self.until += gained * REFILL;
        }
        let allowed = self.left > 0;
        self.left = self.left.saturating_sub(1);
        allowed
    }
}

/// A frame that runs a bar.
#[derive(Clone, Debug)]
pub struct Guard {
    rate: Rate,
    is_loaded: bool,
    is_ready: bool,
    told: u64,
    seen: u64,
    /// Since when the oldest message that is not answered waits.
    waits_since: Option<Millis>,
}

impl Guard {
    pub fn new(now: Millis) -> Self {
        Self { rate: Rate::new(now), is_loaded: false, is_ready: false, told: 0, seen: 0, waits_since: None }
    }

    /// The frame has loaded: once is ours, and it is to be told what to run; twice is not.
    ///
    /// # Errors
    /// [`Off::Left`].
    pub fn loaded(&mut self, now: Millis) -> Result<(), Off> {
        if std::mem::replace(&mut self.is_loaded, true) {
            return Err(Off::Left);
        }
        self.waits_since = Some(now);
        Ok(())
    }

    /// A message came; `None` is one that is not even a text, or too long to look at. What is refused says nothing, and
    /// counts.
    ///
    /// # Errors
    /// It was one too many, or says that the bar threw.
    pub fn heard(&mut self, said: Option<&str>, now: Millis) -> Result<Option<Message>, Off> {
        if !self.rate.allows(now) {
            return Err(Off::Flooded);
        }
        let message = said.and_then(|said| message::read(said).ok());
        match message {
            Some(Message::Fault(words)) => Err(Off::Threw(words)),
            Some(Message::Ready) => {
                self.is_ready = true;
                self.answered(now);
                Ok(None)
            }
            Some(Message::Seen { n }) => {
                self.seen = n.min(self.told).max(self.seen);
                self.answered(now);
                Ok(None)
            }
            other => Ok(other),
        }
    }

    fn answered(&mut self, now: Millis) {
        let waits = !self.is_ready || self.seen < self.told;
        self.waits_since = waits.then_some(now);
    }

    /// A state is about to be told; gives its number.
    pub fn tells(&mut self, now: Millis) -> u64 {
        self.told += 1;
        self.waits_since.get_or_insert(now);
        self.told
    }

    /// Whether the frame can be told anything.
    pub fn is_loaded(&self) -> bool {
        self.is_loaded
    }

    /// Time has passed.
    ///
    /// # Errors
    /// [`Off::Silent`].
    pub fn looked_at(&self, now: Millis) -> Result<(), Off> {
        match self.waits_since {
            Some(since) if now.saturating_sub(since) >= ANSWER => Err(Off::Silent),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const READY: Option<&str> = Some(r#"{"fabula":"ready"}"#);

    fn seen(n: u64) -> String {
        format!(r#"{{"fabula":"seen","n":{n}}}"#)
    }

    #[test]
    fn a_frame_is_loaded_once() {
        let mut guard = Guard::new(0);
        assert!(!guard.is_loaded());
        assert_eq!(guard.loaded(1), Ok(()));
        assert!(guard.is_loaded());
        assert_eq!(guard.loaded(2), Err(Off::Left));
    }

    #[test]
    fn who_does_not_answer_is_switched_off() {
        let mut guard = Guard::new(0);
        assert_eq!(guard.looked_at(90_000), Ok(()), "nothing has been asked yet");
        guard.loaded(100).unwrap();
        assert_eq!(guard.looked_at(100 + ANSWER - 1), Ok(()));
        assert_eq!(guard.looked_at(100 + ANSWER), Err(Off::Silent));
        assert_eq!(guard.heard(READY, 200), Ok(None));
        assert_eq!(guard.looked_at(90_000), Ok(()));

        let [first, second] = [guard.tells(1_000), guard.tells(4_000)];
        assert_eq!((first, second), (1, 2));
        assert_eq!(guard.looked_at(1_000 + ANSWER), Err(Off::Silent), "the first one counts");
        guard.heard(Some(&seen(first)), 5_000).unwrap();
        assert_eq!(guard.looked_at(5_000 + ANSWER), Err(Off::Silent), "the second one is still open");
        guard.heard(Some(&seen(second)), 6_000).unwrap();
        assert_eq!(guard.looked_at(90_000), Ok(()));
    }

    #[test]
    fn an_answer_to_what_was_never_said_counts_for_nothing() {
        let mut guard = Guard::new(0);
        guard.loaded(0).unwrap();
        guard.heard(READY, 0).unwrap();
        guard.heard(Some(&seen(u64::MAX)), 0).unwrap();
        guard.tells(10);
        assert_eq!(guard.looked_at(10 + ANSWER), Err(Off::Silent));
    }

    #[test]
    fn what_a_bar_says() {
        let mut guard = Guard::new(0);
        let draft = r#"{"fabula":"draft","text":"拔剑"}"#;
        assert_eq!(guard.heard(Some(draft), 0), Ok(Some(Message::Draft("拔剑".into()))));
        assert_eq!(guard.heard(Some("nonsense"), 0), Ok(None));
        assert_eq!(guard.heard(None, 0), Ok(None));
        let threw = r#"{"fabula":"fault","text":"TypeError: x"}"#;
        assert_eq!(guard.heard(Some(threw), 0), Err(Off::Threw("TypeError: x".into())));
    }

    #[test]
    fn a_flood_is_one_whatever_it_says() {
        for said in [READY, Some("nonsense"), None] {
            let mut guard = Guard::new(0);
            for _ in 0..BURST {
                assert_eq!(guard.heard(said, 0), Ok(None));
            }
            assert_eq!(guard.heard(said, REFILL - 1), Err(Off::Flooded));
            assert_eq!(guard.heard(said, REFILL), Ok(None), "time heals");
        }
    }

    proptest! {
        /// In any stretch of time no more comes through than a burst and what is given back meanwhile.
        #[test]
        fn a_rate_holds(steps in prop::collection::vec(0u64..400, 1..600)) {
            let mut rate = Rate::new(0);
            let mut now = 0;
            let mut passed: Vec<Millis> = Vec::new();
            for step in steps {
                now += step;
                if rate.allows(now) { passed.push(now); }
            }
            for from in 0..passed.len() {
                for to in from..passed.len() {
                    let most = u64::from(BURST) + (passed[to] - passed[from]) / REFILL + 1;
                    prop_assert!((to - from + 1) as u64 <= most);
                }
            }
        }

        #[test]
        fn a_steady_bar_is_never_stopped(steps in prop::collection::vec(REFILL..10_000, 1..300)) {
            let mut rate = Rate::new(0);
            let mut now = 0;
            for step in steps {
                now += step;
                prop_assert!(rate.allows(now));
            }
        }
    }
}
