//! The circle at work (seed `004`; F7): one character at a time posts, or looks at a post and reacts.
//!
//! What is to be done follows from what is stored ([`features::circle::due`]), and is entered where it still is to be done:
//! whatever ends it, what was said stays said, and nobody says it twice.

use std::{pin::pin, rc::Rc};

use futures_util::{FutureExt, future::try_join_all};

use super::{
    budget::{self, Leave},
    group, meter,
    opening::Opening,
    scene,
    scene::Loaded,
    scribe::Miss,
    stream::{self, Stop, unless},
};
use crate::{
    features::{
        circle::{
            Act, CircleSettings, Due, Member, NAME, Pace, Part, Rhythm, SPAN, due, memory,
            request::{self, ANSWER, Reaction, Said, Told},
        },
        transcript::speech,
    },
    ports::{Ports, Store, recent::Recent, till::Purpose},
    prompt::{
        macros::{Values, expand},
        tokens::{Calibration, PER_MESSAGE, estimate},
    },
    store::{Query, Stored, Table},
    story::{
        LAST_MILLIS, Millis,
        character::Character,
        clip,
        company::is_in,
        fault::{Fault, FaultKind},
        lines::to_lines,
        post::{Comment, Like, Look, Post},
        reader::Reader,
        reader_persona::ReaderPersona,
        sampling::Refused,
        settings::Preferences,
        spending::Kind,
        state::State,
        storyline::{Language, Storyline},
    },
};

/// By which tabs tell each other that the circle has changed.
pub const CHANGED: &str = "circle";

/// How far back it is looked for what a story is told, further where that is not enough.
const SPANS: [Millis; 3] = [3 * 24 * 60 * 60 * 1000, 14 * 24 * 60 * 60 * 1000, SPAN];

/// Stories that one has lived through lately and that are told of in the circle, and the turns of each.
const STORIES: usize = 2;
const TURNS: u32 = 6;
/// Characters of what was said in one turn, and tokens of a whole story.
const TURN: usize = 400;
const STORY: u32 = 700;

/// What is used of a day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Used {
    pub calls: u32,
    pub tokens: u64,
}

impl Used {
    /// Whether nothing more may be done today.
    pub fn is_up(self, rhythm: &Rhythm) -> bool {
        self.left(rhythm).is_none_or(|tokens| tokens < ANSWER)
    }

    /// Tokens that a further call may cost; `None`: there is to be none.
    fn left(self, rhythm: &Rhythm) -> Option<u32> {
        let left = u64::from(rhythm.tokens).checked_sub(self.tokens).filter(|_| self.calls < rhythm.calls)?;
        left.try_into().ok()
    }
}

/// # Errors
/// The store failed.
pub async fn used(ports: &Ports) -> Stored<Used> {
    meter::book(ports).await;
    let records = budget::of_day(&*ports.store, budget::today(ports)).await?;
    let lines = records.iter().flat_map(|record| &record.lines).filter(|line| line.kind == Kind::Circle);
    Ok(lines.fold(Used::default(), |used, line| Used {
        calls: used.calls + line.calls,
        tokens: used.tokens + line.prompt + line.completion,
    }))
}

/// What was posted lately, the oldest first; one that cannot be read hides no other.
///
/// # Errors
/// The store failed.
pub async fn lately(store: &dyn Store, now: Millis) -> Stored<Vec<Post>> {
    since(store, now.saturating_sub(SPAN)).await
}

/// The same since a time.
///
/// # Errors
/// The store failed.
pub async fn since(store: &dyn Store, from: Millis) -> Stored<Vec<Post>> {
    let time = |at: Millis| crate::store::Key::Number(at as f64);
    store.list(Query::between(Table::Posts, "created", time(from), time(LAST_MILLIS))).await
}

/// What the reader is called in the circle: as whom they usually play, or by the name that they gave.
pub async fn reader_name(store: &dyn Store, preferences: &Preferences) -> String {
    let persona = match &preferences.plays_as {
        Some(id) => store.load::<ReaderPersona>(id.as_str()).await.ok().flatten(),
        None => None,
    };
    let persona = persona.filter(|persona| persona.deleted.is_none() && !persona.name.trim().is_empty());
    persona.map_or_else(|| preferences.user_name.clone(), |persona| persona.name)
}

