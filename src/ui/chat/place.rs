//! What of the story is seen: its first turn, and how far each is from the top of the screen.

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use crate::web::window;

/// What the story is scrolled in.
pub fn scroller() -> Option<HtmlElement> {
    window().document()?.get_element_by_id("story")?.dyn_into().ok()
}

/// The turns in the page with their positions.
pub fn turns_in(column: &Element) -> Vec<(u32, HtmlElement)> {
    let children = column.children();
    (0..children.length())
        .filter_map(|at| children.item(at)?.dyn_into::<HtmlElement>().ok())
        .filter_map(|element| Some((element.get_attribute("data-turn")?.parse().ok()?, element)))
        .collect()
}

/// The turns with the places of their upper and lower edges, in pixels from the top of what is seen.
fn placed() -> Option<impl Iterator<Item = (u32, f64, f64)>> {
    let scroller = scroller()?;
    let top = scroller.get_bounding_client_rect().top();
    let column = scroller.query_selector(".column").ok().flatten()?;
    Some(turns_in(&column).into_iter().map(move |(position, element)| {
        let place = element.get_bounding_client_rect();
        (position, place.top() - top, place.bottom() - top)
    }))
}

/// The first turn that is seen, and how far it is from the top.
pub fn first_seen() -> Option<(u32, f64)> {
    placed()?.find(|(_, _, bottom)| *bottom > 1.0).map(|(position, top, _)| (position, top))
}

pub fn offset_of(position: u32) -> Option<f64> {
    placed()?.find(|(at, ..)| *at == position).map(|(_, top, _)| top)
}
