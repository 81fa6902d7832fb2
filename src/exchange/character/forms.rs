//! Cards in each form: what is packed is opened again as it was, and what other programs write is taken.

use proptest::prelude::*;

use super::{tests::any_character, *};
use crate::{
    exchange::{refusal::Missing, sniff::FileKind},
    story::{
        blob::{Blob, address},
        picture::samples::{gif, png as picture},
    },
};

fn card(name: &str) -> Value {
    json!({"spec": "chara_card_v3", "spec_version": "3.0", "data": {"name": name, "first_mes": "Hi.", "odd": 1}})
}

fn in_png(texts: &[(&str, &Value)]) -> Vec<u8> {
    let texts: Vec<_> = texts.iter().map(|(name, card)| (*name, STANDARD.encode(card.to_string()))).collect();
    png::with(&picture(8, 1), &texts)
}

fn name_of(bytes: Vec<u8>) -> String {
    open(bytes).unwrap().0.character.name
}

#[test]
fn a_picture_that_carries_a_card() {
    let (v2, v3) = (card("Two"), card("Three"));
    assert_eq!(name_of(in_png(&[("chara", &v2), ("ccv3", &v3)])), "Three", "the newer one, whatever comes first");
    assert_eq!(name_of(in_png(&[("Chara", &v2)])), "Two");
    let (read, warnings) = open(in_png(&[("ccv3", &v3)])).unwrap();
    assert_eq!(read.avatar, Some(("image/png".into(), picture(8, 1))), "without what it carried");
    assert_eq!((read.character.imported, warnings), (Some(v3.clone()), vec![]));
    // Base64 as it is found, or none.
    // What a file says of the reader's persona is not its to say, nor may it make the record one that cannot be read.
    let odd = json!({"spec": "chara_card_v2", "data": {"name": "Ada", "first_mes": "", "extensions": {"fabula": {"version": 1, "extra": {"plays_as": 7, "own": 1}}}}});
    let record = serde_json::to_value(open(odd.to_string().into_bytes()).unwrap().0.character).unwrap();
    assert_eq!((record.get("plays_as"), &record["own"]), (None, &json!(1)));
    let bare = v2.to_string();
    let encoded = STANDARD.encode(&bare);
    let broken = format!("{}\n{}", &encoded[..20], encoded[20..].trim_end_matches('='));
    for text in [bare, broken] {
        assert_eq!(name_of(png::with(&picture(8, 1), &[("chara", text)])), "Two");
    }
    // A file's name in it is that of the picture.
    let named = json!({"name": "Ada", "first_mes": "", "avatar": "Ada.png"});
    let (read, warnings) = open(in_png(&[("chara", &named)])).unwrap();
    assert!(read.avatar.is_some() && warnings.is_empty());
}

/// As Backyard AI carries it: in the EXIF of a PNG, which does not go on beside what the card becomes.
#[test]
fn a_png_that_carries_a_card_in_its_exif() {
    let card = json!({"character": {"aiName": "Ada", "aiPersona": "p"}, "version": 2});
    let body = [b"eXIfMM\0*ASCII\0\0\0", card.to_string().as_bytes()].concat();
    let chunk = [&(body.len() as u32 - 4).to_be_bytes()[..], &body, b"crc."].concat();
    let bare = picture(8, 1);
    let (head, rest) = bare.split_at(33);
    let (read, _) = open([head, &chunk, rest].concat()).unwrap();
    assert_eq!((read.character.name.as_str(), read.avatar), ("Ada", Some(("image/png".into(), bare))));
}

#[test]
fn pictures_that_carry_none() {
    assert_eq!(open(picture(8, 1)).map(|_| ()), Err(Refusal::NoCard(FileKind::Png)));
    assert_eq!(open(gif(1, 1)).map(|_| ()), Err(Refusal::NoCard(FileKind::Picture)));
    assert_eq!(open(zip::write([("a.txt", &b"x"[..])])).map(|_| ()), Err(Refusal::NoCard(FileKind::Zip)));
    let wrong = png::with(&picture(8, 1), &[("chara", "%%%".into())]);
    assert!(matches!(open(wrong).map(|_| ()), Err(Refusal::Damaged(_))));
    let other = in_png(&[("chara", &json!({"entries": {}}))]);
    assert!(matches!(open(other).map(|_| ()), Err(Refusal::Unrecognised { .. })));
    // One that no browser would draw: the card is taken, and the picture said to be left out.
    let huge = png::with(&picture(30_000, 30_000), &[("chara", card("Ada").to_string())]);
    let (read, warnings) = open(huge).unwrap();
    assert!(read.avatar.is_none() && matches!(warnings[..], [Warning::PictureLeftOut(_)]));
}

