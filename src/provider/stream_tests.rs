use proptest::prelude::*;

use super::*;

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
            Ok(Delta::Usage(counts)) => usage = *counts,
            Ok(Delta::Finish(finish)) => end += &format!("{finish:?}"),
            Err(fault) => {
                assert_eq!(at, out.len() - 1, "a fault is the last: {out:?}");
                end += &fault.to_string();
            }
        }
    }
    format!("{model}|{reasoning}|{text}|{}+{}|{end}", usage.prompt_tokens, usage.completion_tokens)
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
    check(Openai, format!("{b}\n\ndata: bye\n\n{a}\n\ndata: {{\"error\":\"x\"}}\n\n").as_bytes(), "||B|0+0|Stop");
    check(Openai, format!("data: {{\"id\":1}}\n\n{b}\n\n").as_bytes(), "||B|0+0|Stop");
    check(Openai, br#"data: {"choices":[{"text":"C","finish_reason":"length"}]}"#, "||C|0+0|Length");
    check(
        Openai,
        br#"data: {"choices":[{"delta":{"content":"<th"},"finish_reason":"tool_calls"}]}"#,
        "||<th|0+0|Other(\"tool_calls\")",
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
fn model_and_usage_are_told_when_they_change() {
    let chunk = r#"data: {"model":"m","choices":[{"delta":{"content":"A"}}],"usage":{"prompt_tokens":3}}"#;
    let other = r#"data: {"model":"n","choices":[],"usage":{"completion_tokens":1}}"#;
    let out = decode(ProviderKind::Openai, [format!("{chunk}\n\n{chunk}\n\n{other}\n\ndata: [DONE]").as_bytes()]);
    let text = || Ok(Delta::Text("A".into()));
    let model = |name: &str| Ok(Delta::Model(name.into()));
    let usage = |prompt_tokens, completion_tokens| Ok(Delta::Usage(Usage { prompt_tokens, completion_tokens }));
    let end = Ok(Delta::Finish(Finish::Stop));
    assert_eq!(out, [model("m"), text(), usage(3, 0), text(), model("n"), usage(3, 1), end]);
}

#[test]
fn a_connection_left_open_after_the_end_is_known_as_closed() {
    let mut decoder = StreamDecoder::new(ProviderKind::Openai, None);
    decoder.push(b"data: {\"choices\":[{\"delta\":{\"content\":\"A\"},\"finish_reason\":\"stop\"}]}\n\n");
    assert_eq!((decoder.is_complete(), decoder.is_closed()), (true, false));
    decoder.push(b"data: [DONE]\n\n");
    assert_eq!((decoder.is_complete(), decoder.is_closed()), (true, true));
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
