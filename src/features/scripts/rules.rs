//! Scripts made ready: patterns that are compiled, replacements that are cut into their parts.

use std::borrow::Cow;

use regex_lite::{Captures, Regex};

use crate::{
    prompt::macros::{Call, Values, expand_with},
    reply::pattern::{as_pattern, compile, looks_far, needs},
    story::script::{At, For, MOST, Place, Rewrites, Script},
};

/// Bytes beyond the text's own that a script may make of it; one that makes more leaves it as it was.
const GROWTH: usize = 1 << 18;

/// Bytes that searches which look far may look through: those of one script in one text, and those of all in it. Each
/// match is one search, and each may look to the end of the text.
#[derive(Clone, Copy)]
struct Looks {
    one: usize,
    all: usize,
}

impl Looks {
    const ONE: usize = 1 << 24;
    const ALL: Self = Self { one: Self::ONE, all: 1 << 26 };

    /// Whether it was within bounds.
    fn through(&mut self, bytes: usize) -> bool {
        self.one = self.one.saturating_sub(bytes);
        self.all = self.all.saturating_sub(bytes);
        self.one.min(self.all) > 0
    }
}

/// Why a script cannot run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuleFault {
    NoPattern,
    /// The engine's words.
    Pattern(String),
}

/// A script that can run.
pub struct Rule {
    find: Regex,
    /// It stands in all that is found.
    needs: String,
    looks_far: bool,
    /// All that is found, not only the first.
    is_global: bool,
    replace: Vec<Part>,
    trim: Vec<String>,
    places: Vec<Place>,
    eye: bool,
    model: bool,
    minds_depth: bool,
    depths: std::ops::RangeInclusive<i64>,
}

/// A piece of a replacement.
#[derive(Debug, PartialEq)]
enum Part {
    Text(String),
    Group(usize),
    Named(String),
}

impl Rule {
    /// With the names that `{{char}}` and `{{user}}` stand for.
    ///
    /// # Errors
    /// Its pattern is none.
    pub fn of(script: &Script, names: &Values) -> Result<Self, RuleFault> {
        let find = script.find_regex.trim();
        if find.is_empty() {
            return Err(RuleFault::NoPattern);
        }
        let find = match script.substitutes() {
            (false, _) => Cow::Borrowed(find),
            (true, false) => Cow::Owned(expand(find, names)),
            (true, true) => {
                let [char, user] = [names.char, names.user.plain].map(regex_lite::escape);
                let user = crate::story::reader::Words { plain: &user, opening: &user, owning: None };
                Cow::Owned(expand(find, &Values { char: &char, user, original: names.original }))
            }
        };
        let (pattern, flags) = as_pattern(&find).unwrap_or((&find, ""));
        // Depths below 0 are said by files that mean none.
        let [least, most] = [script.min_depth, script.max_depth].map(|depth| depth.filter(|depth| *depth >= 0));
        Ok(Self {
            find: compile(pattern, flags).map_err(RuleFault::Pattern)?,
            needs: needs(pattern, flags),
            looks_far: looks_far(pattern),
            is_global: flags.contains('g'),
            replace: parts(&expand(&script.replace_string, names)),
            trim: script.trim_strings.iter().map(|text| expand(text, names)).filter(|text| !text.is_empty()).collect(),
            places: Place::ALL.into_iter().filter(|place| script.reads(*place)).collect(),
            eye: script.is_for(For::Eye),
            model: script.is_for(For::Model),
            minds_depth: script.minds_depth(),
            depths: least.unwrap_or(0)..=most.unwrap_or(i64::MAX),
        })
    }

    fn reads(&self, at: At) -> bool {
        let reader = match at.reader {
            For::Eye => self.eye,
            For::Model => self.model,
        };
        let is_deep = at.depth.is_none_or(|depth| !self.minds_depth || self.depths.contains(&depth.into()));
        reader && is_deep && self.places.contains(&at.place)
    }

    /// The text with what is found replaced; `None`: nothing is found, or it would take too long, or become too much.
    pub fn run(&self, text: &str) -> Option<String> {
        self.run_within(text, &mut Looks::ALL.clone())
    }

