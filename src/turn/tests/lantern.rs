//! A feature is one folder and one line: a made-up one, of which nothing but `features::ALL` knows, is played with.

use serde_json::json;

use super::*;
use crate::{
    exchange,
    prompt::builtin,
    story::{
        preset::{Block, Preset},
        state::Change,
    },
};

#[test]
fn a_feature_needs_no_more_than_its_line() {
    let marker = Block { identifier: "lamp".into(), marker: Some("lantern".into()), ..Default::default() };
    let mut own = Preset { id: "lamplit".into(), ..builtin::plain(Language::Zh) };
    own.blocks.insert(1, marker);
    own.features = serde_json::from_value(json!({"lantern": {"enabled": true, "oil": 2, "wick": "new"}})).unwrap();
    let (read, _) = exchange::preset::read(&exchange::preset::write(&own)).unwrap();
    assert_eq!(read.features, own.features);
    for preset in [own, Preset { id: "read".into(), ..read }] {
        let play = play(["一。", "二。", "三。", "四。"].map(|text| Answer::text([text])));
        let told = |request: usize| {
            let said = play.messages(request);
            said.iter().find_map(|(_, text)| Some(text.split_once("Oil burnt: ")?.1.split_once('.')?.0.to_owned()))
        };
        assert!(play.say("走").changes().is_empty());
        assert_eq!(told(0), None, "a preset that does not declare it");

        let play_on = |change: &dyn Fn(&mut Storyline)| {
            let mut story = play.storyline();
            change(&mut story);
            let batch = Batch::new().put(&preset).put(&story);
            block_on(play.sim.ports.store.commit(batch)).unwrap();
            play.say("走").changes()
        };
        let burnt =
            |from: u64, to: u64| Change::World { key: "lantern".into(), from: Some(from.into()), to: Some(to.into()) };
        assert_eq!(play_on(&|story| story.preset = preset.id.clone()), [burnt(0, 2)]);
        assert_eq!(play_on(&|_| ()), [burnt(2, 4)]);
        assert_eq!((told(1).as_deref(), told(2).as_deref()), (Some("0"), Some("2")));
        assert_eq!(play_on(&|story| story.features.switch("lantern", false)), []);
        assert_eq!(told(3).as_deref(), Some("4"), "its part of the state stays");
    }
}
