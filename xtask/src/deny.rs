//! What the program is made of: licences, versions and sources, as `deny.toml` has them. Known flaws are looked up by
//! cargo-deny, where it is installed: to build it here would take minutes.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use crate::sh::{self, Result};

const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Licences, versions and sources.
pub fn check() -> Result {
    let rules = sh::read(&sh::root().join("deny.toml"))?;
    let mut tree = sh::cargo();
    tree.args(["tree", "--locked", "--workspace", "--target", "all", "--all-features", "--edges", "normal,build,dev"]);
    let tree = sh::output(tree.args(["--prefix", "none", "--format", "{p}|{l}"]).current_dir(sh::root()));
    let lock = sh::read(&sh::root().join("Cargo.lock"))?;
    let mut wrong = licences(&tree.ok_or("cargo tree failed")?, &list(&rules, "allow")?);
    wrong.extend(versions(&lock, &list(&rules, "skip")?));
    wrong.extend(sources(&lock));
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n       ")) }
}

/// Known flaws of what is used, and all of the above by cargo-deny's own reading. It is told where that cannot be.
pub fn advisories() -> Result {
    if sh::which("cargo-deny").is_none() {
        println!("    advisories are not looked up: cargo-deny is not installed (cargo install --locked cargo-deny)");
        return Ok(());
    }
    let deny = |args: &[&str]| sh::run(Command::new("cargo-deny").arg("deny").args(args));
    if deny(&["fetch", "db"]).is_err() {
        println!("    advisories are not looked up: their database cannot be had from here");
        return deny(&["check", "licenses", "bans", "sources"]);
    }
    deny(&["check"])
}

/// The texts of a list in `deny.toml`.
fn list(rules: &str, name: &str) -> Result<BTreeSet<String>> {
    let start = rules.split(&format!("\n{name} = [")).nth(1).ok_or(format!("deny.toml has no `{name}`"))?;
    let (inside, _) = start.split_once(']').ok_or(format!("`{name}` in deny.toml has no end"))?;
    Ok(inside.split('"').skip(1).step_by(2).map(str::to_owned).collect())
}

/// Packages of others (`name v1.2.3|licence` a line; our own are followed by their folder) under licences that are not allowed.
fn licences(tree: &str, allowed: &BTreeSet<String>) -> Vec<String> {
    let packages: BTreeSet<_> = tree.lines().filter_map(|line| line.trim_end_matches(" (*)").split_once('|')).collect();
    let others = packages.into_iter().filter(|(package, _)| !package.contains('('));
    let refused = others.filter(|(_, licence)| !is_allowed(licence, allowed));
    refused
        .map(|(package, licence)| format!("{package} is under `{licence}`, which deny.toml does not allow"))
        .collect()
}

/// Whether an SPDX expression can be kept to by licences that are allowed. `/` is how older packages write OR.
fn is_allowed(expression: &str, allowed: &BTreeSet<String>) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<_> = spaced.split_whitespace().collect();
    let mut rest = words.as_slice();
    !words.is_empty() && any(&mut rest, allowed) && rest.is_empty()
}

/// `all OR all …`
fn any(rest: &mut &[&str], allowed: &BTreeSet<String>) -> bool {
    let mut holds = all(rest, allowed);
    while let ["OR", after @ ..] = rest {
        *rest = after;
        holds |= all(rest, allowed);
    }
    holds
}

/// `one AND one …`
fn all(rest: &mut &[&str], allowed: &BTreeSet<String>) -> bool {
    let mut holds = one(rest, allowed);
    while let ["AND", after @ ..] = rest {
        *rest = after;
        holds &= one(rest, allowed);
    }
    holds
}

/// A licence, with its exception if it has one, or an expression in brackets.
fn one(rest: &mut &[&str], allowed: &BTreeSet<String>) -> bool {
    let (holds, after) = match rest {
        ["(", after @ ..] => {
            let mut inner = after;
            let holds = any(&mut inner, allowed);
            let [")", after @ ..] = inner else { return false };
            (holds, after)
        }
        [licence, "WITH", exception, after @ ..] => (allowed.contains(&format!("{licence} WITH {exception}")), after),
        [licence, after @ ..] => (allowed.contains(*licence), after),
        [] => return false,
    };
    *rest = after;
    holds
}

