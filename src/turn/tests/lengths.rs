//! Stories that are longer than a model takes: what is said of them, and that both ways on lead on.

use super::{features::directed, *};
use crate::{
    features::planner::PlannerSettings,
    ports::Clock,
    prompt::tokens::{Calibration, PER_MESSAGE, estimate},
    sim::llm,
    story::{fault::Length, settings::Config},
    turn::SummariseError,
};

/// How a provider refuses a prompt of so many tokens when its model takes so many.
type Refusal = fn(u32, u32) -> String;

/// A model that takes so many tokens and not one more, by a count of its own; it summarises where it is asked to.
struct Strict {
    clock: Rc<dyn Clock>,
    takes: u32,
    /// Its tokens for one of ours.
    ratio: f64,
    refusal: Refusal,
    asked: RefCell<Vec<Asked>>,
    /// The requests that fail, counted from the first.
    fails: RefCell<Vec<usize>>,
    summary: &'static str,
}

#[derive(Clone, Debug)]
struct Asked {
    tokens: u32,
    text: String,
    taken: bool,
}

const SUMMARISES: &str = "【要汇总的对话】";
const SHORTENS: &str = "写得太长了";
const KEY: &str = "钥匙藏在井边的陶罐里。";

impl Strict {
    fn answer(&self, text: &str, nth: usize) -> String {
        let is_shorter = text.contains(SHORTENS);
        match is_shorter || text.contains(SUMMARISES) {
            true if is_shorter => r#"{"summary": "两人一路北上，钥匙在陶罐里。"}"#.to_owned(),
            true => {
                let points = [serde_json::json!({"turns": [0, 99], "text": format!("第{nth}件事")})];
                serde_json::json!({"summary": self.summary, "points": points}).to_string()
            }
            false => format!("第{nth}答。{}", "雨下个不停，他们继续往北走。".repeat(20)),
        }
    }
}

impl Llm for Strict {
    fn send(&self, request: WireRequest) -> Future<'_, Result<WireResponse, Fault>> {
        let body: serde_json::Value = serde_json::from_str(&request.body.unwrap()).unwrap();
        let said: Vec<_> = body["messages"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["content"].as_str().unwrap().to_owned())
            .collect();
        let ours: u32 = said.iter().map(|text| estimate(text) + PER_MESSAGE).sum();
        let tokens = (f64::from(ours) * self.ratio) as u32;
        let (text, taken, nth) = (said.join("\n\n"), tokens <= self.takes, self.asked.borrow().len());
        let answer = match taken {
            _ if self.fails.borrow().contains(&nth) => Answer::error(500, "overloaded"),
            true => Answer::text([self.answer(&text, nth).as_str()]).counting(tokens),
            false => Answer::error(400, &(self.refusal)(tokens, self.takes)),
        };
        self.asked.borrow_mut().push(Asked { tokens, text, taken });
        let clock = self.clock.clone();
        Box::pin(async move { Ok(llm::play(answer, clock)) })
    }
}

fn openai(tokens: u32, takes: u32) -> String {
    format!(
        r#"{{"error":{{"message":"This model's maximum context length is {takes} tokens. However, your messages resulted in {tokens} tokens.","code":"context_length_exceeded"}}}}"#
    )
}

/// A story in which a key was hidden long ago, told by a model of the given size over a connection of the given context.
fn story(preset: &str, context: u32, model: Strict) -> (Play, Rc<Strict>) {
    let mut play = directed([]);
    let model = Rc::new(model);
    play.conductor.ports.llm = model.clone();
    play.edit(|story| story.preset = preset.into());
    play.connect(context);
    (play, model)
}

fn strict(play_takes: u32) -> Strict {
    Strict {
        clock: Rc::new(MemoryClock::at(0)),
        takes: play_takes,
        ratio: 1.0,
        refusal: openai,
        asked: RefCell::default(),
        fails: RefCell::default(),
        summary: "两人藏好钥匙，一路北上。",
    }
}

impl Play {
    fn edit(&self, change: impl FnOnce(&mut Storyline)) {
        let mut story = self.storyline();
        change(&mut story);
        block_on(self.sim.ports.store.save(&story)).unwrap();
    }

    fn connect(&self, context: u32) {
        let mut connections = block_on(self.sim.ports.store.load::<Connections>(Connections::ID)).unwrap().unwrap();
        connections.list[0].context_tokens = context;
        block_on(self.sim.ports.store.save(&connections)).unwrap();
    }

