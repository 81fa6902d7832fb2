//! Who speaks next in a scene of several: by what was said, or by the story's way of choosing. The same scene has always
//! the same speaker.

use super::Mode;
use crate::{
    prompt::macros::chance,
    story::{character::Character, ids::CharacterId},
};

/// One who may speak: is there, and hears what is answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    pub id: CharacterId,
    /// What they are called, the whole name first.
    pub names: Vec<String>,
    /// How often they speak unasked, in hundredths.
    pub talks: u32,
}

impl Member {
    pub fn of(character: &Character) -> Self {
        let mut names = forms(&character.name);
        names.extend(character.nickname().map(str::to_owned));
        Self { id: character.id.clone(), names, talks: talkativeness(character) }
    }
}

/// Of a card: `extensions.talkativeness`, between 0 and 1, as a number or as a text.
fn talkativeness(character: &Character) -> u32 {
    let stored = character.card.extensions.get("talkativeness");
    let said = stored.and_then(|value| value.as_f64().or_else(|| value.as_str()?.trim().parse().ok()));
    (said.filter(|said| said.is_finite()).unwrap_or(0.5).clamp(0.0, 1.0) * 100.0).round() as u32
}

/// Words that stand in names and name nobody.
const TITLES: &[&str] = &[
    "the", "of", "and", "van", "von", "der", "den", "sir", "lady", "lord", "miss", "mrs", "doctor", "captain", "king",
    "queen", "prince", "princess", "old", "young", "little",
];

/// A name, its parts, and of a Chinese name of three characters the given one.
fn forms(name: &str) -> Vec<String> {
    let name = name.trim();
    if name.is_empty() {
        return Vec::new();
    }
    let mut forms = vec![name.to_owned()];
    let parts: Vec<&str> = name.split(|c: char| c.is_whitespace() || "·・•“”\"'()（）,，".contains(c)).collect();
    let names = |part: &&str| {
        let least = if part.is_ascii() { 3 } else { 2 };
        part.chars().count() >= least && !TITLES.contains(&part.to_lowercase().as_str())
    };
    if parts.len() > 1 {
        forms.extend(parts.into_iter().filter(names).map(str::to_owned));
    }
    let chars: Vec<char> = name.chars().collect();
    if chars.len() == 3 && chars.iter().all(|c| is_joined(*c)) {
        forms.push(chars[1..].iter().collect());
    }
    forms
}

/// Of a script that sets no spaces between its words.
fn is_joined(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

/// Who of these is named in a text, in the order in which they are; what several are called names none of them.
pub fn named(text: &str, members: &[Member]) -> Vec<CharacterId> {
    let text = text.to_lowercase();
    let mut found: Vec<(usize, usize, usize)> = Vec::new();
    for (nth, member) in members.iter().enumerate() {
        for name in member.names.iter().map(|name| name.to_lowercase()).filter(|name| !name.is_empty()) {
            let is_shared = members
                .iter()
                .enumerate()
                .any(|(other, one)| other != nth && one.names.iter().any(|known| known.to_lowercase() == name));
            if is_shared {
                continue;
            }
            let whole = |at: &usize| {
                let bounds = |inner: Option<char>, outer: Option<char>| {
                    let joins = |c: char| c.is_alphanumeric() && !is_joined(c);
                    !(inner.is_some_and(joins) && outer.is_some_and(joins))
                };
                bounds(name.chars().next(), text[..*at].chars().next_back())
                    && bounds(name.chars().next_back(), text[at + name.len()..].chars().next())
            };
            let places = text.match_indices(name.as_str()).map(|(at, _)| at).filter(whole);
            found.extend(places.map(|at| (at, name.len(), nth)));
        }
    }
    // Of two at one place the longer, which holds the other.
    found.sort_by_key(|(at, length, nth)| (*at, std::cmp::Reverse(*length), *nth));
    let (mut end, mut order) = (0, Vec::new());
    for (at, length, nth) in found {
        if at < end {
            continue;
        }
        end = at + length;
        if !order.contains(&nth) {
            order.push(nth);
        }
    }
    order.into_iter().map(|nth| members[nth].id.clone()).collect()
}

/// What has been said since the reader spoke, and who may say more.
pub struct Round<'a> {
    /// Of the reader.
    pub words: &'a str,
    /// Who has spoken since, and what.
    pub said: &'a [(CharacterId, String)],
    /// Who spoke last before that.
    pub last: Option<&'a CharacterId>,
    /// In the order of the cast.
    pub members: &'a [Member],
    pub mode: Mode,
    /// How many may speak.
    pub most: u32,
    /// The turn of the reader's words: chance is drawn from it.
    pub seed: &'a str,
}

