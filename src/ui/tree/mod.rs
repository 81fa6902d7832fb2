//! The tree in the notebook: a picture to look at, to move in, to branch and to prune (E4).

mod card;
mod compare;
mod files;
mod map;
mod place;
mod view;

use std::{rc::Rc, sync::Arc};

use leptos::{prelude::*, task::spawn_local};

use self::{card::Card, compare::Compare, files::Files, map::Map};
use super::{about, app::App};
use crate::{
    locales::{T, fill, tree::T as R},
    story::{
        ids::StorylineId,
        layout::{Marks, TreeLayout},
        tree::{Gone, Head, Tree as Stored},
    },
    turn::prune::Discarded,
};

/// What the panel knows. Branches and named turns are read, and no other turn.
#[derive(Clone, Copy)]
struct Tree {
    app: App,
    layout: RwSignal<Arc<TreeLayout>>,
    stored: RwSignal<Rc<Stored>, LocalStorage>,
    /// The place that the reader looks at.
    selected: RwSignal<Option<Head>>,
    /// The place that has the focus, also once it has been drawn anew.
    focused: RwSignal<Option<Head>>,
    comparing: RwSignal<Option<Head>>,
    /// Rises where something has changed that no path tells of.
    changes: RwSignal<u32>,
}

impl Tree {
    /// Follows the open story; only inside a component.
    fn here() -> Self {
        let app = App::here();
        let tree = Self {
            app,
            layout: RwSignal::default(),
            stored: RwSignal::new_local(Rc::default()),
            selected: RwSignal::default(),
            focused: RwSignal::default(),
            comparing: RwSignal::default(),
            changes: RwSignal::new(0),
        };
        let story = app.story;
        Effect::new(move |_| {
            tree.changes.track();
            let path = story.path.get();
            let Some(storyline) = story.storyline.get() else { return };
            spawn_local(async move {
                let shown = async {
                    let desk = app.desk();
                    let (stored, mut marks) = desk.tree(&storyline).await?;
                    let is_current = || story.path.try_with_untracked(|now| *now == path) == Some(true);
                    let draw = |marks: &Marks| Arc::new(TreeLayout::of(&stored.alive, &storyline.head, &path, marks));
                    if is_current() {
                        tree.stored.try_set(stored.clone());
                        tree.layout.try_set(draw(&marks));
                    }
                    // What takes more reading comes into the picture once that stands.
                    marks.chosen = desk.chosen(&stored).await?;
                    if !marks.chosen.is_empty() && is_current() {
                        tree.layout.try_set(draw(&marks));
                    }
                    Ok(())
                };
                if let Err(error) = shown.await {
                    app.notify_store(error);
                }
            });
        });
        tree
    }

    fn is_free(&self) -> bool {
        self.app.story.writer.get() && !self.app.story.is_playing()
    }

    fn go(self, to: Head) {
        let free = untrack(|| self.is_free());
        if free {
            spawn_local(self.app.story.move_to(self.app, to));
        }
    }

    async fn discard(self, at: Head) {
        let story = self.app.story;
        let Some(id) = story.id() else { return };
        let gone = story.travel(self.app, async |conductor, id| conductor.discard_branch(&id, &at).await).await;
        let Some(gone) = gone else { return };
        self.selected.try_set(None);
        self.changes.try_update(|changes| *changes += 1);
        let app = self.app;
        app.notify_undo(R::BranchDeleted, move || spawn_local(self.restore(id.clone(), gone.clone())));
    }

    async fn restore(self, id: StorylineId, gone: Discarded) {
        let back = async |conductor: crate::turn::Conductor, _| conductor.restore_branch(&gone).await;
        self.app.story.take_back(self.app, id, back).await;
        self.changes.try_update(|changes| *changes += 1);
    }
}

#[component]
pub fn TreePanel() -> impl IntoView {
    let app = App::here();
    let tree = Tree::here();
    let count = move || fill(app.t(R::Counts)(), &[&tree.stored.with(|stored| stored.alive.len()).to_string()]);
    view! {
        <div class="tree-panel" data-testid="tree-panel">
            <section class="note-section">
                <h2>{app.t(R::Tree)}<span data-testid="tree-count">{count}</span></h2>
                <Map tree />
                <p class="field-note tree-hint">{app.t(R::TreeHint)}</p>
                <Card tree />
                <Bin tree />
                <Files />
            </section>
            <Compare tree />
        </div>
    }
}

/// Branches that were deleted, while they can still come back.
#[component]
fn Bin(tree: Tree) -> impl IntoView {
    let app = tree.app;
    let row = move |gone: Gone| {
        let Gone { first, length, deleted, .. } = gone;
        let facts = move || {
            let words = fill(app.t(R::InBinRow)(), &[&first.saturating_sub(1).to_string(), &length.to_string()]);
            format!("{words} · {}", about::date(deleted, app.language.get()))
        };
        let gone = Discarded { gone, head: None };
        view! {
            <li class="tree-bin-item" data-testid="tree-bin-item">
                <span class="number">{facts}</span>
                <button class="link" data-testid="tree-bin-restore" disabled=move || !tree.is_free()
                    on:click=move |_| if let Some(id) = tree.app.story.id() { spawn_local(tree.restore(id, gone.clone())) }>
                    {app.t(R::Restore)}
                </button>
            </li>
        }
    };
    let title = move || fill(app.t(R::InBin)(), &[&tree.stored.with(|stored| stored.in_bin.len()).to_string()]);
    view! {
        <Show when=move || tree.stored.with(|stored| !stored.in_bin.is_empty())>
            <details class="tree-bin" data-testid="tree-bin">
                <summary>{title}</summary>
                <ul>{move || tree.stored.with(|stored| stored.in_bin.iter().cloned().map(row).collect_view())}</ul>
            </details>
        </Show>
    }
}

/// What a place is called.
fn place_words(app: App, end: u32) -> String {
    match end {
        0 | 1 => app.t(R::AtOpening)().to_owned(),
        _ => fill(app.t(R::AtTurn)(), &[&(end - 1).to_string()]),
    }
}

/// What is said of a point of the outline that was finished.
fn point_words(app: App, point: u32, content: &str) -> String {
    fill(app.t(R::PointDone)(), &[&point.to_string(), content])
}

/// Undo, close and the like stand among the common texts.
fn common(app: App, text: T) -> impl Fn() -> &'static str + Copy + Send + Sync + 'static {
    app.t(text)
}
