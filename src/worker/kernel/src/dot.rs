//! Dot products. The sums are kept in lanes: the order of float additions is fixed, so that a plain sum could not be
//! vectorised, and small whole numbers need a hint that they stay small.

/// Σ aᵢ·bᵢ over the shorter of the two.
pub fn floats(a: &[f32], b: &[f32]) -> f32 {
    let (wide_a, rest_a) = a.as_chunks::<16>();
    let (wide_b, rest_b) = b.as_chunks::<16>();
    let mut lanes = [0.0; 16];
    for (a, b) in wide_a.iter().zip(wide_b) {
        for (lane, (a, b)) in lanes.iter_mut().zip(a.iter().zip(b)) {
            *lane += a * b;
        }
    }
    let rest: f32 = rest_a.iter().zip(rest_b).map(|(a, b)| a * b).sum();
    lanes.iter().sum::<f32>() + rest
}

/// Σ aᵢ·bᵢ of two codes of the same length, each number within ±127.
///
/// Two products of such numbers fit 16 bits together, which halves the work of widening them.
pub fn bytes(a: &[i8], b: &[i8]) -> i32 {
    let (wide_a, rest_a) = a.as_chunks::<16>();
    let (wide_b, rest_b) = b.as_chunks::<16>();
    let product = |a: i8, b: i8| i16::from(a) * i16::from(b);
    let mut lanes = [0; 8];
    for (a, b) in wide_a.iter().zip(wide_b) {
        for (i, lane) in lanes.iter_mut().enumerate() {
            *lane += i32::from(product(a[i], b[i]) + product(a[i + 8], b[i + 8]));
        }
    }
    let rest: i32 = rest_a.iter().zip(rest_b).map(|(&a, &b)| i32::from(product(a, b))).sum();
    lanes.iter().sum::<i32>() + rest
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn lanes_sum_like_a_plain_loop(pairs in prop::collection::vec((-127..=127i8, -127..=127i8), 0..100)) {
            let (a, b): (Vec<i8>, Vec<i8>) = pairs.iter().copied().unzip();
            let plain: i32 = pairs.iter().map(|&(a, b)| i32::from(a) * i32::from(b)).sum();
            prop_assert_eq!(bytes(&a, &b), plain);
            let float = |codes: &[i8]| codes.iter().map(|&code| f32::from(code)).collect::<Vec<_>>();
            prop_assert_eq!(floats(&float(&a), &float(&b)), plain as f32);
        }
    }

    #[test]
    fn the_longest_codes_do_not_overflow() {
        let most = vec![127; crate::code::MAX_DIM];
        let least = vec![-127; crate::code::MAX_DIM];
        assert_eq!(bytes(&most, &least), -127 * 127 * crate::code::MAX_DIM as i32);
    }
}
