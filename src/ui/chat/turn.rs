//! One turn on the page: the reader's words, the reply, and what can be done with them.

use leptos::{prelude::*, task::spawn_local};

use super::{reply::Reply, session::SessionRule};
use crate::{
    locales::{T, Text, aloud::T as A, fill, mind::T as M, time, tree::T as R, untold::T as U},
    reply::parser,
    story::{
        count_words,
        generation::{Generation, Status},
        script::Place,
        typography::PORTRAITS,
    },
    turn::{Ask, Conductor},
    ui::{
        about::{date, moment},
        app::App,
        icons::{Icon, Shape},
        inspector::Inspected,
        state::{Editing, TurnView},
        story::can_continue,
    },
    web::voice,
};

/// Colours of speech, as the stylesheet has them.
const VOICES: usize = 6;

/// `seen`: what the page opened with is on the screen. What can be done with earlier turns comes after it.
#[component]
pub fn Turn(turn: TurnView, seen: RwSignal<bool>) -> impl IntoView {
    let app = App::here();
    let TurnView { position, node, editing } = turn;
    let words = Memo::new(move |_| node.with(|node| node.turn.user.clone()));
    let user = Memo::new(move |_| Some(app.story.shown(words.get()?, Place::Reader, position)));
    let name = Memo::new(move |_| node.with(|node| node.turn.name.clone()));
    let has_reply = Memo::new(move |_| node.with(|node| node.reply().is_some()));
    let of_several = Memo::new(move |_| {
        let shows_faces = app.preferences.with(|all| all.typography.contains(PORTRAITS)) && has_reply.get();
        shows_faces
            || node
                .with(|node| node.turn.heard_by.is_some() || node.reply().is_some_and(|reply| reply.speaker.is_some()))
            || app.story.storyline.with(|open| open.as_ref().is_some_and(|open| open.cast.len() > 1))
    });
    let spoken = Memo::new(move |_| app.story.aloud.is_on() && app.story.aloud.position.get() == position);
    let voice = Memo::new(move |_| {
        let speaker = node.with(|node| node.reply().and_then(|reply| reply.speaker.clone()))?;
        let at = app.story.storyline.with(|open| open.as_ref()?.cast.iter().position(|one| *one == speaker))?;
        Some((at % VOICES).to_string()).filter(|_| at > 0)
    });
    let label = move || match position {
        0 => app.t(T::Opening)().to_owned(),
        _ => fill(app.t(T::TurnNumber)(), &[&position.to_string()]),
    };
    let is_planning = Memo::new(move |_| {
        app.story.planning.with(|all| node.with(|node| all.iter().any(|(_, turn)| *turn == node.turn.id)))
    });
    let is_blank = Memo::new(move |_| user.with(Option::is_none) && !has_reply.get());
    let untold = Memo::new(move |_| app.story.path.with(|path| path.untold_at(position).copied()));
    let folded = Memo::new(move |_| untold.get().is_some_and(|untold| untold.folded));
    let user = Memo::new(move |_| user.get().filter(|_| !folded.get()));
    view! {
        <article class="turn" class:untold=move || untold.get().is_some() class:spoken=move || spoken.get() data-testid="turn" data-turn=position.to_string() data-voice=move || voice.get() aria-label=label hidden=move || is_blank.get()>
            {move || untold.get().map(|_| app.chunks.aside.added(move |aside| (aside.untold)(node)))}
            {(position > 0).then(|| view! { <div class="turn-number" aria-hidden="true">{position}</div> })}
            {move || name.get().map(|name| view! { <h2 class="turn-name" data-testid="turn-name">{name}</h2> })}
            {move || (editing.get() != Some(Editing::User)).then(|| user.get()).flatten().map(|text| view! {
                <p class="turn-user" data-testid="turn-user" dir="auto">{text}</p>
            })}
            <Show when=move || editing.get().is_some()>
                {app.chunks.aside.show(app, move |aside| (aside.editor)(node, editing))}
            </Show>
            {move || of_several.get().then(|| app.chunks.aside.added(move |aside| (aside.heading)(node)))}
            <div class="turn-body" hidden=move || folded.get() || matches!(editing.get(), Some(Editing::Reply(_)))>
                <Show
                    when=move || has_reply.get()
                    fallback=move || view! { <p class="turn-status" data-testid="turn-status" data-status="none" hidden=true></p> }
                >
                    <Reply node />
                </Show>
            </div>
            <Show when=move || is_planning.get()>
                <p class="waiting" role="status" data-testid="turn-planning">{app.t(M::Planning)}</p>
            </Show>
            <Show when=move || !folded.get()><Row turn seen /></Show>
            <SessionRule turn />
        </article>
    }
}

/// The row beneath a turn.
#[component]
fn Row(turn: TurnView, seen: RwSignal<bool>) -> impl IntoView {
    let app = App::here();
    let TurnView { position, node, .. } = turn;
    let is_last = Memo::new(move |_| app.story.path.with(|path| path.end == position + 1));
    // Neither time nor length is asked for at each piece of a reply.
    let comes =
        Memo::new(move |_| node.with(|node| node.reply().is_some_and(|reply| reply.status == Status::Streaming)));
    let written = move || {
        if comes.get() {
            return None;
        }
        let (at, language) = (node.with(|node| node.turn.created), app.language.get());
        let said = || time::ago(at, app.browser().ports.clock.now(), language).unwrap_or_else(|| date(at, language));
        (at > 0).then(|| (said(), moment(at, language)))
    };
    let words = move || {
        if comes.get() {
            return None;
        }
        node.with(|node| node.reply().map(|reply| count_words(&parser::shown(&reply.text))).filter(|count| *count > 0))
    };
    view! {
        <div class="turn-actions" class:resting=move || !is_last.get()>
            <Show when=move || is_last.get() || seen.get()><Tools turn is_last /></Show>
            <span class="turn-figures">
                {move || written().map(|(said, exact)| view! { <time data-testid="turn-time" title=exact>{said}</time> })}
                <span class="turn-words">
                    {move || words().map(|count| fill(app.t(T::Words)(), &[&count.to_string()]))}
                </span>
            </span>
        </div>
    }
}

