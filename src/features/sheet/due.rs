//! When the texts are due (`002`, 4).

use super::TextSettings;
use crate::story::written::Text;

/// What was told since a text was written last, or worded by the reader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Since {
    pub messages: u32,
    pub words: u32,
}

impl Since {
    /// Whether it has not reached what makes a text due, and may.
    pub fn may_reach(self, settings: &TextSettings) -> bool {
        (settings.messages > 0 || settings.words > 0) && !self.reaches(settings)
    }

    fn reaches(self, settings: &TextSettings) -> bool {
        let is_due = |every: u32, now: u32| every > 0 && now >= every;
        is_due(settings.messages, self.messages) || is_due(settings.words, self.words)
    }
}

/// What is to be written, in this order; `asked`: by hand.
///
/// Locked (4.2), the plot summary rests of itself, and either's being due or asked for writes both: the sheet first, then
/// the summary, frozen or not.
pub fn due(asked: Option<Text>, sheet: (&TextSettings, Since), plot: (&TextSettings, Since)) -> Vec<Text> {
    let of_itself =
        |(settings, since): (&TextSettings, Since)| settings.enabled && !settings.frozen && since.reaches(settings);
    let is_locked = sheet.0.enabled && sheet.0.lock;
    if is_locked {
        // Frozen, the sheet holds both.
        let is_due = !sheet.0.frozen && (sheet.1.reaches(sheet.0) || plot.1.reaches(plot.0));
        return if asked.is_some() || is_due { Text::ALL.to_vec() } else { Vec::new() };
    }
    let is_due = |text: Text| match text {
        Text::Sheet => of_itself(sheet),
        Text::Plot => of_itself(plot),
    };
    Text::ALL.into_iter().filter(|text| asked == Some(*text) || asked.is_none() && is_due(*text)).collect()
}
