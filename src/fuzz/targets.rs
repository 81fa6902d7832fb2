//! What reads foreign bytes, and the rules that each holds.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Target, run};
use crate::{
    exchange::{
        archive::{Entry, Reader},
        background, character,
        limits::Limits,
        preset,
        refusal::Refusal,
        sniff,
    },
    provider::{Delta, StreamDecoder},
    reply::{
        markup::{self, Block, Document, Inline},
        parser::{self, PartKind, ReplyParser},
        repair::{Repair, repair},
        sxml::{Token, TokenKind, Tokenizer},
    },
    story::{connection::ProviderKind, picture},
    transfer::tests::damaged,
};

/// More would only take time.
const CUTS: usize = 40;

/// Where an input is cut, by what is in it: the same input is always cut alike.
fn cuts(input: &[u8]) -> Vec<usize> {
    let mut hash = 5381_usize;
    let mut cuts: Vec<usize> = input
        .iter()
        .enumerate()
        .filter_map(|(at, byte)| {
            hash = hash.wrapping_mul(33) ^ usize::from(*byte);
            hash.is_multiple_of(11).then_some(at)
        })
        .take(CUTS)
        .collect();
    cuts.extend([0, input.len()]);
    cuts.sort_unstable();
    cuts
}

fn pieces(text: &str) -> Vec<&str> {
    let mut cuts = cuts(text.as_bytes());
    cuts.retain(|at| text.is_char_boundary(*at));
    cuts.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect()
}

fn text(input: &[u8]) -> String {
    String::from_utf8_lossy(input).into_owned()
}

fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphabetic()).collect()
}

/// The name of a variant, without what it holds.
fn variant(value: &impl std::fmt::Debug) -> String {
    format!("{value:?}").split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_owned()
}

// ------------------------------------------------------------------------------------------------ archives

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
            let as_it_is = read_archive(&text(input));
            // Without a true checksum all of them are refused alike.
            let kind = if input.len() % 2 == 0 { "storyline" } else { "library" };
            let text = text(input);
            let lines = text.lines().skip(1).filter(|line| !line.starts_with("{\"end\""));
            let sealed = damaged::sealed(kind, lines);
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
                let written = character::write(&read.character, avatar);
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

// ------------------------------------------------------------------------------------------------ streams

fn stream(name: &'static str, kind: fn(&[u8]) -> String) {
    run(&Target {
        name,
        words: &[
            "data: ",
            "event: ",
            "\n\n",
            "\r\n\r\n",
            "\r",
            ": ping\n\n",
            "data: [DONE]\n\n",
            "id: 1\n",
            "retry: 1\n",
            "\u{feff}",
            "{\"choices\":[{\"delta\":{\"content\":\"雪\"}}]}",
            "\"finish_reason\":\"stop\"",
            "\"reasoning_content\":",
            "<think>",
            "</think>",
            "{\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"a\"}}",
            "{\"type\":\"message_stop\"}",
            "{\"error\":{\"message\":\"sk-fuzz-0123456789\"}}",
            "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"b\"}]}}]}",
            "\\ud83d",
            "\\ude00",
            "null",
            "[",
            "{",
            "}",
            "\"",
            "1e999",
            "<html>",
        ],
        check: kind,
    });
}

/// Any cutting of the bytes gives the same; no more is said than came; nothing comes after a fault; no fault has the key.
fn check_stream(kind: ProviderKind, input: &[u8]) -> String {
    const KEY: &str = "sk-fuzz-0123456789";
    let read = |pieces: Vec<&[u8]>| {
        let mut decoder = StreamDecoder::new(kind, Some("text/event-stream")).hiding(Some(KEY));
        let mut out: Vec<_> = pieces.into_iter().flat_map(|piece| decoder.push(piece)).collect();
        out.extend(decoder.finish());
        // A text may come in several pieces.
        let mut joined: Vec<Result<Delta, _>> = Vec::new();
        for delta in out {
            match (joined.last_mut(), &delta) {
                (Some(Ok(Delta::Text(last))), Ok(Delta::Text(more))) => last.push_str(more),
                (Some(Ok(Delta::Reasoning(last))), Ok(Delta::Reasoning(more))) => last.push_str(more),
                _ => joined.push(delta),
            }
        }
        joined
    };
    let whole = read(vec![input]);
    let cuts = cuts(input);
    assert_eq!(read(cuts.windows(2).map(|pair| &input[pair[0]..pair[1]]).collect()), whole, "in pieces");
    let said: usize = whole
        .iter()
        .flatten()
        .map(|delta| match delta {
            Delta::Text(text) | Delta::Reasoning(text) => text.len(),
            _ => 0,
        })
        .sum();
    // A broken byte becomes a mark of three.
    assert!(said <= 3 * input.len(), "{said} bytes out of {}", input.len());
    assert!(whole.len() <= input.len() + 2, "{} deltas out of {} bytes", whole.len(), input.len());
    assert!(whole.iter().filter(|delta| matches!(delta, Ok(Delta::Finish(_)))).count() <= 1);
    for (nth, delta) in whole.iter().enumerate() {
        if let Err(fault) = delta {
            assert_eq!(nth + 1, whole.len(), "something after {fault:?}");
            assert!(!fault.detail.contains(KEY), "{fault:?}");
        }
    }
    let kinds: BTreeSet<_> = whole
        .iter()
        .map(|delta| match delta {
            Ok(Delta::Finish(finish)) => format!("{finish:?}"),
            Ok(delta) => variant(delta),
            Err(fault) => format!("{:?}", fault.kind),
        })
        .collect();
    format!("{kinds:?}")
}

