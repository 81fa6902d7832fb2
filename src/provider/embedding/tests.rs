use base64::{Engine, engine::general_purpose::STANDARD};
use proptest::prelude::*;
use serde_json::json;

use super::*;

const KEY: &str = "sk-0123456789";

fn connection(kind: ProviderKind, url: &str, model: &str) -> Connection {
    Connection { kind, url: url.to_owned(), model: model.to_owned(), ..Connection::default() }
}

#[track_caller]
fn check(connection: &Connection, purpose: Purpose, address: &str, header: &str, body: Value) {
    let request = embedding_request(connection, Some(KEY), &["雪", "snow"], purpose).unwrap();
    assert_eq!((request.method, request.url.as_str()), ("POST", address));
    let headers: Vec<_> = request.headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    assert_eq!(headers, ["content-type: application/json", header]);
    assert_eq!(serde_json::from_str::<Value>(request.body.as_deref().unwrap()).unwrap(), body);
}

#[test]
fn openai_requests() {
    let bearer = "authorization: Bearer sk-0123456789";
    for url in ["", "https://api.openai.com", "https://api.openai.com/v1/", "https://api.openai.com/v1/embeddings"] {
        check(
            &connection(ProviderKind::Openai, url, "text-embedding-3-small"),
            Purpose::Passage,
            "https://api.openai.com/v1/embeddings",
            bearer,
            json!({"model": "text-embedding-3-small", "input": ["雪", "snow"], "encoding_format": "float"}),
        );
    }
    let local = |model| connection(ProviderKind::Openai, "http://localhost:8000/v1/chat/completions", model);
    let address = "http://localhost:8000/v1/embeddings";
    check(
        &local("multilingual-e5-base"),
        Purpose::Query,
        address,
        bearer,
        json!({"model": "multilingual-e5-base", "input": ["query: 雪", "query: snow"], "encoding_format": "float"}),
    );
    check(
        &local("multilingual-e5-small-q4"),
        Purpose::Passage,
        address,
        bearer,
        json!({"model": "multilingual-e5-small-q4", "input": ["雪", "snow"], "encoding_format": "float", "input_type": "passage"}),
    );
    check(&local(""), Purpose::Query, address, bearer, json!({"input": ["雪", "snow"], "encoding_format": "float"}));
}

#[test]
fn gemini_requests() {
    let base = "https://generativelanguage.googleapis.com/v1beta/models";
    let one = |model: &str, text: &str, task: Option<&str>| {
        let mut one = json!({"model": format!("models/{model}"), "content": {"parts": [{"text": text}]}});
        if let Some(task) = task {
            one["taskType"] = task.into();
        }
        one
    };
    for url in ["", &format!("{base}/gemini-embedding-001:batchEmbedContents"), &format!("{base}/x:embedContent")] {
        let task = Some("RETRIEVAL_QUERY");
        check(
            &connection(ProviderKind::Gemini, url, "gemini-embedding-001"),
            Purpose::Query,
            &format!("{base}/gemini-embedding-001:batchEmbedContents"),
            "x-goog-api-key: sk-0123456789",
            json!({"requests": [one("gemini-embedding-001", "雪", task), one("gemini-embedding-001", "snow", task)]}),
        );
    }
    let words = "title: none | text: ";
    check(
        &connection(ProviderKind::Gemini, "", "models/gemini-embedding-2"),
        Purpose::Passage,
        &format!("{base}/gemini-embedding-2:batchEmbedContents"),
        "x-goog-api-key: sk-0123456789",
        json!({"requests": [
            one("gemini-embedding-2", &format!("{words}雪"), None),
            one("gemini-embedding-2", &format!("{words}snow"), None),
        ]}),
    );
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let refuse =
        |kind, url, key| embedding_request(&connection(kind, url, ""), key, &["a"], Purpose::Query).unwrap_err().kind;
    assert_eq!(refuse(ProviderKind::Anthropic, "", None), FaultKind::NoEmbeddings);
    assert_eq!(refuse(ProviderKind::Gemini, "", None), FaultKind::UnknownModel);
    assert_eq!(refuse(ProviderKind::Openai, "nowhere", None), FaultKind::BadAddress);
    assert_eq!(refuse(ProviderKind::Openai, "", Some("a b")), FaultKind::WrongKey);
}

#[track_caller]
fn read(body: &str, want: &[&[f32]]) {
    assert_eq!(parse_embeddings(body, want.len(), None).unwrap(), want, "{body}");
}

