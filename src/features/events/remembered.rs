//! Events: a change of state becomes a memory, in the commit of the reply that brought it (seed `001`, B7).
//!
//! No model is asked: what changed is known, and what was said is at hand.

use serde_json::{Map, Value};

use crate::{
    features::reading::narrative,
    prompt::macros::{Values, expand},
    story::{
        clip,
        event::Stage,
        generation::Generation,
        ids::{GenerationId, MemoryId},
        memory::{Kind, Memory},
        persona::Item,
        plot::PointStatus,
        reader::Reader,
        state::Change,
        storyline::{Language, Storyline},
        turn::Turn,
        world,
    },
};

/// Characters of each side that an event keeps of what was said.
const CONTEXT: usize = 240;

/// Who may be told an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Whoever was there may be told it.
    All,
    /// Theirs alone who spoke: what one of several feels and wants.
    Own,
}

impl Reach {
    pub const ALL: [Self; 2] = [Self::All, Self::Own];

    /// The id of such an event of a reply.
    pub fn id(self, reply: &GenerationId) -> MemoryId {
        match self {
            Self::All => MemoryId(format!("evt-{reply}")),
            Self::Own => MemoryId(format!("evt-{reply}-own")),
        }
    }
}

/// The events of a reply that changed the state, each under an id of its own, in the place of those that are `known` of it:
/// what the reader set on one of them stays. None where nothing changed that is worth finding again.
pub fn events(
    storyline: &Storyline,
    character: &str,
    turn: &Turn,
    reply: &Generation,
    known: &[Memory],
) -> Vec<Memory> {
    // Of one who spoke among several it is theirs still when the others have gone.
    let several = storyline.is_group() || reply.speaker.is_some() || known.iter().any(|event| event.owner.is_some());
    let (own, all): (Vec<_>, Vec<_>) =
        reply.changes().into_iter().partition(|change| several && matches!(change, Change::Item { .. }));
    let of = |reach, changes: &[Change]| event(storyline, character, turn, reply, reach, changes);
    let mut events: Vec<Memory> = of(Reach::All, &all).into_iter().chain(of(Reach::Own, &own)).collect();
    let is_alone = events.len() == 1;
    for event in &mut events {
        // What all were told before may be one's own by now, or the other way round.
        let moved = || known.first().filter(|_| is_alone);
        if let Some(before) = known.iter().find(|before| before.id == event.id).or_else(moved) {
            (event.pinned, event.hidden, event.created) = (before.pinned, before.hidden, before.created);
            if before.worded {
                (event.text, event.detail, event.worded) = (before.text.clone(), before.detail.clone(), true);
            }
        }
    }
    // How it went is told once.
    if let [_, own] = &mut events[..]
        && !own.worded
    {
        own.detail.clear();
    }
    events
}

fn event(
    storyline: &Storyline,
    character: &str,
    turn: &Turn,
    reply: &Generation,
    reach: Reach,
    changes: &[Change],
) -> Option<Memory> {
    let language = storyline.language;
    let reader = storyline.reader();
    let said: Vec<String> = changes.iter().filter_map(|change| sentence(change, character, reader)).collect();
    if said.is_empty() {
        return None;
    }
    let (colon, stop) = match language {
        Language::Zh => ("：", "；"),
        Language::En => (": ", "; "),
    };
    let told = narrative(&reply.text);
    // Who comes and goes is said by nobody.
    let opening = if turn.is_stage { "" } else { reader.told().opening };
    let spoken = [(opening, turn.user.as_deref().unwrap_or_default()), (character, told.as_str())];
    let spoken = spoken.iter().filter(|(_, text)| !text.trim().is_empty());
    let line = |(who, text): &(&str, &str)| match clip(text.trim(), CONTEXT) {
        said if who.is_empty() => said.to_string(),
        said => format!("{who}{colon}{said}"),
    };
    let lines: Vec<String> = spoken.map(line).collect();
    let at = reply.finished.unwrap_or(reply.started);
    Some(Memory {
        id: reach.id(&reply.id),
        storyline: storyline.id.clone(),
        session: turn.session.clone(),
        kind: Kind::Event,
        branch: reply.branch.clone(),
        position: reply.position,
        generation: Some(reply.id.clone()),
        owner: (reach == Reach::Own).then(|| storyline.speaker(reply.speaker.as_ref()).clone()),
        // A note tells of all the turns that it was made of.
        turns: (reply.noted().map_or(reply.position, |noted| noted.turns.0.min(reply.position)), reply.position),
        // An outline and the world are written with names still open.
        text: expand(&said.join(stop), &Values { char: character, user: reader.told(), original: "" }),
        detail: lines.join("\n"),
        event_id: Some(format!("evt_{}_{}_{}", storyline.id, turn.session, reply.position)),
        state_changes: state_changes(changes),
        created: at,
        updated: at,
        ..Default::default()
    })
}

