//! What takes a place among what is found: each fact once, and nothing that says nothing.

use super::*;
use crate::ports::recall::Among;

fn memory(id: &str, kind: Kind, text: &str, detail: &str) -> Memory {
    Memory {
        id: id.into(),
        storyline: "s".into(),
        kind,
        branch: "root".into(),
        text: text.into(),
        detail: detail.into(),
        ..Default::default()
    }
}

/// A point of the story in its two layers.
fn point(id: &str, text: &str, detail: &str) -> [Memory; 2] {
    [memory(id, Kind::Summary, text, ""), memory(&format!("{id}-plot"), Kind::Plot, text, detail)]
}

impl Shelf {
    fn keep(&self, memories: impl IntoIterator<Item = Memory>) {
        self.commit(memories.into_iter().fold(Batch::new(), |batch, memory| batch.put(&memory)));
    }

    fn told(&self, search: Search) -> Vec<Hit> {
        let search = Search { storyline: "s".into(), until: search.path.end, ..search };
        block_on((&self.keeper as &dyn Recall).hits(Request::Search(search))).unwrap()
    }
}

/// On demand twenty texts.
fn on_demand(last: u32, text: &str) -> Search {
    Search { path: root(last), words: words(text), limit: 20, summaries_first: true, ..Default::default() }
}

#[test]
fn a_summary_that_was_asked_for_comes_before_what_was_said() {
    let shelf = shelf();
    for position in 0..60 {
        let user = ["Where is the lantern?", "ok", "Yes.", "The lantern again, and the rain."][position as usize % 4];
        let text = ["Lantern! [PROGRESS:2:in_progress]", "Hm.", "[PROGRESS:2:completed]"][position as usize % 3];
        shelf.commit(Batch::new().put(&turn("root", position, user)).put(&reply("root", position, "g", text)));
    }
    shelf.keep(point("a", "Ada buried the lantern under the mill.", "At night, while Ben kept watch."));
    for n in 0..3 {
        shelf.keep(point(&format!("b{n}"), &format!("They rowed to island {n}."), "It rained."));
    }
    let hits = shelf.told(on_demand(59, "Do you remember where the lantern is?"));
    assert_eq!(hits[0].text, "Ada buried the lantern under the mill.");
    let texts: Vec<_> = hits.iter().map(|hit| hit.text.as_str()).collect();
    assert!(texts.contains(&"Where is the lantern?"), "{texts:?}");
    for text in &texts {
        assert!(text.split(' ').count() > 2 && !text.contains("PROGRESS"), "{text} says nothing: {texts:?}");
    }
    for island in ["They rowed to island 0.", "They rowed to island 2."] {
        assert_eq!(texts.iter().filter(|text| **text == island).count(), 1, "the newest fill the places: {texts:?}");
    }
    let said: BTreeSet<_> = texts.iter().collect();
    assert_eq!(said.len(), texts.len(), "each once: {texts:?}");
    // Still found where the reader looks for it.
    let request = Request::LookUp { text: "hm".into(), memories_of: None, limit: 3 };
    assert_eq!(block_on((&shelf.keeper as &dyn Recall).hits(request)).unwrap()[0].text, "Hm.");
}

/// Of more summaries than there are places, some places are for what none of them holds.
#[test]
fn summaries_leave_room_for_what_was_said() {
    let shelf = shelf();
    for position in 0..10 {
        let text = format!("The bell of tower {position} is cracked.");
        shelf.commit(Batch::new().put(&turn("root", position, &text)));
    }
    shelf.keep((0..40).map(|n| memory(&format!("m{n:02}"), Kind::Summary, &format!("On day {n} a bell rang."), "")));
    let kinds = |search| shelf.told(search).iter().map(|hit| hit.kind).collect::<Vec<_>>();
    let told = kinds(on_demand(9, "Which bell is cracked?"));
    assert_eq!(told, [vec![Some(Kind::Summary); 15], vec![None; 5]].concat());
    let told = kinds(Search { among: Among::Memories, ..on_demand(9, "Which bell is cracked?") });
    assert_eq!(told, [Some(Kind::Summary); 20]);
    // Nothing fits: the newest, whatever they say.
    let told = shelf.told(on_demand(9, "???"));
    assert_eq!((told.len(), told[0].text.as_str()), (20, "On day 39 a bell rang."));
}

