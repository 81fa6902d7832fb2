//! Whatever comes from outside, bent at random: nothing of it panics, and the rules of its reader hold.
//!
//! Each target has a corpus of files in `tests/corpus/<target>/`, which is replayed; what is found to break a rule goes
//! there, by the name of what it broke. From the corpus inputs are made by cutting, splicing, repeating and flipping;
//! one that is read in a way that no input was before is bent further. A rule that counts, counts work and never time.
//!
//! `FABULA_FUZZ=100000 FABULA_SEED=3 cargo test --lib fuzz::` makes so many inputs for each target. An input that breaks
//! a rule is kept in `target/fuzz/`.

mod bend;
mod targets;

use std::{
    collections::BTreeSet,
    fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
};

use self::bend::Bender;

/// Inputs for each target, where nobody says how many.
const INPUTS: usize = 250;

/// What reads foreign bytes.
struct Target {
    /// Its folder in `tests/corpus`.
    name: &'static str,
    /// What its inputs are made of.
    words: &'static [&'static str],
    /// Reads an input, panics where a rule is broken, and says in which way it was read.
    check: fn(&[u8]) -> String,
}

fn number(name: &str) -> Option<usize> {
    std::env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{name} takes a number")))
}

fn corpus(target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus").join(target);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty(), "{target} has no corpus");
    files.into_iter().map(|file| (file.clone(), fs::read(file).unwrap())).collect()
}

fn run(target: &Target) {
    let mut pool = Vec::new();
    let mut ways = BTreeSet::new();
    for (file, input) in corpus(target.name) {
        println!("{}", file.display());
        ways.insert((target.check)(&input));
        pool.push(input);
    }
    let found = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/fuzz");
    fs::create_dir_all(&found).unwrap();
    let mut bender = Bender::new(number("FABULA_SEED").unwrap_or(1) as u64, target.words);
    for nth in 0..number("FABULA_FUZZ").unwrap_or(INPUTS) {
        let input = bender.bend(&pool);
        match catch_unwind(AssertUnwindSafe(|| (target.check)(&input))) {
            Ok(way) => {
                if ways.insert(way) {
                    pool.push(input);
                }
            }
            Err(_) => {
                let file = found.join(format!("{}-{nth}", target.name));
                fs::write(&file, &input).unwrap();
                panic!("input {nth} of {} breaks a rule: {}", target.name, file.display());
            }
        }
    }
    println!("{}: {} ways to read it", target.name, ways.len());
}
