//! The circle: a week of it with the page closed in between, two who do the same, what fails, and what stories know of it.

use futures_util::join;
use serde_json::json;

use super::{groups::Scene, *};
use crate::{
    desk::Desk,
    features::{
        circle::{Act, CircleSettings, Due, Member, Pace, Part, Rhythm, Standing, due::LOOKS, parts},
        group::{Mode, Move},
    },
    ports::Ports,
    sim::ports::{MemoryClock, Sim},
    story::{
        Millis,
        ids::CharacterId,
        post::Post,
        settings::Preferences,
        spending::{Kind as Spends, Spending},
    },
    turn::{
        circle::{act, lately, next, used},
        scribe::Miss,
    },
};

const BEGAN: Millis = 1_760_610_600_000;
const HOUR: Millis = 3_600_000;
const DAY: Millis = 24 * HOUR;

/// An answer that is one to whatever is asked.
fn says(nth: usize) -> Answer {
    Answer::text([json!({"text": format!("Post {nth}."), "like": true, "comment": format!("Comment {nth}."), "to": 1, "remember": format!("Keeps {nth}.")})
        .to_string()
        .as_str()])
}

fn at(sim: &Sim, now: Millis) -> Ports {
    Ports { clock: Rc::new(MemoryClock::at(now)), ..sim.ports.clone() }
}

/// Three who take part, and nobody who has said anything.
fn begun(answers: impl IntoIterator<Item = Answer>) -> Sim {
    let sim = Sim::new(answers);
    let connections = Connections { list: vec![crate::sim::llm::connection(16_000)], ..Connections::default() };
    block_on(sim.ports.store.save(&connections)).unwrap();
    for name in ["Ada", "Bo", "Cy"] {
        let character = Character { id: name.to_lowercase().into(), name: name.into(), ..Character::default() };
        block_on(sim.ports.store.save(&character)).unwrap();
        block_on(Desk::new(at(&sim, BEGAN)).stand_in_circle(&character.id, Some(Standing::Active))).unwrap();
    }
    sim
}

fn members(sim: &Sim) -> Vec<Part> {
    parts(&block_on(sim.ports.store.list::<Character>(Query::all(Table::Characters))).unwrap())
}

fn posts(sim: &Sim) -> Vec<Post> {
    block_on(lately(&*sim.ports.store, BEGAN)).unwrap()
}

fn do_(ports: &Ports, due: &Due) -> Result<bool, Miss> {
    block_on(act(ports, due, Language::En, Stop::never()))
}

/// Does all that is due by a time.
fn until(sim: &Sim, now: Millis, pace: Pace) -> usize {
    let ports = at(sim, now);
    let mut done = 0;
    while let Some(due) = block_on(next(&ports, &members(sim), pace)).unwrap().filter(|due| due.at <= now) {
        assert_eq!(do_(&ports, &due), Ok(true), "{due:?}");
        done += 1;
        assert!(done < 100, "it never ends");
    }
    done
}

#[test]
fn a_week_with_the_page_closed_in_between() {
    let sim = begun((0..200).map(says));
    assert_eq!(until(&sim, BEGAN, Pace::Calm), 0, "nobody says anything at once");
    assert_eq!(until(&sim, BEGAN + 100 * DAY, Pace::Hand), 0);
    // Open for two hours, then closed for three days, then open to the end of the week.
    for minute in (0..120).step_by(5) {
        until(&sim, BEGAN + minute * 60_000, Pace::Calm);
    }
    let first = posts(&sim);
    assert_eq!(first.len(), 3, "each has said that it is there");
    assert!(first.iter().all(|post| post.looks.len() >= 2 && post.likes.len() == 2), "{first:#?}");
    let back = BEGAN + 3 * DAY;
    until(&sim, back, Pace::Calm);
    assert_eq!(posts(&sim).len(), 6, "one each is due, whatever was slept through");
    for hour in 72..7 * 24 {
        until(&sim, BEGAN + hour * HOUR, Pace::Calm);
    }
    let all = posts(&sim);
    assert!((15..=36).contains(&all.len()), "{} posts in four days of three", all.len());
    for post in &all {
        assert!(post.looks.iter().all(|look| look.times <= LOOKS));
        let own = post.author.clone().unwrap();
        assert!(!post.is_liked_by(Some(&own)), "nobody likes their own");
        for who in ["ada", "bo", "cy"].map(CharacterId::from) {
            assert!(post.likes.iter().filter(|like| like.who.as_ref() == Some(&who)).count() <= 1);
        }
    }
    // A restart asks for nothing that was done.
    let calls = sim.llm.requests().len();
    assert_eq!(until(&sim, BEGAN + (7 * 24 - 1) * HOUR, Pace::Calm), 0);
    assert_eq!(sim.llm.requests().len(), calls);
    // What it cost is said, and by what it was.
    let spent = block_on(sim.ports.store.list::<Spending>(Query::all(Table::Spending))).unwrap();
    let lines = || spent.iter().flat_map(|record| &record.lines);
    assert!(lines().all(|line| line.kind == Spends::Circle));
    assert_eq!(lines().map(|line| line.calls as usize).sum::<usize>(), calls);
}

