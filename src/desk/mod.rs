//! The floor under the page: what a panel or a list shows, read and put together, and what a person may cause. `ui`
//! renders it and names no store.

pub mod tree;
