//! The files of a card (V3, `assets`): expressions, backgrounds, a gallery. They are stored beside the character, each once;
//! the card's text names them by their paths.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

use serde_json::{Value, json};

use super::{
    fields::Object,
    file::{ASSET, CARD_JSON},
};
use crate::{
    exchange::{
        container::{Files, zip},
        limits::CARD,
        picture::{self, Picture, to_data_url},
        refusal::{Missing, Warning},
    },
    story::{
        blob::{Blob, address},
        character::Asset,
        picture::{MAX_PICTURE_BYTES, kind, look},
    },
};

/// How the text of a card names a file of its container; the first spelling is the specification's.
const EMBEDDED: [&str; 2] = ["embeded://", "embedded://"];
/// The same for a file that lies in a text of its PNG.
pub(super) const LEGACY: &str = "__asset:";
/// The picture that carries the card.
const CARRIER: &str = "ccdefault:";
/// How the paths of expressions begin that lay beside a card and came after it.
pub const SPRITES: &str = "assets/emotion/sprites/";
/// Where the avatar lies in a CHARX that we write.
const MAIN: &str = "assets/icon/images/main";

/// What was found in a file.
#[derive(Default)]
pub(super) struct Taken {
    /// The main icon.
    pub icon: Option<Vec<u8>>,
    /// Each with its media type and bytes.
    pub files: Vec<(Asset, Picture)>,
    pub warnings: Vec<Warning>,
}

fn list(file: &mut Object) -> Option<&mut Vec<Value>> {
    file.get_mut("data")?.as_object_mut()?.get_mut("assets")?.as_array_mut()
}

fn said<'a>(asset: &'a Value, field: &str) -> &'a str {
    asset[field].as_str().unwrap_or_default()
}

/// The path of a file in the container; `None`: the text names something else.
fn path(uri: &str) -> Option<&str> {
    EMBEDDED.iter().find_map(|scheme| uri.strip_prefix(scheme)).or_else(|| uri.starts_with(LEGACY).then_some(uri))
}

/// Where the main icon stands in the list: the one of that name, else the first.
fn main_icon(assets: &[Value]) -> Option<usize> {
    let is_icon = |asset: &&Value| said(asset, "type") == "icon";
    let main = assets.iter().position(|asset| is_icon(&asset) && said(asset, "name") == "main");
    main.or_else(|| assets.iter().position(|asset| is_icon(&asset)))
}

/// Takes the files that the text of a card names, and those that came beside it. What stood in the text itself is named by a
/// path from now on.
pub(super) fn take(file: &mut Object, files: Files) -> Taken {
    let mut taken = Taken::default();
    let (mut remote, mut absent, mut large) = (0, 0, 0);
    let mut known: HashSet<String> = HashSet::new();
    let mut keep = |asset: Asset, bytes: &[u8], taken: &mut Taken| {
        if bytes.len() > MAX_PICTURE_BYTES {
            large += 1;
        } else if known.insert(asset.path.clone()) {
            // What no browser would draw is kept, and never shown.
            let kind = look(bytes).map_or(Blob::OTHER, |head| head.kind).to_owned();
            taken.files.push((Asset { blob: address(bytes), ..asset }, (kind, bytes.to_vec())));
        }
    };
    let at: HashMap<&str, usize> = files.iter().enumerate().map(|(at, (path, _))| (path.as_str(), at)).collect();
    let mut named = vec![false; files.len()];
    let empty = &mut Vec::new();
    let assets = list(file).unwrap_or(empty);
    let main = main_icon(assets);
    // A list that is longer than any card's is read no further.
    for (index, asset) in assets.iter_mut().enumerate().take(CARD.files) {
        let uri = said(asset, "uri").to_owned();
        let (path, bytes) = if let Some(path) = path(&uri) {
            let Some(found) = at.get(path) else {
                absent += 1;
                continue;
            };
            named[*found] = true;
            (path.to_owned(), Cow::from(&files[*found].1))
        } else if uri.starts_with("data:") {
            // A picture goes by what it is, whatever it is called (RisuAI calls all `octet-stream`); what is none stays.
            let Ok((kind, bytes)) = picture::from_url(&uri) else { continue };
            let path = format!("assets/in-text/{index}.{}", kind.rsplit('/').next().unwrap_or_default());
            asset["uri"] = format!("{}{path}", EMBEDDED[0]).into();
            (path, Cow::from(bytes))
        } else {
            remote += usize::from(uri.contains("://"));
            continue;
        };
        // One that cannot be drawn is no face, and a file as any other.
        if main == Some(index) && look(&bytes).is_ok() {
            taken.icon = Some(bytes.into_owned());
            continue;
        }
        let text = |field| said(asset, field).chars().take(200).collect();
        keep(Asset { kind: text("type"), name: text("name"), path, ..Asset::default() }, &bytes, &mut taken);
    }
    for ((path, bytes), _) in files.iter().zip(named).filter(|(_, named)| !named) {
        keep(Asset { path: path.clone(), ..Asset::default() }, bytes, &mut taken);
    }
    let counts = [(Missing::Remote, remote), (Missing::Absent, absent), (Missing::Large, large)];
    let warnings = counts.into_iter().filter(|(_, count)| *count > 0);
    taken.warnings = warnings.map(|(why, count)| Warning::AssetsLeftOut { why, count }).collect();
    taken
}

