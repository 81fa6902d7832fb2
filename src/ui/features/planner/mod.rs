//! The planner of one story (E8): its switch, its connection, what it is told.

use leptos::prelude::*;

use crate::{
    features::planner::PlannerSettings,
    locales::mind::T as M,
    story::{preset::Preset, storyline::Storyline},
    ui::{
        app::App,
        fields::{CheckField, SelectField, TextArea},
        settings::mirror,
        story::change_played,
    },
};

/// Writes one setting, so that changes that wait for the end of a turn do not undo each other.
fn write(app: App, set: impl FnOnce(&mut PlannerSettings) + 'static) {
    change_played(app, move |storyline, preset| storyline.change_settings(preset, set));
}

fn settings(story: &Storyline, preset: &Preset) -> PlannerSettings {
    story.settings(preset)
}

#[component]
pub fn Planner() -> impl IntoView {
    let app = App::here();
    let enabled = mirror(app, |story, preset| settings(story, preset).enabled.to_string());
    let connection = mirror(app, |story, preset| settings(story, preset).connection.unwrap_or_default().0);
    let instruction = mirror(app, |story, preset| settings(story, preset).instruction);
    let is_demo = Memo::new(move |_| app.story.storyline.with(|storyline| storyline.as_ref().is_some_and(|s| s.demo)));
    let connections = Signal::derive(move || {
        let own = (String::new(), app.t(M::PlannerSame)().to_owned());
        let named =
            app.connections.with(|list| list.iter().map(|c| (c.id.0.clone(), c.name.clone())).collect::<Vec<_>>());
        std::iter::once(own).chain(named).collect::<Vec<_>>()
    });
    let flip = move |on: bool| {
        enabled.set(on.to_string());
        write(app, move |settings| settings.enabled = on);
    };
    let choose = move |_| {
        let chosen = connection.get_untracked();
        write(app, move |settings| settings.connection = (!chosen.is_empty()).then(|| chosen.into()));
    };
    let keep = move |_| {
        let text = instruction.get_untracked();
        write(app, move |settings| settings.instruction = text);
    };
    view! {
        <Show when=move || !is_demo.get()>
            <fieldset class="form plain-fieldset author-note" disabled=move || !app.story.writer.get()>
                <legend>{app.t(M::Plan)}</legend>
                <CheckField label=app.t(M::PlannerOn) is_on=Signal::derive(move || enabled.get() == "true") set=flip testid="planner-enabled" />
                <Show when=move || enabled.get() == "true">
                    <SelectField label=Signal::derive(app.t(M::PlannerConnection)) value=connection options=connections testid="planner-connection" on:change=choose />
                    <TextArea label=Signal::derive(app.t(M::PlannerInstruction)) value=instruction testid="planner-instruction"
                        hint=Signal::derive(app.t(M::PlannerHint)) on:change=keep />
                </Show>
            </fieldset>
        </Show>
    }
}
