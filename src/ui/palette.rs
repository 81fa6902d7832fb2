//! Commands in the composer: what may follow a slash, above the words that are typed, and what is done with it.

use std::ops::RangeInclusive;

use leptos::{prelude::*, task::spawn_local};
use serde_json::Value;

use super::{
    aloud,
    app::App,
    features::summary,
    focus::focus,
    mind::by_hand_words,
    reader,
    route::Route,
    state::{NoticeKind, Press, Tab, TurnView},
    story::{can_continue, change_played, changed, elsewhere},
};
use crate::{
    desk::{
        Changed,
        commands::{Command, Sheet, Swipe, Unfit, complete, completed, is_command, read},
    },
    features::{note, sheet},
    locales::{
        Say, Saying,
        commands::{T, unfit, words},
        faults,
    },
    ports::Clock,
    story::{
        fault::Fault, generation::Generation, ids::StorylineId, storyline::Storyline, world::WorldEdit, written::Text,
    },
    turn::{Ask, Conductor, untold::Telling},
    web::clock::BrowserClock,
};

/// Milliseconds in which a second press of a key means what the first one did, from when the first is seen to be done:
/// on a busy machine that comes late.
const AGAIN: u32 = 400;
/// Is done in that time: no line that can be done.
const DONE: &str = "\n";

/// What a key does to the palette.
pub async fn press(app: App, press: Press) {
    let palette = app.story.palette;
    let line = app.story.composed.get_untracked();
    let offered = complete(&line);
    let deed = format!("{}\n{line}", app.story.id().unwrap_or_default());
    palette.fault.set(None);
    match press {
        Press::Step(by) => {
            let count = offered.len().max(1) as isize;
            palette.at.update(|at| *at = (*at as isize + by).rem_euclid(count) as usize);
        }
        Press::Complete => {
            if let Some(completed) = completed(&line, palette.at.get_untracked()) {
                take(app, completed);
            }
        }
        // Pressed once more, it is not done twice.
        Press::Do if palette.doing.with_value(|doing| *doing == deed) => {}
        Press::Do => {
            palette.doing.set_value(deed);
            let done = match read(&line) {
                // What is not written out yet is completed first, unless that says it all.
                Some(Err(Unfit::Unknown(_))) if !offered.is_empty() => {
                    let verb = offered[palette.at.get_untracked().min(offered.len() - 1)];
                    match read(&verb.line()) {
                        Some(Ok(command)) if verb.line().ends_with(|c: char| !c.is_whitespace()) => {
                            run(app, command).await
                        }
                        _ => {
                            palette.doing.update_value(String::clear);
                            return take(app, verb.line());
                        }
                    }
                }
                Some(Ok(command)) => run(app, command).await,
                Some(Err(why)) => Err((move |language| unfit(&why, language)).kept()),
                None => return palette.doing.update_value(String::clear),
            };
            match done {
                Ok(said) => {
                    // What was typed meanwhile is none of it.
                    app.story.composed.update(|composed| {
                        if *composed == line {
                            composed.clear();
                        }
                    });
                    said.into_iter().for_each(|said| app.notify(NoticeKind::Info, said));
                }
                Err(why) => palette.fault.set(Some(why)),
            }
            palette.doing.set_value(DONE.to_owned());
            palette.done.update_value(|done| *done = done.wrapping_add(1));
            let nth = palette.done.get_value();
            BrowserClock.seen().await;
            BrowserClock.sleep(AGAIN).await;
            if palette.done.get_value() == nth {
                palette.doing.update_value(|doing| {
                    if doing == DONE {
                        doing.clear();
                    }
                });
            }
        }
        // The composer is empty because a line was done that it held.
        Press::GoOn if palette.doing.with_value(|doing| doing == DONE) => {}
        Press::GoOn => {
            if let Err(why) = run(app, Command::Continue).await {
                app.notify(NoticeKind::Info, why);
            }
        }
    }
}

/// Does a line that does not stand in the composer.
///
/// # Errors
/// It is no command, or one that cannot be done now.
pub async fn act(app: App, line: &str) -> Result<(), Saying> {
    match read(line) {
        Some(Ok(command)) => {
            run(app, command).await?.into_iter().for_each(|said| app.notify(NoticeKind::Info, said));
            Ok(())
        }
        Some(Err(why)) => Err((move |language| unfit(&why, language)).kept()),
        None => Ok(()),
    }
}

fn take(app: App, line: String) {
    app.story.palette.at.set(0);
    app.story.composed.set(line);
}

/// What is said when it is done, or why it is not.
pub type Done = Result<Option<Saying>, Saying>;

