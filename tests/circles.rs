//! Which files import which: no circle of them on the page is larger than what one can hold in mind.
#![cfg(not(target_arch = "wasm32"))]

mod source;

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};

use self::source::{Module, program};

type Names = Vec<String>;

/// Files of the largest circle.
const MOST: usize = 10;

/// Paths that a module names, from the crate down, and under which name each is known in it where it is imported.
#[derive(Default)]
struct Named {
    all: BTreeSet<Names>,
    known: BTreeMap<String, Names>,
}

fn ident(token: Option<&TokenTree>) -> Option<String> {
    match token {
        Some(TokenTree::Ident(ident)) => Some(ident.to_string()),
        _ => None,
    }
}

fn is_colons(tokens: &[TokenTree], at: usize) -> bool {
    let is = |at: usize| matches!(tokens.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
    is(at) && is(at + 1)
}

impl Named {
    fn of(module: &Module) -> Self {
        let mut named = Self::default();
        named.read(module.tokens.clone(), &module.names);
        named
    }

    fn read(&mut self, tokens: TokenStream, own: &[String]) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            let is_path = is_colons(&tokens, at + 1) && !(at >= 2 && is_colons(&tokens, at - 2));
            match ident(tokens.get(at)).as_deref() {
                Some("crate" | "super" | "self") if is_path => at = self.path(&tokens, at, own.to_vec()),
                _ => {
                    if let TokenTree::Group(group) = &tokens[at] {
                        self.read(group.stream(), own);
                    }
                    at += 1;
                }
            }
        }
    }

    /// A path that begins at `at`; gives the place behind it.
    fn path(&mut self, tokens: &[TokenTree], mut at: usize, mut path: Names) -> usize {
        loop {
            match tokens.get(at) {
                Some(TokenTree::Group(group)) => {
                    let list: Vec<TokenTree> = group.stream().into_iter().collect();
                    for one in list.split(|token| matches!(token, TokenTree::Punct(comma) if comma.as_char() == ',')) {
                        if !one.is_empty() {
                            self.path(one, 0, path.clone());
                        }
                    }
                    return at + 1;
                }
                Some(TokenTree::Ident(name)) => match name.to_string().as_str() {
                    "crate" => path.clear(),
                    "self" => {}
                    "super" => drop(path.pop()),
                    name => path.push(name.to_owned()),
                },
                // Whatever of it is used, it is named.
                Some(TokenTree::Punct(all)) if all.as_char() == '*' => {
                    self.all.insert(path);
                    return at + 1;
                }
                _ => return at + 1,
            }
            at += 1;
            if !is_colons(tokens, at) {
                break;
            }
            at += 2;
        }
        let alias = (ident(tokens.get(at)).as_deref() == Some("as")).then(|| ident(tokens.get(at + 1))).flatten();
        if let Some(name) = alias.or_else(|| path.last().cloned()) {
            self.known.insert(name, path.clone());
        }
        self.all.insert(path);
        at
    }
}

/// The module in which something is made, wherever it is named by: what a module hands on is not its own.
fn home(path: &[String], modules: &BTreeMap<Names, Named>, depth: usize) -> Option<Names> {
    let length = (1..=path.len()).rev().find(|length| modules.contains_key(&path[..*length]))?;
    let (module, rest) = path.split_at(length);
    let handed_on = rest.first().and_then(|name| modules[module].known.get(name)).filter(|to| **to != path);
    match handed_on {
        Some(to) if depth > 0 => home(&[&to[..], &rest[1..]].concat(), modules, depth - 1),
        _ => Some(module.to_vec()),
    }
}

/// Of each module, those that it imports from.
fn imports(modules: &BTreeMap<Names, Named>) -> BTreeMap<&Names, BTreeSet<Names>> {
    let of = |(own, named): (&'_ Names, &Named)| {
        let all = named.all.iter().filter_map(|path| home(path, modules, 8)).filter(|to| to != own);
        all.collect::<BTreeSet<_>>()
    };
    modules.iter().map(|(own, named)| (own, of((own, named)))).collect()
}

/// The modules that import each other, round and round; the largest circle first.
fn circles(imports: &BTreeMap<&Names, BTreeSet<Names>>) -> Vec<BTreeSet<Names>> {
    let reached = |from: &Names| {
        let mut seen = BTreeSet::new();
        let mut next: Vec<&Names> = vec![from];
        while let Some(one) = next.pop() {
            next.extend(imports.get(one).into_iter().flatten().filter(|to| seen.insert((*to).clone())));
        }
        seen
    };
    let reached: BTreeMap<&Names, BTreeSet<Names>> = imports.keys().map(|own| (*own, reached(own))).collect();
    let circle = |own: &Names| -> BTreeSet<Names> {
        reached[own].iter().filter(|other| reached.get(other).is_some_and(|back| back.contains(own))).cloned().collect()
    };
    let mut circles: Vec<_> = imports.keys().map(|own| circle(own)).filter(|circle| !circle.is_empty()).collect();
    circles.sort_by_key(|circle| std::cmp::Reverse(circle.len()));
    circles.dedup();
    circles
}

#[test]
fn no_circle_on_the_page_is_large() {
    let page = program().into_iter().filter(|module| module.layer() == "ui");
    let modules: BTreeMap<Names, Named> = page.map(|module| (module.names.clone(), Named::of(&module))).collect();
    let imports = imports(&modules);
    assert!(imports.values().map(BTreeSet::len).sum::<usize>() > 200, "imports are read");
    let found = circles(&imports);
    let told = |circle: &BTreeSet<Names>| circle.iter().map(|names| names.join("::")).collect::<Vec<_>>();
    let large: Vec<_> = found.iter().filter(|circle| circle.len() > MOST).map(told).collect();
    if std::env::var_os("FABULA_CIRCLES").is_some() {
        for circle in &found {
            for name in circle {
                let within: Vec<_> =
                    imports[name].iter().filter(|to| circle.contains(*to)).map(|to| to.join("::")).collect();
                println!("{} → {}", name.join("::"), within.join(" "));
            }
            println!();
        }
    }
    assert!(large.is_empty(), "{} and more in a circle: {large:#?}", MOST + 1);
}

/// The reading itself: else the rule could hold because nothing is seen.
#[test]
fn what_is_handed_on_belongs_to_where_it_is_made() {
    let module = |names: &str, text: &str| {
        let names: Names = names.split("::").map(str::to_owned).collect();
        let module = Module { file: "".into(), names: names.clone(), tokens: text.parse().unwrap() };
        (names, Named::of(&module))
    };
    let modules = BTreeMap::from([
        module("ui", "pub use self::{b::{Made as Known, other}, c};"),
        module("ui::a", "use super::Known; use crate::ui::c::Thing;"),
        module("ui::b", "use crate::ui::c; fn f() -> c::Other { super::a::g() }"),
        module("ui::c", "macro!(<p>{crate::ui::a::View::new()}</p>);"),
        module("ui::d", "use super::*;"),
    ]);
    let imports = imports(&modules);
    let told = |names: &Names| imports[names].iter().map(|to| to.join("::")).collect::<Vec<_>>();
    let own = |names: &str| names.split("::").map(str::to_owned).collect::<Names>();
    assert_eq!(told(&own("ui::a")), ["ui::b", "ui::c"], "not of ui, which hands it on under another name");
    assert_eq!(told(&own("ui::b")), ["ui::a", "ui::c"]);
    assert_eq!(told(&own("ui::d")), ["ui"], "all of it");
    assert_eq!(circles(&imports).iter().map(BTreeSet::len).collect::<Vec<_>>(), [3]);
}
