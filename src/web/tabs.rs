//! One writer per storyline: a Web Lock for each, and a channel on which tabs tell each other what changed.

use std::{
    cell::{Cell, RefCell},
    collections::{HashMap, HashSet},
    rc::{Rc, Weak},
};

use js_sys::{Function, Object, Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{BroadcastChannel, MessageEvent};

use super::{clock::BrowserClock, text_of, window};
use crate::ports::{Clock, Tabs};

#[wasm_bindgen]
extern "C" {
    /// `LockManager`: web-sys counts it as unstable.
    type Locks;
    #[wasm_bindgen(method)]
    fn request(this: &Locks, name: &str, options: &JsValue, granted: &Function) -> Promise;
}

/// What the page wants to hear from other tabs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    /// A storyline changed in the store.
    Changed(String),
    /// Its writer has let a storyline go.
    Freed(String),
    /// This tab is asked to let a storyline go.
    Release(String),
    /// This tab no longer owns a storyline.
    Lost(String),
}

type Listener = Rc<dyn Fn(Heard)>;
type OnMessage = Closure<dyn Fn(MessageEvent)>;

pub struct BrowserTabs {
    channel: Option<BroadcastChannel>,
    /// Owned storylines, and what lets go of each; nothing where there are no locks.
    owned: RefCell<HashMap<String, Option<Function>>>,
    /// Locks that were let go and have not ended yet: asking for one now would find it held, by this very tab.
    ending: RefCell<HashSet<String>>,
    listener: RefCell<Option<Listener>>,
    granted: Box<dyn Fn()>,
    on_message: RefCell<Option<OnMessage>>,
}

impl BrowserTabs {
    /// `granted` is called whenever this tab becomes the writer of a storyline: what it knew of it may be old.
    pub fn new(granted: impl Fn() + 'static) -> Self {
        Self {
            channel: BroadcastChannel::new("fabula").ok(),
            owned: RefCell::default(),
            ending: RefCell::default(),
            listener: RefCell::default(),
            granted: Box::new(granted),
            on_message: RefCell::default(),
        }
    }

    /// Hears the other tabs from now on.
    pub fn listen(&self, listener: impl Fn(Heard) + 'static) {
        let listener: Listener = Rc::new(listener);
        *self.listener.borrow_mut() = Some(listener.clone());
        let Some(channel) = &self.channel else { return };
        let closure = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
            let data = event.data();
            let name = text_of(&data, "name");
            match text_of(&data, "kind").as_str() {
                "changed" => listener(Heard::Changed(name)),
                "freed" => listener(Heard::Freed(name)),
                "release" => listener(Heard::Release(name)),
                _ => {}
            }
        });
        channel.set_onmessage(Some(closure.as_ref().unchecked_ref()));
        *self.on_message.borrow_mut() = Some(closure);
    }

    /// Becomes the writer of `name` if nobody else is. True if this tab is now the writer.
    pub async fn acquire(self: &Rc<Self>, name: &str) -> bool {
        while self.ending.borrow().contains(name) {
            BrowserClock.sleep(2).await;
        }
        // It may have been granted meanwhile, to an earlier call.
        self.owns(name) || self.request(name, "ifAvailable").await || self.owns(name)
    }

    /// Becomes the writer of `name`: asks the present one to let go, and after two seconds takes it.
    pub async fn take_over(self: &Rc<Self>, name: &str) {
        for _ in 0..20 {
            if self.acquire(name).await {
                return;
            }
            self.post("release", name);
            BrowserClock.sleep(100).await;
        }
        self.request(name, "steal").await;
    }

    /// Lets go of a storyline.
    pub fn release(&self, name: &str) {
        let Some(resolve) = self.owned.borrow_mut().remove(name) else { return };
        match resolve {
            Some(resolve) => {
                // Resolving the promise ends the lock, and its end is told.
                self.ending.borrow_mut().insert(name.to_owned());
                let _ = resolve.call0(&JsValue::NULL);
            }
            None => self.post("freed", name),
        }
    }

    async fn request(self: &Rc<Self>, name: &str, mode: &str) -> bool {
        let Some(locks) = locks() else {
            self.owned.borrow_mut().insert(name.to_owned(), None);
            return true;
        };
        let options = Object::new();
        let _ = Reflect::set(&options, &mode.into(), &true.into());
        let (sender, receiver) = futures_channel::oneshot::channel::<bool>();
        let sender = RefCell::new(Some(sender));
        let answer = move |granted: bool| {
            if let Some(sender) = sender.borrow_mut().take() {
                let _ = sender.send(granted);
            }
        };
        let tabs: Weak<Self> = Rc::downgrade(self);
        let own = name.to_owned();
        let was_granted = Rc::new(Cell::new(false));
        let is_granted = was_granted.clone();
        let granted = Closure::<dyn FnMut(JsValue) -> JsValue>::new(move |lock: JsValue| {
            if lock.is_null() {
                answer(false);
                return JsValue::UNDEFINED;
            }
            let held = Promise::new(&mut |resolve, _| {
                if let Some(tabs) = tabs.upgrade() {
                    (tabs.granted)();
                    tabs.owned.borrow_mut().insert(own.clone(), Some(resolve));
                }
            });
            is_granted.set(true);
            answer(true);
            held.into()
        });
        let ended = locks.request(&format!("fabula:{name}"), &options, granted.as_ref().unchecked_ref());
        let tabs: Weak<Self> = Rc::downgrade(self);
        let name = name.to_owned();
        wasm_bindgen_futures::spawn_local(async move {
            let stolen = JsFuture::from(ended).await.is_err();
            drop(granted);
            let Some(tabs) = tabs.upgrade() else { return };
            if !stolen && !was_granted.get() {
                return;
            }
            tabs.ending.borrow_mut().remove(&name);
            if !stolen {
                // Whoever asks for it now gets it.
                tabs.post("freed", &name);
            } else {
                tabs.owned.borrow_mut().remove(&name);
                let listener = tabs.listener.borrow().clone();
                if let Some(listener) = listener {
                    listener(Heard::Lost(name));
                }
            }
        });
        receiver.await.unwrap_or(false)
    }

    fn post(&self, kind: &str, name: &str) {
        let Some(channel) = &self.channel else { return };
        let message = Object::new();
        let _ = Reflect::set(&message, &"kind".into(), &kind.into());
        let _ = Reflect::set(&message, &"name".into(), &name.into());
        let _ = channel.post_message(&message);
    }
}

/// A page outside a secure context has none: this tab counts as the only one.
fn locks() -> Option<Locks> {
    let locks = Reflect::get(&window().navigator(), &"locks".into()).ok()?;
    locks.is_object().then(|| locks.unchecked_into())
}

impl Tabs for BrowserTabs {
    fn owns(&self, name: &str) -> bool {
        self.owned.borrow().contains_key(name)
    }

    fn announce(&self, name: &str) {
        self.post("changed", name);
    }
}
