//! `cargo xtask test`: every check that the project has, in the order in which they are cheap.

use std::path::Path;
use std::time::Instant;

use crate::browser::{self, Browser};
use crate::build::Profile;
use crate::deny;
use crate::further::{self, Found};
use crate::sh::{self, Result};
use crate::tools::{self, Tools};

const WASM: &str = "wasm32-unknown-unknown";
/// The kinds of target that the page consists of; the native clippy never sees its browser half.
const PAGE: &[&str] = &["--package", "fabula", "--lib", "--bins", "--test", "browser", "--target", WASM];
const JOURNEYS: &[&str] = &["tests/support", "tests/journeys"];

/// The steps so far, with the seconds that each took.
#[derive(Default)]
struct Done(Vec<(&'static str, f32)>);

impl Done {
    fn step<T>(&mut self, name: &'static str, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let start = Instant::now();
        let made = sh::step(name, work)?;
        self.0.push((name, start.elapsed().as_secs_f32()));
        Ok(made)
    }

    fn summary(&self) {
        println!();
        for (name, seconds) in &self.0 {
            println!("{seconds:8.1} s  {name}");
        }
    }

    fn seconds(&self) -> f32 {
        self.0.iter().map(|(_, seconds)| seconds).sum()
    }
}

/// Stops at the first step that fails, and says at the end what each took.
pub fn run(fast: bool) -> Result {
    let mut done = Done::default();
    let result = steps(fast, &mut done);
    done.summary();
    if result.is_ok() {
        let left_out = if fast { " (left out: browser tests, release page, journeys)" } else { "" };
        println!("{:8.1} s  all passed{left_out}", done.seconds());
    }
    result
}

fn steps(fast: bool, done: &mut Done) -> Result {
    let tools = done.step("set-up", tools::ready)?;
    let browser = if fast { None } else { Some(done.step("set-up of the browser", browser::ready)?) };
    let further = if fast { None } else { Some(done.step("set-up of further engines and servers", further::ready)?) };
    done.step("licences, versions and sources", deny::check)?;
    done.step("advisories", deny::advisories)?;
    done.step("format", || sh::run(sh::cargo().args(["fmt", "--all", "--check"])))?;
    done.step("names in the scripts", || names(&tools))?;
    done.step("clippy", || clippy(&["--workspace", "--all-targets"]))?;
    done.step("clippy of the page", || clippy(PAGE))?;
    // Its last part keeps one core for minutes; the tests that need no page run beside it.
    let page = if fast { None } else { Some(sh::Beside::start("build")?) };
    done.step("native tests", || sh::run(sh::cargo().args(["test", "--workspace"])))?;
    let (Some(browser), Some(further), Some(page)) = (browser, further, page) else { return Ok(()) };
    done.step("kernel tests in wasm", || kernel_tests(&tools))?;
    done.step("browser tests", || browser_tests(&tools, &browser))?;
    done.step("release page, begun before the native tests", || page.end())?;
    done.step("journeys", || journeys(&tools, &browser, &further))?;
    if !further.missing.is_empty() {
        println!("not tested here: {}", further.missing.join(", "));
    }
    Ok(())
}

/// A name that is not there shows itself in the middle of the last step, or, in what is seldom reached, never.
fn names(tools: &Tools) -> Result {
    let mut node = tools.command("node");
    sh::run(node.arg(sh::root().join("node_modules/oxlint/bin/oxlint")).args(["--quiet", "tests", "public"]))
}

fn clippy(targets: &[&str]) -> Result {
    sh::run(sh::cargo().arg("clippy").args(targets).args(["--", "--deny", "warnings"]))
}

/// What the kernel does by SIMD, it does in wasm alone.
fn kernel_tests(tools: &Tools) -> Result {
    let mut cargo = sh::cargo();
    cargo.args(["test", "--package", "fabula-kernel", "--target", WASM, "--lib"]);
    sh::run(cargo.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", tools.test_runner()))
}

fn browser_tests(tools: &Tools, browser: &Browser) -> Result {
    let mut cargo = sh::cargo();
    cargo.args(["test", "--package", "fabula", "--target", WASM, "--test", "browser"]);
    cargo.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", tools.test_runner());
    cargo.env("CHROMEDRIVER", &browser.chromedriver);
    cargo.env("WASM_BINDGEN_TEST_WEBDRIVER_JSON", browser.webdriver_config()?);
    // Seconds. The defaults (20 and 5) are too short for a machine that is busy with something else.
    for (name, seconds) in [("WASM_BINDGEN_TEST_TIMEOUT", "300"), ("WASM_BINDGEN_TEST_DRIVER_TIMEOUT", "60")] {
        if std::env::var_os(name).is_none() {
            cargo.env(name, seconds);
        }
    }
    sh::run(&mut cargo)
}

fn journeys(tools: &Tools, browser: &Browser, further: &Found) -> Result {
    // Named one by one: newer versions of Node take no folders here, older ones no patterns.
    let files: Vec<String> = JOURNEYS.iter().flat_map(|folder| test_files(folder, &sh::root().join(folder))).collect();
    if files.is_empty() {
        return Err(format!("no *.test.mjs under {}", JOURNEYS.join(" or ")));
    }
    let mut node = tools.command("node");
    // A journey waits half of its time: for a stream, a clock, a browser that starts.
    node.args(["--test", "--test-concurrency=2", "--test-reporter=spec"]).args(files);
    node.envs(further.variables.iter().map(|(variable, path)| (variable, path)));
    sh::run(node.env("FABULA_DIST", Profile::Release.dist()).env("CHROMIUM", &browser.chromium))
}

fn test_files(name: &str, folder: &Path) -> Vec<String> {
    let tests = sh::files_below(folder).into_iter().filter(|file| file.ends_with(".test.mjs"));
    tests.map(|file| format!("{name}/{file}")).collect()
}
