//! The functions of a wasm file in an order that travels well.
//!
//! gzip looks back 32 KB and no further. So each function is followed by the one of which most has been seen within that
//! reach, and above all in the function before, by pieces of a few bytes. Against the order of names, in which the copies of
//! one generic function lie side by side, that saves a twentieth of what travels.

use std::collections::HashMap;

use crate::sh::Result;
use crate::wasm::{imports, leb, name_of, number, section, sections, text};

/// Bytes of a piece.
const PIECE: usize = 5;
/// Bytes that gzip can be sure to look back, with some of them spent on what a function says anew.
const REACH: usize = 30_000;
/// A piece that is in more functions than these says nothing of likeness.
const COMMON: usize = 1_000;
/// What a function costs beside its bytes: of two that are known as well, the longer comes first.
const EACH: f64 = 20.0;
/// What a piece of the function just before counts beside any within reach.
const JUST: f64 = 0.3;

/// The same program, each function named by its place in that order.
///
/// # Errors
/// It is not a wasm file as tools write them.
pub fn named_by_place(wasm: &[u8]) -> Result<Vec<u8>> {
    let file = File::read(wasm).ok_or("a wasm file that cannot be read")?;
    let mut names = vec![(0, 0); file.bodies.len()];
    for (place, at) in order(&file.bodies).into_iter().enumerate() {
        names[at] = (file.imported + at, place);
    }
    let mut functions = leb(names.len());
    for (index, place) in names {
        let name = format!("{place:06}");
        functions.extend([leb(index), leb(name.len()), name.into_bytes()].concat());
    }
    // Of the names of functions, as the format has it.
    let names = [leb(4), b"name".to_vec(), section(1, &functions)].concat();
    Ok([file.others, section(0, &names)].concat())
}

struct File<'a> {
    /// How many functions come from elsewhere: those have the first numbers.
    imported: usize,
    bodies: Vec<&'a [u8]>,
    /// All of it but the names.
    others: Vec<u8>,
}

impl<'a> File<'a> {
    fn read(wasm: &'a [u8]) -> Option<Self> {
        let (start, sections) = sections(wasm)?;
        let mut file = Self { imported: 0, bodies: Vec::new(), others: start.to_vec() };
        for section in sections {
            match section.id {
                2 => file.imported = imports(section.body)?.iter().filter(|import| import.is_function()).count(),
                10 => file.bodies = bodies(section.body)?,
                _ => {}
            }
            if section.id != 0 || name_of(section.body)? != b"name" {
                file.others.extend_from_slice(section.whole);
            }
        }
        Some(file)
    }
}

fn bodies(section: &[u8]) -> Option<Vec<&[u8]>> {
    let (count, mut at) = number(section, 0)?;
    let mut bodies = Vec::with_capacity(count);
    for _ in 0..count {
        let (body, end) = text(section, at)?;
        bodies.push(body);
        at = end;
    }
    Some(bodies)
}

/// The functions one after the other, by their numbers.
fn order(bodies: &[&[u8]]) -> Vec<usize> {
    let pieces: Vec<Vec<u64>> = bodies.iter().map(|body| pieces(body)).collect();
    let mut holders: HashMap<u64, Vec<usize>> = HashMap::new();
    for (at, pieces) in pieces.iter().enumerate() {
        for piece in pieces {
            holders.entry(*piece).or_default().push(at);
        }
    }
    holders.retain(|_, holders| (2..=COMMON).contains(&holders.len()));
    let weight = |holders: &[usize]| (holders.len() as f64).powf(-0.5);
    let holders_of = |at: usize| pieces[at].iter().filter_map(|piece| Some((piece, holders.get(piece)?)));
    let mut seen: HashMap<u64, u32> = HashMap::new();
    // How much of each function is within reach, and in the one before.
    let mut known = vec![0.0; bodies.len()];
    let mut left: Vec<usize> = (0..bodies.len()).collect();
    let mut order: Vec<usize> = Vec::with_capacity(bodies.len());
    let (mut behind, mut reach) = (0, 0);
    while !left.is_empty() {
        let mut just = vec![0.0; bodies.len()];
        for (_, holders) in order.last().into_iter().flat_map(|last| holders_of(*last)) {
            holders.iter().for_each(|at| just[*at] += JUST * weight(holders));
        }
        let share = |at: usize| (known[at] + just[at]) / (pieces[at].len() as f64 + EACH);
        // One that is like the one before; where there is none, any; where nothing is known of any, the first.
        let follows = |place: &usize| just[left[*place]] > 0.0;
        let best = |places: &mut dyn Iterator<Item = usize>| {
            places.reduce(|best, place| if share(left[place]) > share(left[best]) + 1e-9 { place } else { best })
        };
        let next = best(&mut (0..left.len()).filter(follows)).or_else(|| best(&mut (0..left.len())));
        let next = left.remove(next.unwrap_or_default());
        order.push(next);
        reach += bodies[next].len();
        for (piece, holders) in holders_of(next) {
            let times = seen.entry(*piece).or_default();
            *times += 1;
            if *times == 1 {
                holders.iter().for_each(|at| known[*at] += weight(holders));
            }
        }
        while reach > REACH && behind + 1 < order.len() {
            let gone = order[behind];
            behind += 1;
            reach -= bodies[gone].len();
            for (piece, holders) in holders_of(gone) {
                let times = seen.entry(*piece).or_default();
                *times -= 1;
                if *times == 0 {
                    holders.iter().for_each(|at| known[*at] -= weight(holders));
                }
            }
        }
    }
    order
}

/// The pieces of a function, each once.
fn pieces(body: &[u8]) -> Vec<u64> {
    let hash = |piece: &[u8]| {
        let hash = piece
            .iter()
            .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3));
        hash ^ (hash >> 29)
    };
    let mut all: Vec<u64> = body.windows(PIECE).map(hash).collect();
    all.sort_unstable();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A function of a kind: its bytes differ by kind in all, by number in few.
    fn body(kind: u8, number: u8) -> Vec<u8> {
        let mut body: Vec<u8> = (0..200u32).map(|at| (at.wrapping_mul(u32::from(kind) * 2 + 77) >> 2) as u8).collect();
        body[100] = number;
        body
    }

    #[test]
    fn those_that_are_alike_lie_side_by_side() {
        let bodies: Vec<Vec<u8>> = (0..40).map(|at| body(at % 4, at)).collect();
        let order = order(&bodies.iter().map(Vec::as_slice).collect::<Vec<_>>());
        let mut all = order.clone();
        all.sort_unstable();
        assert_eq!(all, (0..40).collect::<Vec<_>>(), "each once");
        let changes = order.windows(2).filter(|two| two[0] % 4 != two[1] % 4).count();
        assert_eq!(changes, 3, "{order:?}");
    }

    #[test]
    fn each_function_has_its_place_for_a_name() {
        let import = section(2, &[&[1], &[1, b'm', 1, b'f', 0, 0][..]].concat());
        let code = section(10, &[1, 2, 0, 0x0b]);
        let wasm = [&b"\0asm\x01\0\0\0"[..], &import, &code, &section(0, b"\x04name\x01\x00")].concat();
        let named = named_by_place(&wasm).unwrap();
        let names = section(0, b"\x04name\x01\x09\x01\x01\x06000000");
        assert_eq!(named, [&wasm[..8], &import, &code, &names].concat());
        assert!(named_by_place(&wasm[..wasm.len() - 1]).is_err());
    }
}
