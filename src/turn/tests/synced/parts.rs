//! Packs that arrive in part.

use super::{
    cases::{all_round, two},
    *,
};

#[test]
fn a_pack_that_arrived_in_part_is_written_over() {
    let files = Files::default();
    let devices = two(&files);
    devices[0].say("一");
    // Written, and its answer lost; of what was written only the first half is there.
    let before: BTreeSet<String> = files.files.borrow().keys().cloned().collect();
    files.fails.set(Some(1));
    files.wrote.set(true);
    assert!(devices[0].round(&files).unwrap().trouble.is_some());
    for (name, bytes) in files.files.borrow_mut().iter_mut().filter(|(name, _)| !before.contains(*name)) {
        assert!(name.starts_with("log/"), "{name}");
        bytes.truncate(bytes.len() / 2);
    }
    assert!(devices[1].round(&files).unwrap().trouble.is_some(), "it cannot be read");
    all_round(&devices, &files);
    assert_eq!(devices[1].play.nodes().len(), 2);
}

/// Of packs that were put together into one that arrived in part nothing is lost, and it is put together once more.
#[test]
fn a_pack_of_many_that_arrived_in_part_is_written_anew() {
    let files = Files::default();
    let devices = two(&files);
    let joined = || {
        let is_joined = |name: &&String| {
            let numbers = name.strip_prefix("log/").and_then(|name| name.split_once('.')).map(|(_, numbers)| numbers);
            numbers.and_then(|numbers| numbers.split_once('-')).is_some_and(|(from, to)| from != to)
        };
        files.files.borrow().keys().find(is_joined).cloned()
    };
    let mut turns = 1;
    while joined().is_none() {
        files.deleted.borrow_mut().clear();
        devices[0].say("一");
        turns += 1;
        devices[0].round(&files).unwrap();
    }
    // As if the small ones were not gone yet.
    let name = joined().unwrap();
    let whole = files.files.borrow()[&name].clone();
    files.files.borrow_mut().insert(name.clone(), whole[..whole.len() / 2].to_vec());
    files.files.borrow_mut().extend(files.deleted.take());
    assert!(devices[1].round(&files).unwrap().trouble.is_some(), "it is said");
    assert_eq!(devices[1].play.nodes().len(), turns, "what lies beside it is heard");
    for _ in 0..3 {
        devices[0].round(&files).unwrap();
    }
    assert!(joined().is_some_and(|name| files.files.borrow()[&name].len() >= whole.len()), "it is there anew");
    devices[0].say("二");
    all_round(&devices, &files);
    let new = Device::new(7, 0, Vec::new());
    assert_eq!(new.round(&files).unwrap().trouble, None);
}
