use super::*;

const KEY: &str = "sk-0123456789abcdef";

#[track_caller]
fn check(status: u16, body: &str, kind: FaultKind, detail: &str) {
    let fault = fault_from_response(ProviderKind::Openai, status, &[], body, Some(KEY), 0);
    assert_eq!((fault.kind, fault.detail.as_str()), (kind, detail), "{status} {body}");
}

#[test]
fn openai_errors() {
    use FaultKind::*;
    check(
        401,
        r#"{"error":{"message":"Incorrect API key provided: sk-0123456789abcdef. You can find yours.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}"#,
        WrongKey,
        "Incorrect API key provided: •••. You can find yours.",
    );
    check(
        429,
        r#"{"error":{"message":"You exceeded your current quota.","type":"insufficient_quota","code":"insufficient_quota"}}"#,
        NoCredit,
        "You exceeded your current quota.",
    );
    check(
        429,
        r#"{"error":{"message":"Rate limit reached: too many tokens per min. Limit 30000.","type":"tokens","code":"rate_limit_exceeded"}}"#,
        RateLimited,
        "Rate limit reached: too many tokens per min. Limit 30000.",
    );
    check(
        404,
        r#"{"error":{"message":"The model `gpt-9` does not exist or you do not have access to it.","code":"model_not_found"}}"#,
        UnknownModel,
        "The model `gpt-9` does not exist or you do not have access to it.",
    );
    check(
        403,
        r#"{"error":{"message":"Project has no access to `gpt-9`","code":"model_not_found"}}"#,
        UnknownModel,
        "Project has no access to `gpt-9`",
    );
    check(
        400,
        r#"{"error":{"message":"This model's maximum context length is 8192 tokens.","code":"context_length_exceeded"}}"#,
        ContextTooLong,
        "This model's maximum context length is 8192 tokens.",
    );
    check(
        400,
        r#"{"error":{"message":"Unsupported value: 'temperature' does not support 0.7 with this model.","param":"temperature","code":"unsupported_value"}}"#,
        BadRequest,
        "Unsupported value: 'temperature' does not support 0.7 with this model.",
    );
    check(
        400,
        r#"{"error":{"message":"The response was filtered.","code":"content_filter","status":400}}"#,
        Filtered,
        "The response was filtered.",
    );
    check(
        403,
        r#"{"error":{"message":"Country not supported","code":"unsupported_country_region_territory"}}"#,
        Forbidden,
        "Country not supported",
    );
    check(
        500,
        r#"{"error":{"message":"The server had an error","type":"server_error"}}"#,
        ProviderDown,
        "The server had an error",
    );
    check(
        500,
        r#"{"error":{"message":"1 validation error: {'type': 'literal_error', 'loc': ('body', 'response_format', 'type')}","type":"internal_server_error"}}"#,
        BadRequest,
        "1 validation error: {'type': 'literal_error', 'loc': ('body', 'response_format', 'type')}",
    );
}

