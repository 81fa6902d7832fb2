//! Days are the reader's own.

use super::*;

#[test]
fn a_day_is_found_as_the_reader_knew_it() {
    let night = Turn { created: 1_778_002_200_000, ..turn("root", 0, "The ferry left.") };
    for (utc_offset, day, other) in [(0, "2026年5月5日", "2026年5月6日"), (480, "2026年5月6日", "2026年5月5日")]
    {
        let store = Rc::new(MemoryStore::new());
        let clock = Rc::new(MemoryClock::at(0).ahead_of_utc(utc_offset));
        let shelf = Shelf { keeper: Keeper::new(store.clone(), Rc::new(Alone), clock), store };
        shelf.commit(Batch::new().put(&Storyline { id: "s".into(), ..Default::default() }).put(&night));
        let dated = |text: &str| {
            let hits = shelf.search(&root(0), text);
            hits.iter().flat_map(|hit| &hit.parts).any(|(name, _)| name == "date")
        };
        assert!(
            dated(day) && !dated(other),
            "half past five in the afternoon of the 5th in Greenwich, {utc_offset} ahead"
        );
    }
}
