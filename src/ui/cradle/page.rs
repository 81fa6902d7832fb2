//! One that grows: how it stands, what it is fed, what it is so far, and how it came to be so.

use leptos::{prelude::*, task::spawn_local};

use super::{
    ahead::Preview,
    feeds::{Feeds, titled},
    name_of, standing,
    steps::Steps,
    work::{self, Doing},
};
use crate::{
    features::cradle::{Cradle, Field, titles},
    locales::{
        T as Common,
        cradle::{self, T},
        faults, fill,
        warnings::grouped,
    },
    ports::Clock,
    story::{character::Character, generation::Usage, ids::CharacterId, storyline::Language},
    turn::{
        cradle::{amend, task},
        scribe::Progress,
    },
    ui::{app::App, ask_key::AskKey, fields::SelectField, route::Route},
    web::clock::BrowserClock,
};

/// One that is looked at.
#[derive(Clone, Copy)]
pub struct Looked {
    pub app: App,
    pub id: StoredValue<CharacterId>,
    pub character: Memo<Option<Character>>,
    pub cradle: Memo<Option<Cradle>>,
}

impl Looked {
    /// Changes what is kept of its growth, and shows it.
    pub fn amend(self, change: impl FnOnce(&mut Cradle) + 'static) {
        let id = self.id.get_value();
        self.doing(async move { amend(&self.app.browser().ports, &id, change).await });
    }

    /// Reads a text no further, until that is taken back.
    pub fn drop_feed(self, feed: String) {
        let before = self.cradle.with_untracked(|one| {
            let feeds = &one.as_ref()?.feeds;
            let at = feeds.iter().position(|one| one.id == feed)?;
            Some((at, feeds[at].clone()))
        });
        let Some((at, whole)) = before else { return };
        self.amend(move |one| one.drop_feed(&feed));
        let (app, id) = (self.app, self.id.get_value());
        let title = whole.title.clone();
        let said = move |language: Language| T::FeedDropped.with(&[titled(&title, language)])(language);
        app.notify_undo(said, move || {
            let (id, whole) = (id.clone(), whole.clone());
            spawn_local(async move {
                if let Err(fault) = amend(&app.browser().ports, &id, move |one| one.put_back(at, whole)).await {
                    app.notify_fault(&fault);
                }
                app.refresh().await;
            });
        });
    }

    pub fn doing(self, work: impl Future<Output = Result<(), crate::story::fault::Fault>> + 'static) {
        spawn_local(async move {
            if let Err(fault) = work.await {
                self.app.notify_fault(&fault);
            }
            self.app.refresh().await;
        });
    }
}

#[component]
pub fn CradlePage(id: CharacterId) -> impl IntoView {
    let app = App::here();
    let id = StoredValue::new(id);
    let character = Memo::new(move |_| id.with_value(|id| app.character(id)));
    let cradle = Memo::new(move |_| character.with(|one| one.as_ref().and_then(Cradle::of)));
    let looked = Looked { app, id, character, cradle };
    let is_there = Memo::new(move |_| cradle.with(Option::is_some));
    view! {
        <section class="sheet-page cradle">
            <Show
                when=move || is_there.get()
                fallback=move || view! { <p class="empty">{app.t(T::Gone)} " " <a class="link" href=Route::Cradle(None).hash()>{app.t(T::Back)}</a></p> }
            >
                <header>
                    <h1>{move || character.with(|one| one.as_ref().map(|one| name_of(one, app.language.get())))}</h1>
                    <div class="row">
                        <a class="button quiet" href=Route::Cradle(None).hash()>{app.t(T::Back)}</a>
                        <a class="button quiet" data-testid="cradle-editor" href=id.with_value(|id| Route::Character(Some(id.clone())).hash())>{app.t(T::Editor)}</a>
                    </div>
                </header>
                <AskKey />
                <Standing looked />
                <Preview looked />
                <Feeds looked />
                <SoFar looked />
                <Steps looked />
            </Show>
        </section>
    }
}

