//! What of the sampling a request carries: each protocol knows some of it, and each model takes some of that. What is
//! left out is known before ([`left_out`]), or is learnt from a refusal ([`leave_out`]).

use serde_json::{Map, Value};

use super::{anthropic, gemini, manners, openai, request::put};
use crate::story::{
    connection::{Connection, ProviderKind},
    fault::{Fault, FaultKind},
    sampling::{Effort, Parameter, Refused, Sampling},
};

/// What says a parameter in a protocol: fields with their values. None where the protocol has no word for it.
pub(super) type Fields = Vec<(&'static str, Value)>;

/// The parameters that are set, as the connection's protocol says them; those that its model refuses are not among them, and
/// no longer reply is asked for than is kept free for it.
pub(super) fn of(connection: &Connection) -> Vec<(Parameter, Fields)> {
    let mut taken = Refused::taken(connection);
    if connection.context_tokens > 0 {
        let most = taken.most(connection.context_tokens);
        taken.max_tokens = taken.max_tokens.map(|tokens| tokens.min(most));
    }
    let said = |sampling: &Sampling, parameter| match connection.kind {
        ProviderKind::Openai => openai::fields(connection, sampling, parameter),
        ProviderKind::Anthropic => anthropic::fields(connection, sampling, parameter),
        ProviderKind::Gemini => gemini::fields(connection, sampling, parameter),
    };
    taken.set().map(|parameter| (parameter, said(&taken, parameter))).collect()
}

pub(super) fn put_all(body: &mut Map<String, Value>, connection: &Connection) {
    for (_, fields) in of(connection).into_iter().filter(|(parameter, _)| *parameter != Parameter::Prefill) {
        fields.into_iter().for_each(|(name, value)| put(body, name, Some(value)));
    }
}

/// Whether a reply is begun for the model: first words are set, and it goes on from them. They are no field but the last
/// message.
pub fn takes_prefill(connection: &Connection) -> bool {
    of(connection).iter().any(|(parameter, fields)| *parameter == Parameter::Prefill && !fields.is_empty())
}

/// What is set and not sent.
pub fn left_out(connection: &Connection) -> Vec<Parameter> {
    let sent = of(connection);
    let is_sent = |parameter: &Parameter| sent.iter().any(|(of, fields)| of == parameter && !fields.is_empty());
    connection.sampling.set().filter(|parameter| !is_sent(parameter)).collect()
}

/// Leaves out of the connection's next request what the refusal of its last one names; `None` where it names nothing. Of how
/// much to think the nearest that was not refused is asked for instead, unless the model has no word for it at all.
pub fn leave_out(connection: &mut Connection, fault: &Fault) -> Option<Parameter> {
    let parameter = Some(fault).filter(|fault| fault.kind == FaultKind::BadRequest);
    let parameter = parameter.and_then(|fault| refused(connection, &fault.detail))?;
    let mut known = Refused::of(connection);
    let sent = known.without(&connection.sampling).value(parameter)?;
    // Not to think at all is refused by many who think, in whatever words.
    if parameter == Parameter::Effort && sent != Effort::Off.name() && !names_a_value(&fault.detail) {
        Effort::ALL.into_iter().for_each(|effort| known.add(parameter, effort.name().into()));
    } else {
        known.add(parameter, sent);
    }
    known.keep(connection);
    Some(parameter)
}

/// Whether a refusal is of how much was to be thought. Seen in the wild: `Unsupported value: 'reasoning_effort' does not
/// support 'none' with this model.` (OpenAI) · `Budget 0 is invalid. This model only works in thinking mode.`, `Thinking
/// level MINIMAL is not supported for this model.` (Gemini); but `Thinking is not enabled for this model` (Gemini) and
/// `Unsupported parameter: 'reasoning_effort'` (OpenAI) are of all of it.
fn names_a_value(words: &str) -> bool {
    let words = words.to_lowercase();
    ["value", "support '", "budget", "level"].iter().any(|word| words.contains(word))
}

/// Asks for an answer of so many tokens at most, and for no thoughts: a model that thinks unasked would spend all of them on
/// that. One that cannot be told so has room for some.
pub fn briefly(connection: &mut Connection, tokens: u32) {
    let has_switch = match connection.kind {
        ProviderKind::Openai => openai::has_switch(connection),
        ProviderKind::Anthropic | ProviderKind::Gemini => true,
    };
    if has_switch {
        connection.sampling.effort.get_or_insert(Effort::Off);
    }
    connection.sampling.effort = Refused::taken(connection).effort;
    let room = if connection.sampling.effort.is_none() { Effort::Low.room() } else { 0 };
    let most = if connection.context_tokens == 0 { u32::MAX } else { connection.context_tokens / 8 };
    connection.sampling.max_tokens = Some(tokens.saturating_add(room.min(most)));
}

/// The parameter that a refusal names, of those that were sent: the request may do without it.
///
/// `words`: the provider's own. Seen in the wild: `Unsupported parameter: 'temperature' is not supported with this
/// model.` (OpenAI) · `temperature is deprecated for this model.` (Anthropic) · `Penalty is not enabled for this model`,
/// `Unknown name "topK" at 'generation_config'` (Gemini) · `Argument not supported on this model: presencePenalty` (xAI) ·
/// `body.top_k: Extra inputs are not permitted` (FastAPI, Mistral) · `property 'top_k' is unsupported` (Groq) · `This model
/// does not support assistant message prefill. The conversation must end with a user message.` (Anthropic).
fn refused(connection: &Connection, words: &str) -> Option<Parameter> {
    let plain = |word: &str| word.replace('_', "").to_lowercase();
    let said: Vec<_> = words.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).map(plain).collect();
    let says = |name: &str| said.contains(&plain(name));
    // Under the name that it offers instead it is sent first.
    let is_renamed = says(manners::LIMIT);
    let is_named = |(parameter, fields): &(Parameter, Fields)| {
        if is_renamed && *parameter == Parameter::MaxTokens {
            return fields.iter().any(|(name, _)| *name == manners::LIMIT);
        }
        let mut names =
            fields.iter().map(|(name, _)| *name).chain([parameter.name()]).chain(called(*parameter).iter().copied());
        !fields.is_empty() && names.any(says)
    };
    let ends = manners::ends_wrongly(&words.to_lowercase());
    let is_meant =
        |one: &(Parameter, Fields)| is_named(one) || ends && one.0 == Parameter::Prefill && !one.1.is_empty();
    of(connection).into_iter().find(is_meant).map(|(parameter, _)| parameter)
}

