pub(crate) mod damaged;
mod lorebooks;

use std::{cell::Cell, collections::BTreeMap, rc::Rc};

use futures_executor::block_on;
use serde_json::{Value, json};

use super::{
    export::{Exported, export},
    import::{Checked, Imported, Prospect, Source, check, duplicate, import, plan},
    journal::{Recovered, recover},
    *,
};
use crate::{
    exchange::{
        archive::{
            Entry, Kind,
            samples::{self, entry, picture, story},
        },
        limits::Limits,
        merge::Mode,
        refusal::Refusal,
    },
    ports::{Future, Ports, Store},
    sim::{
        ports::{Heads, Sim},
        store::MemoryStore,
    },
    store::{Batch, Doc, Op, Part, Query, Stored, Table},
    story::picture::samples::gif,
};

struct Text(Vec<u8>, usize);

impl Source for Text {
    fn next(&mut self) -> Future<'_, Result<Option<Vec<u8>>, Failure>> {
        let piece = self.0.get(self.1..self.0.len().min(self.1 + 1000)).filter(|piece| !piece.is_empty());
        let piece = piece.map(<[u8]>::to_vec);
        self.1 += 1000;
        Box::pin(async move { Ok(piece) })
    }

    fn compressed(&self) -> u64 {
        self.1 as u64
    }
}

fn source(text: &str) -> Text {
    Text(text.as_bytes().to_vec(), 0)
}

fn sim_with(entries: &[Entry]) -> Sim {
    let sim = Sim::new([]);
    put(&*sim.store, entries);
    sim
}

fn put(store: &dyn Store, entries: &[Entry]) {
    let ops = entries.iter().map(|entry| Op::Put(entry.part.table(), entry.doc.clone())).collect();
    block_on(store.commit(Batch { ops, ..Batch::new() })).unwrap();
}

/// Everything but the settings.
fn library(store: &dyn Store) -> BTreeMap<(Part, String), Doc> {
    let all = Part::ALL.into_iter().flat_map(|part| {
        let docs = block_on(store.query(Query::all(part.table()))).unwrap();
        docs.into_iter().map(move |doc| ((part, doc.value["id"].as_str().unwrap().to_owned()), doc))
    });
    all.collect()
}

fn settings(store: &dyn Store) -> Vec<Doc> {
    block_on(store.query(Query::all(Table::Settings))).unwrap()
}

