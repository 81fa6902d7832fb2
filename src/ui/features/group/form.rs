//! Who is in a story, who of them is in the room, and who speaks where nobody is named.

use leptos::prelude::*;

use super::{cast, present};
use crate::{
    features::group::{GroupSettings, Mode, Move},
    locales::group::T,
    story::ids::CharacterId,
    ui::{about, app::App, fields::SelectField, settings::mirror, story::change_played},
};

#[component]
pub fn GroupForm() -> impl IntoView {
    let app = App::here();
    let story = app.story;
    let (cast, present) = (cast(app), present(app));
    let several = Memo::new(move |_| cast.with(|cast| cast.len() > 1));
    view! {
        <fieldset class="form plain-fieldset" disabled=move || !story.writer.get() || story.is_playing() aria-label=app.t(T::Title)>
            <p class="field-note">{app.t(T::Hint)}</p>
            <ul class="group-cast" data-testid="group-cast">
                <For each=move || cast.get() key=|id| id.clone() let:id><Member id cast present /></For>
            </ul>
            <Add cast />
            <Show when=move || several.get()><Ways /></Show>
        </fieldset>
    }
}

/// Somebody comes or goes: the story says so.
fn stage(app: App, moves: Move) {
    leptos::task::spawn_local(async move {
        let staged = async |conductor: crate::turn::Conductor, id| conductor.stage(&id, &moves, &|_| ()).await;
        app.story.travel(app, staged).await;
    });
}

#[component]
fn Member(id: CharacterId, cast: Memo<Vec<CharacterId>>, present: RwSignal<Vec<CharacterId>>) -> impl IntoView {
    let app = App::here();
    let id = StoredValue::new(id);
    let is_there = Memo::new(move |_| present.with(|present| id.with_value(|id| present.contains(id))));
    let is_own = Memo::new(move |_| cast.with(|cast| id.with_value(|id| cast.first() == Some(id))));
    let several = Memo::new(move |_| cast.with(|cast| cast.len() > 1));
    let leave = move |_| stage(app, Move::Leaves(id.get_value()));
    let come = move |_| stage(app, Move::Returns(id.get_value()));
    let quit = move |_| stage(app, Move::Quits(id.get_value()));
    let stands = move || app.t(if is_there.get() { T::Present } else { T::Away })();
    view! {
        <li class="group-member" data-testid="group-member" data-who=id.with_value(|id| id.0.clone()) data-present=move || is_there.get().to_string()>
            <span class="group-name" dir="auto">{move || id.with_value(|id| about::name_of(app, id))}</span>
            <span class="group-state">
                {stands}
                {move || (is_own.get() && several.get()).then(|| format!(" · {}", app.t(T::Own)()))}
            </span>
            <Show when=move || several.get() || !is_there.get()>
                {move || if is_there.get() {
                    view! { <button type="button" class="button quiet" data-testid="group-leave" on:click=leave>{app.t(T::Leave)}</button> }.into_any()
                } else {
                    view! { <button type="button" class="button quiet" data-testid="group-return" on:click=come>{app.t(T::Return)}</button> }.into_any()
                }}
                <Show when=move || !is_own.get()>
                    <button type="button" class="button quiet" data-testid="group-remove" on:click=quit>{app.t(T::Remove)}</button>
                </Show>
            </Show>
        </li>
    }
}

/// Those of the library who are not in it.
#[component]
fn Add(cast: Memo<Vec<CharacterId>>) -> impl IntoView {
    let app = App::here();
    let chosen = RwSignal::new(String::new());
    let options = Signal::derive(move || {
        let none = (String::new(), app.t(T::Choose)().to_owned());
        let others = app.characters.with(|all| {
            let others = all.iter().filter(|one| cast.with(|cast| !cast.contains(&one.id)));
            others.map(|one| (one.id.0.clone(), one.name.clone())).collect::<Vec<_>>()
        });
        std::iter::once(none).chain(others).collect::<Vec<_>>()
    });
    let add = move |_| {
        let id = chosen.get_untracked();
        if !id.is_empty() {
            chosen.set(String::new());
            stage(app, Move::Joins(id.as_str().into()));
        }
    };
    view! {
        <SelectField label=Signal::derive(app.t(T::AddWho)) value=chosen options testid="group-add-who" />
        <button type="button" class="button" data-testid="group-add" disabled=move || chosen.with(String::is_empty) on:click=add>
            {app.t(T::Add)}
        </button>
    }
}

/// How it is chosen who speaks.
#[component]
fn Ways() -> impl IntoView {
    let app = App::here();
    let mode = mirror(app, |story, preset| story.settings::<GroupSettings>(preset).mode.name().to_owned());
    let most = mirror(app, |story, preset| story.settings::<GroupSettings>(preset).bound().to_string());
    let modes = Signal::derive(move || {
        let label = |mode: Mode| match mode {
            Mode::Turns => T::ModeTurns,
            Mode::All => T::ModeAll,
            Mode::Chance => T::ModeChance,
            Mode::Model => T::ModeModel,
            Mode::Hand => T::ModeHand,
        };
        Mode::ALL.map(|mode| (mode.name().to_owned(), app.t(label(mode))().to_owned())).to_vec()
    });
    let counts: Vec<_> = GroupSettings::MOST.map(|count| (count.to_string(), count.to_string())).collect();
    let change = move |set: fn(&mut GroupSettings, &str), value: String| {
        change_played(app, move |story, preset| {
            story.change_settings(preset, |all: &mut GroupSettings| set(all, &value))
        });
    };
    let set_mode = move |_| {
        change(|all, mode| all.mode = Mode::from_name(mode).unwrap_or_default(), mode.get_untracked());
    };
    let set_most = move |_| change(|all, most| all.most = most.parse().unwrap_or(all.most), most.get_untracked());
    view! {
        <SelectField label=Signal::derive(app.t(T::Mode)) value=mode options=modes testid="group-mode"
            hint=Signal::derive(app.t(T::ModeHint)) on:change=set_mode />
        <SelectField label=Signal::derive(app.t(T::Most)) value=most options=counts testid="group-most"
            hint=Signal::derive(app.t(T::MostHint)) on:change=set_most />
    }
}
