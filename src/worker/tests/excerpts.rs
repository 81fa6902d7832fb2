//! Which sentences are told where there is room for some: by their words, by likeness, and by what others lead to.

use super::*;
use crate::ports::recall::Embedding;

const ID: &str = "s";

fn laid(said: &[String]) -> Shelf {
    let shelf = shelf();
    let mut batch = Batch::new();
    (0..).zip(said).for_each(|(position, text)| batch.push(&turn("root", position, text)));
    shelf.commit(batch);
    shelf
}

impl Shelf {
    fn excerpts(&self, last: u32, words: Words, room: u32) -> Vec<String> {
        let search =
            Search { storyline: ID.into(), path: root(last), until: last + 1, words, room, ..Default::default() };
        let hits = block_on((&self.keeper as &dyn Recall).hits(Request::Search(search))).unwrap();
        hits.into_iter().map(|hit| hit.text).collect()
    }
}

/// What is found by its vector has a sentence told, though that shares no word with the question.
#[test]
fn what_is_alike_is_told_in_other_words() {
    let clocks = "I used to mend clocks in Verrin Street.";
    let other = |nth: u32| format!("Every profession has its saint, says the miller, and names the {nth}th of them.");
    let said: Vec<String> = (0..12).map(|nth| if nth == 3 { clocks.to_owned() } else { other(nth) }).collect();
    let shelf = laid(&said);
    let recall = &shelf.keeper as &dyn Recall;
    let lacking = block_on(recall.lacking(&ID.into(), "e", 100)).unwrap();
    let vector = |text: &str| if text == clocks { vec![1.0, 0.0] } else { vec![0.0, 1.0] };
    let vectors = lacking.iter().map(|lacking| (lacking.unit.clone(), vector(&lacking.text)));
    block_on(recall.embed(&ID.into(), "e", vectors.collect())).unwrap();
    let question = words("What was my profession?");
    let alike = Words { vector: Some(Embedding { embedder: "e".into(), vector: vec![1.0, 0.0] }), ..question.clone() };
    let told = |words: &Words, room: u32| shelf.excerpts(11, words.clone(), room);
    assert!(!told(&question, 4_000).iter().any(|text| text == clocks), "by words alone nothing leads there");
    assert!(told(&alike, 4_000).iter().any(|text| text == clocks));
    assert_eq!(told(&alike, 25), [clocks], "before what has the question's words");
}

/// What the best sentence names is told before what has some words of the question, whether or not it has one, too.
#[test]
fn what_the_best_leads_to_comes_before_what_is_merely_found() {
    let bought = "The debt of my father was bought by a man who calls himself the Thrush.";
    let turns_out = "It turns out, when the parish books are opened at last, that the Thrush is Deacon Polwhele.";
    let that_man = "That man, when the parish books are opened at last, the Thrush, is Deacon Polwhele.";
    for named in [turns_out, that_man] {
        let other = |nth: u32| match nth % 3 {
            0 => format!("My father had a debt with the {nth}th miller."),
            _ => format!("Rain on the {nth}th roof of the quay, and nobody about."),
        };
        let said = (0..40).map(|nth| match nth {
            4 => bought.to_owned(),
            11 => named.to_owned(),
            nth => other(nth),
        });
        let said: Vec<String> = said.collect();
        let told = laid(&said).excerpts(39, words("Who is the man that bought my father's debt?"), 75);
        assert_eq!(
            (told.len(), told.contains(&bought.to_owned()), told.contains(&named.to_owned())),
            (3, true, true),
            "{told:?}"
        );
    }
}
