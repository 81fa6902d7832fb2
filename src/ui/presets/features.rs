//! What a preset turns on in the stories that are told by it.

use leptos::prelude::*;

use crate::{
    features::{
        director, persona, planner,
        recall::{RecallPolicy, RecallSettings},
        scribe, world,
    },
    locales::{
        memory::{T as R, policy_words},
        mind::T as M,
        presets::T as P,
    },
    story::features::Features,
    ui::{
        app::App,
        fields::{CheckField, SelectField},
    },
};

/// The features that can be on or off: what each says, and its name.
const SWITCHES: [(M, &str); 7] = [
    (M::DirectorOn, director::NAME),
    (M::PersonaOn, persona::NAME),
    (M::WorldOn, world::NAME),
    (M::PlannerOn, planner::NAME),
    (M::ScribeOn, scribe::NAME),
    (M::SheetOn, "sheet"),
    (M::PlotSummaryOn, "plot_summary"),
];

/// The same, to be read.
#[component]
pub fn PresetTurnsOn(features: Features) -> impl IntoView {
    let app = App::here();
    let words = move || {
        let language = app.language.get();
        let on = SWITCHES.iter().filter(|(_, name)| features.is_on(name)).map(|(label, _)| label.text(language));
        let policy = features.get::<RecallSettings>().unwrap_or_default().policy;
        let recall = format!(
            "{}{}{}",
            R::RecallPolicy.text(language),
            language.pick("：", ": "),
            policy_words(policy).text(language)
        );
        on.map(str::to_owned).chain([recall]).collect::<Vec<_>>().join(" · ")
    };
    view! { <p class="field-note" data-testid="preset-turns-on">{app.t(P::PresetTurnsOn)}{move || app.language.get().pick("：", ": ")}{words}</p> }
}

#[component]
pub fn PresetFeatures(features: RwSignal<Features>) -> impl IntoView {
    let app = App::here();
    let switches = SWITCHES.map(|(label, name)| {
        let is_on = Signal::derive(move || features.with(|all| all.is_on(name)));
        let set = move |on| features.update(|all| all.switch(name, on));
        let label = Signal::derive(move || label.text(app.language.get()));
        view! { <CheckField label is_on set testid=format!("preset-{name}") /> }
    });
    let recall: RecallSettings = features.with(Features::get).unwrap_or_default();
    let policy = RwSignal::new(recall.policy.name().to_owned());
    let policies = Signal::derive(move || {
        let language = app.language.get();
        RecallPolicy::ALL
            .map(|policy| (policy.name().to_owned(), policy_words(policy).text(language).to_owned()))
            .to_vec()
    });
    let choose = move |_| {
        let policy = RecallPolicy::from_name(&policy.get_untracked()).unwrap_or_default();
        features.update(|all| all.change(|recall: &mut RecallSettings| recall.policy = policy));
    };
    view! {
        <details class="field-group" data-testid="preset-modules">
            <summary>{app.t(P::PresetTurnsOn)}</summary>
            <div class="form">
            {switches.into_iter().collect_view()}
            <SelectField label=Signal::derive(app.t(R::RecallPolicy)) value=policy options=policies
                testid="preset-recall" on:change=choose />
            <p class="field-note">{app.t(P::PresetTurnsOnHint)}</p>
            </div>
        </details>
    }
}
