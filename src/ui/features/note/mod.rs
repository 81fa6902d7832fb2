//! The author's note of one story (F3): a text that stands at a depth of the chat in every prompt.

use leptos::prelude::*;
use serde_json::Value;

use crate::{
    features::note,
    locales::{
        T,
        warnings::{FieldWords, range_words},
    },
    story::{figures::ungrouped, settings::RangeFault, storyline::Storyline},
    ui::{
        app::App,
        fields::{CheckField, SelectField, TextArea},
        settings::{WholeNumber, mirror},
        story::change_story,
    },
};

/// Deeper than any story is long.
const DEEPEST: u32 = 10_000;

fn text(storyline: &Storyline) -> String {
    note::field(storyline, "text").and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn depth(storyline: &Storyline) -> String {
    note::field(storyline, "depth").and_then(Value::as_u64).unwrap_or(note::DEPTH.into()).to_string()
}

fn role(storyline: &Storyline) -> String {
    note::field(storyline, "role").and_then(Value::as_str).unwrap_or("system").to_owned()
}

fn enabled(storyline: &Storyline) -> String {
    note::field(storyline, "enabled").and_then(Value::as_bool).unwrap_or(true).to_string()
}

fn write(app: App, name: &'static str, value: Value) {
    change_story(app, move |storyline| note::write(storyline, name, value));
}

fn read_depth(text: &str) -> Result<u32, RangeFault> {
    let typed = ungrouped(text);
    let value = typed.parse().ok().filter(|depth| *depth <= DEEPEST && typed.bytes().all(|byte| byte.is_ascii_digit()));
    value.ok_or(RangeFault { min: 0, max: DEEPEST })
}

#[component]
pub fn AuthorNote() -> impl IntoView {
    let app = App::here();
    let (text, depth, role, enabled) = (
        mirror(app, |story, _| text(story)),
        mirror(app, |story, _| depth(story)),
        mirror(app, |story, _| role(story)),
        mirror(app, |story, _| enabled(story)),
    );
    let fault =
        Signal::derive(move || read_depth(&depth.get()).err().map(|fault| range_words(fault, app.language.get())));
    let words =
        Signal::derive(move || FieldWords { label: app.t(T::NoteDepth)(), unit: "", hint: app.t(T::NoteDepthHint)() });
    let roles = Signal::derive(move || {
        [("system", T::NoteAsSystem), ("user", T::NoteAsUser), ("assistant", T::NoteAsAssistant)]
            .map(|(role, label)| (role.to_owned(), app.t(label)().to_owned()))
            .to_vec()
    });
    let keep_on = move |on: bool| {
        enabled.set(on.to_string());
        write(app, "enabled", on.into());
    };
    let keep_text = move || write(app, "text", text.get_untracked().into());
    let keep_depth = move || {
        if let Ok(depth) = read_depth(&depth.get_untracked()) {
            write(app, "depth", depth.into());
        }
    };
    view! {
        <fieldset class="form plain-fieldset author-note" disabled=move || !app.story.writer.get()>
            <legend>{app.t(T::AuthorNote)}</legend>
            <CheckField label=app.t(T::NoteOn) is_on=Signal::derive(move || enabled.get() == "true") set=keep_on testid="note-enabled" />
            <TextArea label=app.t(T::NoteText) value=text testid="note-text" hint=Signal::derive(app.t(T::AuthorNoteHint)) on:change=move |_| keep_text() />
            <div class="columns">
                <WholeNumber words text=depth fault testid="note-depth" fault_testid="note-error" on:change=move |_| keep_depth() />
                <SelectField label=app.t(T::NoteRole) value=role options=roles testid="note-role" on:change=move |_| write(app, "role", role.get_untracked().into()) />
            </div>
        </fieldset>
    }
}
