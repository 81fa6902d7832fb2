//! Who speaks next, asked of a model: an option for scenes in which nobody is named.

use serde_json::Value;

use super::who::{Member, named};
use crate::{
    features::transcript::filled,
    provider::{
        Message, Shape,
        shape::{object, string},
    },
    reply::repair::repair_whole,
    story::{ids::CharacterId, preset::Role, storyline::Language},
};

/// Tokens that an answer may have; some think before it.
pub const ANSWER: u32 = 600;

/// Asks who of these speaks next. `said`: who has spoken since the reader did; where somebody has, it may be nobody.
pub fn request(members: &[Member], said: &[&str], scene: &str, language: Language) -> (Vec<Message>, Shape) {
    let comma = language.pick("、", ", ");
    let names: Vec<&str> = members.iter().filter_map(|member| member.names.first()).map(String::as_str).collect();
    let names = names.join(comma);
    let (template, spoken, nobody) = match language {
        Language::Zh => (include_str!("choose.zh.md"), "这一轮已经开过口的有：{}。\n", "；没有谁非说不可，就写 \"\""),
        Language::En => {
            (include_str!("choose.en.md"), "Heard in this round already: {}.\n", "; \"\" where nobody would speak up")
        }
    };
    let (spoken, nobody) = match said {
        [] => (String::new(), ""),
        said => (filled(spoken, &[&said.join(comma)]) + "\n", nobody),
    };
    let content = filled(template, &[&names, &spoken, scene.trim(), nobody]);
    (vec![Message::new(Role::User, content)], Shape { name: "speaker", schema: object(vec![("speaker", string())]) })
}

/// Whom an answer names; `Some(None)`: nobody. `None`: it is no answer.
pub fn read(text: &str, members: &[Member]) -> Option<Option<CharacterId>> {
    let (value, _) = repair_whole(text).ok()?;
    let said = value.get("speaker").and_then(Value::as_str)?.trim();
    match named(said, members).into_iter().next() {
        Some(who) => Some(Some(who)),
        None if said.is_empty() => Some(None),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members() -> Vec<Member> {
        let member = |name: &str| Member { id: name.into(), names: vec![name.to_owned()], talks: 50 };
        ["Ada", "Ben"].map(member).to_vec()
    }

    #[test]
    fn what_the_model_reads() {
        let asks =
            |said: &[&str], language| request(&members(), said, "The reader: Hello?\n", language).0.remove(0).content;
        let all = [
            asks(&[], Language::Zh),
            asks(&["Cyd"], Language::Zh),
            asks(&[], Language::En),
            asks(&["Cyd"], Language::En),
        ];
        insta::assert_snapshot!("choose", all.join("\n\n=================\n\n"));
    }

    #[test]
    fn what_it_answers() {
        let who = |text: &str| read(text, &members()).map(|who| who.map(|who| who.0));
        assert_eq!(who(r#"{"speaker": "Ben"}"#), Some(Some("Ben".into())));
        assert_eq!(who("```json\n{\"speaker\": \"ada.\"}\n```"), Some(Some("Ada".into())));
        assert_eq!(who(r#"{"speaker": ""}"#), Some(None));
        for none in [r#"{"speaker": "Eve"}"#, r#"{"speaker": 1}"#, "Ben", ""] {
            assert_eq!(who(none), None, "{none}");
        }
    }
}
