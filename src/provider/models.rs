//! The list of models that a provider answers with.

use serde_json::Value;

use super::errors;
use crate::story::{
    connection::ProviderKind,
    fault::{Fault, FaultKind},
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
    fn what_is_no_list_is_a_fault() {
        refuse("<html><title>App</title></html>", FaultKind::NotTheProtocol, "App");
        refuse(r#"{"hello":1}"#, FaultKind::NotTheProtocol, r#"{"hello":1}"#);
        refuse("[1]", FaultKind::NotTheProtocol, "a list without names");
        refuse(r#"{"error":{"code":429,"message":"slow"}}"#, FaultKind::RateLimited, "slow");
    }
}
