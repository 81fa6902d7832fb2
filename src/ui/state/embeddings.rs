//! What this tab embeds.

use std::{
    cell::Cell,
    collections::{HashMap, HashSet},
    rc::Rc,
};

use leptos::prelude::*;

use crate::{
    ports::recall::Extent,
    story::{fault::Fault, ids::StorylineId},
};

/// How it stands with the vectors of a story.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Work {
    pub extent: Option<Extent>,
    pub running: bool,
    pub building: bool,
    pub fault: Option<Fault>,
}

/// All that this tab embeds: one run at a time for each story.
#[derive(Clone, Copy)]
pub struct Embeddings {
    pub works: RwSignal<HashMap<StorylineId, Work>>,
    pub stops: StoredValue<HashMap<StorylineId, Rc<Cell<bool>>>, LocalStorage>,
    /// Graphs that were asked for since the page was loaded: one that failed is not tried again and again.
    pub graphs: StoredValue<HashSet<(StorylineId, String)>>,
}

impl Embeddings {
    pub fn new() -> Self {
        Self {
            works: RwSignal::default(),
            stops: StoredValue::new_local(HashMap::new()),
            graphs: StoredValue::new(HashSet::new()),
        }
    }
}
