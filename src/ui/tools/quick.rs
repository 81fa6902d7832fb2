//! A set of quick replies.

use leptos::prelude::*;

use super::{
    Shelf, T,
    card::{Row, head, row},
    word,
};
use crate::{
    desk::tools::moved,
    story::{
        ids::QuickSetId,
        quick::{QuickReply, QuickSet},
    },
    ui::{
        app::App,
        fields::{TextArea, TextField},
    },
};

/// A switch of the whole set.
struct Switch {
    testid: &'static str,
    label: T,
    get: fn(&QuickSet) -> bool,
    set: fn(&mut QuickSet, bool),
}

const SWITCHES: [Switch; 3] = [
    Switch {
        testid: "quick-no-send",
        label: T::DoNotSend,
        get: |set| set.disable_send,
        set: |set, on| set.disable_send = on,
    },
    Switch {
        testid: "quick-with-input",
        label: T::WithInput,
        get: |set| set.inject_input,
        set: |set, on| set.inject_input = on,
    },
    Switch {
        testid: "quick-before-input",
        label: T::BeforeInput,
        get: |set| set.place_before_input,
        set: |set, on| set.place_before_input = on,
    },
];

#[component]
pub(super) fn QuickCard(shelf: Shelf, id: QuickSetId) -> impl IntoView {
    let app = shelf.app;
    let key = StoredValue::new(id.0.clone());
    let set = Memo::new(move |_| shelf.quick.with(|sets| sets.iter().find(|set| set.id == id).cloned()));
    let add = Callback::new(move |()| {
        shelf.change::<QuickSet>(key.get_value(), |set| set.replies.push(QuickReply::default()));
    });
    let count = Memo::new(move |_| set.with(|set| set.as_ref().map_or(0, |set| set.replies.len())));
    let check = move |switch: &'static Switch| {
        let keep = move |event| {
            let on = event_target_checked(&event);
            shelf.change::<QuickSet>(key.get_value(), move |set| (switch.set)(set, on));
        };
        view! {
            <label class="check">
                <input type="checkbox" data-testid=switch.testid
                    prop:checked=move || set.with(|set| set.as_ref().is_some_and(switch.get)) on:change=keep />
                {word(app, switch.label)}
            </label>
        }
    };
    view! {
        <section class="tool-set" data-testid="quick-set">
            {head(shelf, set, add)}
            <div class="tool-switches">{SWITCHES.iter().map(check).collect_view()}</div>
            <ul class="tool-rows">
                <For each=move || 0..count.get() key=|at| *at let:at>{item(shelf, set, key, at)}</For>
            </ul>
        </section>
    }
}

/// Quick replies have no ids that can be relied on: a row is a place.
fn item(shelf: Shelf, set: Memo<Option<QuickSet>>, key: StoredValue<String>, at: usize) -> AnyView {
    let app = shelf.app;
    let reply = Memo::new(move |_| {
        set.with(|set| set.as_ref().and_then(|set| set.replies.get(at).cloned())).unwrap_or_default()
    });
    let open = RwSignal::new(reply.with_untracked(|reply| reply.message.is_empty()));
    let change = move |change: Box<dyn FnOnce(&mut QuickReply)>| {
        shelf.change::<QuickSet>(key.get_value(), move |set| {
            if let Some(reply) = set.replies.get_mut(at) {
                change(reply);
            }
        });
    };
    let title = move || match reply.with(QuickReply::caption) {
        caption if caption.is_empty() => word(app, T::NewName)().to_owned(),
        caption => caption,
    };
    let told = Row {
        kind: "quick-reply",
        title: Signal::derive(title),
        line: Signal::derive(move || reply.with(|reply| reply.message.clone())),
        fault: Signal::stored(None),
        is_on: Signal::derive(move || reply.with(|reply| !reply.is_hidden)),
        switch: Callback::new(move |on: bool| change(Box::new(move |reply| reply.is_hidden = !on))),
        shift: Callback::new(move |down| {
            shelf.change::<QuickSet>(key.get_value(), move |set| moved(&mut set.replies, at, down));
        }),
        remove: Callback::new(move |()| {
            shelf.change::<QuickSet>(key.get_value(), move |set| {
                if at < set.replies.len() {
                    set.replies.remove(at);
                }
            });
        }),
        open,
    };
    // Where another comes to stand here, the form is its.
    let form = move || {
        let held = reply.get_untracked();
        let save = Callback::new(move |(label, message): (String, String)| {
            change(Box::new(move |reply| (reply.label, reply.message) = (label, message)));
        });
        view! { <QuickForm app held now=reply save /> }.into_any()
    };
    row(app, told, form)
}

#[component]
fn QuickForm(app: App, held: QuickReply, now: Memo<QuickReply>, save: Callback<(String, String)>) -> impl IntoView {
    let (label, message) = (RwSignal::new(held.label), RwSignal::new(held.message));
    Effect::watch(
        move || now.get(),
        move |now, _, _| {
            label.set(now.label.clone());
            message.set(now.message.clone());
        },
        false,
    );
    view! {
        <div class="form tool-form" data-testid="quick-form" on:change=move |_| save.run((label.get_untracked(), message.get_untracked()))>
            <TextField label=word(app, T::Label) value=label testid="quick-label" />
            <TextArea label=word(app, T::Message) value=message testid="quick-message" rows=2 />
        </div>
    }
}
