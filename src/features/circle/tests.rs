use proptest::prelude::*;
use serde_json::json;

use super::{
    due::{LOOKS, asked, coming, unseen},
    memory::Whose,
    request::{Reaction, Told, look, post as ask_post, read_look, read_post},
    *,
};
use crate::story::{
    character::Asset,
    post::{Comment, Like, Look, Post},
    reader::Reader,
};

const NOW: Millis = 1_760_000_000_000;
const HOUR: Millis = 3_600_000;

fn part(who: &str, joined: Millis) -> Part {
    Part { who: who.into(), member: Member { joined, ..Member::default() } }
}

fn post(id: &str, author: &str, at: Millis) -> Post {
    let author = (!author.is_empty()).then(|| CharacterId::from(author));
    let name = author.as_ref().map_or("Lin".to_owned(), |id| name_of(id.as_str()));
    Post { id: id.into(), author, name, text: format!("Words of {id}."), created: at, updated: at, ..Post::default() }
}

fn name_of(id: &str) -> String {
    match id {
        "a" => "Ada",
        "b" => "Bo",
        _ => "Cy",
    }
    .to_owned()
}

fn says(post: &mut Post, id: &str, author: &str, to: Option<&str>, at: Millis) {
    let author = (!author.is_empty()).then(|| CharacterId::from(author));
    let name = author.as_ref().map_or("Lin".to_owned(), |id| name_of(id.as_str()));
    let to = to.map(str::to_owned);
    post.comments.push(Comment { id: id.into(), author, name, text: format!("Says {id}."), at, to });
}

fn looked(post: &mut Post, who: &str, seen: Millis) {
    let times = post.look(&who.into()).map_or(0, |look| look.times);
    post.looks.retain(|look| look.who.as_str() != who);
    post.looks.push(Look { who: who.into(), seen, times: times + 1, ..Look::default() });
}

#[test]
fn who_looks_at_what_and_when_again() {
    let (a, b, c) = ("a".into(), "b".into(), "c".into());
    let mut one = post("p", "a", NOW);
    assert_eq!([&a, &b, &c].map(|who| unseen(&one, who, 0)), [None, Some(NOW), Some(NOW)], "nobody looks at their own");
    assert_eq!(unseen(&one, &b, NOW + 1), None, "who came later does not go through all that was before");
    looked(&mut one, "b", NOW + 5);
    assert_eq!(unseen(&one, &b, 0), None);
    says(&mut one, "1", "b", None, NOW + 6);
    assert_eq!(unseen(&one, &a, 0), Some(NOW + 6), "something was said to its post");
    assert_eq!(unseen(&one, &b, 0), None, "not by somebody else");
    looked(&mut one, "a", NOW + 8);
    says(&mut one, "2", "a", Some("1"), NOW + 9);
    assert_eq!([unseen(&one, &a, 0), unseen(&one, &b, 0)], [None, Some(NOW + 9)]);
    looked(&mut one, "b", NOW + 10);
    says(&mut one, "3", "", Some("2"), NOW + 11);
    assert_eq!([unseen(&one, &a, 0), unseen(&one, &b, 0)], [Some(NOW + 11), None], "the reader answers one of them");
    // Two who always answer each other come to an end.
    for round in 0..20 {
        let at = NOW + 20 + round;
        let (who, to) = if round % 2 == 0 { ("a", "b") } else { ("b", "a") };
        if unseen(&one, &who.into(), 0).is_none() {
            break;
        }
        let last = one.comments.iter().rev().find(|said| said.author == Some(to.into())).map(|said| said.id.clone());
        looked(&mut one, who, at);
        says(&mut one, &format!("r{round}"), who, last.as_deref(), at);
    }
    assert!(one.looks.iter().all(|look| look.times <= LOOKS), "{:?}", one.looks);
    assert!(one.comments.len() < 12);
}

