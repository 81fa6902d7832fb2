//! The memories that are seen from the head, a page at a time, and what is done with them.

use leptos::{prelude::*, task::spawn_local};

use super::faults_words;
use crate::{
    desk::memories::{PAGE, Shown, View},
    locales::memory::T as M,
    ports::Clock,
    story::{
        fault::Fault,
        generation::Status,
        ids::StorylineId,
        memory::{Kind, Memory},
    },
    turn::{Conductor, memories::Change},
    ui::{
        app::App,
        latest::{Asked, Latest},
        state::Known,
    },
    web::clock::BrowserClock,
};

/// Milliseconds without typing before the memory is asked.
const PAUSE: u32 = 90;

#[derive(Clone, Copy)]
pub struct List {
    pub app: App,
    pub kind: RwSignal<Option<Kind>>,
    pub query: RwSignal<String>,
    pub shown: RwSignal<Vec<Shown>>,
    /// Nothing has been read yet.
    pub loading: RwSignal<bool>,
    /// There are older ones.
    pub more: RwSignal<bool>,
    /// Memories on other branches.
    pub elsewhere: RwSignal<usize>,
    pub fault: RwSignal<Option<String>>,
    pub busy: RwSignal<bool>,
    rows: Known,
    wanted: RwSignal<usize>,
    latest: Latest,
    changed: RwSignal<u32>,
}

impl List {
    /// Follows the head of the open story; only inside a component.
    pub fn here() -> Self {
        let app = App::here();
        let list = Self {
            app,
            kind: RwSignal::new(None),
            query: RwSignal::new(String::new()),
            shown: RwSignal::default(),
            loading: RwSignal::new(true),
            more: RwSignal::new(false),
            elsewhere: RwSignal::new(0),
            fault: RwSignal::new(None),
            busy: RwSignal::new(false),
            rows: app.memories,
            wanted: RwSignal::new(PAGE),
            latest: Latest::new(),
            changed: RwSignal::new(0),
        };
        // The end of a reply brings its event; which reply is seen decides which event is.
        let newest = Memo::new(move |_| {
            app.story.turns.with(|turns| {
                let view = turns.last()?;
                view.node.with(|node| {
                    let reply = node.reply()?;
                    let done = reply.status != Status::Streaming;
                    Some((reply.id.clone(), done, reply.edits.len()))
                })
            })
        });
        Effect::new(move |_| {
            newest.track();
            list.changed.track();
            let Some(id) = app.story.storyline.with(|storyline| storyline.as_ref().map(|s| s.id.clone())) else {
                return;
            };
            let (path, kind, query, wanted) =
                (app.story.path.get(), list.kind.get(), list.query.get(), list.wanted.get());
            let view = View { id, path, kind, query: query.trim().to_owned(), wanted };
            spawn_local(list.read(view, list.latest.ask()));
        });
        list
    }

    pub fn show_more(self) {
        self.wanted.update(|wanted| *wanted += PAGE);
    }

    /// Reads what is shown anew. The panel may be gone by now.
    fn refresh(self) {
        self.changed.try_update(|changed| *changed = changed.wrapping_add(1));
    }

    async fn read(self, view: View, asked: Asked) {
        if !view.query.is_empty() {
            BrowserClock.sleep(PAUSE).await;
            if !asked.is_last() {
                return;
            }
        }
        let rows = self.rows.get_value();
        let outcome = self.app.desk().memories(&rows, &view, || asked.is_last()).await;
        if !asked.is_last() {
            return;
        }
        match outcome {
            Ok(Some(found)) => {
                self.fault.set(None);
                self.elsewhere.set(found.elsewhere);
                self.more.set(found.more);
                self.shown.set(found.shown);
            }
            Ok(None) => return,
            Err(fault) => self.fault.set(Some(faults_words(&fault, self.app.language.get_untracked()))),
        }
        self.loading.set(false);
    }

    // ------------------------------------------------------------------------------------------ changes

    pub fn write(self, text: String, detail: String, done: impl FnOnce() + 'static) {
        self.act(done, async move |id| self.app.conductor().write_memory(&id, &text, &detail).await.map(drop));
    }

    pub fn change(self, memory: &Memory, change: Change, done: impl FnOnce() + 'static) {
        let memory = memory.id.clone();
        self.act(done, async move |_| self.app.conductor().change_memory(&memory, change).await.map(drop));
    }

    pub fn delete(self, memory: &Memory) {
        let app = self.app;
        let memory = memory.id.clone();
        self.act(
            || {},
            async move |_| {
                let deleted = app.conductor().delete_memory(&memory).await?;
                app.notify_undo(M::MemoryDeleted, move || {
                    let deleted = deleted.clone();
                    spawn_local(async move {
                        let story = deleted.storyline.clone();
                        let back = async |conductor: Conductor, _| conductor.restore_memory(&deleted).await;
                        app.story.take_back(app, story, back).await;
                        // The panel may be gone by now.
                        self.refresh();
                    });
                });
                Ok(())
            },
        );
    }

    fn act<F>(self, done: impl FnOnce() + 'static, work: F)
    where
        F: AsyncFnOnce(StorylineId) -> Result<(), Fault> + 'static,
    {
        let id = self.app.story.storyline.with_untracked(|storyline| storyline.as_ref().map(|s| s.id.clone()));
        let Some(id) = id.filter(|_| !self.busy.get_untracked()) else { return };
        self.busy.set(true);
        spawn_local(async move {
            let outcome = work(id).await;
            self.busy.try_set(false);
            match outcome {
                Ok(()) => {
                    done();
                    self.refresh();
                }
                Err(fault) => self.app.notify_fault(&fault),
            }
        });
    }
}