#[test]
fn the_reader_takes_part_and_what_they_delete_is_forgotten() {
    let sim = begun((0..40).map(says));
    let desk = Desk::new(at(&sim, BEGAN + HOUR));
    assert_eq!(block_on(desk.post("  ", None)), Ok(None));
    let id = block_on(desk.post("Is anybody there?", None)).unwrap().unwrap();
    let look =
        |who: &str, now: Millis| do_(&at(&sim, now), &Due { at: now, who: who.into(), act: Act::Look(id.clone()) });
    assert_eq!(look("ada", BEGAN + 2 * HOUR), Ok(true));
    let post = || posts(&sim).into_iter().find(|post| post.id == id).unwrap();
    let said = post().comments[0].clone();
    assert_eq!((said.name.as_str(), said.text.as_str(), said.to.as_deref()), ("Ada", "Comment 0.", None));
    assert_eq!(block_on(desk.unread_posts(BEGAN + HOUR)), Ok(1));
    assert_eq!(block_on(desk.unread_posts(BEGAN + 3 * HOUR)), Ok(0));
    // The reader answers Ada, and she is told what she said and what was said to her.
    let answered = Desk::new(at(&sim, BEGAN + 3 * HOUR));
    assert_eq!(block_on(answered.comment(&id, " ", None)), Ok(false));
    assert_eq!(block_on(answered.comment(&id, "There you are.", Some(said.id.clone()))), Ok(true));
    block_on(answered.like(&id)).unwrap();
    assert!(post().is_liked_by(None));
    block_on(answered.like(&id)).unwrap();
    assert!(!post().is_liked_by(None));
    until(&sim, BEGAN + 30 * HOUR, Pace::Lively);
    let requests = sim.llm.requests();
    let told = requests.iter().filter_map(|request| request.body.clone());
    assert!(
        told.clone().any(|body| body.contains("There you are.") && body.contains("Ada has spoken here")),
        "she goes on"
    );
    assert!(post().comments.iter().any(|one| one.author == Some("ada".into()) && one.at > said.at));
    // What goes from sight goes from what is told.
    let remembers = |text: &str| {
        let calls = sim.llm.requests().len();
        assert_eq!(do_(&at(&sim, BEGAN + 31 * HOUR), &Due { at: 0, who: "ada".into(), act: Act::Post }), Ok(true));
        sim.llm.requests()[calls].body.as_ref().unwrap().contains(text)
    };
    assert!(remembers("Is anybody there?"));
    block_on(desk.forget_post(&id, &"ada".into(), true)).unwrap();
    assert!(!remembers("Is anybody there?"));
    block_on(desk.forget_post(&id, &"ada".into(), false)).unwrap();
    // So does what she has posted herself.
    let own = Post {
        id: "own".into(),
        author: Some("ada".into()),
        text: "A comet tonight.".into(),
        created: BEGAN + 30 * HOUR,
        ..Post::default()
    };
    block_on(sim.store.commit(Batch::new().put(&own))).unwrap();
    assert!(remembers("A comet tonight."));
    block_on(desk.forget_post(&own.id, &"ada".into(), true)).unwrap();
    assert!(!remembers("A comet tonight."));
    block_on(desk.forget_post(&own.id, &"ada".into(), false)).unwrap();
    assert!(remembers("A comet tonight."));
    block_on(desk.delete_post(&own)).unwrap();
    let kept = post();
    block_on(desk.delete_post(&kept)).unwrap();
    assert!(!remembers("Is anybody there?"));
    block_on(desk.restore_post(&kept)).unwrap();
    assert_eq!(post(), kept);
    block_on(desk.delete_comment(&id, &said.id)).unwrap();
    assert!(
        post().comment(&said.id).is_none()
            && post().comments.iter().all(|one| one.to.as_deref() != Some(said.id.as_str()))
    );
    let answers: Vec<String> =
        kept.comments.iter().filter(|one| one.to.as_ref() == Some(&said.id)).map(|one| one.id.clone()).collect();
    block_on(desk.restore_comment(&id, said, &answers)).unwrap();
    assert_eq!(post().comments, kept.comments);
}

