//! Reminds of a backup: a browser may lose what it keeps, a file on another disk stays.

use leptos::prelude::*;

use crate::{
    locales::T,
    ports::Clock,
    story::Millis,
    ui::{
        app::App,
        notices::{Notice, NoticeKind},
        route::Route,
    },
    web::clock::BrowserClock,
};

const DAY: Millis = 24 * 60 * 60 * 1_000;
/// After so many turns, or so long, without a backup.
const TURNS: u32 = 50;
const DAYS: Millis = 7 * DAY;
/// When it was last said, among the preferences.
const REMINDED: &str = "backup_reminded";

/// Counts a played turn, and reminds of a backup when one is due. Not more often than once a day.
pub async fn after_turn(app: App) {
    if app.story.storyline.with_untracked(|storyline| storyline.as_ref().is_some_and(|storyline| storyline.demo)) {
        return;
    }
    let now = BrowserClock.now();
    let first_story = app.storylines.with_untracked(|list| list.iter().map(|storyline| storyline.created).min());
    let due = app.preferences.with_untracked(|preferences| {
        let turns = preferences.turns_since_backup.saturating_add(1);
        let since = preferences.last_backup.or(first_story).unwrap_or(now);
        let reminded = preferences.extra.get(REMINDED).and_then(|value| value.as_u64()).unwrap_or(0);
        let is_due = turns >= TURNS || now.saturating_sub(since) >= DAYS;
        let text = if preferences.last_backup.is_some() { T::BackupRemind } else { T::BackupRemindNever };
        (is_due && now.saturating_sub(reminded) >= DAY).then_some((text, turns))
    });
    let is_due = due.is_some();
    app.prefer(move |preferences| {
        preferences.turns_since_backup = preferences.turns_since_backup.saturating_add(1);
        if is_due {
            preferences.extra.insert(REMINDED.into(), now.into());
        }
    });
    if let Some((text, turns)) = due {
        let text = app.say_with(text, &[&turns.to_string()]);
        app.notices
            .update(|notices| Notice::add_link(notices, NoticeKind::Warning, text, T::BackupGo, Route::Settings));
    }
}