/// What comes next of what goes by itself, and when; `None`: nothing does.
///
/// # Errors
/// The store failed.
pub async fn next(ports: &Ports, parts: &[Part], pace: Pace) -> Stored<Option<Due>> {
    if parts.is_empty() || pace == Pace::Hand {
        return Ok(None);
    }
    let now = ports.clock.now();
    Ok(due::coming(parts, &lately(&*ports.store, now).await?, pace, now).into_iter().next())
}

/// Does what is due. False where it is not to be done any more.
///
/// # Errors
/// What kept it from being done: of a fault nothing is written; an answer that cannot be used is noted as silence, so that
/// nobody pays for it again.
pub async fn act(ports: &Ports, due: &Due, language: Language, stop: Stop) -> Result<bool, Miss> {
    let mut stop = pin!(stop.reason().fuse());
    let done = unless(&mut stop, doing(ports, due, language)).await;
    meter::book(ports).await;
    if !matches!(done, Ok(false)) {
        ports.tabs.announce(CHANGED);
    }
    done
}

async fn doing(ports: &Ports, wanted: &Due, language: Language) -> Result<bool, Miss> {
    let store = &*ports.store;
    let now = ports.clock.now();
    let character = store.load::<Character>(wanted.who.as_str()).await.map_err(Fault::from)?;
    let member = character.filter(|one| one.deleted.is_none()).and_then(|one| Some((Member::of(&one)?, one)));
    let Some((member, character)) = member else { return Ok(false) };
    let posts = lately(store, now).await.map_err(Fault::from)?;
    let post = match &wanted.act {
        Act::Post => None,
        Act::Look(id) => {
            // By hand it looks at what is older than its part in the circle, too; but at nothing that it has seen.
            let unseen = |post: &&Post| due::unseen(post, &character.id, member.joined.min(post.created)).is_some();
            match posts.iter().find(|post| post.id == *id).filter(unseen) {
                Some(post) => Some(post),
                None => return Ok(false),
            }
        }
    };
    // What is not a story's is bound by the day alone, and by the circle's own bounds.
    Leave::ask(ports, &Storyline::default(), Kind::Circle).await?;
    let preferences: Preferences = store.load(Preferences::ID).await.map_err(Fault::from)?.unwrap_or_default();
    let left = used(ports).await.map_err(Fault::from)?.left(&Rhythm::of(&preferences));
    let mut connection = scene::connection(store, &Storyline::default()).await?;
    let called = reader_name(store, &preferences).await;
    let reader = Reader::new(&called, language);
    let lived = lived(store, &character, language).await.map_err(Fault::from)?;
    let told = Told { character: &character, reader, posts: &posts, lived: &lived, now };
    let (messages, shape) = match post {
        Some(post) => request::look(&told, post),
        None => request::post(&told),
    };
    let asked = messages.iter().map(|message| estimate(&message.content) + PER_MESSAGE).sum();
    let thoughts = Refused::taken(&connection).room();
    let prompt = Calibration::of(&connection).scale(asked) + thoughts;
    let room = left.and_then(|left| left.checked_sub(prompt));
    let Some(room) = room.filter(|room| *room >= ANSWER) else {
        return Err(Fault::new(FaultKind::OverBudget, "").into());
    };
    // However much it says, it keeps within the bound.
    connection.sampling.max_tokens = connection.sampling.max_tokens.map(|tokens| tokens.clamp(ANSWER, room));
    let purpose = Purpose { kind: Kind::Circle, ..Purpose::default() };
    let said = stream::shaped(ports, &connection, &messages, &shape, &purpose, Stop::never()).await?.text;
    match post {
        Some(post) => {
            let reaction = request::read_look(&said, &character.name);
            react(ports, &character, post, reaction.as_ref(), now).await?;
            reaction.map(|_| true).ok_or(Miss::Unusable)
        }
        None => {
            let read = request::read_post(&said, &character.name);
            write(ports, &character, &posts, read.as_ref()).await?;
            read.map(|_| true).ok_or(Miss::Unusable)
        }
    }
}