#[test]
fn a_charx_with_its_files() {
    let mut card = card("Ada");
    card["data"]["assets"] = json!([
        {"type": "emotion", "name": "joy", "uri": "embeded://assets/emotion/images/joy.png", "ext": "png"},
        {"type": "icon", "name": "main", "uri": "embeded://assets/icon/image/0.png", "ext": "png"},
        {"type": "icon", "name": "other", "uri": "embedded://assets/icon/image/1.gif", "ext": "gif"},
        {"type": "background", "name": "far", "uri": "https://x.example/a.png", "ext": "png"},
        {"type": "background", "name": "gone", "uri": "embeded://gone.png", "ext": "png"},
    ]);
    let text = card.to_string();
    let (face, joy, other) = (picture(8, 1), picture(16, 1), gif(2, 1));
    let files = [
        ("card.json", text.as_bytes()),
        ("assets/icon/image/0.png", &face),
        ("assets/emotion/images/joy.png", &joy),
        ("assets/icon/image/1.gif", &other),
        ("module.risum", b"o\0 scripts"),
    ];
    let charx = zip::write(files);
    // Alone, and behind a picture.
    for bytes in [charx.clone(), [b"\xff\xd8\xff\xe0\0\x04JF\xff\xd9", &charx[..]].concat()] {
        let (read, warnings) = open(bytes).unwrap();
        assert_eq!(read.avatar, Some(("image/png".into(), face.clone())));
        let kept: Vec<_> = read
            .character
            .assets
            .iter()
            .zip(&read.files)
            .map(|(asset, (kind, bytes))| {
                assert_eq!(asset.blob, address(bytes));
                (asset.kind.as_str(), asset.name.as_str(), asset.path.as_str(), kind.as_str())
            })
            .collect();
        let expected = [
            ("emotion", "joy", "assets/emotion/images/joy.png", "image/png"),
            ("icon", "other", "assets/icon/image/1.gif", "image/gif"),
            ("", "", "module.risum", Blob::OTHER),
        ];
        assert_eq!(kept, expected);
        let left_out = |why| Warning::AssetsLeftOut { why, count: 1 };
        assert_eq!(warnings, [left_out(Missing::Remote), left_out(Missing::Absent)]);

        // Out again: what it says, and each file where it says.
        let with: Vec<_> =
            read.character.assets.iter().cloned().zip(read.files.iter().map(|file| file.1.clone())).collect();
        let face = read.avatar.as_ref().map(|(kind, bytes)| (kind.as_str(), bytes.as_slice()));
        let packed = pack(&read.character, face, &with, Form::Charx, &[]);
        let mut out = zip::read(&packed, crate::exchange::limits::CARD).unwrap();
        let written: Value = serde_json::from_slice(&out.remove(0).1).unwrap();
        assert_eq!(written["data"]["assets"], card["data"]["assets"]);
        out.sort();
        let mut expected: Vec<_> =
            files[1..].iter().map(|(path, bytes)| ((*path).to_owned(), bytes.to_vec())).collect();
        expected.sort();
        assert_eq!(out, expected);
        // As a text it holds its pictures itself, and gives them back.
        let text = pack(&read.character, face, &with, Form::V3, &[]);
        let (again, _) = open(text).unwrap();
        assert_eq!(again.avatar, read.avatar);
        assert_eq!(again.files, read.files[..2]);
    }
}

/// RisuAI calls every file of a text `octet-stream`; some call a JPEG `jpg`.
#[test]
fn pictures_of_a_text_that_are_called_otherwise() {
    let url = |kind: &str, bytes: &[u8]| format!("data:{kind};base64,{}", STANDARD.encode(bytes));
    let (face, joy, grief) = (picture(8, 1), picture(16, 1), picture(24, 1));
    let asset = |kind: &str, name: &str, uri: String| json!({"type": kind, "name": name, "uri": uri, "ext": "png"});
    let card = json!({"spec": "chara_card_v3", "spec_version": "3.0", "data": {"name": "Ada", "first_mes": "Hi.", "assets": [
        asset("icon", "main", url("application/octet-stream", &face)),
        asset("emotion", "joy", url("application/octet-stream", &joy)),
        asset("emotion", "grief", url("image/jpg", &grief)),
        asset("x_notes", "notes", url("text/x-odd", b"no picture")),
    ]}});
    let (read, warnings) = read(&card.to_string()).unwrap();
    let named: Vec<_> = read.character.assets.iter().map(|asset| asset.name.as_str()).collect();
    assert_eq!((named, warnings), (vec!["joy", "grief"], Vec::new()));
    assert_eq!(read.avatar.map(|(_, bytes)| bytes), Some(face));
    assert_eq!(read.files, [("image/png".into(), joy), ("image/png".into(), grief)]);
    let imported = read.character.imported.unwrap();
    assert_eq!(imported["data"]["assets"][3], card["data"]["assets"][3], "what is none stays where it is");
}

