//! What can be set of the two texts in one story.

use std::{ops::RangeInclusive, sync::Arc};

use leptos::prelude::*;

use super::say;
use crate::{
    desk::lorebooks::{NumberFault, whole},
    features::sheet::{self, Position, TextSettings},
    locales::{
        lorebooks::number_words,
        sheet::{self as words, T as S},
        warnings::FieldWords,
    },
    story::{preset::Role, written::Text},
    ui::{
        app::App,
        fields::{CheckField, SelectField, TextArea},
        settings::{WholeNumber, mirror_of},
        story::change_played,
    },
};

const ROLES: [(Role, &str); 3] = [(Role::System, "system"), (Role::User, "user"), (Role::Assistant, "assistant")];

/// A number of the settings.
struct Number {
    testid: &'static str,
    label: S,
    unit: S,
    hint: Option<S>,
    range: RangeInclusive<u32>,
    get: fn(&TextSettings) -> u32,
    set: fn(&mut TextSettings, u32),
}

macro_rules! number {
    ($($field:ident).+, $testid:literal, $label:ident, $unit:ident, $hint:expr, $range:expr) => {
        Number {
            testid: $testid,
            label: S::$label,
            unit: S::$unit,
            hint: $hint,
            range: $range,
            get: |settings| settings.$($field).+,
            set: |settings, value| settings.$($field).+ = value,
        }
    };
}

const NUMBERS: [Number; 5] = [
    number!(messages, "messages", Messages, MessagesUnit, Some(S::ZeroOff), 0..=10_000),
    number!(words, "words", Words, WordsUnit, Some(S::ZeroOff), 0..=1_000_000),
    number!(length, "length", Length, WordsUnit, None, 20..=5_000),
    number!(max_tokens, "max-tokens", MaxTokens, Tokens, Some(S::MaxTokensHint), 0..=100_000),
    number!(told.depth, "depth", Depth, DepthUnit, None, 0..=10_000),
];

#[component]
pub fn SheetForm() -> impl IntoView {
    Text::ALL.map(|text| view! { <OneForm text /> }).into_iter().collect_view()
}

/// One of the texts, in the open story.
#[derive(Clone, Copy)]
struct Of {
    app: App,
    text: Text,
}

impl Of {
    fn read(self, read: fn(&TextSettings) -> String) -> RwSignal<String> {
        let text = self.text;
        mirror_of(self.app, Arc::new(move |story, preset| read(&sheet::settings(text, story, preset))))
    }

    fn write(self, set: impl FnOnce(&mut TextSettings) + 'static) {
        let text = self.text;
        change_played(self.app, move |story, preset| sheet::change(text, story, preset, set));
    }

    fn testid(self, field: &str) -> String {
        format!("{}-{field}", self.text.name())
    }

    fn check(
        self,
        field: &str,
        label: S,
        get: fn(&TextSettings) -> String,
        set: fn(&mut TextSettings, bool),
    ) -> AnyView {
        let value = self.read(get);
        let keep = move |on: bool| {
            value.set(on.to_string());
            self.write(move |settings| set(settings, on));
        };
        let is_on = Signal::derive(move || value.get() == "true");
        let label = Signal::derive(say(self.app, label));
        view! { <CheckField label is_on set=keep testid=self.testid(field) /> }.into_any()
    }

    fn number(self, number: &Number) -> AnyView {
        let Self { app, text } = self;
        let Number { label, unit, hint, get, set, .. } = *number;
        let (min, max) = (i64::from(*number.range.start()), i64::from(*number.range.end()));
        let typed =
            mirror_of(app, Arc::new(move |story, preset| get(&sheet::settings(text, story, preset)).to_string()));
        let read =
            move |typed: &str| whole(typed, min..=max)?.map(|number| number as u32).ok_or(NumberFault { min, max });
        let fault = Signal::derive(move || {
            typed.with(|typed| read(typed)).err().map(|fault| number_words(fault, app.language.get()))
        });
        let words = Signal::derive(move || {
            let language = app.language.get();
            FieldWords {
                label: label.text(language),
                unit: unit.text(language),
                hint: hint.map_or("", |hint| hint.text(language)),
            }
        });
        let keep = move |_| {
            if let Ok(value) = typed.with_untracked(|typed| read(typed)) {
                self.write(move |settings| set(settings, value));
            }
        };
        // A name of its own for either text, as long as the page lives.
        let testid = testid_of(text, number.testid);
        view! { <WholeNumber words text=typed fault testid fault_testid="sheet-number-error" on:change=keep /> }
            .into_any()
    }
}

