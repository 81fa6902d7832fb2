use std::fmt::Write;

use proptest::prelude::*;

use super::*;

/// One line per tree: `p(…)`, `say(…)`, `em(…)` and so on.
fn show(blocks: &[Block]) -> String {
    blocks.iter().map(block).collect::<Vec<_>>().join(" ")
}

fn block(block: &Block) -> String {
    match block {
        Block::Paragraph(children) => format!("p({})", inlines(children)),
        Block::Heading(level, children) => format!("h{level}({})", inlines(children)),
        Block::Quote(children) => format!("quote({})", show(children)),
        Block::List { ordered, items } => {
            let items = items.iter().map(|item| format!("[{}]", show(item))).collect::<String>();
            format!("list{}{items}", ordered.map(|n| n.to_string()).unwrap_or_default())
        }
        Block::Code { language, text } => format!("code:{language}({text:?})"),
        Block::Table { head, rows } => {
            let row = |row: &Vec<Vec<Inline>>| row.iter().map(|cell| inlines(cell)).collect::<Vec<_>>().join("|");
            format!("table({} / {})", row(head), rows.iter().map(row).collect::<Vec<_>>().join(" / "))
        }
        Block::Source { text, cells } => format!("source:{cells}({text:?})"),
        Block::Rule => "rule".into(),
    }
}

fn inlines(children: &[Inline]) -> String {
    children.iter().fold(String::new(), |mut out, inline| {
        let _ = match inline {
            Inline::Text(text) => write!(out, "{text}"),
            Inline::Speech(children) => write!(out, "say({})", inlines(children)),
            Inline::Emphasis(children) => write!(out, "em({})", inlines(children)),
            Inline::Strong(children) => write!(out, "strong({})", inlines(children)),
            Inline::Strike(children) => write!(out, "strike({})", inlines(children)),
            Inline::Code(text) => write!(out, "code({text})"),
            Inline::Link { url, children } => write!(out, "link({url}: {})", inlines(children)),
            Inline::Image { url, alt } => write!(out, "image({url}: {alt})"),
            Inline::Marker(text) => write!(out, "mark({text})"),
            Inline::Break => write!(out, "⏎"),
        };
        out
    })
}

fn check(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(show(&parse(text)), *expected, "{text:?}");
    }
}

#[test]
fn blocks_of_every_kind() {
    check(&[
        ("", ""),
        ("\n \n", ""),
        ("a\nb\n\nc", "p(a⏎b) p(c)"),
        ("a  \nb\\\nc", "p(a⏎b⏎c)"),
        ("# One\n### Three ###\ntext", "h1(One) h3(Three) p(text)"),
        ("Title\n===\n\nmore", "h1(Title) p(more)"),
        ("> a\n> b\n>\n> c\n\nd", "quote(p(a⏎b) p(c)) p(d)"),
        ("- a\n- b\n  - c\n\nd", "list[p(a)][p(b) list[p(c)]] p(d)"),
        ("7. a\n\n8. b\n\nc", "list7[p(a)][p(b)] p(c)"),
        ("- a\n\n  b\n\n- c", "list[p(a) p(b)][p(c)]"),
        ("```rust\nfn a()\n\nlet *b*\n```\n\nc", "code:rust(\"fn a()\\n\\nlet *b*\\n\") p(c)"),
        ("```她说\n走吧\n```", "code:(\"她说\\n走吧\\n\")"),
        ("```She said go\nnow", "code:(\"She said go\\nnow\")"),
        ("```\nopen\n\nstill", "code:(\"open\\n\\nstill\")"),
        ("    one\n\n    two\n\nc", "code:(\"one\\n\\ntwo\\n\") p(c)"),
        ("a | b\n--|--\n1 | *2*\n\nc", "table(a|b / 1|em(2)) p(c)"),
        ("a\n\n***\n\nb", "p(a) rule p(b)"),
        ("　　他没有说话。\n\n　　灯灭了。", "p(　　他没有说话。) p(　　灯灭了。)"),
    ]);
}

