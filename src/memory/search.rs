//! The search itself: counts read from postings, spread to neighbours, weighed by BM25, then a sum of small terms.

use super::{
    dates::Date,
    index::{Index, NONE},
    query::{Asked, Query, Sought},
    rank::{self, Hit, Parts},
    versions,
    view::{NEAR, Place, View},
};

/// BM25: how soon further counts of a word stop to matter, and how much longer units pay for their length.
/// Neighbours make units alike in length, so that the usual 0.75 is too much.
const K1: f32 = 1.2;
const B: f32 = 0.5;
/// The same for whole sessions, which do differ.
const SESSION_B: f32 = 0.75;
/// So many postings are read at most beyond those of the rarest word, those of rare words first: a long text in a long
/// story holds many words that are everywhere, and they tell the least.
const POSTINGS: u32 = 1 << 15;
/// A unit and its neighbours to both sides.
const ROW: usize = 2 * NEAR + 1;
/// Counts are kept in twelfths.
const UNIT: f32 = 12.0;

/// Searches, and keeps its tables from one search to the next.
#[derive(Debug, Default)]
pub struct Searcher {
    /// By rank, for the word in hand; and the ranks that are not 0.
    counts: Vec<u32>,
    touched: Vec<u32>,
    /// The word in hand is rare: which counts it touches is noted, and not looked for among all.
    is_rare: bool,
    /// By rank: what a unit of its length adds below the line of BM25.
    norms: Vec<f32>,
    /// By rank, over all words.
    scores: Vec<f32>,
    session_counts: Vec<u32>,
    session_touched: Vec<u32>,
    session_scores: Vec<f32>,
}

impl Searcher {
    /// The best `k` of what is seen from `view`, best first. Of two that are equal the newer is first.
    pub fn search(&mut self, index: &Index, view: &View, query: &Query<'_>, k: usize) -> Vec<Hit> {
        let asked = Asked::read(index, view, query);
        self.clear(view, if query.typing { 0.0 } else { B });
        for sought in affordable(view, &asked.sought) {
            self.count(index, view, sought, query.typing);
            self.weigh(view, sought);
            self.weigh_sessions(view, sought);
        }
        let mut hits = match query.typing {
            true => self.by_words(view, query, k),
            false => self.by_all(view, query, &asked, k.max(versions::HITS)),
        };
        let superseded = match query.typing {
            true => vec![None; hits.len()],
            false => versions::settle(index, view, query.text, &mut hits),
        };
        let hit = |((rank, parts), newer): ((u32, Parts), Option<u32>)| Hit {
            doc: view.place(rank).doc,
            rank,
            score: parts.total(),
            parts,
            words: matched(index, view, &asked, query.typing, rank),
            superseded_by: newer.map(|newer| view.place(newer).doc),
        };
        hits.into_iter().zip(superseded).take(k).map(hit).collect()
    }

    fn clear(&mut self, view: &View, b: f32) {
        let longer = K1 * b / view.mean_length().max(1.0);
        self.norms.clear();
        self.norms.extend(view.places().map(|place| K1 * (1.0 - b) + longer * place.length as f32));
        // Counts are put back to 0 as they are used.
        self.counts.resize(view.len(), 0);
        self.session_counts.resize(view.sessions.len(), 0);
        self.scores.clear();
        self.scores.resize(view.len(), 0.0);
        self.session_scores.clear();
        self.session_scores.resize(view.sessions.len(), 0.0);
    }

    /// Counts a word: in the units that hold it, beside them, and in dates.
    fn count(&mut self, index: &Index, view: &View, sought: &Sought, own_only: bool) {
        let weights = &view.weights;
        let [near1, near2, near3, near4] = weights.near;
        let row = [near4, near3, near2, near1, weights.own, near1, near2, near3, near4];
        let held: usize = sought.forms.iter().map(|form| index.postings[*form as usize].len()).sum();
        self.is_rare = held * row.len() < view.len() / 4;
        for posting in sought.forms.iter().flat_map(|form| &index.postings[*form as usize]) {
            let Some(rank) = view.rank(posting.doc()) else { continue };
            let count = posting.count();
            let Some(place) = view.turns.get(rank as usize).filter(|_| !own_only) else {
                self.add(rank as usize, &[weights.own], count);
                continue;
            };
            let (before, after) = (usize::from(place.before), usize::from(place.after));
            self.add(rank as usize - before, &row[NEAR - before..=NEAR + after], count);
            if place.asks && 0 < place.after {
                self.add(rank as usize + 1, &[weights.question], count);
            }
            if self.session_counts[place.session as usize] == 0 {
                self.session_touched.push(place.session);
            }
            self.session_counts[place.session as usize] += count;
        }
        if let Some(word) = sought.date.filter(|_| !own_only) {
            for (rank, place) in view.turns.iter().enumerate() {
                if Date::unpack(place.date).is_some_and(|date| word.stands_in(date)) {
                    self.add(rank, &[weights.date_words], 1);
                }
            }
        }
    }

