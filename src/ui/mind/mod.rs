//! The story's mind in the notebook: its persona and its plot, as of the newest turn of the path.

mod diff;
mod evolved;
mod happenings;
mod head;
mod item;
mod parts;
mod persona;
mod plot;
mod timeline;
mod update;
mod world;
mod world_form;
mod world_history;

use self::parts::{Switch, TurnLink, kind_word};
pub use self::{
    head::Mind,
    parts::{by_hand_words, sentence, word},
    persona::PersonaPanel,
    plot::PlotPanel,
    update::UpdateMemory,
    world::WorldPanel,
};
