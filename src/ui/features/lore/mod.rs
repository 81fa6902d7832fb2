//! Lore in one story: whether it is told, how much of it, and the books that hang on the story.

use std::ops::RangeInclusive;

use leptos::prelude::*;

use crate::{
    desk::lorebooks::{Hook, NumberFault, whole},
    features::lore::LoreSettings,
    locales::{
        lorebooks::{T as L, number_words},
        warnings::FieldWords,
    },
    story::{ids::LorebookId, preset::Preset, storyline::Storyline},
    ui::{
        app::App,
        fields::CheckField,
        lorebooks::{Hungs, say},
        settings::{WholeNumber, mirror},
        story::{change_played, change_story},
    },
};

fn settings(story: &Storyline, preset: &Preset) -> LoreSettings {
    story.settings(preset)
}

fn write(app: App, set: impl FnOnce(&mut LoreSettings) + 'static) {
    change_played(app, move |story, preset| story.change_settings(preset, set));
}

/// A number of the settings.
struct Number {
    label: L,
    unit: Option<L>,
    hint: Option<L>,
    testid: &'static str,
    range: RangeInclusive<u32>,
    get: fn(&Storyline, &Preset) -> String,
    set: fn(&mut LoreSettings, u32),
}

/// A switch of the settings.
struct Switch {
    label: L,
    testid: &'static str,
    get: fn(&Storyline, &Preset) -> String,
    set: fn(&mut LoreSettings, bool),
}

macro_rules! number {
    ($place:ident, $testid:literal, $label:ident, $unit:expr, $hint:expr, $range:expr) => {
        Number {
            label: L::$label,
            unit: $unit,
            hint: $hint,
            testid: $testid,
            range: $range,
            get: |story, preset| settings(story, preset).$place.to_string(),
            set: |settings, value| settings.$place = value,
        }
    };
}

macro_rules! switch {
    ($place:ident, $testid:literal, $label:ident) => {
        Switch {
            label: L::$label,
            testid: $testid,
            get: |story, preset| settings(story, preset).$place.to_string(),
            set: |settings, value| settings.$place = value,
        }
    };
}

/// More than any model reads.
const MOST_TOKENS: u32 = 10_000_000;
/// Steeper than any books are piled.
const MOST_STEPS: u32 = 100;

#[component]
pub fn LoreForm() -> impl IntoView {
    let app = App::here();
    let on = switch!(enabled, "lore-enabled", LoreOn);
    let is_on = mirror(app, on.get);
    let numbers = [
        number!(scan_depth, "lore-scan-depth", ScanDepth, Some(L::ScanDepthUnit), None, LoreSettings::SCAN_DEPTH),
        number!(
            budget_percent,
            "lore-percent",
            BudgetPercent,
            Some(L::BudgetPercentUnit),
            None,
            LoreSettings::BUDGET_PERCENT
        ),
        number!(
            budget_tokens,
            "lore-tokens",
            BudgetTokens,
            Some(L::BudgetUnit),
            Some(L::BudgetTokensHint),
            0..=MOST_TOKENS
        ),
        number!(
            by_meaning,
            "lore-by-meaning",
            MostByMeaning,
            Some(L::MostByMeaningUnit),
            Some(L::MostByMeaningHint),
            LoreSettings::BY_MEANING
        ),
        number!(likeness, "lore-likeness", Likeness, Some(L::Percent), Some(L::LikenessHint), LoreSettings::LIKENESS),
        number!(max_steps, "lore-steps", MaxSteps, None, Some(L::MaxStepsHint), 0..=MOST_STEPS),
    ];
    let switches = [
        switch!(recursive, "lore-recursive", Recursive),
        switch!(case_sensitive, "lore-case", CaseSensitive),
        switch!(whole_words, "lore-words", WholeWords),
        switch!(with_names, "lore-names", WithNames),
    ];
    let fields = StoredValue::new((numbers, switches));
    let hung = Memo::new(move |_| {
        app.story.storyline.with(|story| story.as_ref().map(|story| story.lorebooks.clone())).unwrap_or_default()
    });
    let hang =
        Callback::new(move |(book, on): (LorebookId, bool)| change_story(app, move |story| story.hang(&book, on)));
    view! {
        <fieldset class="form plain-fieldset lore-form" disabled=move || !app.story.writer.get() aria-label=say(app, L::Lorebooks)>
            {check(app, &on)}
            <p class="lore-books-head">{say(app, L::StoryBooks)}</p>
            <Hungs hung=hung.into() hang />
            <Show when=move || is_on.get() == "true">
                <div class="columns">{fields.with_value(|(numbers, _)| numbers.each_ref().map(|one| number(app, one)).into_iter().collect_view())}</div>
                {fields.with_value(|(_, switches)| switches.each_ref().map(|one| check(app, one)).into_iter().collect_view())}
            </Show>
        </fieldset>
    }
}

fn check(app: App, switch: &Switch) -> AnyView {
    let Switch { label, testid, get, set } = *switch;
    let value = mirror(app, get);
    let keep = move |on: bool| {
        value.set(on.to_string());
        write(app, move |settings| set(settings, on));
    };
    let is_on = Signal::derive(move || value.get() == "true");
    view! { <CheckField label=Signal::derive(say(app, label)) is_on set=keep testid /> }.into_any()
}

fn number(app: App, number: &Number) -> AnyView {
    let Number { label, unit, hint, testid, get, set, .. } = *number;
    let (min, max) = (i64::from(*number.range.start()), i64::from(*number.range.end()));
    let text = mirror(app, get);
    let read = move |text: &str| whole(text, min..=max)?.map(|number| number as u32).ok_or(NumberFault { min, max });
    let fault =
        Signal::derive(move || text.with(|text| read(text)).err().map(|fault| number_words(fault, app.language.get())));
    let words = Signal::derive(move || {
        let language = app.language.get();
        let text = |text: Option<L>| text.map_or("", |text| text.text(language));
        FieldWords { label: label.text(language), unit: text(unit), hint: text(hint) }
    });
    let keep = move |_| {
        if let Ok(value) = text.with_untracked(|text| read(text)) {
            write(app, move |settings| set(settings, value));
        }
    };
    view! { <WholeNumber words text fault testid fault_testid="lore-error" on:change=keep /> }.into_any()
}
