//! Where one of a few signs stands in a text.

/// The first of `signs`, in bytes. By bytes: what is told of a story is looked through with each prompt.
pub fn first(text: &str, signs: &[&str]) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut may_begin = [false; 256];
    signs.iter().filter_map(|sign| sign.as_bytes().first()).for_each(|byte| may_begin[usize::from(*byte)] = true);
    let is_there = |at: usize| signs.iter().any(|sign| bytes[at..].starts_with(sign.as_bytes()));
    bytes.iter().enumerate().position(|(at, byte)| may_begin[usize::from(*byte)] && is_there(at))
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

        #[test]
        fn nor_is_a_word_taken_for_another(text in "(hange|hang|HANGE|变|改|h|e| )*") {
            let words = ["hange", "HANGE", "变"];
            prop_assert_eq!(first(&text, &words), words.iter().filter_map(|word| text.find(word)).min());
        }
    }
}
