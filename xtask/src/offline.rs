//! What keeps the page on a device: the service worker is told which files the page is made of, each with its hash.

use crate::{page, sh::Result};

/// The service worker, among the files of the page.
pub const WORKER: &str = "sw.js";
/// In it, the files of a page that has none.
const NO_FILES: &str = "const FILES = [];";
const NO_VERSION: &str = "fabula-VERSION";

/// A file of the page: the address at which the page asks for it, relative to its folder, and what is in it.
pub struct File {
    pub address: String,
    pub bytes: Vec<u8>,
}

/// The service worker for these files. Its own text changes with any of them, which is how a browser knows of a new page.
///
/// # Errors
/// It has no place for them.
pub fn seal(worker: &str, files: &[File]) -> Result<String> {
    if worker.matches(NO_FILES).count() != 1 || worker.matches(NO_VERSION).count() != 1 {
        return Err(format!("{WORKER} must hold `{NO_FILES}` and `{NO_VERSION}` once"));
    }
    let entry = |file: &File| format!("[{:?}, {:?}]", file.address, page::integrity(&file.bytes));
    let list = files.iter().map(entry).collect::<Vec<_>>().join(", ");
    let version = page::version_of([list.as_bytes()]);
    let sealed = worker.replacen(NO_FILES, &format!("const FILES = [{list}];"), 1);
    Ok(sealed.replacen(NO_VERSION, &format!("fabula-{version}"), 1))
}

/// The address of a file: as the page's text names it (with a version where it has one), or its name; the page's own is
/// that of its folder.
pub fn address(html: &str, name: &str) -> String {
    if name == "index.html" {
        return "./".into();
    }
    let named = html.split(&format!("./{name}?")).nth(1).map(|rest| rest.split(['"', '\'']).next().unwrap_or_default());
    named.map_or_else(|| name.to_owned(), |version| format!("{name}?{version}"))
}

#[cfg(test)]
mod tests {
    use base64::{Engine, engine::general_purpose::STANDARD};
    use sha2::{Digest, Sha256};

    use super::*;

    const SW: &str = "const FILES = [];\nconst CACHE = 'fabula-VERSION';\n";

    fn file(address: &str, text: &str) -> File {
        File { address: address.into(), bytes: text.into() }
    }

    #[test]
    fn it_names_each_file_with_its_hash_and_changes_with_any() {
        let one = seal(SW, &[file("./", "<p>"), file("a.css?1", "a{}")]).unwrap();
        let hash = STANDARD.encode(Sha256::digest("a{}"));
        assert!(one.contains(&format!(r#"["a.css?1", "sha256-{hash}"]"#)), "{one}");
        assert!(!one.contains("VERSION"));
        let cache = |text: &str| text.lines().nth(1).map(str::to_owned);
        let other = seal(SW, &[file("./", "<p>"), file("a.css?1", "b{}")]).unwrap();
        assert_ne!(cache(&one), cache(&other));
        assert_eq!(one, seal(SW, &[file("./", "<p>"), file("a.css?1", "a{}")]).unwrap());
    }

    #[test]
    fn one_without_a_place_for_them_is_refused() {
        assert!(seal("const FILES = [1];", &[]).is_err());
    }

    #[test]
    fn files_are_known_by_the_address_that_the_page_asks_for() {
        let html = r#"<meta content="./frame.html?0a" /><link href="./b.css" />"#;
        for (name, expected) in [("index.html", "./"), ("frame.html", "frame.html?0a"), ("b.css", "b.css")] {
            assert_eq!(address(html, name), expected);
        }
    }
}
