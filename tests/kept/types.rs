//! The descriptions of the tables against the types of their records: every field that holds an id or a time is named
//! there, so that a copy renames the one and an import judges the other.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use fabula::store::{Id, Of, Part, Table};
use syn::{Attribute, Fields, GenericArgument, Item, PathArguments, Type};

/// What the types of ids stand for; `None`: nothing that travels.
const IDS: &[(&str, Option<Of>)] = &[
    ("CharacterId", Some(Of::Part(Part::Characters))),
    ("BackgroundId", Some(Of::Part(Part::Backgrounds))),
    ("PresetId", Some(Of::Part(Part::Presets))),
    ("StorylineId", Some(Of::Part(Part::Storylines))),
    ("SessionId", Some(Of::Session)),
    ("BranchId", Some(Of::Part(Part::Branches))),
    ("TurnId", Some(Of::Part(Part::Turns))),
    ("GenerationId", Some(Of::Part(Part::Generations))),
    ("StateId", Some(Of::Part(Part::States))),
    ("MemoryId", Some(Of::Part(Part::Memories))),
    ("LorebookId", Some(Of::Part(Part::Lorebooks))),
    ("ReaderPersonaId", Some(Of::Part(Part::Personas))),
    ("ScriptSetId", Some(Of::Part(Part::Scripts))),
    ("QuickSetId", Some(Of::Part(Part::QuickReplies))),
    ("PostId", Some(Of::Part(Part::Posts))),
    ("BlobId", Some(Of::Part(Part::Blobs))),
    // It means nothing on another machine, where the default one is used.
    ("ConnectionId", None),
];

/// Stored under these names without a type of the record that says so.
const OPEN: &[&str] = &["by_hand", "changes", "circle", "cradle", "deleted", "personas", "sheets"];

/// The stored types: their fields by name, and whether one lies flat in its record.
#[derive(Default)]
struct Types {
    fields: BTreeMap<String, Vec<(String, bool, Type)>>,
    /// The types of records, with their tables.
    records: Vec<(String, String)>,
    ids: BTreeSet<String>,
    /// The types of what features can be told, by the names of the features.
    settings: Vec<(String, String)>,
}

fn serde_says(attributes: &[Attribute], word: &str) -> Option<String> {
    let mut found = None;
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("serde")) {
        let _ = attribute.parse_nested_meta(|meta| {
            let value = meta.value().and_then(|value| value.parse::<syn::Expr>());
            if meta.path.is_ident(word) {
                found = Some(match value {
                    Ok(syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. })) => text.value(),
                    _ => String::new(),
                });
            }
            Ok(())
        });
    }
    found
}

impl Types {
    fn read() -> Self {
        let mut types = Self::default();
        let files =
            |dir: &Path| -> Vec<PathBuf> { fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect() };
        let features = files("src/features".as_ref()).into_iter().filter(|dir| dir.is_dir() && !dir.ends_with("tests"));
        for file in files("src/story".as_ref()).into_iter().chain(features.flat_map(|dir| files(&dir))) {
            if file.extension().is_some_and(|end| end == "rs") {
                let text = fs::read_to_string(&file).unwrap();
                syn::parse_file(&text).unwrap().items.into_iter().for_each(|item| types.take(item));
            }
        }
        assert!(types.records.len() > 9 && types.settings.len() > 5);
        types
    }

    fn take(&mut self, item: Item) {
        match item {
            Item::Struct(item) => self.add(item.ident.to_string(), item.fields),
            Item::Enum(item) => {
                for variant in item.variants {
                    self.add(item.ident.to_string(), variant.fields);
                }
            }
            Item::Impl(item) if item.trait_.as_ref().is_some_and(|(of, _)| of.is_ident("Settings")) => {
                let Type::Path(kind) = *item.self_ty else { panic!("settings are a type of their own") };
                let kind = kind.path.require_ident().unwrap().to_string();
                let feature = kind.strip_suffix("Settings").expect("named after its feature").to_lowercase();
                self.settings.push((feature, kind));
            }
            Item::Macro(item) if item.mac.path.is_ident("record") => {
                let text = item.mac.tokens.to_string();
                let (record, table) = text.split_once(',').unwrap();
                self.records.push((record.trim().to_owned(), table.trim().to_owned()));
            }
            Item::Macro(item) if item.mac.path.is_ident("id") => {
                let tokens = item.mac.tokens.into_iter();
                let names = tokens.filter(|token| matches!(token, proc_macro2::TokenTree::Ident(_)));
                self.ids.extend(names.map(|name| name.to_string()));
            }
            _ => {}
        }
    }

