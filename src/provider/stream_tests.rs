use proptest::prelude::*;

use super::*;
use crate::provider::halves::escaped;

#[path = "end_tests.rs"]
mod ends;

/// Feeds the pieces and closes the body.
fn decode<'a>(kind: ProviderKind, pieces: impl IntoIterator<Item = &'a [u8]>) -> Out {
    let mut decoder = StreamDecoder::new(kind, Some("text/html")).hiding(Some("sk-0123456789"));
    let mut out: Out = pieces.into_iter().flat_map(|piece| decoder.push(piece)).collect();
    out.extend(decoder.finish());
    assert!(decoder.is_closed());
    assert_eq!(decoder.is_complete(), out.iter().any(|delta| matches!(delta, Ok(Delta::Finish(_)))));
    assert!(decoder.push(b"data: {}\n\n").is_empty() && decoder.finish().is_empty());
    out
}

/// An answer in one line: `model|reasoning|text|prompt+completion|end`.
fn summary(out: &Out) -> String {
    let (mut model, mut reasoning, mut text, mut usage, mut end) = <(String, String, String, Usage, String)>::default();
    for (at, delta) in out.iter().enumerate() {
        match delta {
            Ok(Delta::Model(name)) => model += name,
            Ok(Delta::Reasoning(part)) => reasoning += part,
            Ok(Delta::Text(part)) => text += part,
            Ok(Delta::WasThought) => reasoning += &std::mem::take(&mut text),
            Ok(Delta::Usage(counts)) => usage = *counts,
            Ok(Delta::Unread { events, excerpt }) => end += &format!("({events} unread: {excerpt})"),
            Ok(Delta::Finish(finish)) => end += &format!("{finish:?}"),
            Err(fault) => {
                assert_eq!(at, out.len() - 1, "a fault is the last: {out:?}");
                end += &fault.to_string();
            }
        }
    }
    format!("{model}|{reasoning}|{text}|{}+{}|{end}", usage.prompt_tokens, usage.completion_tokens)
}

/// An event with a piece of a reply (its text in JSON, without the quotes), as each protocol writes it.
fn said(kind: ProviderKind, text: &str) -> String {
    match kind {
        ProviderKind::Openai => format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n"),
        ProviderKind::Anthropic => format!(
            "event: content_block_delta\ndata: {{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{{\"type\":\"text_delta\",\"text\":\"{text}\"}}}}\n\n"
        ),
        ProviderKind::Gemini => {
            format!("data: {{\"candidates\":[{{\"content\":{{\"parts\":[{{\"text\":\"{text}\"}}]}}}}]}}\r\n\r\n")
        }
    }
}

/// The same with a thought.
fn thought(kind: ProviderKind, text: &str) -> String {
    let said = said(kind, text);
    match kind {
        ProviderKind::Openai => said.replace("content", "reasoning_content"),
        ProviderKind::Anthropic => said.replace("text_delta", "thinking_delta").replace("\"text\"", "\"thinking\""),
        ProviderKind::Gemini => said.replace("{\"text\"", "{\"thought\":true,\"text\""),
    }
}

/// How a reply ends well, with the protocol's own word for why.
fn end(kind: ProviderKind, why: &str) -> String {
    match kind {
        ProviderKind::Openai => {
            format!("data: {{\"choices\":[{{\"delta\":{{}},\"finish_reason\":\"{why}\"}}]}}\n\ndata: [DONE]\n\n")
        }
        ProviderKind::Anthropic => format!(
            "data: {{\"type\":\"message_delta\",\"delta\":{{\"stop_reason\":\"{why}\"}}}}\n\ndata: {{\"type\":\"message_stop\"}}\n\n"
        ),
        ProviderKind::Gemini => format!("data: {{\"candidates\":[{{\"finishReason\":\"{why}\"}}]}}\r\n\r\n"),
    }
}

fn good_end(kind: ProviderKind) -> String {
    let why = match kind {
        ProviderKind::Openai => "stop",
        ProviderKind::Anthropic => "end_turn",
        ProviderKind::Gemini => "STOP",
    };
    end(kind, why)
}

/// Events that no reader of JSON takes: a number beyond all, none, a nest too deep, half an event, half a character in a
/// name, words.
fn odd_events() -> Vec<String> {
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    let events = ["{\"n\":1e400}", "{\"n\":NaN}", &deep, "{\"choices\":[{\"del", "{\"\\ud83", "hello"];
    events.map(|event| format!("data: {event}\n\n")).to_vec()
}

