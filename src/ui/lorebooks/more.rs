//! What few entries say.

use leptos::prelude::*;

use super::{controls::Opened, words::say};
use crate::{
    desk::lorebooks::Number as N,
    locales::lorebooks::T as L,
    story::lorebook::{Entry, Filter},
    ui::fields::CheckField,
};

pub fn fields(entry: Opened) -> impl IntoView {
    let app = entry.app;
    let part = |heading: L, fields: AnyView| {
        view! {
            <fieldset class="form plain-fieldset lore-part">
                <legend>{say(app, heading)}</legend>
                {fields}
            </fieldset>
        }
    };
    let scan = view! {
        <div class="columns">
            {entry.number(N::ScanDepth, L::ScanDepth, L::ScanDepthUnit, Some(L::AsBook), "lorebook-entry-scan-depth")}
            {entry.tristate(L::CaseSensitive, "lorebook-entry-case", |entry| &mut entry.case_sensitive)}
            {entry.tristate(L::WholeWords, "lorebook-entry-words", |entry| &mut entry.whole_words)}
        </div>
    };
    let groups = view! {
        {entry.names(L::Groups, "lorebook-entry-groups", |entry| entry.groups.clone(), |entry, groups| entry.groups = groups)}
        {entry.count(N::GroupWeight, L::GroupWeight, None, "lorebook-entry-weight")}
        {entry.check(L::GroupFirst, "lorebook-entry-first", |entry| &mut entry.group_first)}
    };
    let time = view! {
        <div class="columns">
            {entry.number(N::Sticky, L::Sticky, L::ScanDepthUnit, None, "lorebook-entry-sticky")}
            {entry.number(N::Cooldown, L::Cooldown, L::ScanDepthUnit, None, "lorebook-entry-cooldown")}
            {entry.number(N::Delay, L::Delay, L::ScanDepthUnit, None, "lorebook-entry-delay")}
        </div>
    };
    let recursion = view! {
        {entry.check(L::ExcludeRecursion, "lorebook-entry-exclude-recursion", |entry| &mut entry.exclude_recursion)}
        {entry.check(L::PreventRecursion, "lorebook-entry-prevent-recursion", |entry| &mut entry.prevent_recursion)}
        {entry.count(N::RecursionLevel, L::RecursionLevel, Some(L::RecursionLevelHint), "lorebook-entry-level")}
    };
    let room = view! {
        {entry.check(L::IgnoreBudget, "lorebook-entry-ignore-budget", |entry| &mut entry.ignore_budget)}
        {entry.count(N::Priority, L::Priority, Some(L::PriorityHint), "lorebook-entry-priority")}
    };
    let names = |entry: &Entry| entry.only.as_ref().map(|only| only.names.clone()).unwrap_or_default();
    let tags = |entry: &Entry| entry.only.as_ref().map(|only| only.tags.clone()).unwrap_or_default();
    let is_any = entry.follow(|entry| entry.only.is_some());
    let exclude = move || {
        let on = entry.get(|entry| entry.only.as_ref().is_some_and(|only| only.exclude)).unwrap_or_default();
        let set = move |on: bool| {
            entry.edit(|entry| entry.only.iter_mut().for_each(|only| only.exclude = on));
        };
        view! { <CheckField label=Signal::derive(say(app, L::Exclude)) is_on=Signal::stored(on) set testid="lorebook-entry-exclude" /> }
    };
    let whom = view! {
        <div class="columns">
            {entry.names(L::Names, "lorebook-entry-names", names, |entry, names| filter(entry, |only| only.names = names))}
            {entry.names(L::Tags, "lorebook-entry-tags", tags, |entry, tags| filter(entry, |only| only.tags = tags))}
        </div>
        <p class="field-note">{say(app, L::WhomHint)}</p>
        <Show when=move || is_any.get() == Some(true)>{exclude}</Show>
    };
    view! {
        <div class="form">
            {part(L::Scan, scan.into_any())}
            {part(L::Group, groups.into_any())}
            {part(L::Time, time.into_any())}
            {part(L::Recursion, recursion.into_any())}
            {part(L::Room, room.into_any())}
            {part(L::Whom, whom.into_any())}
        </div>
    }
}

/// Changes whom it is told of; nobody named: anybody.
fn filter(entry: &mut Entry, change: impl FnOnce(&mut Filter)) {
    let mut only = entry.only.take().unwrap_or_default();
    change(&mut only);
    entry.only = Some(only).filter(|only| !only.names.is_empty() || !only.tags.is_empty());
}
