//! Whether a page is still what its sources say: a hash over all that goes into it.

use std::path::Path;

use sha2::{Digest, Sha256};

use crate::sh::{self, Result};

/// Files and folders that decide what the page is.
const INPUTS: &[&str] = &[
    ".cargo",
    "Cargo.lock",
    "Cargo.toml",
    "Trunk.toml",
    "index.html",
    "package-lock.json",
    "public",
    "rust-toolchain.toml",
    "src",
    "style",
    "xtask/src",
];

/// The hash of the inputs as they are now, for a build profile.
pub fn of_sources(root: &Path, profile: &str) -> Result<String> {
    let mut hash = Sha256::new();
    hash.update(profile);
    for input in INPUTS {
        let path = root.join(input);
        if path.is_dir() {
            for name in sh::files_below(&path) {
                add(&mut hash, &format!("{input}/{name}"), &path.join(&name))?;
            }
        } else if path.is_file() {
            add(&mut hash, input, &path)?;
        }
    }
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Name and length go in beside the content, so that no two trees look alike.
fn add(hash: &mut Sha256, name: &str, path: &Path) -> Result {
    let bytes = std::fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    hash.update((name.len() as u64).to_le_bytes());
    hash.update(name);
    hash.update((bytes.len() as u64).to_le_bytes());
    hash.update(bytes);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_moved_or_new_file_changes_the_stamp() {
        let root = std::env::temp_dir().join(format!("fabula-stamp-{}", std::process::id()));
        let src = root.join("src");
        std::fs::create_dir_all(&src).unwrap();
        let mut seen = vec![of_sources(&root, "release").unwrap()];
        assert_eq!(of_sources(&root, "release").unwrap(), seen[0]);
        seen.push(of_sources(&root, "dev").unwrap());
        let mut now = || {
            let stamp = of_sources(&root, "release").unwrap();
            assert!(!seen.contains(&stamp));
            seen.push(stamp);
        };
        std::fs::write(src.join("a.rs"), "one").unwrap();
        now();
        std::fs::write(src.join("a.rs"), "two").unwrap();
        now();
        std::fs::rename(src.join("a.rs"), src.join("b.rs")).unwrap();
        now();
        std::fs::write(root.join("notes.txt"), "not an input").unwrap();
        assert_eq!(of_sources(&root, "release").unwrap(), *seen.last().unwrap());
        std::fs::remove_dir_all(&root).unwrap();
    }
}