#[test]
fn inlines_of_every_kind() {
    check(&[
        ("*He turns.* **No.** ~~gone~~ `let`", "p(em(He turns.) strong(No.) strike(gone) code(let))"),
        ("***both***", "p(em(strong(both)))"),
        ("好呀~ 来嘛~", "p(好呀~ 来嘛~)"),
        ("好呀~来嘛~好", "p(好呀~来嘛~好)"),
        ("*“你好。”*她说。", "p(say(em(“你好。”))她说。)"),
        ("她笑*（轻声）*道。", "p(她笑em(（轻声）)道。)"),
        ("*转身。*“走吧。”*他说*完", "p(em(转身。)say(“走吧。”)em(他说)完)"),
        ("snake_case_name and 2*3*4", "p(snake_case_name and 2em(3)4)"),
        (
            "[a](https://x.org/a_b_c \"t\") <https://y.org> <m@x.org>",
            "p(link(https://x.org/a_b_c: a) link(https://y.org: https://y.org) link(mailto:m@x.org: m@x.org))",
        ),
        ("![a *map*](https://x.org/m.png)", "p(image(https://x.org/m.png: a map))"),
        ("AT&amp;T &copy; \\*kept\\*", "p(AT&T © *kept*)"),
        ("[a]: http://b.org\n\n[a]", "p([a]: http://b.org) p([a])"),
        ("[a]: b\n[a]: c\n===", "h1([a]: b⏎[a]: c)"),
        ("`[a]: b`\n\n    [c]: d", "p(code([a]: b)) code:(\"[c]: d\")"),
        ("等。[PROGRESS:3:in_progress]", "p(等。mark([PROGRESS:3:in_progress]))"),
        ("“等。[progress:3:completed]", "p(say(“等。)mark([progress:3:completed]))"),
        ("[PROGRESS:3 [PROGRESS:4:pending][PROGRESS:", "p([PROGRESS:3 mark([PROGRESS:4:pending])[PROGRESS:)"),
    ]);
}

#[test]
fn speech_in_every_kind_of_quotes() {
    check(&[
        ("“Go,” she said. “Now.”", "p(say(“Go,”) she said. say(“Now.”))"),
        ("He said \"no\" twice.", "p(He said say(\"no\") twice.)"),
        ("他说\"不\"，又说「好」，『行』，«oui».", "p(他说say(\"不\")，又说say(「好」)，say(『行』)，say(«oui»).)"),
        ("「他叫我『先生』呢」他笑", "p(say(「他叫我『先生』呢」)他笑)"),
        ("“I *do* mean **it**,” he said", "p(say(“I em(do) mean strong(it),”) he said)"),
        ("*“Hush,” she breathes.*", "p(em(say(“Hush,”) she breathes.))"),
        ("*He said “stop* right there” and", "p(em(He said say(“stop))say( right there”) and)"),
        ("“one\ntwo” three", "p(say(“one⏎two”) three)"),
        ("don't, the '90s, rock ’n’ roll, 5\" and 6\"", "p(don't, the '90s, rock ’n’ roll, 5\" and 6\")"),
        ("“Not yet", "p(say(“Not yet))"),
        ("she: \"Not yet", "p(she: say(\"Not yet))"),
        ("she: \"Not yet\n", "p(she: say(\"Not yet))"),
        ("she: \"Not yet\n\n", "p(she: \"Not yet)"),
        ("a \"b\n\nc \"d", "p(a \"b) p(c say(\"d))"),
        (
            "“First paragraph of a speech.\n\n“Second.” Done.",
            "p(say(“First paragraph of a speech.)) p(say(“Second.”) Done.)",
        ),
        ("# “T”\n\n- “a” b\n- \"c", "h1(say(“T”)) list[p(say(“a”) b)][p(say(\"c))]"),
        ("`\"a` \"b\"", "p(code(\"a) say(\"b\"))"),
        ("<b class=\"x\">\"y\"</b>", "p(<b class=\"x\">say(\"y\")</b>)"),
    ]);
}

