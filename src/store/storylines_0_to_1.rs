//! A storyline had one character. Now it has a cast, of which that one is the first.

use serde_json::{Map, Value, json};

pub fn step(storyline: &mut Map<String, Value>) {
    let cast = match storyline.shift_remove("character") {
        None | Some(Value::Null) => json!([]),
        Some(nobody) if nobody == "" => json!([]),
        Some(character) => json!([character]),
    };
    storyline.insert("cast".to_owned(), cast);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_character_is_the_first_of_its_cast() {
        for (then, now) in [
            (json!({ "id": "s", "character": "c", "unknown": 1 }), json!({ "id": "s", "unknown": 1, "cast": ["c"] })),
            (json!({ "id": "s", "character": "" }), json!({ "id": "s", "cast": [] })),
            (json!({ "id": "s" }), json!({ "id": "s", "cast": [] })),
        ] {
            let mut storyline = then;
            step(storyline.as_object_mut().unwrap());
            assert_eq!(storyline, now);
        }
    }
}
