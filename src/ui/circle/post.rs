//! A post: what it says and shows, who likes it, and what was said to it.

use leptos::{prelude::*, task::spawn_local};

use super::{Seen, T, forget_answer, is_muted, too_long, work};
use crate::{
    features::circle::{COMMENT, due::asked},
    locales::{fill, time},
    ports::Clock,
    story::{
        Millis,
        ids::{BlobId, CharacterId, PostId},
        post::{Comment, Post},
        storyline::Language,
    },
    ui::{
        about,
        app::App,
        avatar::{Avatar, Face, address_of},
        fields::TextField,
        focus::focus,
        icons::{Icon, Shape},
        state::NoticeKind,
    },
    web::clock::BrowserClock,
};

/// The face of whoever said something.
fn face_of(app: App, author: &Option<CharacterId>) -> Face {
    match author {
        Some(id) => Face::Stored(app.character(id).and_then(|one| one.thumbnail.or(one.avatar))),
        None => {
            let persona = app.preferences.with(|preferences| preferences.plays_as.clone());
            let all = app.personas.get();
            let persona = all.into_iter().find(|one| Some(&one.id) == persona.as_ref());
            Face::Stored(persona.and_then(|one| one.thumbnail.or(one.avatar)))
        }
    }
}

fn when(at: Millis, language: Language) -> String {
    time::ago(at, BrowserClock.now(), language).unwrap_or_else(|| about::date(at, language))
}

#[component]
pub fn PostView(seen: Seen, id: PostId) -> impl IntoView {
    let app = seen.app;
    let wanted = id.clone();
    let post = Memo::new(move |_| {
        seen.posts.with(|all| all.iter().find(|post| post.id == wanted).cloned()).unwrap_or_default()
    });
    let id = StoredValue::new(id);
    let author = post.with_untracked(|post| post.author.clone());
    let author = StoredValue::new(author);
    let name = Signal::derive(move || post.with(|post| seen.called(&post.author, &post.name, app.language.get())));
    let face = Signal::derive(move || author.with_value(|author| face_of(app, author)));
    let picture = post.with_untracked(|post| post.thumbnail.clone().or(post.picture.clone()));
    let is_new = post.with_untracked(|post| post.author.is_some() && post.created > seen.new_since);
    let liked = Memo::new(move |_| post.with(|post| post.is_liked_by(None)));
    let likes = move || {
        let language = app.language.get();
        let names: Vec<String> = post.with(|post| {
            let shown = post.likes.iter().filter(|like| !is_muted(app, like.who.as_ref()));
            shown
                .map(|like| match &like.who {
                    None => T::YouSee.text(language).to_owned(),
                    who => seen.called(who, &like.name, language),
                })
                .collect()
        });
        (!names.is_empty()).then(|| fill(T::LikedBy.text(language), &[&names.join(language.pick("、", ", "))]))
    };
    let like = move |_| seen.doing(async move { app.desk().like(&id.get_value()).await });
    let answers = move |to: Option<String>| {
        let wanted = Some((id.get_value(), to));
        // What was typed and not sent goes along.
        if seen.answering.with_untracked(|at| *at != wanted) {
            seen.answering.set(wanted);
        }
        spawn_local(async {
            // Once it stands there.
            BrowserClock.frame().await;
            focus("field-circle-answer-text");
        });
    };
    let let_see = move |_| {
        let all = post.with_untracked(|post| asked(&work::members(app), post, BrowserClock.now()));
        if all.is_empty() {
            return app.notify(NoticeKind::Info, |language| T::NobodyToSee.text(language).to_owned());
        }
        spawn_local(async move { work::ask(app, all).await });
    };
    let delete = move |_| {
        let gone = post.get_untracked();
        seen.doing(async move {
            app.desk().delete_post(&gone).await?;
            seen.deleted(move || {
                let gone = gone.clone();
                async move { app.desk().restore_post(&gone).await }
            });
            Ok(())
        });
    };
    let comments = move || {
        post.with(|post| {
            let shown = post.comments.iter().filter(|comment| !is_muted(app, comment.author.as_ref()));
            shown.map(|comment| said(seen, post, comment, answers)).collect_view()
        })
    };
    let is_answering = Memo::new(move |_| {
        seen.answering.with(|at| at.as_ref().is_some_and(|(post, _)| id.with_value(|id| id == post)))
    });
    view! {
        <article class="post" data-testid="circle-item" data-author=move || author.with_value(|author| author.as_ref().map(|id| id.0.clone())).unwrap_or_default()>
            <header>
                <Avatar face name />
                <div>
                    <b>{name}</b>
                    <span class="number">{move || when(post.with(|post| post.created), app.language.get())}</span>
                </div>
                {is_new.then(|| view! { <span class="post-new">{app.t(T::New)}</span> })}
            </header>
            <p class="post-text" dir="auto" data-testid="circle-words">{move || post.with(|post| post.text.clone())}</p>
            {picture.map(|picture| view! { <Picture app post picture name /> })}
            <div class="post-actions">
                <button type="button" class="button quiet" class:chosen=move || liked.get() data-testid="circle-like" aria-pressed=move || liked.get().to_string() on:click=like>
                    <Icon shape=Shape::HEART />{app.t(T::Like)}
                </button>
                <button type="button" class="button quiet" data-testid="circle-answer" on:click=move |_| answers(None)>{app.t(T::Answer)}</button>
                <button type="button" class="button quiet" data-testid="circle-see" on:click=let_see>{app.t(T::LetThemSee)}</button>
                <button type="button" class="icon-button" data-testid="circle-delete" aria-label=app.t(T::Delete) title=app.t(T::Delete) on:click=delete><Icon shape=Shape::TRASH /></button>
            </div>
            <p class="post-likes" data-testid="circle-likes">{likes}</p>
            <ul class="post-comments">{comments}</ul>
            <Show when=move || is_answering.get()><Answering seen post /></Show>
        </article>
    }
}

