//! The settings: ways to a model and their keys, the look of the page, the limits of a prompt, what is stored.

mod connection_form;
mod connections;
mod data;
mod draft;
mod editor;
mod embedding;
mod keys;
mod limits;
mod look;
mod prices;
mod provider;
pub mod remind;
mod sessions;
mod story;
mod trial;
mod unsaved;
mod work;

use leptos::prelude::*;

pub use self::keys::{Refused, VaultRefusal, keeping_name, keeping_named};
use self::{
    connections::ModelConnections,
    data::Data,
    keys::Keys,
    limits::PromptLimits,
    look::Appearance,
    unsaved::{LeaveSettings, Unsaved},
};
pub use self::{
    connections::reload,
    draft::address_of,
    limits::WholeNumber,
    remind::after_turn,
    sessions::PausedNote,
    story::{StorySettings, mirror, mirror_of},
};
use super::{app::App, costs::AllCosts, devices::SeveralDevices, offline::OnThisDevice};
use crate::locales::T;

#[component]
pub fn Settings() -> impl IntoView {
    let app = App::here();
    provide_context(Keys::new(app));
    let unsaved = Unsaved::new();
    provide_context(unsaved);
    view! {
        <section class="sheet-page settings">
            <h1>{app.t(T::Settings)}</h1>
            <LeaveSettings unsaved />
            <ModelConnections />
            <Appearance />
            <PromptLimits />
            <AllCosts />
            <Data />
            <SeveralDevices />
            <OnThisDevice />
        </section>
    }
}
