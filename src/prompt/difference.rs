//! What changed from one prompt to the next (E7).

use std::collections::HashMap;

use serde::Serialize;

use crate::story::account::{Account, AccountBlock};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    Added,
    Gone,
    Changed,
}

/// A block that says something else than it did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    pub identifier: String,
    pub name: String,
    pub source: String,
    pub change: Change,
    /// Tokens before and after; 0 where it was not there.
    pub before: u32,
    pub after: u32,
}

/// The blocks that differ, in the order of the later prompt; those that are gone come last.
pub fn between(before: &Account, after: &Account) -> Vec<Difference> {
    let mut old: HashMap<_, &AccountBlock> = keyed(before).collect();
    let mut differences = Vec::new();
    for (key, block) in keyed(after) {
        match old.remove(&key) {
            None => differences.push(difference(block, Change::Added, 0, block.tokens)),
            Some(was) if !same(was, block) => {
                differences.push(difference(block, Change::Changed, was.tokens, block.tokens));
            }
            Some(_) => {}
        }
    }
    let gone = keyed(before).filter(|(key, _)| old.contains_key(key));
    differences.extend(gone.map(|(_, block)| difference(block, Change::Gone, block.tokens, 0)));
    differences
}

/// A preset may hold two blocks of one identifier: each is known by which of them it is.
fn keyed(account: &Account) -> impl Iterator<Item = ((&str, u32), &AccountBlock)> {
    let mut seen: HashMap<&str, u32> = HashMap::new();
    account.blocks.iter().map(move |block| {
        let nth = seen.entry(&block.identifier).or_default();
        *nth += 1;
        ((block.identifier.as_str(), *nth), block)
    })
}

/// Whether both say the same. A history is told by its turns; what an estimate makes of a text is none of it.
fn same(was: &AccountBlock, is: &AccountBlock) -> bool {
    let turns = |block: &AccountBlock| (block.from, block.to, block.past, block.shown_only);
    turns(was) == turns(is) && was.recap == is.recap && was.says_as(is)
}

fn difference(block: &AccountBlock, change: Change, before: u32, after: u32) -> Difference {
    Difference {
        identifier: block.identifier.clone(),
        name: block.name.clone(),
        source: block.source.clone(),
        change,
        before,
        after,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_came_went_and_changed() {
        let account = |blocks: &[(&str, u32, &str)]| Account {
            blocks: blocks
                .iter()
                .map(|(identifier, tokens, text)| AccountBlock {
                    identifier: (*identifier).into(),
                    tokens: *tokens,
                    text: (*text).into(),
                    ..Default::default()
                })
                .collect(),
            ..Default::default()
        };
        let before = account(&[("main", 9, "a"), ("x", 2, "1"), ("x", 2, "2"), ("recall", 7, "m")]);
        let after = account(&[("main", 9, "a"), ("note", 3, "n"), ("x", 2, "1"), ("x", 2, "3")]);
        let told: Vec<_> = between(&before, &after)
            .into_iter()
            .map(|one| (one.identifier, one.change, one.before, one.after))
            .collect();
        assert_eq!(
            told,
            [
                ("note".to_owned(), Change::Added, 0, 3),
                ("x".to_owned(), Change::Changed, 2, 2),
                ("recall".to_owned(), Change::Gone, 7, 0),
            ]
        );
        assert!(between(&after, &after).is_empty());
    }

    /// The estimate is another one after each reply that was counted; the text is what it was.
    #[test]
    fn another_estimate_is_no_change() {
        let block = |tokens: u32, to: u32| AccountBlock { tokens, from: Some(0), to: Some(to), ..Default::default() };
        let account = |scale: u32, to: u32| Account {
            blocks: vec![
                AccountBlock { identifier: "world".into(), text: "雨".into(), trimmed: scale, ..block(9 * scale, 0) },
                AccountBlock { identifier: "history".into(), ..block(20 * scale, to) },
            ],
            ..Default::default()
        };
        assert_eq!(between(&account(1, 4), &account(2, 4)), []);
        let told: Vec<_> = between(&account(1, 4), &account(2, 5)).into_iter().map(|one| one.identifier).collect();
        assert_eq!(told, ["history"], "a turn more is told");
    }
}
