//! What a provider's counts teach: the next estimate.

use super::*;
use crate::{
    ports::Clock,
    prompt::tokens::{Calibration, PER_MESSAGE, estimate},
    sim::llm,
};

/// A model whose tokens are smaller than ours: it counts 1.3 times as many.
struct Counts {
    clock: Rc<dyn Clock>,
    counted: RefCell<Vec<u32>>,
}

impl Llm for Counts {
    fn send(&self, request: WireRequest) -> Future<'_, Result<WireResponse, Fault>> {
        let body: serde_json::Value = serde_json::from_str(&request.body.unwrap()).unwrap();
        let messages = body["messages"].as_array().unwrap().iter();
        let ours: u32 = messages.map(|message| estimate(message["content"].as_str().unwrap()) + PER_MESSAGE).sum();
        let counted = (f64::from(ours) * 1.3).round() as u32;
        self.counted.borrow_mut().push(counted);
        let answer = Answer::text(["灯下的书翻到了下一页。"]).counting(counted);
        let clock = self.clock.clone();
        Box::pin(async move { Ok(llm::play(answer, clock)) })
    }
}

fn counting() -> (Play, Rc<Counts>) {
    let mut play = play([]);
    let counts = Rc::new(Counts { clock: play.sim.ports.clock.clone(), counted: RefCell::default() });
    play.conductor.ports.llm = counts.clone();
    (play, counts)
}

fn learnt(play: &Play) -> Calibration {
    let stored = block_on(play.sim.ports.store.load::<Connections>(Connections::ID)).unwrap().unwrap();
    Calibration::of(&stored.list[0])
}

/// In whatever name the provider answers.
#[test]
fn after_three_turns_the_estimate_is_within_five_percent() {
    let (play, counts) = counting();
    for turn in 1..=3 {
        play.say("你还记得那场雨吗？");
        assert_eq!(learnt(&play).samples, turn);
    }
    let told = play.say("那把伞呢？").prompt.unwrap().tokens;
    let real = f64::from(counts.counted.borrow()[3]);
    assert!((f64::from(told) - real).abs() <= real * 0.05, "{told} for {real}");
}

/// A continued reply's prompt has a nudge that no account holds; a demo's connection is nobody's.
#[test]
fn what_teaches_nothing() {
    let (play, counts) = counting();
    let reply = play.say("说下去");
    play.ask(Ask::Continue(reply.id)).unwrap();
    assert_eq!((learnt(&play).samples, counts.counted.borrow().len()), (1, 2));
    let demo = Storyline { demo: true, ..play.storyline() };
    block_on(play.sim.ports.store.save(&demo)).unwrap();
    play.say("再说一句");
    assert_eq!((learnt(&play).samples, counts.counted.borrow().len()), (1, 3));
}
