//! The release page comes in chunks: `#[wasm_split]` in `src/ui/chunks` says where it is cut, and here it is done.
//!
//! The cut lies between rustc and wasm-bindgen, where Trunk has no step of its own. It runs the `wasm-bindgen` that it
//! finds on its PATH, so for a release it finds this program under that name: it cuts, and hands the main part on to the
//! real one. The chunks lie beside the glue until [`place`] gives them its name.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use wasm_split_cli_support::{Options, transform};

use crate::names;
use crate::sh::{self, Result};
use crate::wasm::{Section, name_of, sections};

/// The name that Trunk asks for.
const NAME: &str = "wasm-bindgen";
/// Where the real one is.
const REAL: &str = "FABULA_WASM_BINDGEN";
/// What is cut; the other wasm files of the page are whole.
const MAIN: &str = "fabula";
/// What the glue knows the loader of the chunks as.
const LINK: &str = "./__wasm_split.js";
/// What asks for a chunk before the program does.
const EARLY: &str = "src/ui/chunks/early.js";
/// The linker must leave behind what refers to what.
const FLAGS: (&str, &str) = ("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", "-C link-arg=--emit-relocs");

/// Whether this program was started in the place of wasm-bindgen.
pub fn is_called() -> bool {
    let program = std::env::args_os().next().map(PathBuf::from);
    program.is_some_and(|program| program.file_stem().is_some_and(|name| name == NAME))
}

/// Lets Trunk find this program when it looks for wasm-bindgen, and the page be built in parts.
///
/// # Errors
/// The program cannot be put there.
pub fn stand_in(trunk: &mut Command, path: &OsString, real: &Path) -> Result {
    let folder = folder();
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    std::fs::create_dir_all(&folder)
        .and_then(|()| std::fs::copy(own, folder.join(sh::executable(NAME))))
        .map_err(|error| format!("{}: {error}", folder.display()))?;
    let path = std::env::join_paths([folder].into_iter().chain(std::env::split_paths(path)))
        .map_err(|error| format!("PATH cannot be extended: {error}"))?;
    trunk
        .args(["--features", "split"])
        .env("PATH", path)
        .env(REAL, real.join(sh::executable(NAME)))
        .env(FLAGS.0, FLAGS.1);
    Ok(())
}

/// Does what wasm-bindgen does, after the cut.
///
/// # Errors
/// The program cannot be cut, or the real one fails.
pub fn as_wasm_bindgen(args: &[String]) -> Result {
    let real = std::env::var_os(REAL).ok_or(format!("{REAL} is not set"))?;
    let option = |name: &str| args.iter().find_map(|arg| arg.strip_prefix(name));
    let Some(wasm) = args.iter().find(|arg| arg.ends_with(".wasm")) else {
        return sh::hand_over(Command::new(real).args(args));
    };
    let out = PathBuf::from(option("--out-dir=").ok_or("no --out-dir")?);
    let whole = std::fs::read(wasm).map_err(|error| format!("{wasm}: {error}"))?;
    let name = option("--out-name=").ok_or("no --out-name")?;
    // Trunk asks for several at a time: each has a file of its own.
    let cut = folder().join(format!("{name}.wasm"));
    let parts = match name == MAIN {
        true => Some(divide(&whole, &cut, &out)?),
        false => None,
    };
    if parts.is_none() {
        put(&cut, &without_relocations(&whole)?)?;
    }
    let mut bindgen = Command::new(real);
    bindgen.args(args.iter().filter(|arg| *arg != wasm)).arg(&cut);
    if parts.is_some() {
        bindgen.arg("--keep-lld-exports");
    }
    sh::run(&mut bindgen)?;
    let glue = out.join(format!("{name}.js"));
    let program = out.join(format!("{name}_bg.wasm"));
    let written = std::fs::read(&program).map_err(|error| format!("{}: {error}", program.display()))?;
    let (written, said) = names::shorten(&written, &sh::read(&glue)?, &format!("./{name}_bg.js"))?;
    put(&program, &written)?;
    sh::write(&glue, &said)?;
    if let Some(parts) = parts {
        let early = sh::read(&sh::root().join(EARLY))?.replace("PARTS", &format!("{{ {parts} }}"));
        let whole = join(&said, &sh::read(&out.join(LINK))?, &early)?;
        sh::write(&glue, &whole)?;
        shorten(&glue)?;
    }
    Ok(())
}

