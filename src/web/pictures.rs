//! Pictures as this browser draws them: whether it can, and a smaller one for the page.

use js_sys::{Object, Promise, Reflect, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::Blob;

use super::{call, called, files, made, window};
use crate::{
    exchange::picture::Picture,
    ports::{Drawn, Future, Pictures},
    story::picture::{Fault, Head, look},
};

// All of it called by name: little of the page draws, and each bound function stands in its first script.

/// A picture that can be drawn; what it holds is let go at once.
struct Bitmap(JsValue);

impl Bitmap {
    fn side(&self, name: &str) -> u32 {
        Reflect::get(&self.0, &name.into()).ok().and_then(|side| side.as_f64()).map_or(0, |side| side as u32)
    }
}

impl Drop for Bitmap {
    fn drop(&mut self) {
        called(&self.0, "close", &JsValue::UNDEFINED);
    }
}

/// An `OffscreenCanvas` with its pen.
struct Canvas {
    canvas: JsValue,
    pen: JsValue,
}

impl Canvas {
    fn new(width: u32, height: u32) -> Result<Self, JsValue> {
        let canvas = made("OffscreenCanvas", [&width.into(), &height.into()])?;
        let pen = call(&canvas, "getContext", [&"2d".into()])?;
        if pen.is_null() { Err("2d".into()) } else { Ok(Self { canvas, pen }) }
    }

    fn set(&self, name: &str, value: &str) -> Result<bool, JsValue> {
        Reflect::set(&self.pen, &name.into(), &value.into())
    }

    fn draw(&self, bitmap: &Bitmap, width: f64, height: f64) -> Result<(), JsValue> {
        let zero = JsValue::from(0);
        call(&self.pen, "drawImage", [&bitmap.0, &zero, &zero, &width.into(), &height.into()]).map(drop)
    }

    fn write(&self, text: &str, x: f64, y: f64, most: f64) -> Result<(), JsValue> {
        call(&self.pen, "fillText", [&text.into(), &x.into(), &y.into(), &most.into()]).map(drop)
    }

    /// Media type and bytes. A browser that does not write the type that is asked for writes PNG.
    async fn written(&self, kind: &str, quality: Option<f64>) -> Result<(String, Vec<u8>), JsValue> {
        let options = Object::new();
        Reflect::set(&options, &"type".into(), &kind.into())?;
        Reflect::set(&options, &"quality".into(), &quality.into())?;
        let blob = call(&self.canvas, "convertToBlob", [options.as_ref()])?;
        let blob: Blob = JsFuture::from(blob.unchecked_into::<Promise>()).await?.unchecked_into();
        let bytes = Uint8Array::new(&JsFuture::from(blob.array_buffer()).await?).to_vec();
        Ok((blob.type_(), bytes))
    }
}

/// Pixels of the longer side of a picture on the page: three times the size at which a face is drawn, and for later more.
const SIDE: u32 = 512;

async fn decode(bytes: &[u8]) -> Result<(Head, Bitmap), Fault> {
    let head = look(bytes)?;
    let drawn = async {
        let blob = files::blob(bytes, head.kind)?;
        let coming = call(&window(), "createImageBitmap", [blob.as_ref()])?;
        JsFuture::from(coming.unchecked_into::<Promise>()).await
    };
    let bitmap = drawn.await.map_err(|_: JsValue| Fault::Broken)?;
    Ok((head, Bitmap(bitmap)))
}

/// `None` where it is small enough.
async fn smaller(bitmap: &Bitmap) -> Result<Option<Picture>, JsValue> {
    let (width, height) = (bitmap.side("width"), bitmap.side("height"));
    let longer = width.max(height);
    if longer <= SIDE {
        return Ok(None);
    }
    let scaled = |side: u32| (f64::from(side) * f64::from(SIDE) / f64::from(longer)).round().max(1.0);
    let (width, height) = (scaled(width), scaled(height));
    let canvas = Canvas::new(width as u32, height as u32)?;
    canvas.set("imageSmoothingQuality", "high")?;
    canvas.draw(bitmap, width, height)?;
    canvas.written("image/webp", Some(0.85)).await.map(Some)
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
            canvas.draw(&bitmap, f64::from(head.width), f64::from(head.height))?;
            canvas
        }
        None => leaf(name)?,
    };
    canvas.written("image/png", None).await.map(|(_, bytes)| bytes)
}

/// The size of a card, as most are.
const LEAF: (u32, u32) = (400, 600);

fn leaf(name: &str) -> Result<Canvas, JsValue> {
    let leaf = Canvas::new(LEAF.0, LEAF.1)?;
    let (width, height) = (f64::from(LEAF.0), f64::from(LEAF.1));
    let zero = JsValue::from(0);
    leaf.set("fillStyle", "#f4efe4")?;
    call(&leaf.pen, "fillRect", [&zero, &zero, &width.into(), &height.into()])?;
    leaf.set("fillStyle", "#3b4a7a")?;
    leaf.set("textAlign", "center")?;
    leaf.set("font", "600 180px Georgia, 'Noto Serif CJK SC', serif")?;
    let initial: String = name.chars().take(1).collect();
    leaf.write(&initial, width / 2.0, height / 2.0, width - 40.0)?;
    leaf.set("font", "28px Georgia, 'Noto Serif CJK SC', serif")?;
    leaf.write(name, width / 2.0, height * 0.72, width - 60.0)?;
    Ok(leaf)
}

/// Pictures as this browser draws them.
pub struct BrowserPictures;

impl Pictures for BrowserPictures {
    fn judge<'a>(&'a self, bytes: &'a [u8]) -> Future<'a, Result<(), Fault>> {
        Box::pin(async move { decode(bytes).await.map(drop) })
    }

    fn draw<'a>(&'a self, bytes: &'a [u8]) -> Future<'a, Result<Drawn, Fault>> {
        Box::pin(async move {
            let (head, bitmap) = decode(bytes).await?;
            // A small one of a moving picture would stand still.
            let small = if head.kind == "image/gif" { None } else { smaller(&bitmap).await.ok().flatten() };
            Ok(Drawn { kind: head.kind, small: small.filter(|(_, small)| small.len() < bytes.len()) })
        })
    }
}
