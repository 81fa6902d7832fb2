//! The face of a character in its editor: seen, chosen, taken away.

use leptos::{prelude::*, task::spawn_local};

use super::files::{PICTURES, chosen, read_picture};
use crate::{
    locales::{Saying, T},
    ui::{
        app::App,
        avatar::{Avatar, Face},
        icons::{Icon, Shape},
    },
};

#[component]
pub fn FaceField(face: RwSignal<Face>, name: RwSignal<String>) -> impl IntoView {
    let app = App::here();
    let fault = RwSignal::new(None::<Saying>);
    let choose = move |event| {
        let Some(file) = chosen(&event).into_iter().next() else { return };
        spawn_local(async move {
            match read_picture(&file).await {
                Ok(portrait) => {
                    face.try_set(Face::Chosen(portrait.into()));
                    fault.try_set(None);
                }
                Err(why) => {
                    fault.try_set(Some(why));
                }
            }
        });
    };
    let remove = move |_| {
        face.set(Face::Stored(None));
        fault.set(None);
    };
    view! {
        <div class="face-field" role="group" aria-label=app.t(T::Avatar)>
            <Avatar face name />
            <div class="row">
                <label class="button file-button">
                    <Icon shape=Shape::IMAGE />
                    {app.t(T::ChoosePicture)}
                    <input
                        class="visually-hidden"
                        type="file"
                        accept=PICTURES
                        data-testid="character-avatar"
                        on:change=choose
                    />
                </label>
                <Show when=move || face.with(|face| *face != Face::Stored(None))>
                    <button type="button" class="button quiet" data-testid="character-avatar-remove" on:click=remove>{app.t(T::RemovePicture)}</button>
                </Show>
                <Show when=move || fault.with(Option::is_some)>
                    <p class="place-fault" role="alert" data-testid="avatar-error">{move || fault.get().map(|why| app.read(&why))}</p>
                </Show>
            </div>
        </div>
    }
}
