//! SillyTavern's JSONL: a line of the whole, then a line for each message.

use serde_json::{Value, json};

use super::{Chat, Message, Object, Swipe, is_hidden, times::millis};
use crate::{
    exchange::json::decode,
    prompt::macros::{Values, expand},
    reply::parser::spoken,
    story::{
        generation::Generation,
        ids::CharacterId,
        persona::iso,
        reader::Reader,
        storyline::{Language, Storyline},
        tree::Node,
    },
};

/// What a message says of which we make our own.
const OURS: [&str; 3] = ["mes", "swipes", "swipe_info"];
/// What it repeats of the wording that is seen.
const MIRRORED: [&str; 4] = ["extra", "gen_started", "gen_finished", "send_date"];
/// Of a wording, in its `extra`: the whole text as the model wrote it, where a message shows a part of it.
const RAW: &str = "fabula_text";
/// With a greeting that has its names in: as it stood in its file, and as it stands here.
const GREETING: &str = "fabula_greeting";
/// Where what a file says beside the words is kept, with the record that it was made into.
pub(super) const KEPT: &str = "imported";

/// `None`: it is no such file. A line that cannot be read hides none of the others.
pub(super) async fn read<E>(text: &str, breathe: impl AsyncFn() -> Result<(), E>) -> Result<Option<Chat>, E> {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let object = |line: &str| decode::<Object>(line).ok();
    let Some(first) = lines.next().and_then(object) else { return Ok(None) };
    let mut chat = Chat::default();
    let is_head = first.contains_key("chat_metadata") || first.contains_key("user_name");
    if is_head {
        let name = |field: &str| {
            let name = first.get(field).and_then(Value::as_str).unwrap_or_default();
            // Recent versions write this for both.
            if name == "unused" { String::new() } else { name.to_owned() }
        };
        (chat.reader, chat.character) = (name("user_name"), name("character_name"));
        chat.created = first.get("create_date").and_then(millis);
        chat.head = first;
    } else if first.contains_key("mes") {
        chat.messages.extend(message(first, &mut chat.hidden));
    } else {
        return Ok(None);
    }
    for line in lines {
        breathe().await?;
        match object(line).and_then(|line| message(line, &mut chat.hidden)) {
            Some(message) => chat.messages.push(message),
            None => chat.skipped += 1,
        }
    }
    let named = |is_reader: bool| {
        let mut said = chat.messages.iter().filter(|one| one.is_reader == is_reader && !one.is_nobodys());
        said.find(|message| !message.name.is_empty()).map(|message| message.name.clone()).unwrap_or_default()
    };
    if chat.reader.is_empty() {
        chat.reader = named(true);
    }
    if chat.character.is_empty() {
        chat.character = named(false);
    }
    greet(&mut chat);
    Ok(Some(chat))
}

/// The greetings that were not chosen lie there as the card has them: their names are put in when they are shown.
fn greet(chat: &mut Chat) {
    let user = Reader::new(&chat.reader, Language::En).in_story();
    let Some(first) = chat.messages.first_mut().filter(|first| !first.is_reader) else { return };
    let char = if first.name.is_empty() { &chat.character } else { &first.name };
    let values = Values { char, user, original: "" };
    for (_, swipe) in first.swipes.iter_mut().enumerate().filter(|(at, _)| *at != first.seen) {
        let told = expand(&swipe.text, &values);
        if told != swipe.text {
            swipe.rest.insert(GREETING.into(), json!([swipe.text, told]));
            swipe.text = told;
        }
    }
}

