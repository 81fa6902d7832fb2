//! The status bar of a story: the world at a glance, or what a card brings to show it with.

mod ask;
mod frame;
mod plain;
mod preview;

use leptos::prelude::*;

use self::{ask::Ask, frame::Heard, plain::Plain};
pub use self::{
    frame::{Framed, place},
    preview::preview,
};
use crate::{
    features::status_bar::{self, Feed, StatusBar, guard::Off},
    locales::{
        fill,
        status_bar::{T, off_words, too_long_words},
    },
    story::Extra,
    ui::{
        app::App,
        icons::{Icon, Shape},
        mind::Mind,
        state::NoticeKind,
    },
};

/// Consents that are remembered; beyond that the oldest are forgotten.
const CONSENTS: usize = 500;

/// What there is to show.
#[derive(Clone, Debug, PartialEq)]
enum Kind {
    Nothing,
    Plain,
    /// A bar waits for the reader's word.
    Asks,
    /// By the hash of its text.
    Runs(String),
    /// A bar was switched off, or is too long: why, in words.
    Off(String),
}

impl Kind {
    fn name(&self) -> &'static str {
        match self {
            Self::Nothing | Self::Plain => "plain",
            Self::Asks => "asks",
            Self::Runs(_) => "runs",
            Self::Off(_) => "off",
        }
    }
}

