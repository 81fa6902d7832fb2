//! How long a prompt was that a provider refused for its length, and what its model takes: read out of its own words.
//!
//! Every server words it in its own way, but the numbers stand beside one of a few phrases. What is not told is 0.

use serde_json::Value;

use crate::story::fault::Length;

/// What the model takes stands soon after one of these,
const TAKES: &[&str] = &[
    "maximum context length",
    "maximum prompt length",
    "context length of",
    "context length is",
    "context size",
    "context window of",
    "context limit",
    "model token limit",
    "exceeds the limit of",
    "configured limit of",
    "tokens allowed",
    "maximum allowed length",
    "length should be [1,",
    "max_seq_len",
    "must be <=",
    "must have less than",
    "n_ctx:",
];

/// or right before one of these.
const TAKES_BEFORE: &[&str] = &[" maximum context length", " maximum"];

/// The count of the prompt, likewise.
const PROMPT: &[&str] = &[
    "resulted in",
    "input token count",
    "token count of",
    "too long:",
    "prompt contains",
    "request contains",
    "request has",
    "request (",
    "input length (",
    "requested tokens (",
    "prompt_tokens (",
    "keep the first",
    "n_keep:",
    "exceed context limit:",
    "given:",
];
const PROMPT_BEFORE: &[&str] = &[" in the messages", " in your prompt", " of text input"];

/// Characters that may stand between a phrase and its number.
const APART: usize = 12;

/// Smaller numbers are none of tokens: a status, an index.
const LEAST: u32 = 100;

/// What the words of a refusal tell.
pub(super) fn of_words(words: &str) -> Length {
    // "200,000" is one number.
    let chars: Vec<char> = words.to_lowercase().chars().collect();
    let is_digit = |at: usize| chars.get(at).is_some_and(char::is_ascii_digit);
    let between = |at: usize| chars[at] == ',' && at > 0 && is_digit(at - 1) && (1..=3).all(|next| is_digit(at + next));
    let plain: String = (0..chars.len()).filter(|at| !between(*at)).map(|at| chars[at]).collect();
    let any = |phrases: &[&str], find: fn(&str, &str) -> Option<u32>| {
        phrases.iter().find_map(|phrase| find(&plain, phrase).filter(|number| *number >= LEAST))
    };
    // `178959 + 64000 > 200000`: the sum comes first.
    let takes = sum(&plain).or_else(|| any(TAKES, after)).or_else(|| any(TAKES_BEFORE, before));
    let prompt = any(PROMPT_BEFORE, before).or_else(|| any(PROMPT, after));
    Length { prompt: prompt.unwrap_or(0), takes: takes.unwrap_or(0), ..Length::default() }
}

/// What the fields of an error's object tell (llama.cpp).
pub(super) fn of_fields(object: &Value) -> Length {
    let field = |name: &str| object[name].as_u64().and_then(|number| u32::try_from(number).ok()).unwrap_or(0);
    Length { prompt: field("n_prompt_tokens"), takes: field("n_ctx"), ..Length::default() }
}

/// The first number within a few characters after the phrase, of any of its places.
fn after(text: &str, phrase: &str) -> Option<u32> {
    text.match_indices(phrase).find_map(|(at, _)| {
        let rest = &text[at + phrase.len()..];
        let begin = rest.char_indices().take(APART).find(|(_, char)| char.is_ascii_digit())?.0;
        number(&rest[begin..])
    })
}

/// The number whose end the phrase follows; "tokens" may stand between them.
fn before(text: &str, phrase: &str) -> Option<u32> {
    text.match_indices(phrase).find_map(|(at, _)| {
        let head = text[..at].trim_end_matches(" tokens").trim_end();
        let digits = head.len() - head.trim_end_matches(|char: char| char.is_ascii_digit()).len();
        number(&head[head.len() - digits..])
    })
}

/// What stands after the sign, where a sum is compared.
fn sum(text: &str) -> Option<u32> {
    let (_, sum) = text.split_once("exceed context limit")?;
    number(sum.split_once('>')?.1.trim_start())
}