/// Enters how one reacts to a post as it was `told`; `None`: it says nothing. What another has entered meanwhile stands.
async fn react(
    ports: &Ports,
    who: &Character,
    told: &Post,
    reaction: Option<&Reaction>,
    seen: Millis,
) -> Result<(), Fault> {
    let (now, id) = (ports.clock.now(), ports.id());
    let times = told.look(&who.id).map_or(0, |look| look.times);
    let enter = |post: &mut Post| {
        if post.look(&who.id).map_or(0, |look| look.times) != times {
            return;
        }
        let at = post.looks.iter().position(|look| look.who == who.id).unwrap_or_else(|| {
            post.looks.push(Look { who: who.id.clone(), ..Look::default() });
            post.looks.len() - 1
        });
        let look = &mut post.looks[at];
        (look.seen, look.times) = (seen, times + 1);
        post.updated = now;
        let Some(reaction) = reaction else { return };
        if !reaction.remember.is_empty() {
            look.kept.push(reaction.remember.clone());
        }
        if reaction.like && post.author.as_ref() != Some(&who.id) && !post.is_liked_by(Some(&who.id)) {
            post.likes.push(Like { who: Some(who.id.clone()), name: who.name.clone(), at: now });
        }
        if !reaction.comment.is_empty() {
            // The numbers are those of what it was told.
            let to = reaction.to.checked_sub(1).and_then(|at| told.comments.get(at)).map(|to| to.id.clone());
            let to = to.filter(|id| post.comment(id).is_some());
            post.comments.push(Comment {
                id,
                author: Some(who.id.clone()),
                name: who.name.clone(),
                text: reaction.comment.clone(),
                at: now,
                to,
            });
        }
    };
    ports.store.amend(told.id.as_str(), enter).await?;
    Ok(())
}

/// Writes what one posts; nothing where it has nothing to say, or has said it before.
async fn write(ports: &Ports, who: &Character, posts: &[Post], said: Option<&Said>) -> Result<(), Fault> {
    let now = ports.clock.now();
    let is_old =
        |text: &str| posts.iter().any(|post| post.author.as_ref() == Some(&who.id) && post.text.trim() == text);
    if let Some(said) = said.filter(|said| !said.text.is_empty() && !is_old(&said.text)) {
        let asset = who.assets.iter().find(|asset| !said.picture.is_empty() && asset.name.trim() == said.picture);
        let post = Post {
            id: ports.id(),
            author: Some(who.id.clone()),
            name: who.name.clone(),
            text: said.text.clone(),
            picture: asset.map(|asset| asset.blob.clone()),
            caption: asset.map(|asset| asset.name.trim().to_owned()).unwrap_or_default(),
            created: now,
            updated: now,
            ..Post::default()
        };
        ports.store.save(&post).await?;
    }
    let posted = |character: &mut Character| {
        if let Some(mut member) = Member::of(character) {
            member.posted = Some(now);
            member.keep(character);
        }
    };
    ports.store.amend(who.id.as_str(), posted).await?;
    Ok(())
}