#[test]
fn two_who_do_the_same_say_it_once() {
    let sim = begun((0..8).map(says));
    let id = block_on(Desk::new(at(&sim, BEGAN)).post("Hello.", None)).unwrap().unwrap();
    let ports = at(&sim, BEGAN + HOUR);
    let ports = Ports { store: Rc::new(crate::sim::slow::Slow(ports.store.clone())), ..ports };
    let due = Due { at: 0, who: "bo".into(), act: Act::Look(id) };
    let both =
        async { join!(act(&ports, &due, Language::En, Stop::never()), act(&ports, &due, Language::En, Stop::never())) };
    let (one, other) = block_on(both);
    assert!(one.is_ok() && other.is_ok());
    let post = posts(&sim).remove(0);
    assert_eq!((post.likes.len(), post.comments.len(), post.looks[0].times), (1, 1, 1), "{post:#?}");
    assert_eq!(sim.llm.requests().len(), 2, "both were at it, and one is entered");
}

#[test]
fn what_fails_is_not_said_and_bounds_hold() {
    let refuses = || Answer::text(["I would rather not."]);
    let sim = begun([Answer::error(429, "{}"), refuses(), refuses(), says(1), says(2)]);
    let id = block_on(Desk::new(at(&sim, BEGAN)).post("Hello.", None)).unwrap().unwrap();
    let now = at(&sim, BEGAN + HOUR);
    let look = |who: &str| do_(&now, &Due { at: 0, who: who.into(), act: Act::Look(id.clone()) });
    let failed = |outcome: Result<bool, Miss>| outcome.unwrap_err().fault().map(|fault| fault.kind);
    assert_eq!(failed(look("ada")), Some(FaultKind::RateLimited));
    assert_eq!(posts(&sim)[0].looks, [], "it is still to be done");
    assert_eq!(failed(look("ada")), None, "an answer that is none");
    assert_eq!(look("ada"), Ok(false), "what was seen is not looked at again");
    assert_eq!(
        (posts(&sim)[0].looks[0].times, posts(&sim)[0].comments.len()),
        (1, 0),
        "is silence, and not paid for again"
    );
    assert_eq!(failed(do_(&now, &Due { at: 0, who: "bo".into(), act: Act::Post })), None);
    assert_eq!(posts(&sim).len(), 1);
    let bo: Character = block_on(sim.ports.store.load("bo")).unwrap().unwrap();
    assert_eq!(Member::of(&bo).unwrap().posted, Some(BEGAN + HOUR));
    // What is gone is not gone to.
    let gone = Due { at: 0, who: "ada".into(), act: Act::Look("gone".into()) };
    assert_eq!(do_(&now, &gone), Ok(false));
    block_on(Desk::new(now.clone()).stand_in_circle(&"cy".into(), None)).unwrap();
    assert_eq!(do_(&now, &Due { at: 0, who: "cy".into(), act: Act::Post }), Ok(false), "it has left");
    // As many calls a day as the reader says, and tomorrow again.
    let calls = sim.llm.requests().len() as u32;
    let spent = block_on(used(&now)).unwrap();
    assert!(spent.calls < calls, "what was refused cost nothing");
    let bound = |preferences: &mut Preferences| {
        Rhythm { calls: spent.calls + 1, tokens: 1_000_000, ..Rhythm::default() }.keep(preferences);
    };
    block_on(now.store.change(Preferences::ID, bound)).unwrap();
    assert_eq!(look("bo"), Ok(true));
    let more = Due { at: 0, who: "ada".into(), act: Act::Post };
    assert_eq!(failed(do_(&now, &more)), Some(FaultKind::OverBudget));
    assert_eq!(sim.llm.requests().len() as u32, calls + 1, "nothing is asked");
    // What a further call may cost is left of the tokens, too.
    let asked = sim.llm.requests().len();
    let spent = block_on(used(&now)).unwrap();
    let bound = |left: u64| {
        let tokens = (spent.tokens + left) as u32;
        let bound =
            |preferences: &mut Preferences| Rhythm { calls: 100, tokens, ..Rhythm::default() }.keep(preferences);
        block_on(now.store.change(Preferences::ID, bound)).unwrap();
        Rhythm { calls: 100, tokens, ..Rhythm::default() }
    };
    assert!(spent.is_up(&bound(999)) && !spent.is_up(&bound(1_050)));
    assert_eq!(
        failed(do_(&now, &more)),
        Some(FaultKind::OverBudget),
        "its answer would have room, its prompt has none"
    );
    assert_eq!(sim.llm.requests().len(), asked, "nothing is asked");
    let tomorrow = at(&sim, BEGAN + HOUR + DAY);
    bound(1_050 + 5_000);
    assert_eq!(do_(&tomorrow, &Due { at: 0, who: "ada".into(), act: Act::Post }), Ok(true));
}

