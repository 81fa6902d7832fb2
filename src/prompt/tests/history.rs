//! How much of what was said a prompt tells, and in which form.

use super::*;

/// The last twenty before the input for the persona, the session's own for the director, all for plain chat.
#[test]
fn how_much_history_is_a_property_of_its_marker() {
    let mut sample = turn_42(Language::Zh);
    sample.history = (0..=42).map(|n| node(n, &format!("问{n}"), (n < 42).then_some("答"))).collect();
    for node in &mut sample.history[..30] {
        node.turn.session = "sess_002".into();
    }
    let check = |id: &str, from, to| {
        let prompt = assemble(&sample.scene(&builtin(id, Language::Zh).unwrap()), PLENTY);
        let history = prompt.account.blocks.into_iter().find(|block| block.source == "history").unwrap();
        assert_eq!((history.from, history.to, history.trimmed), (Some(from), Some(to), 0), "{id}");
    };
    check("plain", 0, 42);
    check("director", 30, 41);
    check("persona", 22, 41);
}

/// Thoughts and state updates of old replies are told again neither by the presets that ask for them nor by one that
/// the story was changed to; marks of progress are, where they are not taken away, and a reply that is to go on stands
/// as it was begun.
#[test]
fn old_replies_are_told_as_they_are_read() {
    const RAW: &str = "<thought>嗯</thought><narrative>他点头。[PROGRESS:3:in_progress]</narrative>\n<state_update_json>{\"current_state\": {}}</state_update_json>";
    let mut sample = turn_42(Language::Zh);
    sample.history[1] = node(40, "问", Some(RAW));
    let said = |sample: &Sample, id: &str| {
        let prompt = assemble(&sample.scene(&builtin(id, Language::Zh).unwrap()), PLENTY);
        let history = prompt.account.blocks.iter().find(|block| block.source == "history").unwrap().clone();
        let texts: Vec<_> = prompt.messages.into_iter().map(|message| message.content).collect();
        (texts, history.shown_only, history.past, history.tokens)
    };
    for (id, shown_only) in [
        ("plain", false),
        ("director", false),
        ("framework", false),
        ("sxml", true),
        ("persona", true),
        ("living", true),
    ] {
        let (texts, marked, past, tokens) = said(&sample, id);
        let all = texts.concat();
        assert_eq!(
            (all.contains("<narrative>他点头"), marked, past),
            (false, shown_only, ["director", "persona"].contains(&id)),
            "{id}"
        );
        let told = if shown_only { "他点头。" } else { "他点头。[PROGRESS:3:in_progress]" };
        assert!(all.contains(told) && (!shown_only || !all.contains("[PROGRESS:3")), "{id}");
        let mut short = sample.clone();
        short.history[1] = node(40, "问", Some(told));
        assert_eq!(said(&short, id).3, tokens, "{id}: what is not sent costs nothing");
    }
    const OWN: &str = "<b>他</b>点头。\n<status>HP 3</status>[PROGRESS:3:in_progress]";
    sample.history[1] = node(40, "问", Some(OWN));
    for id in ["plain", "director", "framework"] {
        assert!(said(&sample, id).0.concat().contains(OWN), "{id}: a card's own form is told as it came");
    }
    sample.history[3] = node(42, "问", Some(RAW));
    for id in ["sxml", "persona", "plain"] {
        assert_eq!(said(&sample, id).0.last().unwrap(), RAW, "{id}");
    }
}

/// `conversation_load_all` of seed `000`: off, the newest turns up to `conversation_max_tokens`; the account says so.
#[test]
fn the_conversation_may_be_bounded() {
    let mut sample = turn_42(Language::Zh);
    let history = |sample: &Sample, id: &str| {
        let prompt = assemble(&sample.scene(&builtin(id, Language::Zh).unwrap()), PLENTY);
        let block = prompt.account.blocks.into_iter().find(|block| block.source == "history").unwrap();
        (block.from, block.to, block.trimmed, block.tokens)
    };
    let whole = history(&sample, "director");
    assert_eq!((whole.0, whole.1, whole.2), (Some(39), Some(41), 0));
    sample.conversation_tokens = Some(whole.3);
    assert_eq!(history(&sample, "director"), whole);
    for (id, last) in [("director", 41), ("plain", 42)] {
        sample.conversation_tokens = Some(history(&sample, id).3 / 2);
        let (from, to, trimmed, tokens) = history(&sample, id);
        assert!(tokens <= sample.conversation_tokens.unwrap() + 10 && trimmed > 0, "{id}");
        assert_eq!((from, to), (Some(39 + trimmed), Some(last)), "{id}");
        sample.conversation_tokens = None;
    }
    sample.conversation_tokens = Some(0);
    assert_eq!(history(&sample, "director").2, 3);
    assert_eq!(history(&sample, "plain").2, 3, "the turn to answer stays");
}
