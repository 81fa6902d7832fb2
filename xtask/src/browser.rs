//! Chromium and its driver, which only tests and benchmarks need. (The other engines: `further`.)

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::sh::{self, Result};
use crate::tools;

const NAMES: &[&str] = &["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
const BROWSER_PLACES: &[&str] = &[
    "/usr/lib/chromium/chromium",
    "/opt/google/chrome/chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Google\Chrome\Application\chrome.exe",
];
const DRIVER_PLACES: &[&str] = &[
    "/usr/lib/chromium-browser/chromedriver",
    "/usr/lib/chromium/chromedriver",
    "/opt/homebrew/bin/chromedriver",
    "/usr/local/bin/chromedriver",
    "/usr/local/share/chromedriver-linux64/chromedriver",
];

pub struct Browser {
    pub chromium: PathBuf,
    pub chromedriver: PathBuf,
}

impl Browser {
    pub fn describe(&self) -> String {
        format!("ready: {}, {}", self.chromium.display(), self.chromedriver.display())
    }

    /// Tells wasm-bindgen's test runner which browser to start; it adds headless flags itself.
    pub fn webdriver_config(&self) -> Result<PathBuf> {
        let path = sh::root().join("target/webdriver.json");
        let binary = self.chromium.display().to_string().replace('\\', "\\\\").replace('"', "\\\"");
        sh::write(&path, &format!("{{\"goog:chromeOptions\": {{\"binary\": \"{binary}\", \"args\": []}}}}\n"))?;
        Ok(path)
    }
}

/// Finds Chromium and its driver, or installs them where apt can.
pub fn ready() -> Result<Browser> {
    if let Some(found) = find()? {
        return Ok(found);
    }
    if sh::which("apt-get").is_none() {
        return Err(missing());
    }
    sh::step("install chromium and chromium-driver", || {
        apt(&["update"])?;
        apt(&["install", "--yes", "--no-install-recommends", "chromium", "chromium-driver"])
    })
    .map_err(|error| format!("{error}\n{}", missing()))?;
    find()?.ok_or_else(missing)
}

fn missing() -> String {
    "the tests in the browser need Chromium (or Chrome) and the chromedriver of the same version: \
     install both, or name them in CHROMIUM and CHROMEDRIVER"
        .into()
}

fn find() -> Result<Option<Browser>> {
    let drivers = match named("CHROMEDRIVER")? {
        Some(path) => vec![path],
        None => candidates(&["chromedriver"], DRIVER_PLACES),
    };
    let browsers = match named("CHROMIUM")? {
        Some(path) => vec![path],
        None => candidates(NAMES, BROWSER_PLACES),
    };
    let (Some(driver), Some(browser)) = (drivers.first(), browsers.first()) else { return Ok(None) };
    // Where several are installed, one of the same major version; a driver refuses any other.
    let majors: Vec<_> = drivers.iter().map(|path| major(path)).collect();
    for browser in &browsers {
        let wanted = major(browser);
        if let Some(at) = majors.iter().position(|found| wanted.is_some() && *found == wanted) {
            return Ok(Some(Browser { chromium: browser.clone(), chromedriver: drivers[at].clone() }));
        }
    }
    Ok(Some(Browser { chromium: browser.clone(), chromedriver: driver.clone() }))
}

/// A program named by the environment, which must exist.
pub fn named(variable: &str) -> Result<Option<PathBuf>> {
    match std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from) {
        Some(path) if !path.is_file() => Err(format!("{variable} names {}, which is not there", path.display())),
        other => Ok(other),
    }
}

/// Programs of these names on the path, then those at these places.
pub fn candidates(names: &[&str], places: &[&str]) -> Vec<PathBuf> {
    let on_path = names.iter().flat_map(|name| sh::all_on_path(name));
    on_path.chain(places.iter().map(PathBuf::from).filter(|path| path.is_file())).collect()
}

fn major(program: &Path) -> Option<u32> {
    // Chrome on Windows opens a window instead of answering.
    if cfg!(windows) && program.ends_with("chrome.exe") {
        return None;
    }
    tools::version_in(&sh::output(Command::new(program).arg("--version"))?).and_then(tools::major)
}

pub fn apt(args: &[&str]) -> Result {
    let root = sh::output(Command::new("id").arg("-u")).is_some_and(|id| id.trim() == "0");
    let mut command = Command::new(if root { "env" } else { "sudo" });
    if !root {
        command.arg("env");
    }
    sh::run(command.args(["DEBIAN_FRONTEND=noninteractive", "apt-get", "--quiet"]).args(args))
}
