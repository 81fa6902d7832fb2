//! Long stories of our own: role-play prose in which facts are planted, with echoes of their words that answer nothing.
//!
//! Facts and the words of the prose stand in `stories/`; which sentence comes where is drawn from a seed, so that the
//! same story comes out each time. Every other fact is held out: it is planted like the rest and asked for only with
//! `--held-out`.

use fabula::story::{
    lorebook::{Entry, Lorebook},
    storyline::Language,
};

use crate::told::{Ask, Played, Told};

/// A fact as it is written down.
#[derive(Clone, Default)]
struct Fact {
    kind: &'static str,
    /// The reader tells it.
    by_reader: bool,
    told: &'static str,
    /// A second half of it, elsewhere.
    half: Option<&'static str>,
    /// How it is later.
    newer: Option<&'static str>,
    /// What is told in its place on a branch that is not taken.
    elsewhere: Option<&'static str>,
    question: &'static str,
    /// A line of play that touches it and asks nothing.
    line: Option<&'static str>,
    echoes: Vec<&'static str>,
}

/// Words of the prose, by the name of their list.
struct Words(Vec<(&'static str, Vec<&'static str>)>);

impl Words {
    fn of(&self, name: &str) -> &[&'static str] {
        self.0.iter().find(|(known, _)| *known == name).map_or(&[], |(_, words)| words)
    }
}

/// The story of a language: so many turns, half of its facts asked for.
pub fn story(language: Language, turns: usize, held_out: bool) -> Told {
    let (facts, names) = match language {
        Language::En => (include_str!("stories/en.facts.txt"), ["Tamsin", "Corvin"]),
        Language::Zh => (include_str!("stories/zh.facts.txt"), ["云笙", "裴照"]),
    };
    let facts: Vec<Fact> = facts.split("\n\n").filter(|fact| !fact.trim().is_empty()).map(fact).collect();
    let mut teller = Teller {
        language,
        words: words_of(prose_words(language)),
        chance: Chance(turns as u64 + u64::from(held_out)),
        scene: Scene::default(),
    };
    let mut told = Told { language, reader: names[0].into(), character: names[1].into(), ..Told::default() };
    let mut planted: Vec<Vec<(bool, &str)>> = vec![Vec::new(); turns];
    let mut elsewhere: Vec<Option<&Fact>> = vec![None; turns];
    for (at, fact) in facts.iter().enumerate() {
        let mut first = teller.chance.between(2, turns * 55 / 100);
        while fact.elsewhere.is_some() && elsewhere[first].is_some() {
            first += 1;
        }
        planted[first].push((fact.by_reader, fact.told));
        if let Some(later) = fact.half.or(fact.newer) {
            planted[first + teller.chance.between(turns / 10, turns * 3 / 10)].push((fact.by_reader, later));
        }
        elsewhere[first] = fact.elsewhere.map(|_| fact).or(elsewhere[first]);
        for echo in fact.echoes.iter().cycle().take(fact.echoes.len() * turns.div_ceil(1_000)) {
            planted[teller.chance.between(2, turns)].push((false, echo));
        }
        told.outdated.extend(fact.newer.map(|_| fact.told.to_owned()));
        told.elsewhere.extend(fact.elsewhere.map(str::to_owned));
        if (at % 2 == 1) == held_out {
            told.asks.extend(asks(fact, at, &mut teller));
        }
    }
    for (position, planted) in planted.iter().enumerate() {
        let said = |by_reader: bool| planted.iter().filter(move |(by, _)| *by == by_reader).map(|(_, text)| *text);
        let user = (position > 0).then(|| teller.line(said(true).collect()));
        let mut turn = Played {
            user,
            reply: Some(teller.reply(said(false).collect())),
            at: 1_700_000_000_000 + position as i64 * 600_000,
            ..Played::default()
        };
        if let Some((fact, other)) = elsewhere[position].and_then(|fact| Some((fact, fact.elsewhere?))) {
            match (fact.by_reader, position % 2) {
                (true, _) => turn.aside = Some((Some(teller.line(vec![other])), teller.reply(Vec::new()))),
                (false, 0) => turn.aside = Some((Some(teller.line(Vec::new())), teller.reply(vec![other]))),
                (false, _) => turn.swiped = Some(teller.reply(vec![other])),
            }
        }
        told.turns.push(turn);
    }
    told
}

