//! The sessions of the open story: how it was played, its rests, and each as a file (B10).

use leptos::{prelude::*, task::spawn_local};

use crate::{
    locales::{faults::explain, fill, sessions::T as S},
    story::{
        ids::SessionId,
        storyline::{Session, Storyline, StorylineStatus},
    },
    ui::{
        about,
        app::App,
        archive,
        features::summary::Summarise,
        icons::{Icon, Shape},
        state::NoticeKind,
        story::change_story,
    },
    web::files,
};

fn is_paused(app: App) -> Memo<bool> {
    let paused = |storyline: &Storyline| storyline.status == StorylineStatus::Paused;
    Memo::new(move |_| app.story.storyline.with(|storyline| storyline.as_ref().is_some_and(paused)))
}

fn set_status(app: App, status: StorylineStatus) {
    change_story(app, move |storyline| storyline.status = status);
}

/// Says above the composer that the story rests, with the way on.
#[component]
pub fn PausedNote() -> impl IntoView {
    let app = App::here();
    let paused = is_paused(app);
    view! {
        <Show when=move || paused.get()>
            <div class="dock-note paused-note" data-testid="story-paused">
                <p>{app.t(S::IsPaused)}</p>
                <button type="button" class="button" data-testid="story-continue" disabled=move || !app.story.writer.get()
                    on:click=move |_| set_status(app, StorylineStatus::Active)>
                    {app.t(S::GoOn)}
                </button>
            </div>
        </Show>
    }
}

#[component]
pub fn Sessions() -> impl IntoView {
    let app = App::here();
    let paused = is_paused(app);
    let sessions = Memo::new(move |_| {
        let list = app.story.storyline.with(|storyline| storyline.as_ref().map(|s| s.sessions.clone()));
        list.unwrap_or_default()
    });
    let current =
        Memo::new(move |_| app.story.storyline.with(|storyline| storyline.as_ref().map(|s| s.current_session.clone())));
    // A session that nothing was said in yet is new enough.
    let is_fresh = move || {
        let current = current.get();
        sessions.with(|list| list.iter().any(|session| Some(&session.id) == current.as_ref() && session.turns == 0))
    };
    let begin = move |_| {
        let Some(id) = app.story.storyline.with_untracked(|storyline| storyline.as_ref().map(|s| s.id.clone())) else {
            return;
        };
        spawn_local(async move {
            if let Err(fault) = app.conductor().begin_session(&id).await {
                app.notify(NoticeKind::Error, move |language| explain(&fault, language).what);
            }
            app.story.reload(app).await;
            app.refresh().await;
        });
    };
    let ids =
        Memo::new(move |_| sessions.with(|list| list.iter().map(|session| session.id.clone()).collect::<Vec<_>>()));
    // The newest first.
    let rows = move || {
        let numbered: Vec<_> = ids.get().into_iter().zip(1..).collect();
        numbered.into_iter().rev().map(|(id, number)| view! { <Row id number sessions current /> }).collect_view()
    };
    let free = move || app.story.writer.get() && !app.story.is_playing();
    view! {
        <section class="story-sessions" aria-labelledby="story-sessions">
            <h2 id="story-sessions">{app.t(S::Sessions)}</h2>
            <ul>{rows}</ul>
            <div class="row">
                <button type="button" class="button" data-testid="session-new" aria-describedby="session-new-note"
                    disabled=move || !free() || is_fresh() on:click=begin>
                    {app.t(S::NewSession)}
                </button>
                <Show
                    when=move || paused.get()
                    fallback=move || view! {
                        <button type="button" class="button quiet" data-testid="story-pause" disabled=move || !free()
                            on:click=move |_| set_status(app, StorylineStatus::Paused)>
                            {app.t(S::Pause)}
                        </button>
                    }
                >
                    <button type="button" class="button quiet" data-testid="story-resume" disabled=move || !free()
                        on:click=move |_| set_status(app, StorylineStatus::Active)>
                        {app.t(S::GoOn)}
                    </button>
                </Show>
            </div>
            <p class="field-note" id="session-new-note">{app.t(S::NewSessionHint)}</p>
            <Summarise testid="action-summarize" hint=true />
        </section>
    }
}

/// Number, day, turns, and the session as a file.
#[component]
fn Row(id: SessionId, number: usize, sessions: Memo<Vec<Session>>, current: Memo<Option<SessionId>>) -> impl IntoView {
    let app = App::here();
    let id = StoredValue::new(id);
    let is_current = Memo::new(move |_| id.with_value(|id| current.get().as_ref() == Some(id)));
    let label = move || fill(app.t(S::SessionNumber)(), &[&number.to_string()]);
    let facts = move || {
        let found = sessions.with(|list| {
            let session = id.with_value(|id| list.iter().find(|session| session.id == *id));
            session.map(|session| (session.created, session.turns))
        });
        found.map(|(created, turns)| {
            let day = about::date(created, app.language.get());
            format!("{day} · {}", fill(app.t(S::SessionTurns)(), &[&turns.to_string()]))
        })
    };
    let export = move || fill(app.t(S::ExportSession)(), &[&number.to_string()]);
    view! {
        <li class="session-item" data-testid="session-item" data-session=number.to_string() aria-current=move || is_current.get().then_some("true")>
            <div>
                <b>{label}</b>
                <Show when=move || is_current.get()><span class="mark">{app.t(S::SessionCurrent)}</span></Show>
                <p class="number">{facts}</p>
            </div>
            <button type="button" class="icon-button" data-testid="session-export" aria-label=export title=export
                on:click=move |_| spawn_local(download(app, id.get_value(), number))>
                <Icon shape=Shape::DOWNLOAD />
            </button>
        </li>
    }
}

async fn download(app: App, session: SessionId, number: usize) {
    let story =
        app.story.storyline.with_untracked(|storyline| storyline.as_ref().map(|s| (s.id.clone(), s.title.clone())));
    let Some((id, title)) = story else { return };
    let text = match app.conductor().session_text(&id, &session).await {
        Ok(text) => text,
        Err(fault) => return app.notify_fault(&fault),
    };
    let saved = files::blob(text.as_bytes(), "application/jsonl")
        .and_then(|blob| files::download(&blob, &format!("{title} {number}.jsonl")));
    if saved.is_err() {
        archive::notify_failed_export(app, None);
    }
}
