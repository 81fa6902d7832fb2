//! What a provider may keep of a prompt for the next turn: all that both begin with.

use super::*;
use crate::{ports::Clock, sim::llm, story::background::outline_from_lines};

const TURNS: usize = 120;

/// Tells another scene each time, and keeps what it was asked.
struct Narrator {
    clock: Rc<dyn Clock>,
    asked: RefCell<Vec<String>>,
}

impl Llm for Narrator {
    fn send(&self, request: WireRequest) -> Future<'_, Result<WireResponse, Fault>> {
        let body: serde_json::Value = serde_json::from_str(&request.body.unwrap()).unwrap();
        self.asked.borrow_mut().push(body["messages"].to_string());
        let turn = self.asked.borrow().len();
        let changes = match turn % 5 {
            0 => format!("\n<changes>\nfeels: as on day {turn} (it rained)\nwants: reach ford {turn}\n</changes>"),
            _ => String::new(),
        };
        let answer = Answer::text([format!("{}{changes}", scene(turn)).as_str()]);
        let clock = self.clock.clone();
        Box::pin(async move { Ok(llm::play(answer, clock)) })
    }
}

/// Some 150 tokens that share words with other scenes, as prose does.
fn scene(turn: usize) -> String {
    const WHO: [&str; 7] = ["Mira", "the ferryman", "Harrow", "her brother", "the miller", "old Ansel", "Victor"];
    const WHAT: [&str; 11] = [
        "left the lantern by the gate",
        "asked after the silver key",
        "would not speak of the winter",
        "counted the coins twice",
        "heard the bell under the water",
        "burned the letter unread",
        "tied the dog to the mill",
        "knew the road to the chapel",
        "had lost a glove in the snow",
        "promised bread for the morning",
        "dreamt of the orchard",
    ];
    const WHERE: [&str; 5] = ["at the ford", "in the loft", "on the long bridge", "by the kiln", "under the eaves"];
    let line = |nth: usize| {
        let at = turn * 31 + nth * 17;
        format!("{} {} {}, and the rain went on. ", WHO[at % 7], WHAT[at % 11], WHERE[at % 5])
    };
    (0..9).map(line).collect()
}

/// The share of a prompt that the one before begins with, on average over the turns from `from` on.
fn kept(preset: &str, context: u32, from: usize) -> f64 {
    let mut play = play([]);
    let narrator = Rc::new(Narrator { clock: play.sim.ports.clock.clone(), asked: RefCell::default() });
    play.conductor.ports.llm = narrator.clone();
    let mut story = play.storyline();
    block_on(async {
        let store = &*play.sim.ports.store;
        let mut background = store.load::<Background>("waste").await.unwrap().unwrap();
        let mut connections = store.load::<Connections>(Connections::ID).await.unwrap().unwrap();
        (story.preset, story.language, story.sends_newest) = (preset.into(), Language::En, true);
        background.story_outline = outline_from_lines("The ford\nThe mill\nThe chapel\nThe letter");
        connections.list[0].context_tokens = context;
        store.commit(Batch::new().put(&story).put(&background).put(&connections)).await.unwrap();
    });
    for turn in 1..=TURNS {
        assert_eq!(play.say(&format!("What of the key, and {}?", &scene(turn * 3)[..60])).status, Status::Done);
    }
    let asked = narrator.asked.borrow();
    let shares = asked.windows(2).skip(from).map(|pair| {
        let same = pair[0].bytes().zip(pair[1].bytes()).take_while(|(old, new)| old == new).count();
        same as f64 / pair[1].len() as f64
    });
    let shares: Vec<f64> = shares.collect();
    shares.iter().sum::<f64>() / shares.len() as f64
}

/// Where the story fits, nearly all; where it does not, the history begins at the same turn for some turns.
#[test]
fn most_of_a_long_storys_prompt() {
    for (context, least) in [(131_072, 0.95), (16_384, 0.55)] {
        let kept = kept("living", context, TURNS - 30);
        println!("{context} tokens: {:.1} % of a prompt after turn {}", 100.0 * kept, TURNS - 30);
        assert!(least < kept, "{context}: {kept}");
    }
}