#[test]
fn the_pace_says_when() {
    let parts = [part("a", NOW), part("b", NOW)];
    let mut posts = vec![post("p", "", NOW + HOUR)];
    assert_eq!(coming(&parts, &posts, Pace::Hand, NOW), [], "by hand nothing goes by itself");
    let first = |parts: &[Part], posts: &[Post], pace| {
        let all = coming(parts, posts, pace, NOW + HOUR);
        assert!(all.is_sorted_by_key(|due| due.at));
        all.into_iter().next()
    };
    for pace in [Pace::Slow, Pace::Calm, Pace::Lively] {
        let (look, wait) = pace.takes().unwrap();
        for due in coming(&parts, &posts, pace, NOW + HOUR) {
            let (from, wait) = match due.act {
                Act::Post => (NOW, look),
                Act::Look(_) => (NOW + HOUR, look),
            };
            assert!((from + wait / 2..=from + wait * 3 / 2).contains(&due.at), "{due:?}");
        }
        // Who has posted waits longer, though the page was closed for weeks: nothing is made up for.
        let mut posted = parts.clone();
        posted[0].member.posted = Some(NOW + HOUR);
        let next = coming(&posted, &[], pace, NOW + 60 * 24 * HOUR);
        let of_a: Vec<_> = next.iter().filter(|due| due.who.as_str() == "a").collect();
        assert_eq!(of_a.len(), 1);
        assert!(of_a[0].at >= NOW + HOUR + wait / 2);
    }
    let mut quiet = parts.clone();
    (quiet[0].member.standing, quiet[1].member.standing) = (Standing::Rests, Standing::Muted);
    assert_eq!(first(&quiet, &posts, Pace::Lively), None, "who rests or is muted does nothing");
    assert_eq!(asked(&quiet, &posts[0], NOW), []);
    assert_eq!(asked(&parts, &posts[0], NOW).len(), 2);
    looked(&mut posts[0], "a", NOW + HOUR);
    assert_eq!(asked(&parts, &posts[0], NOW).len(), 1);
    // What is past is not gone into again by itself.
    let old = [post("o", "", NOW)];
    let all = coming(&parts, &old, Pace::Lively, NOW + SPAN + 1);
    assert!(all.iter().all(|due| due.act == Act::Post));
}

proptest! {
    /// However the circle goes: it comes to rest where nobody posts, and each looks at each post a few times at most.
    #[test]
    fn it_comes_to_rest(script in proptest::collection::vec((0u8..4, any::<bool>(), 0usize..6), 1..60)) {
        let parts = ["a", "b", "c"].map(|who| part(who, NOW));
        let mut posts = vec![post("p", "", NOW + 1), post("q", "a", NOW + 2)];
        let mut now = NOW + 3;
        let mut script = script.into_iter().cycle();
        let mut steps = 0;
        loop {
            let looks = coming(&parts, &posts, Pace::Lively, now).into_iter().find(|due| due.act != Act::Post);
            let Some(Due { at, who, act: Act::Look(id) }) = looks else { break };
            steps += 1;
            prop_assert!(steps <= 2 * 3 * LOOKS, "it never ends");
            now = now.max(at) + 1;
            let (what, likes, to) = script.next().unwrap();
            let post = posts.iter_mut().find(|post| post.id == id).unwrap();
            looked(post, who.as_str(), now);
            if likes {
                post.likes.push(Like { who: Some(who.clone()), at: now, ..Like::default() });
            }
            if what > 0 {
                let to = post.comments.get(to).map(|said| said.id.clone());
                let id = post.comments.len().to_string();
                says(post, &id, who.as_str(), to.as_deref(), now);
            }
        }
        for post in &posts {
            prop_assert!(post.looks.iter().all(|look| look.times <= LOOKS));
        }
    }
}

#[test]
fn what_is_remembered_is_what_was_seen() {
    let mut one = post("p", "", NOW);
    one.caption = "a lamp in the fog".into();
    says(&mut one, "1", "b", None, NOW + 1);
    looked(&mut one, "a", NOW + 2);
    one.looks[0].kept = vec!["Ada wonders what Bo meant.".into()];
    one.likes.push(Like { who: Some("a".into()), ..Like::default() });
    says(&mut one, "2", "a", Some("1"), NOW + 3);
    says(&mut one, "3", "b", Some("2"), NOW + 4);
    let mut own = post("q", "a", NOW + 10);
    says(&mut own, "4", "b", None, NOW + 11);
    let posts = [one, own, post("unseen", "b", NOW + 12)];
    let told = |who: &str, language, at| {
        let name = name_of(who);
        let whose = Whose { id: &who.into(), name: &name, reader: Reader::new("", language).told().plain, language };
        memory::told(&posts, whose, at, memory::TOKENS)
    };
    assert_eq!(
        told("a", Language::En, NOW + 5 * 60_000),
        [
            "- 5 minutes ago, the reader posted: “Words of p.” [a lamp in the fog]; Ada liked it; Ada said “Says 2.”; Ada wonders what Bo meant.",
            "- 4 minutes ago, Ada posted: “Words of q.”",
        ],
        "what was said to it since, it has not seen"
    );
    assert_eq!(
        told("a", Language::Zh, NOW + 3 * HOUR),
        [
            "- 3 小时前，读者发了：“Words of p.” [a lamp in the fog]；Ada点了赞；Ada说“Says 2.”；Ada wonders what Bo meant.",
            "- 3 小时前，Ada发了：“Words of q.”",
        ]
    );
    assert_eq!(told("c", Language::En, NOW + HOUR), Vec::<String>::new());
    assert_eq!(told("a", Language::En, NOW + 5).len(), 1, "an earlier time knows nothing of later ones");
    let mut forgotten = posts.clone();
    forgotten[0].looks[0].forgotten = true;
    let whose = Whose { id: &"a".into(), name: "Ada", reader: "the reader", language: Language::En };
    assert_eq!(memory::told(&forgotten, whose, NOW + HOUR, 700).len(), 1);
    assert_eq!(memory::told(&posts, whose, NOW + HOUR, 5), Vec::<String>::new(), "no room, no lines");
}

