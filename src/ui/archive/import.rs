//! One import, from the choice of a file to its end. The file, its check and the plan live in one task; the page sees
//! how far it is, what it asks and why it failed.

use futures_channel::oneshot;
use leptos::{prelude::*, task::spawn_local};
use web_sys::File;

use super::words;
use crate::{
    desk::Part,
    exchange::{
        archive::Kind,
        merge::{Fate, Mode},
        refusal::Refusal,
        sniff::{Content, FileKind},
    },
    locales::{Say, Saying, T, refusals},
    story::Millis,
    transfer::{
        Cancel, Failure, Progress, Stage, Watch,
        import::{Checked, Imported, Prospect},
    },
    ui::{app::App, route::Route, state::NoticeKind},
    web::{
        archive::{self, Good},
        clock::BrowserClock,
        storage,
    },
};

/// What the reader decides upon.
#[derive(Clone, PartialEq)]
pub struct Asked {
    pub kind: Kind,
    pub title: String,
    pub created: Millis,
    pub bytes: f64,
    /// What is in the file, without what there is none of.
    pub counts: Vec<(T, u64)>,
    /// Storylines that are new here, and that are here already.
    pub new: usize,
    pub known: usize,
    /// Titles of those that went another way here.
    pub diverged: Vec<String>,
    pub warnings: Vec<String>,
}

#[derive(Clone, Copy)]
pub struct Import {
    app: App,
    pub asked: RwSignal<Option<Asked>>,
    pub progress: RwSignal<Option<Progress>>,
    /// How many records there will be, once that is known.
    pub total: RwSignal<Option<u64>>,
    /// Why the last file was refused.
    pub fault: RwSignal<Option<Saying>>,
    elsewhere: Option<Elsewhere>,
    cancel: StoredValue<Cancel>,
    answer: StoredValue<Option<oneshot::Sender<Option<Mode>>>>,
}

impl Import {
    /// For one control of the page: when it goes, what it began is cancelled. `elsewhere`: takes what is no story.
    pub fn new(app: App, elsewhere: Option<Elsewhere>) -> Self {
        let import = Self {
            app,
            elsewhere,
            asked: RwSignal::new(None),
            progress: RwSignal::new(None),
            total: RwSignal::new(None),
            fault: RwSignal::new(None),
            cancel: StoredValue::new(Cancel::default()),
            answer: StoredValue::new(None),
        };
        on_cleanup(move || import.dismiss());
        // What was wrong with a file is of no interest in another place.
        Effect::new(move |_| {
            app.route.track();
            import.fault.set(None);
        });
        import
    }

    pub fn is_open(&self) -> bool {
        self.progress.with(Option::is_some) || self.asked.with(Option::is_some)
    }

    pub fn is_writing(&self) -> bool {
        self.progress.with_untracked(|progress| progress.is_some_and(|progress| progress.stage != Stage::Reading))
    }

    pub fn answer(&self, mode: Option<Mode>) {
        let sender = self.answer.try_update_value(Option::take).flatten();
        if let Some(sender) = sender {
            // The task waits for it, or has ended.
            let _ = sender.send(mode);
        }
    }

    /// The reader thought better of it.
    pub fn dismiss(&self) {
        self.cancel.try_with_value(Cancel::cancel);
        self.answer(None);
    }

    pub fn take(self, file: File) {
        if self.progress.with_untracked(Option::is_some) || self.asked.with_untracked(Option::is_some) {
            return;
        }
        let cancel = Cancel::default();
        self.cancel.set_value(cancel.clone());
        self.fault.set(None);
        self.total.set(None);
        self.progress.set(Some(Progress { stage: Stage::Reading, records: 0 }));
        spawn_local(async move {
            let outcome = self.run(&file, cancel).await;
            self.asked.try_set(None);
            self.progress.try_set(None);
            match outcome {
                Ok(Some((kind, imported))) => self.done(kind, imported).await,
                Ok(None) => {}
                Err(Failure::Cancelled) => self.app.notify(NoticeKind::Info, T::ImportCancelled),
                Err(failure) => {
                    if let (Some(what), Some(take)) = (belongs(&failure), self.elsewhere) {
                        return take(self.app, file, what, self.fault);
                    }
                    let why = move |language| words(&failure, language);
                    if let Some(Some(words)) = self.fault.try_set(Some(why.kept())) {
                        // The control is gone.
                        self.app.notify(NoticeKind::Error, words);
                    }
                }
            }
        });
    }

