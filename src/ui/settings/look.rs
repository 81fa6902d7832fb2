//! Language, theme and type size: at once, and for good.

use leptos::prelude::*;

use crate::{
    locales::{
        T,
        shortcuts::T as K,
        tree::T as R,
        typography::{self as words, T as W},
    },
    story::{
        settings::{EditAs, Preferences},
        storyline::Language,
        typography::{Leading, Measure, Paragraphs, Speech, Theme, Typeface, Typography},
    },
    ui::{
        app::App,
        fields::{CheckField, SelectField},
    },
};

const TYPE_SIZES: [u32; 5] = [90, 100, 110, 125, 150];

#[component]
pub fn Appearance() -> impl IntoView {
    let app = App::here();
    let language = choice(
        app,
        |preferences| preferences.language.map_or("", Language::name).to_owned(),
        |preferences, name| {
            preferences.language = Language::from_name(name);
        },
    );
    let theme = choice(
        app,
        |preferences| preferences.theme.name().to_owned(),
        |preferences, name| {
            preferences.theme = Theme::named(name);
        },
    );
    let size = choice(
        app,
        |preferences| preferences.type_size.to_string(),
        |preferences, name| {
            preferences.type_size = name.parse().unwrap_or(100);
        },
    );
    let edits = choice(
        app,
        |preferences| preferences.edit_as.map_or("", EditAs::name).to_owned(),
        |preferences, name| {
            preferences.edit_as = [EditAs::Branch, EditAs::InPlace].into_iter().find(|to| to.name() == name);
        },
    );
    let edit_options = Signal::derive(move || {
        [("", R::EditAsk), ("branch", R::EditBranch), ("in_place", R::EditInPlace)]
            .map(|(value, label)| option((value, app.t(label)())))
            .to_vec()
    });
    let languages = Signal::derive(move || {
        let named = Language::ALL.map(|language| option((language.name(), language.own_name())));
        std::iter::once(option(("", app.t(T::FollowBrowser)()))).chain(named).collect::<Vec<_>>()
    });
    let themes = Signal::derive(move || {
        let all = Theme::ALL.iter().map(|theme| option((theme.name(), app.t(words::theme(*theme))())));
        all.collect::<Vec<_>>()
    });
    let sizes = TYPE_SIZES.map(|size| (size.to_string(), format!("{size} %"))).to_vec();
    view! {
        <section class="settings-part" aria-labelledby="settings-look">
            <h2 id="settings-look">{app.t(T::Appearance)}</h2>
            <div class="columns">
                <SelectField label=app.t(T::LanguageLabel) value=language options=languages testid="language-select" />
                <SelectField label=app.t(T::ThemeLabel) value=theme options=themes testid="theme-select" />
                <SelectField label=app.t(T::TypeSize) value=size options=Signal::stored(sizes) testid="type-size" />
                <SelectField label=app.t(R::EditAs) value=edits options=edit_options testid="settings-edit-as" />
            </div>
            <Page />
            <button type="button" class="button quiet" data-testid="shortcuts-open" on:click=move |_| app.show_shortcuts()>
                {app.t(K::Title)} " " <kbd>"?"</kbd>
            </button>
        </section>
    }
}

fn typography(preferences: &Preferences) -> Typography {
    preferences.typography.as_str().into()
}

fn set(preferences: &mut Preferences, change: impl FnOnce(&mut Typography)) {
    let mut all = typography(preferences);
    change(&mut all);
    preferences.typography = all.tokens();
}

/// How the story is set, and a few lines of it.
#[component]
fn Page() -> impl IntoView {
    let app = App::here();
    /// A field of the typography as a select.
    macro_rules! chosen {
        ($field:ident: $of:ident, $label:expr, $testid:literal) => {{
            let value = choice(
                app,
                |preferences| typography(preferences).$field.name().to_owned(),
                |preferences, name| set(preferences, |all| all.$field = $of::named(name)),
            );
            let options = Signal::derive(move || {
                let all = $of::ALL.iter().map(|one| option((one.name(), app.t(words::$field(*one))())));
                all.collect::<Vec<_>>()
            });
            view! { <SelectField label=app.t($label) value options testid=$testid /> }.into_any()
        }};
    }
    let portraits = Memo::new(move |_| app.preferences.with(typography).portraits);
    let sample = move || {
        let lines = app.t(W::Sample)().lines().map(|line| {
            let (before, said) =
                line.split_once(['“', '「']).map_or((line, ""), |(before, _)| (before, &line[before.len()..]));
            view! { <p>{before} <span class="speech">{said}</span></p> }
        });
        lines.collect_view()
    };
    view! {
        <h3>{app.t(W::Title)}</h3>
        <div class="columns">
            {chosen!(typeface: Typeface, W::Typeface, "type-face")}
            {chosen!(leading: Leading, W::Leading, "type-leading")}
            {chosen!(measure: Measure, W::Measure, "type-measure")}
            {chosen!(paragraphs: Paragraphs, W::Paragraphs, "type-paragraphs")}
            {chosen!(speech: Speech, W::Speech, "type-speech")}
        </div>
        <CheckField label=app.t(W::Portraits) is_on=portraits testid="type-portraits"
            set=move |on| app.prefer(move |preferences| set(preferences, |all| all.portraits = on)) />
        <div class="turn type-sample" aria-hidden="true"><div class="reply" data-testid="type-sample">{sample}</div></div>
    }
}

fn option((value, label): (&str, &str)) -> (String, String) {
    (value.to_owned(), label.to_owned())
}

/// A preference as the value of a select.
fn choice(app: App, read: fn(&Preferences) -> String, write: fn(&mut Preferences, &str)) -> RwSignal<String> {
    let stored = Memo::new(move |_| app.preferences.with(read));
    let value = RwSignal::new(stored.get_untracked());
    let chosen = move |name: &String| {
        let name = name.clone();
        if name != stored.get_untracked() {
            app.prefer(move |preferences| write(preferences, &name));
        }
    };
    Effect::watch(move || value.get(), move |name, _, _| chosen(name), false);
    // Another tab may choose, too.
    Effect::watch(move || stored.get(), move |name, _, _| value.set(name.clone()), false);
    value
}
