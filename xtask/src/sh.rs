//! Running other programs, and saying what is being done and how long it took.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::time::Instant;

/// Every failure here ends the command, so a sentence for the person at the terminal is all it carries.
pub type Result<T = ()> = std::result::Result<T, String>;

/// The top of the checkout. Asked for when it runs, since two checkouts may share one target folder.
pub fn root() -> &'static Path {
    static ROOT: LazyLock<PathBuf> = LazyLock::new(|| {
        let own = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
        Path::new(&own).parent().expect("xtask is a folder of the project").to_owned()
    });
    &ROOT
}

/// Announces a step, does it, and says what it took.
pub fn step<T>(name: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    println!("==> {name}");
    let start = Instant::now();
    let made = work().map_err(|error| format!("{name}: {error}"))?;
    println!("    {name}: {:.1} s", start.elapsed().as_secs_f32());
    Ok(made)
}

/// Runs a command at the top of the checkout with its output shown.
pub fn run(command: &mut Command) -> Result {
    let shown = shown(command);
    match command.current_dir(root()).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{shown}` failed ({status})")),
        Err(error) => Err(format!("`{shown}` did not start: {error}")),
    }
}

/// Another command of this program, at work beside it; what it prints is shown when it has ended. Where
/// this one ends before it, it is stopped; what it has started itself comes to its end.
pub struct Beside {
    name: &'static str,
    child: Child,
    printed: PathBuf,
}

impl Beside {
    pub fn start(name: &'static str) -> Result<Self> {
        let printed = std::env::temp_dir().join(format!("fabula-{name}-{}.log", std::process::id()));
        let started = || {
            let file = std::fs::File::create(&printed)?;
            let mut command = Command::new(std::env::current_exe()?);
            command.arg(name).current_dir(root()).stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file);
            command.spawn()
        };
        let child = started().map_err(|error| format!("`{name}` did not start: {error}"))?;
        Ok(Self { name, child, printed })
    }

    /// Waits for it.
    pub fn end(mut self) -> Result {
        let status = self.child.wait().map_err(|error| format!("`{}` was lost: {error}", self.name))?;
        print!("{}", String::from_utf8_lossy(&std::fs::read(&self.printed).unwrap_or_default()));
        if status.success() { Ok(()) } else { Err(format!("`{}` failed ({status})", self.name)) }
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_file(&self.printed);
    }
}

/// Ends by becoming another program where the system can, so that whoever stops this one stops that one.
pub fn hand_over(command: &mut Command) -> Result {
    #[cfg(unix)]
    {
        let shown = shown(command);
        let error = std::os::unix::process::CommandExt::exec(command.current_dir(root()));
        Err(format!("`{shown}` did not start: {error}"))
    }
    #[cfg(not(unix))]
    run(command)
}

/// What a command prints on its standard output, if it starts and succeeds.
pub fn output(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The first program of this name on PATH.
pub fn which(name: &str) -> Option<PathBuf> {
    all_on_path(name).into_iter().next()
}

pub fn all_on_path(name: &str) -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).map(|dir| dir.join(executable(name))).filter(|file| file.is_file()).collect()
}

/// A program's file name on this system.
pub fn executable(name: &str) -> String {
    format!("{name}{}", std::env::consts::EXE_SUFFIX)
}

/// The cargo that runs this, so that the toolchain stays the same.
pub fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_stem().unwrap_or_default();
    let words: Vec<_> = std::iter::once(program).chain(command.get_args()).map(OsStr::to_string_lossy).collect();
    words.join(" ")
}

/// All files below `dir`, as paths from `dir` with forward slashes, sorted. A missing folder has none.
pub fn files_below(dir: &Path) -> Vec<String> {
    fn walk(dir: &Path, prefix: &str, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
            let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
            if entry.path().is_dir() {
                walk(&entry.path(), &format!("{name}/"), found);
            } else {
                found.push(name);
            }
        }
    }
    let mut found = Vec::new();
    walk(dir, "", &mut found);
    found.sort();
    found
}

pub fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

/// Writes a file unless it already says the same, so that nothing downstream wakes up for nothing.
pub fn write(path: &Path, text: &str) -> Result {
    if std::fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    let folder = path.parent().expect("a file lies in a folder");
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(path, text))
        .map_err(|error| format!("cannot write {}: {error}", path.display()))
}