/// A change in words; `None` for what is only housekeeping.
fn sentence(change: &Change, character: &str, reader: Reader) -> Option<String> {
    let language = reader.language;
    let zh = language == Language::Zh;
    Some(match change {
        Change::Item { item, was } => return item_sentence(item, was.as_deref(), character, reader),
        Change::Plot { index, status, content, .. } => match (status, zh) {
            (PointStatus::Completed, true) => format!("剧情第{index}点完成：{content}"),
            (PointStatus::Completed, false) => format!("Plot point {index} completed: {content}"),
            (_, true) => format!("剧情来到第{index}点：{content}"),
            (_, false) => format!("The plot came to point {index}: {content}"),
        },
        Change::World { key, from, to: Some(to) } => {
            let [from, to] = [from.as_ref(), Some(to)].map(|value| value.map(|value| world_words(value, language)));
            let now = moved(from.as_deref(), &to.unwrap_or_default());
            format!("{key}{}{now}", language.pick("：", ": "))
        }
        Change::Event { name, stage: Stage::Settled, .. } => format!("{name}{}", language.pick("了结了", " is over")),
        Change::Event { name, .. } => format!("{name}{}", language.pick("开始了", " begins")),
        Change::World { key, to: None, .. } => format!("{key}{}", language.pick("不再有了", " is no more")),
        Change::MajorEvent { .. } | Change::GrowthHeld { .. } | Change::Maintained { .. } | Change::Text { .. } => {
            return None;
        }
    })
}

fn item_sentence(item: &Item, was: Option<&str>, character: &str, reader: Reader) -> Option<String> {
    if item.texts()[0].trim().is_empty() {
        return None;
    }
    let moved = |now: &str| moved(was, now);
    Some(match (item, reader.language == Language::Zh) {
        (Item::Relationship { entity, status, history }, zh) => {
            let entity = if reader.is(entity) { reader.told().plain } else { entity };
            match (tie(was, status, history), zh) {
                (Some(tie), true) => format!("{character}与{entity}：{tie}"),
                (Some(tie), false) => format!("{character} and {entity}: {tie}"),
                (None, true) => format!("{character}与{entity}有了往来"),
                (None, false) => format!("{character} and {entity} have come to know each other"),
            }
        }
        (Item::Physical { condition }, true) => format!("{character}的身体：{}", moved(condition)),
        (Item::Physical { condition }, false) => format!("{character}'s body: {}", moved(condition)),
        (Item::Belief { content, .. }, true) => format!("{character}相信：{content}"),
        (Item::Belief { content, .. }, false) => format!("{character} believes: {content}"),
        (Item::Pattern { pattern }, true) => format!("{character}的习惯：{pattern}"),
        (Item::Pattern { pattern }, false) => format!("{character}'s habit: {pattern}"),
        (Item::Emotion { content, .. }, true) => format!("{character}感到：{content}"),
        (Item::Emotion { content, .. }, false) => format!("{character} feels: {content}"),
        (Item::Goal { goal, .. }, true) => format!("{character}想要：{goal}"),
        (Item::Goal { goal, .. }, false) => format!("{character} wants: {goal}"),
    })
}

