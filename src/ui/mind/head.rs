//! The state at the end of the path, and changing it by hand.

use std::sync::Arc;

use leptos::{prelude::*, task::spawn_local};

use super::by_hand_words;
use crate::{
    story::{
        ids::{CharacterId, StateId, StorylineId},
        persona::PersonaEdit,
        plot::PointStatus,
        state::{Persona, State},
        storyline::Storyline,
        tree::Path,
        world::WorldEdit,
        written::Text,
    },
    turn::{ByHandError, sheet::Which},
    ui::{app::App, state::NoticeKind},
};

/// The place beside which a failure is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Items,
    Pending,
    Evolved,
    Plot,
    World,
    Text(Text),
    Recap,
}

#[derive(Clone, Copy)]
pub struct Mind {
    pub app: App,
    pub state: RwSignal<Option<Arc<State>>>,
    /// Whose persona is looked at, where several speak; `None`: the storyline's own character.
    pub of: RwSignal<Option<CharacterId>>,
    pub fault: RwSignal<Option<(Place, String)>>,
    pub busy: RwSignal<bool>,
}

/// Where the head is, and the state that it names if that is on the page.
type Head = (StorylineId, StateId, Arc<Path>, Option<StateId>);

impl Mind {
    /// Follows the head of the open story; only inside a component.
    pub fn here() -> Self {
        let app = App::here();
        let mind = Self {
            app,
            state: RwSignal::new(None),
            of: RwSignal::new(None),
            fault: RwSignal::new(None),
            busy: RwSignal::new(false),
        };
        let head = Memo::new(move |_| mind.head());
        Effect::new(move |_| {
            let Some(head) = head.get() else { return mind.state.set(None) };
            // A stored state never changes: one that still holds after another turn is not read again.
            let holds =
                |state: &Option<Arc<State>>| state.as_ref().is_some_and(|state| Some(&state.id) == head.3.as_ref());
            if mind.state.with_untracked(holds) {
                return;
            }
            spawn_local(async move {
                let loaded = load(app, &head).await;
                // Meanwhile the story may have moved on, or the panel may be gone.
                if mind.head_now().as_ref() == Some(&head)
                    && let Some(state) = loaded
                {
                    mind.state.try_set(Some(Arc::new(state)));
                }
            });
        });
        mind
    }

    /// Whether the state is here.
    pub fn is_read(self) -> bool {
        self.state.with(Option::is_some)
    }

    fn head(&self) -> Option<Head> {
        let story = self.app.story;
        let (id, initial) =
            story.storyline.with(|storyline| storyline.as_ref().map(|s| (s.id.clone(), s.initial_state.clone())))?;
        let path = story.path.get();
        let seen = story.turns.with(|turns| {
            // Only what reaches the end of the path tells of its end.
            turns.last().filter(|turn| turn.position + 1 == path.end)?;
            turns.iter().rev().find_map(|turn| turn.node.with(|node| node.reply()?.state.clone()))
        });
        Some((id, initial, path, seen))
    }

    fn head_now(&self) -> Option<Head> {
        untrack(|| self.head())
    }

    /// The persona that is looked at, as of the head.
    pub fn held(self) -> Memo<Persona> {
        Memo::new(move |_| {
            let of = self.of.get();
            let held = self.state.with(|state| {
                let state = state.as_ref()?;
                let is_known = of.as_ref().is_none_or(|of| state.personas.contains_key(of));
                is_known.then(|| state.persona(of.as_ref()).clone())
            });
            // Who has not spoken yet is as they came in.
            let began = |open: &Option<Storyline>| Some(open.as_ref()?.came_with(of.as_ref()?));
            held.or_else(|| self.app.story.storyline.with(began)).unwrap_or_default()
        })
    }

    /// Chooses whose mind is looked at; what went wrong with another's is said no more.
    pub fn look_at(self, of: Option<CharacterId>) {
        self.of.set(of);
        self.fault.set(None);
    }

    /// The place of one of its forms (see [`crate::ui::drafts`]).
    pub fn place_of(self, form: &str) -> String {
        let of = self.of.get_untracked().map(|id| id.0).unwrap_or_default();
        format!("{form}/{}/{of}", self.app.story.id().unwrap_or_default().as_str())
    }

    pub fn persona(self, place: Place, edit: PersonaEdit, done: impl FnOnce() + 'static) {
        let of = self.of.get_untracked();
        self.change(place, done, async move |id| self.app.conductor().edit_persona(&id, of, edit).await);
    }

    pub fn world(self, edit: WorldEdit, done: impl FnOnce() + 'static) {
        self.change(Place::World, done, async move |id| self.app.conductor().edit_world(&id, edit).await);
    }

    pub fn undo_world(self) {
        self.change(Place::World, || {}, async move |id| self.app.conductor().undo_world(&id).await);
    }

    pub fn undo_world_key(self, key: String) {
        self.change(Place::World, || {}, async move |id| self.app.conductor().undo_world_key(&id, &key).await);
    }

    pub fn plot(self, index: u32, status: PointStatus) {
        self.change(Place::Plot, || {}, async move |id| self.app.conductor().set_plot(&id, index, status).await);
    }

    pub fn text(self, which: Which, text: String, done: impl FnOnce() + 'static) {
        let place = Place::Text(which.0);
        self.change(place, done, async move |id| self.app.conductor().word_text(&id, which, &text).await);
    }

    pub fn recap(self, to: u32, text: String, done: impl FnOnce() + 'static) {
        self.change(Place::Recap, done, async move |id| self.app.conductor().word_recap(&id, to, &text).await);
    }

    fn change<F>(self, place: Place, done: impl FnOnce() + 'static, work: F)
    where
        F: AsyncFnOnce(StorylineId) -> Result<State, ByHandError> + 'static,
    {
        let id = self.app.story.storyline.with_untracked(|storyline| storyline.as_ref().map(|s| s.id.clone()));
        let Some(id) = id.filter(|_| !self.busy.get_untracked()) else { return };
        self.busy.set(true);
        self.fault.set(None);
        spawn_local(async move {
            let outcome = work(id.clone()).await;
            let shown = match outcome {
                Ok(state) => self.took(&id, state).await,
                Err(error) => {
                    let words = by_hand_words(&error, self.app.language.get_untracked());
                    // Where the panel is gone there is no place beside which to say it.
                    if self.fault.try_set(Some((place, words))).is_some() {
                        self.app.notify(NoticeKind::Error, move |language| by_hand_words(&error, language));
                    }
                    false
                }
            };
            if shown {
                done();
            }
            self.busy.try_set(false);
        });
    }

    /// Shows a state that holds from now on; false where the panel shows another story by now.
    pub async fn took(self, id: &StorylineId, state: State) -> bool {
        if !self.app.story.is_open(id.as_str()) {
            return false;
        }
        self.app.story.reload(self.app).await;
        // `None` where it was taken; what comes back belongs to a panel that is gone.
        self.state.try_set(Some(Arc::new(state))).is_none()
    }
}

async fn load(app: App, (id, initial, path, seen): &Head) -> Option<State> {
    match app.desk().state(id, initial, path, seen.as_ref()).await {
        Ok(state) => state,
        Err(error) => {
            app.notify_store(error);
            None
        }
    }
}

/// A failure beside its place.
#[component]
pub fn FaultOf(mind: Mind, place: Place) -> impl IntoView {
    let text = move || mind.fault.with(|fault| fault.as_ref().filter(|fault| fault.0 == place).map(|f| f.1.clone()));
    move || text().map(|text| view! { <p class="place-fault" role="alert" data-testid="mind-error">{text}</p> })
}
