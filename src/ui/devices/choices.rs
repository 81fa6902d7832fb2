//! What comes to this device, and what goes.

use leptos::{prelude::*, task::spawn_local};

use super::run::Devices;
use crate::{
    locales::devices::T,
    sync::Site,
    ui::{app::App, fields::CheckField},
};

#[component]
pub fn Choices() -> impl IntoView {
    view! {
        <div class="form devices-choices">
            {choice("devices-seen", T::OnlySeen, T::OnlySeenNote, |site| site.only_seen, |site, on| site.only_seen = on)}
            {choice("devices-vectors", T::Vectors, T::VectorsNote, |site| site.vectors, |site, on| site.vectors = on)}
        </div>
    }
}

fn choice(testid: &'static str, label: T, hint: T, get: fn(&Site) -> bool, set: fn(&mut Site, bool)) -> AnyView {
    let app = App::here();
    let site = Devices::here().site;
    let is_on = Signal::derive(move || site.with(|site| site.as_ref().is_some_and(get)));
    let set = move |on: bool| {
        spawn_local(async move {
            let devices = Devices::here();
            match app.desk().change_site(|site| set(site, on)).await {
                Ok(site) => devices.site.set(site),
                Err(error) => return app.notify_store(error),
            }
            devices.next_round(app).await;
        });
    };
    view! { <CheckField label=app.t(label) is_on set testid hint=app.t(hint) /> }.into_any()
}
