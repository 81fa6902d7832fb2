//! Streams of the three protocols.

use super::*;

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
