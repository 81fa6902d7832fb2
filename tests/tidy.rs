//! The house rules that a compiler does not hold.
#![cfg(not(target_arch = "wasm32"))]

use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
};

use fabula::{
    locales::{T, reasons::reason},
    story::storyline::Language,
};

fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    fn walk(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
        for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                walk(&entry, found);
            } else if entry.extension().is_some_and(|end| end == "rs") {
                let text = fs::read_to_string(&entry).unwrap();
                found.push((entry, text));
            }
        }
    }
    let mut found = Vec::new();
    walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut found);
    assert!(!found.is_empty(), "{folder} has no sources");
    found
}

/// The clock and chance come through ports. (Who may name whom: `tests/layers.rs`.)
#[test]
fn pure_layers_do_not_ask_the_time() {
    for layer in ["store", "story", "reply", "prompt", "provider", "memory", "exchange", "features"] {
        for (file, text) in sources(&format!("src/{layer}")) {
            assert!(!text.contains("SystemTime") && !text.contains("Instant::now"), "{} asks the time", file.display());
        }
    }
}

/// Foreign text is never code, and the policy allows no inline style.
#[test]
fn the_page_makes_no_html_of_strings() {
    for (file, text) in sources("src/ui").into_iter().chain(sources("src/web")) {
        for name in ["inner_html", "innerHTML", "insert_adjacent_html", "style=\"", "document.write"] {
            assert!(!text.contains(name), "{} has {name}", file.display());
        }
    }
}

/// A class that is renamed takes its style along.
#[test]
fn each_class_of_the_styles_is_on_the_page() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = |folder: &str| fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path());
    let own = files("public").chain([root.join("index.html")]).filter_map(|file| {
        // Its pictures have no classes.
        file.extension().is_none_or(|end| end != "png").then(|| fs::read_to_string(file).unwrap())
    });
    let page: String = sources("src/ui").into_iter().map(|(_, text)| text).chain(own).collect();
    let is_name = |char: char| char.is_ascii_alphanumeric() || "-_".contains(char);
    let known: HashSet<&str> = page.split(|char| !is_name(char)).collect();
    let mut found = 0;
    for file in files("style").filter(|file| file.extension().is_some_and(|end| end == "css")) {
        let text = fs::read_to_string(&file).unwrap();
        let rules: String = text.split("/*").map(|part| part.split_once("*/").map_or(part, |(_, rule)| rule)).collect();
        // What stands before a brace: the selectors of a rule.
        for selector in rules.split('{').filter_map(|part| part.rsplit(['}', ';']).next()) {
            for class in selector.split('.').skip(1).filter_map(|rest| rest.split(|char| !is_name(char)).next()) {
                assert!(known.contains(class), "{}: nothing is called .{class}", file.display());
                found += 1;
            }
        }
    }
    assert!(found > 500, "only {found} were found");
}

/// A file that grows past this hides a second idea.
#[test]
fn files_hold_one_idea() {
    for (file, text) in sources("src").into_iter().chain(sources("xtask/src")) {
        let lines = text.lines().count();
        assert!(lines <= 500, "{} has {lines} lines", file.display());
    }
}

/// What this program says of a fault reaches the reader, wherever it was worded: in Chinese too.
#[test]
fn every_reason_of_our_own_has_its_chinese() {
    const WORD_FAULTS: &[&str] =
        &["src/store", "src/worker", "src/web", "src/turn", "src/transfer", "src/provider", "src/exchange/archive"];
    /// Their errors are quoted by others, so that they count too; elsewhere an error's own text is for programmers.
    const ERRORS_COUNT: &[&str] = &["src/reply/repair.rs", "src/story/tree.rs", "src/memory/segment.rs"];
    /// Words that are looked for in the answers of others, or said to a model.
    const NO_REASONS: &[&str] = &[
        "provider/errors.rs",
        "provider/embedding/manner.rs",
        "turn/expand.rs",
        "provider/wait.rs",
        "provider/manners.rs",
        "provider/length.rs",
        // As the library that they stand in for says them.
        "store/read.rs",
        "store/tagged.rs",
        // Names of providers, in both languages, and lines that start a server.
        "provider/known.rs",
        // Why a table takes no part in something: for programmers.
        "store/tables.rs",
    ];
    let file = |name: &&str| (PathBuf::from(name), fs::read_to_string(name).unwrap());
    let files = WORD_FAULTS.iter().flat_map(|folder| sources(folder)).chain(ERRORS_COUNT.iter().map(file));
    let mut found = 0;
    for (file, text) in files {
        let name = file.to_string_lossy().replace('\\', "/");
        let no_code = ["test", "samples", "/examples/"];
        if no_code.iter().any(|no| name.contains(no)) || NO_REASONS.iter().any(|no| name.ends_with(no)) {
            continue;
        }
        let counts = ERRORS_COUNT.contains(&name.as_str());
        let code = text.split("#[cfg(test)]").next().unwrap_or_default().lines().map(str::trim);
        let no_reason =
            |line: &&str| ["//", "#["].iter().any(|start| line.starts_with(start)) || line.contains("expect(");
        for line in code.filter(|line| (counts && line.starts_with("#[error")) || !no_reason(line)) {
            for words in line.split('"').skip(1).step_by(2).filter(|words| is_sentence(words)) {
                let sample = filled(words);
                let said = reason(&sample, Language::Zh);
                assert_ne!(said, sample, "{name}: no Chinese for “{words}”: see locales/reasons.rs");
                found += 1;
            }
        }
    }
    assert!(found > 40, "only {found} were found");
}

/// Two words of letters after one another; names of fields and paths are none.
fn is_sentence(words: &str) -> bool {
    let is_word = |word: &&str| word.len() > 1 && word.chars().all(|char| char.is_ascii_lowercase());
    let words: Vec<_> = words.split(' ').collect();
    words.windows(2).any(|pair| pair.iter().all(is_word))
}

/// A template with something in each of its places.
fn filled(template: &str) -> String {
    let mut parts = template.split('{');
    let head = parts.next().unwrap_or_default().to_owned();
    parts.fold(head, |said, part| said + "7" + part.split_once('}').map_or("", |(_, rest)| rest))
}

/// The first words stand in `index.html`, before the program that has them all.
#[test]
fn the_first_words_are_those_of_the_page() {
    let html = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("index.html")).unwrap();
    for (language, tag) in [(Language::Zh, "zh"), (Language::En, "en")] {
        let (_, words) = html.split_once(&format!("<section class=\"welcome\" lang=\"{tag}\">")).unwrap();
        let mut words = words.split_once("</section>").unwrap().0;
        for text in [
            T::WelcomeTitle,
            T::WelcomeLead,
            T::WelcomeDemo,
            T::WelcomeDemoNote,
            T::WelcomeConnect,
            T::WelcomeConnectNote,
            T::StepConnect,
            T::StepCharacter,
            T::StepOpen,
        ] {
            let said = format!(">{}<", text.text(language));
            words = words.split_once(&said).unwrap_or_else(|| panic!("{said} in its place")).1;
        }
    }
}
