//! How hard a passphrase is to guess: what stands between somebody who has the database and the keys in it.
//!
//! An estimate in bits that would rather be too low. Behind PBKDF2 with 600,000 rounds a graphics card tries some 10,000
//! passphrases a second: 40 bits keep it busy for years, and what few people would choose costs it nothing at all.

/// Less than this protects nothing.
const ENOUGH: f32 = 40.0;
const STRONG: f32 = 60.0;
/// Of what is foreseen from what stands before it.
const FORESEEN: f32 = 0.5;
/// As long as this it may be a word, a repetition or a sequence.
const PART: usize = 3;
/// Characters. Whoever types more has done enough.
const JUDGED: usize = 200;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strength {
    /// Not to be taken, and what is wrong with it most of all.
    Weak(Weakness),
    Fair,
    Strong,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weakness {
    Short,
    /// The same again and again.
    Repeated,
    /// One after the other in the alphabet, among the digits, on the keyboard.
    Sequence,
    /// What many people take.
    Common,
}

/// Keys that lie side by side.
const ROWS: [&str; 4] = ["1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm"];

/// What passphrases are made of too often.
const COMMON: &str = "correct horse battery staple,correcthorsebatterystaple,iloveyou,password,passwort,passphrase,\
    football,baseball,princess,sunshine,superman,starwars,trustno1,whatever,computer,internet,welcome,letmein,charlie,\
    michael,jessica,freedom,shadow,master,monkey,dragon,secret,qazwsx,fabula,openai,claude,gemini,woaini,nihao,admin,\
    login,hello,lovely,summer,winter,abc123,1q2w3e,5201314,123123,mima,love,pass,user,root,test,床前明月光,疑是地上霜,\
    举头望明月,低头思故乡,芝麻开门,我爱你,中国,你好,密码,口令,密钥";

/// How hard `text` is to guess.
pub fn strength(text: &str) -> Strength {
    let told = Told::of(text);
    let bits = told.bits();
    if bits >= STRONG {
        return Strength::Strong;
    }
    if bits >= ENOUGH {
        return Strength::Fair;
    }
    let lost = |why: Weakness| told.0.iter().filter(|each| each.lost == Some(why)).count();
    let most = [Weakness::Common, Weakness::Sequence, Weakness::Repeated].into_iter().max_by_key(|why| lost(*why));
    Strength::Weak(most.filter(|why| 2 * lost(*why) >= told.0.len().max(1)).unwrap_or(Weakness::Short))
}

/// A character, how much it adds, and why that is less than it might be.
struct Each {
    char: char,
    bits: f32,
    lost: Option<Weakness>,
}

struct Told(Vec<Each>);

impl Told {
    fn of(text: &str) -> Self {
        let chars: Vec<char> = text.trim().chars().take(JUDGED).collect();
        let mut told = Self(chars.iter().map(|&char| Each { char, bits: bits(char), lost: None }).collect());
        told.words();
        told.years();
        told.repetitions();
        told.sequences();
        told.common();
        told
    }

    fn bits(&self) -> f32 {
        self.0.iter().map(|each| each.bits).sum()
    }

    fn chars(&self) -> Vec<char> {
        self.0.iter().flat_map(|each| each.char.to_lowercase().next()).collect()
    }

    /// From `at` on, `length` characters add `bits` together.
    fn lose(&mut self, at: usize, length: usize, bits: f32, why: Option<Weakness>) {
        for each in &mut self.0[at..at + length] {
            each.bits = each.bits.min(bits / length as f32);
            each.lost = why.or(each.lost);
        }
    }

    /// Letters that may be words are chosen by the word.
    fn words(&mut self) {
        let chars = self.chars();
        for (at, run) in runs(&chars, |c| c.is_alphabetic() && !is_dense(c)) {
            if run.len() >= PART && may_be_words(run) {
                self.lose(at, run.len(), 2.0 * run.len() as f32, None);
            }
        }
    }

    /// Four digits that are a year of somebody's life.
    fn years(&mut self) {
        let chars = self.chars();
        for (at, run) in runs(&chars, |c| c.is_ascii_digit()) {
            if run.len() >= 4 && matches!(run[..2], ['1', '9'] | ['2', '0']) {
                self.lose(at, 4, 6.0, None);
            }
        }
    }

    /// What has stood before, from three characters on; and each that is as the one before it.
    fn repetitions(&mut self) {
        let chars = self.chars();
        let mut at = 1;
        while at < chars.len() {
            let again = |from: usize| chars[at..].iter().zip(&chars[from..]).take_while(|(a, b)| a == b).count();
            let longest = (0..at).map(again).max().unwrap_or(0);
            if longest >= PART {
                self.lose(at, longest, FORESEEN * longest as f32, Some(Weakness::Repeated));
            } else if chars[at] == chars[at - 1] {
                self.lose(at, 1, FORESEEN, Some(Weakness::Repeated));
            }
            at += if longest >= PART { longest } else { 1 };
        }
    }

    fn sequences(&mut self) {
        let chars = self.chars();
        for at in 2..chars.len() {
            let before = step(chars[at - 2], chars[at - 1]);
            if before.is_some() && step(chars[at - 1], chars[at]) == before {
                self.lose(at, 1, FORESEEN, Some(Weakness::Sequence));
            }
        }
    }

    /// Words of the list, in disguise too.
    fn common(&mut self) {
        let chars: Vec<char> = self.chars().into_iter().map(undisguised).collect();
        for word in COMMON.split(',') {
            let word: Vec<char> = word.chars().map(undisguised).collect();
            let mut at = 0;
            while at + word.len() <= chars.len() {
                if chars[at..].starts_with(&word) {
                    self.lose(at, word.len(), 6.0, Some(Weakness::Common));
                    at += word.len();
                } else {
                    at += 1;
                }
            }
        }
    }
}

/// What a character adds where nothing foretells it. Those of Chinese stand for half a word each.
fn bits(char: char) -> f32 {
    match char {
        c if is_dense(c) => 5.0,
        c if c.is_alphabetic() => 4.0,
        c if c.is_numeric() => 2.5,
        c if c.is_whitespace() => 1.0,
        _ => 4.0,
    }
}

/// A script that writes a syllable or more with one character.
fn is_dense(char: char) -> bool {
    matches!(char, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Whether it could be said aloud: of Latin letters by their vowels, of others always.
fn may_be_words(run: &[char]) -> bool {
    let is_vowel = |c: &char| matches!(c, 'a' | 'e' | 'i' | 'o' | 'u' | 'y') || !c.is_ascii();
    let vowels = run.iter().filter(|c| is_vowel(c)).count();
    5 * vowels >= run.len() && run.split(is_vowel).all(|consonants| consonants.len() < 5)
}

/// The stretches of characters that are `of` one kind, and where each begins.
fn runs(chars: &[char], of: fn(char) -> bool) -> Vec<(usize, &[char])> {
    let mut at = 0;
    let stretches = chars.chunk_by(|a, b| of(*a) == of(*b)).map(|run| {
        at += run.len();
        (at - run.len(), run)
    });
    stretches.filter(|(_, run)| of(run[0])).collect()
}

/// From one character to its neighbour in the alphabet, or on the keyboard: forwards or backwards.
fn step(from: char, to: char) -> Option<bool> {
    let in_row = |row: &str| {
        let place = |c| row.find(c).map(|at| at as i64);
        Some(place(to)? - place(from)?)
    };
    let by_code = i64::from(u32::from(to)) - i64::from(u32::from(from));
    let steps = ROWS.iter().filter_map(|row| in_row(row)).chain([by_code]);
    steps.filter(|by| by.abs() == 1).map(|by| by > 0).next()
}

fn undisguised(char: char) -> char {
    match char {
        '0' => 'o',
        '1' | '!' | '|' => 'i',
        '3' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        '7' => 't',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_soon_guessed_is_weak_and_why() {
        use Weakness::*;
        for (text, why) in [
            ("", Short),
            ("x", Short),
            ("书", Short),
            ("wrong", Short),
            ("Tr0ub4", Short),
            ("灯下的书", Short),
            ("zhangwei19900101", Short),
            ("correct horse", Short),
            ("aaaaaaaaaaaaaaaaaaaaaaaa", Repeated),
            ("哈哈哈哈哈哈哈哈哈哈哈哈", Repeated),
            ("x7!x7!x7!x7!x7!x7!x7!x7!", Repeated),
            ("灯书灯书灯书灯书灯书灯书", Repeated),
            ("abcdefghijklmnopqrstuvwxyz", Sequence),
            ("qwertyuiopasdfghjklzxcvbnm", Sequence),
            ("98765432109876543210", Sequence),
            ("一丁丂七丄丅丆万丈三上下", Sequence),
            ("P@ssw0rd!", Common),
            ("PassWord password PASSWORD", Common),
            ("correct horse battery staple", Common),
            ("床前明月光疑是地上霜", Common),
            ("我爱你中国", Common),
            ("iloveyou", Common),
        ] {
            assert_eq!(strength(text), Strength::Weak(why), "{text}: {} bits", Told::of(text).bits());
        }
    }

    #[test]
    fn what_is_long_and_of_many_kinds_is_taken() {
        for text in [
            "灯下的书 correct horse",
            "灯下的书翻过第七页",
            "Xk9vQz2L!mP4t",
            "harbour copper lantern vivid",
            "ключ под старым мостом",
        ] {
            assert_eq!(strength(text), Strength::Fair, "{text}: {} bits", Told::of(text).bits());
        }
        for text in [
            "Xk9vQz2LmP4tR7wB!c",
            "钟楼的铃响了三声，没有人回头看她一眼",
            "harbour copper lantern vivid thunder meadow",
        ] {
            assert_eq!(strength(text), Strength::Strong, "{text}: {} bits", Told::of(text).bits());
        }
    }

    proptest! {
        /// What stands between spaces is no harder to guess.
        #[test]
        fn nothing_is_gained_by_spaces(text in "[a-z0-9 \u{4e00}-\u{4f00}!-/]{3,24}") {
            let framed = format!("  {text} ");
            prop_assert!(Told::of(&framed).bits() <= Told::of(&text).bits());
        }

        /// What is said again adds next to nothing. (Letters are left out: where the end of a word meets its beginning,
        /// it may be none any more.)
        #[test]
        fn nothing_is_gained_by_saying_it_twice(text in "[0-9\u{4e00}-\u{4f00}!-/]{3,24}") {
            let twice = Told::of(&format!("{text}{text}")).bits();
            prop_assert!(twice <= Told::of(&text).bits() + FORESEEN * text.chars().count() as f32 + 1.0, "{twice}");
        }

        #[test]
        fn any_text_is_judged(text in any::<String>()) {
            prop_assert!(Told::of(&text).bits().is_finite());
        }
    }
}
