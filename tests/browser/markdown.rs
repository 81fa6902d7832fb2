//! A reply in the page while it grows, and the same reply opened whole.

use fabula::ui::markdown::Markdown;
use leptos::{mount::mount_to, prelude::*, task::tick};
use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::HtmlElement;

const TEXT: &str = "灯下的书**又翻*过*一页**，“你还*在*听吗？”她问。\nthe `rain` kept *its own* time, and \"nobody answered.\"\n\n\
                    She **waited**. 「第一句」「第二句」 [PROGRESS:1:done] ~~gone~~ [a *link*](https://example.org) end\n\n\
                    - one\n- *two*\n  more\n\n1. a\n2. b\n\n> quoted “words\n> go on”\n\n```rust\nfn a() {}\n```\n\n\
                    | a | b |\n|---|---|\n| 1 | **2** |\n\n## Head\n\nlast *words **of** it* – “and";

/// What a reader sees of it: the page as written, without the marks that the view keeps for itself.
fn seen(place: &HtmlElement) -> String {
    let html = place.inner_html();
    let mut parts = html.split("<!--");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |seen, part| seen + part.split_once("-->").map_or("", |(_, rest)| rest))
}

fn place() -> HtmlElement {
    let document = web_sys::window().unwrap().document().unwrap();
    let place: HtmlElement = document.create_element("div").unwrap().unchecked_into();
    document.body().unwrap().append_child(&place).unwrap();
    place
}

fn shown(place: &HtmlElement, text: Signal<String>) -> impl Drop + use<> {
    mount_to(place.clone(), move || view! { <Markdown text /> })
}

#[wasm_bindgen_test]
async fn a_reply_that_grows_looks_as_one_that_is_opened() {
    let ends: Vec<usize> = TEXT.char_indices().map(|(at, _)| at).skip(1).chain([TEXT.len()]).collect();
    for step in [1, 2, 3, 7, 40] {
        let growing = place();
        let text = RwSignal::new(String::new());
        let _growing = shown(&growing, text.into());
        for end in ends.iter().step_by(step) {
            text.set(TEXT[..*end].to_owned());
            tick().await;
            let whole = place();
            let _whole = shown(&whole, Signal::stored(TEXT[..*end].to_owned()));
            assert_eq!(seen(&growing), seen(&whole), "{:?} by {step}", &TEXT[..*end]);
            whole.remove();
        }
        growing.remove();
    }
}

/// Another reply, an edit, a reply that goes on from its middle, several pieces before the page comes to it.
#[wasm_bindgen_test]
async fn a_text_that_becomes_another_looks_as_that_one() {
    let at = TEXT.char_indices().nth(60).map(|(at, _)| at).unwrap();
    let rest = TEXT.split_once("\n\n").unwrap().1;
    let texts = [&TEXT[..at], TEXT, "", "other **x**", "other *x*", rest, TEXT, "- a\n- b", "gone on"];
    let (changed, text) = (place(), RwSignal::new(TEXT[..at].to_owned()));
    let view = shown(&changed, text.into());
    for now in texts {
        text.set("amid “it".to_owned());
        text.set(now.to_owned());
        tick().await;
        let whole = place();
        let _whole = shown(&whole, Signal::stored(now.to_owned()));
        assert_eq!(seen(&changed), seen(&whole), "{now:?}");
        whole.remove();
    }
    text.set("gone".to_owned());
    drop(view);
    tick().await;
}

#[wasm_bindgen_test]
async fn what_has_come_stays_in_the_page_while_more_comes() {
    let place = place();
    let text = RwSignal::new(String::new());
    let _shown = shown(&place, text.into());
    text.set("The rain. ".to_owned());
    tick().await;
    let first = place.query_selector("p").unwrap().unwrap();
    for (at, _) in TEXT.char_indices().skip(1) {
        text.set(format!("The rain. {}", &TEXT[..at]));
        tick().await;
    }
    assert!(first.is_connected(), "the first paragraph was put there anew");
    assert_eq!(first.query_selector("strong").unwrap().unwrap().text_content().unwrap(), "又翻过一页");
}
