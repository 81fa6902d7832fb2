//! Each term moves the ranking as its table says, and nothing is seen beyond a branch.

use proptest::prelude::*;

use super::*;

/// Words and nothing else.
const BARE: Weights = Weights {
    near: [0; 4],
    question: 0,
    date_words: 0,
    session: 0.0,
    speaker: 0.0,
    first_person: 0.0,
    date: 0.0,
    statement: 0.0,
    opens: 0.0,
    answers: 0.0,
    names: 0.0,
    new_words: 0.0,
    spacing: 0.0,
    versions: 0.0,
    classes: 0.0,
    ..Weights::RECALL
};

/// A talk as lines of `speaker: text`; an empty line begins a session, `@2023-05-06` sets the date.
fn talk(lines: &str) -> Index {
    let mut index = Index::default();
    let (mut session, mut date) = (1, None);
    for line in lines.lines().map(str::trim) {
        if let Some(day) = line.strip_prefix('@') {
            let named = dates::named(day)[0];
            date = Some(Date { year: named.year.unwrap(), month: named.month.unwrap(), day: named.day.unwrap() });
        } else if let Some((speaker, text)) = line.split_once(": ") {
            let said = (speaker != "note").then_some(Said { speaker, session });
            index.append(&Unit { text, date, said });
        } else {
            session += 1;
        }
    }
    index
}

fn find(index: &Index, weights: Weights, query: &Query<'_>) -> Vec<u32> {
    let view = View::of(index, weights, 0..index.len());
    Searcher::default().search(index, &view, query, 20).into_iter().map(|hit| hit.doc).collect()
}

fn ask(text: &str) -> Query<'_> {
    Query { text, ..Query::default() }
}

/// Without the term the first list is found, with it the second.
#[track_caller]
fn moves(index: &Index, query: &Query<'_>, with: Weights, before: &[u32], after: &[u32]) {
    let start = |mut found: Vec<u32>, of: &[u32]| {
        found.truncate(of.len());
        found
    };
    assert_eq!(start(find(index, BARE, query), before), before, "without the term");
    assert_eq!(start(find(index, with, query), after), after, "with the term");
}

#[test]
fn words_beside_a_turn_help_it() {
    let index = talk("A: a boat\nB: the violin\nA: mending nets\n\nB: a boat");
    let with = Weights { near: Weights::RECALL.near, ..BARE };
    moves(&index, &ask("violin boat"), with.clone(), &[1, 3, 0], &[1, 0]);
    moves(&index, &ask("violin"), with, &[1], &[1, 0, 2]);
    assert_eq!(find(&index, BARE, &ask("violin")), [1]);
}

#[test]
fn the_words_of_a_question_belong_to_its_answer() {
    let index = talk("A: who baked the bread?\nB: Old Tom did\n\nA: seals");
    moves(&index, &ask("bread"), Weights { question: 24, ..BARE }, &[0], &[0, 1]);
    assert_eq!(find(&index, BARE, &ask("bread")), [0]);
}

#[test]
fn a_session_about_it_helps_all_its_turns() {
    let index = talk("A: harbour seals\nB: harbour lamps\n\nA: harbour bread\nB: bread and salt");
    moves(&index, &ask("harbour"), Weights { session: 0.25, ..BARE }, &[2, 1, 0], &[1, 0, 2]);
}

#[test]
fn the_speaker_who_is_named_comes_first() {
    let index = talk("Mira: I swim in my lake\nTom: swim in a lake");
    let with = Weights { speaker: 0.1, ..BARE };
    moves(&index, &ask("Does Mira swim?"), with.clone(), &[1, 0], &[0, 1]);
    moves(&index, &ask("Do Mira and Tom swim?"), with.clone(), &[1, 0], &[1, 0]);
    let query = Query { text: "Does 小米 swim?", aliases: &[("小米", "Mira")], ..Query::default() };
    moves(&index, &query, with, &[1, 0], &[0, 1]);
}

#[test]
fn one_who_speaks_of_themselves_tells_more() {
    let index = talk("米拉: 我会游泳，我爱游泳\n米拉: 她会游泳，她爱游泳");
    moves(&index, &ask("米拉会游泳吗"), Weights { first_person: 0.1, ..BARE }, &[1, 0], &[0, 1]);
}

