//! Archives with a true checksum that are not as they should be: refused with the place, or imported and played.

use proptest::prelude::*;

use super::*;
use crate::{
    exchange::{
        archive::{Flaw, Mended},
        refusal::Warning,
    },
    sim::llm::Answer,
    store::{Record, decode},
    story::{
        character::Character,
        connection::Connection,
        generation::Status,
        ids::StorylineId,
        settings::Connections,
        storyline::Storyline,
        tree::{self, Branch},
        turn::Turn,
    },
    turn::{Ask, Conductor, scene, stream::Stop},
};

/// Room for whatever a test plays.
fn library_that_plays() -> Sim {
    let sim = Sim::new((0..200).map(|_| Answer::text(["嗯。"])));
    let connection = Connection {
        id: "c".into(),
        url: "http://localhost:9/v1".into(),
        model: "m".into(),
        timeout_seconds: 60,
        ..Default::default()
    };
    block_on(sim.ports.store.save(&Connections { list: vec![connection], ..Default::default() })).unwrap();
    sim
}

/// Numbers as a browser's database keeps them.
fn as_kept(value: &mut Value) {
    match value {
        Value::Number(number) => {
            let kept = number.as_f64().unwrap();
            let whole = kept.fract() == 0.0 && kept.abs() < 1e21;
            *value = serde_json::from_str(&if whole { format!("{kept:.0}") } else { kept.to_string() }).unwrap();
        }
        Value::Array(items) => items.iter_mut().for_each(as_kept),
        Value::Object(fields) => fields.values_mut().for_each(as_kept),
        _ => {}
    }
}

/// What an archive holds is all there is in the database, as a browser keeps it.
fn settle_in(sim: &Sim) {
    let kept: Vec<_> = library(&*sim.store).into_iter().collect();
    let kept: Vec<_> = kept
        .into_iter()
        .map(|((part, _), mut doc)| {
            as_kept(&mut doc.value);
            Entry { part, doc }
        })
        .collect();
    put(&*sim.store, &kept);
    sim.recent.forget();
}

fn all<R: Record>(sim: &Sim) -> Vec<R> {
    let docs = block_on(sim.store.query(Query::all(R::TABLE))).unwrap();
    docs.into_iter().map(|doc| decode(doc.value).expect("a record that can be read")).collect()
}

/// A line is taken, every turn can be read and gone to, and it goes out and comes in again with nothing to mend.
fn is_playable(sim: &Sim, id: &StorylineId) {
    let conductor = Conductor { ports: sim.ports.clone(), recent: sim.recent.clone() };
    let store = &*sim.ports.store;
    let story = || block_on(store.load::<Storyline>(id.as_str())).unwrap().unwrap();
    if block_on(store.load::<Character>(story().character().as_str())).unwrap().is_none() {
        // Said beforehand; the reader gives it another one.
        let other = Character { id: "other".into(), ..Default::default() };
        block_on(store.commit(Batch::new().put(&other).put(&Storyline { cast: vec!["other".into()], ..story() })))
            .unwrap();
    }
    let (before, _) = block_on(scene::sight(store, &story())).unwrap();
    for _ in 0..2 {
        let reply = block_on(conductor.play(id, Ask::New("说下去".into()), Stop::never(), &|_| ())).unwrap();
        assert_eq!((reply.status, reply.text.as_str()), (Status::Done, "嗯。"), "{:?}", reply.fault);
    }
    let (after, _) = block_on(scene::sight(store, &story())).unwrap();
    assert_eq!(after.end, before.end + 2);
    let newest = block_on(scene::window(store, &after, after.end - 1, after.end)).unwrap();
    let again = Ask::Again(newest[0].turn.id.clone());
    assert_eq!(block_on(conductor.play(id, again, Stop::never(), &|_| ())).unwrap().status, Status::Done);

    let alive = tree::alive(all::<Branch>(sim));
    let turns = all::<Turn>(sim).into_iter().filter(|turn| turn.storyline == *id);
    for turn in turns.filter(|turn| alive.get(&turn.branch).is_some_and(|branch| turn.position < branch.tip())) {
        let there = block_on(conductor.go_to(id, &turn.id)).unwrap();
        let path = block_on(scene::path(store, &there)).unwrap();
        let seen = block_on(scene::window(store, &path, turn.position, turn.position + 1)).unwrap();
        assert_eq!(seen.iter().map(|node| &node.turn.id).collect::<Vec<_>>(), [&turn.id]);
    }
    let (text, report) = exported(&sim.ports, Scope::Storyline(id.clone()));
    assert_eq!(report.unwrap().left_out, []);
    let (file, _) = checked(&sim.ports, &text);
    assert!(file.summary.mends.is_empty(), "{:?}", file.summary.warnings);
}

