//! The reader's tools: regex scripts and quick replies, in sets.

mod card;
mod files;
mod quick;
mod script;
mod scripts;

use leptos::{prelude::*, task::spawn_local};

use self::{quick::QuickCard, scripts::ScriptCard};
use crate::{
    desk::Record,
    locales::{Saying, T as Common, tools::T},
    story::{
        Millis,
        quick::{QuickReply, QuickSet},
        script::{Place, Script, ScriptSet},
    },
    ui::{
        app::App,
        icons::{Icon, Shape},
        library::chosen,
    },
};

pub use self::files::import;

/// What is on the page.
#[derive(Clone, Copy)]
struct Shelf {
    app: App,
    scripts: RwSignal<Vec<ScriptSet>>,
    quick: RwSignal<Vec<QuickSet>>,
}

impl Shelf {
    fn new(app: App) -> Self {
        let shelf = Self { app, scripts: RwSignal::default(), quick: RwSignal::default() };
        Effect::new(move |_| {
            app.shared_elsewhere.track();
            spawn_local(shelf.read());
        });
        shelf
    }

    async fn read(self) {
        let desk = self.app.desk();
        match futures_util::try_join!(desk.script_sets(), desk.quick_sets()) {
            Ok((scripts, quick)) => {
                self.scripts.try_set(scripts);
                self.quick.try_set(quick);
            }
            Err(error) => self.app.notify_store(error),
        }
    }

    /// Changes a set as it is by now.
    fn change<S: ToolSet>(self, id: String, change: impl FnOnce(&mut S) + 'static) {
        spawn_local(async move {
            let now = self.app.browser().ports.clock.now();
            let change = |set: &mut S| {
                change(set);
                set.touch(now);
            };
            self.app.is_stored(self.app.desk().amend_set(&id, change).await);
            self.read().await;
        });
    }

    /// Takes a row out of a set as it is by now; it can be put back while the notice stands.
    fn take_out<S: ToolSet, R: Clone + Send + Sync + 'static>(
        self,
        id: String,
        rows: fn(&mut S) -> &mut Vec<R>,
        find: impl FnOnce(&S) -> Option<usize> + 'static,
        name: String,
    ) {
        spawn_local(async move {
            let now = self.app.browser().ports.clock.now();
            let mut taken = None;
            let take = |set: &mut S| {
                if let Some(at) = find(set) {
                    taken = Some((at, rows(set).remove(at)));
                    set.touch(now);
                }
            };
            let is_stored = self.app.is_stored(self.app.desk().amend_set(&id, take).await);
            self.read().await;
            if let Some((at, row)) = taken.filter(|_| is_stored) {
                self.app.notify_undo(Common::Deleted.with(&[&name]), move || {
                    let row = row.clone();
                    self.change(id.clone(), move |set| {
                        let rows = rows(set);
                        rows.insert(at.min(rows.len()), row);
                    });
                });
            }
        });
    }

    fn put<S: ToolSet>(self, set: S) {
        spawn_local(async move {
            self.app.is_stored(self.app.desk().put_set(&set).await);
            self.read().await;
        });
    }

    /// It is gone at once, and can be taken back while the notice stands.
    fn remove<S: ToolSet>(self, set: S) {
        let app = self.app;
        spawn_local(async move {
            if app.is_stored(app.desk().delete_set::<S>(set.key()).await) {
                let said = Common::Deleted.with(&[set.name()]);
                app.notify_undo(said, move || self.put(set.clone()));
            }
            self.read().await;
        });
    }
}

/// What sets of either kind have.
trait ToolSet: Record + Clone + Default + Send + Sync {
    const KIND: &'static str;

    fn name(&self) -> &str;
    fn set_name(&mut self, name: String);
    fn enabled(&self) -> bool;
    fn set_enabled(&mut self, enabled: bool);
    fn touch(&mut self, now: Millis);
    fn stamp(&mut self, id: String, now: Millis);
    /// A file, as SillyTavern reads it.
    fn file(&self) -> String;
}