#[test]
fn a_named_date_is_compared_as_a_date() {
    let lines = "@2023-05-06\nA: 下雨了\n\n@2023-06-05\nA: 下雨了";
    moves(&talk(lines), &ask("5月6号下雨了吗"), Weights { date: 0.35, ..BARE }, &[1, 0], &[0, 1]);
    let lines = "@2023-05-06\nA: rain\n\n@2023-06-07\nA: rain";
    moves(&talk(lines), &ask("rain in May"), Weights { date: 0.35, ..BARE }, &[1, 0], &[0, 1]);
    moves(&talk(lines), &ask("rain on the 6th of May"), Weights { date_words: 24, ..BARE }, &[1, 0], &[0, 1]);
}

#[test]
fn where_facts_are_told_comes_first() {
    let question = talk("A: the boat sails\nB: the boat sails?");
    moves(&question, &ask("boat"), Weights { statement: 0.1, ..BARE }, &[1, 0], &[0, 1]);
    let opening = talk("A: the boat sails\nB: the boat sails");
    moves(&opening, &ask("boat"), Weights { opens: 0.12, ..BARE }, &[1, 0], &[0, 1]);
    let answer = talk("A: so?\nB: the boat sails\nA: the boat sails");
    moves(&answer, &ask("boat"), Weights { answers: 0.12, ..BARE }, &[2, 1], &[1, 2]);
    let names = talk("A: a boat to Ellery\nB: a boat to land");
    moves(&names, &ask("boat"), Weights { names: 0.2, ..BARE }, &[1, 0], &[0, 1]);
    let speakers = talk("Ellery: hm\nA: a boat to Ellery\nB: a boat to land");
    moves(&speakers, &ask("boat"), Weights { names: 0.2, ..BARE }, &[2, 1], &[2, 1]);
    let fresh = talk("A: 小船出海\nB: 小船出海");
    moves(&fresh, &ask("小船"), Weights { new_words: 0.07, ..BARE }, &[1, 0], &[0, 1]);
}

#[test]
fn neighbours_of_a_hit_step_back() {
    let index = talk("A: a boat\nB: a boat\nA: a boat\n\nB: a boat");
    moves(&index, &ask("boat"), Weights { spacing: 0.05, ..BARE }, &[3, 2, 1, 0], &[3, 2, 0, 1]);
}

#[test]
fn earlier_utterances_count_less() {
    let index = talk("note: 鲸鱼在海里\nnote: 老虎在山里");
    let query = Query { text: "老虎", earlier: &["鲸鱼"], ..Query::default() };
    assert_eq!(find(&index, BARE, &query), [1, 0]);
    let query = Query { text: "鲸鱼", earlier: &["老虎"], ..Query::default() };
    assert_eq!(find(&index, BARE, &query), [0, 1]);
}

#[test]
fn a_kind_stands_for_its_things() {
    let index = talk("A: we went kayaking\n\nB: my hobbies\n\nA: 我在学古筝");
    let with = Weights { classes: 0.5, ..BARE };
    moves(&index, &ask("Which hobbies?"), with.clone(), &[1], &[1, 0]);
    assert_eq!(find(&index, BARE, &ask("Which hobbies?")), [1]);
    assert_eq!(find(&index, with, &ask("会什么乐器？")), [2]);
}

#[test]
fn words_that_a_model_thought_of_count_less() {
    let index = talk("A: a squeezebox\n\nB: the instrument");
    let query = Query { text: "Which instrument?", expansions: &["squeezebox, fiddle"], ..Query::default() };
    moves(&index, &query, Weights { expansions: 0.5, ..BARE }, &[1], &[1, 0]);
    assert_eq!(find(&index, Weights { expansions: 0.0, ..BARE }, &query), [1]);
}

#[test]
fn vectors_find_what_words_do_not() {
    let index = talk("A: kayaking on the river\n\nA: a letter\n\nA: my hobbies");
    let query = Query { text: "hobbies", dense: Some(&[0.9, f32::NAN, 0.5]), ..Query::default() };
    moves(&index, &ask("hobbies"), Weights::RECALL, &[2], &[2]);
    assert_eq!(find(&index, Weights { dense: 1.0, ..BARE }, &query)[..2], [2, 0]);
    assert_eq!(find(&index, Weights { dense: 0.0, ..BARE }, &query)[0], 2);
}