/// A picture, with the words that stand for it.
#[component]
fn Picture(app: App, post: Memo<Post>, picture: BlobId, name: Signal<String>) -> impl IntoView {
    let url = address_of(app, Signal::stored(Face::Stored(Some(picture))));
    let caption = move || post.with(|post| post.caption.clone());
    let alt = move || match caption() {
        empty if empty.is_empty() => fill(app.t(T::PictureOf)(), &[&name.get()]),
        caption => caption,
    };
    let figure = move || url.get().map(|url| view! { <img src=url alt=alt decoding="async" /> });
    view! { <figure class="post-picture">{figure}<figcaption>{caption}</figcaption></figure> }
}

/// One comment.
fn said(
    seen: Seen,
    post: &Post,
    comment: &Comment,
    answers: impl Fn(Option<String>) + Copy + Send + Sync + 'static,
) -> AnyView {
    let app = seen.app;
    let language = app.language.get();
    let to =
        comment.to.as_deref().and_then(|id| post.comment(id)).map(|to| seen.called(&to.author, &to.name, language));
    let name = seen.called(&comment.author, &comment.name, language);
    let who = match to {
        Some(to) => fill(T::AnsweredTo.text(language), &[&name, &to]),
        None => name.clone(),
    };
    let (id, gone, of) = (comment.id.clone(), comment.clone(), post.id.clone());
    let answer_it = post.comments.iter().filter(|one| one.to.as_ref() == Some(&comment.id));
    let answer_it: Vec<_> = answer_it.map(|one| one.id.clone()).collect();
    let delete = move |_| {
        let (of, gone, answers) = (of.clone(), gone.clone(), answer_it.clone());
        seen.doing(async move {
            app.desk().delete_comment(&of, &gone.id).await?;
            seen.deleted(move || {
                let (of, gone, answers) = (of.clone(), gone.clone(), answers.clone());
                async move { app.desk().restore_comment(&of, gone, &answers).await }
            });
            Ok(())
        });
    };
    let label = fill(T::DeleteComment.text(language), &[&name]);
    let answer = fill(T::AnswerTo.text(language), &[&name]);
    view! {
        <li data-testid="circle-comment" data-author=comment.author.as_ref().map(|id| id.0.clone()).unwrap_or_default()>
            <p dir="auto"><b>{who}</b>{language.pick("：", ": ")}<span data-testid="circle-said">{comment.text.clone()}</span></p>
            <button type="button" class="link" data-testid="circle-answer-comment" aria-label=answer on:click=move |_| answers(Some(id.clone()))>{app.t(T::Answer)}</button>
            <button type="button" class="icon-button" data-testid="circle-delete-comment" aria-label=label.clone() title=label on:click=delete><Icon shape=Shape::X /></button>
        </li>
    }
    .into_any()
}

/// What the reader says to it.
#[component]
fn Answering(seen: Seen, post: Memo<Post>) -> impl IntoView {
    let app = seen.app;
    let to = Memo::new(move |_| seen.answering.get().and_then(|(_, to)| to));
    let whom = move || {
        let language = app.language.get();
        post.with(|post| {
            let to = to.get().and_then(|id| post.comment(&id).cloned());
            let (author, name) = to.map_or((post.author.clone(), post.name.clone()), |to| (to.author, to.name));
            fill(T::AnswerTo.text(language), &[&seen.called(&author, &name, language)])
        })
    };
    let close = move || {
        seen.answer.set(String::new());
        seen.answering.set(None);
    };
    let busy = RwSignal::new(false);
    let fault = too_long(app, seen.answer, COMMENT);
    let send = move || {
        let (id, said, to) =
            (post.with_untracked(|post| post.id.clone()), seen.answer.get_untracked(), to.get_untracked());
        if busy.get_untracked() || said.trim().is_empty() || fault.with_untracked(Option::is_some) {
            return;
        }
        busy.set(true);
        seen.doing(async move {
            let stored = app.desk().comment(&id, &said, to).await;
            busy.try_set(false);
            stored?;
            forget_answer(&said);
            // What was typed meanwhile stays.
            if seen.answer.try_get_untracked().is_some_and(|now| now == said) {
                seen.answer.try_set(String::new());
                seen.answering.try_set(None);
            }
            Ok(())
        });
    };
    view! {
        <form class="post-answer" on:submit=move |event| { event.prevent_default(); send() }>
            <p class="field-note">{whom}</p>
            <TextField label=app.t(T::YourAnswer) value=seen.answer testid="circle-answer-text" fault=fault />
            <div class="row">
                <button type="submit" class="button" data-testid="circle-answer-send" disabled=move || fault.with(Option::is_some) || seen.answer.with(|text| text.trim().is_empty())>{app.t(T::Send)}</button>
                <button type="button" class="button quiet" on:click=move |_| close()>{app.t(T::Cancel)}</button>
            </div>
        </form>
    }
}