/// How it stands, and what moves it.
#[component]
fn Standing(looked: Looked) -> impl IntoView {
    let Looked { app, id, cradle, .. } = looked;
    let of = move |is: fn(&Cradle) -> bool| Memo::new(move |_| cradle.with(|one| one.as_ref().is_some_and(is)));
    let is_ripe = of(Cradle::is_ripe);
    let has_begun = of(|one| one.begun.is_some());
    let is_fed = of(|one| !one.feeds.is_empty());
    let rests = of(|one| one.paused.is_some());
    let here = Memo::new(move |_| id.with_value(|id| work::is_begun_here(app, id)));
    let at = work::at();
    let running = Memo::new(move |_| {
        at.with(|at| at.as_ref().filter(|(of, _)| id.with_value(|id| of == id)).map(|(_, doing)| *doing))
    });
    let days = RwSignal::new(cradle.with_untracked(|one| one.as_ref().map_or(0, |one| one.days)).to_string());
    let over = Signal::derive(move || {
        let language = app.language.get();
        let days = |days: u32| match days {
            0 => T::AtOnce.text(language).to_owned(),
            days => fill(T::Days.text(language), &[&days.to_string()]),
        };
        let mut all = vec![0, 1, 3, 7, 14, 30];
        let now = cradle.with(|one| one.as_ref().map_or(0, |one| one.days));
        if !all.contains(&now) {
            all.push(now);
        }
        all.into_iter().map(|count| (count.to_string(), days(count))).collect()
    });
    let written = RwSignal::new(
        cradle.with_untracked(|one| one.as_ref().map_or_else(Language::default, |one| one.language)).name().to_owned(),
    );
    let languages = Signal::derive(|| {
        Language::ALL.map(|language| (language.name().to_owned(), language.own_name().to_owned())).to_vec()
    });
    let write_in = move |_| {
        let language = Language::from_name(&written.get_untracked()).unwrap_or_default();
        // What was looked at is in the other.
        looked.amend(move |one| (one.language, one.ahead) = (language, None));
    };
    let again = move |_| {
        let id = id.get_value();
        spawn_local(async move { work::grow(app, &id, true).await });
    };
    // The page may be left while it waits: what it asks of the page, it asks before.
    let slow = move |_| {
        let (id, here, days) = (id.get_value(), here.get_untracked(), days.get_untracked());
        spawn_local(async move {
            if let Err(fault) = app.desk().grow_over(&id, days.parse().unwrap_or_default()).await {
                app.notify_fault(&fault);
            }
            app.refresh().await;
            if here {
                work::grow(app, &id, true).await;
            }
        });
    };
    let go = move |_| {
        let id = id.get_value();
        work::begin_here(app, &id);
        spawn_local(async move {
            let wake = |one: &mut Cradle| {
                let now = BrowserClock.now();
                one.begin(now);
                one.go_on(now);
                one.missed = None;
            };
            if let Err(fault) = amend(&app.browser().ports, &id, wake).await {
                app.notify_fault(&fault);
            }
            app.refresh().await;
            work::grow(app, &id, true).await;
        });
    };
    let rest = move |_| {
        // Another may be read to.
        if running.get_untracked().is_some() {
            work::stop();
        }
        looked.amend(|one| one.pause(BrowserClock.now()));
    };
    // Nobody who stops a look wants its growth to stop.
    let stop = move |event| match running.get_untracked() {
        Some(Doing::Looking) => work::stop(),
        _ => rest(event),
    };
    let tick = work::tick();
    let said = move || {
        tick.track();
        cradle.with(|one| one.as_ref().map(|one| standing(one, here.get(), app.language.get())))
    };
    let missed = move || {
        let language = app.language.get();
        cradle.with(|one| one.as_ref()?.missed.as_ref().map(|missed| missed.fault.clone())).map(|fault| {
            let why =
                fault.map_or_else(|| T::Unusable.text(language).to_owned(), |fault| faults::in_full(&fault, language));
            fill(T::Missed.text(language), &[&why])
        })
    };
    let is_running = move || running.with(Option::is_some);
    let progress = move || match running.get() {
        Some(Doing::Growing(Some(Progress { part, parts }))) => {
            T::Reading.with(&[&part.to_string(), &parts.to_string()])(app.language.get())
        }
        _ => app.t(Common::Loading)().to_owned(),
    };
    let grows = move || has_begun.get() && here.get() && !rests.get();
    view! {
        <p class="cradle-state" data-testid="cradle-state" aria-live="polite">{said}</p>
        <Show when=move || !is_ripe.get()>
            <SelectField label=app.t(T::Over) value=days options=over testid="cradle-days" hint=app.t(T::WhenOpen) on:change=slow />
            <SelectField label=app.t(T::WritesIn) value=written options=languages testid="cradle-language" on:change=write_in />
            <Takes looked />
            <div class="row">
                <Show when=move || !grows() && is_fed.get()>
                    <button type="button" class="button primary" data-testid="cradle-begin" on:click=go>
                        {move || if has_begun.get() { app.t(T::GoOn)() } else { app.t(T::Begin)() }}
                    </button>
                </Show>
                <Show when=grows>
                    <button type="button" class="button" data-testid="cradle-pause" on:click=rest>{app.t(T::Pause)}</button>
                </Show>
                <Show when=move || grows() && missed().is_some() && !is_running()>
                    <button type="button" class="button" data-testid="cradle-again" on:click=again>{app.t(T::Now)}</button>
                </Show>
            </div>
        </Show>
        <Show when=is_running>
            <div class="row" role="status">
                <span class="waiting" data-testid="cradle-progress">{progress}</span>
                <button type="button" class="button quiet" data-testid="cradle-stop" on:click=stop>{app.t(T::Stop)}</button>
            </div>
        </Show>
        {move || missed().filter(|_| !is_running()).map(|said| view! { <p class="place-fault" role="alert" data-testid="cradle-missed">{said}</p> })}
    }
}

