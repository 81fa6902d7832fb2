use proptest::prelude::*;
use serde_json::json;

use super::{
    request::{Said, answer},
    *,
};
use crate::prompt::tokens::estimate;

fn feed(id: &str, pieces: u32) -> Feed {
    Feed { id: id.into(), pieces, title: id.into(), ..Feed::default() }
}

fn growing(days: u32, feeds: Vec<Feed>) -> Character {
    let mut cradle = Cradle { days, feeds, ..Cradle::default() };
    cradle.begin(1_000);
    let mut character = Character { name: "Ada".into(), ..Character::default() };
    cradle.keep(&mut character);
    character
}

fn said(text: &str) -> request::Said {
    answer(text, &Field::GROWING).unwrap()
}

fn step(character: &mut Character, now: Millis, text: &str) -> Option<Next> {
    let next = Cradle::of(character)?.due(now)?;
    let piece = match &next {
        Next::Read(piece) => Some(piece.clone()),
        Next::Ripen => None,
    };
    let told = character.clone();
    assert!(enter(character, Step { at: now, piece, ..Step::default() }, &said(text), &told));
    Some(next)
}

fn back(character: &mut Character) -> bool {
    let steps = Cradle::of(character).map_or(0, |cradle| cradle.steps.len());
    take_back(character, steps)
}

const NONE: &str = r#"{"name": ""}"#;

#[test]
fn pieces_share_the_time_and_the_end_makes_it_whole() {
    let mut character = growing(4, vec![feed("a", 2), feed("b", 2)]);
    let at = |days: f64| 1_000 + (days * DAY as f64) as Millis;
    assert_eq!(step(&mut character, at(0.9), NONE), None);
    assert_eq!(step(&mut character, at(1.0), NONE), Some(Next::Read(Piece { feed: "a".into(), number: 0 })));
    assert_eq!(step(&mut character, at(1.9), NONE), None, "not before its time");
    // The page was closed for two days: what fell due meanwhile is due now, and no more than that.
    assert_eq!(step(&mut character, at(3.5), NONE), Some(Next::Read(Piece { feed: "a".into(), number: 1 })));
    assert_eq!(step(&mut character, at(3.5), NONE), Some(Next::Read(Piece { feed: "b".into(), number: 0 })));
    assert_eq!(step(&mut character, at(3.5), NONE), None);
    assert_eq!(step(&mut character, at(9.0), NONE), Some(Next::Read(Piece { feed: "b".into(), number: 1 })));
    assert_eq!(step(&mut character, at(9.0), NONE), Some(Next::Ripen));
    assert_eq!(step(&mut character, at(99.0), NONE), None, "once is enough");
}

#[test]
fn rest_is_no_growth_and_at_once_is_at_once() {
    let mut character = growing(2, vec![feed("a", 2)]);
    let mut cradle = Cradle::of(&character).unwrap();
    cradle.pause(1_000);
    assert_eq!(cradle.due(1_000 + 9 * DAY), None);
    cradle.go_on(1_000 + 9 * DAY);
    assert_eq!(cradle.due(1_000 + 9 * DAY), None);
    assert!(cradle.due(1_000 + 10 * DAY).is_some());
    cradle.days = 0;
    cradle.keep(&mut character);
    let now = 1_000 + 9 * DAY;
    assert!(matches!(step(&mut character, now, NONE), Some(Next::Read(_))));
    assert!(matches!(step(&mut character, now, NONE), Some(Next::Read(_))));
    assert_eq!(step(&mut character, now, NONE), Some(Next::Ripen));
}