/// A lorebook of so many entries, whose keys are words that each scene is full of: much of it comes up at every turn.
pub fn lorebook(language: Language, entries: usize) -> Lorebook {
    let words = words_of(prose_words(language));
    let keys: Vec<&str> = ["cast", "place", "thing"].iter().flat_map(|list| words.of(list)).copied().collect();
    let mut teller = Teller { language, words, chance: Chance(7), scene: Scene::default() };
    let entry = |number: usize| {
        let key = keys[number % keys.len()];
        let key = ["the ", "a ", "an "].iter().find_map(|article| key.strip_prefix(article)).unwrap_or(key);
        let id = format!("entry {number}");
        Entry { name: id.clone(), id, keys: vec![key.to_owned()], content: teller.line(Vec::new()), ..Entry::default() }
    };
    Lorebook { id: "l".into(), name: "l".into(), entries: (0..entries).map(entry).collect(), ..Lorebook::default() }
}

fn prose_words(language: Language) -> &'static str {
    language.pick(include_str!("stories/zh.prose.txt"), include_str!("stories/en.prose.txt"))
}

/// The question, in a long line of play too, and the line that asks nothing.
fn asks(fact: &Fact, at: usize, teller: &mut Teller) -> Vec<Ask> {
    let needs: Vec<String> = match (fact.newer, fact.half) {
        (Some(newer), _) => vec![newer.to_owned()],
        (None, half) => [Some(fact.told), half].into_iter().flatten().map(str::to_owned).collect(),
    };
    let ask = |line: String, kind: &str| Ask { line, kind: kind.to_owned(), needs: needs.clone() };
    let mut asks = vec![ask(fact.question.to_owned(), fact.kind)];
    if at % 4 < 2 {
        let (before, after) = (teller.line(Vec::new()), teller.line(Vec::new()));
        let asked = match teller.language {
            Language::En => format!("{before} \"{}\" {after}", fact.question),
            Language::Zh => format!("{before}“{}”{after}", fact.question),
        };
        asks.push(ask(asked, "(long line)"));
    }
    asks.extend(fact.line.map(|line| ask(line.to_owned(), "(asks nothing)")));
    asks
}

fn fact(text: &'static str) -> Fact {
    let mut lines = text.trim().lines();
    let (kind, by) = lines.next().and_then(|head| head.split_once(' ')).expect("a fact begins with its kind");
    let mut fact = Fact { kind, by_reader: by == "u", ..Fact::default() };
    for (key, text) in lines.filter_map(|line| line.split_once(": ")) {
        match key {
            "a" => fact.told = text,
            "h" => fact.half = Some(text),
            "n" => fact.newer = Some(text),
            "x" => fact.elsewhere = Some(text),
            "q" => fact.question = text,
            "l" => fact.line = Some(text),
            "e" => fact.echoes.push(text),
            _ => panic!("a fact has no `{key}`"),
        }
    }
    fact
}

fn words_of(text: &'static str) -> Words {
    let lists = text.split("# ").filter(|list| !list.is_empty()).map(|list| {
        let (name, list) = list.split_once('\n').expect("a list has a name");
        let split: Vec<&str> =
            if list.trim().contains('\n') { list.lines().collect() } else { list.trim().split('|').collect() };
        (name, split.into_iter().filter(|word| !word.is_empty()).collect())
    });
    Words(lists.collect())
}

/// Tells sentence after sentence, a scene at a time.
struct Teller {
    language: Language,
    words: Words,
    chance: Chance,
    scene: Scene,
}

/// What a scene is about: for some turns the same few people, places and things.
#[derive(Default)]
struct Scene {
    left: usize,
    lists: Vec<(&'static str, Vec<&'static str>)>,
}

impl Teller {
    /// 70 to 170 words, or 120 to 300 characters.
    fn reply(&mut self, planted: Vec<&str>) -> String {
        let length = match self.language {
            Language::En => self.chance.between(70, 150),
            Language::Zh => self.chance.between(120, 270),
        };
        self.prose("reply", length, planted)
    }