/// A point is found by either of its layers and told by one: by how it went where that is asked.
#[test]
fn a_point_in_two_layers_is_one_fact() {
    let shelf = shelf();
    shelf.commit(Batch::new().put(&turn("root", 0, "Let us begin the story.")));
    let summary = "Ada hid the map.";
    shelf.keep(point("a", summary, "She pushed it behind the pendulum of the clock."));
    shelf.keep(point("b", "Ben lost his boat.", "The rope was cut."));
    let told = |in_detail, first, text: &str| -> Vec<(Option<Kind>, String)> {
        let search = Search { in_detail, summaries_first: first, ..on_demand(0, text) };
        shelf.told(search).into_iter().map(|hit| (hit.kind, hit.text)).collect()
    };
    for first in [true, false] {
        for text in ["the map", "the pendulum"] {
            for (in_detail, kind) in [(false, Kind::Summary), (true, Kind::Plot)] {
                let hits = told(in_detail, first, text);
                assert_eq!(hits[0], (Some(kind), summary.to_owned()), "{text}");
                assert_eq!(hits.len(), if first { 2 } else { 1 }, "{hits:?}");
            }
        }
    }
    // Pinned, it is told once all the same; hidden, its other layer does not tell it.
    let [short, long] = point("a", summary, "She pushed it behind the pendulum of the clock.");
    shelf.keep([Memory { pinned: true, ..long.clone() }]);
    let hits = shelf.told(on_demand(0, "the map"));
    assert_eq!((hits.len(), hits[0].kind, hits[0].pinned), (2, Some(Kind::Summary), true));
    shelf.keep([Memory { hidden: true, ..short }, long]);
    assert_eq!(told(false, true, "the pendulum"), [(Some(Kind::Summary), "Ben lost his boat.".to_owned())]);
}

/// Storylines of the same character and background: copies of one tell a fact once.
#[test]
fn copies_of_a_storyline_tell_a_fact_once() {
    let shelf = shelf();
    for copy in ["x", "y", "z"] {
        let head = Head { branch: copy.into(), end: 1 };
        let story = Storyline { id: copy.into(), cast: vec!["ada".into()], head, ..Default::default() };
        let branch = Branch { id: copy.into(), storyline: copy.into(), length: 1, ..Default::default() };
        let of = |memory: Memory| Memory { storyline: copy.into(), branch: copy.into(), ..memory };
        let [short, long] = point(&format!("{copy}-a"), "Ada crossed the river.", "By boat.");
        let own = memory(&format!("{copy}-b"), Kind::Note, &format!("Ada met {copy}."), "");
        let batch = Batch::new().put(&story).put(&branch);
        shelf.commit(batch.put(&of(short)).put(&of(long)).put(&of(own)));
    }
    let request = Request::Others {
        storyline: "s".into(),
        character: "ada".into(),
        background: None,
        words: words("the river"),
        limit: 4,
    };
    let hits = block_on((&shelf.keeper as &dyn Recall).hits(request)).unwrap();
    let mut texts: Vec<_> = hits.iter().map(|hit| hit.text.as_str()).collect();
    assert_eq!(texts.remove(0), "Ada crossed the river.");
    texts.sort_unstable();
    assert_eq!(texts, ["Ada met x.", "Ada met y.", "Ada met z."]);
}

/// A memory that an older version wrote down with a mark is told without it.
#[test]
fn marks_are_not_told() {
    let shelf = shelf();
    shelf.commit(Batch::new().put(&turn("root", 0, "We went in. [PROGRESS:1:completed]")));
    let [short, long] =
        point("a", "They broke into the camp. [PROGRESS:2:completed]", "[PROGRESS:2:completed]\nBy night.");
    shelf.keep([short, long]);
    let hits = shelf.told(Search { in_detail: true, ..on_demand(0, "the camp, we went in") });
    let told: Vec<_> = hits.iter().map(|hit| (hit.text.as_str(), hit.detail.as_str())).collect();
    assert_eq!(told, [("They broke into the camp.", "By night."), ("We went in.", "")]);
}

/// What one of several feels is found by nobody else, after the index was stored as before.
#[test]
fn what_is_ones_own_is_found_by_them_alone() {
    let shelf = shelf();
    shelf.commit(Batch::new().put(&turn("root", 0, "The bell?")));
    let own = Memory { owner: Some("ada".into()), ..memory("own", Kind::Event, "Ada fears the bell.", "") };
    let pinned = Memory { id: "pinned".into(), text: "Ada hates the bell.".into(), pinned: true, ..own.clone() };
    shelf.keep([own, pinned, memory("all", Kind::Event, "The bell is cracked.", "")]);
    for shelf in [&shelf, &shelf.again()] {
        let found = |speaker: &str| {
            let speaker = speaker.into();
            let hits =
                shelf.told(Search { speaker, path: root(9), words: words("the bell"), limit: 20, ..Search::default() });
            let mut texts: Vec<_> = hits.into_iter().filter(|hit| hit.kind.is_some()).map(|hit| hit.text).collect();
            texts.sort();
            texts
        };
        assert_eq!(found("ada"), ["Ada fears the bell.", "Ada hates the bell.", "The bell is cracked."]);
        assert_eq!([found("ben"), found("")], [["The bell is cracked."], ["The bell is cracked."]]);
    }
}
