//! "Summarise" (C5): the button wherever it helps, with its progress, its stop, and its failure beside it.

use leptos::{prelude::*, task::spawn_local};

use crate::{
    locales::{T, faults, fill, mind::T as M},
    story::{fault::FaultKind, ids::StorylineId, storyline::Language},
    turn::{SummariseError, summarise::Progress},
    ui::app::App,
};

/// One summary at a time, seen from wherever the button stands.
#[derive(Clone, Copy, Default)]
pub struct Summarising {
    running: RwSignal<Option<(StorylineId, Option<Progress>)>>,
    /// How the last one ended: whether well, and in words.
    said: RwSignal<Option<(StorylineId, bool, String)>>,
}

impl Summarising {
    /// Summarises the open story, and does what comes after it if it is still the one that is open.
    fn begin(self, app: App, then: Option<Callback<()>>) {
        let id = app.story.storyline.with_untracked(|storyline| storyline.as_ref().map(|s| s.id.clone()));
        let Some(id) = id.filter(|_| self.running.with_untracked(Option::is_none)) else { return };
        self.running.set(Some((id.clone(), None)));
        self.said.set(None);
        spawn_local(async move {
            let running = id.clone();
            let progress = move |progress| self.running.set(Some((running.clone(), Some(progress))));
            let outcome = app.story.summarise(app, &progress).await;
            self.running.set(None);
            if let (Ok(Some(())), Some(then), true) = (&outcome, then, app.story.is_open(id.as_str())) {
                then.try_run(());
            }
            let language = app.language.get_untracked();
            self.said.set(match outcome {
                Ok(Some(())) => Some((id, true, M::Summarised.text(language).to_owned())),
                Ok(None) => None,
                Err(SummariseError::Fault(fault)) if fault.kind == FaultKind::Stopped => None,
                Err(error) => Some((id, false, words(&error, language))),
            });
        });
    }
}

pub fn words(error: &SummariseError, language: Language) -> String {
    let words = match error {
        SummariseError::Nothing => M::NothingToSummarise.text(language).to_owned(),
        SummariseError::Streaming => return M::StillWriting.text(language).to_owned(),
        SummariseError::Moved => M::SummaryMoved.text(language).to_owned(),
        SummariseError::Unusable { excerpt } if excerpt.is_empty() => M::SummarySilent.text(language).to_owned(),
        SummariseError::Unusable { excerpt } => fill(M::SummaryUnusable.text(language), &[excerpt]),
        SummariseError::Fault(fault) => {
            let explained = faults::explain(fault, language);
            format!("{} {} {}", explained.what, explained.advice, M::SummaryKept.text(language))
        }
    };
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[component]
pub fn Summarise(
    testid: &'static str,
    /// Says what it does.
    #[prop(optional)]
    hint: bool,
    /// What the button says, where that is more than to summarise.
    #[prop(optional, into)]
    label: Option<Signal<&'static str>>,
    /// What comes after a summary that went well.
    #[prop(optional)]
    then: Option<Callback<()>>,
) -> impl IntoView {
    let app = App::here();
    let label = label.unwrap_or_else(|| Signal::derive(app.t(M::Summarise)));
    let story = app.story;
    let all: Summarising = expect_context();
    let is_here = move |id: &StorylineId| story.storyline.with(|s| s.as_ref().is_some_and(|s| s.id == *id));
    let progress = Memo::new(move |_| all.running.get().filter(|(id, _)| is_here(id)).map(|(_, progress)| progress));
    let said = Memo::new(move |_| all.said.get().filter(|(id, ..)| is_here(id)).map(|(_, well, text)| (well, text)));
    let is_demo = Memo::new(move |_| story.storyline.with(|s| s.as_ref().is_some_and(|s| s.demo)));
    let held = move || !story.writer.get() || story.is_playing() || all.running.with(Option::is_some);
    let part = move || match progress.get().flatten() {
        Some(Progress { part, parts }) if parts > 1 => {
            fill(app.t(M::SummarisingPart)(), &[&part.to_string(), &parts.to_string()])
        }
        _ => app.t(M::Summarising)().to_owned(),
    };
    view! {
        <Show when=move || !is_demo.get()>
            <div class="memory-update">
                <Show
                    when=move || progress.with(Option::is_some)
                    fallback=move || view! {
                        <button type="button" class="button" data-testid=testid disabled=held on:click=move |_| all.begin(app, then)>
                            {label}
                        </button>
                    }
                >
                    <div class="row" role="status">
                        <span class="waiting" data-testid="summarize-progress">{part}</span>
                        <button type="button" class="button quiet" data-testid="summarize-stop" on:click=move |_| story.stop(FaultKind::Stopped)>
                            {app.t(T::Stop)}
                        </button>
                    </div>
                </Show>
                {move || match said.get() {
                    Some((true, text)) => Some(view! { <p class="field-note" role="status" data-testid="summarize-done">{text}</p> }.into_any()),
                    Some((false, text)) => Some(view! { <p class="place-fault" role="alert" data-testid="summarize-error">{text}</p> }.into_any()),
                    None => hint.then(|| view! { <p class="field-note">{app.t(M::SummariseHint)}</p> }.into_any()),
                }}
            </div>
        </Show>
    }
}
