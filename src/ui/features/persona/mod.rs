//! The persona in its three layers, as of the newest turn.

use leptos::prelude::*;
use serde_json::Value;

mod evolved;
mod item;
mod timeline;
mod update;

pub use self::item::Editing;
pub use self::update::{UpdateMemory, Updating};
use self::{
    evolved::Evolved,
    item::{ItemForm, ItemView},
    timeline::Timeline,
};
use crate::{
    features::persona::{GrowthPolicy, PersonaSettings},
    locales::{T, changes::sentence, mind::T as M},
    story::{
        persona::{ItemKind, PendingGrowth, PersonaEdit},
        state::{CoreIdentity, Persona},
        storyline::Storyline,
        written::Text,
    },
    ui::{
        app::App,
        features::{group::WhoseMind, sheet::TextPanel},
        fields::SelectField,
        mind::{FaultOf, Mind, Place, Switch, TurnLink, kind_word},
        story::change_played,
    },
};

const GROWTH: [ItemKind; 3] = [ItemKind::Relationship, ItemKind::Belief, ItemKind::Pattern];
const CURRENT: [ItemKind; 3] = [ItemKind::Emotion, ItemKind::Goal, ItemKind::Physical];

#[component]
pub fn PersonaPanel() -> impl IntoView {
    let mind = Mind::here();
    let persona = mind.held();
    // Whose it is changes all of it: what is being written of one is not written of another.
    let panel = move || {
        let of = mind.of.get();
        let editing = RwSignal::new(None::<Editing>);
        view! {
            <FaultOf mind place=Place::Items />
            <Pending mind persona />
            <Items mind persona editing title=M::CurrentLayer kinds=CURRENT testid="persona-add-current" />
            <Items mind persona editing title=M::GrowthLayer kinds=GROWTH testid="persona-add-growth" />
            <Evolved mind persona />
            <Timeline of=of.clone() />
            <TextPanel which=(Text::Sheet, of) />
            <Core mind persona />
        }
    };
    view! {
        <div data-testid="persona-panel" aria-busy=move || (!mind.is_read()).to_string()>
            <WhoseMind mind />
            {panel}
            <Settings />
        </div>
    }
}

#[component]
fn Core(mind: Mind, persona: Memo<Persona>) -> impl IntoView {
    let app = App::here();
    let core = Memo::new(move |_| persona.with(|persona| persona.core_identity.clone()));
    let character = move || {
        let of = mind.of.get();
        let id = app.story.storyline.with(|open| open.as_ref().map(|open| open.speaker(of.as_ref()).clone()))?;
        app.character(&id).map(|character| character.name)
    };
    let facts = move || {
        let CoreIdentity { archetype, core_goal, core_traits, background_story, .. } = core.get();
        let base = persona.with(|persona| persona.base_persona.clone());
        let traits = core_traits.join(" · ");
        let facts = [
            ("archetype", app.t(T::Archetype)(), archetype),
            ("core_goal", app.t(T::CoreGoal)(), core_goal),
            ("core_traits", app.t(M::CoreTraits)(), traits),
            ("background_story", app.t(T::BackgroundStory)(), background_story),
            ("base", app.t(M::BasePersona)(), base),
        ];
        facts
            .into_iter()
            .filter(|(.., text)| !text.trim().is_empty())
            .map(|(kind, label, text)| {
                view! {
                    <dl class="fact" data-testid="persona-item" data-layer="core" data-kind=kind>
                        <dt>{label}</dt>
                        <dd>{text}</dd>
                    </dl>
                }
            })
            .collect_view()
    };
    view! {
        <section class="note-section">
            <h2>{app.t(M::CoreLayer)}<span>{character}</span></h2>
            {facts}
        </section>
    }
}

fn stored(persona: &Persona, kind: ItemKind) -> Vec<Value> {
    let (growth, current) = (&persona.growth_state, &persona.current_state);
    let mut list = match kind {
        ItemKind::Belief => growth.beliefs.clone(),
        ItemKind::Pattern => growth.behavioral_patterns.clone(),
        ItemKind::Relationship => growth.relationships.clone(),
        ItemKind::Emotion => current.emotions.clone(),
        ItemKind::Goal => current.immediate_goals.clone(),
        ItemKind::Physical => vec![current.physical.clone()],
    };
    // The newest is what holds most.
    list.reverse();
    list
}

#[component]
fn Items(
    mind: Mind,
    persona: Memo<Persona>,
    editing: RwSignal<Option<Editing>>,
    title: M,
    kinds: [ItemKind; 3],
    testid: &'static str,
) -> impl IntoView {
    let app = App::here();
    let is_empty =
        move || persona.with(|persona| kinds.iter().all(|kind| stored(persona, *kind).iter().all(Value::is_null)));
    let adds = Memo::new(move |_| editing.with(|editing| *editing == Some(Editing::Add(kinds))));
    view! {
        <section class="note-section">
            <h2>{app.t(title)}</h2>
            <Show when=is_empty><p class="item-aside">{app.t(M::NothingYet)}</p></Show>
            {kinds.map(|kind| view! { <Kind mind persona editing kind newest=usize::MAX /> }).collect_view()}
            <Show
                when=move || adds.get()
                fallback=move || view! {
                    <button class="link add-item" data-testid=testid disabled=move || !app.story.writer.get()
                        on:click=move |_| editing.set(Some(Editing::Add(kinds)))>
                        "+ " {app.t(M::AddItem)}
                    </button>
                }
            >
                <ItemForm mind editing />
            </Show>
        </section>
    }
}

