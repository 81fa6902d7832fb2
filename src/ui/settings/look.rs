//! Language, theme and type size: at once, and for good.

use leptos::prelude::*;

use crate::{
    locales::{T, shortcuts::T as K, tree::T as R},
    story::{
        settings::{EditAs, Preferences, Theme},
        storyline::Language,
    },
    ui::{app::App, fields::SelectField},
};

const TYPE_SIZES: [u32; 5] = [90, 100, 110, 125, 150];

#[component]
pub fn Appearance() -> impl IntoView {
    let app = App::here();
    let language = choice(
        app,
        |preferences| language_name(preferences.language),
        |preferences, name| {
            preferences.language = language_named(name);
        },
    );
    let theme = choice(
        app,
        |preferences| theme_name(preferences.theme).to_owned(),
        |preferences, name| {
            preferences.theme = theme_named(name);
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
    // A language is named in itself, so that whoever ended up in the wrong one finds the way back.
    let languages = Signal::derive(move || {
        [("", app.t(T::FollowBrowser)()), ("zh", "中文"), ("en", "English")].map(option).to_vec()
    });
    let themes = Signal::derive(move || {
        [("system", T::ThemeSystem), ("light", T::ThemeLight), ("dark", T::ThemeDark)]
            .map(|(value, label)| option((value, app.t(label)())))
            .to_vec()
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
            <button type="button" class="button quiet" data-testid="shortcuts-open" on:click=move |_| app.show_shortcuts()>
                {app.t(K::Title)} " " <kbd>"?"</kbd>
            </button>
        </section>
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

fn language_name(language: Option<Language>) -> String {
    match language {
        None => "",
        Some(Language::Zh) => "zh",
        Some(Language::En) => "en",
    }
    .to_owned()
}

fn language_named(name: &str) -> Option<Language> {
    match name {
        "zh" => Some(Language::Zh),
        "en" => Some(Language::En),
        _ => None,
    }
}

fn theme_name(theme: Theme) -> &'static str {
    match theme {
        Theme::System => "system",
        Theme::Light => "light",
        Theme::Dark => "dark",
    }
}

fn theme_named(name: &str) -> Theme {
    match name {
        "light" => Theme::Light,
        "dark" => Theme::Dark,
        _ => Theme::System,
    }
}
