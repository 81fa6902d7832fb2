//! The newest pages of a story while the rest of it is on its way.

use std::cell::RefCell;

use super::*;
use crate::sync::Coming;

/// Hears, and gives what could be read ahead of what was here, pack by pack.
fn heard(device: &Device, files: &Files) -> Vec<BTreeMap<String, Coming>> {
    let seen = RefCell::new(Vec::new());
    let ports = &device.play.conductor.ports;
    let watch = |report: &crate::sync::Report| seen.borrow_mut().push(report.news.coming.clone());
    block_on(round(ports, files, &Open, &mut Always, HOW, &watch)).unwrap();
    seen.into_inner()
}

/// What was said, and what was answered.
fn words(coming: &Coming) -> Vec<(String, String)> {
    let of = |page: &crate::sync::Page| {
        let reply = page.reply.as_ref().map(|reply| reply.text.clone());
        (page.turn.user.clone().unwrap_or_default(), reply.unwrap_or_default())
    };
    coming.pages.iter().map(of).collect()
}

fn first(turns: usize, files: &Files) -> Device {
    cases::begin_library(files, "open");
    let device = Device::new(0, 0, (0..turns + 2).map(|at| Answer::text([format!("r{at}").as_str()])).collect());
    (0..turns).for_each(|at| drop(device.play.ask(Ask::New(format!("u{at}"))).unwrap()));
    device
}

fn pages(range: std::ops::Range<usize>) -> Vec<(String, String)> {
    range.map(|at| (format!("u{at}"), format!("r{at}"))).collect()
}

#[test]
fn the_newest_pages_are_there_before_the_first() {
    let files = Files::default();
    let device = first(30, &files);
    device.round(&files).unwrap();
    let new = Device::new(1, 0, Vec::new());
    let seen = heard(&new, &files);
    let id = device.play.story.id.as_str();
    let readable = seen.iter().filter_map(|coming| coming.get(id)).find(|coming| !coming.pages.is_empty()).unwrap();
    assert_eq!(words(readable), pages(27..30));
    assert_eq!(readable.story.title, device.play.storyline().title);
    // At the end all of it is here, and nothing is on its way.
    assert_eq!(seen.last(), Some(&BTreeMap::new()));
    assert_eq!(new.library(false), device.library(false));
}

/// Where it was gone on with after the first telling, and on another reply than the last one.
#[test]
fn what_was_played_since_is_what_is_read() {
    let files = Files::default();
    let device = first(30, &files);
    device.round(&files).unwrap();
    device.play.ask(Ask::Again(device.play.nodes().last().unwrap().turn.id.clone())).unwrap();
    device.round(&files).unwrap();
    device.play.ask(Ask::New("u30".into())).unwrap();
    device.round(&files).unwrap();
    let seen = heard(&Device::new(1, 0, Vec::new()), &files);
    let coming = seen.iter().flat_map(BTreeMap::values).find(|coming| !coming.pages.is_empty()).unwrap();
    let answers = [("u28", "r28"), ("u29", "r30"), ("u30", "r31")];
    assert_eq!(words(coming), answers.map(|(said, answer)| (said.to_owned(), answer.to_owned())));
}

/// What the newest files cannot say is not made up, and nothing is lost by it.
#[test]
fn where_the_newest_files_cannot_be_read_it_is_named() {
    let files = Files::default();
    let device = first(30, &files);
    device.round(&files).unwrap();
    let whole = files.files.borrow().clone();
    let later: Vec<_> = whole.keys().filter(|name| name.starts_with("log/")).skip(1).collect();
    later.iter().for_each(|name| drop(files.files.borrow_mut().insert((*name).clone(), b"noise".to_vec())));
    let new = Device::new(1, 0, Vec::new());
    let seen = heard(&new, &files);
    let named: Vec<_> = seen.iter().flat_map(BTreeMap::values).collect();
    assert!(!named.is_empty() && named.iter().all(|coming| coming.pages.is_empty()));
    files.files.replace(whole);
    new.round(&files).unwrap();
    assert_eq!(new.library(false), device.library(false));
}
