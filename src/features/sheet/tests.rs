//! When texts are due, what is asked for them, and where they stand in the prompt.

use super::{
    due::{Since, due},
    request::{About, answer, request},
    sections::{section, sections},
    *,
};
use crate::prompt::{
    builtin::builtin,
    framework::assemble,
    samples::{Sample, imported},
};

fn set(change: impl FnOnce(&mut TextSettings)) -> TextSettings {
    let mut settings = TextSettings { enabled: true, ..TextSettings::default() };
    change(&mut settings);
    settings
}

fn since(messages: u32, words: u32) -> Since {
    Since { messages, words }
}

#[test]
fn each_by_its_own_interval() {
    use Text::{Plot, Sheet};
    let ten = set(|_| {});
    let words = set(|settings| (settings.messages, settings.words) = (0, 500));
    let off = TextSettings::default();
    let frozen = set(|settings| settings.frozen = true);
    let never = set(|settings| settings.messages = 0);
    let cases: &[(&TextSettings, Since, &TextSettings, Since, &[Text])] = &[
        (&ten, since(9, 9_000), &ten, since(9, 9_000), &[]),
        (&ten, since(10, 0), &ten, since(10, 0), &[Sheet, Plot]),
        (&ten, since(10, 0), &words, since(10, 499), &[Sheet]),
        (&ten, since(9, 0), &words, since(0, 500), &[Plot]),
        (&off, since(99, 9_000), &off, since(99, 9_000), &[]),
        (&frozen, since(99, 0), &ten, since(99, 0), &[Plot]),
        (&never, since(99, 9_000), &ten, since(99, 0), &[Plot]),
    ];
    for (sheet, of_sheet, plot, of_plot, expected) in cases {
        assert_eq!(due(None, (sheet, *of_sheet), (plot, *of_plot)), *expected, "{of_sheet:?} {of_plot:?}");
    }
    assert_eq!(due(Some(Plot), (&frozen, since(1, 1)), (&frozen, since(1, 1))), [Plot], "by hand, in any case");
}

/// `002`, 4.2: either's being due writes both, the sheet first, and the summary though it is frozen or off.
#[test]
fn locked() {
    use Text::{Plot, Sheet};
    let lock = set(|settings| settings.lock = true);
    let frozen = set(|settings| settings.frozen = true);
    let off = TextSettings::default();
    for plot in [&frozen, &off, &set(|_| {})] {
        assert_eq!(due(None, (&lock, since(10, 0)), (plot, since(3, 0))), [Sheet, Plot]);
        assert_eq!(due(None, (&lock, since(3, 0)), (plot, since(10, 0))), [Sheet, Plot]);
        assert_eq!(due(None, (&lock, since(3, 0)), (plot, since(3, 0))), []);
        assert_eq!(due(Some(Plot), (&lock, since(1, 0)), (plot, since(1, 0))), [Sheet, Plot]);
    }
    let both = set(|settings| (settings.lock, settings.frozen) = (true, true));
    assert_eq!(due(None, (&both, since(99, 0)), (&frozen, since(99, 0))), [], "paused");
    let resting = TextSettings { lock: true, ..TextSettings::default() };
    assert_eq!(
        due(None, (&resting, since(99, 0)), (&set(|_| {}), since(99, 0))),
        [Plot],
        "a sheet that is off locks nothing"
    );
}

#[test]
fn sections_of_a_sheet() {
    let sheet = "She is here.\n## 心情\n- 疲惫\n- 安心\n## Goals\nfind Ada: today\n\n**bold** line\n";
    let found: Vec<_> = sections(sheet).into_iter().map(|(title, text)| format!("{title}|{text}")).collect();
    assert_eq!(found, ["|She is here.", "心情|- 疲惫\n- 安心", "Goals|find Ada: today\n\n**bold** line"]);
    assert_eq!(section(sheet, " goals "), "find Ada: today\n\n**bold** line");
    assert_eq!(section(sheet, "none"), "");
    for (sheet, name, expected) in [
        ("【目标】找到艾达\n【心情】平静", "目标", "找到艾达"),
        ("**Mood:** calm\n**Goals**\n- win", "mood", "calm"),
        ("**Mood:** calm\n**Goals**\n- win", "Goals", "- win"),
        ("[Goals] win", "goals", "win"),
        ("Mood: calm\nGoals:\n- to win: at last", "goals", "- to win: at last"),
        ("心情：平静\n目标：活着", "目标", "活着"),
        ("nothing here", "mood", ""),
        ("", "", ""),
    ] {
        assert_eq!(section(sheet, name), expected, "{sheet}");
    }
}

fn asked(sample: &Sample, text: Text, settings: &TextSettings, before: &str) -> String {
    let (name, reader, language) = (&*sample.character.name, sample.storyline.reader(), sample.storyline.language);
    let told = sample.history.iter().map(|node| crate::features::transcript::speech(node, name, reader));
    let dialogue = told.collect::<String>();
    request(text, settings, before, &dialogue, About { name, reader, language }).remove(0).content
}

