//! One round, and the place where the library is kept.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeSet,
    rc::Rc,
};

use futures_util::lock::Mutex;
use leptos::{prelude::*, task::spawn_local};

use super::{ahead::coming, hold::Holding};
use crate::{
    locales::{T as Common, devices::T},
    ports::{self, Clock, Keeping, Vault},
    story::ids::ConnectionId,
    sync::{How, News, Remote, Report, Site, Trouble, round, wipe},
    transfer::journal::Recovered,
    ui::{
        app::App,
        state::{Notice, NoticeKind, Offer, Tab},
    },
    web::{archive, clock::BrowserClock, remote::WorkerRemote, seal::LibrarySeal, storage, window},
};

/// The password and the key of the library in the vault.
pub const SECRETS: [&str; 2] = ["sync:password", "sync:library"];

/// Milliseconds after which is looked whether a round has ended.
const AGAIN_MS: u32 = 100;
/// Only one tab does it at a time.
pub(super) const LOCK: &str = "sync";

/// How it stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Says {
    #[default]
    Nothing,
    /// It waits for the password and the passphrase.
    Locked,
    /// It waits until the keys are unlocked that those are sealed with.
    Sealed,
    Syncing,
    Done,
    Waits,
    Metered,
    /// Another tab does it.
    Elsewhere,
    Trouble(Trouble),
}

/// Whether the form of the place stands there. Until it is sent nothing is tried, which would take it from who fills it in.
pub fn asks(says: &Says) -> bool {
    matches!(says, Says::Locked | Says::Trouble(Trouble::Refused(_) | Trouble::NoSuchPlace(_) | Trouble::Passphrase))
}

/// What the page knows of it, in this tab.
#[derive(Clone)]
pub struct Devices {
    pub site: ArcRwSignal<Option<Site>>,
    pub says: ArcRwSignal<Says>,
    pub report: ArcRwSignal<Report>,
    open: Rc<RefCell<Option<Rc<Open>>>>,
    /// It is opened once, however many ask.
    opening: Rc<Mutex<()>>,
    /// Stories of which was said that they went on elsewhere, too.
    apart: Rc<RefCell<BTreeSet<String>>>,
    /// Those of which was said that they are on their way.
    named: Rc<RefCell<BTreeSet<String>>>,
    /// What of the news of the round under way the page shows.
    shown: Rc<RefCell<News>>,
    /// What has come for a story waits for the end of its turn.
    pub(super) waits: Rc<Cell<bool>>,
}

/// A place that was opened, and its seal.
pub(super) struct Open {
    pub remote: WorkerRemote,
    pub seal: LibrarySeal,
}

impl Devices {
    /// The same wherever it is asked for.
    pub fn here() -> Self {
        thread_local!(static HERE: RefCell<Option<Devices>> = const { RefCell::new(None) });
        HERE.with_borrow_mut(|here| here.get_or_insert_with(Self::new).clone())
    }

    fn new() -> Self {
        Self {
            site: ArcRwSignal::new(None),
            says: ArcRwSignal::new(Says::Nothing),
            report: ArcRwSignal::new(Report::default()),
            open: Rc::default(),
            opening: Rc::default(),
            apart: Rc::default(),
            named: Rc::default(),
            shown: Rc::default(),
            waits: Rc::default(),
        }
    }

    /// Reads where the library is kept, and shows it.
    pub async fn read(&self, app: App) {
        match app.desk().site().await {
            Ok(site) => self.site.set(site),
            Err(error) => app.notify_store(error),
        }
    }

    /// Waits for the end of a round that is under way, which is told to give up: it would write its packs and books once
    /// more.
    async fn ended(&self) {
        if self.says.get_untracked() == Says::Syncing
            && let Some(open) = self.open.take()
        {
            open.remote.give_up();
        }
        while self.says.get_untracked() == Says::Syncing {
            BrowserClock.sleep(AGAIN_MS).await;
        }
    }

    /// A round is under way.
    pub(super) fn is_at_it(&self) -> bool {
        self.says.get_untracked() == Says::Syncing
    }

    /// The next round opens the place anew.
    pub fn close(&self) {
        self.open.replace(None);
    }

    pub(super) async fn opened(&self, app: App, site: &Site) -> Result<Option<Rc<Open>>, Trouble> {
        let _alone = self.opening.lock().await;
        if let Some(open) = self.open.borrow().clone() {
            return Ok(Some(open));
        }
        let Some([password, key]) = secrets(app).await else { return Ok(None) };
        let remote = WorkerRemote::open(&site.place(&password)).await?;
        let open = Rc::new(Open { remote, seal: LibrarySeal::of_text(&key).await? });
        self.open.replace(Some(open.clone()));
        Ok(Some(open))
    }

    /// One round, unless one is under way, here or in another tab.
    pub async fn round(&self, app: App) {
        self.round_of(app, true).await;
    }

