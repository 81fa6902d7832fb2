//! Who takes part, what each remembers, and how it goes on this machine.

use std::ops::RangeInclusive;

use leptos::{prelude::*, task::spawn_local};

use super::{Seen, T, member_of, work};
use crate::{
    features::circle::{Act, Due, Member, Pace, Rhythm, Standing, memory},
    locales::{fill, warnings::grouped},
    ports::Clock,
    story::{
        figures::ungrouped,
        ids::{CharacterId, PostId},
        storyline::Language,
    },
    ui::{
        avatar::{Avatar, Face},
        fields::{SelectField, TextField},
        number::Problem,
    },
    web::clock::BrowserClock,
};

#[component]
pub fn Members(seen: Seen) -> impl IntoView {
    let app = seen.app;
    let members = Memo::new(move |_| {
        let of = |all: &Vec<crate::story::character::Character>| {
            let mut all: Vec<_> =
                all.iter().filter_map(|one| Some((Member::of(one)?.joined, one.id.clone()))).collect();
            all.sort();
            all.into_iter().map(|(_, id)| id).collect::<Vec<_>>()
        };
        app.characters.with(of)
    });
    let chosen = RwSignal::new(String::new());
    let others = Signal::derive(move || {
        let first = (String::new(), app.t(T::Choose)().to_owned());
        let out = app.characters.with(|all| {
            let out = all.iter().filter(|one| Member::of(one).is_none());
            out.map(|one| (one.id.0.clone(), one.name.clone())).collect::<Vec<_>>()
        });
        std::iter::once(first).chain(out).collect::<Vec<_>>()
    });
    let has_others = Memo::new(move |_| others.with(|all| all.len() > 1));
    let has_any = Memo::new(move |_| app.characters.with(|all| !all.is_empty()));
    let let_in = move |_| {
        let id = CharacterId::from(chosen.get_untracked());
        chosen.set(String::new());
        if !id.as_str().is_empty() {
            stand(seen, id, Some(Standing::Active));
        }
    };
    view! {
        <h2>{app.t(T::Members)}</h2>
        <Show when=move || !members.with(Vec::is_empty) fallback=move || view! { <p class="empty">{app.t(T::Nobody)}</p> }>
            <ul class="circle-members">
                <For each=move || members.get() key=Clone::clone let:id><MemberRow seen id /></For>
            </ul>
        </Show>
        <Show when=move || has_others.get() fallback=move || view! { <p class="field-note">{move || if has_any.get() { app.t(T::NoMore)() } else { app.t(T::NoCharacters)() }}</p> }>
            <SelectField label=app.t(T::LetIn) value=chosen options=others testid="circle-let-in" on:change=let_in />
        </Show>
        <Going seen />
    }
}

fn stand(seen: Seen, id: CharacterId, standing: Option<Standing>) {
    seen.doing(async move {
        seen.app.desk().stand_in_circle(&id, standing).await?;
        seen.app.refresh().await;
        work::count(seen.app).await;
        Ok(())
    });
}

fn standing_word(standing: Standing) -> T {
    match standing {
        Standing::Active => T::Active,
        Standing::Rests => T::Rests,
        Standing::Muted => T::Muted,
    }
}

/// That one leaves.
const LEAVES: &str = "leaves";

#[component]
fn MemberRow(seen: Seen, id: CharacterId) -> impl IntoView {
    let app = seen.app;
    let id = StoredValue::new(id);
    let character = Memo::new(move |_| id.with_value(|id| app.character(id)));
    let name =
        Signal::derive(move || character.with(|one| one.as_ref().map(|one| one.name.clone())).unwrap_or_default());
    let face = Signal::derive(move || Face::Stored(character.get().and_then(|one| one.thumbnail.or(one.avatar))));
    let standing =
        Memo::new(move |_| id.with_value(|id| member_of(app, id)).map(|member| member.standing).unwrap_or_default());
    let options = move || {
        let all = Standing::ALL.map(|standing| (standing.name(), standing_word(standing)));
        let all = all.into_iter().chain([(LEAVES, T::Leaves)]);
        all.map(|(value, label)| view! { <option value=value selected=move || standing.get().name() == value>{app.t(label)}</option> }).collect_view()
    };
    let change = move |event| {
        let chosen = event_target_value(&event);
        stand(seen, id.get_value(), Standing::from_name(&chosen));
    };
    let post = move |_| {
        let due = Due { at: BrowserClock.now(), who: id.get_value(), act: Act::Post };
        spawn_local(async move { work::ask(app, vec![due]).await });
    };
    // It is read off when it is looked at.
    let open = RwSignal::new(false);
    let remembers = Memo::new(move |_| {
        let language = app.language.get();
        let posts = seen.posts.get();
        let (id, name) = (id.get_value(), name.get());
        let whose = memory::Whose { id: &id, name: &name, reader: app.t(T::YouSee)(), language };
        let all = memory::of(&posts, whose, BrowserClock.now());
        all.into_iter().rev().map(|one| (one.post.id.clone(), one.text)).collect::<Vec<_>>()
    });
    let title = move || fill(T::Remembers.text(app.language.get()), &[&remembers.with(Vec::len).to_string()]);
    let line = move |(post, text): (PostId, String)| {
        let forget = move |_| {
            let post = post.clone();
            let who = id.get_value();
            seen.doing(async move {
                app.desk().forget_post(&post, &who, true).await?;
                app.notify_undo(
                    |language| T::Forgotten.text(language).to_owned(),
                    move || {
                        let (post, who) = (post.clone(), who.clone());
                        seen.doing(async move { app.desk().forget_post(&post, &who, false).await });
                    },
                );
                Ok(())
            });
        };
        view! {
            <li data-testid="circle-memory"><span dir="auto">{text}</span><button type="button" class="link" data-testid="circle-forget" on:click=forget>{app.t(T::Forget)}</button></li>
        }
    };
    view! {
        <li class="circle-member" data-testid="circle-member" data-character=id.with_value(|id| id.0.clone())>
            <div class="circle-member-row">
                <Avatar face name />
                <b>{name}</b>
                <div class="field"><select data-testid="circle-standing" aria-label=move || fill(app.t(T::Standing)(), &[&name.get()]) on:change=change>{options}</select></div>
                <Show when=move || standing.get() == Standing::Active>
                    <button type="button" class="button quiet" data-testid="circle-post-now" on:click=post>{app.t(T::PostNow)}</button>
                </Show>
            </div>
            <details class="circle-memory" on:toggle=move |_| open.set(true)>
                <summary data-testid="circle-memories">{title}</summary>
                <Show when=move || open.get()>
                    <Show when=move || !remembers.with(Vec::is_empty) fallback=move || view! { <p class="empty">{app.t(T::RemembersNone)}</p> }>
                        <ul>{move || remembers.get().into_iter().map(line).collect_view()}</ul>
                    </Show>
                </Show>
            </details>
        </li>
    }
}

