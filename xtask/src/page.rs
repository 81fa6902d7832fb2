//! What is done to the built `index.html`: the hashes of its two scripts go into its policy, and what the policy promises
//! is checked, so that no page leaves the build that a browser would refuse or that trusts too much.

use base64::{Engine, engine::general_purpose::STANDARD};
use sha2::{Digest, Sha256};

use crate::{sh::Result, split};

/// Stands in `index.html` where the hash of Trunk's inline loader belongs.
const PLACEHOLDER: &str = "'sha256-LOADER'";
/// The id of the script that stands before the loader.
const LOOK: &str = "look";
const POLICY_START: &str = r#"<meta http-equiv="Content-Security-Policy" content=""#;

/// Puts the hashes of the loader, and of the script that gives the first frame its look, into the policy.
///
/// # Errors
/// When the page is not what its policy says; the message names what is wrong.
pub fn seal(html: &str) -> Result<String> {
    let inline = scripts(html)?.into_iter().filter(|script| attribute(script.tag, "src").is_none());
    let (look, loaders): (Vec<_>, Vec<_>) = inline.partition(|script| attribute(script.tag, "id") == Some(LOOK));
    let ([] | [_], [loader]) = (look.as_slice(), loaders.as_slice()) else {
        return Err(format!(
            "the page must have one inline script, the loader, beside #{LOOK}, but has {}",
            loaders.len()
        ));
    };
    if policy(html)?.matches(PLACEHOLDER).count() != 1 {
        return Err(format!("the policy must hold {PLACEHOLDER} once, for the loader's hash"));
    }
    let hashes = look.iter().chain(&loaders).map(|script| hash_of(script.body));
    let sealed = html.replacen(PLACEHOLDER, &hashes.collect::<Vec<_>>().join(" "), 1);
    check(&sealed, loader.body)?;
    Ok(sealed)
}

/// The page without indentation and without what its comments say to people: whole lines in a script, elements' elsewhere.
pub fn terse(html: &str) -> String {
    let mut parts = html.split("<!--");
    let first = parts.next().unwrap_or_default().to_owned();
    let bare = parts.fold(first, |bare, part| bare + part.split_once("-->").map_or("", |(_, after)| after));
    split::terse(&bare)
}

fn hash_of(script: &str) -> String {
    format!("'{}'", integrity(script.as_bytes()))
}

/// What a browser holds a file against.
pub fn integrity(bytes: &[u8]) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(bytes)))
}

/// A name for what is made of these bytes, short enough for an address.
pub fn version_of<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut sha = Sha256::new();
    parts.into_iter().for_each(|part| sha.update(part));
    sha.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// Names the version of a part that is asked for later, in the place of `<name>?VERSION`: Trunk gives its files no hashed
/// names, and no browser shall run an old one with a new page. The part is made of `files`.
///
/// # Errors
/// The page has no place for it.
pub fn version(html: &str, name: &str, files: &[&[u8]]) -> Result<String> {
    let place = format!("{name}?VERSION");
    if html.matches(&place).count() != 1 {
        return Err(format!("the page must name {place} once"));
    }
    let version = version_of(files.iter().copied());
    Ok(html.replacen(&place, &format!("{name}?{version}"), 1))
}

/// Puts the hash of its only script into the policy of the status bars' frame, which lets nothing else begin there.
///
/// # Errors
/// The frame is not what the policy says.
pub fn seal_frame(html: &str) -> Result<String> {
    let found = scripts(html)?;
    let [script] = found.as_slice() else {
        return Err(format!("the frame must have one script, but has {}", found.len()));
    };
    let policy = policy(html)?;
    let sources = policy.split(';').find_map(|part| part.trim().strip_prefix("script-src "));
    if sources != Some(&format!("'unsafe-eval' {PLACEHOLDER}")) {
        return Err(format!("the frame's policy must say script-src 'unsafe-eval' {PLACEHOLDER}"));
    }
    for directive in ["default-src", "connect-src", "frame-src", "worker-src", "object-src", "base-uri", "form-action"]
    {
        none(policy, directive)?;
    }
    Ok(html.replacen(PLACEHOLDER, &hash_of(script.body), 1))
}

/// The files of its own that the page asks for, as paths from its folder.
pub fn files_named(html: &str) -> Vec<&str> {
    let attributes = tags(html).flat_map(|tag| ["href", "src"].into_iter().filter_map(|name| attribute(tag, name)));
    attributes.chain(loader_paths(html)).filter_map(|path| path.strip_prefix("./")).collect()
}

