//! The tools that the page is built with, each found where it is or installed once per user.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::sh::{self, Result};
use crate::split;

const WASM: &str = "wasm32-unknown-unknown";
/// The newest Trunk that the toolchain of `rust-toolchain.toml` compiles.
const TRUNK: &str = "0.21.14";
const S3S_FS: &str = "0.14.1";
const OLDEST_NODE: u32 = 20;

/// A program from crates.io, in exactly this version.
struct Tool {
    krate: &'static str,
    /// The programs it consists of; the first tells its version.
    programs: &'static [&'static str],
    version: String,
    /// How to install it in minutes: what it does takes a second, so nothing is optimised much.
    opt_level: &'static str,
    install: &'static [&'static str],
}

impl Tool {
    fn trunk() -> Self {
        Self {
            krate: "trunk",
            programs: &["trunk"],
            version: TRUNK.into(),
            opt_level: "0",
            // Without its default features it has no TLS and asks no server for updates.
            install: &["--locked", "--no-default-features"],
        }
    }

    /// Must be the version of the crate in Cargo.lock: the two speak a private protocol.
    fn wasm_bindgen(lock: &str) -> Result<Self> {
        Ok(Self {
            krate: "wasm-bindgen-cli",
            programs: &["wasm-bindgen", "wasm-bindgen-test-runner"],
            version: locked_version(lock, "wasm-bindgen").ok_or("Cargo.lock names no wasm-bindgen")?,
            opt_level: "1",
            // Its own lock file may name crates that are withdrawn, so not --locked.
            install: &[],
        })
    }

    fn s3s_fs() -> Self {
        Self {
            krate: "s3s-fs",
            programs: &["s3s-fs"],
            version: S3S_FS.into(),
            opt_level: "1",
            install: &["--locked", "--features", "binary"],
        }
    }

    /// The folder with its programs.
    fn ready(&self) -> Result<PathBuf> {
        let home = tools_home()?.join(format!("{}-{}", self.krate, self.version));
        let kept = home.join("bin");
        let on_path = sh::all_on_path(self.programs[0]).into_iter().filter_map(|file| Some(file.parent()?.to_owned()));
        if let Some(found) = on_path.chain([kept.clone()]).find(|dir| self.is_in(dir)) {
            return Ok(found);
        }
        let Self { krate, version, .. } = self;
        sh::step(&format!("install {krate} {version} (once, some minutes)"), || self.install(&home))?;
        match self.is_in(&kept) {
            true => Ok(kept),
            false => Err(format!("{krate} was installed but {} does not have it", kept.display())),
        }
    }

    fn is_in(&self, dir: &Path) -> bool {
        self.programs.iter().all(|program| dir.join(sh::executable(program)).is_file())
            && sh::output(Command::new(dir.join(sh::executable(self.programs[0]))).arg("--version"))
                .is_some_and(|text| version_in(&text) == Some(&self.version))
    }

    fn install(&self, home: &Path) -> Result {
        // A folder of its own, kept until the end: an interrupted installation goes on where it stopped.
        let build = home.join("build");
        let mut cargo = sh::cargo();
        cargo.args(["install", self.krate, "--version", &self.version, "--root"]).arg(home);
        cargo.args(["--force", "--target-dir"]).arg(&build).args(self.install);
        cargo.env("CARGO_PROFILE_RELEASE_LTO", "off").env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16");
        sh::run(cargo.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", self.opt_level))?;
        let _ = std::fs::remove_dir_all(build);
        Ok(())
    }
}

/// All that a build needs, found.
pub struct Tools {
    path: OsString,
    wasm_bindgen: PathBuf,
    versions: String,
}

impl Tools {
    /// A program with the tools on its PATH, found there itself.
    pub fn command(&self, program: &str) -> Command {
        let found = std::env::split_paths(&self.path).map(|dir| dir.join(sh::executable(program)));
        let mut command = Command::new(found.into_iter().find(|file| file.is_file()).unwrap_or(program.into()));
        command.env("PATH", &self.path);
        command
    }

    /// Lets Trunk build the page in chunks.
    pub fn split(&self, trunk: &mut Command) -> Result {
        split::stand_in(trunk, &self.path, &self.wasm_bindgen)
    }

    /// Runs the tests of a wasm binary.
    pub fn test_runner(&self) -> PathBuf {
        self.wasm_bindgen.join(sh::executable("wasm-bindgen-test-runner"))
    }

