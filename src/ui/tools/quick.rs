//! A set of quick replies.

use leptos::prelude::*;

use super::{
    Shelf, T,
    card::{Row, head, row},
};
use crate::{
    desk::tools::{
        moved,
        quick::{QuickDraft, is_same, place_of},
    },
    story::{
        ids::QuickSetId,
        quick::{QuickReply, QuickSet},
    },
    ui::{
        app::App,
        fields::{CheckField, TextArea, TextField},
    },
};

/// What is done to the reply that stands there.
type Change = Box<dyn FnOnce(&mut QuickSet, usize)>;

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
        shelf.change::<QuickSet>(key.get_value(), |set| set.add(QuickReply::default()));
    });
    let count = Memo::new(move |_| set.with(|set| set.as_ref().map_or(0, |set| set.replies.len())));
    let check = move |switch: &'static Switch| {
        let keep = move |on: bool| shelf.change::<QuickSet>(key.get_value(), move |set| (switch.set)(set, on));
        let is_on = Signal::derive(move || set.with(|set| set.as_ref().is_some_and(switch.get)));
        view! { <CheckField label=app.t(switch.label) is_on set=keep testid=switch.testid /> }
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

/// Not each has a number, and a file may give one to two: a row is a place. What is done to a reply finds it as it was held.
fn item(shelf: Shelf, set: Memo<Option<QuickSet>>, key: StoredValue<String>, at: usize) -> AnyView {
    let app = shelf.app;
    let reply = Memo::new(move |_| {
        set.with(|set| set.as_ref().and_then(|set| set.replies.get(at).cloned())).unwrap_or_default()
    });
    let open = RwSignal::new(reply.with_untracked(|reply| reply.message.is_empty()));
    let change = move |held: QuickReply, change: Change| {
        shelf.change::<QuickSet>(key.get_value(), move |set| {
            if let Some(at) = place_of(set, at, &held) {
                change(set, at);
            }
        });
    };
    let title = move || match reply.with(QuickReply::caption) {
        caption if caption.is_empty() => app.t(T::NewName)().to_owned(),
        caption => caption,
    };
    let told = Row {
        kind: "quick-reply",
        title: Signal::derive(title),
        line: Signal::derive(move || reply.with(|reply| reply.message.clone())),
        fault: Signal::stored(None),
        is_on: Signal::derive(move || reply.with(|reply| !reply.is_hidden)),
        switch: Callback::new(move |on: bool| {
            change(reply.get_untracked(), Box::new(move |set, at| set.replies[at].is_hidden = !on));
        }),
        shift: Callback::new(move |down| {
            change(reply.get_untracked(), Box::new(move |set, at| moved(&mut set.replies, at, down)));
        }),
        remove: Callback::new(move |()| {
            let held = reply.get_untracked();
            let find = move |set: &QuickSet| place_of(set, at, &held);
            shelf.take_out(key.get_value(), |set: &mut QuickSet| &mut set.replies, find, untrack(title));
        }),
        open,
    };
    let form = move || {
        let save = Callback::new(move |(held, typed): (QuickReply, QuickDraft)| {
            let begun = QuickDraft::of(&held);
            change(held, Box::new(move |set, at| typed.apply(&begun, &mut set.replies[at])));
        });
        view! { <QuickForm app reply save /> }.into_any()
    };
    row(app, told, form)
}

#[component]
fn QuickForm(app: App, reply: Memo<QuickReply>, save: Callback<(QuickReply, QuickDraft)>) -> impl IntoView {
    let held = StoredValue::new(reply.get_untracked());
    let QuickDraft { label, message } = held.with_value(QuickDraft::of);
    let (label, message) = (RwSignal::new(label), RwSignal::new(message));
    let typed = move || QuickDraft { label: label.get_untracked(), message: message.get_untracked() };
    let keep = move |_| {
        save.run((held.get_value(), typed()));
        // What is kept is what the form goes on from.
        held.update_value(|held| typed().apply(&QuickDraft::of(held), held));
    };
    // Where another comes to stand here, the form is its; of the same, what is being typed stays.
    Effect::new(move |_| {
        let now = reply.get();
        let stands = QuickDraft::of(&now);
        let shown = match held.with_value(|held| is_same(held, &now)) {
            true => typed().after(&held.with_value(QuickDraft::of), &stands),
            false => stands,
        };
        held.set_value(now);
        label.set(shown.label);
        message.set(shown.message);
    });
    view! {
        <div class="form tool-form" data-testid="quick-form" on:change=keep>
            <TextField label=app.t(T::Label) value=label testid="quick-label" />
            <TextArea label=app.t(T::Message) value=message testid="quick-message" rows=2 />
        </div>
    }
}