/// What else it is called in a refusal.
fn called(parameter: Parameter) -> &'static [&'static str] {
    match parameter {
        Parameter::FrequencyPenalty | Parameter::PresencePenalty | Parameter::RepetitionPenalty => &["penalty"],
        Parameter::Effort => &["thinking", "thinking_level", "thinking_budget", "reasoning"],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::story::sampling::Effort;

    fn connection(kind: ProviderKind, url: &str, model: &str) -> Connection {
        let sampling = Sampling {
            temperature: Some(0.7),
            top_p: Some(0.9),
            top_k: Some(40),
            min_p: Some(0.05),
            frequency_penalty: Some(0.1),
            presence_penalty: Some(0.2),
            repetition_penalty: Some(1.1),
            max_tokens: Some(300),
            stop: vec!["x".into()],
            seed: Some(7),
            logit_bias: serde_json::Map::from_iter([("50".to_owned(), json!(-100.0))]),
            effort: Some(Effort::Low),
            prefill: "“".into(),
            ..Sampling::default()
        };
        Connection { kind, url: url.into(), model: model.into(), sampling, ..Connection::default() }
    }

    #[test]
    fn what_a_protocol_has_no_word_for_is_told() {
        use Parameter::*;
        for (kind, url, model, want) in [
            (ProviderKind::Openai, "", "gpt-5", &[TopK, MinP, RepetitionPenalty, Prefill][..]),
            (ProviderKind::Openai, "http://localhost:8080/v1", "", &[]),
            (ProviderKind::Openai, "https://openrouter.ai/api/v1", "x/y", &[]),
            (ProviderKind::Openai, "https://api.mistral.ai/v1", "m", &[TopK, MinP, RepetitionPenalty, LogitBias]),
            // Whoever thinks may not be told how to choose words there.
            (
                ProviderKind::Anthropic,
                "",
                "claude-sonnet-4-6",
                &[
                    Temperature,
                    TopP,
                    TopK,
                    MinP,
                    FrequencyPenalty,
                    PresencePenalty,
                    RepetitionPenalty,
                    Seed,
                    LogitBias,
                    Prefill,
                ],
            ),
            (ProviderKind::Gemini, "", "gemini-2.5-pro", &[MinP, RepetitionPenalty, LogitBias]),
        ] {
            assert_eq!(left_out(&connection(kind, url, model)), want, "{kind:?} {url}");
        }
    }

    #[test]
    fn a_refusal_names_what_to_leave_out() {
        use Parameter::*;
        use ProviderKind::*;
        for (kind, words, want) in [
            (Openai, "Unsupported parameter: 'temperature' is not supported with this model.", Some(Temperature)),
            (Openai, "Unsupported value: 'temperature' does not support 0.2 with this model.", Some(Temperature)),
            (
                Openai,
                "body.top_k: Extra inputs are not permitted; body.min_p: Extra inputs are not permitted",
                Some(TopK),
            ),
            (Openai, "property 'min_p' is unsupported", Some(MinP)),
            (Openai, "Argument not supported on this model: presencePenalty", Some(PresencePenalty)),
            (Openai, "Unrecognized request argument supplied: reasoning_effort", Some(Effort)),
            (Openai, "Invalid 'stop': array too long.", Some(Stop)),
            (Openai, "Unknown name \"top_a\"", None),
            (Openai, "The messages are not as they should be.", None),
            (Gemini, "Penalty is not enabled for this model", Some(FrequencyPenalty)),
            (Gemini, "Invalid JSON payload received. Unknown name \"topK\" at 'generation_config'", Some(TopK)),
            (Gemini, "Budget 0 is invalid. This model only works in thinking mode.", Some(Effort)),
            (Openai, "Unsupported value: 'reasoning.effort' does not support 'none' with this model.", Some(Effort)),
            // It was not sent there.
            (Gemini, "min_p is not supported", None),
        ] {
            let connection = connection(kind, "http://localhost/v1", "m");
            assert_eq!(refused(&connection, words), want, "{words}");
        }
        let mut anthropic = connection(Anthropic, "", "claude-opus-4-7");
        anthropic.sampling.effort = None;
        assert_eq!(refused(&anthropic, "temperature is deprecated for this model."), Some(Temperature));
        let words =
            "This model does not support assistant message prefill. The conversation must end with a user message.";
        assert_eq!(refused(&anthropic, words), Some(Prefill));
        let gemini = connection(Gemini, "", "gemini-3.6-flash");
        assert_eq!(refused(&gemini, "Requests ending with a model turn are not supported."), Some(Prefill));
    }

    #[test]
    fn a_brief_answer_has_room_for_thoughts_that_nothing_stops() {
        let brief = |kind, url: &str, effort: Option<Effort>| {
            let sampling = Sampling { effort, ..Sampling::default() };
            let mut connection = Connection { kind, url: url.into(), sampling, ..Connection::default() };
            briefly(&mut connection, 80);
            (connection.sampling.effort, connection.sampling.answer().unwrap())
        };
        use Effort::{Low, Off};
        let deepseek = "https://api.deepseek.com/v1";
        assert_eq!(brief(ProviderKind::Openai, deepseek, None), (Some(Off), 80));
        assert_eq!(brief(ProviderKind::Openai, deepseek, Some(Low)), (Some(Low), 80 + Low.room()));
        assert_eq!(brief(ProviderKind::Openai, "", None), (None, 80 + Low.room()));
        let mut known = connection(ProviderKind::Gemini, "", "gemini-2.5-pro");
        known.sampling.effort = None;
        briefly(&mut known, 80);
        assert_eq!((known.sampling.effort, known.sampling.answer()), (Some(Off), Some(80)));
        let refusal = "Budget 0 is invalid. This model only works in thinking mode.";
        assert_eq!(leave_out(&mut known, &Fault::new(FaultKind::BadRequest, refusal)), Some(Parameter::Effort));
        briefly(&mut known, 80);
        assert_eq!((known.sampling.effort, known.sampling.answer()), (Some(Low), Some(80 + Low.room())));
        let mut small = Connection { context_tokens: 4_096, ..Connection::default() };
        briefly(&mut small, 80);
        assert_eq!(small.sampling.answer(), Some(80 + 512));
    }

    #[test]
    fn who_thinks_not_so_much_is_asked_for_what_is_nearest() {
        use Effort::{High, Low, Medium, Off};
        let value = "Unsupported value: 'reasoning_effort' does not support it with this model.";
        for (set, words, want) in [
            (
                Off,
                "Thinking level MINIMAL is not supported for this model.",
                &[Some(Low), Some(Medium), Some(High), None][..],
            ),
            (Off, "Unable to submit request: thinking_level MINIMAL is not supported.", &[Some(Low)]),
            (Off, "Budget 0 is invalid. This model only works in thinking mode.", &[Some(Low)]),
            (Low, value, &[Some(Medium), Some(High), None]),
            (Medium, value, &[Some(Low), Some(High), None]),
            (High, value, &[Some(Medium), Some(Low), None]),
            (Off, "reasoning_effort: Input should be 'low', 'medium' or 'high'", &[Some(Low)]),
            (High, "Unsupported parameter: 'reasoning_effort' is not supported with this model.", &[None]),
            (High, "Thinking is not enabled for this model", &[None]),
        ] {
            let kind = if words.contains("reasoning") { ProviderKind::Openai } else { ProviderKind::Gemini };
            let mut connection = connection(kind, "", "gemini-3-pro");
            connection.sampling = Sampling { effort: Some(set), max_tokens: Some(300), ..Sampling::default() };
            for want in want {
                assert_eq!(
                    leave_out(&mut connection, &Fault::new(FaultKind::BadRequest, words)),
                    Some(Parameter::Effort)
                );
                let sent = of(&connection);
                let sent = |parameter| sent.iter().find(|one| one.0 == parameter).map(|one| json!(one.1));
                let thinks = sent(Parameter::Effort).map(|fields| fields.to_string());
                assert_eq!(thinks.is_some(), want.is_some(), "{set:?} {words}");
                assert!(
                    want.is_none_or(|want| thinks.is_some_and(|thinks| thinks.contains(want.name()))),
                    "{set:?} {words}"
                );
                // The reply keeps its room beside the thoughts.
                let most = 300 + want.map_or(0, Effort::room);
                assert_eq!(sent(Parameter::MaxTokens).unwrap()[0][1], most);
            }
            assert_eq!(left_out(&connection).contains(&Parameter::Effort), want.last() == Some(&None));
        }
    }

    #[test]
    fn one_after_the_other_is_left_out_until_nothing_is() {
        let mut connection = connection(ProviderKind::Openai, "http://localhost/v1", "m");
        let all: Vec<_> = connection.sampling.set().collect();
        let words = all.iter().map(|parameter| parameter.name()).collect::<Vec<_>>().join(" ");
        let mut found = Vec::new();
        let refusal = |kind| Fault::new(kind, &words);
        assert_eq!(leave_out(&mut connection, &refusal(FaultKind::ProviderDown)), None);
        while let Some(parameter) = leave_out(&mut connection, &refusal(FaultKind::BadRequest)) {
            found.push(parameter);
        }
        assert_eq!((&found, left_out(&connection)), (&all, all.clone()));
        let mut body = Map::new();
        put_all(&mut body, &connection);
        assert_eq!(json!(body), json!({}));
    }
}
