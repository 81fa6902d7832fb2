//! Pictures as the browser draws them.

use fabula::{
    ports::Pictures,
    story::picture::{Fault, look},
    web::pictures::BrowserPictures,
};
use js_sys::{Function, Promise, Uint8Array};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::{console_log, wasm_bindgen_test};

/// A picture with something on it, as this browser writes it.
async fn made(kind: &str, width: u32, height: u32) -> Vec<u8> {
    let make = Function::new_with_args(
        "kind, width, height",
        "const canvas = new OffscreenCanvas(width, height);
        const context = canvas.getContext('2d');
        for (let n = 0; n < 200; n += 1) {
            context.fillStyle = `hsl(${n * 37 % 360} 80% 50%)`;
            context.fillRect(n * 97 % width, n * 61 % height, width / 9 + 1, height / 7 + 1);
        }
        return canvas.convertToBlob({ type: kind }).then((blob) => blob.arrayBuffer());",
    );
    let promise = make.call3(&wasm_bindgen::JsValue::NULL, &kind.into(), &width.into(), &height.into()).unwrap();
    Uint8Array::new(&JsFuture::from(promise.unchecked_into::<Promise>()).await.unwrap()).to_vec()
}

#[wasm_bindgen_test]
async fn a_picture_is_kept_and_a_large_one_has_a_small_one_beside_it() {
    for kind in ["image/png", "image/jpeg", "image/webp"] {
        let drawn = BrowserPictures.draw(&made(kind, 300, 200).await).await.unwrap();
        assert_eq!((drawn.kind, drawn.small), (kind, None));

        let large = made(kind, 900, 1_600).await;
        let drawn = BrowserPictures.draw(&large).await.unwrap();
        let (small_kind, small) = drawn.small.expect("a small one");
        let head = look(&small).unwrap();
        assert_eq!((head.kind, head.width, head.height), (small_kind.as_str(), 288, 512));
        assert!(small.len() < large.len());
        assert_eq!(BrowserPictures.draw(&small).await.unwrap().small, None);
    }
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| if crc & 1 == 1 { 0xedb8_8320 ^ (crc >> 1) } else { crc >> 1 })
    })
}

/// A PNG of one grey row of eight pixels, with this for its data and every checksum right.
fn png(data: &[u8]) -> Vec<u8> {
    let chunk = |name: &[u8; 4], body: &[u8]| {
        let named = [name, body].concat();
        [&(body.len() as u32).to_be_bytes()[..], &named, &crc32(&named).to_be_bytes()].concat()
    };
    let header = [0, 0, 0, 8, 0, 0, 0, 1, 1, 0, 0, 0, 0];
    [b"\x89PNG\r\n\x1a\n", &*chunk(b"IHDR", &header), &chunk(b"IDAT", data), &chunk(b"IEND", &[])].concat()
}

#[wasm_bindgen_test]
async fn what_cannot_be_drawn_is_refused() {
    assert!(BrowserPictures.draw(&png(&[0x78, 0x01, 0x63, 0x60, 0, 0, 0, 2, 0, 1])).await.is_ok());
    let broken = Err(Fault::Broken);
    let drawn = async |bytes: &[u8]| BrowserPictures.draw(bytes).await.map(|drawn| drawn.kind);
    assert_eq!(drawn(&png(b"no zlib at all")).await, broken);
    assert_eq!(drawn(&png(&[0x78, 0x01])).await, broken);
    assert_eq!(drawn(b"RIFF\x04\0\0\0WEBP").await, broken);
    assert_eq!(drawn(b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff;").await, broken, "a GIF without a picture");
    assert_eq!(drawn(b"<svg xmlns='http://www.w3.org/2000/svg'/>").await, Err(Fault::Unknown));
    for kind in ["image/png", "image/jpeg", "image/webp"] {
        let good = made(kind, 300, 200).await;
        for part in [10, 50, 90] {
            let cut = &good[..good.len() * part / 100];
            let found = drawn(cut).await;
            console_log!("{kind}, {part} %: {found:?}");
            assert_eq!(found, broken, "{kind} cut at {part} %");
        }
    }
}