/// Lets a script travel without what only people read of it: a tenth of it, packed. What it exports keeps its name.
fn shorten(script: &Path) -> Result {
    let mut node = Command::new("node");
    node.arg(sh::root().join("node_modules/terser/bin/terser")).arg(script);
    sh::run(node.args(["--module", "--compress", "--mangle", "--output"]).arg(script))
}

/// Puts the chunks beside the glue, under its name and their own.
///
/// # Errors
/// There are none, or they cannot be copied.
pub fn place(dist: &Path) -> Result {
    let from = folder_of_bindgen();
    let stem = stem(dist)?;
    let chunks = chunks_in(&from);
    if chunks.is_empty() {
        return Err("the page was not cut".into());
    }
    for chunk in chunks {
        let to = dist.join(format!("{stem}_{chunk}.wasm"));
        std::fs::copy(from.join(format!("{chunk}.wasm")), &to).map_err(|error| format!("{}: {error}", to.display()))?;
    }
    Ok(())
}

/// The name of the page's program, without its endings.
///
/// # Errors
/// It is not there.
pub fn stem(dist: &Path) -> Result<String> {
    let glue = |name: &String| name.starts_with("fabula-") && name.ends_with(".js") && !name.contains("remote");
    let stem = sh::files_below(dist).into_iter().find(glue).and_then(|name| Some(name.strip_suffix(".js")?.to_owned()));
    stem.ok_or("the page has no glue".into())
}

fn folder() -> PathBuf {
    sh::root().join("target/split")
}

fn folder_of_bindgen() -> PathBuf {
    sh::root().join("target/wasm-bindgen/release")
}

/// The names of the chunks in a folder.
fn chunks_in(folder: &Path) -> Vec<String> {
    let is_chunk = |name: &str| name.starts_with("split_") || name.starts_with("chunk_");
    let files = sh::files_below(folder).into_iter().filter(|name| is_chunk(name));
    files.filter_map(|name| Some(name.strip_suffix(".wasm")?.to_owned())).collect()
}

/// Writes the main part to `main`, and the chunks with their loader into the folder `out`. Which chunks each name needs, as
/// the inside of a JavaScript object.
fn divide(whole: &[u8], main: &Path, out: &Path) -> Result<String> {
    for old in chunks_in(out) {
        let _ = std::fs::remove_file(out.join(format!("{old}.wasm")));
    }
    let mut options = Options::new(whole);
    (options.main_out_path, options.output_dir, options.link_name) = (main, out, LINK);
    let split = transform(options).map_err(|error| format!("the page cannot be cut: {error:#}"))?;
    let mut parts: Vec<_> = split.prefetch_map.into_iter().collect();
    parts.sort();
    Ok(parts.iter().map(|(name, files)| format!("{name}: {files:?}")).collect::<Vec<_>>().join(", "))
}

/// Glue and loader in one: they import each other, and neither is of use alone. A chunk is looked for beside them, under
/// the name that they have by then. `early` is what of the page's own comes before its program, with `PARTS` in the place
/// of the chunks that each name needs.
fn join(glue: &str, link: &str, early: &str) -> Result<String> {
    const OWN: &str = "const chunk = (name) => import.meta.url.replace(/\\.js$/, `_${name}.wasm`);\n";
    let import = format!(" from \"{LINK}\"");
    // It imports it once for each function.
    let (links, rest): (Vec<&str>, Vec<&str>) = glue.lines().partition(|line| line.contains(&import));
    let names: Option<Vec<&str>> =
        links.iter().map(|line| Some(line.strip_prefix("import * as ")?.split_once(' ')?.0)).collect();
    let names = names.filter(|names| !names.is_empty()).ok_or(format!("the glue does not import {LINK} as it did"))?;
    let (_, link) = link.split_once("from \"./main.js\";\n").ok_or("the loader does not import the glue")?;
    let loaders: Vec<&str> =
        link.lines().filter_map(|line| Some(line.strip_prefix("export const ")?.split_once(' ')?.0)).collect();
    if loaders.is_empty() {
        return Err("the loader loads nothing".into());
    }
    let link = link
        .replace("export const ", "const ")
        .replace("new URL(\"./", "chunk(\"")
        .replace(".wasm\", import.meta.url)", "\")");
    if link.contains("import.meta") || link.contains("import {") {
        return Err("the loader is not what it was".into());
    }
    let (loaders, rest) = (loaders.join(", "), rest.join("\n"));
    let names: String = names.iter().map(|name| format!("const {name} = {{ {loaders} }};\n")).collect();
    Ok(terse(&format!("{rest}\n{OWN}{early}\n{link}\n{names}")))
}

