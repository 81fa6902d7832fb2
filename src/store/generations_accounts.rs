//! The account of a prompt lay in its reply, and was written with each piece of it. Now it has a table of its own, and the
//! reply keeps what it came to.

use serde_json::{Map, Value, json};

use super::Part;

/// The account of a reply of before. One that is no object stays in the reply, as what nobody knows does.
pub fn part(reply: &mut Map<String, Value>) -> Option<(Part, Value)> {
    if !reply.get("account")?.is_object() || !reply.get("id")?.is_string() {
        return None;
    }
    let Some(Value::Object(mut account)) = reply.shift_remove("account") else { return None };
    let tokens = |name: &str| account.get(name).and_then(Value::as_u64).unwrap_or_default();
    let prompt = json!({ "tokens": tokens("total_tokens"), "raw_tokens": tokens("raw_tokens") });
    for (name, of) in [("id", "id"), ("storyline", "storyline"), ("made", "started")] {
        account.extend(reply.get(of).map(|value| (name.to_owned(), value.clone())));
    }
    reply.insert("prompt".to_owned(), prompt);
    Some((Part::Accounts, account.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_account_is_taken_out_whole() {
        let mut reply = json!({
            "id": "g1", "storyline": "s", "text": "雨", "started": 7, "unknown": [1],
            "account": { "preset": "plain", "blocks": [{ "identifier": "main", "text_in": "g0" }], "total_tokens": 9, "later": {} },
        });
        let (of, account) = part(reply.as_object_mut().unwrap()).unwrap();
        assert_eq!(of, Part::Accounts);
        let expected = json!({
            "id": "g1", "storyline": "s", "made": 7, "preset": "plain",
            "blocks": [{ "identifier": "main", "text_in": "g0" }], "total_tokens": 9, "later": {},
        });
        assert_eq!(account, expected);
        let expected = json!({
            "id": "g1", "storyline": "s", "text": "雨", "started": 7, "unknown": [1],
            "prompt": { "tokens": 9, "raw_tokens": 0 },
        });
        assert_eq!(reply, expected);
        assert_eq!(part(reply.as_object_mut().unwrap()), None, "once");
    }

    #[test]
    fn what_is_no_account_stays() {
        for odd in [json!({}), json!({ "id": "g", "account": 3 }), json!({ "id": 4, "account": {} })] {
            let mut reply = odd.clone();
            assert_eq!((part(reply.as_object_mut().unwrap()), reply), (None, odd));
        }
    }
}