/// How it goes: the pace, the bounds of a day, the language.
#[component]
fn Going(seen: Seen) -> impl IntoView {
    let app = seen.app;
    let rhythm = Memo::new(move |_| app.preferences.with(Rhythm::of));
    let change = move |change: Box<dyn Fn(&mut Rhythm)>| {
        app.prefer(move |preferences| {
            let mut rhythm = Rhythm::of(preferences);
            change(&mut rhythm);
            rhythm.keep(preferences);
        });
        spawn_local(work::count(app));
    };
    let pace = RwSignal::new(rhythm.with_untracked(|rhythm| rhythm.pace.name().to_owned()));
    let paces = Signal::derive(move || {
        let label = |pace: Pace| match pace {
            Pace::Hand => T::PaceHand,
            Pace::Slow => T::PaceSlow,
            Pace::Calm => T::PaceCalm,
            Pace::Lively => T::PaceLively,
        };
        Pace::ALL.map(|pace| (pace.name().to_owned(), app.t(label(pace))().to_owned())).to_vec()
    });
    let set_pace = move |_| {
        if let Some(pace) = Pace::from_name(&pace.get_untracked()) {
            change(Box::new(move |rhythm| rhythm.pace = pace));
        }
    };
    let language = RwSignal::new(rhythm.with_untracked(|rhythm| rhythm.language.map_or("", Language::name).to_owned()));
    let languages = Signal::derive(move || {
        let page = (String::new(), app.t(T::AsPage)().to_owned());
        let named = Language::ALL.map(|language| (language.name().to_owned(), language.own_name().to_owned()));
        std::iter::once(page).chain(named).collect::<Vec<_>>()
    });
    let set_language = move |_| {
        let chosen = Language::from_name(&language.get_untracked());
        change(Box::new(move |rhythm| rhythm.language = chosen));
    };
    let calls = RwSignal::new(rhythm.with_untracked(|rhythm| rhythm.calls.to_string()));
    let tokens = RwSignal::new(rhythm.with_untracked(|rhythm| rhythm.tokens.to_string()));
    let fault = move |text: RwSignal<String>, range: RangeInclusive<u32>| {
        Signal::derive(move || text.with(|text| number(text, &range)).err().map(|problem| problem.words(app)))
    };
    let set_calls = move |_| {
        if let Ok(count) = calls.with_untracked(|text| number(text, &Rhythm::MOST_CALLS)) {
            change(Box::new(move |rhythm| rhythm.calls = count));
        }
    };
    let set_tokens = move |_| {
        if let Ok(count) = tokens.with_untracked(|text| number(text, &Rhythm::MOST_TOKENS)) {
            change(Box::new(move |rhythm| rhythm.tokens = count));
        }
    };
    let standing = work::standing();
    let used = move || {
        let (language, rhythm) = (app.language.get(), rhythm.get());
        let used = standing.with(|(_, used)| *used);
        let counts =
            [used.calls, u32::try_from(used.tokens).unwrap_or(u32::MAX), rhythm.calls, rhythm.tokens].map(grouped);
        fill(T::UsedToday.text(language), &counts.each_ref().map(String::as_str))
    };
    view! {
        <SelectField label=app.t(T::Pace) value=pace options=paces testid="circle-pace" hint=app.t(T::PaceHint) on:change=set_pace />
        <div class="columns">
            <TextField label=app.t(T::Calls) value=calls testid="circle-calls" fault=fault(calls, Rhythm::MOST_CALLS) on:change=set_calls />
            <TextField label=app.t(T::Tokens) value=tokens testid="circle-tokens" fault=fault(tokens, Rhythm::MOST_TOKENS) on:change=set_tokens />
            <SelectField label=app.t(T::WritesIn) value=language options=languages testid="circle-language" on:change=set_language />
        </div>
        <p class="field-note number" data-testid="circle-used">{used}</p>
    }
}

fn number(text: &str, range: &RangeInclusive<u32>) -> Result<u32, Problem> {
    let text = ungrouped(text).replace(',', ".");
    let number: f64 = text.parse().ok().filter(|number: &f64| number.is_finite()).ok_or(Problem::NotANumber)?;
    if number.fract() != 0.0 {
        return Err(Problem::NotWhole);
    }
    let (low, high) = (f64::from(*range.start()), f64::from(*range.end()));
    if !(low..=high).contains(&number) {
        return Err(Problem::OutOfRange(low, high));
    }
    Ok(number as u32)
}
