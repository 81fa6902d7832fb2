//! What all components share: the ports, the libraries, the preferences, the place.

use std::{cell::Cell, rc::Rc};

use leptos::{prelude::*, task::spawn_local};

use super::{
    archive::Given,
    chunks::{Chunks, Rest},
    panels::{Panels, Side},
    route::Route,
    state::{AskingBudget, AskingKey, Embeddings, Known, Notice, NoticeKind, Offer, Story, Tab},
};
use crate::{
    desk::{Desk, Followed, Lists, StoreError, Stored, shelves},
    locales::{Say, Saying, T, Text, faults, fill},
    story::{
        background::Background,
        character::Character,
        connection::{self, Connection},
        fault::Fault,
        ids::{BackgroundId, CharacterId, StorylineId},
        order,
        reader_persona::ReaderPersona,
        settings::{Connections, Preferences},
        storyline::{Language, Storyline},
    },
    turn::Conductor,
    web::{Browser, copy, window},
};

/// Copied into every closure; what it holds lives as long as the page.
#[derive(Clone, Copy)]
pub struct App {
    browser: StoredValue<Browser, LocalStorage>,
    pub language: RwSignal<Language>,
    pub preferences: RwSignal<Preferences>,
    pub connections: RwSignal<Vec<Connection>>,
    /// Libraries without what is in the bin, newest first.
    pub characters: RwSignal<Vec<Character>>,
    /// Read where they are looked at ([`super::personas::follow`]).
    pub personas: RwSignal<Vec<ReaderPersona>>,
    pub backgrounds: RwSignal<Vec<Background>>,
    pub storylines: RwSignal<Vec<Storyline>>,
    pub route: RwSignal<Route>,
    pub notices: RwSignal<Vec<Notice>>,
    pub panels: Panels,
    pub notebook_tab: RwSignal<Tab>,
    pub story: Story,
    pub asking_key: AskingKey,
    pub asking_budget: AskingBudget,
    pub embeddings: Embeddings,
    pub memories: Known,
    /// Rises as another tab changes regex scripts, quick replies, or what was said in the circle.
    pub shared_elsewhere: RwSignal<u32>,
    /// Posts in which something happened that the reader has not seen.
    pub unread: RwSignal<usize>,
    /// The list of keys is open.
    pub shortcuts: RwSignal<bool>,
    /// Files that wait to be taken in.
    pub given: RwSignal<Option<Given>, LocalStorage>,
    pub chunks: Chunks,
}

thread_local! {
    /// Changes of the preferences that are not stored yet.
    static UNDER_WAY: Cell<u32> = const { Cell::new(0) };
    /// How often the settings were read.
    static READINGS: Cell<u32> = const { Cell::new(0) };
    /// How often the libraries were shown as they had become.
    static LISTED: Cell<u32> = const { Cell::new(0) };
}

impl App {
    pub fn new(
        browser: Browser,
        preferences: Preferences,
        connections: Connections,
        route: RwSignal<Route>,
        rest: Rest,
    ) -> Self {
        Self {
            browser: StoredValue::new_local(browser),
            language: RwSignal::new(preferences.language.unwrap_or_else(browser_language)),
            preferences: RwSignal::new(preferences),
            connections: RwSignal::new(connections.list),
            characters: RwSignal::default(),
            personas: RwSignal::default(),
            backgrounds: RwSignal::default(),
            storylines: RwSignal::default(),
            route,
            notices: RwSignal::default(),
            panels: Panels::new(),
            notebook_tab: RwSignal::new(Tab::Story),
            story: Story::new(),
            asking_key: AskingKey::new(),
            asking_budget: AskingBudget::new(),
            embeddings: Embeddings::new(),
            memories: Known::default(),
            shared_elsewhere: RwSignal::default(),
            unread: RwSignal::default(),
            shortcuts: RwSignal::default(),
            given: RwSignal::new_local(None),
            chunks: Chunks::new(rest),
        }
    }

    /// The app, from inside any component.
    pub fn here() -> Self {
        expect_context()
    }

    pub fn browser(&self) -> Browser {
        self.browser.get_value()
    }

    pub fn desk(&self) -> Desk {
        Desk::new(self.browser().ports)
    }

    pub fn conductor(&self) -> Conductor {
        let browser = self.browser();
        Conductor { ports: browser.ports, recent: browser.recent }
    }

    // ------------------------------------------------------------------------------------------ texts

    /// A text that follows the language.
    pub fn t(self, text: impl Text) -> impl Fn() -> &'static str + Copy + Send + Sync + 'static {
        move || text.text(self.language.get())
    }

