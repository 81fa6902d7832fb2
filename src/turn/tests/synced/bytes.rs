//! Pictures, and vectors of the memory: files of their own.

use super::{cases::two, *};
use crate::{
    store::{Doc, Op as Change},
    story::{blob::address, picture::samples},
    sync::see,
};

const SEEN: How = How { lists: true, pictures: false, vectors: false };
const ALL: How = How { lists: true, pictures: true, vectors: true };

fn put(device: &Device, table: Table, doc: Doc) {
    let batch = Batch { ops: vec![Change::Put(table, doc)], ..Batch::new() };
    block_on(device.play.sim.ports.store.commit(batch)).unwrap();
}

fn picture(bytes: Vec<u8>) -> (String, Doc) {
    let id = address(&bytes).0;
    let value = json!({ "id": id, "kind": "image/gif", "size": bytes.len() });
    (id, Doc { value, bytes: Some(bytes.into()) })
}

#[test]
fn pictures_travel_once_and_whole() {
    let files = Files::default();
    let devices = two(&files);
    let (id, blob) = picture(samples::gif(3, 2));
    put(&devices[0], Table::Blobs, blob.clone());
    devices[0].round(&files).unwrap();
    let name = format!("blob/{id}");
    let whole = files.files.borrow()[&name].clone();
    files.files.borrow_mut().insert(name.clone(), b"not that".to_vec());
    let report = devices[1].round(&files).unwrap();
    assert_eq!((report.trouble, report.pictures), (Some(Trouble::Damaged(name.clone())), 1));
    assert_eq!(devices[1].play.sim.store.peek(Table::Blobs, &id), None);
    // It is not there yet, and then it is.
    files.files.borrow_mut().remove(&name);
    assert_eq!(devices[1].round(&files).unwrap().pictures, 1);
    files.files.borrow_mut().insert(name, whole);
    let report = devices[1].round(&files).unwrap();
    assert!(report.news.library && report.pictures == 0);
    assert_eq!(devices[1].play.sim.store.peek(Table::Blobs, &id), Some(blob));
    assert_eq!(devices[0].round(&files).unwrap().told, 0, "nothing of it goes out again");
}

#[test]
fn a_picture_comes_when_it_is_seen() {
    let files = Files::default();
    let devices = two(&files);
    let pictures: Vec<_> = (1..=6).map(|width| picture(samples::gif(width, 2))).collect();
    pictures.iter().for_each(|(_, blob)| put(&devices[0], Table::Blobs, blob.clone()));
    devices[0].round(&files).unwrap();
    let ports = &devices[1].play.sim.ports;
    let here = || pictures.iter().filter(|(id, _)| devices[1].play.sim.store.peek(Table::Blobs, id).is_some()).count();
    assert_eq!((devices[1].round_so(&files, SEEN).unwrap().pictures, here()), (6, 0));
    assert_eq!(block_on(see(ports, &files, &Open, &pictures[2].0)).unwrap(), Some(true));
    assert_eq!((devices[1].round_so(&files, SEEN).unwrap().pictures, here()), (5, 1));
    // What nobody told of is nowhere; what goes wrong is tried again.
    assert_eq!(block_on(see(ports, &files, &Open, "nobody's")).unwrap(), None);
    files.fails.set(Some(0));
    assert!(block_on(see(ports, &files, &Open, &pictures[0].0)).is_err());
    assert_eq!(block_on(see(ports, &files, &Open, &pictures[0].0)).unwrap(), Some(true));
    // Nothing of it is news to the others, and who lets all come has all.
    assert_eq!(devices[1].round_so(&files, SEEN).unwrap().told, 0);
    let rounds = (0..2).map(|_| devices[1].round(&files).unwrap());
    let rounds: Vec<_> = rounds.map(|report| (report.pictures, report.goes_on)).collect();
    assert_eq!((rounds, here()), (vec![(0, false), (0, false)], 6));
}

