//! Archives through the browser's own gzip and IndexedDB.

use std::{cell::Cell, collections::BTreeMap, rc::Rc};

use fabula::{
    exchange::{
        archive::{Header, Kind, Writer},
        merge::Mode,
        refusal::Refusal,
        sniff::{Content, FileKind},
    },
    ports::Store,
    store::{Batch, Doc, Op, Part, Query, Table},
    story::blob,
    transfer::{Cancel, Failure, Progress, Scope, Stage, Watch, import::Imported},
    web::{
        Browser, archive,
        gzip::{Compress, Decompress},
        idb::{self, migrate::STEPS},
    },
};
use js_sys::{Array, Uint8Array};
use serde_json::{Value, json};
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::{console_log, wasm_bindgen_test};
use web_sys::{Blob, File};

async fn browser(name: &str) -> Browser {
    idb::delete(name).await.unwrap();
    let Ok(store) = idb::open(name, STEPS, || {}, |close| close()).await else { panic!("no database") };
    Browser::new(Rc::new(store))
}

async fn watching<T>(browser: &Browser, body: impl AsyncFnOnce(&Watch<'_>) -> T) -> T {
    body(&Watch::new(&*browser.ports.clock, Cancel::default(), &|_| ())).await
}

fn file(parts: &Array) -> File {
    File::new_with_blob_sequence(parts, "test.fabula").unwrap()
}

fn file_of(bytes: &[u8]) -> File {
    file(&Array::of1(&Uint8Array::from(bytes)))
}

async fn bytes_of(blob: &Blob) -> Vec<u8> {
    Uint8Array::new(&JsFuture::from(blob.array_buffer()).await.unwrap()).to_vec()
}

async fn packed(text: &str) -> Vec<u8> {
    let mut gzip = Compress::new().unwrap();
    gzip.write(text.as_bytes()).await.unwrap();
    bytes_of(&gzip.finish().await.unwrap()).await
}

async fn unpacked(bytes: &[u8]) -> Result<Vec<u8>, Failure> {
    let mut gzip = Decompress::new(file_of(bytes)).unwrap();
    let mut all = Vec::new();
    while let Some(piece) = gzip.next().await? {
        all.extend(piece);
    }
    Ok(all)
}

async fn put(store: &dyn Store, docs: Vec<(Table, Doc)>) {
    for some in docs.chunks(1000) {
        let ops = some.iter().map(|(table, doc)| Op::Put(*table, doc.clone())).collect();
        store.commit(Batch { ops, ..Batch::relaxed() }).await.unwrap();
    }
}

const GIF: &[u8] = b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";

/// A storyline of so many turns, with its character and a picture.
fn story(id: &str, turns: u32) -> Vec<(Table, Doc)> {
    let picture = blob::address(GIF).0;
    let prose = "他没有立刻回答，只把枪管上的灰慢慢抹净。走廊尽头的灯闪了两下，又稳住了。“等他们分散。”".repeat(8);
    let mut docs: Vec<(Table, Doc)> = vec![
        (Table::Characters, json!({ "id": "ada", "name": "Ada", "avatar": picture, "updated": 5 }).into()),
        (
            Table::Storylines,
            json!({ "id": id, "title": "雨夜", "cast": ["ada"], "preset": "plain", "total_turns": turns,
                "head": { "branch": format!("{id}-b"), "end": turns }, "initial_state": format!("{id}-s"),
                "sessions": [{ "id": "x" }], "current_session": "x" })
            .into(),
        ),
        (Table::States, json!({ "id": format!("{id}-s"), "storyline": id }).into()),
        (
            Table::Branches,
            json!({ "id": format!("{id}-b"), "storyline": id, "parent": null, "first": 0, "length": turns }).into(),
        ),
        (
            Table::Blobs,
            Doc { value: json!({ "id": picture, "kind": "image/gif", "size": GIF.len() }), bytes: Some(GIF.into()) },
        ),
    ];
    for turn in 0..turns {
        let (own, reply) = (format!("{id}-t{turn:06}"), format!("{id}-g{turn:06}"));
        docs.push((
            Table::Turns,
            json!({ "id": own, "storyline": id, "branch": format!("{id}-b"), "position": turn,
                "user": format!("第 {turn} 句话"), "chosen": reply })
            .into(),
        ));
        docs.push((
            Table::Generations,
            json!({ "id": reply, "turn": own, "storyline": id, "branch": format!("{id}-b"), "position": turn,
                "text": format!("{turn} {prose}"), "status": "done", "model": "m" })
            .into(),
        ));
    }
    docs
}

/// All records of all tables, settings too.
async fn all(store: &dyn Store) -> BTreeMap<(Table, String), Doc> {
    let mut all = BTreeMap::new();
    for table in Table::ALL {
        for doc in store.query(Query::all(table)).await.unwrap() {
            all.insert((table, doc.value["id"].as_str().unwrap().to_owned()), doc);
        }
    }
    all
}

async fn exported(browser: &Browser, scope: Scope) -> Vec<u8> {
    let (blob, _) =
        watching(browser, async |watch| archive::export(&browser.ports, &scope, watch).await.unwrap()).await;
    bytes_of(&blob).await
}

async fn imported(browser: &Browser, file: &File, mode: Mode) -> Result<Imported, Failure> {
    watching(browser, async |watch| {
        let good = archive::check(&browser.ports, file, watch).await?;
        archive::import(browser, &good, mode, &|_, title| title.to_owned(), &[], watch).await
    })
    .await
}

async fn refusal(browser: &Browser, file: &File) -> Refusal {
    match watching(browser, async |watch| archive::check(&browser.ports, file, watch).await.err()).await {
        Some(Failure::Refused(refusal)) => refusal,
        other => panic!("not refused: {other:?}"),
    }
}

#[wasm_bindgen_test]
async fn gzip_there_and_back() {
    for length in [0, 1, 100, 65_535, 65_536, 300_000] {
        let text: String = (0..).map(|n: u32| char::from(b'a' + (n.wrapping_mul(n) % 26) as u8)).take(length).collect();
        assert_eq!(unpacked(&packed(&text).await).await.unwrap(), text.as_bytes(), "{length} bytes");
    }
    let bytes = packed(&"a story ".repeat(1000)).await;
    for cut in [1, 10, bytes.len() / 2, bytes.len() - 1] {
        assert_eq!(unpacked(&bytes[..cut]).await, Err(Refusal::Truncated.into()), "cut at {cut}");
    }
    let mut flipped = bytes.clone();
    *flipped.last_mut().unwrap() ^= 1;
    assert!(matches!(unpacked(&flipped).await, Err(Failure::Refused(Refusal::Damaged(_)))), "its length is another");
    let twice = [bytes.clone(), bytes].concat();
    assert!(matches!(unpacked(&twice).await, Err(Failure::Refused(Refusal::Damaged(_)))), "more after the end");
}

#[wasm_bindgen_test]
async fn what_goes_out_comes_in_equal() {
    let from = browser("archive-from").await;
    put(&*from.ports.store, story("a", 20)).await;
    put(&*from.ports.store, story("b", 3)).await;
    let key =
        json!({ "id": "connections", "list": [{ "id": "c", "url": "https://model.example", "key": "sk-canary" }] });
    put(&*from.ports.store, vec![(Table::Settings, key.clone().into()), (Table::Vault, key.into())]).await;

    let backup = exported(&from, Scope::Library).await;
    let text = String::from_utf8(unpacked(&backup).await.unwrap()).unwrap();
    assert!(!text.contains("canary") && !text.contains("model.example"));
    let to = browser("archive-to").await;
    assert_eq!(imported(&to, &file_of(&backup), Mode::Merge).await.unwrap().records, 2 + 2 + 2 + 46 + 2);
    let mut expected = all(&*from.ports.store).await;
    expected.retain(|(table, _), _| !matches!(table, Table::Settings | Table::Vault));
    assert_eq!(all(&*to.ports.store).await, expected);

    // Unpacked by hand it is as good.
    let plain = browser("archive-plain").await;
    imported(&plain, &file_of(text.as_bytes()), Mode::Merge).await.unwrap();
    assert_eq!(all(&*plain.ports.store).await, expected);

    // One storyline; as a copy beside itself.
    let one = exported(&from, Scope::Storyline("a".into())).await;
    let copy = imported(&to, &file_of(&one), Mode::Copy).await.unwrap();
    assert_eq!(copy.records, 43, "the story alone: its character and picture are there");
    assert_ne!(copy.storyline, Some("a".into()));
    assert_eq!(all(&*to.ports.store).await.len(), expected.len() + 43);
}

#[wasm_bindgen_test]
async fn bad_files_are_refused_and_nothing_changes() {
    let browser = browser("archive-bad").await;
    put(&*browser.ports.store, story("a", 20)).await;
    let before = all(&*browser.ports.store).await;
    let good = exported(&browser, Scope::Library).await;

    assert_eq!(refusal(&browser, &file_of(&good[..good.len() / 2])).await, Refusal::Truncated);
    assert_eq!(refusal(&browser, &file_of(&good[..good.len() - 1])).await, Refusal::Truncated);
    for at in (12..good.len()).step_by(good.len() / 40) {
        let mut flipped = good.clone();
        flipped[at] ^= 1;
        refusal(&browser, &file_of(&flipped)).await;
    }
    assert_eq!(refusal(&browser, &file_of(b"Once upon a time.")).await, Refusal::NotFabula(FileKind::Unknown));
    assert_eq!(refusal(&browser, &file_of(b"")).await, Refusal::NotFabula(FileKind::Unknown));
    assert_eq!(
        refusal(&browser, &file_of(br#"{"spec":"chara_card_v2","data":{"name":"Ada"}}"#)).await,
        Refusal::Unrecognised { wanted: Content::Archive, found: Content::Character }
    );
    let zeros = Array::new();
    let megabyte = Blob::new_with_blob_sequence(&Array::of1(&Uint8Array::new_with_length(1 << 20))).unwrap();
    for _ in 0..200 {
        zeros.push(&megabyte);
    }
    let start = js_sys::Date::now();
    assert_eq!(refusal(&browser, &file(&zeros)).await, Refusal::NotFabula(FileKind::Unknown));
    assert!(js_sys::Date::now() - start < 500.0, "200 MB that are no gzip are refused by their first bytes");
    assert_eq!(all(&*browser.ports.store).await, before);
}

#[wasm_bindgen_test]
async fn bombs_are_refused_within_little_memory() {
    let browser = browser("archive-bomb").await;
    let (mut writer, header) = Writer::new(&Header::new(Kind::Library, 1, "", &Default::default()));
    // One line without end.
    let mut gzip = Compress::new().unwrap();
    gzip.write(format!("{header}{{\"t\":\"characters\",\"r\":{{\"id\":\"").as_bytes()).await.unwrap();
    let much = vec![b'a'; 1 << 20];
    for _ in 0..64 {
        gzip.write(&much).await.unwrap();
    }
    let line = file_of(&bytes_of(&gzip.finish().await.unwrap()).await);
    assert!(matches!(refusal(&browser, &line).await, Refusal::TooLarge { .. }));
    // Many good lines of nearly nothing.
    let mut gzip = Compress::new().unwrap();
    gzip.write(header.as_bytes()).await.unwrap();
    let name = "a".repeat(1 << 20);
    for id in 0..48 {
        let doc = json!({ "id": format!("c{id}"), "name": "Ada", "description": name });
        gzip.write(writer.line(Part::Characters, &doc.into()).unwrap().as_bytes()).await.unwrap();
    }
    gzip.write(writer.finish().as_bytes()).await.unwrap();
    let lines = file_of(&bytes_of(&gzip.finish().await.unwrap()).await);
    assert!(matches!(refusal(&browser, &lines).await, Refusal::Bomb { .. }));
    assert!(all(&*browser.ports.store).await.is_empty());
}

#[wasm_bindgen_test]
async fn cancelled_midway_nothing_changes() {
    let from = browser("archive-cancel-from").await;
    put(&*from.ports.store, story("a", 1000)).await;
    let file = file_of(&exported(&from, Scope::Library).await);
    let to = browser("archive-cancel").await;
    put(&*to.ports.store, story("b", 3)).await;
    let before = all(&*to.ports.store).await;
    for after in [0, 1, 1500] {
        let cancel = Cancel::default();
        let (stop, seen) = (cancel.clone(), Cell::new(0));
        let tell = |progress: Progress| {
            if progress.stage == Stage::Writing {
                seen.set(progress.records);
                if progress.records >= after {
                    stop.cancel();
                }
            }
        };
        let watch = Watch::new(&*to.ports.clock, cancel, &tell);
        let good = archive::check(&to.ports, &file, &watch).await.unwrap();
        let outcome = archive::import(&to, &good, Mode::Merge, &|_, title| title.to_owned(), &[], &watch).await;
        assert_eq!(outcome, Err(Failure::Cancelled));
        assert!(seen.get() >= after);
        assert_eq!(all(&*to.ports.store).await, before, "cancelled after {} records", seen.get());
    }
    assert!(imported(&to, &file, Mode::Merge).await.is_ok(), "and it can be tried again");
}

/// An import that a dead tab left behind is taken back at the next start.
#[wasm_bindgen_test]
async fn orphans_are_swept() {
    let browser = browser("archive-orphans").await;
    assert_eq!(archive::sweep_orphans(&browser).await, Ok(None));
    put(&*browser.ports.store, story("a", 2)).await;
    let before = all(&*browser.ports.store).await;
    let orphan: Value = json!({ "id": "lost", "storyline": "none" });
    let left = [
        json!({ "id": "import", "state": "writing" }),
        json!({ "id": "import:wrote:0000000001", "wrote": { "turns": ["lost"] } }),
    ];
    let mut docs: Vec<(Table, Doc)> = vec![(Table::Turns, orphan.into())];
    docs.extend(left.map(|doc| (Table::Settings, doc.into())));
    put(&*browser.ports.store, docs).await;
    assert!(archive::sweep_orphans(&browser).await.unwrap().is_some());
    assert_eq!(all(&*browser.ports.store).await, before);
}

#[wasm_bindgen_test]
async fn ten_thousand_turns() {
    let from = browser("archive-long").await;
    put(&*from.ports.store, story("a", 10_000)).await;
    let to = browser("archive-long-to").await;
    let now = || js_sys::Date::now();
    watch_tasks();

    let start = now();
    let (blob, _) = watching(&from, async |watch| {
        archive::export(&from.ports, &Scope::Storyline("a".into()), watch).await.unwrap()
    })
    .await;
    console_log!(
        "export of 10,000 turns: {} ms, {} bytes, longest task {} ms",
        now() - start,
        blob.size(),
        longest_task().await
    );
    let file = file(&Array::of1(&blob));
    let start = now();
    let good = watching(&to, async |watch| archive::check(&to.ports, &file, watch).await.unwrap()).await;
    console_log!("check: {} ms, longest task {} ms", now() - start, longest_task().await);
    let start = now();
    let done = watching(&to, async |watch| {
        archive::import(&to, &good, Mode::Merge, &|_, title| title.to_owned(), &[], watch).await.unwrap()
    })
    .await;
    assert_eq!(done.records, 20_005);
    console_log!("import: {} ms, longest task {} ms", now() - start, longest_task().await);
    let start = now();
    let copied = watching(&to, async |watch| {
        archive::duplicate(&to, &"a".into(), &|title| title.to_owned(), watch).await.unwrap()
    })
    .await;
    assert_eq!(copied.records, 20_003);
    console_log!("duplicate: {} ms, longest task {} ms", now() - start, longest_task().await);
    let start = now();
    let again = watching(&to, async |watch| {
        archive::import(&to, &good, Mode::Merge, &|_, title| title.to_owned(), &[], watch).await.unwrap()
    })
    .await;
    assert_eq!(again.records, 0);
    console_log!("merged once more: {} ms, longest task {} ms", now() - start, longest_task().await);
}

/// Tasks of the page's one thread that take 50 ms or more, as the browser counts them.
fn watch_tasks() {
    js_sys::eval(
        "globalThis.longest = 0; new PerformanceObserver((list) => {
            for (const { duration } of list.getEntries()) globalThis.longest = Math.max(globalThis.longest, duration);
        }).observe({ type: 'longtask' });",
    )
    .unwrap();
}

/// The longest since the last question; 0 where all were below 50 ms.
async fn longest_task() -> f64 {
    let promise = js_sys::eval("new Promise((done) => setTimeout(done, 100))").unwrap();
    JsFuture::from(js_sys::Promise::from(promise)).await.unwrap();
    js_sys::eval(
        "(() => { const longest = globalThis.longest; globalThis.longest = 0; return Math.round(longest); })()",
    )
    .unwrap()
    .as_f64()
    .unwrap()
}
