//! What is at the place that the reader looks at, and what can be done from there.

use leptos::{prelude::*, task::spawn_local};

use super::{Tree, common, place_words, word};
use crate::{
    locales::{T, tree::T as R},
    ports::{Query, StoreError, Table},
    reply::parser,
    story::{
        generation::Generation,
        tree::{Branch, Head},
        turn::Turn,
    },
    ui::{about, app::App},
    web::window,
};

/// Letters of the reader's words and of the reply that are told.
const WORDS: usize = 90;

#[derive(Clone, PartialEq)]
struct Told {
    at: Head,
    turn: Turn,
    reply: Option<Generation>,
}

#[component]
pub fn Card(tree: Tree) -> impl IntoView {
    let app = tree.app;
    let told = RwSignal::new(None::<Told>);
    Effect::new(move |_| {
        let branches = tree.branches.get();
        tree.changes.track();
        let Some(at) = tree.selected.get() else { return told.set(None) };
        let branch = branches.get(&at.branch).cloned();
        spawn_local(async move {
            match read(app, at.clone(), branch).await {
                Ok(found) if tree.selected.try_get_untracked().flatten().as_ref() == Some(&at) => {
                    told.try_set(found);
                }
                Ok(_) => {}
                Err(error) => app.notify_store(error),
            }
        });
    });
    move || told.get().map(|told| view! { <Facts tree told /> })
}

async fn read(app: App, at: Head, branch: Option<Branch>) -> Result<Option<Told>, StoreError> {
    let Some(branch) = branch else { return Ok(None) };
    // A branch right after its fork has no turn of its own there.
    let (of, position, reply) = match &branch.parent {
        Some(fork) if at.end == branch.first => (fork.branch.clone(), fork.position, fork.generation.clone()),
        _ => (branch.id.clone(), at.end.saturating_sub(1), None),
    };
    let store = app.store();
    let place = |table| Query::equal(table, "place", (of.as_str(), position));
    let turn = store.list::<Turn>(place(Table::Turns)).await?.pop();
    let replies = store.list::<Generation>(place(Table::Generations)).await?;
    Ok(turn.map(|turn| {
        let wanted = reply.or_else(|| turn.chosen.clone());
        Told { at, reply: replies.into_iter().find(|reply| Some(&reply.id) == wanted.as_ref()), turn }
    }))
}

#[component]
fn Facts(tree: Tree, told: Told) -> impl IntoView {
    let app = tree.app;
    let Told { at, turn, reply } = told;
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
                let named =
                    async |conductor: crate::turn::Conductor, _| conductor.name_turn(&id.get_value(), &typed).await;
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
    let has_parent =
        tree.branches.with_untracked(|branches| branches.get(&at.branch).is_some_and(|b| b.parent.is_some()));
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
                <Show when=move || is_here.get()><span class="mark">{word(app, R::IsHere)}</span></Show>
            </header>
            {user.map(|text| view! { <p class="tree-said-user">{text}</p> })}
            {said.map(|text| view! { <p class="tree-said">{text}</p> })}
            <input
                class="tree-name-input"
                data-testid="tree-name"
                aria-label=word(app, R::Name)
                placeholder=word(app, R::NamePlaceholder)
                maxlength="60"
                autocomplete="off"
                disabled=blocked
                prop:value=move || name.get()
                on:change=move |event| rename(event_target_value(&event))
            />
            <div class="row">
                <button class="button" data-testid="tree-go" disabled=move || blocked() || is_here.get()
                    on:click=move |_| tree.go(place.get_value())>{word(app, R::GoThere)}</button>
                <button class="button quiet" data-testid="tree-branch" disabled=blocked on:click=branch_here>{word(app, R::BranchHere)}</button>
                <button class="button quiet" data-testid="tree-compare" disabled=move || is_here.get()
                    on:click=move |_| tree.comparing.set(Some(place.get_value()))>{word(app, R::CompareHere)}</button>
                {has_parent.then(|| view! {
                    <button class="button quiet danger" data-testid="tree-delete" disabled=blocked
                        on:click=move |_| spawn_local(tree.discard(place.with_value(|at| at.branch.clone())))>
                        {word(app, R::DeleteBranch)}
                    </button>
                })}
                <button class="button quiet" data-testid="tree-close" on:click=move |_| tree.selected.set(None)>{common(app, T::Close)}</button>
            </div>
        </article>
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