#[test]
fn stream_openai() {
    stream("stream_openai", |input| check_stream(ProviderKind::Openai, input));
}

#[test]
fn stream_anthropic() {
    stream("stream_anthropic", |input| check_stream(ProviderKind::Anthropic, input));
}

#[test]
fn stream_gemini() {
    stream("stream_gemini", |input| check_stream(ProviderKind::Gemini, input));
}

// ------------------------------------------------------------------------------------------------ replies

/// The tokens and the parts cover the text, in any cutting; what is outside of every tag is shown.
#[test]
fn sxml() {
    run(&Target {
        name: "sxml",
        words: &[
            "<root>",
            "</root>",
            "<thought>",
            "</thought>",
            "<narrative>",
            "</narrative>",
            "<reply>",
            "</reply>",
            "<reply/>",
            "<state_update>",
            "</state_update>",
            "<state_update_json>",
            "</state_update_json>",
            "<set key=\"a\" value=\"b\">",
            "</set>",
            "<add key='n'>",
            "＜thought＞",
            "【reply】",
            "<!--",
            "-->",
            "```json\n",
            "\n```\n",
            "[PROGRESS:3:completed]",
            "【进度：3：完成】",
            "{",
            "}",
            "\"",
            "雪停了。",
            "\n\n",
            "<",
            ">",
            "{\"growth_state\": {\"beliefs\": [\"x\"]}}",
        ],
        check: |input| {
            let text = text(input);
            let tokens = |pieces: Vec<&str>| {
                let (mut tokenizer, mut all) = (Tokenizer::default(), Vec::new());
                pieces.into_iter().for_each(|piece| tokenizer.push(piece, &mut all));
                tokenizer.finish(&mut all);
                all
            };
            let whole = joined(tokens(vec![&text]));
            assert_eq!(joined(tokens(pieces(&text))), whole, "in pieces");
            let end = whole.iter().fold(0, |at, token| {
                assert_eq!(token.raw.start, at);
                token.raw.end
            });
            assert_eq!(end, text.len());

            let reply = parser::parse(&text);
            parser::tests::covers(&text, &reply);
            let mut growing = ReplyParser::new();
            for piece in pieces(&text) {
                growing.push(piece);
            }
            assert_eq!(growing.finish(), reply, "in pieces");
            let shown = letters(&reply.shown(&text));
            for part in reply.parts.iter().filter(|part| part.kind == PartKind::Shown) {
                assert!(shown.contains(&letters(&text[part.text.clone()])), "{:?}", &text[part.text.clone()]);
            }
            let spoken = letters(&parser::spoken(&text));
            assert!(spoken.len() <= text.len());
            let kinds: BTreeSet<_> = whole.iter().map(|token| variant(&token.kind)).collect();
            let parts: BTreeSet<_> = reply.parts.iter().map(|part| format!("{:?}{}", part.kind, part.closed)).collect();
            let notices: BTreeSet<_> = reply.notices.iter().map(variant).collect();
            format!("{kinds:?} {parts:?} {notices:?} {} {}", reply.update.is_some(), reply.world.len().min(2))
        },
    });
}

fn joined(tokens: Vec<Token>) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::new();
    for token in tokens {
        match out.last_mut() {
            Some(last) if last.kind == TokenKind::Text && token.kind == TokenKind::Text => last.raw.end = token.raw.end,
            _ => out.push(token),
        }
    }
    out
}

