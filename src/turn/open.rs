//! Opens a storyline: the character's layers are copied into its first state, the opening becomes turn 0.

use crate::{
    ports::Ports,
    prompt::macros::{Values, expand_with, plain::Plain, time::Moment},
    store::{Batch, Stored},
    story::{
        background::Background,
        character::Character,
        generation::{Generation, Status},
        ids::{ConnectionId, PresetId, ReaderPersonaId, SessionId},
        state::State,
        storyline::{Language, Session, Storyline},
        tree::{Branch, Head},
        turn::Turn,
    },
};

/// What the reader chose.
pub struct NewStoryline<'a> {
    pub title: String,
    pub character: &'a Character,
    pub background: Option<&'a Background>,
    pub preset: PresetId,
    pub connection: Option<ConnectionId>,
    pub user_name: String,
    pub plays_as: Option<ReaderPersonaId>,
    pub language: Language,
    pub demo: bool,
}

/// Creates the storyline with its root branch, first session, first state and opening, in one commit.
pub async fn open_storyline(ports: &Ports, new: NewStoryline<'_>) -> Stored<Storyline> {
    let now = ports.clock.now();
    let (character, background) = (new.character, new.background);
    let mut storyline = Storyline {
        id: ports.id(),
        title: new.title,
        cast: vec![character.id.clone()],
        background: background.map(|background| background.id.clone()),
        preset: new.preset,
        connection: new.connection,
        user_name: new.user_name,
        plays_as: new.plays_as,
        language: new.language,
        created: now,
        last_active: now,
        demo: new.demo,
        current_session: ports.id::<SessionId>(),
        initial_state: ports.id(),
        ..Default::default()
    };
    storyline.sessions = vec![Session { id: storyline.current_session.clone(), created: now, ..Default::default() }];

    let state = State {
        id: storyline.initial_state.clone(),
        storyline: storyline.id.clone(),
        created: now,
        ..State::of(character.persona())
    };
    let mut branch =
        Branch { id: ports.id(), storyline: storyline.id.clone(), length: 1, created: now, ..Default::default() };
    storyline.head = Head { branch: branch.id.clone(), end: 1 };

    let mut turn = Turn {
        id: ports.id(),
        storyline: storyline.id.clone(),
        branch: branch.id.clone(),
        session: storyline.current_session.clone(),
        created: now,
        ..Default::default()
    };
    let values = Values { char: &character.name, user: storyline.reader().in_story(), original: "" };
    let moment = Moment::new(now, ports.clock.utc_offset(now));
    let seeds = [turn.id.as_str(), storyline.id.as_str()];
    let opening = |text: &str| {
        let mut plain = Plain::new(moment, storyline.language, seeds, Default::default());
        expand_with(text, &mut |call| values.get(call).or_else(|| plain.get(call)))
    };
    let generations: Vec<_> = openings(character, background)
        .into_iter()
        .zip(now..)
        .map(|(text, started)| Generation {
            id: ports.id(),
            turn: turn.id.clone(),
            storyline: storyline.id.clone(),
            branch: branch.id.clone(),
            text: opening(&text),
            status: Status::Done,
            // One after another: replies stand in the order in which they began.
            started,
            finished: Some(started),
            state: Some(state.id.clone()),
            ..Default::default()
        })
        .collect();
    if generations.len() > 1 {
        branch.swipes.push(0);
    }
    turn.chosen = generations.first().map(|generation| generation.id.clone());

    let mut batch = Batch::new().put(&storyline).put(&state).put(&branch).put(&turn);
    for generation in &generations {
        batch.push(generation);
    }
    ports.store.commit(batch).await?;
    ports.tabs.announce(storyline.id.as_str());
    Ok(storyline)
}

/// What the reader meets first: the world's initial context, then the character's greeting; each further greeting is
/// another reply of the same turn.
pub(super) fn openings(character: &Character, background: Option<&Background>) -> Vec<String> {
    let context = background.map_or("", |background| background.initial_context.trim());
    let card = &character.card;
    let greetings = std::iter::once(&card.first_mes).chain(&card.alternate_greetings).map(|text| text.trim());
    let mut openings: Vec<String> = greetings
        .filter(|greeting| !greeting.is_empty())
        .map(|greeting| if context.is_empty() { greeting.to_owned() } else { format!("{context}\n\n{greeting}") })
        .collect();
    if openings.is_empty() && !context.is_empty() {
        openings.push(context.to_owned());
    }
    openings
}