#[test]
fn answers_come_in_the_order_of_the_texts() {
    read(
        r#"{"object":"list","data":[{"index":1,"embedding":[0,1e-3]},{"index":0,"embedding":[-1.5,2]}],"model":"m","usage":{"prompt_tokens":2}}"#,
        &[&[-1.5, 2.0], &[0.0, 0.001]],
    );
    let base64 = STANDARD.encode([1.5_f32.to_le_bytes(), (-2.0_f32).to_le_bytes()].concat());
    read(&format!("\u{FEFF}{{\"data\":[{{\"embedding\":\"{base64}\"}}]}}"), &[&[1.5, -2.0]]);
    read(r#"{"embeddings":[{"values":[1,0]},{"values":[0,1]}]}"#, &[&[1.0, 0.0], &[0.0, 1.0]]);
    read(r#"{"model":"m","embeddings":[[1,0],[0,1]]}"#, &[&[1.0, 0.0], &[0.0, 1.0]]);
    read("[[1,0],[0,1]]", &[&[1.0, 0.0], &[0.0, 1.0]]);
    read(r#"[{"index":0,"embedding":[[1,0]]}]"#, &[&[1.0, 0.0]]);
    read(r#"{"data":[]}"#, &[]);
}

#[track_caller]
fn refuse(body: &str, kind: FaultKind, detail: &str) {
    let fault = parse_embeddings(body, 2, Some(KEY)).unwrap_err();
    assert_eq!((fault.kind, fault.detail.as_str()), (kind, detail), "{body}");
}

#[test]
fn what_is_no_answer_is_a_fault_with_its_words() {
    use FaultKind::*;
    refuse("<html><title>Sign in</title></html>", NotTheProtocol, "Sign in");
    refuse("", NotTheProtocol, "");
    refuse(r#"{"hello":"sk-0123456789"}"#, NotTheProtocol, r#"{"hello":"•••"}"#);
    refuse(r#"{"error":{"message":"slow down, sk-0123456789","code":429}}"#, RateLimited, "slow down, •••");
    refuse(r#"{"data":[{"index":0,"embedding":[1]}]}"#, NotTheProtocol, "not as many vectors as texts");
    let pair =
        |a: &str, b: &str| format!(r#"{{"data":[{{"index":0,"embedding":{a}}},{{"index":1,"embedding":{b}}}]}}"#);
    refuse(&pair("[1,2]", "[1]"), NotTheProtocol, "vectors of different dimensions");
    refuse(&pair("[1]", "[0.0]"), NotTheProtocol, "a vector without direction");
    refuse(&pair("[1]", "[]"), NotTheProtocol, "a vector without direction");
    refuse(&pair("[1]", "[null]"), NotTheProtocol, "a vector that is not made of finite numbers");
    refuse(&pair("[1]", "[1e39]"), NotTheProtocol, "a vector that is not made of finite numbers");
    refuse(&pair("[1]", r#""AAAA""#), NotTheProtocol, "a vector that is not made of finite numbers");
    refuse(&pair("[1]", r#""AADAfw==""#), NotTheProtocol, "a vector that is not made of finite numbers");
    refuse(&pair("[1]", r#""not base64""#), NotTheProtocol, "a vector that is not made of finite numbers");
    refuse(&pair("[1]", "{}"), NotTheProtocol, "an item without a vector");
    let twice = r#"{"data":[{"index":1,"embedding":[1]},{"index":1,"embedding":[1]}]}"#;
    refuse(twice, NotTheProtocol, "an index is missing, or there twice");
}

#[test]
fn batches_keep_to_both_limits() {
    #[track_caller]
    fn check(lengths: &[usize], want: &[Range<usize>]) {
        let texts: Vec<_> = lengths.iter().map(|&length| "雪".repeat(length)).collect();
        let texts: Vec<_> = texts.iter().map(String::as_str).collect();
        assert_eq!(batches(&Connection::default(), &texts), want);
    }
    check(&[], &[]);
    check(&[1; 65], &[0..64, 64..65]);
    check(&[1; 130], &[0..64, 64..128, 128..130]);
    check(&[MOST_CHARS, 1, MOST_CHARS - 1, 1], &[0..1, 1..3, 3..4]);
    check(&[1, MOST_CHARS * 2, 1], &[0..1, 1..2, 2..3]);
}

proptest! {
    /// Whatever the body, vectors or a fault; never a panic.
    #[test]
    fn any_json_is_read(body in r#"(\[|\]|\{"data":|\{"embedding":|\}|"index":|,|[0-9]|null|"AAAA"){0,12}"#, count in 0..4usize) {
        if let Ok(vectors) = parse_embeddings(&body, count, None) {
            prop_assert_eq!(vectors.len(), count);
        }
    }
}