    /// The same once the one under way has ended: it does not know what was chosen since.
    pub async fn next_round(&self, app: App) {
        while self.is_at_it() {
            BrowserClock.sleep(AGAIN_MS).await;
        }
        self.round(app).await;
    }

    /// Tells what changed here; asks what there is only if something was not well before.
    pub(super) async fn tell(&self, app: App) {
        let is_well = self.says.get_untracked() == Says::Done && self.open.borrow().is_some();
        self.round_of(app, !is_well).await;
    }

    async fn round_of(&self, app: App, lists: bool) {
        let tabs = app.browser().tabs;
        if self.site.get_untracked().is_none() || self.says.get_untracked() == Says::Syncing {
            return;
        }
        self.says.set(Says::Syncing);
        // Kept as long as the page is seen: to become a writer costs the page what it has at hand.
        if !ports::Tabs::owns(&*tabs, LOCK) && !tabs.acquire(LOCK).await {
            return self.says.set(Says::Elsewhere);
        }
        // Another tab may have ended it, or chosen another place.
        let before = self.site.get_untracked();
        self.read(app).await;
        let Some(site) = self.site.get_untracked() else {
            self.close();
            return self.says.set(Says::Nothing);
        };
        let is_same = before.is_some_and(|before| before.is_same_place(&site));
        if !is_same {
            self.close();
        }
        // While half of an import lies here nothing is told: another tab may have died amid it.
        if let Ok(Some(recovered)) = archive::sweep_orphans(&app.browser()).await {
            let is_undone = recovered == Recovered::Undone;
            app.notify(NoticeKind::Info, if is_undone { Common::ImportUndone } else { Common::ImportCompleted });
            app.refresh().await;
        }
        let says = match self.go_round(app, &site, lists || !is_same).await {
            Ok(says) => says,
            Err(trouble) => {
                self.close();
                Says::Trouble(trouble)
            }
        };
        if is_hidden() {
            tabs.release(LOCK);
        }
        self.says.set(says);
    }

    async fn go_round(&self, app: App, site: &Site, lists: bool) -> Result<Says, Trouble> {
        let Some(open) = self.opened(app, site).await? else { return Ok(locked(app).await) };
        let ports = app.browser().ports;
        self.shown.take();
        let watch = |report: &Report| self.come(app, report);
        let mut holding = Holding::new(app);
        let how = How { lists, pictures: !site.only_seen, vectors: site.vectors };
        let report = round(&ports, &open.remote, &open.seal, &mut holding, how, &watch).await;
        holding.free();
        self.waits.set(holding.waits);
        let report = report?;
        self.show(app, &report.news).await;
        let trouble = report.trouble.clone();
        self.note(report);
        if let Some(trouble) = trouble {
            return Err(trouble);
        }
        let now = BrowserClock.now();
        self.site.set(app.desk().change_site(|site| site.done = now).await?);
        Ok(Says::Done)
    }

    /// A round that did not ask what there is, or not yet, knows nothing of what is missing.
    fn note(&self, report: Report) {
        self.report.update(|known| {
            let coming = std::mem::take(&mut known.news.coming);
            let (missing, pictures, goes_on) = (known.missing, known.pictures, known.goes_on);
            *known = report;
            if !known.hears || !known.took_in {
                (known.missing, known.pictures, known.goes_on) = (missing, pictures, goes_on);
            }
            if !known.took_in {
                known.news.coming = coming;
                return;
            }
            // They are looked for once.
            for (id, story) in &mut known.news.coming {
                if let Some(before) = coming.get(id).filter(|_| story.pages.is_empty()) {
                    *story = before.clone();
                }
            }
        });
    }

    /// What comes is shown while the rest is on its way.
    fn come(&self, app: App, report: &Report) {
        self.note(report.clone());
        let before = self.shown.replace(report.news.clone());
        let ids = report.news.coming.keys().cloned().collect::<BTreeSet<_>>();
        if !ids.is_subset(&self.named.borrow()) {
            self.named.borrow_mut().extend(ids);
            app.notify(NoticeKind::Info, coming(&report.news));
        }
        if before.settings != report.news.settings {
            spawn_local(async move { app.follow_settings().await });
        }
        if before.library != report.news.library || before.stories.len() != report.news.stories.len() {
            spawn_local(async move { app.refresh().await });
        }
    }

    /// Shows what has come.
    async fn show(&self, app: App, news: &News) {
        if news.library {
            // What shows posts, scripts or quick replies reads them anew.
            app.shared_elsewhere.update(|times| *times = times.wrapping_add(1));
        }
        if news.settings {
            app.follow_settings().await;
        }
        if news.library || !news.stories.is_empty() {
            app.browser().recent.forget();
            app.refresh().await;
        }
        if app.story.id().is_some_and(|id| news.stories.contains(id.as_str())) {
            app.story.reload(app).await;
        }
        for id in &news.apart {
            // Each turn that is played there says so anew.
            if !self.apart.borrow_mut().insert(id.clone()) {
                continue;
            }
            let Some(story) = app.storyline(&id.as_str().into()) else { continue };
            app.post(Notice::new(
                NoticeKind::Info,
                T::Apart.with(&[&story.title]),
                Offer::Own(|| view! { <ShowTree /> }.into_any()),
            ));
        }
    }

