//! Vectors of turns, as far as the index needs to know them: their likeness to a question, in a window.

use super::view::View;

/// Likeness of a question to each unit of `view` together with its neighbours, by rank: the cosine to
/// norm(2·v(i) + v(i−1) + v(i+1)), from the plain cosines alone. NaN where a unit has no vector.
///
/// `cosines` by number of unit, NaN or nothing for one without a vector; `alike` gives the cosine of two units.
pub fn windowed(view: &View, cosines: &[f32], alike: impl Fn(u32, u32) -> f32) -> Vec<f32> {
    let cosine = |doc: u32| cosines.get(doc as usize).copied().filter(|cosine| !cosine.is_nan());
    let beside = |rank: Option<u32>| {
        let doc = view.place(rank?).doc;
        Some((doc, cosine(doc)?))
    };
    let window = |(rank, doc): (u32, u32)| {
        let Some(own) = cosine(doc) else { return f32::NAN };
        let (before, after) = view.beside(rank);
        let (before, after) = (beside(before), beside(after));
        let (mut sum, mut square) = (2.0 * own, 4.0);
        for (near, cosine) in before.into_iter().chain(after) {
            sum += cosine;
            square += 1.0 + 4.0 * alike(doc, near);
        }
        if let (Some((before, _)), Some((after, _))) = (before, after) {
            square += 2.0 * alike(before, after);
        }
        // Opposite vectors leave nothing to point with.
        sum / square.max(f32::EPSILON).sqrt()
    };
    (0..).zip(view.docs()).map(window).collect()
}
