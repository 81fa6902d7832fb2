//! stub
use crate::story::ids::CharacterId;
use leptos::prelude::*;
#[component]
pub fn CharacterEditor(id: Option<CharacterId>) -> impl IntoView {
    let _ = id;
}
