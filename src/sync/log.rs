//! The files of all devices, as the storage lists them: `log/<device>.<from>-<to>`, packs numbered without gaps. A device puts
//! its own together as they become many.

use std::{cmp::Reverse, collections::BTreeMap};

use super::remote::Listed;

/// The folder.
pub const LOG: &str = "log/";

/// So many small ones may there be beside each other.
const SMALL: usize = if cfg!(test) { 4 } else { 12 };
/// Bytes, sealed, that what is put together has at most: to read it must not be felt on the page.
pub const LARGE: u64 = if cfg!(test) { 8 << 10 } else { 256 << 10 };
/// What is put together is no more than so many times what is newer. So each byte is written anew a few times at most, however
/// long a library grows (as in a log-structured merge-tree: O'Neil et al., 1996).
const GROWS: u64 = 2;

/// The packs of one device from a number to a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct File {
    pub from: u64,
    pub to: u64,
    /// Bytes, sealed; 0: the storage does not say.
    pub size: u64,
}

impl File {
    pub fn name(self, device: &str) -> String {
        let Self { from, to, .. } = self;
        format!("{LOG}{device}.{from:010}-{to:010}")
    }

    fn parse(listed: &Listed) -> Option<(String, Self)> {
        let (device, numbers) = listed.name.split_once('.')?;
        let (from, to) = numbers.split_once('-')?;
        Some((device.to_owned(), Self { from: from.parse().ok()?, to: to.parse().ok()?, size: listed.size }))
    }

    fn is_small(self) -> bool {
        self.size < LARGE / 2
    }
}

/// The files that are there, by device.
#[derive(Debug, Default)]
pub struct Log(BTreeMap<String, Vec<File>>);

impl Log {
    pub fn of(listed: &[Listed]) -> Self {
        let mut log = Self::default();
        for (device, file) in listed.iter().filter_map(File::parse) {
            log.0.entry(device).or_default().push(file);
        }
        // Of those that begin alike the one that goes furthest comes first: it holds the others.
        log.0.values_mut().for_each(|files| files.sort_by_key(|file| (file.from, Reverse(file.to))));
        log
    }

    pub fn of_device(&self, device: &str) -> &[File] {
        self.0.get(device).map_or(&[], Vec::as_slice)
    }

    /// Up to which pack a device's are there without a gap, and whether some come after one.
    pub fn whole_until(&self, device: &str) -> (u64, bool) {
        let mut until = 0;
        for file in self.of_device(device) {
            if file.from > until + 1 {
                return (until, true);
            }
            until = until.max(file.to);
        }
        (until, false)
    }

    pub fn others(&self, own: &str) -> impl Iterator<Item = (&str, &[File])> {
        self.0
            .iter()
            .filter(move |(device, _)| *device != own)
            .map(|(device, files)| (device.as_str(), files.as_slice()))
    }

    /// A file that was written since, or written over.
    pub fn push(&mut self, device: &str, file: File) {
        let files = self.0.entry(device.to_owned()).or_default();
        files.retain(|known| known.from < file.from);
        files.push(file);
    }
}

/// Of one device's files those that a crash left behind, whose contents are in the one before; and those, if any, that are to
/// be put together now.
pub fn to_join(files: &[File]) -> (Vec<File>, Vec<File>) {
    let (mut left, mut small, mut until) = (Vec::new(), Vec::new(), 0);
    for file in files {
        if file.to <= until {
            left.push(*file);
            continue;
        }
        // Where a list came late some are not shown: nothing is put together over them.
        if file.from > until + 1 {
            small.clear();
        }
        until = file.to;
        match file.is_small() {
            true => small.push(*file),
            false => small.clear(),
        }
    }
    if small.len() <= SMALL {
        return (left, Vec::new());
    }
    let (mut count, mut total) = (0, 0);
    for file in small.iter().rev() {
        // What becomes large is final, and takes along what stands before it.
        let grows = file.size <= GROWS * total || total >= LARGE / 2;
        if count > 0 && !(grows && total + file.size <= LARGE) {
            break;
        }
        count += 1;
        total += file.size.max(1);
    }
    let run = small.split_off(small.len() - count);
    (left, if run.len() > 1 { run } else { Vec::new() })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// However many packs of whatever sizes are written one after the other: few small ones stand beside each other, what
        /// is joined is no larger than it may be, and little is written anew.
        #[test]
        fn files_stay_few(sizes in prop::collection::vec(1..LARGE / 4, 1..400)) {
            let (mut files, mut rewritten) = (Vec::<File>::new(), 0);
            for (at, size) in sizes.iter().enumerate() {
                let number = at as u64 + 1;
                files.push(File { from: number, to: number, size: *size });
                let (left, run) = to_join(&files);
                prop_assert!(left.is_empty());
                if let (Some(first), Some(last)) = (run.first(), run.last()) {
                    let size = run.iter().map(|file| file.size).sum();
                    prop_assert!(size <= LARGE);
                    rewritten += size;
                    files.truncate(files.len() - run.len());
                    files.push(File { from: first.from, to: last.to, size });
                }
            }
            let total: u64 = sizes.iter().sum();
            // Of the newest each that stays is more than twice all that is newer.
            prop_assert!(files.len() as u64 <= SMALL as u64 + 10 + 4 * total / LARGE, "{} of {total}", files.len());
            prop_assert!(rewritten <= 8 * total, "{rewritten} of {total}");
            let gaps = files.windows(2).all(|pair| pair[0].to + 1 == pair[1].from);
            prop_assert!(gaps);
        }
    }

    /// Two that the list does not show are in no pack that is put together over them, nor deleted for being in one.
    #[test]
    fn nothing_is_put_together_over_a_gap() {
        let file = |number| File { from: number, to: number, size: 1 };
        let files: Vec<_> = (1..=20).filter(|number| ![12, 13].contains(number)).map(file).collect();
        let (left, run) = to_join(&files);
        assert_eq!((left, run.first()), (Vec::new(), Some(&file(14))));
    }

    #[test]
    fn what_a_crash_left_behind_is_found() {
        let file = |from, to| File { from, to, size: 1 };
        let names = [(1, 1), (2, 5), (2, 2), (3, 3), (6, 6)]
            .map(|(from, to)| Listed { name: file(from, to).name("a").trim_start_matches(LOG).to_owned(), size: 1 });
        let log = Log::of(&names);
        assert_eq!(to_join(log.of_device("a")), (vec![file(2, 2), file(3, 3)], Vec::new()));
    }
}
