//! Chance that is none: drawn from a seed, so that the same turn is told the same.

/// A number that seems random (FNV-1a, then the mixing of SplitMix64).
pub fn draw(parts: &[&str], nth: u32) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let bytes = parts.iter().flat_map(|part| part.bytes().chain([0xff]));
    for byte in bytes.chain(nth.to_le_bytes()) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    mix(hash)
}

fn mix(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

/// `d6`, `2d6+1`, `20`: the sum of the dice. `None` where it is no such thing, or absurdly many.
pub fn roll(dice: &str, seed: u64) -> Option<i64> {
    let dice = dice.trim().to_ascii_lowercase();
    let (dice, plus) = match dice.find(['+', '-']) {
        Some(at) => (&dice[..at], dice[at..].replace(' ', "").parse::<i64>().ok().filter(|n| n.abs() < 1_000_000)?),
        None => (dice.as_str(), 0),
    };
    let (count, sides) = match dice.trim().split_once('d') {
        Some(("", sides)) => ("1", sides),
        Some(pair) => pair,
        None => ("1", dice.trim()),
    };
    let count = count.parse::<u32>().ok().filter(|count| (1..=100).contains(count))?;
    let sides = sides.parse::<u64>().ok().filter(|sides| (1..=1_000_000).contains(sides))?;
    let mut number = seed;
    let sum: u64 = (0..count)
        .map(|_| {
            number = mix(number);
            number % sides + 1
        })
        .sum();
    Some(sum as i64 + plus)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rolls() {
        for seed in 0..500 {
            assert!((1..=6).contains(&roll("d6", seed).unwrap()));
            assert!((3..=13).contains(&roll(" 2D6 + 1", seed).unwrap()));
            assert!((-1..=18).contains(&roll("20-2", seed).unwrap()));
        }
        for bad in ["", "d", "0d6", "d0", "2x6", "999999d6", "d6+", "d6+1+1"] {
            assert_eq!(roll(bad, 1), None, "{bad}");
        }
    }

    #[test]
    fn draws_spread() {
        let mut seen = [0; 4];
        for nth in 0..4_000 {
            seen[(draw(&["turn", "main"], nth) % 4) as usize] += 1;
        }
        assert!(seen.iter().all(|count| (900..1_100).contains(count)), "{seen:?}");
        assert_ne!(draw(&["a", "b"], 0), draw(&["ab", ""], 0));
    }
}