    async fn run(self, file: &File, cancel: Cancel) -> Result<Option<(Kind, Imported)>, Failure> {
        let app = self.app;
        let browser = app.browser();
        let tell = move |progress| {
            self.progress.try_set(Some(progress));
        };
        let watch = Watch::new(&BrowserClock, cancel, &tell);
        let good = archive::check(&browser.ports, file, &watch).await?;
        let Good { checked, prospect, .. } = &good;

        let (sender, answer) = oneshot::channel();
        self.answer.try_set_value(Some(sender));
        self.asked.try_set(Some(asked(app, file, checked, prospect)));
        self.progress.try_set(None);
        let Ok(Some(mode)) = answer.await else { return Ok(None) };
        self.total.try_set(Some(checked.summary.counts.total()));
        watch.enter(Stage::Writing);
        self.asked.try_set(None);

        let retitle = |prospect: &Prospect, title: &str| match prospect.titles.contains(title) {
            true => app.say_with(T::CopyOf, &[title]),
            false => title.to_owned(),
        };
        let playing = app.story.all_taken();
        let imported = archive::import(&browser, &good, mode, &retitle, &playing, &watch).await?;
        Ok(Some((checked.summary.header.kind, imported)))
    }

    async fn done(self, kind: Kind, imported: Imported) {
        let app = self.app;
        storage::mark();
        spawn_local(async { _ = storage::persist().await });
        app.refresh().await;
        app.story.reload(app).await;
        app.notify(
            NoticeKind::Info,
            match imported.records {
                0 => T::ImportNothingNew.kept(),
                records => T::ImportDone.with(&[&records.to_string()]).kept(),
            },
        );
        if let (Kind::Storyline, Some(id)) = (kind, imported.storyline) {
            app.go(Route::Story(id));
        }
    }
}

/// Takes a file that belongs into another library; what keeps it from that is said in the fault.
pub type Elsewhere = fn(App, File, Content, RwSignal<Option<Saying>>);

/// What a file holds that is no story.
fn belongs(failure: &Failure) -> Option<Content> {
    match failure {
        Failure::Refused(Refusal::Unrecognised { found, .. })
            if !matches!(found, Content::Chat | Content::Archive | Content::Unknown) =>
        {
            Some(*found)
        }
        // A picture or package that may carry a card.
        Failure::Refused(Refusal::NotFabula(FileKind::Png | FileKind::Picture | FileKind::Zip)) => {
            Some(Content::Character)
        }
        _ => None,
    }
}

fn asked(app: App, file: &File, checked: &Checked, prospect: &Prospect) -> Asked {
    let summary = &checked.summary;
    let counted = [
        (T::Storylines, Part::Storylines),
        (T::Turns, Part::Turns),
        (T::Memories, Part::Memories),
        (T::Characters, Part::Characters),
        (T::Backgrounds, Part::Backgrounds),
        (T::Presets, Part::Presets),
        (T::Pictures, Part::Blobs),
    ];
    let fates = || prospect.merge.storylines.values();
    let diverged = &prospect.merge.diverged;
    let language = app.language.get_untracked();
    Asked {
        kind: summary.header.kind,
        title: match (summary.header.kind, checked.titles.first()) {
            (Kind::Storyline, Some((_, title))) => title.clone(),
            _ => summary.header.title.clone(),
        },
        created: summary.header.created,
        bytes: file.size(),
        counts: counted
            .map(|(label, part)| (label, summary.counts.of(part)))
            .into_iter()
            .filter(|(_, n)| *n > 0)
            .collect(),
        new: fates().filter(|fate| **fate == Fate::Add).count(),
        known: fates().filter(|fate| **fate == Fate::Merge).count(),
        diverged: diverged.iter().map(|id| checked.title(id.as_str()).to_owned()).collect(),
        warnings: summary.warnings.iter().map(|warning| refusals::warning(warning, language)).collect(),
    }
}
