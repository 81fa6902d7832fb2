//! Files: archives and cards.

use super::*;

/// Any cutting of the lines gives the same; what is taken can be played.
#[test]
fn archive() {
    run(&Target {
        name: "archive",
        words: &[
            "\n",
            "{\"t\":\"turns\",\"r\":{",
            "\"position\":",
            "\"parent\":null",
            "\"head\":",
            "\"length\":4294967295",
            "0",
            "-1",
            "1e999",
            "18446744073709551615",
            "null",
            "[]",
            "{}",
            "\"a-root\"",
            "\"a-fork\"",
            "\"a-s0\"",
            "\"streaming\"",
            "\"deleted\":1",
            "\"edits\":",
            "\"savepoints\":",
            "\u{feff}",
        ],
        check: |input| {
            let text = text(input);
            let as_it_is = read_archive(&text);
            // Without a true checksum all of them are refused alike.
            let kind = if input.len() % 2 == 0 { "storyline" } else { "library" };
            let lines = text.lines().skip(1).filter(|line| !line.starts_with("{\"end\""));
            // With a true checksum.
            let sealed = crate::exchange::archive::samples::forge(kind, lines);
            let read = read_archive(&sealed);
            let taken = match damaged::taken(&sealed) {
                Ok(mended) => format!("{mended:?}"),
                Err(Refusal::Record(damage)) => {
                    assert!(damage.place.line > 0, "{damage}");
                    format!("{:?} {}", damage.place.part, variant(&damage.flaw))
                }
                Err(refusal) => variant(&refusal),
            };
            format!("{as_it_is} {read} {taken}")
        },
    });
}

fn read_archive(text: &str) -> String {
    let read = |pieces: Vec<&[u8]>| -> Result<Vec<Entry>, Refusal> {
        let mut reader = Reader::new(Limits::default());
        let mut entries = Vec::new();
        for piece in pieces {
            entries.extend(reader.push(piece)?);
        }
        reader.finish().map(|_| entries)
    };
    let whole = read(vec![text.as_bytes()]);
    let cuts = cuts(text.as_bytes());
    assert_eq!(read(cuts.windows(2).map(|pair| &text.as_bytes()[pair[0]..pair[1]]).collect()), whole, "in pieces");
    match whole {
        Ok(entries) => entries.iter().map(|entry| entry.part.name()).collect::<BTreeSet<_>>().len().to_string(),
        Err(refusal) => variant(&refusal),
    }
}

// ------------------------------------------------------------------------------------------------ cards

/// What is read can be written, and is read again as the same; of a picture no more than its head is believed.
#[test]
fn card() {
    run(&Target {
        name: "card",
        words: &[
            "\"spec\":\"chara_card_v2\"",
            "\"spec\":\"chara_card_v3\"",
            "\"data\":{",
            "\"name\":",
            "\"extensions\":",
            "\"fabula\":",
            "\"initial_profile\":",
            "\"avatar\":\"data:image/png;base64,\"",
            "\"tags\":",
            "\"alternate_greetings\":",
            "\"character_book\":",
            "null",
            "[]",
            "{}",
            "1e999",
            "\"\\u202e\"",
            "\u{feff}",
            "\u{1}PNG",
            "IHDR",
            "tEXt",
            "IEND",
            "GIF89a",
            "RIFF",
            "WEBPVP8X",
            "\u{0}\u{0}\u{0}\u{0}",
        ],
        check: |input| {
            let head = picture::look(input);
            if let Ok(head) = &head {
                assert!(head.width > 0 && head.height > 0, "{head:?}");
                assert!(u64::from(head.width) * u64::from(head.height) <= 40_000_000, "{head:?}");
            }
            let text = text(input);
            sniff::sniff(input);
            let character = character::read(&text).map(|(read, warnings)| {
                let avatar = read.avatar.as_ref().map(|(kind, bytes)| (kind.as_str(), bytes.as_slice()));
                let written = character::tests::write(&read.character, avatar);
                let (again, _) = character::read(&written).expect("what we write we read");
                let now = |mut character: crate::story::character::Character| {
                    character.imported = None;
                    character
                };
                assert_eq!(now(again.character), now(read.character), "{written}");
                assert_eq!(again.avatar, read.avatar);
                warnings.iter().map(variant).collect::<BTreeSet<_>>()
            });
            let background = background::read(&text).map(|(read, warnings)| {
                let (again, _) = background::read(&background::write(&read)).expect("what we write we read");
                assert_eq!(
                    (&again.name, &again.world_setting, &again.story_outline),
                    (&read.name, &read.world_setting, &read.story_outline)
                );
                warnings.iter().map(variant).collect::<BTreeSet<_>>()
            });
            let preset = preset::read(&text).map(|(read, warnings)| {
                let (again, _) = preset::read(&preset::write(&read)).expect("what we write we read");
                assert_eq!(again.blocks, read.blocks);
                warnings.iter().map(variant).collect::<BTreeSet<_>>()
            });
            let ways = [character, background, preset].map(|read| read.map_err(|refusal| variant(&refusal)));
            format!("{} {ways:?}", head.map_or_else(|fault| variant(&fault), |head| head.kind.to_owned()))
        },
    });
}
