//! Vectors of turns, as far as the index needs to know them: their likeness to a question, in a window.

use super::{index::NONE, view::View};

/// The windows of units, each a unit with its neighbours. How alike the vectors in one are does not depend on the
/// question, and is kept from one question to the next.
#[derive(Debug, Default)]
pub struct Windows(Vec<Window>);

#[derive(Clone, Copy, Debug)]
struct Window {
    /// The neighbours that have a vector, or [`NONE`].
    before: u32,
    after: u32,
    /// Of 2·v(i) + v(i−1) + v(i+1).
    length: f32,
}

impl Windows {
    /// Lets go of what is known: a unit has another vector now.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Likeness of a question to each unit of `view` together with its neighbours, by rank: the cosine to
    /// norm(2·v(i) + v(i−1) + v(i+1)), from the plain cosines alone. NaN where a unit has no vector.
    ///
    /// `cosines` by number of unit, NaN or nothing for one without a vector; `alike` gives the cosine of two units.
    pub fn likeness(&mut self, view: &View, cosines: &[f32], alike: impl Fn(u32, u32) -> f32) -> Vec<f32> {
        let cosine = |doc: u32| cosines.get(doc as usize).copied().filter(|cosine| !cosine.is_nan());
        let beside = |rank: Option<u32>| {
            let doc = view.doc(rank?);
            Some((doc, cosine(doc)?))
        };
        let window = |(rank, doc): (u32, u32)| {
            let Some(own) = cosine(doc) else { return f32::NAN };
            let (before, after) = view.beside(rank);
            let (before, after) = (beside(before), beside(after));
            let sum = before.into_iter().chain(after).fold(2.0 * own, |sum, (_, cosine)| sum + cosine);
            let number = |near: Option<(u32, f32)>| near.map_or(NONE, |(doc, _)| doc);
            sum / self.length(doc, number(before), number(after), &alike)
        };
        (0..).zip(view.docs()).map(window).collect()
    }

    fn length(&mut self, doc: u32, before: u32, after: u32, alike: impl Fn(u32, u32) -> f32) -> f32 {
        let at = doc as usize;
        if let Some(known) = self.0.get(at).filter(|known| (known.before, known.after) == (before, after)) {
            return known.length;
        }
        let near = [before, after].into_iter().filter(|near| *near != NONE);
        let mut square = near.fold(4.0, |square, near| square + 1.0 + 4.0 * alike(doc, near));
        if before != NONE && after != NONE {
            square += 2.0 * alike(before, after);
        }
        // Opposite vectors leave nothing to point with.
        let length = square.max(f32::EPSILON).sqrt();
        if self.0.len() <= at {
            // None has the same unit on both sides: this stands for what is not known.
            self.0.resize(at + 1, Window { before: doc, after: doc, length });
        }
        self.0[at] = Window { before, after, length };
        length
    }
}
