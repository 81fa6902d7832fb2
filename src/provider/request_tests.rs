use serde_json::json;

use crate::{
    ports::WireRequest,
    provider::{Message, Shape, Takes, chat_request, models_request, shaped_request},
    story::{
        connection::{Connection, ProviderKind},
        fault::FaultKind,
        preset::Role,
        sampling::{Effort, Sampling},
    },
};

const KEY: &str = "sk-0123456789";

fn connection(kind: ProviderKind, url: &str, sampling: Sampling) -> Connection {
    Connection { kind, url: url.to_owned(), model: "m-1".to_owned(), sampling, ..Connection::default() }
}

fn messages() -> Vec<Message> {
    let message = |role, content: &str| Message::new(role, content);
    vec![
        message(Role::System, "You are Iris."),
        message(Role::Assistant, "“Come in.”"),
        message(Role::User, "我进门。"),
        message(Role::System, "[late]"),
    ]
}

fn full() -> Sampling {
    Sampling {
        temperature: Some(1.5),
        top_p: Some(0.9),
        top_k: Some(40),
        frequency_penalty: Some(0.25),
        presence_penalty: Some(-0.5),
        max_tokens: Some(800),
        stop: vec!["\nUser:".to_owned(), String::new()],
        seed: Some(7),
        extra: json!({"unknown": 0.1}).as_object().unwrap().clone(),
        ..Sampling::default()
    }
}

/// Address, headers and body of a chat request; the key is in a header and nowhere else.
#[track_caller]
fn check(kind: ProviderKind, url: &str, sampling: Sampling, address: &str, headers: &[&str], body: &str) {
    let request = chat_request(&connection(kind, url, sampling), Some(&format!(" {KEY}\n")), &messages()).unwrap();
    look(&request, "POST", address, headers);
    let got: serde_json::Value = serde_json::from_str(request.body.as_deref().unwrap()).unwrap();
    let want: serde_json::Value = serde_json::from_str(body).unwrap();
    assert_eq!(got, want, "{got:#}");
}

#[track_caller]
fn look(request: &WireRequest, method: &str, address: &str, headers: &[&str]) {
    assert_eq!((request.method, request.url.as_str()), (method, address));
    let got: Vec<_> = request.headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    assert_eq!(got, headers);
    assert!(!format!("{request:?} {} {:?}", request.url, request.body).contains(KEY));
}

const JSON: &str = "content-type: application/json";
const BEARER: &str = "authorization: Bearer sk-0123456789";
const ANTHROPIC: [&str; 3] =
    ["x-api-key: sk-0123456789", "anthropic-version: 2023-06-01", "anthropic-dangerous-direct-browser-access: true"];
const GOOGLE: &str = "x-goog-api-key: sk-0123456789";
const OPENAI_MESSAGES: &str = r#""messages":[{"role":"system","content":"You are Iris."},{"role":"assistant","content":"“Come in.”"},
    {"role":"user","content":"我进门。"},{"role":"system","content":"[late]"}],"stream":true"#;

#[test]
fn a_provider_wants_a_key() {
    for (kind, url, wants) in [
        (ProviderKind::Openai, "", true),
        (ProviderKind::Gemini, "", true),
        (ProviderKind::Openai, "https://API.Mistral.ai/v1", true),
        (ProviderKind::Openai, "https://api.deepseek.com/v1", true),
        (ProviderKind::Anthropic, "https://api.deepseek.com/anthropic", true),
        (ProviderKind::Openai, "https://dashscope-intl.aliyuncs.com/compatible-mode/v1", true),
        (ProviderKind::Anthropic, "https://api.anthropic.com.example", false),
        (ProviderKind::Openai, "http://localhost:11434/v1", false),
        (ProviderKind::Openai, "nonsense", false),
    ] {
        let connection = Connection { kind, url: url.into(), ..Default::default() };
        assert_eq!(super::wants_key(&connection), wants, "{kind:?} {url}");
    }
}

