//! `cargo xtask recall FOLDER`: how much of what a question needs the memory search finds, on labelled conversations.
//!
//! The engine is the one that the page runs. Nothing is downloaded and no model is asked, but for `--embedding`.

mod baseline;
mod data;
mod embedding;
mod measure;
mod prompt;
mod stage;
mod stories;
mod told;

use std::{path::Path, process::ExitCode};

use data::Set;
use embedding::Server;
use measure::{Config, Score};
use serde_json::json;

const HELP: &str = "\
cargo xtask recall FOLDER [--json] [--categories] [--embedding URL [--model NAME]]
cargo xtask recall [FOLDER] --prompt [--context TOKENS] [--turns NUMBER] [--preset ID] [--held-out] [--lore NUMBER] [--misses] [--show TEXT] [--embedding URL]

FOLDER holds conversations with labelled questions, as tests/recall does; files are grouped into sets by their source.
--json         one line of JSON for each row
--categories   also a row for each category of questions
--embedding    also with vectors from an OpenAI-compatible server, such as http://localhost:8000/v1

--prompt       what stands in the messages that a turn sends: each question is played at the end of its conversation, and
               of long stories of our own (`--context` 8192, `--preset` plain); --held-out asks for the half of their
               facts that nothing was tuned on, --lore hangs a lorebook of so many entries on our stories; --misses names what is not there, --show prints the prompts of questions;
               with --embedding also what whole messages near the last two bring, as is usual elsewhere";

fn main() -> ExitCode {
    match run(std::env::args().skip(1).collect()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(mut args: Vec<String>) -> Result<(), String> {
    let json = flag(&mut args, "--json");
    let categories = flag(&mut args, "--categories");
    let model = option(&mut args, "--model")?.unwrap_or_default();
    let server = option(&mut args, "--embedding")?.map(|url| Server::new(&url, model));
    if flag(&mut args, "--prompt") {
        let context = option(&mut args, "--context")?.unwrap_or_else(|| "8192".to_owned());
        let lengths = match option(&mut args, "--turns")? {
            Some(turns) => vec![turns.parse().map_err(|_| format!("--turns takes a number, not `{turns}`"))?],
            None => prompt::LENGTHS.to_vec(),
        };
        let lore = option(&mut args, "--lore")?.unwrap_or_else(|| "0".to_owned());
        let options = prompt::Options {
            context: context.parse().map_err(|_| format!("--context takes a number, not `{context}`"))?,
            lengths,
            preset: option(&mut args, "--preset")?.unwrap_or_else(|| "plain".to_owned()),
            held_out: flag(&mut args, "--held-out"),
            lore: lore.parse().map_err(|_| format!("--lore takes a number, not `{lore}`"))?,
            server,
            misses: flag(&mut args, "--misses"),
            show: option(&mut args, "--show")?,
        };
        let sets = match args.as_slice() {
            [] => Vec::new(),
            [folder] => data::read(Path::new(folder))?,
            _ => return Err(HELP.to_owned()),
        };
        return prompt::run(&sets, &options);
    }
    let [folder] = args.as_slice() else { return Err(HELP.to_owned()) };

    let sets = data::read(Path::new(folder))?;
    if !json {
        let [five, ten, twenty] = ["recall@5", "recall@10", "recall@20"];
        println!(
            "{:<24}{:<12}{:>9}{five:>10}{ten:>11}{twenty:>11}{:>14}",
            "set", "config", "questions", "newest first"
        );
    }
    for set in &sets {
        let expanded =
            set.conversations.iter().flat_map(|conversation| &conversation.questions).any(|q| !q.more.is_empty());
        let configs = [Config::Default].into_iter().chain(expanded.then_some(Config::Expanded));
        for config in configs.chain(server.as_ref().map(Config::Embedding)) {
            report(set, config.name(), &measure::run(set, config)?, categories, json);
        }
    }
    Ok(())
}

fn report(set: &Set, config: &str, scores: &[Score], categories: bool, json: bool) {
    for (at, score) in scores.iter().enumerate() {
        // The first row is the whole set; a single category would only repeat it.
        if at != 0 && !(categories && 2 < scores.len()) {
            continue;
        }
        let name = if at == 0 { set.name.clone() } else { format!("{} {}", set.name, score.category) };
        let [five, ten, twenty] = score.percent();
        if json {
            let mut row = json!({
                "set": name, "config": config, "questions": score.questions,
                "recall@5": five, "recall@10": ten, "recall@20": twenty,
            });
            if let Some(newest) = score.newest_first() {
                row["newest first"] = newest.into();
            }
            println!("{row}");
        } else {
            let newest = score.newest_first().map(|newest| format!("{newest:.1}")).unwrap_or_default();
            let row = format!("{name:<24}{config:<12}{:>9}{five:>10.1}{ten:>11.1}{twenty:>11.1}", score.questions);
            println!("{}", format!("{row}{newest:>14}").trim_end());
        }
    }
}

fn flag(args: &mut Vec<String>, name: &str) -> bool {
    let before = args.len();
    args.retain(|arg| arg != name);
    args.len() < before
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
