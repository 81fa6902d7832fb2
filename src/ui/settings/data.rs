//! The library as a whole: how much room it takes, whether the browser keeps it, backup and restore, the bin.

use leptos::{prelude::*, task::spawn_local};

use crate::{
    locales::{T, fill, folder::T as F, time},
    ports::Clock,
    story::Millis,
    transfer::{Cancel, Failure, Progress, Scope, Stage, Watch},
    ui::{
        about,
        app::App,
        archive::{self, FilePick, Import, ImportDialog, ImportFault, Working},
        folder::{Folder, FolderDialog},
        library::{self, Bin},
        settings::remind,
        state::NoticeKind,
    },
    web::{
        archive as files_of,
        clock::BrowserClock,
        files,
        folder::{self as files_in, Given},
        storage,
    },
};

#[component]
pub fn Data() -> impl IntoView {
    let app = App::here();
    view! {
        <section class="settings-part data" aria-labelledby="settings-data">
            <h2 id="settings-data">{app.t(T::Data)}</h2>
            <Room />
            <Backup />
            <MoveIn />
        </section>
        <section class="settings-part" aria-labelledby="settings-bin">
            <h2 id="settings-bin">{app.t(T::Bin)}</h2>
            <Bin />
        </section>
    }
}

/// What the browser says of its storage.
#[component]
fn Room() -> impl IntoView {
    let app = App::here();
    let (estimate, kept) = (RwSignal::new(None), RwSignal::new(None::<bool>));
    Effect::new(move |_| {
        // It changes with what is on the shelf.
        app.storylines.track();
        spawn_local(async move {
            estimate.try_set(storage::estimate().await);
            kept.try_set(Some(storage::is_persisted().await));
        });
    });
    let ask = move |_| {
        spawn_local(async move {
            kept.try_set(Some(storage::persist().await));
        });
    };
    let used = move || {
        let storage::Estimate { usage, quota } = estimate.get()?;
        Some(fill(app.t(T::StorageUsed)(), &[&time::bytes(usage), &time::bytes(quota)]))
    };
    view! {
        <div class="data-room">
            <p class="number" data-testid="storage-used">{used}</p>
            {move || kept.get().map(|kept| {
                let text = if kept { T::StoragePersisted } else { T::StorageNotPersisted };
                view! {
                    <p data-testid="storage-kept" data-kept=kept.to_string()>{app.t(text)}</p>
                    <Show when=move || !kept>
                        <button class="button" data-testid="storage-persist" on:click=ask>{app.t(T::AskPersist)}</button>
                    </Show>
                }
            })}
        </div>
    }
}

#[component]
fn Backup() -> impl IntoView {
    let app = App::here();
    let import = Import::new(app, None);
    let progress = RwSignal::new(None::<Progress>);
    let cancel = StoredValue::new(Cancel::default());
    let busy = Signal::derive(move || progress.with(Option::is_some));
    let total = Signal::derive(|| None);
    let export = move |_| {
        let stop = Cancel::default();
        cancel.set_value(stop.clone());
        spawn_local(async move {
            back_up(app, progress, stop).await;
            progress.try_set(None);
        });
    };
    view! {
        <div class="data-backup">
            <p>{move || last_backup(app)}</p>
            <p class="field-note">{app.t(T::BackupHint)}</p>
            <div class="row">
                <button class="button" data-testid="backup-export" disabled=busy on:click=export>{app.t(T::BackupExport)}</button>
                <FilePick take=move |file| import.take(file) testid="backup-import" label=T::BackupImport class="button" disabled=busy>{app.t(T::BackupImport)}</FilePick>
            </div>
            <Show when=move || busy.get()>
                <Working progress total on_cancel=move || cancel.with_value(Cancel::cancel) />
            </Show>
            <ImportFault import />
            <ImportDialog import />
        </div>
    }
}