#[test]
fn openai_requests() {
    use ProviderKind::Openai;
    check(
        Openai,
        "",
        Sampling::default(),
        "https://api.openai.com/v1/chat/completions",
        &[JSON, BEARER],
        &format!(r#"{{"model":"m-1",{OPENAI_MESSAGES},"stream_options":{{"include_usage":true}}}}"#),
    );
    let common = r#""temperature":1.5,"top_p":0.9,"frequency_penalty":0.25,"presence_penalty":-0.5,"stop":["\nUser:"]"#;
    check(
        Openai,
        "https://api.openai.com",
        full(),
        "https://api.openai.com/v1/chat/completions",
        &[JSON, BEARER],
        &format!(
            r#"{{"model":"m-1",{OPENAI_MESSAGES},"stream_options":{{"include_usage":true}},{common},"max_completion_tokens":800,"seed":7}}"#
        ),
    );
    check(
        Openai,
        "https://api.mistral.ai/v1/",
        full(),
        "https://api.mistral.ai/v1/chat/completions",
        &[JSON, BEARER],
        // The system speaks before the conversation alone, in which the two take turns.
        &format!(
            r#"{{"model":"m-1","messages":[{{"role":"system","content":"You are Iris."}},{{"role":"user","content":"…"}},{{"role":"assistant","content":"“Come in.”"}},{{"role":"user","content":"我进门。\n\n[late]"}}],"stream":true,{common},"max_tokens":800,"random_seed":7}}"#
        ),
    );
    check(
        Openai,
        "http://localhost:8080/v1",
        full(),
        "http://localhost:8080/v1/chat/completions",
        &[JSON, BEARER],
        &format!(
            r#"{{"model":"m-1",{OPENAI_MESSAGES},"stream_options":{{"include_usage":true}},{common},"top_k":40,"max_tokens":800,"seed":7}}"#
        ),
    );
}

/// What the next prompt begins with is marked where it ends: after the system text, and after the last turn of it.
#[test]
fn anthropic_keeps() {
    let mut messages = messages();
    messages[1].keep = true;
    let connection = connection(ProviderKind::Anthropic, "", Sampling::default());
    let request = chat_request(&connection, Some(KEY), &messages).unwrap();
    let body: serde_json::Value = serde_json::from_str(request.body.as_deref().unwrap()).unwrap();
    let kept = |text: &str| json!([{"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}]);
    assert_eq!(body["system"], kept("You are Iris."));
    let turns = json!([
        {"role": "user", "content": "…"},
        {"role": "assistant", "content": kept("“Come in.”")},
        {"role": "user", "content": "我进门。\n\n[late]"},
    ]);
    assert_eq!(body["messages"], turns);
}

/// OpenRouter hands the marks on to the maker of Claude; no other model and no other host is told.
#[test]
fn openrouter_keeps() {
    let ask = |url: &str, model: &str, keep: bool| {
        let mut messages = messages();
        messages[1].keep = keep;
        let mut connection = connection(ProviderKind::Openai, url, Sampling::default());
        connection.model = model.to_owned();
        let request = chat_request(&connection, Some(KEY), &messages).unwrap();
        let body: serde_json::Value = serde_json::from_str(request.body.as_deref().unwrap()).unwrap();
        let marked = |message: &serde_json::Value| match &message["content"] {
            serde_json::Value::Array(parts) => {
                assert_eq!(parts.len(), 1);
                assert_eq!(
                    (&parts[0]["type"], &parts[0]["cache_control"]),
                    (&json!("text"), &json!({"type": "ephemeral"}))
                );
                (parts[0]["text"].as_str().unwrap().to_owned(), true)
            }
            text => (text.as_str().unwrap().to_owned(), false),
        };
        let told: Vec<_> = body["messages"].as_array().unwrap().iter().map(marked).collect();
        let texts: Vec<_> = messages.iter().map(|message| message.content.clone()).collect();
        assert_eq!(told.iter().map(|(text, _)| text.clone()).collect::<Vec<_>>(), texts);
        (0..told.len()).filter(|at| told[*at].1).collect::<Vec<_>>()
    };
    let router = "https://openrouter.ai/api/v1";
    assert_eq!(ask(router, "anthropic/claude-sonnet-5", true), [0, 1]);
    for (url, model, keep) in [
        (router, "anthropic/claude-sonnet-5", false),
        (router, "z-ai/glm-5", true),
        ("https://api.openai.com", "anthropic/claude-sonnet-5", true),
        ("http://127.0.0.1:8080", "anthropic/claude-sonnet-5", true),
    ] {
        assert_eq!(ask(url, model, keep), [0; 0], "{url} {model}");
    }
}

#[test]
fn anthropic_requests() {
    use ProviderKind::Anthropic;
    let headers = [&[JSON], &ANTHROPIC[..]].concat();
    let messages = r#""system":"You are Iris.","messages":[{"role":"user","content":"…"},
        {"role":"assistant","content":"“Come in.”"},{"role":"user","content":"我进门。\n\n[late]"}],"stream":true"#;
    check(
        Anthropic,
        "",
        Sampling::default(),
        "https://api.anthropic.com/v1/messages",
        &headers,
        &format!(r#"{{"model":"m-1",{messages},"max_tokens":4096}}"#),
    );
    check(
        Anthropic,
        "https://api.anthropic.com/v1/messages",
        full(),
        "https://api.anthropic.com/v1/messages",
        &headers,
        &format!(
            r#"{{"model":"m-1",{messages},"max_tokens":800,"temperature":1.0,"top_k":40,"stop_sequences":["\nUser:"]}}"#
        ),
    );
    check(
        Anthropic,
        "https://gate.example/anthropic",
        Sampling { top_p: Some(0.5), ..Sampling::default() },
        "https://gate.example/anthropic/messages",
        &headers,
        &format!(r#"{{"model":"m-1",{messages},"max_tokens":4096,"top_p":0.5}}"#),
    );
}

#[test]
fn gemini_requests() {
    use ProviderKind::Gemini;
    let messages = r#""systemInstruction":{"parts":[{"text":"You are Iris."}]},"contents":[{"role":"user","parts":[{"text":"…"}]},
        {"role":"model","parts":[{"text":"“Come in.”"}]},{"role":"user","parts":[{"text":"我进门。\n\n[late]"}]}]"#;
    let url = "https://generativelanguage.googleapis.com/v1beta/models/m-1:streamGenerateContent?alt=sse";
    for base in [
        "",
        "https://generativelanguage.googleapis.com",
        "https://generativelanguage.googleapis.com/v1beta/models/",
        url,
    ] {
        check(Gemini, base, Sampling::default(), url, &[JSON, GOOGLE], &format!("{{{messages}}}"));
    }
    check(
        Gemini,
        "",
        full(),
        url,
        &[JSON, GOOGLE],
        &format!(
            r#"{{{messages},"generationConfig":{{"temperature":1.5,"topP":0.9,"topK":40,"frequencyPenalty":0.25,"presencePenalty":-0.5,"maxOutputTokens":800,"stopSequences":["\nUser:"],"seed":7}}}}"#
        ),
    );
}

#[test]
fn gemini_models_go_by_either_name() {
    #[track_caller]
    fn check(model: &str, path: &str) {
        let connection = Connection { model: model.to_owned(), kind: ProviderKind::Gemini, ..Connection::default() };
        let request = chat_request(&connection, None, &messages()).unwrap();
        assert_eq!(
            request.url,
            format!("https://generativelanguage.googleapis.com/v1beta/{path}:streamGenerateContent?alt=sse")
        );
    }
    check("gemini-x", "models/gemini-x");
    check(" models/gemini-x ", "models/gemini-x");
    check("tunedModels/mine", "tunedModels/mine");
    check("a?key=b#c", "models/a%3Fkey%3Db%23c");
}

#[test]
fn models_are_asked_for() {
    #[track_caller]
    fn check(kind: ProviderKind, url: &str, address: &str, headers: &[&str]) {
        look(&models_request(&connection(kind, url, full()), Some(KEY)).unwrap(), "GET", address, headers);
    }
    use ProviderKind::*;
    check(Openai, "http://127.0.0.1:1234/v1/chat/completions", "http://127.0.0.1:1234/v1/models", &[BEARER]);
    check(Anthropic, "", "https://api.anthropic.com/v1/models?limit=1000", &ANTHROPIC);
    check(Gemini, "", "https://generativelanguage.googleapis.com/v1beta/models?pageSize=1000", &[GOOGLE]);
}

#[test]
fn without_a_key_no_key_header_is_sent() {
    #[track_caller]
    fn check(kind: ProviderKind, headers: &[&str]) {
        for key in [None, Some(""), Some(" \n")] {
            let connection = connection(kind, "http://localhost:1", Sampling::default());
            let chat = chat_request(&connection, key, &messages()).unwrap();
            look(&chat, "POST", &chat.url, &[&[JSON], headers].concat());
            let models = models_request(&connection, key).unwrap();
            look(&models, "GET", &models.url, headers);
        }
    }
    check(ProviderKind::Openai, &[]);
    check(ProviderKind::Anthropic, &ANTHROPIC[1..]);
    check(ProviderKind::Gemini, &[]);
}

#[test]
fn what_cannot_be_sent_is_refused() {
    #[track_caller]
    fn check(kind: ProviderKind, url: &str, model: &str, key: &str, want: FaultKind) {
        let connection = Connection { model: model.to_owned(), ..connection(kind, url, Sampling::default()) };
        let fault = chat_request(&connection, Some(key), &messages()).unwrap_err();
        assert_eq!(fault.kind, want);
        assert!(!fault.detail.contains(key));
        if want != FaultKind::UnknownModel {
            assert_eq!(models_request(&connection, Some(key)).unwrap_err(), fault);
        }
    }
    for kind in ProviderKind::ALL {
        check(kind, "host/v1", "m", KEY, FaultKind::BadAddress);
        check(kind, "https://me:pass@host/v1", "m", KEY, FaultKind::BadAddress);
        check(kind, "https://host/v1?key=abc", "m", KEY, FaultKind::BadAddress);
        check(kind, "", "m", "sk-a\nsk-b", FaultKind::WrongKey);
        check(kind, "", "m", "密钥密钥", FaultKind::WrongKey);
    }
    check(ProviderKind::Anthropic, "", " ", KEY, FaultKind::UnknownModel);
    check(ProviderKind::Gemini, "", "", KEY, FaultKind::UnknownModel);
}

#[test]
fn a_server_with_one_model_needs_no_name() {
    let connection = Connection { url: "http://localhost:8080/v1".to_owned(), ..Connection::default() };
    let body = chat_request(&connection, None, &[]).unwrap().body.unwrap();
    assert_eq!(body, r#"{"messages":[],"stream":true,"stream_options":{"include_usage":true}}"#);
}

#[test]
fn a_number_that_json_cannot_write_is_left_out() {
    let sampling = Sampling { temperature: Some(f64::NAN), top_p: Some(f64::INFINITY), ..Sampling::default() };
    let body = chat_request(&connection(ProviderKind::Openai, "", sampling), None, &[]).unwrap().body.unwrap();
    assert_eq!(body, r#"{"model":"m-1","messages":[],"stream":true,"stream_options":{"include_usage":true}}"#);
}

/// What else of the sampling is said, by host: each in its own words.
#[test]
fn thinking_and_what_only_some_hosts_know() {
    let all = Sampling {
        min_p: Some(0.05),
        repetition_penalty: Some(1.1),
        max_tokens: Some(300),
        logit_bias: serde_json::Map::from_iter([("50".to_owned(), json!(-100.0))]),
        effort: Some(Effort::Low),
        ..Sampling::default()
    };
    let check = |kind, url: &str, model: &str, effort: Option<Effort>, want: serde_json::Value| {
        let sampling = Sampling { effort, ..all.clone() };
        let connection = Connection { model: model.into(), ..connection(kind, url, sampling) };
        let body = chat_request(&connection, None, &messages()).unwrap().body.unwrap();
        let mut body: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&body).unwrap();
        let protocol = ["model", "messages", "stream", "stream_options", "system", "contents", "systemInstruction"];
        protocol.iter().for_each(|name| drop(body.shift_remove(*name)));
        assert_eq!(json!(body), want, "{url} {model} {effort:?}");
    };
    use ProviderKind::*;
    let bias = json!({"50": -100.0});
    let (low, off) = (Some(Effort::Low), Some(Effort::Off));
    check(
        Openai,
        "",
        "gpt-5",
        low,
        json!({"max_completion_tokens": 2348, "logit_bias": bias, "reasoning_effort": "low"}),
    );
    check(
        Openai,
        "",
        "gpt-5",
        off,
        json!({"max_completion_tokens": 300, "logit_bias": bias, "reasoning_effort": "none"}),
    );
    check(
        Openai,
        "http://127.0.0.1:8080/v1",
        "",
        low,
        json!({"min_p": 0.05, "repetition_penalty": 1.1, "repeat_penalty": 1.1, "max_tokens": 2348, "logit_bias": bias,
            "reasoning_effort": "low", "chat_template_kwargs": {"enable_thinking": true}}),
    );
    let common = |own: serde_json::Value, max_tokens: u32| {
        let mut all = json!({"min_p": 0.05, "repetition_penalty": 1.1, "max_tokens": max_tokens, "logit_bias": bias});
        own.as_object().unwrap().iter().for_each(|(name, value)| all[name] = value.clone());
        all
    };
    check(Openai, "https://api.deepseek.com/v1", "m", off, common(json!({"thinking": {"type": "disabled"}}), 300));
    check(
        Openai,
        "https://open.bigmodel.cn/api/paas/v4",
        "m",
        low,
        common(json!({"thinking": {"type": "enabled"}}), 2348),
    );
    check(
        Openai,
        "https://dashscope.aliyuncs.com/compatible-mode/v1",
        "m",
        off,
        common(json!({"enable_thinking": false}), 300),
    );
    check(Openai, "https://openrouter.ai/api/v1", "m", None, common(json!({}), 300));
    for (model, thinks) in [
        ("claude-3-7-sonnet-latest", json!({"thinking": {"type": "enabled", "budget_tokens": 2048}})),
        ("claude-opus-4-20250514", json!({"thinking": {"type": "enabled", "budget_tokens": 2048}})),
        ("claude-haiku-4-5-20251001", json!({"thinking": {"type": "enabled", "budget_tokens": 2048}})),
        ("claude-opus-4-6", json!({"thinking": {"type": "adaptive"}, "output_config": {"effort": "low"}})),
        ("claude-next", json!({"thinking": {"type": "adaptive"}, "output_config": {"effort": "low"}})),
    ] {
        let mut want = json!({"max_tokens": 2348});
        thinks.as_object().unwrap().iter().for_each(|(name, value)| want[name] = value.clone());
        check(Anthropic, "", model, low, want);
    }
    check(Anthropic, "", "claude-next", off, json!({"max_tokens": 300, "thinking": {"type": "disabled"}}));
    let gemini = |tokens: u32, thinks: serde_json::Value| json!({"generationConfig": {"maxOutputTokens": tokens, "thinkingConfig": thinks}});
    check(Gemini, "", "gemini-2.5-flash", low, gemini(2348, json!({"thinkingBudget": 2048, "includeThoughts": true})));
    check(Gemini, "", "gemini-2.5-flash", off, gemini(300, json!({"thinkingBudget": 0, "includeThoughts": false})));
    check(Gemini, "", "gemini-3-pro", low, gemini(2348, json!({"thinkingLevel": "low", "includeThoughts": true})));
    check(
        Gemini,
        "",
        "gemini-3-flash",
        off,
        gemini(300, json!({"thinkingLevel": "minimal", "includeThoughts": false})),
    );
}

/// Who must answer in a shape by calling a tool is not asked to think, too: that is refused.
#[test]
fn whoever_must_call_a_tool_does_not_think() {
    let sampling = Sampling { effort: Some(Effort::High), ..Sampling::default() };
    let shape = Shape { name: "note", schema: json!({"type": "object"}) };
    let connection = connection(ProviderKind::Anthropic, "", sampling);
    for (takes, thinks) in [(Takes::Schema, false), (Takes::Prose, true)] {
        let body = shaped_request(&connection, None, &messages(), Some((&shape, takes))).unwrap().body.unwrap();
        assert_eq!(body.contains("\"thinking\""), thinks, "{takes:?}: {body}");
    }
}

/// The reader's own fields go over the request's: into objects of the same name, and `null` takes one out.
#[test]
fn own_fields_are_added() {
    let own = json!({"top_a": 0.2, "stream_options": null, "temperature": 1.0, "provider": {"order": ["x"]}});
    let body_of = |kind, own: serde_json::Value| {
        let connection = connection(kind, "http://localhost:1/v1", full());
        let connection = Connection { body: own.as_object().unwrap().clone(), ..connection };
        let body = chat_request(&connection, None, &messages()).unwrap().body.unwrap();
        serde_json::from_str::<serde_json::Value>(&body).unwrap()
    };
    for kind in ProviderKind::ALL {
        let mut want = body_of(kind, json!({}));
        want.as_object_mut().unwrap().shift_remove("stream_options");
        own.as_object()
            .unwrap()
            .iter()
            .filter(|(_, own)| !own.is_null())
            .for_each(|(name, own)| want[name] = own.clone());
        assert_eq!(body_of(kind, own.clone()), want, "{kind:?}");
    }
    let config = body_of(ProviderKind::Gemini, json!({"generationConfig": {"topK": null, "responseLogprobs": true}}));
    let config = &config["generationConfig"];
    assert_eq!((config.get("topK"), &config["responseLogprobs"], &config["topP"]), (None, &json!(true), &json!(0.9)));
}

/// What is asked for where an answer shall have a shape, and what stays the same.
#[test]
fn an_answer_of_a_shape_is_asked_for() {
    let object = |fields: serde_json::Value| json!({"type": "object", "properties": fields, "required": ["says"], "additionalProperties": false});
    let schema = object(json!({"says": object(json!({"says": {"type": "string"}}))}));
    let open = json!({"type": "object", "required": ["says"], "properties": {
        "says": {"type": "object", "required": ["says"], "properties": {"says": {"type": "string"}}}}});
    let shape = Shape { name: "note", schema: schema.clone() };
    let check = |kind, takes, path: &str, want: serde_json::Value| {
        let connection = connection(kind, "", full());
        let plain = chat_request(&connection, None, &messages()).unwrap();
        let shaped = shaped_request(&connection, None, &messages(), Some((&shape, takes))).unwrap();
        assert_eq!((&shaped.url, &shaped.headers), (&plain.url, &plain.headers));
        let [mut got, was] = [shaped, plain]
            .map(|request| serde_json::from_str::<serde_json::Value>(request.body.as_deref().unwrap()).unwrap());
        let place = got.pointer_mut(path).unwrap().as_object_mut().unwrap();
        let had = was.pointer(path).unwrap().as_object().unwrap();
        let names: Vec<_> = place.keys().filter(|name| !had.contains_key(*name)).cloned().collect();
        let added: serde_json::Map<_, _> =
            names.into_iter().filter_map(|name| Some((name.clone(), place.remove(&name)?))).collect();
        assert_eq!((serde_json::Value::from(added), got), (want, was), "{kind:?} {takes:?}");
    };
    use ProviderKind::*;
    let format = json!({"type": "json_schema", "json_schema": {"name": "note", "strict": true, "schema": schema}});
    check(Openai, Takes::Schema, "", json!({"response_format": format}));
    check(Openai, Takes::Object, "", json!({"response_format": {"type": "json_object"}}));
    let json = "application/json";
    check(Gemini, Takes::Schema, "/generationConfig", json!({"responseMimeType": json, "responseSchema": open}));
    check(Gemini, Takes::Object, "/generationConfig", json!({"responseMimeType": json}));
    let tool =
        json!({"tools": [{"name": "note", "input_schema": schema}], "tool_choice": {"type": "tool", "name": "note"}});
    check(Anthropic, Takes::Schema, "", tool);
    for kind in ProviderKind::ALL {
        check(kind, Takes::Prose, "", json!({}));
    }
}
