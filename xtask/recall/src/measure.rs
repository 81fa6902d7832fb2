//! Recall: the share of a question's evidence that is among the first turns found.

use std::{borrow::Cow, collections::BTreeMap};

use fabula::memory::{Date, Index, Query, Said, Searcher, Unit, View, Weights, dates, dense, passages};

use crate::{
    data::{Conversation, Set, Turn},
    embedding::{Kind, Server, dot},
};

/// So many turns are looked at.
const DEPTHS: [usize; 3] = [5, 10, 20];
/// So many units are asked for: a long turn may be found by several of its passages.
const UNITS: usize = 60;
/// An unprompted recall looks at so many utterances before the last.
const EARLIER: usize = 2;

/// Recall over some questions.
#[derive(Clone, Debug, Default)]
pub struct Score {
    pub category: String,
    pub questions: usize,
    /// Sum over the questions, by depth.
    found: [f64; 3],
    /// Questions whose answer changed, and those of them where the newest version came before the older ones.
    changed: usize,
    newest_first: usize,
}

/// How one question fared.
struct Outcome {
    recall: [f64; 3],
    /// Whether the newest version came first, where there are several.
    newest_first: Option<bool>,
}

impl Score {
    fn add(&mut self, outcome: &Outcome) {
        self.questions += 1;
        for (sum, recall) in self.found.iter_mut().zip(outcome.recall) {
            *sum += recall;
        }
        self.changed += usize::from(outcome.newest_first.is_some());
        self.newest_first += usize::from(outcome.newest_first == Some(true));
    }

    /// In percent, to one tenth.
    pub fn percent(&self) -> [f64; 3] {
        self.found.map(|found| percent(found, self.questions))
    }

    /// How often the newest version came first; `None` where nothing changed.
    pub fn newest_first(&self) -> Option<f64> {
        (0 < self.changed).then(|| percent(self.newest_first as f64, self.changed))
    }
}

fn percent(sum: f64, of: usize) -> f64 {
    (sum * 1000.0 / of.max(1) as f64).round() / 10.0
}

/// What helps the search besides the words.
#[derive(Clone, Copy)]
pub enum Config<'a> {
    /// Nothing: no download, no call.
    Default,
    /// Vectors from a server.
    Embedding(&'a Server),
    /// The words that come with some questions as a model's.
    Expanded,
}

impl Config<'_> {
    pub fn name(&self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Embedding(_) => "embedding",
            Self::Expanded => "expanded",
        }
    }
}

/// The whole set first, then each category of questions.
pub fn run(set: &Set, config: Config<'_>) -> Result<Vec<Score>, String> {
    let mut whole = Score::default();
    let mut categories: BTreeMap<&str, Score> = BTreeMap::new();
    for conversation in &set.conversations {
        for (category, outcome) in recall(conversation, config)? {
            whole.add(&outcome);
            let score = categories.entry(category).or_default();
            score.category = category.to_owned();
            score.add(&outcome);
        }
    }
    Ok([whole].into_iter().chain(categories.into_values()).collect())
}

/// The memory of one conversation.
struct Memory<'a> {
    index: Index,
    view: View,
    /// By number of unit: the turn that it is a passage of, and its text.
    units: Vec<(&'a Turn, String)>,
}

impl<'a> Memory<'a> {
    fn of(conversation: &'a Conversation) -> Self {
        let mut index = Index::default();
        let mut units = Vec::new();
        for turn in &conversation.turns {
            let text = match &turn.cap {
                Some(photo) => Cow::from(format!("{} [shares a photo: {photo}]", turn.text)),
                None => Cow::from(&turn.text),
            };
            let said = (!turn.who.is_empty()).then_some(Said { speaker: &turn.who, session: turn.session });
            for text in passages(&text) {
                index.append(&Unit { text, date: date(&turn.date), said });
                units.push((turn, text.to_owned()));
            }
        }
        let view = View::of(&index, Weights::RECALL, 0..index.len());
        Self { index, view, units }
    }
}

fn date(text: &str) -> Option<Date> {
    let named = *dates::named(text).first()?;
    Some(Date { year: named.year?, month: named.month?, day: named.day? })
}

/// Category and outcome of each question.
fn recall<'a>(conversation: &'a Conversation, config: Config<'_>) -> Result<Vec<(&'a str, Outcome)>, String> {
    let memory = Memory::of(conversation);
    let mut searcher = Searcher::default();
    let (mut vectors, mut asked) = (Vec::new(), Vec::new());
    if let Config::Embedding(server) = config {
        let said = |(turn, text): &(&Turn, String)| match turn.who.as_str() {
            "" => text.clone(),
            who => format!("{who}: {text}"),
        };
        let texts: Vec<String> = memory.units.iter().map(said).collect();
        vectors = server.embed(&texts.iter().map(String::as_str).collect::<Vec<_>>(), Kind::Passage)?;
        let questions: Vec<&str> = conversation.questions.iter().map(|question| question.q.as_str()).collect();
        asked = server.embed(&questions, Kind::Query)?;
    }
    let mut scores = Vec::new();
    let mut windows = dense::Windows::default();
    for (at, question) in conversation.questions.iter().enumerate() {
        let mut utterances: Vec<&str> = match conversation.speakers.is_empty() {
            true => question.q.split(' ').collect(),
            false => vec![&question.q],
        };
        let text = utterances.pop().unwrap_or_default();
        let earlier = &utterances[utterances.len().saturating_sub(EARLIER)..];
        let windowed = asked.get(at).map(|asked| {
            let cosines: Vec<f32> = vectors.iter().map(|vector| dot(vector, asked)).collect();
            let alike = |a: u32, b: u32| dot(&vectors[a as usize], &vectors[b as usize]);
            windows.likeness(&memory.view, &cosines, alike)
        });
        let more: Vec<&str> = match config {
            Config::Expanded => question.more.iter().map(String::as_str).collect(),
            _ => Vec::new(),
        };
        let query = Query { text, earlier, expansions: &more, dense: windowed.as_deref(), ..Query::default() };
        let hits = searcher.search(&memory.index, &memory.view, &query, UNITS);
        let mut turns: Vec<&str> = Vec::new();
        for hit in hits {
            let id = memory.units[hit.doc as usize].0.id.as_str();
            if !turns.contains(&id) {
                turns.push(id);
            }
        }
        if !question.ev.is_empty() {
            let place = |id: &String| turns.iter().position(|turn| turn == id).unwrap_or(usize::MAX);
            let among = |depth| question.ev.iter().filter(|id| place(id) < depth).count();
            let recall = DEPTHS.map(|depth| among(depth) as f64 / question.ev.len() as f64);
            let newest = question.ev.iter().map(place).min();
            let newest_first =
                question.old.iter().map(place).min().map(|old| newest.is_some_and(|newest| newest < old));
            scores.push((question.cat.as_str(), Outcome { recall, newest_first }));
        }
    }
    Ok(scores)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::data;

    /// One question is worth 1.8 points: some room is left, for a change elsewhere may move one or two.
    #[test]
    fn our_own_stories_are_found() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/recall");
        for (set, least) in data::read(&folder).unwrap().iter().zip([78.0, 82.0]) {
            let whole = &run(set, Config::Default).unwrap()[0];
            assert!(least <= whole.percent()[1], "{}: {:?}", set.name, whole.percent());
            assert!(Some(66.0) <= whole.newest_first(), "{}: {:?}", set.name, whole.newest_first());
            assert!(least < run(set, Config::Expanded).unwrap()[0].percent()[1]);
        }
    }
}