fn watching<T>(ports: &Ports, cancel: Cancel, body: impl AsyncFnOnce(&Watch<'_>) -> T) -> T {
    block_on(body(&Watch::new(&*ports.clock, cancel, &|_| ())))
}

pub(crate) fn exported(ports: &Ports, scope: Scope) -> (String, Result<Exported, Failure>) {
    let mut text = String::new();
    let outcome = watching(ports, Cancel::default(), async |watch| {
        export(ports, &scope, watch, async |more| {
            text += &more;
            Ok(())
        })
        .await
    });
    (text, outcome)
}

pub(crate) fn checked(ports: &Ports, text: &str) -> (Checked, Prospect) {
    watching(ports, Cancel::default(), async |watch| {
        let checked = check(&mut source(text), Limits::default(), &Heads, watch).await.unwrap();
        let prospect = plan(ports, &checked, watch).await.unwrap();
        (checked, prospect)
    })
}

pub(crate) fn imported(ports: &Ports, mode: Mode, text: &str) -> Result<Imported, Failure> {
    let file = checked(ports, text);
    write(ports, &file, mode, text, Cancel::default())
}

fn write(
    ports: &Ports,
    (file, prospect): &(Checked, Prospect),
    mode: Mode,
    text: &str,
    cancel: Cancel,
) -> Result<Imported, Failure> {
    let again = |title: &str| format!("{title} (copy)");
    watching(ports, cancel, async |watch| {
        import(ports, &mut source(text), Limits::default(), (file, prospect.plan(mode)), &again, watch).await
    })
}

#[test]
fn a_library_goes_out_and_comes_in_the_same() {
    let from = sim_with(&samples::library(&["a", "b"], "x"));
    let (text, outcome) = exported(&from.ports, Scope::Library);
    let report = outcome.unwrap();
    assert_eq!((report.records, report.left_out.len()), (32, 0));

    let to = Sim::new([]);
    assert_eq!(imported(&to.ports, Mode::Merge, &text).unwrap(), Imported { records: 32, storyline: None });
    assert_eq!(library(&*to.store), library(&*from.store));
    assert_eq!(settings(&*to.store), []);
    assert_eq!(imported(&to.ports, Mode::Merge, &text).unwrap().records, 0, "what is there already is not written");
    assert_eq!(library(&*to.store), library(&*from.store));
    assert_eq!(exported(&to.ports, Scope::Library).0, text, "byte for byte");
}

#[test]
fn a_storyline_takes_along_what_it_needs_and_no_more() {
    let mut all = samples::library(&["a", "b"], "x");
    all.push(entry(Part::Characters, json!({ "id": "eve", "name": "Eve" })));
    // In the bin, but needed.
    all[0].doc.value["deleted"] = json!(5);
    let from = sim_with(&all);
    let (text, outcome) = exported(&from.ports, Scope::Storyline("a".into()));
    assert_eq!(outcome.unwrap().warnings, []);
    let to = Sim::new([]);
    let done = imported(&to.ports, Mode::Merge, &text).unwrap();
    assert_eq!(done.storyline, Some("a".into()));
    let there = library(&*to.store);
    assert!(there.keys().all(|(_, id)| id != "eve" && id != "b" && !id.starts_with("b-")), "{:?}", there.keys());
    assert_eq!(there.len(), 17, "fourteen of the story, character, background, picture");
    assert_eq!(there[&(Part::Characters, "ada".into())].value.get("deleted"), None);
    assert_eq!(exported(&from.ports, Scope::Storyline("none".into())).1, Err(Failure::Gone));
}

/// Who has left speaks in it still, and a save point is played with the preset that it had.
#[test]
fn a_storyline_takes_along_what_it_needed_once() {
    let mut all = samples::library(&["a"], "x");
    all.push(entry(Part::Characters, json!({ "id": "eve", "name": "Eve" })));
    all.push(entry(Part::Presets, json!({ "id": "own", "name": "Own" })));
    let story = all.iter_mut().find(|entry| entry.part == Part::Storylines).unwrap();
    story.doc.value["personas"] = json!({ "": {}, "eve": {} });
    let point = json!({ "id": "p", "branch": "a-b0", "turn": "a-t0", "position": 0, "preset": "own" });
    story.doc.value["savepoints"] = json!([point]);
    let (text, outcome) = exported(&sim_with(&all).ports, Scope::Storyline("a".into()));
    assert_eq!(outcome.unwrap().warnings, []);
    let to = Sim::new([]);
    imported(&to.ports, Mode::Merge, &text).unwrap();
    let there = library(&*to.store);
    for needed in [(Part::Characters, "eve"), (Part::Presets, "own")] {
        assert!(there.contains_key(&(needed.0, needed.1.to_owned())), "{needed:?}");
    }
}

#[test]
fn the_bin_stays_out_of_a_backup() {
    let mut all = samples::library(&["a", "b"], "x");
    for entry in &mut all {
        if entry.part == Part::Storylines && entry.id() == "b" {
            entry.doc.value["deleted"] = json!(5);
        }
    }
    all.push(entry(Part::Characters, json!({ "id": "eve", "name": "Eve", "deleted": 5 })));
    let (text, outcome) = exported(&sim_with(&all).ports, Scope::Library);
    outcome.unwrap();
    assert!(text.contains("\"id\":\"a-t0\"") && !text.contains("b-t0") && !text.contains("eve"));
}

#[test]
fn an_open_stream_leaves_as_broken_off() {
    let mut all = samples::library(&["a"], "x");
    let open = all.iter_mut().find(|entry| entry.id() == "a-g3").unwrap();
    open.doc.value["status"] = json!("streaming");
    open.doc.value["open"] = json!(1);
    let (text, _) = exported(&sim_with(&all).ports, Scope::Library);
    let to = Sim::new([]);
    imported(&to.ports, Mode::Merge, &text).unwrap();
    let there = library(&*to.store);
    let closed = &there[&(Part::Generations, "a-g3".into())].value;
    assert_eq!((&closed["status"], closed.get("open")), (&json!("interrupted"), None));
}

#[test]
fn a_damaged_record_hides_no_other() {
    let mut all = samples::library(&["a", "b"], "x");
    all.iter_mut().find(|entry| entry.id() == "b-t1").unwrap().doc.value["position"] = json!("first");
    let from = sim_with(&all);
    let (text, outcome) = exported(&from.ports, Scope::Library);
    let lost: Vec<_> = outcome.unwrap().left_out.into_iter().map(|lost| lost.id).collect();
    assert_eq!(lost, ["b-t1", "b-g1", "b-g2", "b-g1"], "the turn and what hangs on it");
    assert!(imported(&Sim::new([]).ports, Mode::Merge, &text).is_ok());

    all.iter_mut().find(|entry| entry.id() == "b").unwrap().doc.value["head"] = json!(7);
    let outcome = exported(&sim_with(&all).ports, Scope::Storyline("b".into())).1;
    assert!(outcome.is_err(), "there is no archive of a storyline without the storyline");
}

#[test]
fn a_copy_stands_beside_and_says_so() {
    let all = samples::library(&["a"], "x");
    let sim = sim_with(&all);
    let before = library(&*sim.store);
    let (text, _) = exported(&sim.ports, Scope::Storyline("a".into()));
    let done = imported(&sim.ports, Mode::Copy, &text).unwrap();
    let copy = done.storyline.unwrap();
    let doubled = watching(&sim.ports, Cancel::default(), async |watch| {
        duplicate(&sim.ports, &"a".into(), &|title| format!("{title}!"), watch).await.unwrap()
    });
    let after = library(&*sim.store);
    for (key, doc) in &before {
        assert_eq!(after.get(key), Some(doc));
    }
    assert_eq!(after.len(), before.len() + 2 * 14);
    let title = |id: &str| after[&(Part::Storylines, id.to_owned())].value["title"].clone();
    assert_eq!((title(copy.as_str()), title(doubled.storyline.unwrap().as_str())), (json!("x (copy)"), json!("x!")));
    assert_eq!((done.records, doubled.records), (14, 14));
    assert_eq!(settings(&*sim.store), []);
}

#[test]
fn importing_takes_things_out_of_the_bin() {
    let all = samples::library(&["a"], "x");
    let sim = sim_with(&all);
    let (text, _) = exported(&sim.ports, Scope::Library);
    let before = library(&*sim.store);
    for (part, id) in [(Part::Storylines, "a"), (Part::Characters, "ada")] {
        let mut doc = before[&(part, id.to_owned())].clone();
        doc.value["deleted"] = json!(9);
        put(&*sim.store, &[Entry { part, doc }]);
    }
    assert_eq!(imported(&sim.ports, Mode::Merge, &text).unwrap().records, 2);
    assert_eq!(library(&*sim.store), before);
}

#[test]
fn a_file_that_names_the_records_of_another_story_is_refused() {
    let sim = sim_with(&samples::library(&["a"], "x"));
    let before = library(&*sim.store);
    let mut foreign = story("evil", "y");
    let turn = foreign.iter_mut().find(|entry| entry.id() == "evil-t0").unwrap();
    turn.doc.value["id"] = json!("a-t0");
    foreign.retain(|entry| entry.doc.value["turn"] != "evil-t0");
    let text = samples::write(Kind::Storyline, &foreign);
    let refused = imported(&sim.ports, Mode::Merge, &text).unwrap_err();
    assert!(matches!(refused, Failure::Refused(Refusal::Record(_))), "{refused}");
    assert_eq!((library(&*sim.store), settings(&*sim.store)), (before, vec![]));
    assert!(imported(&sim.ports, Mode::Copy, &text).is_ok(), "a copy has ids of its own");
}

/// A library with one story that the file has too, shorter, and the file.
fn meeting() -> (Vec<Entry>, String) {
    let mut here = samples::library(&["a"], "x");
    here.retain(|entry| !matches!(entry.id(), "a-t2" | "a-g3"));
    let mut file = samples::library(&["a", "b"], "x");
    file.push(picture(&gif(2, 1)));
    file[0].doc.value["updated"] = json!(50);
    (here, samples::write(Kind::Library, &file))
}

/// The store refuses once, at every place in turn: nothing or all is imported, and nothing is left lying about.
#[test]
fn whole_or_nothing_whichever_operation_fails() {
    let (here, text) = meeting();
    let (mut failed, mut completed) = (0, 0);
    for nth in 0.. {
        let sim = sim_with(&here);
        let before = library(&*sim.store);
        let file = checked(&sim.ports, &text);
        let start = sim.store.operations();
        sim.store.fail(nth, "QuotaExceededError");
        let outcome = write(&sim.ports, &file, Mode::Merge, &text, Cancel::default());
        if sim.store.operations() - start <= nth {
            assert!(outcome.is_ok());
            break;
        }
        match outcome {
            Ok(_) => completed += 1,
            Err(failure) => {
                failed += 1;
                assert_eq!(
                    failure,
                    Failure::Store(crate::store::StoreError::new("QuotaExceededError", "ordered by a test"))
                );
                assert_eq!(library(&*sim.store), before, "operation {nth}");
            }
        }
        assert_eq!(settings(&*sim.store), [], "operation {nth}");
    }
    assert!(failed > 8 && completed > 2, "{failed} failed, {completed} completed at a second try");
}

/// The browser dies at every place in turn: the next start finds nothing or all.
#[test]
fn whole_or_nothing_wherever_the_browser_dies() {
    let (here, text) = meeting();
    let whole = {
        let sim = sim_with(&here);
        imported(&sim.ports, Mode::Merge, &text).unwrap();
        library(&*sim.store)
    };
    let mut seen = [0, 0];
    for last in 0.. {
        let mut sim = sim_with(&here);
        let before = library(&*sim.store);
        let file = checked(&sim.ports, &text);
        let mortal = Rc::new(Mortal { store: sim.store.clone(), left: Cell::new(last) });
        sim.ports.store = mortal.clone();
        let outcome = write(&sim.ports, &file, Mode::Merge, &text, Cancel::default());
        if mortal.left.get() > 0 {
            assert!(outcome.is_ok());
            break;
        }
        if library(&*sim.store) == whole {
            assert!(outcome.is_ok(), "all is there after {last} operations, and it says {outcome:?}");
        }
        let recovered = block_on(recover(&*sim.store)).unwrap();
        let now = library(&*sim.store);
        if recovered == Some(Recovered::Finished) || outcome.is_ok() {
            assert_eq!(now, whole, "after {last} operations");
            seen[1] += 1;
        } else {
            assert_eq!(now, before, "after {last} operations");
            seen[0] += 1;
        }
        assert_eq!(settings(&*sim.store), []);
    }
    assert!(seen[0] > 3 && seen[1] > 2, "{seen:?}");
}

/// Nothing works any more after so many operations.
struct Mortal {
    store: Rc<MemoryStore>,
    left: Cell<u64>,
}

impl Mortal {
    fn live(&self) -> Stored<()> {
        match self.left.get() {
            0 => Err(crate::store::StoreError::new("Dead", "")),
            left => {
                self.left.set(left - 1);
                Ok(())
            }
        }
    }
}

impl Store for Mortal {
    fn get<'a>(&'a self, table: Table, key: &'a str) -> Future<'a, Stored<Option<Doc>>> {
        Box::pin(async move {
            self.live()?;
            self.store.get(table, key).await
        })
    }

    fn get_many<'a>(&'a self, table: Table, keys: &'a [String]) -> Future<'a, Stored<Vec<Doc>>> {
        Box::pin(async move {
            self.live()?;
            self.store.get_many(table, keys).await
        })
    }

    fn query(&self, query: Query) -> Future<'_, Stored<Vec<Doc>>> {
        Box::pin(async move {
            self.live()?;
            self.store.query(query).await
        })
    }

    fn keys(&self, query: Query) -> Future<'_, Stored<Vec<String>>> {
        Box::pin(async move {
            self.live()?;
            self.store.keys(query).await
        })
    }

    fn count(&self, query: Query) -> Future<'_, Stored<u32>> {
        Box::pin(async move {
            self.live()?;
            self.store.count(query).await
        })
    }

    fn commit(&self, batch: Batch) -> Future<'_, Stored<()>> {
        Box::pin(async move {
            self.live()?;
            self.store.commit(batch).await
        })
    }

    crate::ports::hand_on!(store: revise);
}