/// Does it.
///
/// # Errors
/// It cannot be done now.
pub async fn run(app: App, command: Command) -> Done {
    let story = app.story;
    let needs_rest = !matches!(
        command,
        Command::Go(_) | Command::Search(_) | Command::Lore | Command::Prompt | Command::Read | Command::Aloud(_)
    );
    if needs_rest && (story.is_playing() || story.is_open_taken()) {
        return Err(T::Busy.kept());
    }
    let last = story.turns.with_untracked(|turns| turns.last().copied());
    let end = story.path.with_untracked(|path| path.end);
    let newest = end.saturating_sub(1);
    // Only what reaches the end of the path tells of its end.
    let last = last.filter(|turn| turn.position + 1 == end);
    match command {
        Command::Continue => {
            let reply = reply_of(last).ok_or_else(|| T::NoReply.kept())?;
            if !can_continue(&reply) {
                return Err(T::NoWords.kept());
            }
            play(app, Ask::Continue(reply.id));
            Ok(None)
        }
        Command::Again => again(app, last),
        Command::Swipe(to) => swipe(app, last, to).await,
        Command::Impersonate(hint) => impersonate(app, &hint).await,
        Command::Branch(at) => {
            let position = at.unwrap_or(end.saturating_sub(2));
            branch(app, position, end).await
        }
        Command::Go(position) if position < end => {
            spawn_local(story.jump_to(app, position));
            Ok(None)
        }
        Command::Go(_) => Err(no_such_turn(end)),
        Command::Hide(turns) => tell(app, turns.unwrap_or(newest..=newest), Telling::Reader).await,
        Command::Unhide(turns) => tell(app, turns.unwrap_or(newest..=newest), Telling::All).await,
        Command::Name(name) => {
            let turn = last.map(|turn| turn.node.with_untracked(|node| node.turn.id.clone()));
            let turn = turn.ok_or_else(|| T::NoReply.kept())?;
            let named = T::Named.with(&[&name]).kept();
            did(app, async move |conductor, _| conductor.name_turn(&turn, &name).await.map(drop), named).await
        }
        Command::Save(name) => {
            let saved = T::Saved.with(&[&name]).kept();
            did(app, async move |conductor, id| conductor.save_point(&id, &name, "").await.map(drop), saved).await
        }
        Command::Summarise => match story.summarise(app, &|_| ()).await {
            Ok(Some(())) => Ok(Some(T::Summarised.kept())),
            Ok(None) => Ok(None),
            Err(why) => Err((move |language| summary::words(&why, language)).kept()),
        },
        Command::Note(text) => write_note(app, text).await,
        Command::World(edit) => change_world(app, edit).await,
        Command::Sheet(deed) => sheet(app, deed).await,
        Command::Search(words) => {
            app.go(Route::Search(words));
            Ok(None)
        }
        Command::Lore => {
            app.go(Route::Lorebooks);
            Ok(None)
        }
        Command::Prompt => {
            app.open_notebook(Tab::Prompt);
            Ok(None)
        }
        Command::Read => {
            reader::read(app, true).await;
            Ok(None)
        }
        Command::Aloud(at) => {
            spawn_local(aloud::begin(app, at.unwrap_or(newest)));
            Ok(None)
        }
        Command::Export => {
            if let Some(id) = story.id() {
                app.chunks.desk.run(app, async move |desk| (desk.export)(app, id).await);
            }
            Ok(None)
        }
    }
}

fn reply_of(turn: Option<TurnView>) -> Option<Generation> {
    turn.filter(|turn| turn.position > 0)?.node.with_untracked(|node| node.reply().cloned())
}

fn no_such_turn(end: u32) -> Saying {
    T::NoSuchTurn.with(&[&end.saturating_sub(1).to_string()]).kept()
}

/// What the turn itself has to say stands with its reply.
fn play(app: App, ask: Ask) {
    spawn_local(async move {
        if let Err(fault) = app.story.play(app, ask).await {
            app.notify_fault(&fault);
        }
    });
}

fn again(app: App, last: Option<TurnView>) -> Done {
    let last = last.filter(|turn| turn.position > 0).ok_or_else(|| T::NoReply.kept())?;
    play(app, Ask::Again(last.node.with_untracked(|node| node.turn.id.clone())));
    Ok(None)
}

async fn swipe(app: App, last: Option<TurnView>, to: Swipe) -> Done {
    let turn = last.ok_or_else(|| T::NoReply.kept())?;
    let (seen, count) = turn.node.with_untracked(|node| (node.seen.unwrap_or_default(), node.generations.len()));
    let at = match to {
        Swipe::Next if seen + 1 >= count && turn.position > 0 => return again(app, last),
        Swipe::Next => Some(seen + 1),
        Swipe::Previous => seen.checked_sub(1),
        Swipe::To(number) => (number as usize).checked_sub(1),
    };
    let chosen = at.and_then(|at| {
        turn.node.with_untracked(|node| Some((node.turn.id.clone(), node.generations.get(at)?.id.clone())))
    });
    let (turn, reply) = chosen.ok_or_else(|| T::NoSuchReply.with(&[&count.to_string()]).kept())?;
    app.story.choose(app, turn, reply).await;
    Ok(None)
}

