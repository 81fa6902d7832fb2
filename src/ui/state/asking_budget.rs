//! What is said of budgets beside the composer.

use futures_channel::oneshot;
use leptos::prelude::*;

use crate::story::budget::{Budget, Standing};

/// What stands there, if anything does.
#[derive(Clone, Copy)]
pub struct AskingBudget {
    pub said: RwSignal<Option<BudgetSays>>,
    pub answer: StoredValue<Option<oneshot::Sender<BudgetAnswer>>, LocalStorage>,
}

#[derive(Clone, PartialEq)]
pub enum BudgetSays {
    /// It is nearly used.
    Near(Standing),
    /// It is used up: whether to go on.
    Asks(Standing),
}

/// What the reader wants.
pub enum BudgetAnswer {
    Cancel,
    /// To go on this once.
    Once,
    Raise(Budget),
}

impl AskingBudget {
    pub fn new() -> Self {
        Self { said: RwSignal::default(), answer: StoredValue::new_local(None) }
    }
}
