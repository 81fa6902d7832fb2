//! The house rules that a compiler does not hold.
#![cfg(not(target_arch = "wasm32"))]

use std::{
    fs,
    path::{Path, PathBuf},
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

/// Nobody upstairs is named downstairs (design: the house), and no browser crate in a pure layer.
#[test]
fn the_walls_stand() {
    const PURE: &[&str] = &[
        "story", "reply", "prompt", "provider", "memory", "exchange", "modules", "turn", "transfer", "sim", "locales",
    ];
    const BROWSER: &[&str] = &["web_sys::", "js_sys::", "wasm_bindgen", "leptos::", "gloo_net::", "rexie::", "idb::"];
    for layer in PURE {
        for (file, text) in sources(&format!("src/{layer}")) {
            for name in BROWSER.iter().chain(&["crate::ui", "crate::web"]) {
                assert!(!text.contains(name), "{} names {name}", file.display());
            }
        }
    }
    for layer in ["story", "reply", "prompt", "provider", "memory", "exchange", "modules"] {
        for (file, text) in sources(&format!("src/{layer}")) {
            assert!(!text.contains("crate::turn"), "{} names the conductor", file.display());
            assert!(!text.contains("SystemTime") && !text.contains("Instant::now"), "{} asks the time", file.display());
        }
    }
    for (file, text) in sources("src/web") {
        assert!(!text.contains("crate::ui"), "{} names the page", file.display());
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

/// A file that grows past this hides a second idea.
#[test]
fn files_hold_one_idea() {
    for (file, text) in sources("src").into_iter().chain(sources("xtask/src")) {
        let lines = text.lines().count();
        assert!(lines <= 500, "{} has {lines} lines", file.display());
    }
}
