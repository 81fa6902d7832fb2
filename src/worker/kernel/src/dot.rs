//! Dot products. Floats are summed in lanes, since the order of additions is fixed and a plain sum could not be
//! vectorised. Bytes use `simd128` by name in a browser: the page is linked at `opt-level` "z", and the linker's level
//! decides whether loops are vectorised, whatever the level of this crate.

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
pub fn bytes(a: &[i8], b: &[i8]) -> i32 {
    let (wide_a, rest_a) = a.as_chunks::<16>();
    let (wide_b, rest_b) = b.as_chunks::<16>();
    let rest: i32 = rest_a.iter().zip(rest_b).map(|(&a, &b)| i32::from(a) * i32::from(b)).sum();
    sixteens(wide_a, wide_b) + rest
}

// Two products of such numbers fit 16 bits together, which halves the work of widening them.

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
fn sixteens(a: &[[i8; 16]], b: &[[i8; 16]]) -> i32 {
    let product = |a: i8, b: i8| i16::from(a) * i16::from(b);
    let mut lanes = [0; 8];
    for (a, b) in a.iter().zip(b) {
        for (i, lane) in lanes.iter_mut().enumerate() {
            *lane += i32::from(product(a[i], b[i]) + product(a[i + 8], b[i + 8]));
        }
    }
    lanes.iter().sum()
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
fn sixteens(a: &[[i8; 16]], b: &[[i8; 16]]) -> i32 {
    use core::arch::wasm32::*;

    let mut lanes = i32x4_splat(0);
    for (a, b) in a.iter().zip(b) {
        // SAFETY: both point to 16 bytes, and a load needs no alignment.
        let (a, b) = unsafe { (v128_load(a.as_ptr().cast()), v128_load(b.as_ptr().cast())) };
        let products = i16x8_add(i16x8_extmul_low_i8x16(a, b), i16x8_extmul_high_i8x16(a, b));
        lanes = i32x4_add(lanes, i32x4_extadd_pairwise_i16x8(products));
    }
    i32x4_extract_lane::<0>(lanes)
        + i32x4_extract_lane::<1>(lanes)
        + i32x4_extract_lane::<2>(lanes)
        + i32x4_extract_lane::<3>(lanes)
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    /// Numbers within ±127, all of them, in no order that a sum could hide behind.
    fn codes(count: usize, step: usize) -> Vec<i8> {
        (0..count).map(|i| (i * step % 255) as i8).map(|code| code.max(-127)).collect()
    }

    #[test]
    fn lanes_sum_like_a_plain_loop() {
        for count in 0..300 {
            let (a, b) = (codes(count, 101), codes(count, 37));
            let plain: i32 = a.iter().zip(&b).map(|(&a, &b)| i32::from(a) * i32::from(b)).sum();
            assert_eq!(bytes(&a, &b), plain);
            let float = |codes: &[i8]| codes.iter().map(|&code| f32::from(code)).collect::<Vec<_>>();
            assert_eq!(floats(&float(&a), &float(&b)), plain as f32);
        }
    }

    #[test]
    fn the_longest_codes_do_not_overflow() {
        let most = vec![127; crate::code::MAX_DIM];
        let least = vec![-127; crate::code::MAX_DIM];
        let square = 127 * 127 * crate::code::MAX_DIM as i32;
        assert_eq!((bytes(&most, &most), bytes(&least, &least), bytes(&most, &least)), (square, square, -square));
    }
}
