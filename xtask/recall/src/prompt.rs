//! `--prompt`: what counts is what stands in the messages as they are sent.

use std::collections::BTreeMap;

use fabula::{prompt::tokens::estimate, story::storyline::Language};

use crate::{
    baseline,
    data::Set,
    embedding::Server,
    stage::{Sent, Stage},
    stories,
    told::{Ask, Told},
};

/// Turns of our own stories, where nothing else is asked.
pub const LENGTHS: [usize; 2] = [500, 2_000];

pub struct Options {
    pub context: u32,
    /// Turns of our own stories.
    pub lengths: Vec<usize>,
    pub preset: String,
    /// Asks for the other half of what is planted.
    pub held_out: bool,
    /// Entries of a lorebook that hangs on our own stories.
    pub lore: usize,
    /// Makes vectors.
    pub server: Option<Server>,
    /// Prints what was not found.
    pub misses: bool,
    /// Prints the whole prompt of the questions that hold this text.
    pub show: Option<String>,
}

/// What was counted over some lines.
#[derive(Default)]
struct Count {
    lines: usize,
    /// Share of the evidence that was there, summed; and the lines for which all was there.
    evidence: f64,
    whole: usize,
    memory_tokens: u64,
    recalled: usize,
    marked: usize,
    marked_rightly: usize,
    elsewhere: usize,
    /// Recalled lines whose words the window holds too.
    twice: usize,
    millis: Vec<f64>,
}

/// Our own stories, and the sets of a folder.
pub fn run(sets: &[Set], options: &Options) -> Result<(), String> {
    println!(
        "{:<34}{:>6}{:>10}{:>8}{:>9}{:>7}{:>10}{:>11}{:>7}{:>9}",
        "", "lines", "evidence", "whole", "tokens", "lines", "marks", "elsewhere", "twice", "ms p50"
    );
    for language in [Language::En, Language::Zh] {
        for &turns in &options.lengths {
            let mut told = stories::story(language, turns, options.held_out);
            told.lorebook = (options.lore > 0).then(|| stories::lorebook(language, options.lore));
            let name = format!("{} {turns}", language.pick("zh", "en"));
            report(&name, &[told], options)?;
        }
    }
    for set in sets {
        let told: Vec<Told> = set.conversations.iter().flat_map(Told::of).collect();
        report(&set.name, &told, options)?;
    }
    Ok(())
}

fn report(name: &str, stories: &[Told], options: &Options) -> Result<(), String> {
    let stage = |told: &Told| {
        let stage = Stage::of(told, &options.preset, options.context, options.server.as_ref())?;
        Ok(Box::new(move |line: &str| stage.play(line)) as Plays)
    };
    row(name, stories, options, &stage)?;
    let Some(server) = &options.server else { return Ok(()) };
    let usual = |told: &Told| {
        let usual = baseline::Usual::of(told, options.context, server)?;
        Ok(Box::new(move |line: &str| usual.play(line)) as Plays)
    };
    row(&format!("{name}, whole messages"), stories, options, &usual)
}

/// What a line sends.
type Plays<'a> = Box<dyn Fn(&str) -> Result<Sent, String> + 'a>;

/// Of whoever makes the prompts.
fn row<'a>(
    name: &str,
    stories: &[Told],
    options: &Options,
    teller: &dyn Fn(&Told) -> Result<Plays<'a>, String>,
) -> Result<(), String> {
    let mut by_kind: BTreeMap<&str, Count> = BTreeMap::new();
    for told in stories {
        let plays = teller(told)?;
        for ask in &told.asks {
            let sent = plays(&ask.line)?;
            if options.show.as_ref().is_some_and(|show| ask.line.contains(show.as_str())) {
                println!("{}", sent.prompt);
            }
            let found = by_kind.entry(&ask.kind).or_default().add(told, ask, &sent);
            if options.misses && !found {
                println!("  missed ({}): {} ← {}", ask.kind, ask.line, ask.needs.join(" + "));
            }
        }
    }
    let mut whole = Count::default();
    let asked = by_kind.iter().filter(|(kind, _)| !kind.starts_with('('));
    asked.for_each(|(_, count)| whole.join(count));
    whole.print(name);
    if 1 < by_kind.len() {
        by_kind.iter().for_each(|(kind, count)| count.print(&format!("{name} {kind}")));
    }
    Ok(())
}