#[test]
fn foreign_text_is_never_code() {
    check(&[
        ("<script>alert(1)</script>", "p(<script>alert(1)</script>)"),
        ("<script>\nalert(1)\n\n</script>\n\nb", "p(<script>⏎alert(1)) p(</script>) p(b)"),
        ("a <img src=x onerror=\"alert('*1*')\"> *b*", "p(a <img src=x onerror=\"alert('*1*')\"> em(b))"),
        ("<div>\n*soft*\n</div>", "p(<div>⏎em(soft)⏎</div>)"),
        ("<!-- a\n\nb --> c", "p(<!-- a) p(b --> c)"),
        ("a <!-- b\nc --> d", "p(a <!-- b⏎c --> d)"),
        ("<thought>“Hm.”</thought>", "p(<thought>say(“Hm.”)</thought>)"),
        ("> <style>a</style>\n\n- <iframe src=x>", "quote(p(<style>a</style>)) list[p(<iframe src=x>)]"),
        ("[a](javascript:alert(1))", "p([a](javascript:alert(1)))"),
        ("[a](JaVaScRiPt:alert(1))", "p([a](JaVaScRiPt:alert(1)))"),
        ("[a](<java\tscript:alert(1)>)", "p([a](<java\tscript:alert(1)>))"),
        ("[a](&#106;avascript&colon;alert(1))", "p([a](&#106;avascript&colon;alert(1)))"),
        ("[a](\\javascript:1)", "p([a](\\javascript:1))"),
        ("[a](<  javascript:1>)", "p([a](<  javascript:1>))"),
        ("[a](data:text/html;base64,PHM+)", "p([a](data:text/html;base64,PHM+))"),
        (
            "[a](vbscript:x) [b](file:///etc) [c](//x.org) [d](#e)",
            "p([a](vbscript:x) [b](file:///etc) [c](//x.org) [d](#e))",
        ),
        ("<javascript:alert(1)>", "p(<javascript:alert(1)>)"),
        ("![a](data:image/svg+xml,x) ![b](javascript:c)", "p(![a](data:image/svg+xml,x) ![b](javascript:c))"),
        ("![a](blob:https://x.org/1)", "p(![a](blob:https://x.org/1))"),
        ("[![a](https://x.org/p.png)](javascript:b)", "p([![a](https://x.org/p.png)](javascript:b))"),
        ("[a](https://x&#9;.org)", "p([a](https://x&#9;.org))"),
        ("[a](HTTPS://x.org)", "p(link(HTTPS://x.org: a))"),
        ("a\n\n[b]: javascript:c\n\n[b]", "p(a) p([b]: javascript:c) p([b])"),
    ]);
}

#[test]
fn deep_and_odd_texts_end_soon() {
    let deep = "> ".repeat(40) + "*end*";
    let shown = show(&parse(&deep));
    assert!(shown.contains("quote(p(> > > > > > > > *end*))"), "{shown}");
    assert_eq!(depth(&parse(&("- ".repeat(200) + "end"))), DEEPEST);
    for piece in [
        "*a ",
        "**a *b ",
        "> ",
        "- ",
        "[",
        "![",
        "](",
        "<",
        "`a",
        "``` ",
        "~a ",
        "\"",
        "“",
        "a\n\n",
        "*a_ ",
        "[a]: b\n",
        "|",
        "a|b\n-|-\n",
        "[PROGRESS:1]",
        "<!--",
        "<?",
        "<a ",
        "&",
        "\\",
        "1. ",
        "\t",
        "[a](",
        "*“你”*他",
    ] {
        let text = piece.repeat(100_000 / piece.len());
        assert!(depth(&parse(&text)) <= DEEPEST, "{piece:?}");
    }
}

/// Lists count twice: as a list and as an item.
const DEEPEST: usize = 32;

fn depth(blocks: &[Block]) -> usize {
    let of = |block: &Block| match block {
        Block::Quote(children) => 1 + depth(children),
        Block::List { items, .. } => 1 + items.iter().map(|item| depth(item)).max().unwrap_or(0),
        _ => 0,
    };
    blocks.iter().map(of).max().unwrap_or(0)
}

