//! What macros stand for in a prompt.

use super::*;

#[test]
fn macros_by_the_fields_names() {
    let mut sample = ally(Language::En);
    sample.storyline.user_name = "Lin".into();
    sample.variables.insert("mood".into(), "grim".into());
    sample.character.card.personality = "Dry; never trusts {{user}}. {{description}}".into();
    sample.history[2].turn.user = Some("Say {{char}} {{random::a::b}}".into());
    let check = |text: &str, expected: &str| {
        let own = preset([text_block("x", text), marker("history")]);
        assert_eq!(lines(&sample, &own)[0], format!("s: {expected}"), "{text}");
    };
    check("{{personality}}", "Dry; never trusts Lin. {{description}}");
    check("{{charPersonality}}", "Dry; never trusts Lin. {{description}}");
    check("a{{comment: b}}{{hidden_key: c}}{{reverse:灯塔}}", "a塔灯");
    check("{{input}} | {{lastMessage}}", "Say {{char}} {{random::a::b}} | Say {{char}} {{random::a::b}}");
    check("{{lastCharMessage}}", "他看到文件，瞳孔微缩...");
    check(
        "{{date}} {{time}} {{weekday}} {{isodate}} {{isotime}}",
        "October 16, 2025 10:30 AM Thursday 2025-10-16 10:30",
    );
    check("{{getvar::mood}} {{setvar::mood::{{char}} is calm}}{{getvar::mood}}", "grim Alserqi is calm");
    check("a{{// no {{char}} }}b{{newline}}c\n{{trim}}\nd", "ab\ncd");
    check("{{summary}}{{idle_duration}}{{outline}}", "{{idle_duration}}");
    check("{{beliefs_list}}", "- Trust must be earned through actions, not words (多次被背叛的经历)");
    check("{{rag_events_formatted}}", "(none)");
}

/// What stands in the place of a preset's text, in a note or a lorebook may name the fields of the card.
#[test]
fn a_text_about_the_card_names_its_fields() {
    let mut sample = ally(Language::En);
    sample.storyline.user_name = "Lin".into();
    sample.storyline.extra.insert("user_persona".into(), "A courier. {{personality}}".into());
    sample.character.card.personality = "Dry; never trusts {{user}}. {{personality}}".into();
    sample.character.card.system_prompt = "{{original}} {{charPersonality}} {{persona}} {{outline}}".into();
    let own = preset([text_block("main", "Write."), marker("history")]);
    let fields = "Dry; never trusts Lin. {{personality}} A courier. {{personality}} {{outline}}";
    let told = lines(&sample, &own)[0].clone();
    assert!(told.starts_with(&format!("s: Write. {fields}")), "{told}");
}