    /// Plays on until a turn is too long.
    fn until_too_long(&self) -> Generation {
        for turn in 1..60 {
            let reply = self.say(if turn == 1 { KEY } else { "继续走。" });
            if reply.fault.as_ref().is_some_and(|fault| fault.kind.is_too_long()) {
                return reply;
            }
            assert_eq!(reply.status, Status::Done, "turn {turn}: {:?}", reply.fault);
        }
        panic!("the story is never too long");
    }

    fn newest(&self, reply: &Generation) -> Generation {
        self.ask(Ask::Newest(Box::new(Ask::Again(reply.turn.clone())))).unwrap()
    }

    fn summed(&self) -> Result<Storyline, SummariseError> {
        block_on(self.conductor.summarise(&self.story.id, Stop::never(), &|_| {}))
    }
}

/// A preset that sends the whole session is not trimmed behind the reader's back, and not sent beyond what fits either.
#[test]
fn a_story_longer_than_its_connection_takes_is_not_sent() {
    let (play, model) = story("director", 4_000, strict(4_000));
    let before = play.until_too_long();
    let asked = model.asked.borrow().len();
    let fault = before.fault.clone().unwrap();
    let Length { prompt, reply, takes, bare } = fault.length.unwrap();
    assert_eq!((fault.kind, reply, takes, bare), (FaultKind::OverContext, 1_024, 4_000, false));
    assert!(prompt > 2_976 && prompt == before.prompt.unwrap().tokens, "{prompt}");
    assert_eq!((before.status, before.text.as_str()), (Status::Interrupted, ""), "nothing went wrong");
    assert!(model.asked.borrow().iter().all(|asked| asked.taken), "the provider never had to refuse");
    let node = play.nodes().pop().unwrap();
    assert_eq!(node.turn.user.as_deref(), Some("继续走。"));
    let state = block_on(play.sim.ports.store.load::<crate::story::state::State>(before.state.unwrap().as_str()));
    assert_eq!(state.unwrap().unwrap().plot.no_update_count, asked as u32, "the model did not hear of it");

    // The same again is the same again, at no cost, and in the same place.
    play.ask(Ask::Again(before.turn.clone())).unwrap();
    assert_eq!((model.asked.borrow().len(), play.nodes().pop().unwrap().generations.len()), (asked, 1));
    // With room for it, all is sent.
    play.connect(20_000);
    assert_eq!(play.ask(Ask::Again(before.turn)).unwrap().status, Status::Done);
    assert_eq!(play.nodes().pop().unwrap().generations.len(), 1, "no trace of the refusal is left to swipe to");
}

/// The newest only: as many as fit, the reply's room kept, and the memory still recalls what was left out.
#[test]
fn the_newest_only_are_sent() {
    for preset in ["director", "plain", "persona", "sxml", "framework"] {
        let (play, model) = story(preset, 4_000, strict(4_000));
        for _ in 0..16 {
            let held = play.say(if play.nodes().len() == 1 { KEY } else { "继续走。" });
            if held.fault.is_some() {
                play.newest(&held);
            }
        }
        let asked = play.say("你还记得钥匙藏在哪里吗？");
        let reply = if asked.fault.is_some() { play.newest(&asked) } else { asked };
        assert_eq!(reply.status, Status::Done, "{preset}: {:?}", reply.fault);
        let last = model.asked.borrow().last().unwrap().clone();
        assert!(last.tokens <= 4_000 - 1_024, "{preset}: {} with room for the reply", last.tokens);
        assert!(last.tokens > 2_000, "{preset}: {} as many as fit", last.tokens);
        assert!(last.text.contains("你还记得钥匙藏在哪里吗？"), "{preset}");
        assert!(last.text.contains(KEY), "{preset}: recalled\n{}", last.text);
        let history = play.account(&reply).blocks.into_iter().find(|block| block.source == "history").unwrap();
        assert!(history.from > Some(1) || preset == "persona", "{preset}: the first turns are left out");
        assert!(model.asked.borrow().iter().all(|asked| asked.taken), "{preset}");
    }
}