    /// Adds `count` to the ranks from `first` on, by the weights in `row`: where a search spends most of its time.
    #[inline(always)]
    fn add(&mut self, first: usize, row: &[u32], count: u32) {
        let counts = &mut self.counts[first..first + row.len()];
        if self.is_rare {
            let new = (first as u32..)
                .zip(counts.iter().zip(row))
                .filter(|(_, (count, weight))| **count == 0 && **weight != 0);
            self.touched.extend(new.map(|(rank, _)| rank));
        }
        // Of a length that is known, it is a few instructions.
        match (<&mut [u32; ROW]>::try_from(&mut *counts), <&[u32; ROW]>::try_from(row)) {
            (Ok(counts), Ok(row)) => add_all(counts, row, count),
            _ => add_all(counts, row, count),
        }
    }

    /// Turns the counts of a word into scores.
    fn weigh(&mut self, view: &View, sought: &Sought) {
        let Self { counts, touched, norms, scores, .. } = self;
        let factor = |holding: usize| sought.weight * idf(view.len(), holding) * (K1 + 1.0);
        let score = |factor: f32, counts: &mut u32, norm: f32| {
            let counts = std::mem::take(counts) as f32 / UNIT;
            factor * counts / (counts + norm)
        };
        if self.is_rare {
            let factor = factor(touched.len());
            for rank in touched.drain(..).map(|rank| rank as usize) {
                scores[rank] += score(factor, &mut counts[rank], norms[rank]);
            }
        } else {
            // All of them in their order: a count of 0 adds 0, sooner than it is found out to be one.
            let factor = factor(counts.iter().filter(|counts| **counts != 0).count());
            for ((sum, counts), norm) in scores.iter_mut().zip(counts).zip(norms) {
                *sum += score(factor, counts, *norm);
            }
        }
    }

    fn weigh_sessions(&mut self, view: &View, sought: &Sought) {
        let idf = sought.weight * idf(view.sessions.len(), self.session_touched.len());
        let total: u64 = view.sessions.iter().map(|length| u64::from(*length)).sum();
        let mean = (total as f64 / view.sessions.len().max(1) as f64).max(1.0) as f32;
        for session in self.session_touched.drain(..) {
            let count = std::mem::take(&mut self.session_counts[session as usize]) as f32;
            let length = view.sessions[session as usize] as f32;
            let norm = K1 * (1.0 - SESSION_B + SESSION_B * length / mean);
            self.session_scores[session as usize] += idf * count * (K1 + 1.0) / (count + norm);
        }
    }

    /// By words alone, as they are: the scores of several indexes can be compared, and equals are equal.
    fn by_words(&self, view: &View, query: &Query<'_>, k: usize) -> Vec<(u32, Parts)> {
        let may = |(rank, _): &(u32, f32)| query.only.is_none_or(|only| only(view.place(*rank).doc));
        let found = (0..).zip(self.scores.iter().copied()).filter(|(_, score)| *score != 0.0).filter(may);
        let best = rank::best(view, found.collect(), k, 0.0, &|_| true);
        best.into_iter()
            .map(|(rank, _)| (rank, Parts { words: self.scores[rank as usize], ..Parts::default() }))
            .collect()
    }