    pub fn describe(&self) -> String {
        format!("ready: {}", self.versions)
    }
}

/// Finds or installs the tools of the build.
pub fn ready() -> Result<Tools> {
    let node = node()?;
    wasm_target()?;
    node_packages()?;
    let trunk = Tool::trunk();
    let bindgen = Tool::wasm_bindgen(&sh::read(&sh::root().join("Cargo.lock"))?)?;
    let (trunk_dir, wasm_bindgen) = (trunk.ready()?, bindgen.ready()?);
    let inherited = std::env::var_os("PATH").unwrap_or_default();
    // The packages come first, for a wasm-opt of the system may be years behind.
    let dirs = [sh::root().join("node_modules").join(".bin"), trunk_dir, wasm_bindgen.clone()];
    let path = std::env::join_paths(dirs.into_iter().chain(std::env::split_paths(&inherited)))
        .map_err(|error| format!("PATH cannot be extended: {error}"))?;
    let versions = format!("trunk {}, wasm-bindgen {}, node {node}", trunk.version, bindgen.version);
    Ok(Tools { path, wasm_bindgen, versions })
}

/// Finds or installs the S3 server, which only journeys need.
pub fn s3_server() -> Result<PathBuf> {
    let server = Tool::s3s_fs();
    Ok(server.ready()?.join(sh::executable(server.programs[0])))
}

fn node() -> Result<String> {
    let version = sh::output(Command::new("node").arg("--version"))
        .ok_or(format!("Node {OLDEST_NODE} or newer is needed and `node` was not found (https://nodejs.org)"))?;
    let version = version.trim().trim_start_matches('v').to_owned();
    match major(&version) {
        Some(major) if major >= OLDEST_NODE => Ok(version),
        _ => Err(format!("Node {OLDEST_NODE} or newer is needed; this one is {version}")),
    }
}

fn wasm_target() -> Result {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let sysroot = sh::output(Command::new(rustc).args(["--print", "sysroot"]).current_dir(sh::root()))
        .ok_or("`rustc` was not found (https://rustup.rs)")?;
    if Path::new(sysroot.trim()).join("lib/rustlib").join(WASM).join("lib").is_dir() {
        return Ok(());
    }
    if sh::which("rustup").is_none() {
        return Err(format!("this Rust has no {WASM} target and no rustup to add it: install it by its own means"));
    }
    sh::step(&format!("rust target {WASM}"), || sh::run(Command::new("rustup").args(["target", "add", WASM])))
}

fn node_packages() -> Result {
    let lock = sh::root().join("package-lock.json");
    // npm writes this file last, so it tells when an installation was complete.
    let installed = sh::root().join("node_modules/.package-lock.json");
    let changed = |file: &Path| std::fs::metadata(file).and_then(|data| data.modified()).ok();
    let locked = changed(&lock).ok_or("package-lock.json is missing")?;
    if changed(&installed).is_some_and(|time| time >= locked) {
        return Ok(());
    }
    let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
    sh::step("npm packages", || sh::run(Command::new(npm).args(["ci", "--no-audit", "--no-fund", "--loglevel=error"])))
}

/// Where tools are kept, by the custom of each system.
fn tools_home() -> Result<PathBuf> {
    let var = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(home) = var("FABULA_TOOLS") {
        // cargo install takes a path from where it runs, so make it the same everywhere.
        return std::path::absolute(home).map_err(|error| format!("FABULA_TOOLS: {error}"));
    }
    let cache = if cfg!(windows) {
        var("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        var("HOME").map(|home| home.join("Library/Caches"))
    } else {
        var("XDG_CACHE_HOME").or_else(|| var("HOME").map(|home| home.join(".cache")))
    };
    Ok(cache.ok_or("no cache folder: set FABULA_TOOLS")?.join("fabula-tools"))
}

/// The version of a package in a Cargo.lock.
fn locked_version(lock: &str, package: &str) -> Option<String> {
    let after = lock.replace('\r', "").split(&format!("\nname = \"{package}\"\nversion = \"")).nth(1)?.to_owned();
    Some(after.split_once('"')?.0.to_owned())
}

/// The version in what a program says of itself: `wasm-bindgen 0.2.130 (abc)`.
pub fn version_in(text: &str) -> Option<&str> {
    text.split_whitespace().find(|word| word.contains('.') && word.starts_with(|c: char| c.is_ascii_digit()))
}

pub fn major(version: &str) -> Option<u32> {
    version.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_comes_from_the_lock_file() {
        let lock = "[[package]]\nname = \"wasm-bindgen-test\"\nversion = \"0.3.80\"\n\n\
                    [[package]]\nname = \"wasm-bindgen\"\nversion = \"0.2.130\"\nsource = \"x\"\n";
        assert_eq!(locked_version(lock, "wasm-bindgen").as_deref(), Some("0.2.130"));
        assert_eq!(locked_version(&lock.replace('\n', "\r\n"), "wasm-bindgen").as_deref(), Some("0.2.130"));
        assert_eq!(locked_version(lock, "wasm"), None);
        let own = include_str!("../../Cargo.lock");
        assert_eq!(Tool::wasm_bindgen(own).unwrap().version.split('.').count(), 3);
    }

    #[test]
    fn programs_name_their_version_in_their_own_ways() {
        assert_eq!(version_in("trunk 0.21.14\n"), Some("0.21.14"));
        assert_eq!(version_in("wasm-bindgen 0.2.130 (1a2b3c)"), Some("0.2.130"));
        assert_eq!(version_in("Chromium 156.0.8078.79 built on Debian GNU/Linux 12"), Some("156.0.8078.79"));
        assert_eq!(version_in("no version"), None);
        assert_eq!(version_in("20.20.2").and_then(major), Some(20));
    }
}