fn testid_of(text: Text, field: &'static str) -> &'static str {
    match (text, field) {
        (Text::Sheet, "messages") => "sheet-messages",
        (Text::Sheet, "words") => "sheet-words",
        (Text::Sheet, "length") => "sheet-length",
        (Text::Sheet, "max-tokens") => "sheet-max-tokens",
        (Text::Sheet, _) => "sheet-depth",
        (Text::Plot, "messages") => "plot-messages",
        (Text::Plot, "words") => "plot-words",
        (Text::Plot, "length") => "plot-length",
        (Text::Plot, "max-tokens") => "plot-max-tokens",
        (Text::Plot, _) => "plot-depth",
    }
}

#[component]
fn OneForm(text: Text) -> impl IntoView {
    let app = App::here();
    let of = Of { app, text };
    let enabled = of.read(|settings| settings.enabled.to_string());
    let locks = mirror_of(
        app,
        Arc::new(|story, preset| {
            let sheet = sheet::settings(Text::Sheet, story, preset);
            (sheet.enabled && sheet.lock).to_string()
        }),
    );
    let is_driven = move || text == Text::Plot && locks.with(|locks| locks == "true");
    let (on, hint) = match text {
        Text::Sheet => (S::SheetOn, S::SheetHint),
        Text::Plot => (S::PlotOn, S::PlotHint),
    };
    let toggle = move |on: bool| {
        enabled.set(on.to_string());
        of.write(move |settings| settings.enabled = on);
    };
    view! {
        <fieldset class="form plain-fieldset sheet-form" disabled=move || !app.story.writer.get() aria-label=say(app, words::title(text))>
            <CheckField label=Signal::derive(say(app, on)) is_on=Signal::derive(move || enabled.get() == "true") set=toggle testid=of.testid("on")
                hint=Signal::derive(say(app, hint)) />
            <Show when=move || enabled.get() == "true">
                <Show when=is_driven fallback=move || of.check("frozen", S::Frozen, |settings| settings.frozen.to_string(), |settings, on| settings.frozen = on)>
                    <p class="field-note" data-testid="plot-driven">{say(app, S::FrozenByLock)}</p>
                </Show>
                {(text == Text::Sheet).then(|| of.check("lock", S::Lock, |settings| settings.lock.to_string(), |settings, on| settings.lock = on))}
                <More of />
            </Show>
        </fieldset>
    }
}

#[component]
fn More(of: Of) -> impl IntoView {
    let Of { app, .. } = of;
    let connection = of.read(|settings| settings.connection.clone().unwrap_or_default().0);
    let connections = Signal::derive(move || {
        let own = (String::new(), say(app, S::Same)().to_owned());
        let named =
            app.connections.with(|list| list.iter().map(|c| (c.id.0.clone(), c.name.clone())).collect::<Vec<_>>());
        std::iter::once(own).chain(named).collect::<Vec<_>>()
    });
    let position = of.read(|settings| settings.told.position.name().to_owned());
    let positions = Signal::derive(move || {
        Position::ALL.map(|at| (at.name().to_owned(), words::position(at, app.language.get()).to_owned())).to_vec()
    });
    let role = of.read(|settings| {
        ROLES.iter().find(|(role, _)| *role == settings.told.role).map_or("system", |(_, name)| name).to_owned()
    });
    let roles = Signal::derive(move || {
        ROLES.map(|(role, name)| (name.to_owned(), words::role(role, app.language.get()).to_owned())).to_vec()
    });
    let prompt = of.read(|settings| settings.prompt.clone());
    let template = of.read(|settings| settings.told.template.clone());
    let connect = move |_| {
        let chosen = connection.get_untracked();
        of.write(move |settings| settings.connection = (!chosen.is_empty()).then(|| chosen.into()));
    };
    let put = move |_| {
        if let Some(position) = Position::from_name(&position.get_untracked()) {
            of.write(move |settings| settings.told.position = position);
        }
    };
    let speak = move |_| {
        let chosen = role.get_untracked();
        if let Some((role, _)) = ROLES.into_iter().find(|(_, name)| *name == chosen) {
            of.write(move |settings| settings.told.role = role);
        }
    };
    let is_in_chat = move || position.with(|position| position == Position::Chat.name());
    let is_told = move || position.with(|position| position != Position::Macro.name());
    let [every, words_every, length, limit, depth] = NUMBERS;
    let prompt_testid = if of.text == Text::Sheet { "sheet-prompt" } else { "plot-prompt" };
    let template_testid = if of.text == Text::Sheet { "sheet-template" } else { "plot-template" };
    let position_testid = if of.text == Text::Sheet { "sheet-position" } else { "plot-position" };
    let connection_testid = if of.text == Text::Sheet { "sheet-connection" } else { "plot-connection" };
    let role_testid = if of.text == Text::Sheet { "sheet-role" } else { "plot-role" };
    view! {
        <div class="columns">{of.number(&every)}{of.number(&words_every)}{of.number(&length)}{of.number(&limit)}</div>
        <SelectField label=Signal::derive(say(app, S::Connection)) value=connection options=connections testid=connection_testid on:change=connect />
        <SelectField label=Signal::derive(say(app, S::Position)) value=position options=positions testid=position_testid on:change=put />
        <Show when=is_told>
            <SelectField label=Signal::derive(say(app, S::Role)) value=role options=roles testid=role_testid on:change=speak />
        </Show>
        <div hidden=move || !is_in_chat()>{of.number(&depth)}</div>
        {of.check("scan", S::Scan, |settings| settings.scan.to_string(), |settings, on| settings.scan = on)}
        <TextArea label=Signal::derive(say(app, S::Prompt)) value=prompt testid=prompt_testid hint=Signal::derive(say(app, S::PromptHint)) rows=4
            on:change=move |_| { let said = prompt.get_untracked(); of.write(move |settings| settings.prompt = said) } />
        <TextArea label=Signal::derive(say(app, S::Template)) value=template testid=template_testid hint=Signal::derive(say(app, S::TemplateHint)) rows=2
            on:change=move |_| { let said = template.get_untracked(); of.write(move |settings| settings.told.template = said) } />
    }
}
