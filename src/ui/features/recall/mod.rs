//! When a story recalls the past, and how much of it.

use leptos::prelude::*;

use crate::{
    features::recall::{RecallPolicy, RecallSettings},
    locales::{
        lengths::T as L,
        memory::{T as M, policy_words},
        warnings::{FieldWords, range_words},
    },
    story::{figures::ungrouped, preset::Preset, settings::RangeFault, storyline::Storyline},
    ui::{
        app::App,
        fields::{CheckField, SelectField},
        memory::say,
        settings::{WholeNumber, mirror},
        story::change_played,
    },
};

const MIN: u32 = 5;
const MAX: u32 = 60;

fn read_share(text: &str) -> Result<u32, RangeFault> {
    let typed = ungrouped(text);
    let value =
        typed.parse().ok().filter(|n| (MIN..=MAX).contains(n) && typed.bytes().all(|byte| byte.is_ascii_digit()));
    value.ok_or(RangeFault { min: MIN, max: MAX })
}

fn write(app: App, set: impl FnOnce(&mut RecallSettings) + 'static) {
    change_played(app, move |storyline, preset| storyline.change_settings(preset, set));
}

fn settings(story: &Storyline, preset: &Preset) -> RecallSettings {
    story.settings(preset)
}

#[component]
pub fn RecallControls() -> impl IntoView {
    let app = App::here();
    let policy = mirror(app, |story, preset| settings(story, preset).policy.name().to_owned());
    let share = mirror(app, |story, preset| settings(story, preset).share.to_string());
    let expand = mirror(app, |story, preset| settings(story, preset).expand.to_string());
    let policies = Signal::derive(move || {
        let words = |policy| say(app, policy_words(policy))().to_owned();
        RecallPolicy::ALL.map(|policy| (policy.name().to_owned(), words(policy))).to_vec()
    });
    let fault =
        Signal::derive(move || read_share(&share.get()).err().map(|fault| range_words(fault, app.language.get())));
    let words = Signal::derive(move || FieldWords {
        label: say(app, M::RecallShare)(),
        unit: say(app, M::RecallShareUnit)(),
        hint: say(app, M::RecallShareHint)(),
    });
    let keep_policy = move |_| {
        if let Some(policy) = RecallPolicy::from_name(&policy.get_untracked()) {
            write(app, move |recall| recall.policy = policy);
        }
    };
    let keep_share = move |_| {
        if let Ok(share) = read_share(&share.get_untracked()) {
            write(app, move |recall| recall.share = share);
        }
    };
    let newest = mirror(app, |storyline, _| storyline.sends_newest.to_string());
    let is = |mirrored: RwSignal<String>| Signal::derive(move || mirrored.with(|on| on == "true"));
    let keep_expand = move |on: bool| {
        expand.set(on.to_string());
        write(app, move |recall| recall.expand = on);
    };
    let keep_newest = move |on: bool| {
        newest.set(on.to_string());
        change_played(app, move |storyline, _| storyline.sends_newest = on);
    };
    let never = move || policy.with(|policy| policy == RecallPolicy::Never.name());
    view! {
        <fieldset class="form plain-fieldset author-note recall-settings" disabled=move || !app.story.writer.get()>
            <legend>{say(app, M::RecallTitle)}</legend>
            <SelectField label=Signal::derive(say(app, M::RecallPolicy)) value=policy options=policies testid="recall-policy" on:change=keep_policy />
            <Show when=move || !never()>
                <WholeNumber words text=share fault testid="recall-limit" fault_testid="recall-error" on:change=keep_share />
                <CheckField label=Signal::derive(say(app, M::RecallExpand)) is_on=is(expand) set=keep_expand testid="recall-expand"
                    hint=Signal::derive(say(app, M::RecallExpandHint)) />
            </Show>
            <CheckField label=app.t(L::Always) is_on=is(newest) set=keep_newest testid="recall-newest" />
        </fieldset>
    }
}