#[test]
fn a_window_of_vectors_is_that_of_their_sum() {
    let vectors = [[1.0, 0.0], [0.6, 0.8], [0.0, 1.0f32]];
    let dot = |a: [f32; 2], b: [f32; 2]| a[0] * b[0] + a[1] * b[1];
    let index = talk("A: one\nB: two\nA: three");
    let view = View::of(&index, BARE, 0..3);
    let asked = [0.8, 0.6];
    let cosines = vectors.map(|vector| dot(vector, asked));
    let alike = |a: u32, b: u32| dot(vectors[a as usize], vectors[b as usize]);
    let mut windows = dense::Windows::default();
    let windowed = windows.likeness(&view, &cosines, alike);
    assert_eq!(windows.likeness(&view, &cosines, |_, _| f32::NAN), windowed, "what is known is not asked again");
    let expected = |sum: [f32; 2]| dot(sum, asked) / dot(sum, sum).sqrt();
    for (got, sum) in windowed.iter().zip([[2.6, 0.8], [2.2, 2.6], [0.6, 2.8]]) {
        assert!((got - expected(sum)).abs() < 1e-6);
    }
    let windowed = windows.likeness(&view, &[cosines[0], f32::NAN], alike);
    assert!((windowed[0] - cosines[0]).abs() < 1e-6, "alone, for its neighbour has no vector");
    assert!(windowed[1].is_nan() && windowed[2].is_nan());
}

#[test]
fn the_newest_version_comes_first_and_the_older_says_so() {
    for (lines, question, past) in [
        (
            "A: the brass key lies under the stair\nB: rain\nA: wind\nB: bread\nA: salt\nB: nets\n\n\
             A: I moved the brass key to the tower, for all to see\nB: hm",
            "Where is the brass key under the stair?",
            "Where was the brass key under the stair?",
        ),
        (
            "甲: 铜钥匙压在地砖底下\n乙: 下雨\n甲: 风\n乙: 面饼\n甲: 盐\n乙: 渔网\n\n甲: 铜钥匙交给慧明藏进刀鞘，谁也看不见\n乙: 嗯",
            "地砖底下的铜钥匙在哪里？",
            "地砖底下的铜钥匙当时在哪里？",
        ),
    ] {
        let index = talk(lines);
        moves(&index, &ask(question), Weights { versions: 1.0, ..BARE }, &[0, 6], &[6, 0]);
        assert_eq!(find(&index, Weights { versions: 1.0, ..BARE }, &ask(past))[..2], [0, 6], "as it was");
        let view = View::of(&index, Weights { versions: 1.0, ..BARE }, 0..index.len());
        let hits = Searcher::default().search(&index, &view, &ask(question), 2);
        assert_eq!((hits[0].superseded_by, hits[1].superseded_by), (None, Some(6)));
    }
}

#[test]
fn a_hit_says_why() {
    let index = talk("Mira: Where is the key?\nTom: I lost it in Ellery");
    let view = View::of(&index, Weights::RECALL, 0..2);
    let hits = Searcher::default().search(&index, &view, &ask("Where did Tom lose the key?"), 1);
    assert_eq!((hits[0].doc, hits[0].words.join(" ").as_str()), (1, "lose key"));
    let parts = hits[0].parts;
    assert!(parts.words == 1.0 && 0.1 < parts.speaker && 0.2 < parts.prior && parts.spacing == 0.0);
    assert_eq!(hits[0].score, parts.total());
}

#[test]
fn the_last_word_may_be_half_typed() {
    let index = talk("A: a lighthouse on the cliff\nB: the light is out\nA: kayaking\nB: 灯塔亮了");
    let typed = |text| {
        let mut docs = find(&index, Weights::RECALL, &Query { text, typing: true, ..Query::default() });
        docs.sort_unstable();
        docs
    };
    assert_eq!(typed("lig"), [0, 1]);
    assert_eq!(typed("lighth"), [0]);
    assert_eq!(typed("lighthouse cl"), [0]);
    assert_eq!(typed("kayaki"), [2]);
    assert_eq!(typed("灯塔"), [3]);
    assert_eq!(typed("cli "), [0u32; 0], "a space ends the word");
    let same = talk("A: rain\nB: rain\nA: rain");
    assert_eq!(find(&same, Weights::RECALL, &Query { text: "ra", typing: true, ..Query::default() }), [2, 1, 0]);
}

