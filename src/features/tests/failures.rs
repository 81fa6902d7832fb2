//! What cannot be read or done costs its own part, and is said.

use super::*;
use crate::{
    features::reading::Said,
    prompt::builtin::builtin,
    story::{
        damage::Part,
        persona::{Item, ItemKind, PersonaEdit},
        plot::PointStatus,
        state::{ByHand, HandEdit},
        storyline::Language,
        warning::{Cause, Notice},
    },
};

#[test]
fn what_cannot_be_read_is_said_and_nothing_else_is_lost() {
    let before = at_point(3, "in_progress", 2);
    let text = "<narrative>好。</narrative><state_update_json>我很难过，也很愤怒。</state_update_json>[PROGRESS:4:in_progress]";
    let preset = builtin("director", Language::Zh).unwrap();
    let mut story = Storyline::default();
    story.features.switch(persona::NAME, true);
    let (generation, after) = settled(&enabled(&story, &preset, &[]), &before, reply(42, text));
    assert_eq!(after.plot.current_plot_index, 4);
    assert!(
        matches!(&generation.notices()[..], [Notice { module, cause: Cause::UnreadableUpdate { .. } }] if module == "persona")
    );
}

/// B4: what was odd about the text is kept with the turn, whatever modules there are.
#[test]
fn what_was_odd_about_the_text_is_kept() {
    let text = "<thought>嗯<narrative>好。</narrative><state_update_json>{'core_identity': {'archetype': 'Jester'}, 'mood': 3, 'major_event': true,}</state_update_json>[PROGRESS:x]";
    for modules in [vec![], persona(GrowthPolicy::Auto)] {
        let (generation, _) = settled(&modules, &at_point(3, "pending", 0), reply(42, text));
        let stored: Generation = serde_json::from_value(serde_json::to_value(&generation).unwrap()).unwrap();
        let notices = Said::Reply.notices_of(&stored);
        use crate::reply::notice::ReplyNotice::*;
        assert!(
            matches!(
                &notices[..],
                [UnclosedTag { .. }, BadMarker { .. }, RepairedJson { .. }, CoreRefused { .. }, KeptAside { .. }]
            ),
            "{notices:?}"
        );
    }
    let (generation, _) = settled(&[], &at_point(3, "pending", 0), reply(42, "好。"));
    assert!(Said::Reply.notices_of(&generation).is_empty() && generation.extra.is_empty());
}

/// A module that scribbles over all of the state and then fails.
struct Broken(&'static str);

impl Module for Broken {
    fn name(&self) -> &'static str {
        self.0
    }

    fn absorb(&self, _: &Absorbed, _: &TurnContext, state: &mut State) -> Result<Outcome, ModuleFault> {
        *state = State::default();
        Err(ModuleFault(Cause::Failed { detail: "out of order".into() }))
    }
}

/// Each module made to fail in turn costs its own part, and says so.
#[test]
fn a_module_fails_alone() {
    let before = at_point(3, "in_progress", 2);
    let emotion = json!({"current_state": {"emotions": {"add": [{"content": "Weary"}]}}});
    let text = update(emotion) + "[PROGRESS:4:in_progress]";
    let preset = builtin("director", Language::Zh).unwrap();
    let mut story = Storyline::default();
    story.features.switch(persona::NAME, true);
    let (_, whole) = settled(&enabled(&story, &preset, &[]), &before, reply(42, &text));
    for at in 0..enabled(&story, &preset, &[]).len() {
        let mut modules = enabled(&story, &preset, &[]);
        let name = modules[at].name();
        modules[at] = Box::new(Broken(name));
        let (generation, after) = settled(&modules, &before, reply(42, &text));
        let expected = |module: &str, whole: bool| (module == name) != whole;
        assert_eq!(after.plot == whole.plot, expected(director::NAME, true), "{name}");
        assert_eq!(after.persona(None) == whole.persona(None), expected(persona::NAME, true), "{name}");
        assert_eq!(after.plot == before.plot, expected(director::NAME, false), "{name}");
        assert_eq!(after.persona(None) == before.persona(None), expected(persona::NAME, false), "{name}");
        let cause = Cause::Failed { detail: "out of order".into() };
        assert_eq!(generation.notices(), [Notice { module: name.into(), cause }]);
        assert_eq!(generation.text, text);
    }
}

/// What cannot be read of the state or the background stops the module that needs it, and no other, until the reader
/// mends it.
#[test]
fn a_module_without_its_part_fails_alone() {
    let emotion = json!({"current_state": {"emotions": {"add": [{"content": "Weary"}]}}});
    let text = update(emotion) + "[PROGRESS:4:in_progress]";
    let modules: Vec<Box<dyn Module>> = [director(), persona(GrowthPolicy::Auto)].into_iter().flatten().collect();
    let read = |stored: Value| serde_json::from_value::<State>(stored).unwrap();
    let whole = json!({"id": "s", "plot": {"current_plot_index": 3}, "personas": {"": {"base_persona": "她", "growth_state": {}}}});

    let mut stored = whole.clone();
    stored["plot"] = json!("third");
    let (generation, after) = settled(&modules, &read(stored), reply(42, &text));
    let [Notice { module, cause: Cause::DamagedState { .. } }] = &generation.notices()[..] else { panic!() };
    assert_eq!((module.as_str(), after.persona(None).current_state.emotions.len()), (director::NAME, 1));
    let mut mended = read(serde_json::to_value(&after).unwrap());
    assert!(mended.damage(Part::Plot).is_some(), "it stays known");
    let by_hand =
        ByHand { at: 0, edit: HandEdit::Plot { index: 2, status: PointStatus::Pending, content: String::new() } };
    change_by_hand(&mut mended, &by_hand, 42, None).unwrap();
    let (generation, after) = settled(&modules, &mended, reply(43, &text));
    assert_eq!((generation.notices(), after.plot.current_plot_index), (vec![], 4));

    let mut stored = whole.clone();
    stored["personas"][""]["growth_state"] = json!(["all of it"]);
    let (generation, after) = settled(&modules, &read(stored), reply(42, &text));
    let [Notice { module, cause: Cause::DamagedState { .. } }] = &generation.notices()[..] else { panic!() };
    assert_eq!((module.as_str(), after.plot.current_plot_index), (persona::NAME, 4));
    assert_eq!(after.persona(None).base_persona, "她", "what can be read is read");
    let mut mended = after;
    let item = Item::new(ItemKind::Goal, ["speak", "", ""]);
    let by_hand = ByHand { at: 0, edit: HandEdit::Persona { edit: PersonaEdit::Add { item }, of: None } };
    change_by_hand(&mut mended, &by_hand, 42, None).unwrap();
    let (generation, after) = settled(&modules, &mended, reply(43, &text));
    assert_eq!((generation.notices(), after.persona(None).current_state.emotions.len()), (vec![], 1));

    let mut generation = reply(42, &text);
    let after = settle(&modules, Err("no JSON"), &read(whole), &mut generation, "n".into()).unwrap();
    let cause = Cause::DamagedBackground { detail: "no JSON".into() };
    assert_eq!(generation.notices(), [Notice { module: director::NAME.into(), cause }]);
    assert_eq!((after.plot.current_plot_index, after.persona(None).current_state.emotions.len()), (3, 1));
    settle(&[], Err("no JSON"), &after, &mut generation, "m".into());
    let cause = Cause::DamagedBackground { detail: "no JSON".into() };
    assert_eq!(generation.notices(), [Notice { module: BACKGROUND.into(), cause }], "said though nobody needs it");
}