#[component]
pub fn StoryStatus() -> impl IntoView {
    let app = App::here();
    let story = app.story;
    let mind = Mind::here();
    let ids = Memo::new(move |_| {
        story.storyline.with(|story| story.as_ref().map(|s| (s.character().clone(), s.background.clone())))
    });
    let bar = Memo::new(move |_| {
        let (character, background) = ids.get()?;
        app.characters.with(|characters| {
            app.backgrounds.with(|backgrounds| {
                let character = characters.iter().find(|known| known.id == character);
                let background = backgrounds.iter().find(|known| Some(&known.id) == background.as_ref());
                StatusBar::choose(character, background)
            })
        })
    });
    let character = Memo::new(move |_| {
        let (id, _) = ids.get()?;
        app.characters.with(|all| all.iter().find(|known| known.id == id).map(|character| character.name.clone()))
    });
    let hash = Memo::new(move |_| bar.with(|bar| bar.as_ref().map(StatusBar::hash)));
    let world = Memo::new(move |_| {
        mind.state.with(|state| state.as_ref().map(|state| state.world.clone())).unwrap_or_default()
    });
    let feed = Memo::new(move |_| Feed {
        world: world.get(),
        turn: story.path.with(|path| path.end.saturating_sub(1)),
        character: character.get().unwrap_or_default(),
    });
    // With the hash of the text that it is about: another text has not done anything yet.
    let off = RwSignal::new(None::<(String, Off)>);
    let is_allowed = Memo::new(move |_| {
        hash.with(|hash| app.preferences.with(|all| hash.as_ref().is_some_and(|hash| all.status_bars.contains(hash))))
    });
    let kind = Memo::new(move |_| {
        let language = app.language.get();
        let is_read = mind.state.with(Option::is_some);
        let Some(hash) = hash.get().filter(|_| is_read) else {
            return if world.with(Extra::is_empty) { Kind::Nothing } else { Kind::Plain };
        };
        let too_long = bar.with(|bar| bar.as_ref().filter(|bar| bar.is_too_long()).map(|bar| bar.code.len()));
        match (too_long, off.get()) {
            (Some(bytes), _) => Kind::Off(too_long_words(bytes, language)),
            _ if !is_allowed.get() => Kind::Asks,
            (None, Some((of, off))) if of == hash => Kind::Off(off_words(&off, language)),
            _ => Kind::Runs(hash),
        }
    });
    let folded = Memo::new(move |_| app.preferences.with(|preferences| preferences.status_bar_folded));
    let name = move || bar.with(|bar| bar.as_ref().map(|bar| bar.of.clone())).unwrap_or_default();
    let title = move || match kind.get() {
        Kind::Runs(_) | Kind::Off(_) => fill(app.t(T::OwnStatusBar)(), &[&name()]),
        _ => app.t(T::StatusBar)().to_owned(),
    };
    let title = Signal::derive(title);
    let hear = Callback::new(move |heard| match heard {
        Heard::Draft(words) => suggest(app, words),
        Heard::Off(why) => off.set(hash.get_untracked().map(|hash| (hash, why))),
    });
    let again = move |_| off.set(None);
    let body = move || match kind.get() {
        _ if folded.get() => ().into_any(),
        Kind::Nothing | Kind::Runs(_) => ().into_any(),
        Kind::Plain => view! { <Plain world /> }.into_any(),
        Kind::Asks => view! { <Ask bar hash /> <Plain world /> }.into_any(),
        Kind::Off(why) => view! {
            <p class="status-note" role="alert" data-testid="statusbar-off">
                {why} " "
                {off.with_untracked(Option::is_some).then(|| view! {
                    <button class="link" data-testid="statusbar-again" on:click=again>{app.t(T::Again)}</button>
                })}
            </p>
            <Plain world />
        }
        .into_any(),
    };
    let runs = Signal::derive(move || match kind.get() {
        Kind::Runs(hash) if !folded.get() => bar.with(|bar| bar.as_ref().map(|bar| (hash, bar.code.clone()))),
        _ => None,
    });
    let framed = Framed { runs, feed: feed.into(), title, hear };
    // Once one has run, its place stays.
    let is_framed = Memo::new(move |before: Option<&bool>| before == Some(&true) || runs.with(Option::is_some));
    let frame = move || is_framed.get().then(|| app.chunks.aside.show(app, move |aside| (aside.status_frame)(framed)));
    let fold = move |_| {
        let is_folded = !folded.get_untracked();
        app.prefer(move |preferences| preferences.status_bar_folded = is_folded);
    };
    let revoke = move |_| {
        let revoked = hash.get_untracked();
        app.prefer(move |preferences| preferences.status_bars.retain(|known| Some(known) != revoked.as_ref()));
    };
    let fold_word = move || if folded.get() { app.t(T::Unfold)() } else { app.t(T::Fold)() };
    view! {
        <section class="status" data-testid="statusbar" data-kind=move || kind.with(Kind::name) aria-label=title
            hidden=move || kind.with(|kind| *kind == Kind::Nothing)>
            <header class="status-head">
                <span class="status-title">{title}</span>
                <button class="link" data-testid="statusbar-revoke" hidden=move || !is_allowed.get() || folded.get() on:click=revoke>
                    {app.t(T::Revoke)}
                </button>
                <button class="icon-button" data-testid="statusbar-fold" aria-expanded=move || (!folded.get()).to_string()
                    aria-label=fold_word title=fold_word on:click=fold>
                    {move || view! { <Icon shape=if folded.get() { Shape::CHEVRON_UP } else { Shape::CHEVRON_DOWN } /> }}
                </button>
            </header>
            {body}
            {frame}
        </section>
    }
}

/// Puts what a bar suggests into the composer, where nothing of the reader's own is in the way. It is never sent from
/// here.
fn suggest(app: App, words: String) {
    let story = app.story;
    if !story.writer.get_untracked() {
        return;
    }
    let put = story
        .suggested
        .with_value(|last| story.composed.with_untracked(|composed| status_bar::suggest(composed, last, &words)));
    match put {
        Some(words) => {
            story.suggested.set_value(words.clone());
            story.composed.set(words);
        }
        None => app.notify(NoticeKind::Info, T::ComposerTaken),
    }
}

/// Remembers that this text may run.
fn allow(app: App, hash: String) {
    app.prefer(move |preferences| {
        preferences.status_bars.retain(|known| *known != hash);
        preferences.status_bars.push(hash.clone());
        let surplus = preferences.status_bars.len().saturating_sub(CONSENTS);
        preferences.status_bars.drain(..surplus);
    });
}