/// A summary in parts that each fit; then the very turn that was too long is answered.
#[test]
fn a_session_larger_than_the_context_is_summarised() {
    for preset in ["director", "plain"] {
        let (play, model) = story(preset, 40_000, strict(40_000));
        for turn in 1..=40 {
            play.say(&format!("第{turn}问。"));
        }
        let (played, before) = (model.asked.borrow().len(), play.nodes().len());
        play.connect(4_000);
        // Plain chat is trimmed to what fits; its session can be summarised all the same.
        let held = play.say("第41问。");
        assert_eq!(held.fault.is_some(), preset == "director");
        let played = played + usize::from(preset == "plain");
        play.summed().unwrap();
        let asked = model.asked.borrow()[played..].to_vec();
        assert!(asked.len() > 2 && asked.iter().all(|one| one.tokens <= 2_976), "{asked:?}");
        for turn in 1..=40 {
            let about = asked.iter().filter(|one| one.text.contains(&format!("第{turn}问。"))).count();
            assert_eq!(about, 1, "{preset}: turn {turn}");
        }
        assert_eq!(play.nodes().len(), before + 1, "no turn is lost");
        // The very turn that waits, or the next one.
        let reply = match held.fault {
            Some(_) => play.ask(Ask::Again(held.turn)).unwrap(),
            None => play.say("第42问。"),
        };
        assert_eq!(reply.status, Status::Done, "{preset}: {:?}", reply.fault);
        let last = model.asked.borrow().last().unwrap().clone();
        assert!(
            last.tokens <= 2_976 && last.text.contains("一路北上") && last.text.contains("第41问。"),
            "{preset}: {last:?}"
        );
    }
}

/// Every wording leads to the same two ways, whatever the connection believed.
#[test]
fn the_provider_s_own_refusal() {
    let wordings: [(Refusal, bool); 6] = [
        (openai, true),
        (
            |tokens, takes| {
                format!(
                    r#"{{"type":"error","error":{{"type":"invalid_request_error","message":"prompt is too long: {tokens} tokens > {takes} maximum"}}}}"#
                )
            },
            true,
        ),
        (
            |tokens, takes| {
                format!(
                    r#"{{"error":{{"code":400,"message":"The input token count ({tokens}) exceeds the maximum number of tokens allowed ({takes}).","status":"INVALID_ARGUMENT"}}}}"#
                )
            },
            true,
        ),
        (
            |tokens, takes| {
                format!(
                    r#"{{"error":{{"code":400,"message":"the request exceeds the available context size. try increasing the context size or enable context shift","type":"exceed_context_size_error","n_prompt_tokens":{tokens},"n_ctx":{takes}}}}}"#
                )
            },
            true,
        ),
        (
            |tokens, takes| {
                format!(
                    r#"{{"error":"Trying to keep the first {tokens} tokens when context the overflows. However, the model is loaded with context length of only {takes} tokens, which is not enough."}}"#
                )
            },
            true,
        ),
        (
            |_, _| {
                r#"{"error":{"message":"Please reduce the length of the messages.","type":"invalid_request_error"}}"#
                    .into()
            },
            false,
        ),
    ];
    for (nth, (refusal, tells)) in wordings.into_iter().enumerate() {
        let stories = [("director", 0), ("director", 100_000), ("plain", 0), ("plain", 100_000)];
        // What each of them makes of it is tried on the first wording, and on the one without numbers.
        let stories = if nth == 0 || !tells { &stories[..] } else { &stories[..1] };
        for &(preset, context) in stories {
            let model = Strict { refusal, ratio: 1.25, ..strict(3_500) };
            let (play, model) = story(preset, context, model);
            let refused = play.until_too_long();
            let said = format!("wording {nth}, {preset}, context {context}");
            let fault = refused.fault.clone().unwrap();
            assert_eq!((fault.kind, refused.status), (FaultKind::ContextTooLong, Status::Interrupted), "{said}");
            let last = model.asked.borrow().last().unwrap().tokens;
            let length = tells.then_some(Length { prompt: last, takes: 3_500, ..Length::default() });
            assert_eq!(fault.length, length, "{said}");

            let asked = model.asked.borrow().len();
            let reply = play.newest(&refused);
            assert_eq!(reply.status, Status::Done, "{said}: at once");
            assert_eq!(model.asked.borrow().len(), asked + 1, "{said}");

            // What it was told the connection keeps; the reader's answer the story keeps.
            let connections = block_on(play.sim.ports.store.load::<Connections>(Connections::ID)).unwrap().unwrap();
            assert_eq!(connections.list[0].context_tokens, if tells { 3_500 } else { context }, "{said}");
            if tells {
                assert_eq!(play.say("再走。").status, Status::Done, "{said}: unasked");
            }

            play.edit(|story| story.sends_newest = false);
            let refused = play.say("再走。");
            let kind = match (tells, preset) {
                (true, "plain") => None,
                (true, _) => Some(FaultKind::OverContext),
                (false, _) => Some(FaultKind::ContextTooLong),
            };
            assert_eq!(refused.fault.clone().map(|fault| fault.kind), kind, "{said}");
            if kind.is_none() {
                continue;
            }
            play.summed().unwrap_or_else(|error| panic!("{said}: {error}"));
            let reply = play.ask(Ask::Again(refused.turn)).unwrap();
            assert_eq!(reply.status, Status::Done, "{said}: {:?}", reply.fault);
        }
    }
}

