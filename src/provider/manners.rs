//! What a model's server wants of the messages beside what its protocol says, known of a few and learnt of the others from
//! a refusal: chat templates, gateways and newer models take less than the protocol does, and name no parameter for it.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{Message, openai, turns};
use crate::story::{
    connection::{Connection, ProviderKind},
    fault::{Fault, FaultKind},
    preset::Role,
};

/// Where the system may speak.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum System {
    #[default]
    Anywhere,
    /// Before the conversation, in which the two take turns (Mistral; Qwen3.5 and later by their own template).
    First,
    /// Nowhere: what it has to say begins the user's first turn (Gemma).
    Never,
}

/// What is learnt of a connection's model, in [`Connection::extra`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Manners {
    model: String,
    system: System,
    /// The last words are the user's (Claude from 4.6, Gemini from 3.5).
    user_last: bool,
    /// The answer comes at once, not as a stream (OpenAI, for whom it does not know).
    whole: bool,
    /// The limit of the answer goes by its newer name (OpenAI's newer models, behind whatever gateway).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    limit_renamed: bool,
    /// No count of the tokens is asked for (older and stricter servers).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    uncounted: bool,
}

/// The newer name of the limit.
pub(super) const LIMIT: &str = "max_completion_tokens";

impl Manners {
    pub const FIELD: &str = "manners";

    /// As far as they are known.
    pub fn of(connection: &Connection) -> Self {
        let stored = connection.extra.get(Self::FIELD);
        let stored = stored.and_then(|value| serde_json::from_value::<Self>(value.clone()).ok());
        let mut known = stored.filter(|stored| stored.model == connection.model).unwrap_or_default();
        known.model.clone_from(&connection.model);
        if connection.kind == ProviderKind::Openai && openai::takes_turns(connection) {
            known.system = known.system.max(System::First);
        }
        known
    }

    pub fn keep(self, connection: &mut Connection) {
        let stored = serde_json::to_value(self).expect("a record has text keys");
        connection.extra.insert(Self::FIELD.to_owned(), stored);
    }

    pub(super) fn streams(&self) -> bool {
        !self.whole
    }

    pub(super) fn counts(&self) -> bool {
        !self.uncounted
    }

    /// Whether the limit is called otherwise than the protocol has it.
    pub(super) fn renames_limit(&self) -> bool {
        self.limit_renamed
    }

    /// The messages as this server takes them. `begins`: the last of them begins the reply, and goes on as it is.
    pub(super) fn arranged<'m>(&self, messages: &'m [Message], begins: bool) -> Cow<'m, [Message]> {
        let mut arranged = match self.system {
            System::Anywhere => Cow::Borrowed(messages),
            System::First => turns::in_turns(messages).into(),
            System::Never => turns::without_system(messages).into(),
        };
        let ends = arranged.last().is_some_and(|last| last.role == Role::Assistant);
        if self.user_last && ends && !begins {
            arranged.to_mut().push(Message::new(Role::User, turns::OPENING));
        }
        arranged
    }
}

/// Lets the connection's next request mind what the refusal of its last one asks for, `None` where it asks for nothing of
/// the kind, or was minded already.
///
/// Seen in the wild: `System message must be at the beginning.` (Qwen3.5 behind llama.cpp, vLLM, Fireworks) · `Unexpected
/// role 'system' after role 'assistant'` (Mistral) · `Conversation roles must alternate user/assistant/…`, `System role not
/// supported` (templates of Gemma, Mistral, Llama 2) · `Developer instruction is not enabled for models/gemma-3-27b-it`
/// (Gemini) · `The conversation must end with a user message.` (Anthropic) · `Requests ending with a model turn are not
/// supported.` (Gemini) · `Your organization must be verified to stream this model.`, `Unsupported parameter: 'max_tokens' is
/// not supported with this model. Use 'max_completion_tokens' instead.` (OpenAI) · `body.stream_options: Extra inputs are not
/// permitted` (vLLM, Mistral).
pub fn mind(connection: &mut Connection, fault: &Fault) -> Option<Manners> {
    if !matches!(fault.kind, FaultKind::BadRequest | FaultKind::ProviderDown) {
        return None;
    }
    let words = fault.detail.to_lowercase();
    let says = |phrases: &[&str]| phrases.iter().any(|phrase| words.contains(phrase));
    let before = Manners::of(connection);
    let mut known = before.clone();
    if says(&["system role not supported", "system role is not supported", "developer instruction is not enabled"]) {
        known.system = System::Never;
    } else if says(&[
        "system message must be",
        "unexpected role 'system'",
        "roles must alternate",
        "alternate user/assistant",
    ]) {
        known.system = if before.system == System::Anywhere { System::First } else { System::Never };
    } else if ends_wrongly(&words) {
        known.user_last = true;
    } else if says(&["verified to stream"]) {
        known.whole = true;
    } else if says(&[LIMIT]) {
        known.limit_renamed = connection.kind == ProviderKind::Openai;
    } else if says(&["stream_options", "include_usage"]) {
        known.uncounted = connection.kind == ProviderKind::Openai;
    }
    if known == before {
        return None;
    }
    known.clone().keep(connection);
    Some(known)
}