#[test]
fn nothing_is_done_twice() {
    let mut character = growing(0, vec![feed("a", 1)]);
    let one = Step { piece: Some(Piece { feed: "a".into(), number: 0 }), ..Step::default() };
    let told = character.clone();
    assert!(enter(&mut character, one.clone(), &said(r#"{"description": "Tall."}"#), &told));
    // Another tab, which asked for the same.
    assert!(!enter(&mut character, one, &said(r#"{"description": "Short."}"#), &told));
    assert_eq!(character.card.description, "Tall.");
    let ripe = Step::default();
    assert!(enter(&mut character, ripe.clone(), &said(NONE), &told));
    assert!(!enter(&mut character, ripe, &said(NONE), &told));
}

#[test]
fn a_step_is_taken_back_and_what_was_written_by_hand_stays() {
    let mut character = growing(0, vec![feed("a", 3)]);
    step(
        &mut character,
        1_000,
        r#"{"description": "Tall.", "core_traits": ["calm"], "knowledge": [{"title": "Tea", "keys": ["tea"], "text": "Green."}]}"#,
    );
    let before = character.clone();
    step(
        &mut character,
        1_000,
        r#"{"description": "Tall and tired.", "personality": "Dry.", "core_traits": ["calm", "dry"],
            "knowledge": [{"title": "Tea", "keys": ["tea", "leaf"], "text": "Green, hot."}, {"title": "Sea", "text": "Cold."}]}"#,
    );
    assert_eq!(titles(&character), ["Tea", "Sea"]);
    character.card.personality = "Dry, but kind.".into();
    assert!(back(&mut character));
    assert_eq!(character.card.personality, "Dry, but kind.", "a hand was here since");
    character.card.personality.clear();
    let left_out = Cradle::of(&character).unwrap().feeds[0].left_out.clone();
    assert_eq!(left_out, [1]);
    assert_eq!(
        (&character.card.description, &character.card.character_book),
        (&before.card.description, &before.card.character_book)
    );
    assert_eq!(character.initial_profile, before.initial_profile);
    // Its piece waits until it is asked for again.
    assert_eq!(step(&mut character, 1_000, NONE), Some(Next::Read(Piece { feed: "a".into(), number: 2 })));
    let mut cradle = Cradle::of(&character).unwrap();
    cradle.read_again("a");
    assert_eq!(cradle.left(), [Piece { feed: "a".into(), number: 1 }]);
}

#[test]
fn a_character_that_was_ripe_rests_when_that_is_taken_back() {
    let mut character = growing(0, vec![feed("a", 1)]);
    step(&mut character, 1_000, NONE);
    step(&mut character, 1_000, NONE);
    assert!(Cradle::of(&character).unwrap().is_ripe());
    assert!(back(&mut character));
    let cradle = Cradle::of(&character).unwrap();
    assert!(!cradle.is_ripe() && cradle.paused.is_some());
    assert_eq!(cradle.due(1 << 50), None);
}

#[test]
fn a_text_that_is_no_longer_read() {
    let mut character = growing(0, vec![feed("a", 3), feed("b", 1)]);
    step(&mut character, 1_000, NONE);
    let mut cradle = Cradle::of(&character).unwrap();
    cradle.drop_feed("a");
    cradle.drop_feed("b");
    assert_eq!(cradle.feeds.len(), 1, "what taught something is still named by its step");
    assert_eq!(cradle.left(), []);
}

#[test]
fn what_a_hand_has_written_stays() {
    let mut character = growing(0, vec![feed("a", 1)]);
    let told = character.clone();
    // While the model thought, somebody wrote.
    character.card.description = "By hand.".into();
    character.card.first_mes = "My opening.".into();
    let one = Step { piece: Some(Piece { feed: "a".into(), number: 0 }), ..Step::default() };
    assert!(enter(
        &mut character,
        one,
        &said(r#"{"description": "Tall.", "personality": "Dry.", "name": "Eve"}"#),
        &told
    ));
    assert_eq!((character.card.description.as_str(), character.card.personality.as_str()), ("By hand.", "Dry."));
    assert_eq!(character.name, "Ada", "it has one");
    let ripe = answer(r#"{"first_message": "Its opening.", "goals": ["Rest."]}"#, &Field::RIPE).unwrap();
    let told = character.clone();
    assert!(enter(&mut character, Step::default(), &ripe, &told));
    assert_eq!(character.card.first_mes, "My opening.");
    assert_eq!(character.initial_profile.current_state.immediate_goals, [json!("Rest.")]);
    // Of another tab that saw fewer steps.
    assert!(!take_back(&mut character, 1));
    assert!(take_back(&mut character, 2));
}

#[test]
fn an_entry_comes_back_as_it_was() {
    let mut character = growing(0, vec![feed("a", 2)]);
    let entry = json!({"name": "Tea", "keys": ["tea, green", "leaf"], "content": "Hot.", "priority": 7});
    character.card.character_book = Some(json!({"entries": [entry]}));
    step(
        &mut character,
        1_000,
        r#"{"knowledge": [{"title": "Tea", "keys": ["tea"], "text": "Cold."}, {"title": "Sea", "text": "Deep."}]}"#,
    );
    assert_eq!(titles(&character), ["Tea", "Sea"]);
    assert!(back(&mut character));
    assert_eq!(character.card.character_book.unwrap()["entries"], json!([entry]));
}

#[test]
fn what_is_fed_late_is_not_overdue() {
    let of = |cradle: &Cradle| cradle.next().unwrap().0;
    let mut cradle = Cradle::of(&growing(7, vec![feed("a", 1)])).unwrap();
    let late = 1_000 + 6 * DAY;
    cradle.feed(Feed { fed: late, ..feed("b", 5) });
    assert_eq!(of(&cradle), late + DAY / 6);
    // What was due before stays due.
    let mut cradle = Cradle::of(&growing(7, vec![feed("a", 7)])).unwrap();
    cradle.feed(Feed { fed: late, ..feed("b", 1) });
    assert!(of(&cradle) <= late);
}

#[test]
fn what_fails_is_not_paid_for_for_ever() {
    let missed = |times, fault: bool| Missed {
        at: 0,
        fault: fault.then(|| Fault::new(crate::story::fault::FaultKind::RateLimited, "")),
        times,
    };
    assert!(missed(1, false).is_over(PATIENCE + 1) && !missed(1, false).is_over(PATIENCE));
    assert!(!missed(3, false).is_over(1 << 50), "three answers that were none: the reader is waited for");
    assert!(missed(3, true).is_over(4 * PATIENCE + 1) && !missed(3, true).is_over(4 * PATIENCE));
}

#[test]
fn old_steps_fade() {
    let mut character = growing(0, vec![feed("a", 200)]);
    for number in 0..200 {
        step(&mut character, 1_000, &json!({"description": format!("After {number}.")}).to_string());
    }
    let cradle = Cradle::of(&character).unwrap();
    assert_eq!(cradle.steps.iter().filter(|step| step.faded).count(), 200 - KEPT);
    for _ in 0..KEPT {
        assert!(back(&mut character));
    }
    assert!(!back(&mut character), "what it changed is not kept");
    assert_eq!(Cradle::of(&character).unwrap().steps.len(), 200 - KEPT);
}

#[test]
fn what_comes_in_a_file_rests() {
    let mut record = serde_json::to_value(growing(0, vec![feed("a", 1)])).unwrap();
    lay_to_rest(&mut record, 5_000);
    let character: Character = serde_json::from_value(record.clone()).unwrap();
    assert_eq!(Cradle::of(&character).unwrap().due(1 << 50), None);
    lay_to_rest(&mut record, 9_000);
    assert_eq!(record["cradle"]["paused"], 5_000);
    let mut other = json!({"name": "Ada"});
    lay_to_rest(&mut other, 1);
    assert_eq!(other, json!({"name": "Ada"}));
}

#[test]
fn answers_of_all_kinds() {
    for (text, fields, knowledge) in [
        (
            r#"```json
{"description": "Tall.", "personality": "", "beliefs": ["Be kind.", {"content": "Ask\nfirst."}]}
```"#,
            json!([["description", "Tall."], ["beliefs", "Be kind.\nAsk first."]]),
            json!([]),
        ),
        (
            r#"Here: {"knowledge": [{"title": "Tea", "keys": "tea，leaf", "text": "Green."}, {"title": "", "text": "x"}, {"title": "Sea", "text": ""}, {"title": "Rain", "text": "Wet."}]}"#,
            json!([]),
            json!([["Tea", "tea, leaf\nGreen."], ["Rain", "Rain\nWet."]]),
        ),
        (r#"{"description": "A", "personality": "half a sent"#, json!([["description", "A"]]), json!([])),
        (r#"{"first_message": "Never asked for here.", "name": 7}"#, json!([["name", "7"]]), json!([])),
    ] {
        let said = answer(text, &Field::GROWING).unwrap();
        let named: Vec<_> = said.fields.iter().map(|(field, text)| json!([field.name(), text])).collect();
        assert_eq!(json!(named), fields, "{text}");
        assert_eq!(json!(said.knowledge), knowledge, "{text}");
    }
    for text in ["", "I would rather not.", "{}", r#"{"other": 1}"#, "[1]"] {
        assert_eq!(answer(text, &Field::GROWING), None, "{text}");
    }
    // Half a list is not the list.
    let cut = answer(r#"{"description": "A", "core_traits": ["calm", "dr"#, &Field::GROWING).unwrap();
    assert_eq!(cut.fields, [(Field::Description, "A".to_owned())]);
    // Without an opening nobody enters; a name is one line.
    assert_eq!(answer(r#"{"name": "", "goals": ["x"]}"#, &Field::RIPE), None);
    assert!(answer(r#"{"first_message": "Hi."}"#, &Field::RIPE).is_some());
    assert_eq!(answer("{\"name\": \"A\\n\\u202eda\"}", &Field::GROWING).unwrap().fields[0].1.lines().count(), 1);
}

#[test]
fn what_the_model_reads() {
    let mut character = growing(0, vec![Feed { kind: Kind::Material, ..feed("The harbour", 2) }]);
    let of = |character: &Character, language| {
        let feed = Feed { kind: Kind::Material, ..feed("The harbour", 2) };
        request::read(character, &feed, "She pours the tea and says nothing.", (1, 2), language)[0].content.clone()
    };
    let new = of(&Character::default(), Language::En);
    step(
        &mut character,
        1_000,
        r#"{"description": "A keeper of the light.", "core_traits": ["calm", "dry"], "knowledge": [{"title": "tea", "keys": ["tea"], "text": "She drinks it green."}, {"title": "sea", "text": "Cold."}]}"#,
    );
    insta::assert_snapshot!(
        [
            new,
            of(&character, Language::En),
            of(&character, Language::Zh),
            request::ripen(&character, Language::En)[0].content.clone(),
            request::ripen(&character, Language::Zh)[0].content.clone(),
        ]
        .join("\n\n=====\n\n")
    );
}

#[test]
fn a_kept_cradle() {
    let mut character = growing(7, vec![feed("a", 2)]);
    let changes = vec![Change { field: "description".into(), after: "Tall.".into(), ..Change::default() }];
    let mut cradle = Cradle::of(&character).unwrap();
    cradle.steps.push(Step {
        at: 5,
        piece: Some(Piece { feed: "a".into(), number: 0 }),
        changes,
        model: "m".into(),
        ..Step::default()
    });
    let said =
        Said { fields: vec![(Field::Greetings, "Hm.".into())], knowledge: vec![("tea".into(), "Green.".into())] };
    cradle.ahead = Some(Ahead::of(&character, Step { at: 6, model: "m".into(), ..Step::default() }, said));
    cradle.keep(&mut character);
    insta::assert_json_snapshot!(character.extra);
    assert_eq!(Cradle::of(&character), Some(cradle));
    // A look at what comes next that this version cannot read is taken again.
    character.extra[KEY]["ahead"]["said"]["fields"] = json!([["Wings", "two"]]);
    assert_eq!(Cradle::of(&character).map(|cradle| (cradle.ahead, cradle.steps.len())), Some((None, 1)));
    // What a file says is bounded.
    let hostile = json!({"days": u32::MAX, "begun": u64::MAX, "grown_to": u64::MAX, "paused": u64::MAX, "feeds": [{"id": "a", "pieces": u32::MAX}]});
    character.extra.insert(KEY.into(), hostile);
    let mut cradle = Cradle::of(&character).unwrap();
    cradle.go_on(1);
    assert!(cradle.left().len() <= 20_000 && cradle.next().is_some() && cradle.due(1).is_none());
    // What another program wrote there is none, and stays.
    character.extra.insert(KEY.into(), json!("a bed"));
    assert_eq!(Cradle::of(&character), None);
    assert!(!back(&mut character));
}

proptest! {
    /// Nothing of a text is lost or read twice, and no piece is too long to read.
    #[test]
    fn pieces_are_the_text(lines in prop::collection::vec("[a-z 。.\u{4e00}-\u{4e20}]{0,900}", 0..30)) {
        let text = lines.join("\n");
        let pieces = pieces(&text);
        let bare = |text: &str| text.chars().filter(|char| !char.is_whitespace()).collect::<String>();
        prop_assert_eq!(bare(&pieces.concat()), bare(&text));
        for piece in pieces {
            prop_assert!(estimate(piece) <= 2_600, "{}", estimate(piece));
        }
    }

    /// Whatever is done, no piece is read twice, and time alone brings it to its end.
    #[test]
    fn it_comes_to_its_end(acts in prop::collection::vec((0..9_u8, 0..9_u64), 0..40)) {
        let mut character = growing(3, vec![feed("a", 3)]);
        let mut now = 1_000;
        for (number, (act, hours)) in acts.into_iter().enumerate() {
            now += hours * 60 * 60 * 1000;
            let mut cradle = Cradle::of(&character).unwrap();
            match act {
                0 => cradle.pause(now),
                1 => cradle.go_on(now),
                2 => cradle.feed(Feed { fed: now, ..feed(&number.to_string(), 2) }),
                3 => cradle.days = (hours % 5) as u32,
                4 => cradle.drop_feed("a"),
                5 => cradle.read_again("a"),
                7 => {
                    let next = cradle.planned().map(|(_, next)| next);
                    let piece = next.clone().and_then(|next| match next { Next::Read(piece) => Some(piece), Next::Ripen => None });
                    let step = Step { at: now, piece, ..Step::default() };
                    cradle.ahead = next.map(|_| Ahead::of(&character, step, Said::default()));
                }
                8 => cradle.leave_out_ahead(now),
                _ => {}
            }
            cradle.keep(&mut character);
            if act == 7 && hours % 2 == 0 {
                let_in(&mut character, now, now);
            }
            if act == 6 {
                back(&mut character);
            }
            while step(&mut character, now, NONE).is_some() {}
        }
        let mut cradle = Cradle::of(&character).unwrap();
        cradle.go_on(now);
        let fed = !cradle.left().is_empty() || !cradle.steps.is_empty();
        cradle.keep(&mut character);
        now += 400 * DAY;
        while step(&mut character, now, NONE).is_some() {}
        let cradle = Cradle::of(&character).unwrap();
        prop_assert_eq!(cradle.is_ripe(), fed);
        let mut read: Vec<_> = cradle.steps.iter().filter_map(|step| step.piece.clone()).map(|piece| (piece.feed, piece.number)).collect();
        let all = read.len();
        read.sort();
        read.dedup();
        prop_assert_eq!(read.len(), all);
    }
}
