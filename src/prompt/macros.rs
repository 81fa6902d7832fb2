//! Macros in prompt texts, by the field's names, without regard to case: `{{char}}`, `{{random::a::b}}`, `<USER>`, …
//!
//! Here is the syntax; what a name stands for says a lookup. A macro may stand in another's arguments. Those that are
//! not known stay as they are, so that nothing of a card is lost. What a macro puts in is not expanded again.

pub mod chance;
pub mod plain;
pub mod time;

use crate::story::reader::Words;

/// Macros within macros, the outermost counted.
const DEEPEST: usize = 3;

/// What macros stand for in the simplest case.
pub struct Values<'a> {
    pub char: &'a str,
    pub user: Words<'a>,
    /// Text that the present one replaces: `{{original}}`.
    pub original: &'a str,
}

impl Values<'_> {
    pub fn get(&self, call: &Call) -> Option<String> {
        match call.name.as_str() {
            "char" | "bot" => Some(self.char.to_owned()),
            USER => Some(self.user.form(call.opens, &call.owned)),
            "original" => Some(self.original.to_owned()),
            _ => None,
        }
    }
}

/// Who has no name is called by a word, whose form depends on its place in the sentence.
const USER: &str = "user";

/// Expands the names of `values`.
pub fn expand(text: &str, values: &Values) -> String {
    expand_with(text, &mut |call: &Call| values.get(call))
}

/// A macro as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Call {
    /// Lower case; `//` for a comment.
    pub name: String,
    /// After `::` each; after a single `:` or a space there is one.
    pub args: Vec<String>,
    /// A sentence begins with it.
    pub opens: bool,
    /// Of `{{user}}`: the `'s` that follows. What it stands for takes its place too.
    pub owned: String,
}

impl Call {
    pub fn arg(&self, at: usize) -> &str {
        self.args.get(at).map_or("", String::as_str)
    }

    /// A list of choices: `::a::b`, or `:a,b` with `\,` for a comma.
    pub fn choices(&self) -> Vec<String> {
        match self.args.as_slice() {
            [one] => one.replace("\\,", "\0").split(',').map(|part| part.trim().replace('\0', ",")).collect(),
            several => several.to_vec(),
        }
    }
}

pub type Lookup<'a> = &'a mut dyn FnMut(&Call) -> Option<String>;

/// Expands the macros that `lookup` knows, from left to right.
pub fn expand_with(text: &str, lookup: Lookup) -> String {
    expand_level(text, lookup, DEEPEST, true)
}

