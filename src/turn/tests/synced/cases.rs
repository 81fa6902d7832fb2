//! What two devices make of one story, case by case.

use super::*;
use crate::{
    exchange::merge::Mode,
    story::background::Background,
    transfer::{
        Scope,
        tests::{exported, imported},
    },
};

/// Two devices with the same story.
pub(super) fn two(files: &Files) -> [Device; 2] {
    begin_library(files, "open");
    let answers = || (0..20).map(|at| Answer::text([format!("r{at}").as_str()])).collect();
    let devices = [Device::new(0, 0, answers()), Device::new(1, 0, answers())];
    all_round(&devices, files);
    assert!(devices[1].has_story());
    devices
}

pub(super) fn all_round(devices: &[Device], files: &Files) {
    for _ in 0..3 {
        devices.iter().for_each(|device| drop(device.round(files).unwrap()));
    }
}

pub(super) fn begin_library(files: &Files, id: &str) {
    let (id, rounds) = (id.to_owned(), 600_000);
    let library = crate::sync::sealing::Library { format: 1, id, rounds, salt: "s".into(), key: "k".into() };
    files.files.borrow_mut().insert("library.json".into(), library.written());
}

impl Device {
    fn store(&self) -> &dyn Store {
        &*self.play.conductor.ports.store
    }

    pub(super) fn say(&self, words: &str) {
        self.play.ask(Ask::New(words.into())).unwrap();
    }

    fn retitle(&self, title: &str) {
        let mut story = self.play.storyline();
        story.title = title.into();
        block_on(self.store().save(&story)).unwrap();
    }
}

#[test]
fn a_story_is_gone_on_with_on_another_device() {
    let files = Files::default();
    let devices = two(&files);
    for (at, words) in ["一", "二", "三", "四"].into_iter().enumerate() {
        let device = &devices[at % 2];
        device.say(words);
        device.round(&files).unwrap();
        assert_eq!(devices[(at + 1) % 2].round(&files).unwrap().news.apart, BTreeSet::new());
    }
    for device in &devices {
        let said: Vec<_> = device.play.nodes().iter().filter_map(|node| node.turn.user.clone()).collect();
        assert_eq!(said, ["一", "二", "三", "四"]);
        assert_eq!(device.play.branches().len(), 1, "one way is one branch, whoever plays it");
    }
}

#[test]
fn both_ways_of_two_who_played_offline_are_there() {
    let files = Files::default();
    let devices = two(&files);
    devices[0].say("左");
    devices[1].say("右");
    devices[0].round(&files).unwrap();
    let id = devices[0].play.story.id.0.clone();
    let report = devices[1].round(&files).unwrap();
    assert_eq!((report.news.stories, report.news.apart), ([id.clone()].into(), [id.clone()].into()));
    assert_eq!(devices[0].round(&files).unwrap().news.apart, [id].into());
    for (device, own) in devices.iter().zip(["左", "右"]) {
        assert_eq!(device.play.nodes().last().unwrap().turn.user.as_deref(), Some(own), "each stands where they stood");
        assert_eq!(device.play.branches().len(), 2);
    }
}

#[test]
fn what_lost_is_kept_to_be_looked_at() {
    let files = Files::default();
    let devices = two(&files);
    devices[0].retitle("旧");
    devices[1].clock.0.set(devices[1].clock.0.get() + HOUR);
    devices[1].retitle("新");
    devices[1].run(&Op::Rename);
    all_round(&devices, &files);
    for device in &devices {
        assert_eq!(device.play.storyline().title, "新");
    }
    let older = devices.iter().flat_map(|device| block_on(crate::sync::older(device.store())).unwrap());
    assert_eq!(older.map(|older| older.words()).collect::<Vec<_>>(), ["title: 旧"]);
}