const STORY: &str = "\
*The lamp gutters.* “You came back,” she says.\n\nHe shrugs:\n\n- a coat\n- a *wet* hat\n\n  and what was in it\n\n---\n\n\
> “Read it,” she said.\n\n1. once\n\n2. twice\n\n```\nlet a;\n\nlet b;\n```\n\n<p>raw</p>\n\nTitle\n===\n\n\
| a | b |\n|---|---|\n| 1 | \"2\" |\n\n“她没有说话。\n\n「再等等。」他说[PROGRESS:2:completed]\n\n[a]: b\n\n*“走。”*她说";

/// Feeds `text` in the given pieces, and holds every step against a parse from scratch.
fn grow(text: &str, mut step: impl FnMut() -> usize) -> Result<(), TestCaseError> {
    let mut document = Document::default();
    let mut end = 0;
    while end < text.len() {
        end = (end + step().max(1)).min(text.len());
        while !text.is_char_boundary(end) {
            end += 1;
        }
        let before = document.blocks().to_vec();
        let change = document.update(&text[..end]);
        prop_assert_eq!(document.blocks(), parse(&text[..end]));
        prop_assert!(change.frozen <= before.len());
        prop_assert_eq!(&document.blocks()[..change.frozen], &before[..change.frozen]);
    }
    Ok(())
}

#[test]
fn a_growing_text_reads_as_the_whole_does() {
    grow(STORY, || 1).unwrap();
    assert_eq!(parse(STORY), tree::blocks(STORY, true));
}

#[test]
fn an_edit_starts_afresh() {
    let mut document = Document::default();
    document.update("one\n\ntwo\n\nthree");
    assert_eq!(document.update("one\n\ntwo!"), Change { frozen: 1 });
    assert_eq!(show(document.blocks()), "p(one) p(two!)");
    assert_eq!(document.update("one\n\ntwo!"), Change { frozen: 2 });
    assert_eq!(document.update(""), Change { frozen: 0 });
}

#[test]
fn a_long_reply_is_read_a_few_times_not_a_thousand() {
    let paragraph = "“You came back,” she says, and *turns the lamp down* until the room is a ring of amber.";
    let reply = [paragraph; 96].chunks(3).map(|lines| lines.join(" ")).collect::<Vec<_>>().join("\n\n");
    assert!(reply.len() > 8_000);
    let mut document = Document::default();
    let updates = 2_000;
    for update in 1..=updates {
        let mut end = reply.len() * update / updates;
        while !reply.is_char_boundary(end) {
            end += 1;
        }
        document.update(&reply[..end]);
    }
    assert_eq!(document.blocks(), parse(&reply));
    let longest = reply.split("\n\n").map(str::len).max().unwrap() + 2;
    println!("{} bytes parsed for {} in {updates} updates", document.parsed(), reply.len());
    assert!(
        document.parsed() <= updates * longest / 2 + 2 * reply.len(),
        "each update reads what is open of one paragraph"
    );
    assert!(document.parsed() < reply.len() * updates / 2 / 10, "a tenth of reading all again");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn any_growing_text_reads_as_the_whole_does(text in markdown(40), steps in prop::collection::vec(1usize..12, 1..8)) {
        let mut steps = steps.into_iter().cycle();
        grow(&text, || steps.next().unwrap())?;
    }

    /// Cutting into segments does not change the meaning.
    #[test]
    fn segments_read_alone_as_together(text in markdown(14)) {
        let growing = text[text.trim_end().len()..].matches('\n').count() < 2;
        prop_assert_eq!(show(&parse(&text)), show(&tree::blocks(&text, growing)), "{:?}", text);
    }

    /// Whatever is written, it is there to read: every letter and digit, in order.
    #[test]
    fn no_word_is_dropped(text in "[a-z0-9\"“”「」 \n*_~<>\\[\\]:!#|.。你-]{0,80}") {
        let words = |text: &str| text.chars().filter(|c| c.is_alphabetic()).collect::<String>();
        let mut shown = String::new();
        collect(&parse(&text), &mut shown);
        prop_assert_eq!(words(&shown), words(&text), "{:?}", text);
    }
}