/// The same deltas whole, byte by byte and for every cut in two.
#[track_caller]
fn check(kind: ProviderKind, body: &[u8], want: &str) {
    let whole = decode(kind, [body]);
    assert_eq!(summary(&whole), want);
    assert!(!format!("{whole:?}").contains('\u{FFFD}'));
    assert_eq!(decode(kind, body.chunks(1)), whole, "byte by byte");
    for at in 0..=body.len() {
        let (head, tail) = body.split_at(at);
        assert_eq!(decode(kind, [head, tail]), whole, "cut at {at}");
    }
}

macro_rules! fixtures {
    ($($kind:ident $name:literal $want:literal)*) => {
        const FIXTURES: &[(ProviderKind, &str, &[u8], &str)] =
            &[$((ProviderKind::$kind, $name, include_bytes!(concat!("fixtures/", $name, ".sse")), $want)),*];
    };
}

fixtures! {
    Openai "openai" "gpt-5-mini||雪停了。 “Café?” 🌨️\n\n<b>|812+17|Stop"
    Openai "deepseek" "deepseek-reasoner|她为什么回来？|她回来了。|40+12|Length"
    Openai "openrouter" "z-ai/glm-5|Hm.|Door open.|9+5|Stop"
    Openai "think" "qwen3:8b|她在等。|“你来了。”|0+0|Stop"
    Openai "mistral" "magistral-medium-2509|Un peu.|Oui, déjà.|3+6|Stop"
    Openai "koboldcpp" "koboldcpp/model||The fire.|0+0|Stop"
    Openai "openai_error" "x/y||She tur|0+0|ProviderDown: Provider disconnected"
    Openai "openai_cut" "gpt-5-mini||She |0+0|ConnectionLost: the reply ended without its end sign"
    Anthropic "anthropic" "claude-sonnet-5|The rain stops.|雨停了，<think>she</think> 🌧️.|1120+33|Stop"
    Anthropic "anthropic_cut" "claude-sonnet-5|The rain stops.|雨停了，|1120+2|ConnectionLost: the reply ended without its end sign"
    Anthropic "anthropic_error" "claude-sonnet-5|The rain stops.|雨停了，|1120+2|ProviderDown: Overloaded"
    Anthropic "anthropic_refusal" "claude-sonnet-5||雨停了，|1120+4|Filtered(\"refusal\")"
    Gemini "gemini" "gemini-3-flash|**Setting** the scene|灯还亮着。 ☔|50+37|Stop"
    Gemini "gemini_cut" "gemini-3-flash|**Setting** the scene|灯还亮着。 ☔|50+36|ConnectionLost: the reply ended without its end sign"
    Gemini "gemini_safety" "gemini-3-flash||灯|50+31|Filtered(\"SAFETY\")"
    Gemini "gemini_blocked" "gemini-3-flash|||50+0|Filtered: PROHIBITED_CONTENT"
    Gemini "gemini_error" "gemini-3-flash||灯|50+31|ProviderDown: The model is overloaded."
}

#[test]
fn recorded_streams_decode_in_any_cutting() {
    for (kind, name, body, want) in FIXTURES {
        println!("{name}");
        check(*kind, body, want);
    }
}

#[test]
fn line_ends_do_not_matter() {
    for (kind, _, body, want) in FIXTURES.iter().filter(|(_, name, ..)| !name.ends_with("_cut")) {
        let unix = std::str::from_utf8(body).unwrap().replace("\r\n", "\n");
        for end in ["\r", "\r\n"] {
            assert_eq!(summary(&decode(*kind, [unix.replace('\n', end).as_bytes()])), *want);
        }
        assert_eq!(summary(&decode(*kind, [format!("\u{FEFF}{unix}").as_bytes()])), *want);
    }
}