fn number(text: &str) -> Option<u32> {
    let end = text.find(|char: char| !char.is_ascii_digit()).unwrap_or(text.len());
    text[..end].parse().ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// As the providers word it (their documentation and issue trackers).
    #[test]
    fn the_numbers_of_a_refusal() {
        #[track_caller]
        fn check(words: &str, prompt: u32, takes: u32) {
            assert_eq!(of_words(words), Length { prompt, takes, ..Length::default() }, "{words}");
        }
        // OpenAI, and those who speak its protocol
        check(
            "This model's maximum context length is 8192 tokens. However, your messages resulted in 9051 tokens. Please reduce the length of the messages.",
            9_051,
            8_192,
        );
        check(
            "This model's maximum context length is 4097 tokens, however you requested 4231 tokens (3975 in your prompt; 256 for the completion).",
            3_975,
            4_097,
        );
        check(
            "This model's maximum context length is 4096 tokens. However, you requested 4222 tokens (1222 in the messages, 3000 in the completion).",
            1_222,
            4_096,
        );
        check(
            "Input tokens exceed the configured limit of 272,000 tokens. Your messages resulted in 300,120 tokens.",
            300_120,
            272_000,
        );
        check("This model's maximum context length is 8192 tokens.", 0, 8_192);
        // vLLM, OpenRouter, xAI, SGLang, Mistral, Moonshot, DashScope, Copilot, TGI
        check(
            "'max_tokens' is too large: 1000. This model's maximum context length is 4096 tokens and your request has 4000 input tokens",
            4_000,
            4_096,
        );
        check(
            "This endpoint's maximum context length is 131072 tokens. However, you requested about 138956 tokens (7884 of text input, 131072 in the output).",
            7_884,
            131_072,
        );
        check("This model's maximum prompt length is 131072 but the request contains 200123 tokens.", 200_123, 131_072);
        check("Input length (160062 tokens) exceeds the maximum allowed length (59862 tokens).", 160_062, 59_862);
        check(
            "Prompt contains 40112 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
            40_112,
            32_768,
        );
        check("Invalid request: Your request exceeded model token limit: 8192", 0, 8_192);
        check("<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]", 0, 30_720);
        check("prompt token count of 70012 exceeds the limit of 64000", 70_012, 64_000);
        check(
            "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5021 `inputs` tokens and 1000 `max_new_tokens`",
            5_021,
            4_096,
        );
        // Anthropic
        check("prompt is too long: 210,123 tokens > 200,000 maximum", 210_123, 200_000);
        check(
            "input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000, decrease input length or `max_tokens` and try again",
            178_959,
            200_000,
        );
        // Gemini
        check(
            "The input token count (1234567) exceeds the maximum number of tokens allowed (1048576).",
            1_234_567,
            1_048_576,
        );
        // llama.cpp, LM Studio, llama-cpp-python
        check(
            "request (4390 tokens) exceeds the available context size (4096 tokens), try increasing it",
            4_390,
            4_096,
        );
        check(
            "Trying to keep the first 14538 tokens when context the overflows. However, the model is loaded with context length of only 2048 tokens, which is not enough.",
            14_538,
            2_048,
        );
        check(
            "The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 10247 >= n_ctx: 4096).",
            10_247,
            4_096,
        );
        check("length of prompt_tokens (57535) must be less than max_seq_len (32768).", 57_535, 32_768);
        check("Requested tokens (2285) exceed context window of 2048", 2_285, 2_048);
        // Where none is told.
        check("Please reduce the length of the messages or completion.", 0, 0);
        check("Context size has been exceeded.", 0, 0);
        check("Request exceeds the maximum size (413)", 0, 0);
        check("", 0, 0);
    }

    #[test]
    fn the_fields_of_an_object() {
        let told = of_fields(&json!({"type": "exceed_context_size_error", "n_prompt_tokens": 14429, "n_ctx": 8192}));
        assert_eq!(told, Length { prompt: 14_429, takes: 8_192, ..Length::default() });
        assert_eq!(of_fields(&json!({"n_ctx": -1})), Length::default());
    }
}