#[test]
fn what_is_removed_is_not_found() {
    let mut index = talk("A: the boat\nB: a boat");
    index.remove(1);
    index.remove(7);
    assert_eq!(find(&index, Weights::RECALL, &ask("boat")), [0]);
}

#[test]
fn nothing_asked_and_nothing_known_finds_nothing() {
    assert!(find(&Index::default(), Weights::RECALL, &ask("boat")).is_empty());
    let index = talk("A: the boat");
    assert!(find(&index, Weights::RECALL, &ask("")).is_empty());
    assert!(find(&index, Weights::RECALL, &ask("the of 的")).is_empty());
}

/// Units of a random tree: what is said, by whom, in which session, and the unit that it follows.
#[derive(Clone, Debug)]
struct Grown {
    text: String,
    speaker: Option<&'static str>,
    session: u32,
    month: u8,
    parent: prop::sample::Index,
}

const ASKED: &[&str] = &["boat in the rain?", "Where was Mira on 8 May?", "灯塔的钥匙", "Ellery, 2023", "sai", "a job"];

fn grown() -> impl Strategy<Value = Grown> {
    const WORDS: &[&str] =
        &["boat", "key", "rain?", "Mira", ", Ellery", "I", "sails", "灯塔", "雨", "钥匙？", "2023", "May"];
    let text = prop::collection::vec(prop::sample::select(WORDS), 1..6).prop_map(|words| words.join(" "));
    let speaker = prop::sample::select(&[Some("Mira"), Some("Tom"), Some("林夕"), None][..]);
    (text, speaker, 1u32..4, 4u8..7, any::<prop::sample::Index>())
        .prop_map(|(text, speaker, session, month, parent)| Grown { text, speaker, session, month, parent })
}

fn add(index: &mut Index, unit: &Grown) -> u32 {
    let said = unit.speaker.map(|speaker| Said { speaker, session: unit.session });
    index.append(&Unit { text: &unit.text, date: Some(Date { year: 2023, month: unit.month, day: 8 }), said })
}

proptest! {
    /// A view of a big index and an index of the view's units alone find the same, to the last bit.
    #[test]
    fn siblings_have_no_say(
        units in prop::collection::vec(grown(), 1..60),
        from in any::<prop::sample::Index>(),
        gone in any::<prop::sample::Index>(),
        asked in prop::sample::select(ASKED),
    ) {
        let mut index = Index::default();
        let mut parents = Vec::new();
        for unit in &units {
            parents.push((!parents.is_empty()).then(|| unit.parent.index(parents.len())));
            add(&mut index, unit);
        }
        index.remove(gone.index(units.len()) as u32);
        let mut path: Vec<usize> = std::iter::successors(Some(from.index(units.len())), |at| parents[*at]).collect();
        path.reverse();
        path.retain(|at| !index.is_removed(*at as u32));

        let mut alone = Index::default();
        path.iter().for_each(|at| { add(&mut alone, &units[*at]); });
        let view = View::of(&index, Weights::RECALL, path.iter().map(|at| *at as u32));
        let fresh = View::of(&alone, Weights::RECALL, 0..alone.len());
        let dense: Vec<f32> = path.iter().map(|at| (*at as f32).sin()).collect();
        for query in [
            ask(asked),
            Query { text: asked, typing: true, ..Query::default() },
            Query { text: asked, earlier: &["the key"], dense: Some(&dense), ..Query::default() },
        ] {
            let here = Searcher::default().search(&index, &view, &query, 10);
            let there = Searcher::default().search(&alone, &fresh, &query, 10);
            let docs: Vec<usize> = there.iter().map(|hit| path[hit.doc as usize]).collect();
            prop_assert_eq!(here.iter().map(|hit| hit.doc as usize).collect::<Vec<_>>(), docs);
            for (here, there) in here.iter().zip(&there) {
                let newer = there.superseded_by.map(|newer| path[newer as usize] as u32);
                prop_assert_eq!(&Hit { doc: here.doc, superseded_by: newer, ..there.clone() }, here);
            }
        }
    }
}