    /// A text now.
    pub fn say(&self, text: impl Text) -> &'static str {
        text.text(self.language.get_untracked())
    }

    /// What is kept, in the language of the page.
    pub fn read(self, words: &Saying) -> String {
        words.say(self.language.get())
    }

    /// A text with its places filled, now.
    pub fn say_with(&self, text: T, values: &[&str]) -> String {
        fill(self.say(text), values)
    }

    // ------------------------------------------------------------------------------------------ notices

    pub fn notify(&self, kind: NoticeKind, words: impl Say) {
        self.post(Notice::new(kind, words, Offer::Nothing));
    }

    /// The list of keys that do something.
    pub fn show_shortcuts(self) {
        self.shortcuts.set(true);
        self.chunks.aside.run(self, async |_| ());
    }

    pub fn notify_fault(&self, fault: &Fault) {
        let fault = fault.clone();
        self.notify(NoticeKind::Error, move |language| faults::in_full(&fault, language));
    }

    pub fn notify_store(&self, error: StoreError) {
        self.notify(NoticeKind::Error, move |language| faults::of_store_in_full(&error, language));
    }

    /// Puts a text where the reader can paste it from, and says whether it is there.
    pub fn copy(self, text: String) {
        spawn_local(async move {
            match copy(&text).await {
                true => self.notify(NoticeKind::Info, T::Copied),
                false => self.notify(NoticeKind::Error, T::NotCopied),
            }
        });
    }

    /// Whether something was stored; where it was not, a notice says why.
    pub fn is_stored(&self, outcome: Stored<()>) -> bool {
        outcome.map_err(|error| self.notify_store(error)).is_ok()
    }

    /// A notice with an undo. Gives its id.
    pub fn notify_undo(&self, words: impl Say, undo: impl Fn() + Send + Sync + 'static) -> u64 {
        let notice = Notice::new(NoticeKind::Info, words, Offer::Undo(Callback::new(move |()| undo())));
        let id = notice.id;
        self.post(notice);
        id
    }

    pub fn post(&self, notice: Notice) {
        let language = self.language.get_untracked();
        self.notices.update(|notices| notice.join(notices, language));
    }

    // ------------------------------------------------------------------------------------------ places

    pub fn go(&self, route: Route) {
        // The signal follows the address.
        self.panels.leave_for(&route.hash());
    }

    /// Shows a panel of the notebook.
    pub fn open_notebook(self, tab: Tab) {
        self.notebook_tab.set(tab);
        self.panels.show(Side::Notebook);
    }

    // ------------------------------------------------------------------------------------------ libraries

    /// Reads the libraries anew; once more where they are shown otherwise by the time that they are read, for that may be
    /// the newer.
    pub async fn refresh(self) {
        loop {
            let listed = LISTED.get();
            match self.desk().lists().await {
                Ok(_) if LISTED.get() != listed => {}
                Ok(Lists { characters, backgrounds, storylines }) => {
                    LISTED.set(listed.wrapping_add(1));
                    self.characters.set(characters);
                    self.backgrounds.set(backgrounds);
                    return self.storylines.set(storylines);
                }
                Err(error) => return self.notify_store(error),
            }
        }
    }

    /// Shows a storyline as it was stored just now.
    pub fn relist(self, storyline: &Storyline) {
        LISTED.set(LISTED.get().wrapping_add(1));
        self.storylines.update(|list| {
            if let Some(known) = list.iter_mut().find(|known| known.id == storyline.id) {
                known.clone_from(storyline);
            }
            order::by_key(list, shelves::place);
        });
    }

    /// Shows no more of a storyline that is gone from here.
    pub fn unlist(self, id: &StorylineId) {
        LISTED.set(LISTED.get().wrapping_add(1));
        self.storylines.update(|list| list.retain(|known| known.id != *id));
    }

    pub fn character(&self, id: &CharacterId) -> Option<Character> {
        self.characters.with(|list| list.iter().find(|character| character.id == *id).cloned())
    }

    pub fn background(&self, id: &BackgroundId) -> Option<Background> {
        self.backgrounds.with(|list| list.iter().find(|background| background.id == *id).cloned())
    }

    pub fn storyline(&self, id: &StorylineId) -> Option<Storyline> {
        self.storylines.with(|list| list.iter().find(|storyline| storyline.id == *id).cloned())
    }

    /// What the open story is told with.
    pub fn story_connection(self) -> Option<Connection> {
        let own = self.story.storyline.with(|storyline| storyline.as_ref().and_then(|s| s.connection.clone()));
        let usual = self.preferences.with(|preferences| preferences.default_connection.clone());
        self.connections.with(|list| connection::chosen(list, own.as_ref(), usual.as_ref()).cloned())
    }

    // ------------------------------------------------------------------------------------------ preferences

    /// Changes the preferences: on the page at once, and in the store as a change of what stands there by then, since
    /// other tabs change them too.
    pub fn prefer(self, change: impl Fn(&mut Preferences) + 'static) {
        // One for all: what is made for each change is large.
        self.prefer_so(Rc::new(change));
    }

    fn prefer_so(self, change: Rc<dyn Fn(&mut Preferences)>) {
        let mut preferences = self.preferences.get_untracked();
        change(&mut preferences);
        self.show_preferences(preferences);
        UNDER_WAY.set(UNDER_WAY.get() + 1);
        spawn_local(async move {
            let stored = self.desk().prefer(|preferences| change(preferences)).await;
            UNDER_WAY.set(UNDER_WAY.get() - 1);
            match stored {
                // Not what was stored then: what another tab has set since may be on the page already.
                Ok(_) if UNDER_WAY.get() == 0 => self.follow_settings().await,
                Ok(_) => {}
                Err(error) => self.notify_store(error),
            }
        });
    }

    /// Takes over what another tab has set. What was read before another reading began is dropped.
    pub async fn follow_settings(self) {
        let reading = READINGS.get() + 1;
        READINGS.set(reading);
        let Ok(Followed { preferences, connections }) = self.desk().follow().await else { return };
        if READINGS.get() != reading {
            return;
        }
        // What is read while a change is under way lacks that one: it is read again at its end.
        if let Some(preferences) = preferences.filter(|_| UNDER_WAY.get() == 0) {
            self.show_preferences(preferences);
        }
        if let Some(list) = connections
            && self.connections.with_untracked(|shown| *shown != list)
        {
            self.connections.set(list);
        }
    }

    fn show_preferences(self, preferences: Preferences) {
        if self.preferences.with_untracked(|shown| *shown != preferences) {
            let language = preferences.language.unwrap_or_else(browser_language);
            self.preferences.set(preferences);
            if self.language.get_untracked() != language {
                self.language.set(language);
            }
        }
    }
}

fn browser_language() -> Language {
    let tags: Vec<String> = window().navigator().languages().iter().filter_map(|tag| tag.as_string()).collect();
    Language::from_browser(tags.iter().map(String::as_str))
}
