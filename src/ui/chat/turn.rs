//! One turn on the page: the reader's words, the reply, and what can be done with them.

use std::sync::Arc;

use leptos::{prelude::*, task::spawn_local};

use super::{reply::Reply, session::SessionRule};
use crate::{
    locales::{T, fill, mind::T as M, tree::T as R},
    reply::parser,
    story::{
        generation::{Generation, Status},
        ids::GenerationId,
        settings::EditAs,
        tree::Node,
    },
    turn::{Ask, Conductor},
    ui::{
        app::App,
        icons::Icon,
        inspector::Inspected,
        mind::{by_hand_words, word as mind},
        state::NoticeKind,
        state::TurnView,
        story::can_continue,
        tree::word as tree,
    },
    web::window,
};

/// What is being reworded.
#[derive(Clone, PartialEq)]
enum Editing {
    User,
    Reply(GenerationId),
}

#[component]
pub fn Turn(turn: TurnView) -> impl IntoView {
    let app = App::here();
    let TurnView { position, node } = turn;
    let user = Memo::new(move |_| node.with(|node| node.turn.user.clone()));
    let name = Memo::new(move |_| node.with(|node| node.turn.name.clone()));
    let has_reply = Memo::new(move |_| node.with(|node| node.reply().is_some()));
    let editing = RwSignal::new(None::<Editing>);
    let label = move || match position {
        0 => app.t(T::Opening)().to_owned(),
        _ => fill(app.t(T::TurnNumber)(), &[&position.to_string()]),
    };
    let is_planning = Memo::new(move |_| {
        app.story.planning.with(|all| node.with(|node| all.iter().any(|(_, turn)| *turn == node.turn.id)))
    });
    let is_blank = Memo::new(move |_| user.with(Option::is_none) && !has_reply.get());
    view! {
        <article class="turn" data-testid="turn" data-turn=position.to_string() aria-label=label hidden=move || is_blank.get()>
            {(position > 0).then(|| view! { <div class="turn-number" aria-hidden="true">{position}</div> })}
            {move || name.get().map(|name| view! { <h2 class="turn-name" data-testid="turn-name">{name}</h2> })}
            {move || (editing.get() != Some(Editing::User)).then(|| user.get()).flatten().map(|text| view! {
                <p class="turn-user" data-testid="turn-user" dir="auto">{text}</p>
            })}
            <Show when=move || editing.get().is_some()>
                <Editor node editing />
            </Show>
            <div class="turn-body" hidden=move || matches!(editing.get(), Some(Editing::Reply(_)))>
                <Show
                    when=move || has_reply.get()
                    fallback=move || view! { <p class="turn-status" data-testid="turn-status" data-status="none" hidden=true></p> }
                >
                    <Reply node />
                </Show>
            </div>
            <Show when=move || is_planning.get()>
                <p class="waiting" role="status" data-testid="turn-planning">{mind(app, M::Planning)}</p>
            </Show>
            <Actions turn editing />
            <SessionRule turn />
        </article>
    }
}