/// Puts the reader's next words, as the model would have them, into the composer. Like a turn, it has the story to itself.
async fn impersonate(app: App, hint: &str) -> Done {
    let (story, composed) = (app.story, app.story.composed);
    let Some(id) = story.id() else { return Ok(None) };
    let before = composed.get_untracked();
    let wrote = story.impersonate(app, &id, hint).await.map_err(faults::said)?;
    // What is stopped, or comes when one is elsewhere, is nobody's.
    let Some(words) = wrote.filter(|_| story.is_open(id.as_str())) else { return Ok(None) };
    let words = words.ok_or_else(|| T::NotImpersonated.kept())?;
    // What was typed meanwhile stays.
    composed.update(|now| match now.trim() {
        "" => *now = words,
        _ if *now == before && is_command(now) => *now = words,
        _ => *now = format!("{}\n{words}", now.trim_end()),
    });
    focus("composer-input");
    Ok(None)
}

async fn branch(app: App, position: u32, end: u32) -> Done {
    let path = app.story.path.get_untracked();
    if position >= end {
        return Err(no_such_turn(end));
    }
    let nodes = app.desk().turns(&path, position..position + 1).await;
    let nodes = nodes.map_err(|error| (move |language| faults::of_store(&error, language)).kept())?;
    let node = nodes.into_iter().next().ok_or_else(|| no_such_turn(end))?;
    let (turn, reply) = (node.turn.id.clone(), node.reply().map(|reply| reply.id.clone()));
    let moved = async |conductor: Conductor, id| conductor.move_to_reply(&id, &turn, reply.as_ref()).await;
    if app.story.travel(app, moved).await.is_some() {
        spawn_local(app.story.jump_to(app, position));
    }
    Ok(None)
}

/// Takes turns out of what a model is told, or puts them back; that can be taken back.
async fn tell(app: App, turns: RangeInclusive<u32>, telling: Telling) -> Done {
    let end = app.story.path.with_untracked(|path| path.end);
    let here = (*turns.start()..end).take_while(|at| at <= turns.end());
    let Some(story) = app.story.id() else { return Ok(None) };
    let told = async |conductor: Conductor, id| conductor.tell_all_to(&id, here, telling).await;
    let Some(changed) = app.story.travel(app, told).await else { return Ok(None) };
    let (said, back) = match telling {
        Telling::All => (T::Unhidden, Telling::Reader),
        Telling::Reader | Telling::Nobody => (T::Hidden, Telling::All),
    };
    if changed.is_empty() {
        return Err(T::NoneToTell.kept());
    }
    app.notify_undo(said.with(&[&changed.len().to_string()]), move || {
        let (story, changed) = (story.clone(), changed.clone());
        spawn_local(async move {
            let told = async |conductor: Conductor, id| conductor.tell_places_to(&id, &changed, back).await;
            app.story.take_back(app, story, told).await;
        });
    });
    Ok(None)
}

/// Does something to the story, and shows what is there then.
async fn did(app: App, work: impl AsyncFnOnce(Conductor, StorylineId) -> Result<(), Fault>, said: Saying) -> Done {
    let Some(id) = app.story.id() else { return Ok(None) };
    work(app.conductor(), id).await.map_err(faults::said)?;
    app.story.reload(app).await;
    app.refresh().await;
    Ok(Some(said))
}

/// Puts the author's note down, or turns the one that is there off and on.
async fn write_note(app: App, text: Option<String>) -> Done {
    let Some(id) = app.story.id() else { return Ok(None) };
    let mut said = None;
    let write = |story: &mut Storyline| {
        let stored = |name: &str| note::field(story, name).cloned().unwrap_or_default();
        let is_there = stored("text").as_str().is_some_and(|text| !text.is_empty());
        let on = stored("enabled") == Value::Bool(false);
        said = match text {
            Some(text) => {
                note::write(story, "text", text.into());
                note::write(story, "enabled", true.into());
                Some(T::NoteSet)
            }
            None if is_there => {
                note::write(story, "enabled", on.into());
                Some(if on { T::NoteOn } else { T::NoteOff })
            }
            None => None,
        };
    };
    match changed(app, &id, write).await {
        Ok(Changed::Stored) => said.map(|said| Some(said.kept())).ok_or_else(|| T::NoNote.kept()),
        Ok(Changed::Gone) => Ok(None),
        Ok(Changed::Elsewhere) => Err(elsewhere(app, &id).kept()),
        Err(error) => Err((move |language| faults::of_store(&error, language)).kept()),
    }
}

