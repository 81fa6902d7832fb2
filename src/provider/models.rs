//! The list of models that a provider answers with.

use std::collections::BTreeMap;

use serde_json::Value;

use super::errors;
use crate::story::{
    connection::ProviderKind,
    fault::{Fault, FaultKind},
    price::{CURRENCY, Price, decimal},
};

/// The names of the models in `body`, as they go into `Connection::model`, in the provider's order.
///
/// Takes `{"data":[{"id"}]}` (OpenAI, Anthropic), `{"models":[{"name"}]}` (Gemini, Ollama) and a bare array (Together).
///
/// # Errors
/// `NotTheProtocol`, or what the provider's error object says.
pub fn parse_models(kind: ProviderKind, body: &str) -> Result<Vec<String>, Fault> {
    let value: Value =
        serde_json::from_str(body.trim_start_matches('\u{FEFF}')).map_err(|_| errors::not_the_protocol(body, None))?;
    if let Some(fault) = errors::fault_in(&value, None) {
        return Err(fault);
    }
    // llama.cpp sends both `models` and `data`.
    let list = [&value["data"], &value["models"], &value].into_iter().find_map(Value::as_array);
    let Some(list) = list else {
        // Gemini leaves out an empty list.
        let empty = kind == ProviderKind::Gemini && value.as_object().is_some_and(|object| object.is_empty());
        return if empty { Ok(Vec::new()) } else { Err(errors::not_the_protocol(body, None)) };
    };
    let mut names: Vec<String> = Vec::new();
    for model in list.iter().filter(|model| talks(model)) {
        let name = ["id", "name", "model"].iter().find_map(|field| model[*field].as_str()).or(model.as_str());
        let Some(name) = name.map(|name| name.strip_prefix("models/").unwrap_or(name)) else { continue };
        if !name.is_empty() && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    if names.is_empty() && !list.is_empty() && !list.iter().all(Value::is_object) {
        return Err(Fault::new(FaultKind::NotTheProtocol, "a list without names"));
    }
    Ok(names)
}

/// What models cost, by their names in [`parse_models`], where the list says so: OpenRouter's does, in dollars for a token,
/// written as texts.
pub fn parse_prices(body: &str) -> BTreeMap<String, Price> {
    let value: Value = serde_json::from_str(body.trim_start_matches('\u{FEFF}')).unwrap_or_default();
    let list = value["data"].as_array().into_iter().flatten();
    list.filter_map(|model| Some((model["id"].as_str()?.to_owned(), price(&model["pricing"])?))).collect()
}

fn price(pricing: &Value) -> Option<Price> {
    // A millionth of a dollar for a million tokens is the twelfth decimal of a dollar for one.
    let of = |name| pricing[name].as_str().and_then(|text| decimal(text, 12));
    Some(Price {
        currency: CURRENCY.into(),
        input: of("prompt")?,
        output: of("completion")?,
        cached: of("input_cache_read"),
        written: of("input_cache_write"),
        listed: true,
    })
}

/// Gemini lists embedders and painters too, and says what each can do.
fn talks(model: &Value) -> bool {
    match model["supportedGenerationMethods"].as_array() {
        Some(methods) => methods.iter().any(|method| method == "generateContent"),
        None => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(kind: ProviderKind, body: &str, want: &[&str]) {
        assert_eq!(parse_models(kind, body).unwrap(), want, "{body}");
    }

    #[track_caller]
    fn refuse(body: &str, kind: FaultKind, detail: &str) {
        for provider in ProviderKind::ALL {
            let fault = parse_models(provider, body).unwrap_err();
            assert_eq!((fault.kind, fault.detail.as_str()), (kind, detail), "{body}");
        }
    }

    #[test]
    fn models_are_listed() {
        use ProviderKind::*;
        check(Openai, r#"{"object":"list","data":[{"id":"b"},{"id":"a"},{"id":"b"},{"id":""},{}]}"#, &["b", "a"]);
        check(Openai, r#"{"models":[{"name":"x.gguf","model":"x.gguf"}],"data":[{"id":"x"}]}"#, &["x"]);
        check(Openai, r#"[{"id":"meta/llama"}]"#, &["meta/llama"]);
        check(Openai, r#"{"data":[]}"#, &[]);
        check(
            Anthropic,
            r#"{"data":[{"type":"model","id":"claude-x","display_name":"X"}],"has_more":false}"#,
            &["claude-x"],
        );
        check(
            Gemini,
            r#"{"models":[{"name":"models/gemini-x","supportedGenerationMethods":["generateContent"]},
                {"name":"models/embed","supportedGenerationMethods":["embedContent"]},{"name":"tunedModels/y"}]}"#,
            &["gemini-x", "tunedModels/y"],
        );
        check(Gemini, "{}", &[]);
    }

    #[test]
    fn prices_are_read_where_they_are_told() {
        let check = |body: &str, expected: &[(&str, Price)]| {
            let expected = expected.iter().map(|(name, price)| ((*name).to_owned(), price.clone())).collect();
            assert_eq!(parse_prices(body), expected, "{body}");
        };
        let listed = Price { listed: true, ..Price::default() };
        check(
            r#"{"data":[
                {"id":"a","pricing":{"prompt":"0.000003","completion":"0.000015","input_cache_read":"0.0000003","input_cache_write":"0.00000375","request":"0"}},
                {"id":"free","pricing":{"prompt":"0","completion":"0"}},
                {"id":"auto","pricing":{"prompt":"-1","completion":"-1"}},
                {"id":"half","pricing":{"prompt":"0.1"}},
                {"id":"other","pricing":{"input":3,"output":4}},
                {"id":"none"},{"pricing":{"prompt":"1","completion":"1"}},7]}"#,
            &[
                (
                    "a",
                    Price {
                        input: 3_000_000,
                        output: 15_000_000,
                        cached: Some(300_000),
                        written: Some(3_750_000),
                        ..listed.clone()
                    },
                ),
                ("free", listed.clone()),
            ],
        );
        for body in ["", "[]", "<p>", r#"{"data":{"id":"a"}}"#] {
            check(body, &[]);
        }
    }

    #[test]
    fn what_is_no_list_is_a_fault() {
        refuse("<html><title>App</title></html>", FaultKind::NotTheProtocol, "App");
        refuse(r#"{"hello":1}"#, FaultKind::NotTheProtocol, r#"{"hello":1}"#);
        refuse("[1]", FaultKind::NotTheProtocol, "a list without names");
        refuse(r#"{"error":{"code":429,"message":"slow"}}"#, FaultKind::RateLimited, "slow");
    }
}
