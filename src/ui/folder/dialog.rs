//! The dialog of a folder: what is in it, how far it is, what became of it.

use std::rc::Rc;

use leptos::{ev::KeyboardEvent, html, prelude::*};

use super::{Folder, Found, Stage, report};
use crate::{
    desk::intake::{Fate, Row},
    exchange::folder::Role,
    locales::{
        Saying, fill,
        folder::{T, said},
        time,
    },
    ui::app::App,
};

/// Rows that are shown: more stand in the saved report.
const SHOWN: usize = 300;

#[component]
pub fn FolderDialog(folder: Folder) -> impl IntoView {
    let app = App::here();
    let dialog = NodeRef::<html::Dialog>::new();
    Effect::new(move |_| {
        let Some(dialog) = dialog.get() else { return };
        if !folder.is_open() {
            return dialog.close();
        }
        if !dialog.open() {
            let _ = dialog.show_modal();
            let _ = dialog.focus();
        }
    });
    let may_close = move || folder.stage.with_untracked(|stage| matches!(stage, Stage::Asks(_) | Stage::Done { .. }));
    let on_key = move |event: KeyboardEvent| {
        if event.key() == "Escape" {
            event.prevent_default();
            if may_close() {
                folder.close();
            }
        }
    };
    view! {
        <dialog class="import-dialog folder-dialog" data-testid="folder-dialog" aria-modal="true" aria-label=app.t(T::Title) tabindex="-1"
            node_ref=dialog on:keydown=on_key>
            {move || match folder.stage.get() {
                Stage::Closed => ().into_any(),
                Stage::Looking => view! { <p role="status">{app.t(T::Looking)}</p> }.into_any(),
                Stage::Asks(found) => view! { <Asks folder found /> }.into_any(),
                Stage::Working { done, of, path } => view! { <Working folder done of path /> }.into_any(),
                Stage::Done { rows, ended } => view! { <Done folder rows ended /> }.into_any(),
            }}
        </dialog>
    }
}

#[component]
fn Asks(folder: Folder, found: Rc<Found>) -> impl IntoView {
    let app = App::here();
    let count = |is: fn(Role) -> bool| found.count(is);
    let counts = [
        (T::Characters, count(|role| role == Role::Character)),
        (T::Sprites, count(|role| role == Role::Sprite)),
        (T::Chats, count(|role| role == Role::Chat)),
        (T::Books, count(|role| role == Role::Lorebook)),
        (T::Presets, count(|role| role == Role::Preset)),
        (T::Tools, count(|role| matches!(role, Role::Scripts | Role::QuickReplies))),
        (T::Personas, count(|role| matches!(role, Role::Settings | Role::Personas))),
        (T::Faces, count(|role| role == Role::Face)),
        (T::Any, count(|role| role == Role::Any)),
        (T::Left, found.left(|_| true)),
    ];
    let rows = counts.into_iter().filter(|(_, count)| *count > 0);
    let row =
        move |(label, count): (T, usize)| view! { <div><dt>{app.t(label)}</dt><dd class="number">{count}</dd></div> };
    let (files, bytes, comes) = (found.places.len(), found.bytes, found.comes() > 0);
    let begin = move |_| folder.begin(found.clone());
    view! {
        <div class="import-summary" data-testid="folder-summary">
            <h2>{app.t(T::Title)}</h2>
            <p class="import-what">{move || T::Within.with(&[&files.to_string(), &time::bytes(bytes as f64)])(app.language.get())}</p>
            <dl class="import-counts">{rows.map(row).collect_view()}</dl>
            <p class="field-note">{app.t(if comes { T::Hint } else { T::Nothing })}</p>
        </div>
        <div class="row import-choices">
            {comes.then(|| view! {
                <button class="button primary" data-testid="folder-begin" on:click=begin>{app.t(T::Begin)}</button>
            })}
            <button class="button quiet" data-testid="folder-close" on:click=move |_| folder.close()>{app.t(T::Close)}</button>
        </div>
    }
}