/// It was cut off by the end of an older version, and finishes in this one.
#[test]
fn what_an_older_version_left_is_finished_as_of_now() {
    let sim = Sim::new([]);
    let reply = json!({ "id": "g", "storyline": "s", "text": "雨", "account": { "total_tokens": 7 } });
    let left = [
        json!({ "id": "import", "state": "applying" }),
        json!({ "id": "import:redo:0000000001", "puts": [["generations", reply]] }),
    ];
    let ops = left.map(|record| Op::Put(Table::Settings, record.into())).to_vec();
    block_on(sim.store.commit(Batch { ops, ..Batch::new() })).unwrap();
    assert_eq!(block_on(recover(&*sim.store)).unwrap(), Some(Recovered::Finished));
    let found = |table: Table| block_on(sim.store.query(Query::all(table))).unwrap().pop().unwrap().value;
    assert_eq!(
        found(Table::Generations),
        json!({ "id": "g", "storyline": "s", "text": "雨", "prompt": { "tokens": 7, "raw_tokens": 0 } })
    );
    assert_eq!(found(Table::Accounts), json!({ "id": "g", "storyline": "s", "total_tokens": 7 }));
    assert_eq!(settings(&*sim.store), []);
}

/// Its journal could not be cleared away, and the next one is taken back.
#[test]
fn what_came_in_before_stays_when_the_next_is_taken_back() {
    let (here, text) = meeting();
    let sim = sim_with(&here);
    let left = [
        json!({ "id": "import", "state": "applying" }),
        json!({ "id": "import:wrote:0000000001", "wrote": { "turns": ["a-t1"] } }),
    ];
    let ops = left.map(|record| Op::Put(Table::Settings, record.into())).to_vec();
    block_on(sim.store.commit(Batch { ops, ..Batch::new() })).unwrap();
    let before = library(&*sim.store);
    assert!(before.keys().any(|(_, id)| id == "a-t1"));
    let file = checked(&sim.ports, &text);
    let cancel = Cancel::default();
    cancel.cancel();
    assert_eq!(write(&sim.ports, &file, Mode::Merge, &text, cancel), Err(Failure::Cancelled));
    assert_eq!((library(&*sim.store), settings(&*sim.store)), (before, vec![]));
}