impl Count {
    /// Whether all the evidence was there.
    fn add(&mut self, told: &Told, ask: &Ask, sent: &Sent) -> bool {
        let there = ask.needs.iter().filter(|need| holds(&sent.prompt, need)).count();
        self.lines += 1;
        self.evidence += there as f64 / ask.needs.len().max(1) as f64;
        self.whole += usize::from(there == ask.needs.len());
        self.memory_tokens += sent.recalled.iter().map(|line| u64::from(estimate(line))).sum::<u64>();
        self.recalled += sent.recalled.len();
        for line in &sent.recalled {
            let is_marked = ["(has changed since)", "（后来有变）"].iter().any(|mark| line.contains(mark));
            self.marked += usize::from(is_marked);
            self.marked_rightly += usize::from(is_marked && told.outdated.iter().any(|old| holds(line, old)));
            let text = line.split_once([':', '：']).map_or("", |(_, text)| text).trim();
            self.twice += usize::from(!text.is_empty() && 1 < sent.prompt.matches(text).count());
        }
        self.elsewhere += told.elsewhere.iter().filter(|text| holds(&sent.prompt, text)).count();
        self.millis.push(sent.millis);
        there == ask.needs.len()
    }

    fn join(&mut self, other: &Self) {
        self.lines += other.lines;
        self.evidence += other.evidence;
        self.whole += other.whole;
        self.memory_tokens += other.memory_tokens;
        self.recalled += other.recalled;
        self.marked += other.marked;
        self.marked_rightly += other.marked_rightly;
        self.elsewhere += other.elsewhere;
        self.twice += other.twice;
        self.millis.extend(&other.millis);
    }

    fn print(&self, name: &str) {
        let each = |sum: f64| sum / self.lines.max(1) as f64;
        let mut millis = self.millis.clone();
        millis.sort_by(f64::total_cmp);
        println!(
            "{name:<34}{:>6}{:>9.1}%{:>7.1}%{:>9.0}{:>7.1}{:>10}{:>11}{:>7}{:>9.1}",
            self.lines,
            100.0 * each(self.evidence),
            100.0 * each(self.whole as f64),
            each(self.memory_tokens as f64),
            each(self.recalled as f64),
            format!("{}/{}", self.marked_rightly, self.marked),
            self.elsewhere,
            self.twice,
            millis.get(millis.len() / 2).copied().unwrap_or_default(),
        );
    }
}

/// However it is broken into lines.
fn holds(text: &str, part: &str) -> bool {
    if text.contains(part) {
        return true;
    }
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    part.contains(char::is_whitespace) && plain(text).contains(&plain(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One question is worth 3 points: some room is left, for a change elsewhere may move one or two.
    #[test]
    fn what_was_planted_stands_in_the_prompt() {
        for language in [Language::En, Language::Zh] {
            let mut told = stories::story(language, 300, false);
            told.asks.retain(|ask| !ask.kind.starts_with('('));
            let stage = Stage::of(&told, "plain", 8_192, None).unwrap();
            let mut count = Count::default();
            for ask in &told.asks {
                let found = count.add(&told, ask, &stage.play(&ask.line).unwrap());
                assert!(found || ask.kind != "direct", "{}", ask.line);
            }
            assert!(75 * count.lines <= 100 * count.whole, "{} of {}", count.whole, count.lines);
            assert_eq!((count.elsewhere, count.marked, count.twice), (0, 0, 0));
        }
    }
}
