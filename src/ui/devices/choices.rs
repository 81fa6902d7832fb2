//! What comes to this device, and what goes.

use leptos::{prelude::*, task::spawn_local};

use super::run::Devices;
use crate::{locales::devices::T, sync::Site, ui::app::App};

#[component]
pub fn Choices() -> impl IntoView {
    view! {
        {choice("devices-seen", T::OnlySeen, T::OnlySeenNote, |site| site.only_seen, |site, on| site.only_seen = on)}
        {choice("devices-vectors", T::Vectors, T::VectorsNote, |site| site.vectors, |site, on| site.vectors = on)}
    }
}

fn choice(testid: &'static str, label: T, note: T, get: fn(&Site) -> bool, set: fn(&mut Site, bool)) -> AnyView {
    let app = App::here();
    let site = Devices::here().site;
    let is_on = move || site.with(|site| site.as_ref().is_some_and(get));
    let flip = move |event| {
        let on = event_target_checked(&event);
        spawn_local(async move {
            let devices = Devices::here();
            match app.desk().change_site(|site| set(site, on)).await {
                Ok(site) => devices.site.set(site),
                Err(error) => return app.notify_store(error),
            }
            devices.round(app).await;
        });
    };
    let noted = format!("{testid}-note");
    view! {
        <div class="field">
            <label class="check">
                <input type="checkbox" data-testid=testid aria-describedby=noted.clone() prop:checked=is_on on:change=flip />
                {app.t(label)}
            </label>
            <p class="field-note" id=noted>{app.t(note)}</p>
        </div>
    }
    .into_any()
}
