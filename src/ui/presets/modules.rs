//! What a preset turns on in the stories that are told by it.

use leptos::prelude::*;

use crate::{
    locales::{
        T,
        memory::{T as R, policy_words},
        mind::T as M,
    },
    story::storyline::{Modules, RecallPolicy, RecallSettings},
    ui::{app::App, fields::SelectField},
};

type Switch = fn(&mut Modules) -> &mut bool;

/// The modules that can be on or off: what each says, how it is called in tests, and where it stands.
const SWITCHES: [(M, &str, Switch); 4] = [
    (M::DirectorOn, "preset-director", |all| &mut all.director.get_or_insert_default().enabled),
    (M::PersonaOn, "preset-persona", |all| &mut all.persona.get_or_insert_default().enabled),
    (M::WorldOn, "preset-world", |all| &mut all.world.get_or_insert_default().enabled),
    (M::PlannerOn, "preset-planner", |all| &mut all.planner.get_or_insert_default().enabled),
];

fn is_on(all: &Modules, switch: Switch) -> bool {
    *switch(&mut all.clone())
}

/// The same, to be read.
#[component]
pub fn PresetTurnsOn(modules: Modules) -> impl IntoView {
    let app = App::here();
    let words = move || {
        let language = app.language.get();
        let on =
            SWITCHES.iter().filter(|(.., switch)| is_on(&modules, *switch)).map(|(label, ..)| label.text(language));
        let policy = modules.recall.clone().unwrap_or_default().policy;
        let recall = format!(
            "{}{}{}",
            R::RecallPolicy.text(language),
            language.pick("：", ": "),
            policy_words(policy).text(language)
        );
        on.map(str::to_owned).chain([recall]).collect::<Vec<_>>().join(" · ")
    };
    view! { <p class="field-note" data-testid="preset-turns-on">{app.t(T::PresetTurnsOn)}{move || app.language.get().pick("：", ": ")}{words}</p> }
}

#[component]
pub fn PresetModules(modules: RwSignal<Modules>) -> impl IntoView {
    let app = App::here();
    let switches = SWITCHES.map(|(label, testid, switch)| {
        view! {
            <label class="check">
                <input type="checkbox" data-testid=testid
                    prop:checked=move || modules.with(|all| is_on(all, switch))
                    on:change=move |event| modules.update(|all| *switch(all) = event_target_checked(&event)) />
                {move || label.text(app.language.get())}
            </label>
        }
    });
    let recall = move || modules.with(|all| all.recall.clone().unwrap_or_default());
    let policy = RwSignal::new(recall().policy.name().to_owned());
    let policies = Signal::derive(move || {
        let language = app.language.get();
        RecallPolicy::ALL
            .map(|policy| (policy.name().to_owned(), policy_words(policy).text(language).to_owned()))
            .to_vec()
    });
    let choose = move |_| {
        let policy = RecallPolicy::from_name(&policy.get_untracked()).unwrap_or_default();
        modules.update(|all| all.recall = Some(RecallSettings { policy, ..all.recall.take().unwrap_or_default() }));
    };
    view! {
        <details class="field-group" data-testid="preset-modules">
            <summary>{app.t(T::PresetTurnsOn)}</summary>
            <div class="form">
            {switches.into_iter().collect_view()}
            <SelectField label=Signal::derive(move || R::RecallPolicy.text(app.language.get())) value=policy options=policies
                testid="preset-recall" on:change=choose />
            <p class="field-note">{app.t(T::PresetTurnsOnHint)}</p>
            </div>
        </details>
    }
}