/// A script without indentation and without the comments that fill lines of their own: a tenth of what travels. What
/// wasm-bindgen writes has no text over several lines.
pub fn terse(script: &str) -> String {
    let mut is_comment = false;
    let mut said = String::new();
    for line in script.lines().map(str::trim) {
        is_comment |= line.starts_with("/*");
        if !is_comment && !line.is_empty() && !line.starts_with("//") {
            said.push_str(line);
            said.push('\n');
        }
        is_comment &= !line.ends_with("*/");
    }
    said
}

/// The program without what only a linker reads.
fn without_relocations(wasm: &[u8]) -> Result<Vec<u8>> {
    let (start, sections) = sections(wasm).ok_or("a wasm file ends too early")?;
    let is_for_linkers = |section: &Section| {
        let name = name_of(section.body).filter(|_| section.id == 0);
        name.is_some_and(|name| name == b"linking" || name.starts_with(b"reloc."))
    };
    let kept = sections.iter().filter(|section| !is_for_linkers(section));
    Ok([start].into_iter().chain(kept.map(|section| section.whole)).collect::<Vec<_>>().concat())
}

fn put(path: &Path, bytes: &[u8]) -> Result {
    std::fs::write(path, bytes).map_err(|error| format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn glue_and_loader_become_one() {
        const LOADER: &str = "import { initSync } from \"./main.js\";\n";
        let glue = "import * as import1 from \"./__wasm_split.js\"\nimport * as import2 from \"./__wasm_split.js\"\n\n\
                    function a() { return import1; }\nexport { b as default };\n";
        let link = format!(
            "{LOADER}\nlet x;\nexport const __wasm_split_load_desk = \
             wrapAsyncCb(makeLoad(() => fetch(new URL(\"./split_desk.wasm\", import.meta.url)), []));\n"
        );
        let whole = join(glue, &link, "early();").unwrap();
        assert!(whole.starts_with("function a()"), "{whole}");
        assert!(whole.contains("early();") && whole.contains("fetch(chunk(\"split_desk\"))"), "{whole}");
        assert!(whole.contains("const import1 = { __wasm_split_load_desk };\nconst import2 = {"), "{whole}");
        assert!(join("nothing", &link, "").is_err());
        assert!(join(glue, LOADER, "").is_err());
    }

    #[test]
    fn a_script_is_terse() {
        let script = "/**\n * @returns {any}\n */\nfunction a() {\n    // Why.\n    return 'x'; // there\n}\n/* one */\n\nb();\n";
        assert_eq!(terse(script), "function a() {\nreturn 'x'; // there\n}\nb();\n");
    }

    #[test]
    fn only_the_linkers_sections_go() {
        let section = |name: &[u8]| [&[0, name.len() as u8 + 3, name.len() as u8][..], name, &[1, 2]].concat();
        let start = *b"\0asm\x01\0\0\0";
        let [code, relocations, linking, names] = [&b"x"[..], b"reloc.CODE", b"linking", b"name"].map(section);
        let wasm = [&start[..], &code, &relocations, &linking, &names].concat();
        assert_eq!(without_relocations(&wasm).unwrap(), [&start[..], &code, &names].concat());
        assert!(without_relocations(&wasm[..wasm.len() - 1]).is_err());
    }
}