    /// The place as it is given is tried: whether it reads, writes and lists.
    ///
    /// # Errors
    /// What is wrong with it.
    pub async fn try_place(site: &Site, secret: &str) -> Result<WorkerRemote, Trouble> {
        let remote = WorkerRemote::open(&site.place(secret)).await?;
        const PROBE: &str = "log/probe";
        let bytes = BrowserClock.now().to_string().into_bytes();
        remote.write(PROBE, bytes.clone()).await?;
        let found = remote.read(PROBE).await?;
        if found.as_ref() != Some(&bytes) {
            return Err(Trouble::Damaged(PROBE.to_owned()));
        }
        if !remote.list("log/").await?.iter().any(|file| file.name == "probe") {
            return Err(Trouble::Server(PROBE.to_owned()));
        }
        remote.delete(PROBE).await?;
        Ok(remote)
    }

    /// From now on this device keeps its library there.
    ///
    /// # Errors
    /// What went wrong; nothing has changed then.
    pub async fn start(&self, app: App, site: Site, secrets: [&str; 2], keeping: Keeping) -> Result<(), Trouble> {
        let vault = app.browser().vault;
        // What is known of one library says nothing of another; nor of the same, where nothing was noted meanwhile.
        let key = vault.key(&ConnectionId::from(SECRETS[1])).await.ok().flatten();
        let before = app.desk().site().await?;
        if before.is_none_or(|before| !before.is_same_place(&site)) || key.is_some_and(|key| key != secrets[1]) {
            app.desk().leave_site().await?;
        }
        for (id, secret) in SECRETS.iter().zip(secrets) {
            let kept = vault.keep(&ConnectionId::from(*id), secret, keeping).await;
            kept.map_err(|error| Trouble::Server(format!("{error:?}")))?;
        }
        // From here on every change is noted, and then all that is there.
        storage::set_synced(true);
        app.desk().keep_site(site.clone()).await?;
        self.close();
        self.site.set(Some(site));
        self.says.set(Says::Nothing);
        Ok(())
    }

    /// # Errors
    /// The store failed.
    pub async fn stop(&self, app: App) -> Result<(), Trouble> {
        self.ended().await;
        app.desk().leave_site().await?;
        storage::set_synced(false);
        let vault = app.browser().vault;
        for id in SECRETS {
            vault.forget(&ConnectionId::from(id)).await?;
        }
        self.close();
        self.site.set(None);
        self.says.set(Says::Nothing);
        self.report.set(Report::default());
        Ok(())
    }

    /// Deletes all that lies there.
    ///
    /// # Errors
    /// What went wrong: some of it may be there still.
    pub async fn wipe(&self, app: App) -> Result<(), Trouble> {
        self.ended().await;
        let Some(site) = self.site.get_untracked() else { return Ok(()) };
        let Some(open) = self.opened(app, &site).await? else { return Err(Trouble::Passphrase) };
        // No round begins meanwhile: it would fill it again.
        let said = self.says.get_untracked();
        self.says.set(Says::Syncing);
        let wiped = wipe(&open.remote).await;
        self.says.set(said);
        wiped?;
        self.stop(app).await
    }

    /// # Errors
    /// What went wrong: the old one holds.
    pub async fn change_passphrase(&self, app: App, passphrase: &str) -> Result<(), Trouble> {
        let Some(site) = self.site.get_untracked() else { return Ok(()) };
        let Some(open) = self.opened(app, &site).await? else { return Err(Trouble::Passphrase) };
        let key = app.browser().vault.key(&ConnectionId::from(SECRETS[1])).await.ok().flatten();
        let key = key.ok_or(Trouble::Passphrase)?;
        crate::web::seal::lock_anew(&open.remote, passphrase, &key).await
    }
}

/// What opens the place and the library, where it is at hand.
pub(super) async fn secrets(app: App) -> Option<[String; 2]> {
    let vault = app.browser().vault;
    let [password, key] = SECRETS.map(ConnectionId::from);
    Some([vault.key(&password).await.ok()??, vault.key(&key).await.ok()??])
}

/// Why it is not at hand.
async fn locked(app: App) -> Says {
    let kept = app.browser().vault.keeping(&ConnectionId::from(SECRETS[0])).await;
    match kept {
        Ok(Some((Keeping::Sealed, _))) => Says::Sealed,
        _ => Says::Locked,
    }
}

#[component]
fn ShowTree() -> impl IntoView {
    let app = App::here();
    view! {
        <button type="button" class="button quiet" data-testid="devices-tree" on:click=move |_| app.open_notebook(Tab::Tree)>
            {app.t(T::ShowTree)}
        </button>
    }
}

pub(super) fn is_hidden() -> bool {
    window().document().is_some_and(|document| document.hidden())
}
