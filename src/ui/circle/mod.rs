//! The circle: who takes part, what they say, and the reader among them.

mod members;
mod post;
mod work;
mod write;

use std::cell::RefCell;

use leptos::{prelude::*, task::spawn_local};

pub use self::work::go_round;
use self::{members::Members, post::PostView, write::Writing};
use super::{app::App, ask_key::AskKey};
use crate::{
    features::circle::{Act, Due, KEY, Member, Rhythm, SPAN, Standing},
    locales::{T as Common, circle::T, faults, fill},
    ports::Clock,
    story::{
        Millis,
        fault::FaultKind,
        ids::{CharacterId, PostId},
        post::Post,
        storyline::Language,
    },
    web::clock::BrowserClock,
};

thread_local! {
    /// What was being answered when the page was left, and the words so far.
    static ANSWER: RefCell<(Option<Answered>, String)> = RefCell::default();
}

/// It was sent, though the page was left before it was known.
fn forget_answer(said: &str) {
    ANSWER.with_borrow_mut(|kept| {
        if kept.1 == said {
            *kept = Default::default();
        }
    });
}

/// A post, or a comment on it.
type Answered = (PostId, Option<String>);

/// What is looked at.
#[derive(Clone, Copy)]
struct Seen {
    app: App,
    posts: RwSignal<Vec<Post>>,
    /// What is older is not shown.
    since: RwSignal<Millis>,
    has_older: RwSignal<bool>,
    is_read: RwSignal<bool>,
    /// What the reader is answering.
    answering: RwSignal<Option<Answered>>,
    answer: RwSignal<String>,
    /// What was new when the page opened.
    new_since: Millis,
}

impl Seen {
    async fn read(self) {
        let Some(since) = self.since.try_get_untracked() else { return };
        match self.app.desk().posts(since).await {
            Ok(posts) => {
                let read = work::rhythm(self.app).read;
                let has_new = posts.iter().any(|post| post.stirred().is_some_and(|at| at > read));
                if self.posts.try_set(posts).is_none() && has_new {
                    note_as_read(self.app);
                }
            }
            Err(error) => self.app.notify_store(error),
        }
        let older = self.app.desk().has_posts_before(since).await.unwrap_or_default();
        self.has_older.try_set(older);
        self.is_read.try_set(true);
    }

    fn called(self, author: &Option<CharacterId>, name: &str, language: Language) -> String {
        match author {
            Some(id) => self.app.character(id).map_or_else(|| name.to_owned(), |character| character.name),
            None => T::You.text(language).to_owned(),
        }
    }

    /// What went wrong is said, and what is there is shown.
    fn doing(self, work: impl Future<Output = crate::desk::Stored<()>> + 'static) {
        spawn_local(async move {
            if let Err(error) = work.await {
                self.app.notify_store(error);
            }
            work::stir();
        });
    }

    /// Says that something is gone, with a way back.
    fn deleted<F: Future<Output = crate::desk::Stored<()>> + 'static>(
        self,
        back: impl Fn() -> F + Send + Sync + 'static,
    ) {
        self.app.notify_undo(|language| T::Deleted.text(language).to_owned(), move || self.doing(back()));
    }
}

/// Said beside a field while more stands in it than can be told.
fn too_long(app: App, typed: RwSignal<String>, most: usize) -> Signal<Option<String>> {
    Signal::derive(move || {
        let count = typed.with(|typed| typed.trim().chars().count());
        (count > most).then(|| fill(T::TooLong.text(app.language.get()), &[&most.to_string(), &count.to_string()]))
    })
}

/// All that stands there was seen.
fn note_as_read(app: App) {
    let now = BrowserClock.now();
    app.unread.set(0);
    app.prefer(move |preferences| {
        let mut rhythm = Rhythm::of(preferences);
        rhythm.read = rhythm.read.max(now);
        rhythm.keep(preferences);
    });
}

/// Whether a character takes part, and how.
fn member_of(app: App, id: &CharacterId) -> Option<Member> {
    app.characters.with(|all| all.iter().find(|one| one.id == *id).and_then(Member::of))
}

/// Whether what somebody said is not shown.
fn is_muted(app: App, who: Option<&CharacterId>) -> bool {
    who.and_then(|id| member_of(app, id)).is_some_and(|member| member.standing == Standing::Muted)
}

