//! Who is in a group, as SillyTavern keeps it: `groups/….json`.

use serde_json::Value;

use crate::{
    exchange::{
        json,
        refusal::Refusal,
        sniff::{self, Content},
    },
    features::group::Mode,
};

/// A group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    pub name: String,
    /// The files of its members' cards, without what they end with, in the order in which they speak.
    pub members: Vec<String>,
    /// What the files of its chats are called, without what they end with.
    pub chats: Vec<String>,
    /// Who speaks where nobody is named.
    pub mode: Mode,
}

/// Reads it.
///
/// # Errors
/// It is not JSON, too large or deep, or no group.
pub fn read(text: &str) -> Result<Group, Refusal> {
    let value = json::parse(text)?;
    let texts = |key: &str| -> Option<Vec<String>> {
        Some(value.get(key)?.as_array()?.iter().filter_map(Value::as_str).map(str::to_owned).collect())
    };
    let Some(members) = texts("members") else {
        return Err(Refusal::Unrecognised { wanted: Content::Chat, found: sniff::content(&value) });
    };
    let name = value.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut chats = texts("chats").unwrap_or_default();
    chats.extend(value.get("chat_id").and_then(Value::as_str).map(str::to_owned));
    // Who is muted there comes in where they have said something.
    let muted = texts("disabled_members").unwrap_or_default();
    let members =
        members.iter().filter(|file| !muted.contains(file)).map(|file| super::stem(file).to_owned()).collect();
    // Its “natural”, “list”, “manual” and “pooled” order.
    let mode = match value.get("activation_strategy").and_then(Value::as_u64) {
        Some(1) => Mode::All,
        Some(2) => Mode::Hand,
        Some(3) => Mode::Turns,
        _ => Mode::Chance,
    };
    Ok(Group { name, members, chats, mode })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn its_members_and_chats() {
        let file = json!({"id": "1", "name": "At the quay", "members": ["Ada.png", "Dr. Bo.png", "Cy.png", 3], "disabled_members": ["Cy.png"], "chats": ["a"], "chat_id": "b"});
        let group = Group {
            name: "At the quay".into(),
            members: vec!["Ada".into(), "Dr. Bo".into()],
            chats: vec!["a".into(), "b".into()],
            mode: Mode::Chance,
        };
        assert_eq!(read(&file.to_string()), Ok(group));
        let mode =
            |number: Value| read(&json!({"members": [], "activation_strategy": number}).to_string()).unwrap().mode;
        let modes = [json!(0), json!(1), json!(2), json!(3), json!(9), json!("1")].map(mode);
        assert_eq!(modes, [Mode::Chance, Mode::All, Mode::Hand, Mode::Turns, Mode::Chance, Mode::Chance]);
        assert!(read(r#"{"name": "x"}"#).is_err() && read("[]").is_err() && read("{").is_err());
    }
}