/// RisuAI's scripts stand in a field of its own.
#[test]
fn scripts_of_risu_in_a_card() {
    let own = json!([{"comment": "stars", "in": "\\*", "out": "★", "type": "editdisplay"}]);
    let mut card = json!({"spec": "chara_card_v2", "spec_version": "2.0", "data": {"name": "Ada", "first_mes": "Hi.",
        "extensions": {"risuai": {"customScripts": own}}}});
    let scripts = |card: &Value| {
        let (read, _) = read(&card.to_string()).unwrap();
        crate::story::script::scripts_of(Some(&Value::Object(read.character.card.extensions)))
    };
    let read = scripts(&card);
    assert_eq!((read.len(), read[0].script_name.as_str()), (1, "stars"));
    card["data"]["extensions"]["regex_scripts"] = json!([]);
    assert_eq!(scripts(&card), [], "the card has some in the form of all, if none");
}

/// Files in texts of a PNG, as an older program writes them: seen, and written back as they were.
#[test]
fn files_in_a_png() {
    let mut card = card("Ada");
    card["data"]["assets"] = json!([{"type": "emotion", "name": "joy", "uri": "__asset:1", "ext": "gif"}]);
    let texts = [("ccv3", STANDARD.encode(card.to_string())), ("chara-ext-asset_:1", STANDARD.encode(gif(2, 1)))];
    let (read, warnings) = open(png::with(&picture(8, 1), &texts)).unwrap();
    assert_eq!(warnings, []);
    assert_eq!((&*read.character.assets[0].name, &read.files[0].1), ("joy", &gif(2, 1)));
    let with = [(read.character.assets[0].clone(), gif(2, 1))];
    let packed = pack(&read.character, None, &with, Form::Png, &picture(8, 1));
    let (again, _) = open(packed).unwrap();
    assert_eq!((again.files, again.character.assets), (read.files.clone(), read.character.assets.clone()));
    let charx = pack(&read.character, None, &with, Form::Charx, &[]);
    let (again, warnings) = open(charx).unwrap();
    assert_eq!((again.files, warnings), (read.files, vec![]));
}

/// Two names that differ in what a path cannot have.
#[test]
fn files_in_a_png_of_like_names() {
    let mut card = card("Ada");
    let asset = |name: &str| json!({"type": "emotion", "name": name, "uri": format!("__asset:{name}"), "ext": "gif"});
    card["data"]["assets"] = json!([asset("a b"), asset("a_b")]);
    let file = |name: &str, width| (format!("chara-ext-asset_:{name}"), STANDARD.encode(gif(width, 1)));
    let texts = [("ccv3".to_owned(), STANDARD.encode(card.to_string())), file("a b", 2), file("a_b", 3)];
    let (read, _) = open(png::with(&picture(8, 1), &texts)).unwrap();
    let with: Vec<_> =
        read.character.assets.iter().cloned().zip(read.files.iter().map(|file| file.1.clone())).collect();
    let (again, warnings) = open(pack(&read.character, None, &with, Form::Charx, &[])).unwrap();
    let seen = |read: &ImportedCharacter| {
        let assets = read.character.assets.iter().map(|asset| (asset.name.clone(), asset.blob.clone()));
        assets.collect::<Vec<_>>()
    };
    assert_eq!((seen(&again), warnings), (seen(&read), vec![]));
}

/// Whatever a card calls its files: no two have one place, none leads out, and the face is there.
#[test]
fn files_of_the_same_path() {
    let face = picture(8, 1);
    let asset = |kind: &str, name: &str, uri: &str| json!({"type": kind, "name": name, "uri": uri, "ext": "png"});
    for list in [
        json!([asset("icon", "main", "embeded://a.png"), asset("emotion", "neutral", "embeded://a.png")]),
        json!([asset("icon", "main", "ccdefault:")]),
        json!([asset("icon", "main", "embeded://card.json")]),
        json!([asset("icon", "main", "embeded://../../x.png")]),
        json!([asset("icon", "main", "__asset:0")]),
        json!([asset("icon", "main", "https://x.example/a.png")]),
        json!([]),
    ] {
        let mut card = card("Ada");
        card["data"]["assets"] = list.clone();
        let text = card.to_string();
        let files = [("card.json", text.as_bytes()), ("a.png", &face), ("assets/icon/images/main.png", b"no picture")];
        let (read, _) = open(zip::write(files)).unwrap();
        let with: Vec<_> =
            read.character.assets.iter().cloned().zip(read.files.iter().map(|file| file.1.clone())).collect();
        // Another face than it came with.
        let other = picture(16, 1);
        for form in [Form::V2, Form::V3, Form::Png, Form::Charx] {
            let packed = pack(&read.character, Some(("image/png", &other)), &with, form, &other);
            let (again, _) = open(packed).unwrap();
            assert_eq!(again.avatar, Some(("image/png".into(), other.clone())), "{form:?} {list}");
        }
    }
}