/// The row beneath a turn.
#[component]
fn Actions(turn: TurnView, editing: RwSignal<Option<Editing>>) -> impl IntoView {
    let app = App::here();
    let story = app.story;
    let TurnView { position, node } = turn;
    let is_last = Memo::new(move |_| story.path.with(|path| path.end == position + 1));
    let status = Memo::new(move |_| node.with(|node| node.reply().map(|reply| reply.status)));
    // While a turn is played, or another tab writes, the stylesheet hides them all at once (`.held`); but the turn that
    // is being played stands before that is said.
    let waits = move || status.get().is_none() && (story.is_playing() || story.is_open_taken());
    let idle = move || editing.with(Option::is_none) && status.get() != Some(Status::Streaming) && !waits();
    let replies = Memo::new(move |_| node.with(|node| (node.seen.map_or(0, |at| at + 1), node.generations.len())));
    let is_demo = Memo::new(move |_| story.storyline.with(|storyline| storyline.as_ref().is_some_and(|s| s.demo)));

    let play = move |ask: Ask| {
        spawn_local(async move {
            if let Err(fault) = story.play(app, ask).await {
                app.notify_fault(&fault);
            }
        })
    };
    let again = move |_| play(Ask::Again(node.with_untracked(|node| node.turn.id.clone())));
    let go_on = move |_| {
        if let Some(id) = node.with_untracked(|node| node.reply().map(|reply| reply.id.clone())) {
            play(Ask::Continue(id));
        }
    };
    let swipe = move |by: isize| {
        let chosen = node.with_untracked(|node| {
            let at = node.seen?.checked_add_signed(by)?;
            Some((node.turn.id.clone(), node.generations.get(at)?.id.clone()))
        });
        if let Some((turn, generation)) = chosen {
            spawn_local(story.choose(app, turn, generation));
        }
    };
    let branch = move |_| {
        let (turn, reply) =
            node.with_untracked(|node| (node.turn.id.clone(), node.reply().map(|reply| reply.id.clone())));
        spawn_local(async move {
            let moved = async |conductor: Conductor, id| conductor.move_to_reply(&id, &turn, reply.as_ref()).await;
            if story.travel(app, moved).await.is_some() {
                story.jump_to(app, position).await;
            }
        });
    };
    let copy = move |_| {
        let text = node.with_untracked(|node| node.reply().map(|reply| reply.text.clone()).unwrap_or_default());
        let _ = window().navigator().clipboard().write_text(&text);
        app.notify(NoticeKind::Info, T::Copied);
    };

    let failed = move || matches!(status.get(), None | Some(Status::Error | Status::Empty | Status::Interrupted));
    let breaks_off = |reply: &Generation| reply.status == Status::Interrupted || reply.is_cut_off();
    let broke_off = Memo::new(move |_| node.with(|node| node.reply().is_some_and(breaks_off)));
    let may_continue = move || {
        is_last.get()
            && story.tip.with(Option::is_none)
            && !is_demo.get()
            && position > 0
            && node.with(|node| node.reply().is_some_and(can_continue))
    };
    let count = move || {
        let (at, of) = replies.get();
        format!("{at} / {of}")
    };
    let inspected = Inspected::here();
    let is_told = Memo::new(move |_| node.with(|node| node.reply().is_some_and(|reply| reply.prompt.is_some())));
    // Counted once the reply is there, not at each piece of it.
    let words = move || {
        if status.get() == Some(Status::Streaming) {
            return None;
        }
        node.with(|node| node.reply().map(|reply| count_words(&parser::shown(&reply.text))).filter(|count| *count > 0))
    };
    view! {
        <div class="turn-actions" class:resting=move || !is_last.get()>
            <Show when=move || { replies.get().1 > 1 }>
                <button class="icon-button" data-testid="swipe-prev" aria-label=app.t(T::PreviousReply)
                    disabled=move || !idle() || replies.get().0 <= 1 on:click=move |_| swipe(-1)>
                    <Icon name="chevron-left" />
                </button>
                <span class="swipe-count" data-testid="swipe-count">{count}</span>
                <button class="icon-button" data-testid="swipe-next" aria-label=app.t(T::NextReply)
                    disabled=move || !idle() || replies.get().0 == replies.get().1 on:click=move |_| swipe(1)>
                    <Icon name="chevron-right" />
                </button>
            </Show>
            <Show when=move || { position > 0 && idle() }>
                <Show when=move || failed() && is_last.get()>
                    <button class="button quiet" data-testid="turn-retry" on:click=again>{app.t(T::Retry)}</button>
                </Show>
                <Show when=may_continue>
                    // Where the reply broke off, that it can go on is said and not only hinted at.
                    {move || if broke_off.get() {
                        view! { <button class="button quiet" data-testid="turn-continue" on:click=go_on>{app.t(T::Continue)}</button> }.into_any()
                    } else {
                        view! {
                            <button class="icon-button" data-testid="turn-continue" aria-label=app.t(T::Continue) title=app.t(T::Continue) on:click=go_on>
                                <Icon name="forward" />
                            </button>
                        }
                        .into_any()
                    }}
                </Show>
                <button class="icon-button" data-testid="turn-regenerate" aria-label=app.t(T::Regenerate) title=app.t(T::Regenerate) on:click=again>
                    <Icon name="refresh" />
                </button>
                <button class="icon-button" data-testid="turn-edit-user" aria-label=app.t(T::EditUser) title=app.t(T::EditUser)
                    on:click=move |_| editing.set(Some(Editing::User))>
                    <Icon name="user" />
                </button>
            </Show>
            <Show when=move || idle() && status.get().is_some()>
                <button class="icon-button" data-testid="turn-edit" aria-label=app.t(T::EditReply) title=app.t(T::EditReply)
                    on:click=move |_| editing.set(node.with_untracked(|node| node.reply().map(|reply| Editing::Reply(reply.id.clone()))))>
                    <Icon name="pencil" />
                </button>
                <button class="icon-button" aria-label=app.t(T::CopyText) title=app.t(T::CopyText) on:click=copy>
                    <Icon name="copy" />
                </button>
            </Show>
            <Show when=move || idle() && !is_last.get()>
                <button class="icon-button" data-testid="turn-branch" aria-label=tree(app, R::BranchHere) title=tree(app, R::BranchHere) on:click=branch>
                    <Icon name="branch" />
                </button>
            </Show>
            <Show when=move || is_told.get()>
                <button class="icon-button always" data-testid="turn-why" aria-label=app.t(T::TurnWhy) title=app.t(T::TurnWhy)
                    on:click=move |_| inspected.show(app, node.with_untracked(|node| node.turn.id.clone()))>
                    <Icon name="info" />
                </button>
            </Show>
            <span class="turn-words">
                {move || words().map(|count| fill(app.t(T::Words)(), &[&count.to_string()]))}
            </span>
        </div>
    }
}

