//! The panels of the notebook.

use crate::locales::T;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Tab {
    Story,
    Now,
    Persona,
    Plot,
    World,
    Memory,
    Tree,
    Prompt,
}

impl Tab {
    pub const ALL: [(Self, &'static str, T); 8] = [
        (Self::Story, "tab-story", T::TabStory),
        (Self::Now, "tab-now", T::TabNow),
        (Self::Persona, "tab-persona", T::TabPersona),
        (Self::Plot, "tab-plot", T::TabPlot),
        (Self::World, "tab-world", T::TabWorld),
        (Self::Memory, "tab-memory", T::TabMemory),
        (Self::Tree, "tab-tree", T::TabTree),
        (Self::Prompt, "tab-prompt", T::TabPrompt),
    ];
}
