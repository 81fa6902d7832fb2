//! The program as its modules, read from its sources.

use std::{
    fs,
    path::{Path, PathBuf},
};

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// A module that is part of the program.
#[allow(dead_code, reason = "each of the tests reads its part")]
pub struct Module {
    pub file: PathBuf,
    /// The modules that it lies in, from the crate down, and itself.
    pub names: Vec<String>,
    /// Without what is for tests alone.
    pub tokens: TokenStream,
}

impl Module {
    pub fn layer(&self) -> &str {
        &self.names[0]
    }
}

/// The modules that are reached from a file, without those for tests.
fn modules(file: PathBuf, names: &[String], found: &mut Vec<Module>) {
    let text = fs::read_to_string(&file).unwrap();
    let tokens = without_tests(text.parse().unwrap());
    let is_root = matches!(file.file_name().unwrap().to_str().unwrap(), "lib.rs" | "mod.rs");
    let folder = if is_root { file.parent().unwrap().to_path_buf() } else { file.with_extension("") };
    let all: Vec<TokenTree> = tokens.clone().into_iter().collect();
    for three in all.windows(3) {
        if let [TokenTree::Ident(word), TokenTree::Ident(name), TokenTree::Punct(end)] = three
            && word == "mod"
            && end.as_char() == ';'
        {
            let name = name.to_string();
            let candidates = [folder.join(format!("{name}.rs")), folder.join(&name).join("mod.rs")];
            let file = candidates.into_iter().find(|file| file.exists()).unwrap_or_else(|| panic!("no file of {name}"));
            modules(file, &[names, &[name]].concat(), found);
        }
    }
    if !names.is_empty() {
        found.push(Module { file, names: names.to_vec(), tokens });
    }
}

/// Whether what stands under it is compiled for tests alone: `[cfg(test)]`, `[cfg(all(test, …))]`.
fn is_for_tests(attribute: &Group) -> bool {
    let text = attribute.to_string().replace(' ', "");
    ["[cfg(test)]", "[cfg(all(test,"].iter().any(|start| text.starts_with(start))
}

/// Leaves out what is for tests alone.
pub fn without_tests(tokens: TokenStream) -> TokenStream {
    let mut left = Vec::new();
    let mut tokens = tokens.into_iter();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Group(group) if is_for_tests(&group) => {
                // Its `#`; then the item, which ends with its body or a semicolon.
                left.pop();
                for token in tokens.by_ref() {
                    let is_end = match &token {
                        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
                        TokenTree::Punct(punct) => punct.as_char() == ';',
                        _ => false,
                    };
                    if is_end {
                        break;
                    }
                }
            }
            TokenTree::Group(group) => {
                left.push(Group::new(group.delimiter(), without_tests(group.stream())).into());
            }
            other => left.push(other),
        }
    }
    left.into_iter().collect()
}

/// All modules, without those for tests.
pub fn program() -> Vec<Module> {
    let mut found = Vec::new();
    modules(Path::new("src/lib.rs").to_path_buf(), &[], &mut found);
    assert!(found.len() > 300, "{} modules", found.len());
    found
}