#[test]
fn what_was_played_since_it_was_deleted_comes_back() {
    let files = Files::default();
    let devices = two(&files);
    let id = devices[0].play.story.id.clone();
    // In the bin, and deleted for ever, before the other device has told of its turn.
    block_on(bin::discard::<Storyline>(&devices[0].play.conductor.ports, id.as_str())).unwrap();
    devices[0].round(&files).unwrap();
    block_on(bin::delete_storyline(devices[0].store(), &id)).unwrap();
    devices[0].round(&files).unwrap();
    assert!(!devices[0].has_story());
    devices[1].say("还在");
    all_round(&devices, &files);
    for device in &devices {
        device.is_whole();
        assert!(device.play.storyline().deleted.is_none());
        assert_eq!(device.records(Table::Turns).len(), 2);
    }
    // Where nobody has played on it goes everywhere.
    block_on(bin::discard::<Storyline>(&devices[1].play.conductor.ports, id.as_str())).unwrap();
    devices[1].round(&files).unwrap();
    devices[0].round(&files).unwrap();
    block_on(bin::delete_storyline(devices[1].store(), &id)).unwrap();
    all_round(&devices, &files);
    for device in &devices {
        assert!(!device.has_story());
        assert_eq!(device.records(Table::Turns).len() + device.records(Table::Branches).len(), 0);
    }
}

#[test]
fn what_was_taken_out_of_the_bin_outlives_the_bin_of_another_device() {
    let files = Files::default();
    let devices = two(&files);
    let ports = [&devices[0].play.conductor.ports, &devices[1].play.conductor.ports];
    let found = |device: &Device| device.typed::<Background>().into_iter().find(|background| background.id.0 == "b");
    let deleted = |device: &Device| found(device).map(|background| background.deleted.is_some());
    let background = Background { id: "b".into(), name: "城".into(), created: 1, ..Default::default() };
    block_on(devices[0].store().save(&background)).unwrap();
    block_on(bin::discard::<Background>(ports[0], "b")).unwrap();
    all_round(&devices, &files);
    assert_eq!(deleted(&devices[1]), Some(true));
    // One takes it out and tells nobody yet; the other empties its bin.
    block_on(bin::restore::<Background>(ports[1], "b")).unwrap();
    devices[0].week();
    assert_eq!(deleted(&devices[0]), None);
    all_round(&devices, &files);
    assert_eq!(devices.each_ref().map(deleted), [Some(false); 2]);
    assert_eq!(found(&devices[0]).unwrap().name, "城", "all of it is told anew");
    // Who deletes it for ever before anybody heard that it lies in the bin means it.
    devices[0].clock.0.set(devices[0].clock.0.get() + HOUR);
    block_on(bin::discard::<Background>(ports[0], "b")).unwrap();
    block_on(bin::delete_forever::<Background>(devices[0].store(), "b")).unwrap();
    all_round(&devices, &files);
    assert_eq!(devices.each_ref().map(deleted), [None; 2]);
}

#[test]
fn a_profile_that_was_put_back_goes_on_as_another_device() {
    let files = Files::default();
    let devices = two(&files);
    let put_back = devices[1].play.sim.store.peek(Table::Sync, "=").unwrap();
    devices[1].say("一");
    devices[1].round(&files).unwrap();
    // Its books are those of an earlier day, and so are its packs' numbers.
    block_on(
        devices[1].store().commit(Batch { ops: vec![crate::store::Op::Put(Table::Sync, put_back)], ..Batch::new() }),
    )
    .unwrap();
    devices[1].say("二");
    all_round(&devices, &files);
    assert_eq!(devices[0].play.nodes().len(), 3);
    let of = |name: &String| name.strip_prefix("log/")?.split_once('.').map(|(device, _)| device.to_owned());
    let wrote: BTreeSet<String> = files.files.borrow().keys().filter_map(of).collect();
    assert_eq!(wrote.len(), 3);
}

#[test]
fn a_device_that_left_and_comes_back_finds_all() {
    let files = Files::default();
    let devices = two(&files);
    block_on(crate::desk::Desk::new(devices[1].play.conductor.ports.clone()).leave_site()).unwrap();
    assert_eq!(devices[1].records(Table::Sync).len(), 0);
    devices[0].say("一");
    devices[1].say("二");
    all_round(&devices, &files);
    for device in &devices {
        assert_eq!(device.records(Table::Turns).len(), 3);
        device.is_whole();
    }
}

/// Says which story may be written.
struct Never;

