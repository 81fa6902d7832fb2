//! Where one of a few signs stands in a text.

/// The first of `signs`, in bytes. By bytes: what is told of a story is looked through with each prompt.
pub fn first(text: &str, signs: &[&str]) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut may_begin = [false; 256];
    signs.iter().filter_map(|sign| sign.as_bytes().first()).for_each(|byte| may_begin[usize::from(*byte)] = true);
    // Signs of Chinese begin alike: their last byte tells them apart.
    let is_there = |at: usize| {
        let ends = |sign: &[u8]| bytes.get(at + sign.len().saturating_sub(1)) == sign.last();
        signs.iter().map(|sign| sign.as_bytes()).any(|sign| ends(sign) && bytes[at..].starts_with(sign))
    };
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