#[test]
fn a_reply_cut_anywhere_is_never_taken_as_whole() {
    let cut = |kind, body: &[u8], sign: &str| {
        let end = body.windows(sign.len()).rposition(|window| window == sign.as_bytes()).unwrap();
        for at in 1..end {
            let out = decode(kind, [&body[..at]]);
            assert!(matches!(out.last(), Some(Err(_))), "{kind:?} cut at {at}: {out:?}");
        }
    };
    cut(ProviderKind::Openai, include_bytes!("fixtures/openai.sse"), "\"stop\"");
    cut(ProviderKind::Anthropic, include_bytes!("fixtures/anthropic.sse"), "event: message_stop");
    cut(ProviderKind::Gemini, include_bytes!("fixtures/gemini.sse"), "\"STOP\"");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Texts cut anywhere, amid a character too, with odd events between the pieces: the words come whole, and what was
    /// passed over is counted. In all three protocols, in any cutting of the bytes.
    #[test]
    fn words_come_whole_however_they_are_cut(
        kind in prop::sample::select(ProviderKind::ALL.to_vec()),
        thoughts in "([ab雪é]|😀|🌨️|👩‍👩‍👧){0,8}",
        words in "[ab雪é😀](b|雪|😀|🌨️|👩‍👩‍👧){0,12}",
        length in 1..4usize,
        odd in prop::collection::vec((0..12usize, 0..6usize), 0..4),
        cuts in prop::collection::vec(0.0..1.0f64, 0..12),
    ) {
        let pieces = |text: &str, event: fn(ProviderKind, &str) -> String| {
            let units: Vec<u16> = text.encode_utf16().collect();
            units.chunks(length).map(|units| event(kind, &escaped(units))).collect::<Vec<_>>()
        };
        let mut events = pieces(&thoughts, thought);
        events.extend(pieces(&words, said));
        for (at, which) in &odd {
            events.insert(*at.min(&events.len()), odd_events()[*which].clone());
        }
        let body = events.concat() + &good_end(kind);
        let out = decode(kind, [body.as_bytes()]);
        let (mut read, mut unread) = ([String::new(), String::new()], 0);
        for delta in &out {
            match delta {
                Ok(Delta::Reasoning(text)) => read[0] += text,
                Ok(Delta::Text(text)) => read[1] += text,
                Ok(Delta::Unread { events, .. }) => unread += *events as usize,
                other => prop_assert_eq!(other, &Ok(Delta::Finish(Finish::Stop))),
            }
        }
        prop_assert_eq!(read, [thoughts, words]);
        prop_assert_eq!(unread, odd.len());
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| (cut * body.len() as f64) as usize).collect();
        cuts.extend([0, body.len()]);
        cuts.sort_unstable();
        prop_assert_eq!(decode(kind, cuts.windows(2).map(|pair| &body.as_bytes()[pair[0]..pair[1]])), out);
    }

    #[test]
    fn random_cuts_never_matter(index in 0..FIXTURES.len(), cuts in prop::collection::vec(0.0..1.0f64, 0..20)) {
        let (kind, _, body, _) = FIXTURES[index];
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| (cut * body.len() as f64) as usize).collect();
        cuts.extend([0, body.len()]);
        cuts.sort_unstable();
        let pieces: Vec<&[u8]> = cuts.windows(2).map(|pair| &body[pair[0]..pair[1]]).collect();
        prop_assert_eq!(decode(kind, pieces), decode(kind, [body]));
    }

    /// Whatever a server sends, there is an end, and no panic.
    #[test]
    fn any_bytes_come_to_an_end(
        start in "(data: |event: x\n|[{]|<|\u{FEFF}|)",
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        kind in prop::sample::select(ProviderKind::ALL.to_vec()),
    ) {
        let body = [start.as_bytes(), &bytes].concat();
        let out = decode(kind, [body.as_slice()]);
        prop_assert!(matches!(out.last(), Some(Err(_))));
        prop_assert_eq!(decode(kind, body.chunks(1)), out);
    }
}

#[test]
fn a_whole_answer_is_read_too() {
    use ProviderKind::*;
    check(
        Openai,
        " {\"model\":\"m\",\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"<think>Hm</think>Sí.\",\"reasoning_content\":null},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":2}}\n".as_bytes(),
        "m|Hm|Sí.|5+2|Stop",
    );
    check(
        Anthropic,
        r#"{"type":"message","model":"c","content":[{"type":"thinking","thinking":"Hm."},{"type":"text","text":"Yes."}],"stop_reason":"max_tokens","usage":{"input_tokens":4,"output_tokens":3}}"#.as_bytes(),
        "c|Hm.|Yes.|4+3|Length",
    );
    check(
        Gemini,
        br#"[{"candidates":[{"content":{"parts":[{"text":"Ye"}]}}]},
            {"candidates":[{"content":{"parts":[{"text":"s."}]},"finishReason":"STOP"}]}]"#,
        "||Yes.|0+0|Stop",
    );
    // One object a line.
    check(
        Openai,
        b"{\"choices\":[{\"delta\":{\"content\":\"Ye\"}}]}\n{\"choices\":[{\"delta\":{\"content\":\"s\"},\"finish_reason\":\"stop\"}]}",
        "||Yes|0+0|Stop",
    );
    check(
        Openai,
        br#"{"choices":[{"message":{"content":"Yes"#,
        "|||0+0|ConnectionLost: the reply ended without its end sign",
    );
}