fn message(mut line: Object, hidden: &mut usize) -> Option<Message> {
    let text = line.get("mes")?.as_str()?.to_owned();
    let is = |line: &Object, field: &str| line.get(field).and_then(Value::as_bool).unwrap_or_default();
    let is_reader = is(&line, "is_user");
    let extra = line.get("extra").and_then(Value::as_object).cloned().unwrap_or_default();
    *hidden += usize::from(is_hidden(&line));
    let infos: Vec<Object> = line
        .get("swipe_info")
        .and_then(Value::as_array)
        .map(|all| all.iter().map(|info| info.as_object().cloned().unwrap_or_default()).collect())
        .unwrap_or_default();
    let texts: Vec<String> = match line.get("swipes").and_then(Value::as_array) {
        Some(all) if !is_reader => all.iter().map(|text| text.as_str().unwrap_or_default().to_owned()).collect(),
        _ => Vec::new(),
    };
    let none = Object::new();
    let mut swipes: Vec<Swipe> = texts
        .into_iter()
        .enumerate()
        .map(|(index, text)| {
            let info = infos.get(index).cloned().unwrap_or_default();
            let extra = info.get("extra").and_then(Value::as_object).cloned();
            swipe(text, info, extra.as_ref().unwrap_or(&none))
        })
        .collect();
    // The message mirrors the one that is seen, and knows more of it. Where none is, it is one more.
    let said = line.get("swipe_id").and_then(Value::as_u64).and_then(|at| usize::try_from(at).ok());
    let same = || swipes.iter().position(|swipe| swipe.text == text);
    let seen = said.filter(|at| *at < swipes.len()).or_else(same).unwrap_or(swipes.len());
    if !swipes.is_empty() {
        line.insert("swipe_id".into(), seen.into());
    }
    let mirrored = swipe(text, line.clone(), &extra);
    match swipes.get_mut(seen) {
        Some(swipe) => *swipe = Swipe { rest: std::mem::take(&mut swipe.rest), ..mirrored },
        None => swipes.push(Swipe { rest: Object::new(), ..mirrored }),
    }
    let name = line.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
    let at = line.get("send_date").and_then(millis);
    // A reader has no swipes here: what a file says of them is kept as it is.
    let ours = if is_reader { &OURS[..1] } else { &OURS[..] };
    ours.iter().for_each(|field| drop(line.shift_remove(*field)));
    Some(Message { is_reader, name, swipes, seen, at, rest: line, ..Message::default() })
}

fn swipe(text: String, info: Object, extra: &Object) -> Swipe {
    let of = |field: &str| extra.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
    let raw = of(RAW);
    Swipe {
        // Unless the text was changed elsewhere.
        text: if !raw.is_empty() && spoken(&raw) == text { raw } else { text },
        reasoning: of("reasoning"),
        model: of("model"),
        started: info.get("gen_started").and_then(millis),
        finished: info.get("gen_finished").and_then(millis),
        rest: info,
    }
}

/// A branch as SillyTavern has it: what is seen, and all other replies of each turn as swipes. `name`: what a character is
/// called. A turn that no model is told (`is_told`, by its position) is hidden there.
pub fn write(
    storyline: &Storyline,
    nodes: &[Node],
    name: impl Fn(&CharacterId) -> String,
    is_told: impl Fn(u32) -> bool,
) -> String {
    let reader = storyline.reader().in_story().opening;
    let mut out = String::new();
    let mut line = |object: Object| {
        out.push_str(&serde_json::to_string(&object).expect("text keys"));
        out.push('\n');
    };
    let kept = |extra: &Object, field: &str| extra.get(KEPT).and_then(|kept| kept.get(field)).cloned();
    let object = |value: Option<Value>| value.and_then(|value| value.as_object().cloned()).unwrap_or_default();
    let mut head = object(kept(&storyline.extra, "head"));
    for (field, value) in [
        ("user_name", reader.into()),
        ("character_name", name(storyline.character()).into()),
        ("create_date", iso(storyline.created).into()),
        ("chat_metadata", json!({})),
    ] {
        head.entry(field).or_insert(value);
    }
    line(head);
    for node in nodes {
        let turn = &node.turn;
        let said = kept(&turn.extra, "user").and_then(|said| said.as_array().cloned()).unwrap_or_default();
        let replied = kept(&turn.extra, "reply").and_then(|reply| reply.as_object().cloned());
        let told = is_told(turn.position);
        // As its file has it, unless the whole turn was hidden there and is told by now.
        let was_hidden = said.iter().filter_map(Value::as_object).chain(&replied).all(is_hidden);
        let hide = |mut message: Object| {
            if !told || was_hidden && is_hidden(&message) {
                message.insert("is_system".into(), (!told).into());
            }
            message
        };
        if let Some(user) = &turn.user {
            let words: Vec<&str> = said.iter().map(|one| one["mes"].as_str().unwrap_or_default()).collect();
            let is_same = words.join(JOINED) == *user;
            let messages = match said.is_empty() || !is_same && said.len() > 1 {
                true => vec![Object::new()],
                false => said.iter().map(|one| one.as_object().cloned().unwrap_or_default()).collect(),
            };
            for mut message in messages {
                if !is_same {
                    message.insert("mes".into(), user.as_str().into());
                }
                line(hide(filled(message, reader, true, turn.created)));
            }
        }
        if let Some(reply) = node.reply() {
            let by = name(storyline.speaker(reply.speaker.as_ref()));
            line(hide(filled(answer(node, replied), &by, false, reply.started)));
        }
    }
    out
}