fn check(html: &str, loader: &str) -> Result {
    let policy = policy(html)?;
    for directive in ["default-src", "object-src", "base-uri", "form-action"] {
        none(policy, directive)?;
    }
    if let Some(word) =
        policy.split([' ', ';']).find(|word| word.starts_with("'unsafe-") || word.starts_with("'nonce-"))
    {
        return Err(format!("the policy must not allow {word}"));
    }
    for tag in tags(html) {
        let name = tag.split([' ', '\n', '\t', '/']).next().unwrap_or_default();
        if name == "base" || name == "style" {
            return Err(format!("the page must not have <{name}>"));
        }
        if let Some(handler) = attribute_names(tag).find(|attr| *attr == "style" || attr.starts_with("on")) {
            return Err(format!("the policy blocks the attribute `{handler}` of <{name}>"));
        }
        for path in ["href", "src"].into_iter().filter_map(|attr| attribute(tag, attr)) {
            relative(path)?;
        }
    }
    loader_paths(loader).try_for_each(relative)
}

fn none(policy: &str, directive: &str) -> Result {
    match policy.split(';').any(|part| part.split_whitespace().eq([directive, "'none'"])) {
        true => Ok(()),
        false => Err(format!("the policy must say {directive} 'none'")),
    }
}

/// A page in a sub folder of a host finds only what it names relative to itself.
fn relative(path: &str) -> Result {
    match path.starts_with('/') || path.split(['/', '?', '#']).next().is_some_and(|first| first.contains(':')) {
        true => Err(format!("`{path}` must be relative to the page")),
        false => Ok(()),
    }
}

/// The content of the policy's meta element, which must be the first in the head but for the charset.
fn policy(html: &str) -> Result<&str> {
    let head = html.split_once("<head>").ok_or("the page has no <head>")?.1;
    let mut rest = head.trim_start();
    if rest.starts_with("<!--") {
        rest = rest.split_once("-->").ok_or("a comment does not end")?.1.trim_start();
    }
    if rest.starts_with("<meta charset") {
        rest = rest.split_once('>').ok_or("the charset's meta does not end")?.1.trim_start();
    }
    let content =
        rest.strip_prefix(POLICY_START).ok_or("the policy must stand first in the head, after the charset")?;
    Ok(content.split_once('"').ok_or("the policy's meta does not end")?.0)
}

struct Script<'a> {
    tag: &'a str,
    body: &'a str,
}

/// Every script element, from its own start tag to the next end tag, as a browser reads it.
fn scripts(html: &str) -> Result<Vec<Script<'_>>> {
    let mut found = Vec::new();
    let mut rest = html;
    while let Some((_, after)) = rest.split_once("<script") {
        let (tag, after) = after.split_once('>').ok_or("a <script> tag does not end")?;
        let (body, after) = after.split_once("</script>").ok_or("a <script> element does not end")?;
        found.push(Script { tag, body });
        rest = after;
    }
    Ok(found)
}

/// The inside of every start tag; what stands within scripts and comments is passed over.
fn tags(html: &str) -> impl Iterator<Item = &str> {
    let mut rest = html;
    std::iter::from_fn(move || {
        loop {
            let (_, after) = rest.split_once('<')?;
            if let Some(comment) = after.strip_prefix("!--") {
                rest = comment.split_once("-->").map_or("", |(_, after)| after);
                continue;
            }
            let (tag, after) = after.split_once('>')?;
            rest = match tag.starts_with("script") {
                true => after.split_once("</script>").map_or("", |(_, after)| after),
                false => after,
            };
            if !tag.starts_with(['/', '!']) {
                return Some(tag);
            }
        }
    })
}

/// An attribute's value in a start tag whose values stand in double quotes.
fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    attributes(tag).find(|(found, _)| *found == name).map(|(_, value)| value)
}

fn attribute_names(tag: &str) -> impl Iterator<Item = &str> {
    attributes(tag).map(|(name, _)| name)
}

fn attributes(tag: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = tag;
    std::iter::from_fn(move || {
        let (before, after) = rest.split_once("=\"")?;
        let name = before.rsplit(char::is_whitespace).next().unwrap_or(before);
        let (value, after) = after.split_once('"')?;
        rest = after;
        Some((name, value))
    })
}