/// A server that says that all is well before it measures the prompt, and then breaks off without a word. What is short
/// was not too long: there the connection is lost.
#[test]
fn an_answer_without_a_word() {
    let silent = || Answer { steps: Vec::new(), ..Answer::text([]) };
    let done = || Answer { steps: vec![Step::Bytes(b"data: [DONE]\n\n".to_vec())], ..Answer::text([]) };
    let long = "雨下个不停，他们继续往北走。".repeat(400);
    let cases = [
        (0, long.as_str(), true, "nobody knows, and it is long"),
        (6_000, &long, true, "near"),
        (10_000, &long, true, "more than half of it, as the estimate counts"),
        (131_072, &long, false, "far from it"),
        (0, "走。", false, "short"),
    ];
    for (context, words, is_too_long, said) in cases {
        for answer in [silent(), done()] {
            let play = play([answer, Answer::text(["好。"])]);
            play.connect(context);
            let reply = play.say(words);
            let kind = reply.fault.as_ref().map(|fault| fault.kind);
            assert_eq!(kind == Some(FaultKind::ContextTooLong), is_too_long, "{said}: {reply:?}");
            if is_too_long {
                assert!(reply.fault.as_ref().is_some_and(Fault::is_guess), "{said}");
                assert_eq!(play.newest(&reply).status, Status::Done, "{said}");
                let connections = block_on(play.sim.ports.store.load::<Connections>(Connections::ID)).unwrap().unwrap();
                assert_eq!(connections.list[0].context_tokens, context, "what it takes is not guessed");
                let raw = reply.prompt.unwrap().raw_tokens;
                let cost = Calibration::of(&connections.list[0]).scale(raw);
                assert!(cost.abs_diff(if context == 0 { raw } else { context }) <= 1, "{said}: {raw}, {cost}");
            }
        }
    }
}

/// C5: a part that fails costs that part, and changes nothing.
#[test]
fn a_part_that_fails_changes_nothing() {
    let (play, model) = story("director", 4_000, strict(4_000));
    let held = play.until_too_long();
    let (asked, nodes, before) = (model.asked.borrow().len(), play.nodes(), play.storyline());
    model.fails.borrow_mut().push(asked + 1);
    let Err(SummariseError::Fault(fault)) = play.summed() else { panic!("the second part fails") };
    assert_eq!(fault.kind, FaultKind::ProviderDown);
    assert_eq!((play.nodes(), play.storyline()), (nodes, before));
    let first = model.asked.borrow()[asked].text.clone();
    play.summed().unwrap();
    assert!(model.asked.borrow()[asked + 2..].iter().all(|one| one.text != first), "the first part is not told again");
    assert_eq!(play.ask(Ask::Again(held.turn)).unwrap().status, Status::Done);
}

/// A turn longer than a request, and a summary that grows and grows.
#[test]
fn no_part_is_too_long() {
    let endless: &'static str = Box::leak("他们走了很久，谁也没有说话。".repeat(150).into_boxed_str());
    let (play, model) = story("director", 4_000, Strict { summary: endless, ..strict(4_000) });
    let long: String = (0..900).map(|line| format!("第{line}行：雨还在下。\n")).collect();
    let held = play.say(&long);
    assert_eq!(held.fault.clone().unwrap().kind, FaultKind::OverContext);
    block_on(play.conductor.edit_reply(&held.id, "好。")).unwrap();
    let next = play.say("然后呢？");
    play.summed().unwrap();
    let asked = model.asked.borrow().clone();
    assert!(
        asked.iter().all(|one| one.tokens <= 2_976),
        "{:?}",
        asked.iter().map(|one| one.tokens).collect::<Vec<_>>()
    );
    assert!(asked.iter().any(|one| one.text.contains(SHORTENS)), "a further call joins what has grown too long");
    for line in 0..900 {
        let line = format!("第{line}行：");
        assert!(asked.iter().any(|one| one.text.contains(&line)), "{line}");
    }
    let reply = play.ask(Ask::Again(next.turn)).unwrap();
    assert_eq!(reply.status, Status::Done, "{:?}", reply.fault);
    assert!(model.asked.borrow().last().unwrap().tokens <= 2_976);
}