/// The message of the reply that is seen; `kept`: what its file said of it.
fn answer(node: &Node, kept: Option<Object>) -> Object {
    let seen = node.seen.unwrap_or_default();
    let is_known = kept.is_some();
    let mut message = kept.unwrap_or_default();
    let had_list = message.contains_key("swipe_id");
    // What it mirrors is of the one that was seen then.
    let mirrored = message.shift_remove("swipe_id").and_then(|at| at.as_u64()).unwrap_or_default() as usize;
    let own = (is_known && mirrored < node.generations.len()).then_some(mirrored);
    let extra = |object: &Object| object.get("extra").and_then(Value::as_object).cloned();
    let swipes: Vec<(String, Object)> = node
        .generations
        .iter()
        .enumerate()
        .map(|(index, reply)| {
            let known = own.filter(|own| *own == index).and_then(|_| extra(&message));
            written(reply, known)
        })
        .collect();
    let (text, info) = &swipes[seen];
    message.insert("mes".into(), text.as_str().into());
    if own == Some(seen) {
        if let Some(mut extra) = extra(&message).filter(|extra| extra.contains_key(RAW)) {
            extra.insert(RAW.into(), node.generations[seen].text.as_str().into());
            message.insert("extra".into(), extra.into());
        }
    } else {
        MIRRORED.iter().for_each(|field| drop(message.shift_remove(*field)));
        message.extend(info.clone());
    }
    if had_list || node.generations.len() > 1 {
        message.insert("swipe_id".into(), seen.into());
        message.insert("swipes".into(), swipes.iter().map(|(text, _)| Value::from(text.as_str())).collect());
        message.insert("swipe_info".into(), swipes.iter().map(|(_, info)| Value::from(info.clone())).collect());
    }
    message
}

/// Between the messages that became one turn.
pub(super) const JOINED: &str = "\n\n";

/// A message, with what each of them has.
fn filled(mut message: Object, name: &str, is_user: bool, at: u64) -> Object {
    let fields = [
        ("name", name.into()),
        ("is_user", is_user.into()),
        ("is_system", false.into()),
        ("send_date", iso(at).into()),
        ("mes", "".into()),
        ("extra", json!({})),
    ];
    for (field, value) in fields {
        message.entry(field).or_insert(value);
    }
    message
}

/// What of a reply is seen, and what there is to say of it. `known`: what its file said where it was seen.
fn written(reply: &Generation, known: Option<Object>) -> (String, Object) {
    let kept = reply.extra.get(KEPT).and_then(Value::as_object);
    let mut info = kept.cloned().unwrap_or_default();
    let greeting = info.shift_remove(GREETING).filter(|greeting| greeting[1] == reply.text.as_str());
    let mut extra = info.get("extra").and_then(Value::as_object).cloned().unwrap_or_default();
    let is_part = known.unwrap_or_else(|| extra.clone()).contains_key(RAW);
    if kept.is_some() && !is_part {
        // A text of another program is as it was there.
        let raw = greeting.as_ref().and_then(|greeting| greeting[0].as_str());
        return (raw.unwrap_or(&reply.text).to_owned(), info);
    }
    let text = spoken(&reply.text).into_owned();
    let mut say = |field: &str, said: &str| {
        if said.is_empty() {
            extra.shift_remove(field);
        } else {
            extra.insert(field.into(), said.into());
        }
    };
    say(RAW, if text == reply.text { "" } else { &reply.text });
    say("reasoning", &reply.reasoning);
    say("model", &reply.model);
    extra.extend(reply.rp_context().unwrap_or_default());
    if kept.is_none() {
        info.insert("send_date".into(), iso(reply.started).into());
        info.insert("gen_started".into(), iso(reply.started).into());
        info.insert("gen_finished".into(), iso(reply.finished.unwrap_or(reply.started)).into());
    }
    if !extra.is_empty() || info.contains_key("extra") {
        info.insert("extra".into(), extra.into());
    }
    (text, info)
}