impl MayWrite for Never {
    fn asked<'a>(&'a mut self, _: &'a str) -> Future<'a, bool> {
        Box::pin(async { false })
    }

    fn done(&mut self) {}
}

#[test]
fn a_story_that_is_being_played_waits() {
    let files = Files::default();
    let devices = two(&files);
    devices[0].say("一");
    devices[0].round(&files).unwrap();
    let ports = &devices[1].play.conductor.ports;
    let report = block_on(round(ports, &files, &Open, &mut Never, HOW, &|_| ())).unwrap();
    assert_eq!((report.news.stories.len(), devices[1].play.nodes().len()), (0, 1));
    assert_eq!(devices[1].round(&files).unwrap().news.stories.len(), 1);
    assert_eq!(devices[1].play.nodes().len(), 2);
}

#[test]
fn a_record_that_is_damaged_is_in_the_way_of_no_other() {
    let files = Files::default();
    let devices = two(&files);
    let id = devices[0].play.story.id.clone();
    let damaged = json!({ "id": "damaged", "storyline": id, "branch": "b", "position": "deep" });
    let put = crate::store::Op::Put(Table::Turns, damaged.into());
    block_on(devices[0].store().commit(Batch { ops: vec![put], ..Batch::new() })).unwrap();
    devices[0].say("一");
    all_round(&devices, &files);
    assert_eq!(devices[1].play.nodes().len(), 2);
    assert!(devices[1].play.sim.store.peek(Table::Turns, "damaged").is_none());
}

/// What the list does not show yet is heard once it does, and a device that misses its own last pack there is still itself.
#[test]
fn a_list_may_come_late() {
    let files = Files::default();
    let devices = two(&files);
    let device = |at: usize| devices[at].play.sim.store.peek(Table::Sync, "=").unwrap().value["device"].clone();
    let (first, second) = (device(0), device(1));
    files.listed.replace(Some(files.files.borrow().clone()));
    for words in ["一", "二"] {
        devices[0].say(words);
        assert_eq!(devices[0].round(&files).unwrap().trouble, None);
        assert_eq!(devices[1].round(&files).unwrap().news, crate::sync::News::default());
    }
    files.listed.replace(None);
    all_round(&devices, &files);
    assert_eq!(devices[1].play.nodes().len(), 3);
    assert_eq!((device(0), device(1)), (first, second));
}

/// A pack counts as heard only where all of it was taken in or written down.
#[test]
fn whatever_operation_of_the_store_fails_once_all_is_heard() {
    let files = Files::default();
    let first = two(&files).into_iter().next().unwrap();
    ["一", "二", "三"].into_iter().for_each(|words| first.say(words));
    first.round(&files).unwrap();
    for nth in 0..120 {
        let new = Device::new(7, 0, Vec::new());
        new.play.sim.store.fail(nth, "AbortError");
        let _ = new.round(&files);
        new.play.sim.store.heal();
        new.round(&files).unwrap();
        assert_eq!(new.library(false), first.library(false), "operation {nth}");
    }
}

#[test]
fn of_a_storage_that_was_wiped_is_said_so() {
    let files = Files::default();
    let devices = two(&files);
    files.files.borrow_mut().clear();
    assert_eq!(devices[0].round(&files), Err(Trouble::NoSuchPlace("library.json".into())));
    // Also where it told something since, and did not ask what there is.
    devices[0].say("一");
    assert_eq!(devices[0].tell(&files).unwrap().trouble, None);
    assert_eq!(devices[0].round(&files), Err(Trouble::NoSuchPlace("library.json".into())));
    begin_library(&files, "another");
    assert_eq!(devices[0].round(&files), Err(Trouble::Passphrase));
    // Put back to an earlier day it is the same one: all is told once more.
    begin_library(&files, "open");
    all_round(&devices, &files);
    assert_eq!(devices[1].play.nodes().len(), 2);
    // Who was never there finds the whole of it.
    let third = Device::new(2, 0, Vec::new());
    third.round(&files).unwrap();
    assert_eq!(third.library(false), devices[1].library(false));
}

