//! A set of regex scripts.

use leptos::prelude::*;

use super::{
    Shelf, T,
    card::{Row, head, row},
    fresh,
    script::ScriptForm,
};
use crate::{
    desk::tools::{ScriptDraft, moved, script_fault},
    locales::tools::draft_fault,
    story::{
        ids::ScriptSetId,
        script::{Script, ScriptSet},
    },
};

#[component]
pub(super) fn ScriptCard(shelf: Shelf, id: ScriptSetId) -> impl IntoView {
    let app = shelf.app;
    let key = id.0.clone();
    let set = Memo::new(move |_| shelf.scripts.with(|sets| sets.iter().find(|set| set.id == id).cloned()));
    // The newest one stands open, where it has nothing yet.
    let newest = RwSignal::new(None::<String>);
    let add = {
        let key = key.clone();
        Callback::new(move |()| {
            let script = fresh(app.browser().ports.id());
            newest.set(Some(script.id.clone()));
            shelf.change::<ScriptSet>(key.clone(), |set| set.scripts.push(script));
        })
    };
    let ids = move || {
        set.with(|set| set.iter().flat_map(|set| &set.scripts).map(|script| script.id.clone()).collect::<Vec<_>>())
    };
    view! {
        <section class="tool-set" data-testid="scripts-set">
            {head(shelf, set, add)}
            <ul class="tool-rows">
                <For each=ids key=|id| id.clone() let:id>
                    {item(shelf, set, key.clone(), id, newest)}
                </For>
            </ul>
        </section>
    }
}

fn item(
    shelf: Shelf,
    set: Memo<Option<ScriptSet>>,
    key: String,
    id: String,
    newest: RwSignal<Option<String>>,
) -> AnyView {
    let app = shelf.app;
    let script = {
        let id = id.clone();
        let found =
            move |set: &Option<ScriptSet>| set.iter().flat_map(|set| &set.scripts).find(|one| one.id == id).cloned();
        Memo::new(move |_| set.with(&found).unwrap_or_default())
    };
    let is_new = script.with_untracked(|script| script.find_regex.is_empty() && script.script_name.is_empty());
    let open = RwSignal::new(is_new && newest.get_untracked().is_none_or(|newest| newest == id));
    let title = move || match script.with(|script| script.script_name.clone()) {
        name if name.trim().is_empty() => app.t(T::NewName)().to_owned(),
        name => name,
    };
    let fault = move || {
        let why = script.with(|script| (!script.find_regex.is_empty()).then(|| script_fault(script)).flatten());
        why.filter(|_| !open.get()).map(|why| draft_fault(&why, app.language.get()))
    };
    // All that is done to it finds it by its id: meanwhile it may stand elsewhere.
    let change = {
        let (key, id) = (key.clone(), id.clone());
        move |change: Box<dyn FnOnce(&mut Script)>| {
            let id = id.clone();
            shelf.change::<ScriptSet>(key.clone(), move |set| {
                if let Some(script) = set.scripts.iter_mut().find(|script| script.id == id) {
                    change(script);
                }
            });
        }
    };
    let switch = {
        let change = change.clone();
        Callback::new(move |on: bool| change(Box::new(move |script| script.disabled = !on)))
    };
    let shift = {
        let (key, id) = (key.clone(), id.clone());
        Callback::new(move |down: bool| {
            let id = id.clone();
            shelf.change::<ScriptSet>(key.clone(), move |set| {
                if let Some(at) = set.scripts.iter().position(|script| script.id == id) {
                    moved(&mut set.scripts, at, down);
                }
            });
        })
    };
    let remove = {
        let (key, id) = (key.clone(), id.clone());
        Callback::new(move |()| {
            let (id, name) = (id.clone(), untrack(title));
            let find = move |set: &ScriptSet| set.scripts.iter().position(|script| script.id == id);
            shelf.take_out(key.clone(), |set: &mut ScriptSet| &mut set.scripts, find, name);
        })
    };
    let save = Callback::new(move |(begun, typed): (ScriptDraft, ScriptDraft)| {
        change(Box::new(move |script| typed.apply(&begun, script)))
    });
    let told = Row {
        kind: "script",
        title: Signal::derive(title),
        line: Signal::derive(move || script.with(|script| script.find_regex.clone())),
        fault: Signal::derive(fault),
        is_on: Signal::derive(move || script.with(|script| !script.disabled)),
        switch,
        shift,
        remove,
        open,
    };
    row(app, told, move || view! { <ScriptForm app script save /> }.into_any())
}
