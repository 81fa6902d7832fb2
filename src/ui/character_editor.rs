//! stub
use leptos::prelude::*;
use crate::story::ids::CharacterId;
#[component]
pub fn CharacterEditor(id: Option<CharacterId>) -> impl IntoView { let _ = id; }