macro_rules! set {
    ($set:ty, $kind:literal, $write:path) => {
        impl ToolSet for $set {
            const KIND: &'static str = $kind;

            fn name(&self) -> &str {
                &self.name
            }

            fn set_name(&mut self, name: String) {
                self.name = name;
            }

            fn enabled(&self) -> bool {
                self.enabled
            }

            fn set_enabled(&mut self, enabled: bool) {
                self.enabled = enabled;
            }

            fn touch(&mut self, now: Millis) {
                self.updated = now;
            }

            fn stamp(&mut self, id: String, now: Millis) {
                self.id = id.into();
                (self.created, self.updated) = (now, now);
            }

            fn file(&self) -> String {
                $write(self)
            }
        }
    };
}

set!(ScriptSet, "scripts", crate::exchange::script::write);
set!(QuickSet, "quick", crate::exchange::quick::write);

#[component]
pub fn Tools() -> impl IntoView {
    let app = App::here();
    let shelf = Shelf::new(app);
    let fault = RwSignal::new(None::<Saying>);
    let choose = move |event| {
        let files = chosen(&event);
        spawn_local(async move {
            import(app, files, fault).await;
            shelf.read().await;
        });
    };
    let new_scripts = move |_| {
        let ports = app.browser().ports;
        let script = fresh(ports.id());
        let mut set = ScriptSet { enabled: true, scripts: vec![script], ..ScriptSet::default() };
        set.name = T::Scripts.text(app.language.get_untracked()).to_owned();
        set.stamp(ports.id(), ports.clock.now());
        shelf.put(set);
    };
    let new_quick = move |_| {
        let ports = app.browser().ports;
        let mut set = QuickSet { enabled: true, ..QuickSet::default() };
        set.add(QuickReply::default());
        set.name = T::Quick.text(app.language.get_untracked()).to_owned();
        set.stamp(ports.id(), ports.clock.now());
        shelf.put(set);
    };
    let head = |title: T, hint: T, testid: &'static str, label: T, new: Callback<()>| {
        view! {
            <div class="library-head tools-head">
                <h2>{app.t(title)}</h2>
                <button type="button" class="button" data-testid=testid on:click=move |_| new.run(())>
                    <Icon shape=Shape::PLUS />
                    {app.t(label)}
                </button>
            </div>
            <p class="field-note preset-hint">{app.t(hint)}</p>
        }
    };
    view! {
        <section class="sheet-page library tools" data-testid="tools">
            <header class="library-head">
                <h1>{app.t(Common::Tools)}</h1>
                <label class="button file-button">
                    <Icon shape=Shape::UPLOAD />
                    {app.t(Common::Import)}
                    <input class="visually-hidden" type="file" accept=".json,application/json" multiple=true
                        data-testid="tools-import" on:change=choose />
                </label>
            </header>
            <p class="field-note preset-hint">{app.t(T::Lead)}</p>
            <div class="import-fault">
                <Show when=move || fault.with(Option::is_some)>
                    <p class="place-fault" role="alert" data-testid="import-error">{move || fault.get().map(|why| app.read(&why))}</p>
                </Show>
            </div>
            {head(T::Scripts, T::ScriptsHint, "scripts-new", T::NewScripts, Callback::new(new_scripts))}
            <For each=move || shelf.scripts.get() key=|set| set.id.clone() let:set>
                <ScriptCard shelf id=set.id />
            </For>
            <Show when=move || shelf.scripts.with(Vec::is_empty)><p class="empty">{app.t(T::NoScripts)}</p></Show>
            {head(T::Quick, T::QuickHint, "quick-new", T::NewQuick, Callback::new(new_quick))}
            <For each=move || shelf.quick.get() key=|set| set.id.clone() let:set>
                <QuickCard shelf id=set.id />
            </For>
            <Show when=move || shelf.quick.with(Vec::is_empty)><p class="empty">{app.t(T::NoQuick)}</p></Show>
        </section>
    }
}

/// A script that has nothing yet but where it reads.
fn fresh(id: String) -> Script {
    Script { id, placement: vec![Place::Reply.number()], ..Script::default() }
}