/// What another tells of it without having heard that it is gone is a part of it: it waits for the rest.
#[test]
fn a_story_that_was_played_since_it_went_comes_back_whole() {
    let files = Files::default();
    let devices = two(&files);
    let before = devices[0].records(Table::Storylines);
    let id = devices[0].play.story.id.clone();
    block_on(bin::discard::<Storyline>(&devices[0].play.conductor.ports, id.as_str())).unwrap();
    devices[1].say("一");
    devices[0].round(&files).unwrap();
    devices[1].week();
    devices[1].round(&files).unwrap();
    devices[0].week();
    assert!(!devices[0].has_story());
    all_round(&devices, &files);
    for device in &devices {
        device.is_whole();
        let (was, is) = (&before[id.as_str()], &device.records(Table::Storylines)[id.as_str()]);
        for name in ["title", "cast", "background", "created", "initial_state", "preset", "modules", "language"] {
            assert_eq!(is[name], was[name], "{name}");
        }
    }
}

/// What another changed before they put the story into the bin stays, though it is taken out of it here.
#[test]
fn who_takes_a_story_out_of_the_bin_keeps_what_was_changed_elsewhere() {
    let files = Files::default();
    let devices = two(&files);
    let id = devices[0].play.story.id.clone();
    devices[0].retitle("另一个名字");
    block_on(bin::discard::<Storyline>(&devices[0].play.conductor.ports, id.as_str())).unwrap();
    devices[1].say("一");
    all_round(&devices, &files);
    for device in &devices {
        let story = device.play.storyline();
        assert_eq!((story.title.as_str(), story.deleted), ("另一个名字", None));
    }
    let lost = block_on(crate::sync::older(devices[1].store())).unwrap();
    assert!(lost.is_empty(), "{lost:?}");
}

/// What is being told when it breaks off, the others have not heard: the bin is not emptied of it.
#[test]
fn what_was_taken_out_is_gone_everywhere_though_telling_it_broke_off() {
    let files = Files::default();
    let devices = two(&files);
    devices[0].say("一");
    devices[0].say("二");
    all_round(&devices, &files);
    let turns = |device: &Device| device.records(Table::Turns).len();
    let all = turns(&devices[0]);
    assert_eq!(turns(&devices[1]), all);
    let last = devices[0].play.nodes().last().unwrap().turn.id.clone();
    block_on(devices[0].play.conductor.discard_from(&last)).unwrap();
    // After the list was read.
    files.fails.set(Some(1));
    let broken = devices[0].round(&files);
    assert!(broken.is_err() || broken.unwrap().trouble.is_some());
    files.fails.set(None);
    devices[0].week();
    assert_eq!(turns(&devices[0]), all, "the others have not heard of it");
    all_round(&devices, &files);
    devices.iter().for_each(Device::week);
    all_round(&devices, &files);
    let left = devices.each_ref().map(turns);
    assert!(left[0] == left[1] && left[0] < all, "{left:?} of {all}");
}

/// A reply that is still coming in another tab is told when it is whole, and its turn with it.
#[test]
fn a_turn_is_told_with_its_reply() {
    let files = Files::default();
    let devices = two(&files);
    devices[0].say("一");
    let turn = devices[0].play.nodes().last().unwrap().clone();
    let reply = turn.reply().unwrap();
    let open = Generation { open: Some(1), started: devices[0].clock.0.get(), ..Generation::clone(reply) };
    block_on(devices[0].store().save(&open)).unwrap();
    devices[0].round(&files).unwrap();
    devices[1].round(&files).unwrap();
    assert_eq!(devices[1].records(Table::Turns).get(turn.turn.id.as_str()), None);
    // Nor is where its reader stands; and before its reply has a place it waits, too.
    assert_eq!(devices[1].play.storyline().total_turns, devices[0].play.storyline().total_turns - 1);
    let asked = Turn { chosen: None, ..Turn::clone(&turn.turn) };
    block_on(devices[0].store().commit(Batch::new().put(&asked).delete(Table::Generations, reply.id.as_str())))
        .unwrap();
    assert!(devices[0].round(&files).unwrap().holds);
    devices[1].round(&files).unwrap();
    assert_eq!(devices[1].records(Table::Turns).get(turn.turn.id.as_str()), None);
    block_on(devices[0].store().commit(Batch::new().put(&turn.turn).put(&Generation::clone(reply)))).unwrap();
    assert!(!devices[0].round(&files).unwrap().holds);
    all_round(&devices, &files);
    let heard = devices[1].play.nodes().last().unwrap().clone();
    assert_eq!((heard.turn.id, heard.generations.len()), (turn.turn.id, 1));
    // One that was left open is not waited for.
    devices[0].say("二");
    let turn = devices[0].play.nodes().last().unwrap().clone();
    let open = Generation { open: Some(1), ..Generation::clone(turn.reply().unwrap()) };
    block_on(devices[0].store().save(&open)).unwrap();
    devices[0].clock.0.set(devices[0].clock.0.get() + HOUR);
    all_round(&devices, &files);
    assert!(devices[1].records(Table::Turns).contains_key(turn.turn.id.as_str()));
}