/// What the check says of a file; where it is taken, what was mended in it, and that all of it can be played.
pub(crate) fn taken(text: &str) -> Result<Vec<Mended>, Refusal> {
    let sim = library_that_plays();
    let checked = watching(&sim.ports, Cancel::default(), async |watch| {
        let checked = check(&mut source(text), Limits::default(), &Heads, watch).await?;
        let prospect = plan(&sim.ports, &checked, watch).await?;
        Ok((checked, prospect))
    });
    let file = match checked {
        Ok(file) => file,
        Err(Failure::Refused(refusal)) => return Err(refusal),
        Err(other) => panic!("{other}"),
    };
    write(&sim.ports, &file, Mode::Merge, text, Cancel::default()).unwrap();
    settle_in(&sim);
    for story in all::<Storyline>(&sim) {
        is_playable(&sim, &story.id);
    }
    let mended = file.0.summary.warnings.iter().filter_map(|warning| match warning {
        Warning::Mended { what, .. } => Some(*what),
        _ => None,
    });
    Ok(mended.collect())
}

fn good() -> Vec<Entry> {
    samples::library(&["a"], "x")
}

fn changed(id: &str, pointer: &str, value: Value) -> String {
    let mut entries = good();
    let entry = entries.iter_mut().find(|entry| entry.id() == id).unwrap();
    *entry.doc.value.pointer_mut(pointer).unwrap() = value;
    samples::forge_of("storyline", &entries)
}

fn lacking(id: &str, field: &str) -> String {
    let mut entries = good();
    let entry = entries.iter_mut().find(|entry| entry.id() == id).unwrap();
    entry.doc.value.as_object_mut().unwrap().shift_remove(field);
    samples::forge_of("storyline", &entries)
}

fn without(id: &str) -> String {
    let mut entries = good();
    entries.retain(|entry| entry.id() != id);
    samples::forge_of("storyline", &entries)
}

#[test]
fn a_good_archive_is_taken_as_it_is() {
    assert_eq!(taken(&samples::forge_of("storyline", &good())), Ok(vec![]));
}

#[test]
fn what_has_one_right_answer_is_set_right() {
    for (text, what) in [
        (changed("a", "/head/end", json!(u32::MAX)), vec![Mended::Head]),
        (changed("a", "/head/end", json!(0)), vec![Mended::Head]),
        (changed("a", "/current_session", json!("gone")), vec![Mended::Session]),
        (changed("a", "/sessions", json!([])), vec![Mended::Session]),
        (changed("a", "/initial_state", json!("gone")), vec![Mended::FirstState]),
        (changed("a-root", "/length", json!(1_000)), vec![Mended::Length]),
        (changed("a-root", "/length", json!(u32::MAX)), vec![Mended::Length]),
        (changed("a-fork", "/length", json!(0)), vec![Mended::Length]),
        (changed("a-g3", "/state", json!("gone")), vec![Mended::State]),
        (changed("a-g3", "/position", json!(77)), vec![Mended::ReplyPlace]),
        (changed("a-g3", "/status", json!("streaming")), vec![Mended::Stream]),
        (without("a-g3"), vec![]),
    ] {
        assert_eq!(taken(&text), Ok(what), "{text}");
    }
}

#[test]
fn what_has_none_is_refused_with_its_place() {
    for (text, id, field, flaw) in [
        (changed("a", "/last_active", json!(u64::MAX)), "a", "last_active", Flaw::Time),
        (changed("a", "/sessions/0/created", json!(1_u64 << 53)), "a", "sessions/*/created", Flaw::Time),
        (changed("a-t1", "/created", json!(9e15 as u64)), "a-t1", "created", Flaw::Time),
        (changed("a-g0", "/started", json!(u64::MAX)), "a-g0", "started", Flaw::Time),
        (
            changed("a-t0", "/position", Value::Null),
            "a-t0",
            "position",
            Flaw::Type("invalid type: null, expected u32".into()),
        ),
        (lacking("a-t0", "position"), "a-t0", "position", Flaw::Lacking),
        (lacking("a-g0", "position"), "a-g0", "position", Flaw::Lacking),
        (changed("a", "/head/branch", json!("gone")), "a", "head", Flaw::Nowhere),
        (changed("a-t1", "/position", json!(0)), "a-t1", "position", Flaw::Taken),
        (changed("a-t1", "/position", json!(4_000_000_000_u32)), "a-t1", "position", Flaw::Outside),
        (changed("a-fork", "/parent/position", json!(9)), "a-fork", "parent", Flaw::Fork),
        (changed("a-fork", "/first", json!(1)), "a-fork", "first", Flaw::Fork),
        (without("a-s0"), "a", "initial_state", Flaw::NotThere),
        (without("a-root"), "a-t0", "", Flaw::Lost),
    ] {
        let Err(Refusal::Record(damage)) = taken(&text) else { panic!("{id} {field} {:?}", taken(&text)) };
        let found = (damage.place.id.as_str(), damage.place.field.as_str(), damage.flaw);
        assert_eq!(found, (id, field, flaw));
        assert!(damage.place.line > 1 && damage.place.part.is_some());
    }
}

