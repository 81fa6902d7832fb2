//! A turn that the reader has taken out: what that means, and the ways back and on.

use std::sync::Arc;

use leptos::{prelude::*, task::spawn_local};

use crate::{
    locales::untold::T,
    story::{ids::TurnId, tree::Node},
    turn::untold::Telling,
    ui::app::App,
};

/// Says whom a turn is for.
async fn tell_to(app: App, turn: &TurnId, telling: Telling) -> bool {
    app.story.travel(app, async |conductor, _| conductor.tell_to(turn, telling).await).await.is_some()
}

/// Takes a turn out of what a model is told; it can be taken back.
pub async fn take_out(app: App, turn: TurnId) {
    if tell_to(app, &turn, Telling::Reader).await {
        app.notify_undo(T::TakenOut, move || {
            let turn = turn.clone();
            spawn_local(async move { _ = tell_to(app, &turn, Telling::All).await });
        });
    }
}

/// Deletes the last turn; it can be taken back.
async fn delete(app: App, turn: TurnId) {
    let Some(gone) = app.story.travel(app, async |conductor, _| conductor.discard_from(&turn).await).await else {
        return;
    };
    app.notify_undo(T::Deleted, move || {
        let gone = gone.clone();
        spawn_local(async move {
            app.story.travel(app, async |conductor, _| conductor.restore_branch(&gone).await).await;
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
