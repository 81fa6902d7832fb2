//! What became of each file: read here, and saved as a text.

use leptos::prelude::*;

use crate::{
    desk::intake::{Fate, Row},
    locales::{Say, Saying, T as Page, folder::said},
    story::storyline::Language,
    ui::{app::App, library::not_saved, state::NoticeKind},
    web::{files, text_of},
};

/// The report as a text: a line a file.
fn text(rows: &[Row], language: Language) -> String {
    rows.iter().map(|row| format!("{}\n    {}\n", row.path, said(row, language))).collect()
}

/// Saves it.
pub fn save(app: App, rows: &[Row]) {
    let text = text(rows, app.language.get_untracked());
    let saved = files::blob(text.as_bytes(), "text/plain;charset=utf-8")
        .and_then(|blob| files::download(&blob, "fabula-report.txt"));
    if let Err(error) = saved {
        app.notify(NoticeKind::Error, not_saved(&text_of(&error, "message")));
    }
}

/// Says it in a notice, where there are few; what was refused stands beside the control.
pub fn tell(app: App, rows: Vec<Row>, mut refused: Vec<Saying>, fault: RwSignal<Option<Saying>>) {
    let count = |is: fn(&Fate) -> bool| rows.iter().filter(|row| is(&row.fate)).count();
    let taken = count(|fate| matches!(fate, Fate::Taken { .. }));
    let known = count(|fate| matches!(fate, Fate::Known { .. }));
    let counted = |text: Page, count: usize| (count > 0).then(|| text.with(&[&count.to_string()]).kept());
    let said: Vec<_> =
        [counted(Page::ImportedMany, taken), counted(Page::KnownAlready, known)].into_iter().flatten().collect();
    if !said.is_empty() {
        app.notify(NoticeKind::Info, Saying::joined(said, " "));
    }
    refused.extend(rows.into_iter().filter_map(|row| match row.fate {
        Fate::Refused(why) => Some(why.kept()),
        _ => None,
    }));
    // The reader may have gone elsewhere meanwhile.
    if !refused.is_empty()
        && let Some(Some(unseen)) = fault.try_set(Some(Saying::joined(refused, "\n")))
    {
        app.notify(NoticeKind::Error, unseen);
    }
}
