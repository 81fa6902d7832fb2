//! Reminds of a backup: a browser may lose what it keeps, a file on another disk stays.

use leptos::prelude::*;

use crate::{
    locales::T,
    ports::Clock,
    story::settings::Preferences,
    ui::{
        app::App,
        state::{Notice, NoticeKind, Offer},
    },
    web::clock::BrowserClock,
};

/// Counts a played turn, and reminds of a backup when one is due.
pub async fn after_turn(app: App) {
    if app.story.storyline.with_untracked(|storyline| storyline.as_ref().is_some_and(|storyline| storyline.demo)) {
        return;
    }
    let first_story = app.storylines.with_untracked(|list| list.iter().map(|storyline| storyline.created).min());
    app.prefer(Preferences::count_turn);
    let due = app.preferences.with_untracked(|preferences| {
        let text = if preferences.last_backup.is_some() { T::BackupRemind } else { T::BackupRemindNever };
        let is_due = preferences.is_backup_due(BrowserClock.now(), first_story);
        is_due.then(|| text.with(&[&preferences.turns_since_backup.to_string()]))
    });
    let is_said = app.notices.with_untracked(|notices| notices.iter().any(Notice::is_of_backup));
    if let Some(words) = due.filter(|_| !is_said) {
        app.post(Notice::new(NoticeKind::Warning, words, Offer::Backup));
    }
}

/// The reader has seen the reminder, or has made a backup: it goes.
pub fn withdraw(app: App) {
    app.notices.update(|notices| notices.retain(|notice| !notice.is_of_backup()));
}

/// It comes again when another backup would be due.
pub fn put_off(app: App) {
    withdraw(app);
    let now = BrowserClock.now();
    app.prefer(move |preferences| preferences.put_backup_off(now));
}