#[test]
fn an_error_with_status_200_is_a_fault() {
    use ProviderKind::*;
    check(Openai, br#"{"error":"key sk-0123456789 refused"}"#, "|||0+0|ProviderDown: key ••• refused");
    check(Openai, br#"data: {"error":{"message":"Invalid API key","code":401}}"#, "|||0+0|WrongKey: Invalid API key");
    check(Gemini, br#"[{"error":{"code":429,"message":"Slow"}}]"#, "|||0+0|RateLimited: Slow");
    check(Anthropic, br#"{"type":"error","error":{"type":"api_error","message":"Oh"}}"#, "|||0+0|ProviderDown: Oh");
}

#[test]
fn what_is_not_the_protocol_is_said_to_be_so() {
    use ProviderKind::*;
    check(Openai, b"<!DOCTYPE html><title>Open WebUI</title>", "|||0+0|NotTheProtocol: text/html: Open WebUI");
    check(Openai, "\u{FEFF}\n <p>é".as_bytes(), "|||0+0|NotTheProtocol: text/html: é");
    check(Openai, b"Ollama is running", "|||0+0|NotTheProtocol: text/html: Ollama is running");
    check(Openai, b"dat", "|||0+0|NotTheProtocol: text/html: dat");
    check(Openai, b"data: hello\n\n", "|||0+0|NotTheProtocol: hello");
    check(Openai, b"{\"hello\":1}", "|||0+0|NotTheProtocol: {\"hello\":1}");
    check(Openai, b"{oh}", "|||0+0|NotTheProtocol: {oh}");
    check(Anthropic, b"data: {\"choices\":[]}\n\ndata: [DONE]\n\n", "|||0+0|NotTheProtocol: [DONE]");
    check(Gemini, b"event: ping\ndata: {\"type\":\"ping\"}\n\n", "|||0+0|NotTheProtocol: {\"type\":\"ping\"}");
    check(Openai, b"", "|||0+0|ConnectionLost: the reply ended without its end sign");
    check(Openai, b"\n\n: wait\n\n", "|||0+0|ConnectionLost: the reply ended without its end sign");
    let page = format!("<p>{}", "é".repeat(9000));
    let out = decode(Openai, [page.as_bytes()]);
    assert_eq!(decode(Openai, page.as_bytes().chunks(7)), out);
    assert_eq!(summary(&out), format!("|||0+0|NotTheProtocol: text/html: {}…", "é".repeat(errors::DETAIL - 1)));
    // The look at a page may end amid a character.
    let page = format!("<p title={}>{}", "a".repeat(EXCERPT - 15), "é".repeat(9000));
    check(Openai, &page.as_bytes()[..EXCERPT + 9], "|||0+0|NotTheProtocol: text/html: éé");
}

#[test]
fn odd_streams_are_read() {
    use ProviderKind::*;
    let a = r#"data: {"choices":[{"delta":{"content":"A"}}]}"#;
    let b = r#"data: {"choices":[{"delta":{"content":"B"},"finish_reason":"stop"}]}"#;
    // No blank lines; no finish reason; no [DONE]; noise after the end; a stray object among the others.
    check(Openai, format!("{a}\n{b}\ndata: [DONE]\n").as_bytes(), "||AB|0+0|Stop");
    check(Openai, format!("{a}\n\ndata: [DONE]\n\n").as_bytes(), "||A|0+0|Stop");
    check(Openai, format!("{a}\n\n{b}\n\n").as_bytes(), "||AB|0+0|Stop");
    check(Openai, format!("{b}\n\ndata: bye\n\ndata: {{\"error\":\"x\"}}\n\n").as_bytes(), "||B|0+0|Stop");
    check(Openai, format!("data: {{\"id\":1}}\n\n{b}\n\n").as_bytes(), "||B|0+0|Stop");
    check(Openai, br#"data: {"choices":[{"text":"C","finish_reason":"length"}]}"#, "||C|0+0|Length");
    // Together says each piece twice.
    check(
        Openai,
        br#"data: {"choices":[{"index":0,"text":"Hi","delta":{"role":"assistant","content":"Hi"},"finish_reason":"eos"}]}"#,
        "||Hi|0+0|Stop",
    );
    check(
        Openai,
        br#"data: {"choices":[{"delta":{"content":"<th"},"finish_reason":"tool_calls"}]}"#,
        "||<th|0+0|Calls",
    );
    check(
        Openai,
        b"data: {\"choices\":[{\"delta\":{\"content\":\"<think>a <\"}}]}\n\n",
        "|a <||0+0|ConnectionLost: the reply ended without its end sign",
    );
    check(
        Openai,
        br#"data: {"choices":[{"delta":{},"finish_reason":"content_filter"}]}"#,
        "|||0+0|Filtered(\"content_filter\")",
    );
    check(
        Openai,
        br#"data: {"choices":[{"delta":{"reasoning":"a","reasoning_content":"a"},"finish_reason":"stop"}],"x_groq":{"usage":{"prompt_tokens":1.0,"completion_tokens":2}}}"#,
        "|a||1+2|Stop",
    );
}

#[test]
fn an_odd_event_costs_itself_only() {
    for kind in ProviderKind::ALL {
        let (a, b, end) = (said(kind, "A"), said(kind, "B"), good_end(kind));
        for odd in odd_events() {
            let first = odd.trim_start_matches("data: ").trim_end();
            let excerpt = errors::excerpt(first, None);
            check(kind, format!("{a}{odd}{b}{end}").as_bytes(), &format!("||AB|0+0|(1 unread: {excerpt})Stop"));
            check(kind, format!("{odd}{odd}{a}{end}").as_bytes(), &format!("||A|0+0|(2 unread: {excerpt})Stop"));
            let lost = "ConnectionLost: the reply ended without its end sign";
            check(kind, format!("{a}{odd}{b}").as_bytes(), &format!("||AB|0+0|(1 unread: {excerpt}){lost}"));
            let fault = errors::not_the_protocol(first, None);
            check(kind, odd.repeat(3).as_bytes(), &format!("|||0+0|{fault}"));
        }
    }
    // An end sign alone makes no stream of them; the key is in none of the words that are kept.
    check(ProviderKind::Openai, b"data: NaN\n\ndata: [DONE]\n\n", "|||0+0|NotTheProtocol: NaN");
    let a = said(ProviderKind::Openai, "A");
    check(
        ProviderKind::Openai,
        format!("{a}data: {{sk-0123456789\n\ndata: [DONE]\n\n").as_bytes(),
        "||A|0+0|(1 unread: {•••)Stop",
    );
}

#[test]
fn halves_of_a_character_are_joined_or_told() {
    for kind in ProviderKind::ALL {
        let end = good_end(kind);
        let [high, low] = [r"a\ud83d", r"\ude00b"];
        check(kind, format!("{}{}{end}", said(kind, high), said(kind, low)).as_bytes(), "||a😀b|0+0|Stop");
        check(kind, format!("{}{}{end}", thought(kind, high), thought(kind, low)).as_bytes(), "|a😀b||0+0|Stop");
        // Each of the two texts has its own halves.
        let mixed = [thought(kind, high), said(kind, high), thought(kind, low), said(kind, low)].concat();
        check(kind, format!("{mixed}{end}").as_bytes(), "|a😀b|a😀b|0+0|Stop");
        let told = |body: &str, want: &str| assert_eq!(summary(&decode(kind, [body.as_bytes()])), want);
        told(&format!("{}{end}", said(kind, high)), "||a\u{FFFD}|0+0|Stop");
        told(&format!("{}{}{end}", said(kind, low), said(kind, high)), "||\u{FFFD}ba\u{FFFD}|0+0|Stop");
    }
    let whole = r#"{"choices":[{"message":{"content":"a\ud83d"},"finish_reason":"stop"}]}"#;
    assert_eq!(summary(&decode(ProviderKind::Openai, [whole.as_bytes()])), "||a\u{FFFD}|0+0|Stop");
}

#[test]
fn why_a_reply_ended() {
    use ProviderKind::*;
    let check = |kind, why, want| {
        let body = said(kind, "A") + &end(kind, why);
        assert_eq!(summary(&decode(kind, [body.as_bytes()])), format!("||A|0+0|{want}"));
    };
    for length in ["length", "max_tokens", "MAX_TOKENS", "model_length"] {
        check(Openai, length, "Length");
    }
    check(Openai, "content_filter", "Filtered(\"content_filter\")");
    check(Openai, "SAFETY", "Filtered(\"SAFETY\")");
    check(Openai, "tool_calls", "Calls");
    check(Openai, "Whim", "Other(\"Whim\")");
    check(Anthropic, "max_tokens", "Length");
    check(Anthropic, "refusal", "Filtered(\"refusal\")");
    check(Anthropic, "tool_use", "Calls");
    check(Gemini, "MAX_TOKENS", "Length");
    check(Gemini, "SAFETY", "Filtered(\"SAFETY\")");
    check(Gemini, "MALFORMED_FUNCTION_CALL", "Calls");
}

/// Whatever the end is called.
#[test]
fn a_reply_of_nothing_but_calls_says_so() {
    use ProviderKind::*;
    let check = |kind, event: &str, why| {
        let body = format!("data: {event}\n\n{}", end(kind, why));
        assert_eq!(summary(&decode(kind, [body.as_bytes()])), "|||0+0|Calls");
        let body = said(kind, "A") + &body;
        assert_ne!(summary(&decode(kind, [body.as_bytes()])), "||A|0+0|Calls");
    };
    let call = r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"roll","arguments":"{}"}}]}}]}"#;
    check(Openai, call, "stop");
    check(Openai, r#"{"choices":[{"delta":{"function_call":{"name":"roll"}}}]}"#, "eos");
    check(
        Anthropic,
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"roll","input":{}}}"#,
        "end_turn",
    );
    check(Gemini, r#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"roll","args":{}}}]}}]}"#, "STOP");
}