impl Round<'_> {
    /// Who speaks next: those whom the reader names, in that order; else those of the story's way. Then whoever was named
    /// by the last who spoke. Nobody speaks twice, or once as many have as may.
    pub fn next(&self) -> Option<CharacterId> {
        let has_spoken = |id: &CharacterId| self.said.iter().any(|(speaker, _)| speaker == id);
        if self.said.len() >= self.most.max(1) as usize {
            return None;
        }
        let asked = named(self.words, self.members);
        let chosen = if asked.is_empty() { self.unasked() } else { asked };
        let next = chosen.into_iter().find(|id| !has_spoken(id));
        let addressed = || {
            let (_, text) = self.said.last().filter(|_| self.mode != Mode::Hand)?;
            named(text, self.members).into_iter().find(|id| !has_spoken(id))
        };
        next.or_else(addressed)
    }

    /// Who speaks where the reader names nobody.
    fn unasked(&self) -> Vec<CharacterId> {
        let ids = || self.members.iter().map(|member| member.id.clone());
        let after = self.last.and_then(|last| self.members.iter().position(|member| member.id == *last));
        match self.mode {
            // Whoever chooses is asked once the words are stored.
            Mode::Hand | Mode::Model => Vec::new(),
            Mode::All => {
                // Where not all may, it is others the next time.
                let turns = self.members.len() > self.most as usize;
                let first = after.filter(|_| turns).map_or(0, |last| last + 1);
                ids().cycle().skip(first).take(self.members.len()).collect()
            }
            Mode::Turns => {
                let first = after.map_or(0, |last| last + 1);
                ids().cycle().skip(first).take(1.min(self.members.len())).collect()
            }
            Mode::Chance => {
                let chance = |member: &Member| chance::draw(&[self.seed, member.id.as_str()], 0);
                let rests = |member: &&Member| self.members.len() > 1 && self.last == Some(&member.id);
                let awake = || self.members.iter().filter(|member| !rests(member));
                let speaks = awake().filter(|member| chance(member) % 100 < u64::from(member.talks));
                let mut speaks: Vec<&Member> = speaks.collect();
                if speaks.is_empty() {
                    // Somebody always does, the talkative rather than the silent.
                    speaks.extend(awake().max_by_key(|member| chance(member) % 100 * u64::from(member.talks + 1)));
                }
                speaks.sort_by_key(|member| chance(member) / 100);
                speaks.into_iter().map(|member| member.id.clone()).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn members(names: &[(&str, u32)]) -> Vec<Member> {
        let member = |(name, talks): &(&str, u32)| Member { id: (*name).into(), names: forms(name), talks: *talks };
        names.iter().map(member).collect()
    }

    #[test]
    fn who_is_named() {
        #[track_caller]
        fn check(members: &[Member], text: &str, expected: &[&str]) {
            let found = named(text, members);
            assert_eq!(found.iter().map(CharacterId::as_str).collect::<Vec<_>>(), expected, "{text}");
        }
        let people = members(&[("Mira Vale", 50), ("Tom", 50), ("林夕", 50), ("林夕月", 50), ("阿尔·塞奇", 50)]);
        check(&people, "Tom? And mira!", &["Tom", "Mira Vale"]);
        check(&people, "Tomorrow the admiral comes.", &[]);
        check(&people, "tom's knife, Mira Vale's hand, Tom's again", &["Tom", "Mira Vale"]);
        check(&people, "你看见林夕月了吗，林夕？", &["林夕月", "林夕"]);
        check(&people, "塞奇，你来。叫Tom也来", &["阿尔·塞奇", "Tom"]);
        check(&people, "谁都好。", &[]);
        let kin = members(&[("Ann Vale", 50), ("Ben Vale", 50), ("王小雨", 50)]);
        check(&kin, "Vale! Ben, come.", &["Ben Vale"]);
        check(&kin, "小雨在吗", &["王小雨"]);
    }

    fn order(mode: Mode, most: u32, words: &str, last: Option<&str>, replies: &[&str]) -> Vec<String> {
        let members = members(&[("Ada", 100), ("Ben", 0), ("Cyd Hale", 50)]);
        let last = last.map(CharacterId::from);
        let mut said: Vec<(CharacterId, String)> = Vec::new();
        loop {
            let round = Round { words, said: &said, last: last.as_ref(), members: &members, mode, most, seed: "t" };
            let Some(next) = round.next() else { break };
            let reply = replies.get(said.len()).copied().unwrap_or_default().to_owned();
            said.push((next, reply));
        }
        said.into_iter().map(|(id, _)| id.0).collect()
    }

    #[test]
    fn whose_turn_it_is() {
        assert_eq!(order(Mode::Turns, 3, "Hello.", None, &[]), ["Ada"]);
        assert_eq!(order(Mode::Turns, 3, "Hello.", Some("Ada"), &[]), ["Ben"]);
        assert_eq!(order(Mode::Turns, 3, "Hello.", Some("Cyd Hale"), &[]), ["Ada"]);
        assert_eq!(order(Mode::Turns, 3, "Ben, Ada!", Some("Ada"), &[]), ["Ben", "Ada"], "whom the reader names");
        assert_eq!(order(Mode::Turns, 1, "Ben, Ada!", None, &[]), ["Ben"]);
        assert_eq!(order(Mode::Turns, 3, "Hello.", None, &["Cyd, you?", "Ask Ben."]), ["Ada", "Cyd Hale", "Ben"]);
        assert_eq!(order(Mode::Turns, 2, "Hello.", None, &["Cyd, you?", "Ask Ben."]), ["Ada", "Cyd Hale"]);
        assert_eq!(order(Mode::All, 9, "Hello.", Some("Ben"), &[]), ["Ada", "Ben", "Cyd Hale"]);
        assert!(order(Mode::Hand, 3, "Hello.", None, &["Ben?"]).is_empty());
        assert_eq!(order(Mode::Hand, 3, "Ben?", None, &["Ada?"]), ["Ben"]);
        assert_eq!(order(Mode::Chance, 1, "Hello.", None, &[]), order(Mode::Chance, 1, "Hello.", None, &[]));
    }

    proptest! {
        /// Whatever is said: nobody twice, no more than may, only who is there; and somebody, unless it is done by hand.
        #[test]
        fn every_round_ends(
            mode in prop::sample::select(Mode::ALL.to_vec()),
            most in 0u32..6,
            words in prop::collection::vec(prop::sample::select(vec!["Ada", "Ben", "Cyd", "Dora", "hm"]), 0..4),
            replies in prop::collection::vec(prop::sample::select(vec!["Ada!", "Ben and Cyd", "no"]), 0..4),
            last in prop::option::of(prop::sample::select(vec!["Ada", "Ben", "Gone"])),
        ) {
            let words = words.join(" ");
            let spoken = order(mode, most, &words, last, &replies);
            let mut once = spoken.clone();
            once.sort();
            once.dedup();
            prop_assert_eq!(once.len(), spoken.len());
            prop_assert!(spoken.len() <= most.max(1) as usize);
            prop_assert_eq!(&spoken, &order(mode, most, &words, last, &replies));
            prop_assert!(matches!(mode, Mode::Hand | Mode::Model) || !spoken.is_empty());
        }
    }
}