/// All that another program has kept, at once.
#[component]
fn MoveIn() -> impl IntoView {
    let app = App::here();
    let folder = Folder::new(app);
    let fault = RwSignal::new(None::<F>);
    let chosen = move |event: web_sys::Event| {
        fault.set(None);
        let files = library::chosen(&event);
        if !files.is_empty() {
            folder.open(Given::Files(files));
        }
    };
    let packed = move |file| {
        fault.set(None);
        spawn_local(async move {
            match files_in::packed(&file).await {
                Some(given) => folder.open(given),
                None => drop(fault.try_set(Some(F::NoFolder))),
            }
        });
    };
    // No attribute that the view knows.
    let input = NodeRef::<leptos::html::Input>::new();
    Effect::new(move |_| {
        if let Some(input) = input.get() {
            let _ = input.set_attribute("webkitdirectory", "");
        }
    });
    view! {
        <div class="data-backup" aria-labelledby="settings-move-in">
            <h3 id="settings-move-in">{app.t(F::FromElsewhere)}</h3>
            <p class="field-note">{app.t(F::FromHint)}</p>
            <div class="row">
                <label class="file-button button">
                    {app.t(F::Folder)}
                    <input type="file" class="visually-hidden" data-testid="folder-choose" aria-label=app.t(F::Folder) node_ref=input on:change=chosen />
                </label>
                <label class="file-button button">
                    {app.t(F::Zip)}
                    <input type="file" class="visually-hidden" accept=".zip,application/zip,.bin" data-testid="folder-zip" aria-label=app.t(F::Zip)
                        on:change=move |event| library::chosen(&event).into_iter().take(1).for_each(packed) />
                </label>
            </div>
            {move || fault.get().map(|fault| view! { <p class="place-fault" role="alert" data-testid="folder-fault">{app.t(fault)}</p> })}
            <FolderDialog folder />
        </div>
    }
}

/// When, and how much has been played since.
fn last_backup(app: App) -> String {
    let language = app.language.get();
    let (last, turns) = app.preferences.with(|preferences| (preferences.last_backup, preferences.turns_since_backup));
    let last = match last {
        None => app.t(T::BackupNever)().to_owned(),
        Some(at) => {
            let when = time::ago(at, BrowserClock.now(), language).unwrap_or_else(|| about::date(at, language));
            fill(app.t(T::BackupLast)(), &[&when])
        }
    };
    match turns {
        0 => last,
        turns => format!("{last} {}", fill(app.t(T::TurnsSinceBackup)(), &[&turns.to_string()])),
    }
}

/// Downloads the whole library. It goes on where the reader leaves the settings meanwhile.
async fn back_up(app: App, shown: RwSignal<Option<Progress>>, cancel: Cancel) {
    let browser = app.browser();
    let started = browser.ports.clock.now();
    let tell = |progress| {
        shown.try_set(Some(progress));
    };
    tell(Progress { stage: Stage::Exporting, records: 0 });
    let watch = Watch::new(&BrowserClock, cancel, &tell);
    let outcome = files_of::export(&browser.ports, &Scope::Library, &watch).await;
    let (blob, report) = match outcome {
        Ok(exported) => exported,
        Err(Failure::Cancelled) => return,
        Err(failure) => return archive::notify_failed_export(app, Some(failure)),
    };
    if files::download(&blob, &format!("fabula-{}.fabula", day(started))).is_err() {
        return archive::notify_failed_export(app, None);
    }
    app.prefer(move |preferences| {
        preferences.backed_up(started);
    });
    remind::withdraw(app);
    app.notify(NoticeKind::Info, T::BackupDone.with(&[&report.records.to_string()]));
    archive::notify_report(app, &report);
}

/// `2025-10-16`, as the clock on the wall has it.
fn day(at: Millis) -> String {
    let date = js_sys::Date::new(&(at as f64).into());
    format!("{:04}-{:02}-{:02}", date.get_full_year(), date.get_month() + 1, date.get_date())
}