/// `opens`: a sentence begins with the text.
fn expand_level(text: &str, lookup: Lookup, levels: usize, opens: bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['{', '<']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let value = macro_at(rest).and_then(|(inner, length)| {
            let mut call = read(inner, lookup, levels, opens_sentence(&out).unwrap_or(opens))?;
            if call.name == USER {
                possessive(&rest[length..]).clone_into(&mut call.owned);
            }
            Some((lookup(&call)?, call.name, length + call.owned.len()))
        });
        match value {
            Some((_, name, length)) if name == "trim" => {
                out.truncate(out.trim_end_matches(['\n', '\r']).len());
                rest = rest[length..].trim_start_matches(['\n', '\r']);
            }
            Some((value, _, length)) => {
                out.push_str(&value);
                rest = &rest[length..];
            }
            None => {
                out.push_str(&rest[..1]);
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// Whether a sentence begins after `before`; `None` where nothing stands before it.
fn opens_sentence(before: &str) -> Option<bool> {
    // What may stand between two sentences: quotes, brackets, marks of lists and of emphasis.
    let amid = |c: char| c != '\n' && (c.is_whitespace() || "\"'“”‘’「」『』()[]（）【】*_#>-•~`".contains(c));
    let last = before.trim_end_matches(amid).chars().next_back();
    last.map(|last| "\n.!?…。！？".contains(last))
}

/// The `'s` that a text begins with, or nothing.
fn possessive(text: &str) -> &str {
    let Some(rest) = ["'s", "’s"].iter().find_map(|owned| text.strip_prefix(owned)) else { return "" };
    let ends = !rest.starts_with(char::is_alphanumeric);
    if ends { &text[..text.len() - rest.len()] } else { "" }
}

/// What stands in the macro that `text` begins with, and its whole length.
fn macro_at(text: &str) -> Option<(&str, usize)> {
    if text.starts_with("{{") {
        let end = closing(text)?;
        return Some((&text[2..end], end + 2));
    }
    let rest = text.strip_prefix('<')?;
    let end = rest.as_bytes().iter().take(5).position(|byte| *byte == b'>')?;
    let tag = &rest[..end];
    ["user", "bot", "char"].iter().any(|known| tag.eq_ignore_ascii_case(known)).then_some((tag, end + 2))
}

/// Where the braces that `text` begins with are closed. Deeper nesting than [`DEEPEST`] is no macro, which also keeps
/// a text of nothing but braces from costing its square.
fn closing(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut at, mut open) = (2, 1);
    while at + 1 < bytes.len() {
        match &bytes[at..at + 2] {
            b"{{" if open == DEEPEST => return None,
            b"{{" => (open, at) = (open + 1, at + 2),
            b"}}" if open == 1 => return Some(at),
            b"}}" => (open, at) = (open - 1, at + 2),
            _ => at += 1,
        }
    }
    None
}

fn read(inner: &str, lookup: Lookup, levels: usize, opens: bool) -> Option<Call> {
    let inner = inner.trim();
    if inner.starts_with("//") {
        return Some(Call { name: "//".into(), ..Call::default() });
    }
    let end = inner.find(|char: char| char == ':' || char.is_whitespace()).unwrap_or(inner.len());
    let name = inner[..end].to_lowercase();
    let rest = inner[end..].trim_start();
    let args = match rest.strip_prefix("::").or_else(|| rest.strip_prefix(':')) {
        Some(rest) if rest.contains("::") || inner[end..].starts_with("::") => split(rest),
        Some(rest) => vec![rest],
        None if rest.is_empty() => Vec::new(),
        None => vec![rest],
    };
    let deeper = levels.checked_sub(1)?;
    let args = args.into_iter().map(|arg| expand_level(arg, lookup, deeper, opens)).collect();
    Some(Call { name, args, opens, owned: String::new() })
}

/// At every `::` that stands in no inner macro.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut from, mut at, mut open) = (Vec::new(), 0, 0, 0usize);
    let bytes = text.as_bytes();
    while at + 1 < bytes.len() {
        match &bytes[at..at + 2] {
            b"{{" => (open, at) = (open + 1, at + 2),
            b"}}" => (open, at) = (open.saturating_sub(1), at + 2),
            b"::" if open == 0 => {
                parts.push(&text[from..at]);
                at += 2;
                from = at;
            }
            _ => at += 1,
        }
    }
    parts.push(&text[from..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::story::{reader::Reader, storyline::Language};

    #[test]
    fn expands() {
        let user = Reader::new("", Language::Zh).in_story();
        let values = Values { char: "Mira", user, original: "main {{char}}" };
        let check = |text: &str, expected: &str| assert_eq!(expand(text, &values), expected);
        check("{{char}} and {{ User }}", "Mira and 你");
        check("<BOT> meets <user>; <b>bold</b> stays", "Mira meets 你; <b>bold</b> stays");
        check("{{original}}!", "main {{char}}!");
        check("{{unknown}} {{char {x} <", "{{unknown}} {{char {x} <");
        check("{{{char}}}", "{Mira}");
        check("<故事> 《{{char}}》<", "<故事> 《Mira》<");
        check("{{unknown {{char}}}} {{char", "{{unknown Mira}} {{char");
    }

    /// `{{user}}` wherever a card may have it.
    #[test]
    fn a_reader_without_a_name() {
        let check = |text: &str, named: &str, told: &str, in_story: &str| {
            let expanded = |user| expand(text, &Values { char: "Mira", user, original: "" });
            let unnamed = Reader::new("", Language::En);
            let all = [Reader::new("Lin", Language::En).told(), unnamed.told(), unnamed.in_story()].map(expanded);
            assert_eq!(all, [named, told, in_story], "{text}");
        };
        check("{{user}} nods.", "Lin nods.", "The reader nods.", "You nods.");
        check("{{char}} sees <USER>.", "Mira sees Lin.", "Mira sees the reader.", "Mira sees you.");
        check("It is {{user}}'s key.", "It is Lin's key.", "It is the reader's key.", "It is your key.");
        check("{{user}}’s key, {{user}}.", "Lin’s key, Lin.", "The reader’s key, the reader.", "Your key, you.");
        check("{{user}}'still", "Lin'still", "The reader'still", "You'still");
        check("“Go.” *{{user}} goes.*", "“Go.” *Lin goes.*", "“Go.” *The reader goes.*", "“Go.” *You goes.*");
        check("“No,” {{user}} says", "“No,” Lin says", "“No,” the reader says", "“No,” you says");
        check("Notes:\n- {{user}}: kind", "Notes:\n- Lin: kind", "Notes:\n- The reader: kind", "Notes:\n- You: kind");
        check("a {{unknown {{user}}}}", "a {{unknown Lin}}", "a {{unknown the reader}}", "a {{unknown you}}");
        let zh = |text: &str| {
            let unnamed = Reader::new("", Language::Zh);
            [unnamed.told(), unnamed.in_story()].map(|user| expand(text, &Values { char: "林夕", user, original: "" }))
        };
        assert_eq!(
            zh("{{user}}看着{{char}}，{{user}}的伞在滴水。"),
            ["读者看着林夕，读者的伞在滴水。", "你看着林夕，你的伞在滴水。"]
        );
        assert_eq!(zh("{{user}}'s 伞"), ["读者的 伞", "你的 伞"]);
    }

    #[test]
    fn reads_calls() {
        let check = |text: &str, name: &str, args: &[&str]| {
            let mut calls = Vec::new();
            expand_with(text, &mut |call| {
                calls.push(call.clone());
                (call.name != "unknown").then(|| format!("<{}>", call.name))
            });
            let last = calls.last().unwrap();
            assert_eq!((last.name.as_str(), last.args.iter().map(String::as_str).collect()), (name, args.to_vec()));
        };
        check("{{Random::a::b::}}", "random", &["a", "b", ""]);
        check("{{random:a,b}}", "random", &["a,b"]);
        check("{{random: a::b}}", "random", &[" a", "b"]);
        check("{{roll 2d6+1}}", "roll", &["2d6+1"]);
        check("{{setvar::名::{{char}}::x}}", "setvar", &["名", "<char>", "x"]);
        check("{{random::{{pick::a::b}}::c}}", "random", &["<pick>", "c"]);
        check("{{// a {{comment}} }}", "//", &[]);
        let call = Call { name: "random".into(), args: vec!["a, b\\,c".into()], ..Call::default() };
        assert_eq!(call.choices(), ["a", "b,c"]);
    }

    #[test]
    fn trims_around_itself() {
        let known = |text: &str| expand_with(text, &mut |call| (call.name == "trim").then(String::new));
        assert_eq!(known("a\n\n{{trim}}\n\nb"), "ab");
        assert_eq!(known("{{trim}}\n b {{x}}"), " b {{x}}");
    }

    #[test]
    fn braces_cost_no_square() {
        let text = "{{ a ".repeat(200_000);
        let user = Reader::new("", Language::En).told();
        assert_eq!(expand(&text, &Values { char: "", user, original: "" }), text);
    }
}