/// A change to a good archive.
#[derive(Clone, Debug)]
enum Change {
    Drop,
    Double {
        fresh: bool,
    },
    Remove(prop::sample::Index),
    Set(prop::sample::Index, Value),
    /// To an id that is somewhere in the file.
    Point(prop::sample::Index, prop::sample::Index),
}

fn any_change() -> impl Strategy<Value = Change> {
    let numbers: Vec<u64> = vec![0, 1, 2, 3, 7, 1_000, u32::MAX.into(), (1 << 53) - 1, (1 << 53) + 1, u64::MAX];
    let values = prop_oneof![
        4 => prop::sample::select(numbers).prop_map(Value::from),
        1 => prop::sample::select(vec![
            Value::Null, json!(""), json!("x"), json!(-1), json!(0.5), json!(true), json!([]), json!({}), json!([null]),
            json!([{}]), json!({"branch": "a-root", "position": 0}), json!([{"at": 0, "deleted": 1}]), json!("streaming"),
        ]),
    ];
    prop_oneof![
        1 => Just(Change::Drop),
        1 => any::<bool>().prop_map(|fresh| Change::Double { fresh }),
        1 => any::<prop::sample::Index>().prop_map(Change::Remove),
        5 => (any::<prop::sample::Index>(), values).prop_map(|(at, value)| Change::Set(at, value)),
        2 => (any::<prop::sample::Index>(), any::<prop::sample::Index>()).prop_map(|(at, to)| Change::Point(at, to)),
    ]
}

/// All places of a record, and fields that it may have besides.
fn places(record: &Value) -> Vec<String> {
    fn walk(value: &Value, at: String, places: &mut Vec<String>) {
        if !at.is_empty() {
            places.push(at.clone());
        }
        match value {
            Value::Object(fields) => {
                fields.iter().for_each(|(name, value)| walk(value, format!("{at}/{name}"), places))
            }
            Value::Array(items) => {
                items.iter().enumerate().for_each(|(n, value)| walk(value, format!("{at}/{n}"), places));
            }
            _ => {}
        }
    }
    let mut places = Vec::new();
    walk(record, String::new(), &mut places);
    let besides = ["deleted", "cuts", "open", "parent", "edits", "savepoints", "swipes", "beads", "named", "summary"];
    places.extend(besides.map(|field| format!("/{field}")));
    places
}

fn change(entries: &mut Vec<Entry>, at: &prop::sample::Index, change: &Change) {
    let ids: Vec<_> = entries.iter().map(|entry| entry.id().to_owned()).collect();
    let at = at.index(entries.len());
    if let Change::Drop = change {
        entries.remove(at);
        return;
    }
    if let Change::Double { fresh } = change {
        let mut copy = entries[at].clone();
        if *fresh && copy.part != Part::Blobs {
            copy.doc.value["id"] = json!("fresh");
        }
        entries.insert(at + 1, copy);
        return;
    }
    let record = &mut entries[at].doc.value;
    let places = places(record);
    let (place, value) = match change {
        Change::Remove(place) => (place, None),
        Change::Set(place, value) => (place, Some(value.clone())),
        Change::Point(place, to) => (place, Some(json!(ids[to.index(ids.len())]))),
        Change::Drop | Change::Double { .. } => return,
    };
    let place = &places[place.index(places.len())];
    let (parent, field) = place.rsplit_once('/').unwrap();
    match (record.pointer_mut(parent), value) {
        (Some(Value::Object(fields)), Some(value)) => drop(fields.insert(field.to_owned(), value)),
        (Some(Value::Object(fields)), None) => drop(fields.shift_remove(field)),
        (Some(Value::Array(items)), Some(value)) => items[field.parse::<usize>().unwrap()] = value,
        (Some(Value::Array(items)), None) => drop(items.remove(field.parse().unwrap())),
        _ => {}
    }
}

proptest! {
    #[test]
    fn refused_with_a_place_or_playable(
        is_library in any::<bool>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any_change()), 1..4),
    ) {
        let mut entries = good();
        for (at, what) in &changes {
            change(&mut entries, at, what);
        }
        let text = samples::forge_of(if is_library { "library" } else { "storyline" }, &entries);
        if let Err(refusal) = taken(&text) {
            let Refusal::Record(damage) = &refusal else { panic!("{refusal}") };
            prop_assert!(damage.place.line > 0, "{}", damage);
            prop_assert!(damage.place.part.is_some() || matches!(damage.flaw, Flaw::NotOne(_)), "{}", damage);
        }
    }
}
