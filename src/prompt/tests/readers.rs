//! A reader with a name and one without: both are told of as somebody, who is not the model.

use super::*;
use crate::{
    prompt::samples::imported,
    story::{character::Card, company::Voices, tree::Node},
};

const LANGUAGES: [Language; 2] = [Language::Zh, Language::En];

fn all_presets() -> impl Iterator<Item = (&'static str, Language, Preset)> {
    let all = BUILTIN.iter().flat_map(|(id, _)| LANGUAGES.map(|language| (*id, language)));
    all.map(|(id, language)| (id, language, builtin(id, language).unwrap()))
}

fn sent(sample: &Sample, preset: &Preset) -> String {
    let messages = assemble(&sample.scene(preset), PLENTY).messages;
    messages.iter().map(|one| format!("{}: {}\n", one.role.name(), one.content)).collect()
}

/// What is said of a reader without a name, and of no other.
fn who_it_is(sample: &Sample) -> String {
    let own = preset([marker("reader"), marker("history")]);
    let said = assemble(&sample.scene(&own), PLENTY).account.blocks.swap_remove(0);
    assert_eq!(said.source, "reader");
    said.text
}

#[test]
fn whole_prompts() {
    for (id, language, preset) in all_presets() {
        for (name, sample) in [("named", imported(language)), ("unnamed", imported(language).unnamed())] {
            insta::assert_snapshot!(
                format!("{name}_{id}_{language:?}"),
                shown(&assemble(&sample.scene(&preset), PLENTY))
            );
        }
    }
}

/// But for the sentence that says who the reader is, an unnamed reader stands wherever a named one does, as a third.
#[test]
fn an_unnamed_reader_is_a_third() {
    const NAME: &str = "Quillon";
    for (id, language, preset) in all_presets() {
        let of = |name: &str| {
            let mut sample = imported(language);
            sample.storyline.user_name = name.into();
            let said = sent(&sample, &preset);
            let who = who_it_is(&sample);
            assert_eq!(
                said.matches(&who).count(),
                usize::from(name.is_empty() || matches!(id, "director" | "persona"))
            );
            (said.replace(&format!("\n\n{who}"), "").replace(&who, ""), said)
        };
        let ((named, _), (unnamed, whole)) = (of(NAME), of(""));
        assert!(named.contains(NAME), "{id}");
        let third = language.pick("读者", "the reader");
        let (named, unnamed) = (named.replace(NAME, third).to_lowercase(), unnamed.to_lowercase());
        assert_eq!(named, unnamed, "{id} {language:?}");
        for nonsense in [
            "you and you",
            "with you",
            "except you",
            "for you",
            "who you is",
            "you intends",
            "you has",
            "you's",
            "you’s",
            "the the",
            "和你一起",
            "与你合写",
            "与你对话",
            "替你",
            "除你以外",
            "你的人设",
            "你由",
            "该由你",
            "你刚写",
            "分析你",
            "{{",
            "<user>",
        ] {
            assert!(!whole.to_lowercase().contains(nonsense), "{id} {language:?}: {nonsense} in {whole}");
        }
        // “The reader” begins sentences and lines, “the reader” stands within them.
        let within = whole.lines().any(|line| line.starts_with("the reader") || line.contains(", The reader"));
        assert!(!within, "{id}: {whole}");
    }
}

/// A preset that has no place for it says who the reader is next to what it says first; one that switches it off does not.
#[test]
fn who_the_reader_is_stands_in_every_preset() {
    let sample = ally(Language::En).unnamed();
    let own = preset([text_block("main", "Write for {{user}}."), marker("history")]);
    let told = lines(&sample, &own);
    assert_eq!(told[0], format!("s: Write for the reader.\n\n{}", who_it_is(&sample)));
    assert_eq!(lines(&ally(Language::En), &own)[0], "s: Write for Lin.");
    let alone = lines(&sample, &preset([marker("history")]));
    assert_eq!(alone[0], format!("s: {}", who_it_is(&sample)), "before the chat, not within it");
    let off = Block { enabled: false, ..marker("reader") };
    assert_eq!(lines(&sample, &preset([own.blocks[0].clone(), off, marker("history")]))[0], "s: Write for the reader.");
    // A card that replaces the main text takes nothing of it away.
    let mut sample = sample;
    sample.character.card.system_prompt = "Be terse.".into();
    for (id, language, preset) in all_presets() {
        sample.storyline.language = language;
        assert_eq!(sent(&sample, &preset).matches(&who_it_is(&sample)).count(), 1, "{id} {language:?}");
    }
}

