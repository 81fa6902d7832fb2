//! How an index is written.

use super::*;

/// Bytes of the segments that a commit writes.
fn written(batch: &Batch) -> usize {
    let bytes = |op: &Op| match op {
        Op::Put(Table::Postings, doc) => doc.bytes.as_ref().map_or(0, |bytes| bytes.len()),
        _ => 0,
    };
    batch.ops.iter().map(bytes).sum()
}

#[test]
fn a_turn_writes_a_little_and_small_segments_grow_together() {
    let shelf = shelf();
    let mut each = Vec::new();
    for position in 0..100 {
        let text = format!(
            "Night {position}: the {} sleeps, {}.",
            ["fox", "owl", "hare"][position as usize % 3],
            position * 7
        );
        shelf.commit(Batch::new().put(&turn("root", position, &text)).put(&reply("root", position, "g", "It rains.")));
        // What was said long before is worded anew, or goes; in large segments and in small ones.
        match position % 10 {
            4 => shelf.commit(Batch::new().put(&turn("root", position / 2, &format!("Once more, {text}")))),
            9 => {
                let before = (position - 5) / 2;
                shelf.commit(Batch::new().remove(&turn("root", before, "")).remove(&reply("root", before, "g", "")));
            }
            7 => shelf.commit(Batch::new().remove(&reply("root", position - 1, "g", ""))),
            _ => {}
        }
        let before = shelf.store.commits().len();
        shelf.search(&root(position), "owl");
        let commits = shelf.store.commits();
        each.push(commits[before..].iter().map(|batch| written(batch)).sum::<usize>());
    }
    let count = block_on(shelf.store.count(Query::all(Table::Postings))).unwrap();
    assert!(count < 20, "{count} records hold the index of 200 texts");
    let most = *each.iter().max().unwrap();
    each.sort_unstable();
    assert!(each[50] * 4 < most, "most turns write {} bytes, one {most}", each[50]);

    let path = root(99);
    for text in ["Which night did the owl sleep?", "rain", "42", "Once more"] {
        let expected = shelf.search(&path, text);
        let second = shelf.again();
        let commits = shelf.store.commits().len();
        assert_eq!(second.search(&path, text), expected, "{text}");
        assert_eq!(shelf.store.commits().len(), commits, "nothing was built anew");
        // A third one builds it out of the texts.
        shelf.commit(Batch { ops: vec![Op::Delete(Table::Postings, "s/head".into())], ..Batch::new() });
        let third = shelf.again();
        assert_eq!(third.search(&path, text), expected, "{text}");
    }
}

#[test]
fn what_was_worded_anew_and_then_went_does_not_come_back() {
    let shelf = shelf();
    let path = root(99);
    let (was, is) = ("The key hangs by the door.", "The lamp is lit.");
    let batch = (1..100).fold(Batch::new(), |batch, position| batch.put(&turn("root", position, "It rains.")));
    let told = |text: Option<&str>, batch: Batch| {
        shelf.commit(batch);
        let first = shelf.texts(&path, "key lamp");
        let second = shelf.again();
        assert_eq!(second.texts(&path, "key lamp"), first);
        for known in [was, is] {
            assert_eq!(first.iter().any(|found| found == known), text == Some(known), "{known}");
        }
    };
    told(Some(was), batch.put(&turn("root", 0, was)));
    told(Some(is), Batch::new().put(&turn("root", 0, is)));
    told(None, Batch::new().remove(&turn("root", 0, "")));
}
