//! The prompt inspector (E7): what the model was told at a turn, by block, and why.

use std::sync::Arc;

use leptos::{prelude::*, task::spawn_local};

use super::{
    about::took,
    app::App,
    costs::TurnCosts,
    panels::Side,
    presets::role_name,
    state::{Tab, TurnView},
};
use crate::{
    locales::{T, fill, lore, memory, mind::T as M, prompts, sampling},
    prompt::{
        difference::{self, Change, Difference},
        sources,
    },
    story::{
        account::{Account, AccountBlock, Recapped, Reckoned},
        company,
        generation::Usage,
        ids::{GenerationId, StorylineId, TurnId},
        preset::Role,
        spending::Spent,
        tree::{Node, Path},
        warning::Planning,
    },
};

/// The turn that the reader asked about, and its story; in every other, and with `None`, it is the newest.
#[derive(Clone, Copy, Default)]
pub struct Inspected {
    turn: RwSignal<Option<(StorylineId, TurnId)>>,
}

impl Inspected {
    pub fn here() -> Self {
        expect_context()
    }

    /// Opens the notebook at the prompt of a turn.
    pub fn show(self, app: App, turn: TurnId) {
        self.turn.set(app.story.id().map(|story| (story, turn)));
        app.notebook_tab.set(Tab::Prompt);
        app.panels.show(Side::Notebook);
    }
}

/// What a prompt came to, and the reply that it was for. The account itself is read where it is shown.
#[derive(Clone, PartialEq)]
struct Told {
    reply: GenerationId,
    position: u32,
    model: String,
    usage: Option<Usage>,
    planning: Option<Planning>,
    spent: Vec<Spent>,
    prompt: Reckoned,
}

/// Of which turn along which path, and what that was told; without the latter it is gone, and has not only left the page.
type Own = (Option<TurnId>, Arc<Path>, Option<Option<Told>>);

fn told(node: &Node) -> Option<Told> {
    let reply = node.reply()?;
    Some(Told {
        reply: reply.id.clone(),
        position: reply.position,
        model: reply.model.clone(),
        usage: reply.usage,
        planning: reply.planning(),
        spent: reply.spent(),
        prompt: reply.prompt?,
    })
}

#[component]
pub fn Inspector() -> impl IntoView {
    let app = App::here();
    let Inspected { turn } = Inspected::here();
    let asked = Memo::new(move |_| {
        let story = app.story.storyline.with(|story| story.as_ref().map(|story| story.id.clone()))?;
        turn.get().filter(|(of, _)| *of == story).map(|(_, turn)| turn)
    });
    let newest = app.story.newest(told);
    let own = Memo::new(move |before: Option<&Own>| {
        let (asked, path) = (asked.get(), app.story.path.get());
        let found = app.story.turns.with(|turns| {
            let is_it = |view: &&TurnView| view.node.with(|node| Some(&node.turn.id) == asked.as_ref());
            turns.iter().find(is_it).map(|view| view.node.with(|node| told(node)))
        });
        let was = || before.filter(|(of, along, _)| *of == asked && *along == path).and_then(|(.., was)| was.clone());
        let own = found.or_else(was);
        (asked, path, own)
    });
    let here = Memo::new(move |_| own.with(|(.., own)| own.clone()).unwrap_or_else(|| newest.get()));
    let is_asked = move || asked.with(Option::is_some);
    view! {
        <div class="inspector" data-testid="prompt-panel">
            <Show when=is_asked>
                <button type="button" class="button quiet" data-testid="prompt-newest" on:click=move |_| turn.set(None)>{app.t(T::PromptNewest)}</button>
            </Show>
            // Keyed: what one prompt has unfolded says nothing about another.
            <For each=move || here.get() key=|told| (told.reply.clone(), told.prompt.raw_tokens, told.usage.is_some(), told.spent.iter().map(|line| line.calls).sum::<u32>()) let:told>
                <Prompt told />
            </For>
            <Show when=move || here.with(Option::is_none)>
                <p class="empty">{app.t(if is_asked() { T::PromptUnread } else { T::PromptNone })}</p>
            </Show>
        </div>
    }
}

