//! The memory that finds: what can be asked of it, and what it answers. It reads the store itself, and catches up with
//! it before it answers.

use serde::{Deserialize, Serialize};

use super::Future;
use crate::story::{
    Millis,
    company::Stretch,
    fault::Fault,
    ids::{BackgroundId, CharacterId, GenerationId, MemoryId, StorylineId, TurnId},
    memory::Kind,
    tree::Path,
};

/// What to look for in one storyline, and from where in its tree.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Search {
    pub storyline: StorylineId,
    /// What is visible: nothing that hangs on another branch can be found.
    pub path: Path,
    /// Turns of the path that who asks did not hear: none of them is a hit, nor is what tells of one.
    pub unheard: Vec<Stretch>,
    /// Who asks: what is one's own is found by nobody else.
    pub speaker: CharacterId,
    /// Turns from this position on are no hits, nor are their events: the prompt holds them anyway. Other memories are.
    pub until: u32,
    /// The turn that asks: the search does not wait until the index has its words.
    pub asking: Option<TurnId>,
    pub words: Words,
    pub among: Among,
    pub limit: u32,
    /// Tokens, as the estimate counts them, for the sentences that matter of as many texts as it has room for: `limit` is
    /// for summaries and notes then. 0: `limit` whole texts.
    pub room: u32,
    /// Points of the story as they went, and not only what they were (seed `000`: Plots, and not Summaries).
    pub in_detail: bool,
    /// Summaries and notes before what was said; where fewer than `limit` fit, the newest of them besides (seed `000`
    /// asks for twenty, and gets them whatever they say).
    pub summaries_first: bool,
}

/// The words of a search.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Words {
    pub text: String,
    /// What was said before it, the newest first: counts half.
    pub earlier: Vec<String>,
    /// More words for the same, which count less: a model's, where the reader allows that call.
    pub expansions: Vec<String>,
    /// The embedding of `text`.
    pub vector: Option<Embedding>,
}

/// A vector of a named model. Vectors of two models are never compared.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Embedding {
    pub embedder: String,
    pub vector: Vec<f32>,
}

/// Which texts are asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Among {
    /// What was said, and all memories.
    #[default]
    All,
    Memories,
}

/// Where a found text stands.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The reader's words of a turn.
    User(TurnId),
    Reply(GenerationId),
    Memory(MemoryId),
}

/// A text that was found, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hit {
    pub storyline: StorylineId,
    pub source: Source,
    /// The kind of the memory; `None` for what was said.
    pub kind: Option<Kind>,
    pub turn: TurnId,
    pub position: u32,
    /// The turns that it tells of, first and last: a summary tells of earlier ones than the one that it hangs on.
    pub turns: (u32, u32),
    pub text: String,
    /// Of a memory that has more to tell.
    pub detail: String,
    pub said: Millis,
    pub score: f32,
    /// What the score is the sum of, by the name of the term.
    pub parts: Vec<(String, f32)>,
    /// The words of the search that it holds.
    pub words: Vec<String>,
    pub pinned: bool,
}

/// A text that has no vector yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lacking {
    /// To be given back with the vector.
    pub unit: String,
    pub text: String,
}

/// What is there to be found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extent {
    /// Texts in the index.
    pub units: u32,
    /// Of these, how many have a vector of the embedder that was asked for.
    pub embedded: u32,
    /// So many vectors are searched one by one that a graph should be built over them.
    pub wants_graph: bool,
    /// Vectors are searched through a graph, but for those that came after it.
    pub has_graph: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Request {
    Search(Search),
    /// Memories of other storylines of the same character and background, each along its own newest path. Those of several
    /// characters are left out: who of them heard what is that story's own.
    Others {
        storyline: StorylineId,
        character: CharacterId,
        background: Option<BackgroundId>,
        words: Words,
        limit: u32,
    },
    /// Everything said in all storylines, on whatever branch, as the reader types; or the memories of one alone.
    LookUp {
        text: String,
        memories_of: Option<StorylineId>,
        limit: u32,
    },
    /// Takes in what is due, and says what there is.
    CatchUp {
        storyline: StorylineId,
        embedder: String,
    },
    /// Some of the texts that have no vector of this embedder.
    Lacking {
        storyline: StorylineId,
        embedder: String,
        limit: u32,
    },
    /// Vectors for texts that lacked them; each of the same dimension.
    Embed {
        storyline: StorylineId,
        embedder: String,
        vectors: Vec<(String, Vec<f32>)>,
    },
    /// Builds the graph of an embedder's vectors, if at least `from` of them are searched one by one: seconds to minutes,
    /// in a worker of its own.
    BuildGraph {
        storyline: StorylineId,
        embedder: String,
        from: u32,
    },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    Hits(Vec<Hit>),
    Extent(Extent),
    Lacking(Vec<Lacking>),
}

/// The way to the memory. In the browser it works in a worker.
pub trait Recall {
    fn ask(&self, request: Request) -> Future<'_, Result<Answer, Fault>>;
}

impl dyn Recall + '_ {
    /// The texts that fit best, the best first.
    ///
    /// # Errors
    /// The store could not be read, or the worker is gone.
    pub async fn hits(&self, request: Request) -> Result<Vec<Hit>, Fault> {
        match self.ask(request).await? {
            Answer::Hits(hits) => Ok(hits),
            Answer::Extent(_) | Answer::Lacking(_) => Ok(Vec::new()),
        }
    }

    /// # Errors
    /// As `hits`.
    pub async fn catch_up(&self, storyline: &StorylineId, embedder: &str) -> Result<Extent, Fault> {
        let request = Request::CatchUp { storyline: storyline.clone(), embedder: embedder.to_owned() };
        self.extent(request).await
    }

    /// # Errors
    /// As `hits`.
    pub async fn lacking(&self, storyline: &StorylineId, embedder: &str, limit: u32) -> Result<Vec<Lacking>, Fault> {
        let request = Request::Lacking { storyline: storyline.clone(), embedder: embedder.to_owned(), limit };
        match self.ask(request).await? {
            Answer::Lacking(lacking) => Ok(lacking),
            Answer::Hits(_) | Answer::Extent(_) => Ok(Vec::new()),
        }
    }

    /// # Errors
    /// As `hits`; or the vectors are not of the dimension that this embedder's vectors have: nothing was stored.
    pub async fn embed(
        &self,
        storyline: &StorylineId,
        embedder: &str,
        vectors: Vec<(String, Vec<f32>)>,
    ) -> Result<Extent, Fault> {
        self.extent(Request::Embed { storyline: storyline.clone(), embedder: embedder.to_owned(), vectors }).await
    }

    async fn extent(&self, request: Request) -> Result<Extent, Fault> {
        match self.ask(request).await? {
            Answer::Extent(extent) => Ok(extent),
            Answer::Hits(_) | Answer::Lacking(_) => Ok(Extent::default()),
        }
    }
}
