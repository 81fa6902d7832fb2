//! What each protocol says of tokens, and of what a cache gave.

use super::*;

#[track_caller]
fn check(kind: ProviderKind, body: &str, expected: Usage) {
    let mut decoder = StreamDecoder::new(kind, Some("text/event-stream"));
    let mut out = decoder.push(body.as_bytes());
    out.extend(decoder.finish());
    let usage = out.iter().rev().find_map(|delta| match delta {
        Ok(Delta::Usage(usage)) => Some(*usage),
        _ => None,
    });
    assert_eq!(usage, Some(expected), "{body}");
}

fn usage(prompt_tokens: u32, completion_tokens: u32, cached_tokens: Option<u32>, written_tokens: Option<u32>) -> Usage {
    Usage { prompt_tokens, completion_tokens, cached_tokens, written_tokens }
}

#[test]
fn openai_and_who_speaks_like_it() {
    for (told, expected) in [
        (r#"{"prompt_tokens":10,"completion_tokens":2}"#, usage(10, 2, None, None)),
        (r#"{"prompt_tokens":10,"completion_tokens":2,"prompt_tokens_details":null}"#, usage(10, 2, None, None)),
        (
            r#"{"prompt_tokens":2006,"completion_tokens":300,"prompt_tokens_details":{"cached_tokens":1920}}"#,
            usage(2006, 300, Some(1920), None),
        ),
        // DeepSeek
        (
            r#"{"prompt_tokens":2006,"completion_tokens":3,"prompt_cache_hit_tokens":1984,"prompt_cache_miss_tokens":22}"#,
            usage(2006, 3, Some(1984), None),
        ),
        // Moonshot
        (r#"{"prompt_tokens":20,"completion_tokens":3,"cached_tokens":12.0}"#, usage(20, 3, Some(12), None)),
        // xAI, whose thoughts are in the total alone
        (
            r#"{"prompt_tokens":10120,"completion_tokens":1499,"total_tokens":14428,"completion_tokens_details":{"reasoning_tokens":2809}}"#,
            usage(10_120, 4_308, None, None),
        ),
        // OpenRouter
        (
            r#"{"prompt_tokens":194,"completion_tokens":2,"cost":0.95,"prompt_tokens_details":{"cached_tokens":0,"cache_write_tokens":100}}"#,
            usage(194, 2, Some(0), Some(100)),
        ),
    ] {
        let said = r#"data: {"choices":[{"delta":{"content":"A"},"finish_reason":"stop"}]}"#;
        check(ProviderKind::Openai, &format!("{said}\n\ndata: {{\"choices\":[],\"usage\":{told}}}\n\n"), expected);
    }
}

#[test]
fn anthropic_counts_the_cache_apart() {
    for (start, end, expected) in [
        (r#"{"input_tokens":20,"output_tokens":1}"#, r#"{"output_tokens":9}"#, usage(20, 9, None, None)),
        (
            r#"{"input_tokens":20,"cache_creation_input_tokens":100,"cache_read_input_tokens":1000,"output_tokens":1}"#,
            r#"{"output_tokens":9}"#,
            usage(1120, 9, Some(1000), Some(100)),
        ),
        (
            r#"{"input_tokens":20,"cache_creation_input_tokens":null,"cache_read_input_tokens":0}"#,
            r#"{"input_tokens":25,"cache_creation_input_tokens":0,"cache_read_input_tokens":5,"output_tokens":9}"#,
            usage(30, 9, Some(5), Some(0)),
        ),
    ] {
        let body = format!(
            "data: {{\"type\":\"message_start\",\"message\":{{\"usage\":{start}}}}}\n\n\
             data: {{\"type\":\"message_delta\",\"delta\":{{\"stop_reason\":\"end_turn\"}},\"usage\":{end}}}\n\n\
             data: {{\"type\":\"message_stop\"}}\n\n"
        );
        check(ProviderKind::Anthropic, &body, expected);
    }
}

#[test]
fn gemini_counts_the_cache_within() {
    for (told, expected) in [
        (r#"{"promptTokenCount":10,"candidatesTokenCount":2}"#, usage(10, 2, None, None)),
        (
            r#"{"promptTokenCount":1000,"cachedContentTokenCount":900,"candidatesTokenCount":2,"thoughtsTokenCount":5}"#,
            usage(1000, 7, Some(900), None),
        ),
    ] {
        let body = format!(
            "data: {{\"candidates\":[{{\"content\":{{\"parts\":[{{\"text\":\"A\"}}]}},\"finishReason\":\"STOP\"}}],\"usageMetadata\":{told}}}\n\n"
        );
        check(ProviderKind::Gemini, &body, expected);
    }
}

#[test]
fn an_embedding_says_what_its_texts_came_to() {
    for (body, expected) in [
        (r#"{"data":[{"index":0,"embedding":[1]}],"usage":{"prompt_tokens":8,"total_tokens":8}}"#, Some(8)),
        (r#"{"data":[{"index":0,"embedding":[1]}]}"#, None),
        (r#"{"embeddings":[{"values":[1]}]}"#, None),
        ("[[1]]", None),
    ] {
        assert_eq!(counted_embeddings(body, 1, None), Ok((vec![vec![1.0]], expected)), "{body}");
    }
}