/// What one has lived through in the stories that the reader lets the circle know of, in those that were played last.
async fn lived(store: &dyn Store, who: &Character, language: Language) -> Stored<String> {
    let stories: Vec<Storyline> = store.list(Query::equal(Table::Storylines, "cast", who.id.as_str())).await?;
    let may_tell = |one: &&Storyline| {
        let settings: CircleSettings = one.features.get().unwrap_or_default();
        settings.tells && one.deleted.is_none() && !one.demo
    };
    let mut stories: Vec<&Storyline> = stories.iter().filter(may_tell).collect();
    stories.sort_by_key(|one| std::cmp::Reverse(one.last_active));
    stories.truncate(STORIES);
    let told = try_join_all(stories.into_iter().map(|one| in_story(store, one, who, language))).await?;
    Ok(told.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n"))
}

/// Who one has become in a story, and its newest turns, as far as they were there.
async fn in_story(store: &dyn Store, storyline: &Storyline, who: &Character, language: Language) -> Stored<String> {
    let path = scene::path(store, storyline).await?;
    let speaker = storyline.as_speaker(&who.id);
    let group = group::of(store, storyline, &path, speaker.as_ref(), None, None).await?;
    // Of one that is gone only they are left.
    let own = group::own(store, storyline).await.map_or_else(|_| who.name.clone(), |own| own.name);
    let voices = group::voices(store, storyline, &own).await?;
    // The last turn is heard where they were there for it.
    let mut nodes = scene::told(store, &path, path.end.saturating_sub(TURNS), path.end).await?;
    if let Some(group) = &group {
        let last = path.end.saturating_sub(1);
        let hears = |position: u32| {
            if position == last { group.hears.contains(&who.id) } else { !is_in(&group.unheard, position) }
        };
        nodes.retain(|node| hears(node.turn.position));
    }
    let state = scene::state_before(store, storyline, &path, path.end).await?;
    let state = store.load::<State>(state.as_str()).await?.unwrap_or_default();
    let persona = state.persona(speaker.as_ref());
    let colon = language.pick("：", ": ");
    let listed = |title: &str, text: String| match text.trim() {
        "" => String::new(),
        text => format!("{title}{colon}{}", text.lines().collect::<Vec<_>>().join(language.pick("；", "; "))),
    };
    let [ties, feels] = match language {
        Language::Zh => ["关系", "心情"],
        Language::En => ["Ties", "Feels"],
    };
    // A card has the names as macros, and so may what was made of it.
    let names = Values { char: &who.name, user: storyline.reader().told(), original: "" };
    let mut lines = [
        persona.evolved_persona.trim().to_owned(),
        listed(ties, to_lines(&persona.growth_state.relationships)),
        listed(feels, to_lines(&persona.current_state.emotions)),
    ]
    .map(|line| expand(&line, &names))
    .to_vec();
    let mut turns = Vec::new();
    let mut room = STORY;
    for node in nodes.iter().rev() {
        let said = clip(speech(node, voices.in_turn(node), storyline.reader()).trim(), TURN);
        let cost = estimate(&said);
        if cost > room {
            break;
        }
        room -= cost;
        turns.push(said);
    }
    lines.extend(turns.into_iter().rev());
    lines.retain(|line| !line.is_empty());
    if lines.is_empty() {
        return Ok(String::new());
    }
    lines.insert(0, request::of_story(&storyline.title, language));
    Ok(lines.join("\n"))
}

/// What was posted in the last days before a new turn that may tell of it: as it is at hand, or read while the rest of the turn
/// is.
pub(super) async fn newest(ports: &Ports, opening: &Opening, recent: &Recent) -> Option<Rc<[Post]>> {
    let store = &*ports.store;
    let turn = opening.turn.as_ref()?;
    let preset = scene::preset(store, &opening.storyline).await;
    if !opening.storyline.is_on(&preset, NAME) {
        return None;
    }
    let from = turn.created.saturating_sub(SPANS[0]);
    if let Some(posts) = recent.posts(from) {
        return Some(posts);
    }
    let posted = recent.posted();
    let posts: Rc<[Post]> = since(store, from).await.ok()?.into();
    recent.keep_posts(from, posts.clone(), posted);
    Some(posts)
}

/// Puts into the context of a turn what who speaks remembers of the circle.
pub(super) async fn tell(ports: &Ports, loaded: &mut Loaded, mut newest: Option<Rc<[Post]>>) {
    if !loaded.storyline.is_on(&loaded.preset, NAME) || Member::of(&loaded.character).is_none() {
        return;
    }
    let now = loaded.scene().now;
    let reader = loaded.storyline.reader();
    let name = loaded.character.name.as_str();
    let room = memory::TOKENS.min(loaded.budget() / 12);
    let language = reader.language;
    let whose = memory::Whose { id: &loaded.character.id, name, reader: reader.told().plain, language };
    // As far back as there is room for: a turn does not wait for a year of posts.
    let mut lines = Vec::new();
    for span in SPANS {
        let posts = match newest.take() {
            Some(newest) => newest,
            // A story is told without it rather than not at all.
            None => since(&*ports.store, now.saturating_sub(span)).await.unwrap_or_default().into(),
        };
        let told = memory::told(&posts, whose, now, room);
        let is_full = told.iter().map(|line| estimate(line)).sum::<u32>() > room * 3 / 4;
        lines = told;
        if is_full {
            break;
        }
    }
    if lines.is_empty() {
        return;
    }
    loaded.context.put(NAME, memory::in_story(name, &lines, language));
}