/// Whatever else a story has or lacks: who is played, what they are like and the words to answer.
#[test]
fn every_preset_says_who_it_is_about_once() {
    const WHO: &str = "A keeper of lamps who never sleeps.";
    const STORY: &str = "Her father did not come back.";
    const WORDS: &str = "Who goes there?";
    for (id, language, preset) in all_presets() {
        for case in 0..1u32 << 7 {
            let has = |bit: u32| case >> bit & 1 == 1;
            let mut sample = if has(0) { imported(language) } else { imported(language).unnamed() };
            if !has(1) {
                sample.background.as_mut().unwrap().story_outline.clear();
            }
            if !has(2) {
                sample.background = None;
            }
            if !has(3) {
                sample.state = Default::default();
            }
            sample.storyline.extra.clear();
            sample.character.name = "Ysolde".into();
            let system_prompt = if has(4) { "Be terse." } else { "" };
            sample.character.card =
                Card { description: WHO.into(), system_prompt: system_prompt.into(), ..Default::default() };
            sample.state.persona_mut(None).base_persona = WHO.into();
            sample.state.persona_mut(None).core_identity.background_story =
                if has(5) { STORY.into() } else { String::new() };
            let answered = node(1, WORDS, None);
            sample.history = if has(6) { vec![node(0, "", Some("The lamp turns.")), answered] } else { vec![answered] };
            let prompt = assemble(&sample.scene(&preset), PLENTY);
            let all = sent(&sample, &preset);
            let case = format!("{id} {language:?} {case:07b}: {all}");
            assert!(all.contains("Ysolde"), "{case}");
            let count = |text| all.matches(text).count();
            assert_eq!((count(WHO), count(WORDS)), (1, 1), "{case}");
            assert_eq!(count(STORY), usize::from(has(5) && id != "director"), "{case}");
            assert_eq!(count("The lamp turns."), usize::from(has(6)), "{case}");
            let asks =
                |message: &crate::provider::Message| message.role == Role::User && message.content.contains(WORDS);
            assert!(prompt.messages.last().is_some_and(asks), "{case}");
            assert!(!all.contains("{{"), "{case}");
        }
    }
}

/// A preset from before there was a place for the description has it where the background story stands.
#[test]
fn a_description_without_a_place_of_its_own() {
    let sample = ally(Language::Zh);
    let own = |text: &str| preset([text_block("core", text), marker("history")]);
    let story = "一个寻仇者，曾经的精英战士，因背叛而堕入复仇之路\n\n曾是组织的精英战士，因发现真相被背叛";
    assert_eq!(lines(&sample, &own("{{background_story}}"))[0], format!("s: {story}"));
    let (who, what) = story.split_once("\n\n").unwrap();
    assert_eq!(lines(&sample, &own("{{description}}|{{background_story}}"))[0], format!("s: {who}|{what}"));
}

/// A transcript tells the words to answer only where it is the reader's message itself.
#[test]
fn a_transcript_repeats_no_words() {
    let sample = ally(Language::Zh);
    let history = |role| preset([Block { form: Form::Transcript, role, ..marker("history") }]);
    let past = "第1轮：\nUser: 你这个骗子！\nAssistant: Alserqi听了你的话，眼中闪过一丝轻蔑...\n\n第2轮：\nUser: 我有证据\nAssistant: 他看到文件，瞳孔微缩...";
    assert_eq!(lines(&sample, &history(Role::System)), [format!("s: {past}"), "u: 你还记得我说的话吗？".into()]);
    let whole = format!("u: {past}\n\n第3轮：\nUser: 你还记得我说的话吗？");
    assert_eq!(lines(&sample, &history(Role::User)), [whole]);
}

/// What a story's first call to a model is told of its turns.
#[test]
fn transcripts_of_other_calls() {
    use crate::features::{persona::evolve, summary};
    for language in LANGUAGES {
        for (name, sample) in [("named", imported(language)), ("unnamed", imported(language).unnamed())] {
            let (reader, character) = (sample.storyline.reader(), &sample.character.name);
            let turns: Vec<String> =
                sample.history.iter().map(|node: &Node| summary::told(node, character, reader)).collect();
            let voices = Voices { own: character.to_owned(), ..Default::default() };
            let evolved =
                evolve::request(sample.state.persona(None), &voices.own, &voices, reader, &sample.history, PLENTY);
            let asked = [summary::request("", &turns, reader), evolved].concat();
            let asked: Vec<_> = asked.into_iter().map(|message| message.content).collect();
            insta::assert_snapshot!(format!("asides_{name}_{language:?}"), asked.join("\n────\n"));
        }
    }
}
