//! The layers are those of the map in `src/lib.rs`: a layer names only what stands above it there.
#![cfg(not(target_arch = "wasm32"))]

mod source;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use proc_macro2::{TokenStream, TokenTree};

use self::source::{Module, program, without_tests};

/// The layers in the order of the map, and which of them are for the browser alone.
fn map() -> Vec<(String, bool)> {
    let text = fs::read_to_string("src/lib.rs").unwrap();
    let rows = text.lines().filter_map(|line| line.strip_prefix("//! | ")).filter(|row| row.contains('`'));
    let layers: Vec<_> = rows
        .map(|row| {
            let (name, rest) = row.split_once('|').unwrap();
            (name.trim_matches(|char: char| !char.is_alphanumeric()).to_owned(), rest.contains("wasm32 only"))
        })
        .collect();
    assert!(layers.len() > 10, "the map of lib.rs is read");
    layers
}

/// What paths begin with that start at the crate: `crate::a::b`, `crate::{a, b::c}`, and `super::…` where it leads there.
/// Macros are no way around it.
fn named(tokens: TokenStream, depth: usize, found: &mut BTreeSet<String>) {
    let all: Vec<TokenTree> = tokens.into_iter().collect();
    let is_colon = |at: usize| matches!(all.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
    let is_word = |at: usize, word: &str| matches!(all.get(at), Some(TokenTree::Ident(ident)) if ident == word);
    let mut at = 0;
    while at < all.len() {
        let mut supers = 0;
        while is_word(at + 3 * supers, "super") && is_colon(at + 3 * supers + 1) {
            supers += 1;
        }
        let is_crate = is_word(at, "crate") && is_colon(at + 1);
        if is_crate || supers >= depth {
            match all.get(if is_crate { at + 3 } else { at + 3 * supers }) {
                Some(TokenTree::Ident(name)) => drop(found.insert(name.to_string())),
                Some(TokenTree::Group(group)) => found.extend(first_names(group.stream())),
                _ => {}
            }
        } else if let TokenTree::Group(group) = &all[at] {
            named(group.stream(), depth, found);
        }
        at += 1;
    }
}

/// Of a list of paths, the first name of each.
fn first_names(list: TokenStream) -> Vec<String> {
    let mut is_first = true;
    let mut names = Vec::new();
    for token in list {
        match token {
            TokenTree::Ident(name) if is_first => names.push(name.to_string()),
            TokenTree::Punct(punct) if punct.as_char() == ',' => {
                is_first = true;
                continue;
            }
            _ => {}
        }
        is_first = false;
    }
    names
}

#[test]
fn a_layer_names_only_what_stands_above_it() {
    let layers = map();
    let place = |name: &str| layers.iter().position(|(layer, _)| layer == name);
    let mut wrong = BTreeMap::<_, Vec<_>>::new();
    let mut edges = 0;
    for module in program() {
        let layer = module.layer();
        let here = place(layer).unwrap_or_else(|| panic!("{layer} is not on the map of lib.rs"));
        let mut names = BTreeSet::new();
        named(module.tokens.clone(), module.names.len(), &mut names);
        for name in names.into_iter().filter(|name| name != layer) {
            let there = place(&name).unwrap_or_else(|| panic!("{}: {name} is no layer", module.file.display()));
            edges += 1;
            if there > here {
                wrong.entry(format!("{layer} names {name}")).or_default().push(module.file.clone());
            }
        }
    }
    assert!(edges > 500, "{edges} were read");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Native builds prove it for what they compile; this, for the rest.
#[test]
fn no_browser_crate_is_named_below_web() {
    const BROWSER: &[&str] = &["web_sys", "js_sys", "wasm_bindgen", "leptos", "gloo_net", "rexie", "idb"];
    let layers = map();
    let is_pure = |layer: &str| layers.iter().any(|(name, browser)| name == layer && !browser);
    for module in program().into_iter().filter(|module| is_pure(module.layer())) {
        let names = roots(module.tokens);
        for name in BROWSER {
            assert!(!names.contains(*name), "{} names {name}", module.file.display());
        }
    }
}

/// The page renders and forwards: what it reads and causes goes through `desk` and the other floors under it.
#[test]
fn the_page_names_no_store() {
    let all = program();
    let page: Vec<_> = all.iter().filter(|module| module.layer() == "ui").collect();
    assert!(page.len() > 50, "the page is read");
    for Module { file, names: own, tokens } in page {
        let mut names = BTreeSet::new();
        named(tokens.clone(), own.len(), &mut names);
        assert!(!names.contains("store"), "{} names the store", file.display());
        assert!(!has_field(tokens.clone(), "store"), "{} takes hold of a store", file.display());
    }
}

/// Whether something is taken out of anything by this name.
fn has_field(tokens: TokenStream, name: &str) -> bool {
    let all: Vec<TokenTree> = tokens.into_iter().collect();
    all.iter().enumerate().any(|(at, token)| match token {
        TokenTree::Group(group) => has_field(group.stream(), name),
        TokenTree::Punct(dot) if dot.as_char() == '.' => {
            matches!(all.get(at + 1), Some(TokenTree::Ident(field)) if field == name)
        }
        _ => false,
    })
}

/// The names that a `::` follows.
fn roots(tokens: TokenStream) -> BTreeSet<String> {
    let all: Vec<TokenTree> = tokens.into_iter().collect();
    let mut found = BTreeSet::new();
    for (at, token) in all.iter().enumerate() {
        match token {
            TokenTree::Group(group) => found.extend(roots(group.stream())),
            TokenTree::Ident(name) if matches!(all.get(at + 1), Some(TokenTree::Punct(next)) if next.as_char() == ':') =>
            {
                found.insert(name.to_string());
            }
            _ => {}
        }
    }
    found
}

/// The reading itself: else a rule could hold because nothing is seen.
#[test]
fn paths_are_read_wherever_they_stand() {
    let text = r#"
        use crate::{store::{Table, ids}, story as tale};
        use super::super::web::Clock;
        use super::near;
        fn f() { view!(<p>{crate::ui::x()}</p>); let s = "crate::never"; } // crate::never
        #[cfg(test)]
        mod tests { use crate::sim; }
        #[cfg(all(test, not(target_arch = "wasm32")))]
        use crate::turn;
        #[cfg(not(test))]
        use crate::prompt;
        struct After(crate::reply::Reply);
    "#;
    let mut found = BTreeSet::new();
    named(without_tests(text.parse().unwrap()), 2, &mut found);
    assert_eq!(found.into_iter().collect::<Vec<_>>(), ["prompt", "reply", "store", "story", "ui", "web"]);
}
