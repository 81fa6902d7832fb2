//! SillyTavern's `settings.json`: personas, regex scripts, and which books hang on all chats. Nothing else of it is looked at:
//! it holds addresses, too.

use serde_json::{Map, Value};

use crate::{
    exchange::{
        json,
        personas::{self, Backup},
        refusal::Refusal,
        script,
        sniff::{self, Content},
    },
    story::script::ScriptSet,
};

/// What is taken of it.
#[derive(Debug, Default)]
pub struct Settings {
    pub personas: Backup,
    pub scripts: Option<ScriptSet>,
    /// Lorebooks by their names that are told in all chats.
    pub books: Vec<String>,
    /// Files of characters, without their ending, with further lorebooks of each.
    pub extra: Vec<(String, String)>,
}

/// Reads it.
///
/// # Errors
/// It is not JSON, too large or deep, or holds something else.
pub fn read(text: &str) -> Result<Settings, Refusal> {
    let value = json::parse(text)?;
    let part = |of: &Value, key: &str| of.get(key).and_then(Value::as_object).cloned();
    let (power, extensions) = (part(&value, "power_user"), part(&value, "extension_settings"));
    if power.is_none() && extensions.is_none() {
        return Err(Refusal::Unrecognised { wanted: Content::Personas, found: sniff::content(&value) });
    }
    let power: Map<String, Value> = power.unwrap_or_default();
    let mut personas = personas::read_of(&power)?;
    let mut scripts = None;
    if let Some(Value::Array(list)) = extensions.as_ref().and_then(|all| all.get("regex"))
        && let Some(read) = script::read_list(list.clone())
    {
        let (set, more) = read?;
        personas.warnings.extend(more);
        scripts = Some(ScriptSet { name: "SillyTavern".into(), ..set });
    }
    let world = &value["world_info_settings"]["world_info"];
    let texts = |list: &Value| -> Vec<String> {
        list.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let books = texts(&world["globalSelect"]);
    let mut extra = Vec::new();
    for one in world["charLore"].as_array().into_iter().flatten() {
        let file = one["name"].as_str().unwrap_or_default();
        extra.extend(texts(&one["extraBooks"]).into_iter().map(|book| (file.to_owned(), book)));
    }
    Ok(Settings { personas, scripts, books, extra })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn of_it_what_is_ours_to_take() {
        let file = json!({
            "main_api": "openai",
            "oai_settings": { "reverse_proxy": "https://example.org", "proxy_password": "secret" },
            "power_user": {
                "personas": { "a.png": "Ada", "b.png": "Lin" },
                "persona_descriptions": { "a.png": { "description": "A smith.", "position": 0 } },
                "default_persona": "b.png",
            },
            "extension_settings": { "regex": [{ "id": "1", "scriptName": "x", "findRegex": "/a/g", "replaceString": "b", "placement": [2] }] },
            "world_info_settings": { "world_info": { "globalSelect": ["Eldoria", 7],
                "charLore": [{ "name": "Ada", "extraBooks": ["Guild", 7] }, { "name": 7 }, 7] } },
        });
        let read = read(&file.to_string()).unwrap();
        assert_eq!(read.personas.personas.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["Lin", "Ada"]);
        assert!(read.personas.has_usual);
        assert_eq!(read.personas.personas[1].description, "A smith.");
        assert_eq!(read.scripts.as_ref().map(|set| (set.name.as_str(), set.scripts.len())), Some(("SillyTavern", 1)));
        assert_eq!((read.books.as_slice(), read.personas.warnings.as_slice()), (&["Eldoria".to_owned()][..], &[][..]));
        assert_eq!(read.extra, [("Ada".to_owned(), "Guild".to_owned())]);
        assert!(!format!("{read:?}").contains("secret"));
    }

    #[test]
    fn what_is_none() {
        assert!(matches!(super::read("{\"entries\":{}}"), Err(Refusal::Unrecognised { found: Content::Lorebook, .. })));
        let empty = super::read("{\"power_user\":{}}").unwrap();
        assert!(empty.personas.personas.is_empty() && empty.scripts.is_none() && !empty.personas.has_usual);
    }
}
