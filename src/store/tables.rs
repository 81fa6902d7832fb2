//! The tables of the database: a new one is a description here, a step that creates it (`web::idb::migrate`) and, where
//! it may go into an archive, the type that it is read as (`exchange::archive::record`).

use serde::{Deserialize, Serialize};

use super::{
    describe::{Belongs, Description, Hangs, Id, IndexSpec, Joins, Keeps, More, Of, PLAIN},
    generations_accounts, states_0_to_1, storylines_0_to_1,
};

macro_rules! tables {
    (
        go { $($(#[$go_doc:meta])* $go:ident: $going:expr;)* }
        stay { $($(#[$stay_doc:meta])* $stay:ident: $staying:expr;)* }
    ) => {
        /// A table of the database. The key of every record is its `id`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Table {
            $($(#[$go_doc])* $go,)*
            $($(#[$stay_doc])* $stay,)*
        }

        impl Table {
            pub const ALL: [Self; [$(stringify!($go),)* $(stringify!($stay)),*].len()] =
                [$(Self::$go,)* $(Self::$stay),*];

            /// Whether it may leave this machine.
            pub fn is_part(self) -> bool {
                (self as usize) < Part::ALL.len()
            }

            pub fn describe(self) -> &'static Description {
                match self {
                    $(Self::$go => const { &$going },)*
                    $(Self::$stay => const { &$staying },)*
                }
            }
        }

        /// A part of an archive: a table that may leave this machine.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Part {
            $($go,)*
        }

        impl Part {
            /// In the order of an archive: what something hangs on comes first.
            pub const ALL: [Self; [$(stringify!($go)),*].len()] = [$(Self::$go),*];

            pub fn table(self) -> Table {
                match self {
                    $(Self::$go => Table::$go,)*
                }
            }
        }
    };
}

/// How the ids of settings begin that hold what stands unsent in a storyline.
pub const UNSENT: &str = "unsent:";
/// How those begin that hold a summary under way.
pub const SUMMARISE: &str = "summarise:";

const fn index(name: &'static str, fields: &'static [&'static str]) -> IndexSpec {
    IndexSpec { name, fields, each: false }
}

const fn index_of_each(name: &'static str, fields: &'static [&'static str]) -> IndexSpec {
    IndexSpec { name, fields, each: true }
}

const fn id(path: &'static str, part: Part) -> Id {
    Id(path, Of::Part(part))
}

const fn session(path: &'static str) -> Id {
    Id(path, Of::Session)
}

/// The lorebooks that hang on something.
const LORE: Id = id("lorebooks/*", Part::Lorebooks);

/// Whom the reader plays.
const PLAYS_AS: Id = id("plays_as", Part::Personas);

const NAMED: &[IndexSpec] = &[index("name", &["name"]), index("updated", &["updated"])];
const OF_STORY: &[IndexSpec] = &[index("storyline", &["storyline"])];
const PLACE: IndexSpec = index("place", &["branch", "position"]);

const WITH_ITS_STORY: Joins = Joins::No("it waits there with its storyline or its branch");
const MADE_ANEW: Joins = Joins::No("it is made anew from turns, replies and memories");
const OF_THIS_MACHINE: Joins = Joins::No("keys, connections and preferences stay on this machine");

const AT_ONCE: Joins = Joins::No("it is gone at once, and can be taken back while the notice stands");

const LIBRARY: Description = Description {
    belongs: Belongs::Library,
    indexes: NAMED,
    times: &["created", "updated", "deleted"],
    stays: &[More::Number("updated")],
    cached: Keeps::Records,
    ..PLAIN
};

const OF_TREE: Description =
    Description { belongs: Belongs::Story(Hangs::Tree), bin: WITH_ITS_STORY, indexes: OF_STORY, ..PLAIN };

const MADE: Description = Description {
    belongs: Belongs::Story(Hangs::Made),
    archive: MADE_ANEW,
    bin: WITH_ITS_STORY,
    indexes: OF_STORY,
    ..PLAIN
};

tables! {
    go {
        Characters: Description {
            name: "characters",
            ids: &[id("avatar", Part::Blobs), id("thumbnail", Part::Blobs), id("assets/*/blob", Part::Blobs), id("cradle/feeds/*/blob", Part::Blobs), PLAYS_AS, LORE],
            times: &[
                "created",
                "updated",
                "deleted",
                "cradle/begun",
                "cradle/grown_to",
                "cradle/paused",
                "cradle/feeds/*/fed",
                "cradle/steps/*/at",
                "cradle/ahead/step/at",
                "circle/joined",
                "circle/posted",
            ],
            // Each may carry a whole card.
            page: 20,
            ..LIBRARY
        };
        Backgrounds: Description { name: "backgrounds", ids: &[LORE], ..LIBRARY };
        /// Who the reader plays.
        Personas: Description {
            name: "personas",
            ids: &[id("avatar", Part::Blobs), id("thumbnail", Part::Blobs)],
            ..LIBRARY
        };
        // After whatever of the library names them: an archive of one story has those that it needs.
        Lorebooks: Description { name: "lorebooks", page: 20, ..LIBRARY };
        Presets: Description {
            name: "presets",
            bin: AT_ONCE,
            ..LIBRARY
        };
        /// Sets of regex scripts that run in all stories.
        Scripts: Description { name: "scripts", bin: AT_ONCE, ..LIBRARY };
        /// Sets of quick replies.
        QuickReplies: Description { name: "quick_replies", bin: AT_ONCE, ..LIBRARY };
        /// What is said in the circle.
        Posts: Description {
            name: "posts",
            bin: AT_ONCE,
            indexes: &[index("created", &["created"]), index("updated", &["updated"])],
            ids: &[
                id("author", Part::Characters),
                id("picture", Part::Blobs),
                id("thumbnail", Part::Blobs),
                id("likes/*/who", Part::Characters),
                id("comments/*/author", Part::Characters),
                id("looks/*/who", Part::Characters),
            ],
            times: &["created", "updated", "likes/*/at", "comments/*/at", "looks/*/seen"],
            unites: &["likes", "comments"],
            cached: Keeps::Nothing,
            ..LIBRARY
        };
        Storylines: Description {
            name: "storylines",
            belongs: Belongs::Root,
            indexes: &[index_of_each("cast", &["cast"]), index("last_active", &["last_active"])],
            ids: &[
                id("cast/*", Part::Characters),
                id("personas/@", Part::Characters),
                id("personas/**/generation", Part::Generations),
                id("background", Part::Backgrounds),
                PLAYS_AS,
                LORE,
                id("preset", Part::Presets),
                id("head/branch", Part::Branches),
                id("initial_state", Part::States),
                session("current_session"),
                session("sessions/*/id"),
                session("sessions/*/opened/before"),
                id("sessions/*/opened/at/branch", Part::Branches),
                id("sessions/*/opened/generation", Part::Generations),
                id("savepoints/*/branch", Part::Branches),
                id("savepoints/*/turn", Part::Turns),
                id("savepoints/*/generation", Part::Generations),
                id("savepoints/*/preset", Part::Presets),
            ],
            times: &[
                "created",
                "last_active",
                "deleted",
                "sessions/*/created",
                "savepoints/*/created",
                "personas/*/pending_growth/*/created",
                "personas/*/evolved_versions/*/created",
            ],
            stays: &[More::Number("last_active"), More::Number("total_turns")],
            unites: &["sessions", "savepoints"],
            steps: &[storylines_0_to_1::step],
            cached: Keeps::Records,
            ..PLAIN
        };
        Branches: Description {
            name: "branches",
            ids: &[
                id("parent/branch", Part::Branches),
                id("parent/generation", Part::Generations),
                id("named/*", Part::Turns),
                id("beads/*/generation", Part::Generations),
                id("company/*/heard/*", Part::Characters),
                id("company/*/present/*", Part::Characters),
            ],
            times: &["created", "deleted", "cuts/*/deleted"],
            stays: &[More::Number("length")],
            unites: &["named", "beads", "swipes", "company", "untold"],
            cached: Keeps::OfStory,
            ..OF_TREE
        };
        // They never change: the store's stays.
        States: Description {
            name: "states",
            // The items of a persona name the reply that made them.
            ids: &[
                id("personas/@", Part::Characters),
                id("personas/**/generation", Part::Generations),
                id("sheets/@", Part::Characters),
            ],
            times: &[
                "created",
                "personas/*/pending_growth/*/created",
                "personas/*/evolved_versions/*/created",
                "recap/at",
            ],
            steps: &[states_0_to_1::step],
            cached: Keeps::Records,
            ..OF_TREE
        };
        Turns: Description {
            name: "turns",
            indexes: &[PLACE, index("storyline", &["storyline"]), index("session", &["session"])],
            ids: &[
                id("branch", Part::Branches),
                session("session"),
                id("chosen", Part::Generations),
                id("heard_by/*", Part::Characters),
            ],
            times: &["created", "edits/*/replaced"],
            required: &["position"],
            stays: &[More::Items("edits"), More::Text("chosen"), More::Text("name")],
            is_searched: true,
            ..OF_TREE
        };
        Generations: Description {
            name: "generations",
            indexes: &[
                PLACE,
                index("turn", &["turn"]),
                index("storyline", &["storyline"]),
                index("open", &["open"]),
            ],
            ids: &[
                id("turn", Part::Turns),
                id("branch", Part::Branches),
                id("state", Part::States),
                id("speaker", Part::Characters),
                id("by_hand/*/of", Part::Characters),
                id("by_hand/*/whose", Part::Characters),
                id("sheets/@", Part::Characters),
                id("by_hand/**/generation", Part::Generations),
                id("changes/**/generation", Part::Generations),
            ],
            times: &["started", "first_text", "finished", "edits/*/replaced", "by_hand/*/at", "sheets/*/at"],
            required: &["position"],
            stays: &[More::Other("status", "streaming"), More::Items("edits"), More::Letters("text")],
            parts: Some(generations_accounts::part),
            is_searched: true,
            ..OF_TREE
        };
        // What the model was told is written once, and the reply many times while it comes.
        Accounts: Description {
            name: "accounts",
            belongs: Belongs::Story(Hangs::Reply),
            ids: &[id("blocks/*/text_in", Part::Generations)],
            times: &["made"],
            stays: &[More::Number("made")],
            ..OF_TREE
        };
        Memories: Description {
            name: "memories",
            belongs: Belongs::Story(Hangs::Place),
            ids: &[
                id("branch", Part::Branches),
                session("session"),
                id("generation", Part::Generations),
                id("owner", Part::Characters),
            ],
            times: &["created", "updated"],
            stays: &[More::Number("updated")],
            is_searched: true,
            ..OF_TREE
        };
        Blobs: Description {
            name: "blobs",
            belongs: Belongs::Content,
            bin: Joins::No("it goes a week after the last who named it"),
            has_bytes: true,
            ..PLAIN
        };
    }
    stay {
        /// What the memory's index has yet to take in: one record per text that has changed; see [`super::due`].
        Due: Description { name: "due", ..MADE };
        /// The inverted index of each storyline, in segments. Rebuilt from turns and memories where it is lost.
        Postings: Description { name: "postings", has_bytes: true, ..MADE };
        /// Embeddings, packed in segments.
        Vectors: Description { name: "vectors", has_bytes: true, ..MADE };
        Settings: Description {
            name: "settings",
            archive: OF_THIS_MACHINE,
            bin: Joins::No("nobody deletes it"),
            // Those of the preferences.
            ids: &[PLAYS_AS, LORE],
            cached: Keeps::Records,
            // Who the reader is and how they like stories told; not how a page looks, nor what it may run.
            shared: &[
                ("preferences", &["user_name", "plays_as", "lorebooks", "edit_as"]),
                ("config", &["thresholds", "limits", "preferences"]),
            ],
            of_story: &[UNSENT, SUMMARISE],
            ..PLAIN
        };
        /// What calls of models have cost, by day and storyline.
        Spending: Description {
            name: "spending",
            belongs: Belongs::Ledger,
            archive: Joins::No("it was paid with the keys of this machine"),
            bin: Joins::No("what is spent stays spent"),
            indexes: &[index("storyline", &["storyline"]), index("day", &["day"])],
            ..PLAIN
        };
        /// What the other devices of the reader have been told and have told: see `sync`.
        Sync: Description {
            name: "sync",
            archive: OF_THIS_MACHINE,
            bin: OF_THIS_MACHINE,
            ..PLAIN
        };
        Vault: Description {
            name: "vault",
            archive: OF_THIS_MACHINE,
            bin: Joins::No("a key that is taken away is gone"),
            ..PLAIN
        };
    }
}
