//! A scene to try a preset on: the last turn of a story as if it were to be answered again, or the demo's first.

use super::{
    open::openings,
    scene::{self, Loaded},
    scripts, session,
};
use crate::{
    ports::{Clock, Store, till::Purpose},
    prompt::{builtin, context::ContextStore, tokens::Calibration},
    sim::demo,
    store::Stored,
    story::{
        character::Character,
        connection::Connection,
        generation::Generation,
        ids::TurnId,
        settings::Config,
        state::State,
        storyline::{Language, Storyline},
        tree::{Node, Path},
        trigger::Trigger,
        turn::Turn,
    },
};

/// The scene of a storyline. What is missing there is blank here: nothing is sent.
///
/// # Errors
/// The store failed, or the tree is broken.
pub async fn rehearse(store: &dyn Store, clock: &dyn Clock, storyline: &Storyline) -> Stored<Loaded> {
    let mut path = scene::path(store, storyline).await?;
    let before = scene::state_before(store, storyline, &path, path.end.saturating_sub(1)).await?;
    let connection = scene::connection(store, storyline).await.unwrap_or_default();
    let room = Calibration::of(&connection).unscale(scene::budget(&connection));
    let mut history = scene::newest(store, &path, room).await?;
    await_answer(&mut history, &mut path, storyline);
    let session = session::session_at(store, storyline, &path, path.end.saturating_sub(1)).await?;
    if let (Some(session), Some(last)) = (session, history.last_mut()) {
        last.turn.session.clone_from(&session.id);
    }
    let background = match &storyline.background {
        Some(id) => store.load(id.as_str()).await?,
        None => None,
    };
    let mut loaded = Loaded {
        storyline: storyline.clone(),
        speaker: None,
        group: None,
        character: store.load::<Character>(storyline.character().as_str()).await?.unwrap_or_default(),
        plays_as: scene::plays_as(store, storyline).await,
        background,
        background_fault: None,
        state: store.load::<State>(before.as_str()).await?.unwrap_or_default(),
        preset: builtin::plain(storyline.language),
        trigger: Trigger::default(),
        connection,
        history,
        head: Vec::new(),
        path,
        opened: session.and_then(|session| session.opened.clone()),
        config: store.load::<Config>(Config::ID).await?.unwrap_or_default().in_range(),
        utc_offset: 0,
        past: None,
        context: ContextStore::default(),
        scripts: None,
        newest: None,
        purpose: Purpose::default(),
        question: None,
    };
    scripts::read_through(store, clock, &mut loaded).await?;
    Ok(loaded.with_head(store).await?.by(clock))
}

/// The demo's scene, for a reader who has no story yet.
pub fn demo_scene(language: Language, clock: &dyn Clock) -> Loaded {
    let demo = demo::demo(language);
    let storyline = Storyline { title: demo.title, language, demo: true, ..Default::default() };
    let opening = openings(&demo.character, Some(&demo.background)).into_iter().next().unwrap_or_default();
    let opening = Node {
        turn: Turn { id: TurnId::from("opening"), ..Default::default() },
        generations: vec![Generation { text: opening, ..Default::default() }],
        seen: Some(0),
    };
    let (mut history, mut path) = (vec![opening], Path { end: 1, ..Path::default() });
    await_answer(&mut history, &mut path, &storyline);
    let loaded = Loaded {
        storyline,
        state: State::of(demo.character.persona()),
        speaker: None,
        group: None,
        character: demo.character,
        plays_as: None,
        background: Some(demo.background),
        background_fault: None,
        preset: builtin::plain(language),
        trigger: Trigger::default(),
        connection: Connection::default(),
        history,
        head: Vec::new(),
        path,
        opened: None,
        config: Config::default(),
        utc_offset: 0,
        past: None,
        context: ContextStore::default(),
        scripts: None,
        newest: None,
        purpose: Purpose::default(),
        question: None,
    };
    loaded.by(clock)
}

/// The last turn waits for its reply; after an opening, the reader says what the demo suggests.
fn await_answer(history: &mut Vec<Node>, path: &mut Path, storyline: &Storyline) {
    match history.last_mut() {
        Some(last) if last.turn.user.is_some() => last.seen = None,
        _ => {
            let suggested = demo::demo(storyline.language).replies.into_iter().next();
            let turn = Turn {
                id: TurnId::from("rehearsal"),
                position: path.end,
                session: storyline.current_session.clone(),
                user: suggested.and_then(|beat| beat.suggestions.into_iter().next()),
                ..Default::default()
            };
            history.push(Node { turn, generations: Vec::new(), seen: None });
            path.end += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{prompt::framework::assemble, sim::ports::MemoryClock, story::preset::Role};

    #[test]
    fn the_demo_can_be_assembled_by_every_preset() {
        for language in [Language::Zh, Language::En] {
            for (id, _) in builtin::BUILTIN {
                let mut loaded = demo_scene(language, &MemoryClock::at(0));
                loaded.preset = builtin::builtin(id, language).unwrap();
                let prompt = assemble(&loaded.scene(), loaded.budget());
                let heard = prompt.messages.last().unwrap();
                let words = loaded.history[1].turn.user.clone().unwrap();
                assert!(heard.role == Role::User && heard.content.contains(&words), "{id}: {heard:?}");
                assert!(prompt.account.total_tokens > 0);
            }
        }
    }
}
