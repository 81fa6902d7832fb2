//! The project's own commands: `cargo xtask help` lists them.

mod browser;
mod build;
mod css;
mod deny;
mod further;
mod names;
mod offline;
mod order;
mod page;
mod sh;
mod split;
mod stamp;
mod test;
mod tools;
mod wasm;

use std::path::Path;

use build::Profile;
use sh::Result;

const HELP: &str = "\
cargo xtask serve [--port N] [--dev]   set up, build and serve the page (default port 8080)
cargo xtask test [--fast]              set up and pass every test; --fast leaves out what needs a browser
cargo xtask build [--dev]              the release page into dist/, or a debug page into target/dist-dev/
cargo xtask bench [NAME…]              measure the release page
cargo xtask prompt ARCHIVE INPUT [--preset ID] [--context TOKENS]
                                       what the next turn of an exported storyline would send, as JSON
cargo xtask recall FOLDER [--json] [--categories] [--embedding URL [--model NAME]]
                                       how much the memory search finds of what labelled questions need
cargo xtask deny                       licences, versions and sources of all packages; advisories where cargo-deny is there
cargo xtask setup                      only install what the others need

Environment: FABULA_TOOLS (where tools are kept), CHROMIUM and CHROMEDRIVER (their paths).";

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let done = if split::is_called() { split::as_wasm_bindgen(&args) } else { run(args) };
    if let Err(error) = done {
        eprintln!("error: {error}");
        std::process::exit(1);
    }
}

fn run(args: Vec<String>) -> Result {
    let Some((command, rest)) = args.split_first() else {
        println!("{HELP}");
        return Ok(());
    };
    let mut rest = rest.to_vec();
    match command.as_str() {
        "serve" => {
            let profile = Profile::new(flag(&mut rest, "--dev"));
            let port = port(&mut rest)?;
            none_left(&rest)?;
            serve(profile, &port)
        }
        "test" => {
            let fast = flag(&mut rest, "--fast");
            none_left(&rest)?;
            test::run(fast)
        }
        "build" => {
            let profile = Profile::new(flag(&mut rest, "--dev"));
            none_left(&rest)?;
            build::page(profile, &tools::ready()?)
        }
        "bench" => bench(&rest),
        "prompt" => apart(&["--package", "fabula-prompt"], &rest),
        "recall" => apart(&["--release", "--package", "fabula-recall"], &rest),
        "deny" => {
            none_left(&rest)?;
            deny::check()?;
            deny::advisories()
        }
        "setup" => {
            none_left(&rest)?;
            let tools = tools::ready()?;
            let browser = browser::ready()?;
            println!("{}\n{}", tools.describe(), browser.describe());
            Ok(())
        }
        "help" | "--help" | "-h" => {
            println!("{HELP}");
            Ok(())
        }
        other => Err(format!("there is no command `{other}`\n\n{HELP}")),
    }
}

fn serve(profile: Profile, port: &str) -> Result {
    let tools = tools::ready()?;
    build::page(profile, &tools)?;
    sh::hand_over(tools.command("node").arg("tests/support/static.mjs").arg(profile.dist()).arg(port))
}

/// Runs a package of its own (`xtask/prompt`, `xtask/recall`): it takes the whole program, and xtask should not wait
/// for that. The first of `args` that names a file or folder is taken as one.
fn apart(package: &[&str], args: &[String]) -> Result {
    let mut args = args.to_vec();
    if let Some(path) = args.iter_mut().find(|arg| Path::new(arg).exists()) {
        // The command runs at the top of the checkout, wherever it was called.
        let whole = std::path::absolute(&path).map_err(|error| format!("{path}: {error}"))?;
        *path = whole.to_string_lossy().into_owned();
    }
    sh::hand_over(sh::cargo().args(["run", "--quiet"]).args(package).arg("--").args(args))
}

fn bench(names: &[String]) -> Result {
    let tools = tools::ready()?;
    let browser = browser::ready()?;
    // A measure of its own needs a server.
    let has_server = names.is_empty() || names.iter().any(|name| name == "devices");
    let variables = if has_server { further::ready()?.variables } else { Vec::new() };
    build::page(Profile::Release, &tools)?;
    sh::run(
        tools
            .command("node")
            .envs(variables)
            .arg("tests/bench/run.mjs")
            .args(names)
            .env("FABULA_DIST", Profile::Release.dist())
            .env("CHROMIUM", &browser.chromium),
    )
}

/// Takes `name` out of `args` and says whether it was there.
fn flag(args: &mut Vec<String>, name: &str) -> bool {
    let before = args.len();
    args.retain(|arg| arg != name);
    args.len() < before
}

fn port(args: &mut Vec<String>) -> Result<String> {
    let Some(at) = args.iter().position(|arg| arg == "--port") else { return Ok("8080".into()) };
    args.remove(at);
    let value = if at < args.len() { args.remove(at) } else { String::new() };
    match value.parse::<u16>() {
        Ok(port) => Ok(port.to_string()),
        Err(_) => Err(format!("--port takes a number from 0 to 65535, not `{value}`")),
    }
}

fn none_left(args: &[String]) -> Result {
    match args {
        [] => Ok(()),
        _ => Err(format!("what is `{}`?\n\n{HELP}", args.join(" "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(text: &str) -> Vec<String> {
        text.split_whitespace().map(String::from).collect()
    }

    #[test]
    fn options_are_taken_out_and_the_rest_is_refused() {
        let mut rest = args("--port 9000 --dev");
        assert!(flag(&mut rest, "--dev"));
        assert_eq!(port(&mut rest).unwrap(), "9000");
        assert!(none_left(&rest).is_ok());
        assert_eq!(port(&mut args("")).unwrap(), "8080");
        assert!(port(&mut args("--port")).is_err());
        assert!(port(&mut args("--port 70000")).is_err());
        assert!(none_left(&args("--fats")).is_err());
    }
}