/// Whether a refusal, in lower case, says that a conversation may not end with the model's words.
pub(super) fn ends_wrongly(words: &str) -> bool {
    const WORDS: [&str; 4] =
        ["end with a user message", "ending with a model turn", "end with a user turn", "expected last role user"];
    WORDS.iter().any(|phrase| words.contains(phrase))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::provider::chat_request;

    fn connection(kind: ProviderKind, url: &str) -> Connection {
        Connection { kind, url: url.into(), model: "m".into(), ..Connection::default() }
    }

    fn messages() -> Vec<Message> {
        let said = [
            (Role::System, "Instructions."),
            (Role::Assistant, "The door opens."),
            (Role::System, "The form."),
            (Role::User, "Hello."),
            (Role::System, "The note."),
        ];
        said.map(|(role, text)| Message::new(role, text)).to_vec()
    }

    fn body(connection: &Connection, messages: &[Message]) -> Value {
        serde_json::from_str(&chat_request(connection, None, messages).unwrap().body.unwrap()).unwrap()
    }

    fn roles(body: &Value) -> String {
        let roles = body["messages"].as_array().unwrap().iter().map(|one| one["role"].as_str().unwrap());
        roles.map(|role| &role[..1]).collect()
    }

    #[test]
    fn what_a_template_refuses_is_arranged_otherwise() {
        let local = || connection(ProviderKind::Openai, "http://localhost:8080/v1");
        for (kind, words, want) in [
            (FaultKind::BadRequest, "System message must be at the beginning.", Some("suau")),
            (
                FaultKind::ProviderDown,
                "Jinja Exception: Conversation roles must alternate user/assistant/…",
                Some("suau"),
            ),
            (FaultKind::BadRequest, "System role not supported", Some("uau")),
            (FaultKind::BadRequest, "messages are wrong", None),
            (FaultKind::RateLimited, "System message must be at the beginning.", None),
        ] {
            let mut known = local();
            let minds = mind(&mut known, &Fault::new(kind, words)).is_some();
            assert_eq!(
                (minds, roles(&body(&known, &messages()))),
                (want.is_some(), want.unwrap_or("sasus").into()),
                "{words}"
            );
            assert!(mind(&mut known, &Fault::new(kind, "messages are wrong")).is_none());
        }
        // Nothing that was said is lost, and one that does not help is not tried again.
        let mut known = local();
        let refusal = Fault::new(FaultKind::BadRequest, "Unexpected role 'system' after role 'assistant'");
        for all in [
            "s:Instructions. u:… a:The door opens. u:The form.||Hello.||The note.",
            "u:Instructions.||… a:The door opens. u:The form.||Hello.||The note.",
        ] {
            assert!(mind(&mut known, &refusal).is_some());
            let body = body(&known, &messages());
            let said = body["messages"].as_array().unwrap().iter();
            let said =
                said.map(|one| format!("{}:{}", &one["role"].as_str().unwrap()[..1], one["content"].as_str().unwrap()));
            assert_eq!(said.collect::<Vec<_>>().join(" ").replace("\n\n", "||"), all);
        }
        assert!(mind(&mut known, &refusal).is_none());
        // Another model is another matter; Mistral's own server is known for it.
        known.model = "n".into();
        assert_eq!(roles(&body(&known, &messages())), "sasus");
        assert_eq!(roles(&body(&connection(ProviderKind::Openai, "https://api.mistral.ai/v1"), &messages())), "suau");
    }

    #[test]
    fn gemma_has_its_instructions_from_the_user() {
        let mut gemma = connection(ProviderKind::Gemini, "");
        let refusal =
            Fault::new(FaultKind::BadRequest, "Developer instruction is not enabled for models/gemma-3-27b-it");
        assert!(body(&gemma, &messages())["systemInstruction"].is_object());
        assert!(mind(&mut gemma, &refusal).is_some());
        let body = body(&gemma, &messages());
        assert_eq!(
            (&body["systemInstruction"], &body["contents"][0]["parts"][0]["text"]),
            (&Value::Null, &json!("Instructions.\n\n…"))
        );
    }

    #[test]
    fn the_last_words_are_the_users_where_the_models_may_not_be() {
        let talk = [Message::new(Role::User, "Hello."), Message::new(Role::Assistant, "She")];
        for (kind, words) in [
            (
                ProviderKind::Anthropic,
                "This model does not support assistant message prefill. The conversation must end with a user message.",
            ),
            (ProviderKind::Gemini, "Requests ending with a model turn are not supported."),
            (
                ProviderKind::Openai,
                "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant",
            ),
        ] {
            let mut known = connection(kind, "");
            assert!(mind(&mut known, &Fault::new(FaultKind::BadRequest, words)).is_some(), "{words}");
            let body = body(&known, &talk);
            let last = if kind == ProviderKind::Gemini { &body["contents"][2] } else { &body["messages"][2] };
            assert_eq!(last["role"], "user", "{kind:?}");
        }
    }

    #[test]
    fn the_limit_goes_by_the_name_that_is_asked_for() {
        let words = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
        let refusal = Fault::new(FaultKind::BadRequest, words);
        let mut known = connection(ProviderKind::Openai, "https://gate.example/v1");
        known.sampling.max_tokens = Some(300);
        assert_eq!(body(&known, &messages())["max_tokens"], 300);
        assert_eq!(crate::provider::leave_out(&mut known, &refusal), None, "it is not left out");
        assert!(mind(&mut known, &refusal).is_some());
        let minded = body(&known, &messages());
        assert_eq!((minded.get("max_tokens"), &minded["max_completion_tokens"]), (None, &json!(300)));
        // Refused by that name, too, it is.
        assert!(mind(&mut known, &refusal).is_none());
        assert!(crate::provider::leave_out(&mut known, &refusal).is_some());
        assert_eq!(body(&known, &messages()).get("max_completion_tokens"), None);
    }

    #[test]
    fn who_does_not_count_is_not_asked_to() {
        let mut known = connection(ProviderKind::Openai, "http://localhost:8000/v1");
        let words = "body.stream_options: Extra inputs are not permitted";
        assert!(mind(&mut known, &Fault::new(FaultKind::BadRequest, words)).is_some());
        let body = body(&known, &messages());
        assert_eq!((&body["stream"], body.get("stream_options")), (&json!(true), None));
    }

    #[test]
    fn what_was_learnt_is_of_one_model_and_can_be_forgotten() {
        for words in ["Your organization must be verified to stream this model.", "temperature is not supported"] {
            let mut known = connection(ProviderKind::Openai, "");
            known.sampling.temperature = Some(1.0);
            let plain = body(&known, &messages());
            assert!(!crate::provider::has_learnt(&known));
            let fault = Fault::new(FaultKind::BadRequest, words);
            assert!(crate::provider::leave_out(&mut known, &fault).is_some() || mind(&mut known, &fault).is_some());
            assert!(crate::provider::has_learnt(&known));
            known.model = "n".into();
            assert!(!crate::provider::has_learnt(&known));
            known.model = "m".into();
            crate::provider::forget_learnt(&mut known);
            assert!(!crate::provider::has_learnt(&known) && body(&known, &messages()) == plain, "{words}");
        }
    }

    #[test]
    fn who_may_not_stream_has_it_whole() {
        let mut known = connection(ProviderKind::Openai, "");
        let words = "Your organization must be verified to stream this model. Please go to: …";
        assert!(mind(&mut known, &Fault::new(FaultKind::BadRequest, words)).is_some());
        let body = body(&known, &messages());
        assert_eq!((body.get("stream"), body.get("stream_options")), (None, None));
    }
}
