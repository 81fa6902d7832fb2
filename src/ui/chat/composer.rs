//! The composer: the only raised thing on the page.

use leptos::{ev::KeyboardEvent, prelude::*, task::spawn_local};
use wasm_bindgen::JsCast;
use web_sys::Element;

use super::warnings::of_newest;
use crate::{
    desk::commands::{Verb, completed, is_command},
    locales::{T, commands::T as C, fill, tree::T as R, warnings::grouped},
    story::fault::FaultKind,
    turn::Ask,
    ui::{
        app::App,
        ask_budget::AskBudget,
        ask_key::AskKey,
        focus::{is_composing, is_escape},
        icons::{Icon, Shape},
        route::Route,
        settings::PausedNote,
        state::Press,
        story::can_continue,
    },
    web::has_fingers,
};

#[component]
pub fn Composer() -> impl IntoView {
    let app = App::here();
    let story = app.story;
    let text = story.composed;
    story.follow_composer(app);
    let playing = Memo::new(move |_| story.is_playing());
    let demo = Memo::new(move |_| story.storyline.with(|storyline| storyline.as_ref().is_some_and(|s| s.demo)));
    let has_connection = Memo::new(move |_| demo.get() || app.connections.with(|list| !list.is_empty()));

    // A line that begins with a slash is not said but done.
    let commands = Memo::new(move |_| text.with(|text| is_command(text)));
    let press = move |press: Press| app.chunks.aside.run(app, async move |aside| (aside.press)(app, press).await);
    // With nothing to say, the reply goes on.
    let may_go_on = of_newest(app, |reply| reply.position > 0 && can_continue(reply));
    let goes_on = Memo::new(move |_| may_go_on.get() && !demo.get() && story.tip.with(Option::is_none));
    let send = move || {
        if commands.get_untracked() {
            return press(Press::Do);
        }
        let input = text.get_untracked();
        if story.is_open_taken() || !story.writer.get_untracked() {
            return;
        }
        if input.trim().is_empty() {
            return if goes_on.get_untracked() {
                press(Press::GoOn)
            };
        }
        spawn_local(async move {
            // What is not stored is still the reader's: it stays where it was typed.
            match story.play(app, Ask::New(input)).await {
                Ok(None) => return,
                Ok(Some(_)) => {}
                Err(fault) => app.notify_fault(&fault),
            }
            super::super::settings::after_turn(app).await;
        });
    };
    let write_for_me = app.t(C::WriteForMe);
    // What is under way, or goes wrong, is said where the command is.
    let impersonate = move || {
        text.set(format!("/{}", Verb::Impersonate.names()[app.language.get_untracked().pick(1, 0)]));
        press(Press::Do);
    };
    let say = Callback::new(move |words| {
        text.set(words);
        send();
    });
    let completes = move || text.with_untracked(|line| completed(line, story.palette.at.get_untracked()).is_some());
    let on_key = move |event: KeyboardEvent| {
        let step = match event.key().as_str() {
            "ArrowDown" => Some(Press::Step(1)),
            "ArrowUp" => Some(Press::Step(-1)),
            "Tab" if !event.shift_key() && completes() => Some(Press::Complete),
            _ => None,
        };
        if let Some(step) = step.filter(|_| commands.get_untracked() && !is_composing(&event)) {
            event.prevent_default();
            return press(step);
        }
        // Enter within an input method chooses a word; under fingers it begins a line, as nothing else does there.
        let is_meant = event.ctrl_key() || event.meta_key() || commands.get_untracked() || !has_fingers();
        if event.key() == "Enter" && !event.shift_key() && !is_composing(&event) && is_meant {
            event.prevent_default();
            // A key that is held down says nothing twice.
            if !event.repeat() {
                send();
            }
        }
    };
    let escape = window_event_listener(leptos::ev::keydown, move |event| {
        // Who only reads leaves that by it.
        let is_meant = playing.get_untracked() && !story.reading.get_untracked();
        let is_free = !event.default_prevented() && !closes_another(&event);
        if is_escape(&event) && is_free && is_meant {
            story.stop(FaultKind::Stopped);
        }
    });
    on_cleanup(move || escape.remove());

    let model = move || app.story_connection().map(|own| format!("{} · {}", own.name, own.model));
    let is_warned = of_newest(app, |reply| !reply.warnings().is_empty());
    let tokens = of_newest(app, |reply| reply.prompt.map(|prompt| prompt.tokens));
    let tokens = move || tokens.get().map(|tokens| fill(app.t(T::LastTurnTokens)(), &[&grouped(tokens)]));
    view! {
        // A box of its own: what comes into it when its part is there moves nothing that is seen.
        <div class="dock-notes">
            <Show when=move || is_warned.get()>{app.chunks.aside.show(app, |aside| (aside.warnings)())}</Show>
            <PausedNote />
            <BackInTime />
            <Show when=move || demo.get()>{app.chunks.aside.show(app, move |aside| (aside.demo_bar)(say))}</Show>
            <Show when=move || !has_connection.get()>
                <p class="dock-note" data-testid="composer-no-connection">
                    {app.t(T::NoConnectionYet)} " "
                    <a href=Route::Settings.hash()>{app.t(T::ConnectNow)}</a>
                </p>
            </Show>
            {app.chunks.aside.added(|aside| (aside.story_tools)())}
        </div>
        <footer class="dock">
            <Show
                when=move || story.writer.get()
                fallback=move || view! {
                    <div class="dock-note" data-testid="composer-readonly">
                        <p>{app.t(T::ReadOnly)}</p>
                        <button class="button" data-testid="composer-takeover" on:click=move |_| spawn_local(story.take_over(app))>
                            {app.t(T::TakeOver)}
                        </button>
                    </div>
                }
            >
                <AskKey />
                <AskBudget />
                <Show when=move || commands.get()>{app.chunks.aside.show(app, move |aside| (aside.palette)())}</Show>
                <form class="composer" on:submit=move |event| { event.prevent_default(); send() }>
                    <textarea
                        rows="1"
                        id="composer-input"
                        data-testid="composer-input"
                        dir="auto"
                        aria-label=app.t(T::ComposerLabel)
                        aria-controls=move || commands.get().then_some("commands")
                        aria-activedescendant=move || commands.get().then(|| format!("command-{}", story.palette.at.get()))
                        placeholder=app.t(T::ComposerPlaceholder)
                        prop:value=move || text.get()
                        on:input=move |event| text.set(event_target_value(&event))
                        on:keydown=on_key
                    ></textarea>
                    <div class="composer-row">
                        <span class="composer-tokens number" data-testid="composer-tokens">{tokens}</span>
                        <span class="composer-model">{move || if demo.get() { None } else { model() }}</span>
                        <Show when=move || may_go_on.get() && !demo.get() && !playing.get() && text.with(|text| text.trim().is_empty())>
                            <button type="button" class="icon-button" data-testid="composer-impersonate"
                                aria-label=write_for_me title=write_for_me on:click=move |_| impersonate()>
                                <Icon shape=Shape::WAND />
                            </button>
                        </Show>
                        {app.chunks.aside.added(|aside| (aside.composer_tools)())}
                        <Show
                            when=move || playing.get()
                            fallback=move || view! {
                                <button type="submit" class="send" data-testid="composer-send" aria-label=app.t(T::Send)
                                    disabled=move || text.with(|text| text.trim().is_empty())>
                                    <Icon shape=Shape::SEND />
                                </button>
                            }
                        >
                            <button type="button" class="send" data-testid="composer-stop" aria-label=app.t(T::Stop)
                                on:click=move |_| story.stop(FaultKind::Stopped)>
                                <Icon shape=Shape::STOP />
                            </button>
                        </Show>
                    </div>
                </form>
            </Show>
        </footer>
    }
}

/// The reader went back: what is said next begins a branch.
#[component]
fn BackInTime() -> impl IntoView {
    let app = App::here();
    let story = app.story;
    let tip = move || story.tip.get().filter(|_| story.writer.get() && !story.is_playing());
    move || {
        tip().map(|tip| {
            let words = move || fill(app.t(R::WentBack)(), &[&story.path.with(|path| path.end.saturating_sub(1)).to_string()]);
            view! {
                <p class="dock-note" data-testid="branch-hint" role="status">
                    {words} " "
                    <button class="link" data-testid="branch-back" on:click=move |_| spawn_local(story.move_to(app, tip.clone()))>
                        {app.t(R::ToTheEnd)}
                    </button>
                </p>
            }
        })
    }
}

/// Whether a key goes to something else that is open: a form, a field, a question.
fn closes_another(event: &KeyboardEvent) -> bool {
    const OTHERS: &str = "form:not(.composer), .form, .turn-editor, dialog, [role=alertdialog], \
        :is(input, select, textarea):not(#composer-input)";
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    target.is_some_and(|target| target.closest(OTHERS).is_ok_and(|other| other.is_some()))
}
