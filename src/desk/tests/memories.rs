//! The memories of the path, as the panel shows them.

use super::*;
use crate::desk::memories::View;

#[test]
fn memories_are_those_of_the_path_a_page_at_a_time() {
    let (_sim, desk) = desk();
    let story = forked(&desk, 6);
    let (tree, _) = block_on(desk.tree(&story)).unwrap();
    let memory = |id: String, branch: &str, position: u32, kind: Kind| Memory {
        id: id.into(),
        storyline: "s".into(),
        branch: branch.into(),
        position,
        kind,
        text: "the lantern burns".into(),
        created: position.into(),
        ..Default::default()
    };
    let mut batch = Batch::new().put(&memory("b".into(), "b", 3, Kind::Event));
    // By a reply that is not the one that is seen.
    batch.push(&Memory { generation: Some("a2other".into()), ..memory("unseen".into(), "a", 2, Kind::Event) });
    for n in 0..100 {
        let kind = if n % 2 == 0 { Kind::Event } else { Kind::Summary };
        batch.push(&memory(format!("m{n:03}"), "a", n % 6, kind));
    }
    block_on(desk.ports.store.commit(batch)).unwrap();
    let rows = RefCell::default();
    let path = Arc::new(Path::of(&tree.alive, &story.head).unwrap());
    let view = |kind: Option<Kind>, query: &str, wanted: usize| View {
        id: story.id.clone(),
        path: path.clone(),
        kind,
        query: query.into(),
        wanted,
    };
    let found = |view: &View| block_on(desk.memories(&rows, view, || true)).unwrap().unwrap();
    let first = found(&view(None, "", 40));
    assert_eq!((first.shown.len(), first.more, first.elsewhere), (40, true, 1));
    assert!(first.shown.is_sorted_by_key(|shown| std::cmp::Reverse(shown.memory.position)), "the newest first");
    let all = found(&view(None, "", 200));
    assert_eq!((all.shown.len(), all.more), (100, false), "the unseen one is not among them");
    assert_eq!(found(&view(Some(Kind::Summary), "", 200)).shown.len(), 50);
    assert!(found(&view(None, "lantern", 10)).shown.iter().all(|shown| !shown.words.is_empty()));
    assert!(found(&view(None, "zeppelin", 10)).shown.is_empty());
    // In another story it is rarer, and so says more.
    let mut batch = Batch::new().put(&Storyline { id: "other".into(), head: story.head.clone(), ..Default::default() });
    batch.push(&Branch { id: "o".into(), storyline: "other".into(), length: 6, ..Default::default() });
    for n in 0..900 {
        let memory = memory(format!("o{n:03}"), "o", n % 6, Kind::Event);
        let text = if n % 3 == 0 { "the lantern burns" } else { "a ship sails" };
        batch.push(&Memory { storyline: "other".into(), text: text.into(), ..memory });
    }
    block_on(desk.ports.store.commit(batch)).unwrap();
    assert_eq!(found(&view(None, "lantern", 200)).shown.len(), 100, "each of this story is found");
    // What nobody waits for any more is no answer.
    assert!(block_on(desk.memories(&rows, &view(None, "", 40), || false)).unwrap().is_none());
}
