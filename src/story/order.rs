//! Sorting, compiled once. The library's own is compiled anew for each type that is sorted, some four kilobytes each, and
//! the page has to be small.

use std::cmp::Ordering;

/// Sorts; equals keep their order.
pub fn by<T>(list: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let mut to = places(list.len(), &|a, b| compare(&list[a], &list[b]));
    for at in 0..list.len() {
        while to[at] != at {
            let other = to[at];
            list.swap(at, other);
            to.swap(at, other);
        }
    }
}

/// The same by a key.
pub fn by_key<T, K: Ord>(list: &mut [T], key: impl Fn(&T) -> K) {
    by(list, |a, b| key(a).cmp(&key(b)));
}

/// Where each of `len` goes.
fn places(len: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut sorted: Vec<usize> = (0..len).collect();
    sorted.sort_by(|a, b| compare(*a, *b));
    let mut to = vec![0; len];
    for (at, from) in sorted.into_iter().enumerate() {
        to[from] = at;
    }
    to
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn as_the_library_sorts(list in prop::collection::vec((0..8u8, 0..100u8), 0..64)) {
            let (mut ours, mut theirs) = (list.clone(), list);
            super::by_key(&mut ours, |(key, _)| *key);
            theirs.sort_by_key(|(key, _)| *key);
            prop_assert_eq!(ours, theirs);
        }
    }
}
