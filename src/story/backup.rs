//! When the reader is reminded of a backup: after so many turns, or so long, since there was one or it was put off.

use serde::{Deserialize, Serialize};

use super::{Millis, settings::Preferences};

/// Turns without a backup.
const TURNS: u32 = 50;
/// Milliseconds without one: seven days.
const TIME: Millis = 7 * 24 * 60 * 60 * 1_000;

/// When the reader last let the reminder go, and how many turns there were without a backup by then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PutOff {
    pub at: Millis,
    pub turns: u32,
}

impl Preferences {
    pub fn count_turn(&mut self) {
        self.turns_since_backup = self.turns_since_backup.saturating_add(1);
    }

    /// Whether it is time to remind. Before the first backup the time counts from the first story.
    pub fn is_backup_due(&self, now: Millis, first_story: Option<Millis>) -> bool {
        let put_off = self.backup_put_off.unwrap_or(PutOff { at: 0, turns: 0 });
        let since = self.last_backup.or(first_story).unwrap_or(now).max(put_off.at);
        self.turns_since_backup.saturating_sub(put_off.turns) >= TURNS || now.saturating_sub(since) >= TIME
    }

    /// The reader has seen the reminder: both counts begin anew.
    pub fn put_backup_off(&mut self, now: Millis) {
        self.backup_put_off = Some(PutOff { at: now, turns: self.turns_since_backup });
    }

    pub fn backed_up(&mut self, at: Millis) {
        (self.last_backup, self.turns_since_backup, self.backup_put_off) = (Some(at), 0, None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn play(preferences: &mut Preferences, turns: u32) {
        (0..turns).for_each(|_| preferences.count_turn());
    }

    #[test]
    fn reminds_after_fifty_turns_and_again_after_as_many() {
        let mut preferences = Preferences::default();
        let due = |preferences: &Preferences| preferences.is_backup_due(1_000, Some(0));
        play(&mut preferences, TURNS - 1);
        assert!(!due(&preferences));
        play(&mut preferences, 1);
        assert!(due(&preferences));
        preferences.put_backup_off(1_000);
        play(&mut preferences, TURNS - 1);
        assert!(!due(&preferences), "put off for as long again");
        play(&mut preferences, 1);
        assert!(due(&preferences));
        preferences.backed_up(1_000);
        play(&mut preferences, TURNS - 1);
        assert!(!due(&preferences));
    }

    #[test]
    fn reminds_after_seven_days_and_again_after_as_many() {
        let mut preferences = Preferences::default();
        let due = |preferences: &Preferences, days: f64| {
            preferences.is_backup_due(1_000 + (days / 7.0 * TIME as f64) as Millis, Some(1_000))
        };
        assert!(!due(&preferences, 6.9) && due(&preferences, 7.0));
        preferences.put_backup_off(1_000 + TIME);
        assert!(!due(&preferences, 13.9) && due(&preferences, 14.0));
        preferences.backed_up(1_000 + 2 * TIME);
        assert!(!due(&preferences, 20.9) && due(&preferences, 21.0));
        assert!(!Preferences::default().is_backup_due(TIME, None), "there is nothing to lose yet");
    }
}