/// Many come round by round, so that what is played meanwhile is told; what is not to be had is in nobody's way.
#[test]
fn many_pictures_come_round_by_round() {
    let files = Files::default();
    let devices = two(&files);
    let pictures: Vec<_> = (1..=11).map(|width| picture(samples::gif(width, 2))).collect();
    pictures.iter().for_each(|(_, blob)| put(&devices[0], Table::Blobs, blob.clone()));
    devices[0].round(&files).unwrap();
    let lost: Vec<_> = pictures[..5].iter().map(|(id, _)| format!("blob/{id}")).collect();
    lost.iter().for_each(|name| drop(files.files.borrow_mut().remove(name)));
    let here = || pictures.iter().filter(|(id, _)| devices[1].play.sim.store.peek(Table::Blobs, id).is_some()).count();
    let mut rounds = 0;
    while here() < 6 && rounds < 60 {
        devices[1].round(&files).unwrap();
        rounds += 1;
    }
    assert!(here() == 6 && rounds >= 2, "{} after {rounds}", here());
    // Where nothing comes any more it is not asked for at once.
    let report = devices[1].round(&files).unwrap();
    assert_eq!((report.pictures, report.goes_on), (5, false));
}

/// What one device has paid for serves the others: what is full goes once, what still grows stays.
#[test]
fn vectors_travel_where_the_reader_wants_it() {
    let files = Files::default();
    let devices = two(&files);
    let story = devices[0].play.story.id.clone();
    const TURNS: usize = 1_050;
    let embed = |device: &Device| {
        let recall = &*device.play.conductor.ports.recall;
        block_on(recall.catch_up(&story, "e")).unwrap();
        let lacking = block_on(recall.lacking(&story, "e", TURNS as u32 * 2)).unwrap();
        let vectors = lacking.iter().map(|lacking| {
            let letters = lacking.text.chars().map(|letter| letter as u32 as f32).sum::<f32>();
            (lacking.unit.clone(), vec![1.0, letters % 17.0, letters % 5.0])
        });
        (lacking.len(), block_on(recall.embed(&story, "e", vectors.collect())).unwrap())
    };
    for at in 0..TURNS {
        block_on(devices[0].play.conductor.write_memory(&story, &format!("这是第 {at} 件事。"), "")).unwrap();
    }
    let (made, _) = embed(&devices[0]);
    assert!(made > 1_000, "{made}");
    let vectors = |device: &Device| block_on(device.play.sim.store.keys(Query::all(Table::Vectors))).unwrap().len();
    assert_eq!(vectors(&devices[0]), 2);
    devices[0].round_so(&files, How { vectors: false, ..ALL }).unwrap();
    assert!(files.files.borrow().keys().all(|name| !name.starts_with("blob/")));
    // It arrives, and that it did is not heard: it is told once more, by the same device.
    files.fails.set(Some(2));
    files.wrote.set(true);
    assert!(devices[0].round_so(&files, ALL).unwrap().trouble.is_some());
    let tellers = || -> BTreeSet<String> {
        let files = files.files.borrow();
        let logs = files.keys().filter_map(|name| name.strip_prefix("log/"));
        logs.filter_map(|name| name.split_once('.')).map(|(device, _)| device.to_owned()).collect()
    };
    let before = tellers();
    devices[0].round_so(&files, ALL).unwrap();
    assert_eq!(tellers(), before);
    assert_eq!(files.files.borrow().keys().filter(|name| name.starts_with("blob/")).count(), 1);
    assert_eq!(devices[0].round_so(&files, ALL).unwrap().told, 0, "it goes once");
    // Who does not want them has none; who wants them pays for what still grew there alone.
    devices[1].round_so(&files, How { vectors: false, ..ALL }).unwrap();
    assert_eq!(vectors(&devices[1]), 0);
    devices[1].round_so(&files, ALL).unwrap();
    assert_eq!(vectors(&devices[1]), 1);
    let (lacked, _) = embed(&devices[1]);
    assert_eq!(lacked, made - 1_000);
    // They are told on by nobody, and go with their story.
    assert_eq!(devices[1].round_so(&files, ALL).unwrap().told, 0);
    block_on(bin::delete_storyline(&*devices[1].play.sim.ports.store, &story)).unwrap();
    assert_eq!(vectors(&devices[1]), 0);
}
