//! More than one character in a story.

use super::*;

/// What a reply says of its speaker is the speaker's; and what is changed by hand, of whom it is said.
#[test]
fn each_character_has_a_persona() {
    let before = State { id: "s".into(), ..Default::default() };
    let text = update(json!({"current_state": {"emotions": {"add": [{"content": "Wary"}]}}}));
    let mut said = Generation { speaker: Some("eve".into()), ..reply(1, &text) };
    let item = Item::Goal { goal: "leave".into(), reason: String::new() };
    let edit = HandEdit::Persona { edit: PersonaEdit::Add { item }, of: Some("ben".into()) };
    said.add_by_hand(&ByHand { at: 1, edit });
    let (_, after) = settled(&persona(GrowthPolicy::Auto), &before, said);
    let of = |id: &str| after.persona(Some(&id.into()));
    assert_eq!((of("eve").current_state.emotions.len(), of("ben").current_state.immediate_goals.len()), (1, 1));
    assert_eq!(after.persona(None), before.persona(None));
    let (_, own) = settled(&persona(GrowthPolicy::Auto), &after, reply(2, &text));
    assert_eq!((own.persona(None).current_state.emotions.len(), own.persona(Some(&"eve".into()))), (1, of("eve")));
}