/// What can be done with a turn.
#[component]
fn Tools(turn: TurnView, is_last: Memo<bool>) -> impl IntoView {
    let app = App::here();
    let story = app.story;
    let TurnView { position, node, editing } = turn;
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
    let again = Callback::new(move |()| play(Ask::Again(node.with_untracked(|node| node.turn.id.clone()))));
    let go_on = Callback::new(move |()| {
        if let Some(id) = node.with_untracked(|node| node.reply().map(|reply| reply.id.clone())) {
            play(Ask::Continue(id));
        }
    });
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
    let copy = Callback::new(move |()| {
        let text = node.with_untracked(|node| node.reply().map(|reply| reply.text.clone()).unwrap_or_default());
        app.copy(text);
    });
    let edit = Callback::new(move |()| {
        editing.set(node.with_untracked(|node| node.reply().map(|reply| Editing::Reply(reply.id.clone()))));
    });
    let edit_user = Callback::new(move |()| editing.set(Some(Editing::User)));
    let keep = Callback::new(move |()| editing.set(Some(Editing::Lore)));

    let take_out_label = app.t(U::TakeOut);
    let take_out = move |_| {
        let turn = node.with_untracked(|node| node.turn.id.clone());
        app.chunks.aside.run(app, async move |aside| (aside.take_out)(app, turn).await);
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
    view! {
        <Show when=move || { replies.get().1 > 1 }>
            <button class="icon-button" data-testid="swipe-prev" aria-label=app.t(T::PreviousReply)
                disabled=move || !idle() || replies.get().0 <= 1 on:click=move |_| swipe(-1)>
                <Icon shape=Shape::CHEVRON_LEFT />
            </button>
            <span class="swipe-count" data-testid="swipe-count">{count}</span>
            <button class="icon-button" data-testid="swipe-next" aria-label=app.t(T::NextReply)
                disabled=move || !idle() || replies.get().0 == replies.get().1 on:click=move |_| swipe(1)>
                <Icon shape=Shape::CHEVRON_RIGHT />
            </button>
        </Show>
        <Show when=move || { position > 0 && idle() }>
            <Show when=move || failed() && is_last.get() && !node.with(|node| node.turn.is_stage)>
                <button class="button quiet" data-testid="turn-retry" on:click=move |_| again.run(())>{app.t(T::Retry)}</button>
            </Show>
            <Show when=may_continue>
                // Where the reply broke off, that it can go on is said and not only hinted at.
                {move || if broke_off.get() {
                    view! { <button class="button quiet" data-testid="turn-continue" on:click=move |_| go_on.run(())>{app.t(T::Continue)}</button> }.into_any()
                } else {
                    tool(app, "turn-continue", Shape::FORWARD, T::Continue, go_on)
                }}
            </Show>
            // Words that nobody answered, and what came after them, are one future.
            <Show when=move || status.get().is_some() || is_last.get()>
                {tool(app, "turn-regenerate", Shape::REFRESH, T::Regenerate, again)}
            </Show>
            {tool(app, "turn-edit-user", Shape::USER, T::EditUser, edit_user)}
        </Show>
        <Show when=move || idle() && status.get().is_some()>
            {tool(app, "turn-edit", Shape::PENCIL, T::EditReply, edit)}
            {tool(app, "turn-copy", Shape::COPY, T::CopyText, copy)}
            {tool(app, "turn-lore", Shape::BOOK, T::LoreEntry, keep)}
            {aloud_tool(app, position)}
        </Show>
        <Show when=move || idle() && story.path.with(|path| path.is_told(position))>
            <button class="icon-button" data-testid="turn-take-out" aria-label=take_out_label title=take_out_label on:click=take_out>
                <Icon shape=Shape::EYE_OFF />
            </button>
        </Show>
        <Show when=move || idle() && !is_last.get()>
            <button class="icon-button" data-testid="turn-branch" aria-label=app.t(R::BranchHere) title=app.t(R::BranchHere) on:click=branch>
                <Icon shape=Shape::BRANCH />
            </button>
        </Show>
        <Show when=move || is_told.get()>
            <button class="icon-button always" data-testid="turn-why" aria-label=app.t(T::TurnWhy) title=app.t(T::TurnWhy)
                on:click=move |_| inspected.show(app, node.with_untracked(|node| node.turn.id.clone()))>
                <Icon shape=Shape::INFO />
            </button>
        </Show>
    }
}

/// Where the browser has voices.
fn aloud_tool(app: App, position: u32) -> Option<AnyView> {
    let aloud =
        Callback::new(move |()| app.chunks.aside.run(app, async move |aside| (aside.aloud)(app, position).await));
    voice::is_there().then(|| tool(app, "turn-aloud", Shape::VOLUME, A::Aloud, aloud))
}

/// One of the row's buttons. They are many: each of a type of its own would make the page larger.
fn tool(app: App, testid: &'static str, icon: Shape, label: impl Text, press: Callback<()>) -> AnyView {
    view! {
        <button class="icon-button" data-testid=testid aria-label=app.t(label) title=app.t(label) on:click=move |_| press.run(())>
            <Icon shape=icon />
        </button>
    }
    .into_any()
}