#[component]
fn Prompt(told: Told) -> impl IntoView {
    let app = App::here();
    let Told { reply, position: at, model, usage, planning, spent, prompt } = told;
    let (position, total) = (at.to_string(), prompt.tokens.to_string());
    let usage = usage.map(|usage| [usage.prompt_tokens.to_string(), usage.completion_tokens.to_string()]);
    let (account, before) = (RwSignal::new(None::<Account>), RwSignal::new(None::<Account>));
    let path = app.story.path.get_untracked();
    spawn_local(async move {
        account.try_set(account_of(app, &reply).await);
        before.try_set(account_before(app, &path, at).await);
    });
    let blocks = move || {
        let blocks = account.with(|account| account.as_ref().map(|account| account.blocks.clone())).unwrap_or_default();
        blocks.into_iter().map(|block| view! { <Block block /> }).collect_view()
    };
    let left_out = move || {
        let parameters = account.with(|account| account.as_ref().map(|account| account.left_out.clone()))?;
        let names = sampling::names(&parameters, app.language.get());
        (!names.is_empty()).then(|| fill(app.t(sampling::T::NotTaken)(), &[&names]))
    };
    let difference = move || {
        account.with(|account| before.with(|before| Some(difference::between(before.as_ref()?, account.as_ref()?))))
    };
    view! {
        <section class="note-section">
            <h2>
                {move || fill(app.t(T::PromptOf)(), &[&position])}
                <span data-testid="prompt-total">{move || fill(app.t(T::Tokens)(), &[&total])}</span>
            </h2>
            <p class="inspector-model" data-testid="prompt-model">{model}</p>
            {usage.map(|usage| view! {
                <p class="inspector-usage number" data-testid="prompt-usage">
                    {move || fill(app.t(T::PromptUsage)(), &usage.each_ref().map(String::as_str))}
                </p>
            })}
            {planning.map(|planning| view! {
                <p class="inspector-usage number" data-testid="prompt-planning">
                    {move || format!("{} · {}", M::Plan.text(app.language.get()), took(&planning, app.language.get()))}
                </p>
            })}
            {move || left_out().map(|left_out| view! { <p class="inspector-usage" data-testid="prompt-left-out">{left_out}</p> })}
            <TurnCosts spent />
            <ul class="prompt-blocks">{blocks}</ul>
        </section>
        {move || difference().map(|differences| view! { <Differences differences /> })}
    }
}

/// The prompt of the turn before, as the path has it.
async fn account_before(app: App, path: &Path, position: u32) -> Option<Account> {
    let before = position.checked_sub(1)?;
    let nodes = app.desk().turns(path, before..position).await.ok()?;
    let reply = nodes.first()?.reply()?;
    reply.prompt?;
    account_of(app, &reply.id).await
}

/// What a reply's prompt said.
pub async fn account_of(app: App, reply: &GenerationId) -> Option<Account> {
    match app.desk().load(reply.as_str()).await {
        Ok(account) => account,
        Err(error) => {
            app.notify_store(error);
            None
        }
    }
}

#[component]
fn Block(block: AccountBlock) -> impl IntoView {
    let app = App::here();
    let text = RwSignal::new(None::<Vec<String>>);
    let block = StoredValue::new(block);
    let with = move |read: fn(&AccountBlock) -> String| block.with_value(read);
    let identifier = with(|block| block.identifier.clone());
    let tokens = with(|block| block.tokens.to_string());
    let name = move || {
        let language = app.language.get();
        block.with_value(|block| match (block.name.trim(), block.source.as_str()) {
            ("", "") => block.identifier.clone(),
            ("", source) => prompts::source(source, language).to_owned(),
            (name, _) => name.to_owned(),
        })
    };
    let origin = move || {
        let language = app.language.get();
        let role = app.t(role_name(block.with_value(|block| block.role)))();
        let source = with(|block| block.source.clone());
        let depth = block.with_value(|block| block.depth);
        let source = (!source.is_empty()).then(|| prompts::source(&source, language).to_owned());
        let depth = depth.map(|depth| fill(app.t(T::PromptAtDepth)(), &[&depth.to_string()]));
        std::iter::once(role.to_owned()).chain(source).chain(depth).collect::<Vec<_>>().join(" · ")
    };
    let why = move || {
        let language = app.language.get();
        block.with_value(|block| {
            // That of the block, then those of its single entries.
            let mut reasons = block.reason.lines();
            let own = reasons.next().map(|reason| prompts::why(reason, language).to_owned());
            let (of_lore, of_memory): (Vec<_>, Vec<_>) = reasons.partition(|reason| lore::is_reason(reason));
            own.into_iter()
                .chain(memory::because(&of_memory, language))
                .chain(lore::because(&of_lore, language))
                .collect::<Vec<_>>()
                .join("\n")
        })
    };
    let trimmed = move || {
        block.with_value(|block| {
            let text = if block.source == sources::HISTORY { T::PromptTrimmed } else { T::PromptTrimmedEntries };
            (block.trimmed > 0).then(|| fill(app.t(text)(), &[&block.trimmed.to_string()]))
        })
    };
    let unheard = move || {
        let turns = block.with_value(|block| company::count(&block.unheard));
        (turns > 0).then(|| prompts::unheard(turns, app.language.get()))
    };
    let turns = move || {
        block.with_value(|block| {
            let first = block.recap.as_ref().and_then(|recap| recap.turns);
            let stretches = first.into_iter().chain(block.from.zip(block.to));
            let told = stretches.map(|(from, to)| fill(app.t(T::PromptTurns)(), &[&from.to_string(), &to.to_string()]));
            Some(told.collect::<Vec<_>>().join(" · ")).filter(|told| !told.is_empty())
        })
    };
    let unfold = move |_| {
        if text.with_untracked(Option::is_none) {
            let block = block.get_value();
            spawn_local(async move {
                text.try_set(Some(words_of(app, &block).await));
            });
        }
    };
    view! {
        <li class="prompt-block" data-testid="prompt-block" data-block=identifier>
            <details on:toggle=unfold>
                <summary>
                    <b>{name}</b>
                    <span class="number">{move || fill(app.t(T::Tokens)(), &[&tokens])}</span>
                    <span class="prompt-origin">{origin}</span>
                    <span class="prompt-why">{why}</span>
                    {move || turns().map(|turns| view! { <span class="prompt-turns">{turns}</span> })}
                    {move || unheard().map(|unheard| view! { <em data-testid="prompt-unheard">{unheard}</em> })}
                    {move || trimmed().map(|trimmed| view! { <em>{trimmed}</em> })}
                </summary>
                <div class="prompt-text" data-testid="prompt-text">
                    {move || text.get().map(|parts| match parts.is_empty() {
                        true => view! { <p class="empty">{app.t(T::PromptNoText)}</p> }.into_any(),
                        false => parts.into_iter().map(|part| view! { <p>{part}</p> }).collect_view().into_any(),
                    })}
                </div>
            </details>
        </li>
    }
}