    fn line(&mut self, planted: Vec<&str>) -> String {
        let length = match self.language {
            Language::En => self.chance.between(12, 45),
            Language::Zh => self.chance.between(20, 80),
        };
        self.prose("user", length, planted)
    }

    fn prose(&mut self, list: &str, length: usize, planted: Vec<&str>) -> String {
        if self.scene.left == 0 {
            self.scene = Scene { left: self.chance.between(8, 20), lists: Vec::new() };
            for (name, count) in [("cast", 4), ("place", 3), ("thing", 5)] {
                let all = self.words.of(name).to_vec();
                let some = (0..count).map(|_| all[self.chance.between(0, all.len())]).collect();
                self.scene.lists.push((name, some));
            }
        }
        self.scene.left -= 1;
        let templates = self.words.of(list).to_vec();
        let (mut sentences, mut used, mut told) = (Vec::new(), Vec::new(), 0);
        while told < length && used.len() < templates.len() {
            let at = self.chance.between(0, templates.len());
            if used.contains(&at) {
                continue;
            }
            used.push(at);
            let sentence = self.fill(templates[at]);
            told += match self.language {
                Language::En => sentence.split(' ').count(),
                Language::Zh => sentence.chars().count(),
            };
            sentences.push(sentence);
        }
        for text in planted {
            let at = self.chance.between(0, sentences.len() + 1);
            sentences.insert(at, text.to_owned());
        }
        let paragraph = self.chance.between(2, 5);
        let space = self.language.pick("", " ");
        let parts: Vec<String> = sentences.chunks(paragraph).map(|chunk| chunk.join(space)).collect();
        parts.join("\n\n")
    }

    fn fill(&mut self, template: &str) -> String {
        let (mut text, mut rest) = (String::new(), template);
        let mut used: Vec<&str> = Vec::new();
        while let Some((before, after)) = rest.split_once('{') {
            let (name, after) = after.split_once('}').expect("it closes");
            let name = name.trim_end_matches('2').to_owned() + if name == "feel2" { "2" } else { "" };
            let of_scene = self.scene.lists.iter().find(|(known, _)| *known == name).map(|(_, words)| words.clone());
            let words = of_scene.unwrap_or_else(|| self.words.of(&name).to_vec());
            let mut word = words[self.chance.between(0, words.len())];
            for _ in 0..8 {
                if !used.contains(&word) {
                    break;
                }
                word = words[self.chance.between(0, words.len())];
            }
            used.push(word);
            text.push_str(before);
            text.push_str(word);
            rest = after;
        }
        text.push_str(rest);
        let mut letters = text.chars();
        letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
    }
}

/// Chance that is the same each time (splitmix64).
struct Chance(u64);

impl Chance {
    /// From `least` up to, but not including, `end`.
    fn between(&mut self, least: usize, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        least + ((z ^ z >> 31) % (end - least).max(1) as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_story_is_long_varied_and_the_same_each_time() {
        for language in [Language::En, Language::Zh] {
            let told = story(language, 500, false);
            let said = |told: &Told| told.turns.iter().filter_map(|turn| turn.reply.clone()).collect::<Vec<_>>();
            assert_eq!(said(&told), said(&story(language, 500, false)));
            let mut sentences: Vec<String> = Vec::new();
            for reply in said(&told) {
                sentences.extend(reply.split_inclusive(['.', '。']).map(|text| text.trim().to_owned()));
            }
            let all = sentences.len();
            sentences.sort();
            sentences.dedup();
            assert!(all / 2 < sentences.len(), "{} of {all} sentences differ", sentences.len());
            let whole =
                said(&told).concat() + &told.turns.iter().filter_map(|turn| turn.user.clone()).collect::<String>();
            assert!(told.asks.iter().flat_map(|ask| &ask.needs).all(|need| whole.contains(need.as_str())));
            assert!(told.elsewhere.iter().all(|other| !whole.contains(other.as_str())));
            assert!(28 <= told.asks.iter().filter(|ask| !ask.kind.starts_with('(')).count());
        }
    }
}