/// Words of a text: each CJK character counts as one, runs of letters as one.
fn count_words(text: &str) -> usize {
    let mut count = 0;
    let mut inside = false;
    for char in text.chars() {
        let is_cjk = matches!(char, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}');
        let is_word = !is_cjk && (char.is_alphanumeric() || char == '\'' || char == '’');
        count += usize::from(is_cjk || (is_word && !inside));
        inside = is_word;
    }
    count
}

/// Rewords in place, or on a branch beside it.
#[component]
fn Editor(node: RwSignal<Arc<Node>>, editing: RwSignal<Option<Editing>>) -> impl IntoView {
    let app = App::here();
    let story = app.story;
    let what = editing.get_untracked();
    let is_user = what == Some(Editing::User);
    let position = node.with_untracked(|node| node.turn.position);
    let text = RwSignal::new(node.with_untracked(|node| {
        if is_user {
            node.turn.user.clone().unwrap_or_default()
        } else {
            node.reply().map(|reply| reply.text.clone()).unwrap_or_default()
        }
    }));
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
        spawn_local(async move {
            let reworded = async |conductor: Conductor, id| match &what {
                Some(Editing::Reply(reply)) => conductor.edit_reply_as_branch(reply, &text).await.map(|_| None),
                _ => conductor.edit_user_as_branch(&id, &turn, &text).await.map(Some),
            };
            // The editor goes with its turn.
            let Some(turn) = story.travel(app, reworded).await else { return };
            editing.try_set(None);
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
        spawn_local(async move {
            let conductor = app.conductor();
            let text = text.get_untracked();
            let saved = match &what {
                Some(Editing::User) => conductor.edit_user(&turn, &text).await,
                Some(Editing::Reply(id)) => conductor.edit_reply(id, &text).await,
                None => Ok(()),
            };
            match saved {
                Ok(()) => {
                    editing.set(None);
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
    view! {
        <div class="turn-editor" class:for-user=is_user>
            <textarea
                node_ref=input
                data-testid="turn-edit-input"
                dir="auto"
                aria-label=app.t(if is_user { T::EditUser } else { T::EditReply })
                prop:value=move || text.get()
                on:input=move |event| text.set(event_target_value(&event))
                on:keydown=move |event| if event.key() == "Escape" { editing.set(None) }
            ></textarea>
            <Show when=move || asked.with(Option::is_some)>
                <div class="edit-where" role="group" aria-labelledby="edit-where" data-testid="turn-edit-where">
                    <p id="edit-where">{tree(app, R::EditWhere)}</p>
                    <div class="row">
                        <button class="button" data-testid="turn-edit-branch" on:click=move |_| answer(EditAs::Branch)>{tree(app, R::EditBranch)}</button>
                        <button class="button" data-testid="turn-edit-in-place" on:click=move |_| answer(EditAs::InPlace)>{tree(app, R::EditInPlace)}</button>
                    </div>
                </div>
            </Show>
            <div class="row">
                <button class="button primary" data-testid="turn-edit-save" on:click=move |_| save(false)>{app.t(T::Save)}</button>
                {is_user.then(|| view! {
                    <button class="button" data-testid="turn-edit-regenerate" on:click=move |_| save(true)>{app.t(T::SaveAndRegenerate)}</button>
                })}
                <button class="button quiet" data-testid="turn-edit-cancel" on:click=move |_| editing.set(None)>{app.t(T::Cancel)}</button>
            </div>
        </div>
    }
}
