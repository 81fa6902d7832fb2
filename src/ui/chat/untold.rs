//! A turn that the reader has taken out: what that means, and the ways back and on.

use std::sync::Arc;

use leptos::{prelude::*, task::spawn_local};

use crate::{
    locales::untold::T,
    story::{
        ids::{StorylineId, TurnId},
        tree::Node,
    },
    turn::{Conductor, untold::Telling},
    ui::app::App,
};

/// Says whom a turn is for. Gives its story where it was done.
async fn tell_to(app: App, turn: &TurnId, telling: Telling) -> Option<StorylineId> {
    let told = async |conductor: Conductor, id| conductor.tell_to(turn, telling).await.map(|()| id);
    app.story.travel(app, told).await
}

/// Takes a turn out of what a model is told; it can be taken back.
pub async fn take_out(app: App, turn: TurnId) {
    let Some(story) = tell_to(app, &turn, Telling::Reader).await else { return };
    app.notify_undo(T::TakenOut, move || {
        let (story, turn) = (story.clone(), turn.clone());
        spawn_local(async move {
            let told = async |conductor: Conductor, _| conductor.tell_to(&turn, Telling::All).await;
            app.story.take_back(app, story, told).await;
        });
    });
}

/// Deletes the last turn; it can be taken back.
async fn delete(app: App, turn: TurnId) {
    let discarded = async |conductor: Conductor, id| Ok((conductor.discard_from(&turn).await?, id));
    let Some((gone, story)) = app.story.travel(app, discarded).await else { return };
    app.notify_undo(T::Deleted, move || {
        let (gone, story) = (gone.clone(), story.clone());
        spawn_local(async move {
            let back = async |conductor: Conductor, _| conductor.restore_branch(&gone).await;
            app.story.take_back(app, story, back).await;
        });
    });
}

#[component]
pub fn TakenOut(node: RwSignal<Arc<Node>>) -> impl IntoView {
    let app = App::here();
    let story = app.story;
    let turn = move || node.with_untracked(|node| node.turn.id.clone());
    let position = node.with_untracked(|node| node.turn.position);
    let folded =
        Memo::new(move |_| story.path.with(|path| path.untold_at(position).is_some_and(|untold| untold.folded)));
    let is_last = Memo::new(move |_| position > 0 && story.path.with(|path| path.end == position + 1));
    let held = Memo::new(move |_| story.is_open_taken() || !story.writer.get());
    let tell = move |telling| {
        let turn = turn();
        spawn_local(async move { _ = tell_to(app, &turn, telling).await });
    };
    let button = move |testid: &'static str, label: T, press: Callback<()>| {
        view! {
            <button type="button" class="button quiet" data-testid=testid disabled=move || held.get() on:click=move |_| press.run(())>
                {app.t(label)}
            </button>
        }
        .into_any()
    };
    view! {
        <div class="turn-untold" data-testid="turn-untold">
            <span>{move || app.t(if folded.get() { T::IsFolded } else { T::IsOut })()}</span>
            {button("turn-put-back", T::PutBack, Callback::new(move |()| tell(Telling::All)))}
            {move || match (folded.get(), is_last.get()) {
                (true, _) => button("turn-unfold", T::Unfold, Callback::new(move |()| tell(Telling::Reader))),
                (false, true) => button("turn-delete", T::Delete, Callback::new(move |()| spawn_local(delete(app, turn())))),
                (false, false) => button("turn-fold", T::Fold, Callback::new(move |()| tell(Telling::Nobody))),
            }}
        </div>
    }
}