#[test]
fn cancelled_the_library_is_as_it_was() {
    let (here, text) = meeting();
    let sim = sim_with(&here);
    let before = library(&*sim.store);
    let file = checked(&sim.ports, &text);
    let cancel = Cancel::default();
    cancel.cancel();
    assert_eq!(write(&sim.ports, &file, Mode::Merge, &text, cancel), Err(Failure::Cancelled));
    assert_eq!((library(&*sim.store), settings(&*sim.store)), (before, vec![]));
}

/// A picture that somebody chose while it was being imported is not taken back.
#[test]
fn a_picture_in_use_stays() {
    let sim = sim_with(&[picture(b"GIF89a"), picture(b"GIF87a")]);
    let [used, other] = [b"GIF89a", b"GIF87a"].map(|bytes| crate::story::blob::address(bytes).0);
    let own: Value = json!({ "id": "own", "name": "Own", "avatar": used });
    put(&*sim.store, &[entry(Part::Characters, own)]);
    let ops = vec![
        Op::Put(Table::Settings, json!({ "id": "import", "state": "writing" }).into()),
        Op::Put(
            Table::Settings,
            json!({ "id": "import:wrote:0000000001", "wrote": { "blobs": [used, other] } }).into(),
        ),
    ];
    block_on(sim.store.commit(Batch { ops, ..Batch::new() })).unwrap();
    assert_eq!(block_on(recover(&*sim.store)), Ok(Some(Recovered::Undone)));
    let left = library(&*sim.store);
    assert!(left.contains_key(&(Part::Blobs, used)) && !left.contains_key(&(Part::Blobs, other)));
}