    fn by_all(&self, view: &View, query: &Query<'_>, asked: &Asked, k: usize) -> Vec<(u32, Parts)> {
        let weights = &view.weights;
        let most = self.scores.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
        let sessions = Scale::of(self.session_scores.iter().copied());
        let dense = query.dense.map(|dense| (dense, Scale::of(dense.iter().copied())));
        let on_date = |place: &Place| {
            let date = Date::unpack(place.date);
            date.is_some_and(|date| asked.dates.iter().any(|named| named.holds(date)))
        };
        let parts = |rank: u32| {
            let place = view.place(rank);
            let mut parts = Parts { words: weights.words * self.scores[rank as usize] / most, ..Parts::default() };
            if let Some((dense, scale)) = &dense {
                parts.dense = weights.dense * dense.get(rank as usize).map_or(0.0, |cosine| scale.share(*cosine));
            }
            if on_date(place) {
                parts.date = weights.date;
            }
            if place.session != NONE {
                parts.session = weights.session * sessions.share(self.session_scores[place.session as usize]);
                if place.speaker == asked.speaker {
                    let first_person = f32::from(place.first_person.min(3)) / 3.0;
                    parts.speaker = weights.speaker + weights.first_person * first_person;
                }
                parts.prior = place.prior;
            }
            parts
        };
        // Without words, date or vectors in common there is no reason to be found.
        let is_like = |rank: u32| {
            query.dense.is_some_and(|dense| dense.get(rank as usize).is_some_and(|cosine| !cosine.is_nan()))
        };
        let is_found = |rank: &u32| {
            is_like(*rank)
                || self.scores[*rank as usize] != 0.0
                || !asked.dates.is_empty() && on_date(view.place(*rank))
        };
        let scored = (0..view.len() as u32).filter(is_found).map(|rank| (rank, parts(rank).total())).collect();
        let may = |rank: u32| query.only.is_none_or(|only| only(view.place(rank).doc));
        let spaced = rank::best(view, scored, k, weights.spacing, &may);
        spaced.into_iter().map(|(rank, lowered)| (rank, Parts { spacing: -lowered, ..parts(rank) })).collect()
    }
}

#[inline(always)]
fn add_all(counts: &mut [u32], row: &[u32], count: u32) {
    counts.iter_mut().zip(row).for_each(|(counts, weight)| *counts += weight * count);
}

/// The words whose postings are worth reading, in the order in which they were asked.
fn affordable<'a>(view: &View, sought: &'a [Sought]) -> Vec<&'a Sought> {
    let cost = |form: &u32| view.holders.get(*form as usize).copied().unwrap_or(0);
    let costs: Vec<u64> =
        sought.iter().zip(0..).map(|(sought, at)| ranked(sought.forms.iter().map(cost).sum(), at)).collect();
    let mut read = 0;
    let is_affordable = |cost: &u64| {
        read += (cost >> 32) as u32;
        read <= POSTINGS
    };
    let mut cheapest = costs.clone();
    cheapest.sort_unstable();
    // Where even the rarest word is common, it is all there is to go by.
    let (rarest, others) = cheapest.split_at(cheapest.len().min(1));
    let last = others.iter().copied().take_while(is_affordable).last().or(rarest.first().copied());
    let kept = sought.iter().zip(costs).filter(|(_, cost)| Some(*cost) <= last);
    kept.map(|(sought, _)| sought).collect()
}

/// A number that sorts by `rank`, then by `number`. The library's sorting is compiled for each type that is sorted, some
/// kilobytes each, and the memory has to be small.
pub(super) fn ranked(rank: u32, number: u32) -> u64 {
    u64::from(rank) << 32 | u64::from(number)
}

/// How much a word tells, that `holding` of `all` hold.
pub(super) fn idf(all: usize, holding: usize) -> f32 {
    let (all, holding) = (all as f32, holding as f32);
    (1.0 + (all - holding + 0.5) / (holding + 0.5)).ln()
}

/// From the least to the most of some numbers.
struct Scale {
    least: f32,
    span: f32,
}

impl Scale {
    fn of(numbers: impl Iterator<Item = f32>) -> Self {
        // `min` and `max` pass over what is not a number.
        let (least, most) = numbers.fold((f32::MAX, f32::MIN), |(least, most), n| (least.min(n), most.max(n)));
        Self { least, span: most - least }
    }

    /// 0 at the least, 1 at the most; 0 for all where they are equal, and for what is not a number.
    fn share(&self, number: f32) -> f32 {
        if 0.0 < self.span && !number.is_nan() { (number - self.least) / self.span } else { 0.0 }
    }
}

/// The words that were looked for and that a unit or its neighbours hold.
fn matched(index: &Index, view: &View, asked: &Asked, own_only: bool, rank: u32) -> Vec<String> {
    let place = view.place(rank);
    let own_only = own_only || view.weights.near == [0; NEAR];
    let (before, after) = if own_only { (0, 0) } else { (u32::from(place.before), u32::from(place.after)) };
    let near = rank - before..=rank + after;
    let holds = |form: &&u32| {
        let postings = &index.postings[**form as usize];
        near.clone().any(|rank| postings.binary_search_by_key(&view.place(rank).doc, |posting| posting.doc()).is_ok())
    };
    let mut words: Vec<&str> = Vec::new();
    for form in asked.sought.iter().filter_map(|sought| sought.forms.iter().find(holds)) {
        let word = &*index.words[*form as usize];
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words.into_iter().map(str::to_owned).collect()
}
