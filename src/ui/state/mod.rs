//! What all of the page shares: signals, and nothing that shows or does. [`App`](super::app::App) holds them; what is done
//! with one stands where it is shown.

mod asking_budget;
mod asking_key;
mod editing;
mod embeddings;
mod notice;
mod story;
mod tab;

use std::{cell::RefCell, rc::Rc};

use leptos::prelude::*;

pub use self::{
    asking_budget::{AskingBudget, BudgetAnswer, BudgetSays},
    asking_key::{Asked, AskingKey},
    editing::Editing,
    embeddings::{Embeddings, Work},
    notice::{Notice, NoticeKind, Offer},
    story::{PAGE, Place, Press, SCREEN, Story, Through, TurnView, Typed, WINDOW},
    tab::Tab,
};
use crate::desk::memories::Rows;

/// What is known of where memories hang, for as long as the page lives.
pub type Known = StoredValue<Rc<RefCell<Rows>>, LocalStorage>;