fn ada() -> Character {
    let mut ada = Character { id: "a".into(), name: "Ada".into(), ..Character::default() };
    ada.card.description = "{{char}} keeps the lamp and waits for {{user}}.".into();
    ada.card.personality = "Dry, patient.".into();
    ada.card.mes_example = "<START>\n{{user}}: Cold?\n{{char}}: The lamp is not.".into();
    let asset = |name: &str, kind: &str| Asset { kind: kind.into(), name: name.into(), ..Asset::default() };
    ada.assets = vec![asset("smile", "emotion"), asset("main", "icon"), asset("the pier", "x_gallery")];
    ada
}

#[test]
fn what_the_model_reads() {
    let mut one = post("p", "", NOW);
    one.caption = "a lamp in the fog".into();
    one.likes.push(Like { who: Some("b".into()), name: "Bo".into(), at: NOW });
    says(&mut one, "1", "b", None, NOW + 1);
    says(&mut one, "2", "", Some("1"), NOW + 2);
    let mut seen = post("q", "b", NOW - HOUR);
    looked(&mut seen, "a", NOW - HOUR + 1);
    let posts = [seen, one.clone(), post("own", "a", NOW - 3 * HOUR)];
    let blank = Character { id: "n".into(), name: "Nobody".into(), ..Character::default() };
    let mut all = Vec::new();
    for (language, name) in [(Language::Zh, "林"), (Language::En, "")] {
        let reader = Reader::new(name, language);
        let lived = "In the story “Fog”:\nThe keeper trusts nobody.";
        let ada = ada();
        let full = Told { character: &ada, reader, posts: &posts, lived, now: NOW + 10 * 60_000 };
        let bare = Told { character: &blank, posts: &[], lived: "", ..full };
        let only = [one.clone()];
        let first = Told { character: &blank, posts: &only, lived: "", ..full };
        for (messages, _) in [look(&full, &one), ask_post(&full), look(&first, &one), ask_post(&bare)] {
            all.push(messages[0].content.clone());
        }
    }
    insta::assert_snapshot!("requests", all.join("\n\n=================\n\n"));
}

#[test]
fn what_it_answers() {
    let reads = |text: &str| read_look(text, "Ada");
    assert_eq!(
        reads(r#"{"like": true, "comment": "Ada: “Still lit.”", "to": 2, "remember": "Ada \n minds."}"#),
        Some(Reaction { like: true, comment: "Still lit.".into(), to: 2, remember: "Ada minds.".into() })
    );
    assert_eq!(
        reads("```json\n{\"like\": \"true\", \"comment\": \"\", \"to\": \"1\"}\n```").map(|said| (said.like, said.to)),
        Some((true, 1))
    );
    assert_eq!(reads(r#"{"like": false}"#), Some(Reaction::default()), "silence is an answer");
    assert_eq!(reads(r#"{"to": -3, "like": null, "comment": 5}"#), Some(Reaction::default()));
    for none in ["", "I like it.", "[]", r#"{"text": "no"}"#] {
        assert_eq!(reads(none), None, "{none}");
    }
    let post = |text: &str| read_post(text, "Ada");
    assert_eq!(
        post(r#"{"text": "\"Fog.\"", "picture": " smile "}"#).map(|said| (said.text, said.picture)),
        Some(("Fog.".into(), "smile".into()))
    );
    assert_eq!(
        post(r#"{"text": "“Go,” he said, “now.”"}"#).unwrap().text,
        "“Go,” he said, “now.”",
        "not all of it is quoted"
    );
    assert_eq!(post(r#"{"text": ""}"#), Some(Default::default()));
    assert_eq!(post(r#"{"like": true}"#), None);
    let long = json!({"text": "x".repeat(9_000)}).to_string();
    assert_eq!(post(&long).unwrap().text.chars().count(), POST + 1);
}

#[test]
fn what_comes_in_a_file_rests_and_what_cannot_be_read_is_no_part() {
    let mut character = Character::default();
    assert_eq!(Member::of(&character), None);
    Member { joined: NOW, ..Member::default() }.keep(&mut character);
    let mut record = serde_json::to_value(&character).unwrap();
    lay_to_rest(&mut record);
    assert_eq!(Member::of(&from_value(record).unwrap()).unwrap().standing, Standing::Rests);
    let mut record = json!({"circle": {"standing": "muted"}});
    lay_to_rest(&mut record);
    assert_eq!(record, json!({"circle": {"standing": "muted"}}));
    character.extra.insert(KEY.into(), json!("no"));
    assert_eq!(Member::of(&character), None);
    let mut preferences = Preferences::default();
    assert_eq!(Rhythm::of(&preferences).pace, Pace::Hand, "nothing goes by itself before the reader says so");
    Rhythm { pace: Pace::Calm, ..Rhythm::default() }.keep(&mut preferences);
    assert_eq!(Rhythm::of(&preferences).pace, Pace::Calm);
}
