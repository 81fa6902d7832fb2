//! A character's picture, or the first letter of the name.

use std::sync::Arc;

use leptos::{prelude::*, task::spawn_local};
use web_sys::Url;

use super::app::App;
use crate::{
    desk::StoredPicture,
    exchange::picture::Picture,
    story::{blob::Blob, ids::BlobId},
    web::{files, storage},
};

/// The picture of a character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Face {
    Stored(Option<BlobId>),
    /// Chosen in the editor, not stored yet.
    Chosen(Arc<Portrait>),
}

/// A picture that can be shown, media type and bytes; and one for the page, where it is large.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Portrait {
    pub picture: Picture,
    pub small: Option<Picture>,
}

/// Where the browser finds a picture, while the component lives; `None`: there is none, or it is not read yet.
pub fn address_of(app: App, face: Signal<Face>) -> RwSignal<Option<String>> {
    let url = RwSignal::new(None::<String>);
    Effect::new(move |_| {
        let wanted = face.get();
        spawn_local(async move {
            let made = object_url(app, &wanted).await;
            // Another picture may have been chosen meanwhile, or the component may be gone.
            let is_wanted = face.try_get_untracked().as_ref() == Some(&wanted);
            let before = is_wanted.then(|| url.try_update(|url| std::mem::replace(url, made.clone()))).flatten();
            forget(before.unwrap_or(made));
        });
    });
    on_cleanup(move || forget(url.try_get_untracked().flatten()));
    url
}

/// Decorative: the name stands beside it.
#[component]
pub fn Avatar(#[prop(into)] face: Signal<Face>, #[prop(into)] name: Signal<String>) -> impl IntoView {
    let url = address_of(App::here(), face);
    view! {
        <span class="avatar" aria-hidden="true">
            {move || match url.get() {
                Some(url) => view! { <img src=url alt="" decoding="async" /> }.into_any(),
                None => name.with(|name| name.chars().next().map(String::from)).into_any(),
            }}
        </span>
    }
}

/// A face that cannot be read shows as the letter.
async fn object_url(app: App, face: &Face) -> Option<String> {
    let blob = match face {
        Face::Stored(id) => {
            let (kind, bytes) = stored(app, id.as_ref()?).await?;
            // What nobody has seen drawn: a browser would guess what it is, and draw it however large it is.
            if kind == Blob::OTHER {
                return None;
            }
            files::blob(&bytes, &kind)
        }
        Face::Chosen(portrait) => {
            let (kind, bytes) = portrait.small.as_ref().unwrap_or(&portrait.picture);
            files::blob(bytes, kind)
        }
    };
    Url::create_object_url_with_blob(&blob.ok()?).ok()
}

/// One that is not here comes, if the reader's storage has it.
async fn stored(app: App, id: &BlobId) -> Option<StoredPicture> {
    let here = app.desk().picture(id).await.ok()?;
    if here.is_some() || !storage::is_synced() {
        return here;
    }
    let desk = app.chunks.desk.get().await?;
    (desk.see)(app, id.clone()).await
}

fn forget(url: Option<String>) {
    if let Some(url) = url {
        let _ = Url::revoke_object_url(&url);
    }
}