fn markdown(pieces: usize) -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "\n",
        "\n",
        "\n\n",
        "\n\n",
        "\n\n",
        "a",
        "word ",
        "word",
        "他说",
        "。",
        "“",
        "”",
        "\"",
        "「",
        "」",
        "*",
        "**",
        "_",
        "~",
        "~~",
        "`",
        "```",
        "\n```\n",
        "~~~",
        "- ",
        "\n- ",
        "\n1. ",
        "\n2) ",
        "  ",
        "    ",
        "\t",
        "> ",
        "\n> ",
        "#",
        "\n# ",
        "---",
        "\n===\n",
        "|",
        "\n|-|-|\n",
        "<b>",
        "</b>",
        "<!--",
        "\n<div>",
        "[a]",
        "](",
        "https://x.org",
        ")",
        "]: ",
        "\n[a]: b\n",
        "[PROGRESS:1:completed]",
        "\\",
        "&amp;",
        "\r\n",
        "　",
        "![",
    ]);
    prop::collection::vec(piece, 0..pieces).prop_map(|pieces| pieces.concat())
}

fn collect(blocks: &[Block], out: &mut String) {
    for block in blocks {
        match block {
            Block::Paragraph(children) | Block::Heading(_, children) => collect_inlines(children, out),
            Block::Quote(children) => collect(children, out),
            Block::List { items, .. } => items.iter().for_each(|item| collect(item, out)),
            Block::Code { language, text } => out.extend([language.as_str(), text]),
            Block::Table { head, rows } => {
                head.iter().chain(rows.iter().flatten()).for_each(|cell| collect_inlines(cell, out))
            }
            Block::Source { text, .. } => out.push_str(text),
            Block::Rule => {}
        }
    }
}

fn collect_inlines(children: &[Inline], out: &mut String) {
    for inline in children {
        match inline {
            Inline::Text(text) | Inline::Code(text) | Inline::Marker(text) => out.push_str(text),
            Inline::Speech(children)
            | Inline::Emphasis(children)
            | Inline::Strong(children)
            | Inline::Strike(children) => {
                collect_inlines(children, out);
            }
            Inline::Link { url, children } => {
                collect_inlines(children, out);
                out.push_str(url);
            }
            Inline::Image { url, alt } => out.extend([alt.as_str(), url]),
            Inline::Break => out.push('\n'),
        }
    }
}

fn cells(blocks: &[Block]) -> usize {
    let of = |block: &Block| match block {
        Block::Table { head, rows } => head.len() + rows.iter().map(Vec::len).sum::<usize>(),
        _ => 0,
    };
    blocks.iter().map(of).sum()
}

/// A row has the cells that are written, not those of the longest one.
#[test]
fn a_small_text_makes_no_huge_table() {
    let wide = |columns: usize, rows: usize| {
        let head = format!("{}\n{}\n", "|a".repeat(columns), "|-".repeat(columns));
        head + &"|b\n".repeat(rows)
    };
    let text = wide(512, 512);
    assert!(text.len() < 4_000);
    assert_eq!(cells(&parse(&text)), 512 + 512);
    assert_eq!(show(&parse("a|b|c\n-|-|-\n1\n|2||\n||3")), "table(a|b|c / 1 / 2 / |3)");
    assert_eq!(
        show(&parse("|a|b|\n|-|-|\n|1|2||*3*| 4 |\n|5|6|7\n")),
        "table(a|b / 1|2||*3*|4 / 5|6|7)",
        "and all of those"
    );

    let large = wide(100, 0) + &vec!["|c".repeat(100); 61].join("\n");
    let blocks = parse(&large);
    assert_eq!(blocks, [Block::Source { text: large, cells: 6_200 }], "as written, every letter of it");
}

proptest! {
    #[test]
    fn no_text_makes_more_cells_than_it_has_letters(pieces in prop::collection::vec(prop::sample::select(&["|", "a", "-|-", "\n", "|\n", ":-:|"]), 0..200)) {
        let text = pieces.concat();
        prop_assert!(cells(&parse(&text)) <= text.len() + text.lines().count());
    }
}