/// A story is told of the circle where its switch is on; the circle, of a story where the reader lets it.
#[test]
fn stories_and_the_circle_know_of_each_other_as_far_as_they_may() {
    let replies = ["嗯。", "好。", "行。"].map(|text| Answer::text([text]));
    let sim = play(replies.into_iter().chain((0..6).map(says)));
    let who = CharacterId::from("alserqi");
    let desk = Desk::new(sim.sim.ports.clone());
    block_on(desk.stand_in_circle(&who, Some(Standing::Active))).unwrap();
    let id = block_on(desk.post("今晚有月亮。", None)).unwrap().unwrap();
    let mut story = sim.storyline();
    let switch = |story: &mut Storyline, enabled: bool, tells: bool| {
        story.features.set(&CircleSettings { enabled, tells, ..CircleSettings::default() });
        block_on(sim.sim.ports.store.save(story)).unwrap();
    };
    let prompt =
        |request: usize| sim.messages(request).into_iter().map(|(_, text)| text).collect::<Vec<_>>().join("\n");
    let look = |post: &Post| {
        let mut seen = post.clone();
        let sees = crate::story::post::Look { who: who.clone(), seen: post.created, times: 1, ..Default::default() };
        seen.looks.push(sees);
        block_on(sim.sim.ports.store.save(&seen)).unwrap();
    };
    let post: Post = block_on(sim.sim.ports.store.load(id.as_str())).unwrap().unwrap();
    switch(&mut story, true, false);
    sim.say("你好。");
    assert!(!prompt(0).contains("月亮"), "what it has not seen it does not know");
    look(&post);
    sim.say("再见。");
    assert!(prompt(1).contains("朋友圈") && prompt(1).contains("玩家发了：“今晚有月亮。”"), "{}", prompt(1));
    let reply = sim.nodes().last().unwrap().reply().unwrap().id.clone();
    let account: Account = block_on(sim.sim.ports.store.load(reply.as_str())).unwrap().unwrap();
    assert!(account.blocks.iter().any(|block| block.source == "circle"), "and the inspector says so");
    // What was read for the next turn is no longer true once it is changed.
    block_on(sim.conductor.get_ready(&story.id, crate::turn::Ahead::Read)).unwrap();
    let desk = Desk::new(sim.sim.ports.clone());
    block_on(desk.forget_post(&id, &who, true)).unwrap();
    sim.say("你还记得吗？");
    assert!(!prompt(2).contains("月亮"), "{}", prompt(2));
    block_on(desk.forget_post(&id, &who, false)).unwrap();
    let mut story = sim.storyline();
    switch(&mut story, false, false);
    sim.say("秘密：井里有金子。");
    assert!(!prompt(3).contains("月亮"));
    // The other way.
    let posts = |nth: usize| {
        let due = Due { at: 0, who: who.clone(), act: Act::Post };
        assert_eq!(block_on(act(&sim.sim.ports, &due, Language::Zh, Stop::never())), Ok(true));
        prompt(nth)
    };
    assert!(!posts(4).contains("金子"), "it knows nothing of a story by itself");
    let mut story = sim.storyline();
    switch(&mut story, false, true);
    let told = posts(5);
    assert!(told.contains("故事《废土复仇记》") && told.contains("井里有金子"), "{told}");
}

/// Of several in a story, each knows in the circle what it was there for.
#[test]
fn nobody_brings_to_the_circle_what_they_did_not_hear() {
    let mut scene = Scene::of_four(Mode::Hand, 1, 8_000);
    let mut story = scene.play.storyline();
    story.features.set(&CircleSettings { tells: true, ..CircleSettings::default() });
    block_on(scene.play.sim.ports.store.save(&story)).unwrap();
    scene.moves(Move::Leaves("zhou".into()));
    for (who, words) in [("qing", "井里有金子。"), ("alserqi", "我来守夜。")] {
        scene.play.sim.llm.replace([Answer::text([words])]);
        let said = scene.play.conductor.play(&story.id, Ask::Speak(who.into()), Stop::never(), &|_| {});
        block_on(said).unwrap();
    }
    let desk = Desk::new(scene.play.sim.ports.clone());
    let told = |who: &str| {
        block_on(desk.stand_in_circle(&who.into(), Some(Standing::Active))).unwrap();
        scene.play.sim.llm.replace([says(1)]);
        let due = Due { at: 0, who: who.into(), act: Act::Post };
        block_on(act(&scene.play.sim.ports, &due, Language::Zh, Stop::never())).unwrap();
        let requests = scene.play.sim.llm.requests();
        requests.last().unwrap().body.clone().unwrap()
    };
    assert!(told("qing").contains("金子"), "who said it knows it");
    let man = told("man");
    assert!(man.contains("金子"));
    assert!(man.contains("Alserqi: 我来守夜") && !man.contains("小满: 我来守夜"), "whose words they are: {man}");
    assert!(!told("zhou").contains("金子"), "who was out does not");
}