    fn run_within(&self, text: &str, looks: &mut Looks) -> Option<String> {
        if !text.contains(&self.needs) {
            return None;
        }
        let mut out = String::new();
        let mut from = 0;
        for found in self.find.captures_iter(text).take(if self.is_global { usize::MAX } else { 1 }) {
            if self.is_global && self.looks_far && !looks.through(text.len()) {
                return None;
            }
            let whole = found.get(0)?;
            out.push_str(&text[from..whole.start()]);
            self.put(&found, &mut out);
            from = whole.end();
            if out.len() > text.len() + GROWTH {
                return None;
            }
        }
        if from == 0 && out.is_empty() {
            return None;
        }
        out.push_str(&text[from..]);
        Some(out)
    }

    fn put(&self, found: &Captures, out: &mut String) {
        for part in &self.replace {
            let group = match part {
                Part::Text(text) => {
                    out.push_str(text);
                    continue;
                }
                Part::Group(number) => found.get(*number),
                Part::Named(name) => found.name(name),
            };
            let group = group.map_or("", |group| group.as_str());
            let trimmed = self.trim.iter().fold(Cow::Borrowed(group), |text, trim| match text.contains(trim) {
                true => text.replace(trim, "").into(),
                false => text,
            });
            out.push_str(&trimmed);
        }
    }
}

/// `$1`, `$<name>`, `{{match}}` and what stands between them.
fn parts(replace: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut text = String::new();
    let mut rest = replace;
    while let Some(c) = rest.chars().next() {
        let found = group(rest);
        let (part, length) = match found {
            Some(found) => found,
            None => {
                text.push(c);
                rest = &rest[c.len_utf8()..];
                continue;
            }
        };
        if !text.is_empty() {
            parts.push(Part::Text(std::mem::take(&mut text)));
        }
        parts.push(part);
        rest = &rest[length..];
    }
    if !text.is_empty() {
        parts.push(Part::Text(text));
    }
    parts
}

/// What stands for something that was found, and its length, where the text begins with it.
fn group(text: &str) -> Option<(Part, usize)> {
    const MATCH: &str = "{{match}}";
    if text.get(..MATCH.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(MATCH)) {
        return Some((Part::Group(0), MATCH.len()));
    }
    let rest = text.strip_prefix('$')?;
    if let Some((name, _)) =
        rest.strip_prefix('<').and_then(|rest| rest.split_once('>')).filter(|(name, _)| !name.is_empty())
    {
        return Some((Part::Named(name.to_owned()), name.len() + 3));
    }
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let number = rest[..digits].parse().ok()?;
    Some((Part::Group(number), digits + 1))
}

/// Puts names in, and what stands for a line's end and for nothing.
fn expand(text: &str, names: &Values) -> String {
    expand_with(text, &mut |call: &Call| put_in(call, names))
}

fn put_in(call: &Call, names: &Values) -> Option<String> {
    match call.name.as_str() {
        "newline" => Some("\n".to_owned()),
        "noop" | "trim" | "//" => Some(String::new()),
        _ => names.get(call),
    }
}

/// Whether a macro in it stays as it is written. What a prompt's macros stand for beyond names is of one turn; a script
/// says the same of a text whenever it is read.
pub fn leaves_macros(script: &Script, names: &Values) -> bool {
    let find = Some(&script.find_regex).filter(|_| script.substitutes().0);
    let mut leaves = false;
    for text in [&script.replace_string].into_iter().chain(&script.trim_strings).chain(find) {
        expand_with(text, &mut |call: &Call| {
            let known = put_in(call, names);
            let is_name = call.name.starts_with(|c: char| c.is_ascii_alphabetic());
            leaves |= known.is_none() && is_name && call.name != "match";
            known
        });
    }
    leaves
}

/// Scripts that run in a story, in their order.
pub struct Rules(Vec<Rule>);

impl Rules {
    /// Those that can run. The others are said where they are edited.
    pub fn of(scripts: &[Script], names: &Values) -> Self {
        Self(scripts.iter().take(MOST).filter_map(|script| Rule::of(script, names).ok()).collect())
    }
}