/// How a form of a card holds its files.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Held {
    /// In the text, as long as they are together no larger than this.
    Text(usize),
    /// In the text, beside the picture that carries it.
    Picture(usize),
    /// By their paths.
    Container,
}

impl Held {
    /// Whether it has room for the files that a list names.
    fn takes(self, files: &[(Asset, Vec<u8>)]) -> bool {
        match self {
            Self::Container => true,
            Self::Text(most) | Self::Picture(most) => in_text(files) <= most,
        }
    }
}

/// Writes into the text of a card how its files are held, and gives those that go beside it.
pub(super) fn put<'a>(
    card: &mut Value,
    avatar: Option<(&str, &'a [u8])>,
    files: &'a [(Asset, Vec<u8>)],
    held: Held,
) -> Vec<(String, &'a [u8])> {
    let Some(card) = card.as_object_mut() else { return Vec::new() };
    if let (Held::Container, Some(_)) = (held, avatar)
        && list(card).is_none_or(|assets| main_icon(assets).is_none())
        && let Some(data) = card.get_mut("data").and_then(Value::as_object_mut)
    {
        let mut assets = data.get("assets").and_then(Value::as_array).cloned().unwrap_or_default();
        assets.insert(0, json!({"type": "icon", "uri": CARRIER, "name": "main", "ext": "png"}));
        data.insert("assets".into(), assets.into());
    }
    let fits = held.takes(files);
    let mut beside: Vec<(String, &[u8])> = Vec::new();
    if held == Held::Container {
        for (asset, bytes) in files {
            beside.push((inside(&asset.path, &beside), bytes));
        }
    }
    let places: HashMap<String, String> =
        files.iter().map(|(asset, _)| asset.path.clone()).zip(beside.iter().map(|(path, _)| path.clone())).collect();
    let by_path: HashMap<&str, &[u8]> = files.iter().map(|(asset, bytes)| (asset.path.as_str(), &**bytes)).collect();
    let empty = &mut Vec::new();
    let assets = list(card).unwrap_or(empty);
    let main = main_icon(assets);
    for (index, asset) in assets.iter_mut().enumerate() {
        let uri = said(asset, "uri").to_owned();
        let known = path(&uri).and_then(|path| by_path.get(path));
        // Another asset may be the same file.
        let is_avatar = known.is_none_or(|known| avatar.is_some_and(|(_, bytes)| bytes != *known));
        if main == Some(index) && is_ours(&uri) && is_avatar {
            asset["uri"] = match (held, avatar) {
                (_, None) | (Held::Picture(_), _) => CARRIER.into(),
                (Held::Text(_), Some((kind, bytes))) => to_data_url(kind, bytes).into(),
                (Held::Container, Some((kind, bytes))) => {
                    let path = free(path(&uri), kind.rsplit('/').next().unwrap_or("png"), &beside);
                    let uri = format!("{}{path}", EMBEDDED[0]);
                    beside.insert(0, (path, bytes));
                    uri.into()
                }
            };
            continue;
        }
        let (Some(path), Some(bytes)) = (path(&uri), known) else { continue };
        match held {
            Held::Container if path.starts_with(LEGACY) => {
                asset["uri"] = format!("{}{}", EMBEDDED[0], places[path]).into();
            }
            Held::Text(_) | Held::Picture(_) if fits && !path.starts_with(LEGACY) => {
                asset["uri"] = to_data_url(kind(bytes).unwrap_or(Blob::OTHER), bytes).into();
            }
            _ => {}
        }
    }
    beside
}

/// Whether the file of this path came to the card later, and is not in its own list.
pub fn is_added(path: &str) -> bool {
    path.starts_with(SPRITES)
}

