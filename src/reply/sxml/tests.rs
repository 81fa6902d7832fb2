use proptest::prelude::*;

use super::*;

fn tokens<'a>(pieces: impl IntoIterator<Item = &'a str>) -> Vec<Token> {
    let (mut tokenizer, mut all) = (Tokenizer::default(), Vec::new());
    for piece in pieces {
        tokenizer.push(piece, &mut all);
    }
    tokenizer.finish(&mut all);
    let mut out: Vec<Token> = Vec::new();
    for token in all {
        match out.last_mut() {
            Some(last) if last.kind == TokenKind::Text && token.kind == TokenKind::Text => {
                assert_eq!(last.raw.end, token.raw.start);
                last.raw.end = token.raw.end;
            }
            _ => out.push(token),
        }
    }
    out
}

/// `(name key=value)` for open tags, `/name` for closed ones, `/name!` for those closed by themselves, `--` for a comment.
fn show(text: &str, tokens: &[Token]) -> String {
    let one = |token: &Token| match &token.kind {
        TokenKind::Open { tag, attributes, slash } => {
            let attributes: String = attributes.iter().map(|(key, value)| format!(" {key}={value}")).collect();
            format!("({}{attributes}{})", tag.name(), if *slash { "/" } else { "" })
        }
        TokenKind::Close { tag, auto } => format!("/{}{}", tag.name(), if *auto { "!" } else { "" }),
        TokenKind::Comment => "--".into(),
        TokenKind::Text => text[token.raw.clone()].trim().to_owned(),
    };
    tokens.iter().map(one).filter(|shown| !shown.is_empty()).collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn check(text: &str, want: &str) {
    let whole = tokens([text]);
    assert_eq!(show(text, &whole), want, "{text}");
    let borders: Vec<usize> = (0..=text.len()).filter(|&at| text.is_char_boundary(at)).collect();
    assert_eq!(tokens(borders.windows(2).map(|pair| &text[pair[0]..pair[1]])), whole, "by character");
    for &at in &borders {
        assert_eq!(tokens([&text[..at], &text[at..]]), whole, "cut at {at}");
    }
}

#[test]
fn the_example_of_the_seed() {
    check(
        "<root>\n <!-- 思维链 (可选) -->\n <thought>\n 分析\n </thought>\n <state_update>\n <set key=\"hp\" value=\"90\"></set>\n \
         <add key=\"gold\" value=\"10\"></add>\n </state_update>\n <reply>\n 你挥舞长剑！\n </reply>\n</root>",
        "(root) -- (thought) 分析 /thought (state_update) (set key=hp value=90) /set (add key=gold value=10) /add \
         /state_update (reply) 你挥舞长剑！ /reply /root",
    );
}

#[test]
fn what_is_no_tag_is_text() {
    for text in [
        "1 < 2",
        "<3",
        "a<b and c>d",
        "I <3 you < 4 > 1",
        "<b>bold</b> <i class=\"x\">",
        "&lt;reply&gt;",
        "<replying>",
        "<rep",
        "<reply",
        "</",
        "< root and b > c",
        "<set of rules>",
        "a <\n reply>",
        "【系统】【任务】【回复】",
        "<!-- never closed",
        "<set key=\"never closed> and so on",
        "<>",
        "</>",
        "<＜",
        "《reply》",
    ] {
        check(text, text);
    }
}

#[test]
fn slips_are_forgiven() {
    check("<Reply>a</REPLY>", "(reply) a /reply");
    check("< reply >a</ reply >", "(reply) a /reply");
    check("＜narrative＞雪停了。＜／narrative＞", "(narrative) 雪停了。 /narrative");
    check("＜narrative>a</narrative＞", "(narrative) a /narrative");
    check("【narrative】a【/narrative】", "(narrative) a /narrative");
    check("<state-update>a</state update>", "(state_update) a /state_update");
    check("<StateUpdateJSON>{}</state_update json>", "(state_update_json) {} /state_update_json");
    check("<state\\_update\\_json>", "(state_update_json) /state_update_json!");
    check("<thinking>a</think>", "(thought) a /thought");
    check("<思考>a</思考><回复>b</回复>", "(thought) a /thought (reply) b /reply");
    check("<reply type=\"final\">a</reply>", "(reply type=final) a /reply");
    check("<<reply>>a<</reply>", "< (reply) >a< /reply");
    check("<set key=<set key='a' value='b'>", "<set key= (set key=a value=b) /set!");
}

#[test]
fn attributes_are_read_as_written() {
    check("<set key='hp' value='90'></set>", "(set key=hp value=90) /set");
    check("<set key=hp value=90></set>", "(set key=hp value=90) /set");
    check("<set KEY = \"hp\"  value= \"1 < 2 > 0\" >", "(set key=hp value=1 < 2 > 0) /set!");
    check("<set key=“地点” value=“北门”></set>", "(set key=地点 value=北门) /set");
    check("<set key＝\"hp\"，value＝\"90\"＞", "(set key=hp value=90) /set!");
    check("<set key=\"hp\" value=\"90\"/>", "(set key=hp value=90/)");
    check("<set key=hp value=90/>", "(set key=hp value=90/)");
    check("<reply/>", "(reply/)");
}

#[test]
fn what_is_open_closes_at_the_end() {
    check("<root><reply>a", "(root) (reply) a /reply! /root!");
    check("<root><reply>a</root>", "(root) (reply) a /reply! /root");
    check("<thought>a<reply>b</thought>c", "(thought) a (reply) b /reply! /thought c");
    check("a</reply>b", "a /reply b");
}

#[test]
fn hostile_texts_end_soon() {
    for piece in [
        "<",
        "< ",
        "＜",
        "【",
        "<root>",
        "</root>",
        "<root></reply>",
        "<set k=“",
        "<set k='",
        "<set a='<set b=\"",
        "<!--",
        "<!-",
        "<state ",
        "<reply a=",
        "<set key=\"a\" ",
    ] {
        let text = piece.repeat(100_000 / piece.len());
        let all = tokens([text.as_str()]);
        assert_eq!(all.iter().map(|token| token.raw.len()).sum::<usize>(), text.len());
    }
    let text = "<".repeat(100_000);
    assert_eq!(tokens((0..text.len()).map(|at| &text[at..=at])).len(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn every_way_of_cutting_gives_the_same(
        pieces in prop::collection::vec(prop::sample::select(vec![
            "<", "</", ">", "reply", "set", " ", "key", "=", "\"", "“", "a", "＜", "＞", "/", "<reply>", "</reply>", "<!--", "-->",
            "<set key=\"a\"", "【", "】", "<thought>", "state_update", "json", "\n", "雪",
        ]), 0..30),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let text = pieces.concat();
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).filter(|at| text.is_char_boundary(*at)).collect();
        cuts.extend([0, text.len()]);
        cuts.sort_unstable();
        let whole = tokens([text.as_str()]);
        prop_assert_eq!(tokens(cuts.windows(2).map(|pair| &text[pair[0]..pair[1]])), whole.clone());
        let mut at = 0;
        for token in &whole {
            prop_assert_eq!(token.raw.start, at);
            at = token.raw.end;
        }
        prop_assert_eq!(at, text.len());
    }
}