#[test]
fn model_and_usage_are_told_when_they_change() {
    let chunk = r#"data: {"model":"m","choices":[{"delta":{"content":"A"}}],"usage":{"prompt_tokens":3}}"#;
    let other = r#"data: {"model":"n","choices":[],"usage":{"completion_tokens":1}}"#;
    let out = decode(ProviderKind::Openai, [format!("{chunk}\n\n{chunk}\n\n{other}\n\ndata: [DONE]").as_bytes()]);
    let text = || Ok(Delta::Text("A".into()));
    let model = |name: &str| Ok(Delta::Model(name.into()));
    let usage = |prompt_tokens, completion_tokens| {
        Ok(Delta::Usage(Usage { prompt_tokens, completion_tokens, ..Usage::default() }))
    };
    let end = Ok(Delta::Finish(Finish::Stop));
    assert_eq!(out, [model("m"), text(), usage(3, 0), text(), model("n"), usage(3, 1), end]);
}

#[test]
fn a_body_without_end_is_refused() {
    for start in ["data: ", "{\"a\":\""] {
        let mut decoder = StreamDecoder::new(ProviderKind::Openai, None);
        let mut out = decoder.push(start.as_bytes());
        let piece = vec![b'x'; 1 << 20];
        let pushed = (0..32).take_while(|_| {
            out.extend(decoder.push(&piece));
            !decoder.is_closed()
        });
        assert_eq!(pushed.count(), 15);
        assert_eq!(summary(&out), "|||0+0|NotTheProtocol: more than 16 MiB in one piece");
    }
}

