//! Fabula: a role-play and interactive-narrative engine that runs whole in a browser tab.
//!
//! # Bird's eye
//!
//! A reader plays turns of a storyline with a model that they bring the key to. A turn is appended to the history
//! tree, a prompt is assembled from sources, the reply streams in, is stored piece by piece and shown piece by piece.
//! Everything lives in IndexedDB; the page is a view of it.
//!
//! # Entry points
//!
//! - `main.rs` → `ui::start`: opens the database, reads preferences and libraries, mounts the page. The rest of it comes in
//!   three parts, the story, what stands beside it and plays, and the desk (`ui::chunks`), which `main.rs` cuts off: what
//!   `ui` names past their entrances is part of the first load. In the memory's worker the same program finds no page, and
//!   brings a fourth part, `web::memory::serve`. The first words stand in `index.html`; `public/sw.js` keeps the page on the
//!   device.
//! - [`turn::Conductor::play`]: one turn, from input to commit. Read it to see the engine at work.
//! - [`worker::Keeper`]: how the memory follows the store; [`memory`] is the search itself.
//! - [`features`]: what can be on or off in a story, and how to add to it.
//! - [`ports`]: what the outside must offer. `web` is the browser, [`sim`] is memory.
//! - `cargo xtask serve | build | test | bench`: see `xtask/`.
//!
//! # Layers
//!
//! From the bottom up; a layer names only what stands above it in this list.
//!
//! | layer | what | pure |
//! |---|---|---|
//! | [`store`] | the storage vocabulary: keys, queries, batches, records, and one description of each table | yes |
//! | [`story`] | the stored types and their invariants; the history tree | yes |
//! | [`ports`] | traits: store, model, clock, chance, keys, tabs, the memory that finds | yes |
//! | [`reply`] | what the model said: thoughts, state and markers out of any mixture of dialects; Markdown as a tree of nodes | yes |
//! | [`provider`] | three protocols: requests built, streams decoded | yes |
//! | [`prompt`] | sources → framework → messages, with an account; features bring their sources | yes |
//! | [`features`] | director, persona, world, recall, group, cradle, circle, …, a folder each: settings, sources, what is done with a reply and by hand; a failing one costs its own part only | yes |
//! | [`memory`] | what was said, found again: index, views of branches, search, stored segments | yes |
//! | [`exchange`] | files in and out: cards (in pictures and packages, too), conversations, whole folders and backups of other programs, books for reading, backgrounds, lorebooks, archives | yes |
//! | [`worker`] | the memory's keeper: index and vectors of each storyline, kept up with the store; in the browser in a worker | through ports |
//! | [`sim`] | the ports in memory, with faults to order; the demo | yes |
//! | [`turn`] | the conductor | through ports |
//! | [`transfer`] | stories in and out of the store, whole or not at all | through ports |
//! | [`sync`] | the same library on all of a reader's devices: what changed here told, what others told taken in | through ports |
//! | [`desk`] | the floor under the page: what panels and lists show, and what a person may cause | through ports |
//! | `web` | the ports in the browser, one file each | wasm32 only |
//! | [`locales`] | every text in Chinese and English; what is shown for longer keeps its cause and is said anew ([`locales::Say`]) | yes |
//! | `ui` | the page: components, each with its stylesheet | wasm32 only |
//!
//! # Architecture invariants
//!
//! 1. **Shown means stored.** `turn` calls `show` only after a commit has succeeded; `ui` renders only what it was
//!    shown or has read; that a plan is being made is said before there is one. (`turn::tests`, and the kill test in
//!    `tests/journeys/keep.test.mjs`.)
//! 2. **A turn commits whole**, with `strict` durability: words of the reader, finished replies, deletions, migrations.
//!    Only checkpoints of a running stream are `relaxed`.
//! 3. **Everything hangs on the tree.** A turn belongs to a branch, state to the generation that made it. What is
//!    visible is decided by ancestors alone ([`story::tree::Path`]); editing, swiping and branching repair nothing.
//! 4. **Parsing never fails.** What a model, a card or a file says yields a value and warnings; unknown fields survive.
//! 5. **A key goes to its provider and nowhere else.** It is no part of [`story::connection::Connection`];
//!    [`ports::WireRequest`] does not print its headers; archives have no table for it ([`store::Part`]). Where
//!    it is not at hand, nothing of a turn is written before it is (`turn::tests::keys`).
//! 6. **Foreign text is never code.** There is no HTML string in `ui`; see [`reply::markup`]. The one exception is a
//!    status bar that the reader lets run: in `public/frame.html`, which gets no further than [`features::status_bar`] says.
//! 7. **The clock and chance come through ports.** The same inputs give the same prompt, byte for byte.
//! 8. **One writer per storyline** across tabs (`web::tabs`); others follow, read-only.
//! 9. **No browser crate below `web`.** They are dependencies of wasm32 only, so a native build is the proof.
//! 10. **What is at hand is what is stored** ([`ports::cache`], [`ports::recent`]): each commit lets go of what it
//!     touches, and what another tab writes lets go of all. What several tabs share is changed in one transaction with
//!     its reading ([`ports::Store::revise`]), a storyline by its only writer
//!     ([`desk::Desk::change_storyline`]).
//!
//! 11. **What is spent stays spent.** Each call is paid into [`ports::Till`] when its answer ends, however it ends, and
//!     booked by day and story ([`story::spending`]) apart from the tree. A budget is asked before a call is made
//!     ([`turn::budget`]). (`turn::tests::costs`.)
//!
//! 12. **Devices come to the same.** What is told is immutable or stamped, so it may come in any order and any number of
//!     times; a pack is heard once it is taken in or written down, and told once others can read it ([`sync`]).
//!     (`turn::tests::synced`: three devices, whatever is done on them and wherever a round breaks off.)
//!
//! The rules that comments cite by short names (seed `000`, C3, …) stand in `src/RULES.md`, with the reasons where the
//! program does otherwise than its seeds.
//!
//! The layers are held by `tests/layers.rs`, that no circle of files on the page is large by `tests/circles.rs`, the absences by `tests/tidy.rs`, the stored forms by `tests/stored.rs`, the store contract by
//! `tests/contract`, run against both backends.

pub mod desk;
pub mod exchange;
pub mod features;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod fuzz;
pub mod locales;
pub mod ports;
pub mod prompt;
pub mod provider;
pub mod reply;
pub mod sim;
pub mod store;
pub mod story;
pub mod sync;
pub mod transfer;
pub mod turn;
#[cfg(target_arch = "wasm32")]
pub mod ui;
#[cfg(target_arch = "wasm32")]
pub mod web;
pub mod worker;

pub use fabula_index as memory;