/// What is read out of a text is valid, reads as itself, and holds no more than was written.
#[test]
fn json() {
    run(&Target {
        name: "json",
        words: &[
            "{",
            "}",
            "[",
            "]",
            "\"",
            "“",
            "”",
            "'",
            ":",
            "：",
            ",",
            "，",
            "\\",
            "\\u12",
            "\\ud83d",
            "//",
            "/*",
            "*/",
            "#",
            "...",
            "True",
            "None",
            "NaN",
            "```json\n",
            "\n```",
            "null",
            "-",
            "1e999",
            "0x1",
            "\n",
            "｛",
            "｝",
            "［",
            "］",
            "a: ",
            "\"a\": ",
        ],
        check: |input| {
            let text = text(input);
            match repair(&text) {
                Ok((value, repairs)) => {
                    let written = value.to_string();
                    assert_eq!(repair(&written), Ok((value.clone(), Vec::new())), "{written}");
                    assert!(nodes(&value) <= text.len() + 1, "{} nodes out of {} bytes", nodes(&value), text.len());
                    // A control character is written in six.
                    assert!(
                        written.len() <= 6 * text.len() + 2 * nodes(&value) * 4,
                        "{} bytes out of {}",
                        written.len(),
                        text.len()
                    );
                    let kinds: BTreeSet<Repair> = repairs.iter().copied().collect();
                    format!("{kinds:?} {}", nodes(&value).min(3))
                }
                Err(error) => variant(&error),
            }
        },
    });
}

fn nodes(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(nodes).sum(),
        Value::Object(fields) => fields.values().map(nodes).sum(),
        _ => 0,
    }
}

/// Any growing text reads as the whole does; every letter is there, and no text makes more of a page than its length.
#[test]
fn markdown() {
    run(&Target {
        name: "markdown",
        words: &[
            "\n\n",
            "\n",
            "\r\n",
            "# ",
            "> ",
            "- ",
            "1. ",
            "    ",
            "\t",
            "```\n",
            "~~~",
            "`",
            "*",
            "**",
            "_",
            "~~",
            "|",
            "|-|-|\n",
            "\n===\n",
            "---\n",
            "<b>",
            "<!--",
            "[a](https://x.org)",
            "![b](https://x.org/b.png)",
            "[a]: b\n",
            "](",
            "“",
            "”",
            "「",
            "」",
            "\"",
            "[PROGRESS:1:completed]",
            "\\",
            "&amp;",
            "&#35;",
            "他说",
            "word ",
            "\u{fdd0}",
            "\u{200d}",
            "https://x.org",
        ],
        check: |input| {
            let text = text(input);
            let mut whole = Document::default();
            whole.update(&text);
            assert!(whole.parsed() <= 2 * text.len(), "{} bytes read of {}", whole.parsed(), text.len());
            let mut growing = Document::default();
            let mut end = 0;
            for piece in pieces(&text) {
                end += piece.len();
                growing.update(&text[..end]);
            }
            assert_eq!(growing.blocks(), whole.blocks(), "in pieces");
            let mut page = Page::default();
            page.blocks(whole.blocks());
            assert!(page.nodes <= 2 * text.len() + 2, "{} nodes out of {} bytes", page.nodes, text.len());
            assert!(
                page.words.len() <= 4 * text.len() + 16,
                "{} bytes of words out of {}",
                page.words.len(),
                text.len()
            );
            // Titles of links are left out, and `&amp;` is read.
            if !text.contains(['&', '\0']) && !text.contains("](") {
                assert_eq!(letters(&page.words), letters(&text));
            }
            markup::parse(&parser::shown(&text));
            format!("{:?}", page.kinds)
        },
    });
}

/// What a page is made of.
#[derive(Default)]
struct Page {
    nodes: usize,
    words: String,
    kinds: BTreeSet<String>,
}

impl Page {
    fn blocks(&mut self, blocks: &[Block]) {
        for block in blocks {
            self.nodes += 1;
            self.kinds.insert(variant(block));
            match block {
                Block::Paragraph(children) | Block::Heading(_, children) => self.inlines(children),
                Block::Quote(children) => self.blocks(children),
                Block::List { items, .. } => items.iter().for_each(|item| {
                    self.nodes += 1;
                    self.blocks(item);
                }),
                Block::Code { language, text } => self.words.extend([language.as_str(), text]),
                Block::Table { head, rows } => {
                    self.nodes += rows.len();
                    for cell in head.iter().chain(rows.iter().flatten()) {
                        self.nodes += 1;
                        self.inlines(cell);
                    }
                }
                Block::Source { text, .. } => self.words.push_str(text),
                Block::Rule => {}
            }
        }
    }

    fn inlines(&mut self, children: &[Inline]) {
        for inline in children {
            self.nodes += 1;
            self.kinds.insert(variant(inline));
            match inline {
                Inline::Text(text) | Inline::Code(text) | Inline::Marker(text) => self.words.push_str(text),
                Inline::Speech(children)
                | Inline::Emphasis(children)
                | Inline::Strong(children)
                | Inline::Strike(children) => {
                    self.inlines(children);
                }
                Inline::Link { url, children } => {
                    let start = self.words.len();
                    self.inlines(children);
                    // Of one that is written without words the address is the words.
                    if !url.ends_with(&self.words[start..]) {
                        self.words.push_str(url);
                    }
                }
                Inline::Image { url, alt } => self.words.extend([alt.as_str(), url]),
                Inline::Break => self.words.push('\n'),
            }
        }
    }
}