#[component]
fn Working(folder: Folder, done: usize, of: usize, path: String) -> impl IntoView {
    let app = App::here();
    let words = T::Working.with(&[&(done + 1).to_string(), &of.to_string()])(app.language.get_untracked());
    let is_stopped = folder.is_stopped();
    view! {
        <div class="progress folder-progress" data-testid="folder-progress">
            <progress max=of.to_string() value=done.to_string() aria-label=words.clone()></progress>
            <p class="number">{words}</p>
            <button class="button quiet" data-testid="folder-stop" disabled=is_stopped on:click=move |_| folder.stop()>
                {app.t(if is_stopped { T::Stopping } else { T::Stop })}
            </button>
            <p class="folder-path">{path}</p>
        </div>
    }
}

/// Which rows are looked at.
#[derive(Clone, Copy, PartialEq)]
enum Show {
    All,
    Taken,
    Known,
    Refused,
    Left,
}

impl Show {
    fn is(self, row: &Row) -> bool {
        match self {
            Self::All => true,
            Self::Taken => matches!(row.fate, Fate::Taken { .. }),
            Self::Known => matches!(row.fate, Fate::Known { .. }),
            Self::Refused => matches!(row.fate, Fate::Refused(_)),
            Self::Left => matches!(row.fate, Fate::Left(_)),
        }
    }
}

#[component]
fn Done(folder: Folder, rows: Rc<Vec<Row>>, ended: Option<Saying>) -> impl IntoView {
    let app = App::here();
    let rows = StoredValue::new_local(rows);
    let count = move |show: Show| rows.with_value(|rows| rows.iter().filter(|row| show.is(row)).count());
    // What went wrong is looked at first.
    let show = RwSignal::new(if count(Show::Refused) > 0 { Show::Refused } else { Show::All });
    let tabs = [
        (Show::All, T::All, "all"),
        (Show::Taken, T::Taken, "taken"),
        (Show::Known, T::Known, "known"),
        (Show::Refused, T::Refused, "refused"),
        (Show::Left, T::Left, "left"),
    ];
    let tab = move |(of, label, name): (Show, T, &'static str)| {
        view! {
            <button class="chip" data-testid=format!("folder-show-{name}") aria-pressed=move || (show.get() == of).to_string()
                on:click=move |_| show.set(of)>
                {app.t(label)}" "<span class="number">{count(of)}</span>
            </button>
        }
    };
    let list = move || {
        let (of, language) = (show.get(), app.language.get());
        let all = rows.with_value(|rows| {
            let rows = rows.iter().filter(|row| of.is(row));
            rows.map(|row| (row.path.clone(), said(row, language))).collect::<Vec<_>>()
        });
        let more = all.len().saturating_sub(SHOWN);
        let shown = all.into_iter().take(SHOWN).map(|(path, said)| {
            view! { <li data-testid="folder-row"><span class="folder-path">{path}</span><span>{said}</span></li> }
        });
        let more = (more > 0).then(|| view! { <li>{fill(T::More.text(language), &[&more.to_string()])}</li> });
        view! { <ul class="folder-rows">{shown.collect_view()}{more}</ul> }
    };
    let is_whole = ended.is_none();
    view! {
        <div class="import-summary" data-testid="folder-report">
            <h2>{app.t(if is_whole { T::Done } else { T::Report })}</h2>
            {ended.map(|ended| view! { <p class="place-fault" role="alert" data-testid="folder-ended">{move || app.read(&ended)}</p> })}
            <div class="row folder-tabs">{tabs.into_iter().filter(|(of, ..)| *of == Show::All || count(*of) > 0).map(tab).collect_view()}</div>
            {list}
        </div>
        <div class="row import-choices">
            <button class="button primary" data-testid="folder-close" on:click=move |_| folder.close()>{app.t(T::Close)}</button>
            <button class="button" data-testid="folder-save" on:click=move |_| rows.with_value(|rows| report::save(app, rows))>{app.t(T::SaveReport)}</button>
        </div>
    }
}