#[test]
fn errors_of_compatible_servers() {
    use FaultKind::*;
    // Ollama, LM Studio
    check(404, r#"{"error":"model 'llama9' not found"}"#, UnknownModel, "model 'llama9' not found");
    check(403, "", Forbidden, "HTTP 403");
    // llama.cpp
    check(
        400,
        r#"{"error":{"code":400,"message":"request (4390 tokens) exceeds the available context size (4096 tokens), try increasing it","type":"exceed_context_size_error"}}"#,
        ContextTooLong,
        "request (4390 tokens) exceeds the available context size (4096 tokens), try increasing it",
    );
    check(
        500,
        r#"{"error":{"code":500,"message":"Context size has been exceeded.","type":"server_error"}}"#,
        ContextTooLong,
        "Context size has been exceeded.",
    );
    check(
        503,
        r#"{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}"#,
        ProviderDown,
        "Loading model",
    );
    // FastAPI, Mistral, vLLM
    check(404, r#"{"detail":"Not Found"}"#, NotFound, "Not Found");
    check(405, r#"{"detail":"Method Not Allowed"}"#, NotFound, "Method Not Allowed");
    check(
        422,
        r#"{"detail":[{"loc":["body","messages",0,"role"],"msg":"field required"},{"loc":["body"],"msg":"extra"}]}"#,
        BadRequest,
        "body.messages.0.role: field required; body: extra",
    );
    check(
        422,
        r#"{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","top_k"],"msg":"Extra inputs are not permitted","input":1}]},"type":"invalid_request_error","code":null}"#,
        BadRequest,
        "body.top_k: Extra inputs are not permitted",
    );
    check(
        400,
        r#"{"object":"error","message":"Invalid model: mistral-huge","type":"invalid_model","code":"1500"}"#,
        UnknownModel,
        "Invalid model: mistral-huge",
    );
    // DeepSeek
    check(
        402,
        r#"{"error":{"message":"Insufficient Balance","type":"unknown_error","code":"invalid_request_error"}}"#,
        NoCredit,
        "Insufficient Balance",
    );
    check(
        400,
        r#"{"error":{"message":"Model Not Exist","type":"invalid_request_error"}}"#,
        UnknownModel,
        "Model Not Exist",
    );
    check(400, r#"{"error":{"message":"Content Exists Risk"}}"#, Filtered, "Content Exists Risk");
    // OpenRouter
    check(
        429,
        r#"{"error":{"message":"Provider returned error","code":429,"metadata":{"raw":"busy upstream","provider_name":"X"}}}"#,
        RateLimited,
        "Provider returned error: busy upstream",
    );
    check(
        404,
        r#"{"error":{"message":"No endpoints found for x/y.","code":404}}"#,
        UnknownModel,
        "No endpoints found for x/y.",
    );
    // xAI
    check(
        400,
        r#"{"code":"Client specified an invalid argument","error":"Incorrect API key provided: sk-0123456789abcdef."}"#,
        WrongKey,
        "Incorrect API key provided: •••.",
    );
}

#[test]
fn anthropic_errors() {
    use FaultKind::*;
    #[track_caller]
    fn anthropic(status: u16, name: &str, message: &str, kind: FaultKind) {
        check(
            status,
            &format!(r#"{{"type":"error","error":{{"type":"{name}","message":"{message}"}}}}"#),
            kind,
            message,
        );
    }
    anthropic(401, "authentication_error", "invalid x-api-key", WrongKey);
    anthropic(403, "permission_error", "Request not allowed", Forbidden);
    anthropic(404, "not_found_error", "model: claude-9", UnknownModel);
    anthropic(413, "request_too_large", "Request exceeds the maximum size", ContextTooLong);
    anthropic(429, "rate_limit_error", "This request would exceed your limit", RateLimited);
    anthropic(500, "api_error", "Internal server error", ProviderDown);
    anthropic(529, "overloaded_error", "Overloaded", ProviderDown);
    anthropic(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum", ContextTooLong);
    anthropic(400, "invalid_request_error", "Your credit balance is too low to access the API.", NoCredit);
    anthropic(400, "invalid_request_error", "max_tokens: 9 > 8, the maximum for this model", BadRequest);
}

#[test]
fn gemini_errors() {
    use FaultKind::*;
    check(
        400,
        r#"[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID"}]}}]"#,
        WrongKey,
        "API key not valid. Please pass a valid API key.",
    );
    check(
        403,
        r#"{"error":{"code":403,"message":"Method doesn't allow unregistered callers.","status":"PERMISSION_DENIED"}}"#,
        WrongKey,
        "Method doesn't allow unregistered callers.",
    );
    check(
        404,
        r#"{"error":{"code":404,"message":"models/gemini-9 is not found for API version v1beta","status":"NOT_FOUND"}}"#,
        UnknownModel,
        "models/gemini-9 is not found for API version v1beta",
    );
    check(
        400,
        r#"{"error":{"code":400,"message":"The input token count (9) exceeds the maximum number of tokens allowed (8).","status":"INVALID_ARGUMENT"}}"#,
        ContextTooLong,
        "The input token count (9) exceeds the maximum number of tokens allowed (8).",
    );
    check(
        503,
        r#"{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}"#,
        ProviderDown,
        "The model is overloaded.",
    );
    let body = r#"{"error":{"code":429,"message":"You exceeded your current quota, check your plan and billing details.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.07s"}]}}"#;
    let fault = fault_from_response(ProviderKind::Gemini, 429, &[], body, None, 0);
    assert_eq!((fault.kind, fault.retry_after), (RateLimited, Some(35)));
}

#[test]
fn what_is_not_json() {
    use FaultKind::*;
    check(200, "<!doctype html><title>My app</title>", NotTheProtocol, "My app");
    check(200, "hello", NotTheProtocol, "hello");
    check(200, r#"{"hello":1}"#, NotTheProtocol, "HTTP 200");
    check(502, "<html><head><title>502 Bad Gateway</title></head></html>", ProviderDown, "502 Bad Gateway");
    check(404, "<html><title>No model here</title></html>", NotFound, "No model here");
    check(404, "404 page not found", NotFound, "404 page not found");
    check(401, "Unauthorized", WrongKey, "Unauthorized");
    check(400, "\"bad\\nthing\"", BadRequest, "bad thing");
    check(302, "", NotTheProtocol, "HTTP 302");
    check(418, "I'm a teapot", BadRequest, "I'm a teapot");
}

#[test]
fn details_are_cut_and_never_hold_the_key() {
    let body = format!("{}{KEY}{}", "x".repeat(490), "y".repeat(300));
    let fault = fault_from_response(ProviderKind::Openai, 400, &[], &body, Some(&format!(" {KEY}\n")), 0);
    assert_eq!(fault.detail, format!("{}•••{}…", "x".repeat(490), "y".repeat(6)));
    assert_eq!(fault.detail.chars().count(), DETAIL);
    let fault = fault_from_response(ProviderKind::Openai, 400, &[], "none of these", Some("none"), 0);
    assert_eq!(fault.detail, "none of these");
}

/// Headers before the body, the body before its words; only where waiting helps.
#[test]
fn the_time_to_wait_is_read() {
    #[track_caller]
    fn wait(status: u16, headers: &[(&str, &str)], body: &str, want: Option<u32>) {
        let headers: Vec<_> = headers.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
        // Wed, 21 Oct 2026 07:28:00 GMT.
        let fault = fault_from_response(ProviderKind::Openai, status, &headers, body, None, 1_792_567_680_000);
        assert_eq!(fault.retry_after, want, "{headers:?} {body}");
    }
    wait(429, &[("retry-after", "20")], "{}", Some(20));
    wait(503, &[("retry-after", "7")], "{}", Some(7));
    wait(529, &[("retry-after", "7")], "{}", Some(7));
    wait(429, &[("retry-after", "Wed, 21 Oct 2026 07:28:12 GMT")], "{}", Some(12));
    wait(429, &[], "{}", None);
    wait(400, &[("retry-after", "20")], "{}", None);
    let said = r#"{"error":{"message":"Rate limit reached. Please try again in 6m0s.","code":"rate_limit_exceeded"}}"#;
    wait(429, &[], said, Some(360));
    wait(429, &[("retry-after", "3")], said, Some(3));
    wait(400, &[], said, None);
    let reset = r#"{"error":{"message":"Rate limit exceeded","code":429,"metadata":{"headers":{"X-RateLimit-Reset":"1792567690000"}}}}"#;
    wait(429, &[], reset, Some(10));
    wait(503, &[], r#"{"detail":"busy","retry_after":4}"#, Some(4));
    wait(429, &[], "Please retry after 20 seconds.", Some(20));
}

#[test]
fn errors_amid_a_stream() {
    #[track_caller]
    fn amid(value: &str, want: Option<(FaultKind, &str)>) {
        let fault = fault_in(&serde_json::from_str(value).unwrap(), Some(KEY));
        assert_eq!(fault.as_ref().map(|fault| (fault.kind, fault.detail.as_str())), want, "{value}");
    }
    use FaultKind::*;
    amid(
        r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
        Some((ProviderDown, "Overloaded")),
    );
    amid(r#"{"error":{"code":502,"message":"Upstream gone"},"choices":[]}"#, Some((ProviderDown, "Upstream gone")));
    amid(r#"{"error":{"code":"429","message":"Slow down"}}"#, Some((RateLimited, "Slow down")));
    amid(r#"[{"error":{"code":400,"message":"Bad","status":"INVALID_ARGUMENT"}}]"#, Some((BadRequest, "Bad")));
    amid(r#"{"error":"key sk-0123456789abcdef is bad"}"#, Some((ProviderDown, "key ••• is bad")));
    amid(r#"{"error":"model 'x' not found"}"#, Some((UnknownModel, "model 'x' not found")));
    amid(r#"{"object":"error","message":"prompt too long","code":400}"#, Some((ContextTooLong, "prompt too long")));
    amid(r#"{"detail":"Not Found"}"#, Some((ProviderDown, "Not Found")));
    amid(r#"{"error":null,"choices":[]}"#, None);
    amid(r#"{"choices":[{"delta":{"content":"error"}}]}"#, None);
    amid("[]", None);
    amid("1", None);
}

/// As the providers say it in words and codes of their own (their issue trackers, 2025 and 2026).
#[test]
fn what_is_meant_is_told_whatever_the_status() {
    use FaultKind::*;
    for (status, code, words, kind) in [
        (429, "1113", "余额不足或无可用资源包,请充值。", NoCredit),
        (429, "", "Your team has either used all available credits or reached its monthly spending limit.", NoCredit),
        (403, "", "Your team has either used all available credits or reached its monthly spending limit.", NoCredit),
        (400, "Arrearage", "Access denied, please make sure your account is in good standing.", NoCredit),
        (403, "insufficient_user_quota", "用户额度不足", NoCredit),
        (400, "invalid_request_error", "You have reached your specified API usage limits.", NoCredit),
        (403, "", "Content violates usage guidelines.", Filtered),
        (400, "1301", "系统检测到输入或生成内容可能包含不安全或敏感内容", Filtered),
        (400, "20015", "length of prompt_tokens (57535) must be less than max_seq_len (32768).", ContextTooLong),
        (429, "rate_limit_exceeded", "Rate limit reached for requests", RateLimited),
        (403, "", "The model is not available in your region.", Forbidden),
    ] {
        let body = serde_json::json!({ "error": { "code": code, "message": words } }).to_string();
        check(status, &body, kind, words);
    }
}