#[component]
pub fn CirclePage() -> impl IntoView {
    let app = App::here();
    super::personas::follow(app);
    let now = BrowserClock.now();
    let seen = Seen {
        app,
        posts: RwSignal::default(),
        since: RwSignal::new(now.saturating_sub(SPAN)),
        has_older: RwSignal::default(),
        is_read: RwSignal::default(),
        answering: RwSignal::new(ANSWER.with_borrow(|(at, _)| at.clone())),
        answer: RwSignal::new(ANSWER.with_borrow(|(_, words)| words.clone())),
        new_since: work::rhythm(app).read,
    };
    on_cleanup(move || ANSWER.set((seen.answering.get_untracked(), seen.answer.get_untracked())));
    let said = work::said();
    Effect::new(move |_| {
        said.track();
        app.shared_elsewhere.track();
        seen.since.track();
        spawn_local(seen.read());
    });
    spawn_local(work::count(app));
    let shown = Memo::new(move |_| {
        let posts = seen.posts.get();
        let all = posts.into_iter().filter(|post| !is_muted(app, post.author.as_ref()));
        all.map(|post| post.id).collect::<Vec<_>>()
    });
    let older = move |_| seen.since.set(0);
    let is_empty = move || seen.is_read.get() && shown.with(Vec::is_empty);
    let has_members = Memo::new(move |_| app.characters.with(|all| all.iter().any(|one| one.extra.contains_key(KEY))));
    // Open where somebody has to be let in first.
    let is_open = !has_members.get_untracked();
    view! {
        <section class="sheet-page circle">
            <h1>{app.t(Common::Circle)}</h1>
            <p class="field-note circle-hint">{app.t(T::Hint)}</p>
            <details class="circle-settings" data-testid="circle-settings" open=is_open>
                <summary>{app.t(T::Settings)}</summary>
                <Members seen />
            </details>
            <AskKey />
            <Standing_ />
            <Writing seen />
            <div class="circle-feed" role="feed" aria-label=app.t(Common::Circle) aria-busy=move || (!seen.is_read.get()).to_string()>
                <For each=move || shown.get() key=Clone::clone let:id>
                    <PostView seen id />
                </For>
            </div>
            <Show when=is_empty><p class="empty" data-testid="circle-empty">{app.t(T::Empty)}</p></Show>
            <Show when=move || seen.has_older.get()>
                <button type="button" class="button quiet" data-testid="circle-older" on:click=older>{app.t(T::Older)}</button>
            </Show>
        </section>
    }
}

/// Who is at it, what went wrong, what comes next, and what of the day is used.
#[component]
fn Standing_() -> impl IntoView {
    let app = App::here();
    let (at, missed, standing) = (work::at(), work::missed(), work::standing());
    let now_at = at.clone();
    let busy = Memo::new(move |_| at.with(Option::is_some));
    let who = move || {
        let language = app.language.get();
        now_at.with(|at| {
            at.as_ref().map(|Due { who, act, .. }| {
                let name = app.character(who).map(|one| one.name).unwrap_or_default();
                let text = if *act == Act::Post { T::Posting } else { T::Looking };
                fill(text.text(language), &[&name])
            })
        })
    };
    let failed = {
        let missed = missed.clone();
        move || {
            let language = app.language.get();
            missed.with(|missed| {
                missed.as_ref().map(|missed| {
                    let why = match &missed.fault {
                        // Here no story has a budget, and the circle has bounds of its own.
                        Some(fault) if fault.kind == FaultKind::OverBudget => T::OverBudget.text(language).to_owned(),
                        Some(fault) => faults::in_full(fault, language),
                        None => T::Unusable.text(language).to_owned(),
                    };
                    fill(T::Missed.text(language), &[&why])
                })
            })
        }
    };
    let has_failed = Memo::new({
        let missed = missed.clone();
        move |_| missed.with(Option::is_some)
    });
    let again = move |_| {
        if let Some(missed) = missed.get_untracked() {
            spawn_local(async move { work::ask(app, vec![missed.due]).await });
        }
    };
    let next = {
        let standing = standing.clone();
        move || {
            let (language, now) = (app.language.get(), BrowserClock.now());
            let rhythm = app.preferences.with(Rhythm::of);
            standing.with(|(next, used)| {
                if used.is_up(&rhythm) {
                    return Some(T::IsUp.text(language).to_owned());
                }
                let minutes = next.as_ref()?.at.saturating_sub(now).div_ceil(60_000).max(1);
                let (text, count) =
                    if minutes <= 90 { (T::Minutes, minutes) } else { (T::Hours, minutes.div_ceil(60)) };
                Some(fill(T::NextIn.text(language), &[&fill(text.text(language), &[&count.to_string()])]))
            })
        }
    };
    view! {
        <div class="circle-standing">
            <Show
                when=move || busy.get()
                fallback=move || {
                    let next = next.clone();
                    view! { <p class="field-note" data-testid="circle-next">{next}</p> }
                }
            >
                <div class="row" role="status">
                    <span class="waiting" data-testid="circle-progress">{who.clone()}</span>
                    <button type="button" class="button quiet" data-testid="circle-stop" on:click=move |_| work::stop()>{app.t(T::Stop)}</button>
                </div>
            </Show>
            <Show when=move || has_failed.get() && !busy.get()>
                <div class="row place-fault" role="alert">
                    <span data-testid="circle-missed">{failed.clone()}</span>
                    <button type="button" class="button quiet" data-testid="circle-again" on:click=again.clone()>{app.t(T::Again)}</button>
                </div>
            </Show>
        </div>
    }
}
