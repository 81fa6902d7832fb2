//! Replies: tags, JSON, Markdown.

use super::*;

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