/// The paths that Trunk's loader names: the glue's import and the wasm file.
fn loader_paths(text: &str) -> impl Iterator<Item = &str> {
    ["from '", "module_or_path: '"]
        .into_iter()
        .flat_map(|start| text.split(start).skip(1).filter_map(|after| Some(after.split_once('\'')?.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOADER: &str = "\nimport init from './fabula-1.js';\nawait init({ module_or_path: './fabula-1_bg.wasm' });\n";
    const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval' 'sha256-LOADER'; \
                          object-src 'none'; base-uri 'none'; form-action 'none'";

    #[test]
    fn a_page_travels_without_what_people_read_of_it() {
        let html = "<body>\n  <!-- Seen\n  once. -->\n  <script>\n    // Why.\n    const a = 'http://b'; // there\n\n  </script>\n</body>\n";
        assert_eq!(terse(html), "<body>\n<script>\nconst a = 'http://b'; // there\n</script>\n</body>\n");
    }

    fn page() -> String {
        format!(
            "<!doctype html><html><head>\n<meta charset=\"utf-8\" />\n{POLICY_START}{POLICY}\" />\n\
             <link rel=\"stylesheet\" href=\"./fabula-1.css\" />\n<!-- <base> -->\
             <script type=\"module\">{LOADER}</script></head><body class=\"boot\"></body></html>"
        )
    }

    #[test]
    fn the_hash_is_that_of_the_script_as_it_stands() {
        let sealed = seal(&page()).unwrap();
        assert!(!sealed.contains("LOADER"));
        let hash = STANDARD.encode(Sha256::digest(LOADER));
        assert!(sealed.contains(&format!("'wasm-unsafe-eval' 'sha256-{hash}'; object-src")));
        assert!(sealed.contains(LOADER), "the script itself is untouched");
    }

    #[test]
    fn the_first_look_may_run_too_and_nothing_else() {
        let look = "<script id=\"look\">lang()</script><script type=\"module\">";
        let html = page().replacen("<script type=\"module\">", look, 1);
        let sealed = seal(&html).unwrap();
        let both = format!("'wasm-unsafe-eval' {} {}; object-src", hash_of("lang()"), hash_of(LOADER));
        assert!(sealed.contains(&both), "{sealed}");
        assert!(seal(&html.replace("id=\"look\"", "id=\"other\"")).is_err());
        assert!(seal(&html.replacen("<script id", "<script id=\"look\"></script><script id", 1)).is_err());
    }

    #[test]
    fn the_frame_lets_only_its_own_script_begin() {
        const FRAME: &str = include_str!("../../public/frame.html");
        let sealed = seal_frame(FRAME).unwrap();
        let body = scripts(FRAME).unwrap()[0].body;
        assert!(
            sealed.contains(&format!("'unsafe-eval' 'sha256-{}'; style-src", STANDARD.encode(Sha256::digest(body))))
        );
        for (good, bad, expected) in [
            ("'sha256-LOADER'", "'unsafe-inline'", "must say script-src"),
            ("connect-src 'none'", "connect-src https:", "connect-src 'none'"),
            ("frame-src 'none'; ", "", "frame-src 'none'"),
            ("<body>", "<body><script>1</script>", "one script"),
        ] {
            assert!(FRAME.contains(good), "{good} is not in the frame");
            let error = seal_frame(&FRAME.replacen(good, bad, 1)).expect_err(bad);
            assert!(error.contains(expected), "{bad}: {error}");
        }
    }

    #[test]
    fn the_version_is_that_of_the_files() {
        let page = "<meta content=\"./frame.html?VERSION\"><meta content=\"./memory-worker.js?VERSION\">";
        let [one, other] = [&b"a"[..], b"b"].map(|file| version(page, "frame.html", &[file]).unwrap());
        assert_ne!(one, other);
        assert!(one.ends_with("<meta content=\"./memory-worker.js?VERSION\">") && !one.contains("frame.html?VERSION"));
        assert!(version(page, "other.js", &[]).is_err());
    }

    #[test]
    fn the_hash_is_what_a_browser_computes() {
        // From the example in the Content Security Policy specification.
        let html = page().replace(LOADER, "alert('Hello, world.');");
        assert!(seal(&html).unwrap().contains("'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng='"));
    }

    #[test]
    fn the_files_of_the_page_are_found() {
        assert_eq!(files_named(&page()), ["fabula-1.css", "fabula-1.js", "fabula-1_bg.wasm"]);
    }

    #[test]
    fn a_page_that_breaks_its_promise_is_refused() {
        let cases = [
            ("<body class=\"boot\">", "<body><script>alert(1)</script>", "one inline script"),
            (LOADER, "x</script><script>y", "one inline script"),
            ("'sha256-LOADER'", "", "'sha256-LOADER' once"),
            ("'wasm-unsafe-eval'", "'unsafe-eval'", "must not allow 'unsafe-eval'"),
            ("'wasm-unsafe-eval'", "'nonce-abc'", "must not allow 'nonce-abc'"),
            ("object-src 'none'", "object-src 'self'", "object-src 'none'"),
            ("<meta charset=\"utf-8\" />", "<title>x</title>", "first in the head"),
            ("<body class=\"boot\">", "<body style=\"color:red\">", "attribute `style`"),
            ("<body class=\"boot\">", "<body onload=\"x()\">", "attribute `onload`"),
            ("<body class=\"boot\">", "<body><style>p{}</style>", "must not have <style>"),
            ("<!-- <base> -->", "<base href=\"./\">", "must not have <base>"),
            ("./fabula-1.css", "/fabula-1.css", "must be relative"),
            ("./fabula-1.css", "https://example.org/x.css", "must be relative"),
            ("from './", "from '/", "must be relative"),
        ];
        for (good, bad, expected) in cases {
            let html = page().replacen(good, bad, 1);
            assert_ne!(html, page(), "{good} is not in the page");
            let error = seal(&html).expect_err(bad);
            assert!(error.contains(expected), "{bad}: {error}");
        }
    }
}
