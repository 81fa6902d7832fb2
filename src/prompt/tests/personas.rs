//! Whom the reader plays.

use super::*;
use crate::story::reader_persona::ReaderPersona;

/// Whom the reader plays is told once: where a preset has its place, else by itself, under whose it is.
#[test]
fn a_persona_of_the_reader() {
    let mut sample = ally(Language::En);
    sample.storyline.user_name = "Lin".into();
    let description = "A courier, friend of {{char}}.".to_owned();
    let (persona, said) = (ReaderPersona { description, ..ReaderPersona::default() }, "A courier, friend of Alserqi.");
    let titled = format!("## Lin, whom the user plays\n{said}");
    let macro_of = || preset([text_block("x", "{{user}}: {{persona}}"), marker("history")]);
    let marked = || preset([text_block("x", "Write."), marker("personaDescription"), marker("history")]);
    let plain = || preset([text_block("x", "Write."), marker("history")]);
    for (position, depth, of, expected) in [
        (0, None, macro_of(), vec![format!("s: Lin: {said}")]),
        (0, None, marked(), vec![format!("s: Write.\n\n{said}")]),
        (0, None, plain(), vec![format!("s: Write.\n\n{titled}")]),
        // Another position of SillyTavern's is the prompt.
        (2, None, plain(), vec![format!("s: Write.\n\n{titled}")]),
        (4, Some(1), marked(), vec!["s: Write.".to_owned(), format!("s: {titled}")]),
        (4, Some(1), plain(), vec!["s: Write.".to_owned(), format!("s: {titled}")]),
        (9, None, marked(), vec!["s: Write.".to_owned()]),
        (9, None, plain(), vec!["s: Write.".to_owned()]),
        (9, None, macro_of(), vec![format!("s: Lin: {said}")]),
    ] {
        sample.plays_as = Some(ReaderPersona { position, depth, ..persona.clone() });
        let told: Vec<String> = lines(&sample, &of).into_iter().filter(|line| line.starts_with("s: ")).collect();
        assert_eq!(told, expected, "{position} {:?}", of.blocks[1].marker);
    }
    // What a story of older days says of it.
    sample.plays_as = None;
    sample.storyline.extra.insert("user_persona".into(), persona.description.clone().into());
    assert_eq!(lines(&sample, &plain())[0], format!("s: Write.\n\n{titled}"));
    assert_eq!(lines(&sample, &macro_of())[0], format!("s: Lin: {said}"));
}