    fn add(&mut self, name: String, fields: Fields) {
        let known = self.fields.entry(name).or_default();
        for field in fields {
            let Some(name) = field.ident else { continue };
            let stored = serde_says(&field.attrs, "rename").unwrap_or_else(|| name.to_string());
            let is_flat = serde_says(&field.attrs, "flatten").is_some();
            known.push((stored, is_flat, field.ty));
        }
    }

    /// Shows the name of each type that stands in a record, with its place.
    fn walk(&self, kind: &Type, path: &str, depth: u32, show: &mut dyn FnMut(&str, &str)) {
        let Type::Path(kind) = kind else { return };
        let last = kind.path.segments.last().unwrap();
        let name = last.ident.to_string();
        let within: Vec<&Type> = match &last.arguments {
            PathArguments::AngleBracketed(list) => {
                let kinds = list.args.iter().map(|argument| match argument {
                    GenericArgument::Type(kind) => Some(kind),
                    _ => None,
                });
                kinds.flatten().collect()
            }
            _ => Vec::new(),
        };
        if let ("BTreeMap", [key, value]) = (name.as_str(), &within[..]) {
            show(&name, path);
            self.walk(key, &format!("{path}/@"), depth, show);
            return self.walk(value, &format!("{path}/*"), depth, show);
        }
        match (name.as_str(), within.first().copied()) {
            ("Option" | "Box", Some(within)) => self.walk(within, path, depth, show),
            ("Vec", Some(within)) => self.walk(within, &format!("{path}/*"), depth, show),
            _ => {
                show(&name, path);
                self.walk_fields(&name, path, depth, show);
                for (feature, settings) in self.settings.iter().filter(|_| name == "Features") {
                    self.walk_fields(settings, &format!("{path}/{feature}"), depth, show);
                }
            }
        }
    }

    fn walk_fields(&self, name: &str, path: &str, depth: u32, show: &mut dyn FnMut(&str, &str)) {
        assert!(depth < 12, "{path} is too deep");
        for (field, is_flat, kind) in self.fields.get(name).into_iter().flatten() {
            let place = match (path, is_flat) {
                (_, true) => path.to_owned(),
                ("", false) => field.clone(),
                (_, false) => format!("{path}/{field}"),
            };
            self.walk(kind, &place, depth + 1, show);
        }
    }
}

/// Whether a described path, which may have a `**` in it, means this place.
fn means(described: &str, place: &str) -> bool {
    match described.split_once("/**/") {
        None => described == place,
        Some((before, name)) => place.starts_with(&format!("{before}/")) && place.ends_with(&format!("/{name}")),
    }
}

#[test]
fn every_id_and_every_time_of_a_record_is_described() {
    let types = Types::read();
    assert_eq!(types.ids, IDS.iter().map(|(name, _)| (*name).to_owned()).collect(), "every type of id is known here");
    let (mut ids, mut times) = (0, 0);
    for (record, variant) in &types.records {
        let Some(table) = Table::ALL.into_iter().find(|table| format!("{table:?}") == *variant) else {
            panic!("{record} is of no table")
        };
        if Part::of(table).is_none() {
            continue;
        }
        let about = table.describe();
        let mut seen = BTreeSet::new();
        types.walk_fields(record, "", 0, &mut |kind, place| {
            seen.insert(place.to_owned());
            if kind == "Millis" {
                assert!(about.times.contains(&place), "{}: {place} is a time", about.name);
                times += 1;
            }
            let Some((_, Some(of))) = IDS.iter().find(|(name, _)| *name == kind) else { return };
            // Its own, and its storyline's, go without saying.
            if !matches!(place, "id" | "storyline") {
                let is_described = about.ids.iter().any(|Id(path, named)| named == of && means(path, place));
                assert!(is_described, "{}: {place} is an id of {of:?}", about.name);
                ids += 1;
            }
        });
        // And what is described is there.
        let described = about.ids.iter().map(|Id(path, _)| *path).chain(about.times.iter().copied());
        let lists = about.unites.iter().chain(about.required).copied();
        for path in described.chain(lists) {
            let (start, first) = (path.split("/**").next().unwrap(), path.split('/').next().unwrap());
            assert!(
                seen.contains(start) || OPEN.contains(&first) || seen.contains(&format!("{path}/*")),
                "{}: {path} is nowhere",
                about.name
            );
        }
    }
    let mut told = BTreeSet::new();
    types.walk_fields("Preset", "", 0, &mut |kind, place| {
        told.insert(format!("{place}: {kind}"));
    });
    assert!(told.contains("modules/planner/connection: ConnectionId"), "what features can be told is seen: {told:?}");
    assert!(ids > 20 && times > 20, "{ids} ids, {times} times");
}
