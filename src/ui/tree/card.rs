//! What is at the place that the reader looks at, and what can be done from there.

use leptos::{prelude::*, task::spawn_local};

use super::{Tree, common, place_words, point_words};
use crate::{
    desk::tree::Place,
    locales::{T, fill, tree::T as R},
    reply::parser,
    story::{generation::Generation, ids::TurnId, tree::limb},
    turn::Conductor,
    ui::about,
    web::window,
};

/// Letters of the reader's words and of the reply that are told.
const WORDS: usize = 90;

#[component]
pub fn Card(tree: Tree) -> impl IntoView {
    let app = tree.app;
    let told = RwSignal::new(None::<Place>);
    Effect::new(move |_| {
        let stored = tree.stored.get();
        tree.changes.track();
        let Some(at) = tree.selected.get() else { return told.set(None) };
        spawn_local(async move {
            match app.desk().place(&stored.alive, at.clone()).await {
                Ok(found) if tree.selected.try_get_untracked().flatten().as_ref() == Some(&at) => {
                    // What is typed into it stays where nothing of it has changed.
                    if told.try_with_untracked(|told| *told != found) == Some(true) {
                        told.set(found);
                    }
                }
                Ok(_) => {}
                Err(error) => app.notify_store(error),
            }
        });
    });
    move || told.get().map(|told| view! { <Facts tree told /> })
}

#[component]
fn Facts(tree: Tree, told: Place) -> impl IntoView {
    let app = tree.app;
    let Place { at, turn, reply, others, points } = told;
    let end = at.end;
    let user = turn.user.as_deref().map(first_words);
    let said = reply.as_ref().map(|reply| first_words(&parser::shown(&reply.text)));
    let created = turn.created;
    let id = StoredValue::new(turn.id.clone());
    let name = RwSignal::new(turn.name.clone().unwrap_or_default());
    let rename = move |typed: String| {
        if typed.trim() != name.get_untracked() {
            name.set(typed.trim().to_owned());
            spawn_local(async move {
                let named = async |conductor: Conductor, _| conductor.name_turn(&id.get_value(), &typed).await;
                app.story.travel(app, named).await;
                tree.changes.try_update(|changes| *changes += 1);
            });
        }
    };
    let place = StoredValue::new(at.clone());
    let is_here = move || {
        app.story.storyline.with(|storyline| storyline.as_ref().is_some_and(|s| place.with_value(|at| s.head == *at)))
    };
    let is_here = Memo::new(move |_| is_here());
    let is_untold = tree.stored.with_untracked(|stored| {
        let branch = stored.alive.get(&turn.branch);
        branch.is_some_and(|branch| branch.untold_at(turn.position).is_some())
    });
    let limb = tree.stored.with_untracked(|stored| {
        let branches = &stored.alive;
        let first = limb(branches, &at)?;
        Some((first.saturating_sub(1), branches.get(&at.branch)?.tip().saturating_sub(first)))
    });
    let branch_here = move |_| {
        spawn_local(async move {
            app.story.move_to(app, place.get_value()).await;
            focus_composer();
        });
    };
    let blocked = move || !tree.is_free();
    view! {
        <article class="tree-card" data-testid="tree-card" data-turn=(end.saturating_sub(1)).to_string()>
            <header>
                <b>{move || place_words(app, end)}</b>
                <span class="number">{move || about::date(created, app.language.get())}</span>
                <Show when=move || is_here.get()><span class="mark">{app.t(R::IsHere)}</span></Show>
                {is_untold.then(|| view! { <span class="mark" data-testid="tree-card-untold">{app.t(R::IsUntold)}</span> })}
            </header>
            {user.map(|text| view! { <p class="tree-said-user">{text}</p> })}
            {said.map(|text| view! { <p class="tree-said">{text}</p> })}
            {points.into_iter().map(|(point, content)| view! {
                <p class="tree-card-point" data-testid="tree-card-point">{move || point_words(app, point, &content)}</p>
            }).collect_view()}
            <input
                class="tree-name-input"
                data-testid="tree-name"
                aria-label=app.t(R::Name)
                placeholder=app.t(R::NamePlaceholder)
                maxlength="60"
                autocomplete="off"
                disabled=blocked
                prop:value=move || name.get()
                on:change=move |event| rename(event_target_value(&event))
            />
            <div class="row">
                <button class="button" data-testid="tree-go" disabled=move || blocked() || is_here.get()
                    on:click=move |_| tree.go(place.get_value())>{app.t(R::GoThere)}</button>
                <button class="button quiet" data-testid="tree-branch" disabled=blocked on:click=branch_here>{app.t(R::BranchHere)}</button>
                <button class="button quiet" data-testid="tree-compare" disabled=move || is_here.get()
                    on:click=move |_| tree.comparing.set(Some(place.get_value()))>{app.t(R::CompareHere)}</button>
                {limb.map(|(after, length)| {
                    let what = move || fill(app.t(R::InBinRow)(), &[&after.to_string(), &length.to_string()]);
                    view! {
                        <button class="button quiet danger" data-testid="tree-delete" title=what disabled=blocked
                            on:click=move |_| spawn_local(tree.discard(place.get_value()))>
                            {app.t(R::DeleteBranch)}
                        </button>
                    }
                })}
                <button class="button quiet" data-testid="tree-close" on:click=move |_| tree.selected.set(None)>{common(app, T::Close)}</button>
            </div>
            {(!others.is_empty()).then(|| view! { <Others tree turn=id others blocked=Signal::derive(blocked) end /> })}
        </article>
    }
}

/// The replies that nobody has gone on from, each a way to go.
#[component]
fn Others(
    tree: Tree,
    turn: StoredValue<TurnId>,
    others: Vec<Generation>,
    blocked: Signal<bool>,
    end: u32,
) -> impl IntoView {
    let app = tree.app;
    let count = others.len().to_string();
    let row = move |reply: Generation| {
        let words = first_words(&parser::shown(&reply.text));
        let id = StoredValue::new(reply.id);
        let go = move |_| {
            spawn_local(async move {
                let (turn, reply) = (turn.get_value(), id.get_value());
                let went =
                    async |conductor: Conductor, story| conductor.move_to_reply(&story, &turn, Some(&reply)).await;
                if app.story.travel(app, went).await.is_some() {
                    app.story.jump_to(app, end.saturating_sub(1)).await;
                }
            });
        };
        view! {
            <li class="tree-other-row" data-testid="tree-other">
                <span class="tree-said">{words}</span>
                <button class="link" data-testid="tree-other-go" disabled=move || blocked.get() on:click=go>{app.t(R::GoThere)}</button>
            </li>
        }
    };
    view! {
        <div class="tree-others" data-testid="tree-others">
            <p class="item-aside">{move || fill(app.t(R::OtherReplies)(), &[&count])}</p>
            <ul>{others.into_iter().map(row).collect_view()}</ul>
        </div>
    }
}

fn first_words(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(WORDS) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

fn focus_composer() {
    let input =
        window().document().and_then(|page| page.query_selector("[data-testid=\"composer-input\"]").ok().flatten());
    if let Some(input) = input.and_then(|input| wasm_bindgen::JsCast::dyn_into::<web_sys::HtmlElement>(input).ok()) {
        let _ = input.focus();
    }
}