/// The items of one kind, so many of the newest.
#[component]
pub fn Kind(
    mind: Mind,
    persona: Memo<Persona>,
    editing: RwSignal<Option<Editing>>,
    kind: ItemKind,
    newest: usize,
) -> impl IntoView {
    let app = App::here();
    let items = Memo::new(move |_| {
        let stored = persona.with(|persona| stored(persona, kind));
        stored.into_iter().filter(|item| !item.is_null()).take(newest).collect::<Vec<_>>()
    });
    // The same row stands for an item wherever it goes in the list: a form that is open in it stays.
    let numbered = move || {
        let all = items.get();
        let nth = |at: usize| all[..at].iter().filter(|other| **other == all[at]).count();
        (0..all.len()).map(|at| (nth(at), all[at].clone())).collect::<Vec<_>>()
    };
    view! {
        <Show when=move || items.with(|items| !items.is_empty())>
            <h3 class="kind">{app.t(kind_word(kind))}</h3>
            <ul class="persona-items">
                <For each=numbered key=|(nth, item)| (*nth, item.to_string()) let:item>
                    <ItemView mind kind stored=item.1 editing />
                </For>
            </ul>
        </Show>
    }
}

/// Growth that waits for the reader's word.
#[component]
pub fn Pending(mind: Mind, persona: Memo<Persona>) -> impl IntoView {
    let app = App::here();
    let pending = Memo::new(move |_| persona.with(|persona| persona.pending_growth.clone()));
    let row = move |waiting: PendingGrowth| {
        let language = app.language.get();
        let items = waiting
            .items
            .iter()
            .map(|item| view! { <p class="item-text">{sentence(item, language)}</p> })
            .collect_view();
        let position = waiting.turn;
        let (accept, refuse) = (waiting.clone(), waiting);
        view! {
            <li class="pending-growth" data-testid="pending-growth">
                {items}
                <div class="row">
                    <TurnLink position />
                    <button class="button" data-testid="growth-accept" disabled=move || mind.busy.get()
                        on:click=move |_| mind.persona(Place::Pending, PersonaEdit::Accept { pending: accept.clone() }, || {})>
                        {app.t(M::Accept)}
                    </button>
                    <button class="button quiet" data-testid="growth-refuse" disabled=move || mind.busy.get()
                        on:click=move |_| mind.persona(Place::Pending, PersonaEdit::Refuse { pending: refuse.clone() }, || {})>
                        {app.t(M::Refuse)}
                    </button>
                </div>
            </li>
        }
    };
    view! {
        <Show when=move || pending.with(|pending| !pending.is_empty())>
            <section class="note-section">
                <h2>{app.t(M::PendingTitle)}</h2>
                <ul class="persona-items">{move || pending.get().into_iter().map(row).collect_view()}</ul>
                <FaultOf mind place=Place::Pending />
            </section>
        </Show>
    }
}

/// The switch of this story, and who lets growth in (B5).
#[component]
fn Settings() -> impl IntoView {
    let app = App::here();
    let settings = Memo::new(move |_| app.story.played(Storyline::settings::<PersonaSettings>).unwrap_or_default());
    let enabled = Memo::new(move |_| settings.with(|settings| settings.enabled));
    let policy = RwSignal::new(String::new());
    Effect::new(move |_| policy.set(settings.with(|settings| settings.growth.name().to_owned())));
    let options = Signal::derive(move || {
        let labels = [T::GrowthAuto, T::GrowthAsk, T::GrowthAlways, T::GrowthNever];
        let options = GrowthPolicy::ALL.into_iter().zip(labels);
        options.map(|(policy, label)| (policy.name().to_owned(), app.t(label)().to_owned())).collect::<Vec<_>>()
    });
    let flip = move |enabled: bool| {
        change_played(app, move |story, preset| {
            story.change_settings(preset, |persona: &mut PersonaSettings| persona.enabled = enabled);
        });
    };
    let choose = move |_| {
        let growth = GrowthPolicy::from_name(&policy.get_untracked()).unwrap_or_default();
        change_played(app, move |story, preset| {
            story.change_settings(preset, |persona: &mut PersonaSettings| persona.growth = growth);
        });
    };
    view! {
        <section class="note-section form">
            <Switch on=enabled label=M::PersonaOn testid="module-persona" flip=flip />
            <SelectField label=Signal::derive(app.t(M::GrowthPolicy)) value=policy options testid="persona-policy"
                hint=Signal::derive(app.t(T::GrowthRule)) on:change=choose />
        </section>
    }
}
