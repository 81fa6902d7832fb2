//! The character library.

use leptos::prelude::*;

use super::{
    app::App,
    character_editor::FIELDS,
    devices,
    features::recap::RecapGroup,
    gallery::Gallery,
    library::{self, Entry, Form, Group, Opened, Words, not_saved, not_stored},
    lorebooks::HungOn,
    next_step::NextStep,
    personas::PlaysWith,
    route::Route,
    state::NoticeKind,
};
use crate::{
    desk::Stored,
    exchange::{
        character::{self, ImportedCharacter},
        limits::{CARD_BYTES, JSON_BYTES},
        refusal::Refusal,
        sniff::{FileKind, sniff},
    },
    features::circle,
    locales::{Saying, T},
    story::{
        Extra, Millis,
        character::Character,
        ids::BlobId,
        set_up::Step,
        storyline::{Language, Storyline},
    },
    web::{pictures, text_of},
};

const fn form(name: &'static str, label: T, hint: T, ending: &'static str, kind: &'static str) -> Form {
    Form { name, label, hint, ending, kind }
}

fn form_of(form: &Form) -> character::Form {
    match form.name {
        "png" => character::Form::Png,
        "v3" => character::Form::V3,
        "charx" => character::Form::Charx,
        _ => character::Form::V2,
    }
}

#[component]
pub fn Characters() -> impl IntoView {
    library::page::<Character>()
}

impl Entry for Character {
    const KIND: &'static str = "character";
    const WORDS: Words =
        Words { title: T::Characters, new: T::NewCharacter, edit: T::EditCharacter, none: T::NoCharacters };
    const GROUPS: &'static [Group<Self>] = FIELDS;
    const HAS_FACE: bool = true;

    fn lead() -> AnyView {
        view! { <NextStep after=Step::Character /> }.into_any()
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn line(&self) -> &str {
        [&self.card.description, &self.card.personality, &self.card.scenario]
            .into_iter()
            .find(|text| !text.trim().is_empty())
            .map_or("", String::as_str)
    }

    fn face(&self) -> Option<BlobId> {
        self.avatar.clone()
    }

    fn small_face(&self) -> Option<BlobId> {
        self.thumbnail.clone()
    }

    fn set_name(&mut self, name: String) {
        self.name = name;
    }

    fn set_face(&mut self, face: Option<BlobId>, small: Option<BlobId>) {
        (self.avatar, self.thumbnail) = (face, small);
    }

    fn stamp(&mut self, fresh: Option<String>, now: Millis) {
        if let Some(id) = fresh {
            self.id = id.into();
            self.created = now;
            // A copy says nothing in the circle before it is let in.
            self.extra.shift_remove(circle::KEY);
        }
        self.updated = now;
    }

    fn created(&self) -> Millis {
        self.created
    }

    fn updated(&self) -> Millis {
        self.updated
    }

    fn tags(&self) -> &[String] {
        &self.card.tags
    }

    fn fields(&self) -> &Extra {
        &self.card.extensions
    }

    fn fields_mut(&mut self) -> &mut Extra {
        &mut self.card.extensions
    }

    fn is_used_by(&self, storyline: &Storyline) -> bool {
        storyline.cast.contains(&self.id)
    }

    fn library(app: App) -> RwSignal<Vec<Self>> {
        app.characters
    }

    fn place() -> Route {
        Route::Characters
    }

    fn desk(id: Option<&str>) -> Route {
        Route::Character(id.map(Into::into))
    }

    fn below(key: &str) -> AnyView {
        view! {
            <Gallery id=key.into() />
            {<Self as HungOn>::below(key)}
            <RecapGroup id=key.into() />
            <PlaysWith id=key.into() />
        }
        .into_any()
    }

    const ACCEPTS: &'static str = ".json,.png,.apng,.charx,.byaf,.jpg,.jpeg,.webp,.yaml,.yml,application/json,image/png,image/jpeg,image/webp,application/zip";

    fn most(head: &[u8]) -> u64 {
        match sniff(head) {
            FileKind::Json | FileKind::Unknown => JSON_BYTES,
            _ => CARD_BYTES,
        }
    }

    fn open(bytes: Vec<u8>) -> Result<Opened<Self>, Refusal> {
        let (ImportedCharacter { character, avatar, files }, warnings) = character::open(bytes)?;
        Ok(Opened { entry: character, face: avatar, files, warnings })
    }

    const FORMS: &'static [Form] = &[
        form("png", T::AsPng, T::AsPngHint, "png", "image/png"),
        form("v2", T::AsV2, T::AsV2Hint, "json", "application/json"),
        form("v3", T::AsV3, T::AsV3Hint, "json", "application/json"),
        form("charx", T::AsCharx, T::AsCharxHint, "charx", "application/zip"),
    ];

    async fn pack(self, app: App, form: &'static Form) -> Result<Vec<u8>, Saying> {
        let (desk, form) = (app.desk(), form_of(form));
        let packed = async {
            let picture = async |id: &BlobId| match desk.picture(id).await? {
                None => Stored::Ok(devices::see(app, id.clone()).await),
                here => Ok(here),
            };
            let avatar = match &self.avatar {
                Some(id) => picture(id).await?,
                None => None,
            };
            let (mut files, mut absent) = (Vec::new(), usize::from(avatar.is_none() && self.avatar.is_some()));
            for asset in &self.assets {
                match picture(&asset.blob).await? {
                    Some((_, bytes)) => files.push((asset.clone(), bytes.to_vec())),
                    None => absent += 1,
                }
            }
            Stored::Ok((desk.with_book(self).await?, avatar, files, absent))
        };
        let ((character, books), avatar, files, absent) = packed.await.map_err(not_stored)?;
        if absent > 0 {
            app.notify(NoticeKind::Warning, T::PicturesElsewhere.with(&[&absent.to_string()]));
        }
        if !books.is_empty() {
            app.notify(NoticeKind::Warning, move |language: Language| {
                T::BooksStay.with(&[&books.join(language.pick("、", ", "))])(language)
            });
        }
        let stay = character::left_behind(&files, form);
        if stay > 0 {
            app.notify(NoticeKind::Warning, T::FilesStay.with(&[&stay.to_string()]));
        }
        let avatar = avatar.as_ref().map(|(kind, bytes)| (kind.as_str(), &**bytes));
        let png = match form {
            character::Form::Png => {
                pictures::as_png(avatar, &character.name).await.map_err(|why| not_saved(&text_of(&why, "message")))?
            }
            _ => Vec::new(),
        };
        Ok(character::pack(&character, avatar, &files, form, &png))
    }
}
