//! The outline as a thread with beads, and where the story stands on it.

use leptos::{prelude::*, task::spawn_local};

use crate::{
    features::director::{self, DirectorSettings, Stance},
    locales::{T, fill, mind::T as M},
    story::{background::OutlinePoint, plot::PointStatus, settings::Config, state::PlotState, written::Text},
    ui::{
        app::App,
        features::sheet::TextPanel,
        icons::{Icon, Shape},
        mind::{FaultOf, Mind, Place, Switch},
        story::change_played,
    },
};

const STATUSES: [(PointStatus, M, &str); 3] = [
    (PointStatus::InProgress, M::StatusInProgress, "plot-set-in-progress"),
    (PointStatus::Completed, M::StatusCompleted, "plot-set-completed"),
    (PointStatus::Pending, M::StatusPending, "plot-set-pending"),
];

/// The outline of the open story, and where it stands in it.
pub fn outlined(mind: Mind) -> (Memo<Vec<OutlinePoint>>, Memo<PlotState>) {
    let app = mind.app;
    let outline = Memo::new(move |_| {
        let id = app.story.storyline.with(|storyline| storyline.as_ref().and_then(|s| s.background.clone()));
        id.and_then(|id| app.background(&id)).map(|background| background.story_outline).unwrap_or_default()
    });
    let plot = Memo::new(move |_| {
        let plot = mind.state.with(|state| state.as_ref().map(|s| s.plot.clone())).unwrap_or_default();
        outline.with(|outline| plot.placed_in(outline))
    });
    (outline, plot)
}

#[component]
pub fn PlotPanel() -> impl IntoView {
    let app = App::here();
    let mind = Mind::here();
    let has_background =
        Memo::new(move |_| app.story.storyline.with(|s| s.as_ref().is_some_and(|s| s.background.is_some())));
    let (outline, plot) = outlined(mind);
    let enabled = Memo::new(move |_| {
        app.story.played(|story, preset| story.settings::<DirectorSettings>(preset).enabled).unwrap_or_default()
    });
    let flip = move |enabled: bool| {
        change_played(app, move |story, preset| {
            story.change_settings(preset, |director: &mut DirectorSettings| director.enabled = enabled);
        });
    };
    let count = move || {
        let of = outline.with(Vec::len);
        let at = plot.with(|plot| plot.current_plot_index as usize).min(of);
        (of > 0).then(|| format!("{at} / {of}"))
    };
    let points = move || {
        let list = outline.get().into_iter().zip(1..);
        list.map(|(point, index)| view! { <Point mind plot point index /> }).collect_view()
    };
    view! {
        <div data-testid="plot-panel" aria-busy=move || (!mind.is_read()).to_string()>
            <section class="note-section">
                <h2>{app.t(T::Outline)}<span data-testid="plot-count">{count}</span></h2>
                <Switch on=enabled label=M::DirectorOn testid="module-director" flip=flip />
                <FaultOf mind place=Place::Plot />
                <Show
                    when=move || outline.with(|outline| !outline.is_empty())
                    fallback=move || {
                        let text = if has_background.get() { T::NoOutline } else { T::NoBackground };
                        view! { <p class="empty">{app.t(text)}</p> }
                    }
                >
                    <ol class="thread">{points}</ol>
                    <Counter plot outline />
                </Show>
            </section>
            <TextPanel which=(Text::Plot, None) />
        </div>
    }
}

#[component]
pub fn Point(mind: Mind, plot: Memo<PlotState>, point: OutlinePoint, index: u32) -> impl IntoView {
    let app = App::here();
    let status = Memo::new(move |_| plot.with(|plot| plot.status_of(index)));
    let is_current = move || plot.with(|plot| plot.current_plot_index == index);
    let since = move || {
        is_current().then(|| {
            let label =
                STATUSES.iter().find(|(this, ..)| *this == status.get()).map_or("", |(_, label, _)| app.t(*label)());
            match plot.with(|plot| plot.since) {
                Some(turn) => fill(app.t(M::SinceTurn)(), &[label, &turn.to_string()]),
                None => fill(app.t(M::SinceStart)(), &[label]),
            }
        })
    };
    let menu = NodeRef::<leptos::html::Details>::new();
    let free = move || app.story.writer.get() && !app.story.is_playing() && !mind.busy.get();
    let choices = STATUSES
        .map(|(to, label, testid)| {
            view! {
                <button class="button quiet" data-testid=testid
                    disabled=move || !free() || (is_current() && status.get() == to)
                    on:click=move |_| {
                        if let Some(menu) = menu.get_untracked() {
                            menu.set_open(false);
                        }
                        mind.plot(index, to);
                    }>
                    {app.t(label)}
                </button>
            }
        })
        .collect_view();
    view! {
        <li class="plot-point" class:current=is_current data-testid="plot-point" data-index=index.to_string()
            data-status=move || status.get().name() aria-current=move || is_current().then_some("step")>
            <div class="plot-line">
                <span class="plot-text">{point.content}</span>
                <details class="plot-menu" node_ref=menu
                    on:keydown=move |event| if event.key() == "Escape" && let Some(menu) = menu.get_untracked().filter(|menu| menu.open()) {
                        // The sheet that it stands in stays.
                        event.prevent_default();
                        menu.set_open(false);
                    }>
                    <summary class="icon-button" data-testid="plot-menu"
                        aria-label=move || fill(app.t(M::MovePoint)(), &[&index.to_string()])>
                        <Icon shape=Shape::MORE />
                    </summary>
                    <div class="plot-choices"><span>{app.t(M::MarkAs)}</span>{choices}</div>
                </details>
            </div>
            {move || since().map(|text| view! { <p class="plot-since" data-testid="plot-since">{text}</p> })}
        </li>
    }
}

/// What the director does at the next turn, in words.
#[component]
fn Counter(plot: Memo<PlotState>, outline: Memo<Vec<OutlinePoint>>) -> impl IntoView {
    let app = App::here();
    let threshold = RwSignal::new(Config::default().thresholds.rag_fallback_threshold);
    spawn_local(async move {
        if let Ok(config) = app.desk().config().await {
            threshold.try_set(config.in_range().thresholds.rag_fallback_threshold);
        }
    });
    let stance = Memo::new(move |_| {
        let (plot, outline) = (plot.get(), outline.get());
        app.story.played(|story, preset| director::stance(story, preset, &plot, &outline, threshold.get()))
    });
    let words = move || match stance.get()? {
        Stance::Off => Some(app.t(M::DirectorOff)().to_owned()),
        Stance::Free => None,
        Stance::Finished => Some(app.t(M::OutlineFinished)().to_owned()),
        Stance::Beyond { points } => {
            let at = plot.with(|plot| plot.current_plot_index);
            Some(fill(app.t(M::OutlineBeyond)(), &[&at.to_string(), &points.to_string()]))
        }
        Stance::Unplaced => Some(app.t(M::ReminderUnplaced)().to_owned()),
        Stance::Waits { turns: 0, .. } => Some(app.t(M::JustMoved)().to_owned()),
        Stance::Waits { turns, threshold } => {
            Some(fill(app.t(M::NoProgress)(), &[&turns.to_string(), &threshold.to_string()]))
        }
        Stance::Reminds { point, turns } => {
            Some(fill(app.t(M::NoProgressDue)(), &[&turns.to_string(), &point.to_string()]))
        }
    };
    view! {
        <p class="plot-counter" data-testid="plot-counter"
            data-count=move || plot.with(|plot| plot.no_update_count.to_string())
            data-stance=move || stance.get().map(Stance::name)>{words}</p>
    }
}