/// What is said to the tool that the answer was asked for by is its text, streamed or whole; else it is no reply.
#[test]
fn an_answer_may_come_as_what_is_said_to_a_tool() {
    let start = r#"data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"note","input":{}}}"#;
    let piece = |json: &str| {
        format!(
            r#"data: {{"type":"content_block_delta","index":0,"delta":{{"type":"input_json_delta","partial_json":{json}}}}}"#
        )
    };
    let streamed = format!(
        "{start}\n\n{}\n\n{}\n\n{}\n\n{}",
        piece(r#""""#),
        piece(r#""{\"a\": \"雨""#),
        piece(r#""\"}""#),
        end(ProviderKind::Anthropic, "tool_use")
    );
    let whole = r#"{"type":"message","content":[{"type":"tool_use","id":"t","name":"note","input":{"a":"雨"}}],"stop_reason":"tool_use"}"#;
    for (body, text) in [(streamed.as_str(), r#"{"a": "雨"}"#), (whole, r#"{"a":"雨"}"#)] {
        assert_eq!(summary(&decode(ProviderKind::Anthropic, [body.as_bytes()])), "|||0+0|Calls");
        for cut in 1..body.len() {
            let mut decoder = StreamDecoder::new(ProviderKind::Anthropic, None).shaped(true);
            let (a, b) = body.as_bytes().split_at(cut);
            let out = [decoder.push(a), decoder.push(b), decoder.finish()].concat();
            assert_eq!(summary(&out), format!("||{text}|0+0|Calls"), "cut at {cut}");
        }
    }
}
