//! What program and glue call each other by, in a letter or two.
//!
//! wasm-bindgen tells its imports apart by a hash in each name. A hash does not pack, and it travels twice: those of a page
//! that uses five hundred were 15 KB of it.

use std::collections::HashMap;

use crate::sh::Result;
use crate::wasm::{Import, imports, leb, section, sections};

/// The module that the glue is to the program.
const GLUE: &[u8] = b"w";
/// The section of what comes from elsewhere.
const IMPORTS: u8 = 2;

/// Program and glue as wasm-bindgen writes them, `module` being what the glue is to the program; both with short names for
/// what the program has from the glue.
///
/// # Errors
/// They are not what wasm-bindgen writes.
pub fn shorten(wasm: &[u8], glue: &str, module: &str) -> Result<(Vec<u8>, String)> {
    let (start, parts) = sections(wasm).ok_or("the program cannot be read")?;
    let body = parts.iter().find(|part| part.id == IMPORTS).map_or(&[][..], |part| part.body);
    let imports = imports(body).ok_or("the program's imports cannot be read")?;
    let is_ours = |import: &Import| import.module == module.as_bytes();
    let mut short: HashMap<&[u8], String> = HashMap::new();
    for import in imports.iter().filter(|import| is_ours(import)) {
        let next = letters(short.len());
        short.entry(import.name).or_insert(next);
    }

    let renamed = imports.iter().map(|import| match short.get(import.name) {
        Some(name) if is_ours(import) => Import { module: GLUE, name: name.as_bytes(), ..*import }.written(),
        _ => import.written(),
    });
    let renamed = [leb(imports.len()), renamed.collect::<Vec<_>>().concat()].concat();
    let parts =
        parts.iter().map(|part| if part.id == IMPORTS { section(IMPORTS, &renamed) } else { part.whole.to_vec() });
    let program = [start.to_vec(), parts.collect::<Vec<_>>().concat()].concat();

    // Each is the name of a field, on a line of its own.
    let mut said = 0;
    let line = |line: &str| {
        let field = line.trim_start().split_once(": ");
        match field.and_then(|(name, value)| Some((short.get(name.as_bytes())?, value))) {
            Some((name, value)) => {
                said += 1;
                format!("{name}: {value}\n")
            }
            None => format!("{line}\n"),
        }
    };
    let lines: String = glue.lines().map(line).collect();
    let [long, own] = [module, "w"].map(|module| format!("\"{module}\":"));
    if said != short.len() || lines.matches(&long).count() != 1 {
        return Err(format!("the glue gives {said} of the {} names that the program asks for", short.len()));
    }
    Ok((program, lines.replace(&long, &own)))
}

/// The name of that number: a, b, … z, aa, ba, …
fn letters(mut number: usize) -> String {
    let mut name = String::new();
    loop {
        name.push(char::from(b'a' + (number % 26) as u8));
        number /= 26;
        if number == 0 {
            return name;
        }
        number -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &[u8] = b"\0asm\x01\0\0\0";

    fn program(imports: &[(&str, &str)]) -> Vec<u8> {
        let text = |text: &str| [leb(text.len()), text.as_bytes().to_vec()].concat();
        let each = imports.iter().map(|(module, name)| [text(module), text(name), vec![0, 0]].concat());
        let body = [leb(imports.len()), each.collect::<Vec<_>>().concat()].concat();
        [START.to_vec(), section(1, b"\0"), section(IMPORTS, &body), section(10, b"\0")].concat()
    }

    #[test]
    fn both_know_each_other_by_the_same_short_names() {
        let wasm = program(&[("./p_bg.js", "__wbg_a_01"), ("./other.js", "__wbg_a_01"), ("./p_bg.js", "__wbg_b_02")]);
        let glue = "const import0 = {\n  __wbg_a_01: function(a) {\n  },\n__wbg_b_02: function() { return x(); },\n};\n\
                    const c = { __wbg_a_01: 1 };\nreturn {\n\"./p_bg.js\": import0,\n};\n";
        let (program_, glue_) = shorten(&wasm, glue, "./p_bg.js").unwrap();
        assert_eq!(program_, program(&[("w", "a"), ("./other.js", "__wbg_a_01"), ("w", "b")]));
        let expected = "const import0 = {\na: function(a) {\n  },\nb: function() { return x(); },\n};\n\
                        const c = { __wbg_a_01: 1 };\nreturn {\n\"w\": import0,\n};\n";
        assert_eq!(glue_, expected);
    }

    #[test]
    fn a_name_that_the_glue_does_not_give_is_told() {
        let wasm = program(&[("./p_bg.js", "__wbg_a_01")]);
        assert!(shorten(&wasm, "return {\n\"./p_bg.js\": import0,\n};\n", "./p_bg.js").is_err());
        assert!(shorten(&wasm, "__wbg_a_01: 1\n", "./p_bg.js").is_err(), "no such module");
        assert!(shorten(&wasm[..wasm.len() - 1], "", "./p_bg.js").is_err());
    }

    #[test]
    fn no_two_have_the_same_letters() {
        let all: std::collections::HashSet<String> = (0..20_000).map(letters).collect();
        assert_eq!(all.len(), 20_000);
        assert_eq!([0, 25, 26, 27, 701, 702].map(letters), ["a", "z", "aa", "ba", "zz", "aaa"]);
    }
}
