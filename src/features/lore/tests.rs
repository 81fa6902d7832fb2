//! What comes up, case by case: written from the facts of the field's programs (card formats V2 and V3, world info).

use serde_json::{Value, json};

use super::{
    LoreSettings,
    book::Book,
    keys::Said,
    tell::{Reason, tell},
    timers::{Timer, Timers},
    wake::{Awake, Looked, Near, Why, wake},
};
use crate::{
    prompt::{context::ContextStore, tokens::estimate},
    story::{
        Extra,
        lorebook::{Entry, Filter, Logic, Lorebook, Position},
        trigger::Trigger,
        written::Text,
    },
};

/// An entry of this name, with keys between bars; its text is its name.
fn entry(name: &str, keys: &str) -> Entry {
    let keys = keys.split('|').filter(|key| !key.is_empty()).map(str::to_owned).collect();
    Entry { id: name.into(), name: name.into(), keys, content: format!("({name})"), ..Entry::default() }
}

fn constant(name: &str) -> Entry {
    Entry { constant: true, ..entry(name, "") }
}

fn words(list: &str) -> Vec<String> {
    list.split('|').map(str::to_owned).collect()
}

/// A turn to look through.
struct Played {
    books: Vec<Lorebook>,
    settings: LoreSettings,
    trigger: Trigger,
    /// The newest last.
    chat: Vec<&'static str>,
    sheet: &'static str,
    count: u32,
    replies: u32,
    budget: u32,
    seed: &'static str,
    timers: Timers,
    near: Vec<Near>,
}

