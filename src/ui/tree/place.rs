//! A marked place of the tree: a turn with a name, a fork, a save point, a point of the outline that was finished.

use std::sync::Arc;

use leptos::{prelude::*, svg};

use super::{Tree, place_words, point_words};
use crate::{
    locales::tree::T as R,
    story::{layout::LayoutNode, tree::Head},
};

/// Letters of a name that are written beside its place.
const NAME: usize = 14;

#[component]
pub fn Place(
    tree: Tree,
    node: LayoutNode,
    stop: Memo<Option<Head>>,
    has_words: Memo<bool>,
    is_drag: Callback<(), bool>,
) -> impl IntoView {
    let app = tree.app;
    let element = NodeRef::<svg::G>::new();
    let at = StoredValue::new(node.at.clone());
    let is = move |place: &Option<Head>| at.with_value(|at| place.as_ref() == Some(at));
    let is_focused = Memo::new(move |_| tree.focused.with(is));
    Effect::new(move |_| {
        if let Some(element) = element.get().filter(|_| is_focused.get()) {
            let _ = element.focus();
        }
    });
    let tab = move || if stop.with(is) { "0" } else { "-1" };
    let facts = Arc::new(node.clone());
    let label = {
        let facts = facts.clone();
        move || {
            let mut words = vec![place_words(app, facts.at.end)];
            words.extend(facts.name.clone());
            words.extend(facts.points.iter().map(|(point, content)| point_words(app, *point, content)));
            let marks = [
                (facts.is_head, R::IsHere),
                (facts.is_bud, R::IsBud),
                (facts.is_fork, R::IsFork),
                (facts.others, R::HasOthers),
                (facts.saved, R::IsSaved),
                (facts.session, R::IsSession),
                (facts.untold, R::IsUntold),
            ];
            words.extend(marks.into_iter().filter(|(is, _)| *is).map(|(_, text)| app.t(text)().to_owned()));
            words.join(" · ")
        }
    };
    let LayoutNode { x, y, is_head, on_path, is_bud, is_fork, session, saved, others, points, name, .. } = node;
    let radius = if is_head {
        "6.5"
    } else if is_bud {
        "3.2"
    } else if is_fork || name.is_some() {
        "4.5"
    } else {
        "3.8"
    };
    let title = label.clone();
    let is_bead = !points.is_empty();
    let has_name = name.is_some();
    let point = points.into_iter().last().map(|(point, _)| point.to_string());
    let short = name.or(point).map(|name| match name.char_indices().nth(NAME) {
        Some((at, _)) => format!("{}…", &name[..at]),
        None => name,
    });
    let name_class = if has_name { "tree-name" } else { "tree-name tree-point" };
    view! {
        <g
            node_ref=element
            class="tree-node"
            class:head=is_head
            class:seen=on_path
            class:bud=is_bud
            class:saved=saved
            role="treeitem"
            data-testid="tree-node"
            data-branch=facts.at.branch.0.clone()
            data-turn=facts.at.end.saturating_sub(1).to_string()
            data-bud=is_bud.to_string()
            data-others=others.to_string()
            data-point=is_bead.to_string()
            aria-label=label
            aria-current=is_head.then_some("true")
            aria-selected=move || tree.selected.with(is).to_string()
            tabindex=tab
            transform=format!("translate({x} {y})")
            on:click=move |_| if !is_drag.run(()) {
                tree.selected.set(Some(at.get_value()));
                tree.focused.set(Some(at.get_value()));
            }
            on:focus=move |_| tree.focused.set(Some(at.get_value()))
            on:blur=move |event| if event.related_target().is_some() && is_focused.get_untracked() { tree.focused.set(None) }
            on:keydown=move |event| if event.key() == "Enter" { event.prevent_default(); tree.go(at.get_value()) }
        >
            <title>{title}</title>
            <circle class="tree-touch" r="12" />
            {others.then(|| view! {
                <path class="tree-twig" d="M0 0C-7 1 -10 5 -10.5 10" />
                <circle class="tree-other" cx="-10.5" cy="12" r="2.6" />
            })}
            {session.then(|| view! { <path class="tree-session" d="M-9 9H9" /> })}
            {saved.then(|| view! { <path class="tree-saved" d="M-3.5 -17h7v9l-3.5-2.6-3.5 2.6z" /> })}
            <circle class="tree-dot" r=radius />
            {is_bead.then(|| view! { <path class="tree-bead" d="M0 -5.5L5.5 0L0 5.5L-5.5 0z" /> })}
            {move || short.clone().filter(|_| has_words.get()).map(|name| view! { <text class=name_class x="11" y="4">{name}</text> })}
        </g>
    }
}