#[test]
fn a_broken_v3_beside_a_good_v2() {
    let v2 = STANDARD.encode(card("Two").to_string());
    let png = png::with(&picture(8, 1), &[("ccv3", STANDARD.encode("{\"spec\":")), ("chara", v2)]);
    assert_eq!(name_of(png), "Two");
}

/// A V2 stands beside the V3 for those who read no other; neither has what only the other may have.
#[test]
fn a_png_for_every_reader() {
    let mut character = Character { name: "Ada".into(), created: 5_000, updated: 9_000, ..Character::default() };
    character.card.first_mes = "你好".into();
    let png = pack(&character, Some(("image/gif", &gif(1, 1))), &[], Form::Png, &in_png(&[("chara", &card("Old"))]));
    let texts: Vec<(String, Value)> = png::texts(&png, |_| true)
        .into_iter()
        .map(|(name, text)| (name, serde_json::from_slice(&STANDARD.decode(text).unwrap()).unwrap()))
        .collect();
    let specs: Vec<_> = texts.iter().map(|(name, card)| (name.as_str(), card["spec"].as_str().unwrap())).collect();
    assert_eq!(specs, [("chara", "chara_card_v2"), ("ccv3", "chara_card_v3")]);
    let data = &texts[1].1["data"];
    assert_eq!((&data["group_only_greetings"], &data["creation_date"]), (&json!([]), &json!(5)));
    assert_eq!(data["modification_date"], 9);
    assert!(data["extensions"]["fabula"].get("avatar").is_none(), "the picture is the file");
    assert_eq!(texts[0].1["data"]["first_mes"], "你好");
}

#[test]
fn bombs() {
    let large = vec![b' '; 40 << 20];
    assert!(matches!(open(zip::write([("card.json", &large[..])])).map(|_| ()), Err(Refusal::Bomb { .. })));
    assert!(matches!(open(vec![b'P'; 129 << 20]).map(|_| ()), Err(Refusal::TooLarge { .. })));
    let deep = format!("{{\"name\":\"a\",\"first_mes\":{}", "[".repeat(10_000));
    let png = png::with(&picture(8, 1), &[("chara", STANDARD.encode(deep))]);
    assert_eq!(open(png).map(|_| ()), Err(Refusal::TooDeep));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    /// Whatever the form, the same comes back, and a second round changes nothing.
    #[test]
    fn packed_and_opened(
        mut character in any_character(),
        files in prop::collection::vec((0u8..4, "[a-z]{1,6}", prop::collection::vec(any::<u8>(), 0..9)), 0..4),
        form in prop::sample::select(&[Form::V2, Form::V3, Form::Png, Form::Charx][..]),
        has_face in any::<bool>(),
    ) {
        // Those that only a CHARX has room for: what no list names.
        let mut with = Vec::new();
        for (index, (kind, name, tail)) in files.into_iter().enumerate() {
            let bytes = [gif(1 + u16::from(kind), 1), tail].concat();
            let path = format!("assets/{index}-{name}.gif");
            with.push((Asset { kind: String::new(), name: String::new(), path, blob: address(&bytes) }, bytes));
        }
        if form != Form::Charx { with.clear(); }
        character.assets = with.iter().map(|(asset, _)| asset.clone()).collect();
        let face = picture(8, 1);
        let avatar = has_face.then_some(("image/png", &face[..]));
        let packed = pack(&character, avatar, &with, form, &face);
        let (read, warnings) = open(packed).unwrap();
        prop_assert_eq!(warnings, vec![]);
        let bytes: Vec<_> = with.iter().map(|(_, bytes)| ("image/gif".to_owned(), bytes.clone())).collect();
        prop_assert_eq!(&read.files, &bytes);
        prop_assert_eq!(read.avatar.is_some(), has_face || form == Form::Png);
        let known = read.character.clone();
        let again = pack(&known, avatar, &with, form, &face);
        prop_assert_eq!(open(again).unwrap().0, read);
        prop_assert_eq!(Character { imported: None, ..known }, character);
    }
}
