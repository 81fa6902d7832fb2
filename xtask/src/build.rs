//! The page: stylesheet, Trunk, policy. Does nothing when the page already is what its sources say.

use std::path::{Path, PathBuf};

use crate::sh::{self, Result};
use crate::tools::Tools;
use crate::{css, offline, order, page, split, stamp};

/// What starts the program of the page in the memory's worker.
const WORKER: &str = "memory-worker.js";

/// Stands there for the name of the program.
const PROGRAM: &str = "PAGE";

/// What the worker is made of that reads and writes the reader's own storage.
const REMOTE: [&str; 3] = ["remote-worker.js", "fabula-remote.js", "fabula-remote_bg.wasm"];

/// The look of what comes after the first page.
const REST: &str = "rest.css";
/// Where a status bar of a card's own runs.
const FRAME: &str = "frame.html";

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// Small and fast, for users and for tests: `dist/`.
    Release,
    /// Quick to build: `target/dist-dev/`, where no test ever looks.
    Dev,
}

impl Profile {
    pub fn new(dev: bool) -> Self {
        if dev { Self::Dev } else { Self::Release }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Release => "release",
            Self::Dev => "debug",
        }
    }

    pub fn dist(self) -> PathBuf {
        sh::root().join(match self {
            Self::Release => "dist",
            Self::Dev => "target/dist-dev",
        })
    }

    fn stamp(self) -> PathBuf {
        sh::root().join("target").join(format!("fabula-{}.stamp", self.name()))
    }
}

/// Builds the page into its folder, unless it is there already.
pub fn page(profile: Profile, tools: &Tools) -> Result {
    let sources = stamp::of_sources(sh::root(), profile.name())?;
    let index = profile.dist().join("index.html");
    if index.is_file() && std::fs::read_to_string(profile.stamp()).is_ok_and(|old| old == sources) {
        println!("{} page: nothing to do", profile.name());
        return Ok(());
    }
    // Without a stamp until all is done, a broken build is never taken for a good one.
    let _ = std::fs::remove_file(profile.stamp());
    sh::step("stylesheet", || css::concatenate(profile == Profile::Release))?;
    // Trunk builds offline, so every crate must be here first.
    sh::step("crates", || sh::run(sh::cargo().args(["fetch", "--quiet"])))?;
    sh::step("trunk", || trunk(profile, tools))?;
    if profile == Profile::Release {
        split::place(&profile.dist())?;
        sh::step("size", || shrink(profile, tools))?;
    }
    sh::step("policy", || {
        let frame = page::seal_frame(&sh::read(&profile.dist().join(FRAME))?)?;
        sh::write(&profile.dist().join(FRAME), &frame)?;
        let worker = sh::read(&profile.dist().join(WORKER))?.replace(PROGRAM, &split::stem(&profile.dist())?);
        sh::write(&profile.dist().join(WORKER), &worker)?;
        let html = page::version(&page::terse(&sh::read(&index)?), WORKER, &[worker.as_bytes()])?;
        let html = page::version(&html, REST, &[sh::read(&profile.dist().join(REST))?.as_bytes()])?;
        let sealed = page::seal(&page::version(&html, FRAME, &[frame.as_bytes()])?)?;
        let missing = page::files_named(&sealed).into_iter().find(|file| !profile.dist().join(file).is_file());
        if let Some(file) = missing {
            return Err(format!("the page names {file}, which is not there"));
        }
        sh::write(&index, &sealed)
    })?;
    if profile == Profile::Release {
        sh::step("offline", || keep_offline(&profile.dist()))?;
    }
    sh::write(&profile.stamp(), &sources)
}

/// Tells the service worker what the page is made of, once nothing of it changes any more.
fn keep_offline(dist: &Path) -> Result {
    let html = sh::read(&dist.join("index.html"))?;
    let mut files = Vec::new();
    // What reads and writes in the net is of no use without one, and larger than most of the page.
    let kept = |name: &String| name != offline::WORKER && !REMOTE.contains(&name.as_str());
    for name in sh::files_below(dist).into_iter().filter(kept) {
        let address = offline::address(&html, &name);
        let bytes = std::fs::read(dist.join(&name)).map_err(|error| format!("{name}: {error}"))?;
        files.push(offline::File { address, bytes });
    }
    let worker = dist.join(offline::WORKER);
    sh::write(&worker, &offline::seal(&sh::read(&worker)?, &files)?)
}

/// Makes the program small, and puts its functions in an order that travels well (see [`order`]).
fn shrink(profile: Profile, tools: &Tools) -> Result {
    for entry in std::fs::read_dir(profile.dist()).map_err(|error| error.to_string())? {
        let path = entry.map_err(|error| error.to_string())?.path();
        if path.extension().is_none_or(|end| end != "wasm") {
            continue;
        }
        let opt = |args: &[&str]| sh::run(tools.command("wasm-opt").arg(&path).args(args).arg("-o").arg(&path));
        opt(&["-Oz", "--strip-debug", "--strip-producers"])?;
        let small = std::fs::read(&path).map_err(|error| error.to_string())?;
        std::fs::write(&path, order::named_by_place(&small)?).map_err(|error| error.to_string())?;
        // The names are not needed any more.
        opt(&["--reorder-functions-by-name", "--strip-debug"])?;
    }
    Ok(())
}

fn trunk(profile: Profile, tools: &Tools) -> Result {
    let mut trunk = tools.command("trunk");
    trunk.args(["build", "--quiet", "--offline", "--skip-version-check", "--dist"]).arg(profile.dist());
    if profile == Profile::Release {
        trunk.arg("--release");
        tools.split(&mut trunk)?;
    }
    // Trunk refuses every other value of NO_COLOR than these, and a log filter beside --quiet.
    match std::env::var_os("NO_COLOR") {
        Some(value) if !value.is_empty() => trunk.env("NO_COLOR", "true"),
        _ => trunk.env_remove("NO_COLOR"),
    };
    sh::run(trunk.env_remove("RUST_LOG"))
}
