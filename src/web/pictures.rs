//! Pictures as this browser draws them: whether it can, and a smaller one for the page.

use js_sys::{Object, Promise, Reflect, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::Blob;

use super::files;
use crate::{
    exchange::picture::Picture,
    ports::{Drawn, Future, Pictures},
    story::picture::{Fault, Head, look},
};

// Counted as unstable by web-sys, or more of it than is needed here.
#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = createImageBitmap, catch)]
    fn create_image_bitmap(blob: &Blob) -> Result<Promise, JsValue>;

    #[wasm_bindgen(js_name = ImageBitmap)]
    type Bitmap;
    #[wasm_bindgen(method, getter)]
    fn width(this: &Bitmap) -> u32;
    #[wasm_bindgen(method, getter)]
    fn height(this: &Bitmap) -> u32;
    #[wasm_bindgen(method)]
    fn close(this: &Bitmap);

    #[wasm_bindgen(js_name = OffscreenCanvas)]
    type Canvas;
    #[wasm_bindgen(constructor, js_class = "OffscreenCanvas", catch)]
    fn new(width: u32, height: u32) -> Result<Canvas, JsValue>;
    #[wasm_bindgen(method, js_name = getContext)]
    fn context(this: &Canvas, kind: &str) -> Option<Context>;
    #[wasm_bindgen(method, js_name = convertToBlob, catch)]
    fn convert(this: &Canvas, options: &Object) -> Result<Promise, JsValue>;

    type Context;
    #[wasm_bindgen(method, setter, js_name = imageSmoothingQuality)]
    fn smooth(this: &Context, quality: &str);
    #[wasm_bindgen(method, setter, js_name = fillStyle)]
    fn fill_style(this: &Context, colour: &str);
    #[wasm_bindgen(method, setter, js_name = font)]
    fn font(this: &Context, font: &str);
    #[wasm_bindgen(method, setter, js_name = textAlign)]
    fn text_align(this: &Context, align: &str);
    #[wasm_bindgen(method, js_name = fillRect)]
    fn fill_rect(this: &Context, x: f64, y: f64, width: f64, height: f64);
    #[wasm_bindgen(method, js_name = fillText)]
    fn fill_text(this: &Context, text: &str, x: f64, y: f64, most: f64);
    #[wasm_bindgen(method, js_name = drawImage, catch)]
    fn draw(this: &Context, bitmap: &Bitmap, x: f64, y: f64, width: f64, height: f64) -> Result<(), JsValue>;
}

/// Pixels of the longer side of a picture on the page: three times the size at which a face is drawn, and for later more.
const SIDE: u32 = 512;

async fn decode(bytes: &[u8]) -> Result<(Head, Bitmap), Fault> {
    let head = look(bytes)?;
    let drawn = async {
        let blob = files::blob(bytes, head.kind)?;
        JsFuture::from(create_image_bitmap(&blob)?).await
    };
    let bitmap: Bitmap = drawn.await.map_err(|_| Fault::Broken)?.unchecked_into();
    Ok((head, bitmap))
}

/// `None` where it is small enough.
async fn smaller(bitmap: &Bitmap) -> Result<Option<Picture>, JsValue> {
    let longer = bitmap.width().max(bitmap.height());
    if longer <= SIDE {
        return Ok(None);
    }
    let scaled = |side: u32| (f64::from(side) * f64::from(SIDE) / f64::from(longer)).round().max(1.0);
    let (width, height) = (scaled(bitmap.width()), scaled(bitmap.height()));
    let canvas = Canvas::new(width as u32, height as u32)?;
    let Some(context) = canvas.context("2d") else { return Ok(None) };
    context.smooth("high");
    context.draw(bitmap, 0.0, 0.0, width, height)?;
    let options = Object::new();
    // A browser that does not write WebP writes PNG.
    Reflect::set(&options, &"type".into(), &"image/webp".into())?;
    Reflect::set(&options, &"quality".into(), &0.85.into())?;
    let blob: Blob = JsFuture::from(canvas.convert(&options)?).await?.unchecked_into();
    let bytes = Uint8Array::new(&JsFuture::from(blob.array_buffer()).await?).to_vec();
    Ok(Some((blob.type_(), bytes)))
}

/// A picture as PNG, which can carry a card; where there is none, a leaf with the name on it.
///
/// # Errors
/// The browser cannot draw it.
pub async fn as_png(picture: Option<(&str, &[u8])>, name: &str) -> Result<Vec<u8>, JsValue> {
    let canvas = match picture {
        Some(("image/png", bytes)) => return Ok(bytes.to_vec()),
        Some((_, bytes)) => {
            let (head, bitmap) = decode(bytes).await.map_err(|_| JsValue::from_str("createImageBitmap"))?;
            let canvas = Canvas::new(head.width.max(1), head.height.max(1))?;
            let drawn = context(&canvas)?.draw(&bitmap, 0.0, 0.0, f64::from(head.width), f64::from(head.height));
            bitmap.close();
            drawn?;
            canvas
        }
        None => leaf(name)?,
    };
    let options = Object::new();
    Reflect::set(&options, &"type".into(), &"image/png".into())?;
    let blob: Blob = JsFuture::from(canvas.convert(&options)?).await?.unchecked_into();
    Ok(Uint8Array::new(&JsFuture::from(blob.array_buffer()).await?).to_vec())
}

fn context(canvas: &Canvas) -> Result<Context, JsValue> {
    canvas.context("2d").ok_or_else(|| JsValue::from_str("2d"))
}

/// The size of a card, as most are.
const LEAF: (u32, u32) = (400, 600);

fn leaf(name: &str) -> Result<Canvas, JsValue> {
    let canvas = Canvas::new(LEAF.0, LEAF.1)?;
    let pen = context(&canvas)?;
    let (width, height) = (f64::from(LEAF.0), f64::from(LEAF.1));
    pen.fill_style("#f4efe4");
    pen.fill_rect(0.0, 0.0, width, height);
    pen.fill_style("#3b4a7a");
    pen.text_align("center");
    pen.font("600 180px Georgia, 'Noto Serif CJK SC', serif");
    let initial: String = name.chars().take(1).collect();
    pen.fill_text(&initial, width / 2.0, height / 2.0, width - 40.0);
    pen.font("28px Georgia, 'Noto Serif CJK SC', serif");
    pen.fill_text(name, width / 2.0, height * 0.72, width - 60.0);
    Ok(canvas)
}

/// Pictures as this browser draws them.
pub struct BrowserPictures;

impl Pictures for BrowserPictures {
    fn judge<'a>(&'a self, bytes: &'a [u8]) -> Future<'a, Result<(), Fault>> {
        Box::pin(async move {
            let (_, bitmap) = decode(bytes).await?;
            bitmap.close();
            Ok(())
        })
    }

    fn draw<'a>(&'a self, bytes: &'a [u8]) -> Future<'a, Result<Drawn, Fault>> {
        Box::pin(async move {
            let (head, bitmap) = decode(bytes).await?;
            // A small one of a moving picture would stand still.
            let small = if head.kind == "image/gif" { None } else { smaller(&bitmap).await.ok().flatten() };
            bitmap.close();
            Ok(Drawn { kind: head.kind, small: small.filter(|(_, small)| small.len() < bytes.len()) })
        })
    }
}
