//! The browser's own voices.

use futures_channel::oneshot;
use futures_util::{FutureExt, select_biased};
use js_sys::{Array, Reflect};
use wasm_bindgen::prelude::*;

use super::{clock::BrowserClock, window};
use crate::{ports::Clock, story::storyline::Language};

#[wasm_bindgen]
extern "C" {
    type SpeechSynthesis;
    #[wasm_bindgen(method)]
    fn speak(this: &SpeechSynthesis, utterance: &Utterance);
    #[wasm_bindgen(method)]
    fn cancel(this: &SpeechSynthesis);
    #[wasm_bindgen(method, js_name = getVoices)]
    fn get_voices(this: &SpeechSynthesis) -> Array;

    #[wasm_bindgen(js_name = SpeechSynthesisUtterance)]
    type Utterance;
    #[wasm_bindgen(constructor, js_class = "SpeechSynthesisUtterance")]
    fn new(text: &str) -> Utterance;
    #[wasm_bindgen(method, setter)]
    fn set_lang(this: &Utterance, lang: &str);
    #[wasm_bindgen(method, setter)]
    fn set_rate(this: &Utterance, rate: f64);
    #[wasm_bindgen(method, setter)]
    fn set_voice(this: &Utterance, voice: &Voice);
    #[wasm_bindgen(method, setter)]
    fn set_onend(this: &Utterance, heard: &JsValue);
    #[wasm_bindgen(method, setter)]
    fn set_onerror(this: &Utterance, heard: &JsValue);

    #[wasm_bindgen(js_name = SpeechSynthesisVoice)]
    type Voice;
    #[wasm_bindgen(method, getter)]
    fn name(this: &Voice) -> String;
    #[wasm_bindgen(method, getter)]
    fn lang(this: &Voice) -> String;
}

/// Milliseconds in which a voice says a letter at the most, and has begun.
const A_LETTER: u32 = 450;
const TO_BEGIN: u32 = 10_000;
/// Browsers read the list of voices after it is first asked for: so often it is asked, so many milliseconds apart.
const ASKED: u32 = 10;
const APART: u32 = 150;

/// Nothing was said: there is no voice, or it broke off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Silent;

fn synthesis() -> Option<SpeechSynthesis> {
    let found = Reflect::get(&window(), &"speechSynthesis".into()).ok()?;
    found.is_object().then(|| found.unchecked_into())
}

/// Whether the browser can say anything at all.
pub fn is_there() -> bool {
    synthesis().is_some()
}

fn of(language: Language) -> Vec<Voice> {
    let all = synthesis().map(|synthesis| synthesis.get_voices()).unwrap_or_default();
    let speaks = |voice: &Voice| voice.lang().to_lowercase().starts_with(&language.tag()[..2]);
    all.iter().map(|voice| voice.unchecked_into::<Voice>()).filter(speaks).collect()
}

/// The names of the voices that speak a language, as the browser has them; empty where it has none.
pub async fn names(language: Language) -> Vec<String> {
    for _ in 0..ASKED {
        let voices = of(language);
        if !voices.is_empty() {
            return voices.iter().map(Voice::name).collect();
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
    let utterance = Utterance::new(text);
    utterance.set_lang(language.tag());
    utterance.set_rate(rate);
    if let Some(voice) = of(language).iter().find(|one| one.name() == voice) {
        utterance.set_voice(voice);
    }
    let (sender, ended) = oneshot::channel();
    let mut sender = Some(sender);
    let heard = Closure::<dyn FnMut(JsValue)>::new(move |event: JsValue| {
        let kind = Reflect::get(&event, &"type".into()).ok().and_then(|kind| kind.as_string());
        if let Some(sender) = sender.take() {
            // Nobody listens any more where it was stopped.
            let _ = sender.send(kind.as_deref() == Some("end"));
        }
    });
    utterance.set_onend(heard.as_ref());
    utterance.set_onerror(heard.as_ref());
    synthesis.speak(&utterance);
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
        synthesis.cancel();
    }
}
