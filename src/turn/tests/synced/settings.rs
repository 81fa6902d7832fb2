//! What the reader has set is the same on all devices; what is a device's own stays so.

use super::*;
use crate::{
    story::settings::{Config, EditAs},
    sync::older,
};

fn set(device: &Device, change: impl FnOnce(&mut Preferences)) {
    block_on(device.play.sim.ports.store.change(Preferences::ID, change)).unwrap();
}

fn stands(device: &Device) -> Preferences {
    block_on(device.play.sim.ports.store.load(Preferences::ID)).unwrap().unwrap_or_default()
}

#[test]
fn who_comes_to_a_library_takes_its_settings() {
    let files = Files::default();
    cases::begin_library(&files, "open");
    let [first, second] = [0, 1].map(|number| Device::new(number, 0, Vec::new()));
    set(&first, |here| (here.user_name, here.type_size) = ("Lin".to_owned(), 130));
    block_on(
        first
            .play
            .sim
            .ports
            .store
            .change(Config::ID, |config: &mut Config| config.thresholds.rag_fallback_threshold = 7),
    )
    .unwrap();
    // On the other something was set before, and some of it says nothing else.
    set(&second, |here| {
        (here.user_name, here.type_size) = ("Lynn".to_owned(), 90);
        here.lorebooks = vec!["own".into()];
    });
    first.round(&files).unwrap();
    let report = second.round(&files).unwrap();
    assert!(report.news.settings);
    first.round(&files).unwrap();
    for (device, size) in [(&first, 130), (&second, 90)] {
        let here = stands(device);
        assert_eq!((here.user_name.as_str(), here.type_size, here.lorebooks), ("Lin", size, vec!["own".into()]));
        let config: Config = block_on(device.play.sim.ports.store.load(Config::ID)).unwrap().unwrap();
        assert_eq!(config.thresholds.rag_fallback_threshold, 7);
    }
    let lost = block_on(older(&*second.play.sim.ports.store)).unwrap();
    assert_eq!(lost.iter().map(|older| older.words()).collect::<Vec<_>>(), ["user_name: Lynn"]);
    // However it comes: what a page writes meanwhile is no reason to keep what was there.
    let third = Device::new(2, 0, Vec::new());
    set(&third, |here| (here.user_name, here.edit_as) = ("Linn".to_owned(), Some(EditAs::InPlace)));
    block_on(crate::sync::begin(&third.play.sim.ports)).unwrap();
    set(&third, |here| here.last_storyline = Some("s".into()));
    set(&first, |here| here.edit_as = Some(EditAs::Branch));
    first.round(&files).unwrap();
    third.round(&files).unwrap();
    assert_eq!((stands(&third).user_name.as_str(), stands(&third).edit_as), ("Lin", Some(EditAs::Branch)));
    [&first, &second].into_iter().for_each(|device| drop(device.round(&files).unwrap()));
    assert_eq!((stands(&first).user_name.as_str(), stands(&second).edit_as), ("Lin", Some(EditAs::Branch)));
    // Once both have it, the newer wins; and what is nobody else's business is told to nobody.
    set(&second, |here| here.user_name = String::new());
    second.round(&files).unwrap();
    first.round(&files).unwrap();
    assert_eq!(stands(&first).user_name, "");
    let rounds = [&second, &first].map(|device| {
        set(device, |here| here.turns_since_backup += 1);
        device.round(&files).unwrap()
    });
    assert_eq!(rounds.map(|report| (report.told, report.news.settings)), [(0, false); 2]);
}