/// How a relationship stands now, or what is told of it where that is all there is or all that is new. `None`: nothing
/// is known of it.
fn tie(was: Option<&str>, status: &str, history: &str) -> Option<String> {
    match (status.trim(), history.trim()) {
        ("", "") => None,
        ("", history) => Some(history.to_owned()),
        (status, history) if was == Some(status) && !history.is_empty() => Some(history.to_owned()),
        (status, _) => Some(moved(was, status)),
    }
}

/// `before → now`, as the seed writes it.
fn moved(was: Option<&str>, now: &str) -> String {
    match was {
        Some(was) if !was.is_empty() => format!("{was} → {now}"),
        _ => now.to_owned(),
    }
}

/// Characters of a value of the world.
const VALUE: usize = 80;

fn world_words(value: &Value, language: Language) -> String {
    clip(&world::words(value, language), VALUE)
}

/// By the name of the part, as the seed writes it: `{"relationships": "Stranger → Potential_Ally"}`.
fn state_changes(changes: &[Change]) -> Value {
    let mut parts: Map<String, Value> = Map::new();
    for change in changes {
        let (part, text) = match change {
            Change::Item { item, was } => {
                let now = match item {
                    Item::Relationship { entity, status, history } => {
                        tie(was.as_deref(), status, history).unwrap_or_else(|| entity.clone())
                    }
                    _ => moved(was.as_deref(), item.texts()[0]),
                };
                (item.kind().name(), now)
            }
            Change::Plot { index, status, .. } => ("plot", format!("{index} {}", status.name())),
            Change::Event { name, stage, .. } => ("events", format!("{name}: {}", stage.name())),
            Change::World { key, from, to } => {
                let said = |value: &Option<Value>| value.as_ref().map(|value| clip(&world::written(value), VALUE));
                ("world", format!("{key}: {}", moved(said(from).as_deref(), &said(to).unwrap_or_else(|| "∅".into()))))
            }
            Change::MajorEvent { .. } | Change::GrowthHeld { .. } | Change::Maintained { .. } | Change::Text { .. } => {
                continue;
            }
        };
        match parts.get_mut(part) {
            Some(Value::String(before)) => *before = format!("{before}; {text}"),
            _ => drop(parts.insert(part.to_owned(), text.into())),
        }
    }
    parts.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::story::plot::PointStatus;

    /// Whatever of it is known, and whatever the model calls the reader, who here has a name and here has none.
    #[test]
    fn a_relationship_is_remembered_as_a_sentence() {
        let remembered = |[name, entity, status, history]: [&str; 4], was: Option<&str>, language| {
            let storyline = Storyline { user_name: name.into(), language, ..Default::default() };
            let item = Item::Relationship { entity: entity.into(), status: status.into(), history: history.into() };
            let mut reply = Generation { text: "……".into(), ..Default::default() };
            reply.set_changes(&[Change::Item { item, was: was.map(str::to_owned) }]);
            let turn = Turn { user: Some("走".into()), ..Default::default() };
            let event = events(&storyline, "林夕", &turn, &reply, &[]).remove(0);
            assert!(!event.state_changes["relationship"].as_str().unwrap().is_empty());
            event.detail.split_once('走').unwrap().0.to_owned() + &event.text
        };
        let check = |item, language, expected: &str| assert_eq!(remembered(item, None, language), expected);
        let (zh, en) = (Language::Zh, Language::En);
        check(["", "你", "", ""], zh, "读者：林夕与读者有了往来");
        check(["", "user", "盟友", ""], zh, "读者：林夕与读者：盟友");
        check(["", "读者", "", "一起逃出了据点"], zh, "读者：林夕与读者：一起逃出了据点");
        check(["小雨", "你", "盟友", "一起逃出了据点"], zh, "小雨：林夕与小雨：盟友");
        check(["小雨", "阿青", "", ""], zh, "小雨：林夕与阿青有了往来");
        check(["", "You", "", ""], en, "The reader: 林夕 and the reader have come to know each other");
        check(["", "the reader", "ally", ""], en, "The reader: 林夕 and the reader: ally");
        check(["Lin", "user", "", "They fled together."], en, "Lin: 林夕 and Lin: They fled together.");
        let known = |status| remembered(["小雨", "user", status, "一起逃出了据点"], Some("盟友"), zh);
        assert_eq!(known("恋人"), "小雨：林夕与小雨：盟友 → 恋人");
        assert_eq!(known("盟友"), "小雨：林夕与小雨：一起逃出了据点", "what is new is told");
    }

    #[test]
    fn the_event_of_the_seed() {
        let storyline = Storyline { id: "story_001".into(), user_name: "用户".into(), ..Default::default() };
        let turn = Turn { session: "sess_001".into(), user: Some("我有证据".into()), ..Default::default() };
        let ally =
            Item::Relationship { entity: "用户".into(), status: "Potential_Ally".into(), history: String::new() };
        let mut reply = Generation {
            id: "g".into(),
            position: 30,
            text: "<narrative>Alserqi看到文件，瞳孔微缩……</narrative><state_update_json>{}</state_update_json>".into(),
            finished: Some(7),
            ..Default::default()
        };
        assert_eq!(events(&storyline, "Alserqi", &turn, &reply, &[]), [], "nothing changed");
        let point = Change::Plot {
            index: 3,
            status: PointStatus::InProgress,
            content: "与仇人对峙".into(),
            from_index: 2,
            from_status: "completed".into(),
            jumped_back: false,
        };
        reply.set_changes(&[
            Change::Item { item: ally, was: Some("Stranger".into()) },
            point,
            Change::Maintained { removed: 2 },
        ]);
        let event = events(&storyline, "Alserqi", &turn, &reply, &[]).remove(0);
        assert_eq!(event.event_id.as_deref(), Some("evt_story_001_sess_001_30"));
        assert_eq!(event.text, "Alserqi与用户：Stranger → Potential_Ally；剧情来到第3点：与仇人对峙");
        assert_eq!(event.detail, "用户：我有证据\nAlserqi：Alserqi看到文件，瞳孔微缩……");
        let changes = serde_json::json!({ "relationship": "Stranger → Potential_Ally", "plot": "3 in_progress" });
        assert_eq!((event.state_changes, event.created, event.turns), (changes, 7, (30, 30)));
    }

    /// In a story that others join, and that they leave: each time it is read anew, what the reader set stays, and what was
    /// one's own does not become everybody's. How it went is told once.
    #[test]
    fn whose_it_is_when_others_come_and_go() {
        let alone = Storyline { cast: vec!["man".into()], language: Language::En, ..Default::default() };
        let several = Storyline { cast: vec!["man".into(), "zhou".into()], ..alone.clone() };
        let goal = Item::Goal { goal: "to fool Man".into(), reason: String::new() };
        let world = Change::World { key: "lamp".into(), from: None, to: Some("out".into()) };
        let mut reply = Generation { id: "g".into(), text: "He nods.".into(), ..Generation::default() };
        reply.set_changes(&[Change::Item { item: goal.clone(), was: None }]);
        let turn = Turn { user: Some("Well?".into()), ..Default::default() };
        let read = |story: &Storyline, reply: &Generation, known: &[Memory]| events(story, "Zhou", &turn, reply, known);
        let of = |events: &[Memory]| -> Vec<_> {
            events.iter().map(|e| (e.owner.clone().map(|o| o.0), e.hidden, e.detail.is_empty())).collect()
        };
        let mut first = read(&alone, &reply, &[]);
        assert_eq!(of(&first), [(None, false, false)]);
        first[0].hidden = true;
        let joined = read(&several, &reply, &first);
        assert_eq!(of(&joined), [(Some("man".into()), true, false)]);
        assert_eq!(of(&read(&alone, &reply, &joined)), [(Some("man".into()), true, false)], "all others have quit");
        reply.speaker = Some("zhou".into());
        assert_eq!(of(&read(&alone, &reply, &[])), [(Some("zhou".into()), false, false)], "he has quit");
        reply.set_changes(&[Change::Item { item: goal, was: None }, world]);
        let both = read(&several, &reply, &joined);
        assert_eq!(of(&both), [(None, false, false), (Some("zhou".into()), true, true)]);
        let texts: Vec<_> = both.iter().map(|event| event.text.as_str()).collect();
        assert_eq!(texts, ["lamp: out", "Zhou wants: to fool Man"]);
    }
}