/// What no turn can be taken out of says so; nothing is sent until there is room.
#[test]
fn texts_that_no_context_has_room_for() {
    for preset in ["director", "plain"] {
        let (play, model) = story(preset, 2_000, strict(20_000));
        let mut background: Background = block_on(play.sim.ports.store.load("waste")).unwrap().unwrap();
        background.world_setting = "废土上只剩下风，和风里的人。".repeat(500);
        block_on(play.sim.ports.store.save(&background)).unwrap();
        let held = play.say("走吧。");
        let again = play.newest(&held);
        let length = again.fault.clone().and_then(|fault| fault.length);
        let length = length.unwrap_or_else(|| panic!("{preset}: {:?} then {:?}", held.fault, again.fault));
        assert!(length.bare && length.takes == 2_000 && length.prompt > 2_000, "{preset}: {length:?}");
        assert!(model.asked.borrow().is_empty());
        play.connect(20_000);
        assert_eq!(play.ask(Ask::Again(held.turn)).unwrap().status, Status::Done);
    }
}

/// Over the reader's own limit the same ways lead on, and the smaller bound counts.
#[test]
fn over_the_limit_likewise() {
    let (play, model) = story("director", 0, strict(100_000));
    let mut config = Config::default();
    config.limits.max_total_tokens = 10_000;
    block_on(play.sim.ports.store.save(&config)).unwrap();
    let held = play.until_too_long();
    assert_eq!(held.fault.clone().unwrap().kind, FaultKind::OverLimit);
    let reply = play.newest(&held);
    assert_eq!(reply.status, Status::Done);
    assert!(model.asked.borrow().last().unwrap().tokens <= 10_000);
}

/// A plan would be asked for with the same prompt: it is not.
#[test]
fn no_plan_is_asked_for_what_is_too_long() {
    let (play, model) = story("director", 4_000, strict(4_000));
    play.until_too_long();
    let asked = model.asked.borrow().len();
    let mut own = crate::prompt::builtin::builtin("director", Language::Zh).unwrap();
    own.id = "own".into();
    own.blocks.push(crate::story::preset::Block {
        identifier: "plan".into(),
        marker: Some("plan".into()),
        ..Default::default()
    });
    block_on(play.sim.ports.store.save(&own)).unwrap();
    play.edit(|story| {
        story.preset = "own".into();
        story.features.set(&PlannerSettings { enabled: true, ..Default::default() });
    });
    let held = play.say("继续走。");
    assert_eq!(held.fault.clone().unwrap().kind, FaultKind::OverContext);
    assert_eq!((model.asked.borrow().len(), held.notices()), (asked, vec![]));
    let reply = play.newest(&held);
    assert_eq!((reply.status, model.asked.borrow().len()), (Status::Done, asked + 2), "a plan, then the reply");
    assert!(model.asked.borrow().iter().all(|asked| asked.taken));
}

/// A reply that goes on is held likewise, with what it has.
#[test]
fn a_reply_that_goes_on_is_held_too() {
    let (play, model) = story("director", 4_000, strict(4_000));
    let before = play.say(KEY);
    play.connect(256);
    let asked = model.asked.borrow().len();
    let held = play.ask(Ask::Continue(before.id.clone())).unwrap();
    assert_eq!((held.text.as_str(), held.fault.unwrap().kind), (before.text.as_str(), FaultKind::OverContext));
    assert_eq!(model.asked.borrow().len(), asked);
    play.connect(4_000);
    let whole = play.ask(Ask::Newest(Box::new(Ask::Continue(before.id)))).unwrap();
    assert!(
        whole.status == Status::Done && whole.text.starts_with(&before.text) && whole.text.len() > before.text.len()
    );
}

/// Where the newest turns only are told already, a refusal is answered by fewer of them, at once.
#[test]
fn what_the_reader_has_said_already_is_not_asked_again() {
    let (play, model) = story("plain", 4_000, strict(2_500));
    play.edit(|story| story.sends_newest = true);
    for turn in 0..16 {
        let reply = play.say(if turn == 0 { KEY } else { "继续走。" });
        assert_eq!(reply.status, Status::Done, "turn {turn}: {:?}", reply.fault);
        assert_eq!(play.nodes().pop().unwrap().generations.len(), 1);
    }
    let refused = model.asked.borrow().iter().filter(|asked| !asked.taken).count();
    assert_eq!(refused, 1, "and it is learnt");
}