/// Names sprites in the list of a card, as its own expressions are, where the form holds them.
pub(super) fn list_sprites(card: &mut Value, files: &[(Asset, Vec<u8>)], held: Held) {
    let sprites = || files.iter().map(|(asset, _)| asset).filter(|asset| is_added(&asset.path));
    let is_v3 = card["spec"] == "chara_card_v3";
    let Some(data) = card.get_mut("data").and_then(Value::as_object_mut).filter(|_| held.takes(files)) else { return };
    let mut assets = match data.get("assets").and_then(Value::as_array) {
        Some(assets) => assets.clone(),
        // A card without a list has its picture for its icon; one with a list names it.
        None if is_v3 => vec![json!({"type": "icon", "uri": CARRIER, "name": "main", "ext": "png"})],
        None => Vec::new(),
    };
    let listed: HashSet<String> =
        assets.iter().filter_map(|asset| Some(path(said(asset, "uri"))?.to_owned())).collect();
    let unlisted: Vec<_> = sprites().filter(|asset| !listed.contains(&asset.path)).collect();
    if unlisted.is_empty() {
        return;
    }
    assets.extend(unlisted.into_iter().map(|Asset { kind, name, path, .. }| {
        let ending = path.rsplit_once('.').map_or("unknown", |(_, ending)| ending);
        json!({"type": kind, "uri": format!("{}{path}", EMBEDDED[0]), "name": name, "ext": ending})
    }));
    data.insert("assets".into(), assets.into());
}

/// Bytes of the files that a text holds: those that a list names.
fn in_text(files: &[(Asset, Vec<u8>)]) -> usize {
    let listed = files.iter().filter(|(asset, _)| !asset.kind.is_empty() && !asset.path.starts_with(LEGACY));
    listed.map(|(_, bytes)| bytes.len()).sum()
}

/// How many of the files a form that holds so many bytes does not take along.
pub(super) fn left_behind(files: &[(Asset, Vec<u8>)], held: Held) -> usize {
    if held == Held::Container {
        return 0;
    }
    let fits = held.takes(files);
    let goes = |asset: &Asset| match asset.path.starts_with(LEGACY) {
        true => matches!(held, Held::Picture(_)),
        false => fits && !asset.kind.is_empty(),
    };
    files.iter().filter(|(asset, _)| !goes(asset)).count()
}

/// The path in a CHARX, where these have theirs already: two names that differ in what a path cannot have are two files.
fn inside(path: &str, others: &[(String, &[u8])]) -> String {
    let Some(name) = path.strip_prefix(LEGACY) else { return path.to_owned() };
    plainly("assets/in-png/", name, |path| !others.iter().any(|(other, _)| other == path))
}

/// A path in a folder that every container takes, and that is free.
pub fn plainly(folder: &str, name: &str, is_free: impl Fn(&str) -> bool) -> String {
    let plain = |char: char| if char.is_alphanumeric() || matches!(char, '.' | '-' | '_') { char } else { '_' };
    let name: String = name.chars().map(plain).collect();
    let numbered = (2..).map(|number| format!("{folder}{number}-{name}"));
    let mut wanted = std::iter::once(format!("{folder}{name}")).chain(numbered);
    wanted.find(|path| is_free(path)).expect("there is no end of numbers")
}

/// A path for the avatar that no other file has: the one that the text names, where it can be one.
fn free(said: Option<&str>, ending: &str, others: &[(String, &[u8])]) -> String {
    let is_free = |path: &String| path != CARD_JSON && !others.iter().any(|(other, _)| other == path);
    let said = said.filter(|path| !path.starts_with(LEGACY)).and_then(zip::safe);
    let numbered = (1..).map(|number| format!("{MAIN}-{number}.{ending}"));
    let mut wanted = said.into_iter().chain([format!("{MAIN}.{ending}")]).chain(numbered);
    wanted.find(is_free).expect("there is no end of numbers")
}

/// Whether what it names came with the card.
fn is_ours(uri: &str) -> bool {
    path(uri).is_some() || uri == CARRIER || uri.starts_with("data:")
}

/// Whether the main icon that a card lists is one that came with it; `None`: it lists none.
pub(super) fn has_icon(card: &Value) -> Option<bool> {
    let assets = card["data"]["assets"].as_array()?;
    Some(is_ours(said(&assets[main_icon(assets)?], "uri")))
}

/// What goes into texts of a PNG, as it came: the keyword, and the bytes.
pub(super) fn legacy(files: &[(Asset, Vec<u8>)]) -> impl Iterator<Item = (String, &[u8])> {
    files.iter().filter_map(|(asset, bytes)| {
        let path = asset.path.strip_prefix(LEGACY)?;
        Some((format!("{ASSET}:{path}"), &**bytes))
    })
}