async fn change_world(app: App, edit: WorldEdit) -> Done {
    let Some(id) = app.story.id() else { return Ok(None) };
    let said = match &edit {
        WorldEdit::Put { key, value } => {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            T::WorldSet.with(&[key, &value]).kept()
        }
        WorldEdit::Remove { key } => T::WorldRemoved.with(&[key]).kept(),
    };
    match app.conductor().edit_world(&id, edit).await {
        Ok(_) => {
            app.story.reload(app).await;
            Ok(Some(said))
        }
        Err(why) => Err((move |language| by_hand_words(&why, language)).kept()),
    }
}

async fn sheet(app: App, deed: Sheet) -> Done {
    let is_on = untrack(|| app.story.played(|story, preset| sheet::settings(Text::Sheet, story, preset).enabled));
    if is_on != Some(true) {
        return Err(T::SheetOff.kept());
    }
    let set = |change: fn(&mut sheet::TextSettings)| {
        change_played(app, move |story, preset| sheet::change(Text::Sheet, story, preset, change));
    };
    let said = match deed {
        Sheet::Update => {
            let Some(id) = app.story.id() else { return Ok(None) };
            let Some(desk) = app.chunks.desk.get().await else { return Ok(None) };
            match (desk.write_text)(app, id, (Text::Sheet, None)).await? {
                true => T::SheetUpdated,
                false => return Ok(None),
            }
        }
        Sheet::Edit => {
            app.open_notebook(Tab::Persona);
            return Ok(None);
        }
        Sheet::Freeze => {
            set(|settings| settings.frozen = true);
            T::SheetFrozen
        }
        Sheet::Unfreeze => {
            set(|settings| settings.frozen = false);
            T::SheetUnfrozen
        }
        Sheet::Lock => {
            set(|settings| settings.lock = true);
            T::SheetLocked
        }
        Sheet::Unlock => {
            set(|settings| settings.lock = false);
            T::SheetUnlocked
        }
    };
    Ok(Some(said.kept()))
}

/// The list above the composer.
#[component]
pub fn Palette() -> impl IntoView {
    let app = App::here();
    let palette = app.story.palette;
    let line = app.story.composed;
    let offered = Memo::new(move |_| complete(&line.get()).into_iter().map(|verb| verb.names()[0]).collect::<Vec<_>>());
    let rows = move || {
        let language = app.language.get();
        complete(&line.get())
            .into_iter()
            .enumerate()
            .map(move |(nth, verb)| {
                let name = verb.names()[language.pick(1, 0)];
                let (does, takes) = words(verb, language);
                let choose = move |_| {
                    palette.at.set(nth);
                    spawn_local(press(app, Press::Complete));
                };
                view! {
                    <li
                        role="option"
                        id=format!("command-{nth}")
                        data-testid="command"
                        data-command=verb.names()[0]
                        aria-selected=move || (palette.at.get() == nth).to_string()
                        // The words keep the focus.
                        on:mousedown=|event| event.prevent_default()
                        on:click=choose
                    >
                        <b>"/" {name}</b>
                        <span class="command-takes">{takes}</span>
                        <span class="command-does">{does}</span>
                    </li>
                }
            })
            .collect_view()
    };
    let is_impersonating = Memo::new(move |_| {
        app.story.is_playing() && line.with(|line| matches!(read(line), Some(Ok(Command::Impersonate(_)))))
    });
    // Another line, another list.
    Effect::new(move |_| {
        offered.track();
        palette.at.set(0);
    });
    Effect::new(move |_| {
        line.track();
        palette.fault.set(None);
    });
    Effect::new(move |_| {
        let at = palette.at.get();
        offered.track();
        let row = document().get_element_by_id(&format!("command-{at}"));
        row.into_iter().for_each(|row| row.scroll_into_view_with_bool(false));
    });
    view! {
        <div class="palette" data-testid="palette">
            <ul id="commands" role="listbox" tabindex="0" aria-label=move || T::Title.say(app.language.get()) hidden=move || offered.with(Vec::is_empty)>{rows}</ul>
            <Show when=move || palette.fault.with(Option::is_some)>
                <p class="place-fault" role="alert" data-testid="command-error">{move || palette.fault.get().map(|why| app.read(&why))}</p>
            </Show>
            <Show when=move || is_impersonating.get()>
                <p class="waiting" role="status" data-testid="impersonating">{move || T::Impersonating.say(app.language.get())}</p>
            </Show>
            <p class="field-note" hidden=move || is_impersonating.get()>{move || if offered.with(Vec::is_empty) { T::None } else { T::Hint }.say(app.language.get())}</p>
        </div>
    }
}
