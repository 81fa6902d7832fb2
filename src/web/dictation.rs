//! The browser's own ear, where it has one: what is spoken comes back as words. Most browsers send it to their maker for that.

use js_sys::Reflect;
use wasm_bindgen::prelude::*;

use super::{called, made, text_of, window};
use crate::story::storyline::Language;

type Heard = Closure<dyn FnMut(JsValue)>;

/// What comes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// All words so far; the last of them may still change.
    Words(String),
    /// It has ended; with the browser's name of the fault where it was not meant to (`not-allowed`, `network`, …).
    Ended(Option<String>),
}

/// It listens as long as this is there.
pub struct Dictation {
    recognition: JsValue,
    // They are called by the browser.
    _heard: [Heard; 3],
}

const NAMES: [&str; 2] = ["SpeechRecognition", "webkitSpeechRecognition"];

/// Whether the browser can listen at all.
pub fn is_there() -> bool {
    NAMES.iter().any(|name| Reflect::get(&window(), &(*name).into()).is_ok_and(|found| found.is_function()))
}

impl Dictation {
    /// `None`: the browser cannot, or not now.
    pub fn begin(language: Language, mut hear: impl FnMut(Said) + Clone + 'static) -> Option<Self> {
        let recognition = NAMES.iter().find_map(|name| made(name, []).ok())?;
        let set = |name: &str, value: &JsValue| Reflect::set(&recognition, &name.into(), value).ok();
        set("lang", &language.tag().into())?;
        set("continuous", &true.into())?;
        set("interimResults", &true.into())?;
        let mut words = hear.clone();
        let mut fails = hear.clone();
        let heard = [
            Heard::new(move |event: JsValue| words(Said::Words(transcript(&event)))),
            Heard::new(move |event: JsValue| {
                let fault = text_of(&event, "error");
                // Silence, and what the reader stopped, are no faults.
                if !matches!(fault.as_str(), "no-speech" | "aborted") {
                    fails(Said::Ended(Some(fault)));
                }
            }),
            Heard::new(move |_| hear(Said::Ended(None))),
        ];
        for (name, heard) in ["onresult", "onerror", "onend"].iter().zip(&heard) {
            set(name, heard.as_ref())?;
        }
        called(&recognition, "start", &JsValue::UNDEFINED)?;
        Some(Self { recognition, _heard: heard })
    }
}

impl Drop for Dictation {
    fn drop(&mut self) {
        for name in ["onresult", "onerror", "onend"] {
            let _ = Reflect::set(&self.recognition, &name.into(), &JsValue::NULL);
        }
        let _ = called(&self.recognition, "abort", &JsValue::UNDEFINED);
    }
}

/// The best guess of each piece, one after the other.
fn transcript(event: &JsValue) -> String {
    let at = |of: &JsValue, place: u32| Reflect::get(of, &place.into()).unwrap_or_default();
    let results = Reflect::get(event, &"results".into()).unwrap_or_default();
    let count = Reflect::get(&results, &"length".into()).ok().and_then(|count| count.as_f64()).unwrap_or_default();
    (0..count as u32).map(|place| text_of(&at(&at(&results, place), 0), "transcript")).collect()
}