#[test]
fn whole_requests() {
    for language in [Language::Zh, Language::En] {
        for text in Text::ALL {
            let (named, bare) = (imported(language), imported(language).unnamed());
            let before = language.pick("## 心情\n疲惫", "## Emotions\nweary");
            let name = text.name();
            insta::assert_snapshot!(format!("{name}_next_{language:?}"), asked(&named, text, &set(|_| {}), before));
            insta::assert_snapshot!(format!("{name}_first_{language:?}"), asked(&bare, text, &set(|_| {}), ""));
        }
    }
}

/// A reader's own prompt may forget what it is about; what it says is put in once, macros in the texts are not expanded.
#[test]
fn an_own_prompt() {
    let sample = imported(Language::En);
    let own = set(|settings| settings.prompt = "Sheet of {{char}} in {{words}} words: {{previous_sheet}}".into());
    let said = asked(&sample, Text::Sheet, &own, "{{user}} is odd");
    assert!(
        said.starts_with(&format!("Sheet of {} in 300 words: {{{{user}}}} is odd", sample.character.name)),
        "{said}"
    );
    assert_eq!(said.matches("=== NEW DIALOGUE ===").count(), 1, "{said}");
    let whole = set(|settings| settings.prompt = "{{previous}}|{{new_dialogue}}".into());
    assert!(!asked(&sample, Text::Plot, &whole, "so far").contains("==="));
}

/// A model that thinks aloud needs what its connection allows.
#[test]
fn room_for_the_answer() {
    let by_length = set(|settings| settings.length = 300);
    assert_eq!(
        [None, Some(200), Some(9_000)].map(|allowed| answer(&by_length, allowed)),
        [None, Some(1_200), Some(9_000)]
    );
    let own = set(|settings| settings.max_tokens = 700);
    assert_eq!([None, Some(9_000)].map(|allowed| answer(&own, allowed)), [Some(700); 2]);
}

const SHEET: &str = "## Goals\nTo keep the light.";

fn told(position: Position, change: impl FnOnce(&mut Sample, &mut Preset)) -> Vec<(String, String)> {
    let mut sample = imported(Language::En);
    let mut preset = builtin("plain", Language::En).unwrap();
    (sample.state.sheet, sample.state.summary) = (SHEET.into(), "- They met.".into());
    for text in Text::ALL {
        super::change(text, &mut sample.storyline, &preset, |settings| {
            *settings = TextSettings {
                enabled: true,
                told: Telling { position, ..Telling::default() },
                ..TextSettings::default()
            };
        });
    }
    change(&mut sample, &mut preset);
    let messages = assemble(&sample.scene(&preset), 100_000).messages;
    messages.into_iter().map(|message| (format!("{:?}", message.role), message.content)).collect()
}

#[test]
fn where_it_stands() {
    let has =
        |messages: &[(String, String)]| messages.iter().filter(|(_, text)| text.contains("keep the light")).count();
    let prompt = told(Position::Prompt, |_, _| {});
    assert!(prompt[0].1.contains(" as of now]\n## Goals\nTo keep the light.") && has(&prompt) == 1, "{prompt:#?}");
    assert!(prompt[0].1.contains("[The story so far]\n- They met."), "{prompt:#?}");
    let first = told(Position::First, |_, _| {});
    assert!(first[0].1.starts_with('['), "{first:#?}");
    let chat = told(Position::Chat, |sample, preset| {
        super::change(Text::Sheet, &mut sample.storyline, preset, |settings| {
            (settings.told.depth, settings.told.role) = (1, Role::Assistant);
        });
    });
    let at = chat.iter().position(|(_, text)| text.contains("keep the light")).unwrap();
    let after: Vec<_> =
        chat[at + 1..].iter().filter(|(role, _)| role != "System").map(|(role, _)| role.as_str()).collect();
    assert_eq!((chat[at].0.as_str(), after, has(&chat)), ("Assistant", vec!["User"], 1), "{chat:#?}");
    assert_eq!(has(&told(Position::Macro, |_, _| {})), 0);
    // One that is off, or says nothing, leaves no trace.
    let off = told(Position::Prompt, |sample, preset| {
        super::change(Text::Sheet, &mut sample.storyline, preset, |settings| settings.enabled = false);
        sample.state.summary.clear();
    });
    assert!(
        off.iter().all(|(_, text)| !text.contains("keep the light") && !text.contains("The story so far")),
        "{off:#?}"
    );
}

#[test]
fn macros_of_a_preset() {
    let messages = told(Position::Prompt, |_, preset| {
        let block = preset.blocks.iter_mut().find(|block| block.content.is_some()).unwrap();
        block.content = Some("S<{{char_sheet}}> G<{{char_sheet_section::goals}}> P<{{plot_summary}}>".into());
    });
    let all: String = messages.into_iter().map(|(_, text)| text).collect();
    assert!(all.contains(&format!("S<{SHEET}> G<To keep the light.> P<- They met.>")), "{all}");
    assert_eq!((all.matches("To keep the light.").count(), all.matches("They met.").count()), (2, 1), "{all}");
}
