//! `cargo xtask prompt ARCHIVE "user input" [--preset ID] [--context TOKENS] [--newest]`: the exact messages that
//! the next turn of an archived storyline sends, and their account, as JSON; with `--newest`, those of a reader who has
//! the newest turns sent only.
//!
//! The archive is read into a store in memory, and the conductor itself plays the turn there against a model that
//! says nothing of note: what is printed is what it sent, whatever modules had a part in it.

use std::{io::Read, process::ExitCode};

use fabula::{
    exchange::{
        archive::{Entry, Kind, Reader},
        limits::Limits,
    },
    sim::{
        llm::{self, Answer},
        ports::Sim,
    },
    store::{Batch, Op, Query, Table},
    story::{account::Account, ids::StorylineId, settings::Connections, storyline::Storyline},
    turn::{Ask, Conductor, stream::stopper},
};
use futures_executor::block_on;
use serde_json::{Value, json};

const HELP: &str = "cargo xtask prompt ARCHIVE \"user input\" [--preset ID] [--context TOKENS] [--newest]";

/// Tokens of the model where none are given: enough that the archive decides, not the model.
const CONTEXT: u32 = 131_072;

fn main() -> ExitCode {
    match run(std::env::args().skip(1).collect()) {
        Ok(prompt) => {
            println!("{prompt:#}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(mut args: Vec<String>) -> Result<Value, String> {
    let preset = option(&mut args, "--preset")?;
    let context = match option(&mut args, "--context")? {
        Some(tokens) => tokens.parse().map_err(|_| format!("--context takes a number, not `{tokens}`"))?,
        None => CONTEXT,
    };
    let count = args.len();
    args.retain(|arg| arg != "--newest");
    let newest = args.len() < count;
    let [archive, input] = args.as_slice() else { return Err(HELP.to_owned()) };
    let file = std::fs::read(archive).map_err(|error| format!("{archive}: {error}"))?;
    let ask = Ask::New(input.to_owned());
    let ask = if newest { Ask::Newest(Box::new(ask)) } else { ask };
    prompt(&file, ask, preset.as_deref(), context)
}

/// Takes `name` and its value out of `args`.
fn option(args: &mut Vec<String>, name: &str) -> Result<Option<String>, String> {
    let Some(at) = args.iter().position(|arg| arg == name) else { return Ok(None) };
    if at + 1 == args.len() {
        return Err(format!("{name} takes a value\n{HELP}"));
    }
    args.remove(at);
    Ok(Some(args.remove(at)))
}

/// What the next turn of the archive's storyline would send.
fn prompt(file: &[u8], ask: Ask, preset: Option<&str>, context: u32) -> Result<Value, String> {
    let sim = Sim::new([Answer::text(["…"])]);
    let store = sim.ports.store.clone();
    block_on(async {
        let failed = |error: fabula::store::StoreError| error.to_string();
        let mut batch = Batch::new();
        batch.ops = read(file)?.into_iter().map(|entry| Op::Put(entry.part.table(), entry.doc)).collect();
        store.commit(batch).await.map_err(failed)?;

        let mut storylines = store.list::<Storyline>(Query::all(Table::Storylines)).await.map_err(failed)?;
        let mut storyline = storylines.pop().ok_or("there is no storyline in it")?;
        storyline.deleted = None;
        storyline.demo = false;
        storyline.connection = None;
        if let Some(preset) = preset {
            storyline.preset = preset.into();
            let own = store.get(Table::Presets, preset).await.map_err(failed)?;
            if own.is_none() && fabula::prompt::builtin::builtin(preset, storyline.language).is_none() {
                return Err(format!("there is no preset `{preset}`"));
            }
        }
        let connections = Connections { list: vec![llm::connection(context)], ..Default::default() };
        store.commit(Batch::new().put(&storyline).put(&connections)).await.map_err(failed)?;
        play(sim, &storyline.id, ask).await
    })
}

async fn play(sim: Sim, storyline: &StorylineId, ask: Ask) -> Result<Value, String> {
    let conductor = Conductor { ports: sim.ports.clone(), recent: sim.recent.clone() };
    let (_stopper, stop) = stopper();
    let reply = conductor.play(storyline, ask, stop, &|_| ()).await;
    let reply = reply.map_err(|fault| format!("{fault:?}"))?;
    let sent = sim.llm.requests().into_iter().next().and_then(|request| request.body);
    let sent: Option<Value> = sent.and_then(|body| serde_json::from_str(&body).ok());
    let account = sim.ports.store.load::<Account>(reply.id.as_str()).await.map_err(|error| error.to_string())?;
    let mut shown = json!({ "messages": sent.map(|mut body| body["messages"].take()), "account": account });
    if shown["messages"].is_null() {
        // Stopped before the request: over a limit, or no prompt at all.
        shown["fault"] = json!(reply.fault);
    }
    Ok(shown)
}

/// The records of an archive, gzip or plain.
fn read(file: &[u8]) -> Result<Vec<Entry>, String> {
    let refused = |refusal: fabula::exchange::refusal::Refusal| refusal.to_string();
    let mut reader = Reader::new(Limits::default());
    reader.compressed_so_far(file.len() as u64);
    let mut source: Box<dyn Read> = match file.starts_with(&[0x1f, 0x8b]) {
        true => Box::new(flate2::read::MultiGzDecoder::new(file)),
        false => Box::new(file),
    };
    let (mut entries, mut buffer) = (Vec::new(), vec![0; 1 << 16]);
    loop {
        match source.read(&mut buffer).map_err(|error| error.to_string())? {
            0 => break,
            count => entries.extend(reader.push(&buffer[..count]).map_err(refused)?),
        }
    }
    let summary = reader.finish().map_err(refused)?;
    match summary.header.kind {
        Kind::Storyline => Ok(entries),
        Kind::Library => Err("this is a backup of a whole library: export one storyline".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use fabula::{
        exchange::archive::{Header, Writer},
        store::{Part, Record},
        story::{
            character::Character,
            generation::{Generation, Status},
            state::State,
            storyline::Session,
            tree::{Branch, Head},
            turn::Turn,
        },
    };

    use super::*;

    fn archive() -> Vec<u8> {
        let (mut writer, mut text) = Writer::new(&Header::new(Kind::Storyline, 1, "盟友之路", &Default::default()));
        fn add<R: Record>(text: &mut String, writer: &mut Writer, record: &R) {
            let part = Part::of(R::TABLE).unwrap();
            *text += &writer.line(part, &serde_json::to_value(record).unwrap().into()).unwrap();
        }
        add(&mut text, &mut writer, &Character { id: "c".into(), name: "Alserqi".into(), ..Default::default() });
        let session = Session { id: "se".into(), ..Default::default() };
        let story = Storyline {
            id: "s".into(),
            cast: vec!["c".into()],
            preset: "plain".into(),
            user_name: "小雨".into(),
            head: Head { branch: "b".into(), end: 1 },
            sessions: vec![session],
            current_session: "se".into(),
            initial_state: "st".into(),
            ..Default::default()
        };
        add(&mut text, &mut writer, &story);
        let of = || "s".into();
        add(&mut text, &mut writer, &Branch { id: "b".into(), storyline: of(), length: 1, ..Default::default() });
        let mut state = State { id: "st".into(), storyline: of(), ..Default::default() };
        state.persona_mut(None).base_persona = "废土黑帮老大".into();
        add(&mut text, &mut writer, &state);
        let turn =
            Turn { id: "t".into(), storyline: of(), branch: "b".into(), session: "se".into(), ..Default::default() };
        add(&mut text, &mut writer, &Turn { chosen: Some("g".into()), ..turn });
        let reply = Generation {
            id: "g".into(),
            turn: "t".into(),
            storyline: of(),
            branch: "b".into(),
            text: "你来了。".into(),
            status: Status::Done,
            state: Some("st".into()),
            ..Default::default()
        };
        add(&mut text, &mut writer, &reply);
        text += &writer.finish();
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), Default::default());
        gzip.write_all(text.as_bytes()).unwrap();
        gzip.finish().unwrap()
    }

    #[test]
    fn prints_what_the_next_turn_sends() {
        let file = archive();
        let ask = |input: &str| Ask::New(input.into());
        let shown = prompt(&file, ask("约定呢？"), Some("director"), CONTEXT).unwrap();
        assert_eq!(
            shown["messages"],
            json!([
                { "role": "system", "content": "=== 角色与用户 ===\n你扮演Alserqi。用户就是小雨。\n写Alserqi的下一段回复：只写故事正文，前面不加“第几轮”“User”“Assistant”；不替小雨说话或行动。\n\n=== 角色初始人格 ===\n废土黑帮老大\n\n=== 当前会话完整对话 ===\n开场：\nAssistant: 你来了。" },
                { "role": "user", "content": "约定呢？" },
            ])
        );
        assert_eq!(shown["account"]["preset"], "director");
        assert_eq!(shown, prompt(&file, ask("约定呢？"), Some("director"), CONTEXT).unwrap(), "the same again");
        assert_eq!(prompt(&file, ask("约定呢？"), None, CONTEXT).unwrap()["account"]["preset"], "plain");
        assert!(prompt(&file, ask(""), Some("none"), CONTEXT).unwrap_err().contains("no preset"));
        let held = prompt(&file, ask(&"约".repeat(9_000)), Some("director"), 4_096).unwrap();
        assert_eq!((&held["messages"], &held["fault"]["kind"]), (&Value::Null, &json!("over_context")));
        assert!(prompt(b"{}", ask(""), None, CONTEXT).is_err());
    }

    #[test]
    fn options() {
        let mut args: Vec<String> = ["a", "--preset", "plain", "b"].map(Into::into).into();
        assert_eq!(option(&mut args, "--preset").unwrap().as_deref(), Some("plain"));
        assert_eq!(args, ["a", "b"]);
        assert!(option(&mut vec!["--preset".into()], "--preset").is_err());
    }
}