/// What a Cargo.lock says of each package.
fn packages(lock: &str) -> impl Iterator<Item = (&str, &str, Option<&str>)> {
    lock.split("[[package]]").skip(1).filter_map(|package| {
        let field = |name: &str| {
            let line = package.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(" = \""));
            line.and_then(|value| value.strip_suffix('"'))
        };
        Some((field("name")?, field("version")?, field("source")))
    })
}

/// Packages that are there twice, and skips of such as are not.
fn versions(lock: &str, skipped: &BTreeSet<String>) -> Vec<String> {
    let mut all = BTreeMap::<_, Vec<_>>::new();
    for (name, version, _) in packages(lock) {
        all.entry(name).or_default().push(format!("{name}@{version}"));
    }
    let twice: Vec<_> = all.into_values().filter(|versions| versions.len() > 1).collect();
    let known: BTreeSet<_> = twice.iter().flatten().cloned().collect();
    let new = twice.iter().filter(|versions| versions.iter().filter(|each| !skipped.contains(*each)).count() > 1);
    let new =
        new.map(|versions| format!("{} are both there, and deny.toml skips none of them", versions.join(" and ")));
    let gone = skipped.iter().filter(|each| !known.contains(*each));
    new.chain(gone.map(|each| format!("deny.toml skips {each}, which is not there twice"))).collect()
}

/// Packages that come from elsewhere.
fn sources(lock: &str) -> Vec<String> {
    let foreign = packages(lock).filter(|(_, _, source)| source.is_some_and(|source| source != REGISTRY));
    foreign.map(|(name, _, source)| format!("{name} comes from {}", source.unwrap_or_default())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(list: &[&str]) -> BTreeSet<String> {
        list.iter().map(|each| (*each).to_owned()).collect()
    }

    #[test]
    fn licences_are_read_as_expressions() {
        let allowed = set(&["MIT", "Unicode-3.0"]);
        for (expression, want) in [
            ("MIT", true),
            ("MIT OR Apache-2.0", true),
            ("Apache-2.0/MIT", true),
            ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
            ("MIT AND Unicode-3.0", true),
            ("Apache-2.0 WITH LLVM-exception OR MIT", true),
            ("GPL-3.0", false),
            ("MIT AND GPL-3.0", false),
            ("MIT WITH Some-exception", false),
            ("GPL-3.0 OR (Apache-2.0 AND MIT)", false),
            ("(MIT", false),
            ("MIT MIT", false),
            ("", false),
        ] {
            assert_eq!(is_allowed(expression, &allowed), want, "{expression}");
        }
        let tree = "ours v0.1.0 (/home/x)|\na v1.0.0|MIT (*)\nb v2.0.0 |\n\na v1.0.0|MIT\nc v3.0.0|GPL-3.0\n";
        let refused = licences(tree, &allowed);
        assert_eq!(refused.len(), 2, "{refused:?}");
        assert!(refused[0].starts_with("b ") && refused[1].starts_with("c "), "{refused:?}");
    }

    #[test]
    fn each_package_is_there_once_and_from_the_registry() {
        let package = |name: &str, version: &str, source: &str| {
            format!("[[package]]\nname = \"{name}\"\nversion = \"{version}\"\nsource = \"{source}\"\n\n")
        };
        let lock = format!(
            "version = 4\n\n[[package]]\nname = \"ours\"\nversion = \"0.1.0\"\n\n{}{}{}",
            package("a", "1.0.0", REGISTRY),
            package("a", "2.0.0", REGISTRY),
            package("b", "1.0.0", "git+https://example.org/b"),
        );
        assert_eq!(versions(&lock, &set(&["a@1.0.0"])), Vec::<String>::new());
        assert_eq!(
            versions(&lock, &set(&[])),
            ["a@1.0.0 and a@2.0.0 are both there, and deny.toml skips none of them"]
        );
        assert_eq!(
            versions(&lock, &set(&["a@1.0.0", "b@1.0.0"])),
            ["deny.toml skips b@1.0.0, which is not there twice"]
        );
        assert_eq!(sources(&lock), ["b comes from git+https://example.org/b"]);
    }

    #[test]
    fn the_rules_are_read() {
        let rules = include_str!("../../deny.toml");
        assert!(list(rules, "allow").unwrap().contains("MIT"));
        assert!(list(rules, "skip").unwrap().iter().all(|each| each.contains('@')));
        assert!(list(rules, "nothing").is_err());
    }
}
