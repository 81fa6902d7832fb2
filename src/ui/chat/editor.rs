//! The words of a turn, to be said anew.

use std::sync::Arc;

use leptos::{prelude::*, task::spawn_local};

use crate::{
    locales::{T, tree::T as R},
    story::{settings::EditAs, tree::Node},
    turn::{Ask, Conductor},
    ui::{
        app::App,
        drafts::Draft,
        focus::is_composing,
        library::{LeaveBar, Wish, hold},
        mind::by_hand_words,
        state::{Editing, NoticeKind},
    },
};

/// Rewords in place, or on a branch beside it.
#[component]
pub fn Editor(node: RwSignal<Arc<Node>>, editing: RwSignal<Option<Editing>>) -> impl IntoView {
    let app = App::here();
    let story = app.story;
    let what = editing.get_untracked();
    let is_user = what == Some(Editing::User);
    let position = node.with_untracked(|node| node.turn.position);
    let was = node.with_untracked(|node| {
        if is_user {
            node.turn.user.clone().unwrap_or_default()
        } else {
            node.reply().map(|reply| reply.text.clone()).unwrap_or_default()
        }
    });
    let of = node.with_untracked(|node| node.turn.id.clone());
    let place = match &what {
        Some(Editing::Reply(reply)) => format!("turn/{}", reply.as_str()),
        _ => format!("turn/{}", of.as_str()),
    };
    let typed = Draft::of(place, [was.clone()]);
    let [text] = typed.texts;
    let busy = RwSignal::new(false);
    let end = move || {
        typed.end();
        editing.try_set(None);
    };
    let is_changed = Memo::new(move |_| text.with(|text| *text != was));
    let wanted = hold(is_changed);
    let input = NodeRef::<leptos::html::Textarea>::new();
    Effect::new(move |_| {
        if let Some(input) = input.get() {
            let _ = input.focus();
        }
    });
    // What the reader pressed, until it is known where the new wording goes.
    let asked = RwSignal::new(None::<bool>);
    let beside = move |regenerate: bool| {
        let what = editing.get_untracked();
        let turn = node.with_untracked(|node| node.turn.id.clone());
        let text = text.get_untracked();
        busy.set(true);
        spawn_local(async move {
            let reworded = async |conductor: Conductor, id| match &what {
                Some(Editing::Reply(reply)) => conductor.edit_reply_as_branch(reply, &text).await.map(|_| None),
                _ => conductor.edit_user_as_branch(&id, &turn, &text).await.map(Some),
            };
            // The editor goes with its turn.
            let turn = story.travel(app, reworded).await;
            busy.try_set(false);
            let Some(turn) = turn else { return };
            end();
            if let Some(turn) = turn.filter(|_| regenerate)
                && let Err(fault) = story.play(app, Ask::Again(turn)).await
            {
                app.notify_fault(&fault);
            }
        });
    };
    let in_place = move |regenerate: bool| {
        let what = editing.get_untracked();
        let turn = node.with_untracked(|node| node.turn.id.clone());
        let text = text.get_untracked();
        busy.set(true);
        spawn_local(async move {
            let conductor = app.conductor();
            let saved = match &what {
                Some(Editing::User) => conductor.edit_user(&turn, &text).await,
                Some(Editing::Reply(id)) => conductor.edit_reply(id, &text).await,
                Some(Editing::Lore) | None => Ok(()),
            };
            busy.try_set(false);
            match saved {
                Ok(()) => {
                    end();
                    // A reply that says something else changes something else.
                    if let Some(Editing::Reply(id)) = &what
                        && let Err(error) = conductor.read_anew(id).await
                    {
                        app.notify(NoticeKind::Warning, move |language| by_hand_words(&error, language));
                    }
                    story.reload(app).await;
                    if regenerate && let Err(fault) = story.play(app, Ask::Again(turn)).await {
                        app.notify_fault(&fault);
                    }
                }
                // The editor stays open with the text in it.
                Err(fault) => app.notify_fault(&fault),
            }
        });
    };
    // A turn that nothing follows is reworded in place until the reader says otherwise.
    let is_last =
        move || story.path.with_untracked(|path| path.end == position + 1) && story.tip.with_untracked(Option::is_none);
    let save = move |regenerate: bool| match app.preferences.with_untracked(|preferences| preferences.edit_as) {
        _ if busy.get_untracked() => {}
        Some(EditAs::Branch) => beside(regenerate),
        None if !is_last() => asked.set(Some(regenerate)),
        Some(EditAs::InPlace) | None => in_place(regenerate),
    };
    let answer = move |to: EditAs| {
        app.prefer(move |preferences| preferences.edit_as = Some(to));
        if let Some(regenerate) = asked.get_untracked() {
            save(regenerate);
        }
    };
    // By a slip of the hand nothing is lost that was typed.
    let close = move || match is_changed.get_untracked() {
        true => wanted.set(Some(Wish::Do(Callback::new(|()| ())))),
        false => end(),
    };
    let discard = move || {
        let wish = wanted.get_untracked();
        end();
        if let Some(wish) = wish {
            wish.grant();
        }
    };
    let keep = move || {
        wanted.set(None);
        save(false);
    };
    view! {
        <div class="turn-editor" class:for-user=is_user>
            <textarea
                node_ref=input
                data-testid="turn-edit-input"
                dir="auto"
                aria-label=app.t(if is_user { T::EditUser } else { T::EditReply })
                prop:value=move || text.get()
                on:input=move |event| text.set(event_target_value(&event))
                on:keydown=move |event| match event.key().as_str() {
                    "Escape" if !is_composing(&event) => close(),
                    "Enter" if event.ctrl_key() || event.meta_key() => {
                        event.prevent_default();
                        save(false);
                    }
                    _ => {}
                }
            ></textarea>
            <Show when=move || asked.with(Option::is_some)>
                <div class="edit-where" role="group" aria-labelledby="edit-where" data-testid="turn-edit-where">
                    <p id="edit-where">{app.t(R::EditWhere)}</p>
                    <div class="row">
                        <button class="button" data-testid="turn-edit-branch" on:click=move |_| answer(EditAs::Branch)>{app.t(R::EditBranch)}</button>
                        <button class="button" data-testid="turn-edit-in-place" on:click=move |_| answer(EditAs::InPlace)>{app.t(R::EditInPlace)}</button>
                    </div>
                </div>
            </Show>
            <div class="row">
                <button class="button primary" data-testid="turn-edit-save" disabled=move || busy.get() on:click=move |_| save(false)>{app.t(T::Save)}</button>
                {is_user.then(|| view! {
                    <button class="button" data-testid="turn-edit-regenerate" disabled=move || busy.get() on:click=move |_| save(true)>{app.t(T::SaveAndRegenerate)}</button>
                })}
                <button class="button quiet" data-testid="turn-edit-cancel" on:click=move |_| end()>{app.t(T::Cancel)}</button>
            </div>
            <LeaveBar wanted save=Callback::new(move |()| keep()) discard=Callback::new(move |()| discard()) />
        </div>
    }
}
