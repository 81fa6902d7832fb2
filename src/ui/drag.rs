//! The sheets of a narrow page follow the finger: drawn to their side they go.

use std::{cell::Cell, rc::Rc};

use leptos::{ev, prelude::*, task::spawn_local};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, PointerEvent};

use crate::{desk::shortcuts::is_drawn_away, ports::Clock, web::clock::BrowserClock};

/// Pixels after which a finger has chosen a direction.
const SLIP: f64 = 10.0;
/// Milliseconds that the stylesheet gives a sheet to go, or to come back.
const GOES: u32 = 160;
/// What has ways of its own under a finger.
const OTHERS: &str =
    "input[type=range], :focus:not(.shelf, .notebook), [role=tablist], .tree-map, .line-grip, pre, table";

struct Drag {
    sheet: HtmlElement,
    close: HtmlElement,
    /// Towards its side: -1 to the left, 1 to the right.
    side: f64,
    from: (f64, f64),
    /// When the finger came down, as the browser noted it: a busy page hears of it later.
    began: f64,
    /// Pixels that it has followed; `None` until the finger has chosen.
    along: Option<f64>,
}

impl Drag {
    fn at(event: &PointerEvent) -> Option<Self> {
        let from = event.target()?.dyn_into::<Element>().ok()?;
        let is_meant = event.pointer_type() == "touch" && event.is_primary() && from.closest(OTHERS).ok()?.is_none();
        let sheet: HtmlElement =
            from.closest(".shelf, .notebook").ok().flatten().filter(|_| is_meant)?.dyn_into().ok()?;
        let side = if sheet.closest(".shelf").ok()?.is_some() { -1.0 } else { 1.0 };
        // It is there where the sheets lie over the page, and nowhere else.
        let close: HtmlElement = sheet.query_selector(".shelf-close, .notebook-close").ok()??.dyn_into().ok()?;
        (width(&close) > 0.0).then(|| Self {
            sheet,
            close,
            side,
            from: (f64::from(event.client_x()), f64::from(event.client_y())),
            began: event.time_stamp(),
            along: None,
        })
    }

    /// `None`: the finger goes another way.
    fn moved(mut self, event: &PointerEvent) -> Option<Self> {
        let (dx, dy) = (f64::from(event.client_x()) - self.from.0, f64::from(event.client_y()) - self.from.1);
        if self.along.is_none() {
            if dx.hypot(dy) < SLIP {
                return Some(self);
            }
            if dx.abs() < 1.5 * dy.abs() || dx * self.side < 0.0 {
                return None;
            }
            self.mark(true);
        }
        let along = (dx * self.side).max(0.0);
        self.along = Some(along);
        self.lay(along);
        Some(self)
    }

    /// The stylesheet draws no way of its own meanwhile.
    fn mark(&self, is_dragged: bool) {
        let _ = self.sheet.class_list().toggle_with_force("dragged", is_dragged);
    }

    fn lay(&self, along: f64) {
        let _ = HtmlElement::style(&self.sheet).set_property("translate", &format!("{}px", along * self.side));
    }

    /// `lifted`: when the finger was; `None`: the browser has taken it for something of its own.
    fn end(self, lifted: Option<f64>) {
        let Some(along) = self.along else { return };
        let width = width(&self.sheet);
        let goes = lifted.is_some_and(|at| is_drawn_away(along, width, at - self.began));
        self.mark(false);
        self.lay(if goes { width } else { 0.0 });
        spawn_local(async move {
            BrowserClock.sleep(GOES).await;
            if goes {
                self.close.click();
            }
            let _ = HtmlElement::style(&self.sheet).set_property("translate", "");
        });
    }
}

fn width(element: &Element) -> f64 {
    element.get_bounding_client_rect().width()
}

/// From now on, for as long as the page lives.
pub fn follow() {
    let drag = Rc::new(Cell::new(None::<Drag>));
    let held = drag.clone();
    window_event_listener(ev::pointerdown, move |event| held.set(Drag::at(&event)));
    let held = drag.clone();
    window_event_listener(ev::pointermove, move |event| {
        held.set(held.take().and_then(|drag| drag.moved(&event)));
    });
    let held = drag.clone();
    window_event_listener(ev::pointerup, move |event| {
        held.take().into_iter().for_each(|drag| drag.end(Some(event.time_stamp())));
    });
    window_event_listener(ev::pointercancel, move |_| drag.take().into_iter().for_each(|drag| drag.end(None)));
}
