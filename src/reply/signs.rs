//! Where one of a few signs stands in a text.

/// The first of `signs`, in bytes. By bytes: what is told of a story is looked through with each prompt.
pub fn first(text: &str, signs: &[&str]) -> Option<usize> {
    let bytes = text.as_bytes();
    let is_there = |at: usize| signs.iter().any(|sign| bytes[at..].starts_with(sign.as_bytes()));
    let may_begin = |byte: &u8| signs.iter().any(|sign| sign.as_bytes().first() == Some(byte));
    bytes.iter().enumerate().position(|(at, byte)| may_begin(byte) && is_there(at))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::first;

    proptest! {
        #[test]
        fn it_is_what_a_search_finds(text in "[a<【［｛{，。「\\[]*") {
            prop_assert_eq!(first(&text, &["[", "［", "【"]), text.find(['[', '［', '【']));
            prop_assert_eq!(first(&text, &["<", "{"]), text.find(['<', '{']));
        }
    }
}
