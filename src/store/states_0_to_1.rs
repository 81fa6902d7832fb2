//! A state had the persona of the storyline's own character. Now it has one for each character, by their ids; that one goes
//! by no id, as the character itself does where a reply names nobody.

use serde_json::{Map, Value, json};

pub fn step(state: &mut Map<String, Value>) {
    let own = state.shift_remove("persona");
    state.insert("personas".to_owned(), own.map_or_else(|| json!({}), |own| json!({ "": own })));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_persona_is_that_of_the_storylines_own_character() {
        for (then, now) in [
            (
                json!({ "id": "s", "persona": { "base_persona": "她" } }),
                json!({ "id": "s", "personas": { "": { "base_persona": "她" } } }),
            ),
            (json!({ "id": "s", "persona": [3] }), json!({ "id": "s", "personas": { "": [3] } })),
            (json!({ "id": "s" }), json!({ "id": "s", "personas": {} })),
        ] {
            let mut state = then;
            step(state.as_object_mut().unwrap());
            assert_eq!(state, now);
        }
    }
}
