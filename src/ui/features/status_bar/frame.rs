//! A frame that runs a bar, watched by its guard. It is put into the page by hand: an element that is kept for another
//! text would go on running the one before.

use std::{
    cell::{Cell, RefCell},
    rc::{Rc, Weak},
};

use leptos::{html, prelude::*, task::spawn_local};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, HtmlIFrameElement};

use crate::{
    features::status_bar::{
        self, Feed,
        guard::{ANSWER, Guard, Off},
        message::Message,
    },
    ports::Clock,
    story::typography::Theme,
    ui::app::App,
    web::{
        clock::BrowserClock,
        frame::{self as web_frame, Listening},
        window,
    },
};

/// Milliseconds that a page which has just woken up gives a frame to catch up.
const GRACE: u32 = 500;

/// What a bar has come to.
#[derive(Clone, Debug)]
pub enum Heard {
    /// It has words for the composer.
    Draft(String),
    /// It was switched off.
    Off(Off),
}

struct Frame {
    element: HtmlIFrameElement,
    code: String,
    guard: RefCell<Guard>,
    /// What it is to know; told once it has loaded.
    feed: RefCell<Feed>,
    hear: Callback<Heard>,
    /// Empty once it is over: nothing of it counts any more.
    listening: RefCell<Vec<Listening>>,
    is_over: Cell<bool>,
}

impl Frame {
    fn put(host: &Element, code: String, feed: Feed, hear: Callback<Heard>) -> Option<Rc<Self>> {
        let element: HtmlIFrameElement = window().document()?.create_element("iframe").ok()?.unchecked_into();
        // The sandbox comes before the address.
        let src = web_frame::address();
        let attributes = [
            ("sandbox", "allow-scripts"),
            ("referrerpolicy", "no-referrer"),
            ("class", "status-frame"),
            ("data-testid", "statusbar-frame"),
            ("src", src.as_str()),
        ];
        for (name, value) in attributes {
            element.set_attribute(name, value).ok()?;
        }
        let frame = Rc::new(Self {
            element,
            code,
            guard: RefCell::new(Guard::new(BrowserClock.now())),
            feed: RefCell::new(feed),
            hear,
            listening: RefCell::default(),
            is_over: Cell::new(false),
        });
        let [loads, hears, turns] = [(); 3].map(|()| Rc::downgrade(&frame));
        let with = |frame: &Weak<Self>, work: &dyn Fn(&Rc<Self>)| frame.upgrade().iter().for_each(work);
        let loaded = move |_| with(&loads, &|frame| frame.loaded());
        let listening = [
            Some(Listening::new(frame.element.clone().into(), "load", Box::new(loaded))),
            Some(web_frame::listen(&frame.element, move |said| with(&hears, &|frame| frame.heard(said.as_deref())))),
            web_frame::on_scheme(move || with(&turns, &|frame| frame.tell())),
        ];
        frame.listening.borrow_mut().extend(listening.into_iter().flatten());
        host.append_child(&frame.element).ok()?;
        Some(frame)
    }

    fn loaded(self: &Rc<Self>) {
        let loaded = self.guard.borrow_mut().loaded(BrowserClock.now());
        match loaded {
            Ok(()) => {
                let told = status_bar::begin(&self.code, &web_frame::look(), &self.feed.borrow());
                web_frame::tell(&self.element, &told);
                self.watch();
            }
            Err(why) => self.end(why),
        }
    }

    fn heard(&self, said: Option<&str>) {
        if self.is_over.get() {
            return;
        }
        let heard = self.guard.borrow_mut().heard(said, BrowserClock.now());
        match heard {
            Ok(Some(Message::Height(px))) => {
                let _ = HtmlElement::style(&self.element).set_property("height", &format!("{px}px"));
            }
            Ok(Some(Message::Draft(words))) => self.hear.run(Heard::Draft(words)),
            Ok(_) => {}
            Err(why) => self.end(why),
        }
    }

    /// Tells what it is to know now, once it can listen.
    fn tell(self: &Rc<Self>) {
        if self.is_over.get() || !self.guard.borrow().is_loaded() {
            return;
        }
        let n = self.guard.borrow_mut().tells(BrowserClock.now());
        web_frame::tell(&self.element, &status_bar::state(n, &web_frame::look(), &self.feed.borrow()));
        self.watch();
    }

    /// Looks whether it has answered in time.
    fn watch(self: &Rc<Self>) {
        let frame = Rc::downgrade(self);
        spawn_local(async move {
            BrowserClock.sleep(ANSWER as u32).await;
            BrowserClock.sleep(GRACE).await;
            let Some(frame) = frame.upgrade() else { return };
            let looked_at = frame.guard.borrow().looked_at(BrowserClock.now());
            if let Err(why) = looked_at {
                frame.end(why);
            }
        });
    }

    fn end(&self, why: Off) {
        if !self.is_over.replace(true) {
            self.hear.run(Heard::Off(why));
        }
    }
}

impl Drop for Frame {
    fn drop(&mut self) {
        self.listening.borrow_mut().clear();
        self.element.remove();
    }
}

/// What a frame shows.
#[derive(Clone, Copy)]
pub struct Framed {
    /// The text that runs there, with a name for this run of it before it; `None`: there is no frame.
    pub runs: Signal<Option<(String, String)>>,
    pub feed: Signal<Feed>,
    pub title: Signal<String>,
    pub hear: Callback<Heard>,
}

/// The place of a frame.
pub fn place(Framed { runs, feed, title, hear }: Framed) -> AnyView {
    let app = App::here();
    let host = NodeRef::<html::Div>::new();
    let frame = StoredValue::new_local(None::<(String, Rc<Frame>)>);
    Effect::new(move |before: Option<Option<Theme>>| {
        let host = host.get()?;
        let (wanted, fed, title) = (runs.get(), feed.get(), title.get());
        let theme = app.preferences.with(|preferences| preferences.theme);
        let is_same = |(key, _): &(String, Rc<Frame>)| wanted.as_ref().is_some_and(|(wanted, _)| wanted == key);
        let known = frame.try_update_value(|frame| frame.take_if(|frame| is_same(frame))).flatten();
        let now = match (known, wanted) {
            (Some((key, frame)), _) => {
                let turned = before.flatten() != Some(theme);
                if turned || *frame.feed.borrow() != fed {
                    frame.feed.replace(fed);
                    let told = Rc::downgrade(&frame);
                    spawn_local(async move {
                        // The page changes its dress after this.
                        if turned {
                            BrowserClock.frame().await;
                        }
                        if let Some(frame) = told.upgrade() {
                            frame.tell();
                        }
                    });
                }
                Some((key, frame))
            }
            (None, Some((key, code))) => Frame::put(&host, code, fed, hear).map(|frame| (key, frame)),
            (None, None) => None,
        };
        if let Some((_, frame)) = &now {
            let _ = frame.element.set_attribute("title", &title);
        }
        frame.set_value(now);
        Some(theme)
    });
    on_cleanup(move || drop(frame.try_set_value(None)));
    view! { <div node_ref=host></div> }.into_any()
}
