//! The browser's own voices.

use futures_channel::oneshot;
use futures_util::{FutureExt, select_biased};
use js_sys::{Array, Reflect};
use wasm_bindgen::prelude::*;

use super::{called, clock::BrowserClock, made, text_of, window};
use crate::{ports::Clock, story::storyline::Language};

/// Milliseconds in which a voice says a letter at the most, and has begun.
const A_LETTER: u32 = 450;
const TO_BEGIN: u32 = 10_000;
/// Browsers read the list of voices after it is first asked for: so often it is asked, so many milliseconds apart.
const ASKED: u32 = 10;
const APART: u32 = 150;

/// Nothing was said: there is no voice, or it broke off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Silent;

fn synthesis() -> Option<JsValue> {
    Reflect::get(&window(), &"speechSynthesis".into()).ok().filter(JsValue::is_object)
}

/// Whether the browser can say anything at all.
pub fn is_there() -> bool {
    synthesis().is_some()
}

fn of(language: Language) -> Vec<JsValue> {
    let all = synthesis().and_then(|synthesis| called(&synthesis, "getVoices", &JsValue::UNDEFINED));
    let all = all.map(|all| all.unchecked_into::<Array>()).unwrap_or_default();
    all.iter().filter(|voice| text_of(voice, "lang").to_lowercase().starts_with(&language.tag()[..2])).collect()
}

/// The names of the voices that speak a language, as the browser has them; empty where it has none.
pub async fn names(language: Language) -> Vec<String> {
    for _ in 0..ASKED {
        let voices = of(language);
        if !voices.is_empty() {
            return voices.iter().map(|voice| text_of(voice, "name")).collect();
        }
        BrowserClock.sleep(APART).await;
    }
    Vec::new()
}

/// Says a sentence, until it is said. `rate`: 1 = as the voice usually speaks; a voice that is not there is the usual one.
///
/// # Errors
/// It was not said to its end.
pub async fn say(text: &str, language: Language, voice: &str, rate: f64) -> Result<(), Silent> {
    let synthesis = synthesis().ok_or(Silent)?;
    let utterance = made("SpeechSynthesisUtterance", [&text.into()]).map_err(|_| Silent)?;
    let set = |name: &str, value: &JsValue| {
        let _ = Reflect::set(&utterance, &name.into(), value);
    };
    set("lang", &language.tag().into());
    set("rate", &rate.into());
    if let Some(voice) = of(language).iter().find(|one| text_of(one, "name") == voice) {
        set("voice", voice);
    }
    let (sender, ended) = oneshot::channel();
    let mut sender = Some(sender);
    let heard = Closure::<dyn FnMut(JsValue)>::new(move |event: JsValue| {
        let kind = text_of(&event, "type");
        if let Some(sender) = sender.take() {
            // Nobody listens any more where it was stopped.
            let _ = sender.send(kind == "end");
        }
    });
    set("onend", heard.as_ref());
    set("onerror", heard.as_ref());
    called(&synthesis, "speak", &utterance).ok_or(Silent)?;
    let longest = TO_BEGIN + (A_LETTER as f64 * text.chars().count() as f64 / rate.max(0.1)) as u32;
    // A browser without a voice may keep quiet about it for ever.
    select_biased! {
        ended = ended.fuse() => if ended == Ok(true) { Ok(()) } else { Err(Silent) },
        () = BrowserClock.sleep(longest).fuse() => Err(Silent),
    }
}

/// Says nothing more.
pub fn hush() {
    if let Some(synthesis) = synthesis() {
        called(&synthesis, "cancel", &JsValue::UNDEFINED);
    }
}