/// What it will take from now on.
#[component]
fn Takes(looked: Looked) -> impl IntoView {
    let Looked { app, character, .. } = looked;
    let reckoned = RwSignal::new(None);
    Effect::new(move |_| {
        let Some(character) = character.get() else { return };
        spawn_local(async move { drop(reckoned.try_set(task(&app.browser().ports, &character).await.ok())) });
    });
    let said = move || {
        let language = app.language.get();
        reckoned.get().filter(|task| task.calls > 0).map(|task| {
            let counts = [task.calls, task.prompt_tokens, task.answer_tokens].map(grouped);
            let said = fill(T::Takes.text(language), &counts.each_ref().map(String::as_str));
            let usage =
                Usage { prompt_tokens: task.prompt_tokens, completion_tokens: task.answer_tokens, ..Usage::default() };
            let price = task
                .connection
                .price()
                .map(|price| crate::locales::costs::in_currency(price.of(usage), &price.currency));
            price.map(|price| format!("{said} {}", fill(T::Price.text(language), &[&price]))).unwrap_or(said)
        })
    };
    view! { <p class="field-note number" data-testid="cradle-task">{said}</p> }
}

/// The character as it is by now.
#[component]
fn SoFar(looked: Looked) -> impl IntoView {
    let Looked { app, character, .. } = looked;
    let shown = move || {
        let language = app.language.get();
        let Some(character) = character.get() else { return ().into_any() };
        let all = Field::GROWING.into_iter().chain(Field::RIPE).filter(|field| *field != Field::Name);
        let texts: Vec<_> =
            all.map(|field| (field, field.get(&character))).filter(|(_, text)| !text.trim().is_empty()).collect();
        let known = titles(&character).into_iter().map(str::to_owned).collect::<Vec<_>>();
        if texts.is_empty() && known.is_empty() {
            return view! { <p class="empty">{app.t(T::Nothing)}</p> }.into_any();
        }
        let row = |(field, text): (Field, String)| {
            view! { <div data-testid="cradle-field" data-field=field.name()><dt>{move || cradle::field(field, app.language.get())}</dt><dd>{text}</dd></div> }
        };
        let known = (!known.is_empty()).then(|| {
            view! { <div data-testid="cradle-field" data-field="knowledge"><dt>{app.t(T::Knows)}</dt><dd>{known.join(language.pick("、", ", "))}</dd></div> }
        });
        view! { <dl class="cradle-so-far">{texts.into_iter().map(row).collect_view()}{known}</dl> }.into_any()
    };
    view! {
        <h2>{app.t(T::SoFar)}</h2>
        {shown}
    }
}