impl Rewrites for Rules {
    fn rewrite<'t>(&self, text: &'t str, at: At) -> Cow<'t, str> {
        let mut looks = Looks::ALL;
        let read = self.0.iter().filter(|rule| rule.reads(at));
        read.fold(Cow::Borrowed(text), |text, rule| {
            looks.one = Looks::ONE;
            rule.run_within(&text, &mut looks).map_or(text, Cow::Owned)
        })
    }

    fn minds_depth(&self) -> bool {
        self.0.iter().any(|rule| rule.minds_depth)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::story::{reader::Reader, storyline::Language};

    fn script(find: &str, replace: &str) -> Script {
        Script { find_regex: find.into(), replace_string: replace.into(), placement: vec![2], ..Script::default() }
    }

    fn names() -> Values<'static> {
        Values { char: "L.X", user: Reader::new("小雨", Language::Zh).told(), original: "" }
    }

    fn run(script: &Script, text: &str) -> String {
        Rule::of(script, &names()).unwrap().run(text).unwrap_or_else(|| text.to_owned())
    }

    #[test]
    fn the_table_of_replacements() {
        let check = |find: &str, replace: &str, text: &str, expected: &str| {
            assert_eq!(run(&script(find, replace), text), expected, "{find} → {replace} in {text:?}");
        };
        check("/a/g", "b", "banana", "bbnbnb");
        check("/a/", "b", "banana", "bbnana");
        check("a", "b", "banana", "bbnana");
        check("/A/gi", "b", "banana", "bbnbnb");
        check(r"/<think>[\s\S]*?<\/think>\s*/g", "", "<think>x\ny</think>\n\n雨夜。", "雨夜。");
        check(r"/\*(.+?)\*/g", "<i>$1</i>", "*one* two *three*", "<i>one</i> two <i>three</i>");
        check(r"/(?<who>\w+):/", "**$<who>**$<none>:", "Ada: hi", "**Ada**: hi");
        check(r"/雨/g", "[{{match}}][{{MATCH}}]", "雨夜", "[雨][雨]夜");
        check(r"/(a)(b)?/", "$2$1$3$10$", "a", "a$");
        check(r"/^/gm", "> ", "a\nb", "> a\n> b");
        check(r"/x*/g", "-", "ab", "-a-b-");
        check(r"/name/", "{{char}} & {{user}}", "name", "L.X & 小雨");
        check(r"/cost/", "$5", "cost", "");
        check(r"/cost/", "$ five", "cost", "$ five");
    }

    #[test]
    fn what_is_trimmed_and_what_stands_for_a_name() {
        let trimmed = Script { trim_strings: vec!["*".into(), "{{char}}".into()], ..script(r"/“(.*?)”/", "$1!") };
        assert_eq!(run(&trimmed, "“*Stay*, L.X”"), "Stay, !");
        for (how, text, expected) in [
            (0, "{{char}} here", "X here"),
            (0, "LAX here", "LAX here"),
            (1, "LAX here", "X here"),
            (2, "LAX here", "LAX here"),
            (2, "L.X here", "X here"),
        ] {
            let named = Script { substitute_regex: how.into(), ..script("/{{char}}/", "X") };
            assert_eq!(run(&named, text), expected, "{how} {text}");
        }
    }

    #[test]
    fn macros_that_stay() {
        let leaves = |script: &Script| leaves_macros(script, &names());
        for replace in ["{{getvar::hp}}", "a {{time}}", "{{random::a::{{char}}}}", "{{unheard_of}}"] {
            assert!(leaves(&script("/a/", replace)), "{replace}");
            assert_eq!(run(&script("/a/", replace), "a"), replace.replace("{{char}}", "L.X"));
        }
        for replace in ["{{char}} {{User}} <user>{{newline}}", "{{match}} {{MATCH}} {{$1}}", "{ {x} }", "{{//note}}"] {
            assert!(!leaves(&script("/a/", replace)), "{replace}");
        }
        let found = script("/{{time}}/", "");
        assert!(!leaves(&found) && leaves(&Script { substitute_regex: 1.into(), ..found }));
        assert!(leaves(&Script { trim_strings: vec!["{{time}}".into()], ..script("/a/", "") }));
    }

    /// What a model says is not taken for a macro, and what is found not for a part of the replacement.
    #[test]
    fn what_is_found_is_put_in_as_it_is() {
        assert_eq!(run(&script(r"/<(.+?)>/", "[$1]"), "<{{char}} $1>"), "[{{char}} $1]");
    }

    #[test]
    fn where_and_for_whom() {
        let rules = |change: fn(&mut Script)| {
            let mut script = script("/a/g", "b");
            change(&mut script);
            Rules::of(&[script], &names())
        };
        let reads = |rules: &Rules, place, reader, depth| rules.rewrite("a", At { place, reader, depth }) == "b";
        let both = rules(|_| ());
        assert!(reads(&both, Place::Reply, For::Eye, Some(9)) && reads(&both, Place::Reply, For::Model, None));
        assert!(!reads(&both, Place::Reader, For::Eye, None) && !reads(&both, Place::Lore, For::Model, None));
        let eye = rules(|script| {
            script.markdown_only = true;
            (script.min_depth, script.max_depth) = (Some(1), Some(3));
        });
        for (depth, expected) in [(0, false), (1, true), (3, true), (4, false)] {
            assert_eq!(reads(&eye, Place::Reply, For::Eye, Some(depth)), expected, "{depth}");
        }
        assert!(!reads(&eye, Place::Reply, For::Model, Some(2)) && eye.minds_depth());
        // Of one that is for both, depths mean nothing; −1 means none.
        let both = rules(|script| script.max_depth = Some(0));
        assert!(reads(&both, Place::Reply, For::Eye, Some(7)) && !both.minds_depth());
        let none = rules(|script| {
            script.prompt_only = true;
            (script.min_depth, script.max_depth) = (Some(-1), Some(-1));
        });
        assert!(reads(&none, Place::Reply, For::Model, Some(7)));
    }

    #[test]
    fn they_run_in_their_order_and_one_that_is_broken_stops_none() {
        let scripts = [script("/a/", "b"), script("/(/", "x"), script("", "x"), script("/b/", "c")];
        let at = At { place: Place::Reply, reader: For::Eye, depth: None };
        assert_eq!(Rules::of(&scripts, &names()).rewrite("a", at), "c");
        assert_eq!(Rule::of(&scripts[2], &names()).err(), Some(RuleFault::NoPattern));
        assert!(matches!(Rule::of(&scripts[1], &names()), Err(RuleFault::Pattern(_))));
    }

    /// Each match of such a one looks through all that follows.
    #[test]
    fn one_that_looks_too_often_leaves_the_text() {
        let text = "a".repeat(2_000);
        let few = Looks { one: 1 << 18, all: 1 << 20 };
        let within = |find: &str| Rule::of(&script(find, "b"), &names()).unwrap().run_within(&text, &mut few.clone());
        for find in [r"/[\s\S]*Z|a/g", "/a{1,999}Z|a/g"] {
            assert_eq!(within(find), None, "{find}");
        }
        // One that looks no further than what it finds is free to find much.
        for find in ["/a/g", r"/a\*?/g", "/[a*]/g"] {
            assert_eq!(within(find), Some("b".repeat(2_000)), "{find}");
        }
        let lines = "“Stay,” he said.\n".repeat(500);
        assert_eq!(run(&script("/“(.+?)”/g", "$1"), &lines), "Stay, he said.\n".repeat(500));
    }

    /// What one has used up is gone for those that look far as well, and for none beside them.
    #[test]
    fn all_of_them_have_a_bound() {
        let mut looks = Looks { one: 3_000, all: 4_000 };
        let text = "a".repeat(1_000);
        let rule = |find: &str| Rule::of(&script(find, "b"), &names()).unwrap();
        assert_eq!(rule("/a*?Z|a/g").run_within(&text, &mut looks), None);
        looks.one = 3_000;
        assert_eq!(rule("/a+/g").run_within(&text, &mut looks), None);
        assert_eq!(rule("/a/g").run_within(&text, &mut looks), Some("b".repeat(1_000)));
        assert_eq!(rule("/a+/").run_within(&text, &mut looks), Some("b".into()));
    }

    #[test]
    fn one_that_would_fill_the_page_leaves_the_text() {
        let flood = script("/a/g", &"x".repeat(10_000));
        assert_eq!(run(&flood, &"a".repeat(1_000)).len(), 1_000);
    }

    proptest! {
        /// Nothing is lost around what is found.
        #[test]
        fn what_is_put_back_is_the_text(text in "[a-c \n雨]{0,40}", find in prop::sample::select(&["/a/g", "/b+/g", "/[ac]*/g", "/^/gm", "/./gs", "/雨|b/g"][..])) {
            prop_assert_eq!(run(&script(find, "{{match}}"), &text), text);
        }
    }
}