/// What a block said; of the history, its turns as they stand now. Empty where it was not kept.
pub async fn words_of(app: App, block: &AccountBlock) -> Vec<String> {
    let mut words = match &block.text_in {
        Some(earlier) => kept_with(app, earlier, block).await,
        None if block.text.trim().is_empty() => Vec::new(),
        None => vec![block.text.clone()],
    };
    let (sources::HISTORY, Some(from), Some(to)) = (block.source.as_str(), block.from, block.to) else {
        return words;
    };
    if let Some(Recapped { turns, text }) = &block.recap {
        let nodes = match turns {
            Some((first, last)) => turns_of(app, *first, *last).await,
            None => Vec::new(),
        };
        let said = nodes.iter().flat_map(|node| sources::history::told(node, block.shown_only));
        words.extend(said.map(|(_, text)| text.into_owned()));
        words.push(text.clone());
    }
    let mut nodes = turns_of(app, from, to).await;
    nodes.retain(|node| !company::is_in(&block.unheard, node.turn.position));
    let last = to;
    let said = nodes.iter().flat_map(|node| {
        let is_last = node.turn.position == last && last > 0 && !block.past;
        // The last turn is the one to answer: its reply came after.
        sources::history::told(node, block.shown_only)
            .into_iter()
            .filter(move |(role, _)| !is_last || *role == Role::User)
    });
    words.extend(said.map(|(_, text)| text.into_owned()));
    words
}

async fn turns_of(app: App, from: u32, to: u32) -> Vec<Node> {
    let path = app.story.path.get_untracked();
    app.desk().turns(&path, from..to + 1).await.unwrap_or_else(|error| {
        app.notify_store(error);
        Vec::new()
    })
}

/// The same words, kept with an earlier reply.
async fn kept_with(app: App, earlier: &GenerationId, block: &AccountBlock) -> Vec<String> {
    let Some(account) = account_of(app, earlier).await else { return Vec::new() };
    let mut same = account
        .blocks
        .into_iter()
        .filter(|kept| kept.identifier == block.identifier && kept.says_as(block) && !kept.text.trim().is_empty());
    same.next().map(|kept| kept.text).into_iter().collect()
}

#[component]
fn Differences(differences: Vec<Difference>) -> impl IntoView {
    let app = App::here();
    let rows = differences
        .into_iter()
        .map(|Difference { identifier, name, source, change, before, after }| {
            let (label, kind) = match change {
                Change::Added => (T::PromptAdded, "added"),
                Change::Gone => (T::PromptGone, "gone"),
                Change::Changed => (T::PromptChanged, "changed"),
            };
            let shown = identifier.clone();
            let name = move || match (name.trim(), source.as_str()) {
                ("", "") => shown.clone(),
                ("", source) => prompts::source(source, app.language.get()).to_owned(),
                (name, _) => name.to_owned(),
            };
            view! {
                <li class="prompt-change" data-testid="prompt-change" data-block=identifier data-change=kind>
                    <b>{name}</b>
                    <span>{app.t(label)}</span>
                    <span class="number">{format!("{before} → {after}")}</span>
                </li>
            }
        })
        .collect::<Vec<_>>();
    let body = if rows.is_empty() {
        view! { <p class="empty">{app.t(T::PromptSame)}</p> }.into_any()
    } else {
        view! { <ul>{rows}</ul> }.into_any()
    };
    view! {
        <section class="note-section" data-testid="prompt-difference">
            <h2>{app.t(T::PromptDifference)}</h2>
            {body}
        </section>
    }
}