/// A story that came from another device has branches of its own, so an archive of it that was made there is another story.
#[test]
fn an_archive_of_another_device_does_not_tear_a_story_apart() {
    let files = Files::default();
    let devices = two(&files);
    for (at, words) in ["一", "二"].into_iter().enumerate() {
        devices[at % 2].say(words);
        all_round(&devices, &files);
    }
    let (text, outcome) = exported(&devices[0].play.conductor.ports, Scope::Library);
    outcome.unwrap();
    devices[1].say("三");
    let before = devices[1].play.nodes();
    let branches = devices[1].play.branches();
    imported(&devices[1].play.conductor.ports, Mode::Merge, &text).unwrap();
    assert_eq!((devices[1].play.nodes(), devices[1].play.branches()), (before, branches));
    assert_eq!(devices[1].typed::<Storyline>().len(), 2, "it is there as a copy");
}

#[test]
fn half_of_an_import_is_told_to_nobody() {
    let files = Files::default();
    let devices = two(&files);
    let importing = crate::store::Doc::from(json!({ "id": "import", "state": "writing" }));
    let put = |ops: Vec<crate::store::Op>| block_on(devices[0].store().commit(Batch { ops, ..Batch::new() })).unwrap();
    put(vec![crate::store::Op::Put(Table::Settings, importing)]);
    let turn = Turn { id: "t".into(), storyline: "elsewhere".into(), branch: "b".into(), ..Turn::default() };
    block_on(devices[0].store().save(&turn)).unwrap();
    let report = devices[0].round(&files).unwrap();
    assert!(report.holds && report.told == 0);
    // It is taken back, and what else has changed is told then.
    put(vec![
        crate::store::Op::Delete(Table::Settings, "import".into()),
        crate::store::Op::Delete(Table::Turns, "t".into()),
    ]);
    devices[0].retitle("新");
    all_round(&devices, &files);
    assert_eq!(devices[1].play.storyline().title, "新");
    assert!(devices[1].records(Table::Sync).keys().all(|id| !id.starts_with('?')), "nothing waits for it there");
}

#[test]
fn what_came_before_a_round_broke_off_is_news() {
    let files = Files::default();
    let devices = two(&files);
    for at in 0..8 {
        devices[0].say(&at.to_string());
        devices[0].round(&files).unwrap();
    }
    let broken = (1..40).find_map(|operations| {
        files.fails.set(Some(operations));
        devices[1].round(&files).ok().filter(|report| report.trouble.is_some() && !report.news.stories.is_empty())
    });
    assert!(broken.is_some_and(|report| report.took_in));
    files.fails.set(None);
    assert!(!devices[1].round(&files).unwrap().news.stories.is_empty(), "it broke off amid what came");
}

/// Other tabs read their lists again.
#[test]
fn a_library_that_changed_is_told_to_the_other_tabs() {
    let files = Files::default();
    let devices = two(&files);
    let eve = crate::story::character::Character { id: "eve".into(), name: "Eve".into(), ..Default::default() };
    block_on(devices[0].store().save(&eve)).unwrap();
    devices[0].round(&files).unwrap();
    let before = devices[1].play.sim.tabs.announced.get();
    assert!(devices[1].round(&files).unwrap().news.library);
    assert!(devices[1].play.sim.tabs.announced.get() > before);
}