impl Played {
    fn of(entries: Vec<Entry>, chat: &[&'static str]) -> Self {
        let books = vec![Lorebook { id: "b".into(), name: "Book".into(), entries, ..Lorebook::default() }];
        Self {
            books,
            settings: LoreSettings::default(),
            trigger: Trigger::Normal,
            chat: chat.to_vec(),
            sheet: "",
            count: 10,
            replies: 5,
            budget: 1_000,
            seed: "turn",
            timers: Timers::new(),
            near: Vec::new(),
        }
    }

    fn wake<T>(&self, see: impl FnOnce(Awake) -> T) -> T {
        let books: Vec<Book> = self.books.iter().cloned().map(Book::of).collect();
        let books: Vec<&Book> = books.iter().collect();
        let chat: Vec<Said> = self.chat.iter().rev().map(|text| Said::new((*text).to_owned())).collect();
        let looked = Looked {
            settings: &self.settings,
            trigger: self.trigger,
            chat: &chat,
            beside: &[(Text::Sheet, Said::new(self.sheet.to_owned()))],
            count: self.count,
            replies: self.replies,
            name: "Ada",
            tags: &words("engineer|Poet"),
            timers: &self.timers,
            budget: self.budget,
            seed: self.seed,
            near: &self.near,
            names: &|text| text.replace("{{char}}", "Ada"),
        };
        see(wake(&books, &looked, &mut |ready| (ready.text.clone(), estimate(&ready.text))))
    }

    /// What is told, in the order in which it stands at one place.
    fn told(&self) -> String {
        self.wake(|awake| {
            let mut woken: Vec<_> =
                awake.woken.iter().map(|woken| (woken.ready.entry.order, woken.ready.title())).collect();
            woken.sort_by_key(|(order, _)| *order);
            woken.iter().map(|(_, title)| *title).collect::<Vec<_>>().join(" ")
        })
    }
}

fn check(what: &str, entries: Vec<Entry>, chat: &[&'static str], expected: &str) {
    assert_eq!(Played::of(entries, chat).told(), expected, "{what}");
}

/// As either form of a file keeps them.
#[test]
fn triggers_are_heeded() {
    let with =
        |place: &str, rest: Value| Entry { extra: Extra::from_iter([(place.into(), rest)]), ..entry(place, "moon") };
    let entries = vec![
        with("world_info", json!({"triggers": ["continue"]})),
        with("card", json!({"extensions": {"triggers": ["swipe", "normal"]}})),
    ];
    let mut played = Played::of(entries, &["moon"]);
    for (trigger, expected) in [(Trigger::Normal, "card"), (Trigger::Continue, "world_info"), (Trigger::Again, "card")]
    {
        played.trigger = trigger;
        assert_eq!(played.told(), expected);
    }
}

#[test]
fn keys_and_what_goes_with_them() {
    let moon = || entry("moon", "moon|月亮");
    let with = |logic, keys: &str| Entry { logic, secondary_keys: words(keys), ..moon() };
    check("no key comes up", vec![moon()], &["The sun."], "");
    check("a key comes up", vec![moon()], &["The Moon."], "moon");
    check("any of its keys", vec![moon()], &["月亮升起来了。"], "moon");
    check("no keys at all", vec![entry("none", "")], &["none"], "");
    check("constant", vec![constant("c")], &[], "c");
    check("constant with keys that do not come up", vec![Entry { keys: words("x"), ..constant("c") }], &["y"], "c");
    check("off", vec![Entry { enabled: false, ..moon() }, Entry { enabled: false, ..constant("c") }], &["moon"], "");
    check("without a text", vec![Entry { content: " \n".into(), ..moon() }], &["moon"], "");
    check("a name stands for itself", vec![entry("who", "{{char}}'s lamp")], &["Ada's lamp"], "who");
    check("the newest two messages", vec![moon()], &["moon", "a", "b"], "");
    check("the newest but one", vec![moon()], &["a", "moon", "b"], "moon");
    let deep = |depth| Entry { scan_depth: Some(depth), ..moon() };
    check("its own depth", vec![deep(3)], &["moon", "a", "b"], "moon");
    check("a depth of nothing", vec![deep(0)], &["moon"], "");
    check("no key reaches over two messages", vec![entry("full moon", "full moon")], &["full", "moon"], "");
    let text = |content: &str| Entry { content: content.into(), ..moon() };
    check("a decorator's depth", vec![text("@@scan_depth 3\nText")], &["moon", "a", "b"], "moon");
    check("case", vec![Entry { case_sensitive: Some(true), ..moon() }], &["Moon"], "");
    check("whole words", vec![moon()], &["honeymoon"], "");
    check("parts of words", vec![Entry { whole_words: Some(false), ..moon() }], &["honeymoon"], "moon");
    check("a pattern", vec![entry("p", "/mo{2}n(s?)\\b/i")], &["MOONS"], "p");
    check("a pattern that cannot be read", vec![entry("p", "/(?<=x)moon/")], &["xmoon"], "");

    check("any: one", vec![with(Logic::Any, "sea|sky")], &["moon and sky"], "moon");
    check("any: none", vec![with(Logic::Any, "sea|sky")], &["moon"], "");
    check("all: one", vec![with(Logic::All, "sea|sky")], &["moon and sky"], "");
    check("all: all", vec![with(Logic::All, "sea|sky")], &["sea", "moon and sky"], "moon");
    check("not any: none", vec![with(Logic::NotAny, "sea|sky")], &["moon"], "moon");
    check("not any: one", vec![with(Logic::NotAny, "sea|sky")], &["moon sea"], "");
    check("not all: one", vec![with(Logic::NotAll, "sea|sky")], &["moon sea"], "moon");
    check("not all: all", vec![with(Logic::NotAll, "sea|sky")], &["moon sea sky"], "");
    check("the second without the first", vec![with(Logic::Any, "sea")], &["sea"], "");

    let only = |names: &str, tags: &str, exclude| {
        let list = |list: &str| if list.is_empty() { Vec::new() } else { words(list) };
        let filter = Filter { names: list(names), tags: list(tags), exclude, ..Filter::default() };
        vec![Entry { only: Some(filter), ..moon() }]
    };
    check("told of her", only("ada|Eve", "", false), &["moon"], "moon");
    check("told of another", only("Eve", "", false), &["moon"], "");
    check("told of all but her", only("Ada", "", true), &["moon"], "");
    check("told of all but another", only("Eve", "", true), &["moon"], "moon");
    check("a tag of hers", only("", "poet", false), &["moon"], "moon");
    check("a tag of none", only("", "thief", false), &["moon"], "");
    check("both, of whom one fails", only("Ada", "thief", false), &["moon"], "");
    check("both", only("Ada", "poet", false), &["moon"], "moon");
    check("neither of two", only("Eve", "thief", true), &["moon"], "moon");
    check("one of two that may not", only("Eve", "poet", true), &["moon"], "");
    check("a filter of nothing", only("", "", true), &["moon"], "moon");

    check("forced", vec![text("@@activate\nText")], &[], "moon");
    check("never", vec![text("@@dont_activate\nText")], &["moon"], "");
    check("forced goes before never", vec![text("@@dont_activate\n@@activate\nText")], &[], "moon");
    check("enough replies", vec![text("@@activate_only_after 5\nText")], &["moon"], "moon");
    check("too few replies", vec![text("@@activate_only_after 6\nText")], &["moon"], "");
    check("every fifth", vec![text("@@activate_only_every 5\nText")], &["moon"], "moon");
    check("every fourth", vec![text("@@activate_only_every 4\nText")], &["moon"], "");
    check("one more has to", vec![text("@@additional_keys sea,sky\n@@additional_keys fog\nText")], &["moon sky"], "");
    check("and does", vec![text("@@additional_keys sea,sky\n@@additional_keys fog\nText")], &["moon sky fog"], "moon");
    check("none of these", vec![text("@@exclude_keys sea\nText")], &["moon sea"], "");
    check("too short a chat", vec![Entry { delay: 11, ..moon() }], &["moon"], "");
    check("long enough a chat", vec![Entry { delay: 10, ..moon() }], &["moon"], "moon");
}

#[test]
fn texts_that_bring_up_others() {
    let says = |name: &str, keys: &str, content: &str| Entry { content: content.into(), ..entry(name, keys) };
    let chain = || vec![says("a", "moon", "The tide."), says("b", "tide", "The boat."), says("c", "boat", "Harrow.")];
    check("one brings up the next", chain(), &["moon"], "a b c");
    let with = |at: usize, change: fn(&mut Entry)| {
        let mut chain = chain();
        change(&mut chain[at]);
        chain
    };
    check("its text brings up nothing", with(1, |b| b.prevent_recursion = true), &["moon"], "a b");
    check("no text brings it up", with(1, |b| b.exclude_recursion = true), &["moon"], "a");
    check("the chat does", with(1, |b| b.exclude_recursion = true), &["moon tide"], "a b c");
    check("the chat does, when it is its time", with(1, |b| b.recursion_level = 1), &["tide"], "b c");
    check("a text does", with(1, |b| b.recursion_level = 1), &["moon"], "a b c");
    check("a second level waits", with(1, |b| b.recursion_level = 2), &["moon"], "a b c");
    check("each other, in a circle", vec![says("a", "x|b", "b"), says("b", "b", "x b a")], &["x"], "a b");
    check(
        "the second key in a text",
        vec![says("a", "moon", "A wolf."), Entry { secondary_keys: words("wolf"), ..says("b", "fog", "B") }],
        &["moon fog"],
        "a b",
    );

    let told = |change: &dyn Fn(&mut Played)| {
        let mut turn = Played::of(chain(), &["moon"]);
        change(&mut turn);
        turn.told()
    };
    assert_eq!(told(&|turn| turn.settings.recursive = false), "a");
    assert_eq!(told(&|turn| turn.settings.max_steps = 2), "a b");
    assert_eq!(told(&|turn| turn.books[0].recursive = Some(false)), "a");
    assert_eq!(told(&|turn| turn.books[0].scan_depth = Some(0)), "");
    // A chain without an end ends.
    let long = (0..500).map(|n| says(&n.to_string(), &format!("k{n}"), &format!("k{}", n + 1))).collect();
    assert_eq!(Played { budget: 100_000, ..Played::of(long, &["k0"]) }.told().split(' ').count(), 64);
}

#[test]
fn room_and_who_has_a_claim_on_it() {
    let says = |name: &str, order, content: &str| Entry { order, content: content.into(), ..constant(name) };
    let each = "one two three four";
    let cost = estimate(each);
    let told = |entries: Vec<Entry>, budget| Played { budget, ..Played::of(entries, &[]) }.told();
    let three = || vec![says("a", 1, each), says("b", 2, each), says("c", 3, each)];
    assert_eq!(told(three(), 3 * cost), "a b c");
    assert_eq!(told(three(), 3 * cost - 1), "b c", "the highest order first");
    assert_eq!(told(three(), 0), "");
    let mut first = three();
    first[0].priority = Some(9);
    assert_eq!(told(first, 2 * cost), "a c", "a priority goes before orders");
    let mut whatever = three();
    whatever[0].ignore_budget = true;
    assert_eq!(told(whatever, cost), "a c");
    let mut gives_way = three();
    gives_way[2].content = format!("@@ignore_on_max_context\n{each}");
    assert_eq!(told(gives_way, 2 * cost), "a b");
    let smaller = vec![says("a", 1, "one"), says("b", 2, &each.repeat(9)), says("c", 3, each)];
    assert_eq!(told(smaller, 2 * cost), "c", "the first that does not fit ends it");

    let mut turn = Played { budget: 2 * cost, ..Played::of(three(), &[]) };
    turn.books.insert(0, Lorebook { id: "near".into(), entries: vec![says("n", 0, each)], ..Lorebook::default() });
    assert_eq!(turn.told(), "n c", "the nearest book first");
    turn.books[0].token_budget = Some(cost - 1);
    assert_eq!(turn.told(), "b c", "a book's own room is no matter of the others");
    let left = turn.wake(|awake| awake.left_out.iter().map(|(_, ready)| ready.title().to_owned()).collect::<Vec<_>>());
    assert_eq!(left, ["n", "a"]);
}

#[test]
fn groups_and_chance() {
    let of = |name: &str, group: &str| Entry { groups: words(group), ..entry(name, "moon") };
    let told = |entries: Vec<Entry>, seed| Played { seed, ..Played::of(entries, &["moon"]) }.told();
    let seeds: Vec<&'static str> = (0..400).map(|n| &*Box::leak(n.to_string().into_boxed_str())).collect();
    let share = |entries: &[Entry], name: &str| {
        let told: Vec<String> = seeds.iter().map(|seed| told(entries.to_vec(), seed)).collect();
        told.iter().filter(|told| *told == name).count()
    };
    let two = [of("a", "g"), of("b", "g")];
    assert_eq!(share(&two, "a") + share(&two, "b"), 400, "always one");
    assert!((140..260).contains(&share(&two, "a")), "{}", share(&two, "a"));
    let weighted = [of("a", "g"), Entry { group_weight: 900, ..of("b", "g") }];
    assert!((10..80).contains(&share(&weighted, "a")), "{}", share(&weighted, "a"));
    let first = [
        of("a", "g"),
        Entry { group_first: true, ..of("b", "g") },
        Entry { group_first: true, order: 9, ..of("c", "g") },
    ];
    assert_eq!(share(&first, "b"), 400, "the highest order of those that go first");
    assert_eq!(share(&[of("a", "g"), of("b", "h")], "a b"), 400);
    let both = [of("a", "g|h"), of("b", "g"), of("c", "h")];
    assert_eq!(share(&both, "a") + share(&both, "b") + share(&both, "c") + share(&both, "b c"), 400);
    // One that a text brings up finds its group taken.
    let late = [Entry { content: "tide".into(), ..of("a", "g") }, Entry { keys: words("tide"), ..of("b", "g") }];
    assert_eq!(share(&late, "a"), 400);
    // Who stays has it.
    let mut turn = Played::of(vec![of("a", "g"), Entry { sticky: 9, ..of("b", "g") }], &["moon"]);
    turn.timers.insert("b/b".into(), Timer { stays: Some(12), rests: None });
    assert_eq!(turn.told(), "b");

    let rare = [Entry { probability: 30, ..entry("r", "moon") }];
    assert!((80..160).contains(&share(&rare, "r")), "{}", share(&rare, "r"));
    assert_eq!(told(rare.to_vec(), "same"), told(rare.to_vec(), "same"));
    assert_eq!(share(&[Entry { probability: 0, ..entry("r", "moon") }], "r"), 0);
    let always = [Entry { probability: 30, ..constant("r") }];
    assert!((80..160).contains(&share(&always, "r")), "what is constant is drawn too");
}

#[test]
fn what_stays_and_what_rests() {
    let sticky = || Entry { sticky: 4, cooldown: 4, ..entry("s", "moon") };
    let told = |timer: Timer, change: fn(&mut Entry), chat: &[&'static str]| {
        let mut one = sticky();
        change(&mut one);
        let mut turn = Played::of(vec![one], chat);
        turn.timers.insert("b/s".into(), timer);
        turn.told()
    };
    let stays = Timer { stays: Some(11), rests: Some(15) };
    assert_eq!(told(stays, |_| (), &["no key"]), "s");
    assert_eq!(told(stays, |one| one.probability = 0, &[]), "s", "it is not drawn again");
    assert_eq!(told(stays, |one| one.sticky = 0, &[]), "", "it is asked for no more");
    let rests = Timer { stays: Some(8), rests: Some(11) };
    assert_eq!(told(rests, |_| (), &["moon"]), "");
    assert_eq!(told(rests, |one| one.constant = true, &["moon"]), "");
    assert_eq!(told(rests, |one| one.cooldown = 0, &["moon"]), "s");
    assert_eq!(told(Timer { stays: Some(6), rests: Some(10) }, |_| (), &["moon"]), "s", "it has rested");
    let started =
        |timers: Timers| Played { timers, ..Played::of(vec![sticky()], &["moon"]) }.wake(|awake| awake.started);
    assert_eq!(started(Timers::new()), [("b/s".to_owned(), Timer { stays: Some(14), rests: Some(18) })]);
    assert_eq!(started(Timers::from([("b/s".to_owned(), stays)])), [], "what runs is not wound up again");
}

#[test]
fn each_stands_in_its_place_with_its_reason() {
    let at = |name: &str, position, order| Entry { position, order, ..constant(name) };
    let entries = vec![
        at("after", Position::AfterCharacter, 1),
        at("second", Position::BeforeCharacter, 20),
        at("first", Position::BeforeCharacter, -3),
        Entry { depth: Some(2), ..at("deep", Position::AtDepth, 7) },
        at("by default", Position::AtDepth, 8),
        Entry {
            content: "@@reverse_depth 1\n@@role user\nText".into(),
            ..at("from the start", Position::AfterCharacter, 9)
        },
        at("example", Position::AfterExamples, 1),
        Entry { keys: words("Moon"), constant: false, ..at("key", Position::AfterCharacter, 5) },
        Entry { order: -9, content: "word ".repeat(2_000), ..constant("long") },
    ];
    let placed = |has_examples| {
        let mut context = ContextStore::default();
        Played::of(entries.clone(), &["The moon", "rose."]).wake(|awake| tell(awake, &mut context, 10, has_examples));
        context
    };
    let context = placed(true);
    let texts = |name: &str| {
        let entries = context.get(name).unwrap_or_default();
        entries.iter().map(|entry| entry.text.as_str()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!((texts("lore_before").as_str(), texts("lore_after").as_str()), ("(first) (second)", "(after) (key)"));
    let reason = Reason::read(&context.get("lore_after").unwrap()[1].reason).unwrap();
    let key = Why::Message { key: "Moon".into(), message: 2 };
    assert_eq!(reason, Reason { book: "Book".into(), entry: "key".into(), why: key });
    let without = placed(false);
    assert_eq!(without.get("lore_after").unwrap().len(), 3, "examples that have no place");
}

/// Of ten thousand entries a turn looks at those alone whose keys may stand in it.
#[test]
fn many_entries_cost_a_turn_little() {
    let many: Vec<Entry> = (0..10_000).map(|n| entry(&n.to_string(), &format!("word{n}|gate {n}|词{n}"))).collect();
    let book = Book::of(Lorebook { id: "many".into(), entries: many.clone(), ..Lorebook::default() });
    let looked_at = |text: &str| book.may_come_up(&Said::new(text.to_owned()).grams().collect()).len();
    assert_eq!((looked_at("nothing of it"), book.always().len()), (0, 0));
    let few = looked_at("word77 and 词9 at GATE 3, and the word goes round from gate to gate");
    assert!((3..2_500).contains(&few), "{few}");
    assert_eq!(Played::of(many, &["word77 and 词9 at GATE 3"]).told(), "3 9 77");
}

/// A sheet that is looked through wakes an entry however near that looks, and the chat goes before it.
#[test]
fn texts_beside_the_chat() {
    let near = Entry { scan_depth: Some(0), ..entry("near", "moon") };
    let also = Entry { secondary_keys: vec!["moon".into()], ..entry("also", "gate") };
    let mut played = Played::of(vec![near, also], &["the gate"]);
    assert_eq!(played.told(), "");
    played.sheet = "afraid of the moon";
    assert_eq!(played.told(), "near also");
    let why: Vec<Why> = played.wake(|awake| awake.woken.iter().map(|woken| woken.why.clone()).collect());
    let expected = Why::Text { key: "moon".into(), of: Text::Sheet };
    assert!(why.contains(&expected) && why.contains(&Why::Message { key: "gate".into(), message: 1 }), "{why:?}");
}

#[test]
fn what_is_like_what_is_said() {
    let by_key = Entry { probability: 100, ..entry("key", "moon") };
    let asks_more = Entry { secondary_keys: words("never"), ..entry("more", "moon") };
    let entries = vec![
        by_key,
        asks_more,
        entry("far", ""),
        Entry { content: "@@exclude_keys moon\n(barred)".into(), ..entry("barred", "") },
        Entry { recursion_level: 1, ..entry("waits", "") },
        Entry { probability: 0, ..entry("unlucky", "") },
        entry("fourth", ""),
    ];
    let mut played = Played::of(entries, &["The moon."]);
    let near = |at, likeness| Near { place: (0, at), likeness };
    played.near = vec![near(0, 90), near(1, 80), near(3, 70), near(4, 60), near(5, 55), near(2, 50), near(6, 40)];
    played.settings.by_meaning = 3;
    let told = |played: &Played| {
        played.wake(|awake| {
            awake.woken.iter().map(|one| (one.ready.title().to_owned(), one.why.clone())).collect::<Vec<_>>()
        })
    };
    let by = |name: &str, likeness| (name.to_owned(), Why::Meaning { likeness });
    let key = ("key".to_owned(), Why::Message { key: "moon".into(), message: 1 });
    assert_eq!(told(&played), [key.clone(), by("more", 80), by("far", 50)], "a key goes before, chance counts");
    // They count into the same room.
    played.budget = estimate("(key)");
    assert_eq!(told(&played), std::slice::from_ref(&key));
    (played.budget, played.settings.by_meaning) = (1_000, 0);
    assert_eq!(told(&played), [key]);
}
