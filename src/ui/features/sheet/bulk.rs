//! Other words in all wordings of a text (`002`, bulk edit): a name that was taken down wrongly, in one go.

use leptos::{prelude::*, task::spawn_local};

use super::say;
use crate::{
    desk::sheet::Version,
    locales::{Say, Saying, fill, sheet::T as S},
    turn::sheet::Which,
    ui::{app::App, fields::TextField, mind::by_hand_words},
};

#[component]
pub fn Bulk(which: StoredValue<Which>, versions: RwSignal<Vec<Version>>, all: RwSignal<u32>) -> impl IntoView {
    let app = App::here();
    let (words, by) = (RwSignal::new(String::new()), RwSignal::new(String::new()));
    let (said, busy) = (RwSignal::new(None::<(bool, Saying)>), RwSignal::new(false));
    let count = Memo::new(move |_| {
        words.with(|words| versions.with(|all| all.iter().filter(|version| version.text.contains(words)).count()))
    });
    let has_words = move || words.with(|words| !words.is_empty());
    let counted = move || {
        let all = versions.with(Vec::len);
        has_words().then(|| fill(say(app, S::BulkCount)(), &[&count.get().to_string(), &all.to_string()]))
    };
    let replace = move |_| {
        let Some(id) = app.story.id() else { return };
        let (words, by) = (words.get_untracked(), by.get_untracked());
        busy.set(true);
        said.set(None);
        spawn_local(async move {
            let Some(which) = which.try_get_value() else { return };
            let outcome = app.conductor().replace_in_texts(&id, &which, &words, &by).await;
            busy.try_set(false);
            said.try_set(Some(match outcome {
                Ok(count) => (true, S::BulkDone.with(&[&count.to_string()]).kept()),
                Err(error) => {
                    let words = move |language| by_hand_words(&error, language);
                    (false, words.kept())
                }
            }));
            if app.story.is_open(id.as_str()) {
                app.story.reload(app).await;
                all.try_update(|nth| *nth += 1);
            }
        });
    };
    let is_held =
        move || busy.get() || !has_words() || count.get() == 0 || !app.story.writer.get() || app.story.is_playing();
    view! {
        <details class="versions" data-testid="sheet-bulk">
            <summary>{say(app, S::Bulk)}</summary>
            <div class="item-form">
                <TextField label=Signal::derive(say(app, S::BulkFind)) value=words testid="sheet-bulk-find" />
                <TextField label=Signal::derive(say(app, S::BulkBy)) value=by testid="sheet-bulk-by" />
                <p class="field-note" aria-live="polite" data-testid="sheet-bulk-count">{counted}</p>
                <div class="row">
                    <button class="button" data-testid="sheet-bulk-do" disabled=is_held on:click=replace>{say(app, S::BulkDo)}</button>
                </div>
                {move || said.get().map(|(well, said)| match well {
                    true => view! { <p class="field-note" role="status" data-testid="sheet-bulk-done">{app.read(&said)}</p> }.into_any(),
                    false => view! { <p class="place-fault" role="alert">{app.read(&said)}</p> }.into_any(),
                })}
            </div>
        </details>
    }
}
