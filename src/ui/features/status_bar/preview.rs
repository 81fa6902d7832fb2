//! Beneath the field of a bar's text: how to write one, and the bar at work.

use leptos::{prelude::*, task::spawn_local};
use serde_json::json;

use super::{
    T,
    frame::{self, Framed, Heard},
};
use crate::{
    features::status_bar::{BYTES, Feed, guard::Off},
    locales::{
        fill,
        status_bar::{off_words, too_long_words},
    },
    ports::Clock,
    story::storyline::Language,
    ui::{app::App, latest::Latest},
    web::clock::BrowserClock,
};

/// Milliseconds after the last key until what is written runs.
const PAUSE: u32 = 600;

const EXAMPLE: &str = r#"<style>
  .bar { display: flex; flex-wrap: wrap; gap: 4px 18px; align-items: center }
  b { font-weight: 500; color: var(--fabula-vermilion) }
  button { font: inherit; color: inherit; background: none; border: 1px solid var(--fabula-rule); border-radius: 6px }
</style>
<div class="bar"><span id="turn"></span><span id="world"></span><button id="rest">ACT</button></div>
<script>
  const at = (id) => document.getElementById(id);
  fabula.onState(({ world, turn, character }) => {
    at('turn').textContent = `${character} · ${turn}`;
    at('world').replaceChildren(...Object.entries(world).flatMap(([key, value]) => {
      const strong = document.createElement('b');
      strong.textContent = value;
      return [`${key} `, strong, '  '];
    }));
  });
  at('rest').onclick = () => fabula.draft('SAY');
</script>
"#;

const HELP: [(&str, T); 3] = [
    ("fabula.onState(({ world, turn, character }) => { … })", T::HowToState),
    ("fabula.draft('…')", T::HowToDraft),
    ("var(--fabula-ink)", T::HowToLook),
];

/// Shows the text of a bar that is being written. It runs only when asked to: an imported one has not been looked at.
pub fn preview(value: RwSignal<String>) -> AnyView {
    let app = App::here();
    // How often one has been run, and the text that runs; `None`: none does.
    let shown = RwSignal::new(None::<(String, String)>);
    let runs_made = StoredValue::new(0u32);
    let off = RwSignal::new(None::<Off>);
    let suggested = RwSignal::new(None::<String>);
    let fed = RwSignal::new((None::<String>, Feed::default()));
    let is_blank = Memo::new(move |_| value.with(|text| text.trim().is_empty()));
    let bytes = Memo::new(move |_| value.with(String::len));
    let run = move |text: String| {
        off.set(None);
        suggested.set(None);
        runs_made.update_value(|runs| *runs += 1);
        let fits = !text.trim().is_empty() && text.len() <= BYTES;
        shown.set(fits.then(|| (runs_made.get_value().to_string(), text)));
    };
    let start = move |_| {
        if shown.with_untracked(Option::is_some) {
            return shown.set(None);
        }
        spawn_local(async move {
            let last = app.preferences.with_untracked(|preferences| preferences.last_storyline.clone());
            let story = last.and_then(|id| untrack(|| app.storyline(&id)));
            let found = match &story {
                Some(story) => app.desk().present(story.id.as_str()).await.ok().flatten(),
                None => None,
            };
            let known = found.zip(story).filter(|((state, _), _)| !state.world.is_empty());
            let feed = match known {
                Some(((state, turn), story)) => {
                    let character = untrack(|| app.character(story.character())).map(|one| one.name);
                    let feed = Feed { world: state.world, turn, character: character.unwrap_or_default() };
                    (Some(story.title), feed)
                }
                None => (None, sample(app.language.get_untracked())),
            };
            fed.try_set(feed);
            if let Some(text) = value.try_get_untracked() {
                run(text);
            }
        });
    };
    // What is written runs anew once the writer pauses.
    let edits = Latest::new();
    Effect::new(move |before: Option<()>| {
        value.track();
        if before.is_none() || shown.with_untracked(Option::is_none) {
            return;
        }
        let edit = edits.ask();
        spawn_local(async move {
            BrowserClock.sleep(PAUSE).await;
            if edit.is_last() && shown.with_untracked(Option::is_some) {
                run(value.get_untracked());
            }
        });
    });
    let feed = Signal::derive(move || fed.with(|fed| fed.1.clone()));
    let title = Signal::derive(move || app.t(T::StatusBar)().to_owned());
    let hear = Callback::new(move |heard| match heard {
        Heard::Draft(words) => suggested.set(Some(words)),
        Heard::Off(why) => off.set(Some(why)),
    });
    let running = Signal::derive(move || shown.get().filter(|_| off.with(Option::is_none)));
    let frame = frame::place(Framed { runs: running, feed, title, hear });
    let note = move || match (suggested.get(), fed.with(|fed| fed.0.clone())) {
        (Some(words), _) => fill(app.t(T::PreviewDraft)(), &[&words]),
        (None, Some(title)) => fill(app.t(T::PreviewWorld)(), &[&title]),
        (None, None) => app.t(T::PreviewSample)().to_owned(),
    };
    let fault = move || match bytes.get() {
        bytes if bytes > BYTES => Some(too_long_words(bytes, app.language.get())),
        _ => off.get().map(|why| off_words(&why, app.language.get())),
    };
    let runs = move || shown.with(Option::is_some);
    let run_word = move || if runs() { app.t(T::StopPreview)() } else { app.t(T::Preview)() };
    view! {
        <div class="status-preview" data-testid="statusbar-preview">
            <div class="row">
                <button type="button" class="button" data-testid="statusbar-try" disabled=move || is_blank.get() && !runs() on:click=start>{run_word}</button>
                <button type="button" class="link" data-testid="statusbar-example" hidden=move || !is_blank.get()
                    on:click=move |_| value.set(example(app.language.get_untracked()))>
                    {app.t(T::Example)}
                </button>
            </div>
            {frame}
            <p class="field-note" data-testid="statusbar-note" hidden=move || !runs()>{note}</p>
            <p class="place-fault" role="alert" data-testid="statusbar-off" hidden=move || fault().is_none()>{fault}</p>
            <details class="status-help">
                <summary>{app.t(T::HowTo)}</summary>
                <p>{app.t(T::HowToLead)} " " {app.t(T::HowToTags)}</p>
                {HELP.map(|(code, text)| view! { <p><code>{code}</code> " " {app.t(text)}</p> })}
            </details>
        </div>
    }
    .into_any()
}

fn example(language: Language) -> String {
    let [act, say] = language.pick(["休息", "我坐下来，歇一会儿。"], ["Rest", "I sit down and rest for a while."]);
    EXAMPLE.replace("ACT", act).replace("SAY", say)
}

/// A world to try a bar on.
fn sample(language: Language) -> Feed {
    let world = language.pick(
        json!({ "地点": "旧书店", "金币": 12, "林夕.体力": 80, "林夕.心情": "戒备", "行囊": ["提灯", "半本日记"] }),
        json!({ "place": "the old bookshop", "gold": 12, "Ada.health": 80, "Ada.mood": "wary", "bag": ["lantern", "half a diary"] }),
    );
    let character = language.pick("林夕", "Ada").to_owned();
    Feed { world: world.as_object().cloned().unwrap_or_default(), turn: 7, character }
}
