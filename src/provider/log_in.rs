//! OpenRouter's log-in: a key without copying one (OAuth with PKCE, RFC 7636, S256). The page goes to the provider with a
//! challenge, comes back with a code, and gets a key for that and the challenge's secret.

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use serde::Deserialize;
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::{
    ports::WireRequest,
    story::{
        clip,
        fault::{Fault, FaultKind},
    },
};

/// The base address of the one provider that has it.
pub const BASE: &str = "https://openrouter.ai/api/v1";
const PAGE: &str = "https://openrouter.ai/auth";

/// The secret, of random bytes: 43 characters.
pub fn verifier(random: &[u8; 32]) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(random)
}

fn challenge(verifier: &str) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(verifier))
}

/// Where the page goes to; `callback` is where it comes back to, percent-encoded.
pub fn page(callback: &str, verifier: &str) -> String {
    format!("{PAGE}?callback_url={callback}&code_challenge={}&code_challenge_method=S256", challenge(verifier))
}

/// The code that a query (`?code=…`) brings back.
pub fn code(query: &str) -> Option<&str> {
    query.trim_start_matches('?').split('&').find_map(|part| part.strip_prefix("code=")).filter(|code| !code.is_empty())
}

/// Asks for the key.
pub fn exchange(code: &str, verifier: &str) -> WireRequest {
    WireRequest {
        method: "POST",
        url: format!("{BASE}/auth/keys"),
        headers: vec![("content-type".into(), "application/json".into())],
        body: Some(json!({"code": code, "code_verifier": verifier, "code_challenge_method": "S256"}).to_string()),
    }
}

/// The key.
///
/// # Errors
/// The answer holds none.
pub fn key(body: &str) -> Result<String, Fault> {
    #[derive(Deserialize)]
    struct Answer {
        key: String,
    }
    let answer = serde_json::from_str::<Answer>(body).ok().filter(|answer| !answer.key.trim().is_empty());
    answer.map(|answer| answer.key).ok_or_else(|| Fault::new(FaultKind::NotTheProtocol, clip(body, 200)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 7636, appendix B.
    #[test]
    fn the_challenge_is_that_of_the_standard() {
        let octets = [
            116, 24, 223, 180, 151, 153, 224, 37, 79, 250, 96, 125, 216, 173, 187, 186, 22, 212, 37, 77, 105, 214, 191,
            240, 91, 88, 5, 88, 83, 132, 141, 121,
        ];
        let secret = verifier(&octets);
        assert_eq!(secret, "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk");
        assert_eq!(challenge(&secret), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
        let page = page("https%3A%2F%2Fa.b%2Fc%2F", &secret);
        assert!(page.contains("callback_url=https%3A%2F%2Fa.b%2Fc%2F&code_challenge=E9Melhoa2"), "{page}");
        assert!(!page.contains(&secret), "the secret stays here");
    }

    #[test]
    fn codes_and_keys() {
        for (query, expected) in [
            ("?code=abc", Some("abc")),
            ("?x=1&code=a-b", Some("a-b")),
            ("?code=", None),
            ("?decode=1", None),
            ("", None),
        ] {
            assert_eq!(code(query), expected, "{query}");
        }
        assert_eq!(key(r#"{"key":"sk-or-1","user_id":null}"#).unwrap(), "sk-or-1");
        for body in [r#"{"key":" "}"#, r#"{"error":1}"#, "<html>", ""] {
            assert_eq!(key(body).unwrap_err().kind, FaultKind::NotTheProtocol, "{body}");
        }
    }
}
